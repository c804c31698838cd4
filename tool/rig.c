/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host.h"
#include "signals.h"
#include "units.h"

/* A device tells a finished test at once [ns]. */
#define REPORT_LIMIT_NS 3000000000u

static bool poll_agent(void *ctx) {
    struct rig *rig = ctx;

    return rig->agent_ready && nd_agent_poll(&rig->agent);
}

/* Until a session's own time comes. One that has passed meant nothing to the latest poll. */
static uint64_t sleep_ns(void *ctx) {
    const struct rig *rig = ctx;
    const struct nd_agent *agent = &rig->agent;
    const struct nd_clock *clock = rig->target.clock;
    uint64_t sleep = rig->agent_ready ? nd_agent_sleep(agent) : UINT64_MAX;
    uint64_t slept;

    if (sleep == 0 || sleep == UINT64_MAX) {
        return UINT64_MAX;
    }
    slept = nd_clock_elapsed(clock, agent->count, nd_clock_read(clock));
    return sleep > slept ? nd_agent_ns(agent, sleep - slept) : 0;
}

static void keep_report(void *ctx, const struct nd_report *report) {
    struct rig *rig = ctx;

    if (rig->report_count == RIG_REPORTS) {
        return;
    }
    rig->reports[rig->report_count++] = (struct rig_report){
        .phase = report->phase,
        .result = report->result,
        .last = report->last,
        .expected_bytes = report->expected_bytes,
        .tail_ns = report->tail_ticks < 0
                       ? report->tail_ticks
                       : (int64_t)nd_agent_ns(&rig->agent, (uint64_t)report->tail_ticks),
        .rx = measure_span_of(&rig->agent, &report->flow.rx),
        .tx = measure_span_of(&rig->agent, &report->flow.tx),
    };
}

static int start_agent(struct rig *rig) {
    const struct nd_agent_cfg cfg = {
        .port = rig->target.port,
        .port_ctx = rig->target.port_ctx,
        .clock = rig->target.clock,
    };
    int result = nd_agent_init(&rig->agent, &cfg);

    if (result != ND_OK) {
        return target_fail(&rig->target, result, "cannot start the engines: %s",
                           nd_error_name(result));
    }
    rig->sink = (struct nd_report_sink){.put = keep_report, .ctx = rig};
    nd_agent_add_sink(&rig->agent, &rig->sink);
    rig->agent_ready = true;
    return ND_OK;
}

/* Where the device is on the network, when the way to its console does not tell: as the command
 * line says, or as it says itself. It may have no network yet, so that only a step which needs one
 * fails. */
static void find_network(struct rig *rig, const char *address) {
    struct target *target = &rig->target;
    json_t *items = NULL;

    if (address == NULL && console_client_run(&rig->console, &items, "id") == ND_OK) {
        address = json_string_value(json_object_get(json_array_get(items, 0), "address"));
    }
    if (address != NULL && nd_addr_parse(address, strlen(address), &target->device) == ND_OK) {
        target->device.port = 0;
        target->peer = host_find_route(&target->device).local;
    }
    json_decref(items);
}

int rig_require_network(struct rig *rig) {
    if (rig->target.device.family == 0) {
        return target_fail(&rig->target, ND_E_UNREACHABLE,
                           "the device does not tell its address; give it by --address ADDR");
    }
    if (rig->target.peer.family == 0) {
        return target_fail(&rig->target, ND_E_UNREACHABLE, "no way to the device's address");
    }
    return ND_OK;
}

void rig_configure(struct target_cfg *cfg, const struct settings *settings) {
    cfg->link_bit_s = settings->link_bit_s;
    cfg->delay_ns = settings->delay_ns;
    cfg->spi_hz = settings->spi_hz;
    cfg->sockets = settings->sockets;
    cfg->time = (enum target_time)settings->time;
}

int rig_open(struct rig *rig, struct target_cfg *cfg, const struct settings *settings,
             struct result *result) {
    int status;

    *rig = (struct rig){.settings = *settings, .result = result};
    cfg->poll = poll_agent;
    cfg->sleep_ns = sleep_ns;
    cfg->poll_ctx = rig;
    rig_configure(cfg, settings);
    status = target_open(&rig->target, cfg);
    if (status != ND_OK) {
        return status;
    }
    status = start_agent(rig);
    if (status == ND_OK) {
        status = console_client_open(&rig->console, &rig->target);
    }
    if (status != ND_OK) {
        rig_close(rig);
        return status;
    }
    if (rig->target.device.family == 0) {
        find_network(rig, cfg->address);
    }
    rig->device.link_bit_s = rig->target.link_bit_s;
    return ND_OK;
}

void rig_describe(struct rig *rig, const struct target_cfg *cfg) {
    json_t *result = rig->result->result;

    target_describe(&rig->target, cfg, result);
    if (rig->device.link_bit_s > 0 && rig->device.mss_bytes > 0) {
        result_value(json_object_get(result, "link"), "tcp_most_bit_s",
                     (int64_t)measure_wire_bit_s(rig->device.link_bit_s, rig->device.mss_bytes));
    }
}

