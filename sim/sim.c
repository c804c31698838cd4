/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "far.h"
#include "link/link.h"
#include "lockstep/lockstep.h"
#include "machine/machine.h"
#include "peer/peer.h"
#include "tap/tap.h"
#include "tracer.h"

/* What cfg means by 0. */
enum { SILENCE_MS = 5000, QUEUE_FRAMES = 1000 };

/* A slower counter could not tell two frames apart, and one record of it would be months. */
enum { MIN_HZ = 100000 };

/* Records in a row without any virtual time passing, after which the device is taken to spin. */
enum { STANDSTILL_RECORDS = 1000000 };

/* No measurement lasts so long: 30 days; far below where 64 bits end [ns]. */
#define END_OF_TIME_NS (UINT64_C(30) * 86400 * 1000000000)

struct nd_sim {
    struct nd_sim_cfg cfg;
    struct nd__machine machine;
    struct nd__lockstep lockstep;
    struct nd_lockstep_hello hello;
    struct nd__link link;
    struct nd__capture *capture; /* NULL = none */
    struct nd__far far;
    struct nd_clock clock;
    struct nd__bytes console_in;  /* to the device */
    struct nd__bytes console_out; /* from it */
    uint64_t now_ticks;           /* the device's time */
    uint64_t now_ns;              /* the world's; the same instant between two steps */
    uint64_t busy_ticks;
    uint64_t exchanges;
    struct nd__tracer tracer;
    bool cycles;         /* ticks are cycles, which the plugin counts */
    bool turn;           /* a period of the profile is to end */
    uint32_t standstill; /* records since time last passed */
    int result;          /* what every further step answers; ND_OK = go on */
    char error[ND_SIM_ERROR_BYTES];
};

/* The simulation is over; every further step says so. */
static int stop(struct nd_sim *sim, int result) {
    sim->result = result;
    return result;
}

/* ---- the world: wire and far end in the order of time ---- */

static void set_time(struct nd_sim *sim, uint64_t now_ns) {
    sim->now_ns = now_ns;
    sim->far.kind->set_time(sim->far.ctx, now_ns);
}

static uint32_t read_clock(void *ctx) {
    const struct nd_sim *sim = ctx;

    return (uint32_t)sim->now_ns;
}

static void poll_engines(struct nd_sim *sim) {
    if (sim->cfg.peer_poll != NULL) {
        sim->cfg.peer_poll(sim->cfg.peer_ctx);
    }
}

static void send_from_far(void *ctx, const void *data, uint32_t bytes) {
    struct nd_sim *sim = ctx;

    nd__link_send_peer(&sim->link, sim->now_ns, data, bytes);
}

static bool has_room(void *ctx) {
    struct nd_sim *sim = ctx;

    return nd__link_has_room(&sim->link, sim->now_ns);
}

/* When the engines have something to do. */
static uint64_t engines_ns(const struct nd_sim *sim) {
    uint64_t sleep_ns =
        sim->cfg.peer_sleep_ns != NULL ? sim->cfg.peer_sleep_ns(sim->cfg.peer_ctx) : ND__NEVER;

    return sleep_ns < ND__NEVER - sim->now_ns ? sim->now_ns + sleep_ns : ND__NEVER;
}

/* When the next event is due, as far as it is by until_ns [ns]. */
static uint64_t next_ns(const struct nd_sim *sim, uint64_t until_ns) {
    uint64_t link_ns = nd__link_next_ns(&sim->link);
    uint64_t far_ns = sim->far.kind->next_ns(sim->far.ctx, link_ns < until_ns ? link_ns : until_ns);

    uint64_t own_ns = engines_ns(sim);
    uint64_t first_ns = link_ns < far_ns ? link_ns : far_ns;

    return first_ns < own_ns ? first_ns : own_ns;
}

