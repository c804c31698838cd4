/* SPDX-License-Identifier: BSD-3-Clause */
/* core/iperf3_test.h - what both ends of an iperf 3 test do: talk, move data, report. */
#ifndef ND__IPERF3_TEST_H
#define ND__IPERF3_TEST_H

#include "iperf3_wire.h"
#include "nd/iperf3.h"

/* Where a test is. The server goes down the first list, the client down the second. */
enum nd__iperf3_phase {
    ND__IPERF3_IDLE,

    ND__IPERF3_PARAMS_IN,
    ND__IPERF3_ACCEPTING, /* streams */
    ND__IPERF3_SERVING,   /* data moves */
    ND__IPERF3_SETTLING,  /* the client is done; what is under way still comes in */
    ND__IPERF3_RESULTS_IN,
    ND__IPERF3_RESULTS_OUT,
    ND__IPERF3_SERVED,   /* wait for the last word */
    ND__IPERF3_REFUSING, /* the error is said; wait until the client has read it */

    ND__IPERF3_CONNECTING,
    ND__IPERF3_GREETING,   /* cookie sent: is it a server of iperf 3? */
    ND__IPERF3_PARAMS_OUT, /* wait until it takes them */
    ND__IPERF3_OPENING,    /* streams */
    ND__IPERF3_STARTING,   /* wait for the two words of the start */
    ND__IPERF3_STARTED,
    ND__IPERF3_TESTING,    /* data moves */
    ND__IPERF3_FLUSHING,   /* all is sent; wait until the peer has it */
    ND__IPERF3_ENDING,     /* the end is said; wait for the server to see it */
    ND__IPERF3_DRAINING,   /* what is under way still comes in */
    ND__IPERF3_TELLING,    /* our results, */
    ND__IPERF3_HEARING,    /* theirs, */
    ND__IPERF3_DISPLAYING, /* and the word that it was all */
    ND__IPERF3_LEAVING,    /* the last word is said; wait for the server to hang up */
    ND__IPERF3_REFUSED     /* the server has an error: which? */
};

/* None of their data is under way any more when none came for so long [ns]. */
#define ND__IPERF3_QUIET_NS 100000000u

/* The peer's reader has taken ours so long after its stack acknowledged it [ns]. */
#define ND__IPERF3_TAKEN_NS 20000000u

/* Ours is not waited for when the peer has acknowledged nothing more for so long: a client may read
 * no more, once it has said the end. Nor is theirs when nothing came of what they say they sent
 * [ns]. */
#define ND__IPERF3_STALL_NS 1000000000u

/* Nothing of either is waited for longer [ns]. */
#define ND__IPERF3_PATIENCE_NS 10000000000u

/* The agent time `ns` from now [ticks]. */
uint64_t nd__iperf3_after(const struct nd_iperf3_test *test, uint64_t ns);

/* Poll no later than that [ticks]. */
void nd__iperf3_wake_by(struct nd_iperf3_test *test, uint64_t at);

/* ---- iperf3_control.c: the control channel ------------------------------------------- */

/* Send what is waiting: ND_OK when nothing is left, ND_AGAIN, or the error. */
int nd__iperf3_flush(struct nd_iperf3_test *test);

/* Queue one word; there is room whenever flush() has said ND_OK. */
void nd__iperf3_say(struct nd_iperf3_test *test, enum nd__iperf3_word word);

/* Queue a refusal with iperf3's number for the reason. */
void nd__iperf3_say_error(struct nd_iperf3_test *test, enum nd__iperf3_error error);

/* Queue the parameters. */
void nd__iperf3_say_params(struct nd_iperf3_test *test);

/* Send the results, as many streams at a time as fit: ND_OK when all is gone, ND_AGAIN, or the
 * error. The streams' figures must not change meanwhile. */
int nd__iperf3_say_results(struct nd_iperf3_test *test);

/* The next word: ND_OK, ND_AGAIN, ND_EOF or the error. */
int nd__iperf3_hear(struct nd_iperf3_test *test, int *word);

