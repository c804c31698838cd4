/* SPDX-License-Identifier: BSD-3-Clause */
/* A libFuzzer target: any bytes at any address, through every kernel, beside the reference. At the
 * last address they end where their memory ends, so that a kernel which reads on is seen. */
#include <stdlib.h>
#include <string.h>

#include "nd/checksum.h"
#include "nd/kernels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int true_thing) {
    if (!true_thing) {
        abort();
    }
}

/* What the input asks for. */
struct order {
    const uint8_t *bytes;
    size_t len;
    uint8_t *dst;
    uint16_t sum; /* as the reference has it */
};

static void try_kernel(const struct nd_kernel *kernel, const struct order *order) {
    memset(order->dst, 0, order->len);
    switch (kernel->kind) {
    case ND_KERNEL_CHECKSUM:
        require(kernel->call.checksum(order->bytes, order->len) == order->sum);
        break;
    case ND_KERNEL_COPY:
        require(kernel->call.copy(order->dst, order->bytes, order->len) == order->dst);
        require(memcmp(order->dst, order->bytes, order->len) == 0);
        break;
    case ND_KERNEL_COPY_CHECKSUM:
        require(kernel->call.copy_checksum(order->dst, order->bytes, order->len) == order->sum);
        require(memcmp(order->dst, order->bytes, order->len) == 0);
        break;
    default:
        break; /* a FIFO keeps one word only */
    }
}

static void try_pieces(const struct order *order, size_t cut) {
    uint16_t first = nd_checksum(order->bytes, cut);
    uint16_t second = nd_checksum(order->bytes + cut, order->len - cut);

    require(nd_checksum_combine(first, cut, second) == order->sum);
}

/* The first word becomes the last one. */
static void try_update(const struct order *order) {
    uint16_t field = (uint16_t)~order->sum;
    uint16_t before, after, rest;

    if (order->len < 2) {
        return;
    }
    memcpy(&before, order->bytes, 2);
    memcpy(&after, order->bytes + order->len - 2, 2);
    rest = nd_checksum(order->bytes + 2, order->len - 2);
    if (rest != 0) {
        uint16_t anew = (uint16_t)~nd_checksum_combine(nd_checksum(&after, 2), 2, rest);

        require(nd_checksum_update(field, before, after) == anew);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned count;
    const struct nd_kernel *kernels = nd_kernels(&count);
    struct order order;
    uint8_t *src, *dst;
    size_t src_at, dst_at;

    if (size < 3) {
        return 0;
    }
    src_at = data[0] % (ND_KERNEL_ALIGNS + 1);
    dst_at = data[1] % (ND_KERNEL_ALIGNS + 1);
    order.len = size - 3;
    src = malloc(ND_KERNEL_ALIGNS + order.len);
    dst = malloc(ND_KERNEL_ALIGNS + order.len);
    require(src != NULL && dst != NULL);
    order.bytes = memcpy(src + src_at, data + 3, order.len);
    order.dst = dst + dst_at;
    order.sum = kernels[0].call.checksum(order.bytes, order.len);
    for (unsigned i = 0; i < count; i++) {
        try_kernel(&kernels[i], &order);
    }
    try_pieces(&order, order.len > 0 ? data[2] % order.len : 0);
    try_update(&order);
    free(src);
    free(dst);
    return 0;
}
