/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <string.h>

#include "heap.h"

#define HEAP_BYTES 8192u
#define PIECES     64u

static _Alignas(16) uint8_t memory[HEAP_BYTES];
static struct nd_heap heap;

static int start(void **state) {
    (void)state;
    nd_heap_start(&heap, memory, sizeof memory);
    return 0;
}

static void pieces_do_not_overlap_and_all_come_back(void **state) {
    uint8_t *pieces[PIECES] = {0};
    size_t sizes[PIECES] = {0};

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        unsigned i = (unsigned)unit_random_below(PIECES);

        if (pieces[i] == NULL) {
            sizes[i] = (size_t)unit_random_below(400);
            pieces[i] = nd_heap_alloc(&heap, sizes[i]);
            if (pieces[i] != NULL) {
                assert_int_equal((uintptr_t)pieces[i] % sizeof(size_t), 0);
                memset(pieces[i], (int)i, sizes[i]);
            }
            continue;
        }
        for (size_t at = 0; at < sizes[i]; at++) {
            assert_int_equal(pieces[i][at], i);
        }
        nd_heap_free(&heap, pieces[i]);
        pieces[i] = NULL;
    }
    for (unsigned i = 0; i < PIECES; i++) {
        nd_heap_free(&heap, pieces[i]);
    }
    assert_int_equal(heap.used, 0);
    assert_int_equal(heap.pieces, 0);
    assert_true(heap.allocations > PIECES && heap.failures > 0);
    assert_non_null(nd_heap_alloc(&heap, HEAP_BYTES - 64)); /* in one piece again */
}

static void what_does_not_fit_is_counted_and_harms_nothing(void **state) {
    (void)state;
    assert_null(nd_heap_alloc(&heap, HEAP_BYTES));
    assert_null(nd_heap_alloc(&heap, SIZE_MAX));
    assert_int_equal(heap.failures, 2);
    assert_int_equal(heap.used, 0);
    assert_non_null(nd_heap_alloc(&heap, 100));
}

static void figures_are_those_of_memory_h(void **state) {
    struct nd_pool pool;
    void *piece = nd_heap_alloc(&heap, 1000);

    (void)state;
    nd_heap_free(&heap, piece);
    nd_heap_free(&heap, NULL);
    nd_heap_read(&heap, &pool);
    assert_string_equal(pool.name, "heap");
    assert_int_equal(pool.element_bytes, 1);
    assert_int_equal(pool.total, HEAP_BYTES);
    assert_int_equal(pool.used, 0);
    assert_in_range(pool.used_max, 1008, 1032);
    assert_int_equal(pool.failures, 0);
}

static void memory_that_is_not_aligned_is_used_from_where_it_is(void **state) {
    (void)state;
    nd_heap_start(&heap, memory + 1, sizeof memory - 1);
    assert_int_equal((uintptr_t)nd_heap_alloc(&heap, 1) % (2 * sizeof(size_t)), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(pieces_do_not_overlap_and_all_come_back, start),
        cmocka_unit_test_setup(what_does_not_fit_is_counted_and_harms_nothing, start),
        cmocka_unit_test_setup(figures_are_those_of_memory_h, start),
        cmocka_unit_test_setup(memory_that_is_not_aligned_is_used_from_where_it_is, start),
    };

    unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
