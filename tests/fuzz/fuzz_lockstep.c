/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as what a device writes, in portions that the first byte chooses. */
#include <stdlib.h>
#include <string.h>

#include "lockstep/records.h"

/* A record as the parser promises it; every byte of it is read. */
static void check(const struct nd__record *record) {
    struct nd_lockstep_hello hello;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < record->byte_count; i++) {
        sum += record->bytes[i];
    }
    if (record->type < ND_LOCKSTEP_HELLO || record->type > ND_LOCKSTEP_EXIT ||
        record->byte_count > ND_LOCKSTEP_FRAME_BYTES || sum > 255 * record->byte_count) {
        abort();
    }
    if (record->type == ND_LOCKSTEP_HELLO && nd__records_hello(record, &hello) == NULL &&
        (hello.hz == 0 || memchr(hello.board, '\0', sizeof hello.board) == NULL)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct nd__records records;
    struct nd__record record;
    size_t portion;

    if (size == 0) {
        return 0;
    }
    portion = 1 + (size_t)data[0] * 16;
    data++;
    size--;
    memset(&records, 0, sizeof records);
    for (;;) {
        int result = nd__records_next(&records, &record);
        size_t room;
        uint8_t *at;

        if (result == ND_OK) {
            check(&record);
            continue;
        }
        if (result == ND_E_PROTOCOL || size == 0) {
            return 0;
        }
        at = nd__records_room(&records, &room);
        if (room == 0) {
            abort();
        }
        room = room < portion ? room : portion;
        room = room < size ? room : size;
        memcpy(at, data, room);
        nd__records_added(&records, room);
        data += room;
        size -= room;
    }
}
