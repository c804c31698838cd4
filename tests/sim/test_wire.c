/* SPDX-License-Identifier: BSD-3-Clause */
/* Peer, wire and device together: datagrams that the fake device returns, in virtual time. */
#define _GNU_SOURCE
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit.h"

/* Datagrams of the exchange, and the bytes of each. */
enum { DATAGRAMS = 50, DATAGRAM_BYTES = 1000 };

/* One engine of the peer's: sends datagrams and takes what comes back. */
struct pinger {
    struct nd_sim *sim;
    struct nd_conn *socket;
    unsigned window; /* datagrams on their way at a time */
    unsigned to_send;
    unsigned sent;
    unsigned received;
    uint64_t first_ns; /* virtual time of the first answer */
};

static void take_answers(struct pinger *pinger) {
    const struct nd_port *port = nd_sim_port(pinger->sim);
    const void *bytes;
    struct nd_addr from;

    while (port->udp_rx(pinger->socket, &from, &bytes) == DATAGRAM_BYTES) {
        assert_int_equal(((const unsigned char *)bytes)[DATAGRAM_BYTES - 1], pinger->received);
        port->rx_done(pinger->socket, DATAGRAM_BYTES);
        if (pinger->received++ == 0) {
            pinger->first_ns = nd_sim_counts(pinger->sim).now_ns;
        }
    }
}

static void send_more(struct pinger *pinger) {
    const struct nd_port *port = nd_sim_port(pinger->sim);
    struct nd_addr to = nd_sim_device(pinger->sim);
    unsigned char bytes[DATAGRAM_BYTES] = {0};

    to.port = 7;
    while (pinger->sent < pinger->to_send && pinger->sent - pinger->received < pinger->window) {
        bytes[DATAGRAM_BYTES - 1] = (unsigned char)pinger->sent;
        assert_int_equal(port->udp_tx(pinger->socket, &to, bytes, sizeof bytes, 0), sizeof bytes);
        pinger->sent++;
    }
}

static void poll_pinger(void *ctx) {
    struct pinger *pinger = ctx;

    if (pinger->socket != NULL) {
        nd_sim_port(pinger->sim)->step(nd_sim_port_ctx(pinger->sim));
        take_answers(pinger);
        send_more(pinger);
    }
}

static void open_pinger(struct pinger *pinger, struct nd_sim_cfg *cfg) {
    const struct nd_addr any = {.port = 0};
    char error[ND_SIM_ERROR_BYTES] = "";

    cfg->peer_poll = poll_pinger;
    cfg->peer_ctx = pinger;
    pinger->sim = nd_sim_open(cfg, error);
    assert_string_equal(error, "");
    assert_int_equal(
        nd_sim_port(pinger->sim)->udp_open(nd_sim_port_ctx(pinger->sim), &any, &pinger->socket),
        ND_OK);
}

static void close_pinger(struct pinger *pinger) {
    nd_sim_port(pinger->sim)->close(pinger->socket);
    pinger->socket = NULL;
    nd_sim_close(pinger->sim);
}

static void run_pinger(struct pinger *pinger) {
    for (unsigned i = 0; i < 1000 && pinger->received < pinger->to_send; i++) {
        assert_int_equal(nd_sim_step(pinger->sim), ND_OK);
    }
}

static void round_trip_takes_what_the_wire_takes(void **state) {
    struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    struct pinger pinger = {.window = 1, .to_send = 1};
    uint64_t begin_ns;

    (void)state;
    cfg.delay_ns = 50000;
    open_pinger(&pinger, &cfg);
    /* The first round trip resolves addresses and is not looked at. */
    run_pinger(&pinger);
    assert_int_equal(pinger.received, 1);
    begin_ns = nd_sim_counts(pinger.sim).now_ns;
    pinger = (struct pinger){.sim = pinger.sim, .socket = pinger.socket, .window = 1, .to_send = 1};
    run_pinger(&pinger);
    /* Each way (8 + 1042 + 4) * 80 = 84,320 ns and 50,000 of delay. The device has worked 500
     * ticks before the datagram arrived and works 300 from its arrival to its answer. */
    assert_int_equal(pinger.first_ns - begin_ns, 2 * (84320 + 50000) + 3000);
    close_pinger(&pinger);
}

static void busy_device_loses_what_its_ring_does_not_hold(void **state) {
    struct nd_sim_cfg cfg = fake_cfg("lazy", PATIENCE_MS);
    struct pinger pinger = {.window = 1, .to_send = 1};

    (void)state;
    open_pinger(&pinger, &cfg);
    run_pinger(&pinger);
    pinger.sent = pinger.received = 0;
    pinger.window = pinger.to_send = 10;
    for (unsigned i = 0; i < 30; i++) {
        assert_int_equal(nd_sim_step(pinger.sim), ND_OK);
    }
    /* Ten arrive within the 10 ms that it does not look: four descriptors hold the first four. */
    assert_int_equal(pinger.received, 4);
    assert_int_equal(nd_sim_counts(pinger.sim).ring_drops, 6);
    assert_int_equal(nd_sim_counts(pinger.sim).tx_drops, 0);
    close_pinger(&pinger);
}

