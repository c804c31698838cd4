/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_sim.c - a simulated board on a real network interface, in real time. */
#include <inttypes.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "nd/lockstep.h"
#include "rig.h"
#include "say.h"
#include "settings.h"
#include "signals.h"
#include "sim.h"
#include "target.h"

#define DEVICE_DEFAULT "10.0.0.2/24"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* A complaint about time, at most so often [ns, virtual]. */
#define COMPLAINT_NS NS_PER_S

/* HELLO and the first POLL: the board has opened its services by then. */
enum { READY_EXCHANGES = 2 };

/* Without /BITS a network has so many. */
enum { DEFAULT_BITS = 24 };

struct options {
    const char *tap;
    const char *ip;
    const char *gateway;
    bool dhcp;
    const char *host_ip;
    struct opt_list set;
    uint64_t seed;
    const char *pcap;
    const char *firmware;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_TEXT(0, "tap", "IFNAME", AT(tap), "the interface; made, unless it is there"),
    OPT_ROW_TEXT(0, "ip", "ADDR/BITS", AT(ip), "the board's address [" DEVICE_DEFAULT "]"),
    OPT_ROW_TEXT(0, "gateway", "ADDR", AT(gateway), "the board's gateway [--host-ip, or none]"),
    OPT_ROW_FLAG(0, "dhcp", AT(dhcp), "the board asks a DHCP server for its address"),
    OPT_ROW_TEXT(0, "host-ip", "ADDR/BITS", AT(host_ip), "give the interface this address"),
    OPT_ROW_LIST(0, "set", "KEY=VALUE", AT(set), "link=RATE or delay=TIME of the wire, see run"),
    OPT_ROW_NUMBER(0, "seed", "N", AT(seed), UNITS_COUNT, 1, 0, UINT32_MAX,
                   "of the board's random numbers"),
    OPT_ROW_TEXT(0, "pcap", "FILE", AT(pcap), "keep the frames on the wire"),
    OPT_ROW_TEXT(0, "firmware", "FILE", AT(firmware), "image of the board"),
    OPT_ROW_END,
};

struct board {
    struct target target;
    const struct options *options;
    struct nd_sim_tap tap;
    int wake_fds[ND_SIM_WAKE_FDS]; /* signals, and what is typed */
    bool ready;
    uint64_t told_slipped_ns; /* as far as complaints told */
    uint64_t told_ns;         /* when the latest was [ns, virtual] */
};

/* ---- the command line ---- */

static bool parse_ip(const char *option, const char *text, size_t length, uint8_t ip[4]) {
    struct nd_addr addr = {.port = 0};

    if (nd_addr_parse(text, length, &addr) != ND_OK || addr.family != 4 || addr.port != 0) {
        say_usage("sim", "--%s %s: expected an IPv4 address in numbers", option, text);
        return false;
    }
    memcpy(ip, addr.ip, 4);
    return true;
}

/* "10.0.0.2/24". */
static bool parse_network(const char *option, const char *text, uint8_t ip[4], unsigned *bits) {
    size_t length = strcspn(text, "/");
    uint64_t value = DEFAULT_BITS;

    if (text[length] == '/' && (units_parse(UNITS_COUNT, text + length + 1, &value) != UNITS_OK ||
                                value < 1 || value > 30)) {
        say_usage("sim", "--%s %s: expected ADDR/BITS with BITS 1 to 30", option, text);
        return false;
    }
    *bits = (unsigned)value;
    return parse_ip(option, text, length, ip);
}

static void fill_mask(uint8_t mask[4], unsigned bits) {
    for (unsigned i = 0; i < 4; i++) {
        unsigned here = bits > 8 * i ? bits - 8 * i : 0;

        mask[i] = (uint8_t)(here >= 8 ? 0xFFu : 0xFF00u >> here);
    }
}

