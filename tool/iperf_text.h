/* SPDX-License-Identifier: BSD-3-Clause */
/* iperf_text.h - amounts and rates in the columns of iperf, both versions.
 *
 * Every prefix is decimal: 1 MByte is 1 000 000 byte, as 1 Mbit is 1 000 000 bit. */
#ifndef ND_TOOL_IPERF_TEXT_H
#define ND_TOOL_IPERF_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/addr.h"
#include "nd/sequence.h"

/* Room for one of the texts below [byte]. */
#define IPERF_TEXT_BYTES 64

/* -f: b k m g for rates in bit/s, B K M G in byte/s, 0 for bit/s with a prefix that fits. False
 * for another text; NULL is 0. */
bool iperf_text_format(const char *text, char *format);

/* " 131 KBytes": the amount, with the prefix that the format names or one that fits. */
const char *iperf_text_amount(char format, uint64_t bytes, char text[IPERF_TEXT_BYTES]);

/* "1.05 Mbits/sec": bytes over a time; no rate without one. */
const char *iperf_text_rate(char format, uint64_t bytes, uint64_t ns, char text[IPERF_TEXT_BYTES]);

/* The same of a rate that is known [bit/s]. */
const char *iperf_text_bit_s(char format, double bit_s, char text[IPERF_TEXT_BYTES]);

/* "0.012 ms"; "n/a ms" without time stamps. */
const char *iperf_text_jitter(int64_t jitter_ns, char text[IPERF_TEXT_BYTES]);

/* "3/851 (0.353%)" */
const char *iperf_text_loss(uint64_t lost, uint64_t expected, char text[IPERF_TEXT_BYTES]);

/* "127.0.0.1 port 5001" */
const char *iperf_text_end(const struct nd_addr *addr, char text[IPERF_TEXT_BYTES]);

/* What iperf's columns do not tell of datagrams received in so long: "  offered 1.05 Mbits/sec  90
 * pps", and the counts that are not 0. */
void iperf_text_more(char format, const struct nd_sequence *figures, uint64_t ns, char *text,
                     unsigned text_bytes);

#endif
