/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/agent.h - the object that a firmware's main loop polls.
 *
 * An agent joins one stack (nd/port.h), one clock and the engines that its owner adds. It has
 * no thread, no heap and no lock: everything happens inside nd_agent_poll(), in one context. */
#ifndef ND_AGENT_H
#define ND_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/clock.h"
#include "nd/config.h"
#include "nd/hist.h"
#include "nd/memory.h"
#include "nd/port.h"
#include "nd/report.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nd_agent;
struct nd_session;
struct nd_service;

/* One line of the configuration fingerprint: a text, or a number when text is NULL. */
struct nd_fact {
    const char *key; /* with its unit last: "tcp_wnd_bytes", "compiler" */
    const char *text;
    int64_t number; /* or enum nd_absent */
};

/* What the owner says once. Everything pointed at outlives the agent. */
struct nd_agent_cfg {
    const struct nd_port *port;     /* required */
    void *port_ctx;                 /* required by most ports */
    const struct nd_clock *clock;   /* required; read at least once in 2^bits ticks */
    const uint64_t *idle_ticks;     /* ticks of that clock spent idle so far; NULL = not known */
    const struct nd_memory *memory; /* NULL = not hooked */
    /* The device's own, told by `id` to who does not come by the network; port 0, and family 0
     * while there is none. NULL = not told. */
    const struct nd_addr *address;
    const struct nd_fact *facts; /* identity and configuration, printed by `config` */
    uint32_t fact_count;
    uint32_t idle_limit_ms; /* a connection without a byte for so long is dropped; 0 = 30 s */
};

/* A test in progress on one connection. Embedded in each engine's own object. */
struct nd_session_class {
    const char *engine; /* static name, as reports print it */
    /* Work once. True to be polled again at once; false when there is nothing to do until the
     * network or session.wake brings something. Ends the session itself by nd_session_leave() when
     * it is over. */
    bool (*poll)(struct nd_session *session);
    /* End now for this reason: report what there is, close the connection, leave. */
    void (*stop)(struct nd_session *session, int why);
};

struct nd_session {
    const struct nd_session_class *kind;
    struct nd_agent *agent;
    struct nd_session *next;
    struct nd_conn *conn; /* NULL when it has none (yet) */
    uint64_t active;      /* agent time of the latest progress [ticks] */
    uint32_t number;      /* from 1; 0 = not in the agent's list */
    uint64_t wake; /* poll me no later than this [ticks]; UINT64_MAX = when something moves */
    bool more;     /* the latest transfer ended by its own limit: there may be more at once */
    bool resident; /* no test but part of the agent: nd_agent_stop_tests() passes it by */
    bool patient;  /* exempt from idle_limit_ms: waits for a caller or a person */
};

/* Something that listens. Embedded in each engine's own object. */
struct nd_service_class {
    const char *name; /* static: "memtest" */
    /* A free place for one more connection? While false, callers wait in the stack. */
    bool (*ready)(const struct nd_service *service);
    /* Take this connection over. Called only after ready() said yes. */
    void (*take)(struct nd_service *service, struct nd_conn *conn);
};

struct nd_service {
    const struct nd_service_class *kind;
    struct nd_agent *agent;
    struct nd_service *next;
    struct nd_conn *listener;
    struct nd_addr at;    /* where it listens, the port filled in */
    uint32_t taken;       /* connections accepted */
    uint32_t turned_away; /* connections reset because the port's pool was full */
};

/* The agent. Owner: the caller. Read the fields freely from poll context; write none. */
struct nd_agent {
    struct nd_agent_cfg cfg;
    uint32_t count;              /* the clock's latest reading [ticks] */
    uint64_t now;                /* time of this poll [ticks since nd_agent_init()] */
    struct nd_session *sessions; /* in progress */
    struct nd_session *sockets;  /* wait for datagrams of strangers */
    struct nd_session *next_polled;
    struct nd_service *services;
    struct nd_report_sink *sinks;
    uint32_t session_count; /* tests begun so far */
    bool stopping;          /* nd_agent_stop_tests() was called */
    uint64_t idle_limit;    /* idle_limit_ms [ticks] */
    uint64_t wake;          /* poll again then at the latest, as of the latest poll [ticks] */
    uint64_t idle_check;    /* look for idle sessions then [ticks] */

