/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/sequence.h"

#include "nd/memory.h"
#include "unit.h"

#define HZ     1000000u /* a tick is a microsecond */
#define WINDOW ((uint64_t)ND_CFG_SEQUENCE_WINDOW)

static struct nd_sequence_meter meter;
static struct nd_sequence total;

static void start(uint64_t first) {
    nd_sequence_start(&meter, first, HZ);
}

static void add(uint64_t id) {
    nd_sequence_add(&meter, id, 100, 0, 0);
}

static void add_range(uint64_t from, uint64_t to) {
    for (uint64_t id = from; id <= to; id++) {
        add(id);
    }
}

static void tell(void) {
    nd_sequence_total(&meter, &total);
}

static void nothing_received_is_nothing_lost_and_no_figure(void **state) {
    (void)state;
    start(1);
    tell();
    assert_int_equal(total.datagrams, 0);
    assert_int_equal(total.expected, 0);
    assert_int_equal(total.lost, 0);
    assert_int_equal(total.jitter_ns, ND_NO_SAMPLES);
    assert_int_equal(nd_sequence_offered_bit_s(&total), ND_NO_SAMPLES);
}

static void duplicates_do_not_hide_loss(void **state) {
    (void)state;
    start(1);
    add_range(1, 19);
    add_range(30, 69);
    add_range(60, 69);
    add_range(70, 100);
    tell();
    assert_int_equal(total.lost, 10);
    assert_int_equal(total.expected, 100);
    assert_int_equal(total.duplicates, 10);
    assert_int_equal(total.reordered, 0);
    assert_int_equal(total.bytes, 9000);
    assert_int_equal(total.extra_bytes, 1000);
}

static void a_duplicate_is_not_out_of_order(void **state) {
    (void)state;
    start(1);
    add_range(1, 60);
    add_range(60, 100);
    tell();
    assert_int_equal(total.lost, 0);
    assert_int_equal(total.duplicates, 1);
    assert_int_equal(total.reordered, 0);
    assert_int_equal(total.datagrams, 100);
}

static void an_end_mark_shows_what_was_lost_at_the_tail(void **state) {
    (void)state;
    start(1);
    add_range(1, 95);
    nd_sequence_end(&meter, 100);
    nd_sequence_end(&meter, 100);
    nd_sequence_end(&meter, 42);
    tell();
    assert_int_equal(total.lost, 5);
    assert_int_equal(total.expected, 100);
}

static void what_comes_late_is_reordered_and_not_lost(void **state) {
    (void)state;
    start(1);
    add_range(1, 49);
    add_range(51, 60);
    add(50);
    add_range(61, 69);
    add(71);
    add(70);
    add_range(72, 100);
    tell();
    assert_int_equal(total.lost, 0);
    assert_int_equal(total.reordered, 2);
    assert_int_equal(total.extent, 10);
    assert_int_equal(total.duplicates, 0);
}

static void senders_may_number_from_0_or_from_1(void **state) {
    (void)state;
    start(1);
    add_range(0, 99);
    tell();
    assert_int_equal(total.lost, 0);
    assert_int_equal(total.expected, 100);

    start(1);
    add_range(1, 99);
    add(0); /* began with 0, and it came last */
    add(0);
    tell();
    assert_int_equal(total.lost, 0);
    assert_int_equal(total.expected, 100);
    assert_int_equal(total.duplicates, 1);

    start(1);
    add_range(4, 10);
    tell();
    assert_int_equal(total.lost, 3);
}

static void a_datagram_older_than_the_window_is_neither_new_nor_a_duplicate(void **state) {
    (void)state;
    start(1);
    add_range(2, 1 + WINDOW);
    add(2);
    tell();
    assert_int_equal(total.duplicates, 1);
    assert_int_equal(total.lost, 1);
    add(1);
    tell();
    assert_int_equal(total.late, 1);
    assert_int_equal(total.lost, 1);
    assert_int_equal(total.reordered, 0);
    assert_int_equal(total.extra_bytes, 200);
}

static void a_gap_wider_than_the_window_forgets_it_whole(void **state) {
    (void)state;
    start(1);
    add_range(1, 10);
    add(10 * WINDOW);
    for (uint64_t id = 10 * WINDOW - WINDOW + 1; id < 10 * WINDOW; id++) {
        add(id); /* all of them new */
    }
    tell();
    assert_int_equal(total.duplicates, 0);
    assert_int_equal(total.reordered, WINDOW - 1);
    assert_int_equal(total.late, 0);
    assert_int_equal(total.lost, 10 * WINDOW - 10 - WINDOW);
}

