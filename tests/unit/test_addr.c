/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <string.h>

#include "nd/addr.h"
#include "nd/error.h"

#include "unit.h"

/* Parse len bytes that stand alone in memory, so that a sanitizer sees a step too far. */
static int parse_bytes(const char *bytes, size_t len, struct nd_addr *addr) {
    char *alone = malloc(len > 0 ? len : 1);
    int result;

    assert_non_null(alone);
    memcpy(alone, bytes, len);
    result = nd_addr_parse(alone, len, addr);
    free(alone);
    return result;
}

static int parse(const char *text, struct nd_addr *addr) {
    return parse_bytes(text, strlen(text), addr);
}

static void check_good(const char *text, const char *formatted) {
    struct nd_addr addr = {.port = 9};
    char back[ND_ADDR_TEXT_BYTES];

    assert_int_equal(parse(text, &addr), ND_OK);
    assert_int_equal(nd_addr_format(&addr, back), strlen(formatted));
    assert_string_equal(back, formatted);
}

static void an_address_is_read_and_keeps_its_port_where_the_text_names_none(void **state) {
    (void)state;
    check_good("192.168.1.2", "192.168.1.2:9");
    check_good("192.168.1.2:5001", "192.168.1.2:5001");
    check_good("0.0.0.0:0", "0.0.0.0:0");
    check_good("255.255.255.255:65535", "255.255.255.255:65535");
    check_good("fe80::1", "[fe80:0:0:0:0:0:0:1]:9");
    check_good("[fe80::1]", "[fe80:0:0:0:0:0:0:1]:9");
    check_good("[fe80::1]:5001", "[fe80:0:0:0:0:0:0:1]:5001");
}

static void ipv6_gaps_are_filled_wherever_they_stand(void **state) {
    (void)state;
    check_good("::", "[0:0:0:0:0:0:0:0]:9");
    check_good("::1", "[0:0:0:0:0:0:0:1]:9");
    check_good("1::", "[1:0:0:0:0:0:0:0]:9");
    check_good("[::]:80", "[0:0:0:0:0:0:0:0]:80");
    check_good("[1::]:80", "[1:0:0:0:0:0:0:0]:80");
    check_good("12::34", "[12:0:0:0:0:0:0:34]:9");
    check_good("1:2:3:4:5:6:7::", "[1:2:3:4:5:6:7:0]:9");
    check_good("::2:3:4:5:6:7:8", "[0:2:3:4:5:6:7:8]:9");
    check_good("1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]:9");
    check_good("ABCD:ef01:0010::", "[abcd:ef01:10:0:0:0:0:0]:9");
}

static void the_longest_address_fits_its_text(void **state) {
    struct nd_addr addr = {.family = 6, .port = 65535};
    char text[ND_ADDR_TEXT_BYTES];

    (void)state;
    memset(addr.ip, 0xFF, sizeof addr.ip);
    assert_int_equal(nd_addr_format(&addr, text), ND_ADDR_TEXT_BYTES - 1);
    assert_string_equal(text, "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535");
}

static void any_address_is_written_as_ipv4_writes_it(void **state) {
    const struct nd_addr any = {.port = 7};
    char text[ND_ADDR_TEXT_BYTES];

    (void)state;
    nd_addr_format(&any, text);
    assert_string_equal(text, "0.0.0.0:7");
}

static void a_bad_text_is_refused_and_changes_nothing(void **state) {
    static const char *const bad[] = {
        "",
        " ",
        "host",
        "1",
        "1.2.3",
        "1.2.3.",
        "1.2.3.4.",
        "1.2.3.4.5",
        ".1.2.3",
        "1..2.3",
        "256.1.1.1",
        "1.1.1.256",
        "1.1.1.1000",
        "01.2.3.4",
        "1.2.3.00",
        "-1.2.3.4",
        "1.2.3.4 ",
        " 1.2.3.4",
        "1.2.3.4:",
        "1.2.3.4:65536",
        "1.2.3.4:99999",
        "1.2.3.4:100000",
        "1.2.3.4:000080",
        "1.2.3.4:-1",
        "1.2.3.4:+1",
        "1.2.3.4:0x50",
        "1.2.3.4:80 ",
        "1.2.3.4:80:81",
        "[1.2.3.4]:80",
        ":",
        ":::",
        "1:",
        ":1",
        "1::2::3",
        "::1::",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8",
        "1::2:3:4:5:6:7:8",
        "12345::",
        "g::",
        "fe80:::1",
        "[",
        "[]",
        "[]:80",
        "[::1",
        "::1]",
        "[::1]80",
        "[::1]:",
        "[::1]:65536",
        "[[::1]]",
        "[::1]:80]",
        "fe80::1%eth0",
    };
    struct nd_addr before;
    struct nd_addr addr;

    (void)state;
    memset(&before, 0xA5, sizeof before);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memcpy(&addr, &before, sizeof addr);
        if (parse(bad[i], &addr) != ND_E_ARG) {
            fail_msg("taken: \"%s\"", bad[i]);
        }
        assert_memory_equal(&addr, &before, sizeof addr);
    }
}

static struct nd_addr random_addr(void) {
    struct nd_addr addr = {.family = unit_random_below(2) == 0 ? 4 : 6,
                           .port = (uint16_t)unit_random_magnitude()};
    size_t ip_bytes = addr.family == 4 ? 4 : 16;

    for (size_t i = 0; i < ip_bytes; i++) {
        /* Many zeros, for groups of few digits and for gaps. */
        addr.ip[i] = unit_random_below(2) == 0 ? 0 : (uint8_t)unit_random();
    }
    return addr;
}

