/* SPDX-License-Identifier: BSD-3-Clause */
#include "vcd_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Scopes in each other, at most. */
#define SCOPES_MAX 32

/* The longest word that is kept; more of one is read past. A vector may be longer. */
#define WORD_BYTES 256

/* Places for identifier codes, at first: a power of two. */
#define SLOTS_FIRST 256

/* Times beyond this have no meaning here: their sums and percentages must fit in 64 bits. In units
 * of the file, and in nanoseconds: two years. */
#define TIME_MAX (UINT64_C(1) << 56)

/* A file being read. */
struct reader {
    struct vcd *vcd;
    FILE *file;
    char *error;
    uint64_t line;
    bool failed;
    char word[WORD_BYTES];      /* the latest; "" at the end of the file */
    size_t *slots;              /* index of a net plus 1 by hash of its code; 0 = free */
    size_t slot_count;          /* a power of two */
    char scope[VCD_NAME_BYTES]; /* with a dot behind each */
    size_t scope_ends[SCOPES_MAX];
    unsigned scope_count;
    bool defined; /* behind $enddefinitions */
    bool timed;   /* a time was read */
    uint64_t now;
};

static void fail(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void fail(struct reader *reader, const char *format, ...) {
    char text[VCD_ERROR_BYTES / 2];
    va_list args;

    if (reader->failed) {
        return; /* the first reason is the one to tell */
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *at = text; *at != '\0'; at++) {
        *at = isprint((unsigned char)*at) ? *at : '?';
    }
    snprintf(reader->error, VCD_ERROR_BYTES, "line %" PRIu64 ": %s", reader->line, text);
    reader->failed = true;
}

/* ---- words ---- */

static int next_byte(struct reader *reader) {
    int byte = getc(reader->file);

    reader->line += byte == '\n';
    return byte;
}

/* Read a word; false at the end of the file, or after a failure. */
static bool next_word(struct reader *reader) {
    size_t length = 0;
    int byte;

    do {
        byte = next_byte(reader);
    } while (byte != EOF && isspace(byte));
    while (byte != EOF && !isspace(byte)) {
        if (length + 1 < sizeof reader->word) {
            reader->word[length++] = (char)byte;
        }
        byte = next_byte(reader);
    }
    reader->word[length] = '\0';
    return length > 0 && !reader->failed;
}

static bool is_word(const struct reader *reader, const char *word) {
    return strcmp(reader->word, word) == 0;
}

/* Read a word that must be there before $end. */
static bool want_word(struct reader *reader, const char *what) {
    if (next_word(reader) && !is_word(reader, "$end")) {
        return true;
    }
    fail(reader, "expected %s, got %s", what, reader->word[0] != '\0' ? "$end" : "the file's end");
    return false;
}

static void skip_to_end(struct reader *reader) {
    while (next_word(reader)) {
        if (is_word(reader, "$end")) {
            return;
        }
    }
    fail(reader, "expected $end, got the file's end");
}

/* ---- nets ---- */

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
static size_t hash(const char *text) {
    uint64_t value = UINT64_C(14695981039346656037);

    for (; *text != '\0'; text++) {
        value = (value ^ (unsigned char)*text) * UINT64_C(1099511628211);
    }
    return (size_t)value;
}

/* The slot of a code: its net's, or the free one where it belongs. */
static size_t *slot_of(const struct reader *reader, const char *code) {
    size_t at = hash(code) & (reader->slot_count - 1);

    while (reader->slots[at] != 0 &&
           strcmp(reader->vcd->nets[reader->slots[at] - 1].code, code) != 0) {
        at = (at + 1) & (reader->slot_count - 1);
    }
    return &reader->slots[at];
}

/* Keep at least half of the slots free. */
static bool make_slots(struct reader *reader) {
    struct vcd *vcd = reader->vcd;
    size_t count = reader->slot_count > 0 ? 2 * reader->slot_count : SLOTS_FIRST;

    if (2 * vcd->net_count < reader->slot_count) {
        return true;
    }
    free(reader->slots);
    reader->slots = calloc(count, sizeof *reader->slots);
    reader->slot_count = reader->slots != NULL ? count : 0;
    for (size_t i = 0; i < vcd->net_count && reader->slots != NULL; i++) {
        *slot_of(reader, vcd->nets[i].code) = i + 1;
    }
    return reader->slots != NULL;
}

/* The net of a code, made if there is none; -1 after a failure. */
static int64_t declare_net(struct reader *reader, const char *code) {
    struct vcd *vcd = reader->vcd;
    struct vcd_net *nets;
    size_t *slot;

    if (!make_slots(reader)) {
        fail(reader, "out of memory");
        return -1;
    }
    slot = slot_of(reader, code);
    if (*slot != 0) {
        return (int64_t)(*slot - 1);
    }
    nets = realloc(vcd->nets, (vcd->net_count + 1) * sizeof *nets);
    if (nets == NULL) {
        fail(reader, "out of memory");
        return -1;
    }
    vcd->nets = nets;
    nets[vcd->net_count] = (struct vcd_net){.code = strdup(code)};
    if (nets[vcd->net_count].code == NULL) {
        fail(reader, "out of memory");
        return -1;
    }
    *slot = ++vcd->net_count;
    return (int64_t)(vcd->net_count - 1);
}

/* Append text to a name, as much of it as there is room for. */
static void append(char name[VCD_NAME_BYTES], const char *text) {
    size_t length = strlen(name);
    int room = (int)(VCD_NAME_BYTES - length);

    snprintf(name + length, (size_t)room, "%.*s", room - 1, text);
}

static void add_var(struct reader *reader, const char *name, int64_t net) {
    struct vcd *vcd = reader->vcd;
    struct vcd_var *vars = realloc(vcd->vars, (vcd->var_count + 1) * sizeof *vars);
    char whole[VCD_NAME_BYTES] = "";

    if (vars == NULL) {
        fail(reader, "out of memory");
        return;
    }
    vcd->vars = vars;
    append(whole, reader->scope);
    append(whole, name);
    vars[vcd->var_count] = (struct vcd_var){.name = strdup(whole), .net = (size_t)net};
    if (vars[vcd->var_count].name == NULL) {
        fail(reader, "out of memory");
        return;
    }
    vcd->var_count++;
}

/* ---- declarations ---- */

/* $timescale 1 ns $end, with or without the blank. */
static void read_timescale(struct reader *reader) {
    static const struct {
        const char *name;
        struct pulses_unit unit;
    } units[] = {{"s", {1000000000, 1}}, {"ms", {1000000, 1}}, {"us", {1000, 1}},
                 {"ns", {1, 1}},         {"ps", {1, 1000}},    {"fs", {1, 1000000}}};
    char *name;
    unsigned long number;

    if (!want_word(reader, "a time unit")) {
        return;
    }
    number = strtoul(reader->word, &name, 10);
    if (number != 1 && number != 10 && number != 100) {
        fail(reader, "$timescale %.32s: expected 1, 10 or 100 of a unit", reader->word);
        return;
    }
    if (*name == '\0') {
        if (!want_word(reader, "a time unit")) {
            return;
        }
        name = reader->word;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].name, name) == 0) {
            reader->vcd->unit = (struct pulses_unit){units[i].unit.num * number, units[i].unit.den};
            skip_to_end(reader);
            return;
        }
    }
    fail(reader, "$timescale of %.32s: expected s, ms, us, ns, ps or fs", name);
}

