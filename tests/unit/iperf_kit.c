/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf_kit.h"

#include <string.h>

struct nd_iperf iperf_kit;
struct nd_iperf_test iperf_kit_places[IPERF_KIT_PLACES];

uint8_t iperf_kit_datagram[IPERF_KIT_DATAGRAM_BYTES];

int iperf_kit_setup(void **state) {
    int result = kit_setup(state);

    nd_iperf_init(&iperf_kit, &((struct kit *)*state)->agent, iperf_kit_places, IPERF_KIT_PLACES,
                  iperf_kit_datagram, sizeof iperf_kit_datagram);
    return result;
}

void iperf_kit_serve_with(struct nd_iperf_server_cfg cfg) {
    cfg.at = kit_addr(ND_IPERF_PORT);
    cfg.tcp = true;
    cfg.udp = true;
    assert_int_equal(nd_iperf_serve(&iperf_kit, &cfg), ND_OK);
}

void iperf_kit_serve(void) {
    iperf_kit_serve_with((struct nd_iperf_server_cfg){.limits = {.udp_to_askers = true}});
}

void iperf_kit_call(struct nd_iperf_client_cfg cfg) {
    cfg.to = kit_addr(ND_IPERF_PORT);
    assert_int_equal(nd_iperf_connect(&iperf_kit, &cfg), ND_OK);
}

unsigned iperf_kit_count(const struct kit *kit, const char *role, const char *phase) {
    unsigned n = 0;

    for (unsigned i = 0; i < kit->report_count; i++) {
        const struct nd_report *report = &kit->reports[i].report;
        n += report->last && strcmp(report->role, role) == 0 && strcmp(report->phase, phase) == 0;
    }
    return n;
}

const struct nd_report *iperf_kit_find(const struct kit *kit, const char *role, const char *phase) {
    for (unsigned i = kit->report_count; i > 0; i--) {
        const struct nd_report *report = &kit->reports[i - 1].report;
        if (report->last && strcmp(report->role, role) == 0 && strcmp(report->phase, phase) == 0) {
            return report;
        }
    }
    fail_msg("no report of %s %s", role, phase);
    return NULL;
}

void iperf_kit_all_free(const struct kit *kit, uint32_t used) {
    for (unsigned i = 0; i < IPERF_KIT_PLACES; i++) {
        assert_int_equal(iperf_kit_places[i].state, ND_IPERF_FREE);
    }
    assert_int_equal(kit_used(kit), used);
}
