/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/iperf3.h"
#include "text.h"

/* What the words say. */
struct words {
    struct nd_iperf3_client_cfg cfg;
    uint64_t port;
    bool server;
    const char *host;
};

/* How the text behind an option is read. */
enum type { NUMBER, BYTES, RATE, MILLISECONDS, FLAG, HOST };

struct option {
    const char *name;
    enum type type;
    bool both; /* for a server, too */
    size_t at; /* in struct words */
    uint64_t max;
};

#define OPTION(NAME, TYPE, BOTH, MEMBER, MAX)                                                      \
    { NAME, TYPE, BOTH, offsetof(struct words, MEMBER), MAX }

static const struct option options[] = {
    OPTION("-s", FLAG, true, server, 0),
    OPTION("-c", HOST, false, host, 0),
    OPTION("-p", NUMBER, true, port, 65535),
    OPTION("-i", MILLISECONDS, true, cfg.interval_ms, 3600),
    OPTION("-t", NUMBER, false, cfg.params.time_s, ND_IPERF3_SECONDS_MAX),
    OPTION("-n", BYTES, false, cfg.params.bytes, INT64_MAX),
    OPTION("-k", BYTES, false, cfg.params.blocks, INT64_MAX),
    OPTION("-l", BYTES, false, cfg.params.length, UINT32_MAX),
    OPTION("-b", RATE, false, cfg.params.rate_bit_s, INT64_MAX),
    OPTION("-P", NUMBER, false, cfg.params.parallel, 128),
    OPTION("-O", NUMBER, false, cfg.params.omit_s, 600),
    OPTION("-u", FLAG, false, cfg.params.udp, 0),
    OPTION("-R", FLAG, false, cfg.params.reverse, 0),
    OPTION("--bidir", FLAG, false, cfg.params.bidir, 0),
    OPTION("--get-server-output", FLAG, false, cfg.params.server_output, 0),
    OPTION("--udp-counters-64bit", FLAG, false, cfg.params.counters_64bit, 0),
};

static const char usage[] =
    "iperf3 -s [-p PORT] [-i S] | iperf3 -c HOST [-u] [-t S] [-n BYTES] [-k BLOCKS] [-l BYTES] "
    "[-b RATE[/BURST]] [-P N] [-R] [--bidir] [-O S] [-p PORT] [-i S] [--get-server-output] "
    "[--udp-counters-64bit]";

/* ---- numbers ----------------------------------------------------------------------- */

/* The letter K, M or G behind a number, either case, as a factor; 0 for anything else. */
static uint64_t factor(char letter, uint64_t k) {
    switch (letter) {
    case 'k':
    case 'K':
        return k;
    case 'm':
    case 'M':
        return k * k;
    case 'g':
    case 'G':
        return k * k * k;
    default:
        return 0;
    }
}

/* Digits and perhaps a letter, of len bytes. */
static bool read_scaled(const char *text, size_t len, uint64_t k, uint64_t *value) {
    uint64_t by = len > 1 ? factor(text[len - 1], k) : 0;
    uint64_t number;

    if (!nd__text_u64(text, by > 0 ? len - 1 : len, &number)) {
        return false;
    }
    if (by > 0 && number > UINT64_MAX / by) {
        return false;
    }
    *value = by > 0 ? number * by : number;
    return true;
}

/* Place of the first such character, or the length. */
static size_t find(const char *text, char c) {
    size_t at = 0;

    while (text[at] != '\0' && text[at] != c) {
        at++;
    }
    return at;
}

/* "1", "0.5": seconds with up to three decimals. */
static bool read_milliseconds(const char *text, uint64_t *value) {
    size_t point = find(text, '.');
    uint64_t s;
    uint64_t ms = 0;

    if (!nd__text_u64(text, point, &s) || s > UINT32_MAX) {
        return false;
    }
    if (text[point] == '.') {
        const char *digits = text + point + 1;
        size_t len = nd__text_length(digits);
        if (len > 3 || !nd__text_u64(digits, len, &ms)) {
            return false;
        }
        for (; len < 3; len++) {
            ms *= 10;
        }
    }
    *value = s * 1000 + ms;
    return true;
}

/* "10M", "10M/20": bits a second, K = 1000, and datagrams back to back. */
static bool read_rate(struct words *words, const char *text) {
    size_t slash = find(text, '/');
    uint64_t burst = 0;

    if (!read_scaled(text, slash, 1000, &words->cfg.params.rate_bit_s)) {
        return false;
    }
    if (text[slash] == '/' &&
        (!nd__text_u64(text + slash + 1, nd__text_length(text + slash + 1), &burst) || burst == 0 ||
         burst > 1000)) {
        return false;
    }
    words->cfg.params.burst = (uint32_t)burst;
    words->cfg.full_rate = words->cfg.params.rate_bit_s == 0;
    return true;
}

/* ---- words ------------------------------------------------------------------------- */

static bool read_number(const struct option *option, const char *text, uint64_t *value) {
    size_t len = nd__text_length(text);
    uint64_t max = option->max;

    switch (option->type) {
    case NUMBER:
        return nd__text_u64(text, len, value) && *value > 0 && *value <= max;
    case BYTES:
        return read_scaled(text, len, 1024, value) && *value <= max;
    default: /* MILLISECONDS */
        return read_milliseconds(text, value) && *value <= max * 1000;
    }
}

