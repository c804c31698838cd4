/* SPDX-License-Identifier: BSD-3-Clause */
/* semihost.h - the calls to the emulator, as "Semihosting for AArch32 and AArch64" numbers them.
 * A Cortex-M makes one by BKPT 0xAB with the number in r0 and its arguments' address in r1. */
#ifndef ND_SEMIHOST_H
#define ND_SEMIHOST_H

#include <stdint.h>

enum nd_semihost_call {
    ND_SYS_OPEN = 0x01,         /* name, mode, length of name: handle, or -1 */
    ND_SYS_WRITE0 = 0x04,       /* argument is the text itself, NUL-terminated */
    ND_SYS_WRITE = 0x05,        /* handle, bytes, length: bytes NOT written */
    ND_SYS_READ = 0x06,         /* handle, bytes, length: bytes NOT read */
    ND_SYS_GET_CMDLINE = 0x15,  /* buffer, its size; sets the length: 0, or -1 */
    ND_SYS_EXIT_EXTENDED = 0x20 /* reason, code */
};

#define ND_SYS_MODE_READ  1u /* fopen's "rb" */
#define ND_SYS_MODE_WRITE 5u /* fopen's "wb" */

/* reason: the application ended by itself. */
#define ND_SYS_APPLICATION_EXIT 0x20026u

static inline int32_t nd_semihost(enum nd_semihost_call call, const void *arguments) {
    register int32_t r0 __asm__("r0") = (int32_t)call;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

#endif
