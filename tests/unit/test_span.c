/* SPDX-License-Identifier: BSD-3-Clause */
#define ND_CFG_SPAN ND_SPAN_RING

#include "engine_kit.h"

#include <string.h>

#include "nd/span.h"

enum { CHECKSUM, COPY, SENDER, RECEIVER };

static const char *const names[] = {"checksum", "copy", "sender"};

static uint32_t ticks;
static struct nd_span_event events[8];

static uint32_t read_ticks(void *ctx) {
    (void)ctx;
    return ticks;
}

/* 20 bits, so that it wraps soon. */
static const struct nd_clock clock_20 = {
    .read = read_ticks, .name = "test", .hz = 1000000, .bits = 20, .kind = ND_CLOCK_CYCLES};

static struct nd_span_cfg cfg_of(uint32_t count) {
    return (struct nd_span_cfg){.clock = &clock_20,
                                .events = events,
                                .event_count = count,
                                .names = names,
                                .name_count = 3};
}

static void start(void) {
    const struct nd_span_cfg cfg = cfg_of(8);

    ticks = 0;
    assert_int_equal(nd_span_start(&cfg), ND_OK);
}

static void expect_event(uint32_t index, uint32_t at, uint32_t kind, uint32_t id) {
    const struct nd_span_event *event = nd_span_at(&nd_span_ring, index);

    assert_int_equal(event->at, at);
    assert_int_equal(event->what, kind | id);
}

static void marks_before_the_start_are_nothing(void **state) {
    (void)state;
    ND_SPAN_BEGIN(CHECKSUM);
    nd_span_switch(&nd_span_ring, true);
    ND_SPAN_END(CHECKSUM);
    assert_int_equal(nd_span_count(&nd_span_ring), 0);
}

static void marks_are_kept_in_order_with_their_times(void **state) {
    (void)state;
    start();
    ticks = 5;
    ND_SPAN_TASK(SENDER);
    ticks = 7;
    ND_SPAN_BEGIN(CHECKSUM);
    ticks = 19;
    ND_SPAN_END(CHECKSUM);
    assert_int_equal(nd_span_count(&nd_span_ring), 3);
    expect_event(0, 5, ND_SPAN_RUNS, SENDER);
    expect_event(1, 7, ND_SPAN_BEGUN, CHECKSUM);
    expect_event(2, 19, ND_SPAN_ENDED, CHECKSUM);
}

static void a_full_ring_forgets_the_oldest(void **state) {
    (void)state;
    start();
    for (ticks = 1; ticks <= 11; ticks++) {
        ND_SPAN_BEGIN(COPY);
    }
    assert_int_equal(nd_span_count(&nd_span_ring), 8);
    assert_int_equal(nd_span_put_count(&nd_span_ring), 11);
    for (uint32_t i = 0; i < 8; i++) {
        expect_event(i, 4 + i, ND_SPAN_BEGUN, COPY);
    }
}

static void a_clock_in_memory_is_loaded(void **state) {
    struct nd_clock loaded = clock_20;
    struct nd_span_cfg cfg = cfg_of(3);

    (void)state;
    loaded.counter = &ticks;
    loaded.read = NULL;
    cfg.clock = &loaded;
    assert_int_equal(nd_span_start(&cfg), ND_OK);
    for (ticks = 1; ticks <= 4; ticks++) {
        ND_SPAN_END(COPY);
    }
    assert_int_equal(nd_span_count(&nd_span_ring), 3);
    expect_event(0, 2, ND_SPAN_ENDED, COPY);
    expect_event(2, 4, ND_SPAN_ENDED, COPY);
}

static void a_stopped_ring_keeps_what_it_has(void **state) {
    (void)state;
    start();
    ND_SPAN_BEGIN(COPY);
    nd_span_switch(&nd_span_ring, false);
    ND_SPAN_END(COPY);
    assert_int_equal(nd_span_count(&nd_span_ring), 1);
    nd_span_switch(&nd_span_ring, true);
    ND_SPAN_END(COPY);
    assert_int_equal(nd_span_count(&nd_span_ring), 2);
}

