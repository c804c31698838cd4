/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/ttcp.h"

#include "text.h"

/* One option letter with a number. */
struct number_option {
    char letter;
    uint64_t min;
    uint64_t max;
    uint64_t value; /* the default until given */
};

enum { OPT_NBUF, OPT_BUFLEN, OPT_PORT, OPT_MS, OPTIONS };

/* What the words say. */
struct words {
    struct number_option numbers[OPTIONS];
    bool transmit;
    bool receive;
    bool borrow;
    bool udp;
    const char *host;
};

static struct number_option *find_number(struct words *words, char letter) {
    for (unsigned i = 0; i < OPTIONS; i++) {
        if (words->numbers[i].letter == letter) {
            return &words->numbers[i];
        }
    }
    return NULL;
}

/* "-n 128" or "-n128". Returns how many words were used, 0 when it is not a number in range. */
static int take_number(struct number_option *option, char **word, int left) {
    const char *digits = word[0] + 2;
    int used = 1;
    uint64_t value;

    if (*digits == '\0') {
        if (left < 2) {
            return 0;
        }
        digits = word[1];
        used = 2;
    }
    if (!nd__text_u64(digits, nd__text_length(digits), &value) || value < option->min ||
        value > option->max) {
        return 0;
    }
    option->value = value;
    return used;
}

/* Returns how many words were used; 0 = not understood. */
static int take_option(struct words *words, char **word, int left) {
    char letter = word[0][1];
    struct number_option *number = find_number(words, letter);

    if (number != NULL) {
        return take_number(number, word, left);
    }
    if (letter == '\0' || word[0][2] != '\0') {
        return 0;
    }
    switch (letter) {
    case 't':
        words->transmit = true;
        return 1;
    case 'r':
        words->receive = true;
        return 1;
    case 'u':
        words->udp = true;
        return 1;
    case 'z':
        words->borrow = true;
        return 1;
    case 's': /* source and sink: a device has nothing else */
        return 1;
    default:
        return 0;
    }
}

static const char *parse(struct words *words, int argc, char **argv) {
    for (int i = 1; i < argc;) {
        if (argv[i][0] != '-') {
            if (words->host != NULL) {
                return "one HOST only";
            }
            words->host = argv[i++];
            continue;
        }
        int used = take_option(words, argv + i, argc - i);
        if (used == 0) {
            return "usage: ttcp -t|-r [-u] [-n N] [-l BYTES] [-p PORT] [-z] [-T MS] [HOST]";
        }
        i += used;
    }
    if (words->transmit == words->receive) {
        return "expected -t HOST or -r";
    }
    if (words->transmit != (words->host != NULL)) {
        return words->transmit ? "-t needs the address of the receiver" : "-r takes no HOST";
    }
    return NULL;
}

static const char *configure(struct nd_ttcp_cfg *cfg, int argc, char **argv) {
    struct words words = {
        .numbers = {[OPT_NBUF] = {'n', 1, UINT32_MAX, 0},
                    [OPT_BUFLEN] = {'l', 1, 1u << 30, 0},
                    [OPT_PORT] = {'p', 1, 65535, ND_TTCP_DEVICE_PORT},
                    [OPT_MS] = {'T', 1, 86400000, 0}},
    };
    const char *fault = parse(&words, argc, argv);

    if (fault != NULL) {
        return fault;
    }
    *cfg = (struct nd_ttcp_cfg){
        .transmit = words.transmit,
        .udp = words.udp,
        .borrow = words.borrow,
        .nbuf = words.numbers[OPT_NBUF].value,
        .buflen = (uint32_t)words.numbers[OPT_BUFLEN].value,
        .duration_ns = words.numbers[OPT_MS].value * 1000000u,
    };
    if (words.host != NULL &&
        nd_addr_parse(words.host, nd__text_length(words.host), &cfg->addr) != ND_OK) {
        return "HOST is an address in numbers";
    }
    if (cfg->addr.port == 0) {
        cfg->addr.port = (uint16_t)words.numbers[OPT_PORT].value;
    }
    return NULL;
}

/* Where a receiver listens; over UDP its socket is asked. */
static uint16_t listen_port(const struct nd_ttcp *ttcp) {
    struct nd_conn_info info;

    if (!ttcp->cfg.udp) {
        return ttcp->service.at.port;
    }
    ttcp->session.agent->cfg.port->info(ttcp->session.conn, &info);
    return info.local.port;
}

/* "ttcp connect 192.168.2.100:5000 nbuf:128 buflen:1024 sockid:2" and "ttcp listen port:5000
 * buflen:1024 lsockid:2", the Wi-Fi module's lines; the id is the number of the session. */
static void tell_start(struct nd_console *console, const struct nd_ttcp *ttcp) {
    struct nd_fmt out;
    char where[ND_ADDR_TEXT_BYTES];

    nd_console_begin(console, &out, "start");
    if (console->json) {
        nd_json_u64(&out, "session", ttcp->session.number);
        nd_json_u64(&out, "port", ttcp->cfg.transmit ? ttcp->cfg.addr.port : listen_port(ttcp));
    } else if (ttcp->cfg.transmit) {
        nd_addr_format(&ttcp->cfg.addr, where);
        nd_fmt_text(&out, "ttcp connect ");
        nd_fmt_text(&out, where);
        nd_fmt_text(&out, " nbuf:");
        nd_fmt_u64(&out, ttcp->cfg.nbuf);
        nd_fmt_text(&out, " buflen:");
        nd_fmt_u64(&out, ttcp->cfg.buflen);
        nd_fmt_text(&out, " sockid:");
        nd_fmt_u64(&out, ttcp->session.number);
    } else {
        nd_fmt_text(&out, "ttcp listen port:");
        nd_fmt_u64(&out, listen_port(ttcp));
        nd_fmt_text(&out, " buflen:");
        nd_fmt_u64(&out, ttcp->cfg.buflen);
        nd_fmt_text(&out, " lsockid:");
        nd_fmt_u64(&out, ttcp->session.number);
    }
    nd_console_end(console, &out);
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_ttcp *ttcp = (struct nd_ttcp *)self->ctx;
    struct nd_ttcp_cfg cfg;
    int result;

    (void)step;
    console->message = configure(&cfg, console->argc, console->argv);
    if (console->message != NULL) {
        return ND_E_ARG;
    }
    result = nd_ttcp_start(ttcp, console->agent, &cfg);
    if (result == ND_OK) {
        tell_start(console, ttcp);
    } else if (result == ND_E_ARG) {
        console->message = "a datagram has 5 to 1520 bytes";
    } else if (result == ND_E_STATE) {
        console->message = "a ttcp test is in progress; stop ends it";
    }
    return result;
}

void nd_ttcp_command(struct nd_command *command, struct nd_ttcp *ttcp) {
    *command = (struct nd_command){
        .name = "ttcp",
        .usage =
            "ttcp -t [-u] [-n N] [-l BYTES] [-p PORT] [-z] [-T MS] HOST | ttcp -r [-u] [-p PORT]",
        .run = run,
        .ctx = ttcp,
    };
}
