/* SPDX-License-Identifier: BSD-3-Clause */
/* Both ends of iperf 3 are ours, over the loop port. */
#include "engine_kit.h"

#include <string.h>

#include "iperf3_pair.h"

struct mode {
    const char *name;
    struct nd_iperf3_params params;
};

static const struct mode modes[] = {
    {"tcp", {.time_s = 1}},
    {"tcp -R", {.time_s = 1, .reverse = true}},
    {"tcp --bidir", {.time_s = 1, .bidir = true}},
    {"tcp -P 4", {.time_s = 1, .parallel = 4}},
    {"tcp -P 3 -R", {.time_s = 1, .parallel = 3, .reverse = true}},
    {"tcp -P 2 --bidir", {.time_s = 1, .parallel = 2, .bidir = true}},
    {"tcp -b", {.time_s = 1, .rate_bit_s = 1000000, .length = 1000}},
    {"tcp -b -R", {.time_s = 1, .rate_bit_s = 1000000, .length = 1000, .reverse = true}},
    {"tcp -k", {.blocks = 7}},
    {"tcp -k -R", {.blocks = 7, .reverse = true}},
    {"udp", {.time_s = 1, .udp = true, .length = 1000}},
    {"udp -R", {.time_s = 1, .udp = true, .length = 1000, .reverse = true}},
    {"udp --bidir", {.time_s = 1, .udp = true, .length = 1000, .bidir = true}},
    {"udp -P 3 -R", {.time_s = 1, .udp = true, .length = 200, .parallel = 3, .reverse = true}},
    {"udp 64 bit", {.time_s = 1, .udp = true, .length = 16, .counters_64bit = true}},
    {"udp -k -R", {.blocks = 20, .udp = true, .length = 1000, .reverse = true}},
    {"udp burst", {.time_s = 1, .udp = true, .length = 1000, .burst = 2}},
};

/* What one end sent, the other received; nothing was lost. */
static void check_direction(const struct nd_report *from, const struct nd_report *to, bool udp) {
    assert_true(from->flow.tx.bytes > 0);
    assert_int_equal(from->flow.tx.bytes, to->flow.rx.bytes);
    if (!udp) {
        assert_null(to->datagrams);
        return;
    }
    assert_int_equal(to->datagrams->datagrams, from->tx_datagrams);
    assert_int_equal(to->datagrams->expected, from->tx_datagrams);
    assert_int_equal(to->datagrams->lost, 0);
    assert_int_equal(from->peer_datagrams->datagrams, from->tx_datagrams);
    assert_int_equal(from->peer_datagrams->lost, 0);
}

static void both_ends_agree_in_every_mode(void **state) {
    struct kit *kit = *state;

    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        const struct nd_iperf3_params *params = &modes[i].params;
        print_message("%s\n", modes[i].name);
        pair_count = 0;
        pair_serve(kit, NULL);
        pair_connect(kit, params);
        pair_run(kit);
        const struct nd_report *client = pair_report("client");
        const struct nd_report *server = pair_report("server");
        assert_int_equal(client->result, ND_OK);
        assert_int_equal(server->result, ND_OK);
        if (!params->reverse) {
            check_direction(client, server, params->udp);
        }
        if (params->reverse || params->bidir) {
            check_direction(server, client, params->udp);
        }
        nd_iperf3_server_close(&pair_server);
        assert_int_equal(kit_used(kit), 0);
    }
}

static void bytes_are_exact_for_all_kinds_of_amounts_and_blocks(void **state) {
    struct kit *kit = *state;
    static const uint64_t amounts[] = {1, 2, 1459, 1460, 1461, 10240, 131072, 131073, 300001};
    static const uint32_t lengths[] = {1, 1459, 1460, 1461, 131072};

    pair_serve(kit, NULL);
    for (unsigned i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        for (unsigned k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
            struct nd_iperf3_params params = {.bytes = amounts[i], .length = lengths[k]};
            params.parallel = 1 + k % 3;
            params.reverse = i % 2 == 0;
            pair_test(kit, &params);
            const struct nd_report *client = pair_report("client");
            const struct nd_report *server = pair_report("server");
            assert_int_equal(client->result, ND_OK);
            assert_int_equal(client->expected_bytes, amounts[i]);
            assert_int_equal(client->flow.rx.bytes + client->flow.tx.bytes, amounts[i]);
            assert_int_equal(server->flow.rx.bytes + server->flow.tx.bytes, amounts[i]);
        }
    }
}

