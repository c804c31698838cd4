/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/remote.h"

#include "stream.h"
#include "text.h"

static struct nd_remote *remote_of(struct nd_session *session) {
    return (struct nd_remote *)(void *)((char *)session - offsetof(struct nd_remote, session));
}

static void stop(struct nd_session *session, int why) {
    (void)why;
    nd_console_hangup(remote_of(session)->console);
    nd_session_leave(session);
}

/* ---- the token ----------------------------------------------------------------------- */

/* Takes a time that depends on the caller's word alone. */
static bool is_token(const char *token, const char *word) {
    size_t length = nd__text_length(word);
    size_t unequal = length ^ nd__text_length(token);
    const char *at = token;

    for (size_t i = 0; i < length; i++) {
        unequal |= (unsigned char)(word[i] ^ *at);
        at = *at != '\0' ? at + 1 : token;
    }
    return unequal == 0;
}

static int run_token(struct nd_command *command, struct nd_console *console, unsigned step) {
    struct nd_remote *remote = (struct nd_remote *)command->ctx;

    (void)step;
    if (console->argc != 2) {
        console->message = command->usage;
        return ND_E_ARG;
    }
    if (remote->denied || (remote->token != NULL && !is_token(remote->token, console->argv[1]))) {
        console->message = "wrong token";
        remote->denied = true;
        return ND_E_ARG;
    }
    console->gate = NULL;
    return ND_OK;
}

/* ---- the caller ---------------------------------------------------------------------- */

/* Typed bytes into the console, as many as it takes now. */
static int32_t feed(struct nd_session *session, struct nd_console *console) {
    const struct nd_port *port = session->agent->cfg.port;
    const void *bytes;
    int32_t n = port->rx(session->conn, &bytes);

    if (n <= 0) {
        return n;
    }
    size_t taken = nd_console_input(console, (const char *)bytes, (size_t)n);
    if (taken == 0) {
        return ND_AGAIN;
    }
    port->rx_done(session->conn, (uint32_t)taken);
    return (int32_t)taken;
}

static int32_t drain(struct nd_session *session, struct nd_console *console) {
    const char *bytes;
    size_t len = nd_console_output(console, &bytes);

    if (len == 0) {
        return ND_AGAIN;
    }
    int32_t n = session->agent->cfg.port->tx(session->conn, bytes, (uint32_t)len, 0);
    if (n > 0) {
        nd_console_output_done(console, (size_t)n);
    }
    return n;
}

static bool poll(struct nd_session *session) {
    struct nd_console *console = remote_of(session)->console;
    bool moved = nd_console_poll(console);
    int32_t fed = remote_of(session)->denied ? (int32_t)ND_EOF : feed(session, console);
    int32_t drained = drain(session, console);

    /* A caller that hangs up, or is denied, gets what is already written; its command ends with it.
     */
    if ((fed < 0 && fed != ND_AGAIN && drained == ND_AGAIN) ||
        (drained < 0 && drained != ND_AGAIN)) {
        if (fed == ND_EOF) {
            session->agent->cfg.port->end(session->conn);
        }
        stop(session, ND_OK);
        return true;
    }
    if (fed > 0 || drained > 0) {
        session->active = session->agent->now;
    }
    return moved || fed > 0 || drained > 0;
}

static const struct nd_session_class session_kind = {
    .engine = "console", .poll = poll, .stop = stop};

/* A caller who has been silent for the agent's idle limit makes room for one who waits. */
static bool ready(const struct nd_service *service) {
    const struct nd_session *session = &((const struct nd_remote *)service)->session;
    const struct nd_agent *agent = service->agent;

    return session->number == 0 || agent->now - session->active > agent->idle_limit;
}

static void take_caller(struct nd_service *service, struct nd_conn *conn) {
    struct nd_remote *remote = (struct nd_remote *)service;

    if (remote->session.number != 0) {
        stop(&remote->session, ND_E_TIMEOUT);
    }
    nd_session_join(&remote->session, &session_kind, service->agent, conn);
    remote->denied = false;
    remote->console->gate = remote->token != NULL ? &remote->command : NULL;
    remote->session.resident = true;
    remote->session.patient = true;
}

static const struct nd_service_class service_kind = {
    .name = "console", .ready = ready, .take = take_caller};

int nd_remote_serve(struct nd_remote *remote, struct nd_agent *agent, const struct nd_addr *at,
                    struct nd_console *console, const char *token) {
    *remote = (struct nd_remote){.console = console, .token = token};
    remote->command = (struct nd_command){
        .name = "token",
        .usage = "token TOKEN: must come first, where one is asked for",
        .run = run_token,
        .ctx = remote,
    };
    nd_console_add(console, &remote->command);
    return nd_service_open(&remote->service, &service_kind, agent, at);
}
