/* SPDX-License-Identifier: BSD-3-Clause */
#include "host.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "posix.h"
#include "say.h"
#include "signals.h"

/* Sleep no longer, so that a 32-bit clock of 1 GHz is read before it wraps [ns]. */
#define LONGEST_SLEEP_NS UINT64_C(2000000000)

/* Room that datagrams are given [byte]: the system's own choice is full after some 90 of an
 * Ethernet, so that every moment without the processor would be a loss. The system gives as much
 * of it as its administrator allows. */
#define DATAGRAM_RECEIVE_BYTES (4u << 20)

int host_open(struct host *host, uint32_t conn_count) {
    const struct nd_posix_cfg cfg = {.slot_count = conn_count,
                                     .datagram_receive_bytes = DATAGRAM_RECEIVE_BYTES};

    host->port_ctx = nd_posix_create(&cfg);
    if (host->port_ctx == NULL) {
        say_error("cannot open this machine's network: %s", strerror(errno));
        return -1;
    }
    if (nd_posix_watch(host->port_ctx, signals_fd()) != ND_OK) {
        say_error("cannot wait for signals");
        nd_posix_destroy(host->port_ctx);
        return -1;
    }
    host->port = &nd_port_posix;
    host->clock = nd_posix_clock(host->port_ctx);
    host->idle_ticks = nd_posix_idle_ns(host->port_ctx);
    return 0;
}

void host_close(struct host *host) {
    nd_posix_destroy(host->port_ctx);
    host->port_ctx = NULL;
}

void host_wait(struct host *host, uint64_t limit_ns) {
    nd_posix_wait(host->port_ctx, limit_ns < LONGEST_SLEEP_NS ? limit_ns : LONGEST_SLEEP_NS);
}

void host_run(struct host *host, struct nd_agent *agent, bool (*done)(void *ctx), void *ctx) {
    while (signals_caught() == 0) {
        bool moved = nd_agent_poll(agent);

        if (done != NULL && done(ctx)) {
            return;
        }
        if (!moved) {
            uint64_t ticks = nd_agent_sleep(agent);
            host_wait(host, ticks == UINT64_MAX ? UINT64_MAX : nd_agent_ns(agent, ticks));
        }
    }
}

uint64_t host_time_us(void) {
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}
