/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/echo.h"

#include "pattern.h"
#include "stream.h"

static void stop(struct nd_session *session, int why) {
    struct nd_echo_client *client = (struct nd_echo_client *)session;
    struct nd_report report = {
        .role = "client",
        .last = true,
        .result = why,
        .expected_bytes = (uint64_t)client->cfg.bytes * client->cfg.messages,
        .flow = client->flow,
        .begin = client->begin,
        .tail_ticks = ND_NOT_SUPPORTED,
        .buflen = client->cfg.bytes,
        .latency = client->cfg.latency,
    };

    nd_session_report(session, &report);
    nd_session_leave(session);
}

/* Each message begins one character further on in the pattern, so that a message repeated or
 * shifted is told from the right one. */
static const char *message(const struct nd_echo_client *client) {
    return nd__pattern + client->done % ND__PATTERN_PERIOD;
}

static int32_t send_message(struct nd_echo_client *client) {
    if (client->out == 0) {
        client->sent_at = client->session.agent->now;
    }
    int32_t n = nd__stream_send(&client->session, &client->flow.tx, message(client) + client->out,
                                client->cfg.bytes - client->out, ND_TX_STATIC);
    if (n > 0) {
        client->out += (uint32_t)n;
    }
    return n;
}

static bool same(const char *a, const char *b, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

static void finish_message(struct nd_echo_client *client) {
    struct nd_agent *agent = client->session.agent;

    if (client->cfg.latency != NULL) {
        nd_hist_add(client->cfg.latency, nd_agent_ns(agent, agent->now - client->sent_at));
    }
    client->done++;
    client->out = 0;
    client->back = 0;
}

static int32_t receive_message(struct nd_echo_client *client) {
    const struct nd_port *port = client->session.agent->cfg.port;
    const void *bytes;
    int32_t n = port->rx(client->session.conn, &bytes);

    if (n <= 0) {
        return n == ND_EOF ? (int32_t)ND_E_SHORT : n;
    }
    uint32_t len = nd__stream_min((uint32_t)n, client->out - client->back);
    /* An answer to nothing, or a changed one. */
    if (len == 0 || !same((const char *)bytes, message(client) + client->back, len)) {
        return ND_E_PROTOCOL;
    }
    port->rx_done(client->session.conn, len);
    nd_session_moved(&client->session, &client->flow.rx, len);
    client->back += len;
    if (client->back == client->cfg.bytes) {
        finish_message(client);
    }
    return (int32_t)len;
}

/* One step of the dialogue: a count, ND_AGAIN, or why it is over. */
static int32_t work(struct nd_echo_client *client) {
    struct nd_session *session = &client->session;

    if (!client->connected) {
        int status = session->agent->cfg.port->status(session->conn);
        if (status != ND_OK) {
            return status;
        }
        client->connected = true;
        client->begin = session->agent->now;
    }
    if (client->ending) {
        return nd__stream_finish(session);
    }
    if (client->done == client->cfg.messages) {
        client->ending = true;
        return 1;
    }
    if (client->out < client->cfg.bytes) {
        int32_t n = send_message(client);
        if (n != ND_AGAIN) {
            return n;
        }
    }
    return receive_message(client);
}

static bool poll(struct nd_session *session) {
    int32_t n = work((struct nd_echo_client *)session);

    if (n > 0 || n == ND_AGAIN) {
        return n > 0;
    }
    stop(session, n);
    return true;
}

static const struct nd_session_class kind = {.engine = "echo", .poll = poll, .stop = stop};

int nd_echo_connect(struct nd_echo_client *client, struct nd_agent *agent,
                    const struct nd_echo_client_cfg *cfg) {
    struct nd_conn *conn;

    if (cfg->bytes == 0 || cfg->bytes > ND_ECHO_MESSAGE_BYTES || cfg->messages == 0) {
        return ND_E_ARG;
    }
    int result = agent->cfg.port->connect(agent->cfg.port_ctx, &cfg->to, &conn);
    if (result != ND_OK) {
        return result;
    }
    *client = (struct nd_echo_client){.cfg = *cfg, .begin = agent->now};
    nd_session_join(&client->session, &kind, agent, conn);
    return ND_OK;
}
