/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "opt.h"

#define WORDS 16

struct options {
    bool flag;
    const char *text;
    uint64_t bytes;
    struct opt_list list;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_FLAG('f', "flag", AT(flag), "a flag"),
    OPT_ROW_TEXT('t', NULL, "TEXT", AT(text), "a text"),
    OPT_ROW_NUMBER('n', "bytes", "BYTES", AT(bytes), UNITS_BYTES, 1024, 1, 65536, "a size"),
    OPT_ROW_LIST(0, "set", "K=V", AT(list), "a list"),
    OPT_ROW_REFUSED('u', NULL, "not here"),
    OPT_ROW_END,
};

static const struct command command = {
    .name = "try",
    .summary = "Try things",
    .operands = "HOST",
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct options),
};

static struct options options;
static struct opt_list operands;

/* Parse a line of words. What is said on stderr goes into said[]. */
static char said[512];

static enum opt_result parse(const char *line) {
    static char copy[256];
    char *argv[WORDS + 1] = {NULL};
    int argc = 0;
    FILE *real = stderr;
    enum opt_result result;

    memset(said, 0, sizeof said);
    snprintf(copy, sizeof copy, "try %s", line);
    for (char *word = strtok(copy, " "); word != NULL && argc < WORDS; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    stderr = fmemopen(said, sizeof said - 1, "w");
    result = opt_parse(&command, argc, argv, &options, &operands);
    fclose(stderr);
    stderr = real;
    return result;
}

static void options_have_their_presets(void **state) {
    (void)state;
    assert_int_equal(parse(""), OPT_OK);
    assert_false(options.flag);
    assert_null(options.text);
    assert_true(options.bytes == 1024);
    assert_int_equal(options.list.count, 0);
    assert_int_equal(operands.count, 0);
}

static void values_may_be_attached_or_apart(void **state) {
    static const char *const lines[] = {"-n2K", "-n 2K", "--bytes=2K", "--bytes 2K", "-fn2K"};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_int_equal(parse(lines[i]), OPT_OK);
        assert_true(options.bytes == 2048);
    }
}

static void options_and_operands_mix(void **state) {
    (void)state;
    assert_int_equal(parse("host -f -t x --set a=1 --set b=2"), OPT_OK);
    assert_true(options.flag);
    assert_string_equal(options.text, "x");
    assert_int_equal(options.list.count, 2);
    assert_string_equal(options.list.items[1], "b=2");
    assert_int_equal(operands.count, 1);
    assert_string_equal(operands.items[0], "host");
}

static void a_parse_forgets_the_one_before(void **state) {
    (void)state;
    assert_int_equal(parse("-f -n 9 host"), OPT_OK);
    assert_int_equal(parse(""), OPT_OK);
    assert_false(options.flag);
    assert_true(options.bytes == 1024);
}

static void errors_are_one_line_with_what_was_expected(void **state) {
    static const struct {
        const char *line;
        const char *says;
    } cases[] = {
        {"-x", "unknown option -x, expected one of: -f --flag -t -n --bytes --set --help"},
        {"--wrong", "unknown option --wrong, expected one of:"},
        {"--flag=1", "unknown option --flag=1"},
        {"-n", "option -n needs a value"},
        {"-n 5Q", "--bytes 5Q: expected a size such as"},
        {"-n -5", "--bytes -5: expected a size"},
        {"-n 0", "--bytes 0 is out of range, expected 1 to 64K"},
        {"-n 65K", "--bytes 65K is out of range, expected 1 to 64K"},
        {"-u", "-u: not here"},
        {"a b", "unexpected argument b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse(cases[i].line), OPT_BAD);
        assert_non_null(strstr(said, cases[i].says));
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
        assert_ptr_equal(strstr(said, "netdyno: try: "), said);
    }
}

static void help_wins_where_it_stands(void **state) {
    (void)state;
    assert_int_equal(parse("--help"), OPT_HELP);
    assert_int_equal(parse("-h"), OPT_HELP);
    assert_int_equal(parse("host -f --help -x"), OPT_HELP);
}

static void usage_names_every_option_within_80_columns(void **state) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    opt_usage(&command, out);
    fclose(out);
    assert_non_null(strstr(text, "-f, --flag"));
    assert_non_null(strstr(text, "-n, --bytes BYTES"));
    assert_non_null(strstr(text, "a size [1K]"));
    assert_non_null(strstr(text, "--set K=V"));
    assert_null(strstr(text, "-u"));
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 80);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_their_presets),
        cmocka_unit_test(values_may_be_attached_or_apart),
        cmocka_unit_test(options_and_operands_mix),
        cmocka_unit_test(a_parse_forgets_the_one_before),
        cmocka_unit_test(errors_are_one_line_with_what_was_expected),
        cmocka_unit_test(help_wins_where_it_stands),
        cmocka_unit_test(usage_names_every_option_within_80_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
