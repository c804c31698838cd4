/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf_wire.h"

#include <string.h>

#include "unit.h"

/* "40010078..." into bytes; returns how many. */
static uint32_t hex(uint8_t *bytes, const char *text) {
    uint32_t n = 0;

    for (; text[0] != '\0'; text += 2) {
        unsigned value;
        assert_int_equal(sscanf(text, "%2x", &value), 1);
        bytes[n++] = (uint8_t)value;
    }
    return n;
}

/* ---- headers, as iperf 2.1.8 sent them ------------------------------------------------ */

#define TAIL "0002000100080003"
#define ZERO "00000000"

/* -n 10K -l 4K, port 5001 */
#define HEAD_N                                                                                     \
    "400100780000000100001389000010000000000000002800" ZERO ZERO ZERO TAIL ZERO ZERO ZERO ZERO
/* -R -n 20K */
#define HEAD_R                                                                                     \
    "44010078000000010000138900001000000000000000500000000000000000000400000000020001"             \
    "00080003" ZERO ZERO ZERO ZERO
/* --full-duplex -t 1 -b 100k */
#define HEAD_DUPLEX                                                                                \
    "4401007800000001000013890000100000000000ffffff9c00000000000000000800000000020001"             \
    "0008000300000000000186a0" ZERO ZERO

static struct nd__iperf_header read_head(const char *text) {
    struct nd__iperf_header header;
    uint8_t bytes[64];
    uint32_t n = hex(bytes, text);

    assert_int_equal(n, ND__IPERF_HEADER_BYTES);
    for (uint32_t have = 0; have < n; have++) {
        assert_int_equal(nd__iperf_read_opening(bytes, have, &header), ND__IPERF_MORE);
    }
    assert_int_equal(nd__iperf_read_opening(bytes, n, &header), ND__IPERF_HEADER);
    return header;
}

static void a_header_is_read_as_iperf_wrote_it(void **state) {
    struct nd__iperf_header header = read_head(HEAD_N);

    (void)state;
    assert_int_equal(header.threads, 1);
    assert_int_equal(header.port, 5001);
    assert_int_equal(header.len, 4096);
    assert_int_equal(header.amount, 10240);
    assert_int_equal(header.upper, 0);
    assert_true(nd__iperf_wants_answer(&header));

    header = read_head(HEAD_R);
    assert_int_equal(header.upper, ND__IPERF_REVERSE);
    assert_false(nd__iperf_wants_answer(&header));

    header = read_head(HEAD_DUPLEX);
    assert_int_equal(header.upper, ND__IPERF_DUPLEX);
    assert_int_equal(header.amount, -100);
    assert_int_equal(header.rate, 100000);
}

static void a_header_is_written_as_iperf_writes_it(void **state) {
    static const struct nd__iperf_header header = {
        .flags = ND__IPERF_EXTENDED, .threads = 1, .port = 5001, .len = 4096, .amount = 10240};
    uint8_t expected[64];
    uint8_t bytes[ND__IPERF_HEADER_BYTES];

    (void)state;
    hex(expected, HEAD_N);
    nd__iperf_put_header(bytes, &header, 0);
    assert_memory_equal(bytes, expected, sizeof bytes);
}

static void a_rate_beyond_32_bits_survives(void **state) {
    struct nd__iperf_header header = {.flags = ND__IPERF_EXTENDED, .rate = 400000000000u};
    uint8_t bytes[ND__IPERF_HEADER_BYTES];

    (void)state;
    nd__iperf_put_header(bytes, &header, 0);
    assert_int_equal(nd__iperf_read_opening(bytes, sizeof bytes, &header), ND__IPERF_HEADER);
    assert_int_equal(header.rate, 400000000000u);
}

