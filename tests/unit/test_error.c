/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <string.h>

#include "nd/error.h"

#include "unit.h"

static void every_result_has_the_name_that_reports_print(void **state) {
    static const struct {
        int result;
        const char *name;
    } known[] = {
        {ND_OK, "ok"},
        {ND_AGAIN, "again"},
        {ND_EOF, "eof"},
        {ND_E_ARG, "arg"},
        {ND_E_REFUSED, "refused"},
        {ND_E_RESET, "reset"},
        {ND_E_TIMEOUT, "timeout"},
        {ND_E_UNREACHABLE, "unreachable"},
        {ND_E_FULL, "full"},
        {ND_E_MEMORY, "memory"},
        {ND_E_STATE, "state"},
        {ND_E_UNSUPPORTED, "unsupported"},
        {ND_E_IN_USE, "in_use"},
        {ND_E_PROTOCOL, "protocol"},
        {ND_E_SHORT, "short"},
        {ND_E_STOPPED, "stopped"},
        {ND_E_STACK, "stack"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_string_equal(nd_error_name(known[i].result), known[i].name);
    }
}

static void no_value_between_the_first_and_the_last_is_without_a_name(void **state) {
    (void)state;
    for (int result = ND_E_STACK; result <= ND_OK; result++) {
        assert_non_null(nd_error_name(result));
        assert_string_not_equal(nd_error_name(result), "unknown");
    }
}

static void a_value_not_listed_is_unknown(void **state) {
    static const int strangers[] = {1, INT_MAX, ND_E_STACK - 1, -101, INT_MIN};

    (void)state;
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        assert_string_equal(nd_error_name(strangers[i]), "unknown");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_has_the_name_that_reports_print),
        cmocka_unit_test(no_value_between_the_first_and_the_last_is_without_a_name),
        cmocka_unit_test(a_value_not_listed_is_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
