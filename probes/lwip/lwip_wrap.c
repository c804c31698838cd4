/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that the linker's --wrap puts between lwIP's objects: __wrap_X is called where X
 * was, and __real_X is X. Their names are the linker's. */
#include "lwip_timing.h"

#include "lwip/mem.h"
#include "lwip/memp.h"
#include "lwip/pbuf.h"

void *__real_mem_malloc(mem_size_t size);
void __real_mem_free(void *piece);
void *__real_mem_trim(void *piece, mem_size_t size);
void *__real_memp_malloc(memp_t type);
void __real_memp_free(memp_t type, void *element);
struct pbuf *__real_pbuf_alloc(pbuf_layer layer, u16_t length, pbuf_type type);
u8_t __real_pbuf_free(struct pbuf *p);

void *__wrap_mem_malloc(mem_size_t size);
void __wrap_mem_free(void *piece);
void *__wrap_mem_trim(void *piece, mem_size_t size);
void *__wrap_memp_malloc(memp_t type);
void __wrap_memp_free(memp_t type, void *element);
struct pbuf *__wrap_pbuf_alloc(pbuf_layer layer, u16_t length, pbuf_type type);
u8_t __wrap_pbuf_free(struct pbuf *p);

struct nd_lwip_ledger nd_lwip_ledger;

ND_TIMING_CODE static void leave(enum nd_lwip_row row) {
    nd_timing_leave(&nd_lwip_timing, &nd_lwip_timing.rows[row]);
}

/* One more is out. */
static inline void take(int32_t *now, int32_t *max) {
    (*now)++;
    if (*now > *max) {
        *max = *now;
    }
}

ND_TIMING_CODE static void fail(uint32_t *failures, uint32_t bytes) {
    (*failures)++;
    if (nd_lwip_ledger.all_failures++ == 0) {
        nd_lwip_ledger.first_failed_bytes = bytes;
    }
}

/* Shaped as the functions below, with a ledger of its own. */
ND_TIMING_CODE void nd__lwip_sample(struct nd_timing *timing, struct nd_timing_row *row) {
    static struct nd_lwip_ledger ledger;

    nd_timing_enter(timing);
    nd_timing_nothing();
    nd_timing_leave(timing, row);
    if (row != NULL) {
        take(&ledger.heap_pieces, &ledger.heap_pieces_max);
    } else {
        fail(&ledger.heap_failures, 0);
    }
    __asm__ volatile("" ::"r"(&ledger) : "memory"); /* nobody reads it, and yet it costs */
}

ND_TIMING_CODE void *__wrap_mem_malloc(mem_size_t size) {
    nd_timing_enter(&nd_lwip_timing);
    void *piece = __real_mem_malloc(size);
    leave(ND_LWIP_NET_MALLOC);
    if (piece != NULL) {
        take(&nd_lwip_ledger.heap_pieces, &nd_lwip_ledger.heap_pieces_max);
    } else {
        fail(&nd_lwip_ledger.heap_failures, size);
    }
    return piece;
}

ND_TIMING_CODE void __wrap_mem_free(void *piece) {
    nd_timing_enter(&nd_lwip_timing);
    __real_mem_free(piece);
    leave(ND_LWIP_NET_FREE);
    nd_lwip_ledger.heap_pieces -= piece != NULL;
}

ND_TIMING_CODE void *__wrap_mem_trim(void *piece, mem_size_t size) {
    nd_timing_enter(&nd_lwip_timing);
    void *trimmed = __real_mem_trim(piece, size);
    leave(ND_LWIP_NET_TRIM);
    return trimmed;
}

/* Two functions, so that who counts calls outside can tell the rows apart. */
__attribute__((noinline)) static void *take_cluster(void) {
    nd_timing_enter(&nd_lwip_timing);
    void *element = __real_memp_malloc(MEMP_PBUF_POOL);
    leave(ND_LWIP_CLUSTER_ALLOC);
    return element;
}

__attribute__((noinline)) static void *take_element(memp_t type) {
    nd_timing_enter(&nd_lwip_timing);
    void *element = __real_memp_malloc(type);
    leave(ND_LWIP_POOL_ALLOC);
    return element;
}

ND_TIMING_CODE void *__wrap_memp_malloc(memp_t type) {
    void *element = type == MEMP_PBUF_POOL ? take_cluster() : take_element(type);

    if (element != NULL) {
        take(&nd_lwip_ledger.elements[type], &nd_lwip_ledger.elements_max[type]);
    } else {
        fail(&nd_lwip_ledger.failures[type], memp_pools[type]->size);
    }
    return element;
}

ND_TIMING_CODE void __wrap_memp_free(memp_t type, void *element) {
    nd_timing_enter(&nd_lwip_timing);
    __real_memp_free(type, element);
    leave(ND_LWIP_POOL_FREE);
    nd_lwip_ledger.elements[type] -= element != NULL;
}

/* A pool's buffers may be too small, and then it is a chain that comes. */
ND_TIMING_CODE struct pbuf *__wrap_pbuf_alloc(pbuf_layer layer, u16_t length, pbuf_type type) {
    nd_timing_enter(&nd_lwip_timing);
    struct pbuf *p = __real_pbuf_alloc(layer, length, type);
    leave(ND_LWIP_MBUF_ALLOC);
    if (p != NULL) {
        nd_lwip_ledger.pbufs += pbuf_clen(p);
    }
    return p;
}

ND_TIMING_CODE u8_t __wrap_pbuf_free(struct pbuf *p) {
    nd_timing_enter(&nd_lwip_timing);
    u8_t freed = __real_pbuf_free(p);
    leave(ND_LWIP_MBUF_FREE);
    nd_lwip_ledger.pbufs -= freed;
    return freed;
}
