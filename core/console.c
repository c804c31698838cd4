/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/console.h"

#include <string.h>

#include "commands.h"
#include "report_line.h"
#include "text.h"

/* Room kept for the line that ends a command [byte]: kind, id, result and the longest message. */
#define END_BYTES 192u

/* What a terminal sends for its keys. */
#define CTRL(letter) ((letter) - '@')
#define ESCAPE       '\x1B'
#define DELETE       '\x7F'

/* ---- output ------------------------------------------------------------------------ */

static size_t room(struct nd_console *console) {
    uint32_t waiting = console->out_tail - console->out_head;

    if (console->out_head > 0) {
        memmove(console->out, console->out + console->out_head, waiting);
        console->out_head = 0;
        console->out_tail = waiting;
    }
    return sizeof console->out - waiting;
}

static void begin(struct nd_console *console, struct nd_fmt *out, const char *kind, bool with_id) {
    size_t size = room(console);

    nd_fmt_init(out, console->out + console->out_tail, size);
    if (!console->json) {
        return;
    }
    nd_json_open(out);
    if (with_id) {
        nd_json_u64(out, "id", console->id);
    }
    nd_json_text(out, "kind", kind);
}

void nd_console_begin(struct nd_console *console, struct nd_fmt *out, const char *kind) {
    begin(console, out, kind, console->has_id);
}

bool nd_console_end(struct nd_console *console, struct nd_fmt *out) {
    if (console->json) {
        nd_json_close(out);
    }
    if (console->echo) {
        nd_fmt_char(out, '\r');
    }
    nd_fmt_char(out, '\n');
    if (out->cut) {
        console->lost_reports++;
        return false;
    }
    console->out_tail += (uint32_t)nd_fmt_length(out);
    return true;
}

size_t nd_console_output(struct nd_console *console, const char **bytes) {
    *bytes = console->out + console->out_head;
    return console->out_tail - console->out_head;
}

void nd_console_output_done(struct nd_console *console, size_t len) {
    console->out_head += (uint32_t)len;
    if (console->out_head == console->out_tail) {
        console->out_head = 0;
        console->out_tail = 0;
    }
}

static void echo_char(struct nd_console *console, char c) {
    if (console->echo && room(console) > 0) {
        console->out[console->out_tail++] = c;
    }
}

/* ---- commands ---------------------------------------------------------------------- */

static void tell_end(struct nd_console *console, int result) {
    struct nd_fmt out;

    if (!console->json && result == ND_OK) {
        return;
    }
    nd_console_begin(console, &out, "end");
    if (console->json) {
        nd_json_text(&out, "result", nd_error_name(result));
        if (console->message != NULL) {
            nd_json_text(&out, "message", console->message);
        }
    } else {
        nd_fmt_text(&out, "error: ");
        nd_fmt_text(&out, nd_error_name(result));
        if (console->message != NULL) {
            nd_fmt_text(&out, ": ");
            nd_fmt_text(&out, console->message);
        }
    }
    nd_console_end(console, &out);
}

static void tell_lost(struct nd_console *console) {
    struct nd_fmt out;
    uint32_t lost = console->lost_reports;

    console->lost_reports = 0;
    begin(console, &out, "lost", false);
    if (console->json) {
        nd_json_u64(&out, "lines", lost);
    } else {
        nd_fmt_u64(&out, lost);
        nd_fmt_text(&out, " lines lost: the console was not read fast enough");
    }
    nd_console_end(console, &out);
}

/* Every step finds room for its own line and for the one that ends the command. */
static bool has_room(struct nd_console *console) {
    return room(console) >= ND_CONSOLE_STEP_BYTES + END_BYTES;
}

bool nd_console_poll(struct nd_console *console) {
    int result;

    if ((console->running == NULL && console->lost_reports == 0) || !has_room(console)) {
        return false;
    }
    if (console->lost_reports > 0) {
        tell_lost(console);
        return true;
    }
    result = console->running->run(console->running, console, console->step++);
    if (result != ND_AGAIN) {
        tell_end(console, result);
        console->running = NULL;
        console->has_id = false;
    }
    return true;
}

static struct nd_command *find(const struct nd_console *console, const char *name) {
    struct nd_command *at = console->commands;

    if (console->gate != NULL && !nd__text_equal(name, "json")) {
        return nd__text_equal(name, console->gate->name) ? console->gate : NULL;
    }
    while (at != NULL && !nd__text_equal(at->name, name)) {
        at = at->next;
    }
    return at;
}

/* ---- input ------------------------------------------------------------------------- */

/* Cut the line into words at blanks. False when there are too many. */
static bool split(struct nd_console *console) {
    char *at = console->line;

    console->argc = 0;
    while (*at != '\0') {
        while (*at == ' ' || *at == '\t') {
            *at++ = '\0';
        }
        if (*at == '\0') {
            break;
        }
        if (console->argc == ND_CONSOLE_WORDS) {
            return false;
        }
        console->argv[console->argc++] = at;
        while (*at != '\0' && *at != ' ' && *at != '\t') {
            at++;
        }
    }
    return true;
}

