/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <jansson.h>

#include "nd/fmt.h"
#include "nd/memory.h"

#include "unit.h"

#define ROOM   2048u
#define CANARY '\x7F'

/* What was written, as a C string of the test's own. */
static const char *text_of(const struct nd_fmt *out) {
    static char text[ROOM + 1];
    size_t length = nd_fmt_length(out);

    memcpy(text, out->begin, length);
    text[length] = '\0';
    return text;
}

static void start(struct nd_fmt *out) {
    static char room[ROOM];

    nd_fmt_init(out, room, sizeof room);
}

static void check_u64(uint64_t value) {
    char expected[32];
    struct nd_fmt out;

    snprintf(expected, sizeof expected, "%" PRIu64, value);
    start(&out);
    nd_fmt_u64(&out, value);
    assert_string_equal(text_of(&out), expected);
}

static void check_i64(int64_t value) {
    char expected[32];
    struct nd_fmt out;

    snprintf(expected, sizeof expected, "%" PRId64, value);
    start(&out);
    nd_fmt_i64(&out, value);
    assert_string_equal(text_of(&out), expected);
}

static void numbers_are_written_as_printf_writes_them(void **state) {
    static const uint64_t edges[] = {0, 1, 9, 10, 99, 100, INT64_MAX, 1ull << 63, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        check_u64(edges[i]);
        check_i64((int64_t)edges[i]);
    }
    for (int i = 0; i < 20000; i++) {
        uint64_t value = unit_random_magnitude();

        check_u64(value);
        check_i64((int64_t)value);
        check_i64((int64_t)(0 - value));
    }
}

static void check_fixed(uint64_t value, unsigned decimals) {
    char digits[32];
    char expected[40];
    size_t whole;
    struct nd_fmt out;

    /* The oracle moves no number: it puts a point into the digits. */
    snprintf(digits, sizeof digits, "%0*" PRIu64, (int)decimals + 1, value);
    whole = strlen(digits) - decimals;
    snprintf(expected, sizeof expected, "%.*s%s%s", (int)whole, digits, decimals > 0 ? "." : "",
             digits + whole);
    start(&out);
    nd_fmt_fixed(&out, value, decimals);
    assert_string_equal(text_of(&out), expected);
}

static void a_fixed_point_number_has_exactly_its_decimals(void **state) {
    struct nd_fmt out;

    (void)state;
    start(&out);
    nd_fmt_fixed(&out, 5157, 3);
    assert_string_equal(text_of(&out), "5.157");
    for (unsigned decimals = 0; decimals <= 9; decimals++) {
        check_fixed(0, decimals);
        check_fixed(1, decimals);
        check_fixed(UINT64_MAX, decimals);
        for (int i = 0; i < 2000; i++) {
            check_fixed(unit_random_magnitude(), decimals);
        }
    }
}

static void check_muldiv(uint64_t a, uint64_t b, uint64_t c) {
    unit_wide product = (unit_wide)a * b;
    unit_wide quotient = product / c;
    uint64_t rest = (uint64_t)(product % c);

    quotient += rest >= c - rest; /* the nearest; half goes up */
    assert_int_equal(nd_fmt_muldiv(a, b, c),
                     quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient);
}

static void muldiv_agrees_with_128_bit_arithmetic_at_the_extremes(void **state) {
    static const uint64_t edges[] = {
        0,          1,          2,
        3,          8,          1000000000,
        UINT32_MAX, 1ull << 32, (1ull << 32) + 1,
        INT64_MAX,  1ull << 63, UINT64_MAX - 1,
        UINT64_MAX,
    };
    const size_t count = sizeof edges / sizeof edges[0];

    (void)state;
    for (size_t i = 0; i < count * count * count; i++) {
        uint64_t c = edges[i % count];

        if (c > 0) {
            check_muldiv(edges[i / count % count], edges[i / count / count], c);
        }
    }
}

