/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "units.h"

#define UNKNOWN 12345678901u

static uint64_t parse(enum units kind, const char *text) {
    uint64_t value = UNKNOWN;

    assert_int_equal(units_parse(kind, text, &value), UNITS_OK);
    return value;
}

static void refuses(enum units kind, const char *text, int result) {
    uint64_t value = UNKNOWN;

    assert_int_equal(units_parse(kind, text, &value), result);
    assert_true(value == UNKNOWN);
}

static void prints(enum units kind, uint64_t value, const char *expected) {
    char text[UNITS_TEXT_BYTES];

    assert_string_equal(units_print(kind, value, text), expected);
}

static void sizes_are_binary(void **state) {
    (void)state;
    assert_true(parse(UNITS_BYTES, "1460") == 1460);
    assert_true(parse(UNITS_BYTES, "32K") == 32768);
    assert_true(parse(UNITS_BYTES, "32k") == 32768);
    assert_true(parse(UNITS_BYTES, "1.5M") == 1572864);
    assert_true(parse(UNITS_BYTES, "2GiB") == UINT64_C(2147483648));
}

static void rates_are_decimal(void **state) {
    (void)state;
    assert_true(parse(UNITS_BIT_S, "1M") == 1000000);
    assert_true(parse(UNITS_BIT_S, "100Mbit/s") == 100000000);
    assert_true(parse(UNITS_BIT_S, "1.5G") == 1500000000);
}

static void durations_default_to_seconds(void **state) {
    (void)state;
    assert_true(parse(UNITS_NS, "5") == UINT64_C(5000000000));
    assert_true(parse(UNITS_NS, "0.2") == 200000000);
    assert_true(parse(UNITS_NS, "200ms") == 200000000);
    assert_true(parse(UNITS_NS, "1m") == UINT64_C(60000000000));
    assert_true(parse(UNITS_NS, "3us") == 3000);
}

static void other_forms_are_refused(void **state) {
    static const char *const texts[] = {"",   "K",  "-1",  "+1",   " 1",  "1 ", "1x",
                                        "1.", ".5", "1e3", "0x10", "1KK", "nan"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        refuses(UNITS_BYTES, texts[i], UNITS_E_FORM);
    }
    refuses(UNITS_COUNT, "5K", UNITS_E_FORM);
    refuses(UNITS_NS, "5K", UNITS_E_FORM);
    refuses(UNITS_BYTES, "5ms", UNITS_E_FORM);
}

static void parts_of_the_smallest_unit_are_refused(void **state) {
    (void)state;
    refuses(UNITS_BYTES, "1.5", UNITS_E_FINE);
    refuses(UNITS_NS, "0.5ns", UNITS_E_FINE);
    refuses(UNITS_COUNT, "0.1", UNITS_E_FINE);
    refuses(UNITS_BYTES, "1.0000000000000000000000K", UNITS_E_FINE);
}

static void the_edge_of_64_bits_is_exact(void **state) {
    (void)state;
    assert_true(parse(UNITS_COUNT, "18446744073709551615") == UINT64_MAX);
    refuses(UNITS_COUNT, "18446744073709551616", UNITS_E_RANGE);
    assert_true(parse(UNITS_BYTES, "17179869183G") == UINT64_C(17179869183) << 30);
    refuses(UNITS_BYTES, "17179869184G", UNITS_E_RANGE);
}

static void printing_uses_the_largest_unit_that_is_exact(void **state) {
    (void)state;
    prints(UNITS_BYTES, 32768, "32K");
    prints(UNITS_BYTES, 1460, "1460");
    prints(UNITS_BYTES, 0, "0");
    prints(UNITS_NS, UINT64_C(5000000000), "5s");
    prints(UNITS_NS, 1500000, "1500us");
    prints(UNITS_NS, 0, "0ns");
    prints(UNITS_BIT_S, 100000000, "100M");
    prints(UNITS_COUNT, UINT64_MAX, "18446744073709551615");
}

static void what_is_printed_reads_back(void **state) {
    (void)state;
    for (unsigned kind = UNITS_COUNT; kind <= UNITS_BIT_S; kind++) {
        for (uint64_t value = 1; value < UINT64_MAX / 7; value = value * 7 + 3) {
            char text[UNITS_TEXT_BYTES];
            assert_true(parse(kind, units_print(kind, value, text)) == value);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_binary),
        cmocka_unit_test(rates_are_decimal),
        cmocka_unit_test(durations_default_to_seconds),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(parts_of_the_smallest_unit_are_refused),
        cmocka_unit_test(the_edge_of_64_bits_is_exact),
        cmocka_unit_test(printing_uses_the_largest_unit_that_is_exact),
        cmocka_unit_test(what_is_printed_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
