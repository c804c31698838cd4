/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/bypass.h"

/* A driver made of memory, and a stack that needs to ask by ARP. */
static struct driver {
    unsigned asked;
    unsigned ask_times; /* answers ND_AGAIN so often */
    unsigned sent;
    unsigned room; /* frames it takes before it answers ND_AGAIN */
    uint32_t len;
    uint8_t frame[1600];
    bool reserved;
} driver;

static struct nd_bypass bypass;

static int resolve(void *ctx, const struct nd_addr *to, struct nd_bypass_ends *ends) {
    (void)ctx;
    (void)to;
    if (driver.asked++ < driver.ask_times) {
        return ND_AGAIN;
    }
    *ends = (struct nd_bypass_ends){
        .own_mac = {2, 0, 0, 0, 0, 1}, .own_ip = {192, 0, 2, 1}, .next_mac = {2, 0, 0, 0, 0, 2}};
    return ND_OK;
}

static uint8_t *reserve(void *ctx, uint32_t len) {
    (void)ctx;
    driver.reserved = true;
    driver.len = len;
    return driver.frame;
}

static int send(void *ctx) {
    (void)ctx;
    if (driver.sent == driver.room) {
        return ND_AGAIN;
    }
    driver.sent++;
    return ND_OK;
}

static void release(void *ctx) {
    (void)ctx;
    driver.reserved = false;
}

static const struct nd_bypass_path path = {NULL, resolve, reserve, send, release};

static int setup(void **state) {
    driver = (struct driver){.room = UINT32_MAX};
    bypass = (struct nd_bypass){.path = &path};
    return kit_setup(state);
}

#define BYPASS_TEST(test) cmocka_unit_test_setup_teardown(test, setup, kit_teardown)

static void start(struct kit *kit, struct nd_bypass_cfg cfg) {
    cfg.to = (struct nd_addr){.ip = {192, 0, 2, 2}, .family = 4, .port = cfg.to.port};
    assert_int_equal(nd_bypass_start(&bypass, &kit->agent, &cfg), ND_OK);
}

static uint32_t word(unsigned at) {
    return (uint32_t)driver.frame[at] << 8 | driver.frame[at + 1];
}

/* RFC 1071: the sum over a part with a right checksum in it is all ones. */
static uint32_t sum_of(uint32_t sum, unsigned from, unsigned to) {
    for (unsigned i = from; i < to; i++) {
        sum += (uint32_t)driver.frame[i] << (i % 2 == 0 ? 8 : 0);
    }
    while (sum > 0xFFFF) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return sum;
}

static void so_many_datagrams_are_handed_over(void **state) {
    struct kit *kit = *state;

    start(kit, (struct nd_bypass_cfg){.count = 0});
    kit_run(kit);
    const struct nd_report *report = kit_last(kit);
    assert_int_equal(report->result, ND_OK);
    assert_int_equal(report->tx_datagrams, 1024);
    assert_int_equal(report->flow.tx.bytes, 1024 * 1472);
    assert_int_equal(driver.sent, 1024);
    assert_int_equal(driver.len, 1514);
    assert_false(driver.reserved);
}

static void the_frame_is_ethernet_ipv4_and_udp(void **state) {
    struct kit *kit = *state;

    start(kit, (struct nd_bypass_cfg){.to.port = 5001, .payload_bytes = 101, .count = 1});
    kit_run(kit);
    static const uint8_t head[] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 129};
    assert_int_equal(driver.len, 143);
    assert_memory_equal(driver.frame, head, sizeof head);
    assert_int_equal(sum_of(0, 14, 34), 0xFFFF);
    assert_int_equal(word(36), 5001);
    assert_int_equal(word(38), 109);
    assert_int_equal(word(40), 0); /* no checksum */
    assert_memory_equal(driver.frame + 42, " !\"#", 4);
}

static void a_checksum_is_right_when_asked_for(void **state) {
    struct kit *kit = *state;

    start(kit, (struct nd_bypass_cfg){.payload_bytes = 101, .count = 1, .checksum = true});
    kit_run(kit);
    assert_int_not_equal(word(40), 0);
    assert_int_equal(sum_of(17 + 109, 26, 143), 0xFFFF);
}

static void the_address_is_asked_for_until_it_is_there(void **state) {
    struct kit *kit = *state;

    driver.ask_times = 3;
    start(kit, (struct nd_bypass_cfg){.count = 5});
    kit_run_for(kit, 100000);
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(driver.sent, 5);
}

static void an_address_that_nobody_answers_for_is_unreachable(void **state) {
    struct kit *kit = *state;

    driver.ask_times = UINT32_MAX;
    start(kit, (struct nd_bypass_cfg){.count = 5});
    kit_run_for(kit, 1100000);
    assert_int_equal(kit_last(kit)->result, ND_E_UNREACHABLE);
    assert_int_equal(driver.sent, 0);
}

static void a_rate_is_kept(void **state) {
    struct kit *kit = *state;

    /* 1000 byte at 800 kbit/s: a hundred a second. */
    start(kit, (struct nd_bypass_cfg){
                   .payload_bytes = 1000, .rate_bit_s = 800000, .duration_ns = 1000000000u});
    kit_run_for(kit, 1100000);
    assert_int_equal(kit_last(kit)->tx_datagrams, 100);
}

static void a_full_controller_is_waited_for_and_a_stop_counts_what_went(void **state) {
    struct kit *kit = *state;

    driver.room = 40;
    start(kit, (struct nd_bypass_cfg){.count = 100});
    kit_run_for(kit, 10000);
    assert_int_equal(kit->report_count, 0);
    nd_agent_stop_tests(&kit->agent);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_E_STOPPED);
    assert_int_equal(kit_last(kit)->tx_datagrams, 40);
    assert_false(driver.reserved);
}

static void the_command_runs_a_test(void **state) {
    struct kit *kit = *state;
    static struct nd_command command;

    nd_bypass_command(&command, &bypass);
    nd_console_add(&kit->console, &command);
    kit_type(kit, "bypass -c -l 100 -n 10 192.0.2.2\n");
    kit_run(kit);
    assert_int_equal(driver.sent, 10);
    assert_non_null(strstr(kit_type(kit, "bypass -l 1473 192.0.2.2\n"), "bypass [-l BYTES]"));
    assert_non_null(strstr(kit_type(kit, "bypass ::1\n"), "IPv4"));
    bypass.path = NULL;
    assert_non_null(strstr(kit_type(kit, "bypass 192.0.2.2\n"), "unsupported"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BYPASS_TEST(so_many_datagrams_are_handed_over),
        BYPASS_TEST(the_frame_is_ethernet_ipv4_and_udp),
        BYPASS_TEST(a_checksum_is_right_when_asked_for),
        BYPASS_TEST(the_address_is_asked_for_until_it_is_there),
        BYPASS_TEST(an_address_that_nobody_answers_for_is_unreachable),
        BYPASS_TEST(a_rate_is_kept),
        BYPASS_TEST(a_full_controller_is_waited_for_and_a_stop_counts_what_went),
        BYPASS_TEST(the_command_runs_a_test),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
