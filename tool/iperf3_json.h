/* SPDX-License-Identifier: BSD-3-Clause */
/* iperf3_json.h - a test of iperf 3 as JSON: in the document of netdyno, and as iperf3 -J has it.
 */
#ifndef ND_TOOL_IPERF3_JSON_H
#define ND_TOOL_IPERF3_JSON_H

#include <jansson.h>

#include "iperf3_rows.h"
#include "role.h"

/* What iperf3 -J prints, being made. All zero but agent and test at the beginning. */
struct iperf3_json {
    const struct nd_agent *agent;
    const struct nd_iperf3_test *test;
    json_t *root;
    json_t *intervals;
};

/* Begin. host and port: where the client calls; NULL = this is a server. */
void iperf3_json_begin(struct iperf3_json *json, const char *host, uint16_t port);

/* Enter an interval, or the end. */
void iperf3_json_report(struct iperf3_json *json, const struct iperf3_rows *rows,
                        const struct nd_report *report);

/* Enter why there is no result, or what the server printed. */
void iperf3_json_text(struct iperf3_json *json, const char *key, const char *text);

/* Write it to stdout, 0 or -1 with an error line, and free it. */
int iperf3_json_end(struct iperf3_json *json);

/* "streams" of a step of the document: each as its sender and its receiver has it. */
json_t *iperf3_json_streams(const struct iperf3_rows *rows);

#endif
