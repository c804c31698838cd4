/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/hist.h"

#include "unit.h"

#define BITS_MAX     7u
#define BUCKETS_MOST ND_HIST_BUCKETS(BITS_MAX)
#define SAMPLES      3000u

/* A histogram with one more counter behind its last, which must stay as it is. */
struct fixture {
    struct nd_hist hist;
    uint32_t buckets[BUCKETS_MOST + 1];
};

#define CANARY 0xC0FFEEu

static void set_up(struct fixture *fixture, unsigned bits) {
    for (size_t i = 0; i <= BUCKETS_MOST; i++) {
        fixture->buckets[i] = CANARY;
    }
    nd_hist_init(&fixture->hist, fixture->buckets, (uint8_t)bits);
}

static void check_canary(const struct fixture *fixture) {
    assert_int_equal(fixture->buckets[ND_HIST_BUCKETS((unsigned)fixture->hist.bits)], CANARY);
}

static void an_empty_histogram_answers_0(void **state) {
    static struct fixture fixture;

    (void)state;
    for (unsigned bits = 0; bits <= BITS_MAX; bits++) {
        set_up(&fixture, bits);
        assert_int_equal(fixture.hist.count, 0);
        assert_int_equal(nd_hist_percentile(&fixture.hist, 0), 0);
        assert_int_equal(nd_hist_percentile(&fixture.hist, 1000), 0);
        check_canary(&fixture);
    }
}

/* What a percentile says of one value, when the maximum is too far away to sharpen it. */
static uint64_t bucket_edge(struct fixture *fixture, unsigned bits, uint32_t value) {
    set_up(fixture, bits);
    nd_hist_add(&fixture->hist, value);
    nd_hist_add(&fixture->hist, UINT64_MAX);
    check_canary(fixture);
    return nd_hist_percentile(&fixture->hist, 500);
}

static void check_bucket(struct fixture *fixture, unsigned bits, uint32_t value) {
    uint64_t edge = bucket_edge(fixture, bits, value);

    assert_true(edge >= value);
    assert_true((edge - value) << bits <= value);
}

static void every_bucket_keeps_the_stated_error_around_each_power_of_two(void **state) {
    static struct fixture fixture;

    (void)state;
    for (unsigned bits = 0; bits <= BITS_MAX; bits++) {
        for (unsigned power = 0; power < 32; power++) {
            uint32_t value = (uint32_t)1 << power;

            check_bucket(&fixture, bits, value - 1);
            check_bucket(&fixture, bits, value);
            check_bucket(&fixture, bits, value + 1);
            check_bucket(&fixture, bits, value + (uint32_t)unit_random_below(value));
        }
        check_bucket(&fixture, bits, UINT32_MAX);
    }
}

static void values_of_the_linear_part_are_exact(void **state) {
    static struct fixture fixture;

    (void)state;
    for (unsigned bits = 0; bits <= BITS_MAX; bits++) {
        for (uint32_t value = 0; value < 1u << bits; value++) {
            assert_int_equal(bucket_edge(&fixture, bits, value), value);
        }
    }
}

static void the_last_bucket_takes_the_largest_value_and_the_first_takes_0(void **state) {
    static struct fixture fixture;

    (void)state;
    for (unsigned bits = 0; bits <= BITS_MAX; bits++) {
        set_up(&fixture, bits);
        nd_hist_add(&fixture.hist, 0);
        nd_hist_add(&fixture.hist, UINT32_MAX);
        assert_int_equal(fixture.buckets[0], 1);
        assert_int_equal(fixture.buckets[ND_HIST_BUCKETS(bits) - 1], 1);
        assert_int_equal(fixture.hist.over, 0);
        check_canary(&fixture);
    }
}

