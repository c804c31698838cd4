/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/log.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 1024 };

static bool make_room(struct nd__log *log) {
    size_t room = log->room > 0 ? 2 * log->room : ROOM_FIRST;
    struct nd_sim_frame *frames;

    if (log->count < log->room) {
        return true;
    }
    frames = realloc(log->frames, room * sizeof *frames);
    if (frames == NULL) {
        log->no_memory = true;
        return false;
    }
    log->frames = frames;
    log->room = room;
    return true;
}

void nd__log_put(struct nd__log *log, const struct nd__frame *frame,
                 const struct nd__log_pass *pass) {
    struct nd_sim_frame *kept;

    if (log->trigger_ns == UINT64_MAX && frame->bytes >= log->trigger_bytes) {
        log->trigger_ns = pass->end_ns;
    }
    if (!log->on || !make_room(log)) {
        return;
    }
    kept = &log->frames[log->count++];
    *kept = (struct nd_sim_frame){.begin_ns = pass->begin_ns,
                                  .end_ns = pass->end_ns,
                                  .bytes = frame->bytes,
                                  .to_device = pass->to_device,
                                  .lost = pass->lost};
    memcpy(kept->head, frame->data,
           frame->bytes < sizeof kept->head ? frame->bytes : sizeof kept->head);
}

void nd__log_close(struct nd__log *log) {
    free(log->frames);
    *log = (struct nd__log){0};
}
