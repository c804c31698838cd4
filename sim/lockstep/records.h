/* SPDX-License-Identifier: BSD-3-Clause */
/* records.h - what a device said, cut into records and checked.
 *
 * Pure: bytes go in as they come, records come out whole. Whatever the bytes are, the answer is a
 * record that keeps nd/lockstep.h or one line that says how they break it. */
#ifndef ND_SIM_RECORDS_H
#define ND_SIM_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nd/error.h"
#include "nd/lockstep.h"

/* Read at once [byte]; far above the longest record, so that many arrive in one read(). */
#define ND__RECORDS_BYTES 65536u

/* Descriptors of a ring, at most. */
#define ND__RECORDS_RING_MAX 4096u

/* One record. */
struct nd__record {
    uint32_t type; /* enum nd_lockstep_type */
    uint32_t spent;
    uint32_t arg;
    uint32_t byte_count;  /* of bytes */
    const uint8_t *bytes; /* what follows it; valid until nd__records_room() */
};

/* Owner: the caller. All zero is the beginning of a dialogue. */
struct nd__records {
    size_t begin; /* of what is not yet taken */
    size_t end;
    bool greeted;         /* HELLO was taken */
    const char *error;    /* static; set with ND_E_PROTOCOL */
    uint32_t error_value; /* the number that the error is about */
    uint8_t bytes[ND__RECORDS_BYTES];
};

/* Where the next bytes may be put, and how many; *size is above 0 after nd__records_next() answered
 * ND_AGAIN. nd__records_added() says how many were. */
uint8_t *nd__records_room(struct nd__records *records, size_t *size);
void nd__records_added(struct nd__records *records, size_t size);

/* Take the next record. ND_OK; ND_AGAIN: more bytes are needed; ND_E_PROTOCOL: error is set, and no
 * further record can be taken. */
int nd__records_next(struct nd__records *records, struct nd__record *record);

/* Some bytes of a record that is not whole are there. */
bool nd__records_partial(const struct nd__records *records);

/* Read the HELLO's bytes into *hello. NULL, or what is wrong with it (a static string). */
const char *nd__records_hello(const struct nd__record *record, struct nd_lockstep_hello *hello);

#endif