    /* Always-on metrics. */
    uint64_t rx_bytes;              /* of all phases that are over [byte] */
    uint64_t tx_bytes;              /* of all phases that are over [byte] */
    struct nd_gaps poll_gap;        /* work between two polls with a session in progress [ticks] */
    struct nd_gaps progress_gap;    /* between two progresses of one session [ticks] */
    uint64_t poll_idle;             /* *idle_ticks at the previous poll [ticks] */
    uint64_t first_failure;         /* agent time of the first allocation failure seen [ticks] */
    const char *first_failure_pool; /* its pool; NULL = none so far */
    struct nd_heap_meter heap_free; /* as the latest test that sampled it left it */
};

/* Make an agent. ND_OK; ND_E_ARG when a required part is missing, the port's abi is another or the
 * clock is not valid (*agent is then untouched). */
int nd_agent_init(struct nd_agent *agent, const struct nd_agent_cfg *cfg);

/* Work once: the stack's step, then every engine. True: poll again at once. False: nothing to do
 * until the network, a timer of the stack, or nd_agent_sleep() brings something. */
bool nd_agent_poll(struct nd_agent *agent);

/* How long the owner may sleep when nd_agent_poll() answered false, unless the network wakes it
 * [ticks]: until a session's own time has come or idle ones are to be looked for. UINT64_MAX when
 * no session is in progress. */
static inline uint64_t nd_agent_sleep(const struct nd_agent *agent) {
    if (agent->sessions == NULL) {
        return UINT64_MAX;
    }
    return agent->wake > agent->now ? agent->wake - agent->now : 0;
}

/* Forget bytes and gaps. Tests in progress go on, and the first allocation failure stays the first
 * since start: a later one cannot be told from it. */
void nd_agent_reset_metrics(struct nd_agent *agent);

/* Look through the memory's pools for a first allocation failure and stamp it. Called by the agent
 * at the end of every test and by the owner as often as it likes; costs a walk over the pools. */
void nd_agent_check_memory(struct nd_agent *agent);

/* Send every report to this sink too. The sink must stay in place while the agent lives. */
void nd_agent_add_sink(struct nd_agent *agent, struct nd_report_sink *sink);

/* Ask that every test in progress ends with ND_E_STOPPED, at the beginning of the next poll. */
void nd_agent_stop_tests(struct nd_agent *agent);

/* End everything now: tests, resident sessions, listeners. Not from inside nd_agent_poll(). */
void nd_agent_close(struct nd_agent *agent);

/* Agent time in nanoseconds [ns]. */
uint64_t nd_agent_ns(const struct nd_agent *agent, uint64_t ticks);

/* ---- for engines ------------------------------------------------------------------- */

/* Listen at *at and enter the service into the agent's list. Returns the port's result. */
int nd_service_open(struct nd_service *service, const struct nd_service_class *kind,
                    struct nd_agent *agent, const struct nd_addr *at);

/* Close the listener and leave the list; sessions it began go on. */
void nd_service_close(struct nd_service *service);

/* Enter a session into the agent's list, number it, and stamp it active now. */
void nd_session_join(struct nd_session *session, const struct nd_session_class *kind,
                     struct nd_agent *agent, struct nd_conn *conn);

/* The same for a socket that serves whoever sends: it is polled when a datagram may be there and
 * costs nothing otherwise, so session.wake means nothing to it. It is resident and patient. */
void nd_session_listen(struct nd_session *session, const struct nd_session_class *kind,
                       struct nd_agent *agent, struct nd_conn *socket);

/* Close the connection, if any, and leave the list. */
void nd_session_leave(struct nd_session *session);

/* Count n bytes that moved at the agent's time, into the span and the progress gap. */
void nd_session_moved(struct nd_session *session, struct nd_span_bytes *span, uint32_t n);

/* Hand a report to every sink; fills in engine, session number, end, peer and cause. */
void nd_session_report(struct nd_session *session, struct nd_report *report);

#ifdef __cplusplus
}
#endif
#endif
