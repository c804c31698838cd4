/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/ttcp.h"

static const struct nd_port *const port = &nd_port_loop;

static void start_receiver(struct kit *kit, struct nd_ttcp *ttcp, uint16_t at) {
    struct nd_ttcp_cfg cfg = {.addr = kit_addr(at)};

    assert_int_equal(nd_ttcp_start(ttcp, &kit->agent, &cfg), ND_OK);
}

static const struct nd_report *find(const struct kit *kit, const char *phase) {
    for (unsigned i = 0; i < kit->report_count; i++) {
        if (strcmp(kit->reports[i].report.phase, phase) == 0) {
            return &kit->reports[i].report;
        }
    }
    fail_msg("no report of phase %s", phase);
    return NULL;
}

static void every_byte_arrives_and_both_ends_agree(struct kit *kit, uint64_t nbuf, uint32_t buflen,
                                                   bool borrow) {
    static struct nd_ttcp receiver;
    static struct nd_ttcp sender;
    struct nd_ttcp_cfg cfg = {
        .transmit = true, .borrow = borrow, .addr = kit_addr(5001), .nbuf = nbuf, .buflen = buflen};

    kit->report_count = 0;
    start_receiver(kit, &receiver, 5001);
    assert_int_equal(nd_ttcp_start(&sender, &kit->agent, &cfg), ND_OK);
    kit_run(kit);
    assert_int_equal(find(kit, "tx")->result, ND_OK);
    assert_int_equal(find(kit, "rx")->result, ND_OK);
    assert_int_equal(find(kit, "tx")->flow.tx.bytes, nbuf * buflen);
    assert_int_equal(find(kit, "rx")->flow.rx.bytes, nbuf * buflen);
    assert_true(find(kit, "tx")->tail_ticks >= 0);
    assert_int_equal(kit_used(kit), 0);
}

static void counts_are_exact_for_all_kinds_of_buffers(void **state) {
    static const uint32_t lengths[] = {1, 5, 94, 95, 96, 1024, 1459, 1460, 1461, 8192, 100000};

    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        every_byte_arrives_and_both_ends_agree(*state, 37, lengths[i], i % 2 == 0);
    }
}

static void info_of_a_stack_that_tells_little(struct nd_conn *conn, struct nd_conn_info *info) {
    nd_port_loop.info(conn, info);
    info->unacked_bytes = ND_NOT_SUPPORTED;
}

static void a_tail_that_the_stack_does_not_tell_is_absent(void **state) {
    struct kit *kit = *state;
    static struct nd_ttcp receiver;
    static struct nd_ttcp sender;
    struct nd_port port = nd_port_loop;
    struct nd_ttcp_cfg cfg = {.transmit = true, .addr = kit_addr(5001), .nbuf = 3};

    port.can |= ND_PORT_END_EARLY;
    port.info = info_of_a_stack_that_tells_little;
    kit->agent.cfg.port = &port;
    start_receiver(kit, &receiver, 5001);
    assert_int_equal(nd_ttcp_start(&sender, &kit->agent, &cfg), ND_OK);
    kit_run(kit);
    assert_int_equal(find(kit, "tx")->result, ND_OK);
    assert_int_equal(find(kit, "tx")->tail_ticks, ND_NOT_SUPPORTED);
    kit->agent.cfg.port = &nd_port_loop;
}

static void every_buffer_begins_with_the_first_character_of_the_pattern(void **state) {
    struct kit *kit = *state;
    static struct nd_ttcp sender;
    struct nd_addr at = kit_addr(5001);
    struct nd_ttcp_cfg cfg = {.transmit = true, .addr = at, .nbuf = 5, .buflen = 3000};
    struct nd_conn *listener;
    struct nd_conn *peer;
    uint64_t position = 0;
    const void *bytes;
    int32_t n;

    assert_int_equal(port->listen(&kit->loop, &at, &listener), ND_OK);
    assert_int_equal(nd_ttcp_start(&sender, &kit->agent, &cfg), ND_OK);
    kit_run(kit);
    assert_int_equal(port->accept(listener, &peer), ND_OK);
    kit_run(kit);
    while ((n = port->rx(peer, &bytes)) > 0) {
        for (int32_t i = 0; i < n; i++) {
            char expected = (char)(' ' + position % 3000 % 95);
            assert_int_equal(((const char *)bytes)[i], expected);
            position++;
        }
        port->rx_done(peer, (uint32_t)n);
        kit_run(kit);
    }
    assert_int_equal(n, ND_EOF);
    assert_int_equal(position, 15000);
    port->close(peer);
    port->close(listener);
}