/* Let the next event happen; it is due at at_ns. The wire goes before the far end. */
static void happen(struct nd_sim *sim, uint64_t at_ns) {
    if (at_ns > sim->now_ns) {
        set_time(sim, at_ns);
    }
    if (nd__link_next_ns(&sim->link) > at_ns) {
        int result = sim->far.kind->run(sim->far.ctx);

        if (result != ND_OK) {
            stop(sim, result);
            return;
        }
        poll_engines(sim);
    } else if (nd__link_step(&sim->link) == ND__LINK_TO_PEER) {
        const struct nd__frame *frame = nd__link_peer_frame(&sim->link);

        sim->far.kind->receive(sim->far.ctx, frame->data, frame->bytes);
        nd__link_take_peer(&sim->link);
        poll_engines(sim);
    }
}

/* Let everything happen that is due by the device's time; less if the simulation ends by it. */
static void catch_up(struct nd_sim *sim) {
    uint64_t until_ns = nd_clock_ns(sim->now_ticks, sim->hello.hz);
    uint64_t at_ns = next_ns(sim, until_ns);

    while (at_ns <= until_ns && sim->result == ND_OK) {
        happen(sim, at_ns);
        at_ns = next_ns(sim, until_ns);
    }
    set_time(sim, until_ns);
}

/* The device has a reason to go on: what it waits for is there. */
static bool is_awake(const struct nd_sim *sim, bool wants_slot) {
    if (wants_slot) {
        return nd__link_tx_free(&sim->link) > 0;
    }
    return nd__link_ring_count(&sim->link) > 0 || sim->console_in.count > 0;
}

/* Let the device wait until it has a reason to go on, or for so many ticks. */
static void wait_ticks(struct nd_sim *sim, uint32_t limit_ticks, bool wants_slot) {
    uint32_t hz = sim->hello.hz;
    /* Without limit means a second: the caller's engines want to be asked now and then. */
    uint64_t end_ticks = sim->now_ticks + (limit_ticks == ND_LOCKSTEP_FOREVER ? hz : limit_ticks);
    uint64_t end_ns = nd_clock_ns(end_ticks, hz);

    while (!is_awake(sim, wants_slot) && sim->result == ND_OK) {
        uint64_t at_ns = next_ns(sim, end_ns);
        uint64_t at_ticks;

        if (at_ns > end_ns) {
            sim->now_ticks = end_ticks;
            break;
        }
        happen(sim, at_ns);
        at_ticks = nd_clock_ticks(at_ns, hz);
        if (at_ticks > sim->now_ticks) {
            sim->now_ticks = at_ticks;
        }
    }
    catch_up(sim);
}

/* ---- records ---- */

/* The dialogue broke: say why. */
static int break_off(struct nd_sim *sim, int result) {
    const struct nd__records *records = &sim->lockstep.records;
    const char *partial = nd__records_partial(records) ? ", in the middle of a record" : "";
    char end[ND_SIM_ERROR_BYTES];

    if (result == ND_E_PROTOCOL) {
        snprintf(sim->error, sizeof sim->error, "the device broke the protocol: %s %" PRIu32,
                 records->error, records->error_value);
    } else if (result == ND_E_TIMEOUT) {
        snprintf(sim->error, sizeof sim->error,
                 "the device said nothing for %u ms of wall time%s; %s", sim->lockstep.silence_ms,
                 partial, records->greeted ? "its firmware hangs" : "is it netdyno firmware?");
    } else {
        nd__machine_explain(&sim->machine, end);
        snprintf(sim->error, sizeof sim->error, "the device is gone%.30s: %.200s", partial, end);
    }
    return stop(sim, result);
}

/* The device has worked. */
static int spend(struct nd_sim *sim, uint64_t spent_ticks) {
    sim->busy_ticks += spent_ticks;
    sim->now_ticks += spent_ticks;
    if (nd_clock_ns(sim->now_ticks, sim->hello.hz) > END_OF_TIME_NS) {
        snprintf(sim->error, sizeof sim->error,
                 "the device broke the protocol: its time ran beyond 30 days");
        return stop(sim, ND_E_PROTOCOL);
    }
    catch_up(sim);
    return sim->result;
}

