/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/sequence.h"

#include "nd/fmt.h"
#include "nd/memory.h"

#define NS_PER_S 1000000000u

_Static_assert((ND_CFG_SEQUENCE_WINDOW & (ND_CFG_SEQUENCE_WINDOW - 1)) == 0 &&
                   ND_CFG_SEQUENCE_WINDOW >= 32,
               "ND_CFG_SEQUENCE_WINDOW is a power of two of 32 or more");

void nd_sequence_start(struct nd_sequence_meter *meter, uint64_t first, uint32_t hz) {
    uint64_t rest = (uint64_t)(NS_PER_S % hz) << 32;

    *meter = (struct nd_sequence_meter){
        .first = first,
        .next = first,
        .cut_next = first,
        .tick_ns = NS_PER_S / hz,
        .tick_part = (uint32_t)(rest / hz),
    };
}

uint64_t nd_sequence_extend(const struct nd_sequence_meter *meter, uint32_t id, unsigned bits) {
    uint64_t span = (uint64_t)1 << bits;
    uint64_t ahead = (id - meter->next) & (span - 1);

    /* A number that would be below 0 is one ahead. */
    if (ahead < span / 2 || meter->next + ahead < span) {
        return meter->next + ahead;
    }
    return meter->next + ahead - span;
}

uint64_t nd_sequence_stamp(struct nd_sequence_meter *meter, uint32_t s, uint32_t us) {
    if ((s == 0 && us == 0 && !meter->clocked) || us >= 1000000u) {
        return 0;
    }
    if (!meter->begun) {
        meter->sent_s = s;
    }
    uint32_t ahead = s - (uint32_t)meter->sent_s;
    if (ahead < (uint32_t)1 << 31) {
        meter->sent_s += ahead;
    } else {
        meter->sent_s -= (uint32_t)0 - ahead;
    }
    return meter->sent_s * NS_PER_S + us * 1000u;
}

/* ---- the window -------------------------------------------------------------------- */

static uint32_t *word_of(struct nd_sequence_meter *meter, uint64_t id) {
    return &meter->window[(id & (ND_CFG_SEQUENCE_WINDOW - 1)) / 32];
}

static uint32_t bit_of(uint64_t id) {
    return (uint32_t)1 << (id & 31);
}

/* Move the window's head up to `next`; the ids passed over are missing. */
static void pass(struct nd_sequence_meter *meter, uint64_t next) {
    uint64_t gap = next - meter->next;

    if (gap > ND_CFG_SEQUENCE_WINDOW) {
        gap = ND_CFG_SEQUENCE_WINDOW;
    }
    for (uint64_t id = next - gap; id < next; id++) {
        *word_of(meter, id) &= ~bit_of(id);
    }
    meter->next = next;
}

static void take(struct nd_sequence_meter *meter, uint64_t id, uint32_t bytes) {
    *word_of(meter, id) |= bit_of(id);
    meter->sum.datagrams++;
    meter->sum.bytes += bytes;
}

/* An id below the highest, received for the first time. */
static void take_reordered(struct nd_sequence_meter *meter, uint64_t id, uint32_t bytes) {
    uint64_t behind = meter->next - 1 - id;

    meter->sum.reordered++;
    if (behind > meter->extent) {
        meter->extent = behind;
    }
    if (id < meter->first) {
        meter->first = id; /* 0, which nobody missed */
    } else if (id < meter->cut_next) {
        meter->recovered++;
    }
    take(meter, id, bytes);
}

/* An id below the highest. True when it is received for the first time. */
static bool take_behind(struct nd_sequence_meter *meter, uint64_t id, uint32_t bytes) {
    uint64_t first = meter->first == 1 ? 0 : meter->first;

    if (meter->next - 1 - id >= ND_CFG_SEQUENCE_WINDOW || id < first) {
        meter->sum.late++;
    } else if ((*word_of(meter, id) & bit_of(id)) != 0) {
        meter->sum.duplicates++;
    } else {
        take_reordered(meter, id, bytes);
        return true;
    }
    meter->sum.extra_bytes += bytes;
    return false;
}

/* ---- time -------------------------------------------------------------------------- */

/* Ticks to nanoseconds without a division; an interval beyond 2^32 ticks counts as that. */
static uint64_t short_ns(const struct nd_sequence_meter *meter, uint64_t ticks) {
    uint64_t n = ticks < UINT32_MAX ? ticks : UINT32_MAX;

    return n * meter->tick_ns + (n * meter->tick_part >> 32);
}

/* RFC 3550, 6.4.1: J += (|D| - J) / 16, kept as 16 J so that nothing is rounded away. */
static void note_jitter(struct nd_sequence_meter *meter, uint64_t now, uint64_t sent_ns) {
    int64_t apart = (int64_t)(short_ns(meter, now - meter->last_now) - //
                              (sent_ns - meter->last_sent_ns));
    uint64_t magnitude = apart < 0 ? (uint64_t)0 - (uint64_t)apart : (uint64_t)apart;

    meter->jitter_16 += magnitude - ((meter->jitter_16 + 8) >> 4);
}

