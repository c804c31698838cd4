/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/json_scan.h"

#include <inttypes.h>
#include <string.h>

#include "nd/error.h"
#include "unit.h"

/* What was handed over, as text: "1 key number -24e-1|". */
struct trace {
    char text[4096];
};

static void note(void *ctx, const struct nd_json_item *item) {
    static const char *const names[] = {"object", "array", "close", "number",
                                        "true",   "false", "null",  "text"};
    struct trace *trace = ctx;
    size_t at = strlen(trace->text);

    at += (size_t)snprintf(trace->text + at, sizeof trace->text - at, "%u %s %s", item->depth,
                           item->key, names[item->kind]);
    if (item->kind == ND_JSON_NUMBER) {
        at += (size_t)snprintf(trace->text + at, sizeof trace->text - at, " %s%" PRIu64 "e%" PRId32,
                               item->negative ? "-" : "", item->digits, item->exponent);
    }
    snprintf(trace->text + at, sizeof trace->text - at, "|");
}

static int scan_whole(const char *text, struct trace *trace) {
    struct nd_json_scan scan;

    trace->text[0] = '\0';
    nd_json_scan_init(&scan);
    return nd_json_scan_feed(&scan, text, strlen(text), note, trace);
}

static void values_come_with_their_key_and_depth(void **state) {
    struct trace trace;

    (void)state;
    assert_int_equal(
        scan_whole(" {\"tcp\":true, \"len\" : 131072 ,\"t\":\"a\\\"\\u00e9b\",\"n\":null,"
                   "\"streams\":[{\"id\":1,\"jitter\":2.4e-05},{}],\"f\":false}\n ",
                   &trace),
        ND_OK);
    assert_string_equal(trace.text,
                        "0  object|1 tcp true|1 len number 131072e0|1 t text|1 n null|"
                        "1 streams array|2  object|3 id number 1e0|3 jitter number 24e-6|"
                        "2  close|2  object|2  close|1  close|1 f false|0  close|");
}

static void any_split_of_the_bytes_gives_the_same_items(void **state) {
    static const char text[] =
        "{\"a\":-12.50e+3,\"b\":[true,null,\"x\\u0041\",{}],\"c\":{\"d\":0}}";
    struct trace whole;
    struct trace parts;

    (void)state;
    assert_int_equal(scan_whole(text, &whole), ND_OK);
    for (size_t split = 0; split <= strlen(text); split++) {
        struct nd_json_scan scan;
        parts.text[0] = '\0';
        nd_json_scan_init(&scan);
        int first = nd_json_scan_feed(&scan, text, split, note, &parts);
        assert_int_equal(first, split < strlen(text) ? ND_AGAIN : ND_OK);
        assert_int_equal(nd_json_scan_feed(&scan, text + split, strlen(text) - split, note, &parts),
                         ND_OK);
        assert_string_equal(parts.text, whole.text);
    }
}

static void what_is_no_json_object_is_refused_and_stays_so(void **state) {
    static const char *const texts[] = {
        "[]",
        "1",
        "\"a\"",
        "x",
        "{]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":1.}",
        "{\"a\":1e}",
        "{\"a\":-}",
        "{\"a\":tru}",
        "{\"a\":nope}",
        "{\"a\":1 2}",
        "{a:1}",
        "{} {}",
        "{\"a\":[1}",
        "{\"a\":[,]}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":-nan}",
        "{\"a\":1e+}",
        "{\"a\":1ee1}",
        "{\"a\":1.2.3}",
    };
    struct trace trace;

    (void)state;
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct nd_json_scan scan;
        nd_json_scan_init(&scan);
        trace.text[0] = '\0';
        int result = nd_json_scan_feed(&scan, texts[i], strlen(texts[i]), note, &trace);
        if (result != ND_E_PROTOCOL) {
            fail_msg("%s was taken", texts[i]);
        }
        assert_int_equal(nd_json_scan_feed(&scan, "}", 1, note, &trace), ND_E_PROTOCOL);
    }
}

static void depth_is_bounded(void **state) {
    char text[2 * ND_JSON_DEPTH + 64] = "{\"a\":";
    struct trace trace;

    (void)state;
    for (unsigned i = 0; i < ND_JSON_DEPTH - 1; i++) {
        strcat(text, "[");
    }
    assert_int_equal(scan_whole(text, &trace), ND_AGAIN);
    strcat(text, "[");
    assert_int_equal(scan_whole(text, &trace), ND_E_PROTOCOL);
}