static void a_udp_amount_is_rounded_up_to_whole_datagrams(void **state) {
    struct kit *kit = *state;
    struct nd_iperf3_params params = {.bytes = 10001, .udp = true, .length = 1000};

    pair_serve(kit, NULL);
    pair_test(kit, &params);
    assert_int_equal(pair_report("client")->tx_datagrams, 11);
    assert_int_equal(pair_report("server")->flow.rx.bytes, 11000);
}

static void a_rate_is_kept(void **state) {
    struct kit *kit = *state;
    struct nd_iperf3_params params = {
        .time_s = 2, .udp = true, .length = 1250, .rate_bit_s = 1000000};

    pair_serve(kit, NULL);
    pair_test(kit, &params);
    assert_in_range(pair_report("client")->tx_datagrams, 199, 201);
}

static void what_is_omitted_is_not_counted(void **state) {
    struct kit *kit = *state;

    for (unsigned reverse = 0; reverse < 2; reverse++) {
        struct nd_iperf3_params params = {.time_s = 1,
                                          .omit_s = 2,
                                          .udp = true,
                                          .length = 1250,
                                          .rate_bit_s = 1000000,
                                          .reverse = reverse != 0};
        pair_serve(kit, NULL);
        pair_test(kit, &params);
        const struct nd_report *to = pair_report(reverse ? "client" : "server");
        const struct nd_report *from = pair_report(reverse ? "server" : "client");
        assert_in_range(from->tx_datagrams, 99, 101);
        assert_in_range(to->datagrams->expected, 99, 101);
        assert_int_equal(to->datagrams->lost, 0);
        assert_in_range(to->flow.rx.bytes, 99 * 1250, 101 * 1250);
        assert_in_range(from->peer_datagrams->expected, 99, 101);
        nd_iperf3_server_close(&pair_server);
    }
}

static void intervals_add_up_to_the_whole(void **state) {
    struct kit *kit = *state;
    struct nd_iperf3_limits limits = {.interval_ms = 100};
    struct nd_iperf3_params params = {.time_s = 1, .udp = true, .length = 1000, .parallel = 2};
    uint64_t bytes = 0;
    uint64_t datagrams = 0;
    unsigned intervals = 0;

    pair_serve(kit, &limits);
    pair_test(kit, &params);
    for (unsigned i = 0; i < pair_count; i++) {
        const struct pair_kept *kept = &pair_reports[i];
        if (kept->report.interval) {
            assert_string_equal(kept->report.role, "server");
            assert_true(kept->report.flow.rx.bytes > 0);
            bytes += kept->report.flow.rx.bytes;
            datagrams += kept->datagrams.datagrams;
            assert_true(kept->report.end > kept->report.begin);
            assert_in_range(kept->report.end - kept->report.begin, 90000, 101000);
            intervals++;
        }
    }
    assert_int_equal(intervals, 10); /* no sliver at the end */
    assert_int_equal(bytes, pair_report("server")->flow.rx.bytes);
    assert_int_equal(datagrams, pair_report("server")->datagrams->datagrams);
}

static void numbers_go_on_across_32_bits(void **state) {
    struct kit *kit = *state;

    for (unsigned big = 0; big < 2; big++) {
        struct nd_iperf3_params params = {
            .blocks = 40, .udp = true, .length = 1000, .counters_64bit = big != 0};
        uint64_t start = ((uint64_t)1 << 32) - 20;
        pair_serve(kit, NULL);
        pair_connect(kit, &params);
        pair_streams[0][0].packets = start;
        pair_run_to_start(kit);
        nd_sequence_start(&pair_streams[1][0].meter, start + 1, KIT_HZ);
        pair_run(kit);
        assert_int_equal(pair_report("server")->datagrams->lost, 0);
        assert_int_equal(pair_report("server")->datagrams->datagrams, 40);
        assert_int_equal(pair_streams[1][0].meter.next, start + 41);
        nd_iperf3_server_close(&pair_server);
    }
}