/* What the device worked for a record; by itself it only counts instructions. */
static int charge(struct nd_sim *sim, const struct nd__record *record) {
    uint64_t spent_ticks = record->spent;

    if (sim->cycles && !nd__meter_take(&sim->machine.meter, &spent_ticks)) {
        snprintf(sim->error, sizeof sim->error,
                 "the device broke the protocol: a record without a mark for the cycle counter");
        return stop(sim, ND_E_PROTOCOL);
    }
    return spend(sim, spent_ticks);
}

static int no_memory(struct nd_sim *sim, const char *what) {
    snprintf(sim->error, sizeof sim->error, "no memory for %s", what);
    return stop(sim, ND_E_MEMORY);
}

static int answer_poll(struct nd_sim *sim, uint32_t limit_ticks, bool wants_slot) {
    char console[ND_LOCKSTEP_CONSOLE_BYTES];
    struct nd__answer answer = {.console = console};
    const struct nd__frame *frame = NULL;
    uint64_t asked_ticks = sim->now_ticks;
    int result;

    if (limit_ticks > 0) {
        wait_ticks(sim, limit_ticks, wants_slot);
    }
    if (sim->result != ND_OK) {
        return sim->result;
    }
    if (sim->turn) {
        nd__meter_turn(&sim->machine.meter);
        sim->turn = false;
    }
    answer.now_ticks = sim->now_ticks;
    answer.waited = (uint32_t)(sim->now_ticks - asked_ticks);
    if (!nd__tracer_answer(&sim->tracer, &sim->machine.meter, sim->now_ns, sim->now_ticks,
                           answer.waited)) {
        return no_memory(sim, "a trace");
    }
    answer.tx_free = nd__link_tx_free(&sim->link);
    answer.frames_left = nd__link_ring_count(&sim->link);
    if (!wants_slot) {
        answer.console_bytes = (uint32_t)nd__bytes_take(&sim->console_in, console, sizeof console);
        frame = nd__link_device_frame(&sim->link);
    }
    if (frame != NULL) {
        answer.frame = frame->data;
        answer.frame_bytes = frame->bytes;
        answer.frames_left--;
    }
    result = nd__lockstep_answer(&sim->lockstep, &answer);
    if (result != ND_OK) {
        snprintf(sim->error, sizeof sim->error, "the device does not read its answers");
        return stop(sim, result);
    }
    if (frame != NULL) {
        nd__link_take_device(&sim->link);
    }
    sim->exchanges++;
    return ND_OK;
}

static int serve(struct nd_sim *sim, const struct nd__record *record) {
    switch (record->type) {
    case ND_LOCKSTEP_FRAME:
        nd__link_send_device(&sim->link, sim->now_ns, record->bytes, record->byte_count);
        return ND_OK;
    case ND_LOCKSTEP_CONSOLE:
        return nd__bytes_put(&sim->console_out, record->bytes, record->byte_count)
                   ? ND_OK
                   : no_memory(sim, "console text");
    case ND_LOCKSTEP_POLL:
    case ND_LOCKSTEP_POLL_TX:
        return answer_poll(sim, record->arg, record->type == ND_LOCKSTEP_POLL_TX);
    default: /* EXIT: HELLO comes but once, and other types do not come through */
        snprintf(sim->error, sizeof sim->error, "the firmware ended with code %" PRIu32,
                 record->arg);
        return stop(sim, ND_EOF);
    }
}

/* A device that neither works nor waits would keep us for ever. */
static int check_progress(struct nd_sim *sim, uint64_t before_ticks) {
    sim->standstill = sim->now_ticks == before_ticks ? sim->standstill + 1 : 0;
    if (sim->standstill < STANDSTILL_RECORDS) {
        return ND_OK;
    }
    snprintf(sim->error, sizeof sim->error,
             "the device broke the protocol: %d records in which no virtual time passed",
             STANDSTILL_RECORDS);
    return stop(sim, ND_E_PROTOCOL);
}