/* Members of 64 and of 32 bits: the option's largest value tells them apart. */
static void store(struct words *words, const struct option *option, uint64_t value) {
    void *at = (char *)words + option->at;

    if (option->max > UINT32_MAX || option->at == offsetof(struct words, port)) {
        *(uint64_t *)at = value;
    } else {
        *(uint32_t *)at = (uint32_t)value;
    }
}

static bool take_value(struct words *words, const struct option *option, const char *text) {
    uint64_t value;

    if (option->type == HOST) {
        words->host = text;
        return true;
    }
    if (option->type == RATE) {
        return read_rate(words, text);
    }
    if (!read_number(option, text, &value)) {
        return false;
    }
    store(words, option, value);
    return true;
}

static const struct option *find_option(const char *name) {
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (nd__text_equal(options[i].name, name)) {
            return &options[i];
        }
    }
    return NULL;
}

/* One option at argv[0], of `left` words. Returns how many were used; 0 = not understood. */
static int take_option(struct words *words, char **argv, int left, bool *client_only) {
    const struct option *option = find_option(argv[0]);

    if (option == NULL) {
        return 0;
    }
    *client_only = *client_only || !option->both;
    if (option->type == FLAG) {
        *(bool *)(void *)((char *)words + option->at) = true;
        return 1;
    }
    return left > 1 && take_value(words, option, argv[1]) ? 2 : 0;
}

static const char *parse(struct words *words, int argc, char **argv) {
    bool client_only = false;

    for (int i = 1; i < argc;) {
        int used = take_option(words, argv + i, argc - i, &client_only);
        if (used == 0) {
            return "an option is not known or its value not possible; help lists them";
        }
        i += used;
    }
    if (words->server == (words->host != NULL)) {
        return "expected -s or -c HOST";
    }
    if (words->server && client_only) {
        return "-s takes -p and -i only";
    }
    if (words->host != NULL &&
        nd_addr_parse(words->host, nd__text_length(words->host), &words->cfg.to) != ND_OK) {
        return "HOST is an address in numbers";
    }
    if (words->cfg.to.port == 0) {
        words->cfg.to.port = (uint16_t)words->port;
    }
    return NULL;
}

/* ---- running ----------------------------------------------------------------------- */

static bool poll_serving(struct nd_session *session) {
    (void)session;
    return false;
}

/* Who is in the midst of a test is stopped like any other; who has not begun finds nobody. */
static void stop_serving(struct nd_session *session, int why) {
    struct nd_iperf3 *iperf3 =
        (struct nd_iperf3 *)(void *)((char *)session - offsetof(struct nd_iperf3, serving));

    (void)why;
    nd_service_close(&iperf3->server.service);
    nd_session_leave(session);
}

static const struct nd_session_class serving_kind = {
    .engine = "iperf3", .poll = poll_serving, .stop = stop_serving};

static int serve(struct nd_iperf3 *iperf3, struct nd_agent *agent, const struct words *words) {
    struct nd_addr at = {.port = words->cfg.to.port};
    struct nd_iperf3_limits limits = iperf3->limits;
    int result;

    limits.interval_ms = words->cfg.interval_ms;
    result = nd_iperf3_serve(&iperf3->server, agent, &at, &iperf3->memory, &limits);
    if (result == ND_OK) {
        nd_session_join(&iperf3->serving, &serving_kind, agent, NULL);
        iperf3->serving.patient = true;
    }
    return result;
}

/* iperf3's own first lines. */
static void tell_start(struct nd_console *console, const struct nd_iperf3 *iperf3, bool server,
                       const struct nd_addr *to) {
    char where[ND_ADDR_TEXT_BYTES];
    struct nd_fmt out;

    nd_console_begin(console, &out, "start");
    if (console->json) {
        nd_json_u64(&out, "session",
                    server ? iperf3->serving.number : iperf3->client.test.session.number);
        nd_json_u64(&out, "port", server ? iperf3->server.service.at.port : to->port);
    } else if (server) {
        nd_fmt_text(&out, "Server listening on ");
        nd_fmt_u64(&out, iperf3->server.service.at.port);
    } else {
        nd_addr_format(to, where);
        nd_fmt_text(&out, "Connecting to ");
        nd_fmt_text(&out, where);
    }
    nd_console_end(console, &out);
}

static bool in_use(const struct nd_iperf3 *iperf3) {
    return iperf3->serving.number != 0 || iperf3->server.test.session.number != 0 ||
           iperf3->client.test.session.number != 0;
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_iperf3 *iperf3 = (struct nd_iperf3 *)self->ctx;
    struct words words = {.port = ND_IPERF3_PORT};
    int result;

    (void)step;
    console->message = parse(&words, console->argc, console->argv);
    if (console->message != NULL) {
        return ND_E_ARG;
    }
    if (in_use(iperf3)) {
        console->message = "an iperf3 test or server is in progress; stop ends it";
        return ND_E_STATE;
    }
    result = words.server
                 ? serve(iperf3, console->agent, &words)
                 : nd_iperf3_connect(&iperf3->client, console->agent, &iperf3->memory, &words.cfg);
    if (result == ND_OK) {
        tell_start(console, iperf3, words.server, &words.cfg.to);
    } else if (result == ND_E_ARG) {
        console->message = "more streams or longer datagrams than there is memory for, or options "
                           "that exclude each other";
    }
    return result;
}

void nd_iperf3_command(struct nd_command *command, struct nd_iperf3 *iperf3) {
    *command = (struct nd_command){.name = "iperf3", .usage = usage, .run = run, .ctx = iperf3};
}
