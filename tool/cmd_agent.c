/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_agent.c - the agent on this machine's own stack. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "host.h"
#include "host_facts.h"
#include "host_ping.h"
#include "nd/chargen.h"
#include "nd/chunks.h"
#include "nd/console.h"
#include "nd/datagram.h"
#include "nd/discard.h"
#include "nd/echo.h"
#include "nd/iperf.h"
#include "nd/iperf3.h"
#include "nd/memtest.h"
#include "nd/remote.h"
#include "nd/rr.h"
#include "nd/ttcp.h"
#include "say.h"
#include "serial_console.h"
#include "token.h"

/* Connections that each of echo, discard and chargen serves at once. */
#define STREAM_CONNS 32

/* Tests of iperf 2 at once, and streams of an iperf 3 test, both directions counted. */
#define IPERF_TESTS    64
#define IPERF3_STREAMS 128

/* Datagrams are sent from here, of any length that IP carries [byte]. */
#define DATAGRAM_BYTES 65536

/* The longest chunk of the load stream [byte]. */
#define CHUNK_BYTES 65536u

/* Room in the port: those, twice for iperf 3, which the console has too; a listener, a socket and a
 * connection for each service; and as many again for callers that wait. */
#define PORT_CONNS (2 * (3 * STREAM_CONNS + IPERF_TESTS + 2 * IPERF3_STREAMS + 3 * 12))

/* Asked for any port, the kernel names one that is free for TCP, while UDP's of that number may be
 * another's: ask so often. */
#define PORT_TRIES 64

#define LISTEN_DEFAULT "127.0.0.1:5055"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

struct options {
    const char *listen;
    const char *services;
    const char *console;
    const char *token;
    uint64_t idle_ns;
    uint64_t memtest_bytes;
    uint64_t max_seconds_ns;
    uint64_t max_bit_s;
    bool udp_reverse;
    bool quiet;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_TEXT('l', "listen", "ADDR:PORT", AT(listen),
                 "where to serve, PORT 0 = any [" LISTEN_DEFAULT "]"),
    OPT_ROW_TEXT('s', "services", "LIST", AT(services), "names with commas between them [all]"),
    OPT_ROW_TEXT(0, "console", "LINE", AT(console),
                 "also at DEVICE[@BAUD], or at a pty that is made"),
    OPT_ROW_TEXT(0, "token", "TOKEN", AT(token), "of who commands by network [NETDYNO_TOKEN]"),
    OPT_ROW_NUMBER('n', "bytes", "BYTES", AT(memtest_bytes), UNITS_BYTES, ND_MEMTEST_BYTES, 1,
                   UINT64_C(1) << 40, "of memtest, per phase"),
    OPT_ROW_NUMBER(0, "idle", "TIME", AT(idle_ns), UNITS_NS, 30000 * NS_PER_MS, 100 * NS_PER_MS,
                   86400000 * NS_PER_MS, "drop a connection after so long in silence"),
    OPT_ROW_NUMBER(0, "max-seconds", "TIME", AT(max_seconds_ns), UNITS_NS, 0, 0, 86400 * NS_PER_S,
                   "longest test of iperf and iperf3; 0 = any"),
    OPT_ROW_NUMBER(0, "max-rate", "RATE", AT(max_bit_s), UNITS_BIT_S, 0, 0, UINT64_C(1000000000000),
                   "fastest test of iperf and iperf3; 0 = any"),
    OPT_ROW_FLAG(0, "udp-reverse", AT(udp_reverse), "let iperf send by UDP to who asks (-R)"),
    OPT_ROW_FLAG('q', "quiet", AT(quiet), "do not print the reports of finished tests"),
    OPT_ROW_END,
};

static uint32_t max_seconds(const struct options *options) {
    return (uint32_t)((options->max_seconds_ns + NS_PER_S - 1) / NS_PER_S);
}

static struct nd_iperf3_limits iperf3_limits(const struct options *options) {
    return (struct nd_iperf3_limits){.seconds = max_seconds(options),
                                     .rate_bit_s = options->max_bit_s};
}

