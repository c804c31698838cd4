/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_posix.c - the contract over this machine's kernel, on its loopback interface. */
#include <dirent.h>
#include <stddef.h>

#include "posix.h"
#include "suite.h"

#define SLOTS 12u

/* One turn sleeps so long at most [ns]. */
#define TURN_NS 1000000u

static int setup(struct rig *rig) {
    struct nd_posix_cfg cfg = {.slot_count = SLOTS, .rx_bytes = 20000};
    rig->ctx = nd_posix_create(&cfg);
    return rig->ctx == NULL ? -1 : 0;
}

static void teardown(struct rig *rig) {
    nd_posix_destroy(rig->ctx);
}

static void pump(struct rig *rig) {
    nd_posix_wait(rig->ctx, TURN_NS);
}

/* Open descriptors of this process. */
static long held(struct rig *rig) {
    (void)rig;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) {
        return -1;
    }
    long count = 0;
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

/* The whole suite over IPv4, then over IPv6. */
int main(void) {
    struct rig rig = {.name = "posix",
                      .port = &nd_port_posix,
                      .at = {.ip = {127, 0, 0, 1}, .family = 4},
                      .pool_size = SLOTS,
                      .setup = setup,
                      .teardown = teardown,
                      .pump = pump,
                      .held = held};
    int failed = suite_run(&rig);
    rig.name = "posix, IPv6";
    rig.at = (struct nd_addr){.ip = {[15] = 1}, .family = 6};
    return failed + suite_run(&rig);
}
