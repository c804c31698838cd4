/* SPDX-License-Identifier: BSD-3-Clause */
/* suite.c - one fresh instance of the port per case. */
#include "kit.h"

struct rig *rig;
const struct nd_port *port;

int setup_case(void **state) {
    (void)state;
    return rig->setup(rig);
}

int teardown_case(void **state) {
    (void)state;
    rig->teardown(rig);
    return 0;
}

int suite_run(struct rig *which) {
    rig = which;
    port = which->port;
    print_message("contract of nd/port.h over %s\n", rig->name);
    int failed = run_stream_cases() + run_end_cases() + run_abort_cases() + run_pool_cases();
    if ((port->can & ND_PORT_UDP) != 0) {
        failed += run_udp_cases();
    }
    return failed;
}
