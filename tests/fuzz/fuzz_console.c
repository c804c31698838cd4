/* SPDX-License-Identifier: BSD-3-Clause */
/* A libFuzzer target: anything typed at a console that has every command. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_kit.h"
#include "nd/console.h"
#include "nd/datagram.h"
#include "nd/iperf.h"
#include "nd/rr.h"
#include "nd/ttcp.h"

#define PLACES 3

static struct nd_console console;
static struct nd_ttcp ttcp;
static struct nd_iperf iperf;
static struct nd_iperf_test places[PLACES];
static struct nd_rr_console rr;
static struct nd_command commands[3];
static uint8_t buffer[1472];

static void begin(struct fuzz *fuzz) {
    memset(&ttcp, 0, sizeof ttcp);
    memset(&rr, 0, sizeof rr);
    nd_iperf_init(&iperf, &fuzz->agent, places, PLACES, buffer, sizeof buffer);
    nd_console_init(&console, &fuzz->agent);
    nd_ttcp_command(&commands[0], &ttcp);
    nd_iperf_command(&commands[1], &iperf);
    nd_rr_command(&commands[2], &rr);
    for (unsigned i = 0; i < 3; i++) {
        nd_console_add(&console, &commands[i]);
    }
}

/* Whole lines come out, of characters that a terminal can show. */
static void read_output(void) {
    const char *bytes;
    size_t len = nd_console_output(&console, &bytes);

    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\0') {
            abort();
        }
    }
    nd_console_output_done(&console, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct fuzz fuzz;

    fuzz_begin(&fuzz, data, size);
    begin(&fuzz);
    while (fuzz.size > 0) {
        size_t len = fuzz.size < 40 ? fuzz.size : 40;
        len = nd_console_input(&console, (const char *)fuzz.data, len);
        fuzz_take(&fuzz, &len);
        nd_console_poll(&console);
        fuzz_run(&fuzz, 2, 100);
        read_output();
    }
    fuzz_run(&fuzz, 20, 1000);
    nd_console_hangup(&console);
    fuzz_end(&fuzz);
    return 0;
}
