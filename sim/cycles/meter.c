/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cycles/meter.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void nd__meter_init(struct nd__meter *meter) {
    *meter = (struct nd__meter){.fd = -1, .window_fd = -1};
}

static void close_fd(int fd) {
    if (fd >= 0) {
        close(fd);
    }
}

/* Memory of so many bytes, as a descriptor above the standard three, which the child replaces; -1
 * and errno. */
static int make_memory(size_t bytes) {
    int made = memfd_create("netdyno-cycles", MFD_CLOEXEC);
    int fd = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

    close_fd(made);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0) {
        int error = errno;

        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

int nd__meter_open(struct nd__meter *meter, const struct nd_sim_cfg *cfg) {
    size_t bytes = sizeof *meter->page + cfg->trace_changes * sizeof(struct nd_sim_change);
    int fd = make_memory(bytes);
    int window_fd = fd >= 0 ? make_memory(ND__WINDOW_BYTES) : -1;
    void *page = MAP_FAILED;

    if (window_fd >= 0) {
        page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (page == MAP_FAILED) {
        int error = errno;

        close_fd(fd);
        close_fd(window_fd);
        return error;
    }
    *meter = (struct nd__meter){.fd = fd, .window_fd = window_fd, .page = page, .bytes = bytes};
    if (cfg->function_count > 0) {
        memcpy(meter->page->functions, cfg->functions,
               cfg->function_count * sizeof *cfg->functions);
    }
    meter->page->function_count = cfg->function_count;
    meter->page->tape_room = cfg->trace_changes;
    return 0;
}

bool nd__meter_ready(const struct nd__meter *meter) {
    return meter->page != NULL &&
           __atomic_load_n(&meter->page->magic, __ATOMIC_ACQUIRE) == ND__PAGE_MAGIC;
}

bool nd__meter_take(struct nd__meter *meter, uint64_t *spent) {
    uint64_t cycles;

    if (__atomic_load_n(&meter->page->mark_count, __ATOMIC_ACQUIRE) == meter->taken) {
        return false;
    }
    cycles = meter->page->marks[meter->taken % ND__PAGE_MARKS];
    *spent = cycles - meter->latest;
    meter->latest = cycles;
    meter->taken++;
    return true;
}

void nd__meter_flash(struct nd__meter *meter, const struct nd_lockstep_hello *hello) {
    meter->page->flash = (struct nd__page_flash){.waits = hello->flash_waits,
                                                 .line_bytes = hello->flash_line_bytes,
                                                 .buffers = hello->flash_buffers};
}

void nd__meter_turn(struct nd__meter *meter) {
    __atomic_store_n(&meter->page->turns_asked, meter->page->turns_asked + 1, __ATOMIC_RELEASE);
}

bool nd__meter_turned(const struct nd__meter *meter) {
    return __atomic_load_n(&meter->page->turns_done, __ATOMIC_ACQUIRE) == meter->page->turns_asked;
}

void nd__meter_tape(struct nd__meter *meter, bool wanted) {
    __atomic_store_n(&meter->page->tape_wanted, wanted ? 1 : 0, __ATOMIC_RELEASE);
}

bool nd__meter_taped(const struct nd__meter *meter) {
    return __atomic_load_n(&meter->page->tape_done, __ATOMIC_ACQUIRE) != 0;
}

void nd__meter_close(struct nd__meter *meter) {
    if (meter->page != NULL) {
        munmap(meter->page, meter->bytes);
        close(meter->fd);
        close(meter->window_fd);
    }
    nd__meter_init(meter);
}