static bool parse_device(const struct options *options, struct nd_sim_tap *tap) {
    const char *ip = options->ip != NULL ? options->ip : DEVICE_DEFAULT;
    unsigned bits;

    if (options->dhcp) {
        if (options->ip != NULL || options->gateway != NULL) {
            say_usage("sim", "--dhcp gives address and gateway; --ip and --gateway do, too");
            return false;
        }
        return true;
    }
    if (!parse_network("ip", ip, tap->device_ip, &bits)) {
        return false;
    }
    fill_mask(tap->device_mask, bits);
    if (options->gateway != NULL) {
        return parse_ip("gateway", options->gateway, strlen(options->gateway), tap->gateway);
    }
    memcpy(tap->gateway, tap->host_ip, sizeof tap->gateway);
    return true;
}

/* As the kernel wants it; it would replace a %d. */
static bool parse_name(const char *text) {
    if (text == NULL) {
        say_usage("sim", "--tap IFNAME is missing");
        return false;
    }
    if (text[0] == '\0' || text[0] == '.' || strlen(text) >= IFNAMSIZ ||
        text[strcspn(text, "/:% \t\n")] != '\0') {
        say_usage("sim", "--tap %s: expected a name of 1 to %d characters", text, IFNAMSIZ - 1);
        return false;
    }
    return true;
}

static bool parse_tap(const struct options *options, struct nd_sim_tap *tap) {
    if (!parse_name(options->tap)) {
        return false;
    }
    tap->name = options->tap;
    if (options->host_ip != NULL &&
        !parse_network("host-ip", options->host_ip, tap->host_ip, &tap->host_bits)) {
        return false;
    }
    if (!parse_device(options, tap)) {
        return false;
    }
    if (options->host_ip != NULL && memcmp(tap->host_ip, tap->device_ip, 4) == 0) {
        say_usage("sim", "--host-ip %s: the board has this address", options->host_ip);
        return false;
    }
    return true;
}

static bool parse_settings(const struct opt_list *set, struct settings *settings) {
    settings_init(settings);
    for (unsigned i = 0; i < set->count; i++) {
        const char *text = set->items[i];

        if (strncmp(text, "link=", 5) != 0 && strncmp(text, "delay=", 6) != 0 &&
            strncmp(text, "spi_hz=", 7) != 0 && strncmp(text, "sockets=", 8) != 0) {
            say_usage("sim", "--set %s: expected link=RATE, delay=TIME, spi_hz=CLOCK or sockets=N",
                      text);
            return false;
        }
        if (!settings_set(settings, "sim", text)) {
            return false;
        }
    }
    return true;
}

static bool parse_target(const char *name) {
    const struct target_kind *kind = target_find(name);

    if (kind == NULL || !kind->simulated) {
        say_usage("sim", "target %s: expected sim:STACK@BOARD or native:STACK", name);
        return false;
    }
    return true;
}

/* ---- the board's console ---- */

/* What was typed goes to the board; false ends the simulation. */
static bool wake(void *ctx) {
    struct board *board = ctx;
    struct pollfd typed = {.fd = board->wake_fds[1], .events = POLLIN};
    char bytes[ND_LOCKSTEP_CONSOLE_BYTES];
    ssize_t got;

    if (signals_caught() != 0) {
        return false;
    }
    if (typed.fd < 0 || poll(&typed, 1, 0) <= 0) {
        return true;
    }
    got = read(typed.fd, bytes, sizeof bytes);
    if (got > 0) {
        target_console_write(&board->target, bytes, (size_t)got);
    } else {
        board->wake_fds[1] = -1;
    }
    return true;
}

/* A reader of stdout that went away costs the text, not the board. */
static void print_console(struct board *board) {
    char bytes[ND_LOCKSTEP_CONSOLE_BYTES];
    size_t got = target_console_read(&board->target, bytes, sizeof bytes);

    if (got > 0) {
        fwrite(bytes, 1, got, stdout);
        fflush(stdout);
    }
}

/* ---- the run ---- */

