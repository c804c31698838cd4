/* SPDX-License-Identifier: BSD-3-Clause */
/* rr over UDP: one request at a time, each with its number in its first eight bytes. */
#include "bytes.h"
#include "rr.h"

/* Where the stack had no room for a request: try again then [ns]. */
#define ROOM_NS 1000000u

static bool is_answer(const struct nd_rr *rr, const uint8_t *bytes) {
    return nd__bytes_u32(bytes) == (uint32_t)(rr->done >> 32) &&
           nd__bytes_u32(bytes + 4) == (uint32_t)rr->done;
}

static void take(struct nd_rr *rr, const struct nd_addr *from, const uint8_t *bytes, uint32_t len) {
    if (!nd_addr_equal(from, &rr->cfg.to) || len != rr->cfg.bytes) {
        return;
    }
    nd_session_moved(&rr->session, &rr->flow.rx, len);
    if (rr->asking && is_answer(rr, bytes)) {
        nd__rr_note_answer(rr);
    } else {
        rr->late++;
    }
}

static void receive(struct nd_rr *rr) {
    const struct nd_port *port = rr->session.agent->cfg.port;
    struct nd_addr from;
    const void *bytes;
    int32_t n;

    while ((n = port->udp_rx(rr->session.conn, &from, &bytes)) > 0) {
        take(rr, &from, (const uint8_t *)bytes, (uint32_t)n);
        port->rx_done(rr->session.conn, (uint32_t)n);
    }
}

/* True when it left or the test is over. */
static bool request(struct nd_rr *rr) {
    struct nd_agent *agent = rr->session.agent;
    int32_t n;

    nd__bytes_put_u32(rr->message, (uint32_t)(rr->done >> 32));
    nd__bytes_put_u32(rr->message + 4, (uint32_t)rr->done);
    n = agent->cfg.port->udp_tx(rr->session.conn, &rr->cfg.to, rr->message, rr->cfg.bytes, 0);
    if (n == ND_AGAIN) {
        rr->session.wake = agent->now + nd_clock_ticks(ROOM_NS, agent->cfg.clock->hz);
        return false;
    }
    if (n < 0) {
        nd__rr_finish(rr, n);
        return true;
    }
    nd__rr_note_request(rr);
    nd_session_moved(&rr->session, &rr->flow.tx, (uint32_t)n);
    rr->session.wake = rr->sent_at + rr->timeout;
    return false;
}

/* Nobody answered any of them: then nobody is there. */
static int result_of(const struct nd_rr *rr) {
    return rr->done > 0 && rr->lost == rr->done ? ND_E_TIMEOUT : ND_OK;
}

static bool poll(struct nd_session *session) {
    struct nd_rr *rr = nd__rr_of(session);

    receive(rr);
    if (rr->asking) {
        session->wake = rr->sent_at + rr->timeout;
        if (session->agent->now < session->wake) {
            return false;
        }
        rr->asking = false;
        rr->lost++;
        rr->done++;
    }
    if (nd__rr_is_over(rr)) {
        nd__rr_finish(rr, result_of(rr));
        return true;
    }
    return nd__rr_is_due(rr) && request(rr);
}

const struct nd_session_class nd__rr_udp = {.engine = "rr", .poll = poll, .stop = nd__rr_stop};
