/* SPDX-License-Identifier: BSD-3-Clause */
/* The image built for this machine: for debuggers, sanitizers and fuzzers. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/machine.h"

static int check_firmware(const char *path, char error[ND_SIM_ERROR_BYTES]) {
    struct stat status;

    if (stat(path, &status) != 0) {
        snprintf(error, ND_SIM_ERROR_BYTES, "cannot read firmware %.120s: %s; build it first", path,
                 strerror(errno));
        return ND_E_ARG;
    }
    if (!S_ISREG(status.st_mode) || access(path, X_OK) != 0) {
        snprintf(error, ND_SIM_ERROR_BYTES,
                 "%.120s is no executable file; expected firmware built for this machine", path);
        return ND_E_ARG;
    }
    return ND_OK;
}

/* The program, its options, the two streams. */
static void fill_argv(char *argv[ND_SIM_WORDS + 4], const struct nd_sim_cfg *cfg,
                      const char *out_path, const char *in_path) {
    unsigned count = 0;

    argv[count++] = (char *)cfg->firmware;
    for (unsigned i = 0; cfg->words != NULL && cfg->words[i] != NULL && i < ND_SIM_WORDS; i++) {
        argv[count++] = (char *)cfg->words[i];
    }
    argv[count++] = (char *)out_path;
    argv[count++] = (char *)in_path;
    argv[count] = NULL;
}

int nd__machine_native(struct nd__machine *machine, const struct nd_sim_cfg *cfg,
                       const char *out_path, const char *in_path, char error[ND_SIM_ERROR_BYTES]) {
    char *argv[ND_SIM_WORDS + 4];
    int start_errno;

    fill_argv(argv, cfg, out_path, in_path);
    if (check_firmware(cfg->firmware, error) != ND_OK) {
        return ND_E_ARG;
    }
    machine->name = cfg->firmware;
    start_errno = nd__machine_start(machine, argv);
    if (start_errno != 0) {
        snprintf(error, ND_SIM_ERROR_BYTES, "cannot start %.160s: %s", cfg->firmware,
                 strerror(start_errno));
        return ND_E_ARG;
    }
    return ND_OK;
}
