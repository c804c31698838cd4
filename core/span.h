/* SPDX-License-Identifier: BSD-3-Clause */
/* core/span.h - the part of a direction's traffic that came after some instant. */
#ifndef ND__SPAN_H
#define ND__SPAN_H

#include "nd/report.h"

/* What moved between `then` and `now`, two states of one direction, as a span that begins at `from`
 * [ticks]. Nothing is left out as the first instant's: the clock was running when it came. */
static inline struct nd_span_bytes nd__span_since(const struct nd_span_bytes *now,
                                                  const struct nd_span_bytes *then, uint64_t from) {
    struct nd_span_bytes span = *now;

    if (then->bytes > 0) {
        span.bytes -= then->bytes;
        span.first = from;
        span.first_bytes = 0;
        span.idle_first = then->idle_last;
    }
    return span;
}

#endif