static void counts_above_four_gibibytes_cross_the_wire(void **state) {
    struct kit *kit = *state;
    struct nd_iperf3_params params = {.blocks = 3, .length = 1000};
    uint64_t huge = (uint64_t)5 << 30;

    pair_serve(kit, NULL);
    pair_connect(kit, &params);
    pair_run_to_start(kit);
    pair_streams[0][0].bytes += huge;
    pair_streams[1][0].bytes += huge;
    pair_run(kit);
    assert_int_equal(pair_streams[0][0].theirs.bytes, huge + 3000);
    assert_int_equal(pair_streams[1][0].theirs.bytes, huge + 3000);
}

static void a_second_client_is_told_that_the_server_is_busy(void **state) {
    struct kit *kit = *state;
    static struct nd_iperf3_client second;
    static struct nd_iperf3_stream stream;
    struct nd_iperf3_params params = {.time_s = 1};
    struct nd_iperf3_client_cfg cfg = {.to = kit_addr(ND_IPERF3_PORT)};
    struct nd_iperf3_memory memory = {.streams = &stream, .stream_count = 1};

    pair_serve(kit, NULL);
    pair_connect(kit, &params);
    pair_run_to_start(kit);
    assert_int_equal(nd_iperf3_connect(&second, &kit->agent, &memory, &cfg), ND_OK);
    pair_run(kit);
    assert_int_equal(pair_reports[0].report.result, ND_E_REFUSED);
    assert_non_null(strstr(pair_reports[0].report.message, "busy"));
    assert_int_equal(pair_count, 3);
    assert_int_equal(pair_reports[1].report.result, ND_OK);
    assert_int_equal(pair_reports[2].report.result, ND_OK);
}

static void a_server_whose_memory_a_client_has_is_busy(void **state) {
    struct kit *kit = *state;
    static struct nd_iperf3_server server;
    static struct nd_iperf3_client caller;
    static struct nd_iperf3_stream own;
    struct nd_session other = {.number = 7};
    const struct nd_addr at = kit_addr(ND_IPERF3_PORT);
    const struct nd_iperf3_client_cfg cfg = {.to = at, .params = {.blocks = 5}};
    const struct nd_iperf3_memory shared = {
        .streams = pair_streams[1], .stream_count = 1, .other = &other};
    const struct nd_iperf3_memory memory = {.streams = &own, .stream_count = 1};

    assert_int_equal(nd_iperf3_serve(&server, &kit->agent, &at, &shared, NULL), ND_OK);
    assert_int_equal(nd_iperf3_connect(&caller, &kit->agent, &memory, &cfg), ND_OK);
    pair_run(kit);
    assert_int_equal(pair_count, 1);
    assert_int_equal(pair_reports[0].report.result, ND_E_REFUSED);
    other.number = 0;
    assert_int_equal(nd_iperf3_connect(&caller, &kit->agent, &memory, &cfg), ND_OK);
    pair_run(kit);
    assert_int_equal(pair_count, 3);
    assert_int_equal(pair_reports[1].report.result, ND_OK);
    assert_int_equal(pair_reports[2].report.result, ND_OK);
    nd_iperf3_server_close(&server);
}

static void fifty_tests_leave_nothing_behind(void **state) {
    struct kit *kit = *state;

    pair_serve(kit, NULL);
    for (unsigned i = 0; i < 50; i++) {
        struct nd_iperf3_params params = modes[i % (sizeof modes / sizeof modes[0])].params;
        if (params.time_s > 0) {
            params.time_s = 0;
            params.blocks = 5;
        }
        pair_test(kit, &params);
        assert_int_equal(pair_report("client")->result, ND_OK);
        assert_int_equal(pair_report("server")->result, ND_OK);
        assert_int_equal(kit_used(kit), 1);
    }
}

