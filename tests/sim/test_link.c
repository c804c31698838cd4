/* SPDX-License-Identifier: BSD-3-Clause */
/* The wire against times worked out by hand. */
#include <string.h>

#include "kit.h"
#include "link/link.h"

/* At 100 Mbit/s a byte takes 80 ns: a full frame is (8 + 1514 + 4) * 80 = 122,080 ns on the wire
 * and keeps it for (1514 + 24) * 80 = 123,040; the shortest, (8 + 60 + 4) * 80 = 5,760 and 6,720.
 */
enum { FULL_NS = 122080, FULL_GAP_NS = 123040, SHORT_NS = 5760, SHORT_GAP_NS = 6720 };

static const uint8_t zeros[ND_LOCKSTEP_FRAME_BYTES];

static const struct nd__link_cfg plain = {
    .bit_s = 100000000, .rx_ring = 4, .tx_ring = 4, .queue_frames = 10};

static void full_frame_takes_its_time(void **state) {
    struct nd__wire wire;

    (void)state;
    nd__wire_init(&wire, 100000000, 5000, 10);
    assert_true(nd__wire_send(&wire, 1000, zeros, 1514));
    assert_true(nd__wire_send(&wire, 1000, zeros, 1514));
    assert_int_equal(nd__wire_leave_ns(&wire), 1000 + FULL_NS);
    assert_int_equal(nd__wire_arrive_ns(&wire), ND__NEVER);
    nd__wire_leave(&wire);
    assert_int_equal(nd__wire_arrive_ns(&wire), 1000 + FULL_NS + 5000);
    assert_int_equal(nd__wire_leave_ns(&wire), 1000 + FULL_GAP_NS + FULL_NS);
    nd__wire_close(&wire);
}

static void short_frame_is_padded_with_zeros(void **state) {
    struct nd__wire wire;
    uint8_t ones[ND__WIRE_MIN_BYTES];

    (void)state;
    memset(ones, 0xFF, sizeof ones);
    nd__wire_init(&wire, 100000000, 0, 10);
    /* The slot of the second frame has held other bytes before. */
    for (unsigned i = 0; i < 16; i++) {
        assert_true(nd__wire_send(&wire, 0, ones, 60));
        nd__wire_leave(&wire);
        nd__wire_arrive(&wire);
    }
    wire.free_ns = 0;
    assert_true(nd__wire_send(&wire, 0, ones, 42));
    assert_int_equal(nd__wire_leave_ns(&wire), SHORT_NS);
    assert_int_equal(nd__wire_leaving(&wire)->bytes, 60);
    assert_memory_equal(nd__wire_leaving(&wire)->data, ones, 42);
    assert_memory_equal(nd__wire_leaving(&wire)->data + 42, zeros, 18);
    nd__wire_close(&wire);
}

static void odd_rates_round_up(void **state) {
    struct nd__wire wire;

    (void)state;
    nd__wire_init(&wire, 333000000, 0, 10);
    /* 1526 * 8 / 0.333 = 36,660.66 */
    assert_int_equal(nd__wire_bytes_ns(&wire, 1526), 36661);
    nd__wire_init(&wire, 1000000000, 0, 10);
    assert_int_equal(nd__wire_bytes_ns(&wire, 1526), 12208);
    nd__wire_init(&wire, 1, 0, 10);
    assert_int_equal(nd__wire_bytes_ns(&wire, 1538), UINT64_C(12304000000000));
}

static void idle_wire_starts_at_once(void **state) {
    struct nd__wire wire;

    (void)state;
    nd__wire_init(&wire, 100000000, 0, 10);
    assert_true(nd__wire_send(&wire, 0, zeros, 60));
    assert_true(nd__wire_send(&wire, 50000, zeros, 60));
    nd__wire_leave(&wire);
    assert_int_equal(nd__wire_leave_ns(&wire), 50000 + SHORT_NS);
    nd__wire_close(&wire);
}

static void long_delay_holds_many_frames_in_order(void **state) {
    struct nd__wire wire;
    uint8_t frame[60] = {0};

    (void)state;
    nd__wire_init(&wire, 100000000, 1000000000, 1);
    for (unsigned i = 0; i < 1000; i++) {
        frame[0] = (uint8_t)i;
        frame[1] = (uint8_t)(i >> 8);
        assert_true(nd__wire_send(&wire, (uint64_t)i * SHORT_GAP_NS, frame, sizeof frame));
        nd__wire_leave(&wire);
    }
    for (unsigned i = 0; i < 1000; i++) {
        const struct nd__frame *got = nd__wire_arriving(&wire);

        assert_int_equal(got->data[0] | got->data[1] << 8, i);
        assert_int_equal(got->arrive_ns, (uint64_t)i * SHORT_GAP_NS + SHORT_NS + 1000000000);
        nd__wire_arrive(&wire);
    }
    assert_null(nd__wire_arriving(&wire));
    nd__wire_close(&wire);
}