/* A console's own commands: each is in one console's list. */
struct commands {
    struct nd_command ttcp;
    struct nd_command memtest;
    struct nd_command iperf;
    struct nd_command iperf3;
    struct nd_command rr;
    struct nd_command ping;
    struct nd_command chunks;
};

struct server {
    const struct options *options;
    struct host host;
    struct nd_addr base;    /* where to serve */
    struct nd_addr address; /* the same without port; family 0 = any of this machine's */
    struct nd_agent agent;
    struct nd_console console; /* of remote callers */
    struct nd_remote remote;
    struct serial_console serial;
    struct commands commands[2];
    struct host_ping ping_path;
    struct nd_ping ping; /* of both consoles, as are the next four */
    struct nd_ttcp ttcp_of_console;
    struct nd_rr_console rr;
    struct nd_chunks_console chunks;
    uint8_t chunk_memory[ND_CHUNKS_MEMORY(CHUNK_BYTES)];
    struct nd_iperf3 iperf3_of_console;
    struct nd_ttcp ttcp;
    struct nd_memtest_server memtest;
    struct nd_stream_server echo;
    struct nd_stream_server discard;
    struct nd_stream_server chargen;
    struct nd_stream_conn conns[3][STREAM_CONNS];
    struct nd_datagram_server datagrams[3];
    struct nd_iperf iperf; /* for the service and for the console */
    struct nd_iperf_test iperf_tests[IPERF_TESTS];
    struct nd_iperf3_server iperf3;
    struct nd_iperf3_stream iperf3_streams[2][IPERF3_STREAMS];
    uint8_t datagram[3][DATAGRAM_BYTES];
    struct nd_console log; /* prints reports on stdout */
};

/* Memory of the service (0) and of the console's command (1). */
static struct nd_iperf3_memory iperf3_memory(struct server *server, unsigned which) {
    return (struct nd_iperf3_memory){.streams = server->iperf3_streams[which],
                                     .stream_count = IPERF3_STREAMS,
                                     .datagram = server->datagram[1 + which],
                                     .datagram_bytes = DATAGRAM_BYTES};
}

/* ---- the services -------------------------------------------------------------------- */

static void prepare_commands(struct server *server) {
    host_ping_init(&server->ping_path, server->host.port_ctx);
    server->ping.path = &server->ping_path.path;
    nd_chunks_init(&server->chunks.chunks, server->chunk_memory, sizeof server->chunk_memory);
    server->iperf3_of_console = (struct nd_iperf3){
        .memory = iperf3_memory(server, 1),
        .limits = iperf3_limits(server->options),
    };
}

static void make_console(struct server *server, struct nd_console *console,
                         struct commands *commands) {
    nd_console_init(console, &server->agent);
    nd_ttcp_command(&commands->ttcp, &server->ttcp_of_console);
    nd_console_add(console, &commands->ttcp);
    nd_rr_command(&commands->rr, &server->rr);
    nd_console_add(console, &commands->rr);
    nd_ping_command(&commands->ping, &server->ping);
    nd_console_add(console, &commands->ping);
    nd_chunks_command(&commands->chunks, &server->chunks);
    nd_console_add(console, &commands->chunks);
    nd_memtest_command(&commands->memtest, &server->memtest);
    nd_console_add(console, &commands->memtest);
    nd_iperf_command(&commands->iperf, &server->iperf);
    nd_console_add(console, &commands->iperf);
    nd_iperf3_command(&commands->iperf3, &server->iperf3_of_console);
    nd_console_add(console, &commands->iperf3);
}

static int open_console(struct server *server, struct nd_addr *at) {
    int result;

    make_console(server, &server->console, &server->commands[0]);
    result = nd_remote_serve(&server->remote, &server->agent, at, &server->console,
                             token_find(server->options->token));
    *at = server->remote.service.at;
    return result;
}

static int open_ttcp(struct server *server, struct nd_addr *at) {
    const struct nd_ttcp_cfg cfg = {.transmit = false, .again = true, .addr = *at};
    int result = nd_ttcp_start(&server->ttcp, &server->agent, &cfg);

    *at = server->ttcp.service.at;
    return result;
}

