/* SPDX-License-Identifier: BSD-3-Clause */
/* test_posix.c - what the posix port offers beyond the contract, and the kernel's traps. */
#define _GNU_SOURCE /* pipe2, sched_setaffinity */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "posix.h"

#define MS_NS     1000000u
#define LIMIT     5000u /* turns of 1 ms */
#define DUPS_MAX  4096
#define LOW_LIMIT 256

static const struct nd_port *port = &nd_port_posix;
static struct nd_posix *posix;

static int setup(void **state) {
    (void)state;
    posix = nd_posix_create(NULL);
    return posix == NULL;
}

static int teardown(void **state) {
    (void)state;
    nd_posix_destroy(posix);
    return 0;
}

static void turn(void) {
    port->step(posix);
    nd_posix_wait(posix, MS_NS);
}

#define AWAIT(condition)                                                                           \
    for (unsigned waited = 0; !(condition); waited++) {                                            \
        assert_true(waited < LIMIT);                                                               \
        turn();                                                                                    \
    }

static struct nd_conn *open_listener(const struct nd_addr *at, uint16_t *number) {
    struct nd_conn *listener;
    struct nd_conn_info info;
    assert_int_equal(port->listen(posix, at, &listener), ND_OK);
    port->info(listener, &info);
    *number = info.local.port;
    return listener;
}

static struct nd_conn *accept_one(struct nd_conn *listener) {
    struct nd_conn *conn;
    int result;
    AWAIT((result = port->accept(listener, &conn)) != ND_AGAIN);
    assert_int_equal(result, ND_OK);
    return conn;
}

static const struct nd_addr any = {.family = 0};
static const struct nd_addr local_v4 = {.ip = {127, 0, 0, 1}, .family = 4};
static const struct nd_addr local_v6 = {.ip = {[15] = 1}, .family = 6};

static void expect_served(struct nd_conn *listener, const struct nd_addr *host, uint16_t number) {
    struct nd_addr to = *host;
    to.port = number;
    struct nd_conn *near;
    assert_int_equal(port->connect(posix, &to, &near), ND_OK);
    struct nd_conn *far = accept_one(listener);
    AWAIT(port->status(near) == ND_OK);
    struct nd_conn_info info;
    port->info(far, &info);
    assert_int_equal(info.peer.family, host->family);
    assert_memory_equal(info.peer.ip, host->ip, sizeof host->ip);
    assert_int_equal(info.local.family, host->family);
    assert_true(info.mss_bytes > 0);
    assert_int_equal(info.unacked_bytes, 0);
    port->close(near);
    port->close(far);
}

static void listening_at_any_address_serves_both_families(void **state) {
    (void)state;
    uint16_t number;
    struct nd_conn *listener = open_listener(&any, &number);
    expect_served(listener, &local_v4, number);
    expect_served(listener, &local_v6, number);
    port->close(listener);
}

/* Take descriptors until there are none; how many. */
static int take_all_descriptors(int *dups) {
    int count = 0;
    while (count < DUPS_MAX && (dups[count] = dup(STDOUT_FILENO)) >= 0) {
        count++;
    }
    assert_int_equal(errno, EMFILE);
    return count;
}

static void a_caller_is_turned_away_when_descriptors_are_out(void **state) {
    (void)state;
    static int dups[DUPS_MAX];
    struct rlimit old;
    getrlimit(RLIMIT_NOFILE, &old);
    struct rlimit low = {.rlim_cur = LOW_LIMIT, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);

    uint16_t number;
    struct nd_conn *listener = open_listener(&local_v4, &number);
    struct nd_addr to = local_v4;
    to.port = number;
    struct nd_conn *near;
    assert_int_equal(port->connect(posix, &to, &near), ND_OK);
    int count = take_all_descriptors(dups);

    struct nd_conn *conn;
    assert_int_equal(port->connect(posix, &to, &conn), ND_E_FULL);
    assert_int_equal(nd_posix_errno(posix), EMFILE);
    int result;
    AWAIT((result = port->accept(listener, &conn)) != ND_AGAIN);
    assert_int_equal(result, ND_E_FULL);
    assert_int_equal(port->cause(listener), EMFILE);
    assert_int_equal(port->accept(listener, &conn), ND_AGAIN);
    AWAIT(port->status(near) != ND_OK && port->status(near) != ND_AGAIN);
    assert_int_equal(port->status(near), ND_E_RESET);

    for (int i = 0; i < count; i++) {
        close(dups[i]);
    }
    expect_served(listener, &local_v4, number);
    setrlimit(RLIMIT_NOFILE, &old);
}

