/* SPDX-License-Identifier: BSD-3-Clause */
/* A Cortex-M3 in QEMU, counting instructions. The firmware reaches the pipes by semihosting: a
 * blocked call blocks the processor, and a blocked processor executes nothing, so its virtual time
 * stands still while we work. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/machine.h"

/* Wall time for `qemu --version` [ms]. */
enum { VERSION_LIMIT_MS = 5000 };

/* The part of an ELF header that tells the machine, and its values; see the System V ABI, "ELF
 * header". */
enum { ELF_BYTES = 20, ELF_CLASS = 4, ELF_CLASS_32 = 1, ELF_MACHINE = 18, ELF_MACHINE_ARM = 40 };

static int check_firmware(const char *path, char error[ND_SIM_ERROR_BYTES]) {
    unsigned char head[ELF_BYTES] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got;

    if (fd < 0) {
        snprintf(error, ND_SIM_ERROR_BYTES, "cannot read firmware %.120s: %s; build it first", path,
                 strerror(errno));
        return ND_E_ARG;
    }
    got = read(fd, head, sizeof head);
    close(fd);
    if (got != ELF_BYTES || memcmp(head, "\177ELF", 4) != 0) {
        snprintf(error, ND_SIM_ERROR_BYTES, "%.160s is no ELF file; expected ARM firmware", path);
        return ND_E_ARG;
    }
    if (head[ELF_CLASS] != ELF_CLASS_32 || head[ELF_MACHINE] != ELF_MACHINE_ARM) {
        snprintf(error, ND_SIM_ERROR_BYTES,
                 "%.120s is an ELF file for another processor; expected 32-bit ARM, or run it as "
                 "native",
                 path);
        return ND_E_ARG;
    }
    return ND_OK;
}

static int check_version(const char *qemu, char error[ND_SIM_ERROR_BYTES]) {
    char *argv[] = {(char *)qemu, (char *)"--version", NULL};
    struct nd__process process;
    char text[256];
    int major = 0;
    int minor = 0;
    int start_errno;

    nd__process_init(&process);
    start_errno = nd__process_start(&process, argv, NULL, 0);
    if (start_errno != 0) {
        snprintf(error, ND_SIM_ERROR_BYTES,
                 "cannot start %.100s: %s; install qemu-system-arm %d.%d or later", qemu,
                 strerror(start_errno), ND__MACHINE_QEMU_MAJOR, ND__MACHINE_QEMU_MINOR);
        return ND_E_ARG;
    }
    nd__process_wait(&process, VERSION_LIMIT_MS);
    nd__process_head(&process, text, sizeof text);
    nd__process_close(&process);
    if (sscanf(text, "QEMU emulator version %d.%d", &major, &minor) != 2) {
        snprintf(error, ND_SIM_ERROR_BYTES,
                 "%.100s does not say that it is QEMU; install qemu-system-arm %d.%d or later",
                 qemu, ND__MACHINE_QEMU_MAJOR, ND__MACHINE_QEMU_MINOR);
        return ND_E_ARG;
    }
    if (major < ND__MACHINE_QEMU_MAJOR ||
        (major == ND__MACHINE_QEMU_MAJOR && minor < ND__MACHINE_QEMU_MINOR)) {
        snprintf(error, ND_SIM_ERROR_BYTES,
                 "%.100s is version %d.%d; install qemu-system-arm %d.%d or later", qemu, major,
                 minor, ND__MACHINE_QEMU_MAJOR, ND__MACHINE_QEMU_MINOR);
        return ND_E_ARG;
    }
    return ND_OK;
}

/* The option that loads the cycle counter; its page and window are descriptors that QEMU inherits.
 * In QEMU's options a comma is written twice. */
static int write_plugin(const char *path, const struct nd__meter *meter, char *text, size_t size) {
    size_t length = 0;

    for (; *path != '\0' && length + 2 < size; path++) {
        text[length++] = *path;
        if (*path == ',') {
            text[length++] = ',';
        }
    }
    return snprintf(text + length, size - length, ",page=/proc/self/fd/%d,window=/proc/self/fd/%d",
                    meter->fd, meter->window_fd) < (int)(size - length)
               ? ND_OK
               : ND_E_ARG;
}

static int open_meter(struct nd__machine *machine, const struct nd_sim_cfg *cfg, char *plugin,
                      size_t size, char error[ND_SIM_ERROR_BYTES]) {
    int meter_errno = nd__meter_open(&machine->meter, cfg);

    if (meter_errno != 0) {
        snprintf(error, ND_SIM_ERROR_BYTES, "cannot make memory for the cycle counter: %s",
                 strerror(meter_errno));
        return ND_E_MEMORY;
    }
    if (write_plugin(cfg->cycles, &machine->meter, plugin, size) != ND_OK) {
        snprintf(error, ND_SIM_ERROR_BYTES, "the path of the cycle counter is too long");
        return ND_E_ARG;
    }
    return ND_OK;
}

int nd__machine_qemu(struct nd__machine *machine, const struct nd_sim_cfg *cfg,
                     const char *out_path, const char *in_path, char error[ND_SIM_ERROR_BYTES]) {
    const char *qemu = cfg->qemu != NULL ? cfg->qemu : "qemu-system-arm";
    char semihosting[2 * ND__MACHINE_PATH_BYTES + 64];
    char plugin[PATH_MAX];
    char window[128];
    char *argv[] = {
        (char *)qemu,
        (char *)"-M",
        (char *)(cfg->cycles != NULL ? "mps2-an385,memory-backend=window" : "mps2-an385"),
        (char *)"-icount",
        (char *)"shift=6,sleep=off",
        (char *)"-semihosting-config",
        semihosting,
        (char *)"-nographic",
        (char *)"-monitor",
        (char *)"none",
        (char *)"-serial",
        (char *)"none",
        (char *)"-kernel",
        (char *)cfg->firmware,
        cfg->cycles != NULL ? (char *)"-plugin" : NULL,
        plugin,
        (char *)"-object",
        window,
        NULL};
    int start_errno;

    if (check_firmware(cfg->firmware, error) != ND_OK || check_version(qemu, error) != ND_OK) {
        return ND_E_ARG;
    }
    if (cfg->cycles != NULL) {
        int result = open_meter(machine, cfg, plugin, sizeof plugin, error);

        if (result != ND_OK) {
            return result;
        }
        snprintf(window, sizeof window,
                 "memory-backend-file,id=window,size=%u,share=on,mem-path=/proc/self/fd/%d",
                 ND__WINDOW_BYTES, machine->meter.window_fd);
    }
    snprintf(semihosting, sizeof semihosting, "enable=on,target=native,arg=netdyno,arg=%s,arg=%s",
             out_path, in_path);
    machine->name = "qemu-system-arm";
    start_errno = nd__machine_start(machine, argv);
    if (start_errno != 0) {
        snprintf(error, ND_SIM_ERROR_BYTES, "cannot start %.100s: %s", qemu, strerror(start_errno));
        return ND_E_STACK;
    }
    return ND_OK;
}
