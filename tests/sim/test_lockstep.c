/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices that keep the protocol and devices that break it, each a real process. Whatever they do
 * ends in one line within seconds, with no process and no file left. */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>

#include "kit.h"

/* Patience with a device that is to fall silent, and what each may last in all [ms]. */
enum { SILENCE_MS = 500, LIMIT_MS = 10000 };

static uint64_t wall_ms(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* Run a device to its end; its result, with error[] set; checks what is left behind. */
static int run_fake(const char *mode, unsigned silence_ms, char error[ND_SIM_ERROR_BYTES]) {
    const struct nd_sim_cfg cfg = fake_cfg(mode, silence_ms);
    unsigned files = open_files();
    uint64_t begin_ms = wall_ms();
    struct nd_sim *sim;
    int result = ND_E_STATE; /* did not open */

    error[0] = '\0';
    sim = nd_sim_open(&cfg, error);
    if (sim != NULL) {
        result = run_steps(sim, 2000000);
        snprintf(error, ND_SIM_ERROR_BYTES, "%s", nd_sim_error(sim));
        assert_int_equal(nd_sim_step(sim), result);
        nd_sim_close(sim);
    }
    assert_in_range(wall_ms() - begin_ms, 0, LIMIT_MS);
    assert_null(strchr(error, '\n'));
    assert_int_equal(open_files(), files);
    assert_no_child();
    return result;
}

/* A way to break the protocol, what it ends in, and words of the line. */
struct breach {
    const char *mode;
    int result;
    const char *words;
};

static void check_breaches(const struct breach *breaches, size_t count, unsigned silence_ms) {
    for (size_t i = 0; i < count; i++) {
        char error[ND_SIM_ERROR_BYTES];
        int result = run_fake(breaches[i].mode, silence_ms, error);

        if (result != breaches[i].result || strstr(error, breaches[i].words) == NULL) {
            fail_msg("%s: %s: %s", breaches[i].mode, nd_error_name(result), error);
        }
    }
}

static void bad_hello_is_refused(void **state) {
    static const struct breach breaches[] = {
        {"hello-magic", ND_E_STATE, "does not begin with NDLK"},
        {"hello-version", ND_E_STATE, "another version"},
        {"hello-hz", ND_E_STATE, "what a tick is"},
        {"hello-ring", ND_E_STATE, "1 to 4096"},
        {"hello-rate", ND_E_STATE, "no link rate"},
        {"hello-name", ND_E_STATE, "no board or image name"},
    };

    (void)state;
    check_breaches(breaches, sizeof breaches / sizeof breaches[0], PATIENCE_MS);
}

static void broken_record_ends_the_dialogue(void **state) {
    static const struct breach breaches[] = {
        {"hello-again", ND_E_PROTOCOL, "HELLO again"},
        {"unknown-type", ND_E_PROTOCOL, "unknown type 77"},
        {"long-frame", ND_E_PROTOCOL, "impossible length: 1515"},
        {"short-frame", ND_E_PROTOCOL, "impossible length: 13"},
        {"long-console", ND_E_PROTOCOL, "console text: 1025"},
    };

    (void)state;
    check_breaches(breaches, sizeof breaches / sizeof breaches[0], PATIENCE_MS);
}

static void device_that_goes_is_explained(void **state) {
    static const struct breach breaches[] = {
        {"half-record", ND_E_RESET, "in the middle of a record"},
        {"die", ND_E_RESET, "signal 9 (Killed): ==1==ERROR: told to die"},
        {"fail", ND_E_RESET, "status 5: last line"},
        {"close", ND_E_RESET, "closed its output and went on"},
    };

    (void)state;
    check_breaches(breaches, sizeof breaches / sizeof breaches[0], PATIENCE_MS);
}

static void device_that_falls_silent_is_given_up(void **state) {
    static const struct breach breaches[] = {
        {"silent", ND_E_STATE, "said nothing for 500 ms of wall time; is it netdyno firmware?"},
        {"half-silent", ND_E_TIMEOUT, "in the middle of a record; its firmware hangs"},
        {"hang", ND_E_TIMEOUT, "500 ms of wall time; its firmware hangs"},
    };

    (void)state;
    check_breaches(breaches, sizeof breaches / sizeof breaches[0], SILENCE_MS);
}

static void device_that_keeps_us_busy_is_stopped(void **state) {
    static const struct breach breaches[] = {
        {"deaf", ND_E_RESET, "does not read its answers"},
        {"spin", ND_E_PROTOCOL, "no virtual time passed"},
        {"rush", ND_E_PROTOCOL, "its time ran"},
    };

    (void)state;
    check_breaches(breaches, sizeof breaches / sizeof breaches[0], PATIENCE_MS);
}

static void noise_is_refused(void **state) {
    (void)state;
    for (unsigned seed = 0; seed < 40; seed++) {
        char error[ND_SIM_ERROR_BYTES];
        char mode[16];
        int result;

        snprintf(mode, sizeof mode, "noise-%u", seed);
        result = run_fake(mode, PATIENCE_MS, error);
        assert_true(result == ND_E_STATE || result == ND_E_PROTOCOL);
        assert_non_null(strstr(error, "broke the protocol"));
    }
}

static void console_goes_both_ways_and_exit_ends(void **state) {
    const struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    char error[ND_SIM_ERROR_BYTES];
    char text[32] = "";
    struct nd_sim *sim = nd_sim_open(&cfg, error);

    (void)state;
    assert_non_null(sim);
    nd_sim_console_write(sim, "hello\n", 6);
    assert_int_equal(nd_sim_step(sim), ND_OK);
    /* It waited without limit, but text was there: no time but its work passed. */
    assert_int_equal(nd_sim_counts(sim).now_ns, 15000);
    assert_int_equal(nd_sim_console_read(sim, text, sizeof text), 0);
    assert_int_equal(nd_sim_step(sim), ND_OK);
    assert_int_equal(nd_sim_console_read(sim, text, sizeof text), 6);
    assert_string_equal(text, "hello\n");
    nd_sim_console_write(sim, "exit\n", 5);
    assert_int_equal(run_steps(sim, 10), ND_EOF);
    assert_string_equal(nd_sim_error(sim), "the firmware ended with code 3");
    nd_sim_close(sim);
    assert_no_child();
}

static void console_text_beyond_one_piece_comes_in_pieces(void **state) {
    const struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    char error[ND_SIM_ERROR_BYTES];
    static char text[5000];
    static char back[6000];
    size_t got = 0;
    struct nd_sim *sim = nd_sim_open(&cfg, error);

    (void)state;
    assert_non_null(sim);
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (char)('a' + i % 23);
    }
    nd_sim_console_write(sim, text, sizeof text);
    for (unsigned i = 0; i < 12; i++) {
        assert_int_equal(nd_sim_step(sim), ND_OK);
        got += nd_sim_console_read(sim, back + got, sizeof back - got);
    }
    assert_int_equal(got, sizeof text);
    assert_memory_equal(text, back, sizeof text);
    nd_sim_close(sim);
}

