/* SPDX-License-Identifier: BSD-3-Clause */
#include "console_client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nd/error.h"
#include "signals.h"

/* A device answers a command at once; a slow board with a full queue needs a moment [ns]. */
#define ANSWER_LIMIT_NS 5000000000u

/* After so long in silence a lossy line has lost command or answer [ns]; it is then asked again, so
 * often in all that a board which restarts when its line is opened has time for it. */
#define SILENCE_NS     1200000000u
#define LOSSY_ATTEMPTS 5

/* No hang-up tells the other end of a line that the next one there may be a person. */
#define TEXT_AGAIN "\njson off\n"

/* A board that says so long something else does not answer [ns]. */
#define BABBLE_LIMIT_NS 60000000000u

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* The attempt at the running command that an object answers; 0 = none. */
static uint32_t attempt_of(const struct console_client *client, const json_t *object) {
    json_int_t id = json_integer_value(json_object_get(object, "id"));

    return id >= client->first_id && id <= client->id ? (uint32_t)id : 0;
}

/* An attempt that is answered late after all is as good as the one after it; but answers of two are
 * not mixed. A device answers them in turn. */
static void file_answer(struct console_client *client, uint32_t id, json_t *object) {
    if (id < client->items_id || client->end != NULL) {
        json_decref(object);
        return;
    }
    if (id > client->items_id) {
        json_array_clear(client->items);
        client->items_id = id;
    }
    if (strcmp(text_of(object, "kind"), "end") == 0) {
        client->end = object;
    } else {
        json_array_append_new(client->items, object);
    }
}

/* Sorts one object; takes the reference over. */
static void file_object(struct console_client *client, json_t *object) {
    uint32_t id = attempt_of(client, object);

    if (strcmp(text_of(object, "kind"), "report") == 0) {
        json_array_append_new(client->reports, object);
    } else if (id > 0) {
        file_answer(client, id, object);
    } else {
        json_decref(object);
    }
}

static json_t *parse(const char *line, size_t length) {
    return json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
}

/* The JSON of a line, also behind bytes that do not belong to it; NULL when it is none, or broken.
 */
static json_t *find_object(struct console_client *client) {
    const char *begin = memmem(client->line, client->length, "{\"", 2);
    json_t *object;

    if (begin == NULL || client->overlong) {
        return NULL;
    }
    object = parse(begin, client->length - (size_t)(begin - client->line));
    client->broken_lines += !json_is_object(object);
    return object;
}

/* "netdyno agent 0.1.0, lwip on lpc1768", but no line that tells of a fault. */
static void note_boot(struct console_client *client) {
    static const char word[] = "netdyno ", fault[] = "fault";
    const char *line = client->line;

    if (client->length <= sizeof word - 1 + sizeof fault - 1 ||
        memcmp(line, word, sizeof word - 1) != 0 ||
        memcmp(line + sizeof word - 1, fault, sizeof fault - 1) == 0 ||
        memmem(line, client->length, ", ", 2) == NULL ||
        memmem(line, client->length, " on ", 4) == NULL) {
        return;
    }
    snprintf(client->boot, sizeof client->boot, "%.*s", (int)client->length, line);
}

static void take_line(struct console_client *client) {
    json_t *object = find_object(client);

    if (json_is_object(object)) {
        file_object(client, object);
    } else {
        json_decref(object);
        note_boot(client);
        client->garbage_lines++;
    }
    client->length = 0;
    client->overlong = false;
}

static void take_char(struct console_client *client, char c) {
    if (c == '\n' || c == '\r') {
        if (client->length > 0) {
            take_line(client);
        }
    } else if (client->length < sizeof client->line) {
        client->line[client->length++] = c;
    } else {
        client->overlong = true;
    }
}

int console_client_read(struct console_client *client) {
    char bytes[1024];
    size_t n;

    while ((n = target_console_read(client->target, bytes, sizeof bytes)) > 0) {
        for (size_t i = 0; i < n; i++) {
            take_char(client, bytes[i]);
        }
        client->heard_ns = target_now_ns(client->target);
    }
    if (client->boot[0] == '\0' || !client->ready) {
        return ND_OK;
    }
    return target_fail(client->target, ND_E_RESET, "the device restarted: it said \"%s\"",
                       client->boot);
}

/* On a lossy line an end of line goes first: what is half typed there is no part of the command. */
static void send(struct console_client *client, const char *command) {
    char line[288];
    int length = snprintf(line, sizeof line, "%s#%u %s\n", client->target->kind->lossy ? "\n" : "",
                          client->id, command);

    target_console_write(client->target, line, (size_t)length);
    client->heard_ns = target_now_ns(client->target);
}

/* Send a command, or send it again, under a number of its own. */
static void ask(struct console_client *client, const char *command) {
    client->id++;
    json_decref(client->end);
    client->end = NULL;
    client->broken_before = client->broken_lines;
    send(client, command);
}

