/* SPDX-License-Identifier: BSD-3-Clause */
/* target_local.c - local: this machine's kernel, at both ends; the far end is a `netdyno agent` of
 * our own as a child process, so that it has a processor's time to itself. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"
#include "target_tcp.h"

/* Longest wait for the agent's lines [ms]. */
#define START_LIMIT_MS 5000

/* Per phase of memtest, if --set does not choose: what the kernel keeps in its buffers, some MiB,
 * is to be a small part of it. */
#define MEMTEST_BYTES "64M"

/* The child: dies with its parent, and prints nothing but where it listens. */
static void run_agent(int out, pid_t parent) {
    char *const argv[] = {"netdyno",     "agent",   "--quiet",     "--listen",
                          "127.0.0.1:0", "--bytes", MEMTEST_BYTES, NULL};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(out, STDOUT_FILENO) < 0) {
        _exit(127);
    }
    unsetenv(TOKEN_VARIABLE); /* nobody else knows the port */
    setpgid(0, 0);            /* Ctrl-C is for the parent, which ends this one in order */
    execv("/proc/self/exe", argv);
    _exit(127);
}

static pid_t spawn_agent(int *lines) {
    pid_t parent = getpid();
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    child = fork();
    if (child == 0) {
        run_agent(ends[1], parent);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
    }
    *lines = ends[0];
    return child;
}

/* Find "console ADDR:PORT" in the text so far. */
static bool find_console(const char *text, struct nd_addr *console) {
    static const char word[] = "console ";
    const char *at = strstr(text, word);
    const char *end = at != NULL ? strchr(at, '\n') : NULL;

    if (end == NULL) {
        return false;
    }
    at += sizeof word - 1;
    return nd_addr_parse(at, (size_t)(end - at), console) == ND_OK;
}

static bool read_console(int lines, struct nd_addr *console) {
    char text[1024] = "";
    size_t length = 0;

    while (length < sizeof text - 1) {
        struct pollfd ready = {.fd = lines, .events = POLLIN};
        ssize_t n;

        if (signals_caught() != 0 || poll(&ready, 1, START_LIMIT_MS) <= 0) {
            return false;
        }
        n = read(lines, text + length, sizeof text - 1 - length);
        if (n <= 0) {
            return false;
        }
        length += (size_t)n;
        text[length] = '\0';
        if (find_console(text, console)) {
            return true;
        }
    }
    return false;
}

static void end_agent(pid_t child) {
    if (child > 0) {
        kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

static int check_local(struct target *target, const struct target_cfg *cfg) {
    if (cfg->name[strlen(target->kind->prefix)] != '\0') {
        return target_fail(target, ND_E_ARG, "target %s: expected local:", cfg->name);
    }
    return ND_OK;
}

static int open_local(struct target *target, const struct target_cfg *cfg) {
    struct nd_addr console = {0};
    int lines, result;
    pid_t child;

    child = spawn_agent(&lines);
    if (child < 0) {
        return target_fail(target, ND_E_MEMORY, "cannot start the agent: %s", strerror(errno));
    }
    if (read_console(lines, &console)) {
        result = target_tcp_connect(target, cfg, &console);
    } else {
        result = target_fail(target, ND_E_RESET,
                             signals_caught() != 0 ? "interrupted"
                                                   : "this machine's agent did not start");
    }
    close(lines);
    if (result != ND_OK) {
        end_agent(child);
        return result;
    }
    ((struct target_tcp *)target->state)->child = child;
    return ND_OK;
}

static void close_local(struct target *target) {
    pid_t child = ((struct target_tcp *)target->state)->child;

    target_tcp_close(target);
    end_agent(child);
}

const struct target_kind target_local = {
    .prefix = "local:",
    .check = check_local,
    .open = open_local,
    .pump = target_tcp_pump,
    .console_write = target_tcp_write,
    .console_read = target_tcp_read,
    .describe = target_tcp_describe,
    .close = close_local,
};