static void time_runs_to_the_limit_of_a_wait(void **state) {
    const struct nd_sim_cfg cfg = fake_cfg("echo", PATIENCE_MS);
    char error[ND_SIM_ERROR_BYTES];
    struct nd_sim *sim = nd_sim_open(&cfg, error);

    (void)state;
    assert_non_null(sim);
    assert_int_equal(nd_sim_counts(sim).now_ns, 10000);
    /* The peer announced its address at time 0, so the first wait has no length. */
    assert_int_equal(nd_sim_step(sim), ND_OK);
    assert_int_equal(nd_sim_counts(sim).now_ns, 15000);
    assert_int_equal(nd_sim_counts(sim).to_device, 1);
    /* Then nothing comes: a wait without limit ends after a second, behind 500 ticks of work. */
    assert_int_equal(nd_sim_step(sim), ND_OK);
    assert_int_equal(nd_sim_counts(sim).now_ns, 1000020000);
    assert_int_equal(nd_sim_counts(sim).busy_ticks, 2000);
    nd_sim_close(sim);
}

static void a_wait_for_a_descriptor_ends_when_a_frame_has_left_and_brings_none(void **state) {
    const struct nd_sim_cfg cfg = fake_cfg("overrun", PATIENCE_MS);
    char error[ND_SIM_ERROR_BYTES];
    char text[160] = "";
    struct nd_sim *sim = nd_sim_open(&cfg, error);
    size_t len;

    (void)state;
    assert_non_null(sim);
    assert_int_equal(run_steps(sim, 100), ND_EOF);
    assert_int_equal(nd_sim_counts(sim).tx_drops, 2);
    len = nd_sim_console_read(sim, text, sizeof text - 1);
    text[len] = '\0';
    /* The first frame leaves 122,080 ns after tick 1000; the ring is not full then, so the second
     * wait is for a frame, which lies there; the third lasts its whole 100,000 ticks of 10 ns, in
     * which all leave. */
    assert_string_equal(text, "now 13208 free 1 frame 0\nnow 13208 free 1 frame 60\n"
                              "now 113208 free 4 frame 0\n");
    nd_sim_close(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_hello_is_refused),
        cmocka_unit_test(broken_record_ends_the_dialogue),
        cmocka_unit_test(device_that_goes_is_explained),
        cmocka_unit_test(device_that_falls_silent_is_given_up),
        cmocka_unit_test(device_that_keeps_us_busy_is_stopped),
        cmocka_unit_test(noise_is_refused),
        cmocka_unit_test(console_goes_both_ways_and_exit_ends),
        cmocka_unit_test(console_text_beyond_one_piece_comes_in_pieces),
        cmocka_unit_test(time_runs_to_the_limit_of_a_wait),
        cmocka_unit_test(a_wait_for_a_descriptor_ends_when_a_frame_has_left_and_brings_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
