/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <jansson.h>
#include <string.h>

#include "nd/discard.h"

/* Every line must be one strict JSON object; returns the first whose kind is `kind`. */
static json_t *parse_lines(const char *text, const char *kind) {
    json_t *found = NULL;

    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        assert_non_null(end);
        json_t *line = json_loadb(text, (size_t)(end - text), JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(line);
        if (found == NULL && strcmp(json_string_value(json_object_get(line, "kind")), kind) == 0) {
            found = json_incref(line);
        }
        json_decref(line);
        text = end + 1;
    }
    return found;
}

static void json_mode_on(struct kit *kit) {
    json_t *end = parse_lines(kit_type(kit, "json on\n"), "end");

    assert_string_equal(json_string_value(json_object_get(end, "result")), "ok");
    json_decref(end);
}

static void an_unknown_command_says_where_to_look(void **state) {
    assert_string_equal(kit_type(*state, "fly\n"),
                        "error: arg: no such command; help lists them\n");
}

static void an_empty_line_is_nothing(void **state) {
    assert_string_equal(kit_type(*state, "\n  \r\n\t\n"), "");
}

static void help_lists_every_command_by_its_name(void **state) {
    const char *text = kit_type(*state, "help\n");
    static const char *const names[] = {"help",  "id",      "config", "services", "mem",
                                        "stack", "metrics", "stop",   "json",     "echo"};

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_non_null(strstr(text, names[i]));
    }
}

static void a_line_that_is_too_long_is_refused_whole(void **state) {
    struct kit *kit = *state;
    char line[ND_CFG_LINE_BYTES + 40];

    memset(line, 'a', sizeof line);
    line[sizeof line - 2] = '\n';
    line[sizeof line - 1] = '\0';
    assert_string_equal(kit_type(kit, line), "error: arg: line too long\n");
    assert_string_equal(kit_type(kit, "stop\n"), "");
}

static void too_many_words_are_refused(void **state) {
    assert_string_equal(
        kit_type(*state, "id a b c d e f g h i j k l m n o p q r s t u v w x y z\n"),
        "error: arg: too many words\n");
}

static void words_that_a_command_does_not_take_are_refused(void **state) {
    static const char *const lines[] = {"help ttcp\n",  "id extra\n",   "config x\n",
                                        "services x\n", "mem now\n",    "stack main\n",
                                        "stop now\n",   "metrics now\n"};

    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *answer = kit_type(*state, lines[i]);
        assert_non_null(strstr(answer, "error: arg: "));
    }
}

static void typing_can_be_corrected(void **state) {
    assert_string_equal(kit_type(*state, "stoq\bp\n"), "");
    assert_string_equal(kit_type(*state, "\b\b\x7fstop\n"), "");
}

static void echo_repeats_what_is_typed_as_a_terminal_wants_it(void **state) {
    assert_string_equal(kit_type(*state, "echo on\n"), "");
    assert_string_equal(kit_type(*state, "stop\n"), "stop\r\n");
    assert_string_equal(kit_type(*state, "fly\n"),
                        "fly\r\nerror: arg: no such command; help lists them\r\n");
    assert_string_equal(kit_type(*state, "ab\b\x15stop\n"), "ab\b \b\b \bstop\r\n");
    assert_string_equal(kit_type(*state, "echo off\n"), "echo off\r\n");
    assert_string_equal(kit_type(*state, "echo maybe\n"), "error: arg: expected on or off\n");
}

static void a_line_can_be_taken_back_whole(void **state) {
    assert_string_equal(kit_type(*state, "fly away\x15stop\n"), "");
    assert_string_equal(kit_type(*state, "\x15\x15stop\n"), "");
}

static void an_overlong_line_can_be_taken_back_too(void **state) {
    char line[ND_CFG_LINE_BYTES + 40];

    memset(line, 'a', sizeof line);
    memcpy(line + sizeof line - 7, "\x15stop\n", 7);
    assert_string_equal(kit_type(*state, line), "");
}

