/* SPDX-License-Identifier: BSD-3-Clause */
/* Only differences are divided, 32 bits wide. */
#include "milliseconds.h"
#include "station.h"

uint32_t nd_milliseconds(void) {
    static uint32_t now_ms;
    static uint32_t marked; /* low word of the tick at which now_ms began */
    uint32_t elapsed = (uint32_t)nd_station_latest() - marked;

    if (elapsed >= ND_MS_TICKS) {
        uint32_t ms = elapsed / ND_MS_TICKS;
        now_ms += ms;
        marked += ms * ND_MS_TICKS;
    }
    return now_ms;
}
