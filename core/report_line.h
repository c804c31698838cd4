/* SPDX-License-Identifier: BSD-3-Clause */
/* core/report_line.h - a report as one line: for a person, or as members of a JSON object. */
#ifndef ND__REPORT_LINE_H
#define ND__REPORT_LINE_H

#include "nd/agent.h"
#include "nd/fmt.h"

/* "ttcp rx ok: 131072 bytes processed in 25900 ms, 5.0607 KB/s": the Wi-Fi module's line, with K =
 * 1000 and a rate that is the printed bytes over the measured time. */
void nd__report_text(struct nd_fmt *out, const struct nd_agent *agent,
                     const struct nd_report *report);

/* The members that docs/console.md lists; the caller opened the object and closes it. */
void nd__report_json(struct nd_fmt *out, const struct nd_agent *agent,
                     const struct nd_report *report);

#endif
