/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/remote.h"

static const struct nd_port *const port = &nd_port_loop;
static struct nd_remote remote;
static struct nd_console console;

static void serve_with(struct kit *kit, const char *token) {
    struct nd_addr at = kit_addr(ND_REMOTE_PORT);

    nd_console_init(&console, &kit->agent);
    assert_int_equal(nd_remote_serve(&remote, &kit->agent, &at, &console, token), ND_OK);
}

static void serve(struct kit *kit) {
    serve_with(kit, NULL);
}

static const char *ask(struct kit *kit, struct nd_conn *peer, const char *line) {
    static char answer[16384];
    size_t len = 0;
    const void *bytes;
    int32_t n;

    assert_int_equal(port->tx(peer, line, (uint32_t)strlen(line), 0), strlen(line));
    kit_run(kit);
    while ((n = port->rx(peer, &bytes)) > 0) {
        memcpy(answer + len, bytes, (size_t)n);
        len += (size_t)n;
        port->rx_done(peer, (uint32_t)n);
        kit_run(kit);
    }
    answer[len] = '\0';
    return answer;
}

static void a_caller_commands_the_agent_line_by_line(void **state) {
    struct kit *kit = *state;

    serve(kit);
    struct nd_conn *peer = kit_dial(kit, ND_REMOTE_PORT);
    assert_non_null(strstr(ask(kit, peer, "id\n"), "port=loop"));
    assert_non_null(strstr(ask(kit, peer, "services\nhelp\n"), "help: this list"));
    port->close(peer);
}

/* Longer than the console's buffer and the port's ring together. */
static void nothing_is_lost_when_output_exceeds_every_buffer(void **state) {
    struct kit *kit = *state;
    static char many[20 * 5 + 1];

    serve(kit);
    for (unsigned i = 0; i < 20; i++) {
        strcat(many, "help\n");
    }
    struct nd_conn *peer = kit_dial(kit, ND_REMOTE_PORT);
    const char *answer = ask(kit, peer, many);
    unsigned seen = 0;
    while ((answer = strstr(answer, "help: this list\n")) != NULL) {
        seen++;
        answer++;
    }
    assert_int_equal(seen, 20);
    port->close(peer);
}

static void the_next_caller_starts_afresh(void **state) {
    struct kit *kit = *state;

    serve(kit);
    struct nd_conn *peer = kit_dial(kit, ND_REMOTE_PORT);
    ask(kit, peer, "json on\nhalf a li");
    port->close(peer);
    kit_run(kit);
    peer = kit_dial(kit, ND_REMOTE_PORT);
    assert_non_null(strstr(ask(kit, peer, "id\n"), "id agent=netdyno"));
    port->end(peer);
    kit_run(kit);
    port->close(peer);
    kit_run(kit);
    assert_int_equal(kit_used(kit), 1);
}

static void stopping_the_tests_leaves_the_caller_connected(void **state) {
    struct kit *kit = *state;

    serve(kit);
    struct nd_conn *peer = kit_dial(kit, ND_REMOTE_PORT);
    assert_string_equal(ask(kit, peer, "stop\n"), "");
    assert_non_null(strstr(ask(kit, peer, "id\n"), "port=loop"));
    port->close(peer);
}

/* One silent connection once locked the console for good. */
static void a_silent_caller_makes_room_for_one_who_waits(void **state) {
    struct kit *kit = *state;
    struct nd_addr to = kit_addr(ND_REMOTE_PORT);
    struct nd_conn *next;
    const void *bytes;

    serve(kit);
    struct nd_conn *silent = kit_dial(kit, ND_REMOTE_PORT);
    assert_int_equal(port->connect(&kit->loop, &to, &next), ND_OK);
    kit->ticks += 20 * KIT_HZ;
    kit_run(kit);
    assert_int_equal(remote.service.taken, 1);
    kit->ticks += 20 * KIT_HZ;
    kit_run(kit);
    assert_int_equal(remote.service.taken, 2);
    assert_non_null(strstr(ask(kit, next, "id\n"), "port=loop"));
    assert_int_equal(port->rx(silent, &bytes), ND_E_RESET);
    port->close(silent);
    port->close(next);
}

