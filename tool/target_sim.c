/* SPDX-License-Identifier: BSD-3-Clause */
/* target_sim.c - simulated boards: sim:STACK@BOARD in QEMU, native:STACK as a process. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_size.h"
#include "result.h"
#include "sim.h"
#include "symbols.h"
#include "target.h"

/* The plugin that counts cycles. */
#define CYCLES_FILE "netdyno-cycles.so"

struct state {
    struct nd_sim *sim;
    bool (*poll)(void *ctx);
    uint64_t (*sleep_ns)(void *ctx);
    void *poll_ctx;
    char firmware[PATH_MAX];
};

/* At every instant of virtual time at which something happened at our end. */
static void poll_until_idle(void *ctx) {
    const struct state *state = ctx;

    while (state->poll(state->poll_ctx)) {
    }
}

static uint64_t sleep_ns(void *ctx) {
    const struct state *state = ctx;

    return state->sleep_ns(state->poll_ctx);
}

/* A word of a target's name, safe as a part of a file's name. */
static bool is_word(const char *text, size_t length) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";

    return length > 0 && length <= 32 && strspn(text, letters) >= length;
}

/* Let cycles be counted, if that is asked for. plugin: room for a path. */
static int choose_time(struct target *target, const struct target_cfg *cfg, struct nd_sim_cfg *sim,
                       char plugin[PATH_MAX]) {
    bool needed = cfg->time == TARGET_TIME_CYCLES || cfg->symbols != NULL;

    if (!target->kind->counts_cycles || cfg->time == TARGET_TIME_INSTRUCTIONS) {
        return ND_OK;
    }
    if (target_find_file(".", "../lib/netdyno", CYCLES_FILE, plugin)) {
        sim->cycles = plugin;
        sim->cycles_optional = !needed;
    } else if (needed) {
        return target_fail(target, ND_E_UNSUPPORTED, "no " CYCLES_FILE " beside this program");
    }
    return ND_OK;
}

/* The words by which an image of a modelled chip is told its bus. */
struct words {
    char text[2][32];
    const char *list[3]; /* ends with NULL */
};

static const char *const *words_of(const struct target_cfg *cfg, struct words *words) {
    unsigned count = 0;

    if (cfg->spi_hz != 0) {
        snprintf(words->text[count], sizeof words->text[count], "spi_hz=%llu",
                 (unsigned long long)cfg->spi_hz);
        count++;
    }
    if (cfg->sockets != 0) {
        snprintf(words->text[count], sizeof words->text[count], "sockets=%llu",
                 (unsigned long long)cfg->sockets);
        count++;
    }
    for (unsigned i = 0; i < count; i++) {
        words->list[i] = words->text[i];
    }
    words->list[count] = NULL;
    return words->list;
}

static uint32_t seed_of(const struct target_cfg *cfg) {
    return cfg->seed != 0 ? cfg->seed : TARGET_SEED;
}

static int open_machine(struct target *target, const struct target_cfg *cfg,
                        enum nd_sim_machine machine, const char *firmware) {
    char error[ND_SIM_ERROR_BYTES];
    char plugin[PATH_MAX];
    struct words words;
    struct state *state = calloc(1, sizeof *state);
    struct nd_sim_cfg sim = {
        .machine = machine,
        .firmware = firmware,
        .words = words_of(cfg, &words),
        .link_bit_s = cfg->link_bit_s,
        .delay_ns = cfg->delay_ns,
        .seed = seed_of(cfg),
        .pcap = cfg->pcap,
        .tap = cfg->tap,
        .peer_poll = cfg->poll != NULL ? poll_until_idle : NULL,
        .peer_sleep_ns = cfg->sleep_ns != NULL ? sleep_ns : NULL,
        .peer_ctx = state,
    };

    if (state == NULL) {
        return target_fail(target, ND_E_MEMORY, "out of memory");
    }
    if (choose_time(target, cfg, &sim, plugin) != ND_OK) {
        free(state);
        return ND_E_UNSUPPORTED;
    }
    if (cfg->symbols != NULL) {
        if (symbols_read(cfg->symbols, firmware, target->error, sizeof target->error) != 0) {
            free(state);
            return ND_E_UNSUPPORTED;
        }
        sim.functions = cfg->symbols->functions;
        sim.function_count = (uint32_t)cfg->symbols->count;
        sim.trace_changes = cfg->trace_changes;
    }
    snprintf(state->firmware, sizeof state->firmware, "%s", firmware);
    state->poll = cfg->poll;
    state->sleep_ns = cfg->sleep_ns;
    state->poll_ctx = cfg->poll_ctx;
    state->sim = nd_sim_open(&sim, error);
    if (state->sim == NULL) {
        free(state);
        return target_fail(target, ND_E_RESET, "%s", error);
    }
    target->state = state;
    target->port = nd_sim_port(state->sim);
    target->port_ctx = nd_sim_port_ctx(state->sim);
    target->clock = nd_sim_clock(state->sim);
    target->device = nd_sim_device(state->sim);
    target->peer = nd_sim_peer(state->sim);
    target->link_bit_s =
        cfg->link_bit_s != 0 ? cfg->link_bit_s : nd_sim_hello(state->sim)->link_bit_s;
    return ND_OK;
}

