/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf3_pair.h"

#include <string.h>

struct nd_iperf3_server pair_server;
struct nd_iperf3_client pair_client;
struct nd_iperf3_stream pair_streams[2][PAIR_STREAMS];
uint8_t pair_datagrams[2][1472];
struct pair_kept pair_reports[PAIR_REPORTS];
unsigned pair_count;
uint32_t pair_server_streams;
uint32_t pair_server_datagram;
uint16_t pair_port;

static struct nd_report_sink sink;

static void keep(void *ctx, const struct nd_report *report) {
    (void)ctx;
    assert_true(pair_count < PAIR_REPORTS);
    struct pair_kept *kept = &pair_reports[pair_count++];
    kept->report = *report;
    if (report->datagrams != NULL) {
        kept->datagrams = *report->datagrams;
        kept->report.datagrams = &kept->datagrams;
    }
    if (report->peer_datagrams != NULL) {
        kept->peer_datagrams = *report->peer_datagrams;
        kept->report.peer_datagrams = &kept->peer_datagrams;
    }
}

int pair_setup(void **state) {
    kit_setup(state);
    struct kit *kit = *state;
    kit->agent.sinks = NULL; /* the console's and the kit's: theirs would fill up */
    sink = (struct nd_report_sink){.put = keep};
    nd_agent_add_sink(&kit->agent, &sink);
    memset(&pair_server, 0, sizeof pair_server);
    memset(&pair_client, 0, sizeof pair_client);
    pair_count = 0;
    pair_server_streams = PAIR_STREAMS;
    pair_server_datagram = sizeof pair_datagrams[1];
    pair_port = ND_IPERF3_PORT;
    return 0;
}

int pair_teardown(void **state) {
    return kit_teardown(state);
}

void pair_serve(struct kit *kit, const struct nd_iperf3_limits *limits) {
    struct nd_addr at = {.port = ND_IPERF3_PORT};
    struct nd_iperf3_memory memory = {.streams = pair_streams[1],
                                      .stream_count = pair_server_streams,
                                      .datagram = pair_datagrams[1],
                                      .datagram_bytes = pair_server_datagram};

    assert_int_equal(nd_iperf3_serve(&pair_server, &kit->agent, &at, &memory, limits), ND_OK);
}

int pair_try(struct kit *kit, const struct nd_iperf3_params *params) {
    struct nd_iperf3_client_cfg cfg = {.to = kit_addr(pair_port), .params = *params};
    struct nd_iperf3_memory memory = {.streams = pair_streams[0],
                                      .stream_count = PAIR_STREAMS,
                                      .datagram = pair_datagrams[0],
                                      .datagram_bytes = sizeof pair_datagrams[0]};

    return nd_iperf3_connect(&pair_client, &kit->agent, &memory, &cfg);
}

void pair_connect(struct kit *kit, const struct nd_iperf3_params *params) {
    assert_int_equal(pair_try(kit, params), ND_OK);
}

/* One poll, and time up to the next. */
static void poll(struct kit *kit, uint64_t limit_us) {
    kit->ticks += kit->ticks_per_poll;
    if (nd_agent_poll(&kit->agent) || kit->loop.event) {
        return;
    }
    uint64_t sleep = nd_agent_sleep(&kit->agent);
    kit->ticks += (uint32_t)(sleep < limit_us ? sleep : limit_us);
}

static bool in_progress(const struct kit *kit) {
    for (const struct nd_session *at = kit->agent.sessions; at != NULL; at = at->next) {
        if (!at->resident && !at->patient) {
            return true;
        }
    }
    return false;
}

void pair_run(struct kit *kit) {
    for (unsigned i = 0; in_progress(kit); i++) {
        assert_true(i < 10000000u);
        poll(kit, KIT_HZ);
    }
    kit_run(kit);
}

void pair_run_to_start(struct kit *kit) {
    for (unsigned i = 0; pair_server.test.session.number == 0 || !pair_server.test.started; i++) {
        assert_true(i < 100000u);
        poll(kit, KIT_HZ);
    }
}

void pair_pass(struct kit *kit, uint64_t us) {
    uint64_t until = kit->agent.now + us;

    while (kit->agent.now < until) {
        poll(kit, until - kit->agent.now);
    }
    kit_run(kit);
}

void pair_test(struct kit *kit, const struct nd_iperf3_params *params) {
    pair_count = 0;
    pair_connect(kit, params);
    pair_run(kit);
}

const struct nd_report *pair_report(const char *role) {
    for (unsigned i = pair_count; i-- > 0;) {
        const struct nd_report *report = &pair_reports[i].report;
        if (!report->interval && strcmp(report->role, role) == 0) {
            return report;
        }
    }
    fail_msg("no report of the %s", role);
    return NULL;
}
