/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "iperf_test.h"
#include "pattern.h"
#include "udp_guard.h"

void nd_iperf_init(struct nd_iperf *iperf, struct nd_agent *agent, struct nd_iperf_test *tests,
                   uint32_t test_count, void *buffer, uint32_t buffer_bytes) {
    *iperf = (struct nd_iperf){.agent = agent,
                               .tests = tests,
                               .test_count = test_count,
                               .buffer = (uint8_t *)buffer,
                               .buffer_bytes = buffer != NULL ? buffer_bytes : 0};
    for (uint32_t i = 0; i < test_count; i++) {
        tests[i].state = ND_IPERF_FREE;
    }
    for (uint32_t i = 0; i < iperf->buffer_bytes; i++) {
        iperf->buffer[i] = (uint8_t)nd__pattern[i % ND__PATTERN_PERIOD];
    }
}

static uint64_t interval_of(const struct nd_iperf *iperf) {
    return nd_clock_ticks(iperf->interval_ns, iperf->agent->cfg.clock->hz);
}

/* ---- TCP ----------------------------------------------------------------------------- */

static bool ready(const struct nd_service *service) {
    return nd__iperf_has_place((const struct nd_iperf *)service);
}

static void take_caller(struct nd_service *service, struct nd_conn *conn) {
    struct nd_iperf *iperf = (struct nd_iperf *)service;
    struct nd_iperf_test *test = nd__iperf_place(iperf);

    test->interval = interval_of(iperf);
    nd__iperf_tcp_serve(test, conn);
}

static const struct nd_service_class service_kind = {
    .name = "iperf", .ready = ready, .take = take_caller};

/* ---- UDP ----------------------------------------------------------------------------- */

static struct nd_iperf *iperf_of(struct nd_session *session) {
    return (struct nd_iperf *)(void *)((char *)session - offsetof(struct nd_iperf, socket));
}

static struct nd_iperf_test *find_peer(struct nd_iperf *iperf, const struct nd_addr *from) {
    for (uint32_t i = 0; i < iperf->test_count; i++) {
        struct nd_iperf_test *test = &iperf->tests[i];
        if (test->state != ND_IPERF_FREE && test->udp && test->session.conn == NULL &&
            nd_addr_equal(&test->peer, from)) {
            return test;
        }
    }
    return NULL;
}

/* The peer wants to be sent to, within the owner's limits. */
static void serve_reverse(struct nd_iperf_test *test, const struct nd__iperf_header *header) {
    struct nd__iperf_order order;

    nd__iperf_read_order(header, true, &order);
    if (!test->iperf->limits.udp_to_askers || order.len > test->iperf->buffer_bytes) {
        test->iperf->turned_away++;
        test->state = ND_IPERF_FREE;
        return;
    }
    test->sends = true;
    memcpy(test->head, nd__pattern + ND__IPERF_DATAGRAM_BYTES, sizeof test->head);
    nd__iperf_prepare(test, order.amount, order.len, order.bit_s);
    nd__iperf_udp_send(test, NULL, order.duration_ns);
}

/* A peer's clock, where its stamps are of this century, is better than none. */
static void learn_time(struct nd_iperf *iperf, const struct nd__iperf_datagram *datagram) {
    if (iperf->epoch_us == 0 && datagram->s > 1000000000u && datagram->us < 1000000u) {
        nd_iperf_set_time(iperf, (uint64_t)datagram->s * 1000000u + datagram->us);
    }
}

/* The first datagram of a peer whom we may answer. One that comes after the end of its test begins
 * no other. */
static void greet(struct nd_iperf *iperf, const struct nd_addr *from, const uint8_t *bytes,
                  uint32_t len) {
    struct nd__iperf_datagram datagram;
    struct nd__iperf_first first;
    struct nd_iperf_test *test;

    if (!nd__udp_guard_allows(from)) {
        iperf->turned_away++;
        return;
    }
    nd__iperf_read_first(bytes, len, &first);
    if (!nd__iperf_read_datagram(bytes, len, first.wide, &datagram) ||
        (datagram.end && datagram.id > 1)) {
        return;
    }
    test = nd__iperf_place(iperf);
    if (test == NULL) {
        return;
    }
    learn_time(iperf, &datagram);
    test->server = true;
    test->udp = true;
    test->peer = *from;
    test->interval = interval_of(iperf);
    if (first.headed && (first.header.upper & ND__IPERF_REVERSE) != 0) {
        serve_reverse(test, &first.header);
        return;
    }
    nd__iperf_udp_receive(test, &first);
    nd__iperf_udp_take(test, (const uint8_t *)bytes, len);
    if (first.headed) {
        nd__iperf_plan(test, &first.header);
        nd__iperf_test_back(test, &first.header);
    }
}

