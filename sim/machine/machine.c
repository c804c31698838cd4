/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Wall time that a device is given to end after its output has [ms]. */
enum { LAST_BREATH_MS = 500 };

static void close_fd(int *fd) {
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

/* A descriptor above the standard three, which the child replaces. */
static int above_standard(int fd) {
    int higher;

    if (fd > STDERR_FILENO) {
        return fd;
    }
    higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return higher;
}

static bool open_pipe(int *read_fd, int *write_fd) {
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    *read_fd = above_standard(ends[0]);
    *write_fd = above_standard(ends[1]);
    return *read_fd >= 0 && *write_fd >= 0;
}

static bool open_pipes(struct nd__machine *machine) {
    return open_pipe(&machine->from_fd, &machine->device_out_fd) &&
           open_pipe(&machine->device_in_fd, &machine->to_fd) &&
           fcntl(machine->to_fd, F_SETFL, O_NONBLOCK) == 0;
}

static int start_kind(struct nd__machine *machine, const struct nd_sim_cfg *cfg,
                      char error[ND_SIM_ERROR_BYTES]) {
    char out_path[ND__MACHINE_PATH_BYTES];
    char in_path[ND__MACHINE_PATH_BYTES];

    snprintf(out_path, sizeof out_path, "/proc/self/fd/%d", machine->device_out_fd);
    snprintf(in_path, sizeof in_path, "/proc/self/fd/%d", machine->device_in_fd);
    if (cfg->machine == ND_SIM_NATIVE) {
        return nd__machine_native(machine, cfg, out_path, in_path, error);
    }
    return nd__machine_qemu(machine, cfg, out_path, in_path, error);
}

void nd__machine_init(struct nd__machine *machine) {
    *machine =
        (struct nd__machine){.from_fd = -1, .to_fd = -1, .device_out_fd = -1, .device_in_fd = -1};
    nd__process_init(&machine->process);
    nd__meter_init(&machine->meter);
}

int nd__machine_open(struct nd__machine *machine, const struct nd_sim_cfg *cfg,
                     char error[ND_SIM_ERROR_BYTES]) {
    int result = ND_OK;

    if (!open_pipes(machine)) {
        snprintf(error, ND_SIM_ERROR_BYTES, "cannot make a pipe: %s", strerror(errno));
        result = ND_E_STACK;
    } else {
        nd__pin_set(&machine->pin, cfg->tap == NULL);
        result = start_kind(machine, cfg, error);
    }
    if (result != ND_OK) {
        nd__machine_close(machine);
        return result;
    }
    close_fd(&machine->device_out_fd);
    return ND_OK;
}

int nd__machine_start(struct nd__machine *machine, char *const argv[]) {
    const int keep_fds[] = {machine->device_out_fd, machine->device_in_fd, machine->meter.fd,
                            machine->meter.window_fd};

    return nd__process_start(&machine->process, argv, keep_fds, machine->meter.fd >= 0 ? 4 : 2);
}

void nd__machine_explain(struct nd__machine *machine, char error[ND_SIM_ERROR_BYTES]) {
    char end[ND_SIM_ERROR_BYTES / 2];

    if (nd__process_wait(&machine->process, LAST_BREATH_MS)) {
        nd__process_obituary(&machine->process, end, sizeof end);
    } else {
        snprintf(end, sizeof end, "closed its output and went on");
    }
    snprintf(error, ND_SIM_ERROR_BYTES, "%.80s %s", machine->name, end);
}

void nd__machine_close(struct nd__machine *machine) {
    nd__process_close(&machine->process);
    nd__pin_release(&machine->pin);
    nd__meter_close(&machine->meter);
    close_fd(&machine->from_fd);
    close_fd(&machine->to_fd);
    close_fd(&machine->device_out_fd);
    close_fd(&machine->device_in_fd);
}