static void the_latest_line_comes_again(void **state) {
    static const char *const keys[] = {"\x1b[A", "\x10"};
    struct kit *kit = *state;

    for (unsigned i = 0; i < 2; i++) {
        assert_non_null(strstr(kit_type(kit, "echo  maybe\n"), "expected on or off"));
        char again[16];
        strcpy(again, keys[i]);
        assert_non_null(strstr(kit_type(kit, strcat(again, "\n")), "expected on or off"));
        strcpy(again, "\n");
        assert_string_equal(kit_type(kit, again), "");
        strcpy(again, keys[i]);
        assert_non_null(strstr(kit_type(kit, strcat(again, "\b\bX\n")), "expected on or off"));
    }
}

static void the_latest_line_is_gone_once_another_is_begun(void **state) {
    assert_string_equal(kit_type(*state, "\x10\x1b[A\n"), "");
    assert_string_equal(kit_type(*state, "echo off\nx\b\x10\n"), "");
}

static void other_keys_and_halves_of_them_are_nothing(void **state) {
    assert_string_equal(kit_type(*state, "st\x1b[Bo\x1b[1;5C\x1b"
                                         "Op\n"),
                        "");
    assert_string_equal(kit_type(*state, "stop\x1b[12\nstop\x1b\n"), "");
}

static void ctrl_c_takes_the_line_back_and_ends_the_tests(void **state) {
    struct kit *kit = *state;

    assert_string_equal(kit_type(kit, "fly\x03"), "");
    assert_true(kit->agent.stopping);
    assert_string_equal(kit_type(kit, "stop\n"), "");
}

static void a_request_id_is_on_every_line_of_its_answer(void **state) {
    struct kit *kit = *state;

    json_mode_on(kit);
    const char *text = kit_type(kit, "#4000000000 mem\n");
    json_t *pool = parse_lines(text, "pool");
    json_t *end = parse_lines(text, "end");
    assert_int_equal(json_integer_value(json_object_get(pool, "id")), 4000000000);
    assert_int_equal(json_integer_value(json_object_get(end, "id")), 4000000000);
    json_decref(pool);
    json_decref(end);
    assert_null(strstr(kit_type(kit, "mem\n"), "\"id\""));
}

static void mem_tells_people_the_free_heap_as_the_latest_test_left_it(void **state) {
    struct kit *kit = *state;

    assert_null(strstr(kit_type(kit, "mem\n"), "heap free"));
    kit->agent.heap_free = (struct nd_heap_meter){
        .sum = 52128, .samples = 3, .now = 19148, .min = 15476, .max = 24716};
    assert_non_null(strstr(kit_type(kit, "mem\n"),
                           "heap free current=19148 maximum=24716 minimum=15476 average=17376\n"));
}

static int stack_of_1000(void *ctx, unsigned index, struct nd_stack *stack) {
    (void)ctx;
    *stack = (struct nd_stack){"main", 1000, 250, 400};
    return index == 0 ? ND_OK : ND_EOF;
}

static void stack_tells_what_is_free_and_its_share(void **state) {
    struct kit *kit = *state;

    kit->memory.stack = stack_of_1000;
    assert_string_equal(kit_type(kit, "stack\n"),
                        "stack name=main total_bytes=1000 used_bytes=250 used_max_bytes=400 "
                        "free_bytes=750 used_pct=25\n");
}

static void an_unknown_number_is_a_reason_never_zero(void **state) {
    struct kit *kit = *state;

    json_mode_on(kit);
    json_t *pool = parse_lines(kit_type(kit, "mem\n"), "pool");
    assert_string_equal(json_string_value(json_object_get(pool, "used_max")), "not_built");
    assert_int_equal(json_integer_value(json_object_get(pool, "used")), 6000);
    json_decref(pool);
    json_t *end = parse_lines(kit_type(kit, "stack\n"), "end");
    assert_string_equal(json_string_value(json_object_get(end, "message")), "stack: not_hooked");
    json_decref(end);
}

static void metrics_of_nothing_have_no_samples(void **state) {
    const char *text = kit_type(*state, "metrics\n");

    assert_non_null(strstr(text, "gap name=poll count=0 p50_ns=no_samples"));
    assert_null(strstr(text, "first_failure"));
}

