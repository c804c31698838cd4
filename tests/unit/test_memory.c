/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/memory.h"

#include "unit.h"

/* A heap whose free bytes the test says. */
static int64_t answer(void *ctx) {
    return *(const int64_t *)ctx;
}

static void every_absence_has_its_reason(void **state) {
    (void)state;
    assert_string_equal(nd_absent_name(ND_NOT_BUILT), "not_built");
    assert_string_equal(nd_absent_name(ND_NOT_HOOKED), "not_hooked");
    assert_string_equal(nd_absent_name(ND_NOT_SUPPORTED), "not_supported");
    assert_string_equal(nd_absent_name(ND_NO_SAMPLES), "no_samples");
}

static void a_number_is_not_an_absence(void **state) {
    static const int64_t numbers[] = {
        0, 1, 101, -1, -100, -105, INT64_MAX, INT64_MIN, ND_NOT_BUILT + ((int64_t)1 << 32),
    };

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        assert_null(nd_absent_name(numbers[i]));
    }
}

static void a_meter_without_a_hook_has_no_samples(void **state) {
    const struct nd_memory unhooked = {.ctx = NULL};
    struct nd_heap_meter meter;

    (void)state;
    nd_heap_meter_reset(&meter);
    assert_int_equal(nd_heap_meter_average(&meter), ND_NO_SAMPLES);
    nd_heap_meter_sample(&meter, NULL);
    nd_heap_meter_sample(&meter, &unhooked);
    assert_int_equal(meter.samples, 0);
    assert_int_equal(nd_heap_meter_average(&meter), ND_NO_SAMPLES);
}

static void a_hook_that_does_not_know_adds_no_sample(void **state) {
    int64_t heap_free = ND_NOT_SUPPORTED;
    const struct nd_memory memory = {.ctx = &heap_free, .heap_free = answer};
    struct nd_heap_meter meter;

    (void)state;
    nd_heap_meter_reset(&meter);
    nd_heap_meter_sample(&meter, &memory);
    assert_int_equal(meter.samples, 0);
    assert_int_equal(nd_heap_meter_average(&meter), ND_NO_SAMPLES);
}

static void a_meter_keeps_now_minimum_maximum_and_mean(void **state) {
    static const int64_t readings[] = {700, 100, 900, 301};
    int64_t heap_free;
    const struct nd_memory memory = {.ctx = &heap_free, .heap_free = answer};
    struct nd_heap_meter meter;

    (void)state;
    nd_heap_meter_reset(&meter);
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        heap_free = readings[i];
        nd_heap_meter_sample(&meter, &memory);
    }
    assert_int_equal(meter.samples, 4);
    assert_int_equal(meter.now, 301);
    assert_int_equal(meter.min, 100);
    assert_int_equal(meter.max, 900);
    assert_int_equal(nd_heap_meter_average(&meter), 500); /* 2001 / 4, rounded down */
}

static void an_empty_heap_is_a_sample_of_0(void **state) {
    int64_t heap_free = 0;
    const struct nd_memory memory = {.ctx = &heap_free, .heap_free = answer};
    struct nd_heap_meter meter;

    (void)state;
    nd_heap_meter_reset(&meter);
    nd_heap_meter_sample(&meter, &memory);
    assert_int_equal(meter.samples, 1);
    assert_int_equal(meter.min, 0);
    assert_int_equal(meter.max, 0);
    assert_int_equal(nd_heap_meter_average(&meter), 0);
}

static void reset_forgets_all_samples(void **state) {
    int64_t heap_free = 5;
    const struct nd_memory memory = {.ctx = &heap_free, .heap_free = answer};
    struct nd_heap_meter meter;

    (void)state;
    nd_heap_meter_reset(&meter);
    nd_heap_meter_sample(&meter, &memory);
    nd_heap_meter_reset(&meter);
    assert_int_equal(nd_heap_meter_average(&meter), ND_NO_SAMPLES);
    heap_free = 90;
    nd_heap_meter_sample(&meter, &memory);
    assert_int_equal(meter.min, 90);
    assert_int_equal(meter.max, 90);
    assert_int_equal(nd_heap_meter_average(&meter), 90);
}

static void a_heap_beyond_32_bits_reads_as_the_most_a_meter_can_tell(void **state) {
    int64_t heap_free = INT64_MAX;
    const struct nd_memory memory = {.ctx = &heap_free, .heap_free = answer};
    struct nd_heap_meter meter;

    (void)state;
    nd_heap_meter_reset(&meter);
    nd_heap_meter_sample(&meter, &memory);
    assert_int_equal(meter.now, UINT32_MAX);
    assert_int_equal(nd_heap_meter_average(&meter), UINT32_MAX);
}

static void a_meter_that_is_full_keeps_its_mean(void **state) {
    int64_t heap_free = 10;
    const struct nd_memory memory = {.ctx = &heap_free, .heap_free = answer};
    struct nd_heap_meter meter = {
        .sum = (uint64_t)UINT32_MAX * 40, .samples = UINT32_MAX, .now = 40, .min = 40, .max = 40};

    (void)state;
    nd_heap_meter_sample(&meter, &memory);
    assert_int_equal(meter.samples, UINT32_MAX);
    assert_int_equal(nd_heap_meter_average(&meter), 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_absence_has_its_reason),
        cmocka_unit_test(a_number_is_not_an_absence),
        cmocka_unit_test(a_meter_without_a_hook_has_no_samples),
        cmocka_unit_test(a_hook_that_does_not_know_adds_no_sample),
        cmocka_unit_test(a_meter_keeps_now_minimum_maximum_and_mean),
        cmocka_unit_test(an_empty_heap_is_a_sample_of_0),
        cmocka_unit_test(reset_forgets_all_samples),
        cmocka_unit_test(a_heap_beyond_32_bits_reads_as_the_most_a_meter_can_tell),
        cmocka_unit_test(a_meter_that_is_full_keeps_its_mean),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