static void an_old_header_has_24_bytes(void **state) {
    struct nd__iperf_header header;
    uint8_t bytes[64];
    uint32_t n = hex(bytes, "8000000100000001000013890000000000000000fffffc18");

    (void)state;
    assert_int_equal(n, 24);
    assert_int_equal(nd__iperf_read_opening(bytes, 23, &header), ND__IPERF_MORE);
    assert_int_equal(nd__iperf_read_opening(bytes, 24, &header), ND__IPERF_HEADER);
    assert_int_equal(header.flags, ND__IPERF_BACK | ND__IPERF_NOW);
    assert_int_equal(header.amount, -1000);
    assert_false(nd__iperf_wants_answer(&header));
}

static enum nd__iperf_opening opening(const char *bytes, uint32_t len) {
    struct nd__iperf_header header;

    return nd__iperf_read_opening((const uint8_t *)bytes, len, &header);
}

static void data_without_a_header_are_told_from_one(void **state) {
    (void)state;
    assert_int_equal(opening("0123456789", 4), ND__IPERF_RAW); /* iperf -C */
    assert_int_equal(opening(" !\"#$%", 4), ND__IPERF_RAW);    /* ttcp */
    assert_int_equal(opening("\0\0\0\0", 4), ND__IPERF_RAW);   /* iperf 2.0.5 */
    assert_int_equal(opening("GET / HTTP/1.1", 14), ND__IPERF_RAW);
    assert_int_equal(opening("POST / HTTP/1.1", 15), ND__IPERF_RAW);
    assert_int_equal(opening("SSH-2.0-x", 9), ND__IPERF_RAW);
    assert_int_equal(opening("abcdefgh!", 9), ND__IPERF_RAW);
    assert_int_equal(opening("\0\x80\0\0", 4), ND__IPERF_BOUNCING);
}

static void an_iperf_3_cookie_is_known_at_its_last_byte(void **state) {
    static const char cookie[] = "abcdefghijklmnopqrstuvwxyz234567abcd"; /* 36 and a NUL */

    (void)state;
    assert_int_equal(sizeof cookie, 37);
    for (uint32_t have = 0; have < 37; have++) {
        assert_int_equal(opening(cookie, have), ND__IPERF_MORE);
    }
    assert_int_equal(opening(cookie, 37), ND__IPERF_IPERF3);
    assert_int_equal(opening("abcdefghijklmnopqrstuvwxyz234567abcde", 37), ND__IPERF_RAW);
}

static void an_answer_has_28_bytes(void **state) {
    uint8_t expected[64];
    uint8_t bytes[ND__IPERF_ANSWER_BYTES];

    (void)state;
    assert_int_equal(hex(expected, "000000020000001c00000000" TAIL ZERO ZERO), sizeof bytes);
    nd__iperf_put_answer(bytes);
    assert_memory_equal(bytes, expected, sizeof bytes);
}

/* ---- datagrams ------------------------------------------------------------------------ */

static struct nd__iperf_datagram read(const uint8_t *bytes, uint32_t len, bool wide) {
    struct nd__iperf_datagram datagram;

    assert_true(nd__iperf_read_datagram(bytes, len, wide, &datagram));
    return datagram;
}

static void ids_of_64_bits_survive_every_edge(void **state) {
    static const uint64_t ids[] = {0,          1,           0x7FFFFFFF,        0x80000000,
                                   0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF};
    uint8_t bytes[ND__IPERF_DATAGRAM_BYTES];

    (void)state;
    for (unsigned i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        nd__iperf_put_datagram(bytes, ids[i], false, 7, 8);
        struct nd__iperf_datagram datagram = read(bytes, sizeof bytes, true);
        assert_int_equal(datagram.id, ids[i]);
        assert_false(datagram.end);
        assert_int_equal(datagram.s, 7);
        assert_int_equal(datagram.us, 8);
        if (ids[i] > 0) {
            nd__iperf_put_datagram(bytes, ids[i], true, 7, 8);
            datagram = read(bytes, sizeof bytes, true);
            assert_int_equal(datagram.id, ids[i]);
            assert_true(datagram.end);
        }
    }
}

