/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "iperf3_test.h"
#include "stream.h"

/* A server of iperf 3 answers a cookie by then, round trips apart [ns]. */
#define GREETING_NS 3000000000u

/* A stream is tried again after this, then after twice as long, and given up at last [ns]. */
#define AGAIN_NS   250000000u
#define GIVE_UP_NS 30000000000u

/* The server hangs up by then after the last word [ns]. */
#define LEAVE_NS 2000000000u

/* A test of datagrams by bytes or blocks ends when none has come for so long: the rest is lost [s].
 */
#define LOST_S 3u

/* What no byte can be. */
#define NO_WORD 256

/* Segment payload when the stack does not tell it [byte]. */
#define MSS_BYTES 1460u

static struct nd_iperf3_client *client_of(struct nd_iperf3_test *test) {
    return (struct nd_iperf3_client *)(void *)test;
}

static void go(struct nd_iperf3_test *test, enum nd__iperf3_phase phase) {
    test->phase = (uint8_t)phase;
    test->limit = UINT64_MAX;
}

/* Fail in our own words. */
static int fail(struct nd_iperf3_test *test, int result, const char *message) {
    test->message = message;
    return result;
}

/* ---- before the data ------------------------------------------------------------------- */

/* As iperf3: without -l a datagram is a segment of the control connection. */
static void set_length(struct nd_iperf3_test *test) {
    struct nd_conn_info info;
    uint32_t length = MSS_BYTES;

    if (!test->params.udp || test->params.length > 0) {
        return;
    }
    test->session.agent->cfg.port->info(test->session.conn, &info);
    if (info.mss_bytes > 0) {
        length = (uint32_t)info.mss_bytes;
    }
    if (nd__iperf3_sends(test) && length > test->memory.datagram_bytes) {
        length = test->memory.datagram_bytes;
    }
    test->params.length = length;
}

static int greet(struct nd_iperf3_client *client) {
    struct nd_iperf3_test *test = &client->test;
    struct nd_agent *agent = test->session.agent;
    int status = agent->cfg.port->status(test->session.conn);

    if (status != ND_OK) {
        return status == ND_E_REFUSED ? fail(test, status, "nobody listens there: iperf3 -s?")
                                      : status;
    }
    client->rtt = agent->now - test->begin;
    test->begin = agent->now;
    set_length(test);
    memcpy(test->out, test->cookie, ND_IPERF3_COOKIE_BYTES);
    test->out_length = ND_IPERF3_COOKIE_BYTES;
    go(test, ND__IPERF3_GREETING);
    test->limit = nd__iperf3_after(test, GREETING_NS) + 2 * client->rtt;
    return ND_OK;
}

static int await_greeting(struct nd_iperf3_test *test, int heard) {
    if (heard == ND_AGAIN && test->session.agent->now >= test->limit) {
        return fail(test, ND_E_PROTOCOL,
                    "no answer to iperf 3's cookie; is it a server of iperf 2? then use iperf -c");
    }
    if (heard == ND_EOF || heard == ND_E_RESET) {
        return fail(test, ND_E_PROTOCOL,
                    "hung up on iperf 3's cookie: busy with another test, or no server of iperf 3");
    }
    return heard;
}

/* ---- streams --------------------------------------------------------------------------- */

static void set_again(struct nd_iperf3_client *client) {
    struct nd_iperf3_test *test = &client->test;

    client->again = test->session.agent->now + client->pause;
    client->pause *= 2;
}

static void open_next(struct nd_iperf3_client *client) {
    struct nd_iperf3_test *test = &client->test;

    client->again = 0;
    client->pause = nd__iperf3_after(test, AGAIN_NS) - test->session.agent->now + 2 * client->rtt;
    client->sent = 0;
    test->limit = nd__iperf3_after(test, GIVE_UP_NS);
}

/* The stream that is being opened: it has no identity yet. */
static struct nd_iperf3_stream *opening(struct nd_iperf3_test *test) {
    return &test->memory.streams[test->stream_used];
}

static int stand(struct nd_iperf3_client *client) {
    nd__iperf3_add_stream(&client->test);
    client->test.session.active = client->test.session.agent->now;
    open_next(client);
    return ND_OK;
}

