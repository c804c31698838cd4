/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulated board for tests in a script: an image, a peer that discards what comes, and a list of
 * things to do.
 *
 *   probe_rig qemu|native FIRMWARE ACTION...
 *
 *   type:LINE     a line of the console, and wait until the command ends
 *   echo:N:BYTES  N datagrams to the board's echo, each after the answer to the one before
 *   wait:MS       let virtual time pass
 *
 * What the console says goes to stdout. Exit code 0: all was done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nd/agent.h"
#include "nd/datagram.h"
#include "nd/discard.h"
#include "nd/echo.h"
#include "nd/stream.h"
#include "sim.h"

#define CALLERS 2u

/* Records without the end of what is being waited for. */
#define STEPS_MOST 20000000u

/* All that waits at the far end. */
struct rig {
    struct nd_sim *sim;
    struct nd_agent agent;
    struct nd_stream_server discard;
    struct nd_stream_conn callers[CALLERS];
    struct nd_datagram_server discard_udp;
    struct nd_conn *socket; /* asks the board's echo */
    unsigned to_send;
    unsigned sent;
    unsigned received;
    uint32_t bytes;
    bool is_open;
    bool ended; /* the console said that the command did */
    char line[4096];
    size_t length;
};

static void fail(const char *what, const char *why) {
    fprintf(stderr, "probe_rig: %s: %s\n", what, why);
    exit(1);
}

static void require(int result, const char *what) {
    if (result != ND_OK) {
        fail(what, nd_error_name(result));
    }
}

/* ---- the far end --------------------------------------------------------------------- */

static void take_answers(struct rig *rig) {
    const struct nd_port *port = nd_sim_port(rig->sim);
    struct nd_addr from;
    const void *bytes;
    int32_t count;

    while ((count = port->udp_rx(rig->socket, &from, &bytes)) > 0) {
        port->rx_done(rig->socket, (uint32_t)count);
        rig->received++;
    }
}

static void send_next(struct rig *rig) {
    static const char payload[2048];
    struct nd_addr to = nd_sim_device(rig->sim);

    to.port = ND_ECHO_PORT;
    if (rig->sent < rig->to_send && rig->sent == rig->received) {
        int32_t count = nd_sim_port(rig->sim)->udp_tx(rig->socket, &to, payload, rig->bytes, 0);
        if (count != (int32_t)rig->bytes) {
            fail("echo", nd_error_name((int)count));
        }
        rig->sent++;
    }
}

static void poll_peer(void *ctx) {
    struct rig *rig = (struct rig *)ctx;

    if (rig->is_open) {
        while (nd_agent_poll(&rig->agent)) {
        }
        take_answers(rig);
        send_next(rig);
    }
}

static void start_peer(struct rig *rig) {
    const struct nd_addr any = {.port = 0};
    const struct nd_addr at_discard = {.port = ND_DISCARD_PORT};
    const struct nd_agent_cfg cfg = {.port = nd_sim_port(rig->sim),
                                     .port_ctx = nd_sim_port_ctx(rig->sim),
                                     .clock = nd_sim_clock(rig->sim)};

    require(nd_agent_init(&rig->agent, &cfg), "agent");
    require(nd_discard_serve(&rig->discard, &rig->agent, &at_discard, rig->callers, CALLERS),
            "discard");
    require(nd_datagram_serve(&rig->discard_udp, &rig->agent, ND_DATAGRAM_DISCARD, &at_discard),
            "discard");
    require(cfg.port->udp_open(cfg.port_ctx, &any, &rig->socket), "echo");
    rig->is_open = true;
}

/* ---- the console --------------------------------------------------------------------- */

static void take_line(struct rig *rig) {
    rig->line[rig->length] = '\0';
    puts(rig->line);
    rig->length = 0;
    if (strstr(rig->line, "\"kind\":\"end\"") != NULL) {
        rig->ended = true;
    }
}

static void take_console(struct rig *rig) {
    char bytes[512];
    size_t count = nd_sim_console_read(rig->sim, bytes, sizeof bytes);

    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n') {
            take_line(rig);
        } else if (rig->length < sizeof rig->line - 1u) {
            rig->line[rig->length++] = bytes[i];
        }
    }
}

static void step(struct rig *rig) {
    if (nd_sim_step(rig->sim) != ND_OK) {
        fail("the board", nd_sim_error(rig->sim));
    }
    take_console(rig);
}

/* ---- actions ------------------------------------------------------------------------- */

static void type(struct rig *rig, const char *line) {
    rig->ended = false;
    nd_sim_console_write(rig->sim, line, strlen(line));
    nd_sim_console_write(rig->sim, "\n", 1);
    for (unsigned i = 0; !rig->ended; i++) {
        if (i == STEPS_MOST) {
            fail(line, "the command does not end");
        }
        step(rig);
    }
}

static void echo(struct rig *rig, const char *words) {
    char *end;

    rig->to_send = rig->sent + (unsigned)strtoul(words, &end, 10);
    rig->bytes = (uint32_t)strtoul(end + 1, NULL, 10);
    for (unsigned i = 0; rig->received < rig->to_send; i++) {
        if (i == STEPS_MOST) {
            fail(words, "an answer does not come");
        }
        step(rig);
    }
}

static void wait_ms(struct rig *rig, const char *words) {
    uint64_t until = nd_sim_counts(rig->sim).now_ns + strtoull(words, NULL, 10) * 1000000u;

    while (nd_sim_counts(rig->sim).now_ns < until) {
        step(rig);
    }
}

static void act(struct rig *rig, const char *action) {
    static const struct {
        const char *name;
        void (*run)(struct rig *rig, const char *words);
    } actions[] = {{"type:", type}, {"echo:", echo}, {"wait:", wait_ms}};

    for (unsigned i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        size_t length = strlen(actions[i].name);
        if (strncmp(action, actions[i].name, length) == 0) {
            actions[i].run(rig, action + length);
            return;
        }
    }
    fail(action, "expected type:LINE, echo:N:BYTES or wait:MS");
}

int main(int argc, char **argv) {
    static struct rig rig;
    char error[ND_SIM_ERROR_BYTES] = "";

    if (argc < 3) {
        fail("usage", "qemu|native FIRMWARE ACTION...");
    }
    const struct nd_sim_cfg cfg = {
        .machine = strcmp(argv[1], "qemu") == 0 ? ND_SIM_QEMU : ND_SIM_NATIVE,
        .firmware = argv[2],
        .seed = 1,
        .peer_poll = poll_peer,
        .peer_ctx = &rig,
    };
    rig.sim = nd_sim_open(&cfg, error);
    if (rig.sim == NULL) {
        fail(argv[2], error);
    }
    start_peer(&rig);
    for (int i = 3; i < argc; i++) {
        act(&rig, argv[i]);
    }
    nd_agent_close(&rig.agent);
    nd_sim_port(rig.sim)->close(rig.socket);
    rig.is_open = false;
    nd_sim_close(rig.sim);
    return 0;
}