static void the_end_tells_who_reads_the_new_report(void **state) {
    struct nd__iperf_datagram datagram;
    uint8_t bytes[ND__IPERF_DATAGRAM_BYTES];

    (void)state;
    /* -C of 2.1.8: no header, 64-bit ids all the same. */
    hex(bytes, "ffffffeb6b0e1668000419faffffffff");
    datagram = read(bytes, 16, false);
    assert_true(datagram.end && datagram.modern);
    assert_int_equal(datagram.id, 21);
    /* 2.0.5: a 12-byte part, the header's flags behind it. */
    hex(bytes, "ffffffeb6b0e1668000419fa00000000");
    datagram = read(bytes, 16, false);
    assert_true(datagram.end);
    assert_false(datagram.modern);
    assert_int_equal(datagram.id, 21);
}

static void the_shortest_datagrams_have_an_id_and_no_time(void **state) {
    struct nd__iperf_datagram datagram;
    static const uint8_t bytes[] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

    (void)state;
    for (uint32_t len = 0; len < 4; len++) {
        assert_false(nd__iperf_read_datagram(bytes, len, false, &datagram));
    }
    datagram = read(bytes, 4, false);
    assert_int_equal(datagram.id, 0x0102);
    datagram = read(bytes, 11, false);
    assert_int_equal(datagram.s, 0);
    datagram = read(bytes, 12, false);
    assert_int_equal(datagram.s, 0x03040506);
}

static void the_first_datagram_tells_layout_and_header(void **state) {
    struct nd__iperf_first first;
    uint8_t bytes[128] = {0};

    (void)state;
    /* -u -R of 2.1.8 */
    hex(bytes, "000000016b0e165e00081bc3000000006c0100980000000100001389000003e80000000000004e20"
               "000000000000000004000000000200010008000300000000000f4240" ZERO ZERO);
    nd__iperf_read_first(bytes, 76, &first);
    assert_true(first.headed && first.modern && first.wide);
    assert_int_equal(first.header.upper, ND__IPERF_REVERSE);
    assert_int_equal(first.header.rate, 1000000);
    assert_int_equal(first.header.amount, 20000);
    /* Cut: what is not there is 0. */
    nd__iperf_read_first(bytes, 40, &first);
    assert_true(first.headed);
    assert_int_equal(first.header.upper, 0);
    nd__iperf_read_first(bytes, 39, &first);
    assert_false(first.headed);
    /* 2.0.5 -d: the header at 12 */
    memset(bytes, 0, sizeof bytes);
    hex(bytes, "000000010000000100000002800000010000000100001389" ZERO ZERO "ffffff9c");
    nd__iperf_read_first(bytes, 52, &first);
    assert_true(first.headed);
    assert_false(first.modern || first.wide);
    assert_int_equal(first.header.port, 5001);
    /* -C: the pattern, which has no such flags */
    memcpy(bytes + 16, "6789012345678901234567890123456789", 34);
    memset(bytes + 12, 0, 4);
    nd__iperf_read_first(bytes, 76, &first);
    assert_false(first.headed);
}

/* ---- reports -------------------------------------------------------------------------- */

static const struct nd__iperf_report sample = {.bytes = 0x123456789A,
                                               .us = 10000321,
                                               .lost = 17,
                                               .reordered = 3,
                                               .datagrams = 100000,
                                               .jitter_us = 1234567};

static void both_layouts_of_a_report_are_read_back(void **state) {
    struct nd__iperf_report report;
    uint8_t bytes[ND__IPERF_REPORT_BYTES];

    (void)state;
    for (unsigned modern = 0; modern < 2; modern++) {
        uint32_t len = nd__iperf_put_report(bytes, &sample, modern != 0);
        assert_int_equal(len, modern != 0 ? 128 : 52);
        assert_true(nd__iperf_read_report(bytes, len, &report));
        assert_int_equal(report.bytes, sample.bytes);
        assert_int_equal(report.us, sample.us);
        assert_int_equal(report.lost, sample.lost);
        assert_int_equal(report.reordered, sample.reordered);
        assert_int_equal(report.datagrams, sample.datagrams);
        assert_int_equal(report.jitter_us, sample.jitter_us);
    }
}

