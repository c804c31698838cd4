/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.c - descriptors, counted where Linux lists them; both families of addresses. */
#include "kernel.h"

#include <dirent.h>
#include <stddef.h>

#include "suite.h"

long kernel_held(struct rig *rig) {
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

int kernel_run(struct rig *rig) {
    rig->at = (struct nd_addr){.ip = {127, 0, 0, 1}, .family = 4};
    int failed = suite_run(rig);
    rig->at = (struct nd_addr){.ip = {[15] = 1}, .family = 6};
    return failed + suite_run(rig);
}
