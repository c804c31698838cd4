/* SPDX-License-Identifier: BSD-3-Clause */
/* iperf_kit.h - iperf, server and client, in one agent over the loop port. */
#ifndef IPERF_KIT_H
#define IPERF_KIT_H

#include "engine_kit.h"

#include "nd/iperf.h"

#define IPERF_KIT_PLACES         4
#define IPERF_KIT_DATAGRAM_BYTES 1472u

extern struct nd_iperf iperf_kit;
extern struct nd_iperf_test iperf_kit_places[IPERF_KIT_PLACES];
extern uint8_t iperf_kit_datagram[IPERF_KIT_DATAGRAM_BYTES];

/* One test of a group. */
#define IPERF_TEST(test) cmocka_unit_test_setup_teardown(test, iperf_kit_setup, kit_teardown)

int iperf_kit_setup(void **state);

/* Serve TCP and UDP at iperf's port; the second lets it send to askers. */
void iperf_kit_serve_with(struct nd_iperf_server_cfg cfg);
void iperf_kit_serve(void);

/* Begin a test with that server. */
void iperf_kit_call(struct nd_iperf_client_cfg cfg);

/* The final reports of this role and phase, and the latest of them. */
unsigned iperf_kit_count(const struct kit *kit, const char *role, const char *phase);
const struct nd_report *iperf_kit_find(const struct kit *kit, const char *role, const char *phase);

/* No place is taken, and `used` connections of the port. */
void iperf_kit_all_free(const struct kit *kit, uint32_t used);

#endif
