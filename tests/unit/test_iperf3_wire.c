/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf3_wire.h"

#include <jansson.h>
#include <string.h>

#include "unit.h"

/* ---- parameters -------------------------------------------------------------------- */

static void take_param(void *ctx, const struct nd_json_item *item) {
    nd__iperf3_read_param(ctx, item);
}

static struct nd_iperf3_params read_params(const char *text) {
    struct nd_iperf3_params params;
    struct nd_json_scan scan;

    nd__iperf3_default_params(&params);
    nd_json_scan_init(&scan);
    assert_int_equal(nd_json_scan_feed(&scan, text, strlen(text), take_param, &params), ND_OK);
    return params;
}

static void parameters_of_a_real_client_are_understood(void **state) {
    struct nd_iperf3_params params = read_params(
        "{\"udp\":true,\"omit\":2,\"time\":10,\"num\":0,\"blockcount\":0,\"parallel\":4,"
        "\"reverse\":"
        "true,\"len\":1460,\"bandwidth\":1048576,\"burst\":7,\"pacing_timer\":1000,"
        "\"udp_counters_64bit\":1,\"get_server_output\":1,\"client_version\":\"3.12\",\"extra\":"
        "{\"time\":99,\"x\":[1,{\"omit\":9}]}}");

    (void)state;
    assert_true(params.udp);
    assert_true(params.reverse);
    assert_true(params.counters_64bit);
    assert_true(params.server_output);
    assert_false(params.bidir);
    assert_int_equal(params.omit_s, 2);
    assert_int_equal(params.time_s, 10);
    assert_int_equal(params.parallel, 4);
    assert_int_equal(params.length, 1460);
    assert_int_equal(params.rate_bit_s, 1048576);
    assert_int_equal(params.burst, 7);
}

static void what_a_client_leaves_out_has_its_default(void **state) {
    struct nd_iperf3_params params = read_params("{}");

    (void)state;
    assert_int_equal(params.parallel, 1);
    assert_int_equal(params.length, 131072);
    assert_false(params.udp);
}

static void values_of_a_wrong_type_are_passed_by(void **state) {
    struct nd_iperf3_params params =
        read_params("{\"len\":\"12\",\"parallel\":[3],\"time\":true,\"num\":null,\"udp\":false,"
                    "\"omit\":-4,\"blockcount\":1e30,\"reverse\":0}");

    (void)state;
    assert_int_equal(params.length, 131072);
    assert_int_equal(params.parallel, 1);
    assert_int_equal(params.time_s, 0);
    assert_int_equal(params.bytes, 0);
    assert_false(params.udp);
    assert_false(params.reverse);
    assert_int_equal(params.omit_s, 0);
    assert_int_equal(params.blocks, UINT64_MAX);
}

static void parameters_come_back_as_they_were_written(void **state) {
    struct nd_iperf3_params all = {
        .bytes = UINT64_MAX - 1,
        .blocks = 1u << 31,
        .rate_bit_s = 9999999999u,
        .burst = 1000,
        .time_s = 86400,
        .omit_s = 600,
        .parallel = 128,
        .length = 1048576,
        .udp = true,
        .reverse = true,
        .bidir = true,
        .counters_64bit = true,
        .server_output = true,
    };
    char text[ND_IPERF3_TEXT_BYTES];
    struct nd_fmt out;

    (void)state;
    nd_fmt_init(&out, text, sizeof text - 5);
    nd__iperf3_write_params(&out, &all);
    assert_false(out.cut);
    *out.at = '\0';
    struct nd_iperf3_params back = read_params(text);
    assert_int_equal(back.bytes, all.bytes);
    assert_int_equal(back.blocks, all.blocks);
    assert_int_equal(back.rate_bit_s, all.rate_bit_s);
    assert_int_equal(back.length, all.length);
    assert_int_equal(back.parallel, all.parallel);
    assert_true(back.udp && back.reverse && back.bidir && back.counters_64bit &&
                back.server_output);
}

static void a_flag_that_is_off_is_left_out_and_needed_numbers_are_not(void **state) {
    struct nd_iperf3_params params = {.parallel = 1, .length = 131072};
    char text[ND_IPERF3_TEXT_BYTES];
    struct nd_fmt out;

    (void)state;
    nd_fmt_init(&out, text, sizeof text);
    nd__iperf3_write_params(&out, &params);
    *out.at = '\0';
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    assert_true(json_is_true(json_object_get(json, "tcp")));
    assert_null(json_object_get(json, "reverse"));
    assert_null(json_object_get(json, "udp"));
    assert_non_null(json_object_get(json, "num"));
    assert_non_null(json_object_get(json, "omit"));
    json_decref(json);
}

/* ---- results ----------------------------------------------------------------------- */

struct found {
    struct nd_iperf3_reading reading;
    struct nd_iperf3_result streams[4];
    unsigned count;
};

static void take_result(void *ctx, const struct nd_json_item *item) {
    struct found *found = ctx;

    if (nd__iperf3_read_result(&found->reading, item)) {
        assert_true(found->count < 4);
        found->streams[found->count++] = found->reading.stream;
    }
}

