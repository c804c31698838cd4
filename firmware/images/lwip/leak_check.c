/* SPDX-License-Identifier: BSD-3-Clause */
#include "leak_check.h"
#include "lwip_timing.h"
#include "netif.h"

/* How long nothing must have been in progress: longer than a delayed acknowledgement, and than
 * the first retransmission of an end that was lost. */
#define QUIET_NS 1000000000u

/* The last is not judged: pbuf_free() calls inside pbuf.c are not seen. */
#define JUDGED (ND_LEAK_CHECK_COUNTS - 1u)

static const struct {
    const char *name;
    enum nd_lwip_row takes;
    enum nd_lwip_row gives;
} counted[ND_LEAK_CHECK_COUNTS] = {
    {"heap", ND_LWIP_NET_MALLOC, ND_LWIP_NET_FREE},
    {"PBUF", ND_LWIP_POOL_ALLOC, ND_LWIP_POOL_FREE},
    {"PBUF_POOL", ND_LWIP_CLUSTER_ALLOC, ND_LWIP_POOL_FREE},
    {"TCP_SEG", ND_LWIP_POOL_ALLOC, ND_LWIP_POOL_FREE},
    {"pbuf_calls", ND_LWIP_MBUF_ALLOC, ND_LWIP_MBUF_FREE},
};

/* What waits in the driver's ring is where it belongs. */
static void count(int32_t now[ND_LEAK_CHECK_COUNTS]) {
    int32_t posted = (int32_t)nd_netif_posted();

    now[0] = nd_lwip_ledger.heap_pieces;
    now[1] = nd_lwip_ledger.elements[MEMP_PBUF];
    now[2] = nd_lwip_ledger.elements[MEMP_PBUF_POOL] - posted;
    now[3] = nd_lwip_ledger.elements[MEMP_TCP_SEG];
    now[4] = nd_lwip_ledger.pbufs - posted;
}

/* Another test's first report may be the next that comes, so only ends are counted. */
static void put_report(void *ctx, const struct nd_report *report) {
    struct nd_leak_check *check = (struct nd_leak_check *)ctx;

    if (report->last && !report->interval) {
        check->pending = true;
        check->reported++;
        check->latest_session = report->session;
    }
}

void nd_leak_check_start(struct nd_leak_check *check, struct nd_agent *agent) {
    *check = (struct nd_leak_check){.agent = agent};
    check->sink = (struct nd_report_sink){.put = put_report, .ctx = check};
    nd_agent_add_sink(agent, &check->sink);
}

static void look(struct nd_leak_check *check) {
    int32_t now[ND_LEAK_CHECK_COUNTS];
    bool leaks = false;

    count(now);
    for (unsigned i = 0; i < ND_LEAK_CHECK_COUNTS; i++) {
        check->grown[i] = now[i] - check->before[i];
        check->all[i] += check->grown[i];
        check->before[i] = now[i];
        leaks |= i < JUDGED && check->grown[i] > 0;
    }
    check->tests += check->reported;
    check->reported = 0;
    check->pending = false;
    if (leaks) {
        check->leaking_checks++;
        if (check->leaking_session == 0) {
            check->leaking_session = check->latest_session;
        }
    }
}

void nd_leak_check_work(struct nd_leak_check *check) {
    const struct nd_agent *agent = check->agent;

    if (!check->began) {
        check->began = true;
        count(check->before);
    }
    if (agent->sessions != NULL || !check->pending) {
        check->quiet = agent->now;
    } else if (nd_agent_ns(agent, agent->now - check->quiet) >= QUIET_NS) {
        look(check);
    }
}

/* ---- the command --------------------------------------------------------------------- */

void nd_leak_check_begin(struct nd_console *console, struct nd_fmt *out, const char *kind) {
    nd_console_begin(console, out, kind);
    if (!console->json) {
        nd_fmt_text(out, kind);
    }
}

