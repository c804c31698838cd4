/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_agent.c - the agent on this machine's own stack. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "host.h"
#include "host_facts.h"
#include "nd/chargen.h"
#include "nd/console.h"
#include "nd/discard.h"
#include "nd/echo.h"
#include "nd/memtest.h"
#include "nd/remote.h"
#include "nd/ttcp.h"
#include "say.h"

/* Connections that each of echo, discard and chargen serves at once. */
#define STREAM_CONNS 32

/* Room in the port: those, one listener and one connection for each service, and the console's own
 * ttcp; and as many again for callers that wait. */
#define PORT_CONNS (2 * (3 * STREAM_CONNS + 2 * 8))

#define LISTEN_DEFAULT "127.0.0.1:5055"

#define NS_PER_MS UINT64_C(1000000)

struct options {
    const char *listen;
    const char *services;
    uint64_t idle_ns;
    uint64_t memtest_bytes;
    bool quiet;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_TEXT('l', "listen", "ADDR:PORT", AT(listen),
                 "where to serve, PORT 0 = any [" LISTEN_DEFAULT "]"),
    OPT_ROW_TEXT('s', "services", "LIST", AT(services), "names with commas between them [all]"),
    OPT_ROW_NUMBER('n', "bytes", "BYTES", AT(memtest_bytes), UNITS_BYTES, ND_MEMTEST_BYTES, 1,
                   UINT64_C(1) << 40, "of memtest, per phase"),
    OPT_ROW_NUMBER(0, "idle", "TIME", AT(idle_ns), UNITS_NS, 30000 * NS_PER_MS, 100 * NS_PER_MS,
                   86400000 * NS_PER_MS, "drop a connection after so long in silence"),
    OPT_ROW_FLAG('q', "quiet", AT(quiet), "do not print the reports of finished tests"),
    OPT_ROW_END,
};

struct server {
    const struct options *options;
    struct host host;
    struct nd_agent agent;
    struct nd_console console; /* of remote callers */
    struct nd_remote remote;
    struct nd_command ttcp_command;
    struct nd_ttcp ttcp_of_console;
    struct nd_ttcp ttcp;
    struct nd_memtest_server memtest;
    struct nd_stream_server echo;
    struct nd_stream_server discard;
    struct nd_stream_server chargen;
    struct nd_stream_conn conns[3][STREAM_CONNS];
    struct nd_console log; /* prints reports on stdout */
};

static int open_console(struct server *server, const struct nd_addr *at) {
    nd_console_init(&server->console, &server->agent);
    nd_ttcp_command(&server->ttcp_command, &server->ttcp_of_console);
    nd_console_add(&server->console, &server->ttcp_command);
    return nd_remote_serve(&server->remote, &server->agent, at, &server->console);
}

static int open_ttcp(struct server *server, const struct nd_addr *at) {
    const struct nd_ttcp_cfg cfg = {.transmit = false, .again = true, .addr = *at};

    return nd_ttcp_start(&server->ttcp, &server->agent, &cfg);
}

static int open_memtest(struct server *server, const struct nd_addr *at) {
    return nd_memtest_serve(&server->memtest, &server->agent, at, server->options->memtest_bytes);
}

static int open_echo(struct server *server, const struct nd_addr *at) {
    return nd_echo_serve(&server->echo, &server->agent, at, server->conns[0], STREAM_CONNS);
}

static int open_discard(struct server *server, const struct nd_addr *at) {
    return nd_discard_serve(&server->discard, &server->agent, at, server->conns[1], STREAM_CONNS);
}

static int open_chargen(struct server *server, const struct nd_addr *at) {
    return nd_chargen_serve(&server->chargen, &server->agent, at, server->conns[2], STREAM_CONNS);
}

/* A service's port is PORT plus its place in this list. */
static const struct {
    const char *name;
    int (*open)(struct server *server, const struct nd_addr *at);
} services[] = {
    {"console", open_console}, {"ttcp", open_ttcp},       {"memtest", open_memtest},
    {"echo", open_echo},       {"discard", open_discard}, {"chargen", open_chargen},
};

