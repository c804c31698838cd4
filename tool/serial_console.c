/* SPDX-License-Identifier: BSD-3-Clause */
#include "serial_console.h"

#include <string.h>
#include <sys/utsname.h>

#include "say.h"
#include "version.h"

/* Look again so soon when the line did not take all [ns]. */
#define BUSY_LINE_NS 5000000u

static struct serial_console *serial_of(struct nd_session *session) {
    return (struct serial_console *)(void *)session; /* its first member */
}

static void stop(struct nd_session *session, int why) {
    struct serial_console *serial = serial_of(session);

    (void)why;
    nd_posix_unwatch(serial->posix, serial->line.fd);
    serial_line_close(&serial->line);
    nd_session_leave(session);
}

/* Typed bytes into the console, as many as it takes now. */
static int feed(struct serial_console *serial) {
    if (serial->typed_at == serial->typed_length) {
        int n = serial_line_read(&serial->line, serial->typed, sizeof serial->typed);

        if (n < 0) {
            return n;
        }
        serial->typed_at = 0;
        serial->typed_length = (size_t)n;
    }
    size_t taken = nd_console_input(&serial->console, serial->typed + serial->typed_at,
                                    serial->typed_length - serial->typed_at);
    serial->typed_at += taken;
    return taken > 0 ? (int)taken : ND_AGAIN;
}

static int drain(struct serial_console *serial) {
    const char *bytes;
    size_t len = nd_console_output(&serial->console, &bytes);
    int n = ND_AGAIN;

    if (len > 0) {
        n = serial_line_write(&serial->line, bytes, len);
    }
    if (n > 0) {
        nd_console_output_done(&serial->console, (size_t)n);
    }
    return n;
}

static bool poll(struct nd_session *session) {
    struct serial_console *serial = serial_of(session);
    struct nd_agent *agent = session->agent;
    bool moved = nd_console_poll(&serial->console);
    int fed = feed(serial);
    int drained = drain(serial);
    const char *rest;

    if ((fed < 0 && fed != ND_AGAIN) || (drained < 0 && drained != ND_AGAIN)) {
        say_error("agent: the console at %s was lost: the line was cut", serial->line.path);
        stop(session, ND_E_RESET);
        return true;
    }
    session->wake = UINT64_MAX;
    if (nd_console_output(&serial->console, &rest) > 0) {
        session->wake = agent->now + nd_clock_ticks(BUSY_LINE_NS, agent->cfg.clock->hz);
    }
    return moved || fed > 0 || drained > 0;
}

static const struct nd_session_class kind = {.engine = "console", .poll = poll, .stop = stop};

/* The line that tells a program at the other end that the agent has started anew. */
static void say_hello(struct serial_console *serial) {
    struct nd_fmt out;
    struct utsname name;

    nd_console_begin(&serial->console, &out, "boot");
    nd_fmt_text(&out, "netdyno agent ");
    nd_fmt_text(&out, nd_version);
    nd_fmt_text(&out, ", posix on ");
    nd_fmt_text(&out, uname(&name) == 0 ? name.machine : "host");
    nd_console_end(&serial->console, &out);
}

int serial_console_serve(struct serial_console *serial, struct nd_agent *agent,
                         struct nd_posix *posix, const char *name) {
    char error[160];
    int result = strcmp(name, "pty") == 0
                     ? serial_line_make(&serial->line, error, sizeof error)
                     : serial_line_open(&serial->line, name, error, sizeof error);

    if (result != 0) {
        say_error("agent: %s", error);
        return -1;
    }
    serial->posix = posix;
    if (nd_posix_watch(posix, serial->line.fd) != ND_OK) {
        say_error("agent: cannot wait for the serial line %s", serial->line.path);
        serial_line_close(&serial->line);
        return -1;
    }
    nd_session_join(&serial->session, &kind, agent, NULL);
    serial->session.resident = true;
    serial->session.patient = true;
    say_hello(serial);
    return 0;
}
