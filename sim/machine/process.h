/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h - a child process that cannot outlive us, and what it said when it died.
 *
 * It reads from /dev/null, and what it prints is kept for error lines. It gets a process group of
 * its own, so that Ctrl-C in a terminal reaches the tool and not the child; and the kernel kills it
 * when the thread that started it ends. */
#ifndef ND_SIM_PROCESS_H
#define ND_SIM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Owner: the caller. */
struct nd__process {
    pid_t pid;   /* 0 = none */
    bool reaped; /* status is final */
    int status;  /* as waitpid() has it */
    int log_fd;  /* what it printed; -1 = none */
};

/* No process. */
void nd__process_init(struct nd__process *process);

/* Start argv[0], found along PATH, with keep_fds[] open under the same numbers. 0, or the errno
 * that says why not; *process is then as before. */
int nd__process_start(struct nd__process *process, char *const argv[], const int *keep_fds,
                      size_t keep_count);

/* Wait until it has ended, at most so long and through signals; true when it has. */
bool nd__process_wait(struct nd__process *process, int limit_ms);

/* Read up to size - 1 bytes from the start of what it printed, NUL-terminated. */
void nd__process_head(const struct nd__process *process, char *text, size_t size);

/* Say how it ended ("was killed by signal 9 (Killed)") and the line of its output that tells most,
 * NUL-terminated. It has ended. */
void nd__process_obituary(const struct nd__process *process, char *text, size_t size);

/* Kill it, reap it, close its files. */
void nd__process_close(struct nd__process *process);

#endif