static void muldiv_agrees_with_128_bit_arithmetic_on_random_input(void **state) {
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint64_t c = unit_random_magnitude();

        check_muldiv(unit_random_magnitude(), unit_random_magnitude(), c > 0 ? c : 1);
    }
}

/* Where the quotient just fits and just does not. */
static void muldiv_is_exact_on_both_sides_of_the_largest_result(void **state) {
    (void)state;
    for (int i = 0; i < 50000; i++) {
        uint64_t b = unit_random() | 1u;
        uint64_t c = unit_random_below(b) + 1;
        uint64_t a = (uint64_t)((unit_wide)UINT64_MAX * c / b);

        check_muldiv(a, b, c);
        check_muldiv(a + 1, b, c);
        check_muldiv(a - 1, b, c);
    }
}

/* Something of everything that can be written. */
static void write_all(struct nd_fmt *out) {
    nd_json_open(out);
    nd_json_text(out, "engine", "mem\"test\"\n");
    nd_json_open_key(out, "rx");
    nd_json_u64(out, "rx_bytes", UINT64_MAX);
    nd_json_i64(out, "offset_ns", -17);
    nd_json_close(out);
    nd_json_bool(out, "last", true);
    nd_json_value(out, "heap_bytes", ND_NOT_HOOKED);
    nd_json_close(out);
    nd_fmt_char(out, ' ');
    nd_fmt_fixed(out, 5157, 3);
    nd_fmt_text(out, " Mbit/s");
}

static void a_text_that_does_not_fit_is_cut_at_every_size_and_says_so(void **state) {
    struct nd_fmt whole;
    size_t length;

    (void)state;
    start(&whole);
    write_all(&whole);
    length = nd_fmt_length(&whole);
    assert_false(whole.cut);
    for (size_t size = 0; size <= length + 1; size++) {
        char *room = malloc(size + 1);
        struct nd_fmt out;

        assert_non_null(room);
        memset(room, CANARY, size + 1);
        nd_fmt_init(&out, room, size);
        assert_int_equal(nd_fmt_length(&out), 0);
        write_all(&out);
        assert_int_equal(out.cut, size < length);
        assert_int_equal(nd_fmt_length(&out), size < length ? size : length);
        assert_memory_equal(room, whole.begin, nd_fmt_length(&out));
        assert_int_equal(room[size], CANARY);
        free(room);
    }
}

static void a_writer_without_any_room_is_cut_by_the_first_byte(void **state) {
    char nothing;
    struct nd_fmt out;

    (void)state;
    nd_fmt_init(&out, &nothing, 0);
    nd_fmt_text(&out, "");
    assert_false(out.cut);
    nd_fmt_char(&out, 'x');
    assert_true(out.cut);
    assert_int_equal(nd_fmt_length(&out), 0);
}

static json_t *parse(const struct nd_fmt *out) {
    json_error_t error;
    json_t *json = json_loadb(out->begin, nd_fmt_length(out), JSON_REJECT_DUPLICATES, &error);

    assert_false(out->cut);
    if (json == NULL) {
        fail_msg("%s: %s", error.text, text_of(out));
    }
    return json;
}

static void an_object_reads_back_with_its_members(void **state) {
    struct nd_fmt out;
    json_t *json;
    json_t *inner;

    (void)state;
    start(&out);
    nd_json_open(&out);
    nd_json_open_key(&out, "empty");
    nd_json_close(&out);
    nd_json_open_key(&out, "inner");
    nd_json_i64(&out, "most", INT64_MAX);
    nd_json_i64(&out, "least", INT64_MIN);
    nd_json_close(&out);
    nd_json_bool(&out, "yes", true);
    nd_json_bool(&out, "no", false);
    nd_json_u64(&out, "count", 7);
    nd_json_text(&out, "brace", "{");
    nd_json_text(&out, "none", "");
    nd_json_close(&out);
    json = parse(&out);
    inner = json_object_get(json, "inner");
    assert_int_equal(json_object_size(json), 7);
    assert_int_equal(json_object_size(json_object_get(json, "empty")), 0);
    assert_int_equal(json_integer_value(json_object_get(inner, "most")), INT64_MAX);
    assert_int_equal(json_integer_value(json_object_get(inner, "least")), INT64_MIN);
    assert_true(json_is_true(json_object_get(json, "yes")));
    assert_true(json_is_false(json_object_get(json, "no")));
    assert_int_equal(json_integer_value(json_object_get(json, "count")), 7);
    assert_string_equal(json_string_value(json_object_get(json, "brace")), "{");
    assert_string_equal(json_string_value(json_object_get(json, "none")), "");
    json_decref(json);
}

