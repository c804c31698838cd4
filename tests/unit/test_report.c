/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/report.h"

#include "unit.h"

static void a_span_without_bytes_has_neither_time_nor_rate(void **state) {
    /* The instants are not valid before the first byte: whatever they are must not matter. */
    const struct nd_span_bytes span = {.first = 7, .last = 900, .idle_first = 3, .idle_last = 5};

    (void)state;
    assert_int_equal(nd_span_elapsed(&span), 0);
    assert_int_equal(nd_span_busy(&span), 0);
    assert_int_equal(nd_span_goodput_bit_s(&span, 1000), ND_NO_SAMPLES);
}

static void a_span_of_one_instant_has_no_rate(void **state) {
    const struct nd_span_bytes span = {.bytes = 1460, .first_bytes = 1460, .first = 7, .last = 7};

    (void)state;
    assert_int_equal(nd_span_elapsed(&span), 0);
    assert_int_equal(nd_span_busy(&span), 0);
    assert_int_equal(nd_span_goodput_bit_s(&span, 1000), ND_NO_SAMPLES);
}

/* Eleven segments of 1250 bytes, one each millisecond, are 10 Mbit/s, not 11. */
static void n_segments_are_divided_by_the_gaps_between_them(void **state) {
    const uint32_t hz = 96000000;
    const struct nd_span_bytes span = {
        .bytes = 11 * 1250, .first_bytes = 1250, .first = 500, .last = 500 + 10 * (hz / 1000)};

    (void)state;
    assert_int_equal(nd_span_elapsed(&span), 10 * (hz / 1000));
    assert_int_equal(nd_span_goodput_bit_s(&span, hz), 10000000);
}

static void busy_is_what_the_idle_count_leaves(void **state) {
    struct nd_span_bytes span = {
        .bytes = 2, .first_bytes = 1, .first = 100, .last = 1100, .idle_first = 40};

    (void)state;
    span.idle_last = 40;
    assert_int_equal(nd_span_busy(&span), 1000);
    span.idle_last = 290;
    assert_int_equal(nd_span_busy(&span), 750);
    span.idle_last = 1040;
    assert_int_equal(nd_span_busy(&span), 0);
    span.idle_last = 1041; /* read a moment after the clock */
    assert_int_equal(nd_span_busy(&span), 0);
}

/* The formula itself, in integers wide enough to need no care. */
static int64_t goodput_oracle(const struct nd_span_bytes *span, uint32_t hz) {
    uint64_t ticks = span->last - span->first;
    unit_wide bits_times_hz = (unit_wide)(span->bytes - span->first_bytes) * 8 * hz;
    unit_wide bit_s = (bits_times_hz + ticks / 2) / ticks;

    return bit_s > INT64_MAX ? INT64_MAX : (int64_t)bit_s;
}

static void goodput_agrees_with_128_bit_arithmetic(void **state) {
    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint32_t hz = (uint32_t)unit_random_magnitude() | 1u;
        struct nd_span_bytes span = {.bytes = unit_random_magnitude() | 1u, .first = 12345};

        span.first_bytes = unit_random_below(span.bytes);
        span.last = span.first + 1 + (unit_random_magnitude() >> 1);
        assert_int_equal(nd_span_goodput_bit_s(&span, hz), goodput_oracle(&span, hz));
    }
}

static void a_rate_beyond_63_bits_stops_at_the_largest(void **state) {
    const struct nd_span_bytes span = {.bytes = UINT64_MAX, .first = 0, .last = 1};

    (void)state;
    assert_int_equal(nd_span_goodput_bit_s(&span, UINT32_MAX), INT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_without_bytes_has_neither_time_nor_rate),
        cmocka_unit_test(a_span_of_one_instant_has_no_rate),
        cmocka_unit_test(n_segments_are_divided_by_the_gaps_between_them),
        cmocka_unit_test(busy_is_what_the_idle_count_leaves),
        cmocka_unit_test(goodput_agrees_with_128_bit_arithmetic),
        cmocka_unit_test(a_rate_beyond_63_bits_stops_at_the_largest),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