/* An answer of which a line was broken, or to a command that was: unless a test began, to ask again
 * does no harm. */
static bool is_suspect(const struct console_client *client) {
    const json_t *first = json_array_get(client->items, 0);

    return client->target->kind->lossy && strcmp(text_of(first, "kind"), "start") != 0 &&
           (client->broken_lines != client->broken_before ||
            strcmp(text_of(client->end, "result"), nd_error_name(ND_E_ARG)) == 0);
}

static int time_out(struct console_client *client, const char *command, uint64_t waited_ns) {
    return target_fail(client->target, ND_E_TIMEOUT,
                       "the device's console did not answer `%s` within %u s%s", command,
                       (unsigned)(waited_ns / 1000000000u),
                       client->garbage_lines > 0 ? " (it sent lines that are no JSON)" : "");
}

/* No answer is to be expected any more. A slow line is not silent while bytes come. */
static bool is_silent(const struct console_client *client, uint64_t now_ns, uint64_t waited_ns) {
    return client->target->kind->lossy
               ? now_ns - client->heard_ns > SILENCE_NS || waited_ns > BABBLE_LIMIT_NS
               : waited_ns > ANSWER_LIMIT_NS;
}

static int wait_for_end(struct console_client *client, const char *command, const char *shown) {
    uint64_t began_ns = target_now_ns(client->target);
    unsigned attempts = client->target->kind->lossy ? LOSSY_ATTEMPTS : 1;

    for (;;) {
        int result = console_client_read(client);
        uint64_t now_ns = target_now_ns(client->target);

        if (result != ND_OK || (client->end != NULL && (attempts == 1 || !is_suspect(client)))) {
            return result;
        }
        if (signals_caught() != 0) {
            return target_fail(client->target, ND_E_STOPPED, "interrupted");
        }
        if (client->end != NULL || is_silent(client, now_ns, now_ns - began_ns)) {
            if (--attempts == 0) {
                return time_out(client, shown, now_ns - began_ns);
            }
            ask(client, command);
        }
        result = target_pump(client->target);
        if (result != ND_OK) {
            return result;
        }
    }
}

static int judge_end(struct console_client *client, const char *command) {
    const char *result = text_of(client->end, "result");
    const char *message = text_of(client->end, "message");

    if (strcmp(result, "ok") == 0) {
        return ND_OK;
    }
    int code =
        strcmp(result, nd_error_name(ND_E_UNSUPPORTED)) == 0 ? ND_E_UNSUPPORTED : ND_E_PROTOCOL;
    return target_fail(client->target, code, "the device refused `%s`: %s%s%s", command, result,
                       message[0] != '\0' ? ", " : "", message);
}

/* `shown` stands for the command in errors. */
static int run(struct console_client *client, json_t **items, const char *command,
               const char *shown) {
    int result;

    json_array_clear(client->items);
    client->first_id = client->id + 1;
    ask(client, command);
    result = wait_for_end(client, command, shown);
    if (result == ND_OK) {
        result = judge_end(client, shown);
    }
    if (result == ND_OK && items != NULL) {
        *items = json_copy(client->items);
    }
    return result;
}

int console_client_run(struct console_client *client, json_t **items, const char *format, ...) {
    char command[256];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return run(client, items, command, command);
}

/* The token is a secret: no error shows it. */
static int present_token(struct console_client *client) {
    char command[256];

    snprintf(command, sizeof command, "token %s", client->target->token);
    return run(client, NULL, command, "token");
}

int console_client_open(struct console_client *client, struct target *target) {
    int result;

    *client = (struct console_client){
        .target = target,
        .items = json_array(),
        .reports = json_array(),
    };
    result = console_client_run(client, NULL, "json on");
    if (result == ND_OK && target->token[0] != '\0') {
        result = present_token(client);
    }
    client->boot[0] = '\0'; /* so far it may have started */
    client->ready = result == ND_OK;
    return result;
}

void console_client_close(struct console_client *client) {
    if (client->ready && client->target->kind->lossy) {
        target_console_write(client->target, TEXT_AGAIN, sizeof TEXT_AGAIN - 1);
    }
    json_decref(client->items);
    json_decref(client->end);
    json_decref(client->reports);
    *client = (struct console_client){0};
}

json_t *console_client_take_report(struct console_client *client, const char *engine,
                                   const char *role, const char *phase) {
    size_t index;
    json_t *report;

    json_array_foreach(client->reports, index, report) {
        if (strcmp(text_of(report, "engine"), engine) == 0 &&
            strcmp(text_of(report, "role"), role) == 0 &&
            strcmp(text_of(report, "phase"), phase) == 0) {
            json_incref(report);
            json_array_remove(client->reports, index);
            return report;
        }
    }
    return NULL;
}

void console_client_drop_reports(struct console_client *client) {
    json_array_clear(client->reports);
}
