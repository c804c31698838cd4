/* SPDX-License-Identifier: BSD-3-Clause */
/* ARMv7-M: eight words by one load and one store. Where source and destination are aligned
 * differently, aligned words are loaded and put together anew: an access that is not aligned costs
 * one or two cycles more and may be forbidden (CCR.UNALIGN_TRP). */
    .syntax unified
    .cpu    cortex-m3
    .thumb

    .section .text.nd__copy_armv7m, "ax", %progbits
    .balign 16
    .global nd__copy_armv7m
    .type   nd__copy_armv7m, %function

/* Destination aligned, source `skew` bytes behind a word. r3: the bytes of the latest word that are
 * still to be stored, at its lower end. */
    .macro  merge skew
    ldr     r3, [r1], #4
    lsrs    r3, r3, #8 * \skew
    subs    r2, #32
    blo     2f
    .balign 16
1:  ldmia   r1!, {r4-r10, ip}
    orr     r3, r3, r4, lsl #32 - 8 * \skew
    lsrs    r4, r4, #8 * \skew
    orr     r4, r4, r5, lsl #32 - 8 * \skew
    lsrs    r5, r5, #8 * \skew
    orr     r5, r5, r6, lsl #32 - 8 * \skew
    lsrs    r6, r6, #8 * \skew
    orr     r6, r6, r7, lsl #32 - 8 * \skew
    lsrs    r7, r7, #8 * \skew
    orr     r7, r7, r8, lsl #32 - 8 * \skew
    lsr     r8, r8, #8 * \skew
    orr     r8, r8, r9, lsl #32 - 8 * \skew
    lsr     r9, r9, #8 * \skew
    orr     r9, r9, r10, lsl #32 - 8 * \skew
    lsr     r10, r10, #8 * \skew
    orr     r10, r10, ip, lsl #32 - 8 * \skew
    stmia   r0!, {r3-r10}
    lsr     r3, ip, #8 * \skew
    subs    r2, #32
    bhs     1b
2:  adds    r2, #28
    blt     4f
3:  ldr     r4, [r1], #4
    orr     r3, r3, r4, lsl #32 - 8 * \skew
    str     r3, [r0], #4
    lsrs    r3, r4, #8 * \skew
    subs    r2, #4
    bge     3b
4:  subs    r1, #4 - \skew
    b       .Lends
    .endm

/* r0: to; r1: from; r2: bytes left; r3 to r10: words. */
nd__copy_armv7m:
    cmp     r2, #16
    blo     .Lfew
    push    {r0, r4-r10, lr}
    ands    r3, r0, #3
    beq     .Lto_word
    rsb     r3, r3, #4
    subs    r2, r2, r3
    lsls    r3, r3, #31         /* N: one byte, C: two */
    itt     mi
    ldrbmi  r3, [r1], #1
    strbmi  r3, [r0], #1
    itttt   cs
    ldrbcs  r3, [r1], #1
    ldrbcs  r4, [r1], #1
    strbcs  r3, [r0], #1
    strbcs  r4, [r0], #1
.Lto_word:
    ands    r3, r1, #3
    bne     .Lapart
    subs    r2, #128
    blo     .Lblocks
    .balign 16
.Lrow:
    ldmia   r1!, {r3-r10}
    stmia   r0!, {r3-r10}
    ldmia   r1!, {r3-r10}
    stmia   r0!, {r3-r10}
    ldmia   r1!, {r3-r10}
    stmia   r0!, {r3-r10}
    ldmia   r1!, {r3-r10}
    stmia   r0!, {r3-r10}
    subs    r2, #128
    bhs     .Lrow
.Lblocks:
    adds    r2, #96
    blo     .Lrest
.Lblock:
    ldmia   r1!, {r3-r10}
    stmia   r0!, {r3-r10}
    subs    r2, #32
    bhs     .Lblock
.Lrest:                         /* the lower five bits count */
    lsls    r3, r2, #28         /* C: 16, N: 8 */
    itt     cs
    ldmiacs r1!, {r3-r6}
    stmiacs r0!, {r3-r6}
    itt     mi
    ldmiami r1!, {r3-r4}
    stmiami r0!, {r3-r4}
    lsls    r3, r2, #30         /* C: 4, N: 2 */
    itt     cs
    ldrcs   r3, [r1], #4
    strcs   r3, [r0], #4
    itt     mi
    ldrhmi  r3, [r1], #2
    strhmi  r3, [r0], #2
    lsls    r3, r2, #31
    itt     mi
    ldrbmi  r3, [r1]
    strbmi  r3, [r0]
    pop     {r0, r4-r10, pc}

.Lapart:
    subs    r1, r1, r3
    cmp     r3, #2
    beq     .Ltwo_apart
    bhi     .Lthree_apart
    merge   1
.Ltwo_apart:
    merge   2
.Lthree_apart:
    merge   3

.Lends:                         /* the lower two bits count; N: one byte, C: two */
    lsls    r3, r2, #31
    itttt   cs
    ldrbcs  r3, [r1], #1
    ldrbcs  r4, [r1], #1
    strbcs  r3, [r0], #1
    strbcs  r4, [r0], #1
    itt     mi
    ldrbmi  r3, [r1]
    strbmi  r3, [r0]
    pop     {r0, r4-r10, pc}

.Lfew:                          /* less than 16 bytes */
    orr     r3, r0, r1
    mov     ip, r0
    lsls    r3, r3, #30
    bne     .Lfew_apart
    lsls    r3, r2, #29         /* C: 8, N: 4 */
    itttt   cs
    ldrcs   r3, [r1], #4
    strcs   r3, [r0], #4
    ldrcs   r3, [r1], #4
    strcs   r3, [r0], #4
    itt     mi
    ldrmi   r3, [r1], #4
    strmi   r3, [r0], #4
    lsls    r3, r2, #31         /* C: 2, N: 1 */
    itt     cs
    ldrhcs  r3, [r1], #2
    strhcs  r3, [r0], #2
    itt     mi
    ldrbmi  r3, [r1]
    strbmi  r3, [r0]
    mov     r0, ip
    bx      lr
.Lfew_apart:
    subs    r2, #1
    blo     2f
1:  ldrb    r3, [r1], #1
    strb    r3, [r0], #1
    subs    r2, #1
    bhs     1b
2:  mov     r0, ip
    bx      lr
    .size   nd__copy_armv7m, . - nd__copy_armv7m
