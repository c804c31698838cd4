/* SPDX-License-Identifier: BSD-3-Clause */
#include "memtest.h"

#include "pattern.h"
#include "stream.h"

/* A phase is named after what the device does, on both sides, so that their reports can be laid
 * beside each other. */
static const char *const phase_names[] = {"rx", "tx", "echo"};

static void report_phase(struct nd_memtest_run *run, int result, bool last) {
    struct nd_report report = {
        .role = run->server ? "server" : "client",
        .phase = phase_names[run->phase],
        .last = last,
        .result = result,
        .expected_bytes = run->bytes,
        .flow = run->flow,
        .begin = run->begin,
        .tail_ticks = ND_NOT_SUPPORTED,
        .buflen = ND_MEMTEST_MESSAGE_BYTES,
        .heap = run->heap.samples > 0 ? &run->heap : NULL,
    };

    nd_session_report(&run->session, &report);
}

void nd__memtest_begin(struct nd_memtest_run *run, uint64_t bytes, uint64_t now) {
    run->bytes = bytes;
    run->phase = ND_MEMTEST_UP;
    run->flow = (struct nd_flow){0};
    run->begin = now;
    run->out = 0;
    run->back = 0;
    run->connected = false;
    run->ending = false;
    nd_heap_meter_reset(&run->heap);
}

void nd__memtest_next(struct nd_memtest_run *run) {
    report_phase(run, ND_OK, run->phase == ND_MEMTEST_ECHO);
    run->phase = (enum nd_memtest_phase)(run->phase + 1);
    run->flow = (struct nd_flow){0};
    run->begin = run->session.agent->now;
    nd_heap_meter_reset(&run->heap);
}

void nd__memtest_stop(struct nd_session *session, int why) {
    struct nd_memtest_run *run = (struct nd_memtest_run *)session;

    if (run->phase != ND_MEMTEST_DONE) {
        report_phase(run, why == ND_EOF ? ND_E_SHORT : why, true);
    }
    nd_session_leave(session);
}

uint32_t nd__memtest_left(const struct nd_memtest_run *run, uint64_t done) {
    return nd__stream_min(run->bytes - done, UINT32_MAX);
}

int32_t nd__memtest_send(struct nd_memtest_run *run) {
    uint32_t len = nd__stream_min(nd__memtest_left(run, run->flow.tx.bytes), //
                                  ND_MEMTEST_MESSAGE_BYTES);

    return nd__stream_send(&run->session, &run->flow.tx, nd__pattern, len, 0);
}
