/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/rr.h"
#include "text.h"

#define USAGE "rr [-u|-C] [-n N] [-l BYTES] [-T MS] [-i US] [-p PORT] HOST"

enum number { COUNT, LENGTH, TIME_MS, PERIOD_US, PORT, NUMBERS };

static const struct {
    char letter;
    uint64_t max;
} number_options[NUMBERS] = {
    [COUNT] = {'n', UINT32_MAX},     [LENGTH] = {'l', ND_RR_BYTES_MAX}, [TIME_MS] = {'T', 86400000},
    [PERIOD_US] = {'i', 1000000000}, [PORT] = {'p', UINT16_MAX},
};

/* What the words say. */
struct words {
    uint64_t numbers[NUMBERS]; /* 0 = not given */
    const char *host;
    bool udp;
    bool connect;
};

/* "-n 128" or "-n128". Returns how many words were used, 0 = not understood. */
static int take_number(struct words *words, char **word, int left) {
    bool apart = word[0][2] == '\0';
    const char *digits = apart ? (left > 1 ? word[1] : "") : word[0] + 2;

    for (unsigned i = 0; i < NUMBERS; i++) {
        if (number_options[i].letter == word[0][1]) {
            uint64_t *value = &words->numbers[i];
            bool read = nd__text_u64(digits, nd__text_length(digits), value);
            return read && *value > 0 && *value <= number_options[i].max ? 1 + apart : 0;
        }
    }
    return 0;
}

static int take_word(struct words *words, char **word, int left) {
    if (word[0][0] != '-') {
        bool first = words->host == NULL;
        words->host = word[0];
        return first;
    }
    if (nd__text_equal(word[0], "-u")) {
        words->udp = true;
        return 1;
    }
    if (nd__text_equal(word[0], "-C")) {
        words->connect = true;
        return 1;
    }
    return word[0][1] != '\0' ? take_number(words, word, left) : 0;
}

static const char *configure(struct nd_rr_cfg *cfg, int argc, char **argv) {
    struct words words = {.host = NULL};

    for (int i = 1; i < argc;) {
        int used = take_word(&words, argv + i, argc - i);
        if (used == 0) {
            return USAGE;
        }
        i += used;
    }
    *cfg = (struct nd_rr_cfg){
        .udp = words.udp,
        .connect = words.connect,
        .bytes = (uint32_t)words.numbers[LENGTH],
        .count = words.numbers[COUNT],
        .duration_ns = words.numbers[TIME_MS] * 1000000u,
        .period_ns = words.numbers[PERIOD_US] * 1000u,
    };
    if (words.host == NULL ||
        nd_addr_parse(words.host, nd__text_length(words.host), &cfg->to) != ND_OK) {
        return "expected a HOST, an address in numbers";
    }
    if (words.numbers[PORT] != 0) {
        cfg->to.port = (uint16_t)words.numbers[PORT];
    }
    return words.udp && words.connect ? "expected one of -u, -C" : NULL;
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_rr_console *rr = (struct nd_rr_console *)self->ctx;
    struct nd_rr_cfg cfg;
    struct nd_fmt out;
    int result;

    (void)step;
    console->message = configure(&cfg, console->argc, console->argv);
    if (console->message != NULL) {
        return ND_E_ARG;
    }
    if (rr->rr.session.number != 0) {
        console->message = "an rr test is in progress; stop ends it";
        return ND_E_STATE;
    }
    nd_hist_init(&rr->latency, rr->buckets, ND_RR_HIST_BITS);
    cfg.latency = &rr->latency;
    result = nd_rr_start(&rr->rr, console->agent, &cfg);
    if (result == ND_OK) {
        nd_console_begin(console, &out, "start");
        if (console->json) {
            nd_json_u64(&out, "session", rr->rr.session.number);
            nd_json_u64(&out, "port", rr->rr.cfg.to.port);
        } else {
            nd_fmt_text(&out, "rr port:");
            nd_fmt_u64(&out, rr->rr.cfg.to.port);
        }
        nd_console_end(console, &out);
    }
    return result;
}

void nd_rr_command(struct nd_command *command, struct nd_rr_console *rr) {
    *command = (struct nd_command){.name = "rr", .usage = USAGE, .run = run, .ctx = rr};
}
