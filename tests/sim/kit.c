/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "kit.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

unsigned open_files(void) {
    DIR *dir = opendir("/proc/self/fd");
    unsigned count = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL) {
        count++;
    }
    closedir(dir);
    return count;
}

void assert_no_child(void) {
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

struct nd_sim_cfg fake_cfg(const char *mode, unsigned silence_ms) {
    setenv("ND_FAKE", mode, 1);
    return (struct nd_sim_cfg){
        .machine = ND_SIM_NATIVE, .firmware = ND_TEST_FAKE, .silence_ms = silence_ms};
}

int run_steps(struct nd_sim *sim, unsigned limit) {
    int result = ND_OK;

    for (unsigned i = 0; i < limit && result == ND_OK; i++) {
        result = nd_sim_step(sim);
    }
    return result;
}
