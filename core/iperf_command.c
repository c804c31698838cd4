/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/iperf.h"
#include "text.h"

#define USAGE                                                                                      \
    "iperf -s [-u] [-p PORT] [-i S] | iperf -c HOST [-u] [-t S] [-n BYTES] [-l BYTES] [-b BIT_S] " \
    "[-P N] [-i S] [-R|-d|-r] [-L PORT] [-p PORT]"

enum number { TIME, BYTES, LENGTH, RATE, STREAMS, INTERVAL, PORT, LISTEN, NUMBERS };

/* One option letter with a number. K, M and G behind it: 1024 of bytes, 1000 of anything else. */
struct number_option {
    char letter;
    uint32_t kilo; /* 0 = no suffix */
    uint64_t max;
};

static const struct number_option number_options[NUMBERS] = {
    [TIME] = {'t', 0, 86400},         [BYTES] = {'n', 1024, (uint64_t)1 << 50},
    [LENGTH] = {'l', 1024, 1u << 27}, [RATE] = {'b', 1000, 1000000000000u},
    [STREAMS] = {'P', 0, 128},        [INTERVAL] = {'i', 0, 86400},
    [PORT] = {'p', 0, UINT16_MAX},    [LISTEN] = {'L', 0, UINT16_MAX},
};

/* What the words say. */
struct words {
    uint64_t numbers[NUMBERS]; /* 0 = not given */
    const char *host;
    bool server;
    bool client;
    bool udp;
    bool reverse;
    bool dual;
    bool tradeoff;
};

/* The exponent that a suffix stands for; 0 = it is none. */
static unsigned suffix(char letter) {
    switch (letter) {
    case 'k':
    case 'K':
        return 1;
    case 'm':
    case 'M':
        return 2;
    case 'g':
    case 'G':
        return 3;
    default:
        return 0;
    }
}

/* "128", "1470", "10M". False when it is no number from 1 to the option's largest. */
static bool read_number(const struct number_option *option, const char *text, uint64_t *value) {
    size_t len = nd__text_length(text);
    unsigned exponent = len > 0 ? suffix(text[len - 1]) : 0;
    uint64_t number;

    if (exponent > 0 && option->kilo == 0) {
        return false;
    }
    if (!nd__text_u64(text, exponent > 0 ? len - 1 : len, &number) || number > option->max) {
        return false;
    }
    for (; exponent > 0 && number <= option->max; exponent--) {
        number *= option->kilo;
    }
    *value = number;
    return number > 0 && number <= option->max;
}

/* "-n 128" or "-n128". Returns how many words were used, 0 = not understood. */
static int take_number(struct words *words, char **word, int left) {
    for (unsigned i = 0; i < NUMBERS; i++) {
        if (number_options[i].letter != word[0][1]) {
            continue;
        }
        bool apart = word[0][2] == '\0';
        if (apart && left < 2) {
            return 0;
        }
        bool read =
            read_number(&number_options[i], apart ? word[1] : word[0] + 2, &words->numbers[i]);
        return read ? 1 + apart : 0;
    }
    return 0;
}

/* Returns how many words were used; 0 = not understood. */
static int take_option(struct words *words, char **word, int left) {
    char letter = word[0][1];

    if (letter == '\0' || word[0][2] != '\0') {
        return take_number(words, word, left);
    }
    switch (letter) {
    case 's':
        words->server = true;
        return 1;
    case 'c':
        words->client = true;
        words->host = left > 1 ? word[1] : NULL;
        return 2;
    case 'u':
        words->udp = true;
        return 1;
    case 'R':
        words->reverse = true;
        return 1;
    case 'd':
        words->dual = true;
        return 1;
    case 'r':
        words->tradeoff = true;
        return 1;
    default:
        return take_number(words, word, left);
    }
}

static const char *parse(struct words *words, int argc, char **argv) {
    for (int i = 1; i < argc;) {
        int used = argv[i][0] == '-' ? take_option(words, argv + i, argc - i) : 0;
        if (used == 0) {
            return USAGE;
        }
        i += used;
    }
    if (words->server == words->client) {
        return "expected -s or -c HOST";
    }
    if (words->client && words->host == NULL) {
        return "-c needs the address of the server";
    }
    if (words->reverse + words->dual + words->tradeoff > 1) {
        return "expected one of -R, -d, -r";
    }
    return NULL;
}

static uint64_t ns_of(const struct words *words, enum number number) {
    return words->numbers[number] * 1000000000u;
}

/* ---- the two roles ------------------------------------------------------------------- */