static struct found read_results(const char *text) {
    struct found found = {0};
    struct nd_json_scan scan;

    nd_json_scan_init(&scan);
    assert_int_equal(nd_json_scan_feed(&scan, text, strlen(text), take_result, &found), ND_OK);
    return found;
}

static void results_of_a_real_peer_are_understood(void **state) {
    struct found found = read_results(
        "{\"cpu_util_total\":1.2,\"cpu_util_user\":0.1,\"cpu_util_system\":1.1,"
        "\"sender_has_retransmits\":18446744073709551615,\"congestion_used\":\"cubic\","
        "\"server_output_json\":{\"streams\":[{\"id\":9,\"bytes\":1}]},"
        "\"streams\":[{\"bytes\":5000000000,\"id\":1,\"retransmits\":18446744073709551615,"
        "\"jitter\":2.4e-05,\"errors\":3,\"packets\":100,\"start_time\":0,\"end_time\":1.000123},"
        "{\"id\":3,\"bytes\":1e+16,\"jitter\":0,\"errors\":18446744073709551565,\"packets\":7,"
        "\"omitted_errors\":1,\"omitted_packets\":2},{\"bytes\":1}]}");

    (void)state;
    assert_int_equal(found.count, 2);
    assert_int_equal(found.streams[0].id, 1);
    assert_int_equal(found.streams[0].bytes, 5000000000);
    assert_int_equal(found.streams[0].jitter_ns, 24000);
    assert_int_equal(found.streams[0].errors, 3);
    assert_int_equal(found.streams[0].packets, 100);
    assert_int_equal(found.streams[1].id, 3);
    assert_int_equal(found.streams[1].bytes, 10000000000000000);
    assert_int_equal(found.streams[1].errors, -51);
    assert_int_equal(found.streams[1].omitted_errors, 1);
    assert_int_equal(found.streams[1].omitted_packets, 2);
}

static void write_whole(char *text, size_t size, const struct nd__iperf3_head *head,
                        const struct nd_iperf3_result *results, unsigned count) {
    struct nd_fmt out;

    nd_fmt_init(&out, text, size - 1);
    nd__iperf3_write_head(&out, head);
    for (unsigned i = 0; i < count; i++) {
        nd__iperf3_write_result(&out, &results[i], 10000123, i == 0);
    }
    nd__iperf3_write_tail(&out);
    assert_false(out.cut);
    *out.at = '\0';
}

static void results_come_back_as_they_were_written_and_are_strict_json(void **state) {
    struct nd_iperf3_result results[] = {
        {.id = 1, .bytes = INT64_MAX, .packets = INT64_MAX, .errors = 4, .jitter_ns = 24001},
        {.id = 3, .bytes = 5000000001, .packets = 1, .omitted_packets = 6, .omitted_errors = 5},
    };
    struct nd__iperf3_head head = {.cpu_permille = 123, .output = true, .port = "loop"};
    char text[2048];

    (void)state;
    write_whole(text, sizeof text, &head, results, 2);
    struct found found = read_results(text);
    assert_int_equal(found.count, 2);
    assert_memory_equal(&found.streams[0], &results[0], sizeof results[0]);
    assert_memory_equal(&found.streams[1], &results[1], sizeof results[1]);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    assert_true(json_real_value(json_object_get(json, "cpu_util_total")) == 12.3);
    assert_int_equal(json_integer_value(json_object_get(json, "sender_has_retransmits")), -1);
    json_decref(json);
}

static void the_largest_piece_fits_the_buffer(void **state) {
    struct nd_iperf3_result worst = {
        .id = UINT32_MAX,
        .bytes = INT64_MIN,
        .packets = INT64_MIN,
        .errors = INT64_MIN,
        .omitted_packets = INT64_MIN,
        .omitted_errors = INT64_MIN,
        .jitter_ns = UINT64_MAX,
    };
    struct nd__iperf3_head head = {.cpu_permille = 1000,
                                   .output = true,
                                   .port = "a port with a long name, longer than any",
                                   .rx_bytes = UINT64_MAX,
                                   .tx_bytes = UINT64_MAX,
                                   .duration_us = UINT64_MAX};
    char text[ND_IPERF3_TEXT_BYTES];
    struct nd_fmt out;

    (void)state;
    nd_fmt_init(&out, text, sizeof text - 4);
    nd__iperf3_write_head(&out, &head);
    assert_false(out.cut);
    nd_fmt_init(&out, text, sizeof text);
    nd__iperf3_write_result(&out, &worst, UINT64_MAX, false);
    assert_false(out.cut);
}

static void results_of_one_stream_leave_in_one_write(void **state) {
    struct nd_iperf3_result usual = {
        .id = 1, .bytes = 99999999999, .packets = 99999999, .errors = 9999, .jitter_ns = 999999};
    struct nd__iperf3_head head = {
        .output = true, .port = "lwip-raw", .rx_bytes = 99999999999, .duration_us = 99999999};
    char text[ND_IPERF3_TEXT_BYTES - 4];

    (void)state;
    write_whole(text, sizeof text, &head, &usual, 1);
}

