/* SPDX-License-Identifier: BSD-3-Clause */
#include "side.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define UNKNOWN "unknown"

static const char *const phases[] = {"memtest-rx", "memtest-tx", "memtest-echo"};

#define PHASES (sizeof phases / sizeof *phases)

/* ---- reading a document -------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* The element of an array whose member `key` is `name`; NULL when there is none. */
static const json_t *find(const json_t *array, const char *key, const char *name) {
    size_t index;
    json_t *item;

    json_array_foreach(array, index, item) {
        if (strcmp(text_of(item, key), name) == 0) {
            return item;
        }
    }
    return NULL;
}

static const json_t *find_step(const json_t *result, const char *name) {
    return find(json_object_get(result, "steps"), "step", name);
}

/* ---- cells --------------------------------------------------------------------------- */

static struct side_cell because(const char *reason) {
    return (struct side_cell){.unit = "", .reason = reason};
}

static struct side_cell number(double value) {
    return (struct side_cell){.value = value, .unit = ""};
}

/* Why an object lacks a key. */
static const char *reason_of(const json_t *object, const char *key) {
    const char *reason = text_of(json_object_get(object, "absent"), key);

    return reason[0] != '\0' ? reason : "no_report";
}

/* NULL when the step has results; else why not. */
static const char *fault_of(const json_t *step) {
    const char *status = text_of(step, "status");

    if (step == NULL) {
        return SIDE_NOT_PLANNED;
    }
    return strcmp(status, "ok") == 0 ? NULL : strcmp(status, "failed") == 0 ? "failed" : "not run";
}

static struct side_cell member(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? number(json_number_value(value))
                                 : because(reason_of(object, key));
}

struct side_cell side_step(const json_t *result, const struct side_row *row) {
    const json_t *step = find_step(result, row->where);
    const char *fault = fault_of(step);

    return fault != NULL ? because(fault) : member(step, row->key);
}

/* A member of an object of a step. */
static struct side_cell inner(const json_t *step, const char *object, const char *key) {
    const char *fault = fault_of(step);

    if (fault != NULL) {
        return because(fault);
    }
    const json_t *found = json_object_get(step, object);
    return found != NULL ? member(found, key) : because(reason_of(step, object));
}

struct side_cell side_latency(const json_t *result, const struct side_row *row) {
    return inner(find_step(result, row->where), "latency", row->key);
}

struct side_cell side_work(const json_t *result, const struct side_row *row) {
    static const struct {
        const char *key;
        const char *unit;
    } kinds[] = {{"busy_cycles_per_byte", " cyc"},
                 {"busy_instructions_per_byte", " ins"},
                 {"busy_ns_per_byte", " ns"}};
    const json_t *step = find_step(result, row->where);
    const char *fault = fault_of(step);

    for (size_t i = 0; fault == NULL && i < sizeof kinds / sizeof *kinds; i++) {
        struct side_cell cell = member(step, kinds[i].key);
        if (cell.reason == NULL) {
            cell.unit = kinds[i].unit;
            return cell;
        }
    }
    return because(fault != NULL ? fault : reason_of(step, "busy_pct"));
}

struct side_cell side_both_ways(const json_t *result, const struct side_row *row) {
    double bits = 0, seconds = 0;

    (void)row;
    for (size_t i = 0; i < PHASES; i++) {
        const json_t *step = find_step(result, phases[i]);
        const char *fault = fault_of(step);
        struct side_cell rate = member(step, "goodput_bit_s");
        struct side_cell time = member(step, "elapsed_ns");

        if (fault != NULL || rate.reason != NULL || time.reason != NULL) {
            return because(fault != NULL ? fault : reason_of(step, "goodput_bit_s"));
        }
        double ways = strcmp(phases[i], "memtest-echo") == 0 ? 2 : 1;
        bits += ways * rate.value * time.value / 1e9;
        seconds += time.value / 1e9;
    }
    return seconds > 0 ? number(bits / seconds) : because("no_samples");
}

/* Join the cell of a further phase to those before, by the key's own rule. */
static double join(const char *key, double so_far, double value, double weight, double weights) {
    if (strcmp(key, "max_bytes") == 0) {
        return value > so_far ? value : so_far;
    }
    if (strcmp(key, "min_bytes") == 0) {
        return value < so_far ? value : so_far;
    }
    if (strcmp(key, "average_bytes") == 0) {
        return (so_far * (weights - weight) + value * weight) / weights;
    }
    return value;
}

struct side_cell side_heap(const json_t *result, const struct side_row *row) {
    struct side_cell all = {.unit = ""};
    double samples = 0;

