/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf3_test.h"

/* ---- saying ------------------------------------------------------------------------ */

int nd__iperf3_flush(struct nd_iperf3_test *test) {
    const struct nd_port *port = test->session.agent->cfg.port;

    while (test->out_at < test->out_length) {
        int32_t n = port->tx(test->session.conn, test->out + test->out_at,
                             (uint32_t)(test->out_length - test->out_at), 0);
        if (n <= 0) {
            return n;
        }
        test->out_at = (uint16_t)(test->out_at + n);
        test->session.active = test->session.agent->now;
    }
    test->out_at = 0;
    test->out_length = 0;
    return ND_OK;
}

void nd__iperf3_say(struct nd_iperf3_test *test, enum nd__iperf3_word word) {
    test->out[test->out_length++] = (char)word;
}

static void put_u32(struct nd_iperf3_test *test, uint32_t value) {
    nd__bytes_put_u32((uint8_t *)test->out + test->out_length, value);
    test->out_length = (uint16_t)(test->out_length + 4);
}

void nd__iperf3_say_error(struct nd_iperf3_test *test, enum nd__iperf3_error error) {
    nd__iperf3_say(test, ND__IPERF3_ERROR);
    put_u32(test, error);
    put_u32(test, 0); /* errno, which a device has none of */
}

/* A writer over the room that is left. */
static void open_room(struct nd_iperf3_test *test, struct nd_fmt *out) {
    nd_fmt_init(out, test->out + test->out_length, sizeof test->out - test->out_length);
}

static void close_room(struct nd_iperf3_test *test, const struct nd_fmt *out) {
    test->out_length = (uint16_t)(test->out_length + nd_fmt_length(out));
}

void nd__iperf3_say_params(struct nd_iperf3_test *test) {
    struct nd_fmt out;

    test->out_length = 4;
    open_room(test, &out);
    nd__iperf3_write_params(&out, &test->params);
    test->out_length = 0;
    put_u32(test, (uint32_t)nd_fmt_length(&out));
    close_room(test, &out);
}

/* ---- results, piece by piece ---------------------------------------------------------- */

/* The busy share of the test, user and system alike. */
static int64_t cpu_permille(const struct nd_iperf3_test *test) {
    const struct nd_agent *agent = test->session.agent;
    uint64_t elapsed = agent->now - test->begin;
    uint64_t idle = agent->poll_idle - test->begin_idle;

    if (agent->cfg.idle_ticks == NULL || elapsed == 0) {
        return -1;
    }
    return idle < elapsed ? (int64_t)nd_fmt_muldiv(elapsed - idle, 1000, elapsed) : 0;
}

static void write_head(const struct nd_iperf3_test *test, struct nd_fmt *out) {
    struct nd__iperf3_head head = {
        .sends = nd__iperf3_sends(test),
        .cpu_permille = cpu_permille(test),
        .output = test->server && test->params.server_output,
        .port = test->session.agent->cfg.port->name,
        .rx_bytes = test->flow.rx.bytes,
        .tx_bytes = test->flow.tx.bytes,
        .duration_us = nd__iperf3_duration_us(test),
    };

    nd__iperf3_write_head(out, &head);
}

/* Piece 0 is the head, then come the streams, then the tail. False behind it. */
static bool write_piece(const struct nd_iperf3_test *test, struct nd_fmt *out, uint32_t piece) {
    struct nd_iperf3_result result;

    if (piece == 0) {
        write_head(test, out);
    } else if (piece <= test->stream_used) {
        nd__iperf3_result(test, &test->memory.streams[piece - 1], &result);
        nd__iperf3_write_result(out, &result, nd__iperf3_duration_us(test), piece == 1);
    } else if (piece == test->stream_used + 1) {
        nd__iperf3_write_tail(out);
    } else {
        return false;
    }
    return true;
}

/* The length stands before the text, so all of it is written once for that alone. The head must
 * come out the same when it is written again: nothing has moved, but the clock goes on. */
static uint32_t measure(struct nd_iperf3_test *test) {
    struct nd_fmt out;
    uint32_t length = 0;

    for (uint32_t piece = 0;; piece++) {
        open_room(test, &out);
        if (!write_piece(test, &out, piece)) {
            return length;
        }
        length += (uint32_t)nd_fmt_length(&out);
    }
}

static void fill(struct nd_iperf3_test *test) {
    struct nd_fmt out;

    open_room(test, &out);
    while (write_piece(test, &out, test->piece) && !out.cut) {
        close_room(test, &out);
        test->piece++;
        open_room(test, &out);
    }
}

