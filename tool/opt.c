/* SPDX-License-Identifier: BSD-3-Clause */
#include "opt.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "say.h"

/* getopt_long() answers this plus the row for an option without a letter. */
#define LONG_ONLY 256

/* Longest line of accepted options in an error. */
#define NAMES_BYTES 512

/* The same table in the words of getopt_long(); starts all zero. */
struct translation {
    char letters[2 * OPT_ROWS + 4];
    struct option names[OPT_ROWS + 2];
};

static bool is_end(const struct opt *row) {
    return row->letter == 0 && row->name == NULL;
}

static bool takes_argument(const struct opt *row) {
    return row->arg != NULL;
}

static int code_of(const struct opt *rows, unsigned row) {
    return rows[row].letter != 0 ? rows[row].letter : LONG_ONLY + (int)row;
}

static void translate(const struct opt *rows, struct translation *out) {
    char *letter = out->letters;
    struct option *name = out->names;

    *letter++ = ':'; /* tell a missing argument from an unknown option */
    *letter++ = 'h';
    for (unsigned i = 0; i < OPT_ROWS && !is_end(&rows[i]); i++) {
        if (rows[i].letter != 0) {
            *letter++ = rows[i].letter;
            if (takes_argument(&rows[i])) {
                *letter++ = ':';
            }
        }
        if (rows[i].name != NULL) {
            *name = (struct option){
                .name = rows[i].name, .has_arg = takes_argument(&rows[i]), .val = code_of(rows, i)};
            name++;
        }
    }
    *name = (struct option){.name = "help", .val = 'h'};
}

static const struct opt *find_row(const struct opt *rows, int code) {
    for (unsigned i = 0; i < OPT_ROWS && !is_end(&rows[i]); i++) {
        if (code_of(rows, i) == code) {
            return &rows[i];
        }
    }
    return NULL;
}

/* "-p" or "--bytes": how an error names an option. */
static const char *shown(const struct opt *row, char text[32]) {
    if (row->name != NULL) {
        snprintf(text, 32, "--%s", row->name);
    } else {
        snprintf(text, 32, "-%c", row->letter);
    }
    return text;
}

static void list_names(const struct opt *rows, char text[NAMES_BYTES]) {
    size_t length = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < OPT_ROWS && !is_end(&rows[i]); i++) {
        char letter[4] = "", name[32] = "";

        if (rows[i].kind == OPT_REFUSED) {
            continue;
        }
        if (rows[i].letter != 0) {
            snprintf(letter, sizeof letter, "-%c ", rows[i].letter);
        }
        if (rows[i].name != NULL) {
            snprintf(name, sizeof name, "--%s ", rows[i].name);
        }
        length += (size_t)snprintf(text + length, NAMES_BYTES - length, "%s%s", letter, name);
        if (length >= NAMES_BYTES) {
            return;
        }
    }
    snprintf(text + length, NAMES_BYTES - length, "--help");
}

static void refuse_unknown(const struct command *command, char *word) {
    char names[NAMES_BYTES];

    list_names(command->options, names);
    if (optopt > 0 && optopt < LONG_ONLY && strchr(word, '=') == NULL) {
        say_usage(command->name, "unknown option -%c, expected one of: %s", optopt, names);
    } else {
        say_usage(command->name, "unknown option %s, expected one of: %s", word, names);
    }
}

static bool store_number(const struct command *command, const struct opt *row, const char *text,
                         uint64_t *value) {
    char name[32], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    uint64_t number;
    int result = units_parse(row->units, text, &number);

    if (result == UNITS_E_FORM || result == UNITS_E_FINE) {
        say_usage(command->name, "%s %s: expected %s", shown(row, name), text,
                  units_forms(row->units));
        return false;
    }
    if (result == UNITS_E_RANGE || number < row->min || number > row->max) {
        say_usage(command->name, "%s %s is out of range, expected %s to %s", shown(row, name), text,
                  units_print(row->units, row->min, low), units_print(row->units, row->max, high));
        return false;
    }
    *value = number;
    return true;
}

