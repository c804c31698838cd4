/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "steps.h"

static json_t *merge_all(const json_t *items) {
    json_t *object = json_object();
    size_t index;
    json_t *item;

    json_array_foreach(items, index, item) {
        result_take_item(object, item);
    }
    return object;
}

/* Run one command and file its lines under `key`. */
static int ask(struct rig *rig, const char *command, const char *key, json_t **object) {
    json_t *items;
    int result = rig_command(rig, &items, "%s", command);

    if (result == ND_OK) {
        *object = merge_all(items);
        json_decref(items);
        json_object_set_new(rig->result->result, key, *object);
    }
    return result;
}

/* Later figures refer to the device's tick and segment size. */
static void note_device(struct rig *rig, const json_t *identity, const json_t *config) {
    json_int_t mss_bytes = json_integer_value(json_object_get(config, "tcp_mss_bytes"));
    json_int_t link_bit_s = json_integer_value(json_object_get(config, "link_bit_s"));
    json_int_t clock_hz = json_integer_value(json_object_get(identity, "clock_hz"));
    const char *tick = json_string_value(json_object_get(identity, "tick"));

    rig->device.tick = measure_tick_word(tick);
    rig->device.mss_bytes = mss_bytes > 0 ? (uint64_t)mss_bytes : 0;
    if (rig->device.link_bit_s == 0 && link_bit_s > 0) {
        rig->device.link_bit_s = (uint64_t)link_bit_s;
    }
    if (tick != NULL && strcmp(tick, "time") == 0 && clock_hz > 0) {
        rig->device.time_hz = (uint64_t)clock_hz;
    }
}

/* A device may leave checksums to its controller; what it does not make, nobody can check. */
static bool makes_checksums(const json_t *config) {
    static const char *const keys[] = {"checksum_ip_tx", "checksum_udp_tx", "checksum_tcp_tx"};

    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *maker = json_string_value(json_object_get(config, keys[i]));

        if (maker != NULL && strcmp(maker, "off") == 0) {
            return false;
        }
    }
    return true;
}

int step_identity(struct rig *rig, const char *const *names) {
    json_t *step = rig_begin_step(rig, names[0]);
    json_t *identity, *config;
    int result = ask(rig, "id", "device", &identity);

    if (result == ND_OK) {
        result = ask(rig, "config", "config", &config);
    }
    if (result != ND_OK) {
        rig_fail_step(step, "%s", rig->target.error);
        return result;
    }
    note_device(rig, identity, config);
    if (!makes_checksums(config)) {
        target_trust(&rig->target);
    }
    rig_pass_step(step);
    return ND_OK;
}
