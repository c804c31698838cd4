/* SPDX-License-Identifier: BSD-3-Clause */
/* core/bytes.h - big-endian integers at any address. */
#ifndef ND__BYTES_H
#define ND__BYTES_H

#include <stdint.h>

static inline void nd__bytes_put_u16(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void nd__bytes_put_u32(uint8_t *at, uint32_t value) {
    nd__bytes_put_u16(at, (uint16_t)(value >> 16));
    nd__bytes_put_u16(at + 2, (uint16_t)value);
}

static inline uint16_t nd__bytes_u16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t nd__bytes_u32(const uint8_t *at) {
    return (uint32_t)nd__bytes_u16(at) << 16 | nd__bytes_u16(at + 2);
}

#endif
