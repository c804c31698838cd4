/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack.h"
#include "lwip_raw.h"
#include "memory.h"
#include "netif.h"
#include "ping_path.h"

static struct nd_lwip_raw port;
static struct nd_lwip_raw_conn slots[ND_APP_SLOTS];

void nd_stack_open(struct nd_agent_cfg *cfg) {
    nd_lwip_raw_init(&port, slots, ND_APP_SLOTS);
    cfg->port = &nd_port_lwip_raw;
    cfg->port_ctx = &port;
    cfg->memory = &nd_image_memory;
    cfg->address = &nd_netif_address;
}

const struct nd_ping_path *const nd_stack_ping = &nd_ping_path;
