/* SPDX-License-Identifier: BSD-3-Clause */
/* ARMv6-M: four words by one load, and a chain of carries as in armv7m.S. Of this instruction set
 * only ADD to a high register or from one leaves all flags, and MOVS the carry: so they count. */
    .syntax unified
    .cpu    cortex-m0
    .thumb

    .section .text.nd__checksum_armv6m, "ax", %progbits
    .balign 4
    .global nd__checksum_armv6m
    .type   nd__checksum_armv6m, %function

/* r0: bytes; r1: how many are left; r2: sum, by the places of even addresses; r3 to r6: words;
 * r7: blocks left; r8: -1; ip: bytes as it came, for it may be odd. */
nd__checksum_armv6m:
    mov     ip, r0
    movs    r2, #0
    lsls    r3, r0, #30
    bne     .Lalign
.Lwords:
    push    {r4-r7}
    mov     r4, r8
    push    {r4}
    lsrs    r7, r1, #6
    beq     .Lhalf_block
    movs    r3, #0
    mvns    r3, r3
    mov     r8, r3
    adds    r2, #0              /* the carry is clear */
.Lblock:
    ldmia   r0!, {r3-r6}
    adcs    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    ldmia   r0!, {r3-r6}
    adcs    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    ldmia   r0!, {r3-r6}
    adcs    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    ldmia   r0!, {r3-r6}
    adcs    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    add     r7, r8
    movs    r7, r7
    bne     .Lblock
    adcs    r2, r7              /* r7 is 0 */
.Lhalf_block:
    movs    r7, #0
    lsls    r3, r1, #26
    bpl     1f
    ldmia   r0!, {r3-r6}
    adds    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    ldmia   r0!, {r3-r6}
    adcs    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    adcs    r2, r7
1:  lsls    r3, r1, #27
    bpl     1f
    ldmia   r0!, {r3-r6}
    adds    r2, r3
    adcs    r2, r4
    adcs    r2, r5
    adcs    r2, r6
    adcs    r2, r7
1:  lsls    r3, r1, #28
    bpl     1f
    ldmia   r0!, {r3-r4}
    adds    r2, r3
    adcs    r2, r4
    adcs    r2, r7
1:  lsls    r3, r1, #29
    bpl     1f
    ldmia   r0!, {r3}
    adds    r2, r3
    adcs    r2, r7
1:  pop     {r4}
    mov     r8, r4
    lsls    r3, r1, #30
    bpl     1f
    ldrh    r3, [r0]
    adds    r0, #2
    adds    r2, r3
    adcs    r2, r7
1:  pop     {r4-r7}
.Ltail:                         /* one byte at most */
    lsls    r3, r1, #31
    beq     .Lfold
    ldrb    r3, [r0]
    movs    r1, #0
    adds    r2, r3
    adcs    r2, r1
.Lfold:
    lsrs    r0, r2, #16
    uxth    r2, r2
    adds    r0, r2
    lsrs    r2, r0, #16
    adds    r0, r2
    uxth    r0, r0
    mov     r3, ip
    lsls    r3, r3, #31
    beq     1f
    rev16   r0, r0
1:  bx      lr

.Lalign:
    lsls    r3, r0, #31
    beq     1f
    subs    r1, #1
    blo     .Lfold              /* there is no byte */
    ldrb    r2, [r0]
    adds    r0, #1
    lsls    r2, r2, #8
    lsls    r3, r0, #30
    beq     .Lwords
1:  subs    r1, #2
    blo     1f
    ldrh    r3, [r0]
    adds    r0, #2
    adds    r2, r3
    b       .Lwords
1:  adds    r1, #2
    b       .Ltail
    .size   nd__checksum_armv6m, . - nd__checksum_armv6m
