/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/wire.h"

#include <string.h>

void nd__wire_init(struct nd__wire *wire, uint64_t bit_s, uint64_t delay_ns,
                   uint32_t queue_frames) {
    *wire = (struct nd__wire){.bit_s = bit_s, .delay_ns = delay_ns, .queue_frames = queue_frames};
}

void nd__wire_close(struct nd__wire *wire) {
    nd__frames_free(&wire->frames);
    wire->left = 0;
}

uint64_t nd__wire_bytes_ns(const struct nd__wire *wire, uint32_t bytes) {
    uint64_t bit_ns = (uint64_t)bytes * 8u * 1000000000u;

    return bit_ns / wire->bit_s + (bit_ns % wire->bit_s != 0);
}

uint64_t nd__wire_frame_ns(const struct nd__wire *wire, uint32_t bytes) {
    return nd__wire_bytes_ns(wire, ND__WIRE_PREAMBLE_BYTES + bytes + ND__WIRE_FCS_BYTES);
}

bool nd__wire_send(struct nd__wire *wire, uint64_t now_ns, const void *data, uint32_t bytes) {
    uint64_t start_ns = now_ns > wire->free_ns ? now_ns : wire->free_ns;
    struct nd__frame *frame;

    if (nd__wire_waiting(wire) >= wire->queue_frames) {
        return false;
    }
    frame = nd__frames_push(&wire->frames);
    if (frame == NULL) {
        return false;
    }
    memcpy(frame->data, data, bytes);
    if (bytes < ND__WIRE_MIN_BYTES) {
        memset(frame->data + bytes, 0, ND__WIRE_MIN_BYTES - bytes);
        bytes = ND__WIRE_MIN_BYTES;
    }
    frame->bytes = bytes;
    frame->leave_ns = start_ns + nd__wire_frame_ns(wire, bytes);
    frame->arrive_ns = frame->leave_ns + wire->delay_ns;
    wire->free_ns = start_ns + nd__wire_frame_ns(wire, bytes + ND__WIRE_GAP_BYTES);
    return true;
}

uint32_t nd__wire_waiting(const struct nd__wire *wire) {
    return (uint32_t)(wire->frames.count - wire->left);
}

const struct nd__frame *nd__wire_leaving(const struct nd__wire *wire) {
    return wire->left < wire->frames.count ? nd__frames_at(&wire->frames, wire->left) : NULL;
}

uint64_t nd__wire_leave_ns(const struct nd__wire *wire) {
    const struct nd__frame *frame = nd__wire_leaving(wire);

    return frame != NULL ? frame->leave_ns : ND__NEVER;
}

void nd__wire_leave(struct nd__wire *wire) {
    wire->left++;
}

const struct nd__frame *nd__wire_arriving(const struct nd__wire *wire) {
    return wire->left > 0 ? nd__frames_at(&wire->frames, 0) : NULL;
}

uint64_t nd__wire_arrive_ns(const struct nd__wire *wire) {
    const struct nd__frame *frame = nd__wire_arriving(wire);

    return frame != NULL ? frame->arrive_ns : ND__NEVER;
}

void nd__wire_arrive(struct nd__wire *wire) {
    nd__frames_pop(&wire->frames);
    wire->left--;
}