static int check_capture(struct nd_sim *sim) {
    if (sim->capture == NULL || nd__capture_good(sim->capture)) {
        return ND_OK;
    }
    snprintf(sim->error, sizeof sim->error, "cannot write the capture %.180s", sim->cfg.pcap);
    return stop(sim, ND_E_STACK);
}

int nd_sim_step(struct nd_sim *sim) {
    uint64_t before_ticks = sim->now_ticks;
    struct nd__record record;
    int result = sim->result;

    if (result != ND_OK) {
        return result;
    }
    poll_engines(sim);
    result = nd__lockstep_next(&sim->lockstep, &record);
    if (result == ND_AGAIN) {
        return ND_OK;
    }
    if (result != ND_OK) {
        return break_off(sim, result);
    }
    result = charge(sim, &record);
    if (result == ND_OK) {
        result = serve(sim, &record);
    }
    if (result == ND_OK) {
        result = check_progress(sim, before_ticks);
    }
    return result == ND_OK ? check_capture(sim) : result;
}

/* ---- begin and end ---- */

/* Count in cycles from the HELLO on, if somebody counts them. */
static int begin_time(struct nd_sim *sim, const struct nd__record *record) {
    uint64_t spent_ticks = record->spent;

    if (nd__meter_ready(&sim->machine.meter)) {
        sim->cycles = nd__meter_take(&sim->machine.meter, &spent_ticks);
        nd__meter_flash(&sim->machine.meter, &sim->hello);
    }
    if (sim->cfg.cycles != NULL && !sim->cycles && !sim->cfg.cycles_optional) {
        snprintf(
            sim->error, sizeof sim->error,
            "the firmware makes no marks for the cycle counter: build it with this netdyno, or "
            "count instructions");
        return ND_E_UNSUPPORTED;
    }
    sim->now_ticks = spent_ticks;
    sim->busy_ticks = spent_ticks;
    return ND_OK;
}

/* Read the HELLO. */
static int greet(struct nd_sim *sim) {
    struct nd__record record;
    const char *wrong;
    int result = nd__lockstep_next(&sim->lockstep, &record);

    if (result == ND_AGAIN) {
        snprintf(sim->error, sizeof sim->error, "interrupted before the device said HELLO");
        return result;
    }
    if (result != ND_OK) {
        return break_off(sim, result);
    }
    wrong = nd__records_hello(&record, &sim->hello);
    if (wrong == NULL && sim->hello.hz < MIN_HZ) {
        wrong = "its ticks are slower than 100 kHz";
    }
    if (wrong == NULL && sim->cfg.link_bit_s == 0 && sim->hello.link_bit_s == 0) {
        wrong = "its HELLO has no link rate, and none was given";
    }
    if (wrong != NULL) {
        snprintf(sim->error, sizeof sim->error, "the device broke the protocol: %s", wrong);
        return ND_E_PROTOCOL;
    }
    return begin_time(sim, &record);
}

static int open_far(struct nd_sim *sim) {
    const struct nd__far_cfg far = {
        .seed = sim->cfg.seed,
        .send = send_from_far,
        .has_room = has_room,
        .ctx = sim,
        .error = sim->error,
    };

    return sim->cfg.tap != NULL ? nd__tap_open(&sim->far, &far, sim->cfg.tap)
                                : nd__peer_open(&sim->far, &far);
}