/* The image that a name means, or the one given; NULL with target->error set. */
static const char *find_sim(struct target *target, const struct target_cfg *cfg,
                            char path[PATH_MAX]) {
    const char *stack = cfg->name + strlen(target->kind->prefix);
    const char *at = strchr(stack, '@');
    char name[128];

    if (at == NULL || !is_word(stack, (size_t)(at - stack)) || !is_word(at + 1, strlen(at + 1))) {
        target_fail(target, ND_E_ARG,
                    "target %s: expected sim:STACK@BOARD, such as sim:lwip@lpc1768", cfg->name);
        return NULL;
    }
    if (cfg->firmware != NULL) {
        return cfg->firmware;
    }
    snprintf(name, sizeof name, "netdyno-%.*s-%s.elf", (int)(at - stack), stack, at + 1);
    return target_find_firmware(target, "../cortex-m3/firmware", name, path);
}

static int check_sim(struct target *target, const struct target_cfg *cfg) {
    char path[PATH_MAX];

    return find_sim(target, cfg, path) != NULL ? ND_OK : ND_E_ARG;
}

static int open_sim(struct target *target, const struct target_cfg *cfg) {
    char path[PATH_MAX];
    const char *firmware = find_sim(target, cfg, path);

    return firmware != NULL ? open_machine(target, cfg, ND_SIM_QEMU, firmware) : ND_E_ARG;
}

static const char *find_native(struct target *target, const struct target_cfg *cfg,
                               char path[PATH_MAX]) {
    const char *stack = cfg->name + strlen(target->kind->prefix);
    char name[128];

    if (!is_word(stack, strlen(stack))) {
        target_fail(target, ND_E_ARG, "target %s: expected native:STACK, such as native:lwip",
                    cfg->name);
        return NULL;
    }
    if (cfg->firmware != NULL) {
        return cfg->firmware;
    }
    snprintf(name, sizeof name, "netdyno-%s-native", stack);
    return target_find_firmware(target, "firmware", name, path);
}

static int check_native(struct target *target, const struct target_cfg *cfg) {
    char path[PATH_MAX];

    return find_native(target, cfg, path) != NULL ? ND_OK : ND_E_ARG;
}

static int open_native(struct target *target, const struct target_cfg *cfg) {
    char path[PATH_MAX];
    const char *firmware = find_native(target, cfg, path);

    return firmware != NULL ? open_machine(target, cfg, ND_SIM_NATIVE, firmware) : ND_E_ARG;
}

static int pump(struct target *target) {
    struct state *state = target->state;
    int result = nd_sim_step(state->sim);

    if (result == ND_EOF) {
        return target_fail(target, result, "the firmware ended by itself");
    }
    if (result != ND_OK) {
        return target_fail(target, result, "%s", nd_sim_error(state->sim));
    }
    return ND_OK;
}

struct nd_sim *target_simulation(const struct target *target) {
    const struct state *state = target->state;

    return state->sim;
}

static void console_write(struct target *target, const char *bytes, size_t len) {
    struct state *state = target->state;

    nd_sim_console_write(state->sim, bytes, len);
}

static size_t console_read(struct target *target, char *bytes, size_t size) {
    struct state *state = target->state;

    return nd_sim_console_read(state->sim, bytes, size);
}

static void describe_link(const struct target *target, const struct target_cfg *cfg, json_t *link) {
    const struct state *state = target->state;
    const struct nd_lockstep_hello *hello = nd_sim_hello(state->sim);

    result_value(link, "rate_bit_s", (int64_t)target->link_bit_s);
    result_value(link, "delay_ns", (int64_t)cfg->delay_ns);
    result_value(link, "rx_ring_frames", hello->rx_ring);
    result_value(link, "tx_ring_frames", hello->tx_ring);
}

static void describe(struct target *target, const struct target_cfg *cfg, json_t *result) {
    const struct state *state = target->state;
    const struct nd_sim_counts counts = nd_sim_counts(state->sim);
    json_t *link = json_object(), *run = json_object();

    describe_link(target, cfg, link);
    json_object_set_new(result, "link", link);
    result_text(run, "board", nd_sim_hello(state->sim)->board);
    result_text(run, "image", nd_sim_hello(state->sim)->image);
    result_text(run, "tick", nd_clock_kind_name(nd_sim_tick_kind(state->sim)));
    result_value(run, "seed", seed_of(cfg));
    result_value(run, "virtual_ns", (int64_t)counts.now_ns);
    result_value(run, "device_busy_ticks", (int64_t)counts.busy_ticks);
    result_value(run, "exchanges", (int64_t)counts.exchanges);
    result_value(run, "to_device_frames", (int64_t)counts.to_device);
    result_value(run, "to_peer_frames", (int64_t)counts.to_peer);
    result_value(run, "ring_dropped_frames", (int64_t)counts.ring_drops);
    result_value(run, "queue_dropped_frames", (int64_t)counts.queue_drops);
    result_value(run, "tx_dropped_frames", (int64_t)counts.tx_drops);
    json_object_set_new(result, "simulation", run);
    if (target->kind->counts_cycles) { /* an image for that processor, none of this machine's */
        image_size_describe(state->firmware, nd_sim_hello(state->sim)->image, result);
    }
}

static void trust(struct target *target) {
    const struct state *state = target->state;

    nd_sim_trust(state->sim);
}

static void close_machine(struct target *target) {
    struct state *state = target->state;

    nd_sim_close(state->sim);
    free(state);
    target->state = NULL;
}

const struct target_kind target_sim = {
    .prefix = "sim:",
    .simulated = true,
    .counts_cycles = true,
    .check = check_sim,
    .open = open_sim,
    .pump = pump,
    .console_write = console_write,
    .console_read = console_read,
    .describe = describe,
    .trust = trust,
    .close = close_machine,
};

const struct target_kind target_native = {
    .prefix = "native:",
    .simulated = true,
    .check = check_native,
    .open = open_native,
    .pump = pump,
    .console_write = console_write,
    .console_read = console_read,
    .describe = describe,
    .trust = trust,
    .close = close_machine,
};