static void what_is_written_reads_back_the_same(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct nd_addr addr = random_addr();
        struct nd_addr back = {.port = 1};
        char text[ND_ADDR_TEXT_BYTES];
        size_t length = nd_addr_format(&addr, text);

        assert_int_equal(length, strlen(text));
        assert_int_equal(parse(text, &back), ND_OK);
        assert_true(nd_addr_equal(&addr, &back));
    }
}

/* The C library's reading of a text without a port: the oracle. */
static uint8_t family_by_inet_pton(const char *text, uint8_t ip[16]) {
    memset(ip, 0, 16);
    if (inet_pton(AF_INET, text, ip) == 1) {
        return 4;
    }
    return inet_pton(AF_INET6, text, ip) == 1 ? 6 : 0;
}

static void check_as_inet_pton(const char *text) {
    struct nd_addr addr = {.port = 1};
    uint8_t ip[16];
    uint8_t family = family_by_inet_pton(text, ip);

    if ((parse(text, &addr) == ND_OK) != (family != 0)) {
        fail_msg("%s: \"%s\"", family != 0 ? "refused" : "taken", text);
    }
    if (family != 0) {
        assert_int_equal(addr.family, family);
        assert_memory_equal(addr.ip, ip, sizeof ip);
    }
}

/* Change, remove or double a few characters. IPv4 gets no colon, behind which a port would stand,
 * and IPv6 no point, behind which inet_pton() would read IPv4. */
static void damage(char *text, uint8_t family) {
    const char *letters = family == 4 ? "0123456789.." : "0123456789abcdefF::::";

    for (uint64_t times = unit_random_below(4); times > 0; times--) {
        size_t length = strlen(text);
        size_t at = unit_random_below(length + 1);

        switch (unit_random_below(3)) {
        case 0:
            text[at] = at < length ? letters[unit_random_below(strlen(letters))] : '\0';
            break;
        case 1:
            memmove(&text[at], &text[at < length ? at + 1 : at], length - at + (at == length));
            break;
        default:
            memmove(&text[at + 1], &text[at], length - at + 1);
            text[at] = letters[unit_random_below(strlen(letters))];
            break;
        }
    }
}

static void texts_good_and_damaged_are_read_as_inet_pton_reads_them(void **state) {
    unsigned good = 0;

    (void)state;
    for (int i = 0; i < 50000; i++) {
        struct nd_addr addr = random_addr();
        char text[2 * INET6_ADDRSTRLEN];
        uint8_t ip[16];

        inet_ntop(addr.family == 4 ? AF_INET : AF_INET6, addr.ip, text, sizeof text);
        if (addr.family == 6 && strchr(text, '.') != NULL) {
            continue; /* IPv4 inside IPv6, which the agent does not read */
        }
        damage(text, addr.family);
        good += family_by_inet_pton(text, ip) != 0;
        check_as_inet_pton(text);
    }
    assert_in_range(good, 10000, 45000); /* both kinds were tried */
}

static void random_bytes_are_refused_or_read_but_never_overrun(void **state) {
    static const char letters[] = "0123456789abcdefx.:[]:.%- ";

    (void)state;
    for (int i = 0; i < 100000; i++) {
        char bytes[64];
        size_t len = unit_random_below(sizeof bytes);
        bool raw = unit_random_below(2) == 0;
        struct nd_addr addr = {.port = 1};
        struct nd_addr back = {.port = 2};
        char text[ND_ADDR_TEXT_BYTES];

        for (size_t j = 0; j < len; j++) {
            bytes[j] = raw ? (char)unit_random() : letters[unit_random_below(sizeof letters - 1)];
        }
        if (parse_bytes(bytes, len, &addr) == ND_OK) {
            nd_addr_format(&addr, text);
            assert_int_equal(parse(text, &back), ND_OK);
            assert_true(nd_addr_equal(&addr, &back));
        }
    }
}

static void a_nul_inside_the_text_is_a_byte_like_others(void **state) {
    struct nd_addr addr = {.port = 1};

    (void)state;
    assert_int_equal(parse_bytes("1.2.3.4\0", 8, &addr), ND_E_ARG);
    assert_int_equal(parse_bytes("1.2.3.4", 7, &addr), ND_OK);
    assert_int_equal(parse_bytes("1.2.3.45", 7, &addr), ND_OK);
    assert_int_equal(addr.ip[3], 4);
}

static void equal_addresses_agree_in_family_address_and_port(void **state) {
    const struct nd_addr four = {.ip = {10, 0, 0, 1}, .family = 4, .port = 7};
    const struct nd_addr six = {.ip = {10, 0, 0, 1}, .family = 6, .port = 7};
    struct nd_addr other = four;

    (void)state;
    assert_true(nd_addr_equal(&four, &other));
    assert_false(nd_addr_equal(&four, &six));
    other.ip[4] = 1; /* beyond an IPv4 address: nobody's business */
    assert_true(nd_addr_equal(&four, &other));
    other.ip[3] = 2;
    assert_false(nd_addr_equal(&four, &other));
    other = four;
    other.port = 8;
    assert_false(nd_addr_equal(&four, &other));
    other = six;
    other.ip[15] = 1;
    assert_false(nd_addr_equal(&six, &other));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_read_and_keeps_its_port_where_the_text_names_none),
        cmocka_unit_test(ipv6_gaps_are_filled_wherever_they_stand),
        cmocka_unit_test(the_longest_address_fits_its_text),
        cmocka_unit_test(any_address_is_written_as_ipv4_writes_it),
        cmocka_unit_test(a_bad_text_is_refused_and_changes_nothing),
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(texts_good_and_damaged_are_read_as_inet_pton_reads_them),
        cmocka_unit_test(random_bytes_are_refused_or_read_but_never_overrun),
        cmocka_unit_test(a_nul_inside_the_text_is_a_byte_like_others),
        cmocka_unit_test(equal_addresses_agree_in_family_address_and_port),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
