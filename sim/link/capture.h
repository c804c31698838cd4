/* SPDX-License-Identifier: BSD-3-Clause */
/* capture.h - the frames at the device's end of the wire, as a pcap file.
 *
 * Each frame is stamped with the virtual time at which its last bit passed the device's socket: a
 * frame to the device when it has arrived (even when the receive ring then had no room for it), a
 * frame from the device when it has left. Nanosecond format, no FCS, padding included, in order. */
#ifndef ND_SIM_CAPTURE_H
#define ND_SIM_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "link/frames.h"

struct nd__capture;

/* Create the file. NULL on failure, with one line in error[size]. */
struct nd__capture *nd__capture_open(const char *path, char *error, size_t size);

/* Append one frame. */
void nd__capture_put(struct nd__capture *capture, uint64_t at_ns, const struct nd__frame *frame);

/* False when a write failed so far; errno is not kept. */
bool nd__capture_good(const struct nd__capture *capture);

/* Write out what is buffered and close the file. NULL is allowed. */
void nd__capture_close(struct nd__capture *capture);

#endif
