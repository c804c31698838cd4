/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_iperf.c - iperf 2's client and server, its flags and its lines. */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "iperf_lines.h"
#include "iperf_text.h"
#include "role.h"
#include "say.h"
#include "signals.h"

#define NS_PER_S UINT64_C(1000000000)

/* Room for a datagram of any length [byte]. */
#define DATAGRAM_BYTES ND_IPERF_DATAGRAM_MAX

/* Connections at once: the tests, listener and socket, and callers that wait. */
#define CONNS (2 * IPERF_LINES_TESTS + 2)

/* A server that was asked to test back begins by then [ticks of this machine's clock: ns]. */
#define BACK_NS (5 * NS_PER_S)

struct options {
    bool server;
    bool udp;
    bool reverse;
    bool tradeoff;
    bool dual;
    bool duplex;
    bool no_delay;
    const char *host;
    const char *format;
    const char *json;
    uint64_t port;
    uint64_t listen_port;
    uint64_t time_ns;
    uint64_t bytes;
    uint64_t len;
    uint64_t bit_s;
    uint64_t parallel;
    uint64_t interval_ns;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_FLAG('s', "server", AT(server), "serve until Ctrl-C, or -P tests are over"),
    OPT_ROW_TEXT('c', "client", "HOST", AT(host), "test with the server at HOST"),
    OPT_ROW_FLAG('u', "udp", AT(udp), "datagrams"),
    OPT_ROW_NUMBER('p', "port", "PORT", AT(port), UNITS_COUNT, ND_IPERF_PORT, 0, UINT16_MAX,
                   "of the server; 0 = any free one, with -s"),
    OPT_ROW_NUMBER('t', "time", "TIME", AT(time_ns), UNITS_NS, 0, 0, 86400 * NS_PER_S,
                   "send for so long; 0 = 10s, or any time with -n"),
    OPT_ROW_NUMBER('n', "num", "BYTES", AT(bytes), UNITS_BYTES, 0, 0, INT64_MAX,
                   "send exactly so many per stream; 0 = any"),
    OPT_ROW_NUMBER('l', "len", "BYTES", AT(len), UNITS_BYTES, 0, 0, 1u << 27,
                   "of a write or datagram; 0 = 128K, UDP 1470"),
    OPT_ROW_NUMBER('b', "bandwidth", "RATE", AT(bit_s), UNITS_BIT_S, 0, 0, UINT64_C(1000000000000),
                   "of a stream; 0 = as it goes, UDP 1M"),
    OPT_ROW_NUMBER('P', "parallel", "N", AT(parallel), UNITS_COUNT, 0, 0, IPERF_LINES_TESTS,
                   "streams; 0 = 1, with -s any"),
    OPT_ROW_NUMBER('i', "interval", "TIME", AT(interval_ns), UNITS_NS, 0, 0, 86400 * NS_PER_S,
                   "a line every so often; 0 = none"),
    OPT_ROW_FLAG('R', "reverse", AT(reverse), "the server sends"),
    OPT_ROW_FLAG('r', "tradeoff", AT(tradeoff), "then the server sends, over a connection back"),
    OPT_ROW_FLAG('d', "dualtest", AT(dual), "the server sends too, over a connection back"),
    OPT_ROW_FLAG(0, "full-duplex", AT(duplex), "both send over one connection; TCP"),
    OPT_ROW_NUMBER('L', "listenport", "PORT", AT(listen_port), UNITS_COUNT, ND_IPERF_PORT, 1,
                   UINT16_MAX, "where -r and -d are called back"),
    OPT_ROW_TEXT('f', "format", "LETTER", AT(format),
                 "b k m g: bit/s, B K M G: byte/s, a: what fits [a]"),
    OPT_ROW_FLAG('N', "nodelay", AT(no_delay), "send small writes at once; always so here"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_REFUSED('e', "enhanced", "not supported; --json has what there is beyond the lines"),
    OPT_ROW_REFUSED('y', "reportstyle", "CSV is not supported; use --json FILE"),
    OPT_ROW_REFUSED('w', "window", "not supported; the system chooses the buffers"),
    OPT_ROW_REFUSED('D', "daemon", "not supported; start it from a service manager"),
    OPT_ROW_REFUSED('V', "ipv6_domain", "not needed; a HOST of IPv6 is called by IPv6"),
    OPT_ROW_REFUSED(0, "bounceback", "not supported; use netdyno rr"),
    OPT_ROW_REFUSED(0, "trip-times", "not supported; use netdyno rr for round trips"),
    OPT_ROW_END,
};

struct iperf {
    const struct options *options;
    struct role role;
    struct nd_iperf engine;
    struct iperf_lines lines;
    uint64_t ours_over; /* our client's tests were, first seen then [ticks]; 0 = not yet */
    bool lost_back;     /* no test back has come */
};

/* ---- the command line ---------------------------------------------------------------- */

static bool asks_back(const struct options *options) {
    return options->dual || options->tradeoff;
}

static int refuse_server(const struct options *options) {
    if (options->host != NULL) {
        return say_usage("iperf", "expected one of -s, -c HOST");
    }
    if (options->reverse || asks_back(options) || options->duplex) {
        return say_usage("iperf", "-R, -r, -d and --full-duplex are the client's to ask for");
    }
    if (options->time_ns > 0 || options->bytes > 0 || options->bit_s > 0) {
        return say_usage("iperf", "-t, -n and -b are the client's to ask for");
    }
    return SAY_DONE;
}

static int refuse_ways(const struct options *options) {
    if (options->reverse + options->tradeoff + options->dual + options->duplex > 1) {
        return say_usage("iperf", "expected one of -R, -r, -d, --full-duplex");
    }
    if (asks_back(options) && options->parallel > 1) {
        return say_usage("iperf", "-P with -r or -d is not supported");
    }
    if (options->udp && options->duplex) {
        return say_usage("iperf", "--full-duplex over UDP is not supported; use -d");
    }
    if (options->bytes > INT32_MAX && (options->reverse || asks_back(options) || options->duplex)) {
        return say_usage("iperf",
                         "-n %" PRIu64 ": a server can be asked for %d byte at most; "
                         "use -t",
                         options->bytes, INT32_MAX);
    }
    return SAY_DONE;
}

static int refuse_client(const struct options *options) {
    if (options->host == NULL) {
        return say_usage("iperf", "expected -s or -c HOST");
    }
    if (options->port == 0) {
        return say_usage("iperf", "-p 0 is out of range, expected 1 to 65535 with -c");
    }
    if (options->udp && options->len > 0 &&
        (options->len < ND_IPERF_DATAGRAM_MIN || options->len > ND_IPERF_DATAGRAM_MAX)) {
        return say_usage("iperf", "-l %" PRIu64 " is out of range, expected %u to %u with -u",
                         options->len, ND_IPERF_DATAGRAM_MIN, ND_IPERF_DATAGRAM_MAX);
    }
    return refuse_ways(options);
}

static int check(const struct options *options, char *format) {
    if (!iperf_text_format(options->format, format)) {
        return say_usage("iperf", "-f %s: expected one of: b, k, m, g, B, K, M, G, a",
                         options->format);
    }
    return options->server ? refuse_server(options) : refuse_client(options);
}

/* ---- beginning --------------------------------------------------------------------------- */

static const char rule[] = "------------------------------------------------------------";

static uint32_t datagram_bytes(const struct options *options) {
    return options->len > 0 ? (uint32_t)options->len : ND_IPERF_DATAGRAM_BYTES;
}

static uint64_t datagram_bit_s(const struct options *options) {
    return options->bit_s > 0 ? options->bit_s : ND_IPERF_UDP_BIT_S;
}

static void tell_server(const struct iperf *iperf, uint16_t port) {
    if (iperf->role.text) {
        printf("%s\nServer listening on %s port %u\n%s\n", rule,
               iperf->options->udp ? "UDP" : "TCP", port, rule);
        fflush(stdout);
    }
}

static void tell_client(const struct iperf *iperf, const struct nd_addr *to) {
    const struct options *options = iperf->options;

    if (!iperf->role.text) {
        return;
    }
    printf("%s\nClient connecting to %s, %s port %u\n", rule, options->host,
           options->udp ? "UDP" : "TCP", to->port);
    if (options->udp && !options->reverse) {
        printf("Sending %" PRIu32 " byte datagrams, one every %.2f us\n", datagram_bytes(options),
               (double)datagram_bytes(options) * 8e6 / (double)datagram_bit_s(options));
    }
    printf("%s\n", rule);
    fflush(stdout);
}

/* Where a server of ours listens. */
static uint16_t served_port(const struct iperf *iperf) {
    struct nd_conn *conn =
        iperf->options->udp ? iperf->engine.socket.conn : iperf->engine.service.listener;
    struct nd_conn_info info;

    iperf->role.agent.cfg.port->info(conn, &info);
    return info.local.port;
}

static bool serve(struct iperf *iperf, uint64_t port) {
    const struct options *options = iperf->options;
    const struct nd_iperf_server_cfg cfg = {
        .at = {.port = (uint16_t)port},
        .tcp = !options->udp,
        .udp = options->udp,
        .limits = {.udp_to_askers = true}, /* as iperf: a person started this for a test */
        .interval_ns = options->interval_ns,
    };
    int result = nd_iperf_serve(&iperf->engine, &cfg);

    if (result != ND_OK) {
        role_fail(&iperf->role, "cannot listen at port %" PRIu64 ": %s", port,
                  nd_error_name(result));
    }
    return result == ND_OK;
}

static bool call(struct iperf *iperf, const struct nd_addr *to) {
    const struct options *options = iperf->options;
    const struct nd_iperf_client_cfg cfg = {
        .to = *to,
        .udp = options->udp,
        .reverse = options->reverse,
        .duplex = options->duplex,
        .dual = options->dual,
        .tradeoff = options->tradeoff,
        .listen_port = (uint16_t)options->listen_port,
        .bytes = options->bytes,
        .duration_ns = options->time_ns,
        .interval_ns = options->interval_ns,
        .bit_s = options->bit_s,
        .len = (uint32_t)options->len,
        .parallel = (uint32_t)options->parallel,
    };
    int result = nd_iperf_connect(&iperf->engine, &cfg);

    if (result == ND_E_ARG) {
        role_fail(&iperf->role,
                  "-n %" PRIu64 " cannot be shared out to datagrams of %" PRIu32
                  " byte, of which none is shorter than %u",
                  options->bytes, datagram_bytes(options), ND_IPERF_DATAGRAM_MIN);
    } else if (result != ND_OK) {
        role_fail(&iperf->role, "cannot connect to %s: %s", options->host, nd_error_name(result));
    }
    return result == ND_OK;
}

/* ---- running ------------------------------------------------------------------------- */

static bool has_come_back(struct iperf *iperf) {
    uint64_t now = iperf->role.agent.now;

    if (iperf->lines.theirs > 0) {
        return true;
    }
    for (uint32_t i = 0; i < IPERF_LINES_TESTS; i++) {
        if (iperf->lines.tests[i].state != ND_IPERF_FREE) {
            return false;
        }
    }
    if (iperf->ours_over == 0) {
        iperf->ours_over = now;
    }
    iperf->lost_back = now - iperf->ours_over > BACK_NS;
    return iperf->lost_back;
}

static bool is_over(void *ctx) {
    struct iperf *iperf = ctx;
    const struct options *options = iperf->options;

    iperf_lines_look(&iperf->lines);
    if (options->server) {
        return options->parallel > 0 && iperf->lines.theirs >= options->parallel;
    }
    if (iperf->lines.ours < iperf->lines.parallel) {
        return false;
    }
    return !asks_back(options) || iperf->role.failed || has_come_back(iperf);
}

static void run_client(struct iperf *iperf) {
    const struct options *options = iperf->options;
    struct nd_addr to = {.port = (uint16_t)options->port};

    if (!role_find(&iperf->role, options->host, &to)) {
        return;
    }
    tell_client(iperf, &to);
    if (options->udp && !options->reverse) {
        role_check_datagrams(&iperf->role, &to, datagram_bytes(options), datagram_bit_s(options));
    }
    if ((asks_back(options) && !serve(iperf, options->listen_port)) || !call(iperf, &to)) {
        return;
    }
    role_run(&iperf->role, is_over, iperf);
    nd_agent_stop_tests(&iperf->role.agent);
    nd_agent_poll(&iperf->role.agent);
    iperf_lines_end(&iperf->lines);
    if (iperf->lost_back) {
        role_fail(&iperf->role, "the server did not test back: can it reach port %" PRIu64 "?",
                  options->listen_port);
    } else if (iperf->lines.moved_bytes == 0 && !iperf->role.failed && signals_caught() == 0) {
        role_fail(&iperf->role, "no byte arrived");
    }
}

static void run_server(struct iperf *iperf) {
    if (serve(iperf, iperf->options->port)) {
        tell_server(iperf, served_port(iperf));
        role_run(&iperf->role, is_over, iperf);
    }
}

static void take_report(void *ctx, const struct nd_report *report) {
    iperf_lines_report(&((struct iperf *)ctx)->lines, report);
}

static int run(const void *ctx, const struct opt_list *operands) {
    static struct iperf iperf; /* large, and there is one */
    static uint8_t datagram[DATAGRAM_BYTES];
    const struct options *options = ctx;
    char format;
    int code = check(options, &format);

    (void)operands;
    if (code != SAY_DONE) {
        return code;
    }
    iperf.options = options;
    if (!role_open(&iperf.role, "iperf", options->server ? "any" : options->host, options->json,
                   CONNS, take_report, &iperf)) {
        return SAY_FAILED;
    }
    nd_iperf_init(&iperf.engine, &iperf.role.agent, iperf.lines.tests, IPERF_LINES_TESTS, datagram,
                  sizeof datagram);
    nd_agent_poll(&iperf.role.agent); /* for the time to be the present one */
    nd_iperf_set_time(&iperf.engine, host_time_us());
    iperf.lines.role = &iperf.role;
    iperf.lines.iperf = &iperf.engine;
    iperf.lines.format = format;
    iperf.lines.parallel = options->server         ? 0
                           : options->parallel > 0 ? (uint32_t)options->parallel
                                                   : 1;
    if (options->server) {
        run_server(&iperf);
    } else {
        run_client(&iperf);
    }
    return role_close(&iperf.role);
}

const struct command cmd_iperf = {
    .name = "iperf",
    .summary = "iperf 2 over TCP and UDP, client or server",
    .operands = "",
    .operands_min = 0,
    .operands_max = 0,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "Server: netdyno iperf -s [-u] [-i 1]\n"
             "Client: netdyno iperf -c HOST [-u -b 10M] [-t 10 | -n 1M] [-i 1]\n\n"
             "The lines are iperf's, with decimal prefixes: 1 MByte = 1 000 000 byte.\n"
             "Of received datagrams, `offered` is what the sender sent by its own clock.\n"
             "Exit code 1: refused, broken off, no report of the receiver, or no byte arrived.",
    .run = run,
};