    for (size_t i = 0; i < PHASES; i++) {
        const json_t *step = find_step(result, phases[i]);
        struct side_cell cell = inner(step, "heap_free", row->key);
        struct side_cell count = inner(step, "heap_free", "samples");

        if (cell.reason != NULL || count.reason != NULL) {
            return because(cell.reason != NULL ? cell.reason : count.reason);
        }
        samples += count.value;
        all.value =
            i == 0 ? cell.value : join(row->key, all.value, cell.value, count.value, samples);
    }
    return all;
}

/* An element of an array of the step memory-end: of this name, or the first. */
static struct side_cell element(const json_t *result, const char *array, const char *name,
                                const char *key) {
    const json_t *step = find_step(result, "memory-end");
    const json_t *found = json_object_get(step, array);
    const char *fault = fault_of(step);

    if (fault != NULL || found == NULL) {
        return because(fault != NULL ? fault : reason_of(step, array));
    }
    found = name != NULL ? find(found, "name", name) : json_array_get(found, 0);
    return found != NULL ? member(found, key) : because("not_supported");
}

struct side_cell side_pool(const json_t *result, const struct side_row *row) {
    return element(result, "pools", row->where, row->key);
}

struct side_cell side_stack(const json_t *result, const struct side_row *row) {
    return element(result, "stacks", NULL, row->key);
}

struct side_cell side_firmware(const json_t *result, const struct side_row *row) {
    const json_t *firmware = json_object_get(result, "firmware");

    return firmware != NULL ? member(firmware, row->key) : because("no image");
}

struct side_cell side_part(const json_t *result, const struct side_row *row) {
    const json_t *firmware = json_object_get(result, "firmware");
    const json_t *parts = json_object_get(firmware, "parts");
    const json_t *part = find(parts, "part", row->where);

    if (firmware == NULL) {
        return because("no image");
    }
    if (parts == NULL) {
        return because(reason_of(firmware, "parts"));
    }
    return part != NULL ? member(part, row->key) : because("not_built");
}

/* ---- what must be the same ----------------------------------------------------------- */

static void member_text(const json_t *result, const struct side_fact *fact,
                        char text[SIDE_TEXT_BYTES]) {
    const json_t *value = json_object_get(json_object_get(result, fact->where), fact->key);

    if (json_is_integer(value)) {
        snprintf(text, SIDE_TEXT_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else {
        snprintf(text, SIDE_TEXT_BYTES, "%s",
                 json_is_string(value) ? json_string_value(value) : UNKNOWN);
    }
}

/* Of the compiler's flags the last -O counts; without one it is -O0. */
static void optimisation_text(const json_t *result, const struct side_fact *fact,
                              char text[SIDE_TEXT_BYTES]) {
    const char *flags = text_of(json_object_get(result, fact->where), fact->key);
    const char *found = NULL;

    for (const char *at = flags; (at = strstr(at, "-O")) != NULL; at++) {
        if (at == flags || at[-1] == ' ') {
            found = at;
        }
    }
    if (flags[0] == '\0') {
        snprintf(text, SIDE_TEXT_BYTES, UNKNOWN);
    } else {
        snprintf(text, SIDE_TEXT_BYTES, "%.*s", found != NULL ? (int)strcspn(found, " ") : 3,
                 found != NULL ? found : "-O0");
    }
}

const struct side_fact side_facts[] = {
    {"window [byte]", SIDE_SPEED, member_text, "config", "tcp_wnd_bytes"},
    {"MSS [byte]", SIDE_SPEED | SIDE_WORK, member_text, "config", "tcp_mss_bytes"},
    {"optimisation", SIDE_SPEED | SIDE_WORK | SIDE_SIZE, optimisation_text, "config",
     "compiler_flags"},
    {"time is told in", SIDE_SPEED | SIDE_WORK, member_text, "device", "tick"},
    {"link [bit/s]", SIDE_SPEED, member_text, "link", "rate_bit_s"},
    {"memory test [byte]", SIDE_SPEED, member_text, "settings", "memtest_bytes"},
};

const size_t side_fact_count = sizeof side_facts / sizeof *side_facts;

bool side_fact_differs(const struct side_fact *fact, const json_t *a, const json_t *b) {
    char left[SIDE_TEXT_BYTES], right[SIDE_TEXT_BYTES];

    fact->text(a, fact, left);
    fact->text(b, fact, right);
    return strcmp(left, right) != 0;
}

unsigned side_differs(const json_t *a, const json_t *b) {
    unsigned differ = 0;

    for (size_t i = 0; i < side_fact_count; i++) {
        if (side_fact_differs(&side_facts[i], a, b)) {
            differ |= side_facts[i].decides;
        }
    }
    return differ;
}