static void short_queue_of_the_peer_drops(void **state) {
    struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    struct pinger pinger = {.window = 1, .to_send = 1};

    (void)state;
    cfg.queue_frames = 3;
    open_pinger(&pinger, &cfg);
    run_pinger(&pinger);
    pinger.sent = pinger.received = 0;
    pinger.window = pinger.to_send = 5;
    for (unsigned i = 0; i < 30; i++) {
        assert_int_equal(nd_sim_step(pinger.sim), ND_OK);
    }
    assert_int_equal(pinger.received, 3);
    assert_int_equal(nd_sim_counts(pinger.sim).queue_drops, 2);
    close_pinger(&pinger);
}

/* One whole run into this file; its counters go into the pipe. A process of its own, since only the
 * first simulation of a process repeats to the byte. */
static void run_apart(const char *pcap, struct nd_sim_counts *counts) {
    int ends[2];
    pid_t child;
    int status;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
        struct pinger pinger = {.window = 3, .to_send = DATAGRAMS};

        cfg.pcap = pcap;
        cfg.seed = 42;
        cfg.delay_ns = 12345;
        open_pinger(&pinger, &cfg);
        run_pinger(&pinger);
        *counts = nd_sim_counts(pinger.sim);
        close_pinger(&pinger);
        _exit(write(ends[1], counts, sizeof *counts) == (ssize_t)sizeof *counts ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], counts, sizeof *counts), sizeof *counts);
    close(ends[0]);
    close(ends[1]);
}

static size_t read_file(const char *path, char *bytes, size_t size) {
    FILE *file = fopen(path, "r");
    size_t got;

    assert_non_null(file);
    got = fread(bytes, 1, size, file);
    fclose(file);
    return got;
}

static void runs_repeat_to_the_byte(void **state) {
    static char first[1 << 18];
    static char second[1 << 18];
    char path[] = "/tmp/nd-test-wire-XXXXXX";
    struct nd_sim_counts counts[2];
    size_t sizes[2];

    (void)state;
    close(mkstemp(path));
    run_apart(path, &counts[0]);
    sizes[0] = read_file(path, first, sizeof first);
    run_apart(path, &counts[1]);
    sizes[1] = read_file(path, second, sizeof second);
    unlink(path);
    assert_true(sizes[0] > 2 * DATAGRAMS * DATAGRAM_BYTES && sizes[0] < sizeof first);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(first, second, sizes[0]);
    assert_memory_equal(&counts[0], &counts[1], sizeof counts[0]);
}

/* Frames of a capture, in order of time, each of a length that Ethernet allows. */
static unsigned count_frames(const char *path, uint64_t *first_ns) {
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
    struct pcap_pkthdr *header;
    const u_char *bytes;
    uint64_t before_ns = 0;
    unsigned count = 0;

    assert_non_null(pcap);
    assert_int_equal(pcap_datalink(pcap), DLT_EN10MB);
    while (pcap_next_ex(pcap, &header, &bytes) == 1) {
        uint64_t at_ns = (uint64_t)header->ts.tv_sec * 1000000000u + (uint64_t)header->ts.tv_usec;

        assert_true(at_ns >= before_ns);
        assert_in_range(header->len, 60, 1514);
        assert_int_equal(header->len, header->caplen);
        if (count++ == 0) {
            *first_ns = at_ns;
        }
        before_ns = at_ns;
    }
    pcap_close(pcap);
    return count;
}

static void capture_has_every_frame_at_the_device(void **state) {
    struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    struct pinger pinger = {.window = 3, .to_send = DATAGRAMS};
    char path[] = "/tmp/nd-test-wire-XXXXXX";
    uint64_t first_ns = 0;
    uint64_t frames;

    (void)state;
    close(mkstemp(path));
    cfg.pcap = path;
    cfg.delay_ns = 1000;
    open_pinger(&pinger, &cfg);
    run_pinger(&pinger);
    assert_int_equal(pinger.received, DATAGRAMS);
    frames = nd_sim_counts(pinger.sim).to_device + nd_sim_counts(pinger.sim).to_peer;
    close_pinger(&pinger);
    /* Both ARP exchanges, the datagrams both ways. */
    assert_true(frames > 2 * DATAGRAMS);
    assert_int_equal(count_frames(path, &first_ns), frames);
    /* The peer announced itself at time 0: 5,760 ns on the wire, 1000 of delay. */
    assert_int_equal(first_ns, 6760);
    unlink(path);
}

static void nobody_listens_there(void **state) {
    struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    struct pinger pinger = {.window = 0};
    struct nd_addr to;
    struct nd_conn *conn;
    const struct nd_port *port;

    (void)state;
    open_pinger(&pinger, &cfg);
    port = nd_sim_port(pinger.sim);
    to = nd_sim_device(pinger.sim);
    to.port = 80;
    assert_int_equal(port->connect(nd_sim_port_ctx(pinger.sim), &to, &conn), ND_OK);
    /* The fake device speaks no TCP: the peer's timers give up after its retries, in virtual time.
     */
    for (unsigned i = 0; i < 2000 && port->status(conn) == ND_AGAIN; i++) {
        assert_int_equal(nd_sim_step(pinger.sim), ND_OK);
    }
    assert_int_equal(port->status(conn), ND_E_TIMEOUT);
    assert_true(nd_sim_counts(pinger.sim).now_ns > UINT64_C(5000000000));
    port->close(conn);
    close_pinger(&pinger);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_takes_what_the_wire_takes),
        cmocka_unit_test(busy_device_loses_what_its_ring_does_not_hold),
        cmocka_unit_test(short_queue_of_the_peer_drops),
        cmocka_unit_test(runs_repeat_to_the_byte),
        cmocka_unit_test(capture_has_every_frame_at_the_device),
        cmocka_unit_test(nobody_listens_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
