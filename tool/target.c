/* SPDX-License-Identifier: BSD-3-Clause */
#include "target.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where the images are installed, seen from this program. */
#define FIRMWARE_DIR "../lib/netdyno/firmware"

static const struct target_kind *const kinds[] = {
    &target_sim, &target_native, &target_tcp, &target_serial, &target_local,
};

const struct target_kind *target_find(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strncmp(name, kinds[i]->prefix, strlen(kinds[i]->prefix)) == 0) {
            return kinds[i];
        }
    }
    return NULL;
}

const char *target_shown_name(const char *name, char shown[TARGET_NAME_BYTES]) {
    size_t prefix = strlen(target_tcp.prefix);
    const char *at = strrchr(name, '@');

    if (at != NULL && strncmp(name, target_tcp.prefix, prefix) == 0) {
        snprintf(shown, TARGET_NAME_BYTES, "%s%s", target_tcp.prefix, at + 1);
    } else {
        snprintf(shown, TARGET_NAME_BYTES, "%s", name);
    }
    return shown;
}

/* Options that mean something to some kinds alone. */
static int check_options(struct target *target, const struct target_cfg *cfg) {
    const struct target_kind *kind = target->kind;
    struct nd_addr address;

    if (!kind->counts_cycles && (cfg->time == TARGET_TIME_CYCLES || cfg->symbols != NULL)) {
        return target_fail(target, ND_E_ARG, "%s: cycles are counted on sim: targets only",
                           cfg->name);
    }
    if (!kind->simulated && (cfg->pcap != NULL || cfg->firmware != NULL || cfg->seed != 0 ||
                             cfg->link_bit_s != 0 || cfg->delay_ns != 0)) {
        return target_fail(target, ND_E_ARG,
                           "--pcap, --firmware, --seed, --set link and --set delay are "
                           "for simulated targets only");
    }
    if (!kind->lossy && cfg->address != NULL) {
        return target_fail(target, ND_E_ARG, "--address is for serial: targets only");
    }
    if (cfg->address != NULL &&
        nd_addr_parse(cfg->address, strlen(cfg->address), &address) != ND_OK) {
        return target_fail(target, ND_E_ARG, "--address %s: expected an address in numbers",
                           cfg->address);
    }
    if ((cfg->spi_hz != 0 || cfg->sockets != 0) && strcmp(cfg->name, TARGET_W5500) != 0) {
        return target_fail(target, ND_E_ARG,
                           "--set spi_hz and --set sockets are for " TARGET_W5500 " only");
    }
    return ND_OK;
}

int target_check(struct target *target, const struct target_cfg *cfg) {
    const struct target_kind *kind = target_find(cfg->name);

    *target = (struct target){.kind = kind};
    if (kind == NULL) {
        return target_fail(target, ND_E_ARG, "unknown target %s, expected one of: %s", cfg->name,
                           TARGET_FORMS);
    }
    int result = check_options(target, cfg);
    return result == ND_OK ? kind->check(target, cfg) : result;
}

int target_open(struct target *target, const struct target_cfg *cfg) {
    int result = target_check(target, cfg);

    if (result != ND_OK) {
        return result;
    }
    result = target->kind->open(target, cfg);
    if (result == ND_OK) {
        nd_stopwatch_start(&target->watch, target->clock);
    }
    return result;
}

int target_pump(struct target *target) {
    return target->kind->pump(target);
}

uint64_t target_now_ns(struct target *target) {
    return nd_clock_ns(nd_stopwatch_read(&target->watch), target->clock->hz);
}

void target_console_write(struct target *target, const char *bytes, size_t len) {
    target->kind->console_write(target, bytes, len);
}

size_t target_console_read(struct target *target, char *bytes, size_t size) {
    return target->kind->console_read(target, bytes, size);
}

void target_describe(struct target *target, const struct target_cfg *cfg, json_t *result) {
    target->kind->describe(target, cfg, result);
}

void target_trust(struct target *target) {
    if (target->kind->trust != NULL) {
        target->kind->trust(target);
    }
}

void target_close(struct target *target) {
    target->kind->close(target);
}

int target_fail(struct target *target, int result, const char *format, ...) {
    va_list args;

    va_start(args, format);
    vsnprintf(target->error, sizeof target->error, format, args);
    va_end(args);
    return result;
}

bool target_find_file(const char *build_dir, const char *install_dir, const char *name,
                      char path[PATH_MAX]) {
    const char *const places[] = {build_dir, install_dir};
    char here[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);

    if (length < 0) {
        return false;
    }
    here[length] = '\0';
    *strrchr(here, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (snprintf(path, PATH_MAX, "%s/%s/%s", here, places[i], name) < PATH_MAX &&
            access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

const char *target_find_firmware(struct target *target, const char *build_dir, const char *name,
                                 char path[PATH_MAX]) {
    if (target_find_file(build_dir, FIRMWARE_DIR, name, path)) {
        return path;
    }
    target_fail(target, ND_E_ARG,
                "no firmware %s in %s or %s beside this program; build it or name it with "
                "--firmware FILE",
                name, build_dir, FIRMWARE_DIR);
    return NULL;
}
