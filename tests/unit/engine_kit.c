/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <stdlib.h>
#include <string.h>

static uint32_t read_clock(void *ctx) {
    return ((struct kit *)ctx)->ticks;
}

static int64_t heap_free(void *ctx) {
    return ((struct kit *)ctx)->heap_free;
}

static int pool(void *ctx, unsigned index, struct nd_pool *pool) {
    struct kit *kit = ctx;

    if (index > 0) {
        return ND_EOF;
    }
    *pool = (struct nd_pool){.name = "heap",
                             .element_bytes = 1,
                             .total = 16000,
                             .used = 16000 - kit->heap_free,
                             .used_max = ND_NOT_BUILT,
                             .failures = kit->failures};
    return ND_OK;
}

static void keep_report(void *ctx, const struct nd_report *report) {
    struct kit *kit = ctx;

    assert_true(kit->report_count < KIT_REPORTS);
    struct kit_report *kept = &kit->reports[kit->report_count++];
    kept->report = *report;
    if (report->heap != NULL) {
        kept->heap = *report->heap;
        kept->report.heap = &kept->heap;
    }
    if (report->datagrams != NULL) {
        kept->datagrams = *report->datagrams;
        kept->report.datagrams = &kept->datagrams;
    }
    if (report->peer_datagrams != NULL) {
        kept->peer_datagrams = *report->peer_datagrams;
        kept->report.peer_datagrams = &kept->peer_datagrams;
    }
}

int kit_setup(void **state) {
    struct kit *kit = calloc(1, sizeof *kit);

    assert_int_equal(nd_loop_init(&kit->loop, kit->slots, KIT_SLOTS, kit->rings, KIT_RING_BYTES),
                     ND_OK);
    kit->clock = (struct nd_clock){.read = read_clock,
                                   .ctx = kit,
                                   .name = "test",
                                   .hz = KIT_HZ,
                                   .bits = 32,
                                   .kind = ND_CLOCK_TIME};
    kit->ticks_per_poll = 10;
    kit->heap_free = 10000;
    kit->memory = (struct nd_memory){.ctx = kit, .heap_free = heap_free, .pool = pool};
    struct nd_agent_cfg cfg = {.port = &nd_port_loop,
                               .port_ctx = &kit->loop,
                               .clock = &kit->clock,
                               .idle_ticks = &kit->idle,
                               .memory = &kit->memory};
    assert_int_equal(nd_agent_init(&kit->agent, &cfg), ND_OK);
    kit->sink = (struct nd_report_sink){.put = keep_report, .ctx = kit};
    nd_agent_add_sink(&kit->agent, &kit->sink);
    nd_console_init(&kit->console, &kit->agent);
    *state = kit;
    return 0;
}

int kit_teardown(void **state) {
    struct kit *kit = *state;

    nd_agent_close(&kit->agent);
    free(kit);
    return 0;
}

struct nd_addr kit_addr(uint16_t port) {
    return (struct nd_addr){.ip = {10, 0, 0, 1}, .family = 4, .port = port};
}

void kit_run(struct kit *kit) {
    bool moved = true;

    for (unsigned i = 0; moved; i++) {
        assert_true(i < 10000000u);
        kit->ticks += kit->ticks_per_poll;
        moved = nd_agent_poll(&kit->agent) || kit->loop.event;
    }
}

void kit_run_for(struct kit *kit, uint32_t us) {
    for (uint32_t spent = 0; spent < us; spent += kit->ticks_per_poll) {
        kit->ticks += kit->ticks_per_poll;
        nd_agent_poll(&kit->agent);
    }
}

const struct nd_report *kit_last(const struct kit *kit) {
    assert_true(kit->report_count > 0);
    return &kit->reports[kit->report_count - 1].report;
}

struct nd_conn *kit_dial(struct kit *kit, uint16_t port) {
    struct nd_addr to = kit_addr(port);
    struct nd_conn *conn;

    assert_int_equal(nd_port_loop.connect(&kit->loop, &to, &conn), ND_OK);
    kit_run(kit);
    assert_int_equal(nd_port_loop.status(conn), ND_OK);
    return conn;
}

uint32_t kit_used(const struct kit *kit) {
    return nd_loop_used(&kit->loop);
}

const char *kit_read(struct kit *kit) {
    static char text[65536];
    const char *bytes;
    size_t len = nd_console_output(&kit->console, &bytes);

    memcpy(text, bytes, len);
    text[len] = '\0';
    nd_console_output_done(&kit->console, len);
    return text;
}

const char *kit_type(struct kit *kit, const char *line) {
    static char all[65536];
    size_t at = 0;
    size_t len = strlen(line);

    all[0] = '\0';
    while (at < len || kit->console.running != NULL) {
        at += nd_console_input(&kit->console, line + at, len - at);
        nd_console_poll(&kit->console);
        strcat(all, kit_read(kit));
    }
    return all;
}