static void a_report_is_one_json_object_without_an_id(void **state) {
    struct kit *kit = *state;
    static struct nd_stream_server server;
    static struct nd_stream_conn places[1];
    struct nd_addr at = kit_addr(9);

    json_mode_on(kit);
    assert_int_equal(nd_discard_serve(&server, &kit->agent, &at, places, 1), ND_OK);
    struct nd_conn *peer = kit_dial(kit, 9);
    assert_int_equal(nd_port_loop.tx(peer, "abc", 3, 0), 3);
    kit_run(kit);
    nd_port_loop.end(peer);
    kit_run(kit);
    json_t *report = parse_lines(kit_read(kit), "report");
    assert_non_null(report);
    assert_null(json_object_get(report, "id"));
    assert_string_equal(json_string_value(json_object_get(report, "engine")), "discard");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(report, "rx"), "bytes")),
                     3);
    assert_string_equal(json_string_value(json_object_get(report, "tail_ns")), "not_supported");
    json_decref(report);
    nd_port_loop.close(peer);
}

/* The console is never read: reports are dropped whole, and their number is told later. */
static void reports_without_room_are_counted_and_told(void **state) {
    struct kit *kit = *state;
    struct nd_report report = {.engine = "test", .role = "server", .phase = "rx", .last = true};

    json_mode_on(kit);
    for (unsigned i = 0; i < 50; i++) {
        kit->console.sink.put(kit->console.sink.ctx, &report);
    }
    assert_true(kit->console.lost_reports > 0);
    uint32_t lost = kit->console.lost_reports;
    assert_null(parse_lines(kit_read(kit), "lost"));
    assert_true(nd_console_poll(&kit->console));
    json_t *line = parse_lines(kit_read(kit), "lost");
    assert_int_equal(json_integer_value(json_object_get(line, "lines")), lost);
    json_decref(line);
}

/* Input offered while a command waits for room is kept by its sender, not lost. */
static void a_running_command_holds_back_the_next_line(void **state) {
    struct kit *kit = *state;
    static const char two[] = "help\nid\n";

    size_t taken = nd_console_input(&kit->console, two, sizeof two - 1);
    assert_int_equal(taken, 5);
    while (kit->console.running != NULL) {
        nd_console_poll(&kit->console);
        kit_read(kit);
    }
    assert_int_equal(nd_console_input(&kit->console, two + taken, 3), 3);
    assert_memory_equal(kit_read(kit), "id agent=netdyno port=loop", 26);
}

static void random_typing_never_breaks_the_json(void **state) {
    struct kit *kit = *state;
    uint32_t seed = 12345;
    char line[40];

    json_mode_on(kit);
    for (unsigned i = 0; i < 3000; i++) {
        size_t len = 0;
        while (len < sizeof line - 2) {
            seed = seed * 1664525u + 1013904223u;
            char c = (char)(seed >> 24);
            line[len++] = c == '\0' || c == '\n' || c == '\r' ? '#' : c;
        }
        line[len++] = '\n';
        line[len] = '\0';
        json_decref(parse_lines(kit_type(kit, line), "end"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KIT_TEST(an_unknown_command_says_where_to_look),
        KIT_TEST(an_empty_line_is_nothing),
        KIT_TEST(help_lists_every_command_by_its_name),
        KIT_TEST(a_line_that_is_too_long_is_refused_whole),
        KIT_TEST(too_many_words_are_refused),
        KIT_TEST(words_that_a_command_does_not_take_are_refused),
        KIT_TEST(typing_can_be_corrected),
        KIT_TEST(echo_repeats_what_is_typed_as_a_terminal_wants_it),
        KIT_TEST(a_line_can_be_taken_back_whole),
        KIT_TEST(an_overlong_line_can_be_taken_back_too),
        KIT_TEST(the_latest_line_comes_again),
        KIT_TEST(the_latest_line_is_gone_once_another_is_begun),
        KIT_TEST(other_keys_and_halves_of_them_are_nothing),
        KIT_TEST(ctrl_c_takes_the_line_back_and_ends_the_tests),
        KIT_TEST(a_request_id_is_on_every_line_of_its_answer),
        KIT_TEST(an_unknown_number_is_a_reason_never_zero),
        KIT_TEST(metrics_of_nothing_have_no_samples),
        KIT_TEST(a_report_is_one_json_object_without_an_id),
        KIT_TEST(mem_tells_people_the_free_heap_as_the_latest_test_left_it),
        KIT_TEST(stack_tells_what_is_free_and_its_share),
        KIT_TEST(reports_without_room_are_counted_and_told),
        KIT_TEST(a_running_command_holds_back_the_next_line),
        KIT_TEST(random_typing_never_breaks_the_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
