/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r"

static bool add_rule(struct layers *layers, const char *layer, const char *pattern) {
    struct layer_rule *rules = realloc(layers->rules, (layers->count + 1) * sizeof *layers->rules);

    if (rules == NULL) {
        return false;
    }
    rules[layers->count] = (struct layer_rule){layer, pattern};
    layers->rules = rules;
    layers->count++;
    return true;
}

static bool take_line(struct layers *layers, char *line) {
    char *rest = NULL;
    const char *layer;

    line[strcspn(line, "#")] = '\0';
    layer = strtok_r(line, BLANKS, &rest);
    for (const char *pattern = strtok_r(NULL, BLANKS, &rest); layer != NULL && pattern != NULL;
         pattern = strtok_r(NULL, BLANKS, &rest)) {
        if (!add_rule(layers, layer, pattern)) {
            return false;
        }
    }
    return true;
}

int layers_read(struct layers *layers, const char *path, char *error, size_t error_size) {
    FILE *file = fopen(path, "r");
    size_t size = 0;
    char *rest = NULL;

    *layers = (struct layers){0};
    if (file == NULL) {
        snprintf(error, error_size, "cannot read %s: %s", path, strerror(errno));
        return -1;
    }
    if (getdelim(&layers->text, &size, '\0', file) < 0) {
        snprintf(error, error_size, "%s is empty", path);
        fclose(file);
        layers_free(layers);
        return -1;
    }
    fclose(file);
    for (char *line = strtok_r(layers->text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (!take_line(layers, line)) {
            snprintf(error, error_size, "out of memory");
            layers_free(layers);
            return -1;
        }
    }
    return 0;
}

int layers_read_beside(struct layers *layers, const char *firmware, const char *image,
                       const char *suffix, char *error, size_t error_size) {
    const char *slash = strrchr(firmware, '/');
    int folder = slash != NULL ? (int)(slash + 1 - firmware) : 0;
    char beside[PATH_MAX];

    snprintf(beside, sizeof beside, "%.*s%s.%s", folder, firmware, image, suffix);
    return layers_read(layers, beside, error, error_size);
}

int layers_read_for(struct layers *layers, const char *path, const char *firmware,
                    const char *image, char *error, size_t error_size) {
    if (path != NULL) {
        return layers_read(layers, path, error, error_size);
    }
    return layers_read_beside(layers, firmware, image, "layers", error, error_size) == 0 ? 0 : 1;
}

const char *layers_find(const struct layers *layers, const struct symbol *symbol) {
    char name[512];
    char with_file[1024];

    snprintf(name, sizeof name, "%s", symbol->name);
    name[strcspn(name, ".")] = '\0';
    snprintf(with_file, sizeof with_file, "%s:%s", symbol->file != NULL ? symbol->file : "", name);
    for (size_t i = 0; i < layers->count; i++) {
        const struct layer_rule *rule = &layers->rules[i];
        bool has_file = strchr(rule->pattern, ':') != NULL;

        if (fnmatch(rule->pattern, has_file ? with_file : name, 0) == 0) {
            return rule->layer;
        }
    }
    return LAYER_OTHER;
}

void layers_free(struct layers *layers) {
    free(layers->rules);
    free(layers->text);
    *layers = (struct layers){0};
}
