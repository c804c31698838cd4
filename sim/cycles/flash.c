/* SPDX-License-Identifier: BSD-3-Clause */
#include "flash.h"

#include <stdlib.h>

/* ARMv7-M ARM, B3.1: code, where flash is; the lower half, since LPC17xx have RAM in the upper. */
#define FLASH_END 0x10000000u

bool nd__flash_init(struct nd__flash *flash, const struct nd__page_flash *cfg) {
    struct nd__flash fresh = {
        .cfg = *cfg, .number = flash->number + 1, .changes = flash->changes + 1};

    free(flash->kept);
    if (cfg->waits != 0) {
        fresh.line_shift = (unsigned)__builtin_ctz(cfg->line_bytes);
        /* Large, and touched only where code lies. */
        fresh.kept = calloc((FLASH_END >> fresh.line_shift) + 2, 1);
    }
    *flash = fresh;
    return cfg->waits == 0 || fresh.kept != NULL;
}

uint32_t nd__flash_line(const struct nd__flash *flash, uint32_t address) {
    return address < FLASH_END ? (address >> flash->line_shift) + 1 : 0;
}

static void keep(struct nd__flash *flash, uint32_t line) {
    uint32_t *place = &flash->lines[flash->oldest];

    flash->kept[*place] = 0;
    *place = line;
    flash->kept[line] = line != 0;
    flash->oldest = flash->oldest + 1 < flash->cfg.buffers ? flash->oldest + 1 : 0;
    flash->changes++;
}

/* The flash is free from `free` on. An access that is issued at a time delays by the wait states
 * who waits for it, and keeps the flash for one clock more. */
static void fetch_ahead(struct nd__flash *flash, uint32_t line, uint64_t free) {
    if (!flash->kept[line] && flash->ahead != line) {
        flash->ahead = line;
        flash->ahead_ready = free + flash->cfg.waits;
        flash->changes++;
    }
}

/* Ask for a line of code, at this time. Cycles that the processor has to wait. */
static uint32_t fetch(struct nd__flash *flash, uint32_t line, uint64_t now) {
    uint64_t there = now;
    uint64_t free = now;

    if (!flash->kept[line]) {
        if (flash->ahead != line) {
            there = now + flash->cfg.waits;
        } else if (flash->ahead_ready > now) {
            there = flash->ahead_ready;
        }
        free = there + 1;
        flash->ahead = 0;
        keep(flash, line);
    }
    fetch_ahead(flash, line + 1, free);
    return (uint32_t)(there - now);
}

/* Ask for a literal. */
static uint32_t load(struct nd__flash *flash, uint32_t line, uint64_t now) {
    if (flash->kept[line]) {
        return 0;
    }
    keep(flash, line);
    if (flash->ahead != 0 && flash->ahead_ready > now) {
        flash->ahead_ready = now + flash->cfg.waits + 1 + flash->cfg.waits;
    }
    return flash->cfg.waits;
}

uint32_t nd__flash_walk(struct nd__flash *flash, struct nd__flash_step *steps, uint32_t count,
                        uint64_t now) {
    uint32_t waited = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = now + steps[i].cycles + waited;

        waited +=
            steps[i].literal ? load(flash, steps[i].line, at) : fetch(flash, steps[i].line, at);
        steps[i].waited = waited;
    }
    return waited;
}
