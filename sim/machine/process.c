/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "machine/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of a long output, the part at the end that is searched [byte]. */
enum { LOG_BYTES = 16384 };

void nd__process_init(struct nd__process *process) {
    *process = (struct nd__process){.log_fd = -1};
}

/* The child's side of a start; only calls that are safe between fork() and exec(). */
static void become(char *const argv[], const int *keep_fds, size_t keep_count, int log_fd,
                   pid_t parent, int report_fd) {
    sigset_t none;
    int null_fd = open("/dev/null", O_RDONLY);
    int error;

    sigemptyset(&none);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent || setpgid(0, 0) != 0 ||
        sigprocmask(SIG_SETMASK, &none, NULL) != 0 || dup2(null_fd, STDIN_FILENO) < 0 ||
        dup2(log_fd, STDOUT_FILENO) < 0 || dup2(log_fd, STDERR_FILENO) < 0) {
        goto failed;
    }
    if (null_fd > STDERR_FILENO) {
        close(null_fd);
    }
    for (size_t i = 0; i < keep_count; i++) {
        if (fcntl(keep_fds[i], F_SETFD, 0) != 0) {
            goto failed;
        }
    }
    execvp(argv[0], argv);
failed:
    error = errno;
    (void)!write(report_fd, &error, sizeof error);
    _exit(127);
}

/* Wait for exec(): it closes the pipe without a word when it worked. */
static int await_exec(int report_fd) {
    int error = 0;
    ssize_t got;

    do {
        got = read(report_fd, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof error ? error : 0;
}

static void reap(struct nd__process *process, int flags) {
    pid_t ended;

    if (process->reaped) {
        return;
    }
    do {
        ended = waitpid(process->pid, &process->status, flags);
    } while (ended < 0 && errno == EINTR);
    process->reaped = ended != 0;
}

int nd__process_start(struct nd__process *process, char *const argv[], const int *keep_fds,
                      size_t keep_count) {
    struct nd__process child = {.log_fd = memfd_create("netdyno-log", MFD_CLOEXEC)};
    pid_t parent = getpid();
    int report[2];
    int error;

    if (child.log_fd < 0) {
        return errno;
    }
    if (pipe2(report, O_CLOEXEC) != 0) {
        error = errno;
        close(child.log_fd);
        return error;
    }
    child.pid = fork();
    if (child.pid == 0) {
        become(argv, keep_fds, keep_count, child.log_fd, parent, report[1]);
    }
    error = child.pid < 0 ? errno : 0;
    close(report[1]);
    if (child.pid > 0) {
        error = await_exec(report[0]);
    }
    close(report[0]);
    if (error != 0) {
        if (child.pid > 0) {
            reap(&child, 0);
        }
        close(child.log_fd);
        return error;
    }
    *process = child;
    return 0;
}

static int64_t now_ms(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until its end or the limit; a signal of ours is for others to look at. */
static void await_end(int pid_fd, int limit_ms) {
    struct pollfd wait = {.fd = pid_fd, .events = POLLIN};
    int64_t end_ms = now_ms() + limit_ms;
    int64_t left_ms = limit_ms;

    while (left_ms > 0 && poll(&wait, 1, (int)left_ms) < 0 && errno == EINTR) {
        left_ms = end_ms - now_ms();
    }
}

bool nd__process_wait(struct nd__process *process, int limit_ms) {
    reap(process, WNOHANG);
    if (!process->reaped) {
        int pid_fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
        if (pid_fd >= 0) {
            await_end(pid_fd, limit_ms);
            close(pid_fd);
        }
        reap(process, WNOHANG);
    }
    return process->reaped;
}

void nd__process_head(const struct nd__process *process, char *text, size_t size) {
    ssize_t got = pread(process->log_fd, text, size - 1, 0);

    text[got > 0 ? got : 0] = '\0';
}

/* The line that explains a death is seldom the last one: a register dump or a stack trace follows
 * it. */
static bool is_telling(const char *line) {
    static const char *const marks[] = {"fatal:", "ERROR:", "runtime error:", "Assertion"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strstr(line, marks[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Copy the telling line of the log, or its last that is not empty; "" when there is none. */
static void telling_line(const struct nd__process *process, char *text, size_t size) {
    static char log[LOG_BYTES];
    off_t length = lseek(process->log_fd, 0, SEEK_END);
    off_t start = length > LOG_BYTES - 1 ? length - (LOG_BYTES - 1) : 0;
    ssize_t got = pread(process->log_fd, log, LOG_BYTES - 1, start);
    char *rest = NULL;

    text[0] = '\0';
    log[got > 0 ? got : 0] = '\0';
    for (char *line = strtok_r(log, "\r\n", &rest); line != NULL;
         line = strtok_r(NULL, "\r\n", &rest)) {
        snprintf(text, size, "%s", line);
        if (is_telling(line)) {
            return;
        }
    }
}

void nd__process_obituary(const struct nd__process *process, char *text, size_t size) {
    char line[160];
    int len;

    if (WIFSIGNALED(process->status)) {
        int number = WTERMSIG(process->status);

        len = snprintf(text, size, "was killed by signal %d (%s)", number, strsignal(number));
    } else {
        len = snprintf(text, size, "exited with status %d", WEXITSTATUS(process->status));
    }
    telling_line(process, line, sizeof line);
    if (line[0] != '\0' && len > 0 && (size_t)len < size) {
        snprintf(text + len, size - (size_t)len, ": %s", line);
    }
}

void nd__process_close(struct nd__process *process) {
    if (process->pid > 0 && !process->reaped) {
        kill(-process->pid, SIGKILL);
        kill(process->pid, SIGKILL);
        reap(process, 0);
    }
    if (process->log_fd >= 0) {
        close(process->log_fd);
    }
    nd__process_init(process);
}
