/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <stdbool.h>

#include "nd/span.h"

static unsigned asked;

static inline uint32_t ask(void) {
    asked++;
    return 0;
}

static void marks_that_are_off_do_not_look_at_their_argument(void **state) {
    (void)state;
    assert_int_equal(ask(), 0);
    ND_SPAN_BEGIN(ask());
    ND_SPAN_END(ask());
    ND_SPAN_TASK(ask());
    assert_int_equal(asked, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_that_are_off_do_not_look_at_their_argument),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
