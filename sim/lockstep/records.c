/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "lockstep/records.h"

#include <endian.h>
#include <string.h>

#include "cycles/page.h"
#include "nd/clock.h"

/* Shortest frame: two addresses and a type [byte]. */
enum { HEADER_BYTES = 14 };

_Static_assert(sizeof(struct nd_lockstep_record) == 12, "as docs/wire.md");
_Static_assert(sizeof(struct nd_lockstep_hello) == 72, "as docs/wire.md");
_Static_assert(sizeof(struct nd_lockstep_welcome) == 28, "as docs/wire.md");
_Static_assert(sizeof(struct nd_lockstep_answer) == 28, "as docs/wire.md");

uint8_t *nd__records_room(struct nd__records *records, size_t *size) {
    if (records->begin > 0) {
        memmove(records->bytes, records->bytes + records->begin, records->end - records->begin);
        records->end -= records->begin;
        records->begin = 0;
    }
    *size = sizeof records->bytes - records->end;
    return records->bytes + records->end;
}

void nd__records_added(struct nd__records *records, size_t size) {
    records->end += size;
}

/* Say what is wrong, once and for all. */
static int reject(struct nd__records *records, const char *error, uint32_t value) {
    records->error = error;
    records->error_value = value;
    return ND_E_PROTOCOL;
}

/* The checks that need no more than the twelve bytes; sets byte_count. */
static int check_head(struct nd__records *records, struct nd__record *record) {
    record->byte_count = 0;
    if (!records->greeted && record->type != ND_LOCKSTEP_HELLO) {
        return reject(records, "its first record is no HELLO but of type", record->type);
    }
    switch (record->type) {
    case ND_LOCKSTEP_HELLO:
        if (records->greeted) {
            return reject(records, "it said HELLO again after so many bytes:", record->arg);
        }
        if (record->arg != sizeof(struct nd_lockstep_hello)) {
            return reject(records, "its HELLO has the wrong number of bytes:", record->arg);
        }
        break;
    case ND_LOCKSTEP_FRAME:
        if (record->arg < HEADER_BYTES || record->arg > ND_LOCKSTEP_FRAME_BYTES) {
            return reject(records, "it sent a frame of impossible length:", record->arg);
        }
        break;
    case ND_LOCKSTEP_CONSOLE:
        if (record->arg > ND_LOCKSTEP_CONSOLE_BYTES) {
            return reject(records, "it sent too long a piece of console text:", record->arg);
        }
        break;
    case ND_LOCKSTEP_POLL:
    case ND_LOCKSTEP_POLL_TX:
    case ND_LOCKSTEP_EXIT:
        return ND_OK;
    default:
        return reject(records, "it sent a record of unknown type", record->type);
    }
    record->byte_count = record->arg;
    return ND_OK;
}

int nd__records_next(struct nd__records *records, struct nd__record *record) {
    const uint8_t *bytes = records->bytes + records->begin;
    size_t have = records->end - records->begin;
    struct nd_lockstep_record head;
    int result;

    if (records->error != NULL) {
        return ND_E_PROTOCOL;
    }
    if (have < sizeof head) {
        return ND_AGAIN;
    }
    memcpy(&head, bytes, sizeof head);
    record->type = le32toh(head.type);
    record->spent = le32toh(head.spent);
    record->arg = le32toh(head.arg);
    result = check_head(records, record);
    if (result != ND_OK) {
        return result;
    }
    if (have - sizeof head < record->byte_count) {
        return ND_AGAIN;
    }
    record->bytes = bytes + sizeof head;
    records->begin += sizeof head + record->byte_count;
    records->greeted = true;
    return ND_OK;
}

bool nd__records_partial(const struct nd__records *records) {
    return records->end > records->begin;
}

/* A name of the device: printable, not empty, closed by NUL. */
static bool is_name(const char *name, size_t size) {
    size_t len = strnlen(name, size);

    for (size_t i = 0; i < len; i++) {
        if (name[i] <= ' ' || name[i] > '~') {
            return false;
        }
    }
    return len > 0 && len < size;
}

static bool is_ring(uint32_t frames) {
    return frames >= 1 && frames <= ND__RECORDS_RING_MAX;
}

/* What the cycle counter can follow. */
static bool is_flash(const struct nd_lockstep_hello *hello) {
    uint32_t line = hello->flash_line_bytes;

    return hello->flash_waits == 0 ||
           (line >= 4 && line <= 256 && (line & (line - 1)) == 0 && hello->flash_buffers >= 1 &&
            hello->flash_buffers <= ND__PAGE_BUFFERS);
}

const char *nd__records_hello(const struct nd__record *record, struct nd_lockstep_hello *hello) {
    static const uint8_t no_mac[sizeof hello->mac];

    memcpy(hello, record->bytes, sizeof *hello);
    hello->magic = le32toh(hello->magic);
    hello->version = le32toh(hello->version);
    hello->hz = le32toh(hello->hz);
    hello->tick_kind = le32toh(hello->tick_kind);
    hello->link_bit_s = le32toh(hello->link_bit_s);
    hello->rx_ring = le32toh(hello->rx_ring);
    hello->tx_ring = le32toh(hello->tx_ring);
    hello->flash_line_bytes = le32toh(hello->flash_line_bytes);
    if (hello->magic != ND_LOCKSTEP_MAGIC) {
        return "its HELLO does not begin with NDLK";
    }
    if (hello->version != ND_LOCKSTEP_VERSION) {
        return "it speaks another version of lockstep: build firmware and tool from one source";
    }
    if (hello->hz == 0 || hello->tick_kind < ND_CLOCK_CYCLES || hello->tick_kind > ND_CLOCK_TIME) {
        return "its HELLO does not say what a tick is";
    }
    if (!is_ring(hello->rx_ring) || !is_ring(hello->tx_ring)) {
        return "its HELLO has rings outside 1 to 4096 frames";
    }
    if (!is_flash(hello)) {
        return "its HELLO has flash without lines of 4 to 256 byte, or not 1 to 16 buffers";
    }
    if ((hello->mac[0] & 1u) != 0 || memcmp(hello->mac, no_mac, sizeof no_mac) == 0) {
        return "its HELLO has no valid Ethernet address";
    }
    if (!is_name(hello->board, sizeof hello->board) ||
        !is_name(hello->image, sizeof hello->image)) {
        return "its HELLO has no board or image name";
    }
    return NULL;
}
