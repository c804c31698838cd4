/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.h - Ctrl-C and SIGTERM as a question that loops ask, so that everything is closed. */
#ifndef ND_TOOL_SIGNALS_H
#define ND_TOOL_SIGNALS_H

/* Catch SIGINT, SIGTERM and SIGHUP; ignore SIGPIPE. 0, or -1 with an error line. */
int signals_catch(void);

/* The signal that asked for the end; 0 = none so far. */
int signals_caught(void);

/* A descriptor that becomes readable at the signal, to wake a sleeping loop. */
int signals_fd(void);

/* 128 + the signal, or `code` when none came. */
int signals_exit(int code);

#endif
