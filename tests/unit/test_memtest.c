/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/memtest.h"

static const struct nd_port *const port = &nd_port_loop;

/* Push len bytes from a hand-made peer while the agent runs. */
static void send_all(struct kit *kit, struct nd_conn *conn, uint64_t len) {
    static const char bytes[4096] = {'x'};

    while (len > 0) {
        uint32_t want = len < sizeof bytes ? (uint32_t)len : (uint32_t)sizeof bytes;
        int32_t n = port->tx(conn, bytes, want, 0);
        assert_true(n > 0 || n == ND_AGAIN);
        len -= n > 0 ? (uint64_t)n : 0;
        kit_run(kit);
    }
}

static void receive_all(struct kit *kit, struct nd_conn *conn, uint64_t len) {
    while (len > 0) {
        const void *bytes;
        int32_t n = port->rx(conn, &bytes);
        assert_true(n > 0 || n == ND_AGAIN);
        if (n > 0) {
            uint32_t take = (uint64_t)n < len ? (uint32_t)n : (uint32_t)len;
            port->rx_done(conn, take);
            len -= take;
        }
        kit_run(kit);
    }
}

static void both_sides_count_three_phases_exactly(void **state) {
    struct kit *kit = *state;
    static struct nd_memtest_server server;
    static struct nd_memtest_client client;
    struct nd_addr at = kit_addr(7);
    static const char *const phases[] = {"rx", "tx", "echo"};

    assert_int_equal(nd_memtest_serve(&server, &kit->agent, &at, 100001), ND_OK);
    assert_int_equal(nd_memtest_connect(&client, &kit->agent, &at, 100001), ND_OK);
    kit_run(kit);

    assert_int_equal(kit->report_count, 6);
    for (unsigned side = 0; side < 2; side++) {
        unsigned phase = 0;
        for (unsigned i = 0; i < kit->report_count; i++) {
            const struct nd_report *report = &kit->reports[i].report;
            bool is_server = strcmp(report->role, "server") == 0;
            if (is_server != (side == 0)) {
                continue;
            }
            assert_string_equal(report->phase, phases[phase]);
            assert_int_equal(report->result, ND_OK);
            bool rx = is_server ? phase != 1 : phase != 0;
            bool tx = is_server ? phase != 0 : phase != 1;
            assert_int_equal(report->flow.rx.bytes, rx ? 100001 : 0);
            assert_int_equal(report->flow.tx.bytes, tx ? 100001 : 0);
            assert_int_equal(report->last, phase == 2);
            phase++;
        }
        assert_int_equal(phase, 3);
    }
    assert_int_equal(kit_used(kit), 1);
}

static void heap_is_sampled_after_every_receive_and_send(void **state) {
    struct kit *kit = *state;
    static struct nd_memtest_server server;
    struct nd_addr at = kit_addr(7);

    assert_int_equal(nd_memtest_serve(&server, &kit->agent, &at, 1000), ND_OK);
    struct nd_conn *peer = kit_dial(kit, 7);
    kit->heap_free = 9000;
    send_all(kit, peer, 500);
    kit->heap_free = 8000;
    send_all(kit, peer, 500);
    const struct nd_report *report = &kit->reports[0].report;
    assert_non_null(report->heap);
    assert_int_equal(report->heap->samples, 2);
    assert_int_equal(report->heap->min, 8000);
    assert_int_equal(report->heap->max, 9000);
    assert_int_equal(nd_heap_meter_average(report->heap), 8500);
    port->close(peer);
}

static void a_message_of_1024_bytes_comes_back_in_one_piece(void **state) {
    struct kit *kit = *state;
    static struct nd_memtest_server server;
    struct nd_addr at = kit_addr(7);
    static char message[ND_MEMTEST_MESSAGE_BYTES];
    const void *bytes;

    assert_int_equal(nd_memtest_serve(&server, &kit->agent, &at, 4096), ND_OK);
    struct nd_conn *peer = kit_dial(kit, 7);
    send_all(kit, peer, 4096);
    receive_all(kit, peer, 4096);
    memset(message, 'm', sizeof message);
    assert_int_equal(port->tx(peer, message, sizeof message, 0), sizeof message);
    kit_run(kit);
    assert_int_equal(port->rx(peer, &bytes), sizeof message);
    assert_memory_equal(bytes, message, sizeof message);
    port->close(peer);
}

static void a_caller_that_ends_early_is_reported_short_with_what_came(void **state) {
    struct kit *kit = *state;
    static struct nd_memtest_server server;
    struct nd_addr at = kit_addr(7);

    assert_int_equal(nd_memtest_serve(&server, &kit->agent, &at, 1000), ND_OK);
    struct nd_conn *peer = kit_dial(kit, 7);
    send_all(kit, peer, 999);
    port->end(peer);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_E_SHORT);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 999);
    assert_int_equal(kit_last(kit)->expected_bytes, 1000);
    port->close(peer);
    assert_int_equal(kit_used(kit), 1);
}

/* Reset the connection after `bytes` of the dialogue, whatever phase that is in. */
static void die_after(struct kit *kit, uint64_t bytes) {
    struct nd_conn *peer = kit_dial(kit, 7);
    uint64_t up = bytes < 3000 ? bytes : 3000;

    send_all(kit, peer, up);
    if (bytes > 3000) {
        receive_all(kit, peer, bytes - 3000 < 3000 ? bytes - 3000 : 3000);
    }
    if (bytes > 6000) {
        send_all(kit, peer, bytes - 6000);
    }
    port->close(peer);
    kit_run(kit);
}

