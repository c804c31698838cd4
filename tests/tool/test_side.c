/* SPDX-License-Identifier: BSD-3-Clause */
/* What of two results may be compared, and what the cells hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "side.h"

static json_t *parse(const char *text) {
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

    assert_non_null(json);
    return json;
}

static unsigned differ(const char *left, const char *right) {
    json_t *a = parse(left), *b = parse(right);
    unsigned kinds = side_differs(a, b);

    assert_int_equal(side_differs(b, a), kinds);
    assert_int_equal(side_differs(a, a), 0);
    json_decref(a);
    json_decref(b);
    return kinds;
}

static struct side_cell cell_of(const char *text, const struct side_row *row) {
    static json_t *result;

    json_decref(result); /* its reason may still be read until the next call */
    result = parse(text);
    return row->cell(result, row);
}

static void another_window_spoils_speed_alone(void **state) {
    (void)state;
    assert_int_equal(
        differ("{\"config\":{\"tcp_wnd_bytes\":5840}}", "{\"config\":{\"tcp_wnd_bytes\":2920}}"),
        SIDE_SPEED);
}

static void another_segment_size_spoils_speed_and_work(void **state) {
    (void)state;
    assert_int_equal(
        differ("{\"config\":{\"tcp_mss_bytes\":1460}}", "{\"config\":{\"tcp_mss_bytes\":536}}"),
        SIDE_SPEED | SIDE_WORK);
}

static void what_one_does_not_tell_counts_as_different(void **state) {
    (void)state;
    assert_int_equal(differ("{\"config\":{\"tcp_wnd_bytes\":5840}}", "{\"config\":{}}"),
                     SIDE_SPEED);
}

static void another_optimisation_spoils_everything(void **state) {
    (void)state;
    assert_int_equal(differ("{\"config\":{\"compiler_flags\":\"-O2 -g\"}}",
                            "{\"config\":{\"compiler_flags\":\"-O2 -g -Os\"}}"),
                     SIDE_SPEED | SIDE_WORK | SIDE_SIZE);
    assert_int_equal(differ("{\"config\":{\"compiler_flags\":\"-g\"}}",
                            "{\"config\":{\"compiler_flags\":\"-g -O0\"}}"),
                     0);
    assert_int_equal(differ("{\"config\":{\"compiler_flags\":\"-mcpu=x -O2\"}}",
                            "{\"config\":{\"compiler_flags\":\"-O2 -g --what-Os\"}}"),
                     0);
}

static void cycles_and_time_are_not_compared(void **state) {
    (void)state;
    assert_int_equal(
        differ("{\"device\":{\"tick\":\"cycle\"}}", "{\"device\":{\"tick\":\"time\"}}"),
        SIDE_SPEED | SIDE_WORK);
}

#define PHASE(name, rate, ns, heap)                                                                \
    "{\"step\":\"memtest-" name "\",\"status\":\"ok\",\"goodput_bit_s\":" rate                     \
    ",\"elapsed_ns\":" ns ",\"heap_free\":" heap "}"

/* 8 Mbit in 1 s, 8 Mbit in 2 s, 4 Mbit there and back in 1 s: 24 Mbit in 4 s. */
static const char three[] =
    "{\"steps\":[" PHASE("rx", "8000000", "1000000000",
                         "{\"samples\":1,\"now_bytes\":5,\"min_bytes\":5,\"max_bytes\":9,"
                         "\"average_bytes\":4}") //
    "," PHASE("tx", "4000000", "2000000000",
              "{\"samples\":3,\"now_bytes\":6,\"min_bytes\":2,\"max_bytes\":8,"
              "\"average_bytes\":8}") //
    "," PHASE("echo", "4000000", "1000000000",
              "{\"samples\":4,\"now_bytes\":7,\"min_bytes\":3,\"max_bytes\":8,"
              "\"average_bytes\":9}") "]}";

static void both_ways_are_all_bytes_over_all_time(void **state) {
    struct side_cell cell = cell_of(three, &(struct side_row){.cell = side_both_ways});

    (void)state;
    assert_null(cell.reason);
    assert_float_equal(cell.value, 24e6 / 4, 1);
}

static void the_heap_is_that_of_all_three_phases(void **state) {
    static const struct {
        const char *key;
        float value;
    } cases[] = {{"now_bytes", 7}, {"min_bytes", 2}, {"max_bytes", 9}, {"average_bytes", 8}};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct side_cell cell =
            cell_of(three, &(struct side_row){.cell = side_heap, .key = cases[i].key});
        assert_null(cell.reason);
        assert_float_equal(cell.value, cases[i].value, 0.001);
    }
}

static void a_value_that_is_not_there_is_its_reason(void **state) {
    struct side_row row = {.cell = side_step, .where = "tcp-rx", .key = "goodput_bit_s"};

    (void)state;
    assert_string_equal(cell_of("{\"steps\":[]}", &row).reason, SIDE_NOT_PLANNED);
    assert_string_equal(
        cell_of("{\"steps\":[{\"step\":\"tcp-rx\",\"status\":\"failed\"}]}", &row).reason,
        "failed");
    assert_string_equal(cell_of("{\"steps\":[{\"step\":\"tcp-rx\",\"status\":\"ok\","
                                "\"absent\":{\"goodput_bit_s\":\"no_samples\"}}]}",
                                &row)
                            .reason,
                        "no_samples");
    row.cell = side_part;
    row.where = "stack";
    assert_string_equal(cell_of("{\"steps\":[]}", &row).reason, "no image");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_window_spoils_speed_alone),
        cmocka_unit_test(another_segment_size_spoils_speed_and_work),
        cmocka_unit_test(what_one_does_not_tell_counts_as_different),
        cmocka_unit_test(another_optimisation_spoils_everything),
        cmocka_unit_test(cycles_and_time_are_not_compared),
        cmocka_unit_test(both_ways_are_all_bytes_over_all_time),
        cmocka_unit_test(the_heap_is_that_of_all_three_phases),
        cmocka_unit_test(a_value_that_is_not_there_is_its_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