static void a_start_that_cannot_be_changes_nothing(void **state) {
    struct nd_span_cfg cfg = cfg_of(0);
    struct nd_clock no_rate = clock_20;

    (void)state;
    start();
    ND_SPAN_BEGIN(COPY);
    assert_int_equal(nd_span_start(&cfg), ND_E_ARG);
    cfg = cfg_of(4);
    cfg.events = NULL;
    assert_int_equal(nd_span_start(&cfg), ND_E_ARG);
    cfg = cfg_of(4);
    no_rate.hz = 0;
    cfg.clock = &no_rate;
    assert_int_equal(nd_span_start(&cfg), ND_E_ARG);
    assert_int_equal(nd_span_count(&nd_span_ring), 1);
}

/* ---- the console ---- */

static struct nd_command command;

static void add_command(struct kit *kit) {
    nd_span_command(&command, &nd_span_ring);
    nd_console_add(&kit->console, &command);
}

static void spans_print_the_ring_across_a_wrap_of_the_clock(void **state) {
    struct kit *kit = *state;

    add_command(kit);
    start();
    ticks = (1u << 20) - 3;
    ND_SPAN_BEGIN(CHECKSUM);
    ticks = 4;
    ND_SPAN_END(CHECKSUM);
    ND_SPAN_TASK(RECEIVER);
    assert_string_equal(kit_type(kit, "spans\n"), "spans clock_hz=1000000 events=3 lost=0\n"
                                                  "+0 begin 0 checksum\n"
                                                  "+7 end 0 checksum\n"
                                                  "+0 task 3\n");
    ND_SPAN_BEGIN(COPY);
    assert_int_equal(nd_span_count(&nd_span_ring), 3);
}

static void spans_print_json(void **state) {
    struct kit *kit = *state;

    const struct nd_span_cfg cfg = cfg_of(1);

    add_command(kit);
    nd_span_start(&cfg);
    for (ticks = 0; ticks < 90; ticks += 10) {
        ND_SPAN_BEGIN(COPY);
    }
    kit_type(kit, "json on\n");
    assert_string_equal(kit_type(kit, "#3 spans\n"),
                        "{\"id\":3,\"kind\":\"spans\",\"tick\":\"cycle\",\"clock_hz\":1000000,"
                        "\"events\":1,\"lost\":8}\n"
                        "{\"id\":3,\"kind\":\"span\",\"delta_ticks\":0,\"event\":\"begin\","
                        "\"span\":1,\"name\":\"copy\"}\n"
                        "{\"id\":3,\"kind\":\"end\",\"result\":\"ok\"}\n");
}

static void spans_start_records_anew(void **state) {
    struct kit *kit = *state;

    add_command(kit);
    start();
    ND_SPAN_BEGIN(COPY);
    nd_span_switch(&nd_span_ring, false);
    assert_string_equal(kit_type(kit, "spans start\n"), "");
    ND_SPAN_END(COPY);
    ND_SPAN_END(COPY);
    assert_int_equal(nd_span_count(&nd_span_ring), 2);
    assert_string_equal(kit_type(kit, "spans now\n"), "error: arg: expected nothing, or start\n");
}

static void spans_without_a_record_are_unsupported(void **state) {
    struct kit *kit = *state;

    add_command(kit);
    nd_span_ring = (struct nd_span_ring){0};
    assert_non_null(strstr(kit_type(kit, "spans\n"), "error: unsupported: nothing is recorded"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_before_the_start_are_nothing),
        cmocka_unit_test(marks_are_kept_in_order_with_their_times),
        cmocka_unit_test(a_full_ring_forgets_the_oldest),
        cmocka_unit_test(a_clock_in_memory_is_loaded),
        cmocka_unit_test(a_stopped_ring_keeps_what_it_has),
        cmocka_unit_test(a_start_that_cannot_be_changes_nothing),
        KIT_TEST(spans_print_the_ring_across_a_wrap_of_the_clock),
        KIT_TEST(spans_print_json),
        KIT_TEST(spans_start_records_anew),
        KIT_TEST(spans_without_a_record_are_unsupported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
