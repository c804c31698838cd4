/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <stddef.h>

#include "nd/error.h"
#include "text.h"

/* Returns how many words were used, 0 when it is not a number in range. */
static int take_number(struct nd__option *option, char **word, int left) {
    bool apart = word[0][2] == '\0';
    const char *digits = apart ? (left > 1 ? word[1] : "") : word[0] + 2;
    uint64_t value;

    if (!nd__text_u64(digits, nd__text_length(digits), &value) || value < 1 ||
        value > option->max) {
        return 0;
    }
    option->value = value;
    return apart ? 2 : 1;
}

/* Returns how many words were used, 0 = not understood. */
static int take_option(struct nd__option *options, unsigned count, char **word, int left) {
    for (unsigned i = 0; i < count; i++) {
        struct nd__option *option = &options[i];
        if (option->letter != word[0][1]) {
            continue;
        }
        if (option->max > 0) {
            return take_number(option, word, left);
        }
        option->value = 1;
        return word[0][2] == '\0';
    }
    return 0;
}

const char *nd__options_read(struct nd__option *options, unsigned count, struct nd_addr *host,
                             const char *usage, int argc, char **argv) {
    const char *word = NULL;

    for (int i = 1; i < argc;) {
        int used = 1;
        if (argv[i][0] == '-') {
            used = take_option(options, count, argv + i, argc - i);
        } else if (word != NULL) {
            used = 0;
        } else {
            word = argv[i];
        }
        if (used == 0) {
            return usage;
        }
        i += used;
    }
    if (word == NULL || nd_addr_parse(word, nd__text_length(word), host) != ND_OK) {
        return "expected a HOST, an address in numbers";
    }
    return NULL;
}