static void ring_overflow_loses_the_newest(void **state) {
    struct nd__link link;
    uint8_t frame[60] = {0};

    (void)state;
    nd__link_init(&link, &plain);
    for (unsigned i = 0; i < 6; i++) {
        frame[0] = (uint8_t)i;
        nd__link_send_peer(&link, 0, frame, sizeof frame);
    }
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(nd__link_next_ns(&link), i * SHORT_GAP_NS + SHORT_NS);
        assert_int_equal(nd__link_step(&link), ND__LINK_TO_DEVICE);
    }
    assert_int_equal(nd__link_ring_count(&link), 4);
    assert_int_equal(link.ring_frames, 4);
    assert_int_equal(link.ring_drops, 2);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(nd__link_device_frame(&link)->data[0], i);
        nd__link_take_device(&link);
    }
    assert_null(nd__link_device_frame(&link));
    assert_int_equal(nd__link_next_ns(&link), ND__NEVER);
    nd__link_close(&link);
}

static void queue_overflow_counts_frames_that_have_not_left(void **state) {
    struct nd__link link;

    (void)state;
    nd__link_init(&link, &plain);
    for (unsigned i = 0; i < 12; i++) {
        nd__link_send_peer(&link, 0, zeros, 60);
    }
    assert_int_equal(link.queue_drops, 2);
    /* Just before the first has left there is no room; when it has, there is. */
    nd__link_send_peer(&link, SHORT_NS - 1, zeros, 60);
    assert_int_equal(link.queue_drops, 3);
    nd__link_send_peer(&link, SHORT_NS, zeros, 60);
    assert_int_equal(link.queue_drops, 3);
    nd__link_close(&link);
}

static void descriptor_is_busy_until_its_frame_has_left(void **state) {
    struct nd__link link;

    (void)state;
    nd__link_init(&link, &plain);
    for (unsigned i = 0; i < 5; i++) {
        nd__link_send_device(&link, 0, zeros, 1514);
    }
    assert_int_equal(link.tx_drops, 1);
    assert_int_equal(nd__link_tx_free(&link), 0);
    assert_int_equal(nd__link_next_ns(&link), FULL_NS);
    assert_int_equal(nd__link_step(&link), ND__LINK_LEFT);
    assert_int_equal(nd__link_tx_free(&link), 1);
    nd__link_close(&link);
}

static void events_of_one_instant_have_a_fixed_order(void **state) {
    struct nd__link link;

    (void)state;
    nd__link_init(&link, &plain);
    nd__link_send_peer(&link, 0, zeros, 60);
    nd__link_send_device(&link, 0, zeros, 60);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(nd__link_next_ns(&link), SHORT_NS);
        assert_int_equal(nd__link_step(&link), i);
        if (i == ND__LINK_TO_PEER) {
            assert_int_equal(nd__link_peer_frame(&link)->bytes, 60);
            nd__link_take_peer(&link);
        }
    }
    assert_int_equal(nd__link_next_ns(&link), ND__NEVER);
    assert_int_equal(link.peer_frames, 1);
    nd__link_close(&link);
}

static void directions_do_not_share_the_wire(void **state) {
    struct nd__link link;

    (void)state;
    nd__link_init(&link, &plain);
    nd__link_send_device(&link, 0, zeros, 1514);
    nd__link_send_peer(&link, 10, zeros, 60);
    assert_int_equal(nd__link_next_ns(&link), 10 + SHORT_NS);
    assert_int_equal(nd__link_step(&link), ND__LINK_TO_DEVICE);
    nd__link_close(&link);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_frame_takes_its_time),
        cmocka_unit_test(short_frame_is_padded_with_zeros),
        cmocka_unit_test(odd_rates_round_up),
        cmocka_unit_test(idle_wire_starts_at_once),
        cmocka_unit_test(long_delay_holds_many_frames_in_order),
        cmocka_unit_test(ring_overflow_loses_the_newest),
        cmocka_unit_test(queue_overflow_counts_frames_that_have_not_left),
        cmocka_unit_test(descriptor_is_busy_until_its_frame_has_left),
        cmocka_unit_test(events_of_one_instant_have_a_fixed_order),
        cmocka_unit_test(directions_do_not_share_the_wire),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