static void a_watched_descriptor_ends_the_sleep(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(nd_posix_watch(posix, ends[0]), ND_OK);
    assert_int_equal(nd_posix_watch(posix, ends[0]), ND_E_STATE);
    assert_int_equal(nd_posix_wait(posix, 0), ND_AGAIN);
    assert_int_equal(write(ends[1], "x", 1), 1);
    for (unsigned i = 0; i < 3; i++) { /* for as long as it is readable */
        assert_int_equal(nd_posix_wait(posix, UINT64_MAX), ND_OK);
        assert_int_equal(port->step(posix), 0);
    }
    nd_posix_unwatch(posix, ends[0]);
    assert_int_equal(nd_posix_wait(posix, 0), ND_AGAIN);
    close(ends[0]);
    close(ends[1]);
}

static void a_file_cannot_be_watched(void **state) {
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(nd_posix_watch(posix, fileno(file)), ND_E_UNSUPPORTED);
    fclose(file);
    assert_int_equal(nd_posix_watch(posix, -1), ND_E_ARG);
}

static void the_network_ends_the_sleep_once(void **state) {
    (void)state;
    uint16_t number;
    struct nd_conn *listener = open_listener(&local_v4, &number);
    struct nd_addr to = local_v4;
    to.port = number;
    struct nd_conn *near;
    assert_int_equal(port->connect(posix, &to, &near), ND_OK);
    assert_int_equal(nd_posix_wait(posix, UINT64_MAX), ND_OK);
    unsigned step;
    AWAIT(((step = port->step(posix)) & ND_STEP_ACCEPT) != 0);
    AWAIT(port->step(posix) == ND_STEP_ACCEPT);
    assert_int_equal(nd_posix_wait(posix, MS_NS), ND_AGAIN);
    port->close(near);
    port->close(listener);
}

static void sleep_is_counted_as_idle(void **state) {
    (void)state;
    const uint64_t *idle_ns = nd_posix_idle_ns(posix);
    assert_int_equal(*idle_ns, 0);
    uint64_t start = nd_posix_now_ns();
    uint64_t cpu = nd_posix_cpu_ns();
    assert_int_equal(nd_posix_wait(posix, 20u * MS_NS), ND_AGAIN);
    uint64_t wall = nd_posix_now_ns() - start;
    cpu = nd_posix_cpu_ns() - cpu;
    assert_true(cpu < 20u * MS_NS);
    assert_in_range(*idle_ns, 20u * MS_NS - cpu, wall + 5u * MS_NS); /* since its making */
}

/* Keep this processor, and no other, and compete for it with a child that never rests. */
static pid_t share_processor(cpu_set_t *before) {
    cpu_set_t one;
    sched_getaffinity(0, sizeof *before, before);
    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile uint32_t work = 0;; work = work + 1) {
        }
    }
    return child;
}

static void a_processor_that_others_take_is_not_counted_as_work(void **state) {
    (void)state;
    const struct nd_clock *clock = nd_posix_clock(posix);
    const uint64_t *idle_ns = nd_posix_idle_ns(posix);
    cpu_set_t before;
    pid_t child = share_processor(&before);
    uint64_t cpu = nd_posix_cpu_ns();
    uint32_t count = clock->read(clock->ctx);
    uint64_t idle = *idle_ns;
    uint64_t elapsed = 0;
    uint64_t total = 0;
    while (nd_posix_cpu_ns() - cpu < 60u * MS_NS) {
        uint32_t now = clock->read(clock->ctx);
        uint32_t passed = now - count;
        assert_true(*idle_ns >= idle);
        assert_true(*idle_ns - idle <= passed); /* else a poll's work would be below nothing */
        elapsed += passed;
        total += *idle_ns - idle;
        count = now;
        idle = *idle_ns;
    }
    cpu = nd_posix_cpu_ns() - cpu;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    sched_setaffinity(0, sizeof before, &before);
    assert_true(elapsed > cpu + cpu / 4); /* the child had its share */
    assert_in_range(elapsed - total, cpu - MS_NS, cpu + MS_NS);
}

