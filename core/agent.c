/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/agent.h"

#define DEFAULT_IDLE_LIMIT_MS 30000u

static uint64_t idle_so_far(const struct nd_agent *agent) {
    return agent->cfg.idle_ticks != NULL ? *agent->cfg.idle_ticks : 0;
}

int nd_agent_init(struct nd_agent *agent, const struct nd_agent_cfg *cfg) {
    if (agent == NULL || cfg == NULL || cfg->port == NULL || cfg->port->abi != ND_PORT_ABI ||
        !nd_clock_valid(cfg->clock)) {
        return ND_E_ARG;
    }
    *agent = (struct nd_agent){.cfg = *cfg};
    if (agent->cfg.idle_limit_ms == 0) {
        agent->cfg.idle_limit_ms = DEFAULT_IDLE_LIMIT_MS;
    }
    agent->count = nd_clock_read(cfg->clock);
    agent->idle_limit =
        nd_clock_ticks((uint64_t)agent->cfg.idle_limit_ms * 1000000u, cfg->clock->hz);
    agent->idle_check = agent->idle_limit + 1;
    agent->wake = agent->idle_check;
    nd_agent_reset_metrics(agent);
    return ND_OK;
}

void nd_agent_reset_metrics(struct nd_agent *agent) {
    agent->rx_bytes = 0;
    agent->tx_bytes = 0;
    agent->poll_gap = (struct nd_gaps){0};
    agent->progress_gap = (struct nd_gaps){0};
}

uint64_t nd_agent_ns(const struct nd_agent *agent, uint64_t ticks) {
    return nd_clock_ns(ticks, agent->cfg.clock->hz);
}

/* Time passes only here: one clock reading serves the whole poll. The gap counts work alone, so
 * that a processor that slept for want of frames does not look late. */
static void tell_time(struct nd_agent *agent) {
    const struct nd_clock *clock = agent->cfg.clock;
    uint32_t count = nd_clock_read(clock);
    uint32_t elapsed = nd_clock_elapsed(clock, agent->count, count);
    uint64_t idle = idle_so_far(agent);

    agent->count = count;
    agent->now += elapsed;
    if (agent->sessions != NULL) {
        nd_gaps_add(&agent->poll_gap, elapsed - (uint32_t)(idle - agent->poll_idle));
    }
    agent->poll_idle = idle;
}

static bool poll_sessions(struct nd_agent *agent) {
    bool again = false;
    uint64_t wake = agent->idle_check;

    for (struct nd_session *at = agent->sessions; at != NULL; at = agent->next_polled) {
        agent->next_polled = at->next; /* which may leave meanwhile */
        again |= at->kind->poll(at);
        if (at->wake < wake) {
            wake = at->wake;
        }
    }
    agent->wake = wake;
    return again;
}

static bool poll_sockets(struct nd_agent *agent) {
    bool again = false;
    struct nd_session *next;

    for (struct nd_session *at = agent->sockets; at != NULL; at = next) {
        next = at->next;
        again |= at->kind->poll(at);
    }
    return again;
}

static bool accept_callers(struct nd_agent *agent) {
    bool moved = false;
    struct nd_service *next;

    for (struct nd_service *at = agent->services; at != NULL; at = next) {
        struct nd_conn *conn;
        next = at->next;
        if (!at->kind->ready(at)) {
            continue;
        }
        int result = agent->cfg.port->accept(at->listener, &conn);
        if (result == ND_OK) {
            at->taken++;
            at->kind->take(at, conn);
            moved = true;
        } else if (result == ND_E_FULL) {
            at->turned_away++;
        }
    }
    return moved;
}

/* Find the silent sessions, and when to look again. */
static void drop_idle(struct nd_agent *agent) {
    struct nd_session *next;

    agent->idle_check = agent->now + agent->idle_limit + 1;
    for (struct nd_session *at = agent->sessions; at != NULL; at = next) {
        uint64_t due = at->active + agent->idle_limit + 1;
        next = at->next;
        if (at->patient) {
            continue;
        }
        if (agent->now >= due) {
            at->kind->stop(at, ND_E_TIMEOUT);
        } else if (due < agent->idle_check) {
            agent->idle_check = due;
        }
    }
}

static void stop_tests(struct nd_agent *agent) {
    struct nd_session *next;

    agent->stopping = false;
    for (struct nd_session *at = agent->sessions; at != NULL; at = next) {
        next = at->next;
        if (!at->resident) {
            at->kind->stop(at, ND_E_STOPPED);
        }
    }
}

bool nd_agent_poll(struct nd_agent *agent) {
    bool again = false;
    unsigned step;

    tell_time(agent);
    if (agent->stopping) {
        stop_tests(agent);
    }
    step = agent->cfg.port->step(agent->cfg.port_ctx);
    if ((step & ND_STEP_ACCEPT) != 0) {
        again = accept_callers(agent);
    }
    if ((step & ND_STEP_DATAGRAM) != 0) {
        again |= poll_sockets(agent);
    }
    again |= poll_sessions(agent);
    if (agent->now >= agent->idle_check) {
        drop_idle(agent);
    }
    return again || (step & ND_STEP_AGAIN) != 0;
}

void nd_agent_check_memory(struct nd_agent *agent) {
    const struct nd_memory *memory = agent->cfg.memory;
    struct nd_pool pool;

    if (memory == NULL || memory->pool == NULL || agent->first_failure_pool != NULL) {
        return;
    }
    for (unsigned i = 0; memory->pool(memory->ctx, i, &pool) == ND_OK; i++) {
        if (pool.failures > 0) {
            agent->first_failure_pool = pool.name;
            agent->first_failure = agent->now;
            return;
        }
    }
}

void nd_agent_add_sink(struct nd_agent *agent, struct nd_report_sink *sink) {
    sink->next = agent->sinks;
    agent->sinks = sink;
}

/* A session may ask for this from inside its own poll, so it waits for the next one: no list
 * changes under a walk. */
void nd_agent_stop_tests(struct nd_agent *agent) {
    agent->stopping = true;
}

void nd_agent_close(struct nd_agent *agent) {
    while (agent->sessions != NULL) {
        agent->sessions->kind->stop(agent->sessions, ND_E_STOPPED);
    }
    while (agent->sockets != NULL) {
        agent->sockets->kind->stop(agent->sockets, ND_E_STOPPED);
    }
    while (agent->services != NULL) {
        nd_service_close(agent->services);
    }
}
