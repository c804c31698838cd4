/* SPDX-License-Identifier: BSD-3-Clause */
/* x86-64: vectors of 32-bit words, the even and the odd ones of them each into sums of 64 bits, so
 * that no carry is lost. */
#include "fold.h"
#include "load.h"
#include "rows.h"

#include <immintrin.h>

/* So many bytes fit every sum with room to spare; then they are folded. */
enum { PIECE_BYTES = 1 << 20 };

/* Two sums of 64 bits may carry out of the upper one. */
static inline uint64_t add64(uint64_t sum, uint64_t more) {
    sum += more;
    return sum + (sum < more);
}

/* Less than a vector, in memory order from the first byte on. */
static uint64_t take_tail(const uint8_t *at, size_t len) {
    uint64_t sum = 0;

    for (; len >= 4; len -= 4, at += 4) {
        sum += nd__load32(at);
    }
    if (len >= 2) {
        sum += nd__load16(at);
        at += 2;
        len -= 2;
    }
    return len > 0 ? sum + nd__first_byte(*at) : sum;
}

/* Part of its callers, so that it becomes AVX where they are: instructions of SSE stall between
 * those. */
static inline __attribute__((always_inline)) uint64_t sum_sse2(const uint8_t *at, size_t len) {
    const __m128i low = _mm_set1_epi64x(UINT32_MAX);
    __m128i even = _mm_setzero_si128(), odd = even;
    uint64_t sums[2];

    for (; len >= 16; len -= 16, at += 16) {
        __m128i words = _mm_loadu_si128((const __m128i *)(const void *)at);

        even = _mm_add_epi64(even, _mm_and_si128(words, low));
        odd = _mm_add_epi64(odd, _mm_srli_epi64(words, 32));
    }
    _mm_storeu_si128((__m128i *)(void *)sums, _mm_add_epi64(even, odd));
    return add64(add64(sums[0], sums[1]), take_tail(at, len));
}

__attribute__((target("avx2"))) static uint64_t sum_avx2(const uint8_t *at, size_t len) {
    const __m256i low = _mm256_set1_epi64x(UINT32_MAX);
    __m256i even = _mm256_setzero_si256(), odd = even, even2 = even, odd2 = even;
    uint64_t sums[4];

    for (; len >= 64; len -= 64, at += 64) {
        __m256i words = _mm256_loadu_si256((const __m256i *)(const void *)at);
        __m256i words2 = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32));

        even = _mm256_add_epi64(even, _mm256_and_si256(words, low));
        odd = _mm256_add_epi64(odd, _mm256_srli_epi64(words, 32));
        even2 = _mm256_add_epi64(even2, _mm256_and_si256(words2, low));
        odd2 = _mm256_add_epi64(odd2, _mm256_srli_epi64(words2, 32));
    }
    even = _mm256_add_epi64(_mm256_add_epi64(even, even2), _mm256_add_epi64(odd, odd2));
    _mm256_storeu_si256((__m256i *)(void *)sums, even);
    return add64(add64(sums[0], sums[1]), add64(add64(sums[2], sums[3]), sum_sse2(at, len)));
}

uint16_t nd__checksum_sse2(const void *bytes, size_t len) {
    const uint8_t *at = bytes;
    uint64_t sum = 0;

    for (; len > PIECE_BYTES; len -= PIECE_BYTES, at += PIECE_BYTES) {
        sum = add64(sum, sum_sse2(at, PIECE_BYTES));
    }
    return nd__fold32(nd__fold64(add64(sum, sum_sse2(at, len))));
}

uint16_t nd__checksum_avx2(const void *bytes, size_t len) {
    const uint8_t *at = bytes;
    uint64_t sum = 0;

    for (; len > PIECE_BYTES; len -= PIECE_BYTES, at += PIECE_BYTES) {
        sum = add64(sum, sum_avx2(at, PIECE_BYTES));
    }
    return nd__fold32(nd__fold64(add64(sum, sum_avx2(at, len))));
}