static void note_time(struct nd_sequence_meter *meter, uint64_t now, uint64_t sent_ns) {
    if (sent_ns != 0 && meter->last_sent_ns != 0) {
        meter->clocked |= sent_ns != meter->last_sent_ns;
        note_jitter(meter, now, sent_ns);
    }
    meter->last_now = now;
    meter->last_sent_ns = sent_ns;
}

/* ---- datagrams --------------------------------------------------------------------- */

static void begin(struct nd_sequence_meter *meter, uint64_t id, uint64_t now, uint64_t sent_ns) {
    meter->begun = true;
    if (id == 0 && meter->first == 1) {
        meter->first = 0;
        meter->next = 0;
        meter->cut_next = 0;
    }
    meter->first_id = id;
    meter->first_sent_ns = sent_ns;
    meter->cut_id = id;
    meter->cut_sent_ns = sent_ns;
    meter->last_sent_ns = sent_ns;
    meter->last_now = now;
}

void nd_sequence_add(struct nd_sequence_meter *meter, uint64_t id, uint32_t bytes, uint64_t now,
                     uint64_t sent_ns) {
    if (!meter->begun) {
        begin(meter, id, now, sent_ns);
    }
    if (id < meter->next) {
        if (take_behind(meter, id, bytes)) {
            note_time(meter, now, sent_ns);
        }
        return;
    }
    pass(meter, id + 1);
    take(meter, id, bytes);
    note_time(meter, now, sent_ns);
    meter->high_id = id;
    meter->high_sent_ns = sent_ns;
}

void nd_sequence_end(struct nd_sequence_meter *meter, uint64_t id) {
    if (id >= meter->next) {
        pass(meter, id + 1);
    }
}

/* ---- figures ----------------------------------------------------------------------- */

/* What the time stamps tell, counted from this id and its stamp. */
static void tell_time(const struct nd_sequence_meter *meter, uint64_t id, uint64_t sent_ns,
                      struct nd_sequence *figures) {
    if (!meter->clocked) {
        figures->sent_ns = meter->begun ? ND_NOT_SUPPORTED : ND_NO_SAMPLES;
        figures->jitter_ns = figures->sent_ns;
        return;
    }
    figures->sent_gaps = meter->high_id - id;
    figures->sent_ns = (int64_t)(meter->high_sent_ns - sent_ns);
    figures->jitter_ns = (int64_t)(meter->jitter_16 >> 4);
}

void nd_sequence_total(const struct nd_sequence_meter *meter, struct nd_sequence *total) {
    *total = meter->sum;
    total->expected = meter->next - meter->first;
    total->lost = total->expected - total->datagrams;
    if (meter->extent > total->extent) {
        total->extent = meter->extent;
    }
    tell_time(meter, meter->first_id, meter->first_sent_ns, total);
}

void nd_sequence_cut(struct nd_sequence_meter *meter, struct nd_sequence *interval) {
    struct nd_sequence total;
    const struct nd_sequence *before = &meter->before;

    nd_sequence_total(meter, &total);
    *interval = (struct nd_sequence){
        .datagrams = total.datagrams - before->datagrams,
        .bytes = total.bytes - before->bytes,
        .expected = total.expected - before->expected,
        .recovered = meter->recovered,
        .duplicates = total.duplicates - before->duplicates,
        .reordered = total.reordered - before->reordered,
        .late = total.late - before->late,
        .extra_bytes = total.extra_bytes - before->extra_bytes,
        .extent = meter->extent,
    };
    interval->lost = interval->expected + interval->recovered - interval->datagrams;
    tell_time(meter, meter->cut_id, meter->cut_sent_ns, interval);
    meter->before = total;
    meter->sum.extent = total.extent;
    meter->extent = 0;
    meter->recovered = 0;
    meter->cut_next = meter->next;
    meter->cut_id = meter->high_id;
    meter->cut_sent_ns = meter->high_sent_ns;
}

int64_t nd_sequence_offered_bit_s(const struct nd_sequence *figures) {
    uint64_t bits;

    if (figures->sent_ns < 0 && nd_absent_name(figures->sent_ns) != NULL) {
        return figures->sent_ns;
    }
    if (figures->sent_ns <= 0 || figures->datagrams == 0) {
        return ND_NO_SAMPLES;
    }
    bits = nd_fmt_muldiv(figures->sent_gaps, figures->bytes * 8, figures->datagrams);
    bits = nd_fmt_muldiv(bits, NS_PER_S, (uint64_t)figures->sent_ns);
    return bits < (uint64_t)INT64_MAX ? (int64_t)bits : INT64_MAX;
}
