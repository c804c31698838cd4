/* SPDX-License-Identifier: BSD-3-Clause */
/* A libFuzzer target: any sender, as a receiver of ttcp meets it over TCP and over UDP. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_kit.h"
#include "nd/ttcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct fuzz fuzz;
    static struct nd_ttcp ttcp;
    uint8_t how;

    fuzz_begin(&fuzz, data, size);
    memset(&ttcp, 0, sizeof ttcp);
    how = fuzz_byte(&fuzz);
    const struct nd_ttcp_cfg cfg = {
        .udp = how % 2 != 0, .again = how / 2 % 2 != 0, .addr = fuzz_addr(ND_TTCP_PORT)};
    if (nd_ttcp_start(&ttcp, &fuzz.agent, &cfg) != ND_OK) {
        abort();
    }
    if (cfg.udp) {
        fuzz_send(&fuzz, 6000, ND_TTCP_PORT);
    } else {
        fuzz_call(&fuzz, ND_TTCP_PORT);
    }
    fuzz_run(&fuzz, 400, 10000);
    fuzz_end(&fuzz);
    return 0;
}
