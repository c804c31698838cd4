/* SPDX-License-Identifier: BSD-3-Clause */
/* rig.h - a device on the rollers: the target, our engines, its console, and the document. */
#ifndef ND_TOOL_RIG_H
#define ND_TOOL_RIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "console_client.h"
#include "measure.h"
#include "nd/agent.h"
#include "result.h"
#include "settings.h"
#include "target.h"

/* Reports of our own engines kept for a step. */
#define RIG_REPORTS 8

/* A report of an engine of ours, as far as it outlives the call. */
struct rig_report {
    const char *phase; /* static, or NULL */
    int result;
    bool last;
    uint64_t expected_bytes;
    int64_t tail_ns; /* or enum nd_absent */
    struct measure_span rx;
    struct measure_span tx;
};

struct rig {
    struct target target;
    struct nd_agent agent;
    bool agent_ready;
    struct nd_report_sink sink;
    struct rig_report reports[RIG_REPORTS];
    unsigned report_count;
    struct console_client console;
    struct settings settings;
    struct measure_device device;
    struct result *result;
    bool met;         /* both ends know each other's hardware address */
    const char *lost; /* why the device is gone, for the steps that remain; NULL = it is there */
};

/* Enter what the settings say of the target itself. */
void rig_configure(struct target_cfg *cfg, const struct settings *settings);

/* Open a target with everything around it. ND_OK, or an error with rig->target.error. */
int rig_open(struct rig *rig, struct target_cfg *cfg, const struct settings *settings,
             struct result *result);

/* Enter what is known of the wire and the run, at its end. */
void rig_describe(struct rig *rig, const struct target_cfg *cfg);

void rig_close(struct rig *rig);

/* Run a device's command, as console_client_run(), and notice the loss of the device. */
int rig_command(struct rig *rig, json_t **items, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Forget reports of both ends, before a test. */
void rig_clear_reports(struct rig *rig);

/* The report of our engine's phase (NULL = any); NULL when it is not there yet. */
const struct rig_report *rig_find_report(const struct rig *rig, const char *phase);

/* Pump until done() says so. ND_OK; ND_E_TIMEOUT after limit_ns; ND_E_STOPPED after a signal; or
 * the target's error. rig->target.error has the line. */
int rig_wait(struct rig *rig, bool (*done)(struct rig *rig, void *ctx), void *ctx,
             uint64_t limit_ns);

/* Wait for a report from the device's console; NULL when none came within a moment, or it came
 * with the loss of the device. The caller owns it. */
json_t *rig_device_report(struct rig *rig, const char *engine, const char *role, const char *phase);

/* The result a device's report names, "unknown" when it names none; and whether it is "ok". */
const char *rig_report_result(const json_t *report);
bool rig_report_ok(const json_t *report);

/* ND_OK when both ends know each other's address; else ND_E_UNREACHABLE with rig->target.error. */
int rig_require_network(struct rig *rig);

/* The device's address of a service. ND_OK; ND_E_UNSUPPORTED when it has none; or as
 * console_client_run(). */
int rig_find_service(struct rig *rig, const char *name, struct nd_addr *addr);

/* End every test of our engines, and the device's, so that the next step finds them free. */
void rig_stop_tests(struct rig *rig);

/* Enter a step into the document, not yet judged. Owned by the document. */
json_t *rig_begin_step(struct rig *rig, const char *name);

/* Judge it. */
void rig_pass_step(json_t *step);
void rig_fail_step(json_t *step, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Enter a step that is not tried, for this reason. */
void rig_skip_step(struct rig *rig, const char *name, const char *reason);

#endif