static void the_clock_counts_nanoseconds(void **state) {
    (void)state;
    const struct nd_clock *clock = nd_posix_clock(posix);
    uint64_t start = nd_posix_now_ns();
    /* cppcheck-suppress duplicateAssignExpression ; a clock reads on */
    uint32_t first = clock->read(clock->ctx);
    uint32_t second = clock->read(clock->ctx);
    uint64_t end = nd_posix_now_ns();
    assert_int_equal(clock->hz, 1000000000);
    assert_int_equal(clock->bits, 32);
    assert_int_equal(clock->kind, ND_CLOCK_TIME);
    assert_true((uint32_t)(first - (uint32_t)start) <= (uint32_t)(end - start));
    assert_true(second - first <= (uint32_t)(end - start));
}

static void processor_time_grows_by_work_alone(void **state) {
    (void)state;
    uint64_t start = nd_posix_cpu_ns();
    volatile uint32_t work = 0;
    while (nd_posix_cpu_ns() - start < 5u * MS_NS) {
        work = work + 1;
    }
    assert_true(work > 0);
}

/* An urgent byte makes recv() stop short although more waits behind it. */
static void urgent_data_does_not_stop_the_reader(void **state) {
    (void)state;
    uint16_t number;
    struct nd_conn *listener = open_listener(&local_v4, &number);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(number),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(send(fd, "before", 6, 0), 6);
    assert_int_equal(send(fd, "!", 1, MSG_OOB), 1);
    assert_int_equal(send(fd, "behind", 6, 0), 6);
    turn();
    struct nd_conn *conn = accept_one(listener);
    char text[16] = "";
    size_t len = 0;
    while (len < 12) {
        const void *bytes;
        int32_t got;
        AWAIT((got = port->rx(conn, &bytes)) != ND_AGAIN);
        assert_in_range(got, 1, 12 - len);
        memcpy(text + len, bytes, (size_t)got);
        port->rx_done(conn, (uint32_t)got);
        len += (size_t)got;
    }
    assert_string_equal(text, "beforebehind");
    close(fd);
}

static void an_opening_that_fails_tells_why(void **state) {
    (void)state;
    static const struct nd_addr foreign = {.ip = {192, 0, 2, 1}, .family = 4}; /* RFC 5737 */
    struct nd_conn *conn;
    assert_int_equal(nd_posix_errno(posix), 0);
    assert_int_equal(port->listen(posix, &foreign, &conn), ND_E_UNREACHABLE);
    assert_int_equal(nd_posix_errno(posix), EADDRNOTAVAIL);
    assert_int_equal(port->connect(posix, &any, &conn), ND_E_ARG);
    assert_int_equal(nd_posix_errno(posix), EINVAL);
}

static void no_descriptor_is_inherited(void **state) {
    (void)state;
    uint16_t number;
    struct nd_conn *conn;
    struct nd_conn *listener = open_listener(&local_v4, &number);
    struct nd_addr to = local_v4;
    to.port = number;
    assert_int_equal(port->connect(posix, &to, &conn), ND_OK);
    accept_one(listener);
    assert_int_equal(port->udp_open(posix, &local_v4, &conn), ND_OK);
    unsigned count = 0;
    for (int fd = STDERR_FILENO + 1; fd < LOW_LIMIT; fd++) {
        char path[32];
        char target[64] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, target, sizeof target - 1) > 0 &&
            (strncmp(target, "socket:", 7) == 0 || strstr(target, "eventpoll") != NULL ||
             strcmp(target, "/dev/null") == 0)) {
            int flags = fcntl(fd, F_GETFD);
            count += (flags & FD_CLOEXEC) != 0;
        }
    }
    assert_true(count >= 6); /* epoll, reserve, listener, two ends, datagrams */
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    static const struct CMUnitTest cases[] = {
        CASE(listening_at_any_address_serves_both_families),
        CASE(a_caller_is_turned_away_when_descriptors_are_out),
        CASE(a_watched_descriptor_ends_the_sleep),
        CASE(a_file_cannot_be_watched),
        CASE(the_network_ends_the_sleep_once),
        CASE(sleep_is_counted_as_idle),
        CASE(a_processor_that_others_take_is_not_counted_as_work),
        CASE(the_clock_counts_nanoseconds),
        CASE(processor_time_grows_by_work_alone),
        CASE(urgent_data_does_not_stop_the_reader),
        CASE(an_opening_that_fails_tells_why),
        CASE(no_descriptor_is_inherited),
    };
    return cmocka_run_group_tests_name("posix", cases, NULL, NULL);
}
