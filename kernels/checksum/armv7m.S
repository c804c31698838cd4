/* SPDX-License-Identifier: BSD-3-Clause */
/* ARMv7-M: eight words by one load, added in a chain of carries that runs through the loop.
 *
 * A chain that begins with the carry clear ends with a carry only if the sum is below 2^32 - 1:
 * the first addition gives at most 2^33 - 2, and sum + word + carry never more than
 * (2^32 - 2) + (2^32 - 1) + 1. So to add the last carry gives no other. */
    .syntax unified
    .cpu    cortex-m3
    .thumb

    .section .text.nd__checksum_armv7m, "ax", %progbits
    .balign 16
    .global nd__checksum_armv7m
    .type   nd__checksum_armv7m, %function

/* r0: bytes; r1: how many are left; r2: sum, by the places of even addresses; r3 to r10: words;
 * ip: bytes as it came, for it may be odd; lr: end of the loop. */
nd__checksum_armv7m:
    mov     ip, r0
    movs    r2, #0
    tst     r0, #3
    bne     .Lalign
.Lwords:
    cmp     r1, #32
    blo     .Ltail
    push    {r4-r10, lr}
    bics    lr, r1, #63
    beq     .Lhalf_block
    add     lr, r0
    adds    r2, #0              /* the carry is clear */
    .balign 16
.Lblock:
    ldmia   r0!, {r3-r10}
    adcs    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    adcs    r2, r7
    adcs    r2, r8
    adcs    r2, r9
    adcs    r2, r10
    ldmia   r0!, {r3-r10}
    adcs    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    adcs    r2, r7
    adcs    r2, r8
    adcs    r2, r9
    adcs    r2, r10
    teq     r0, lr              /* leaves the carry */
    bne     .Lblock
    adc     r2, r2, #0
.Lhalf_block:
    tst     r1, #32
    beq     .Lrestore
    ldmia   r0!, {r3-r10}
    adds    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    adcs    r2, r7
    adcs    r2, r8
    adcs    r2, r9
    adcs    r2, r10
    adc     r2, r2, #0
.Lrestore:
    pop     {r4-r10, lr}
.Ltail:
    tst     r1, #16
    beq     1f
    ldr     r3, [r0], #4
    adds    r2, r3
    ldr     r3, [r0], #4
    adcs    r2, r3
    ldr     r3, [r0], #4
    adcs    r2, r3
    ldr     r3, [r0], #4
    adcs    r2, r3
    adc     r2, r2, #0
1:  tst     r1, #8
    beq     1f
    ldr     r3, [r0], #4
    adds    r2, r3
    ldr     r3, [r0], #4
    adcs    r2, r3
    adc     r2, r2, #0
1:  tst     r1, #4
    beq     1f
    ldr     r3, [r0], #4
    adds    r2, r3
    adc     r2, r2, #0
1:  tst     r1, #2
    beq     1f
    ldrh    r3, [r0], #2
    adds    r2, r3
    adc     r2, r2, #0
1:  tst     r1, #1
    beq     .Lfold
    ldrb    r3, [r0]
    adds    r2, r3
    adc     r2, r2, #0
.Lfold:
    add     r2, r2, r2, ror #16 /* both halves in the upper one, and the carry of the lower */
    lsrs    r0, r2, #16
    tst     ip, #1
    it      ne
    rev16ne r0, r0
    bx      lr

.Lalign:
    tst     r0, #1
    beq     1f
    cmp     r1, #0
    beq     .Lfold
    ldrb    r2, [r0], #1
    subs    r1, #1
    lsls    r2, r2, #8
1:  tst     r0, #2
    beq     .Lwords
    cmp     r1, #2
    blo     .Ltail
    ldrh    r3, [r0], #2
    subs    r1, #2
    add     r2, r3
    b       .Lwords
    .size   nd__checksum_armv7m, . - nd__checksum_armv7m
