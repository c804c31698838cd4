/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.h - what --set KEY=VALUE can change. */
#ifndef ND_TOOL_SETTINGS_H
#define ND_TOOL_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* All in base units. */
struct settings {
    uint64_t duration_ns;   /* of each TCP test */
    uint64_t buflen_bytes;  /* per write of a TCP test */
    uint64_t memtest_bytes; /* per phase; 0 = as many as the device serves */
    uint64_t messages;      /* of each echo test */
    uint64_t chunk_bytes;   /* of the load stream; 0 = as the device decides */
    uint64_t chunks_s;      /* its rate; 0 = searched for */
    uint64_t datagrams;     /* of each UDP test */
    uint64_t datagram_bytes;
    uint64_t link_bit_s; /* of the simulated wire; 0 = the board's own */
    uint64_t delay_ns;   /* of the simulated wire, one way */
    uint64_t spi_hz;     /* clock of the bus to a modelled chip; 0 = its own */
    uint64_t sockets;    /* of a modelled chip that are used; 0 = all */
    uint64_t time;       /* enum target_time: what a simulated board's time runs on */
};

/* The defaults. */
void settings_init(struct settings *settings);

/* Take one "KEY=VALUE" of this command's line; false after one line on stderr. */
bool settings_set(struct settings *settings, const char *command, const char *text);

/* The same of a setting that has an option of its own. */
bool settings_set_key(struct settings *settings, const char *command, const char *key,
                      const char *value);

/* Add them to the result under their own keys, each with its unit. */
void settings_describe(const struct settings *settings, json_t *result);

#endif