static void a_key_that_does_not_fit_or_is_escaped_is_nobodys(void **state) {
    struct trace trace;

    (void)state;
    assert_int_equal(scan_whole("{\"12345678901234567890123\":1,\"123456789012345678901234\":2,"
                                "\"123456789012345678901234x\\u0041\":3,\"l\\u0065n\":4,\"len\":5}",
                                &trace),
                     ND_OK);
    assert_string_equal(trace.text, "0  object|1 12345678901234567890123 number 1e0|"
                                    "1  number 2e0|1  number 3e0|1  number 4e0|"
                                    "1 len number 5e0|0  close|");
}

static void keep(void *ctx, const struct nd_json_item *item) {
    if (item->kind == ND_JSON_NUMBER) {
        *(struct nd_json_item *)ctx = *item;
    }
}

static struct nd_json_item number(const char *text) {
    char object[600];
    struct nd_json_scan scan;
    struct nd_json_item item = {.kind = ND_JSON_NULL};

    snprintf(object, sizeof object, "{\"n\":%s}", text);
    nd_json_scan_init(&scan);
    assert_int_equal(nd_json_scan_feed(&scan, object, strlen(object), keep, &item), ND_OK);
    return item;
}

static void numbers_are_scaled_exactly(void **state) {
    static const struct {
        const char *text;
        unsigned decimals;
        uint64_t value;
    } rows[] = {
        {"0", 0, 0},
        {"2.4e-05", 9, 24000},
        {"0.000024", 9, 24000},
        {"24E-6", 9, 24000},
        {"0.5", 0, 1},
        {"0.49", 0, 0},
        {"1.5e3", 0, 1500},
        {"123456789012345678", 0, 123456789012345678u},
        {"18446744073709551615", 0, UINT64_MAX},
        {"18446744073709551616", 0, 18446744073709551610u},
        {"99999999999999999999999", 0, UINT64_MAX},
        {"1e99999", 0, UINT64_MAX},
        {"0e99999", 0, 0},
        {"1e-99999", 9, 0},
        {"9.9e-11", 9, 0},
        {"-3", 0, 3},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct nd_json_item item = number(rows[i].text);
        assert_int_equal(nd_json_scan_scaled(&item, rows[i].decimals), rows[i].value);
    }
}

static void a_negative_number_written_without_its_sign_is_understood(void **state) {
    struct nd_json_item item = number("18446744073709551615");

    (void)state;
    assert_int_equal(nd_json_scan_signed(&item), -1);
    item = number("18446744073709551565");
    assert_int_equal(nd_json_scan_signed(&item), -51);
    item = number("-1");
    assert_int_equal(nd_json_scan_signed(&item), -1);
    item = number("-99999999999999999999");
    assert_int_equal(nd_json_scan_signed(&item), INT64_MIN);
    item = number("5000000000");
    assert_int_equal(nd_json_scan_signed(&item), 5000000000);
}

static void random_bytes_never_do_harm(void **state) {
    static const char alphabet[] = "{}[]\",:0123456789.eE+-truefalsn\\u \n";
    struct trace trace;

    (void)state;
    unit_seed();
    for (unsigned i = 0; i < 20000; i++) {
        struct nd_json_scan scan;
        nd_json_scan_init(&scan);
        int result = ND_AGAIN;
        for (unsigned n = 0; n < 40 && result == ND_AGAIN; n++) {
            char c = n == 0 ? '{' : alphabet[unit_random_below(sizeof alphabet - 1)];
            trace.text[0] = '\0';
            result = nd_json_scan_feed(&scan, &c, 1, note, &trace);
            assert_true(scan.depth <= ND_JSON_DEPTH);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_with_their_key_and_depth),
        cmocka_unit_test(any_split_of_the_bytes_gives_the_same_items),
        cmocka_unit_test(what_is_no_json_object_is_refused_and_stays_so),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(a_key_that_does_not_fit_or_is_escaped_is_nobodys),
        cmocka_unit_test(numbers_are_scaled_exactly),
        cmocka_unit_test(a_negative_number_written_without_its_sign_is_understood),
        cmocka_unit_test(random_bytes_never_do_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
