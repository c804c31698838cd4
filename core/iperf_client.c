/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "iperf_test.h"
#include "pattern.h"

/* Parallel UDP streams begin one after the other [ns]: a server of 2.1 that is still making a
 * socket for the first peer takes datagrams of the second for its own. */
#define STAGGER_NS 10000000u

/* Longest write [byte]: its bits fit a schedule. */
#define WRITE_MAX (1u << 27)

/* Datagrams this long can always be shared out so that the last one holds an id [byte]. */
#define SHARE_MIN (2u * ND_IPERF_DATAGRAM_MIN)

static void set_defaults(struct nd_iperf_client_cfg *cfg) {
    if (cfg->to.port == 0) {
        cfg->to.port = ND_IPERF_PORT;
    }
    if (cfg->listen_port == 0) {
        cfg->listen_port = ND_IPERF_PORT;
    }
    if (cfg->bytes == 0 && cfg->duration_ns == 0) {
        cfg->duration_ns = ND_IPERF_SECONDS * (uint64_t)1000000000u;
    }
    if (cfg->len == 0) {
        cfg->len = cfg->udp ? ND_IPERF_DATAGRAM_BYTES : ND_IPERF_TCP_BYTES;
    }
    if (cfg->bit_s == 0 && cfg->udp) {
        cfg->bit_s = ND_IPERF_UDP_BIT_S;
    }
    if (cfg->parallel == 0) {
        cfg->parallel = 1;
    }
}

static bool asks_the_server(const struct nd_iperf_client_cfg *cfg) {
    return cfg->reverse || cfg->duplex || cfg->dual || cfg->tradeoff;
}

/* Can a whole number of datagrams, each long enough for an id, come to exactly so many bytes? */
static bool can_share(const struct nd_iperf_client_cfg *cfg) {
    uint64_t rest = cfg->bytes % cfg->len;

    if (cfg->bytes == 0) {
        return true;
    }
    return cfg->bytes >= ND_IPERF_DATAGRAM_MIN &&
           (cfg->len >= SHARE_MIN || rest == 0 || rest >= ND_IPERF_DATAGRAM_MIN);
}

static int check_udp(const struct nd_iperf *iperf, const struct nd_iperf_client_cfg *cfg) {
    uint32_t headed = ND__IPERF_DATAGRAM_BYTES + ND_IPERF_HEAD_BYTES;

    if (iperf->agent->cfg.port->udp_open == NULL || cfg->duplex) {
        return ND_E_UNSUPPORTED;
    }
    if (cfg->len < ND_IPERF_DATAGRAM_MIN || cfg->len > ND_IPERF_DATAGRAM_MAX || !can_share(cfg)) {
        return ND_E_ARG;
    }
    if (iperf->buffer_bytes < (cfg->reverse ? headed : cfg->len)) {
        return ND_E_ARG;
    }
    return (cfg->dual || cfg->tradeoff) && cfg->len < headed ? ND_E_ARG : ND_OK;
}

static int check(const struct nd_iperf *iperf, const struct nd_iperf_client_cfg *cfg) {
    uint32_t free = 0;

    if (cfg->reverse + cfg->duplex + cfg->dual + cfg->tradeoff > 1 || cfg->len > WRITE_MAX) {
        return ND_E_ARG;
    }
    if (asks_the_server(cfg) && cfg->bytes > INT32_MAX) {
        return ND_E_ARG;
    }
    for (uint32_t i = 0; i < iperf->test_count; i++) {
        const struct nd_iperf_test *test = &iperf->tests[i];
        free +=
            test->state == ND_IPERF_FREE || (test->state == ND_IPERF_LINGER && !test->back_after);
    }
    if (cfg->udp && check_udp(iperf, cfg) != ND_OK) {
        return check_udp(iperf, cfg);
    }
    return free >= cfg->parallel ? ND_OK : ND_E_FULL;
}

/* ---- the header ---------------------------------------------------------------------- */

static int32_t amount_of(const struct nd_iperf_client_cfg *cfg) {
    uint64_t hundredths = cfg->duration_ns / 10000000u;

    if (cfg->bytes > 0) {
        return cfg->bytes < INT32_MAX ? (int32_t)cfg->bytes : INT32_MAX;
    }
    if (hundredths > INT32_MAX) {
        return -INT32_MAX;
    }
    return hundredths > 0 ? -(int32_t)hundredths : -1;
}

static uint32_t flags_of(const struct nd_iperf_client_cfg *cfg) {
    uint32_t flags = ND__IPERF_EXTENDED;

    if (cfg->udp) {
        flags |= ND__IPERF_WIDE_ID;
        flags |= cfg->reverse ? ND__IPERF_UDP_TESTS : 0;
    }
    if (cfg->reverse || cfg->duplex) {
        flags |= ND__IPERF_V2;
    }
    if (cfg->dual || cfg->tradeoff) {
        flags |= ND__IPERF_BACK;
    }
    return cfg->dual ? flags | ND__IPERF_NOW : flags;
}

