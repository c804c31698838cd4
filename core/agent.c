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
    nd_stopwatch_start(&agent->watch, cfg->clock);
    nd_agent_reset_metrics(agent);
    return ND_OK;
}

void nd_agent_reset_metrics(struct nd_agent *agent) {
    agent->rx_bytes = 0;
    agent->tx_bytes = 0;
    agent->polls = 0;
    agent->first_failure_pool = NULL;
    nd_hist_init(&agent->poll_gap, agent->poll_gap_buckets, ND_CFG_GAP_BITS);
    nd_hist_init(&agent->progress_gap, agent->progress_gap_buckets, ND_CFG_GAP_BITS);
}

uint64_t nd_agent_ns(const struct nd_agent *agent, uint64_t ticks) {
    return nd_clock_ns(ticks, agent->cfg.clock->hz);
}

/* Time passes only here: one clock reading serves the whole poll. The gap counts work alone, so
 * that a processor that slept for want of frames does not look late. */
static void tell_time(struct nd_agent *agent) {
    uint64_t before = agent->now;
    uint64_t idle = idle_so_far(agent);

    agent->now = nd_stopwatch_read(&agent->watch);
    if (agent->sessions != NULL) {
        nd_hist_add(&agent->poll_gap, agent->now - before - (idle - agent->poll_idle));
    }
    agent->poll_idle = idle;
    agent->polls++;
}

static bool poll_sessions(struct nd_agent *agent) {
    bool moved = false;
    struct nd_session *next;

    for (struct nd_session *at = agent->sessions; at != NULL; at = next) {
        next = at->next;
        moved |= at->kind->poll(at);
    }
    return moved;
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

static uint64_t idle_limit(const struct nd_agent *agent) {
    return nd_clock_ticks((uint64_t)agent->cfg.idle_limit_ms * 1000000u, agent->cfg.clock->hz);
}

static void drop_idle(struct nd_agent *agent) {
    uint64_t limit = idle_limit(agent);
    struct nd_session *next;

    for (struct nd_session *at = agent->sessions; at != NULL; at = next) {
        next = at->next;
        if (!at->patient && agent->now - at->active > limit) {
            at->kind->stop(at, ND_E_TIMEOUT);
        }
    }
}

uint64_t nd_agent_sleep(const struct nd_agent *agent) {
    uint64_t limit = idle_limit(agent);
    uint64_t first = UINT64_MAX;

    for (const struct nd_session *at = agent->sessions; at != NULL; at = at->next) {
        uint64_t wake = at->patient ? at->wake : at->active + limit + 1;
        if (at->wake < wake) {
            wake = at->wake;
        }
        if (wake < first) {
            first = wake;
        }
    }
    if (first == UINT64_MAX) {
        return UINT64_MAX;
    }
    return first > agent->now ? first - agent->now : 0;
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
    bool moved;

    tell_time(agent);
    if (agent->stopping) {
        stop_tests(agent);
    }
    moved = poll_sessions(agent);
    agent->step = agent->cfg.port->step(agent->cfg.port_ctx);
    if ((agent->step & ND_STEP_ACCEPT) != 0) {
        moved |= accept_callers(agent);
    }
    if (!moved && agent->sessions != NULL) {
        drop_idle(agent);
    }
    return moved || (agent->step & ND_STEP_EVENT) != 0;
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
    while (agent->services != NULL) {
        nd_service_close(agent->services);
    }
}