/* Connect, or see what became of it. A server may listen for data a moment later than it says. */
static int connect_stream(struct nd_iperf3_client *client) {
    struct nd_iperf3_test *test = &client->test;
    struct nd_iperf3_stream *stream = opening(test);
    const struct nd_agent *agent = test->session.agent;
    int result;

    if (stream->conn == NULL) {
        if (agent->now < client->again) {
            return ND_AGAIN;
        }
        result = agent->cfg.port->connect(agent->cfg.port_ctx, &client->to, &stream->conn);
        if (result != ND_OK) {
            return result;
        }
    }
    result = agent->cfg.port->status(stream->conn);
    if (result == ND_E_REFUSED || result == ND_E_RESET || result == ND_E_TIMEOUT) {
        agent->cfg.port->close(stream->conn);
        stream->conn = NULL;
        set_again(client);
        return ND_AGAIN;
    }
    return result;
}

static int open_tcp(struct nd_iperf3_client *client) {
    struct nd_iperf3_test *test = &client->test;
    int result = connect_stream(client);

    if (result != ND_OK) {
        return result;
    }
    int32_t n = test->session.agent->cfg.port->tx(opening(test)->conn, test->cookie + client->sent,
                                                  ND_IPERF3_COOKIE_BYTES - client->sent, 0);
    if (n <= 0) {
        return n;
    }
    client->sent = (uint8_t)(client->sent + n);
    return client->sent == ND_IPERF3_COOKIE_BYTES ? stand(client) : ND_OK;
}

/* The server's answer to the set-up. */
static bool hear_welcome(struct nd_iperf3_client *client) {
    const struct nd_port *port = client->test.session.agent->cfg.port;
    struct nd_iperf3_stream *stream = opening(&client->test);
    struct nd_addr from;
    const void *bytes;
    bool welcome = false;
    int32_t n;

    while (!welcome && (n = port->udp_rx(stream->conn, &from, &bytes)) > 0) {
        welcome = nd_addr_equal(&from, &stream->peer) &&
                  nd__iperf3_is_welcome((const uint8_t *)bytes, (uint32_t)n);
        port->rx_done(stream->conn, (uint32_t)n);
    }
    return welcome;
}

/* Say hello until it is answered: either datagram may be lost. */
static int open_udp(struct nd_iperf3_client *client) {
    struct nd_iperf3_test *test = &client->test;
    struct nd_iperf3_stream *stream = opening(test);
    const struct nd_agent *agent = test->session.agent;
    struct nd_addr any = {0};

    if (stream->conn == NULL) {
        int result = agent->cfg.port->udp_open(agent->cfg.port_ctx, &any, &stream->conn);
        if (result != ND_OK) {
            return result;
        }
        stream->peer = client->to;
    }
    if (hear_welcome(client)) {
        return stand(client);
    }
    if (agent->now >= client->again) {
        agent->cfg.port->udp_tx(stream->conn, &stream->peer, nd__iperf3_hello,
                                ND__IPERF3_HELLO_BYTES, 0);
        set_again(client);
    }
    return ND_AGAIN;
}

static int open_streams(struct nd_iperf3_client *client) {
    struct nd_iperf3_test *test = &client->test;
    int result;

    if (test->stream_used == nd__iperf3_stream_total(&test->params)) {
        go(test, ND__IPERF3_STARTING);
        return ND_OK;
    }
    result = test->params.udp ? open_udp(client) : open_tcp(client);
    if (result == ND_AGAIN && test->session.agent->now >= test->limit) {
        return fail(test, ND_E_TIMEOUT,
                    test->params.udp ? "no answer to the set-up of a UDP stream; a firewall?"
                                     : "no data connection; a firewall?");
    }
    nd__iperf3_wake_by(test, client->again > test->session.agent->now ? client->again : UINT64_MAX);
    return result;
}

/* ---- the data ---------------------------------------------------------------------------- */

static uint64_t received(const struct nd_iperf3_test *test) {
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < test->stream_used; i++) {
        const struct nd_iperf3_stream *stream = &test->memory.streams[i];
        bytes += stream->sends ? 0 : stream->bytes;
    }
    return bytes;
}

