/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/chunks.h"
#include "nd/discard.h"

static const struct nd_port *const port = &nd_port_loop;

static struct nd_chunks chunks;
static struct nd_hist latency;
static uint32_t buckets[ND_HIST_BUCKETS(7)];
static uint8_t memory[ND_CHUNKS_MEMORY(4096)];
static struct nd_stream_server discard;
static struct nd_stream_conn conns[2];

static int setup(void **state) {
    int result = kit_setup(state);
    struct kit *kit = *state;
    struct nd_addr at = kit_addr(ND_DISCARD_PORT);

    memset(&chunks, 0, sizeof chunks);
    nd_chunks_init(&chunks, memory, sizeof memory);
    nd_hist_init(&latency, buckets, 7);
    assert_int_equal(nd_discard_serve(&discard, &kit->agent, &at, conns, 2), ND_OK);
    return result;
}

#define CHUNKS_TEST(test) cmocka_unit_test_setup_teardown(test, setup, kit_teardown)

static int start(struct kit *kit, struct nd_chunks_cfg cfg) {
    cfg.to.family = 4;
    cfg.latency = &latency;
    return nd_chunks_start(&chunks, &kit->agent, &cfg);
}

static const struct nd_report *find(const struct kit *kit, const char *engine) {
    for (unsigned i = 0; i < kit->report_count; i++) {
        if (strcmp(kit->reports[i].report.engine, engine) == 0) {
            return &kit->reports[i].report;
        }
    }
    fail_msg("no report of %s", engine);
    return NULL;
}

static void every_chunk_leaves_as_header_and_half(void **state) {
    struct kit *kit = *state;

    assert_int_equal(start(kit, (struct nd_chunks_cfg){.count = 100}), ND_OK);
    kit_run(kit);
    const struct nd_report *report = find(kit, "stream");
    assert_int_equal(report->result, ND_OK);
    assert_int_equal(report->chunks, 100);
    assert_int_equal(report->chunks_missed, 0);
    assert_int_equal(report->flow.tx.bytes, 100 * (16 + 2048));
    assert_int_equal(latency.count, 100);
    assert_int_equal(find(kit, "discard")->flow.rx.bytes, 100 * (16 + 2048));
}

/* A listener that the test reads by hand: what a receiver sees. */
static void the_header_numbers_the_chunks(void **state) {
    struct kit *kit = *state;
    struct nd_addr at = kit_addr(5000);
    struct nd_conn *listener;
    struct nd_conn *conn;
    const void *bytes;
    static const uint8_t head[] = {'N', 'D', 'c', 'h', 0, 0, 0,   0,   0,   0,
                                   0,   32,  0,   0,   0, 0, ' ', '!', '"', '#'};
    static const uint8_t second[] = {'N', 'D', 'c', 'h', 0, 0, 0, 1, 0, 0, 0, 32};

    assert_int_equal(port->listen(&kit->loop, &at, &listener), ND_OK);
    assert_int_equal(start(kit, (struct nd_chunks_cfg){.to = at, .count = 2, .chunk_bytes = 64}),
                     ND_OK);
    kit_run(kit);
    assert_int_equal(port->accept(listener, &conn), ND_OK);
    kit_run(kit);
    assert_int_equal(port->rx(conn, &bytes), 2 * 48);
    assert_memory_equal(bytes, head, sizeof head);
    assert_memory_equal((const uint8_t *)bytes + 48, second, sizeof second);
    port->close(conn);
    port->close(listener);
    kit_run(kit);
}

static void a_rate_that_can_be_kept_misses_nothing(void **state) {
    struct kit *kit = *state;

    /* 100 a second, for a second. */
    assert_int_equal(start(kit, (struct nd_chunks_cfg){.chunk_mhz = 100000, .count = 100}), ND_OK);
    kit_run_for(kit, 1100000);
    const struct nd_report *report = find(kit, "stream");
    assert_int_equal(report->chunks, 100);
    assert_int_equal(report->chunks_missed, 0);
    uint64_t us = report->flow.tx.last - report->flow.tx.first;
    assert_in_range(us, 989900, 990100);
}

