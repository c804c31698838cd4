/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kernel that this machine executes, beside the reference, and the reference beside
 * arithmetic. */
#include "unit.h"

#include <string.h>

#include "nd/checksum.h"
#include "nd/copy.h"
#include "nd/kernels.h"
#include "nd/picotcp_kernels.h"
#include "others.h"

/* Beyond the longest frame, and beyond every unrolled loop. */
#define LENGTHS 2100u

static struct nd_kernel_room room;

static const struct nd_kernel *find(enum nd_kernel_kind kind, const char *name) {
    unsigned count;
    const struct nd_kernel *rows = nd_kernels(&count);

    for (unsigned i = 0; i < count; i++) {
        if (rows[i].kind == kind && strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static uint16_t ref(const void *bytes, size_t len) {
    return find(ND_KERNEL_CHECKSUM, "ref")->call.checksum(bytes, len);
}

/* What kind of alignment matters to a kernel. */
static unsigned src_aligns(enum nd_kernel_kind kind) {
    return kind == ND_KERNEL_FIFO_READ16 || kind == ND_KERNEL_FIFO_READ32 ? 1 : ND_KERNEL_ALIGNS;
}

static unsigned dst_aligns(enum nd_kernel_kind kind) {
    return kind == ND_KERNEL_CHECKSUM || kind == ND_KERNEL_FIFO_WRITE16 ||
                   kind == ND_KERNEL_FIFO_WRITE32
               ? 1
               : ND_KERNEL_ALIGNS;
}

static void prove(const struct nd_kernel *kernel) {
    struct nd_kernel_case at = {.len = LENGTHS};

    for (at.src_align = 0; at.src_align < src_aligns(kernel->kind); at.src_align++) {
        for (at.dst_align = 0; at.dst_align < dst_aligns(kernel->kind); at.dst_align++) {
            int32_t wrong = nd_kernel_prove(kernel, &room, &at);

            if (wrong >= 0) {
                fail_msg("%s %s: wrong for %d byte from %u to %u",
                         nd_kernel_kind_name(kernel->kind), kernel->name, wrong, at.src_align,
                         at.dst_align);
            }
        }
    }
}

static void prove_all(void) {
    unsigned count;
    const struct nd_kernel *rows = nd_kernels(&count);

    assert_true(count > 10);
    for (unsigned i = 0; i < count; i++) {
        prove(&rows[i]);
    }
}

static void every_kernel_is_the_reference_for_every_length_and_alignment(void **state) {
    (void)state;
    nd_kernel_room_fill(&room, (uint32_t)unit_random());
    prove_all();
}

static void every_kernel_brings_every_carry_round(void **state) {
    (void)state;
    nd_kernel_room_fill_ones(&room);
    prove_all();
}

/* ---- the proof itself ---- */

static uint16_t forgets_a_carry(const void *bytes, size_t len) {
    return len == 1461 ? (uint16_t)(ref(bytes, len) - 1) : ref(bytes, len);
}

static void *stores_one_too_many(void *dst, const void *src, size_t len) {
    memcpy(dst, src, len);
    if (len == 77) {
        ((uint8_t *)dst)[len] = 0;
    }
    return dst;
}

static void *leaves_one_out(void *dst, const void *src, size_t len) {
    memcpy(dst, src, len == 1025 ? len - 1 : len);
    return dst;
}

static void the_proof_names_the_first_length_that_is_wrong(void **state) {
    const struct nd_kernel sum = {ND_KERNEL_CHECKSUM, "bad", {.checksum = forgets_a_carry}};
    const struct nd_kernel more = {ND_KERNEL_COPY, "bad", {.copy = stores_one_too_many}};
    const struct nd_kernel less = {ND_KERNEL_COPY, "bad", {.copy = leaves_one_out}};
    const struct nd_kernel_case at = {.src_align = 3, .dst_align = 5, .len = LENGTHS};
    const struct nd_kernel_case one = {.src_align = 3, .dst_align = 5, .len = 1025};
    const struct nd_kernel_case other = {.src_align = 3, .dst_align = 5, .len = 1024};

    (void)state;
    nd_kernel_room_fill(&room, 1);
    assert_int_equal(nd_kernel_prove(&sum, &room, &at), 1461);
    assert_int_equal(nd_kernel_prove(&more, &room, &at), 77);
    assert_int_equal(nd_kernel_prove(&less, &room, &at), 1025);
    assert_int_equal(nd_kernel_prove_one(&less, &room, &one), 1025);
    assert_int_equal(nd_kernel_prove_one(&less, &room, &other), -1);
}

/* ---- the reference ---- */

static void the_sum_of_rfc_1071_is_right(void **state) {
    static const uint8_t bytes[] = {0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7};
    static const uint8_t sum[] = {0xDD, 0xF2};
    uint16_t got = nd_checksum(bytes, sizeof bytes);

    (void)state;
    assert_memory_equal(&got, sum, sizeof sum);
}

/* Words by their value on the wire, modulo 2^16 - 1: which zero it is, the bytes tell. */
static void the_reference_is_arithmetic_modulo_65535(void **state) {
    uint8_t bytes[301];

    (void)state;
    for (size_t len = 0; len < sizeof bytes; len++) {
        uint64_t sum = 0, any = 0;
        uint16_t got;
        uint8_t wire[2];

        for (size_t i = 0; i < len; i++) {
            bytes[i] = (uint8_t)unit_random_magnitude();
            any |= bytes[i];
            sum += (uint64_t)bytes[i] << (i % 2 == 0 ? 8 : 0);
        }
        got = ref(bytes, len);
        memcpy(wire, &got, sizeof wire);
        assert_int_equal((wire[0] << 8 | wire[1]) % 65535, sum % 65535);
        assert_int_equal(got == 0, any == 0);
    }
}

static void a_sum_longer_than_any_counter_is_right(void **state) {
    size_t len = (5u << 20) + 37;
    uint8_t *bytes = malloc(len + 1);
    uint8_t *copy = malloc(len + 1);
    unsigned count;
    const struct nd_kernel *rows = nd_kernels(&count);

    (void)state;
    assert_non_null(bytes);
    assert_non_null(copy);
    for (unsigned ones = 0; ones < 2; ones++) {
        for (size_t i = 0; i < len; i++) {
            bytes[i] = ones != 0 ? 0xFF : (uint8_t)(unit_random() | 0x80);
        }
        uint16_t expected = ref(bytes, len);

        for (unsigned i = 0; i < count; i++) {
            if (rows[i].kind == ND_KERNEL_CHECKSUM) {
                assert_int_equal(rows[i].call.checksum(bytes, len), expected);
            } else if (rows[i].kind == ND_KERNEL_COPY_CHECKSUM) {
                assert_int_equal(rows[i].call.copy_checksum(copy + 1, bytes, len), expected);
                assert_memory_equal(copy + 1, bytes, len);
            }
        }
    }
    free(bytes);
    free(copy);
}

/* ---- what is made of sums ---- */

static void pieces_combine_to_the_whole(void **state) {
    uint8_t bytes[203];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)unit_random();
    }
    for (size_t cut = 0; cut <= sizeof bytes; cut++) {
        uint16_t first = nd_checksum(bytes, cut);
        uint16_t second = nd_checksum(bytes + cut, sizeof bytes - cut);

        assert_int_equal(nd_checksum_combine(first, cut, second), ref(bytes, sizeof bytes));
    }
}

static void an_updated_field_is_that_of_the_changed_bytes(void **state) {
    uint16_t words[10];

    (void)state;
    for (unsigned turn = 0; turn < 20000; turn++) {
        unsigned place = (unsigned)unit_random_below(9);
        uint16_t field;
        uint32_t before, after = (uint32_t)unit_random_magnitude();

        for (unsigned i = 0; i < 10; i++) {
            words[i] = (uint16_t)unit_random_magnitude();
        }
        words[9] = 1; /* a header is never all 0 */
        field = (uint16_t)~nd_checksum(words, sizeof words);
        memcpy(&before, &words[place], sizeof before);
        if (place == 8) {
            after = (after & UINT16_MAX) | 1u << 16;
        }
        uint16_t word_before = words[place];
        uint16_t word_after = (uint16_t)after;
        uint16_t by_32 = nd_checksum_update32(field, before, after);
        uint16_t by_16 = nd_checksum_update(field, word_before, word_after);

        words[place] = word_after;
        assert_int_equal(by_16, (uint16_t)~nd_checksum(words, sizeof words));
        memcpy(&words[place], &after, sizeof after);
        assert_int_equal(by_32, (uint16_t)~nd_checksum(words, sizeof words));
    }
}

/* RFC 1624, section 4: where RFC 1141 gave the other zero. */
static void the_example_of_rfc_1624_is_right(void **state) {
    (void)state;
    assert_int_equal(nd_checksum_update(0xDD2F, 0x5555, 0x3285), 0x0000);
}

static void the_chosen_kernels_are_right(void **state) {
    const struct nd_kernel chosen[] = {
        {ND_KERNEL_CHECKSUM, "chosen", {.checksum = nd_checksum}},
        {ND_KERNEL_COPY, "chosen", {.copy = nd_copy}},
        {ND_KERNEL_COPY_CHECKSUM, "chosen", {.copy_checksum = nd_copy_checksum}},
    };

    (void)state;
    nd_kernel_room_fill(&room, (uint32_t)unit_random());
    for (unsigned i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        prove(&chosen[i]);
    }
}

/* What the drop-in for lwIP relies on. */
static void lwips_own_sums_are_the_same(void **state) {
    unsigned count;
    const struct nd_kernel *others = nd_kernel_others(&count);

    (void)state;
    nd_kernel_room_fill(&room, (uint32_t)unit_random());
    for (unsigned i = 0; i < count; i++) {
        prove(&others[i]);
    }
}

/* 00 01 F2 03 F4 F5 F6 F7 sums up to DD F2 on the wire. */
static void picotcp_gets_the_inverted_value(void **state) {
    static const uint8_t bytes[] = {0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7};

    (void)state;
    assert_int_equal(__wrap_pico_checksum(bytes, sizeof bytes), 0x220D);
    assert_int_equal(__wrap_pico_dualbuffer_checksum(bytes, 4, bytes + 4, 4), 0x220D);
}

static void every_kind_has_a_name(void **state) {
    (void)state;
    assert_string_equal(nd_kernel_kind_name(ND_KERNEL_COPY_CHECKSUM), "copy-checksum");
    assert_null(nd_kernel_kind_name((enum nd_kernel_kind)0));
    assert_null(nd_kernel_kind_name((enum nd_kernel_kind)(ND_KERNEL_FIFO_READ32 + 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_is_the_reference_for_every_length_and_alignment),
        cmocka_unit_test(every_kernel_brings_every_carry_round),
        cmocka_unit_test(the_proof_names_the_first_length_that_is_wrong),
        cmocka_unit_test(the_sum_of_rfc_1071_is_right),
        cmocka_unit_test(the_reference_is_arithmetic_modulo_65535),
        cmocka_unit_test(a_sum_longer_than_any_counter_is_right),
        cmocka_unit_test(pieces_combine_to_the_whole),
        cmocka_unit_test(an_updated_field_is_that_of_the_changed_bytes),
        cmocka_unit_test(the_example_of_rfc_1624_is_right),
        cmocka_unit_test(the_chosen_kernels_are_right),
        cmocka_unit_test(lwips_own_sums_are_the_same),
        cmocka_unit_test(picotcp_gets_the_inverted_value),
        cmocka_unit_test(every_kind_has_a_name),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
