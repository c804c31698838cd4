/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of every kind, without wait states, up to the only mark: `a` is called, calls `b` twice and ends in `c`
 * without a call (a tail call), which calls `rec`, which calls itself twice. */
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

    function reset              /* itself: BL 2 */
    bl      a
    dbg     #13
    movs    r0, #0x18
    ldr     r1, =0x20026
    bkpt    0xab
    b       .
    .ltorg

    function a                  /* PUSH 3, NOP 1, BL 2, BL 2, POP 3, B 2: 13 */
    push    {r4, lr}
    nop
    bl      b
    bl      b
    pop.w   {r4, lr}
    b.w     c

    function b                  /* BX LR 3 */
    bx      lr

    function c                  /* PUSH 2, MOV 1, BL 2, POP PC 5: 10 */
    push    {lr}
    movs    r0, #2
    bl      rec
    pop     {pc}

    function rec                /* PUSH 2, CBZ 1, SUBS 1, BL 2, POP PC 5: 11; the innermost 2, 2, 5: 9 */
    push    {lr}
    cbz     r0, 1f
    subs    r0, #1
    bl      rec
1:  pop     {pc}

    function end
