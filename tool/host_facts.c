/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_facts.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "nd/compiler.h"
#include "version.h"

/* Longest value of a kernel setting that is kept [byte]. */
#define VALUE_BYTES 64

/* Kernel settings that decide how its TCP behaves: see tcp(7). */
static const struct {
    const char *key;
    const char *path;
} settings[] = {
    {"tcp_congestion_control", "/proc/sys/net/ipv4/tcp_congestion_control"},
    {"tcp_rmem_min_default_max_bytes", "/proc/sys/net/ipv4/tcp_rmem"},
    {"tcp_wmem_min_default_max_bytes", "/proc/sys/net/ipv4/tcp_wmem"},
    {"tcp_timestamps", "/proc/sys/net/ipv4/tcp_timestamps"},
};

#define SETTINGS (sizeof settings / sizeof *settings)
#define SYSTEM   6

/* A missing file leaves "", which host_facts_read() turns into an absence. */
static void read_line(const char *path, char value[VALUE_BYTES]) {
    FILE *file = fopen(path, "r");

    value[0] = '\0';
    if (file == NULL) {
        return;
    }
    if (fgets(value, VALUE_BYTES, file) == NULL) {
        value[0] = '\0';
    }
    fclose(file);
    value[strcspn(value, "\n")] = '\0';
    for (char *at = value; *at != '\0'; at++) {
        *at = *at == '\t' ? ' ' : *at;
    }
}

const struct nd_fact *host_facts_read(uint32_t *count) {
    static struct utsname name;
    static char values[SETTINGS][VALUE_BYTES];
    static struct nd_fact facts[SYSTEM + SETTINGS];

    if (uname(&name) != 0) {
        *count = 0;
        return facts;
    }
    facts[0] = (struct nd_fact){.key = "netdyno", .text = nd_version};
    facts[1] = (struct nd_fact){.key = "system", .text = name.sysname};
    facts[2] = (struct nd_fact){.key = "system_release", .text = name.release};
    facts[3] = (struct nd_fact){.key = "machine", .text = name.machine};
    facts[4] = (struct nd_fact){.key = "compiler", .text = ND_COMPILER};
    facts[5] = (struct nd_fact){.key = "compiler_flags",
                                .text = nd_build_flags[0] != '\0' ? nd_build_flags : "none"};
    for (size_t i = 0; i < SETTINGS; i++) {
        read_line(settings[i].path, values[i]);
        facts[SYSTEM + i] = (struct nd_fact){
            .key = settings[i].key,
            .text = values[i][0] != '\0' ? values[i] : NULL,
            .number = ND_NOT_SUPPORTED,
        };
    }
    *count = SYSTEM + SETTINGS;
    return facts;
}