static int serve(struct nd_iperf *iperf, const struct words *words, uint16_t port,
                 const char **message) {
    const struct nd_iperf_server_cfg cfg = {
        .at = {.port = port != 0 ? port : (uint16_t)ND_IPERF_PORT},
        .tcp = !words->udp,
        .udp = words->udp,
        .limits = iperf->limits,
        .interval_ns = ns_of(words, INTERVAL),
    };
    int result = nd_iperf_serve(iperf, &cfg);

    if (result == ND_E_STATE) {
        *message = "an iperf server is there already";
    }
    return result;
}

/* Where our server listens; 0 = there is none. */
static uint16_t served_port(const struct nd_iperf *iperf, bool udp) {
    struct nd_conn *conn = udp ? iperf->socket.conn : iperf->service.listener;
    struct nd_conn_info info = {.local = {.port = 0}};

    if (conn != NULL) {
        iperf->agent->cfg.port->info(conn, &info);
    }
    return info.local.port;
}

/* A test back needs somebody who listens for it: *port tells where. */
static int serve_back(struct nd_iperf *iperf, const struct words *words, uint16_t *port,
                      const char **message) {
    uint16_t wanted = (uint16_t)words->numbers[LISTEN];
    int result = ND_OK;

    if (!words->dual && !words->tradeoff) {
        return ND_OK;
    }
    *port = served_port(iperf, words->udp);
    if (*port == 0) {
        result = serve(iperf, words, wanted, message);
        *port = served_port(iperf, words->udp);
    } else if (wanted != 0 && wanted != *port) {
        *message = "an iperf server is there already, at another port than -L says";
        result = ND_E_STATE;
    }
    return result;
}

static int call(struct nd_iperf *iperf, const struct words *words, const char **message) {
    struct nd_iperf_client_cfg cfg = {
        .udp = words->udp,
        .reverse = words->reverse,
        .dual = words->dual,
        .tradeoff = words->tradeoff,
        .bytes = words->numbers[BYTES],
        .duration_ns = ns_of(words, TIME),
        .interval_ns = ns_of(words, INTERVAL),
        .bit_s = words->numbers[RATE],
        .len = (uint32_t)words->numbers[LENGTH],
        .parallel = (uint32_t)words->numbers[STREAMS],
    };
    int result;

    if (nd_addr_parse(words->host, nd__text_length(words->host), &cfg.to) != ND_OK) {
        *message = "HOST is an address in numbers";
        return ND_E_ARG;
    }
    if (words->numbers[PORT] != 0) {
        cfg.to.port = (uint16_t)words->numbers[PORT];
    }
    result = serve_back(iperf, words, &cfg.listen_port, message);
    if (result == ND_OK) {
        result = nd_iperf_connect(iperf, &cfg);
    }
    if (result == ND_E_FULL) {
        *message = "more streams than places";
    } else if (result == ND_E_ARG) {
        *message = "-l is longer than this agent's buffer, or -n and -l do not fit each other";
    }
    return result;
}

/* ---- the command --------------------------------------------------------------------- */

/* The first session of a client; a server has none until somebody calls. */
static void tell_start(struct nd_console *console, const struct words *words, uint32_t session,
                       uint64_t port) {
    struct nd_fmt out;

    nd_console_begin(console, &out, "start");
    if (console->json) {
        if (words->client) {
            nd_json_u64(&out, "session", session);
        }
        nd_json_u64(&out, "port", port);
        nd_console_end(console, &out);
        return;
    }
    nd_fmt_text(&out, words->server ? "iperf listen port:" : "iperf connect ");
    if (words->client) {
        nd_fmt_text(&out, words->host);
        nd_fmt_text(&out, " port:");
    }
    nd_fmt_u64(&out, port);
    nd_fmt_text(&out, words->udp ? " udp" : " tcp");
    nd_console_end(console, &out);
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_iperf *iperf = (struct nd_iperf *)self->ctx;
    struct words words = {.server = false};
    uint32_t next = console->agent->session_count + 1;
    uint64_t port;
    int result;

    (void)step;
    console->message = parse(&words, console->argc, console->argv);
    if (console->message != NULL) {
        return ND_E_ARG;
    }
    port = words.numbers[PORT] != 0 ? words.numbers[PORT] : ND_IPERF_PORT;
    result = words.server ? serve(iperf, &words, (uint16_t)port, &console->message)
                          : call(iperf, &words, &console->message);
    if (result == ND_OK) {
        tell_start(console, &words, next, port);
    }
    return result;
}

void nd_iperf_command(struct nd_command *command, struct nd_iperf *iperf) {
    *command = (struct nd_command){
        .name = "iperf",
        .usage = USAGE,
        .run = run,
        .ctx = iperf,
    };
}