/* A byte of 0x80 and above is the character of that number, which UTF-8 writes in two bytes. */
static void to_utf8(const char *latin1, char *utf8) {
    for (; *latin1 != '\0'; latin1++) {
        unsigned c = (unsigned char)*latin1;

        if (c < 0x80) {
            *utf8++ = (char)c;
        } else {
            *utf8++ = (char)(0xC0 | c >> 6);
            *utf8++ = (char)(0x80 | (c & 0x3F));
        }
    }
    *utf8 = '\0';
}

static void check_text(const char *text) {
    char expected[600];
    struct nd_fmt out;
    json_t *json;

    to_utf8(text, expected);
    start(&out);
    nd_json_open(&out);
    nd_json_text(&out, "text", text);
    nd_json_close(&out);
    for (const char *at = out.begin; at < out.at; at++) {
        assert_in_range(*at, 0x20, 0x7E);
    }
    json = parse(&out);
    assert_string_equal(json_string_value(json_object_get(json, "text")), expected);
    json_decref(json);
}

static void every_byte_of_a_text_survives_json(void **state) {
    char text[256];

    (void)state;
    for (int c = 1; c < 256; c++) {
        text[0] = (char)c;
        text[1] = '\0';
        check_text(text);
    }
    for (int i = 0; i < 2000; i++) {
        size_t length = unit_random_below(sizeof text);

        for (size_t j = 0; j < length; j++) {
            text[j] = (char)(1 + unit_random_below(255));
        }
        text[length] = '\0';
        check_text(text);
    }
}

static void a_value_is_a_number_or_the_reason_why_there_is_none(void **state) {
    struct nd_fmt out;

    (void)state;
    start(&out);
    nd_json_open(&out);
    nd_json_value(&out, "a", 0);
    nd_json_value(&out, "b", INT64_MAX);
    nd_json_value(&out, "c", ND_NOT_BUILT);
    nd_json_value(&out, "d", ND_NOT_HOOKED);
    nd_json_value(&out, "e", ND_NOT_SUPPORTED);
    nd_json_value(&out, "f", ND_NO_SAMPLES);
    nd_json_close(&out);
    assert_string_equal(text_of(&out), "{\"a\":0,\"b\":9223372036854775807,\"c\":\"not_built\","
                                       "\"d\":\"not_hooked\",\"e\":\"not_supported\","
                                       "\"f\":\"no_samples\"}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_as_printf_writes_them),
        cmocka_unit_test(a_fixed_point_number_has_exactly_its_decimals),
        cmocka_unit_test(muldiv_agrees_with_128_bit_arithmetic_at_the_extremes),
        cmocka_unit_test(muldiv_agrees_with_128_bit_arithmetic_on_random_input),
        cmocka_unit_test(muldiv_is_exact_on_both_sides_of_the_largest_result),
        cmocka_unit_test(a_text_that_does_not_fit_is_cut_at_every_size_and_says_so),
        cmocka_unit_test(a_writer_without_any_room_is_cut_by_the_first_byte),
        cmocka_unit_test(an_object_reads_back_with_its_members),
        cmocka_unit_test(every_byte_of_a_text_survives_json),
        cmocka_unit_test(a_value_is_a_number_or_the_reason_why_there_is_none),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
