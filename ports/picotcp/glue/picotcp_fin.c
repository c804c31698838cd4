/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of pico_tcp_input(), by the linker's --wrap. picoTCP overlooks a FIN that comes with
 * bytes: it compares the segment's first number with what it expects next, which those bytes have
 * moved on. It never acknowledges one, and lwIP, which repeats the segment whole, never gets
 * further. So it is shown the bytes first and then the FIN. */
#include <string.h>

#include "pico_frame.h"
#include "pico_tcp.h"

int __wrap_pico_tcp_input(struct pico_socket *socket, struct pico_frame *frame);
int __real_pico_tcp_input(struct pico_socket *socket, struct pico_frame *frame);

static struct pico_tcp_hdr *header_of(const struct pico_frame *frame) {
    return (struct pico_tcp_hdr *)frame->transport_hdr;
}

static uint16_t header_bytes(const struct pico_frame *frame) {
    return (uint16_t)((header_of(frame)->len & 0xF0u) >> 2);
}

/* The FIN of this segment as one of its own; NULL without memory for it, and the peer will repeat
 * both. pico_frame_deepcopy() copies neither the bytes nor, of a frame that was received without a
 * copy, how its memory is to be freed. */
static struct pico_frame *take_fin(struct pico_frame *frame) {
    struct pico_frame *fin = pico_frame_deepcopy(frame);
    struct pico_tcp_hdr *header;

    header_of(frame)->flags &= (uint8_t)~PICO_TCP_FIN;
    if (fin == NULL) {
        return NULL;
    }
    fin->flags &= (uint8_t) ~(PICO_FRAME_FLAG_EXT_BUFFER | PICO_FRAME_FLAG_EXT_USAGE_COUNTER);
    fin->notify_free = NULL;
    memcpy(fin->buffer, frame->buffer, frame->buffer_len);
    header = header_of(fin);
    header->flags = PICO_TCP_FIN | PICO_TCP_ACK;
    header->seq = long_be(long_be(header->seq) + fin->transport_len - header_bytes(fin));
    fin->transport_len = header_bytes(fin);
    return fin;
}

int __wrap_pico_tcp_input(struct pico_socket *socket, struct pico_frame *frame) {
    struct pico_frame *fin = NULL;
    int result;

    if ((header_of(frame)->flags & PICO_TCP_FIN) != 0 &&
        frame->transport_len > header_bytes(frame)) {
        fin = take_fin(frame);
    }
    result = __real_pico_tcp_input(socket, frame);
    return fin != NULL ? __real_pico_tcp_input(socket, fin) : result;
}