static void a_receiver_that_stops_makes_the_device_fall_behind(void **state) {
    struct kit *kit = *state;
    struct nd_addr at = kit_addr(5000);
    struct nd_conn *listener;
    struct nd_conn *conn;
    const void *bytes;
    int32_t n;

    assert_int_equal(port->listen(&kit->loop, &at, &listener), ND_OK);
    assert_int_equal(
        start(kit, (struct nd_chunks_cfg){.to = at, .chunk_mhz = 100000, .count = 100}), ND_OK);
    kit_run_for(kit, 1000);
    assert_int_equal(port->accept(listener, &conn), ND_OK);
    kit_run_for(kit, 500000);
    for (unsigned i = 0; i < 2000; i++) {
        while ((n = port->rx(conn, &bytes)) > 0) {
            port->rx_done(conn, (uint32_t)n);
        }
        if (n == ND_EOF) {
            port->end(conn);
        }
        kit_run_for(kit, 1000);
    }
    const struct nd_report *report = find(kit, "stream");
    assert_int_equal(report->result, ND_OK);
    assert_int_equal(report->chunks + report->chunks_missed, 100);
    assert_in_range(report->chunks_missed, 40, 50);
    port->close(conn);
    port->close(listener);
}

static void a_chunk_that_does_not_fit_is_refused(void **state) {
    struct kit *kit = *state;

    assert_int_equal(start(kit, (struct nd_chunks_cfg){.chunk_bytes = 4100}), ND_E_ARG);
    assert_int_equal(start(kit, (struct nd_chunks_cfg){.chunk_bytes = 1022}), ND_E_ARG);
    assert_int_equal(start(kit, (struct nd_chunks_cfg){.count = 1000}), ND_OK);
    assert_int_equal(chunks.cfg.chunk_bytes, 4096);
    assert_int_equal(start(kit, (struct nd_chunks_cfg){.count = 1}), ND_E_STATE);
}

static void nobody_there_is_a_failure(void **state) {
    struct kit *kit = *state;

    assert_int_equal(start(kit, (struct nd_chunks_cfg){.to = kit_addr(5000)}), ND_OK);
    kit_run(kit);
    assert_int_equal(find(kit, "stream")->result, ND_E_REFUSED);
}

static void the_command_runs_a_test(void **state) {
    struct kit *kit = *state;
    static struct nd_command command;
    static struct nd_chunks_console console;

    nd_chunks_init(&console.chunks, memory, sizeof memory);
    nd_chunks_command(&command, &console);
    nd_console_add(&kit->console, &command);
    kit_type(kit, "stream -l 1024 -n 10 10.0.0.1\n");
    kit_run(kit);
    assert_int_equal(find(kit, "stream")->chunks, 10);
    assert_non_null(strstr(kit_read(kit), "chunks 10"));
    assert_non_null(strstr(kit_type(kit, "stream\n"), "expected a HOST"));
    assert_non_null(strstr(kit_type(kit, "stream -x 10.0.0.1\n"), "stream [-l BYTES]"));
    assert_non_null(strstr(kit_type(kit, "stream -l 8192 10.0.0.1\n"), "multiple of 4"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CHUNKS_TEST(every_chunk_leaves_as_header_and_half),
        CHUNKS_TEST(the_header_numbers_the_chunks),
        CHUNKS_TEST(a_rate_that_can_be_kept_misses_nothing),
        CHUNKS_TEST(a_receiver_that_stops_makes_the_device_fall_behind),
        CHUNKS_TEST(a_chunk_that_does_not_fit_is_refused),
        CHUNKS_TEST(nobody_there_is_a_failure),
        CHUNKS_TEST(the_command_runs_a_test),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