static void counts_beyond_32_bits_survive_in_the_new_layout(void **state) {
    static const struct nd__iperf_report large = {
        .lost = 5000000000u, .reordered = 6000000000u, .datagrams = 7000000000u};
    struct nd__iperf_report report;
    uint8_t bytes[ND__IPERF_REPORT_BYTES];

    (void)state;
    nd__iperf_put_report(bytes, &large, true);
    assert_true(nd__iperf_read_report(bytes, sizeof bytes, &report));
    assert_int_equal(report.lost, large.lost);
    assert_int_equal(report.reordered, large.reordered);
    assert_int_equal(report.datagrams, large.datagrams);
}

static void a_report_of_iperf_2_1_8_is_read(void **state) {
    struct nd__iperf_report report;
    uint8_t bytes[ND__IPERF_REPORT_BYTES] = {0};

    (void)state;
    hex(bytes, ZERO ZERO ZERO ZERO "8800000000000000000052080000000000025257" ZERO ZERO
                                   "00000015" ZERO "00000003");
    assert_true(nd__iperf_read_report(bytes, sizeof bytes, &report));
    assert_int_equal(report.bytes, 21000);
    assert_int_equal(report.us, 152151);
    assert_int_equal(report.datagrams, 21);
    assert_int_equal(report.jitter_us, 3);
}

static void what_is_no_report_is_refused(void **state) {
    struct nd__iperf_report report;
    uint8_t bytes[ND__IPERF_REPORT_BYTES];

    (void)state;
    for (uint32_t len = 0; len < 52; len++) {
        nd__iperf_put_report(bytes, &sample, false);
        assert_false(nd__iperf_read_report(bytes, len, &report));
    }
    memset(bytes, 0, sizeof bytes);
    assert_false(nd__iperf_read_report(bytes, sizeof bytes, &report));
    /* An end of ours that is echoed: the high half of its id is all ones. */
    nd__iperf_put_datagram(bytes, 5, true, 0, 0);
    assert_false(nd__iperf_read_report(bytes, sizeof bytes, &report));
}

static void random_bytes_harm_no_reader(void **state) {
    uint8_t bytes[160];

    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t len = (uint32_t)unit_random_below(sizeof bytes + 1);
        struct nd__iperf_header header;
        struct nd__iperf_datagram datagram;
        struct nd__iperf_first first;
        struct nd__iperf_report report;

        for (uint32_t n = 0; n < len; n += 8) {
            uint64_t word = unit_random();
            memcpy(bytes + n, &word, 8);
        }
        nd__iperf_read_opening(bytes, len, &header);
        nd__iperf_read_first(bytes, len, &first);
        if (nd__iperf_read_datagram(bytes, len, i % 2 != 0, &datagram)) {
            assert_true(datagram.id <= INT64_MAX);
        }
        nd__iperf_read_report(bytes, len, &report);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_read_as_iperf_wrote_it),
        cmocka_unit_test(a_header_is_written_as_iperf_writes_it),
        cmocka_unit_test(a_rate_beyond_32_bits_survives),
        cmocka_unit_test(an_old_header_has_24_bytes),
        cmocka_unit_test(data_without_a_header_are_told_from_one),
        cmocka_unit_test(an_iperf_3_cookie_is_known_at_its_last_byte),
        cmocka_unit_test(an_answer_has_28_bytes),
        cmocka_unit_test(ids_of_64_bits_survive_every_edge),
        cmocka_unit_test(the_end_tells_who_reads_the_new_report),
        cmocka_unit_test(the_shortest_datagrams_have_an_id_and_no_time),
        cmocka_unit_test(the_first_datagram_tells_layout_and_header),
        cmocka_unit_test(both_layouts_of_a_report_are_read_back),
        cmocka_unit_test(counts_beyond_32_bits_survive_in_the_new_layout),
        cmocka_unit_test(a_report_of_iperf_2_1_8_is_read),
        cmocka_unit_test(what_is_no_report_is_refused),
        cmocka_unit_test(random_bytes_harm_no_reader),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