int nd__iperf3_say_results(struct nd_iperf3_test *test) {
    int result = nd__iperf3_flush(test);

    while (result == ND_OK && test->piece <= test->stream_used + 1) {
        if (test->piece == 0) {
            put_u32(test, measure(test));
        }
        fill(test);
        result = nd__iperf3_flush(test);
    }
    return result;
}

/* ---- hearing ----------------------------------------------------------------------- */

/* The first `want` bytes into head; ND_OK when they are all there. */
static int hear_head(struct nd_iperf3_test *test, uint8_t want) {
    const struct nd_port *port = test->session.agent->cfg.port;

    while (test->head_count < want) {
        const void *bytes;
        int32_t n = port->rx(test->session.conn, &bytes);
        if (n <= 0) {
            return n;
        }
        test->head[test->head_count++] = *(const uint8_t *)bytes;
        port->rx_done(test->session.conn, 1);
        test->session.active = test->session.agent->now;
    }
    return ND_OK;
}

int nd__iperf3_hear(struct nd_iperf3_test *test, int *word) {
    int result = hear_head(test, 1);

    if (result == ND_OK) {
        test->head_count = 0;
        *word = (int8_t)test->head[0];
    }
    return result;
}

int nd__iperf3_hear_error(struct nd_iperf3_test *test) {
    int result = hear_head(test, 8);

    if (result == ND_OK) {
        test->head_count = 0;
        test->refusal = (int32_t)nd__bytes_u32(test->head);
    }
    return result;
}

static int begin_text(struct nd_iperf3_test *test, uint32_t limit) {
    int result = hear_head(test, 4);

    if (result != ND_OK || test->text_left > 0) {
        return result;
    }
    test->text_left = nd__bytes_u32(test->head);
    nd_json_scan_init(&test->scan);
    return test->text_left > 0 && test->text_left <= limit ? ND_OK : ND_E_PROTOCOL;
}

/* Whoever wants the server's results, too, gets them as they are. */
static void pass_on(struct nd_iperf3_test *test, const char *text, uint32_t len) {
    const struct nd_iperf3_client *client = (const struct nd_iperf3_client *)test;

    if (!test->server && client->heard != NULL) {
        client->heard(client->heard_ctx, text, len);
    }
}

/* A length, and so many bytes of JSON; the object must end with the text. */
static int hear_text(struct nd_iperf3_test *test, uint32_t limit, nd_json_item_fn *item) {
    const struct nd_port *port = test->session.agent->cfg.port;
    int scanned = ND_AGAIN;
    int result = begin_text(test, limit);

    while (result == ND_OK && test->text_left > 0) {
        const void *bytes;
        int32_t n = port->rx(test->session.conn, &bytes);
        if (n <= 0) {
            return n;
        }
        uint32_t len = (uint32_t)n < test->text_left ? (uint32_t)n : test->text_left;
        scanned = nd_json_scan_feed(&test->scan, (const char *)bytes, len, item, test);
        pass_on(test, (const char *)bytes, len);
        port->rx_done(test->session.conn, len);
        test->text_left -= len;
        test->session.active = test->session.agent->now;
        if (scanned == ND_E_PROTOCOL) {
            return ND_E_PROTOCOL;
        }
    }
    if (result != ND_OK) {
        return result;
    }
    test->head_count = 0;
    return scanned == ND_OK ? ND_OK : ND_E_PROTOCOL;
}

static void take_param(void *ctx, const struct nd_json_item *item) {
    nd__iperf3_read_param(&((struct nd_iperf3_test *)ctx)->params, item);
}

static void take_result(void *ctx, const struct nd_json_item *item) {
    struct nd_iperf3_test *test = (struct nd_iperf3_test *)ctx;

    if (!nd__iperf3_read_result(&test->reading, item)) {
        return;
    }
    for (uint32_t i = 0; i < test->stream_used; i++) {
        if (test->memory.streams[i].id == test->reading.stream.id) {
            test->memory.streams[i].theirs = test->reading.stream;
        }
    }
}

int nd__iperf3_hear_params(struct nd_iperf3_test *test) {
    return hear_text(test, ND__IPERF3_PARAMS_MAX, take_param);
}

int nd__iperf3_hear_results(struct nd_iperf3_test *test) {
    return hear_text(test, ND__IPERF3_RESULTS_MAX, take_result);
}
