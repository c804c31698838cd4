/* SPDX-License-Identifier: BSD-3-Clause */
#include "picotcp_host.h"

#include <string.h>

struct nd_heap nd_picotcp_heap;

/* picoTCP's name and type (its header for generic GCC targets). */
volatile unsigned int pico_ms_tick;

void *memmeas_zalloc(size_t bytes);
void memmeas_free(void *piece);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void __wrap_free(void *piece);

void nd_picotcp_set_ms(uint32_t ms) {
    pico_ms_tick = ms;
}

static void *cleared(size_t bytes) {
    void *piece = nd_heap_alloc(&nd_picotcp_heap, bytes);

    return piece != NULL ? memset(piece, 0, bytes) : NULL;
}

void *memmeas_zalloc(size_t bytes) {
    return cleared(bytes);
}

void memmeas_free(void *piece) {
    nd_heap_free(&nd_picotcp_heap, piece);
}

void *__wrap_malloc(size_t bytes) {
    return nd_heap_alloc(&nd_picotcp_heap, bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
    size_t all;

    return __builtin_mul_overflow(count, bytes, &all) ? NULL : cleared(all);
}

void __wrap_free(void *piece) {
    nd_heap_free(&nd_picotcp_heap, piece);
}

#if defined(__unix__)

#include <sys/time.h>

int __wrap_gettimeofday(struct timeval *now, void *zone);
int __wrap_printf(const char *format, ...);
int __wrap_puts(const char *text);
int __wrap_putchar(int letter);

int __wrap_gettimeofday(struct timeval *now, void *zone) {
    (void)zone;
    now->tv_sec = (time_t)(pico_ms_tick / 1000u);
    now->tv_usec = (suseconds_t)(pico_ms_tick % 1000u * 1000u);
    return 0;
}

int __wrap_printf(const char *format, ...) {
    (void)format;
    return 0;
}

int __wrap_puts(const char *text) {
    (void)text;
    return 0;
}

int __wrap_putchar(int letter) {
    return letter;
}

#endif