static void key_text(struct nd_fmt *out, const char *key) {
    nd_fmt_char(out, ' ');
    nd_fmt_text(out, key);
    nd_fmt_char(out, '=');
}

void nd_leak_check_item(struct nd_console *console, struct nd_fmt *out, const char *key,
                        int64_t value) {
    if (console->json) {
        nd_json_value(out, key, value);
        return;
    }
    key_text(out, key);
    if (nd_absent_name(value) != NULL) {
        nd_fmt_text(out, nd_absent_name(value));
    } else {
        nd_fmt_i64(out, value);
    }
}

static void tell_verdict(struct nd_console *console, const struct nd_leak_check *check) {
    struct nd_fmt out;

    nd_leak_check_begin(console, &out, "leaks");
    nd_leak_check_item(console, &out, "tests", check->tests);
    nd_leak_check_item(console, &out, "waiting_tests", check->reported);
    nd_leak_check_item(console, &out, "leaking_checks",
                       check->tests > 0 ? (int64_t)check->leaking_checks : ND_NO_SAMPLES);
    nd_leak_check_item(console, &out, "first_leaking_session",
                       check->leaking_session > 0 ? (int64_t)check->leaking_session
                                                  : ND_NO_SAMPLES);
    nd_console_end(console, &out);
}

/* Allocations that found nothing. */
static int64_t failures(unsigned i) {
    const struct nd_lwip_ledger *ledger = &nd_lwip_ledger;
    const int64_t of[ND_LEAK_CHECK_COUNTS] = {ledger->heap_failures, ledger->failures[MEMP_PBUF],
                                              ledger->failures[MEMP_PBUF_POOL],
                                              ledger->failures[MEMP_TCP_SEG], ND_NOT_SUPPORTED};

    return of[i];
}

/* Calls that a probe does not see, of both kinds. */
static int64_t missed(unsigned i) {
    return (int64_t)nd_lwip_timing.rows[counted[i].takes].sites_missed +
           nd_lwip_timing.rows[counted[i].gives].sites_missed;
}

static void tell_count(struct nd_console *console, const struct nd_leak_check *check, unsigned i) {
    int32_t now[ND_LEAK_CHECK_COUNTS];
    struct nd_fmt out;

    count(now);
    nd_leak_check_begin(console, &out, "leak");
    if (console->json) {
        nd_json_text(&out, "name", counted[i].name);
    } else {
        key_text(&out, "name");
        nd_fmt_text(&out, counted[i].name);
    }
    nd_leak_check_item(console, &out, "out", now[i]);
    nd_leak_check_item(console, &out, "grown_latest", check->grown[i]);
    nd_leak_check_item(console, &out, "grown", check->all[i]);
    nd_leak_check_item(console, &out, "failures", failures(i));
    nd_leak_check_item(console, &out, "sites_missed", missed(i));
    nd_console_end(console, &out);
}

/* Every probe that the counts need has fired. */
static bool is_hooked(void) {
    for (unsigned i = 0; i < ND_LEAK_CHECK_COUNTS; i++) {
        if (nd_lwip_timing.rows[counted[i].takes].state != ND_OK ||
            nd_lwip_timing.rows[counted[i].gives].state != ND_OK) {
            return false;
        }
    }
    return true;
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    const struct nd_leak_check *check = (const struct nd_leak_check *)self->ctx;

    if (console->argc != 1) {
        console->message = "this command takes no words";
        return ND_E_ARG;
    }
    if (!is_hooked()) {
        console->message = "leaks: not_hooked";
        return ND_E_UNSUPPORTED;
    }
    if (step == 0) {
        tell_verdict(console, check);
    } else {
        tell_count(console, check, step - 1u);
    }
    return step < ND_LEAK_CHECK_COUNTS ? ND_AGAIN : ND_OK;
}

void nd_leak_check_command(struct nd_command *command, struct nd_leak_check *check) {
    *command = (struct nd_command){.name = "leaks",
                                   .usage = "leaks: buffers that tests left behind",
                                   .run = run,
                                   .ctx = check};
}
