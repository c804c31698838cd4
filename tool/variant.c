/* SPDX-License-Identifier: BSD-3-Clause */
#include "variant.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

#define BLANKS " \t\r"

/* A line of the table. */
struct row {
    struct variant_part part;
    char *options; /* separated by blanks */
};

/* What one reading needs. */
struct reading {
    struct variant *variant;
    const char *command;
    struct row rows[VARIANT_PARTS];
    unsigned row_count;
};

/* ---- the table ------------------------------------------------------------------------- */

static void take_line(struct reading *reading, char *line) {
    struct row *row = &reading->rows[reading->row_count];
    char *rest = NULL;

    line[strcspn(line, "#")] = '\0';
    row->part.name = strtok_r(line, BLANKS, &rest);
    row->part.layer = strtok_r(NULL, BLANKS, &rest);
    row->part.caller = strtok_r(NULL, BLANKS, &rest);
    row->options = rest;
    reading->row_count += row->part.caller != NULL;
}

/* An image without a table knows no names. */
static bool read_table(struct reading *reading, const char *firmware, const char *image) {
    const char *slash = strrchr(firmware, '/');
    int folder = slash != NULL ? (int)(slash + 1 - firmware) : 0;
    char path[PATH_MAX];
    char *rest = NULL;
    size_t size = 0;
    FILE *file;

    snprintf(path, sizeof path, "%.*s%s.without", folder, firmware, image);
    file = fopen(path, "r");
    if (file == NULL || getdelim(&reading->variant->table, &size, '\0', file) < 0) {
        say_error("cannot read %s: %s", path, file != NULL ? "empty" : strerror(errno));
        if (file != NULL) {
            fclose(file);
        }
        return false;
    }
    fclose(file);
    for (char *line = strtok_r(reading->variant->table, "\n", &rest);
         line != NULL && reading->row_count < VARIANT_PARTS; line = strtok_r(NULL, "\n", &rest)) {
        take_line(reading, line);
    }
    return true;
}

/* ---- what was asked for ---------------------------------------------------------------- */

static int refuse(const struct reading *reading, const char *what, const char *expected) {
    return say_usage(reading->command, "--%s: %s", what, expected);
}

static int add_option(struct reading *reading, const char *option) {
    struct variant *variant = reading->variant;
    const char *wrong = image_build_check(option);

    if (wrong != NULL || variant->option_count == IMAGE_BUILD_OPTIONS) {
        return refuse(reading, option, wrong != NULL ? wrong : "too many options");
    }
    variant->options[variant->option_count++] = option;
    return SAY_DONE;
}

static int add_part(struct reading *reading, const struct variant_part *part) {
    struct variant *variant = reading->variant;

    if (variant->part_count == VARIANT_PARTS) {
        return refuse(reading, part->name, "too many names");
    }
    variant->parts[variant->part_count++] = *part;
    return SAY_DONE;
}

static int add_row(struct reading *reading, struct row *row) {
    int code = add_part(reading, &row->part);
    char *rest = NULL;

    for (char *option = strtok_r(row->options, BLANKS, &rest); option != NULL && code == SAY_DONE;
         option = strtok_r(NULL, BLANKS, &rest)) {
        code = add_option(reading, option);
    }
    return code;
}

/* Not a question of how the image is built: the load has a form in which the stack copies nothing.
 */
static int add_copy(struct reading *reading) {
    static const struct variant_part part = {.name = "copy", .layer = "copy"};
    struct variant *variant = reading->variant;

    if (variant->load->uncopied == NULL) {
        return say_usage(reading->command, "--without copy: expected --load tcp-tx, got %s",
                         variant->load->name);
    }
    variant->load = load_find(variant->load->uncopied, reading->command);
    return add_part(reading, &part);
}

static struct row *find_row(struct reading *reading, const char *name) {
    for (unsigned i = 0; i < reading->row_count; i++) {
        if (strcmp(reading->rows[i].part.name, name) == 0) {
            return &reading->rows[i];
        }
    }
    return NULL;
}

static int refuse_name(const struct reading *reading, const char *name) {
    char names[256];
    size_t length = (size_t)snprintf(names, sizeof names, "copy");

    for (unsigned i = 0; i < reading->row_count && length < sizeof names; i++) {
        length += (size_t)snprintf(names + length, sizeof names - length, ", %s",
                                   reading->rows[i].part.name);
    }
    return say_usage(reading->command,
                     "--without %s: expected %s, or the NAME of an option that is then 0", name,
                     names);
}

/* `room` takes "NAME=0". */
static int leave_out(struct reading *reading, const char *name, char *room) {
    struct row *row = find_row(reading, name);

    if (row != NULL) {
        return add_row(reading, row);
    }
    if (strcmp(name, "copy") == 0) {
        return add_copy(reading);
    }
    if (!isupper((unsigned char)name[0])) {
        return refuse_name(reading, name);
    }
    reading->variant->is_predictable = false;
    sprintf(room, "%s=0", name);
    return add_option(reading, room);
}

static size_t words_bytes(const struct opt_list *list) {
    size_t bytes = 0;

    for (unsigned i = 0; i < list->count; i++) {
        bytes += strlen(list->items[i]) + 1;
    }
    return bytes;
}

/* Every name of the lists, each with room for a "=0" of its own in variant->words. */
static int leave_out_all(struct reading *reading, const struct opt_list *without) {
    char *lists = reading->variant->words;
    char *room = lists + words_bytes(without);
    int code = SAY_DONE;

    for (unsigned i = 0; i < without->count && code == SAY_DONE; i++) {
        char *rest = NULL;

        strcpy(lists, without->items[i]);
        for (char *name = strtok_r(lists, ",", &rest); name != NULL && code == SAY_DONE;
             name = strtok_r(NULL, ",", &rest)) {
            code = leave_out(reading, name, room);
            room += strlen(name) + sizeof "=0";
        }
        lists += strlen(without->items[i]) + 1;
    }
    return code;
}

int variant_read(struct variant *variant, const char *command, const struct opt_list *without,
                 const struct opt_list *with, const struct load *load, const char *firmware,
                 const char *image) {
    struct reading reading = {.variant = variant, .command = command};
    int code = SAY_DONE;

    *variant = (struct variant){.load = load, .is_predictable = with->count == 0};
    variant->words = malloc(4 * words_bytes(without) + 1); /* "A," may become "A=0" */
    if (variant->words == NULL) {
        say_error("out of memory");
        return SAY_FAILED;
    }
    if (without->count > 0 && !read_table(&reading, firmware, image)) {
        return SAY_FAILED;
    }
    code = leave_out_all(&reading, without);
    for (unsigned i = 0; i < with->count && code == SAY_DONE; i++) {
        code = add_option(&reading, with->items[i]);
    }
    return code;
}

uint64_t variant_cycles(const struct variant *variant, const struct profile *profile) {
    uint64_t cycles = 0;

    for (unsigned i = 0; i < variant->part_count; i++) {
        cycles += profile_called(profile, variant->parts[i].layer, variant->parts[i].caller);
    }
    return cycles;
}

void variant_free(struct variant *variant) {
    free(variant->table);
    free(variant->words);
    *variant = (struct variant){0};
}
