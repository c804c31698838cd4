/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.h - what the head of an Ethernet frame says: enough to find it again in a capture. */
#ifndef ND_TOOL_PACKET_H
#define ND_TOOL_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet {
    const char *kind;       /* "tcp", "udp", "icmp", "ip", "arp" or "ethernet"; static */
    uint32_t bytes;         /* of the frame, without FCS */
    uint32_t payload_bytes; /* of TCP or UDP */
    bool has_ports;
    uint16_t source;
    uint16_t destination;
    bool has_sequence; /* TCP */
    uint32_t seq;
    uint32_t ack;
    uint8_t flags; /* as in the header: FIN is 1, SYN 2, RST 4, PSH 8, ACK 16 */
};

/* Read a head of so many bytes, of a frame of frame_bytes. What it is too short for is left out. */
struct packet packet_read(const uint8_t *head, size_t head_bytes, uint32_t frame_bytes);

#endif
