/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include "engine_kit.h"

#include <string.h>

#include "nd/kernel_command.h"

/* Ticks between two readings of the clock: what is measured is all of it, whatever is called. */
#define STEP 1000u

static struct nd_kernel_room room;
static uint64_t ticks;
static uint64_t extra; /* more, each time that the slow kernel is called [ticks] */

static uint64_t now(void *ctx) {
    (void)ctx;
    ticks += STEP;
    return ticks;
}

static void *slow(void *dst, const void *src, size_t len) {
    ticks += extra;
    return memcpy(dst, src, len);
}

static void *wrong_at_seven(void *dst, const void *src, size_t len) {
    return memcpy(dst, src, len == 7 ? 6 : len);
}

static const struct nd_kernel others[] = {
    {ND_KERNEL_COPY, "slow", {.copy = slow}},
    {ND_KERNEL_COPY, "wrong", {.copy = wrong_at_seven}},
};

static struct nd_kernel_bench bench = {
    .room = &room, .others = others, .other_count = 2, .now = now};
static struct nd_command command;

static int setup(void **state) {
    int result = kit_setup(state);
    struct kit *kit = *state;

    bench.clock = &kit->clock;
    nd_kernel_command(&command, &bench);
    nd_console_add(&kit->console, &command);
    return result;
}

/* A line about kernel number `other` of the others. */
static const char *type(struct kit *kit, const char *verb, unsigned other, const char *rest) {
    char line[64];
    unsigned count;

    nd_kernels(&count);
    snprintf(line, sizeof line, "kernels %s %u %s\n", verb, count + other, rest);
    return kit_type(kit, line);
}

static void it_lists_ours_and_then_the_others(void **state) {
    const char *text = kit_type(*state, "kernels\n");

    assert_ptr_equal(strstr(text, "0 checksum ref\n"), text);
    assert_non_null(strstr(text, " copy slow\n"));
    assert_non_null(strstr(text, " copy wrong\n"));
}

static void a_time_is_that_of_the_calls_behind_the_first(void **state) {
    extra = 7;
    assert_string_equal(type(*state, "time", 0, "0 0 64 10"),
                        "kernel_time ticks=70 calls=10 hz=1000000\n");
}

static void a_wrong_kernel_has_no_time_where_it_is_wrong(void **state) {
    assert_string_equal(type(*state, "time", 1, "1 2 7 4"), "kernel_wrong bytes=7\n");
    assert_non_null(strstr(type(*state, "time", 1, "1 2 8 4"), "kernel_time ticks=0"));
}

static void a_proof_names_the_first_length_that_is_wrong(void **state) {
    assert_string_equal(type(*state, "prove", 1, "0 3 20"), "kernel_wrong bytes=7\n");
    assert_string_equal(type(*state, "prove", 1, "0 3 6"), "");
    assert_string_equal(type(*state, "prove", 0, "5 3 2100"), "");
}

static void words_out_of_range_are_refused(void **state) {
    static const char *const lines[] = {"kernels prove 0 0 0\n",
                                        "kernels prove 0 8 0 10\n",
                                        "kernels prove 0 0 0 4097\n",
                                        "kernels time 0 0 0 10 0\n",
                                        "kernels time 0 0 0 10 1001\n",
                                        "kernels time x 0 0 10 1\n",
                                        "kernels time 0 0 0 99999999999999999999 1\n",
                                        "kernels sort\n",
                                        "kernels prove 999 0 0 1\n"};

    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *answer = kit_type(*state, lines[i]);

        assert_ptr_equal(strstr(answer, "error: arg: "), answer);
    }
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, kit_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(it_lists_ours_and_then_the_others),
        CASE(a_time_is_that_of_the_calls_behind_the_first),
        CASE(a_wrong_kernel_has_no_time_where_it_is_wrong),
        CASE(a_proof_names_the_first_length_that_is_wrong),
        CASE(words_out_of_range_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