static int open_memtest(struct server *server, struct nd_addr *at) {
    int result =
        nd_memtest_serve(&server->memtest, &server->agent, at, server->options->memtest_bytes);

    *at = server->memtest.service.at;
    return result;
}

static int open_echo(struct server *server, struct nd_addr *at) {
    int result = nd_echo_serve(&server->echo, &server->agent, at, server->conns[0], STREAM_CONNS);

    *at = server->echo.service.at;
    return result;
}

static int open_discard(struct server *server, struct nd_addr *at) {
    int result =
        nd_discard_serve(&server->discard, &server->agent, at, server->conns[1], STREAM_CONNS);

    *at = server->discard.service.at;
    return result;
}

static int open_chargen(struct server *server, struct nd_addr *at) {
    int result =
        nd_chargen_serve(&server->chargen, &server->agent, at, server->conns[2], STREAM_CONNS);

    *at = server->chargen.service.at;
    return result;
}

static int open_datagrams(struct server *server, enum nd_datagram_kind kind, struct nd_addr *at) {
    int result = nd_datagram_serve(&server->datagrams[kind], &server->agent, kind, at);

    *at = server->datagrams[kind].at;
    return result;
}

static int open_echo_udp(struct server *server, struct nd_addr *at) {
    return open_datagrams(server, ND_DATAGRAM_ECHO, at);
}

static int open_discard_udp(struct server *server, struct nd_addr *at) {
    return open_datagrams(server, ND_DATAGRAM_DISCARD, at);
}

static int open_chargen_udp(struct server *server, struct nd_addr *at) {
    return open_datagrams(server, ND_DATAGRAM_CHARGEN, at);
}

/* Nobody forges an address of this machine's own. */
static bool is_loopback(const struct nd_addr *at) {
    static const uint8_t loopback_v6[16] = {[15] = 1};

    return (at->family == 4 && at->ip[0] == 127) ||
           (at->family == 6 && memcmp(at->ip, loopback_v6, sizeof loopback_v6) == 0);
}

static int open_iperf(struct server *server, struct nd_addr *at) {
    const struct nd_iperf_server_cfg cfg = {
        .at = *at,
        .tcp = true,
        .udp = true,
        .limits = {.udp_to_askers = server->options->udp_reverse || is_loopback(at),
                   .max_seconds = max_seconds(server->options),
                   .max_bit_s = server->options->max_bit_s},
    };
    unsigned tries = PORT_TRIES;
    int result;

    do {
        result = nd_iperf_serve(&server->iperf, &cfg);
    } while (result == ND_E_IN_USE && at->port == 0 && --tries > 0);
    *at = server->iperf.service.at;
    return result;
}

static int open_iperf3(struct server *server, struct nd_addr *at) {
    const struct nd_iperf3_memory memory = iperf3_memory(server, 0);
    const struct nd_iperf3_limits limits = iperf3_limits(server->options);
    int result = nd_iperf3_serve(&server->iperf3, &server->agent, at, &memory, &limits);

    *at = server->iperf3.service.at;
    return result;
}

static const struct service {
    const char *name;
    const char *udp; /* line about the UDP half of a service that has both; NULL = has not */
    uint16_t offset; /* of its port from PORT */
    int (*open)(struct server *server, struct nd_addr *at); /* fills in the port */
} services[] = {
    {"console", NULL, 0, open_console},         {"ttcp", NULL, 1, open_ttcp},
    {"memtest", NULL, 2, open_memtest},         {"echo", NULL, 3, open_echo},
    {"discard", NULL, 4, open_discard},         {"chargen", NULL, 5, open_chargen},
    {"iperf", "iperf-udp", 6, open_iperf},      {"iperf3", NULL, 7, open_iperf3},
    {"echo-udp", NULL, 3, open_echo_udp},       {"discard-udp", NULL, 4, open_discard_udp},
    {"chargen-udp", NULL, 5, open_chargen_udp},
};

#define SERVICES (sizeof services / sizeof *services)

/* The highest offset. */
#define LAST_OFFSET 7

