/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_echo.c - messages that an echo service sends back. */
#include "commands.h"
#include "echo_role.h"

#define AT(member) offsetof(struct echo_role_options, member)

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

static const struct opt rows[] = {
    OPT_ROW_FLAG('u', "udp", AT(udp), "datagrams"),
    OPT_ROW_NUMBER('p', "port", "PORT", AT(port), UNITS_COUNT, ND_RR_PORT, 1, UINT16_MAX,
                   "of the echo service"),
    OPT_ROW_NUMBER('l', "bytes", "BYTES", AT(bytes), UNITS_BYTES, ND_RR_BYTES_MAX, 1,
                   ND_RR_BYTES_MAX, "of a message; UDP from 8"),
    OPT_ROW_NUMBER('n', "messages", "N", AT(count), UNITS_COUNT, 0, 0, UINT32_MAX,
                   "messages; 0 = 1000, or any with -t"),
    OPT_ROW_NUMBER('t', "time", "TIME", AT(time_ns), UNITS_NS, 0, 0, 86400 * NS_PER_S,
                   "end after so long; 0 = when all are back"),
    OPT_ROW_NUMBER(0, "timeout", "TIME", AT(timeout_ns), UNITS_NS, ND_RR_TIMEOUT_MS *NS_PER_MS,
                   NS_PER_MS, 60 * NS_PER_S, "UDP: a message later than this is lost"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_END,
};

static int run(const void *ctx, const struct opt_list *operands) {
    return echo_role_run("echo", operands->items[0], ctx);
}

const struct command cmd_echo = {
    .name = "echo",
    .summary = "Messages to an echo service and back, over TCP or UDP",
    .operands = "HOST",
    .operands_min = 1,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct echo_role_options),
    .notes = "RFC 862. One message is on its way at a time. Over TCP every byte is compared,\n"
             "over UDP the length and the number in the first 8 byte.",
    .run = run,
};