static bool poll_socket(struct nd_session *session) {
    struct nd_iperf *iperf = iperf_of(session);
    const struct nd_port *port = iperf->agent->cfg.port;
    struct nd_iperf_test *test = NULL;
    struct nd_addr from;
    const void *bytes;
    uint32_t taken = 0;
    int32_t n;

    while (taken < ND_CFG_POLL_BYTES && (n = port->udp_rx(session->conn, &from, &bytes)) > 0) {
        if (test == NULL || test->state == ND_IPERF_FREE || !nd_addr_equal(&test->peer, &from)) {
            test = find_peer(iperf, &from);
        }
        if (test != NULL) {
            nd__iperf_udp_take(test, (const uint8_t *)bytes, (uint32_t)n);
        } else {
            greet(iperf, &from, (const uint8_t *)bytes, (uint32_t)n);
        }
        port->rx_done(session->conn, (uint32_t)n);
        taken += (uint32_t)n;
    }
    return taken >= ND_CFG_POLL_BYTES;
}

/* Tests that have no socket of their own end with this one. */
static void stop_socket(struct nd_session *session, int why) {
    struct nd_iperf *iperf = iperf_of(session);

    for (uint32_t i = 0; i < iperf->test_count; i++) {
        struct nd_iperf_test *test = &iperf->tests[i];
        if (test->state != ND_IPERF_FREE && test->udp && test->session.conn == NULL) {
            test->session.kind->stop(&test->session, why);
        }
    }
    nd_session_leave(session);
}

static const struct nd_session_class socket_kind = {
    .engine = "iperf", .poll = poll_socket, .stop = stop_socket};

static int open_socket(struct nd_iperf *iperf, const struct nd_addr *at) {
    const struct nd_port *port = iperf->agent->cfg.port;
    struct nd_conn *socket;
    int result;

    if (port->udp_open == NULL) {
        return ND_E_UNSUPPORTED;
    }
    result = port->udp_open(iperf->agent->cfg.port_ctx, at, &socket);
    if (result == ND_OK) {
        nd_session_listen(&iperf->socket, &socket_kind, iperf->agent, socket);
    }
    return result;
}

/* ---- both ---------------------------------------------------------------------------- */

int nd_iperf_serve(struct nd_iperf *iperf, const struct nd_iperf_server_cfg *cfg) {
    uint32_t silence_ms = cfg->silence_ms > 0 ? cfg->silence_ms : ND__IPERF_SILENCE_MS;
    struct nd_addr at = cfg->at;
    int result = ND_OK;

    if (!cfg->tcp && !cfg->udp) {
        return ND_E_ARG;
    }
    if (iperf->service.listener != NULL || iperf->socket.number != 0) {
        return ND_E_STATE;
    }
    iperf->limits = cfg->limits;
    iperf->interval_ns = cfg->interval_ns;
    iperf->silence = nd_clock_ticks((uint64_t)silence_ms * 1000000u, iperf->agent->cfg.clock->hz);
    if (cfg->tcp) {
        result = nd_service_open(&iperf->service, &service_kind, iperf->agent, &at);
        at.port = result == ND_OK ? iperf->service.at.port : at.port;
    }
    if (result == ND_OK && cfg->udp) {
        result = open_socket(iperf, &at);
    }
    if (result != ND_OK) {
        nd_iperf_close(iperf);
    }
    return result;
}

void nd_iperf_close(struct nd_iperf *iperf) {
    if (iperf->service.listener != NULL) {
        nd_service_close(&iperf->service);
    }
    if (iperf->socket.number != 0) {
        stop_socket(&iperf->socket, ND_E_STOPPED);
    }
}