/* Take "#N" off the front of the words. */
static void take_id(struct nd_console *console) {
    uint64_t id;

    if (console->argc == 0 || console->argv[0][0] != '#') {
        return;
    }
    const char *digits = console->argv[0] + 1;
    if (!nd__text_u64(digits, nd__text_length(digits), &id) || id > UINT32_MAX) {
        return;
    }
    console->has_id = true;
    console->id = (uint32_t)id;
    console->argc--;
    memmove(console->argv, console->argv + 1, (size_t)console->argc * sizeof console->argv[0]);
}

static void run_line(struct nd_console *console) {
    console->argc = 0;
    bool fits = !console->overlong && split(console);

    console->line_length = 0;
    console->overlong = false;
    console->message = NULL;
    console->step = 0;
    if (fits) {
        take_id(console);
        if (console->argc == 0) {
            console->has_id = false;
            return;
        }
        console->running = find(console, console->argv[0]);
    }
    if (!fits || console->running == NULL) {
        console->running = nd__commands_refuse(fits);
    }
    nd_console_poll(console);
}

/* Take back the last count characters that were typed. */
static void erase(struct nd_console *console, uint32_t count) {
    for (; count > 0; count--) {
        console->line_length--;
        echo_char(console, '\b');
        echo_char(console, ' ');
        echo_char(console, '\b');
    }
}

static void put(struct nd_console *console, char c) {
    console->line[console->line_length++] = c;
    echo_char(console, c);
}

static void append(struct nd_console *console, char c) {
    console->history = 0;
    if (console->line_length == sizeof console->line - 1) {
        console->overlong = true;
    } else {
        put(console, c);
    }
}

/* An empty line leaves the latest one where it is. */
static void enter(struct nd_console *console) {
    echo_char(console, '\r');
    echo_char(console, '\n');
    if (console->line_length > 0) {
        console->history = (uint16_t)console->line_length;
        console->line[console->line_length] = '\0';
        run_line(console);
    }
}

/* The latest line, at an empty one: still there, with its blanks made ends of words. */
static void recall(struct nd_console *console) {
    if (console->line_length > 0) {
        return;
    }
    while (console->line_length < console->history) {
        char c = console->line[console->line_length];
        put(console, c != '\0' ? c : ' ');
    }
}

static void discard(struct nd_console *console) {
    erase(console, console->line_length);
    console->overlong = false;
}

/* ESC [ ... LETTER, of which arrow up is all that means anything. True when c belonged to it; the
 * end of a line never does. */
static bool take_escape(struct nd_console *console, char c) {
    if (c == '\r' || c == '\n') {
        console->escape = 0;
        return false;
    }
    if (console->escape == 0) {
        console->escape = c == ESCAPE;
        return c == ESCAPE;
    }
    if (console->escape == 1) {
        console->escape = c == '[' ? 2 : 0;
        return true;
    }
    if (c >= '@') {
        console->escape = 0;
        if (c == 'A') {
            recall(console);
        }
    }
    return true;
}

static void type(struct nd_console *console, char c) {
    if (take_escape(console, c)) {
        return;
    }
    switch (c) {
    case '\r':
    case '\n':
        enter(console);
        break;
    case '\b':
    case DELETE:
        erase(console, console->line_length > 0);
        break;
    case CTRL('U'):
        discard(console);
        break;
    case CTRL('C'):
        discard(console);
        nd_agent_stop_tests(console->agent);
        break;
    case CTRL('P'):
        recall(console);
        break;
    default:
        if (c >= ' ' || c == '\t') {
            append(console, c);
        }
    }
}

size_t nd_console_input(struct nd_console *console, const char *bytes, size_t len) {
    size_t taken = 0;

    while (taken < len && console->running == NULL) {
        type(console, bytes[taken++]);
    }
    return taken;
}

/* ---- life -------------------------------------------------------------------------- */

/* A report that finds no room is dropped whole and told later: tests are not slowed by a
 * console that nobody reads. */
static void put_report(void *ctx, const struct nd_report *report) {
    struct nd_console *console = (struct nd_console *)ctx;
    struct nd_fmt out;

    if (console->gate != NULL) {
        return;
    }
    begin(console, &out, "report", false);
    if (console->json) {
        nd__report_json(&out, console->agent, report);
    } else {
        nd__report_text(&out, console->agent, report);
    }
    nd_console_end(console, &out);
}

void nd_console_init(struct nd_console *console, struct nd_agent *agent) {
    memset(console, 0, sizeof *console);
    console->agent = agent;
    console->sink.put = put_report;
    console->sink.ctx = console;
    nd_agent_add_sink(agent, &console->sink);
    console->commands = nd__commands_list();
}

void nd_console_add(struct nd_console *console, struct nd_command *command) {
    command->next = console->commands;
    console->commands = command;
}

void nd_console_hangup(struct nd_console *console) {
    console->running = NULL;
    console->has_id = false;
    console->json = false;
    console->echo = false;
    console->overlong = false;
    console->escape = 0;
    console->history = 0;
    console->line_length = 0;
    console->lost_reports = 0;
    console->out_head = 0;
    console->out_tail = 0;
}
