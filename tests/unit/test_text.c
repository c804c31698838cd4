/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <string.h>

#include "text.h"

#include "unit.h"

static void length_is_what_strlen_says(void **state) {
    static const char *const texts[] = {"", "a", "netdyno", "with spaces\n"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(nd__text_length(texts[i]), strlen(texts[i]));
    }
}

static void only_the_same_text_is_equal(void **state) {
    (void)state;
    assert_true(nd__text_equal("", ""));
    assert_true(nd__text_equal("mem", "mem"));
    assert_false(nd__text_equal("mem", "memtest"));
    assert_false(nd__text_equal("memtest", "mem"));
    assert_false(nd__text_equal("", "m"));
    assert_false(nd__text_equal("Mem", "mem"));
}

static bool parses(const char *text, uint64_t *value) {
    return nd__text_u64(text, strlen(text), value);
}

static void a_decimal_number_is_read(void **state) {
    char text[24];
    uint64_t value;

    (void)state;
    assert_true(parses("0", &value));
    assert_int_equal(value, 0);
    assert_true(parses("007", &value));
    assert_int_equal(value, 7);
    assert_true(parses("18446744073709551615", &value));
    assert_int_equal(value, UINT64_MAX);
    for (int i = 0; i < 10000; i++) {
        uint64_t expected = unit_random_magnitude();

        snprintf(text, sizeof text, "%" PRIu64, expected);
        assert_true(parses(text, &value));
        assert_int_equal(value, expected);
    }
}

static void anything_else_is_refused_and_changes_nothing(void **state) {
    static const char *const bad[] = {
        "",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1k",
        "0x10",
        "1.5",
        "/",
        ":",
        "\xB1",
        "18446744073709551616",
        "18446744073709551620",
        "99999999999999999999",
        "184467440737095516150",
    };
    uint64_t value = 42;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(parses(bad[i], &value));
        assert_int_equal(value, 42);
    }
}

static void only_len_bytes_are_looked_at(void **state) {
    uint64_t value;

    (void)state;
    assert_true(nd__text_u64("128x", 3, &value));
    assert_int_equal(value, 128);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(length_is_what_strlen_says),
        cmocka_unit_test(only_the_same_text_is_equal),
        cmocka_unit_test(a_decimal_number_is_read),
        cmocka_unit_test(anything_else_is_refused_and_changes_nothing),
        cmocka_unit_test(only_len_bytes_are_looked_at),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