/* $scope module NAME $end */
static void read_scope(struct reader *reader) {
    size_t length = strlen(reader->scope);

    if (!want_word(reader, "the kind of a scope") || !want_word(reader, "the name of a scope")) {
        return;
    }
    if (reader->scope_count == SCOPES_MAX ||
        length + strlen(reader->word) + 2 > sizeof reader->scope) {
        fail(reader, "too many scopes in each other");
        return;
    }
    reader->scope_ends[reader->scope_count++] = length;
    append(reader->scope, reader->word);
    append(reader->scope, ".");
    skip_to_end(reader);
}

static void read_upscope(struct reader *reader) {
    if (reader->scope_count == 0) {
        fail(reader, "$upscope without $scope");
        return;
    }
    reader->scope[reader->scope_ends[--reader->scope_count]] = '\0';
    skip_to_end(reader);
}

/* $var wire 1 ! NAME [range] $end; only those of one bit are looked at. */
static void read_var(struct reader *reader) {
    char name[VCD_NAME_BYTES];
    bool levels; /* it has such, and no numbers or texts */
    bool one_bit;
    int64_t net;

    if (!want_word(reader, "the type of a signal")) {
        return;
    }
    levels = strncmp(reader->word, "real", 4) != 0 && !is_word(reader, "string");
    if (!want_word(reader, "the bits of a signal")) {
        return;
    }
    one_bit = levels && is_word(reader, "1");
    if (!want_word(reader, "the identifier of a signal")) {
        return;
    }
    net = declare_net(reader, reader->word);
    if (net < 0 || !want_word(reader, "the name of a signal")) {
        return;
    }
    if (reader->vcd->net_count > VCD_VARS_MAX || reader->vcd->var_count == VCD_VARS_MAX) {
        fail(reader, "more than %u signals", VCD_VARS_MAX);
        return;
    }
    snprintf(name, sizeof name, "%s", reader->word);
    while (next_word(reader) && !is_word(reader, "$end")) {
        append(name, reader->word); /* a range of bits */
    }
    if (one_bit) {
        add_var(reader, name, net);
    }
}

static void read_keyword(struct reader *reader) {
    static const struct {
        const char *word;
        void (*read)(struct reader *reader); /* NULL: stands anywhere, and says nothing */
    } table[] = {{"$timescale", read_timescale},
                 {"$scope", read_scope},
                 {"$upscope", read_upscope},
                 {"$var", read_var},
                 {"$comment", NULL},
                 {"$date", NULL},
                 {"$version", NULL}};
    static const char *const blocks[] = {"$dumpvars", "$dumpall", "$dumpon", "$dumpoff", "$end"};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!is_word(reader, table[i].word)) {
            continue;
        }
        if (table[i].read == NULL) {
            skip_to_end(reader);
        } else if (reader->defined) {
            fail(reader, "%s behind $enddefinitions", table[i].word);
        } else {
            table[i].read(reader);
        }
        return;
    }
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        if (is_word(reader, blocks[i])) {
            return; /* what stands between them are changes like others */
        }
    }
    if (is_word(reader, "$enddefinitions")) {
        reader->defined = true;
    }
    skip_to_end(reader); /* others' keywords, such as $attrbegin of GTKWave */
}