static void nothing_is_lost_across_the_wraps_of_31_and_32_bits(void **state) {
    static const unsigned widths[] = {31, 32};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t edge = (uint64_t)1 << widths[i];
        struct nd_sequence interval;
        start(edge - 50);
        for (uint64_t n = edge - 50; n < edge + 50; n++) {
            uint32_t wire = (uint32_t)(n & (edge - 1));
            uint64_t id = nd_sequence_extend(&meter, wire, widths[i]);
            assert_int_equal(id, n);
            add(id);
        }
        nd_sequence_cut(&meter, &interval);
        assert_int_equal(interval.lost, 0);
        assert_int_equal(interval.datagrams, 100);
        /* One of before the wrap, again. */
        add(nd_sequence_extend(&meter, (uint32_t)(edge - 1), widths[i]));
        tell();
        assert_int_equal(total.duplicates, 1);
        assert_int_equal(total.lost, 0);
    }
}

static void ids_and_counts_go_on_beyond_32_bits(void **state) {
    (void)state;
    start(((uint64_t)1 << 33) - 5);
    meter.sum.bytes = UINT32_MAX;
    meter.sum.datagrams = 0;
    add_range(((uint64_t)1 << 33) - 5, ((uint64_t)1 << 33) + 4);
    tell();
    assert_int_equal(total.lost, 0);
    assert_int_equal(total.datagrams, 10);
    assert_int_equal(total.bytes, (uint64_t)UINT32_MAX + 1000);
}

/* Random loss, repetition and order, in intervals of random length, against a plain array. */
static void intervals_add_up_and_agree_with_an_array(void **state) {
    enum { IDS = 20000 };
    static uint8_t seen[IDS + 1];
    struct nd_sequence sum = {0};
    struct nd_sequence interval;
    uint64_t unique = 0;
    uint64_t high = 0;
    uint64_t again = 0;

    (void)state;
    start(1);
    for (uint64_t id = 1; id <= IDS;) {
        uint64_t back = unit_random_below(8) == 0 ? unit_random_below(60) : 0;
        uint64_t pick = id > back ? id - back : id;
        if (back == 0 && unit_random_below(10) == 0) {
            id += 1 + unit_random_below(20);
            continue;
        }
        add(pick);
        again += seen[pick];
        unique += seen[pick] == 0;
        seen[pick] = 1;
        if (pick > high) {
            high = pick;
        }
        if (pick == id) {
            id++;
        }
        if (unit_random_below(50) == 0 || id > IDS) {
            nd_sequence_cut(&meter, &interval);
            assert_true(interval.lost <= IDS && interval.recovered <= IDS);
            assert_int_equal(interval.expected + interval.recovered,
                             interval.datagrams + interval.lost);
            sum.datagrams += interval.datagrams;
            sum.bytes += interval.bytes;
            sum.expected += interval.expected;
            sum.lost += interval.lost;
            sum.recovered += interval.recovered;
            sum.duplicates += interval.duplicates;
            sum.reordered += interval.reordered;
            sum.extra_bytes += interval.extra_bytes;
        }
    }
    nd_sequence_cut(&meter, &interval);
    tell();
    assert_int_equal(total.datagrams, unique);
    assert_int_equal(total.expected, high);
    assert_int_equal(total.lost, high - unique);
    assert_int_equal(total.duplicates, again);
    assert_int_equal(sum.datagrams + interval.datagrams, total.datagrams);
    assert_int_equal(sum.bytes + interval.bytes, total.bytes);
    assert_int_equal(sum.expected + interval.expected, total.expected);
    assert_int_equal(sum.lost - sum.recovered + interval.lost - interval.recovered, total.lost);
    assert_int_equal(sum.duplicates + interval.duplicates, total.duplicates);
    assert_int_equal(sum.reordered + interval.reordered, total.reordered);
    assert_int_equal(sum.extra_bytes + interval.extra_bytes, total.extra_bytes);
}

static void a_loss_made_good_in_the_next_interval_is_recovered_there(void **state) {
    struct nd_sequence interval;

    (void)state;
    start(1);
    add_range(1, 9);
    add(11);
    nd_sequence_cut(&meter, &interval);
    assert_int_equal(interval.lost, 1);
    add(10);
    add(12);
    nd_sequence_cut(&meter, &interval);
    assert_int_equal(interval.lost, 0);
    assert_int_equal(interval.recovered, 1);
    assert_int_equal(interval.expected, 1);
    tell();
    assert_int_equal(total.lost, 0);
}

/* ---- time -------------------------------------------------------------------------- */

/* Sent each 1000 us; transit alternates by 160 us, so that |D| is 160 us every time. */
static void jitter_tends_to_the_mean_change_of_transit(void **state) {
    (void)state;
    start(1);
    for (uint64_t i = 0; i < 500; i++) {
        nd_sequence_add(&meter, i + 1, 100, 5000 + i * 1000 + (i % 2) * 160,
                        1000000000 + i * 1000000);
    }
    tell();
    assert_in_range(total.jitter_ns, 159900, 160000);
    assert_int_equal(total.sent_ns, 499000000);
    /* 100 bytes each millisecond. */
    assert_int_equal(nd_sequence_offered_bit_s(&total), 800000);
}

