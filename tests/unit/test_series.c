/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/series.h"

#include "unit.h"

#define ROOM 4u

struct bench {
    uint32_t points[ROOM];
    struct nd_series series;
};

static int setup(void **state) {
    static struct bench bench;

    nd_series_init(&bench.series, bench.points, ROOM, 10);
    *state = &bench;
    return 0;
}

static void a_period_keeps_its_least_value(void **state) {
    struct bench *bench = (struct bench *)*state;

    nd_series_add(&bench->series, 100, 50);
    nd_series_add(&bench->series, 103, 20);
    nd_series_add(&bench->series, 109, 40);
    assert_int_equal(bench->series.count, 0);
    nd_series_add(&bench->series, 110, 30);
    assert_int_equal(bench->series.count, 1);
    assert_int_equal(bench->points[0], 20);
    assert_int_equal(bench->series.start, 100);
}

static void a_period_without_a_value_has_the_latest_before(void **state) {
    struct bench *bench = (struct bench *)*state;

    nd_series_add(&bench->series, 0, 7);
    nd_series_add(&bench->series, 5, 9);
    nd_series_add(&bench->series, 30, 1);
    assert_int_equal(bench->series.count, 3);
    assert_int_equal(bench->points[0], 7);
    assert_int_equal(bench->points[1], 9);
    assert_int_equal(bench->points[2], 9);
}

static void a_full_memory_joins_pairs_and_goes_on_half_as_fast(void **state) {
    struct bench *bench = (struct bench *)*state;

    for (uint32_t i = 0; i < 4; i++) {
        nd_series_add(&bench->series, 10u * i, 100u - i);
    }
    nd_series_add(&bench->series, 40, 50);
    assert_int_equal(bench->series.period, 20);
    assert_int_equal(bench->series.count, 2);
    assert_int_equal(bench->points[0], 99);
    assert_int_equal(bench->points[1], 97);
    nd_series_add(&bench->series, 59, 60);
    assert_int_equal(bench->series.count, 2);
    nd_series_add(&bench->series, 60, 60);
    assert_int_equal(bench->series.count, 3);
    assert_int_equal(bench->points[2], 50);
}

static void a_long_silence_ends_in_few_steps(void **state) {
    struct bench *bench = (struct bench *)*state;

    nd_series_add(&bench->series, 0, 5);
    nd_series_add(&bench->series, UINT64_C(1) << 40, 6);
    assert_true(bench->series.count < ROOM);
    assert_true(bench->series.period * ROOM > UINT64_C(1) << 40);
    for (uint32_t i = 0; i < bench->series.count; i++) {
        assert_int_equal(bench->points[i], 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_period_keeps_its_least_value, setup),
        cmocka_unit_test_setup(a_period_without_a_value_has_the_latest_before, setup),
        cmocka_unit_test_setup(a_full_memory_joins_pairs_and_goes_on_half_as_fast, setup),
        cmocka_unit_test_setup(a_long_silence_ends_in_few_steps, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
