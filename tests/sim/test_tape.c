/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin's tape, without QEMU: the page and the followed calls are the test's. */
#include "kit.h"

#include <stdlib.h>
#include <string.h>

#include "cycles/calls.h"
#include "cycles/tape.h"

enum { ROOM = 6, MAIN = 1, INPUT, CHECKSUM };

struct board {
    struct nd__page *page; /* with the tape behind it */
    struct nd__calls *calls;
    struct nd__tape tape;
};

static int set_up(void **state) {
    static struct board board;

    board.page = calloc(1, sizeof *board.page + ROOM * sizeof(struct nd_sim_change));
    board.calls = calloc(1, sizeof *board.calls);
    if (board.page == NULL || board.calls == NULL) {
        return -1;
    }
    board.page->tape_room = ROOM;
    nd__calls_init(board.calls, board.page);
    board.tape = (struct nd__tape){.page = board.page};
    nd__calls_enter(board.calls, MAIN, 0x10, 5);
    *state = &board;
    return 0;
}

static int tear_down(void **state) {
    struct board *board = *state;

    free(board->page);
    free(board->calls);
    return 0;
}

static void expect_change(const struct board *board, uint32_t index, uint64_t cycles,
                          uint32_t function, uint32_t depth) {
    const struct nd_sim_change *change = (const struct nd_sim_change *)(board->page + 1) + index;

    assert_in_range(index, 0, board->page->tape_count - 1);
    assert_int_equal(change->cycles, cycles);
    assert_int_equal(change->function, function);
    assert_int_equal(change->depth, depth);
}

static void enter(struct board *board, uint32_t function, uint64_t now) {
    nd__calls_enter(board->calls, function, (uint32_t)now, now);
    nd__tape_change(&board->tape, board->calls, now);
}

static void a_tape_that_nobody_wants_stays_empty(void **state) {
    struct board *board = *state;

    nd__tape_mark(&board->tape, board->calls, 0, 10);
    enter(board, INPUT, 12);
    assert_int_equal(board->page->tape_count, 0);
    assert_int_equal(board->page->tape_done, 0);
}

static void a_record_begins_with_the_open_calls_and_ends_with_a_mark(void **state) {
    struct board *board = *state;

    board->page->tape_wanted = 1;
    enter(board, INPUT, 8);
    assert_int_equal(board->page->tape_count, 0);
    nd__tape_mark(&board->tape, board->calls, 7, 10);
    nd__calls_leave(board->calls, 8, MAIN, 12);
    nd__tape_change(&board->tape, board->calls, 12);
    board->page->tape_wanted = 0;
    assert_int_equal(board->page->tape_done, 0);
    nd__tape_mark(&board->tape, board->calls, 8, 20);
    assert_int_equal(board->page->tape_done, 1);
    assert_int_equal(board->page->tape_count, 6);
    expect_change(board, 0, 10, 0, 0);
    expect_change(board, 1, 10, MAIN, 1);
    expect_change(board, 2, 10, INPUT, 2);
    expect_change(board, 3, 10, 7, ND_SIM_MARK);
    expect_change(board, 4, 12, MAIN, 1);
    expect_change(board, 5, 20, 8, ND_SIM_MARK);
}

static void what_finds_no_room_is_counted(void **state) {
    struct board *board = *state;

    board->page->tape_wanted = 1;
    nd__tape_mark(&board->tape, board->calls, 0, 10);
    for (uint64_t now = 20; now < 25; now++) {
        enter(board, CHECKSUM, now);
    }
    assert_int_equal(board->page->tape_count, ROOM);
    assert_int_equal(board->page->tape_lost, 2);
    expect_change(board, 5, 22, CHECKSUM, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tape_that_nobody_wants_stays_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_record_begins_with_the_open_calls_and_ends_with_a_mark,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_finds_no_room_is_counted, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