static void a_duration_ends_a_transmission_without_a_count(void **state) {
    struct kit *kit = *state;
    static struct nd_ttcp receiver;
    static struct nd_ttcp sender;
    struct nd_ttcp_cfg cfg = {.transmit = true, .addr = kit_addr(5001), .duration_ns = 50000000};

    start_receiver(kit, &receiver, 5001);
    assert_int_equal(nd_ttcp_start(&sender, &kit->agent, &cfg), ND_OK);
    kit_run(kit);
    const struct nd_report *tx = find(kit, "tx");
    assert_int_equal(tx->result, ND_OK);
    assert_int_equal(tx->flow.tx.bytes, find(kit, "rx")->flow.rx.bytes);
    assert_in_range(nd_span_elapsed(&tx->flow.tx), 49000, 50000);
}

static void a_receiver_that_serves_again_takes_one_caller_after_another(void **state) {
    struct kit *kit = *state;
    static struct nd_ttcp receiver;
    struct nd_ttcp_cfg cfg = {.again = true, .addr = kit_addr(5001)};

    assert_int_equal(nd_ttcp_start(&receiver, &kit->agent, &cfg), ND_OK);
    for (unsigned i = 1; i <= 3; i++) {
        struct nd_conn *peer = kit_dial(kit, 5001);
        assert_int_equal(port->tx(peer, "abc", 3, 0), 3);
        kit_run(kit);
        port->end(peer);
        kit_run(kit);
        port->close(peer);
        kit_run(kit);
        assert_int_equal(kit->report_count, i);
        assert_int_equal(kit_last(kit)->flow.rx.bytes, 3);
        assert_int_equal(kit_used(kit), 1);
    }
    nd_agent_stop_tests(&kit->agent);
    kit_run(kit);
    assert_int_equal(kit_used(kit), 1);
    nd_agent_close(&kit->agent);
    assert_int_equal(kit_used(kit), 0);
    assert_int_equal(kit->report_count, 3);
}

/* "stop" once ended the agent's own ttcp service, and told its old counts again. */
static void stopping_the_tests_spares_a_receiver_that_serves_again(void **state) {
    struct kit *kit = *state;
    static struct nd_ttcp receiver;
    struct nd_ttcp_cfg cfg = {.again = true, .addr = kit_addr(5001)};

    assert_int_equal(nd_ttcp_start(&receiver, &kit->agent, &cfg), ND_OK);
    struct nd_conn *peer = kit_dial(kit, 5001);
    nd_agent_stop_tests(&kit->agent);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_E_STOPPED);
    port->close(peer);
    peer = kit_dial(kit, 5001);
    assert_int_equal(port->tx(peer, "abc", 3, 0), 3);
    port->end(peer);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 3);
    port->close(peer);
}

static void a_sender_that_is_reset_reports_what_it_had_sent(void **state) {
    struct kit *kit = *state;
    static struct nd_ttcp receiver;

    start_receiver(kit, &receiver, 5001);
    struct nd_conn *peer = kit_dial(kit, 5001);
    assert_int_equal(port->tx(peer, "abc", 3, 0), 3);
    kit_run(kit);
    port->close(peer);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_E_RESET);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 3);
    assert_int_equal(kit_used(kit), 0);
}

