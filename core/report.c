/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/report.h"

#include "nd/fmt.h"

uint64_t nd_span_elapsed(const struct nd_span_bytes *span) {
    /* The other fields mean nothing before the first byte. */
    if (span->bytes == 0) {
        return 0;
    }
    return span->last - span->first;
}

uint64_t nd_span_busy(const struct nd_span_bytes *span) {
    uint64_t elapsed = nd_span_elapsed(span);
    uint64_t idle = span->idle_last - span->idle_first;

    /* Idle ticks are read beside the clock, not with it, and may run ahead by a few. */
    return idle < elapsed ? elapsed - idle : 0;
}

int64_t nd_span_goodput_bit_s(const struct nd_span_bytes *span, uint32_t hz) {
    uint64_t elapsed = nd_span_elapsed(span);
    uint64_t bit_s;

    if (elapsed == 0) {
        return ND_NO_SAMPLES;
    }
    bit_s = nd_fmt_muldiv(span->bytes - span->first_bytes, (uint64_t)hz * 8, elapsed);
    return bit_s < (uint64_t)INT64_MAX ? (int64_t)bit_s : INT64_MAX;
}
