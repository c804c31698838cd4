/* SPDX-License-Identifier: BSD-3-Clause */
/* Every class of instructions without wait states. 3-1 and 3.3.2: ARM DDI 0337I. */
    .include "kernels.inc"
    begin

    /* ---- data processing: 3-1, 1 each ---- */
    kernel  0, "nothing"
    done

    kernel  6, "narrow data processing: 6 x 1"
    movs    r0, #1
    adds    r0, r0, #2
    lsls    r0, r0, #3
    eors    r0, r5
    cmp     r0, r5
    mov     r8, r0
    done

    kernel  8, "wide data processing: 8 x 1"
    movw    r0, #0x1234
    movt    r0, #0x5678
    add.w   r1, r0, r0, lsl #2
    bfi     r1, r0, #4, #8
    ubfx    r2, r0, #3, #5
    clz     r3, r0
    rev.w   r3, r0
    tst.w   r0, #0xFF00
    done

    kernel  3, "NOP, wide NOP, SEV: 1 each"
    nop
    nop.w
    sev
    done

    /* ---- products and quotients ---- */
    kernel  2, "MUL narrow and wide: 1 each"
    muls    r0, r6, r0
    mul     r0, r6, r7
    done

    kernel  4, "MLA 2, MLS 2"
    mla     r0, r6, r6, r6
    mls     r0, r6, r6, r6
    done

    kernel  8, "SMULL, UMULL: 4 each, of 3 to 5"
    smull   r0, r1, r6, r7
    umull   r0, r1, r6, r7
    done

    kernel  12, "SMLAL, UMLAL: 6 each, of 4 to 7"
    smlal   r0, r1, r6, r7
    umlal   r0, r1, r6, r7
    done

    kernel  14, "SDIV, UDIV: 7 each, of 2 to 12"
    sdiv    r0, r7, r6
    udiv    r0, r7, r6
    done

    /* ---- one load or store ---- */
    kernel  2, "LDR alone: 2"
    ldr     r0, [r7]
    done

    kernel  3, "LDR from a halfword: 2 + 1"
    ldr     r0, [r7, #2]
    done

    kernel  9, "LDR LDR from odd addresses: 2 + 2, 1 + 2; NOP 1, STR to a halfword 1"
    ldr     r0, [r7, #1]
    ldr     r0, [r7, #7]
    nop
    str     r0, [r7, #6]
    done

    kernel  7, "LDRH from an odd address 2 + 1, STRH to one 1, LDRB 2, NOP 1"
    ldrh    r0, [r7, #3]
    strh    r0, [r7, #5]
    ldrb    r0, [r7, #3]
    nop
    done

    kernel  3, "LDR LDR, independent: 2 + 1"
    ldr     r0, [r7]
    ldr     r1, [r7, #4]
    done

    kernel  4, "LDR LDR LDR, independent, one with an index: 2 + 1 + 1"
    ldr     r0, [r7, r6]
    ldrh    r1, [r7]
    ldrb    r2, [r7, #4]
    done

    kernel  5, "LDR LDR, the second from where the first says: STR 1, 2 + 2"
    str     r7, [r7]
    ldr     r0, [r7]
    ldr     r1, [r0]
    done

    kernel  3, "LDR STR, what was loaded: 2 + 1"
    ldr     r0, [r7, r6]
    str     r0, [r7, #20]
    done

    kernel  3, "LDR STR with index: 2 + 1"
    ldr     r0, [r7, r6]
    str     r1, [r7, r6]
    done

    kernel  1, "STR with offset: 1"
    str     r0, [r7, #8]
    done

    kernel  3, "STR, STRB, STRH with offset: 1 each"
    str     r0, [r7, #8]
    strb    r0, [r7, #8]
    strh.w  r0, [r7, #8]
    done

    kernel  2, "STR with index: 2"
    str     r0, [r7, r6]
    done

    kernel  3, "STR LDR, nothing behind a store: 1 + 2"
    str     r0, [r7]
    ldr     r1, [r7]
    done

    kernel  4, "STR with index, LDR: 2 + 2"
    str     r0, [r7, r6]
    ldr     r1, [r7]
    done

    kernel  6, "LDR NOP LDR NOP: 2 + 1 + 2 + 1"
    ldr     r0, [r7]
    nop
    ldr     r1, [r7]
    nop
    done

    kernel  3, "literal loads, narrow and wide: 2 + 1"
    ldr     r0, 2f
    ldr.w   r1, 2f
    done
    b       3f
    .balign 4
2:  .word   0
3:

    kernel  5, "LDRSB LDRSH LDRH with index, LDR wide: 2 + 1 + 1 + 1"
    ldrsb   r0, [r7, r6]
    ldrsh   r1, [r7, r6]
    ldrh    r2, [r7, r6]
    ldr.w   r3, [r7, #0x400]
    done

    kernel  4, "LDREX as a load 2, NOP 1, CLREX 1"
    ldrex   r0, [r7]
    nop
    clrex
    done

    /* ---- base update: 3.3.2 ---- */
    kernel  5, "MOV 1, NOP 1, LDR post-indexed 2, MOV 1"
    mov     r3, r7
    nop
    ldr     r0, [r3], #4
    movs    r1, #0
    done

    kernel  2, "LDR post-indexed, CMP: the load takes one: 1 + 1"
    ldr     r0, [r7], #0
    cmp     r1, r2
    done

    kernel  4, "LDR post-indexed twice, not pipelined: 2 + 2"
    ldrb    r0, [r7], #0
    ldrb    r1, [r7], #0
    done

    kernel  1, "STR pre-indexed: 1"
    str     r0, [r7, #0]!
    done

    /* ---- address from a result just before: 3.3.2 ---- */
    kernel  4, "ADD, LDR from it: 1 + 2 + 1"
    adds    r3, r7, #4
    ldr     r0, [r3]
    done

    kernel  4, "ADD, NOP, LDR from it: 1 + 1 + 2"
    adds    r3, r7, #4
    nop
    ldr     r0, [r3]
    done

    kernel  3, "ADD, STR to it: 1 + 1 + 1"
    adds    r3, r7, #4
    str     r0, [r3]
    done

    kernel  4, "index from a MOV: 1 + 2 + 1"
    movs    r3, #8
    ldr     r0, [r7, r3]
    done

    kernel  2, "ADD, STR of it elsewhere: 1 + 1"
    adds    r3, r7, #4
    str     r3, [r7]
    done

    /* ---- several registers: 1 + N ---- */
    kernel  4, "LDM of 3: 1 + 3"
    ldm     r7, {r0-r2}
    done

    kernel  5, "STM of 4: 1 + 4"
    stm     r7, {r0-r3}
    done

    kernel  12, "PUSH of 5, POP of 5: 6 + 6"
    push    {r0-r3, lr}
    pop     {r0-r3, r8}
    done

    kernel  10, "wide LDM, STM of 4: 5 + 5"
    ldm.w   r7, {r0-r2, r8}
    stm.w   r7, {r0-r2, r8}
    done

    kernel  6, "LDRD, STRD: 3 + 3"
    ldrd    r0, r1, [r7]
    strd    r0, r1, [r7]
    done

    kernel  7, "LDR LDRD LDR, not pipelined: 2 + 3 + 2"
    ldr     r0, [r7]
    ldrd    r0, r1, [r7]
    ldr     r2, [r7]
    done

    /* ---- branches ---- */
    kernel  2, "B: 1 + 1"
    b.n     2f
    nop
    .balign 4
2:
    done

    kernel  2, "wide B: 1 + 1"
    b.w     2f
    nop
    .balign 4
2:
    done

    kernel  4, "B to a wide instruction that is not aligned: 1 + 2, and 1"
    b.n     2f
    nop
    nop
2:  mov.w   r0, r1
    done

    kernel  2, "conditional B, not taken: 1 + CMP 1"
    cmp     r5, #0
    bne     2f
    .balign 4
2:
    done

    kernel  3, "conditional B, taken: CMP 1 + 1 + 1"
    cmp     r5, #0
    beq     2f
    nop
    .balign 4
2:
    done

    kernel  3, "wide conditional B, taken: CMP 1 + 1 + 1"
    cmp     r5, #0
    beq.w   2f
    nop
    .balign 4
2:
    done

    kernel  3, "CBZ taken 1 + 1, CBNZ not taken 1"
    cbnz    r5, 2f
    cbz     r5, 2f
    nop
    .balign 4
2:
    done

    kernel  5, "BL and BX LR: 1 + 1, 1 + 2"
    bl      return
    done

    kernel  7, "MOV 1, BLX 1 + 2, BX LR 1 + 2"
    mov     r0, r8
    blx     r9
    done

    kernel  3, "MOV PC: 1 + 2"
    mov     pc, r10
    .balign 16
mov_pc:
    done

    kernel  12, "BL 2, PUSH of 2: 3, POP PC of 2: 1 + 2 + 3, and one NOP"
    bl      push_pop
    done

    kernel  5, "LDR PC: 2 + 3"
    ldr.w   pc, [r11]
    .balign 16
ldr_pc:
    done

    kernel  6, "TBB: 2 + 1 + 3"
    tbb     [pc, r5]
    .byte   2, 0
    nop
    done

    kernel  6, "TBH: 2 + 1 + 3"
    tbh     [pc, r5, lsl #1]
    .short  2
    nop
    done

    kernel  31, "loop of 10: MOVS 1, 10 x SUBS 1, 9 x taken 2, 1 not taken 1, with one NOP"
    movs    r0, #10
2:  subs    r0, #1
    bne     2b
    nop
    done

    /* ---- if-then ---- */
    kernel  2, "IT behind a narrow instruction is folded: CMP 1 + 0 + MOV 1"
    cmp     r5, #0
    it      eq
    moveq   r0, #1
    done

    kernel  3, "IT behind a wide instruction: CMP 1 + 1 + MOV 1"
    cmp.w   r5, #0
    it      eq
    moveq   r0, #1
    done

    kernel  3, "IT, condition fails: CMP 1 + 0 + 1 + 1"
    cmp     r5, #0
    itt     ne
    movne   r0, #1
    movne   r0, #2
    done

    kernel  3, "IT, LDR executed: CMP 1 + 0 + 2"
    cmp     r5, #0
    it      eq
    ldreq   r0, [r7]
    done

    kernel  2, "IT, LDR not executed: CMP 1 + 0 + 1"
    cmp     r5, #0
    it      ne
    ldrne   r0, [r7]
    done

    kernel  6, "IT, LDM of 4 executed: CMP 1 + 0 + 1 + 4"
    cmp     r5, #0
    it      eq
    ldmeq   r7, {r0-r3}
    done

    kernel  2, "IT, LDM of 4 not executed: CMP 1 + 0 + 1"
    cmp     r5, #0
    it      ne
    ldmne   r7, {r0-r3}
    done

    kernel  4, "ITE, one load of two: CMP 1 + 0 + 2 + 1"
    cmp     r5, #0
    ite     eq
    ldreq   r0, [r7]
    ldrne   r0, [r7]
    done

    kernel  6, "BL 2, IT folded on CMP 1, BX LR in it taken 1 + 2"
    bl      return_if
    done

    /* ---- system ---- */
    kernel  7, "MRS 2, MSR 2, DSB 1, CPS 1, DMB 1"
    mrs     r0, primask
    msr     primask, r0
    dsb
    cpsid   i
    dmb
    done

    kernel  4, "ISB: 1 + a refill of 3"
    isb
    done

    /* ---- across what cuts QEMU's blocks ---- */
    kernel  3, "LDR LDR across a device, which QEMU executes alone: 2 + 1"
    ldr     r0, [r4]
    ldr     r1, [r7]
    done

    kernel  9, "two devices among others: 1 + 2 + 1 + 1 + 2 + 1 + 1"
    nop
    ldr     r0, [r4]
    nop
    nop
    ldr     r0, [r4]
    nop
    nop
    done

    finish

    .balign 16
return:
    bx      lr
    .balign 16
return_if:
    cmp     r5, #0
    it      eq
    bxeq    lr
    nop
    .balign 16
push_pop:
    push    {r0, lr}
    nop
    pop     {r0, pc}
