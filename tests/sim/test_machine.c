/* SPDX-License-Identifier: BSD-3-Clause */
/* What is checked before a machine starts, and what is left of it afterwards. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit.h"
#include "machine/machine.h"

static char dir[] = "/tmp/nd-test-machine-XXXXXX";

static int make_dir(void **state) {
    (void)state;
    return mkdtemp(dir) != NULL ? 0 : -1;
}

static int remove_dir(void **state) {
    (void)state;
    return rmdir(dir);
}

/* A file of the test's directory; the caller unlinks it. */
static const char *write_file(const char *name, const void *bytes, size_t size, mode_t mode) {
    static char path[64];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

/* Opening fails with these words in its line and leaves nothing. */
static void assert_refused(const struct nd_sim_cfg *cfg, const char *words) {
    char error[ND_SIM_ERROR_BYTES] = "";
    unsigned files = open_files();

    assert_null(nd_sim_open(cfg, error));
    if (strstr(error, words) == NULL) {
        fail_msg("expected \"%s\" in: %s", words, error);
    }
    assert_null(strchr(error, '\n'));
    assert_int_equal(open_files(), files);
    assert_no_child();
}

/* The start of an ELF file for an ARM processor. */
static const unsigned char arm_elf[20] = {0x7F, 'E', 'L', 'F', 1, 1, 1, [16] = 2, [18] = 40};

static void firmware_that_is_none_is_refused(void **state) {
    struct nd_sim_cfg cfg = {.machine = ND_SIM_QEMU, .firmware = "/nowhere/image.elf"};
    unsigned char x86_elf[20];

    (void)state;
    assert_refused(&cfg, "No such file or directory; build it first");
    cfg.firmware = write_file("text", "hello", 5, 0644);
    assert_refused(&cfg, "is no ELF file; expected ARM firmware");
    cfg.machine = ND_SIM_NATIVE;
    assert_refused(&cfg, "is no executable file");
    unlink(cfg.firmware);
    memcpy(x86_elf, arm_elf, sizeof x86_elf);
    x86_elf[18] = 62;
    cfg.machine = ND_SIM_QEMU;
    cfg.firmware = write_file("x86", x86_elf, sizeof x86_elf, 0644);
    assert_refused(&cfg, "for another processor");
    unlink(cfg.firmware);
    cfg.machine = ND_SIM_NATIVE;
    cfg.firmware = "/nowhere/image";
    assert_refused(&cfg, "No such file or directory; build it first");
    cfg.firmware = dir;
    assert_refused(&cfg, "is no executable file");
}

static void qemu_that_is_none_is_refused(void **state) {
    static const char old[] = "#!/bin/sh\necho 'QEMU emulator version 6.2.0 (Debian)'\n";
    static const char other[] = "#!/bin/sh\necho 'busybox 1.36'\n";
    char firmware[64];
    struct nd_sim_cfg cfg = {
        .machine = ND_SIM_QEMU, .firmware = firmware, .qemu = "/nowhere/qemu-system-arm"};

    (void)state;
    snprintf(firmware, sizeof firmware, "%s", write_file("arm", arm_elf, sizeof arm_elf, 0644));
    assert_refused(&cfg, "install qemu-system-arm 7.2 or later");
    cfg.qemu = write_file("qemu", old, sizeof old - 1, 0755);
    assert_refused(&cfg, "is version 6.2; install qemu-system-arm 7.2 or later");
    cfg.qemu = write_file("qemu", other, sizeof other - 1, 0755);
    assert_refused(&cfg, "does not say that it is QEMU");
    unlink(cfg.qemu);
    unlink(firmware);
}

static void note_alarm(int number) {
    (void)number;
}

/* Ctrl-C in the first moments of a run is for the loop that asks for it, not for this wait. */
static void a_signal_while_qemu_tells_its_version_is_no_fault_of_qemu(void **state) {
    static const char slow[] = "#!/bin/sh\nsleep 0.3\necho 'QEMU emulator version 6.2.0'\n";
    const struct itimerval soon = {.it_value.tv_usec = 50000, .it_interval.tv_usec = 50000};
    const struct itimerval never = {.it_value.tv_usec = 0};
    struct sigaction action = {.sa_handler = note_alarm}, before;
    char firmware[64];
    struct nd_sim_cfg cfg = {.machine = ND_SIM_QEMU, .firmware = firmware};

    (void)state;
    snprintf(firmware, sizeof firmware, "%s", write_file("arm", arm_elf, sizeof arm_elf, 0644));
    cfg.qemu = write_file("qemu", slow, sizeof slow - 1, 0755);
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &soon, NULL);
    assert_refused(&cfg, "is version 6.2; install qemu-system-arm 7.2 or later");
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    unlink(cfg.qemu);
    unlink(firmware);
}

