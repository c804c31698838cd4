/* SPDX-License-Identifier: BSD-3-Clause */
/* vcd_reader.h - the pulses in a value change dump (IEEE 1364), whoever wrote it: GTKWave, sigrok
 * and PulseView, a simulator, or this program. Any bytes may come. */
#ifndef ND_TOOL_VCD_READER_H
#define ND_TOOL_VCD_READER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pulses.h"

/* Room for a signal's name with its scopes, and for the reason of a failure [byte]. */
#define VCD_NAME_BYTES  256
#define VCD_ERROR_BYTES 192

/* A file of more signals, or of one bit or more, is refused. */
#define VCD_VARS_MAX 65536u

/* What an identifier code stands for. */
struct vcd_net {
    char *code;
    struct pulses pulses; /* of a net of one bit */
};

/* A signal of one bit. Several may be of one net. */
struct vcd_var {
    char *name; /* "scope.name" */
    size_t net;
};

/* Owner: the caller. */
struct vcd {
    struct pulses_unit unit; /* of all times */
    uint64_t begin;          /* first and last time of the file */
    uint64_t end;
    struct vcd_net *nets;
    size_t net_count;
    struct vcd_var *vars;
    size_t var_count;
};

/* Read a file to its end. 0, or -1 with why in error; *vcd is then empty. */
int vcd_read(struct vcd *vcd, FILE *file, char error[VCD_ERROR_BYTES]);

void vcd_free(struct vcd *vcd);

#endif