/* ---- changes ---- */

/* The first time: what was said of levels before is true from here on. */
static void begin_time(struct reader *reader) {
    struct vcd *vcd = reader->vcd;

    vcd->begin = reader->now;
    for (size_t i = 0; i < vcd->net_count; i++) {
        vcd->nets[i].pulses.since = reader->now;
    }
    reader->timed = true;
}

static void read_time(struct reader *reader) {
    char *end;
    uint64_t now = strtoull(reader->word + 1, &end, 10);

    if (!isdigit((unsigned char)reader->word[1]) || *end != '\0') {
        fail(reader, "%.32s is no time", reader->word);
    } else if (now > TIME_MAX || now * reader->vcd->unit.num / reader->vcd->unit.num != now ||
               now * reader->vcd->unit.num > TIME_MAX) {
        fail(reader, "time %.32s is too far away", reader->word);
    } else if (reader->timed && now < reader->now) {
        fail(reader, "time runs back, from %" PRIu64 " to %" PRIu64, reader->now, now);
    } else {
        reader->now = now;
        if (!reader->timed) {
            begin_time(reader);
        }
    }
}

/* The net of a code; NULL after a failure. */
static struct vcd_net *find_net(struct reader *reader, const char *code) {
    size_t slot = reader->slot_count > 0 ? *slot_of(reader, code) : 0;

    if (slot == 0) {
        fail(reader, "no signal has the identifier %.32s", code);
        return NULL;
    }
    return &reader->vcd->nets[slot - 1];
}

static void set_level(struct reader *reader, const char *code, char value) {
    struct vcd_net *net = find_net(reader, code);
    enum pulses_level level = value == '1'   ? PULSES_HIGH
                              : value == '0' ? PULSES_LOW
                                             : PULSES_UNKNOWN;

    if (net != NULL) {
        pulses_change(&net->pulses, reader->now, level);
    }
}

/* b1010 CODE: the value of a vector; one of one bit may be written so, too. */
static void read_vector(struct reader *reader) {
    char last = reader->word[strlen(reader->word) - 1];
    bool one_bit = strlen(reader->word) == 2;
    bool binary = strchr("bB", reader->word[0]) != NULL;

    if (!next_word(reader)) {
        fail(reader, "expected the identifier of a signal, got the file's end");
    } else if (binary && one_bit) {
        set_level(reader, reader->word, last);
    } else {
        find_net(reader, reader->word);
    }
}

static void read_change(struct reader *reader) {
    if (!reader->defined) {
        return; /* text in front of the declarations, as sigrok-cli writes there */
    }
    if (strchr("01xXzZ", reader->word[0]) != NULL) {
        set_level(reader, reader->word + 1, reader->word[0]);
    } else if (strchr("bBrRsS", reader->word[0]) != NULL) {
        read_vector(reader);
    } else {
        fail(reader, "expected a change of a value, got %.32s", reader->word);
    }
}

/* ---- the whole ---- */

static void read_all(struct reader *reader) {
    while (next_word(reader)) {
        if (reader->word[0] == '$') {
            read_keyword(reader);
        } else if (reader->word[0] == '#' && reader->defined) {
            read_time(reader);
        } else {
            read_change(reader);
        }
    }
    if (ferror(reader->file)) {
        fail(reader, "cannot be read");
    } else if (!reader->defined) {
        fail(reader, "no $enddefinitions: this is no value change dump");
    } else if (reader->vcd->var_count == 0) {
        fail(reader, "no signal of one bit is declared");
    } else if (!reader->timed) {
        fail(reader, "no time follows the declarations");
    }
}

int vcd_read(struct vcd *vcd, FILE *file, char error[VCD_ERROR_BYTES]) {
    struct reader reader = {.vcd = vcd, .file = file, .error = error, .line = 1};

    *vcd = (struct vcd){.unit = {1, 1}};
    read_all(&reader);
    free(reader.slots);
    if (reader.failed) {
        vcd_free(vcd);
        return -1;
    }
    vcd->end = reader.now;
    for (size_t i = 0; i < vcd->net_count; i++) {
        pulses_end(&vcd->nets[i].pulses, vcd->end);
    }
    return 0;
}

void vcd_free(struct vcd *vcd) {
    for (size_t i = 0; i < vcd->net_count; i++) {
        free(vcd->nets[i].code);
    }
    for (size_t i = 0; i < vcd->var_count; i++) {
        free(vcd->vars[i].name);
    }
    free(vcd->nets);
    free(vcd->vars);
    *vcd = (struct vcd){0};
}
