/* SPDX-License-Identifier: BSD-3-Clause */
/* Every access to a data register: how many, at which address, in which order. */
#include "unit.h"

#include <stdbool.h>
#include <string.h>

#include "fifo_watch.h"
#include "nd/copy.h"
#include "rows.h"

#define WORDS  40u
#define ALIGNS 4u

static uint32_t reg; /* the register; never accessed itself */
static uint32_t put[WORDS];
static uint32_t count;

void fifo_watch_put(const volatile void *fifo, uint32_t word) {
    assert_ptr_equal(fifo, &reg);
    assert_true(count < WORDS);
    put[count++] = word;
}

/* 1, 2, 3 ... in both halves of a word. */
uint32_t fifo_watch_take(const volatile void *fifo) {
    assert_ptr_equal(fifo, &reg);
    count++;
    return count << 16 | count;
}

static void check_write(bool wide, bool rolled) {
    uint8_t bytes[WORDS * 4 + ALIGNS];
    size_t width = wide ? 4 : 2;

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)unit_random();
    }
    for (size_t align = 0; align < ALIGNS; align++) {
        for (uint32_t words = 0; words <= WORDS; words++) {
            count = 0;
            if (wide) {
                (rolled ? nd__fifo_write32_rolled : nd_fifo_write32)(&reg, bytes + align, words);
            } else {
                (rolled ? nd__fifo_write16_rolled : nd_fifo_write16)((volatile uint16_t *)&reg,
                                                                     bytes + align, words);
            }
            assert_int_equal(count, words);
            for (uint32_t i = 0; i < words; i++) {
                uint32_t expected = 0;

                memcpy(&expected, bytes + align + i * width, width);
                assert_int_equal(put[i], expected);
            }
        }
    }
}

static void check_read(bool wide, bool rolled) {
    uint8_t bytes[WORDS * 4 + ALIGNS + 1];
    size_t width = wide ? 4 : 2;

    for (size_t align = 0; align < ALIGNS; align++) {
        for (uint32_t words = 0; words <= WORDS; words++) {
            memset(bytes, 0xA5, sizeof bytes);
            count = 0;
            if (wide) {
                (rolled ? nd__fifo_read32_rolled : nd_fifo_read32)(bytes + align, &reg, words);
            } else {
                (rolled ? nd__fifo_read16_rolled
                        : nd_fifo_read16)(bytes + align, (volatile uint16_t *)&reg, words);
            }
            assert_int_equal(count, words);
            for (uint32_t i = 0; i < words; i++) {
                uint32_t got = 0;

                memcpy(&got, bytes + align + i * width, width);
                assert_int_equal(got, wide ? (i + 1) << 16 | (i + 1) : i + 1);
            }
            assert_int_equal(bytes[align + words * width], 0xA5);
        }
    }
}

static void each_word_is_written_once_and_in_order(void **state) {
    (void)state;
    check_write(false, true);
    check_write(false, false);
    check_write(true, true);
    check_write(true, false);
}

static void each_word_is_read_once_and_in_order(void **state) {
    (void)state;
    check_read(false, true);
    check_read(false, false);
    check_read(true, true);
    check_read(true, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_word_is_written_once_and_in_order),
        cmocka_unit_test(each_word_is_read_once_and_in_order),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
