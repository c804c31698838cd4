/* SPDX-License-Identifier: BSD-3-Clause */
/* The parser of records, without a process: bytes in any portions. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "kit.h"
#include "lockstep/records.h"

/* A dialogue as a device writes it. */
struct script {
    uint8_t bytes[16384];
    size_t size;
};

static void add(struct script *script, uint32_t type, uint32_t spent, uint32_t arg, size_t follow) {
    const uint32_t words[] = {type, spent, arg};

    memcpy(script->bytes + script->size, words, sizeof words);
    script->size += sizeof words;
    memset(script->bytes + script->size, (int)type, follow);
    script->size += follow;
}

static void write_script(struct script *script) {
    script->size = 0;
    add(script, ND_LOCKSTEP_HELLO, 1, 72, 72);
    add(script, ND_LOCKSTEP_FRAME, 2, 14, 14);
    add(script, ND_LOCKSTEP_FRAME, 3, 1514, 1514);
    add(script, ND_LOCKSTEP_CONSOLE, 4, 0, 0);
    add(script, ND_LOCKSTEP_CONSOLE, 5, 1024, 1024);
    add(script, ND_LOCKSTEP_POLL, 6, UINT32_MAX, 0);
    add(script, ND_LOCKSTEP_POLL_TX, 7, 0, 0);
    add(script, ND_LOCKSTEP_EXIT, 8, UINT32_MAX, 0);
}

/* Feed the script in portions and check that the same records come out. */
static void check_portions(const struct script *script, size_t portion) {
    static const uint32_t types[] = {1, 2, 2, 3, 3, 4, 5, 6};
    static const uint32_t counts[] = {72, 14, 1514, 0, 1024, 0, 0, 0};
    static struct nd__records records;
    struct nd__record record;
    size_t fed = 0;
    uint32_t taken = 0;

    memset(&records, 0, sizeof records);
    while (taken < 8) {
        int result = nd__records_next(&records, &record);
        size_t room;
        uint8_t *at;

        if (result == ND_OK) {
            assert_int_equal(record.type, types[taken]);
            assert_int_equal(record.byte_count, counts[taken]);
            taken++;
            assert_int_equal(record.spent, taken);
            continue;
        }
        assert_int_equal(result, ND_AGAIN);
        assert_true(fed < script->size);
        at = nd__records_room(&records, &room);
        assert_true(room > 0);
        room = room < portion ? room : portion;
        room = room < script->size - fed ? room : script->size - fed;
        memcpy(at, script->bytes + fed, room);
        nd__records_added(&records, room);
        fed += room;
    }
    assert_false(nd__records_partial(&records));
    assert_int_equal(nd__records_next(&records, &record), ND_AGAIN);
}

static void portions_do_not_matter(void **state) {
    static const size_t portions[] = {1, 2, 3, 7, 11, 12, 13, 80, 1000, 16384};
    static struct script script;

    (void)state;
    write_script(&script);
    for (size_t i = 0; i < sizeof portions / sizeof portions[0]; i++) {
        check_portions(&script, portions[i]);
    }
}

static void an_error_lasts(void **state) {
    static struct nd__records records;
    static struct script script;
    struct nd__record record;
    size_t room;

    (void)state;
    script.size = 0;
    add(&script, ND_LOCKSTEP_HELLO, 0, 72, 72);
    add(&script, 7, 0, 0, 0);
    add(&script, ND_LOCKSTEP_POLL, 0, 0, 0);
    memcpy(nd__records_room(&records, &room), script.bytes, script.size);
    nd__records_added(&records, script.size);
    assert_int_equal(nd__records_next(&records, &record), ND_OK);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(nd__records_next(&records, &record), ND_E_PROTOCOL);
        assert_string_equal(records.error, "it sent a record of unknown type");
        assert_int_equal(records.error_value, 7);
    }
}

static void hello_is_checked_field_by_field(void **state) {
    const struct nd_lockstep_hello good = {.magic = ND_LOCKSTEP_MAGIC,
                                           .version = ND_LOCKSTEP_VERSION,
                                           .hz = 1,
                                           .tick_kind = 3,
                                           .rx_ring = 4096,
                                           .tx_ring = 1,
                                           .mac = {2},
                                           .board = "fifteen-letters",
                                           .image = "x"};
    struct nd_lockstep_hello hello = good;
    struct nd_lockstep_hello read;
    const struct nd__record record = {.bytes = (const uint8_t *)&hello, .byte_count = sizeof hello};

    (void)state;
    assert_null(nd__records_hello(&record, &read));
    assert_memory_equal(&read, &good, sizeof good);
    hello.tick_kind = 4;
    assert_non_null(nd__records_hello(&record, &read));
    hello = good;
    hello.rx_ring = 4097;
    assert_non_null(nd__records_hello(&record, &read));
    hello = good;
    hello.tx_ring = 0;
    assert_non_null(nd__records_hello(&record, &read));
    hello = good;
    hello.flash_waits = 4;
    assert_string_equal(
        nd__records_hello(&record, &read),
        "its HELLO has flash without lines of 4 to 256 byte, or not 1 to 16 buffers");
    hello.flash_line_bytes = 16;
    hello.flash_buffers = 8;
    assert_null(nd__records_hello(&record, &read));
    hello.flash_line_bytes = 24;
    assert_non_null(nd__records_hello(&record, &read));
    hello = good;
    hello.mac[0] = 1;
    assert_string_equal(nd__records_hello(&record, &read),
                        "its HELLO has no valid Ethernet address");
    hello.mac[0] = 0;
    assert_string_equal(nd__records_hello(&record, &read),
                        "its HELLO has no valid Ethernet address");
    hello = good;
    hello.image[0] = '\0';
    assert_string_equal(nd__records_hello(&record, &read), "its HELLO has no board or image name");
    hello = good;
    hello.board[3] = '\n';
    assert_string_equal(nd__records_hello(&record, &read), "its HELLO has no board or image name");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_do_not_matter),
        cmocka_unit_test(an_error_lasts),
        cmocka_unit_test(hello_is_checked_field_by_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