static void tell_ready(struct board *board, const struct nd_sim_counts *counts) {
    const struct nd_lockstep_hello *hello = nd_sim_hello(target_simulation(&board->target));
    const uint8_t *ip = board->tap.device_ip;

    if (board->ready || counts->exchanges < READY_EXCHANGES) {
        return;
    }
    board->ready = true;
    printf("sim %s@%s ", hello->image, hello->board);
    if (board->options->dhcp) {
        printf("by DHCP");
    } else {
        printf("at %u.%u.%u.%u", ip[0], ip[1], ip[2], ip[3]);
    }
    printf(" on %s\n", board->options->tap);
    fflush(stdout);
}

/* Say that the host is too slow, not too often. */
static void tell_slip(struct board *board, const struct nd_sim_counts *counts) {
    uint64_t slipped_ns = counts->slipped_ns - board->told_slipped_ns;

    if (slipped_ns == 0 ||
        (board->told_slipped_ns > 0 && counts->now_ns - board->told_ns < COMPLAINT_NS)) {
        return;
    }
    board->told_slipped_ns = counts->slipped_ns;
    board->told_ns = counts->now_ns;
    say_error("sim: this machine is too slow: the board's time lagged by %" PRIu64 " ms",
              slipped_ns / NS_PER_MS);
}

static void tell_end(const struct board *board) {
    struct nd_sim_counts counts = nd_sim_counts(target_simulation(&board->target));
    double real_s = (double)(counts.now_ns + counts.slipped_ns) / (double)NS_PER_S;

    if (counts.slipped_ns == 0) {
        say_error("sim: kept real time for %.1f s", real_s);
    } else {
        say_error("sim: lagged %" PRIu64 " ms in %.1f s: figures over the TAP are not valid",
                  counts.slipped_ns / NS_PER_MS, real_s);
    }
}

static int drive(struct board *board) {
    int result;

    do {
        struct nd_sim_counts counts;

        result = target_pump(&board->target);
        print_console(board);
        counts = nd_sim_counts(target_simulation(&board->target));
        tell_ready(board, &counts);
        tell_slip(board, &counts);
    } while (result == ND_OK && signals_caught() == 0);
    if (result != ND_OK && result != ND_E_STOPPED) {
        say_error("sim: %s", board->target.error);
        return SAY_FAILED;
    }
    tell_end(board);
    return SAY_DONE;
}

static int run(const void *ctx, const struct opt_list *operands) {
    static struct board board;
    struct settings settings;
    struct target_cfg cfg = {.name = operands->items[0], .tap = &board.tap};
    int code;

    board.options = ctx;
    if (!parse_target(cfg.name) || !parse_tap(board.options, &board.tap) ||
        !parse_settings(&board.options->set, &settings)) {
        return SAY_USAGE;
    }
    rig_configure(&cfg, &settings);
    cfg.seed = (uint32_t)board.options->seed;
    cfg.pcap = board.options->pcap;
    cfg.firmware = board.options->firmware;
    board.wake_fds[0] = signals_fd();
    board.wake_fds[1] = STDIN_FILENO;
    board.tap.wake_fds = board.wake_fds;
    board.tap.wake_count = 2;
    board.tap.wake = wake;
    board.tap.wake_ctx = &board;
    signal(SIGTTIN, SIG_IGN); /* in the background nothing is typed: read() fails */
    code = target_open(&board.target, &cfg);
    if (code != ND_OK) {
        say_error("sim: %s", board.target.error);
        return code == ND_E_ARG ? SAY_USAGE : SAY_FAILED;
    }
    code = drive(&board);
    target_close(&board.target);
    return code;
}

const struct command cmd_sim = {
    .name = "sim",
    .summary = "A simulated board on a TAP interface, in real time, until Ctrl-C",
    .operands = "TARGET",
    .operands_min = 1,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "Targets: sim:STACK@BOARD (sim:lwip@lpc1768), native:STACK. The interface is\n"
             "made and vanishes again, for which root or CAP_NET_ADMIN is needed; a\n"
             "persistent one (`ip tuntap add tap0 mode tap user ME`) is used and left.\n"
             "The board's console is stdout and stdin: `mem`, `services`, `help`. When this\n"
             "machine is too slow for real time, a line on stderr says so: figures are not\n"
             "valid then.",
    .run = run,
};