void rig_close(struct rig *rig) {
    if (rig->agent_ready) {
        nd_agent_close(&rig->agent);
        rig->agent_ready = false;
    }
    console_client_close(&rig->console);
    target_close(&rig->target);
}

int rig_command(struct rig *rig, json_t **items, const char *format, ...) {
    char command[256];
    va_list args;
    int result;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    result = console_client_run(&rig->console, items, "%s", command);
    if (result != ND_OK && result != ND_E_PROTOCOL && result != ND_E_UNSUPPORTED) {
        rig->lost = rig->target.error;
    }
    return result;
}

int rig_find_service(struct rig *rig, const char *name, struct nd_addr *addr) {
    json_t *items;
    size_t index;
    json_t *item;
    json_int_t port = 0;
    int result = rig_require_network(rig);

    if (result == ND_OK) {
        result = rig_command(rig, &items, "services");
    }
    if (result != ND_OK) {
        return result;
    }
    json_array_foreach(items, index, item) {
        const char *found = json_string_value(json_object_get(item, "name"));

        if (found != NULL && strcmp(found, name) == 0) {
            port = json_integer_value(json_object_get(item, "port"));
        }
    }
    json_decref(items);
    if (port < 1 || port > 65535) {
        return target_fail(&rig->target, ND_E_UNSUPPORTED, "the device offers no %s service", name);
    }
    *addr = rig->target.device;
    addr->port = (uint16_t)port;
    return ND_OK;
}

void rig_stop_tests(struct rig *rig) {
    nd_agent_stop_tests(&rig->agent);
    nd_agent_poll(&rig->agent);
    if (rig->lost == NULL && signals_caught() == 0) {
        rig_command(rig, NULL, "stop");
    }
}

void rig_clear_reports(struct rig *rig) {
    rig->report_count = 0;
    console_client_drop_reports(&rig->console);
}

const struct rig_report *rig_find_report(const struct rig *rig, const char *phase) {
    for (unsigned i = 0; i < rig->report_count; i++) {
        const struct rig_report *report = &rig->reports[i];

        if (phase == NULL || (report->phase != NULL && strcmp(report->phase, phase) == 0)) {
            return report;
        }
    }
    return NULL;
}

int rig_wait(struct rig *rig, bool (*done)(struct rig *rig, void *ctx), void *ctx,
             uint64_t limit_ns) {
    uint64_t began_ns = target_now_ns(&rig->target);

    nd_agent_poll(&rig->agent); /* send what the caller began, before time goes on */
    for (;;) {
        int result = console_client_read(&rig->console);

        if (result != ND_OK) {
            rig->lost = rig->target.error;
            return result;
        }
        if (done(rig, ctx)) {
            return ND_OK;
        }
        if (signals_caught() != 0) {
            return target_fail(&rig->target, ND_E_STOPPED, "interrupted");
        }
        if (target_now_ns(&rig->target) - began_ns > limit_ns) {
            char limit[UNITS_TEXT_BYTES];
            return target_fail(&rig->target, ND_E_TIMEOUT, "not finished within %s",
                               units_print(UNITS_NS, limit_ns, limit));
        }
        result = target_pump(&rig->target);
        if (result != ND_OK) {
            rig->lost = rig->target.error;
            return result;
        }
    }
}

/* What rig_device_report() waits for. */
struct wanted {
    const char *engine;
    const char *role;
    const char *phase;
    json_t *report;
};

static bool is_there(struct rig *rig, void *ctx) {
    struct wanted *wanted = ctx;

    wanted->report =
        console_client_take_report(&rig->console, wanted->engine, wanted->role, wanted->phase);
    return wanted->report != NULL;
}

json_t *rig_device_report(struct rig *rig, const char *engine, const char *role,
                          const char *phase) {
    struct wanted wanted = {.engine = engine, .role = role, .phase = phase};

    rig_wait(rig, is_there, &wanted, REPORT_LIMIT_NS);
    return wanted.report;
}

const char *rig_report_result(const json_t *report) {
    const char *text = json_string_value(json_object_get(report, "result"));

    return text != NULL ? text : "unknown";
}

bool rig_report_ok(const json_t *report) {
    return strcmp(rig_report_result(report), nd_error_name(ND_OK)) == 0;
}

json_t *rig_begin_step(struct rig *rig, const char *name) {
    json_t *step = json_object();

    result_text(step, "step", name);
    result_text(step, "status", "failed"); /* until it is judged */
    json_array_append_new(rig->result->steps, step);
    return step;
}

void rig_pass_step(json_t *step) {
    result_text(step, "status", "ok");
}

void rig_fail_step(json_t *step, const char *format, ...) {
    char reason[TARGET_ERROR_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    result_text(step, "status", "failed");
    result_text(step, "reason", reason);
}

void rig_skip_step(struct rig *rig, const char *name, const char *reason) {
    json_t *step = rig_begin_step(rig, name);

    result_text(step, "status", "not_run");
    result_text(step, "reason", reason);
}