/* Bring up wire and far end as the device and the caller want them. */
static int bring_up(struct nd_sim *sim) {
    const struct nd__link_cfg link = {
        .bit_s = sim->cfg.link_bit_s != 0 ? sim->cfg.link_bit_s : sim->hello.link_bit_s,
        .delay_ns = sim->cfg.delay_ns,
        .rx_ring = sim->hello.rx_ring,
        .tx_ring = sim->hello.tx_ring,
        .queue_frames = sim->cfg.queue_frames != 0 ? sim->cfg.queue_frames : QUEUE_FRAMES,
        .capture = sim->capture,
        .log = &sim->tracer.log,
    };
    int result;

    nd__link_init(&sim->link, &link);
    result = open_far(sim);
    if (result != ND_OK) {
        return result;
    }
    catch_up(sim);
    return sim->result;
}

static int welcome(struct nd_sim *sim) {
    struct nd_lockstep_welcome text = {.seed = sim->cfg.seed, .tick_kind = nd_sim_tick_kind(sim)};
    int result;

    memcpy(text.ip, sim->far.device_ip, sizeof text.ip);
    memcpy(text.mask, sim->far.mask, sizeof text.mask);
    memcpy(text.gateway, sim->far.gateway, sizeof text.gateway);
    result = nd__lockstep_welcome(&sim->lockstep, &text);
    if (result != ND_OK) {
        snprintf(sim->error, sizeof sim->error, "the device does not read its answers");
        return result;
    }
    sim->exchanges++;
    return ND_OK;
}

static int start(struct nd_sim *sim) {
    unsigned silence_ms = sim->cfg.silence_ms != 0 ? sim->cfg.silence_ms : SILENCE_MS;
    int result;

    if (sim->cfg.pcap != NULL) {
        sim->capture = nd__capture_open(sim->cfg.pcap, sim->error, sizeof sim->error);
        if (sim->capture == NULL) {
            return ND_E_ARG;
        }
    }
    result = nd__machine_open(&sim->machine, &sim->cfg, sim->error);
    if (result != ND_OK) {
        return result;
    }
    nd__lockstep_init(&sim->lockstep, sim->machine.from_fd, sim->machine.to_fd, silence_ms);
    result = greet(sim);
    if (result == ND_OK) {
        result = bring_up(sim);
    }
    return result == ND_OK ? welcome(sim) : result;
}

/* What QEMU says of a plugin begins with its path, and ends with the reason. */
static void tell_failure(const struct nd_sim *sim, bool refused, char error[ND_SIM_ERROR_BYTES]) {
    size_t length = strlen(sim->error);
    size_t shown = length < 100 ? length : 100;

    if (refused) {
        snprintf(
            error, ND_SIM_ERROR_BYTES,
            "QEMU does not load the cycle counter, which needs version 1 of its plugin interface "
            "(QEMU 7.2 to 8.2); count instructions: ...%s",
            sim->error + length - shown);
    } else {
        memcpy(error, sim->error, sizeof sim->error);
    }
}

/* *refused: that it failed is the fault of the cycle counter. */
static struct nd_sim *open_with(const struct nd_sim_cfg *cfg, bool *refused,
                                char error[ND_SIM_ERROR_BYTES]) {
    struct nd_sim *sim = calloc(1, sizeof *sim);

    if (sim == NULL) {
        snprintf(error, ND_SIM_ERROR_BYTES, "no memory for a simulation");
        return NULL;
    }
    sim->cfg = *cfg;
    sim->clock = (struct nd_clock){.read = read_clock,
                                   .ctx = sim,
                                   .name = "sim.virtual",
                                   .hz = 1000000000u,
                                   .bits = 32,
                                   .kind = ND_CLOCK_TIME};
    nd__machine_init(&sim->machine);
    if (start(sim) != ND_OK) {
        *refused = sim->machine.meter.page != NULL && !nd__meter_ready(&sim->machine.meter);
        tell_failure(sim, *refused, error);
        nd_sim_close(sim);
        return NULL;
    }
    return sim;
}

struct nd_sim *nd_sim_open(const struct nd_sim_cfg *cfg, char error[ND_SIM_ERROR_BYTES]) {
    bool refused = false;
    struct nd_sim *sim = open_with(cfg, &refused, error);

