/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include "session.h"

int32_t nd__stream_take(struct nd_session *session, struct nd_span_bytes *rx, uint32_t limit) {
    const struct nd_port *port = session->agent->cfg.port;
    uint32_t taken = 0;
    int32_t n = ND_AGAIN;

    while (taken < limit) {
        const void *bytes;
        n = port->rx(session->conn, &bytes);
        if (n <= 0) {
            break;
        }
        if ((uint32_t)n > limit - taken) {
            n = (int32_t)(limit - taken);
        }
        taken += (uint32_t)n;
        if (!port->rx_done(session->conn, (uint32_t)n)) {
            n = ND_AGAIN;
            break;
        }
    }
    session->more = n != ND_AGAIN;
    if (taken == 0) {
        return n;
    }
    nd__session_moved(session, rx, taken);
    return (int32_t)taken;
}

int32_t nd__stream_echo(struct nd_session *session, struct nd_flow *flow, uint32_t limit,
                        uint32_t piece) {
    const struct nd_port *port = session->agent->cfg.port;
    uint32_t echoed = 0;
    int32_t n = ND_AGAIN;

    while (echoed < limit) {
        const void *bytes;
        n = port->rx(session->conn, &bytes);
        if (n <= 0) {
            break;
        }
        uint32_t want = nd__stream_min((uint32_t)n, piece);
        want = nd__stream_min(want, limit - echoed);
        n = port->tx(session->conn, bytes, want, 0);
        if (n <= 0) {
            break;
        }
        port->rx_done(session->conn, (uint32_t)n);
        echoed += (uint32_t)n;
    }
    if (echoed == 0) {
        return n;
    }
    nd__session_moved(session, &flow->rx, echoed);
    nd__session_moved(session, &flow->tx, echoed);
    return (int32_t)echoed;
}

int32_t nd__stream_send(struct nd_session *session, struct nd_span_bytes *tx, const void *bytes,
                        uint32_t len, unsigned flags) {
    int32_t n = session->agent->cfg.port->tx(session->conn, bytes, len, flags);

    if (n > 0) {
        nd__session_moved(session, tx, (uint32_t)n);
    }
    return n;
}

int nd__stream_finish(struct nd_session *session) {
    const struct nd_port *port = session->agent->cfg.port;
    const void *bytes;
    int ended = port->end(session->conn);
    int32_t n;

    if (ended != ND_OK && ended != ND_AGAIN) {
        return ended;
    }
    while ((n = port->rx(session->conn, &bytes)) > 0) {
        port->rx_done(session->conn, (uint32_t)n);
    }
    if (n == ND_EOF) {
        return ended;
    }
    return n;
}
