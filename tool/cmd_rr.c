/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_rr.c - requests and responses: how long a round trip takes, and how many fit into a second.
 */
#include "commands.h"
#include "echo_role.h"

#define AT(member) offsetof(struct echo_role_options, member)

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

static const struct opt rows[] = {
    OPT_ROW_FLAG('u', "udp", AT(udp), "datagrams"),
    OPT_ROW_FLAG('C', "connect", AT(connect), "a connection for each: connect, round trip, close"),
    OPT_ROW_NUMBER('p', "port", "PORT", AT(port), UNITS_COUNT, ND_RR_PORT, 1, UINT16_MAX,
                   "of the echo service"),
    OPT_ROW_NUMBER('l', "bytes", "BYTES", AT(bytes), UNITS_BYTES, ND_RR_BYTES, 1, ND_RR_BYTES_MAX,
                   "of a message; UDP from 8"),
    OPT_ROW_NUMBER('n', "messages", "N", AT(count), UNITS_COUNT, 0, 0, UINT32_MAX,
                   "round trips; 0 = 1000, or any with -t"),
    OPT_ROW_NUMBER('t', "time", "TIME", AT(time_ns), UNITS_NS, 0, 0, 86400 * NS_PER_S,
                   "end after so long; 0 = when all are done"),
    OPT_ROW_NUMBER('i', "period", "TIME", AT(period_ns), UNITS_NS, 0, 0, 3600 * NS_PER_S,
                   "from request to request; 0 = at once"),
    OPT_ROW_NUMBER(0, "timeout", "TIME", AT(timeout_ns), UNITS_NS, ND_RR_TIMEOUT_MS *NS_PER_MS,
                   NS_PER_MS, 60 * NS_PER_S, "UDP: an answer later than this is lost"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_END,
};

static int run(const void *ctx, const struct opt_list *operands) {
    return echo_role_run("rr", operands->items[0], ctx);
}

const struct command cmd_rr = {
    .name = "rr",
    .summary = "Latency of requests and responses, and connections per second",
    .operands = "HOST",
    .operands_min = 1,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct echo_role_options),
    .notes = "The other end is an echo service: netdyno agent, a board's, or inetd's.\n"
             "Percentiles read up to 0.8 % high, the other figures are exact. Over UDP one\n"
             "request is on its way at a time; with none answered the exit code is 1.",
    .run = run,
};
