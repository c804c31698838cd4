/* SPDX-License-Identifier: BSD-3-Clause */
/* A libFuzzer target: any caller, any UDP peer and any server, as iperf 2 meets them. */
#include <stdlib.h>

#include "fuzz_kit.h"
#include "nd/iperf.h"

#define PLACES 3

static struct nd_iperf_test places[PLACES];
static struct nd_iperf iperf;
static uint8_t buffer[200];

static void serve(struct fuzz *fuzz) {
    const struct nd_iperf_server_cfg cfg = {
        .at = fuzz_addr(ND_IPERF_PORT),
        .tcp = true,
        .udp = true,
        .limits = {.udp_to_askers = true, .max_seconds = 1, .max_bit_s = 1000000},
        .interval_ns = 100000000};

    nd_iperf_init(&iperf, &fuzz->agent, places, PLACES, buffer, sizeof buffer);
    if (nd_iperf_serve(&iperf, &cfg) != ND_OK) {
        abort();
    }
}

/* Our client sends, or asks to be sent to; the peer at 7001 says what the input says. The loop
 * port's first free port number is the client's. */
static void call_out(struct fuzz *fuzz, bool reverse) {
    const struct nd_iperf_client_cfg cfg = {.to = fuzz_addr(7001),
                                            .udp = true,
                                            .reverse = reverse,
                                            .bytes = 500,
                                            .len = 100,
                                            .bit_s = 1000000};
    struct nd_conn_info info;

    nd_iperf_init(&iperf, &fuzz->agent, places, PLACES, buffer, sizeof buffer);
    if (nd_iperf_connect(&iperf, &cfg) != ND_OK) {
        abort();
    }
    nd_port_loop.info(places[0].session.conn, &info);
    fuzz_run(fuzz, 10, 1000);
    fuzz_send(fuzz, 7001, info.local.port);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct fuzz fuzz;

    fuzz_begin(&fuzz, data, size);
    switch (fuzz_byte(&fuzz) % 4) {
    case 0:
        serve(&fuzz);
        fuzz_call(&fuzz, ND_IPERF_PORT);
        break;
    case 1:
        serve(&fuzz);
        fuzz_send(&fuzz, 6000, ND_IPERF_PORT);
        break;
    case 2:
        call_out(&fuzz, false);
        break;
    default:
        call_out(&fuzz, true);
        break;
    }
    /* Whatever it was, the places are free again before long. */
    fuzz_run(&fuzz, 700, 10000);
    for (unsigned i = 0; i < PLACES; i++) {
        if (places[i].state != ND_IPERF_FREE) {
            abort();
        }
    }
    fuzz_end(&fuzz);
    return 0;
}