/* ---- limits of the owner --------------------------------------------------------------- */

static void refused(struct kit *kit, const struct nd_iperf3_limits *limits,
                    struct nd_iperf3_params params, const char *why) {
    pair_serve(kit, limits);
    pair_test(kit, &params);
    assert_int_equal(pair_report("client")->result, ND_E_UNSUPPORTED);
    assert_non_null(strstr(pair_report("client")->message, why));
    assert_int_equal(pair_report("server")->result, ND_E_UNSUPPORTED);
    nd_iperf3_server_close(&pair_server);
    assert_int_equal(kit_used(kit), 0);
}

static void what_the_owner_does_not_offer_is_refused_by_its_name(void **state) {
    struct kit *kit = *state;
    struct nd_iperf3_limits short_tests = {.seconds = 5};
    struct nd_iperf3_limits slow_tests = {.rate_bit_s = 1000000};

    refused(kit, &short_tests, (struct nd_iperf3_params){.time_s = 6}, "long");
    refused(kit, &short_tests, (struct nd_iperf3_params){.time_s = 3, .omit_s = 3}, "long");
    refused(kit, &slow_tests, (struct nd_iperf3_params){.rate_bit_s = 1000001}, "rate");
    refused(kit, &slow_tests, (struct nd_iperf3_params){.rate_bit_s = 600000, .parallel = 2},
            "rate");
    pair_server_streams = 2;
    refused(kit, NULL, (struct nd_iperf3_params){.parallel = 3}, "streams");
    refused(kit, NULL, (struct nd_iperf3_params){.parallel = 2, .bidir = true}, "streams");
    pair_server_datagram = 500;
    refused(kit, NULL, (struct nd_iperf3_params){.udp = true, .length = 501, .reverse = true},
            "datagram");
}

static void a_test_beyond_the_owners_time_or_rate_is_ended(void **state) {
    struct kit *kit = *state;
    struct nd_iperf3_limits limits = {.seconds = 5};
    struct nd_iperf3_params endless = {
        .bytes = (uint64_t)1 << 50, .length = 1000, .rate_bit_s = 80000};

    pair_serve(kit, &limits);
    pair_test(kit, &endless);
    assert_int_equal(pair_report("client")->result, ND_E_SHORT);
    assert_non_null(strstr(pair_report("server")->message, "longer"));
    nd_iperf3_server_close(&pair_server);

    limits = (struct nd_iperf3_limits){.rate_bit_s = 80000};
    pair_serve(kit, &limits);
    pair_test(kit, &(struct nd_iperf3_params){.time_s = 5});
    assert_int_equal(pair_report("client")->result, ND_E_SHORT);
    assert_non_null(strstr(pair_report("server")->message, "faster"));
}

static void our_own_sending_is_paced_to_the_owners_rate(void **state) {
    struct kit *kit = *state;
    struct nd_iperf3_limits limits = {.rate_bit_s = 800000};

    pair_serve(kit, &limits);
    pair_test(kit, &(struct nd_iperf3_params){.time_s = 4, .length = 1000, .reverse = true});
    assert_int_equal(pair_report("client")->result, ND_OK);
    assert_in_range(pair_report("server")->flow.tx.bytes, 398000, 402000);
}

/* ---- memory and misuse ------------------------------------------------------------------- */

static void the_ram_is_what_the_header_says(void **state) {
    (void)state;
    assert_in_range(sizeof(struct nd_iperf3_server), ND_IPERF3_SERVER_BYTES - 200,
                    ND_IPERF3_SERVER_BYTES);
    assert_in_range(sizeof(struct nd_iperf3_client), ND_IPERF3_CLIENT_BYTES - 200,
                    ND_IPERF3_CLIENT_BYTES);
    assert_in_range(sizeof(struct nd_iperf3_stream), ND_IPERF3_STREAM_BYTES - 32,
                    ND_IPERF3_STREAM_BYTES);
}

