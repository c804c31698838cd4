/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/memtest.h - the three-phase memory test known from picoTCP.
 *
 * Over one TCP connection, default port 7: the client sends `bytes`, the server sends as many,
 * then the server echoes what comes, ND_MEMTEST_MESSAGE_BYTES at a time, until `bytes` came and
 * `bytes` went. There is no header; both sides count. No byte is kept: an echo is sent from where
 * the stack received it. */
#ifndef ND_MEMTEST_H
#define ND_MEMTEST_H

#include "nd/agent.h"
#include "nd/console.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_MEMTEST_PORT          7u
#define ND_MEMTEST_BYTES         1048576u /* per phase, as the origin [byte] */
#define ND_MEMTEST_MESSAGE_BYTES 1024u    /* per write and per echo, as the origin [byte] */

enum nd_memtest_phase { ND_MEMTEST_UP, ND_MEMTEST_DOWN, ND_MEMTEST_ECHO, ND_MEMTEST_DONE };

/* State shared by both roles. Phase names in reports are the device's: "rx", "tx", "echo". */
struct nd_memtest_run {
    struct nd_session session;
    enum nd_memtest_phase phase;
    bool server;
    uint64_t bytes;            /* per phase [byte] */
    uint64_t begin;            /* of this phase [ticks] */
    struct nd_flow flow;       /* of this phase */
    struct nd_heap_meter heap; /* of this phase */
    uint32_t out;              /* client, echo: bytes of this message sent [byte] */
    uint32_t back;             /* client, echo: bytes of it come back [byte] */
    bool connected;            /* client: the connection stood */
    bool ending;               /* end() was called */
};

/* The device's side: one caller at a time, the next waits in the stack. */
struct nd_memtest_server {
    struct nd_service service;
    struct nd_memtest_run run;
    uint64_t bytes;      /* per phase [byte] */
    uint64_t next_bytes; /* the same of the next caller alone; 0 = as every caller [byte] */
};

/* Serve at *at. bytes: per phase, 0 = ND_MEMTEST_BYTES. Returns the port's result. */
int nd_memtest_serve(struct nd_memtest_server *server, struct nd_agent *agent,
                     const struct nd_addr *at, uint64_t bytes);

/* Make the console's command "memtest [-n BYTES]": it tells how many bytes per phase the next
 * caller is served, and -n chooses them, for that caller alone. */
void nd_memtest_command(struct nd_command *command, struct nd_memtest_server *server);

/* The PC's side. */
struct nd_memtest_client {
    struct nd_memtest_run run;
};

/* Run the test against *to; reports arrive per phase, the last with report.last.
 * bytes: per phase, 0 = ND_MEMTEST_BYTES. Returns the port's result. */
int nd_memtest_connect(struct nd_memtest_client *client, struct nd_agent *agent,
                       const struct nd_addr *to, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
