/* SPDX-License-Identifier: BSD-3-Clause */
/* The marks on two registers, one that sets bits and one that clears them. */
#include "unit.h"

static volatile uint32_t set_register;
static volatile uint32_t clear_register;

#define ND_CFG_SPAN                ND_SPAN_PINS
#define ND_CFG_SPAN_SET_REGISTER   &set_register
#define ND_CFG_SPAN_CLEAR_REGISTER &clear_register
#define ND_CFG_SPAN_TASKS          0x70u

#include "nd/span.h"

static void expect_written(uint32_t set, uint32_t clear) {
    assert_int_equal(set_register, set);
    assert_int_equal(clear_register, clear);
    set_register = 0;
    clear_register = 0;
}

static void a_span_sets_and_clears_its_bit(void **state) {
    (void)state;
    ND_SPAN_BEGIN(3);
    expect_written(8, 0);
    ND_SPAN_END(3);
    expect_written(0, 8);
    ND_SPAN_BEGIN(31);
    expect_written(0x80000000u, 0);
}

static void of_the_tasks_one_bit_is_up(void **state) {
    (void)state;
    ND_SPAN_TASK(5);
    expect_written(0x20, 0x50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_sets_and_clears_its_bit),
        cmocka_unit_test(of_the_tasks_one_bit_is_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
