/* SPDX-License-Identifier: BSD-3-Clause */
/* Flash with 4 wait states, lines of 16 byte and 8 buffers, as an LPC1768 at 96 MHz has it. Each
 * kernel begins 4 byte into a line, behind the mark. The fetch of the next line begins one clock
 * after that line came, and takes 5. */
    .include "kernels.inc"
    begin

    kernel  14, "narrow code in sequence: fetched ahead, 6 + 8 x 1, no wait"
    .rept   14
    nop
    .endr
    done

    kernel  14, "wide code in sequence: 3 + 4 + 4 x 1, and 1 for each of 3 lines"
    .rept   11
    nop.w
    .endr
    done

    kernel  7, "branch to a line that nobody asked for: B 2 + 4, NOP 1"
    b.n     2f
    .balign 64
    .skip   64
2:  nop
    done

    kernel  4, "branch to the next line, under way since 3 clocks: B 2 + 2"
    b.n     2f
    .balign 16
2:
    done

    kernel  30, "loop within a line: MOVS 1, 10 x SUBS 1, 9 x 2, 1"
    movs    r0, #10
2:  subs    r0, #1
    bne     2b
    done

    kernel  34, "loop over two lines: 5 x 1, 10 x SUBS 1, 9 x 2, 1"
    movs    r0, #10
    nop
    nop
    nop
    nop
2:  subs    r0, #1
    bne     2b
    done

    kernel  6, "literal of a line that nobody asked for: LDR 2 + 4"
    ldr     r0, 2f
    done
    b       3f
    .balign 64
    .skip   64
2:  .word   0
3:

    kernel  9, "a literal begins the fetch ahead anew, for 9 clocks: LDR 2 + 4, B 2 + 1"
    ldr     r0, 2f
    b.n     4f
    .balign 16
4:
    done
    b       3f
    .balign 64
    .skip   64
2:  .word   0
3:

    kernel  4, "literal of the same line: LDR 2, B 2"
    ldr     r0, 2f
    b.n     3f
2:  .word   0
3:
    done

    kernel  14, "a function called twice: BL 2 + 4, BX LR 3, then BL 2, BX LR 3"
    bl      far
    bl      far
    done

    kernel  56, "7 lines later a function is still kept: 9, 7 x (2 + 4), BL 2, BX LR 3"
    bl      far2
    b.n     2f
    .balign 64
    .skip   64
    .rept   6
2:  b.n     2f
    .balign 32
    .endr
2:  bl      far2
    done

    kernel  66, "8 lines later it is not: 9, 8 x (2 + 4), BL 2 + 4, BX LR 3"
    bl      far3
    b.n     2f
    .balign 64
    .skip   64
    .rept   7
2:  b.n     2f
    .balign 32
    .endr
2:  bl      far3
    done

    finish
    .balign 64
    .skip   64
far:
return:
mov_pc:
ldr_pc:
    bx      lr
    .balign 64
far2:
    bx      lr
    .balign 64
far3:
    bx      lr