    if (refused && cfg->cycles_optional) {
        struct nd_sim_cfg without = *cfg;

        without.cycles = NULL;
        sim = open_with(&without, &refused, error);
    }
    return sim;
}

void nd_sim_close(struct nd_sim *sim) {
    if (sim == NULL) {
        return;
    }
    nd__machine_close(&sim->machine);
    if (sim->far.kind != NULL) {
        sim->far.kind->close(sim->far.ctx);
    }
    nd__capture_close(sim->capture);
    nd__link_close(&sim->link);
    nd__tracer_close(&sim->tracer);
    nd__bytes_free(&sim->console_in);
    nd__bytes_free(&sim->console_out);
    free(sim);
}

/* ---- what the caller may ask ---- */

const char *nd_sim_error(const struct nd_sim *sim) {
    return sim->error;
}

const struct nd_lockstep_hello *nd_sim_hello(const struct nd_sim *sim) {
    return &sim->hello;
}

enum nd_clock_kind nd_sim_tick_kind(const struct nd_sim *sim) {
    return sim->cycles ? ND_CLOCK_CYCLES : (enum nd_clock_kind)sim->hello.tick_kind;
}

void nd_sim_turn_profile(struct nd_sim *sim) {
    sim->turn = true;
}

const struct nd_sim_profile *nd_sim_profile(const struct nd_sim *sim) {
    return !sim->turn && sim->cycles && nd__meter_turned(&sim->machine.meter)
               ? &sim->machine.meter.page->profile
               : NULL;
}

void nd_sim_trace(struct nd_sim *sim, const struct nd_sim_window *window) {
    nd__tracer_ask(&sim->tracer, window, sim->now_ns);
}

bool nd_sim_end_trace(struct nd_sim *sim) {
    return nd__tracer_end(&sim->tracer, sim->now_ns);
}

const struct nd_sim_trace *nd_sim_traced(struct nd_sim *sim) {
    return nd__tracer_take(&sim->tracer, &sim->machine.meter, &sim->link);
}

const struct nd_port *nd_sim_port(struct nd_sim *sim) {
    return sim->far.port;
}

void *nd_sim_port_ctx(struct nd_sim *sim) {
    return sim->far.port_ctx;
}

void nd_sim_trust(struct nd_sim *sim) {
    if (sim->far.kind->trust != NULL) {
        sim->far.kind->trust(sim->far.ctx);
    }
}

const struct nd_clock *nd_sim_clock(struct nd_sim *sim) {
    return &sim->clock;
}

static struct nd_addr address(const uint8_t ip[4]) {
    struct nd_addr addr = {.family = 4};

    memcpy(addr.ip, ip, 4);
    return addr;
}

struct nd_addr nd_sim_device(const struct nd_sim *sim) {
    return address(sim->far.device_ip);
}

struct nd_addr nd_sim_peer(const struct nd_sim *sim) {
    return address(sim->far.ip);
}

void nd_sim_console_write(struct nd_sim *sim, const char *bytes, size_t len) {
    if (!nd__bytes_put(&sim->console_in, bytes, len)) {
        no_memory(sim, "console text");
    }
}

size_t nd_sim_console_read(struct nd_sim *sim, char *bytes, size_t size) {
    return nd__bytes_take(&sim->console_out, bytes, size);
}

struct nd_sim_counts nd_sim_counts(const struct nd_sim *sim) {
    return (struct nd_sim_counts){
        .now_ns = sim->now_ns,
        .busy_ticks = sim->busy_ticks,
        .exchanges = sim->exchanges,
        .to_device = sim->link.ring_frames,
        .to_peer = sim->link.peer_frames,
        .ring_drops = sim->link.ring_drops,
        .queue_drops = sim->link.queue_drops,
        .tx_drops = sim->link.tx_drops,
        .slipped_ns = sim->far.slipped_ns,
    };
}
