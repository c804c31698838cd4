/* SPDX-License-Identifier: BSD-3-Clause */
/* iperf3_pair.h - a server and a client of iperf 3 in one agent, and their reports. */
#ifndef IPERF3_PAIR_H
#define IPERF3_PAIR_H

#include "engine_kit.h"
#include "nd/iperf3.h"

#define PAIR_STREAMS 8u
#define PAIR_REPORTS 64u

/* A report with what it pointed at. */
struct pair_kept {
    struct nd_report report;
    struct nd_sequence datagrams;
    struct nd_sequence peer_datagrams;
};

extern struct nd_iperf3_server pair_server;
extern struct nd_iperf3_client pair_client;
extern struct nd_iperf3_stream pair_streams[2][PAIR_STREAMS]; /* the client's, the server's */
extern uint8_t pair_datagrams[2][1472];
extern struct pair_kept pair_reports[PAIR_REPORTS];
extern unsigned pair_count;
extern uint32_t pair_server_streams;  /* what the next server has */
extern uint32_t pair_server_datagram; /* [byte] */
extern uint16_t pair_port;            /* where the client connects */

/* One test of a group: a kit and everything above anew. */
#define PAIR_TEST(test) cmocka_unit_test_setup_teardown(test, pair_setup, pair_teardown)

int pair_setup(void **state);
int pair_teardown(void **state);

/* Start a server at ND_IPERF3_PORT; limits may be NULL. */
void pair_serve(struct kit *kit, const struct nd_iperf3_limits *limits);

/* Start a client: the result; and the same, which must succeed. */
int pair_try(struct kit *kit, const struct nd_iperf3_params *params);
void pair_connect(struct kit *kit, const struct nd_iperf3_params *params);

/* Let time pass as the agent asks, until no test is in progress. */
void pair_run(struct kit *kit);

/* Poll until data moves on the server. */
void pair_run_to_start(struct kit *kit);

/* Let so much time pass [us], waking as the agent asks. */
void pair_pass(struct kit *kit, uint64_t us);

/* Forget the reports; run this test to its end. */
void pair_test(struct kit *kit, const struct nd_iperf3_params *params);

/* The last report of this role, intervals apart; fails the test when there is none. */
const struct nd_report *pair_report(const char *role);

#endif