static void make_head(struct nd_iperf_test *test, const struct nd_iperf_client_cfg *cfg) {
    const struct nd__iperf_header header = {
        .flags = flags_of(cfg),
        .threads = cfg->parallel,
        .port = cfg->dual || cfg->tradeoff ? cfg->listen_port : cfg->to.port,
        .len = cfg->len,
        .amount = amount_of(cfg),
        .upper = (uint16_t)(cfg->reverse  ? ND__IPERF_REVERSE
                            : cfg->duplex ? ND__IPERF_DUPLEX
                                          : 0u),
        .rate = cfg->bit_s,
    };

    nd__iperf_put_header(test->head, &header, cfg->udp ? ND__IPERF_DATAGRAM_BYTES : 0);
}

/* A header is payload. A test too short for one goes without: the peer then takes it as data. */
static bool has_head(const struct nd_iperf_client_cfg *cfg) {
    if (cfg->udp) {
        return cfg->reverse || cfg->len >= ND__IPERF_DATAGRAM_BYTES + ND_IPERF_HEAD_BYTES;
    }
    return asks_the_server(cfg) || cfg->bytes == 0 || cfg->bytes >= ND_IPERF_HEAD_BYTES;
}

/* ---- streams ------------------------------------------------------------------------- */

static struct nd_iperf_test *make_test(struct nd_iperf *iperf,
                                       const struct nd_iperf_client_cfg *cfg, uint32_t stream) {
    struct nd_iperf_test *test = nd__iperf_place(iperf);

    test->udp = cfg->udp;
    test->sends = !cfg->reverse;
    test->receives = cfg->reverse || cfg->duplex;
    test->stream = cfg->parallel > 1 ? stream : 0;
    test->peer = cfg->to;
    test->interval = nd_clock_ticks(cfg->interval_ns, iperf->agent->cfg.clock->hz);
    test->pace.burst = cfg->burst;
    nd__iperf_prepare(test, cfg->bytes > 0 ? cfg->bytes : UINT64_MAX, cfg->len, cfg->bit_s);
    if (has_head(cfg)) {
        make_head(test, cfg);
    } else {
        memcpy(test->head, nd__pattern + ND__IPERF_DATAGRAM_BYTES, sizeof test->head);
        test->head_have = ND_IPERF_HEAD_BYTES; /* none to send */
    }
    return test;
}

static int start_stream(struct nd_iperf *iperf, const struct nd_iperf_client_cfg *cfg,
                        uint32_t stream) {
    const struct nd_port *port = iperf->agent->cfg.port;
    const struct nd_addr any = {0};
    struct nd_conn *conn;
    struct nd_iperf_test *test;
    int result = cfg->udp ? port->udp_open(iperf->agent->cfg.port_ctx, &any, &conn)
                          : port->connect(iperf->agent->cfg.port_ctx, &cfg->to, &conn);

    if (result != ND_OK) {
        return result;
    }
    test = make_test(iperf, cfg, stream);
    if (!cfg->udp) {
        nd__iperf_tcp_connect(test, conn, cfg->reverse ? 0 : cfg->duration_ns);
    } else if (cfg->reverse) {
        nd__iperf_udp_ask(test, conn);
    } else {
        nd__iperf_udp_send(test, conn, cfg->duration_ns);
        test->pace.due += (stream - 1) * nd_clock_ticks(STAGGER_NS, iperf->agent->cfg.clock->hz);
    }
    return ND_OK;
}

/* The streams of this test, which are the newest sessions of ours, end again. */
static void stop_streams(struct nd_iperf *iperf, uint32_t since, int why) {
    for (uint32_t i = 0; i < iperf->test_count; i++) {
        struct nd_session *session = &iperf->tests[i].session;
        if (iperf->tests[i].state != ND_IPERF_FREE && session->number > since) {
            session->kind->stop(session, why);
        }
    }
}

int nd_iperf_connect(struct nd_iperf *iperf, const struct nd_iperf_client_cfg *cfg) {
    struct nd_iperf_client_cfg full = *cfg;
    uint32_t since = iperf->agent->session_count;
    int result;

    set_defaults(&full);
    result = check(iperf, &full);
    if (iperf->silence == 0) {
        iperf->silence = nd_clock_ticks(ND__IPERF_SILENCE_MS * (uint64_t)1000000u, //
                                        iperf->agent->cfg.clock->hz);
    }
    for (uint32_t stream = 1; result == ND_OK && stream <= full.parallel; stream++) {
        result = start_stream(iperf, &full, stream);
    }
    if (result != ND_OK) {
        stop_streams(iperf, since, result);
    }
    return result;
}