static void a_test_of_no_bytes_ends_well(void **state) {
    struct kit *kit = *state;
    static struct nd_ttcp receiver;

    start_receiver(kit, &receiver, 5001);
    struct nd_conn *peer = kit_dial(kit, 5001);
    port->end(peer);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 0);
    assert_int_equal(nd_span_goodput_bit_s(&kit_last(kit)->flow.rx, KIT_HZ), ND_NO_SAMPLES);
    port->close(peer);
}

static void a_test_in_progress_refuses_a_second_start(void **state) {
    struct kit *kit = *state;
    static struct nd_ttcp receiver;
    struct nd_ttcp_cfg cfg = {.addr = kit_addr(5001)};

    assert_int_equal(nd_ttcp_start(&receiver, &kit->agent, &cfg), ND_OK);
    assert_int_equal(nd_ttcp_start(&receiver, &kit->agent, &cfg), ND_E_STATE);
}

/* ---- the console command --------------------------------------------------------------- */

static void add_command(struct kit *kit, struct nd_ttcp *ttcp) {
    static struct nd_command command;

    nd_ttcp_command(&command, ttcp);
    nd_console_add(&kit->console, &command);
}

static void the_console_prints_the_lines_of_the_wifi_module(void **state) {
    struct kit *kit = *state;
    static struct nd_ttcp ttcp;

    add_command(kit, &ttcp);
    assert_string_equal(kit_type(kit, "ttcp -r -p 5000\n"),
                        "ttcp listen port:5000 buflen:1024 lsockid:1\n");
    struct nd_conn *peer = kit_dial(kit, 5000);
    assert_int_equal(port->tx(peer, "0123456789", 10, 0), 10);
    kit_run(kit);
    kit->ticks += 2 * KIT_HZ;
    port->end(peer);
    kit_run(kit);
    const char *line = kit_read(kit);
    assert_non_null(strstr(line, "ttcp ok: 10 bytes processed in 2000 ms, 0.0050 KB/s\n"));
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 10);
    port->close(peer);

    struct nd_addr at = kit_addr(5000);
    struct nd_conn *listener;
    assert_int_equal(port->listen(&kit->loop, &at, &listener), ND_OK);
    assert_string_equal(kit_type(kit, "ttcp -t -n 128 -p 5000 192.168.2.100\n"),
                        "ttcp connect 192.168.2.100:5000 nbuf:128 buflen:1024 sockid:2\n");
    port->close(listener);
}

static void the_console_refuses_what_it_does_not_understand(void **state) {
    struct kit *kit = *state;
    static struct nd_ttcp ttcp;
    static const char *const lines[] = {
        "ttcp\n",
        "ttcp -t\n",
        "ttcp -r host\n",
        "ttcp -t -r 1.2.3.4\n",
        "ttcp -x\n",
        "ttcp -t -n\n",
        "ttcp -t -n x 1.1.1.1\n",
        "ttcp -t -p 0 1.1.1.1\n",
        "ttcp -t host\n",
        "ttcp -t -p 65536 1.1.1.1\n",
        "ttcp -t 1.1.1.1 2.2.2.2\n",
        "ttcp -\n",
    };

    add_command(kit, &ttcp);
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_memory_equal(kit_type(kit, lines[i]), "error: arg: ", 12);
        assert_int_equal(ttcp.session.number, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KIT_TEST(counts_are_exact_for_all_kinds_of_buffers),
        KIT_TEST(a_tail_that_the_stack_does_not_tell_is_absent),
        KIT_TEST(every_buffer_begins_with_the_first_character_of_the_pattern),
        KIT_TEST(a_duration_ends_a_transmission_without_a_count),
        KIT_TEST(a_receiver_that_serves_again_takes_one_caller_after_another),
        KIT_TEST(stopping_the_tests_spares_a_receiver_that_serves_again),
        KIT_TEST(a_sender_that_is_reset_reports_what_it_had_sent),
        KIT_TEST(a_test_of_no_bytes_ends_well),
        KIT_TEST(a_test_in_progress_refuses_a_second_start),
        KIT_TEST(the_console_prints_the_lines_of_the_wifi_module),
        KIT_TEST(the_console_refuses_what_it_does_not_understand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
