/* SPDX-License-Identifier: BSD-3-Clause */
/* opt.h - options from a table, one row per option.
 *
 * A command is a row, too; parsing, checking and the usage text all come from the same table,
 * so they cannot disagree. */
#ifndef ND_TOOL_OPT_H
#define ND_TOOL_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "units.h"

/* Options of one command, and operands or list items, at most. */
#define OPT_ROWS  48
#define OPT_ITEMS 16

enum opt_kind {
    OPT_FLAG,   /* bool: set to true */
    OPT_TEXT,   /* const char *, NULL when not given */
    OPT_NUMBER, /* uint64_t in the base unit of `units` */
    OPT_LIST,   /* struct opt_list, one item each time it is given */
    OPT_REFUSED /* a known option that is not supported; help says why */
};

struct opt {
    enum opt_kind kind;
    char letter;      /* 0 = none */
    const char *name; /* long form, NULL = none */
    const char *arg;  /* placeholder in the usage text; NULL for flags */
    const char *help; /* a few words */
    size_t offset;    /* of the value in the command's options */
    enum units units; /* OPT_NUMBER only, as are the next three */
    uint64_t preset;  /* value when not given */
    uint64_t min;
    uint64_t max;
};

/* Rows, one line each. at: offset of the value in the command's options. */
#define OPT_ROW_FLAG(l, n, at, h)                                                                  \
    { .kind = OPT_FLAG, .letter = l, .name = n, .help = h, .offset = at }
#define OPT_ROW_TEXT(l, n, a, at, h)                                                               \
    { .kind = OPT_TEXT, .letter = l, .name = n, .arg = a, .help = h, .offset = at }
#define OPT_ROW_LIST(l, n, a, at, h)                                                               \
    { .kind = OPT_LIST, .letter = l, .name = n, .arg = a, .help = h, .offset = at }
#define OPT_ROW_NUMBER(l, n, a, at, u, p, low, high, h)                                            \
    {                                                                                              \
        .kind = OPT_NUMBER, .letter = l, .name = n, .arg = a, .help = h, .offset = at, .units = u, \
        .preset = p, .min = low, .max = high                                                       \
    }
#define OPT_ROW_REFUSED(l, n, why)                                                                 \
    { .kind = OPT_REFUSED, .letter = l, .name = n, .help = why }
#define OPT_ROW_END                                                                                \
    { .letter = 0 }

struct opt_list {
    const char *items[OPT_ITEMS];
    unsigned count;
};

/* One command of netdyno. */
struct command {
    const char *name;
    const char *summary;  /* one line for the list of commands */
    const char *operands; /* as the usage line shows them: "HOST"; "" = none */
    unsigned operands_min;
    unsigned operands_max;
    const struct opt *options; /* ends with a row without letter and name */
    size_t options_size;       /* size of the struct that the offsets refer to [byte] */
    const char *notes;         /* a paragraph below the options, or NULL */
    int (*run)(const void *options, const struct opt_list *operands); /* returns the exit code */
};

enum opt_result { OPT_OK, OPT_HELP, OPT_BAD };

/* Read argv (argv[0] is the command's name) into *options and *operands. OPT_HELP when --help was
 * asked for; OPT_BAD after one line on stderr. */
enum opt_result opt_parse(const struct command *command, int argc, char **argv, void *options,
                          struct opt_list *operands);

/* Write the usage text of a command. */
void opt_usage(const struct command *command, FILE *out);

#endif
