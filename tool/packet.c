/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet.h"

/* IEEE 802.3 and IANA: EtherTypes; RFC 791, 9293, 768: headers and protocol numbers. */
enum {
    ETHERNET_BYTES = 14,
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_ARP = 0x0806,
    IPV4_BYTES = 20,
    PROTOCOL_ICMP = 1,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    TCP_BYTES = 20,
    UDP_BYTES = 8
};

static uint16_t get_16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static uint32_t get_32(const uint8_t *bytes) {
    return (uint32_t)get_16(bytes) << 16 | get_16(bytes + 2);
}

static void read_ports(struct packet *packet, const uint8_t *segment) {
    packet->has_ports = true;
    packet->source = get_16(segment);
    packet->destination = get_16(segment + 2);
}

/* segment: left bytes of it are at hand, and it has total bytes. */
static void read_tcp(struct packet *packet, const uint8_t *segment, size_t left, uint32_t total) {
    uint32_t header;

    if (left < TCP_BYTES) {
        return;
    }
    header = (uint32_t)(segment[12] >> 4) * 4;
    read_ports(packet, segment);
    packet->has_sequence = true;
    packet->seq = get_32(segment + 4);
    packet->ack = get_32(segment + 8);
    packet->flags = segment[13];
    packet->payload_bytes = total > header ? total - header : 0;
}

static void read_udp(struct packet *packet, const uint8_t *segment, size_t left, uint32_t total) {
    if (left < UDP_BYTES) {
        return;
    }
    read_ports(packet, segment);
    packet->payload_bytes = total > UDP_BYTES ? total - UDP_BYTES : 0;
}

static void read_ipv4(struct packet *packet, const uint8_t *ip, size_t left) {
    uint32_t header;
    uint32_t total;

    packet->kind = "ip";
    if (left < IPV4_BYTES) {
        return;
    }
    header = (uint32_t)(ip[0] & 15) * 4;
    total = get_16(ip + 2);
    if (header < IPV4_BYTES || header > left || total < header || (get_16(ip + 6) & 0x1FFF) != 0) {
        return; /* broken, or a later fragment */
    }
    if (ip[9] == PROTOCOL_TCP) {
        packet->kind = "tcp";
        read_tcp(packet, ip + header, left - header, total - header);
    } else if (ip[9] == PROTOCOL_UDP) {
        packet->kind = "udp";
        read_udp(packet, ip + header, left - header, total - header);
    } else if (ip[9] == PROTOCOL_ICMP) {
        packet->kind = "icmp";
    }
}

struct packet packet_read(const uint8_t *head, size_t head_bytes, uint32_t frame_bytes) {
    struct packet packet = {.kind = "ethernet", .bytes = frame_bytes};
    size_t known = head_bytes < frame_bytes ? head_bytes : frame_bytes;
    uint16_t type;

    if (known < ETHERNET_BYTES) {
        return packet;
    }
    type = get_16(head + 12);
    if (type == ETHERTYPE_ARP) {
        packet.kind = "arp";
    } else if (type == ETHERTYPE_IPV4) {
        read_ipv4(&packet, head + ETHERNET_BYTES, known - ETHERNET_BYTES);
    }
    return packet;
}
