/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/link.h"

#include <string.h>

void nd__link_init(struct nd__link *link, const struct nd__link_cfg *cfg) {
    *link = (struct nd__link){.cfg = *cfg};
    nd__wire_init(&link->to_peer, cfg->bit_s, cfg->delay_ns, cfg->tx_ring);
    nd__wire_init(&link->to_device, cfg->bit_s, cfg->delay_ns, cfg->queue_frames);
}

void nd__link_close(struct nd__link *link) {
    nd__wire_close(&link->to_peer);
    nd__wire_close(&link->to_device);
    nd__frames_free(&link->ring);
}

void nd__link_send_device(struct nd__link *link, uint64_t now_ns, const void *data,
                          uint32_t bytes) {
    if (!nd__wire_send(&link->to_peer, now_ns, data, bytes)) {
        link->tx_drops++;
    }
}

/* Nothing waits for a frame to leave the peer, so that is no event: the queue is brought up to date
 * when somebody looks at it. */
static void update_queue(struct nd__wire *wire, uint64_t now_ns) {
    while (nd__wire_leave_ns(wire) <= now_ns) {
        nd__wire_leave(wire);
    }
}

void nd__link_send_peer(struct nd__link *link, uint64_t now_ns, const void *data, uint32_t bytes) {
    update_queue(&link->to_device, now_ns);
    if (!nd__wire_send(&link->to_device, now_ns, data, bytes)) {
        link->queue_drops++;
    }
}

bool nd__link_has_room(struct nd__link *link, uint64_t now_ns) {
    update_queue(&link->to_device, now_ns);
    return nd__wire_waiting(&link->to_device) < link->cfg.queue_frames;
}

/* When the first frame on the wire arrives, whether or not it has left by now. */
static uint64_t first_arrival_ns(const struct nd__wire *wire) {
    return wire->frames.count > 0 ? nd__frames_at(&wire->frames, 0)->arrive_ns : ND__NEVER;
}

static uint64_t earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t nd__link_next_ns(const struct nd__link *link) {
    uint64_t next_ns =
        earlier(nd__wire_leave_ns(&link->to_peer), first_arrival_ns(&link->to_device));

    return earlier(next_ns, nd__wire_arrive_ns(&link->to_peer));
}

static void log_frame(const struct nd__link *link, const struct nd__wire *wire,
                      const struct nd__frame *frame, uint64_t end_ns, bool lost) {
    const struct nd__log_pass pass = {
        .begin_ns = end_ns - nd__wire_frame_ns(wire, frame->bytes),
        .end_ns = end_ns,
        .to_device = wire == &link->to_device,
        .lost = lost,
    };

    if (link->cfg.log != NULL) {
        nd__log_put(link->cfg.log, frame, &pass);
    }
}

/* Tell of a frame that passes the device's socket on this wire, with its last bit at end_ns. */
static void show(const struct nd__link *link, const struct nd__wire *wire,
                 const struct nd__frame *frame, uint64_t end_ns, bool lost) {
    if (link->cfg.capture != NULL) {
        nd__capture_put(link->cfg.capture, end_ns, frame);
    }
    log_frame(link, wire, frame, end_ns, lost);
}

static void leave_device(struct nd__link *link) {
    const struct nd__frame *frame = nd__wire_leaving(&link->to_peer);

    show(link, &link->to_peer, frame, frame->leave_ns, false);
    nd__wire_leave(&link->to_peer);
}

/* As a DMA controller does while the processor is busy: no descriptor, no frame. */
static void arrive_at_device(struct nd__link *link) {
    const struct nd__frame *frame;
    struct nd__frame *slot = NULL;

    update_queue(&link->to_device, first_arrival_ns(&link->to_device));
    frame = nd__wire_arriving(&link->to_device);
    if (link->ring.count < link->cfg.rx_ring) {
        slot = nd__frames_push(&link->ring);
    }
    show(link, &link->to_device, frame, frame->arrive_ns, slot == NULL);
    if (slot != NULL) {
        slot->leave_ns = frame->leave_ns;
        slot->arrive_ns = frame->arrive_ns;
        slot->bytes = frame->bytes;
        memcpy(slot->data, frame->data, frame->bytes);
        link->ring_frames++;
    } else {
        link->ring_drops++;
    }
    nd__wire_arrive(&link->to_device);
}

enum nd__link_event nd__link_step(struct nd__link *link) {
    uint64_t next_ns = nd__link_next_ns(link);

    if (nd__wire_leave_ns(&link->to_peer) == next_ns) {
        leave_device(link);
        return ND__LINK_LEFT;
    }
    if (first_arrival_ns(&link->to_device) == next_ns) {
        arrive_at_device(link);
        return ND__LINK_TO_DEVICE;
    }
    return ND__LINK_TO_PEER;
}

const struct nd__frame *nd__link_peer_frame(const struct nd__link *link) {
    return nd__wire_arriving(&link->to_peer);
}

void nd__link_take_peer(struct nd__link *link) {
    nd__wire_arrive(&link->to_peer);
    link->peer_frames++;
}

const struct nd__frame *nd__link_device_frame(const struct nd__link *link) {
    return link->ring.count > 0 ? nd__frames_at(&link->ring, 0) : NULL;
}

void nd__link_take_device(struct nd__link *link) {
    nd__frames_pop(&link->ring);
}

void nd__link_log_rest(struct nd__link *link, uint64_t until_ns) {
    const struct nd__wire *wires[] = {&link->to_device, &link->to_peer};

    for (unsigned i = 0; i < 2; i++) {
        bool leaves = wires[i] == &link->to_peer;

        for (size_t at = leaves ? wires[i]->left : 0; at < wires[i]->frames.count; at++) {
            const struct nd__frame *frame = nd__frames_at(&wires[i]->frames, at);
            uint64_t end_ns = leaves ? frame->leave_ns : frame->arrive_ns;

            if (end_ns - nd__wire_frame_ns(wires[i], frame->bytes) < until_ns) {
                log_frame(link, wires[i], frame, end_ns, false);
            }
        }
    }
}

uint32_t nd__link_ring_count(const struct nd__link *link) {
    return (uint32_t)link->ring.count;
}

uint32_t nd__link_tx_free(const struct nd__link *link) {
    return link->cfg.tx_ring - nd__wire_waiting(&link->to_peer);
}