static void a_silent_caller_is_not_thrown_out(void **state) {
    struct kit *kit = *state;

    serve(kit);
    struct nd_conn *peer = kit_dial(kit, ND_REMOTE_PORT);
    kit->ticks += 3000 * KIT_HZ;
    kit_run(kit);
    assert_non_null(strstr(ask(kit, peer, "id\n"), "port=loop"));
    port->close(peer);
}

static void without_the_token_nothing_is_done_and_nothing_told(void **state) {
    struct kit *kit = *state;
    struct nd_report report = {.engine = "test", .role = "server", .phase = "rx", .last = true};

    serve_with(kit, "opensesame");
    struct nd_conn *peer = kit_dial(kit, ND_REMOTE_PORT);
    assert_string_equal(ask(kit, peer, "id\n"),
                        "error: arg: token TOKEN: must come first, where one is asked for\n");
    assert_null(strstr(ask(kit, peer, "help\n"), "services"));
    console.sink.put(console.sink.ctx, &report);
    assert_string_equal(ask(kit, peer, "\n"), "");
    assert_non_null(strstr(ask(kit, peer, "json on\nstop\n"), "\"result\":\"arg\""));
    assert_false(kit->agent.stopping);
    port->close(peer);
}

static void the_token_opens_the_console_for_this_caller_alone(void **state) {
    struct kit *kit = *state;

    serve_with(kit, "opensesame");
    struct nd_conn *peer = kit_dial(kit, ND_REMOTE_PORT);
    assert_string_equal(ask(kit, peer, "token opensesame\n"), "");
    assert_non_null(strstr(ask(kit, peer, "id\n"), "port=loop"));
    port->close(peer);
    kit_run(kit);
    peer = kit_dial(kit, ND_REMOTE_PORT);
    assert_null(strstr(ask(kit, peer, "id\n"), "port=loop"));
    port->close(peer);
}

static void a_wrong_token_ends_the_connection(void **state) {
    static const char *const wrong[] = {"token opensesamf\n", "token opensesam\n",
                                        "token opensesameo\n", "token opensesameopensesame\n"};
    struct kit *kit = *state;
    const void *bytes;

    serve_with(kit, "opensesame");
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct nd_conn *peer = kit_dial(kit, ND_REMOTE_PORT);
        assert_string_equal(ask(kit, peer, wrong[i]), "error: arg: wrong token\n");
        int32_t end = port->rx(peer, &bytes);
        assert_true(end == ND_EOF || end == ND_E_RESET);
        port->close(peer);
        kit_run(kit);
    }
}

static void one_guess_is_all_there_is(void **state) {
    struct kit *kit = *state;

    serve_with(kit, "opensesame");
    struct nd_conn *peer = kit_dial(kit, ND_REMOTE_PORT);
    const char *answer = ask(kit, peer, "token a\ntoken opensesame\nid\n");
    assert_null(strstr(answer, "port=loop"));
    port->close(peer);
}

static void where_no_token_is_asked_for_any_is_good(void **state) {
    struct kit *kit = *state;

    serve(kit);
    struct nd_conn *peer = kit_dial(kit, ND_REMOTE_PORT);
    assert_string_equal(ask(kit, peer, "token x\n"), "");
    port->close(peer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KIT_TEST(a_caller_commands_the_agent_line_by_line),
        KIT_TEST(nothing_is_lost_when_output_exceeds_every_buffer),
        KIT_TEST(the_next_caller_starts_afresh),
        KIT_TEST(stopping_the_tests_leaves_the_caller_connected),
        KIT_TEST(a_silent_caller_makes_room_for_one_who_waits),
        KIT_TEST(a_silent_caller_is_not_thrown_out),
        KIT_TEST(without_the_token_nothing_is_done_and_nothing_told),
        KIT_TEST(the_token_opens_the_console_for_this_caller_alone),
        KIT_TEST(a_wrong_token_ends_the_connection),
        KIT_TEST(one_guess_is_all_there_is),
        KIT_TEST(where_no_token_is_asked_for_any_is_good),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
