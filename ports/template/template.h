/* SPDX-License-Identifier: BSD-3-Clause */
/* template.h - a port to copy: replace "template" by the name of your stack.
 *
 * What the owner needs beside the port itself goes here: the context, its pool, and the call that
 * makes it. Memory is the owner's, so that RAM is visible where it is spent. */
#ifndef ND_TEMPLATE_H
#define ND_TEMPLATE_H

#include "nd/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One connection, listener or datagram socket. Keep here the stack's handle, the error that ended
 * the connection, and what was received but not consumed. */
struct nd_template_slot {
    void *handle; /* the stack's; NULL = free */
    int error;    /* ND_OK until something ended it; then never changed */
    int32_t cause;
};

/* One instance of the stack. Owner: the caller. */
struct nd_template {
    struct nd_template_slot *slots;
    uint32_t slot_count;
};

/* Make a context; slots stay in place while it is used. ND_E_ARG when a part is missing. */
int nd_template_init(struct nd_template *ctx, struct nd_template_slot *slots, uint32_t slot_count);

/* The port; its context is a struct nd_template. */
extern const struct nd_port nd_port_template;

#ifdef __cplusplus
}
#endif
#endif
