/* SPDX-License-Identifier: BSD-3-Clause */
/* ARMv6-M: four words by one load and one store. Where source and destination are aligned
 * differently, aligned words are put together anew, as these processors have no other access. */
    .syntax unified
    .cpu    cortex-m0
    .thumb

    .section .text.nd__copy_armv6m, "ax", %progbits
    .balign 4
    .global nd__copy_armv6m
    .type   nd__copy_armv6m, %function

/* Store the bytes of word \have that are left and the first ones of the next, which is loaded into
 * \next; what is left of that one stays there. r5, r6: bits to shift down and up. */
    .macro  merge have, next
    ldmia   r1!, {\next}
    movs    r7, \next
    lsls    r7, r7, r6
    orrs    \have, r7
    stmia   r0!, {\have}
    lsrs    \next, \next, r5
    .endm

/* r0: to; r1: from; r2: bytes left; ip: destination as it came. */
nd__copy_armv6m:
    mov     ip, r0
    push    {r4-r7}
    cmp     r2, #16
    blo     .Lbytes
    b       2f
1:  ldrb    r3, [r1]            /* to an aligned destination */
    adds    r1, #1
    strb    r3, [r0]
    adds    r0, #1
    subs    r2, #1
2:  lsls    r3, r0, #30
    bne     1b
    lsls    r3, r1, #30
    bne     .Lapart
    subs    r2, #64
    blo     2f
1:  ldmia   r1!, {r3-r6}
    stmia   r0!, {r3-r6}
    ldmia   r1!, {r3-r6}
    stmia   r0!, {r3-r6}
    ldmia   r1!, {r3-r6}
    stmia   r0!, {r3-r6}
    ldmia   r1!, {r3-r6}
    stmia   r0!, {r3-r6}
    subs    r2, #64
    bhs     1b
2:  adds    r2, #48
    blo     2f
1:  ldmia   r1!, {r3-r6}
    stmia   r0!, {r3-r6}
    subs    r2, #16
    bhs     1b
2:  adds    r2, #12
    blo     2f
1:  ldmia   r1!, {r3}
    stmia   r0!, {r3}
    subs    r2, #4
    bhs     1b
2:  adds    r2, #4
.Lbytes:
    cmp     r2, #0
    beq     2f
    movs    r4, #0
1:  ldrb    r3, [r1, r4]
    strb    r3, [r0, r4]
    adds    r4, #1
    cmp     r4, r2
    bne     1b
2:  pop     {r4-r7}
    mov     r0, ip
    bx      lr

.Lapart:
    lsrs    r5, r3, #27         /* eight times the bytes behind a word */
    movs    r6, #32
    subs    r6, r5
    lsrs    r3, r3, #30
    subs    r1, r3
    ldmia   r1!, {r3}
    lsrs    r3, r5
    subs    r2, #16
    blo     2f
1:  merge   r3, r4
    merge   r4, r3
    merge   r3, r4
    merge   r4, r3
    subs    r2, #16
    bhs     1b
2:  adds    r2, #12
    blo     2f
1:  merge   r3, r4
    movs    r3, r4
    subs    r2, #4
    bhs     1b
2:  adds    r2, #4
    lsrs    r6, r6, #3          /* bytes loaded and not stored */
    subs    r1, r6
    b       .Lbytes
    .size   nd__copy_armv6m, . - nd__copy_armv6m