static void qemu_says_why_it_does_not_start(void **state) {
    static const char failing[] = "#!/bin/sh\n"
                                  "[ \"$1\" = --version ] && "
                                  "echo 'QEMU emulator version 7.2.0' && exit\n"
                                  "echo 'qemu: no such machine' >&2\n"
                                  "exit 1\n";
    char firmware[64];
    struct nd_sim_cfg cfg = {
        .machine = ND_SIM_QEMU, .firmware = firmware, .silence_ms = PATIENCE_MS};

    (void)state;
    snprintf(firmware, sizeof firmware, "%s", write_file("arm", arm_elf, sizeof arm_elf, 0644));
    cfg.qemu = write_file("qemu", failing, sizeof failing - 1, 0755);
    assert_refused(&cfg, "the device is gone: qemu-system-arm exited with status 1: qemu: no such");
    unlink(cfg.qemu);
    unlink(firmware);
}

static void elf_file_that_is_no_firmware_is_given_up(void **state) {
    struct nd_sim_cfg cfg = {.machine = ND_SIM_QEMU, .silence_ms = 500};

    (void)state;
    cfg.firmware = write_file("stub", arm_elf, sizeof arm_elf, 0644);
    assert_refused(&cfg, "said nothing for 500 ms of wall time; is it netdyno firmware?");
    unlink(cfg.firmware);
}

static void pcap_that_cannot_be_written_is_refused(void **state) {
    struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);

    (void)state;
    cfg.pcap = "/nowhere/wire.pcap";
    assert_refused(&cfg, "cannot write the capture");
}

static void affinity_is_given_back(void **state) {
    struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    char error[ND_SIM_ERROR_BYTES];
    cpu_set_t before;
    cpu_set_t after;
    struct nd_sim *sim;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    sim = nd_sim_open(&cfg, error);
    assert_non_null(sim);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_int_equal(CPU_COUNT(&after), 1);
    nd_sim_close(sim);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}

static void second_simulation_waits_for_the_end_of_the_first(void **state) {
    struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    char error[ND_SIM_ERROR_BYTES];
    struct nd_sim *sim = nd_sim_open(&cfg, error);

    (void)state;
    assert_non_null(sim);
    assert_null(nd_sim_open(&cfg, error));
    assert_string_equal(error, "only one simulation at a time in a process");
    assert_int_equal(run_steps(sim, 10), ND_OK);
    nd_sim_close(sim);
    sim = nd_sim_open(&cfg, error);
    assert_non_null(sim);
    assert_int_equal(run_steps(sim, 10), ND_OK);
    nd_sim_close(sim);
    assert_no_child();
}

/* The device's process number, as the kernel lists our children. */
static pid_t only_child(void) {
    char path[64];
    int pid = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &pid), 1);
    fclose(file);
    return pid;
}

static void killed_device_is_named(void **state) {
    struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    char error[ND_SIM_ERROR_BYTES];
    struct nd_sim *sim = nd_sim_open(&cfg, error);

    (void)state;
    assert_non_null(sim);
    assert_int_equal(getpgid(only_child()), only_child());
    assert_int_equal(run_steps(sim, 10), ND_OK);
    kill(only_child(), SIGKILL);
    assert_int_equal(run_steps(sim, 10), ND_E_RESET);
    assert_non_null(strstr(nd_sim_error(sim), "was killed by signal 9 (Killed)"));
    nd_sim_close(sim);
    assert_no_child();
}

/* Open a simulation in a child of ours, tell its device's process number, and wait to be killed. */
static void hold_a_device(int report_fd) {
    struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    char error[ND_SIM_ERROR_BYTES];
    pid_t device = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test leaves nothing */
    if (nd_sim_open(&cfg, error) != NULL) {
        device = only_child();
    }
    (void)!write(report_fd, &device, sizeof device);
    for (;;) {
        pause();
    }
}

static void device_dies_with_a_tool_that_is_killed(void **state) {
    int report[2];
    pid_t device = 0;
    pid_t tool;

    (void)state;
    assert_int_equal(pipe(report), 0);
    tool = fork();
    if (tool == 0) {
        hold_a_device(report[1]);
    }
    assert_int_equal(read(report[0], &device, sizeof device), sizeof device);
    assert_true(device > 0);
    assert_int_equal(kill(device, 0), 0);
    kill(tool, SIGKILL);
    assert_int_equal(waitpid(tool, NULL, 0), tool);
    for (unsigned i = 0; i < 200; i++) {
        char path[64];
        char text[256] = "";
        FILE *file;

        snprintf(path, sizeof path, "/proc/%d/stat", (int)device);
        file = fopen(path, "r");
        if (file == NULL) {
            break;
        }
        /* Where nobody reaps orphans, a zombie is as dead as it gets. */
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        if (strstr(text, ") Z ") != NULL) {
            break;
        }
        assert_int_not_equal(i, 199);
        usleep(5000);
    }
    close(report[0]);
    close(report[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(firmware_that_is_none_is_refused),
        cmocka_unit_test(qemu_that_is_none_is_refused),
        cmocka_unit_test(a_signal_while_qemu_tells_its_version_is_no_fault_of_qemu),
        cmocka_unit_test(qemu_says_why_it_does_not_start),
        cmocka_unit_test(elf_file_that_is_no_firmware_is_given_up),
        cmocka_unit_test(pcap_that_cannot_be_written_is_refused),
        cmocka_unit_test(affinity_is_given_back),
        cmocka_unit_test(second_simulation_waits_for_the_end_of_the_first),
        cmocka_unit_test(killed_device_is_named),
        cmocka_unit_test(device_dies_with_a_tool_that_is_killed),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
