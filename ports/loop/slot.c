/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.c - the fixed pool of the loop port, and its port numbers. */
#include "slot.h"

/* First of the dynamic port numbers (RFC 6335). */
#define FIRST_DYNAMIC_PORT 49152u

int nd_loop_init(struct nd_loop *loop, struct nd_loop_slot *slots, uint32_t slot_count,
                 uint8_t *storage, uint32_t ring_bytes) {
    if (loop == NULL || slots == NULL || storage == NULL || slot_count == 0 || ring_bytes == 0) {
        return ND_E_ARG;
    }
    *loop = (struct nd_loop){.slots = slots,
                             .slot_count = slot_count,
                             .ring_bytes = ring_bytes,
                             .next_port = FIRST_DYNAMIC_PORT};
    for (uint32_t i = 0; i < slot_count; i++) {
        slots[i] = (struct nd_loop_slot){.loop = loop, .ring = storage + (size_t)i * ring_bytes};
    }
    return ND_OK;
}

uint32_t nd_loop_used(const struct nd_loop *loop) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < loop->slot_count; i++) {
        used += loop->slots[i].state != SLOT_FREE;
    }
    return used;
}

struct nd_loop_slot *nd__slot_take(struct nd_loop *loop, enum slot_state state) {
    for (uint32_t i = 0; i < loop->slot_count; i++) {
        struct nd_loop_slot *slot = &loop->slots[i];
        if (slot->state == SLOT_FREE) {
            *slot =
                (struct nd_loop_slot){.loop = loop, .ring = slot->ring, .state = (uint8_t)state};
            return slot;
        }
    }
    return NULL;
}

struct nd_loop_slot *nd__slot_find(struct nd_loop *loop, enum slot_state state, uint16_t port) {
    for (uint32_t i = 0; i < loop->slot_count; i++) {
        struct nd_loop_slot *slot = &loop->slots[i];
        if (slot->state == state && slot->local.port == port) {
            return slot;
        }
    }
    return NULL;
}

static bool port_taken(const struct nd_loop *loop, uint16_t port) {
    for (uint32_t i = 0; i < loop->slot_count; i++) {
        if (loop->slots[i].state != SLOT_FREE && loop->slots[i].local.port == port) {
            return true;
        }
    }
    return false;
}

uint16_t nd__slot_free_port(struct nd_loop *loop) {
    uint16_t port;
    do {
        port = loop->next_port;
        loop->next_port = port == UINT16_MAX ? FIRST_DYNAMIC_PORT : (uint16_t)(port + 1u);
    } while (port_taken(loop, port));
    return port;
}

int nd__slot_bind(struct nd_loop *loop, enum slot_state state, const struct nd_addr *at,
                  struct nd_conn **conn) {
    if (at->port != 0 && nd__slot_find(loop, state, at->port) != NULL) {
        return ND_E_IN_USE;
    }
    struct nd_loop_slot *slot = nd__slot_take(loop, state);
    if (slot == NULL) {
        return ND_E_FULL;
    }
    slot->local = *at;
    if (at->port == 0) {
        slot->local.port = nd__slot_free_port(loop);
    }
    *conn = nd__slot_conn(slot);
    return ND_OK;
}
