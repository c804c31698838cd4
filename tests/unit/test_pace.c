/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/pace.h"

#include "nd/error.h"
#include "unit.h"

static struct nd_pace pace;

static void the_first_step_is_due_at_once_and_the_second_after_its_time(void **state) {
    (void)state;
    /* 1250 bytes at 1 Mbit/s are 10 ms. */
    assert_int_equal(nd_pace_start(&pace, 500, 1000000, 10000, 1000000, 1), ND_OK);
    assert_true(nd_pace_due(&pace, 500));
    nd_pace_step(&pace);
    assert_false(nd_pace_due(&pace, 10499));
    assert_true(nd_pace_due(&pace, 10500));
    assert_int_equal(pace.due, 10500);
}

static void a_million_steps_end_where_arithmetic_says(void **state) {
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        uint32_t hz = (uint32_t)(1000 + unit_random_below(1000000000));
        uint32_t bits = (uint32_t)(8 + unit_random_below(100000));
        uint64_t rate = 1000 + unit_random_below(10000000000);
        uint64_t steps = 1 + unit_random_below(1000000);

        assert_int_equal(nd_pace_start(&pace, 7, hz, bits, rate, 0), ND_OK);
        for (uint64_t n = 0; n < steps; n++) {
            nd_pace_step(&pace);
        }
        assert_int_equal(pace.due, 7 + (uint64_t)((unit_wide)steps * bits * hz / rate));
    }
}

static void a_burst_is_due_together_and_keeps_the_mean(void **state) {
    (void)state;
    assert_int_equal(nd_pace_start(&pace, 0, 1000000, 10000, 1000000, 10), ND_OK);
    for (unsigned burst = 1; burst <= 30; burst++) {
        for (unsigned i = 0; i < 10; i++) {
            assert_int_equal(pace.due, (burst - 1) * 100000);
            nd_pace_step(&pace);
        }
        assert_int_equal(pace.due, burst * 100000);
    }
}

static void what_left_late_is_made_up_for(void **state) {
    (void)state;
    assert_int_equal(nd_pace_start(&pace, 0, 1000, 1, 100, 1), ND_OK);
    nd_pace_step(&pace);
    /* A stall of a second: 100 are due at once, and then the old rhythm goes on. */
    for (unsigned i = 0; i < 99; i++) {
        assert_true(nd_pace_due(&pace, 999));
        nd_pace_step(&pace);
    }
    assert_false(nd_pace_due(&pace, 999));
    assert_int_equal(pace.due, 1000);
}

static void no_rate_is_no_limit(void **state) {
    (void)state;
    assert_int_equal(nd_pace_start(&pace, 99, 1000, 8, 0, 1), ND_OK);
    for (unsigned i = 0; i < 1000; i++) {
        assert_true(nd_pace_due(&pace, 99));
        nd_pace_step(&pace);
    }
}

static void rates_at_both_ends_of_64_bits_are_exact(void **state) {
    (void)state;
    assert_int_equal(nd_pace_start(&pace, 0, UINT32_MAX, 0x7FFFFFFF, 1, 1), ND_OK);
    nd_pace_step(&pace);
    assert_int_equal(pace.due, (uint64_t)UINT32_MAX * 0x7FFFFFFF);
    assert_int_equal(nd_pace_start(&pace, 0, UINT32_MAX, 0x7FFFFFFF, UINT64_MAX, 1), ND_OK);
    for (unsigned i = 0; i < 6; i++) {
        nd_pace_step(&pace);
    }
    /* 6 x 2^63 over 2^64, and a little less. */
    assert_int_equal(pace.due, 2);
}

static void what_cannot_be_kept_is_refused(void **state) {
    (void)state;
    assert_int_equal(nd_pace_start(&pace, 0, 1000, 0, 1, 1), ND_E_ARG);
    assert_int_equal(nd_pace_start(&pace, 0, 1000, 0x80000000u, 1, 1), ND_E_ARG);
    assert_int_equal(nd_pace_start(&pace, 0, 1000, 0x10000000, 1, 8), ND_E_ARG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_is_due_at_once_and_the_second_after_its_time),
        cmocka_unit_test(a_million_steps_end_where_arithmetic_says),
        cmocka_unit_test(a_burst_is_due_together_and_keeps_the_mean),
        cmocka_unit_test(what_left_late_is_made_up_for),
        cmocka_unit_test(no_rate_is_no_limit),
        cmocka_unit_test(rates_at_both_ends_of_64_bits_are_exact),
        cmocka_unit_test(what_cannot_be_kept_is_refused),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