static int by_value(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* The oracle: the smallest sample that at least permille / 1000 of all do not exceed. */
static uint64_t true_percentile(const uint64_t *sorted, size_t count, unsigned permille) {
    size_t covered = 1;

    while (covered * 1000 < permille * count) {
        covered++;
    }
    return sorted[covered - 1];
}

static void check_percentiles(const struct nd_hist *hist, const uint64_t *sorted, size_t count) {
    for (unsigned permille = 0; permille <= 1000; permille++) {
        uint64_t truth = true_percentile(sorted, count, permille);
        uint64_t told = nd_hist_percentile(hist, permille);

        assert_true(told >= truth);
        assert_true((told - truth) << hist->bits <= truth);
        assert_true(told <= hist->max);
    }
}

/* Add count samples of values below 2^32 and compare all that can be asked with the truth. */
static void check_samples(unsigned bits, uint64_t *samples, size_t count) {
    static struct fixture fixture;
    uint64_t sum = 0;

    set_up(&fixture, bits);
    for (size_t i = 0; i < count; i++) {
        nd_hist_add(&fixture.hist, samples[i]);
        sum += samples[i];
    }
    qsort(samples, count, sizeof samples[0], by_value);
    assert_int_equal(fixture.hist.count, count);
    assert_int_equal(fixture.hist.sum, sum);
    assert_int_equal(fixture.hist.min, samples[0]);
    assert_int_equal(fixture.hist.max, samples[count - 1]);
    assert_int_equal(fixture.hist.over, 0);
    check_percentiles(&fixture.hist, samples, count);
    check_canary(&fixture);
}

static void percentiles_are_never_below_the_truth_nor_above_the_stated_error(void **state) {
    static uint64_t samples[SAMPLES];

    (void)state;
    for (unsigned bits = 0; bits <= BITS_MAX; bits++) {
        size_t count = 1 + unit_random_below(SAMPLES);
        uint64_t limit = 1 + unit_random_below(1000);

        for (size_t i = 0; i < count; i++) {
            samples[i] = (uint32_t)unit_random_magnitude();
        }
        check_samples(bits, samples, count);
        for (size_t i = 0; i < count; i++) {
            samples[i] = unit_random_below(limit);
        }
        check_samples(bits, samples, count);
        for (size_t i = 0; i < count; i++) {
            samples[i] = (uint32_t)unit_random();
        }
        check_samples(bits, samples, count);
    }
}

static void a_few_samples_are_as_good_as_many(void **state) {
    uint64_t samples[8];

    (void)state;
    for (int round = 0; round < 200; round++) {
        size_t count = 1 + unit_random_below(8);

        for (size_t i = 0; i < count; i++) {
            samples[i] = (uint32_t)unit_random_magnitude();
        }
        check_samples((unsigned)unit_random_below(BITS_MAX + 1), samples, count);
    }
}

static void equal_samples_are_told_exactly(void **state) {
    static struct fixture fixture;

    (void)state;
    set_up(&fixture, 0);
    for (int i = 0; i < 100; i++) {
        nd_hist_add(&fixture.hist, 1000003);
    }
    for (unsigned permille = 0; permille <= 1000; permille += 125) {
        assert_int_equal(nd_hist_percentile(&fixture.hist, permille), 1000003);
    }
}

static void samples_of_2_to_the_32_and_above_are_counted_over(void **state) {
    static struct fixture fixture;
    const uint64_t large = (uint64_t)1 << 32;

    (void)state;
    for (unsigned bits = 0; bits <= BITS_MAX; bits++) {
        set_up(&fixture, bits);
        nd_hist_add(&fixture.hist, large - 1);
        nd_hist_add(&fixture.hist, large);
        nd_hist_add(&fixture.hist, 5 * large);
        assert_int_equal(fixture.hist.over, 2);
        assert_int_equal(fixture.hist.count, 3);
        assert_int_equal(fixture.hist.sum, 7 * large - 1);
        assert_int_equal(fixture.hist.min, large - 1);
        assert_int_equal(fixture.hist.max, 5 * large);
        assert_int_equal(nd_hist_percentile(&fixture.hist, 333), large - 1);
        assert_int_equal(nd_hist_percentile(&fixture.hist, 334), 5 * large);
        check_canary(&fixture);
    }
}

static void the_sum_wraps_at_2_to_the_64(void **state) {
    static struct fixture fixture;

    (void)state;
    set_up(&fixture, 2);
    nd_hist_add(&fixture.hist, UINT64_MAX);
    nd_hist_add(&fixture.hist, 3);
    assert_int_equal(fixture.hist.sum, 2);
    assert_int_equal(fixture.hist.max, UINT64_MAX);
    assert_int_equal(fixture.hist.min, 3);
}

static void a_full_bucket_counter_stays_full(void **state) {
    static struct fixture fixture;

    (void)state;
    set_up(&fixture, 2);
    fixture.buckets[1] = UINT32_MAX - 1;
    fixture.hist.over = UINT32_MAX - 1;
    for (int i = 0; i < 3; i++) {
        nd_hist_add(&fixture.hist, 1);
        nd_hist_add(&fixture.hist, UINT64_MAX);
    }
    assert_int_equal(fixture.buckets[1], UINT32_MAX);
    assert_int_equal(fixture.hist.over, UINT32_MAX);
    assert_int_equal(fixture.hist.count, 6);
}

static void a_count_near_2_to_the_64_does_not_upset_the_rank(void **state) {
    static struct fixture fixture;

    (void)state;
    set_up(&fixture, 2);
    nd_hist_add(&fixture.hist, 1);
    nd_hist_add(&fixture.hist, 2);
    fixture.hist.count = UINT64_MAX;
    fixture.buckets[2] = UINT32_MAX;
    assert_int_equal(nd_hist_percentile(&fixture.hist, 0), 1);
    assert_int_equal(nd_hist_percentile(&fixture.hist, 999), 2);
    assert_int_equal(nd_hist_percentile(&fixture.hist, 1000), 2);
}

static void init_forgets_what_was_there(void **state) {
    static struct fixture fixture;

    (void)state;
    set_up(&fixture, 3);
    nd_hist_add(&fixture.hist, 77);
    nd_hist_add(&fixture.hist, UINT64_MAX);
    nd_hist_init(&fixture.hist, fixture.buckets, 3);
    nd_hist_add(&fixture.hist, 5);
    assert_int_equal(fixture.hist.count, 1);
    assert_int_equal(fixture.hist.sum, 5);
    assert_int_equal(fixture.hist.over, 0);
    assert_int_equal(fixture.hist.min, 5);
    assert_int_equal(fixture.hist.max, 5);
    assert_int_equal(nd_hist_percentile(&fixture.hist, 1000), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_histogram_answers_0),
        cmocka_unit_test(every_bucket_keeps_the_stated_error_around_each_power_of_two),
        cmocka_unit_test(values_of_the_linear_part_are_exact),
        cmocka_unit_test(the_last_bucket_takes_the_largest_value_and_the_first_takes_0),
        cmocka_unit_test(percentiles_are_never_below_the_truth_nor_above_the_stated_error),
        cmocka_unit_test(a_few_samples_are_as_good_as_many),
        cmocka_unit_test(equal_samples_are_told_exactly),
        cmocka_unit_test(samples_of_2_to_the_32_and_above_are_counted_over),
        cmocka_unit_test(the_sum_wraps_at_2_to_the_64),
        cmocka_unit_test(a_full_bucket_counter_stays_full),
        cmocka_unit_test(a_count_near_2_to_the_64_does_not_upset_the_rank),
        cmocka_unit_test(init_forgets_what_was_there),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