/* Is this name one of the list's words? NULL = everything is. */
static bool is_wanted(const char *list, const char *name) {
    size_t length = strlen(name);

    if (list == NULL) {
        return true;
    }
    for (const char *word = list; *word != '\0';) {
        size_t word_length = strcspn(word, ",");
        if (word_length == length && memcmp(word, name, length) == 0) {
            return true;
        }
        word += word_length + (word[word_length] == ',');
    }
    return false;
}

static bool is_service(const char *word, size_t length) {
    for (size_t i = 0; i < SERVICES; i++) {
        if (strlen(services[i].name) == length && memcmp(services[i].name, word, length) == 0) {
            return true;
        }
    }
    return false;
}

static int refuse_service(const char *word, size_t length) {
    char names[128] = "";

    for (size_t i = 0; i < SERVICES; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", services[i].name);
    }
    return say_usage("agent", "--services %.*s: expected some of: %s", (int)length, word, names);
}

static bool check_services(const char *list) {
    const char *word = list;

    while (list != NULL) {
        size_t length = strcspn(word, ",");

        if (!is_service(word, length)) {
            refuse_service(word, length);
            return false;
        }
        if (word[length] == '\0') {
            break;
        }
        word += length + 1;
    }
    return true;
}

static int open_service(struct server *server, const struct service *service, struct nd_addr *at) {
    const struct nd_addr wanted = *at;
    char text[ND_ADDR_TEXT_BYTES];
    int result = service->open(server, at);

    if (result != ND_OK) {
        nd_addr_format(&wanted, text);
        say_error("agent: cannot serve %s at %s: %s", service->name, text, nd_error_name(result));
    }
    return result;
}

/* The console at an address that others reach: by name, or with a token. */
static bool is_offered(const struct server *server, const char *name) {
    const struct options *options = server->options;

    return is_wanted(options->services, name) &&
           (strcmp(name, "console") != 0 || options->services != NULL ||
            token_find(options->token) != NULL || is_loopback(&server->base));
}

static void tell(const char *name, const struct nd_addr *at) {
    char text[ND_ADDR_TEXT_BYTES];

    nd_addr_format(at, text);
    printf("%s %s\n", name, text);
}

/* Open what is wanted; when all of it is, tell where. */
static int open_services(struct server *server) {
    const struct nd_addr *base = &server->base;
    struct nd_addr at[SERVICES];

    for (size_t i = 0; i < SERVICES; i++) {
        at[i] = *base;
        at[i].port = base->port == 0 ? 0 : (uint16_t)(base->port + services[i].offset);
        if (is_offered(server, services[i].name) &&
            open_service(server, &services[i], &at[i]) != ND_OK) {
            return -1;
        }
    }
    for (size_t i = 0; i < SERVICES; i++) {
        if (is_offered(server, services[i].name)) {
            tell(services[i].name, &at[i]);
            if (services[i].udp != NULL) {
                tell(services[i].udp, &at[i]);
            }
        }
    }
    return 0;
}

static int open_serial(struct server *server) {
    const char *name = server->options->console;

    if (name == NULL) {
        return 0;
    }
    make_console(server, &server->serial.console, &server->commands[1]);
    if (serial_console_serve(&server->serial, &server->agent, server->host.port_ctx, name) != 0) {
        return -1;
    }
    printf("console-serial %s\n", server->serial.line.path);
    return 0;
}

static int open_all(struct server *server) {
    prepare_commands(server);
    if (open_services(server) != 0 || open_serial(server) != 0) {
        return -1;
    }
    if (!is_offered(server, "console") && is_wanted(server->options->services, "console")) {
        say_error("agent: no console on the network: give --token, or name it in --services");
    }
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        say_error("agent: cannot print where it serves: %s", strerror(errno));
        return -1;
    }
    return 0;
}

/* ---- running ------------------------------------------------------------------------- */

/* Print what the log console has; called in every turn of the loop. A reader of stdout that went
 * away costs the lines, not the service. */