static void the_first_step_of_jitter_is_a_sixteenth(void **state) {
    (void)state;
    start(1);
    nd_sequence_add(&meter, 1, 100, 1000, 1000000);
    nd_sequence_add(&meter, 2, 100, 2160, 2000000);
    tell();
    assert_int_equal(total.jitter_ns, 160000 / 16);
}

static void ticks_become_nanoseconds_within_a_billionth(void **state) {
    static const uint32_t rates[] = {1000,     32768,      1000000,   25000000,
                                     96000000, 1000000000, UINT32_MAX};

    (void)state;
    for (unsigned i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        uint64_t ticks = rates[i] / 2;
        nd_sequence_start(&meter, 1, rates[i]);
        nd_sequence_add(&meter, 1, 100, 0, 1);
        nd_sequence_add(&meter, 2, 100, ticks, 2);
        tell();
        uint64_t ns = (uint64_t)((unit_wide)ticks * 1000000000u / rates[i]);
        assert_in_range((uint64_t)total.jitter_ns * 16, ns - 18, ns);
    }
}

static void the_senders_seconds_wrap_without_a_trace(void **state) {
    (void)state;
    start(1);
    for (uint32_t i = 0; i < 100; i++) {
        uint64_t us = (uint64_t)UINT32_MAX * 1000000u + 500000u + i * 10000u;
        uint64_t sent =
            nd_sequence_stamp(&meter, (uint32_t)(us / 1000000u), (uint32_t)(us % 1000000u));
        nd_sequence_add(&meter, i + 1, 100, i * 10000u, sent);
    }
    tell();
    assert_int_equal(total.jitter_ns, 0);
    assert_int_equal(total.sent_ns, 990000000);
}

static void stamps_that_do_not_move_are_none(void **state) {
    static const uint32_t fills[] = {0, 0x30313233};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        start(1);
        for (uint64_t id = 0; id < 100; id++) {
            uint64_t sent = nd_sequence_stamp(&meter, fills[i], fills[i] & 0xFFFFF);
            nd_sequence_add(&meter, id, 100, id * 777, sent);
        }
        tell();
        assert_int_equal(total.jitter_ns, ND_NOT_SUPPORTED);
        assert_int_equal(nd_sequence_offered_bit_s(&total), ND_NOT_SUPPORTED);
        assert_int_equal(total.lost, 0);
    }
}

static void offered_counts_what_was_lost_on_the_way(void **state) {
    struct nd_sequence interval;

    (void)state;
    start(1);
    for (uint64_t i = 0; i < 1001; i++) {
        if (i % 4 == 0) {
            nd_sequence_add(&meter, i + 1, 1250, i * 100, 1 + i * 100000);
        }
    }
    nd_sequence_cut(&meter, &interval);
    tell();
    assert_int_equal(nd_sequence_offered_bit_s(&total), 100000000);
    assert_int_equal(nd_sequence_offered_bit_s(&interval), 100000000);
    assert_int_equal(total.lost, 750);
    for (uint64_t i = 1001; i < 2001; i++) { /* the second interval at half the rate */
        nd_sequence_add(&meter, i + 1, 1250, i * 100, 1 + 100000000 + (i - 1000) * 200000);
    }
    nd_sequence_cut(&meter, &interval);
    assert_int_equal(nd_sequence_offered_bit_s(&interval), 50000000);
    assert_int_equal(interval.lost, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_received_is_nothing_lost_and_no_figure),
        cmocka_unit_test(duplicates_do_not_hide_loss),
        cmocka_unit_test(a_duplicate_is_not_out_of_order),
        cmocka_unit_test(an_end_mark_shows_what_was_lost_at_the_tail),
        cmocka_unit_test(what_comes_late_is_reordered_and_not_lost),
        cmocka_unit_test(senders_may_number_from_0_or_from_1),
        cmocka_unit_test(a_datagram_older_than_the_window_is_neither_new_nor_a_duplicate),
        cmocka_unit_test(a_gap_wider_than_the_window_forgets_it_whole),
        cmocka_unit_test(nothing_is_lost_across_the_wraps_of_31_and_32_bits),
        cmocka_unit_test(ids_and_counts_go_on_beyond_32_bits),
        cmocka_unit_test(intervals_add_up_and_agree_with_an_array),
        cmocka_unit_test(a_loss_made_good_in_the_next_interval_is_recovered_there),
        cmocka_unit_test(jitter_tends_to_the_mean_change_of_transit),
        cmocka_unit_test(the_first_step_of_jitter_is_a_sixteenth),
        cmocka_unit_test(ticks_become_nanoseconds_within_a_billionth),
        cmocka_unit_test(the_senders_seconds_wrap_without_a_trace),
        cmocka_unit_test(stamps_that_do_not_move_are_none),
        cmocka_unit_test(offered_counts_what_was_lost_on_the_way),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
