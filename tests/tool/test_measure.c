/* SPDX-License-Identifier: BSD-3-Clause */
/* Which end's time a rate is made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure.h"
#include "version.h"

const char nd_version[] = "0";

#define MS_NS 1000000u

/* A MiB in so many milliseconds, the first piece at its start. */
static struct measure_span span_of(uint64_t ms, uint64_t first_bytes) {
    return (struct measure_span){.bytes = 1 << 20,
                                 .first_bytes = first_bytes,
                                 .first_ns = 5 * MS_NS,
                                 .last_ns = 5 * MS_NS + ms * MS_NS};
}

static void the_receivers_time_counts(void **state) {
    const struct measure_span received = span_of(90, 1460), sent = span_of(100, 1000);
    json_t *step = json_object();

    (void)state;
    struct measure_span rate = measure_rate_span(step, &received, &sent);
    assert_int_equal(rate.last_ns - rate.first_ns, 90 * MS_NS);
    assert_int_equal(rate.first_bytes, 1460);
    assert_null(json_object_get(step, "span"));
    json_decref(step);
}

static void a_receiver_that_emptied_its_buffer_does_not_count(void **state) {
    const struct measure_span received = span_of(89, 1 << 19), sent = span_of(100, 1000);
    json_t *step = json_object();

    (void)state;
    struct measure_span rate = measure_rate_span(step, &received, &sent);
    assert_int_equal(measure_goodput_bit_s(&rate), ((1 << 20) - 1000) * UINT64_C(80));
    assert_string_equal(json_string_value(json_object_get(step, "span")), "sender");
    json_decref(step);
}

static void all_in_one_instant_is_the_senders_time_too(void **state) {
    const struct measure_span received = span_of(0, 1 << 20), sent = span_of(10, 1000);
    json_t *step = json_object();

    (void)state;
    struct measure_span rate = measure_rate_span(step, &received, &sent);
    assert_true(measure_goodput_bit_s(&rate) > 0);
    json_decref(step);
}

static void a_sender_without_a_time_leaves_the_receivers(void **state) {
    const struct measure_span received = span_of(0, 1 << 20), sent = span_of(0, 1 << 20);
    json_t *step = json_object();

    (void)state;
    struct measure_span rate = measure_rate_span(step, &received, &sent);
    assert_int_equal(measure_goodput_bit_s(&rate), ND_NO_SAMPLES);
    assert_null(json_object_get(step, "span"));
    json_decref(step);
}

int main(void) {
    static const struct CMUnitTest cases[] = {
        cmocka_unit_test(the_receivers_time_counts),
        cmocka_unit_test(a_receiver_that_emptied_its_buffer_does_not_count),
        cmocka_unit_test(all_in_one_instant_is_the_senders_time_too),
        cmocka_unit_test(a_sender_without_a_time_leaves_the_receivers),
    };
    return cmocka_run_group_tests_name("measure", cases, NULL, NULL);
}
