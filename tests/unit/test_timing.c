/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/timing.h"

#include <string.h>

#include "engine_kit.h"

enum { ALLOC, COPY, SUM, LOST, ABSENT, ROWS };

static const struct nd_timing_part parts[] = {{"check", ND_NOT_BUILT}, {"make", 3}};

struct bench {
    struct kit *kit;
    uint32_t ticks;
    uint32_t ticks_per_read; /* the clock's own work */
    struct nd_clock clock;
    struct nd_timing_row rows[ROWS];
    struct nd_timing timing;
};

static uint32_t read_ticks(void *ctx) {
    struct bench *bench = (struct bench *)ctx;

    bench->ticks += bench->ticks_per_read;
    return bench->ticks;
}

static struct nd_timing_row row(const char *name, int32_t state) {
    return (struct nd_timing_row){
        .name = name, .tier = ND_TIMING_WRAP, .sites_seen = 4, .sites_missed = 1, .state = state};
}

static int setup(void **state) {
    static struct bench bench;

    if (kit_setup(state) != 0) {
        return -1;
    }
    bench = (struct bench){.kit = (struct kit *)*state};
    bench.clock = (struct nd_clock){.read = read_ticks,
                                    .ctx = &bench,
                                    .name = "test",
                                    .hz = KIT_HZ,
                                    .bits = 32,
                                    .kind = ND_CLOCK_CYCLES};
    bench.rows[ALLOC] = row("Net malloc", ND_OK);
    bench.rows[COPY] = row("Net memcpy", ND_OK);
    bench.rows[SUM] = row("Checksum", ND_OK);
    bench.rows[SUM].tier = ND_TIMING_MACRO;
    bench.rows[SUM].parts = parts;
    bench.rows[SUM].part_count = 2;
    bench.rows[LOST] = row("Mbuf alloc", ND_NOT_HOOKED);
    bench.rows[ABSENT] = row("Net trim", ND_NOT_BUILT);
    bench.timing = (struct nd_timing){.clock = &bench.clock, .rows = bench.rows, .row_count = ROWS};
    *state = &bench;
    return 0;
}

static int teardown(void **state) {
    *state = ((struct bench *)*state)->kit;
    return kit_teardown(state);
}

#define BENCH_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* Work of so many ticks, timed. */
static void work(struct bench *bench, unsigned index, uint32_t ticks) {
    nd_timing_enter(&bench->timing);
    bench->ticks += ticks;
    nd_timing_leave(&bench->timing, &bench->rows[index]);
}

static void a_row_counts_and_keeps_extremes(void **state) {
    struct bench *bench = (struct bench *)*state;
    const struct nd_timing_row *it = &bench->rows[ALLOC];

    work(bench, ALLOC, 30);
    work(bench, ALLOC, 10);
    work(bench, ALLOC, 20);
    assert_int_equal(nd_timing_count(it), 3);
    assert_int_equal(it->min, 10);
    assert_int_equal(it->max, 30);
    assert_int_equal(it->total, 60);
    assert_int_equal(it->nested, 0);
    assert_int_equal(nd_timing_cost(&bench->timing, it), 0);
}

static void an_elapsed_time_crosses_the_wrap(void **state) {
    struct bench *bench = (struct bench *)*state;

    bench->ticks = UINT32_MAX - 3;
    work(bench, ALLOC, 10);
    assert_int_equal(bench->rows[ALLOC].total, 10);
    bench->clock.bits = 24;
    bench->ticks = 0x00FFFFFEu;
    work(bench, ALLOC, 5);
    assert_int_equal(bench->rows[ALLOC].total, 15);
}

static void a_total_passes_32_bits(void **state) {
    struct bench *bench = (struct bench *)*state;

    for (unsigned i = 0; i < 3; i++) {
        work(bench, ALLOC, 0xF0000000u);
    }
    assert_true(bench->rows[ALLOC].total == 3 * (uint64_t)0xF0000000u);
}

/* A probe of which 7 ticks lie in its own row, and 7 more around. */
static void the_cost_of_probes_is_told_apart(void **state) {
    struct bench *bench = (struct bench *)*state;

    bench->ticks_per_read = 7;
    nd_timing_calibrate(&bench->timing, &bench->clock, NULL);
    assert_int_equal(bench->timing.inside_ticks, 7 * ND_TIMING_TRIALS);
    assert_int_equal(bench->timing.around_ticks, 14 * ND_TIMING_TRIALS);

    nd_timing_enter(&bench->timing);
    bench->ticks += 100;
    work(bench, COPY, 40);
    work(bench, COPY, 40);
    nd_timing_leave(&bench->timing, &bench->rows[ALLOC]);
    assert_int_equal(bench->rows[COPY].total, 2 * (40 + 7));
    assert_int_equal(nd_timing_cost(&bench->timing, &bench->rows[COPY]), 14);
    assert_int_equal(bench->rows[ALLOC].nested, 2);
    assert_int_equal(nd_timing_cost(&bench->timing, &bench->rows[ALLOC]), 7 + 2 * 14);
    assert_int_equal(bench->rows[ALLOC].total - nd_timing_cost(&bench->timing, &bench->rows[ALLOC]),
                     100 + 80);
}

static struct bench *sampled;

static void slow_sample(struct nd_timing *timing, struct nd_timing_row *row) {
    nd_timing_enter(timing);
    nd_timing_nothing();
    nd_timing_leave(timing, row);
    sampled->ticks += 5; /* bookkeeping behind the probe */
}

