/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a value change dump: figures that cannot be abort. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vcd_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct vcd *vcd, const struct pulses *pulses) {
    uint64_t length = vcd->end - vcd->begin;

    if (pulses->total > pulses->high || pulses->high > length || pulses->max > pulses->total ||
        (pulses->count > 0 && pulses->min > pulses->max)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FILE *file = size > 0 ? fmemopen((void *)data, size, "r") : NULL;
    char error[VCD_ERROR_BYTES] = "";
    struct vcd vcd;

    if (file == NULL) {
        return 0;
    }
    if (vcd_read(&vcd, file, error) == 0) {
        for (size_t i = 0; i < vcd.var_count; i++) {
            check(&vcd, &vcd.nets[vcd.vars[i].net].pulses);
        }
    } else if (error[0] == '\0' || strchr(error, '\n') != NULL || vcd.var_count != 0) {
        abort();
    }
    vcd_free(&vcd);
    fclose(file);
    return 0;
}
