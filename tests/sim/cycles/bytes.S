/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores of every width, up to the only mark: what each function moves of data stands beside it. The
 * stack, literals and tables beside the code are none. */
    .syntax unified
    .thumb
    .cpu    cortex-m3

    .section .text
    .long   0x20001000
    .long   reset + 1

    .macro  function name
    .balign 4
    .type   \name, %function
\name:
    .endm

    function reset
    ldr     r0, =0x20000000
    movs    r1, #0
    bl      narrow
    bl      wide
    bl      several
    bl      conditional
    bl      none
    dbg     #13
    movs    r0, #0x18
    ldr     r1, =0x20026
    bkpt    0xab
    b       .
    .ltorg

    function narrow             /* loaded 4+2+1+1+2 = 10 and 4+2+1 = 7; stored 7 and 7 */
    str     r2, [r0, r1]
    strh    r2, [r0, r1]
    strb    r2, [r0, r1]
    ldr     r2, [r0, r1]
    ldrh    r2, [r0, r1]
    ldrb    r2, [r0, r1]
    ldrsb   r2, [r0, r1]
    ldrsh   r2, [r0, r1]
    str     r2, [r0, #4]
    strh    r2, [r0, #4]
    strb    r2, [r0, #4]
    ldr     r2, [r0, #4]
    ldrh    r2, [r0, #4]
    ldrb    r2, [r0, #4]
    bx      lr

    function wide               /* loaded 4+2+1+2+1 = 10; stored 4+2+1 = 7; exclusive ones are none */
    str.w   r2, [r0, #8]
    strh.w  r2, [r0, #8]
    strb.w  r2, [r0, #8]
    ldr.w   r2, [r0, #8]
    ldrh.w  r2, [r0, #8]
    ldrb.w  r2, [r0, #8]
    ldrsh.w r2, [r0, #8]
    ldrsb.w r2, [r0, #8]
    ldrex   r2, [r0]
    strex   r3, r2, [r0]
    ldrexb  r2, [r0]
    bx      lr

    function several            /* loaded 8+12+8 = 28; stored 8+12+8 = 28 */
    mov     r12, r0
    strd    r2, r3, [r0, #16]
    ldrd    r2, r3, [r0, #16]
    stmia.w r12, {r1, r2, r3}
    ldmia.w r12, {r1, r2, r3}
    mov     r3, r0
    stmia   r3!, {r1, r2}
    mov     r3, r0
    ldmia   r3!, {r1, r2}
    bx      lr

    function conditional        /* loaded 4 of 8; stored 0 of 1 */
    cmp     r0, r0
    itee    eq
    ldreq   r2, [r0]
    ldrne   r2, [r0]
    strbne  r2, [r0]
    bx      lr

    function none               /* 0 and 0: the stack, a literal, a table */
    push    {r4, lr}
    str     r4, [sp, #-4]
    ldr     r4, [sp]
    ldr     r4, =0x12345678
    movs    r4, #0
    tbb     [pc, r4]
1:  .byte   (2f - 1b) / 2, 0
2:  pop     {r4, pc}
    .ltorg

    function end