/* When the datagrams that still lack are lost [ticks]. */
static uint64_t lost_at(const struct nd_iperf3_test *test) {
    if (!test->params.udp || test->goal_bytes == UINT64_MAX || !nd__iperf3_receives(test)) {
        return UINT64_MAX;
    }
    return test->moved + (uint64_t)LOST_S * test->session.agent->cfg.clock->hz;
}

/* Of a test by bytes or blocks: that much has gone out, or come in. */
static bool reached(const struct nd_iperf3_test *test) {
    return nd__iperf3_sent(test) ||
           (nd__iperf3_receives(test) && received(test) >= test->goal_bytes) ||
           test->session.agent->now >= lost_at(test);
}

static int run(struct nd_iperf3_test *test) {
    if (test->session.agent->now < test->until && !reached(test)) {
        return ND_AGAIN;
    }
    go(test, ND__IPERF3_FLUSHING);
    nd__iperf3_await(test);
    return ND_OK;
}

static int flush(struct nd_iperf3_test *test) {
    if (!nd__iperf3_ours_arrived(test)) {
        return ND_AGAIN;
    }
    nd__iperf3_say(test, ND__IPERF3_END);
    go(test, ND__IPERF3_ENDING);
    return ND_OK;
}

static int drain(struct nd_iperf3_test *test) {
    if (!nd__iperf3_theirs_arrived(test)) {
        return ND_AGAIN;
    }
    go(test, ND__IPERF3_TELLING);
    return ND_OK;
}

/* ---- what the server says ---------------------------------------------------------------- */

static int refused(struct nd_iperf3_test *test) {
    int result = nd__iperf3_hear_error(test);

    return result == ND_OK ? fail(test, ND_E_UNSUPPORTED, nd__iperf3_error_text(test->refusal))
                           : result;
}

/* The words that end a test in any phase. ND_AGAIN for any other. */
static int take_bad_word(struct nd_iperf3_test *test, int word) {
    switch (word) {
    case ND__IPERF3_DENIED:
        return fail(test, ND_E_REFUSED, "the server is busy with another test; try again later");
    case ND__IPERF3_SERVER_TERMINATE:
        return fail(test, ND_E_SHORT, "the server ended the test");
    case ND__IPERF3_ERROR:
        go(test, ND__IPERF3_REFUSED);
        return ND_OK;
    default:
        return ND_AGAIN;
    }
}

/* The one word that is expected in each phase that listens, and the phase that follows. */
struct expected {
    int word;
    enum nd__iperf3_phase next;
};

static struct expected expected_in(uint8_t phase) {
    switch (phase) {
    case ND__IPERF3_GREETING:
        return (struct expected){ND__IPERF3_PARAMS, ND__IPERF3_PARAMS_OUT};
    case ND__IPERF3_PARAMS_OUT:
        return (struct expected){ND__IPERF3_STREAMS, ND__IPERF3_OPENING};
    case ND__IPERF3_STARTING:
        return (struct expected){ND__IPERF3_START, ND__IPERF3_STARTED};
    case ND__IPERF3_STARTED:
        return (struct expected){ND__IPERF3_RUNNING, ND__IPERF3_TESTING};
    case ND__IPERF3_ENDING:
        return (struct expected){ND__IPERF3_RESULTS, ND__IPERF3_DRAINING};
    case ND__IPERF3_DISPLAYING:
        return (struct expected){ND__IPERF3_DISPLAY, ND__IPERF3_LEAVING};
    default: /* no word but a bad one */
        return (struct expected){NO_WORD, ND__IPERF3_IDLE};
    }
}

static void enter(struct nd_iperf3_test *test, enum nd__iperf3_phase phase) {
    go(test, phase);
    switch (phase) {
    case ND__IPERF3_PARAMS_OUT:
        nd__iperf3_say_params(test);
        break;
    case ND__IPERF3_OPENING:
        open_next(client_of(test));
        break;
    case ND__IPERF3_TESTING:
        nd__iperf3_start(test, test->params.time_s);
        break;
    case ND__IPERF3_DRAINING:
        nd__iperf3_await(test);
        break;
    case ND__IPERF3_LEAVING:
        nd__iperf3_say(test, ND__IPERF3_DONE);
        test->limit = nd__iperf3_after(test, LEAVE_NS);
        break;
    default:
        break;
    }
}