static void what_makes_no_sense_is_refused_at_once(void **state) {
    struct kit *kit = *state;
    static const struct nd_iperf3_params params[] = {
        {.parallel = 9},
        {.parallel = 5, .bidir = true},
        {.length = 2000000},
        {.reverse = true, .bidir = true},
        {.bytes = 1, .blocks = 1},
        {.udp = true, .length = 15},
        {.udp = true, .length = 1473},
    };

    for (unsigned i = 0; i < sizeof params / sizeof params[0]; i++) {
        assert_int_equal(pair_try(kit, &params[i]), ND_E_ARG);
    }
    assert_int_equal(pair_try(kit, &(struct nd_iperf3_params){.sctp = true}), ND_E_UNSUPPORTED);
    pair_serve(kit, NULL);
    assert_int_equal(pair_try(kit, &(struct nd_iperf3_params){.time_s = 1}), ND_OK);
    assert_int_equal(pair_try(kit, &(struct nd_iperf3_params){.time_s = 1}), ND_E_STATE);
    assert_int_equal(nd_iperf3_serve(&pair_server, &kit->agent, &(struct nd_addr){0},
                                     &(struct nd_iperf3_memory){0}, NULL),
                     ND_E_ARG);
    pair_run(kit);
}

static void stop_ends_a_test_on_both_ends(void **state) {
    struct kit *kit = *state;

    pair_serve(kit, NULL);
    pair_connect(kit, &(struct nd_iperf3_params){.time_s = 10});
    pair_run_to_start(kit);
    nd_agent_stop_tests(&kit->agent);
    pair_run(kit);
    assert_int_equal(pair_report("client")->result, ND_E_STOPPED);
    assert_int_equal(pair_report("server")->result, ND_E_STOPPED);
    assert_int_equal(kit_used(kit), 1);
}

/* ---- the console command --------------------------------------------------------------- */

static struct nd_iperf3 console_iperf3;

static void add_command(struct kit *kit) {
    static struct nd_command command;

    console_iperf3 = (struct nd_iperf3){.memory = {.streams = pair_streams[1],
                                                   .stream_count = PAIR_STREAMS,
                                                   .datagram = pair_datagrams[1],
                                                   .datagram_bytes = sizeof pair_datagrams[1]}};
    nd_iperf3_command(&command, &console_iperf3);
    nd_console_add(&kit->console, &command);
}

static void the_console_serves_until_stopped(void **state) {
    struct kit *kit = *state;

    add_command(kit);
    assert_string_equal(kit_type(kit, "iperf3 -s -p 5202\n"), "Server listening on 5202\n");
    assert_memory_equal(kit_type(kit, "iperf3 -s\n"), "error: state: ", 14);
    pair_port = 5202;
    pair_test(kit, &(struct nd_iperf3_params){.bytes = 1000});
    assert_int_equal(pair_report("client")->result, ND_OK);
    pair_test(kit, &(struct nd_iperf3_params){.bytes = 1000, .reverse = true});
    assert_int_equal(pair_report("client")->result, ND_OK);
    kit_read(kit);
    kit_type(kit, "stop\n");
    kit_run(kit);
    assert_int_equal(kit_used(kit), 0);
}

static void a_caller_left_over_by_a_stopped_server_harms_the_next_one_not(void **state) {
    struct kit *kit = *state;

    add_command(kit);
    kit_type(kit, "iperf3 -s\n");
    struct nd_conn *idle = kit_dial(kit, ND_IPERF3_PORT);
    kit_type(kit, "stop\n");
    kit_run(kit);
    assert_string_equal(kit_type(kit, "iperf3 -s\n"), "Server listening on 5201\n");
    pair_test(kit, &(struct nd_iperf3_params){.bytes = 1000});
    assert_int_equal(pair_report("client")->result, ND_OK);
    pair_pass(kit, 4u * KIT_HZ);
    nd_port_loop.close(idle);
    kit_read(kit);
    kit_type(kit, "stop\n");
    kit_run(kit);
    assert_int_equal(kit_used(kit), 0);
}