static bool print_log(void *ctx) {
    struct server *server = ctx;
    const char *bytes;
    size_t length = nd_console_output(&server->log, &bytes);

    if (length > 0) {
        if (!server->options->quiet) {
            fwrite(bytes, 1, length, stdout);
            fflush(stdout);
        }
        nd_console_output_done(&server->log, length);
    }
    return false;
}

static int start_agent(struct server *server) {
    struct nd_agent_cfg cfg = {
        .port = server->host.port,
        .port_ctx = server->host.port_ctx,
        .clock = server->host.clock,
        .idle_ticks = server->host.idle_ticks,
        .address = &server->address,
        .idle_limit_ms = (uint32_t)(server->options->idle_ns / NS_PER_MS),
    };
    int result;

    cfg.facts = host_facts_read(&cfg.fact_count);
    result = nd_agent_init(&server->agent, &cfg);
    if (result != ND_OK) {
        say_error("agent: cannot start: %s", nd_error_name(result));
        return -1;
    }
    nd_iperf_init(&server->iperf, &server->agent, server->iperf_tests, IPERF_TESTS,
                  server->datagram[0], DATAGRAM_BYTES);
    nd_agent_poll(&server->agent); /* for the time to be the present one */
    nd_iperf_set_time(&server->iperf, host_time_us());
    return 0;
}

static int serve(struct server *server) {
    if (start_agent(server) != 0) {
        return SAY_FAILED;
    }
    nd_console_init(&server->log, &server->agent);
    if (open_all(server) == 0) {
        host_run(&server->host, &server->agent, print_log, server);
        nd_agent_close(&server->agent);
        print_log(server);
        return SAY_DONE;
    }
    nd_agent_close(&server->agent);
    return SAY_FAILED;
}

static bool take_base(struct server *server) {
    const char *listen = server->options->listen != NULL ? server->options->listen : LISTEN_DEFAULT;
    static const uint8_t any[16];

    server->base = (struct nd_addr){.port = ND_REMOTE_PORT};
    if (nd_addr_parse(listen, strlen(listen), &server->base) != ND_OK ||
        server->base.port > UINT16_MAX - LAST_OFFSET) {
        say_usage("agent", "--listen %s: expected ADDR:PORT in numbers, PORT 0 to %u", listen,
                  (unsigned)(UINT16_MAX - LAST_OFFSET));
        return false;
    }
    if (memcmp(server->base.ip, any, sizeof any) != 0) {
        server->address = server->base;
        server->address.port = 0;
    }
    return true;
}

static bool check_consoles(const struct options *options) {
    const char *token = token_find(options->token);
    const char *line = options->console;

    if (token != NULL && !token_is_fit(token, strlen(token))) {
        say_usage("agent", "--token: expected " TOKEN_FORM);
        return false;
    }
    if (line != NULL && strcmp(line, "pty") != 0 && !serial_line_is_form(line)) {
        say_usage("agent", "--console %s: expected pty, or " SERIAL_LINE_FORM, line);
        return false;
    }
    return true;
}

static int run(const void *ctx, const struct opt_list *operands) {
    static struct server server; /* large, and there is one */
    int code;

    (void)operands;
    server.options = ctx;
    if (!take_base(&server) || !check_services(server.options->services) ||
        !check_consoles(server.options)) {
        return SAY_USAGE;
    }
    if (host_open(&server.host, PORT_CONNS) != 0) {
        return SAY_FAILED;
    }
    code = serve(&server);
    host_close(&server.host);
    return code;
}

const struct command cmd_agent = {
    .name = "agent",
    .summary = "The agent on this machine's own stack, until Ctrl-C",
    .operands = "",
    .operands_min = 0,
    .operands_max = 0,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "Services: console at PORT, ttcp at PORT+1, memtest +2, echo +3, discard +4,\n"
             "chargen +5, iperf (TCP and UDP) +6, iperf3 +7; echo-udp +3, discard-udp +4,\n"
             "chargen-udp +5. With PORT 0 the kernel chooses each. One line per service tells\n"
             "where it accepts. Whoever reaches the console commands the agent: at an address\n"
             "that other machines reach it is served only with --token, or by its name in\n"
             "--services.",
    .run = run,
};
