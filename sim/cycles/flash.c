/* SPDX-License-Identifier: BSD-3-Clause */
#include "flash.h"

/* ARMv7-M ARM, B3.1: code, where flash is; the lower half, since LPC17xx have RAM in the upper. */
#define FLASH_END 0x10000000u

void nd__flash_init(struct nd__flash *flash, const struct nd__page_flash *cfg) {
    uint64_t changes = flash->changes;

    *flash = (struct nd__flash){.cfg = *cfg, .changes = changes + 1};
}

uint32_t nd__flash_line(const struct nd__flash *flash, uint32_t address) {
    return address < FLASH_END ? address / flash->cfg.line_bytes + 1 : 0;
}

static bool is_kept(const struct nd__flash *flash, uint32_t line) {
    for (uint32_t i = 0; i < flash->cfg.buffers; i++) {
        if (flash->lines[i] == line) {
            return true;
        }
    }
    return false;
}

static void keep(struct nd__flash *flash, uint32_t line) {
    flash->lines[flash->oldest] = line;
    flash->oldest = (flash->oldest + 1) % flash->cfg.buffers;
    flash->changes++;
}

/* The flash is free from `free` on. An access that is issued at a time delays by the wait states
 * who waits for it, and keeps the flash for one clock more. */
static void fetch_ahead(struct nd__flash *flash, uint32_t line, uint64_t free) {
    if (flash->ahead != line && !is_kept(flash, line)) {
        flash->ahead = line;
        flash->ahead_ready = free + flash->cfg.waits;
        flash->changes++;
    }
}

unsigned nd__flash_fetch(struct nd__flash *flash, uint32_t line, uint64_t now) {
    uint64_t there = now;
    uint64_t free = now;

    if (!is_kept(flash, line)) {
        if (flash->ahead == line) {
            there = flash->ahead_ready > now ? flash->ahead_ready : now;
        } else {
            there = now + flash->cfg.waits;
        }
        free = there + 1;
        flash->ahead = 0;
        keep(flash, line);
    }
    fetch_ahead(flash, line + 1, free);
    return (unsigned)(there - now);
}

unsigned nd__flash_load(struct nd__flash *flash, uint32_t line, uint64_t now) {
    if (is_kept(flash, line)) {
        return 0;
    }
    keep(flash, line);
    if (flash->ahead != 0 && flash->ahead_ready > now) {
        flash->ahead_ready = now + flash->cfg.waits + 1 + flash->cfg.waits;
    }
    return flash->cfg.waits;
}