/* ---- the rest ------------------------------------------------------------------------- */

static void stream_ids_skip_two(void **state) {
    (void)state;
    assert_int_equal(nd__iperf3_stream_id(0), 1);
    assert_int_equal(nd__iperf3_stream_id(1), 3);
    assert_int_equal(nd__iperf3_stream_id(2), 4);
    assert_int_equal(nd__iperf3_stream_id(3), 5);
}

static void cookies_are_cookies_and_no_two_are_alike(void **state) {
    char a[ND_IPERF3_COOKIE_BYTES];
    char b[ND_IPERF3_COOKIE_BYTES];

    (void)state;
    nd__iperf3_make_cookie(a, 1);
    nd__iperf3_make_cookie(b, 2);
    assert_memory_not_equal(a, b, sizeof a);
    assert_int_equal(strlen(a), 36);
    for (uint32_t count = 0; count <= sizeof a; count++) {
        assert_true(nd__iperf3_is_cookie(a, count));
    }
}

static void other_protocols_are_no_cookie(void **state) {
    static const char iperf2[60] = {0x40, 0x01, 0x00, 0x78};
    static const char old[37] = "host.1390000000.123456.1234";
    char filled[38] = "0123456789012345678901234567890123456";

    (void)state;
    assert_false(nd__iperf3_is_cookie(iperf2, 2));
    assert_false(nd__iperf3_is_cookie(" !\"#$", 1));
    assert_false(nd__iperf3_is_cookie("GET / HTTP/1.1", 4));
    assert_false(nd__iperf3_is_cookie("", 1));
    assert_true(nd__iperf3_is_cookie(filled, 36));
    assert_false(nd__iperf3_is_cookie(filled, 37));
    assert_true(nd__iperf3_is_cookie(old, 37));
}

static void stamps_come_back_in_either_width(void **state) {
    struct nd__iperf3_stamp stamp = {.s = 0x01020304, .us = 999999, .id = 0x1122334455667788};
    struct nd__iperf3_stamp back;
    uint8_t bytes[16];

    (void)state;
    nd__iperf3_put_stamp(bytes, &stamp, true);
    nd__iperf3_get_stamp(bytes, &back, true);
    assert_memory_equal(&back, &stamp, sizeof back);
    assert_int_equal(bytes[0], 1);
    assert_int_equal(bytes[8], 0x11);
    nd__iperf3_put_stamp(bytes, &stamp, false);
    nd__iperf3_get_stamp(bytes, &back, false);
    assert_int_equal(back.id, 0x55667788);
    assert_int_equal(bytes[8], 0x55);
}

static void answers_of_older_releases_and_devices_are_known(void **state) {
    (void)state;
    assert_true(nd__iperf3_is_welcome((const uint8_t *)"6789", 4));
    assert_true(nd__iperf3_is_welcome((const uint8_t *)"\xb1\x68\xde\x3a", 4));
    assert_true(nd__iperf3_is_welcome((const uint8_t *)"\x3a\xde\x68\xb1", 4));
    assert_true(nd__iperf3_is_welcome((const uint8_t *)"\x12\x34\x56\x78", 4));
    assert_false(nd__iperf3_is_welcome((const uint8_t *)"9876", 4));
    assert_false(nd__iperf3_is_welcome((const uint8_t *)"67890", 5));
    assert_false(nd__iperf3_is_welcome((const uint8_t *)"678", 3));
}

static void every_error_has_a_text(void **state) {
    (void)state;
    for (int32_t error = -2; error < 310; error++) {
        assert_non_null(nd__iperf3_error_text(error));
    }
    assert_non_null(strstr(nd__iperf3_error_text(ND__IPERF3_E_DURATION), "long"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_of_a_real_client_are_understood),
        cmocka_unit_test(what_a_client_leaves_out_has_its_default),
        cmocka_unit_test(values_of_a_wrong_type_are_passed_by),
        cmocka_unit_test(parameters_come_back_as_they_were_written),
        cmocka_unit_test(a_flag_that_is_off_is_left_out_and_needed_numbers_are_not),
        cmocka_unit_test(results_of_a_real_peer_are_understood),
        cmocka_unit_test(results_come_back_as_they_were_written_and_are_strict_json),
        cmocka_unit_test(the_largest_piece_fits_the_buffer),
        cmocka_unit_test(results_of_one_stream_leave_in_one_write),
        cmocka_unit_test(stream_ids_skip_two),
        cmocka_unit_test(cookies_are_cookies_and_no_two_are_alike),
        cmocka_unit_test(other_protocols_are_no_cookie),
        cmocka_unit_test(stamps_come_back_in_either_width),
        cmocka_unit_test(answers_of_older_releases_and_devices_are_known),
        cmocka_unit_test(every_error_has_a_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