static void a_caller_that_dies_in_any_phase_leaves_the_server_ready(void **state) {
    struct kit *kit = *state;
    static struct nd_memtest_server server;
    static struct nd_memtest_client client;
    struct nd_addr at = kit_addr(7);
    static const uint64_t moments[] = {0, 1, 2999, 3000, 3001, 5999, 6000, 6500};

    assert_int_equal(nd_memtest_serve(&server, &kit->agent, &at, 3000), ND_OK);
    for (unsigned i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        die_after(kit, moments[i]);
        assert_int_equal(kit_used(kit), 1);
        kit->report_count = 0;
        assert_int_equal(nd_memtest_connect(&client, &kit->agent, &at, 3000), ND_OK);
        kit_run(kit);
        assert_int_equal(kit_last(kit)->result, ND_OK);
        assert_string_equal(kit_last(kit)->phase, "echo");
        kit->report_count = 0;
    }
}

static void a_second_caller_waits_its_turn(void **state) {
    struct kit *kit = *state;
    static struct nd_memtest_server server;
    struct nd_addr at = kit_addr(7);

    assert_int_equal(nd_memtest_serve(&server, &kit->agent, &at, 1000), ND_OK);
    struct nd_conn *first = kit_dial(kit, 7);
    struct nd_conn *second;
    assert_int_equal(port->connect(&kit->loop, &at, &second), ND_OK);
    kit_run(kit);
    assert_int_equal(server.service.taken, 1);
    port->close(first);
    kit_run(kit);
    assert_int_equal(server.service.taken, 2);
    port->close(second);
}

static void a_silent_caller_is_dropped_after_the_limit(void **state) {
    struct kit *kit = *state;
    static struct nd_memtest_server server;
    struct nd_addr at = kit_addr(7);

    assert_int_equal(nd_memtest_serve(&server, &kit->agent, &at, 1000), ND_OK);
    struct nd_conn *peer = kit_dial(kit, 7);
    kit->ticks += 29 * KIT_HZ;
    kit_run(kit);
    assert_int_equal(kit->report_count, 0);
    kit->ticks += 2 * KIT_HZ;
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_E_TIMEOUT);
    port->close(peer);
    assert_int_equal(kit_used(kit), 1);
}

/* Run the client and expect this result after three phases of so many bytes, or none. */
static void expect_phases(struct kit *kit, uint64_t bytes) {
    static struct nd_memtest_client client;
    struct nd_addr at = kit_addr(7);

    kit->report_count = 0;
    assert_int_equal(nd_memtest_connect(&client, &kit->agent, &at, bytes), ND_OK);
    kit_run(kit);
    assert_int_equal(kit->report_count, 6);
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(kit_last(kit)->expected_bytes, bytes);
}

static void the_console_tells_and_chooses_the_next_callers_bytes(void **state) {
    struct kit *kit = *state;
    static struct nd_memtest_server server;
    static struct nd_command command;
    struct nd_addr at = kit_addr(7);

    assert_int_equal(nd_memtest_serve(&server, &kit->agent, &at, 1000), ND_OK);
    nd_memtest_command(&command, &server);
    nd_console_add(&kit->console, &command);
    assert_string_equal(kit_type(kit, "memtest\n"), "memtest bytes=1000\n");
    assert_string_equal(kit_type(kit, "memtest -n 5000\n"), "memtest bytes=5000\n");
    expect_phases(kit, 5000);
    kit_read(kit);
    assert_string_equal(kit_type(kit, "memtest\n"), "memtest bytes=1000\n");
    expect_phases(kit, 1000);
}

static void amounts_that_are_none_are_refused(void **state) {
    struct kit *kit = *state;
    static struct nd_memtest_server server;
    static struct nd_command command;
    static const char *const lines[] = {"memtest -n\n", "memtest -n 0\n", "memtest -n 1K\n",
                                        "memtest 5\n", "memtest -n 5 6\n"};
    struct nd_addr at = kit_addr(7);

    assert_int_equal(nd_memtest_serve(&server, &kit->agent, &at, 0), ND_OK);
    nd_memtest_command(&command, &server);
    nd_console_add(&kit->console, &command);
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_string_equal(kit_type(kit, lines[i]), "error: arg: expected nothing or -n BYTES\n");
    }
    assert_string_equal(kit_type(kit, "memtest\n"), "memtest bytes=1048576\n");
}

static void a_refused_client_says_so(void **state) {
    struct kit *kit = *state;
    static struct nd_memtest_client client;
    struct nd_addr nobody = kit_addr(99);

    int result = nd_memtest_connect(&client, &kit->agent, &nobody, 0);
    if (result == ND_OK) {
        kit_run(kit);
        result = kit_last(kit)->result;
    }
    assert_int_equal(result, ND_E_REFUSED);
    assert_int_equal(kit_used(kit), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KIT_TEST(both_sides_count_three_phases_exactly),
        KIT_TEST(heap_is_sampled_after_every_receive_and_send),
        KIT_TEST(a_message_of_1024_bytes_comes_back_in_one_piece),
        KIT_TEST(a_caller_that_ends_early_is_reported_short_with_what_came),
        KIT_TEST(a_caller_that_dies_in_any_phase_leaves_the_server_ready),
        KIT_TEST(a_second_caller_waits_its_turn),
        KIT_TEST(a_silent_caller_is_dropped_after_the_limit),
        KIT_TEST(the_console_tells_and_chooses_the_next_callers_bytes),
        KIT_TEST(amounts_that_are_none_are_refused),
        KIT_TEST(a_refused_client_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
