/* SPDX-License-Identifier: BSD-3-Clause */
#include "sink.h"

#include "nd/datagram.h"
#include "nd/ttcp.h"

/* Room for connecting, and for the last bytes after the duration [ns]. */
#define SLACK_NS 30000000000u

/* Datagrams that are not lost arrive within this time of the device's report [ns]. */
#define LATE_NS 500000000u

struct wanted {
    const char *engine;
    json_t *report;
};

static bool has_report(struct rig *rig, void *ctx) {
    (void)ctx;
    return rig->report_count > 0;
}

/* Ours, or theirs when the device failed before it sent. */
static bool either_reported(struct rig *rig, void *ctx) {
    struct wanted *wanted = ctx;

    if (rig->report_count > 0) {
        return true;
    }
    wanted->report = console_client_take_report(&rig->console, wanted->engine, "client", "tx");
    return wanted->report != NULL;
}

static int ask_device(struct rig *rig, uint16_t port, const char *command) {
    char host[ND_ADDR_TEXT_BYTES];
    struct nd_addr peer = rig->target.peer;

    peer.port = port;
    nd_addr_format(&peer, host);
    return rig_command(rig, NULL, "%s %s", command, host);
}

/* Until both ends have reported, or the device alone, with an error. */
static int await_reports(struct rig *rig, struct wanted *wanted) {
    uint64_t limit_ns = rig->settings.duration_ns + SLACK_NS;
    int result = rig_wait(rig, either_reported, wanted, limit_ns);

    if (result != ND_OK) {
        return result;
    }
    if (wanted->report == NULL) {
        wanted->report = rig_device_report(rig, wanted->engine, "client", "tx");
        return ND_OK;
    }
    return rig_report_ok(wanted->report) ? rig_wait(rig, has_report, NULL, SLACK_NS) : ND_OK;
}

/* What the device reports. */
static int judge_theirs(struct rig *rig, struct sink_outcome *outcome) {
    const json_t *theirs = outcome->theirs;

    if (theirs == NULL || !rig_report_ok(theirs) ||
        !measure_span_read(theirs, "tx", &outcome->sent)) {
        return target_fail(&rig->target, ND_E_PROTOCOL, "the device reports: %s",
                           theirs != NULL ? rig_report_result(theirs) : "nothing");
    }
    return ND_OK;
}

static int judge(struct rig *rig, struct sink_outcome *outcome, bool udp) {
    const struct rig_report *ours = rig_find_report(rig, NULL);
    int result = judge_theirs(rig, outcome);

    if (result != ND_OK) {
        return result;
    }
    outcome->ours = ours;
    if (ours->result != ND_OK || (!udp && ours->rx.bytes != outcome->sent.bytes)) {
        return target_fail(&rig->target, ours->result != ND_OK ? ours->result : ND_E_SHORT,
                           "%s after %llu of %llu byte", nd_error_name(ours->result),
                           (unsigned long long)ours->rx.bytes,
                           (unsigned long long)outcome->sent.bytes);
    }
    return ND_OK;
}

/* Where a receiver listens; over UDP its socket is asked. */
static uint16_t port_of(const struct nd_ttcp *ttcp) {
    struct nd_conn_info info;

    if (!ttcp->cfg.udp) {
        return ttcp->service.at.port;
    }
    ttcp->session.agent->cfg.port->info(ttcp->session.conn, &info);
    return info.local.port;
}

static int receive(struct rig *rig, bool udp, const char *engine, const char *command,
                   struct sink_outcome *outcome) {
    const struct nd_ttcp_cfg cfg = {.transmit = false, .udp = udp};
    struct nd_ttcp ttcp = {0};
    struct wanted wanted = {.engine = engine};
    int result = rig_require_network(rig);

    *outcome = (struct sink_outcome){.ours = NULL};
    if (result != ND_OK) {
        return result;
    }
    result = nd_ttcp_start(&ttcp, &rig->agent, &cfg);
    if (result != ND_OK) {
        return target_fail(&rig->target, result, "cannot listen: %s", nd_error_name(result));
    }
    result = ask_device(rig, port_of(&ttcp), command);
    if (result == ND_OK) {
        result = await_reports(rig, &wanted);
        outcome->theirs = wanted.report;
    }
    if (result == ND_OK) {
        result = judge(rig, outcome, udp);
    }
    if (ttcp.session.number != 0) {
        rig_stop_tests(rig);
    }
    return result;
}

int sink_receive_tcp(struct rig *rig, const char *engine, const char *command,
                     struct sink_outcome *outcome) {
    return receive(rig, false, engine, command, outcome);
}

int sink_receive_udp(struct rig *rig, const char *engine, const char *command,
                     struct sink_outcome *outcome) {
    return receive(rig, true, engine, command, outcome);
}

/* ---- datagrams without marks --------------------------------------------------------- */

struct counting {
    const struct nd_datagram_server *server;
    uint64_t sent_bytes;
};

static bool all_arrived(struct rig *rig, void *ctx) {
    const struct counting *counting = ctx;

    (void)rig;
    return counting->server->flow.rx.bytes >= counting->sent_bytes;
}

static bool device_reported(struct rig *rig, void *ctx) {
    struct wanted *wanted = ctx;

    wanted->report = console_client_take_report(&rig->console, wanted->engine, "client", "tx");
    return wanted->report != NULL;
}

static int count(struct rig *rig, const struct nd_datagram_server *server, const char *engine,
                 const char *command, struct sink_outcome *outcome) {
    struct wanted wanted = {.engine = engine};
    struct counting counting = {.server = server};
    int result = ask_device(rig, server->at.port, command);

    if (result == ND_OK) {
        result = rig_wait(rig, device_reported, &wanted, rig->settings.duration_ns + SLACK_NS);
        outcome->theirs = wanted.report;
    }
    if (result == ND_OK) {
        result = judge_theirs(rig, outcome);
    }
    if (result == ND_OK) {
        counting.sent_bytes = outcome->sent.bytes;
        result = rig_wait(rig, all_arrived, &counting, LATE_NS);
    }
    return result == ND_E_TIMEOUT && counting.sent_bytes > 0 ? ND_OK : result; /* some are lost */
}

int sink_count_udp(struct rig *rig, const char *engine, const char *command,
                   struct sink_outcome *outcome, struct measure_span *received) {
    const struct nd_addr any = {.port = 0};
    struct nd_datagram_server server;
    int result = nd_datagram_serve(&server, &rig->agent, ND_DATAGRAM_DISCARD, &any);

    *outcome = (struct sink_outcome){.ours = NULL};
    if (result != ND_OK) {
        return target_fail(&rig->target, result, "cannot listen: %s", nd_error_name(result));
    }
    result = count(rig, &server, engine, command, outcome);
    *received = measure_span_of(&rig->agent, &server.flow.rx);
    nd_datagram_close(&server);
    return result;
}
