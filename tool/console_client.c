/* SPDX-License-Identifier: BSD-3-Clause */
#include "console_client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nd/error.h"
#include "signals.h"

/* A device answers a command at once; a slow board with a full queue needs a moment [ns]. */
#define ANSWER_LIMIT_NS 5000000000u

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static bool answers(const struct console_client *client, const json_t *object) {
    const json_t *id = json_object_get(object, "id");

    return json_is_integer(id) && json_integer_value(id) == (json_int_t)client->id;
}

/* Sorts one object; takes the reference over. */
static void file_object(struct console_client *client, json_t *object) {
    const char *kind = text_of(object, "kind");

    if (strcmp(kind, "report") == 0) {
        json_array_append_new(client->reports, object);
    } else if (!answers(client, object)) {
        json_decref(object);
    } else if (strcmp(kind, "end") == 0) {
        json_decref(client->end);
        client->end = object;
    } else {
        json_array_append_new(client->items, object);
    }
}

static void take_line(struct console_client *client) {
    json_t *object = NULL;

    if (!client->overlong) {
        object = json_loadb(client->line, client->length, JSON_REJECT_DUPLICATES, NULL);
    }
    if (json_is_object(object)) {
        file_object(client, object);
    } else {
        json_decref(object);
        client->garbage_lines++;
    }
    client->length = 0;
    client->overlong = false;
}

static void take_char(struct console_client *client, char c) {
    if (c == '\n' || c == '\r') {
        if (client->length > 0) {
            take_line(client);
        }
    } else if (client->length < sizeof client->line) {
        client->line[client->length++] = c;
    } else {
        client->overlong = true;
    }
}

void console_client_read(struct console_client *client) {
    char bytes[1024];
    size_t n;

    while ((n = target_console_read(client->target, bytes, sizeof bytes)) > 0) {
        for (size_t i = 0; i < n; i++) {
            take_char(client, bytes[i]);
        }
    }
}

static int wait_for_end(struct console_client *client, const char *command) {
    uint64_t began_ns = target_now_ns(client->target);

    for (;;) {
        console_client_read(client);
        if (client->end != NULL) {
            return ND_OK;
        }
        if (signals_caught() != 0) {
            return target_fail(client->target, ND_E_STOPPED, "interrupted");
        }
        if (target_now_ns(client->target) - began_ns > ANSWER_LIMIT_NS) {
            return target_fail(client->target, ND_E_TIMEOUT,
                               "the device's console did not answer `%s` within %u s%s", command,
                               (unsigned)(ANSWER_LIMIT_NS / 1000000000u),
                               client->garbage_lines > 0 ? " (it sent lines that are no JSON)"
                                                         : "");
        }
        int result = target_pump(client->target);
        if (result != ND_OK) {
            return result;
        }
    }
}

static int judge_end(struct console_client *client, const char *command) {
    const char *result = text_of(client->end, "result");
    const char *message = text_of(client->end, "message");

    if (strcmp(result, "ok") == 0) {
        return ND_OK;
    }
    int code =
        strcmp(result, nd_error_name(ND_E_UNSUPPORTED)) == 0 ? ND_E_UNSUPPORTED : ND_E_PROTOCOL;
    return target_fail(client->target, code, "the device refused `%s`: %s%s%s", command, result,
                       message[0] != '\0' ? ", " : "", message);
}

int console_client_run(struct console_client *client, json_t **items, const char *format, ...) {
    char command[256], line[288];
    va_list args;
    int length, result;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    client->id++;
    json_array_clear(client->items);
    json_decref(client->end);
    client->end = NULL;
    length = snprintf(line, sizeof line, "#%u %s\n", client->id, command);
    target_console_write(client->target, line, (size_t)length);
    result = wait_for_end(client, command);
    if (result == ND_OK) {
        result = judge_end(client, command);
    }
    if (result == ND_OK && items != NULL) {
        *items = json_copy(client->items);
    }
    return result;
}

int console_client_open(struct console_client *client, struct target *target) {
    *client = (struct console_client){
        .target = target,
        .items = json_array(),
        .reports = json_array(),
    };
    return console_client_run(client, NULL, "json on");
}

void console_client_close(struct console_client *client) {
    json_decref(client->items);
    json_decref(client->end);
    json_decref(client->reports);
    *client = (struct console_client){0};
}

json_t *console_client_take_report(struct console_client *client, const char *engine,
                                   const char *role, const char *phase) {
    size_t index;
    json_t *report;

    json_array_foreach(client->reports, index, report) {
        if (strcmp(text_of(report, "engine"), engine) == 0 &&
            strcmp(text_of(report, "role"), role) == 0 &&
            strcmp(text_of(report, "phase"), phase) == 0) {
            json_incref(report);
            json_array_remove(client->reports, index);
            return report;
        }
    }
    return NULL;
}

void console_client_drop_reports(struct console_client *client) {
    json_array_clear(client->reports);
}
