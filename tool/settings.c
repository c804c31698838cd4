/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "nd/chunks.h"
#include "nd/echo.h"
#include "nd/ttcp.h"
#include "result.h"
#include "say.h"
#include "target.h"
#include "units.h"

#define NS_PER_MS ((uint64_t)1000000)
#define NS_PER_S  ((uint64_t)1000000000)

/* One setting. */
struct setting {
    const char *key;    /* as typed */
    const char *result; /* as the result names it */
    enum units units;
    size_t offset;
    uint64_t preset;
    uint64_t min;
    uint64_t max;
    const char *const *words; /* of a choice: the value is an index; NULL = a number */
};

#define AT(member) offsetof(struct settings, member)

/* As enum target_time. */
static const char *const times[] = {"best", "cycles", "instructions", NULL};

static const struct setting table[] = {
    {"seconds", "duration_ns", UNITS_NS, AT(duration_ns), NS_PER_S, NS_PER_MS, 86400 * NS_PER_S,
     NULL},
    {"buflen", "buflen_bytes", UNITS_BYTES, AT(buflen_bytes), ND_TTCP_BUFLEN, 1, 1u << 30, NULL},
    {"memtest", "memtest_bytes", UNITS_BYTES, AT(memtest_bytes), 0, 1, 1u << 30, NULL},
    {"messages", "messages", UNITS_COUNT, AT(messages), 1000, 1, 1000000000, NULL},
    {"chunk", "chunk_bytes", UNITS_BYTES, AT(chunk_bytes), 0, ND_CHUNKS_BYTES_MIN,
     ND_CHUNKS_BYTES_MAX, NULL},
    {"chunks", "chunks_s", UNITS_COUNT, AT(chunks_s), 0, 1, 1000000, NULL},
    {"datagrams", "datagrams", UNITS_COUNT, AT(datagrams), 1024, 1, 1000000000, NULL},
    {"datagram", "datagram_bytes", UNITS_BYTES, AT(datagram_bytes), 1472, 5, 1472, NULL},
    {"link", "link_bit_s", UNITS_BIT_S, AT(link_bit_s), 0, 1000, 100000000000, NULL},
    {"delay", "delay_ns", UNITS_NS, AT(delay_ns), 0, 0, 10 * NS_PER_S, NULL},
    {"spi_hz", "spi_hz", UNITS_HZ, AT(spi_hz), 0, 100000, 80000000, NULL},
    {"sockets", "sockets", UNITS_COUNT, AT(sockets), 0, 1, 8, NULL},
    {"time", "time", UNITS_COUNT, AT(time), TARGET_TIME_BEST, 0, 0, times},
};

#define SETTING_COUNT (sizeof table / sizeof *table)

static uint64_t *value_of(const struct setting *setting, struct settings *settings) {
    return (uint64_t *)(void *)((char *)settings + setting->offset);
}

void settings_init(struct settings *settings) {
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        *value_of(&table[i], settings) = table[i].preset;
    }
}

static void refuse_key(const char *command, const char *text) {
    char keys[256];
    size_t length = 0;

    for (size_t i = 0; i < SETTING_COUNT && length < sizeof keys; i++) {
        length += (size_t)snprintf(keys + length, sizeof keys - length, "%s%s", i > 0 ? ", " : "",
                                   table[i].key);
    }
    say_usage(command, "--set %s: expected KEY=VALUE with KEY one of: %s", text, keys);
}

static const struct setting *find_setting(const char *text, size_t length) {
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (strlen(table[i].key) == length && memcmp(table[i].key, text, length) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

/* Take one of the words. */
static bool choose(const struct setting *setting, struct settings *settings, const char *command,
                   const char *text, const char *word) {
    char words[128];
    size_t length = 0;

    for (unsigned i = 0; setting->words[i] != NULL; i++) {
        if (strcmp(setting->words[i], word) == 0) {
            *value_of(setting, settings) = i;
            return true;
        }
        length += (size_t)snprintf(words + length, sizeof words - length, "%s%s", i > 0 ? ", " : "",
                                   setting->words[i]);
    }
    say_usage(command, "--set %s: expected one of: %s", text, words);
    return false;
}

bool settings_set(struct settings *settings, const char *command, const char *text) {
    const char *equals = strchr(text, '=');
    const struct setting *setting =
        equals != NULL ? find_setting(text, (size_t)(equals - text)) : NULL;
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    uint64_t value;
    int result;

    if (setting == NULL) {
        refuse_key(command, text);
        return false;
    }
    if (setting->words != NULL) {
        return choose(setting, settings, command, text, equals + 1);
    }
    result = units_parse(setting->units, equals + 1, &value);
    if (result == UNITS_E_FORM || result == UNITS_E_FINE) {
        say_usage(command, "--set %s: expected %s", text, units_forms(setting->units));
        return false;
    }
    if (result == UNITS_E_RANGE || value < setting->min || value > setting->max) {
        say_usage(command, "--set %s is out of range, expected %s to %s", text,
                  units_print(setting->units, setting->min, low),
                  units_print(setting->units, setting->max, high));
        return false;
    }
    *value_of(setting, settings) = value;
    return true;
}

bool settings_set_key(struct settings *settings, const char *command, const char *key,
                      const char *value) {
    char text[128];

    snprintf(text, sizeof text, "%s=%s", key, value);
    return settings_set(settings, command, text);
}

void settings_describe(const struct settings *settings, json_t *result) {
    struct settings copy = *settings;
    json_t *object = json_object();

    for (size_t i = 0; i < SETTING_COUNT; i++) {
        uint64_t value = *value_of(&table[i], &copy);

        if (value < table[i].min) {
            continue; /* not given: the device decides, and the document has it elsewhere */
        }
        if (table[i].words != NULL) {
            result_text(object, table[i].result, table[i].words[value]);
            continue;
        }
        result_value(object, table[i].result, (int64_t)value);
    }
    json_object_set_new(result, "settings", object);
}
