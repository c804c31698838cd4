/* SPDX-License-Identifier: BSD-3-Clause */
/* Print where the members of the plugin's page lie, for a test in another language. */
#include <stddef.h>
#include <stdio.h>

#include "cycles/page.h"

#define PRINT(member) printf(#member " %zu\n", offsetof(struct nd__page, member))

int main(void) {
    printf("size %zu\nmagic_value %u\n", sizeof(struct nd__page), ND__PAGE_MAGIC);
    PRINT(flash);
    PRINT(cycles);
    PRINT(instructions);
    PRINT(mark_count);
    PRINT(marks);
    PRINT(function_count);
    PRINT(functions);
    PRINT(turns_asked);
    PRINT(turns_done);
    PRINT(profile.cycles);
    PRINT(profile.instructions);
    PRINT(profile.context_count);
    PRINT(profile.lost);
    PRINT(profile.contexts);
    PRINT(profile.calls);
    PRINT(profile.bytes);
    return 0;
}