static void the_console_runs_a_client(void **state) {
    struct kit *kit = *state;

    pair_serve(kit, NULL);
    add_command(kit);
    console_iperf3.memory.streams = pair_streams[0];
    console_iperf3.memory.datagram = pair_datagrams[0];
    assert_string_equal(
        kit_type(kit, "iperf3 -c 10.0.0.1 -u -k 10 -l 1000 -b 2M/2 -i 0.5 -P 2 -R -O 1\n"),
        "Connecting to 10.0.0.1:5201\n");
    const struct nd_iperf3_params *params = &console_iperf3.client.test.params;
    assert_true(params->udp && params->reverse);
    assert_int_equal(params->rate_bit_s, 2000000);
    assert_int_equal(params->burst, 2);
    assert_int_equal(params->parallel, 2);
    assert_int_equal(console_iperf3.client.test.interval, KIT_HZ / 2);
    pair_run(kit);
    assert_int_equal(pair_report("server")->result, ND_OK);
    assert_int_equal(pair_report("server")->tx_datagrams, 0); /* all within the omission */
}

static void the_console_refuses_what_it_does_not_understand(void **state) {
    struct kit *kit = *state;
    static const char *const lines[] = {
        "iperf3\n",
        "iperf3 -s -c 1.2.3.4\n",
        "iperf3 -c\n",
        "iperf3 -c host\n",
        "iperf3 -s -u\n",
        "iperf3 -c 1.1.1.1 -t\n",
        "iperf3 -c 1.1.1.1 -t 0\n",
        "iperf3 -c 1.1.1.1 -t 86401\n",
        "iperf3 -c 1.1.1.1 -n x\n",
        "iperf3 -c 1.1.1.1 -n 99999999999999999999\n",
        "iperf3 -c 1.1.1.1 -b 1M/0\n",
        "iperf3 -c 1.1.1.1 -b 1M/\n",
        "iperf3 -c 1.1.1.1 -i 1.2345\n",
        "iperf3 -c 1.1.1.1 -p 65536\n",
        "iperf3 -c 1.1.1.1 -p 0\n",
        "iperf3 -c 1.1.1.1 -P 9\n",
        "iperf3 -c 1.1.1.1 -R --bidir\n",
        "iperf3 -c 1.1.1.1 -Z\n",
        "iperf3 -c 1.1.1.1 word\n",
    };

    add_command(kit);
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_memory_equal(kit_type(kit, lines[i]), "error: arg: ", 12);
        assert_int_equal(kit_used(kit), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PAIR_TEST(both_ends_agree_in_every_mode),
        PAIR_TEST(bytes_are_exact_for_all_kinds_of_amounts_and_blocks),
        PAIR_TEST(a_udp_amount_is_rounded_up_to_whole_datagrams),
        PAIR_TEST(a_rate_is_kept),
        PAIR_TEST(what_is_omitted_is_not_counted),
        PAIR_TEST(intervals_add_up_to_the_whole),
        PAIR_TEST(numbers_go_on_across_32_bits),
        PAIR_TEST(counts_above_four_gibibytes_cross_the_wire),
        PAIR_TEST(a_second_client_is_told_that_the_server_is_busy),
        PAIR_TEST(a_server_whose_memory_a_client_has_is_busy),
        PAIR_TEST(fifty_tests_leave_nothing_behind),
        PAIR_TEST(what_the_owner_does_not_offer_is_refused_by_its_name),
        PAIR_TEST(a_test_beyond_the_owners_time_or_rate_is_ended),
        PAIR_TEST(our_own_sending_is_paced_to_the_owners_rate),
        PAIR_TEST(the_ram_is_what_the_header_says),
        PAIR_TEST(what_makes_no_sense_is_refused_at_once),
        PAIR_TEST(stop_ends_a_test_on_both_ends),
        PAIR_TEST(the_console_serves_until_stopped),
        PAIR_TEST(a_caller_left_over_by_a_stopped_server_harms_the_next_one_not),
        PAIR_TEST(the_console_runs_a_client),
        PAIR_TEST(the_console_refuses_what_it_does_not_understand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
