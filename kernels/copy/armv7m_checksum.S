/* SPDX-License-Identifier: BSD-3-Clause */
/* ARMv7-M: copy as armv7m.S does, and add the words on their way in the chain of carries that
 * ../checksum/armv7m.S explains. */
    .syntax unified
    .cpu    cortex-m3
    .thumb

    .section .text.nd__copy_checksum_armv7m, "ax", %progbits
    .balign 16
    .global nd__copy_checksum_armv7m
    .type   nd__copy_checksum_armv7m, %function

    .macro  add_block
    adcs    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    adcs    r2, r7
    adcs    r2, r8
    adcs    r2, r9
    adcs    r2, r10
    .endm

/* Destination aligned, source `skew` bytes behind a word; r3 as in armv7m.S. */
    .macro  merge skew
    ldr     r3, [r1], #4
    lsr     r3, r3, #8 * \skew
    bics    r4, lr, #31
    beq     2f
    add     r11, r0, r4
    adds    r2, #0              /* the carry is clear */
    .balign 16
1:  ldmia   r1!, {r4-r10, ip}
    orr     r3, r3, r4, lsl #32 - 8 * \skew
    lsr     r4, r4, #8 * \skew
    orr     r4, r4, r5, lsl #32 - 8 * \skew
    lsr     r5, r5, #8 * \skew
    orr     r5, r5, r6, lsl #32 - 8 * \skew
    lsr     r6, r6, #8 * \skew
    orr     r6, r6, r7, lsl #32 - 8 * \skew
    lsr     r7, r7, #8 * \skew
    orr     r7, r7, r8, lsl #32 - 8 * \skew
    lsr     r8, r8, #8 * \skew
    orr     r8, r8, r9, lsl #32 - 8 * \skew
    lsr     r9, r9, #8 * \skew
    orr     r9, r9, r10, lsl #32 - 8 * \skew
    lsr     r10, r10, #8 * \skew
    orr     r10, r10, ip, lsl #32 - 8 * \skew
    stmia   r0!, {r3-r10}
    add_block
    lsr     r3, ip, #8 * \skew
    teq     r0, r11             /* leaves the carry */
    bne     1b
    adc     r2, r2, #0
2:  lsls    r5, lr, #27
    lsrs    r5, r5, #29         /* words left */
    beq     4f
3:  ldr     r4, [r1], #4
    orr     r3, r3, r4, lsl #32 - 8 * \skew
    str     r3, [r0], #4
    adds    r2, r3
    adc     r2, r2, #0
    lsr     r3, r4, #8 * \skew
    subs    r5, #1
    bne     3b
4:  subs    r1, #4 - \skew
    b       .Lends
    .endm

/* r0: to; r1: from; r2: sum, by the places of even destinations; lr: bytes left; r3 to r10: words;
 * r11: end of a loop. On the stack: the destination as it came, for it may be odd. */
nd__copy_checksum_armv7m:
    push    {r0, r4-r11, lr}
    mov     lr, r2
    movs    r2, #0
    tst     r0, #3
    bne     .Lalign
.Lto_word:
    ands    r3, r1, #3
    bne     .Lapart
    bics    r3, lr, #31
    beq     .Lrest
    add     r11, r0, r3
    adds    r2, #0              /* the carry is clear */
    tst     r3, #32
    bne     .Lsecond
    .balign 16
.Lrow:
    ldmia   r1!, {r3-r10}
    stmia   r0!, {r3-r10}
    add_block
.Lsecond:
    ldmia   r1!, {r3-r10}
    stmia   r0!, {r3-r10}
    add_block
    teq     r0, r11             /* leaves the carry */
    bne     .Lrow
    adc     r2, r2, #0
.Lrest:
    tst     lr, #16
    beq     1f
    ldmia   r1!, {r3-r6}
    stmia   r0!, {r3-r6}
    adds    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    adc     r2, r2, #0
1:  tst     lr, #8
    beq     1f
    ldmia   r1!, {r3-r4}
    stmia   r0!, {r3-r4}
    adds    r2, r3
    adcs    r2, r4
    adc     r2, r2, #0
1:  tst     lr, #4
    beq     .Lends
    ldr     r3, [r1], #4
    str     r3, [r0], #4
    adds    r2, r3
    adc     r2, r2, #0
.Lends:                         /* at most three bytes to an aligned destination */
    tst     lr, #2
    beq     1f
    ldrb    r3, [r1], #1
    ldrb    r4, [r1], #1
    orr     r3, r3, r4, lsl #8
    strh    r3, [r0], #2
    adds    r2, r3
    adc     r2, r2, #0
1:  tst     lr, #1
    beq     .Lfold
    ldrb    r3, [r1]
    strb    r3, [r0]
    adds    r2, r3
    adc     r2, r2, #0
.Lfold:
    pop     {r0, r4-r11, lr}
    add     r2, r2, r2, ror #16 /* both halves in the upper one, and the carry of the lower */
    lsls    r1, r0, #31
    lsr     r0, r2, #16
    it      ne
    rev16ne r0, r0
    bx      lr

.Lalign:
    tst     r0, #1
    beq     1f
    cmp     lr, #0
    beq     .Lfold
    ldrb    r2, [r1], #1
    sub     lr, #1
    strb    r2, [r0], #1
    lsls    r2, r2, #8
1:  tst     r0, #2
    beq     .Lto_word
    cmp     lr, #2
    blo     .Lends
    ldrb    r3, [r1], #1
    ldrb    r4, [r1], #1
    sub     lr, #2
    orr     r3, r3, r4, lsl #8
    strh    r3, [r0], #2
    add     r2, r3
    b       .Lto_word

.Lapart:
    sub     r1, r1, r3
    cmp     lr, #4
    blo     .Lapart_ends
    cmp     r3, #2
    beq     .Ltwo_apart
    bhi     .Lthree_apart
    merge   1
.Ltwo_apart:
    merge   2
.Lthree_apart:
    merge   3
.Lapart_ends:
    add     r1, r1, r3
    b       .Lends
    .size   nd__copy_checksum_armv7m, . - nd__copy_checksum_armv7m
