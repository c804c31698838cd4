/* SPDX-License-Identifier: BSD-3-Clause */
/* commands.h - the commands that main.c lists; each is defined in cmd_NAME.c. */
#ifndef ND_TOOL_COMMANDS_H
#define ND_TOOL_COMMANDS_H

#include "opt.h"

extern const struct command cmd_agent;
extern const struct command cmd_chargen;
extern const struct command cmd_discard;
extern const struct command cmd_echo;
extern const struct command cmd_iperf;
extern const struct command cmd_iperf3;
extern const struct command cmd_kernels;
extern const struct command cmd_matrix;
extern const struct command cmd_memtest;
extern const struct command cmd_profile;
extern const struct command cmd_rr;
extern const struct command cmd_run;
extern const struct command cmd_sim;
extern const struct command cmd_trace;
extern const struct command cmd_ttcp;

#endif
