/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/clock.h"

#include "unit.h"

#define NS_PER_S 1000000000u

/* A counter that stands where the test puts it. */
static uint32_t read_counter(void *ctx) {
    return *(const uint32_t *)ctx;
}

static struct nd_clock clock_over(uint32_t *counter, unsigned bits) {
    return (struct nd_clock){
        .read = read_counter,
        .ctx = counter,
        .name = "fake",
        .hz = 1000,
        .bits = (uint8_t)bits,
        .kind = ND_CLOCK_TIME,
    };
}

static uint32_t mask_of(unsigned bits) {
    return (uint32_t)(((uint64_t)1 << bits) - 1);
}

static void a_clock_with_every_field_is_valid(void **state) {
    uint32_t counter = 0;
    struct nd_clock clock;

    (void)state;
    for (unsigned bits = 1; bits <= 32; bits++) {
        clock = clock_over(&counter, bits);
        assert_true(nd_clock_valid(&clock));
    }
    clock.ctx = NULL;
    assert_true(nd_clock_valid(&clock));
}

static void a_clock_with_a_field_missing_is_refused(void **state) {
    uint32_t counter = 0;
    const struct nd_clock good = clock_over(&counter, 32);
    struct nd_clock bad[7] = {good, good, good, good, good, good, good};

    (void)state;
    bad[0].read = NULL;
    bad[1].name = NULL;
    bad[2].hz = 0;
    bad[3].bits = 0;
    bad[4].bits = 33;
    bad[5].kind = (enum nd_clock_kind)0;
    bad[6].kind = (enum nd_clock_kind)(ND_CLOCK_TIME + 1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(nd_clock_valid(&bad[i]));
    }
    assert_false(nd_clock_valid(NULL));
}

static void every_kind_has_its_name(void **state) {
    (void)state;
    assert_string_equal(nd_clock_kind_name(ND_CLOCK_CYCLES), "cycle");
    assert_string_equal(nd_clock_kind_name(ND_CLOCK_INSTRUCTIONS), "instruction");
    assert_string_equal(nd_clock_kind_name(ND_CLOCK_TIME), "time");
    assert_string_equal(nd_clock_kind_name((enum nd_clock_kind)0), "unknown");
    assert_string_equal(nd_clock_kind_name((enum nd_clock_kind)4), "unknown");
}

static void elapsed_is_right_across_one_wrap_at_every_width(void **state) {
    uint32_t counter = 0;

    (void)state;
    for (unsigned bits = 1; bits <= 32; bits++) {
        struct nd_clock clock = clock_over(&counter, bits);
        uint32_t mask = mask_of(bits);
        const uint32_t lengths[] = {0, 1, mask / 2, mask - 1, mask};

        for (uint32_t below = 0; below <= 3; below++) {
            uint32_t start = (mask - below) & mask;

            for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
                uint32_t end = (uint32_t)(((uint64_t)start + lengths[i]) & mask);

                assert_int_equal(nd_clock_elapsed(&clock, start, end), lengths[i]);
            }
        }
    }
}

static void a_stopwatch_counts_on_over_many_wraps_at_every_width(void **state) {
    (void)state;
    for (unsigned bits = 1; bits <= 32; bits++) {
        uint32_t mask = mask_of(bits);
        uint32_t counter = mask; /* just below the wrap */
        struct nd_clock clock = clock_over(&counter, bits);
        struct nd_stopwatch watch;
        uint64_t total = 0;

        nd_stopwatch_start(&watch, &clock);
        assert_int_equal(nd_stopwatch_read(&watch), 0);
        for (int i = 0; i < 1000; i++) {
            uint32_t step = (uint32_t)unit_random() & mask;

            counter = (counter + step) & mask;
            total += step;
            assert_int_equal(nd_stopwatch_read(&watch), total);
        }
    }
}

static void a_stopwatch_passes_2_to_the_32_ticks(void **state) {
    uint32_t counter = 0xFFFFFFF0u;
    struct nd_clock clock = clock_over(&counter, 32);
    struct nd_stopwatch watch;

    (void)state;
    nd_stopwatch_start(&watch, &clock);
    for (int i = 0; i < 3; i++) {
        counter += 0xFFFFFFFFu;
        (void)nd_stopwatch_read(&watch);
    }
    assert_int_equal(nd_stopwatch_read(&watch), 3 * (uint64_t)0xFFFFFFFFu);
}

static uint64_t saturate(unit_wide value) {
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

static void check_both_ways(uint64_t value, uint32_t hz) {
    unit_wide ns = (unit_wide)value * NS_PER_S / hz;
    unit_wide ticks = ((unit_wide)value * hz + NS_PER_S - 1) / NS_PER_S;

    assert_int_equal(nd_clock_ns(value, hz), saturate(ns));
    assert_int_equal(nd_clock_ticks(value, hz), saturate(ticks));
}

static void conversions_agree_with_128_bit_arithmetic_on_random_input(void **state) {
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint32_t hz = (uint32_t)unit_random_magnitude();

        check_both_ways(unit_random_magnitude(), hz > 0 ? hz : 1);
    }
}

static void conversions_agree_with_128_bit_arithmetic_at_the_extremes(void **state) {
    static const uint64_t values[] = {
        0,
        1,
        2,
        999999999,
        1000000000,
        1000000001,
        UINT32_MAX,
        4294967296u,
        UINT64_MAX / 1000,
        UINT64_MAX / 1000000000,
        INT64_MAX,
        1ull << 63,
        UINT64_MAX - 1,
        UINT64_MAX,
    };
    static const uint32_t rates[] = {
        1, 2, 3, 32768, 999999999, 1000000000, 1000000001, UINT32_MAX - 1, UINT32_MAX,
    };

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (size_t j = 0; j < sizeof rates / sizeof rates[0]; j++) {
            check_both_ways(values[i], rates[j]);
        }
    }
}

/* The edge of the range is where a saturating conversion goes wrong first. */
static void conversions_are_exact_on_both_sides_of_the_largest_result(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint32_t hz = (uint32_t)unit_random() | 1u;
        unit_wide edge_ticks = (unit_wide)UINT64_MAX * hz / NS_PER_S;
        unit_wide edge_ns = (unit_wide)UINT64_MAX * NS_PER_S / hz;

        for (uint64_t off = 0; off < 5; off++) {
            if (edge_ticks + off >= 2 && edge_ticks + off - 2 <= UINT64_MAX) {
                check_both_ways((uint64_t)(edge_ticks + off - 2), hz);
            }
            if (edge_ns + off >= 2 && edge_ns + off - 2 <= UINT64_MAX) {
                check_both_ways((uint64_t)(edge_ns + off - 2), hz);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_with_every_field_is_valid),
        cmocka_unit_test(a_clock_with_a_field_missing_is_refused),
        cmocka_unit_test(every_kind_has_its_name),
        cmocka_unit_test(elapsed_is_right_across_one_wrap_at_every_width),
        cmocka_unit_test(a_stopwatch_counts_on_over_many_wraps_at_every_width),
        cmocka_unit_test(a_stopwatch_passes_2_to_the_32_ticks),
        cmocka_unit_test(conversions_agree_with_128_bit_arithmetic_on_random_input),
        cmocka_unit_test(conversions_agree_with_128_bit_arithmetic_at_the_extremes),
        cmocka_unit_test(conversions_are_exact_on_both_sides_of_the_largest_result),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
