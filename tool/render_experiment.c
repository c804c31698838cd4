/* SPDX-License-Identifier: BSD-3-Clause */
#include "render_experiment.h"

/* The columns; a key that is not there is "-". */
static const char *const columns[] = {"before", "predicted", "after"};

static void row(const json_t *experiment, const char *title, const char *key, double unit,
                int decimals, FILE *out) {
    fprintf(out, "  %-38s", title);
    for (unsigned i = 0; i < sizeof columns / sizeof *columns; i++) {
        const json_t *value = json_object_get(json_object_get(experiment, columns[i]), key);

        if (json_is_number(value)) {
            fprintf(out, "%13.*f", decimals, json_number_value(value) / unit);
        } else {
            fprintf(out, "%13s", "-");
        }
    }
    fputc('\n', out);
}

static void words(const json_t *array, const char *before, FILE *out) {
    size_t index;
    json_t *word;

    json_array_foreach(array, index, word) {
        fprintf(out, "%s%s", index == 0 ? before : " ", json_string_value(word));
    }
}

void render_experiment(const json_t *document, FILE *out) {
    const json_t *result = json_object_get(document, "result");
    const json_t *experiment = json_object_get(result, "experiment");
    const json_t *difference =
        json_object_get(json_object_get(experiment, "predicted"), "difference_pct");

    fprintf(out, "\nThe same, load %s", json_string_value(json_object_get(experiment, "load")));
    words(json_object_get(experiment, "without"), ", without ", out);
    words(json_object_get(experiment, "options"), "\n  ", out);
    fprintf(out, "\n\n%-40s%13s%13s%13s\n", "", "before", "predicted", "measured");
    row(experiment, "cycles per byte", "cycles_per_byte", 1, 2, out);
    row(experiment, "rate the processor allows, Mbit/s", "processor_bit_s", 1e6, 1, out);
    row(experiment, "gain, % of that rate", "gain_pct", 1, 1, out);
    row(experiment, "goodput, Mbit/s", "goodput_bit_s", 1e6, 1, out);
    row(experiment, "gain, % of the goodput", "goodput_gain_pct", 1, 1, out);
    row(experiment, "processor busy, %", "busy_pct", 1, 1, out);
    if (json_is_number(difference)) {
        fprintf(out, "The predicted rate is %+.1f %% off the measured one.\n",
                json_number_value(difference));
    } else {
        fprintf(out, "No part of the profile is known to go with it: nothing is predicted.\n");
    }
}
