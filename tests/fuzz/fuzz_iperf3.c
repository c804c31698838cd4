/* SPDX-License-Identifier: BSD-3-Clause */
/* A libFuzzer target: any bytes as what a peer of iperf 3 says, to the server and to the client.
 *
 * The first byte chooses whom, and how long the portions are. To the server they come behind the
 * cookie and parameters of a test that the same byte chooses; a stream is opened when it asks. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_kit.h"
#include "nd/iperf3.h"

#define STREAMS 3u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct nd_port *const port = &nd_port_loop;

static struct fuzz fuzz;
static struct nd_iperf3_stream streams[STREAMS];
static uint8_t datagram[1000];
static struct nd_iperf3_server server;
static struct nd_iperf3_client client;

static const char cookie[] = "abcdefghijklmnopqrstuvwxyz234567abcd";

static const struct nd_iperf3_memory *memory(void) {
    static const struct nd_iperf3_memory all = {.streams = streams,
                                                .stream_count = STREAMS,
                                                .datagram = datagram,
                                                .datagram_bytes = sizeof datagram};

    return &all;
}

/* What the engine said is read away, so that it can go on. */
static void drain(struct nd_conn *conn) {
    const void *bytes;
    int32_t n;

    while ((n = port->rx(conn, &bytes)) > 0) {
        port->rx_done(conn, (uint32_t)n);
    }
}

static void say(struct nd_conn *conn, const uint8_t *bytes, size_t len) {
    while (len > 0) {
        int32_t n = port->tx(conn, bytes, (uint32_t)len, 0);
        if (n <= 0) {
            return;
        }
        bytes += n;
        len -= (size_t)n;
        fuzz_run(&fuzz, 2, 10);
    }
}

static void say_portions(struct nd_conn *conn, const uint8_t *bytes, size_t len, size_t portion) {
    while (len > 0) {
        size_t now = len < portion ? len : portion;
        say(conn, bytes, now);
        fuzz_run(&fuzz, 4, 50000);
        drain(conn);
        bytes += now;
        len -= now;
    }
}

static struct nd_conn *dial(void) {
    struct nd_addr to = fuzz_addr(ND_IPERF3_PORT);
    struct nd_conn *conn;

    if (port->connect(&fuzz.loop, &to, &conn) != ND_OK) {
        abort();
    }
    fuzz_run(&fuzz, 2, 10);
    return conn;
}

static void say_params(struct nd_conn *conn, unsigned kind) {
    static const char *const texts[] = {
        "{\"tcp\":true,\"time\":1,\"parallel\":1,\"len\":500}",
        "{\"udp\":true,\"time\":1,\"parallel\":1,\"len\":500,\"bandwidth\":100000}",
        "{\"udp\":1,\"len\":500,\"bandwidth\":1e5,\"reverse\":1,\"udp_counters_64bit\":1}",
    };
    const char *text = texts[kind];
    uint8_t head[4] = {0, 0, 0, (uint8_t)strlen(text)};

    say(conn, head, 4);
    say(conn, (const uint8_t *)text, strlen(text));
    fuzz_run(&fuzz, 4, 10);
    drain(conn);
}

/* Half of the input as datagrams, the first of which opens the stream. */
static void say_datagrams(const uint8_t *bytes, size_t len) {
    struct nd_addr at = fuzz_addr(0);
    struct nd_addr to = fuzz_addr(ND_IPERF3_PORT);
    struct nd_conn *socket;

    if (port->udp_open(&fuzz.loop, &at, &socket) != ND_OK) {
        abort();
    }
    port->udp_tx(socket, &to, "9876", 4, 0);
    fuzz_run(&fuzz, 4, 10);
    while (len > 0) {
        uint32_t now = len < 17 ? (uint32_t)len : 17;
        port->udp_tx(socket, &to, bytes, now, 0);
        fuzz_run(&fuzz, 2, 1000);
        bytes += now;
        len -= now;
    }
    port->close(socket);
}

/* kind 0: from the first byte on; then a test of TCP, of UDP, of UDP that we send. */
static void to_server(unsigned kind, size_t portion, const uint8_t *bytes, size_t len) {
    struct nd_addr at = {.port = ND_IPERF3_PORT};
    struct nd_conn *data = NULL;

    if (nd_iperf3_serve(&server, &fuzz.agent, &at, memory(), NULL) != ND_OK) {
        abort();
    }
    struct nd_conn *control = dial();
    if (kind > 0) {
        say(control, (const uint8_t *)cookie, sizeof cookie);
        drain(control);
    }
    if (kind > 1) {
        say_params(control, kind - 2);
    }
    if (kind == 2) {
        data = dial();
        say(data, (const uint8_t *)cookie, sizeof cookie);
    } else if (kind > 2) {
        say_datagrams(bytes, len / 2);
        bytes += len / 2;
        len -= len / 2;
    }
    say_portions(control, bytes, len, portion);
    port->close(control);
    if (data != NULL) {
        port->close(data);
    }
    fuzz_run(&fuzz, 8, 1000000);
    if (server.test.session.number != 0) {
        abort();
    }
    nd_iperf3_server_close(&server);
}

static void to_client(bool udp, size_t portion, const uint8_t *bytes, size_t len) {
    struct nd_addr at = fuzz_addr(ND_IPERF3_PORT);
    struct nd_iperf3_client_cfg cfg = {
        .to = at, .params = {.udp = udp, .blocks = 2, .length = 500, .bidir = true}};
    struct nd_conn *listener;
    struct nd_conn *control;
    struct nd_conn *data[2 * STREAMS];
    unsigned count = 0;

    if (port->listen(&fuzz.loop, &at, &listener) != ND_OK ||
        nd_iperf3_connect(&client, &fuzz.agent, memory(), &cfg) != ND_OK) {
        abort();
    }
    fuzz_run(&fuzz, 2, 10);
    if (port->accept(listener, &control) != ND_OK) {
        abort();
    }
    fuzz_run(&fuzz, 2, 10);
    while (len > 0) {
        size_t now = len < portion ? len : portion;
        say_portions(control, bytes, now, portion);
        if (count < 2 * STREAMS && port->accept(listener, &data[count]) == ND_OK) {
            say(data[count], bytes, now);
            count++;
        }
        bytes += now;
        len -= now;
    }
    port->close(control);
    fuzz_run(&fuzz, 8, 1000000);
    if (client.test.session.number != 0) {
        abort();
    }
    while (count > 0) {
        count--;
        port->close(data[count]);
    }
    port->close(listener);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    unsigned kind = data[0] % 7;
    size_t portion = 1 + (size_t)data[0] / 7 * 4;

    fuzz_begin(&fuzz, data + 1, size - 1);
    memset(&server, 0, sizeof server);
    memset(&client, 0, sizeof client);
    if (kind < 5) {
        to_server(kind, portion, fuzz.data, fuzz.size);
    } else {
        to_client(kind == 6, portion, fuzz.data, fuzz.size);
    }
    fuzz_end(&fuzz);
    return 0;
}