static void a_sample_of_the_owner_is_what_calibrates(void **state) {
    struct bench *bench = (struct bench *)*state;

    sampled = bench;
    bench->ticks_per_read = 1;
    nd_timing_calibrate(&bench->timing, &bench->clock, slow_sample);
    assert_int_equal(bench->timing.inside_ticks, ND_TIMING_TRIALS);
    assert_int_equal(bench->timing.around_ticks, (2 + 5) * ND_TIMING_TRIALS);
}

static void a_cost_is_at_most_the_total(void **state) {
    struct bench *bench = (struct bench *)*state;

    bench->timing.inside_ticks = 50 * ND_TIMING_TRIALS;
    work(bench, ALLOC, 20);
    assert_int_equal(nd_timing_cost(&bench->timing, &bench->rows[ALLOC]), 20);
}

/* Depth recursions of the same row: the last `too_deep` of them find no place. */
static void nest(struct bench *bench, unsigned depth) {
    if (depth > 0) {
        nd_timing_enter(&bench->timing);
        bench->ticks++;
        nest(bench, depth - 1);
        nd_timing_leave(&bench->timing, &bench->rows[ALLOC]);
    }
}

static void what_is_too_deep_is_not_timed_but_counted(void **state) {
    struct bench *bench = (struct bench *)*state;

    nest(bench, ND_TIMING_DEPTH + 3);
    assert_int_equal(bench->timing.too_deep, 3);
    assert_int_equal(bench->timing.depth, 0);
    assert_int_equal(bench->rows[ALLOC].count, ND_TIMING_DEPTH);
    assert_int_equal(bench->rows[ALLOC].max, ND_TIMING_DEPTH + 3);
}

static void a_row_that_is_not_hooked_has_no_count(void **state) {
    struct bench *bench = (struct bench *)*state;

    work(bench, LOST, 5); /* some sites may be seen; their number would mislead */
    assert_int_equal(nd_timing_count(&bench->rows[LOST]), ND_NOT_HOOKED);
    assert_int_equal(nd_timing_count(&bench->rows[ABSENT]), ND_NOT_BUILT);
}

static bool prints(struct bench *bench, const char *text) {
    nd_console_hangup(&bench->kit->console);
    return strstr(kit_type(bench->kit, "timing\n"), text) != NULL;
}

static void the_command_prints_a_table(void **state) {
    struct bench *bench = (struct bench *)*state;
    struct nd_command command;

    nd_timing_command(&command, &bench->timing);
    nd_console_add(&bench->kit->console, &command);
    work(bench, ALLOC, 10);
    work(bench, ALLOC, 15);
    assert_true(prints(bench, "timing in ticks of test (cycle, 1000000 Hz); a probe costs 0.00"));
    assert_true(prints(bench, "Net malloc              2         10         15         25      "
                              "12.50          0         25      12.50  4, 1, wrap\n"));
    assert_true(prints(bench, "Net memcpy              0  no samples  4, 1, wrap\n"));
    assert_true(prints(bench, "macro (check not built in, make 3)\n"));
    assert_true(prints(bench, "Mbuf alloc     not hooked: the probe never fired  4, 1, wrap\n"));
    assert_true(prints(bench, "Net trim       not built in  4, 1, wrap\n"));
}

static void the_command_writes_json(void **state) {
    struct bench *bench = (struct bench *)*state;
    struct nd_command command;
    const char *text;

    nd_timing_command(&command, &bench->timing);
    nd_console_add(&bench->kit->console, &command);
    work(bench, ALLOC, 10);
    work(bench, ALLOC, 15);
    kit_type(bench->kit, "json on\n");
    text = kit_type(bench->kit, "timing\n");
    assert_non_null(strstr(text, "{\"kind\":\"timing\",\"name\":\"Net malloc\",\"count\":2,"
                                 "\"min_ticks\":10,\"max_ticks\":15,\"total_ticks\":25,"
                                 "\"average_ticks\":12.50,"));
    assert_non_null(strstr(text, "\"name\":\"Net memcpy\",\"count\":0,"
                                 "\"average_ticks\":\"no_samples\","));
    assert_non_null(strstr(text, "\"name\":\"Mbuf alloc\",\"count\":\"not_hooked\",\"tier\""));
    assert_non_null(strstr(text, "\"part_sites\":{\"check\":\"not_built\",\"make\":3}"));
}

static void reset_forgets_counts_and_keeps_states(void **state) {
    struct bench *bench = (struct bench *)*state;
    struct nd_command command;

    nd_timing_command(&command, &bench->timing);
    nd_console_add(&bench->kit->console, &command);
    work(bench, ALLOC, 10);
    kit_type(bench->kit, "timing reset\n");
    assert_int_equal(bench->rows[ALLOC].count, 0);
    assert_int_equal(bench->rows[ALLOC].total, 0);
    assert_int_equal(bench->rows[LOST].state, ND_NOT_HOOKED);
    work(bench, ALLOC, 4);
    assert_int_equal(bench->rows[ALLOC].min, 4);
    assert_non_null(strstr(kit_type(bench->kit, "timing never\n"), "error: arg"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BENCH_TEST(a_row_counts_and_keeps_extremes),
        BENCH_TEST(an_elapsed_time_crosses_the_wrap),
        BENCH_TEST(a_total_passes_32_bits),
        BENCH_TEST(the_cost_of_probes_is_told_apart),
        BENCH_TEST(a_sample_of_the_owner_is_what_calibrates),
        BENCH_TEST(a_cost_is_at_most_the_total),
        BENCH_TEST(what_is_too_deep_is_not_timed_but_counted),
        BENCH_TEST(a_row_that_is_not_hooked_has_no_count),
        BENCH_TEST(the_command_prints_a_table),
        BENCH_TEST(the_command_writes_json),
        BENCH_TEST(reset_forgets_counts_and_keeps_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
