/* SPDX-License-Identifier: BSD-3-Clause */
/* The port, and the heap's figures. Those include the 8 bytes that the heap puts before each piece.
 */
#include "stack.h"
#include "machine.h"
#include "netif.h"
#include "options.h"
#include "picotcp_host.h"
#include "ticking.h"

#include "nd/error.h"

struct nd_picotcp nd_image_port;

static struct nd_picotcp_conn slots[ND_APP_SLOTS];
static _Alignas(8) uint8_t stages[ND_PICOTCP_STAGES * ND_PICOTCP_STAGE_BYTES];

static int64_t heap_free(void *ctx) {
    (void)ctx;
    return (int64_t)(nd_picotcp_heap.total - nd_picotcp_heap.used);
}

static int get_pool(void *ctx, unsigned index, struct nd_pool *pool) {
    (void)ctx;
    if (index > 0) {
        return ND_EOF;
    }
    nd_heap_read(&nd_picotcp_heap, pool);
    return ND_OK;
}

static const struct nd_memory memory = {
    .heap_free = heap_free,
    .pool = get_pool,
    .stack = nd_machine_stack,
};

void nd_stack_open(struct nd_agent_cfg *cfg) {
    const struct nd_picotcp_cfg port = {.conns = slots,
                                        .conn_count = ND_APP_SLOTS,
                                        .stages = stages,
                                        .stage_count = ND_PICOTCP_STAGES,
                                        .stage_bytes = ND_PICOTCP_STAGE_BYTES};

    if (nd_picotcp_init(&nd_image_port, &port) != ND_OK) {
        nd_machine_abandon("the sizes of the port over picoTCP are wrong");
    }
    cfg->port = &nd_port_picotcp;
    cfg->port_ctx = &nd_image_port;
    cfg->memory = &memory;
    cfg->address = &nd_netif_address;
}

const struct nd_ping_path *const nd_stack_ping = NULL;
