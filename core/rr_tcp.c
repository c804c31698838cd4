/* SPDX-License-Identifier: BSD-3-Clause */
/* rr over TCP: over one connection, or a new one for every round trip. */
#include <string.h>

#include "rr.h"
#include "stream.h"

static int32_t send_request(struct nd_rr *rr) {
    int32_t n = rr->session.agent->cfg.port->tx(rr->session.conn, rr->message + rr->out,
                                                rr->cfg.bytes - rr->out, 0);

    if (n > 0) {
        nd_session_moved(&rr->session, &rr->flow.tx, (uint32_t)n);
        rr->out += (uint32_t)n;
    }
    return n;
}

/* A changed byte, or one that nobody asked for, ends the test. */
static int32_t receive_answer(struct nd_rr *rr) {
    const struct nd_port *port = rr->session.agent->cfg.port;
    const void *bytes;
    int32_t n = port->rx(rr->session.conn, &bytes);

    if (n <= 0) {
        return n == ND_EOF ? (int32_t)ND_E_SHORT : n;
    }
    if ((uint32_t)n > rr->out - rr->back || memcmp(bytes, rr->message + rr->back, (size_t)n) != 0) {
        return ND_E_PROTOCOL;
    }
    port->rx_done(rr->session.conn, (uint32_t)n);
    nd_session_moved(&rr->session, &rr->flow.rx, (uint32_t)n);
    rr->back += (uint32_t)n;
    return n;
}

static int32_t exchange(struct nd_rr *rr) {
    if (rr->out < rr->cfg.bytes) {
        int32_t n = send_request(rr);
        if (n != ND_AGAIN) {
            return n;
        }
    }
    int32_t n = receive_answer(rr);
    if (n > 0 && rr->back == rr->cfg.bytes) {
        if (rr->cfg.connect) {
            rr->ending = true; /* closing belongs to the round trip */
        } else {
            nd__rr_note_answer(rr);
        }
    }
    return n;
}

/* Connect mode: this round trip's connection is closed; the next one's is begun when it is due. */
static int32_t connect_next(struct nd_rr *rr) {
    struct nd_agent *agent = rr->session.agent;
    int result;

    if (nd__rr_is_over(rr)) {
        return ND_OK;
    }
    if (!nd__rr_is_due(rr)) {
        return ND_AGAIN;
    }
    result = agent->cfg.port->connect(agent->cfg.port_ctx, &rr->cfg.to, &rr->session.conn);
    if (result != ND_OK) {
        rr->session.conn = NULL;
        return result;
    }
    rr->session.active = agent->now;
    nd__rr_note_request(rr);
    return 1;
}

static int32_t end_connection(struct nd_rr *rr) {
    int result = nd__stream_finish(&rr->session);

    if (result != ND_OK || !rr->cfg.connect) {
        return result;
    }
    rr->session.agent->cfg.port->close(rr->session.conn);
    rr->session.conn = NULL;
    rr->connected = false;
    rr->ending = false;
    nd__rr_note_answer(rr);
    return 1;
}

static int32_t await_connection(struct nd_rr *rr) {
    int status = rr->session.agent->cfg.port->status(rr->session.conn);

    if (status != ND_OK) {
        return status;
    }
    rr->connected = true;
    if (!rr->cfg.connect) {
        rr->begin = rr->session.agent->now;
    }
    return 1;
}

/* One step of the dialogue: a count, ND_AGAIN, or why it is over. */
static int32_t work(struct nd_rr *rr) {
    rr->session.wake = UINT64_MAX;
    if (rr->session.conn == NULL) {
        return connect_next(rr);
    }
    if (!rr->connected) {
        return await_connection(rr);
    }
    if (rr->ending) {
        return end_connection(rr);
    }
    if (rr->asking) {
        return exchange(rr);
    }
    if (nd__rr_is_over(rr)) {
        rr->ending = true;
        return 1;
    }
    if (!nd__rr_is_due(rr)) {
        return ND_AGAIN;
    }
    nd__rr_note_request(rr);
    return 1;
}

static bool poll(struct nd_session *session) {
    int32_t n = work(nd__rr_of(session));

    if (n > 0 || n == ND_AGAIN) {
        return n > 0;
    }
    nd__rr_finish(nd__rr_of(session), n);
    return true;
}

const struct nd_session_class nd__rr_tcp = {.engine = "rr", .poll = poll, .stop = nd__rr_stop};