/* The start, before the last stream was answered: so it stands, and the answer was lost. */
static bool is_late_welcome(const struct nd_iperf3_test *test, int word) {
    return test->phase == ND__IPERF3_OPENING && word == ND__IPERF3_START && test->params.udp &&
           test->stream_used + 1 == nd__iperf3_stream_total(&test->params);
}

static int listen(struct nd_iperf3_test *test) {
    struct expected expected = expected_in(test->phase);
    int word;
    int heard = nd__iperf3_hear(test, &word);

    if (heard != ND_OK) {
        return test->phase == ND__IPERF3_GREETING ? await_greeting(test, heard) : heard;
    }
    if (word == expected.word) {
        enter(test, expected.next);
        return ND_OK;
    }
    if (is_late_welcome(test, word)) {
        stand(client_of(test));
        enter(test, ND__IPERF3_STARTED);
        return ND_OK;
    }
    heard = take_bad_word(test, word);
    return heard == ND_AGAIN ? ND_E_PROTOCOL : heard;
}

/* ---- the steps --------------------------------------------------------------------------- */

static int tell(struct nd_iperf3_test *test) {
    int result = nd__iperf3_say_results(test);

    if (result == ND_OK) {
        go(test, ND__IPERF3_HEARING);
    }
    return result;
}

static int hear(struct nd_iperf3_test *test) {
    int result = nd__iperf3_hear_results(test);

    if (result == ND_OK) {
        nd__iperf3_count_tails(test);
        go(test, ND__IPERF3_DISPLAYING);
    }
    return result;
}

static int leave(struct nd_iperf3_test *test) {
    int result = nd__stream_finish(&test->session);

    if (result == ND_AGAIN && test->session.agent->now < test->limit) {
        return ND_AGAIN;
    }
    nd__iperf3_finish(test, ND_OK);
    return ND_AGAIN;
}

/* What this phase does by itself, without a word from the server. ND_AGAIN: nothing. */
static int act(struct nd_iperf3_test *test) {
    switch (test->phase) {
    case ND__IPERF3_CONNECTING:
        return greet(client_of(test));
    case ND__IPERF3_OPENING:
        return open_streams(client_of(test));
    case ND__IPERF3_TESTING:
        return run(test);
    case ND__IPERF3_FLUSHING:
        return flush(test);
    case ND__IPERF3_DRAINING:
        return drain(test);
    case ND__IPERF3_TELLING:
        return tell(test);
    case ND__IPERF3_HEARING:
        return hear(test);
    case ND__IPERF3_REFUSED:
        return refused(test);
    case ND__IPERF3_LEAVING:
        return leave(test);
    default:
        return ND_AGAIN;
    }
}

/* The phases in which a byte from the server is no word, or none is looked for. */
static bool listens(const struct nd_iperf3_test *test) {
    switch (test->phase) {
    case ND__IPERF3_IDLE:
    case ND__IPERF3_CONNECTING:
    case ND__IPERF3_HEARING:
    case ND__IPERF3_REFUSED:
    case ND__IPERF3_TELLING:
    case ND__IPERF3_LEAVING:
        return false;
    default:
        return true;
    }
}

static int step(struct nd_iperf3_test *test) {
    int result = test->phase == ND__IPERF3_CONNECTING ? ND_OK : nd__iperf3_flush(test);

    if (result == ND_OK) {
        result = act(test);
    }
    return result == ND_AGAIN && listens(test) ? listen(test) : result;
}

static bool moves(const struct nd_iperf3_test *test) {
    return test->phase == ND__IPERF3_TESTING || test->phase == ND__IPERF3_FLUSHING ||
           test->phase == ND__IPERF3_ENDING || test->phase == ND__IPERF3_DRAINING;
}

static bool move(struct nd_iperf3_test *test) {
    bool testing = test->phase == ND__IPERF3_TESTING;
    bool more;

    if (testing) {
        nd__iperf3_tick(test);
    }
    more = nd__iperf3_move(test, testing);
    if (testing) {
        nd__iperf3_wake_by(test, nd__iperf3_tick_due(test));
        nd__iperf3_wake_by(test, test->until);
        nd__iperf3_wake_by(test, lost_at(test));
        nd__iperf3_wake_by(test, nd__iperf3_due(test));
        more = more || reached(test);
    }
    return more;
}

