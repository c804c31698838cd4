/* SPDX-License-Identifier: BSD-3-Clause */
#include "bus.h"

/* Take a reading of the device's counters. */
static bool ask(struct bus *bus, struct rig *rig) {
    json_t *items;
    const json_t *item;

    if (rig->lost != NULL || rig_command(rig, &items, "bus") != ND_OK) {
        return false;
    }
    item = json_array_get(items, 0);
    bus->selects = (uint64_t)json_integer_value(json_object_get(item, "bus_selects"));
    bus->bytes = (uint64_t)json_integer_value(json_object_get(item, "bus_bytes"));
    bus->ns = (uint64_t)json_integer_value(json_object_get(item, "bus_ns"));
    json_decref(items);
    bus->at_ns = target_now_ns(&rig->target);
    return true;
}

void bus_begin(struct bus *bus, struct rig *rig) {
    const json_t *config = json_object_get(rig->result->result, "config");

    bus->known = json_object_get(config, "spi_hz") != NULL && ask(bus, rig);
    bus->first_step = json_array_size(rig->result->steps);
}

/* Payload of the steps entered since, and their names. */
static uint64_t payload_bytes(const struct bus *bus, const struct rig *rig, json_t *names) {
    uint64_t bytes = 0;

    for (size_t i = bus->first_step; i < json_array_size(rig->result->steps); i++) {
        const json_t *step = json_array_get(rig->result->steps, i);

        const json_t *searched = json_object_get(step, "searched_bytes"); /* in all its runs */

        bytes += (uint64_t)json_integer_value(searched != NULL ? searched
                                                               : json_object_get(step, "rx_bytes"));
        json_array_append(names, json_object_get(step, "step"));
    }
    return bytes;
}

static void enter(struct rig *rig, const struct bus *before, const struct bus *now) {
    json_t *rows = json_object_get(rig->result->result, "bus");
    json_t *row = json_object();
    json_t *names = json_array();
    const uint64_t payload = payload_bytes(before, rig, names);
    const uint64_t selects = now->selects - before->selects;
    const uint64_t bytes = now->bytes - before->bytes;

    if (rows == NULL) {
        rows = json_array();
        json_object_set_new(rig->result->result, "bus", rows);
    }
    json_object_set_new(row, "steps", names);
    result_value(row, "selects", (int64_t)selects);
    result_value(row, "bytes", (int64_t)bytes);
    result_value(row, "busy_ns", (int64_t)(now->ns - before->ns));
    result_ratio(row, "busy_pct", (now->ns - before->ns) * 100, now->at_ns - before->at_ns);
    result_value(row, "payload_bytes", (int64_t)payload);
    result_ratio(row, "bytes_per_byte", bytes, payload);
    result_ratio(row, "selects_per_kib", selects * 1024, payload);
    json_array_append_new(rows, row);
}

void bus_end(struct bus *bus, struct rig *rig) {
    struct bus now = *bus;

    if (bus->known && ask(&now, rig)) {
        enter(rig, bus, &now);
    }
}
