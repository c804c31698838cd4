/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/config.h - the knobs of a build, each with unit, range and cost.
 *
 * Define any of them on the compiler's command line, or put them in a header and name it
 * with -DND_CFG_FILE='"my_nd_config.h"'. Every object of one program must see the same. */
#ifndef ND_CONFIG_H
#define ND_CONFIG_H

#ifdef ND_CFG_FILE
#include ND_CFG_FILE
#endif

/* Longest console line [byte], 40..1024. Costs as much RAM per console. */
#ifndef ND_CFG_LINE_BYTES
#define ND_CFG_LINE_BYTES 128
#endif

/* Console output waiting for a slow pipe [byte], 1024..65536. Costs as much RAM per console.
 * A command waits for room; a report that finds none is dropped whole and counted. */
#ifndef ND_CFG_CONSOLE_OUT_BYTES
#define ND_CFG_CONSOLE_OUT_BYTES 2048
#endif

/* Work an engine does for one connection in one poll, at most [byte], 1460..1 GiB: keeps the other
 * connections and the console alive. No cost in RAM. */
#ifndef ND_CFG_POLL_BYTES
#define ND_CFG_POLL_BYTES 65536
#endif

/* Latest ids of numbered datagrams that are told apart as new, repeated or out of order, a power of
 * two, 32..65536. Costs one bit of RAM each per flow that is received. */
#ifndef ND_CFG_SEQUENCE_WINDOW
#define ND_CFG_SEQUENCE_WINDOW 1024
#endif

/* Where the code of the probes of nd/timing.h lies: the name of a section, in quotes. One in RAM
 * spares a flash's wait states to the probes, and to what they measure, which finds its own code in
 * the flash's buffers. Not defined: with all other code. Costs about 1 KB of RAM. */
#ifdef ND_CFG_TIMING_SECTION
#define ND_TIMING_CODE __attribute__((section(ND_CFG_TIMING_SECTION)))
#else
#define ND_TIMING_CODE
#endif

/* What the marks of nd/span.h do: ND_SPAN_OFF, ND_SPAN_RING or ND_SPAN_PINS; that header has the
 * cost. Each source file may have its own. */
#define ND_SPAN_OFF  0
#define ND_SPAN_RING 1
#define ND_SPAN_PINS 2
#ifndef ND_CFG_SPAN
#define ND_CFG_SPAN ND_SPAN_OFF
#endif

#endif