static bool append(const struct command *command, const char *what, struct opt_list *list,
                   const char *item) {
    if (list->count == OPT_ITEMS) {
        say_usage(command->name, "more than %d of %s", OPT_ITEMS, what);
        return false;
    }
    list->items[list->count++] = item;
    return true;
}

static bool store(const struct command *command, const struct opt *row, const char *text,
                  void *options) {
    char name[32];
    void *value = (char *)options + row->offset;

    switch (row->kind) {
    case OPT_FLAG:
        *(bool *)value = true;
        return true;
    case OPT_TEXT:
        *(const char **)value = text;
        return true;
    case OPT_NUMBER:
        return store_number(command, row, text, value);
    case OPT_LIST:
        return append(command, shown(row, name), value, text);
    case OPT_REFUSED:
        say_usage(command->name, "%s: %s", shown(row, name), row->help);
        return false;
    }
    return false;
}

static void preset(const struct command *command, void *options) {
    memset(options, 0, command->options_size);
    for (const struct opt *row = command->options; !is_end(row); row++) {
        if (row->kind == OPT_NUMBER) {
            *(uint64_t *)(void *)((char *)options + row->offset) = row->preset;
        }
    }
}

static bool take_operands(const struct command *command, int argc, char **argv,
                          struct opt_list *operands) {
    operands->count = 0;
    for (int i = optind; i < argc; i++) {
        if (operands->count == command->operands_max) {
            say_usage(command->name, "unexpected argument %s", argv[i]);
            return false;
        }
        if (!append(command, command->operands, operands, argv[i])) {
            return false;
        }
    }
    if (operands->count < command->operands_min) {
        say_usage(command->name, "%s is missing", command->operands);
        return false;
    }
    return true;
}

enum opt_result opt_parse(const struct command *command, int argc, char **argv, void *options,
                          struct opt_list *operands) {
    struct translation table = {0};
    int code;

    translate(command->options, &table);
    preset(command, options);
    opterr = 0;
    optind = 0; /* start over: this may not be the first table of the process */
    while ((code = getopt_long(argc, argv, table.letters, table.names, NULL)) != -1) {
        char *word = argv[optind - 1];

        if (code == 'h' && find_row(command->options, code) == NULL) {
            return OPT_HELP;
        }
        if (code == '?') {
            refuse_unknown(command, word);
            return OPT_BAD;
        }
        if (code == ':') {
            say_usage(command->name, "option %s needs a value", word);
            return OPT_BAD;
        }
        if (!store(command, find_row(command->options, code), optarg, options)) {
            return OPT_BAD;
        }
    }
    return take_operands(command, argc, argv, operands) ? OPT_OK : OPT_BAD;
}

/* Where it is 0, the help says what that means. */
static void print_preset(const struct opt *row, FILE *out) {
    char text[UNITS_TEXT_BYTES];

    if (row->kind == OPT_NUMBER && row->preset != 0) {
        fprintf(out, " [%s]", units_print(row->units, row->preset, text));
    }
}

void opt_usage(const struct command *command, FILE *out) {
    fprintf(out, "netdyno %s [OPTION]...%s%s\n%s.\n\n", command->name,
            command->operands[0] != '\0' ? " " : "", command->operands, command->summary);
    for (const struct opt *row = command->options; !is_end(row); row++) {
        char left[48], letter[4] = "";

        if (row->kind == OPT_REFUSED) {
            continue;
        }
        if (row->letter != 0) {
            snprintf(letter, sizeof letter, "-%c", row->letter);
        }
        snprintf(left, sizeof left, "%2s%s%s%s%s%s", letter,
                 row->letter != 0 && row->name != NULL ? ", " : "",
                 row->letter == 0    ? "  --"
                 : row->name != NULL ? "--"
                                     : "",
                 row->name != NULL ? row->name : "", row->arg != NULL ? " " : "",
                 row->arg != NULL ? row->arg : "");
        fprintf(out, "  %-24s %s", left, row->help);
        print_preset(row, out);
        fputc('\n', out);
    }
    fprintf(out, "      --help               show this text\n");
    if (command->notes != NULL) {
        fprintf(out, "\n%s\n", command->notes);
    }
}