#define SERVICES (sizeof services / sizeof *services)

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

static bool check_services(const char *list) {
    const char *word = list;

    while (list != NULL) {
        size_t length = strcspn(word, ",");

        if (!is_service(word, length)) {
            say_usage("agent",
                      "--services %.*s: expected some of: console, ttcp, memtest, echo, "
                      "discard, chargen",
                      (int)length, word);
            return false;
        }
        if (word[length] == '\0') {
            break;
        }
        word += length + 1;
    }
    return true;
}

static const struct nd_service *find_service(const struct server *server, const char *name) {
    const struct nd_service *at = server->agent.services;

    while (at != NULL && strcmp(at->kind->name, name) != 0) {
        at = at->next;
    }
    return at;
}

static int open_services(struct server *server, const struct nd_addr *base) {
    for (size_t i = 0; i < SERVICES; i++) {
        struct nd_addr at = *base;
        int result;

        if (!is_wanted(server->options->services, services[i].name)) {
            continue;
        }
        at.port = base->port == 0 ? 0 : (uint16_t)(base->port + i);
        result = services[i].open(server, &at);
        if (result != ND_OK) {
            char text[ND_ADDR_TEXT_BYTES];
            nd_addr_format(&at, text);
            say_error("agent: cannot serve %s at %s: %s", services[i].name, text,
                      nd_error_name(result));
            return -1;
        }
    }
    return 0;
}

static void tell_services(const struct server *server) {
    for (size_t i = 0; i < SERVICES; i++) {
        const struct nd_service *service = find_service(server, services[i].name);
        char text[ND_ADDR_TEXT_BYTES];

        if (service != NULL) {
            nd_addr_format(&service->at, text);
            printf("%s %s\n", services[i].name, text);
        }
    }
    fflush(stdout);
}

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
        .idle_limit_ms = (uint32_t)(server->options->idle_ns / NS_PER_MS),
    };
    int result;

    cfg.facts = host_facts_read(&cfg.fact_count);
    result = nd_agent_init(&server->agent, &cfg);
    if (result != ND_OK) {
        say_error("agent: cannot start: %s", nd_error_name(result));
        return -1;
    }
    return 0;
}

static int serve(struct server *server, const struct nd_addr *base) {
    if (start_agent(server) != 0) {
        return SAY_FAILED;
    }
    nd_console_init(&server->log, &server->agent);
    if (open_services(server, base) == 0) {
        tell_services(server);
        host_run(&server->host, &server->agent, print_log, server);
        nd_agent_close(&server->agent);
        print_log(server);
        return SAY_DONE;
    }
    nd_agent_close(&server->agent);
    return SAY_FAILED;
}

static int run(const void *ctx, const struct opt_list *operands) {
    static struct server server; /* large, and there is one */
    struct nd_addr base = {.port = ND_REMOTE_PORT};
    const char *listen;
    int code;

    (void)operands;
    server.options = ctx;
    listen = server.options->listen != NULL ? server.options->listen : LISTEN_DEFAULT;
    if (nd_addr_parse(listen, strlen(listen), &base) != ND_OK ||
        base.port > UINT16_MAX - SERVICES) {
        return say_usage("agent", "--listen %s: expected ADDR:PORT in numbers, PORT 0 to %u",
                         listen, (unsigned)(UINT16_MAX - SERVICES));
    }
    if (!check_services(server.options->services)) {
        return SAY_USAGE;
    }
    if (host_open(&server.host, PORT_CONNS) != 0) {
        return SAY_FAILED;
    }
    code = serve(&server, &base);
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
             "chargen +5; with PORT 0 the kernel chooses each. One line per service tells\n"
             "where it accepts. Whoever reaches the console commands the agent: it is served\n"
             "on this machine alone unless --listen says otherwise.",
    .run = run,
};
