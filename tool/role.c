/* SPDX-License-Identifier: BSD-3-Clause */
#include "role.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "say.h"
#include "signals.h"

/* Longest error or warning [byte]. */
#define TEXT_BYTES 512

bool role_open(struct role *role, const char *name, const char *target, const char *json,
               uint32_t conn_count, void (*put)(void *ctx, const struct nd_report *report),
               void *ctx) {
    *role = (struct role){
        .name = name,
        .json = json,
        .text = json == NULL || strcmp(json, "-") != 0,
        .sink = {.put = put, .ctx = ctx},
    };
    if (host_open(&role->host, conn_count) != 0) {
        return false;
    }
    const struct nd_agent_cfg cfg = {
        .port = role->host.port,
        .port_ctx = role->host.port_ctx,
        .clock = role->host.clock,
        .idle_ticks = role->host.idle_ticks,
    };
    int result = nd_agent_init(&role->agent, &cfg);
    if (result != ND_OK) {
        say_error("%s: cannot start: %s", name, nd_error_name(result));
        host_close(&role->host);
        return false;
    }
    nd_agent_add_sink(&role->agent, &role->sink);
    result_begin(&role->result, target, name);
    return true;
}

void role_fail(struct role *role, const char *format, ...) {
    char text[TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    role->failed = true;
    say_error("%s: %s", role->name, text);
    if (json_object_get(role->result.result, "error") == NULL) { /* the first is the cause */
        result_text(role->result.result, "error", text);
    }
}

void role_warn(struct role *role, const char *format, ...) {
    json_t *warnings = json_object_get(role->result.result, "warnings");
    char text[TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say_error("%s: warning: %s", role->name, text);
    if (warnings == NULL) {
        warnings = json_array();
        json_object_set_new(role->result.result, "warnings", warnings);
    }
    json_array_append_new(warnings, json_string(text));
}

bool role_find(struct role *role, const char *host, struct nd_addr *addr) {
    char error[TEXT_BYTES];
    int result = host_resolve(host, addr, error, sizeof error);

    if (result != ND_OK) {
        role->refused = result == ND_E_ARG;
        role_fail(role, "%s", error);
    }
    return result == ND_OK;
}

void role_check_datagrams(struct role *role, const struct nd_addr *to, uint64_t datagram_bytes,
                          uint64_t bit_s) {
    struct host_route route = host_find_route(to);
    uint64_t most = route.mtu_bytes - measure_udp_header_bytes(to->family);

    if (route.mtu_bytes > 0 && datagram_bytes > most) {
        role_warn(role,
                  "datagrams of %" PRIu64 " byte are fragmented by IP: the MTU of %" PRIu64
                  " byte leaves room for %" PRIu64 "; one lost fragment loses the datagram",
                  datagram_bytes, route.mtu_bytes, most);
    }
    if (route.link_bit_s > 0 && bit_s > 0) {
        uint64_t line_bit_s = measure_udp_wire_bit_s(route.link_bit_s, datagram_bytes, to->family);
        if (bit_s > line_bit_s) {
            role_warn(role,
                      "%.2f Mbit/s of payload is more than the link carries: %.2f Mbit/s in "
                      "datagrams of %" PRIu64 " byte",
                      (double)bit_s / 1e6, (double)line_bit_s / 1e6, datagram_bytes);
        }
    }
}

void role_judge(struct role *role, const char *who, const struct nd_report *report) {
    uint64_t bytes = report->flow.rx.bytes + report->flow.tx.bytes;

    if (report->result == ND_OK || (report->result == ND_E_STOPPED && signals_caught() != 0)) {
        return;
    }
    if (report->message != NULL) {
        role_fail(role, "%s%s: %s", who, nd_error_name(report->result), report->message);
    } else if (report->result == ND_E_REFUSED) {
        role_fail(role, "%srefused: nobody listens there", who);
    } else if (report->result == ND_E_TIMEOUT && report->flow.rx.bytes == 0) {
        role_fail(role, "%stimeout: nobody answers", who);
    } else {
        role_fail(role, "%s%s after %" PRIu64 " byte", who, nd_error_name(report->result), bytes);
    }
}

void role_run(struct role *role, bool (*done)(void *ctx), void *ctx) {
    host_run(&role->host, &role->agent, done, ctx);
}

int role_close(struct role *role) {
    int code = SAY_DONE;

    nd_agent_close(&role->agent);
    if (role->json != NULL) {
        result_finish(&role->result);
        if (result_write(role->result.root, role->json) != 0) {
            role->failed = true;
        }
    }
    result_end(&role->result);
    host_close(&role->host);
    if (role->failed) {
        code = role->refused ? SAY_USAGE : SAY_FAILED;
    }
    return signals_exit(code);
}