static bool poll(struct nd_session *session) {
    struct nd_iperf3_test *test = (struct nd_iperf3_test *)session;
    int result;

    do {
        session->wake = test->limit;
        result = step(test);
    } while (result == ND_OK);
    if (result != ND_AGAIN) {
        nd__iperf3_finish(test, result == ND_EOF ? ND_E_SHORT : result);
    }
    return moves(test) ? move(test) : test->phase == ND__IPERF3_IDLE;
}

static void stop(struct nd_session *session, int why) {
    struct nd_iperf3_test *test = (struct nd_iperf3_test *)session;
    const char word = ND__IPERF3_CLIENT_TERMINATE;

    if (test->phase > ND__IPERF3_GREETING) {
        session->agent->cfg.port->tx(session->conn, &word, 1, 0);
        session->agent->cfg.port->end(session->conn);
    }
    nd__iperf3_finish(test, why);
}

static const struct nd_session_class session_kind = {
    .engine = "iperf3", .poll = poll, .stop = stop};

/* ---- beginning --------------------------------------------------------------------------- */

static void set_defaults(struct nd_iperf3_params *params, bool full_rate) {
    if (params->time_s == 0 && params->bytes == 0 && params->blocks == 0) {
        params->time_s = ND_IPERF3_SECONDS;
    }
    if (params->parallel == 0) {
        params->parallel = 1;
    }
    if (params->length == 0 && !params->udp) {
        params->length = ND_IPERF3_BLOCK_BYTES;
    }
    if (params->rate_bit_s == 0 && params->udp && !full_rate) {
        params->rate_bit_s = ND_IPERF3_UDP_BIT_S;
    }
}

static int check(const struct nd_agent *agent, const struct nd_iperf3_memory *memory,
                 const struct nd_iperf3_params *params) {
    bool sends = params->bidir || !params->reverse;

    if (params->parallel > memory->stream_count ||
        nd__iperf3_stream_total(params) > memory->stream_count ||
        params->length > ND__IPERF3_BLOCK_MAX || (params->reverse && params->bidir) ||
        (params->bytes > 0 && params->blocks > 0)) {
        return ND_E_ARG;
    }
    if (params->sctp || (params->udp && (agent->cfg.port->can & ND_PORT_UDP) == 0)) {
        return ND_E_UNSUPPORTED;
    }
    if (!params->udp) {
        return ND_OK;
    }
    if ((params->length > 0 && params->length < ND__IPERF3_DATAGRAM_MIN) ||
        (sends && (params->length > memory->datagram_bytes ||
                   memory->datagram_bytes < ND__IPERF3_DATAGRAM_MIN))) {
        return ND_E_ARG;
    }
    return ND_OK;
}

/* Different for every test of every device whose clock has begun at another time. */
static uint64_t seed(const struct nd_agent *agent) {
    return (uint64_t)nd_clock_read(agent->cfg.clock) << 32 ^ agent->now ^
           (uint64_t)agent->session_count << 20;
}

int nd_iperf3_connect(struct nd_iperf3_client *client, struct nd_agent *agent,
                      const struct nd_iperf3_memory *memory,
                      const struct nd_iperf3_client_cfg *cfg) {
    struct nd_iperf3_test *test = &client->test;
    struct nd_iperf3_params params = cfg->params;
    struct nd_conn *conn;
    int result;

    if (test->session.number != 0) {
        return ND_E_STATE;
    }
    set_defaults(&params, cfg->full_rate);
    result = check(agent, memory, &params);
    if (result != ND_OK) {
        return result;
    }
    result = agent->cfg.port->connect(agent->cfg.port_ctx, &cfg->to, &conn);
    if (result != ND_OK) {
        return result;
    }
    nd__iperf3_reset(test, memory);
    client->to = cfg->to;
    client->heard = cfg->heard;
    client->heard_ctx = cfg->heard_ctx;
    test->params = params;
    test->begin = agent->now;
    test->interval = nd_clock_ticks((uint64_t)cfg->interval_ms * 1000000u, agent->cfg.clock->hz);
    nd__iperf3_make_cookie(test->cookie, seed(agent));
    test->phase = ND__IPERF3_CONNECTING;
    nd_session_join(&test->session, &session_kind, agent, conn);
    return ND_OK;
}