/* The two numbers behind a refusal, into test->refusal. */
int nd__iperf3_hear_error(struct nd_iperf3_test *test);

/* The parameters, and the results: ND_OK when they are read whole. */
int nd__iperf3_hear_params(struct nd_iperf3_test *test);
int nd__iperf3_hear_results(struct nd_iperf3_test *test);

/* ---- iperf3_stream.c: the data ------------------------------------------------------- */

/* Begin to count and pace at this moment. */
void nd__iperf3_start_streams(struct nd_iperf3_test *test);

/* Receive, and send if told to. True when there may be more to do at once. */
bool nd__iperf3_move(struct nd_iperf3_test *test, bool send);

/* When a stream wants to send next [ticks]; UINT64_MAX = when the network has room. */
uint64_t nd__iperf3_due(const struct nd_iperf3_test *test);

/* True when all bytes or blocks of the test have been handed to the stack. */
bool nd__iperf3_sent(const struct nd_iperf3_test *test);

/* What the peers' stacks have not acknowledged of that, as far as ours can tell [byte]. */
uint64_t nd__iperf3_unacked(const struct nd_iperf3_test *test);

/* End the TCP streams that send: a client that waits for a whole block learns that none follows. */
void nd__iperf3_end_streams(struct nd_iperf3_test *test);

/* Close every stream. */
void nd__iperf3_close_streams(struct nd_iperf3_test *test);

/* Answer a server's waiting datagrams that set a stream up: ND_OK when every stream stands. */
int nd__iperf3_take_hellos(struct nd_iperf3_test *test);

/* ---- iperf3_server.c: the server's side of a test ---------------------------------------- */

/* Begin a test on this connection, whose caller has shown this cookie. */
void nd__iperf3_serve_client(struct nd_iperf3_server *server, struct nd_conn *conn,
                             const char *cookie);

/* ---- iperf3_test.c: the frame -------------------------------------------------------- */

/* A new test: nothing of the one before is left. */
void nd__iperf3_reset(struct nd_iperf3_test *test, const struct nd_iperf3_memory *memory);

/* One more stream stands: give it its identity and direction. */
struct nd_iperf3_stream *nd__iperf3_add_stream(struct nd_iperf3_test *test);

/* The data begins. We send for so long, the omission not counted [s]; 0 = no matter how long. */
void nd__iperf3_start(struct nd_iperf3_test *test, uint64_t seconds);

/* What the clock asks for, the end of the omission and interval reports; and when it will [ticks].
 */
void nd__iperf3_tick(struct nd_iperf3_test *test);
uint64_t nd__iperf3_tick_due(const struct nd_iperf3_test *test);

/* True when this end receives, and when it sends. */
bool nd__iperf3_receives(const struct nd_iperf3_test *test);
bool nd__iperf3_sends(const struct nd_iperf3_test *test);

/* Data still under way is waited for, from now on: ours until the peer's stack has acknowledged it
 * (and its reader had a moment to take it), theirs until no more comes. */
void nd__iperf3_await(struct nd_iperf3_test *test);

/* True when ours, or theirs, is there, or the patience at an end; else test->session.wake is set no
 * later than when to ask again. */
bool nd__iperf3_ours_arrived(struct nd_iperf3_test *test);
bool nd__iperf3_theirs_arrived(struct nd_iperf3_test *test);

/* What the other end says it sent and has not come is lost. */
void nd__iperf3_count_tails(struct nd_iperf3_test *test);

/* What we say of this stream. */
void nd__iperf3_result(const struct nd_iperf3_test *test, const struct nd_iperf3_stream *stream,
                       struct nd_iperf3_result *result);

/* How long the counting lasted, to the latest data [us]. */
uint64_t nd__iperf3_duration_us(const struct nd_iperf3_test *test);

/* Report, hang up, leave. */
void nd__iperf3_finish(struct nd_iperf3_test *test, int result);

#endif
