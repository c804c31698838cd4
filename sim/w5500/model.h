/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h - what the files of the chip share. */
#ifndef ND_SIM_W5500_MODEL_H
#define ND_SIM_W5500_MODEL_H

#include "w5500/chip.h"
#include "w5500/registers.h"

#include "lwip/tcp.h"
#include "lwip/udp.h"

/* Between a command and its taking, when Sn_CR is 0 again. The datasheet gives no time; drivers
 * must read the register. */
#define ND__COMMAND_NS 1000u

struct nd__socket {
    uint8_t reg[ND__SN_REGISTERS]; /* as the host wrote them */
    uint8_t sr;                    /* the state, as long as no connection has one */
    uint8_t ir;
    uint64_t command_ns; /* Sn_CR reads as written until then [ns] */
    struct tcp_pcb *tcp; /* NULL = no connection */
    struct udp_pcb *udp;
    uint16_t tx_rd;    /* sent up to here; before that, lwIP has it */
    uint16_t tx_taken; /* handed to lwIP up to here */
    uint16_t tx_acked; /* acknowledged up to here */
    uint16_t rx_rd;    /* given back up to here */
    uint16_t rx_wr;
    bool sending;      /* a SEND is not done yet */
    uint8_t asked;     /* ARP requests for it */
    uint64_t since_ms; /* waits for the peer since then; 0 = does not wait [ms] */
    uint8_t tx[ND__BUFFER_BYTES];
    uint8_t rx[ND__BUFFER_BYTES];
};

struct nd__chip {
    struct nd_chip_cfg cfg;
    struct nd_chip_faults faults;
    uint8_t reg[ND__COMMON_REGISTERS];
    uint32_t dropped_datagrams;
    struct nd__socket sockets[ND__SOCKETS];
};

extern struct nd__chip nd__chip;

/* Two bytes of a register, high first. */
static inline uint16_t nd__get16(const uint8_t *reg) {
    return (uint16_t)(reg[0] << 8 | reg[1]);
}

static inline void nd__put16(uint8_t *reg, uint16_t value) {
    reg[0] = (uint8_t)(value >> 8);
    reg[1] = (uint8_t)value;
}

static inline uint32_t nd__rx_size(const struct nd__socket *s) {
    return (uint32_t)s->reg[ND__SN_RXBUF_SIZE] << 10;
}

static inline uint32_t nd__tx_size(const struct nd__socket *s) {
    return (uint32_t)s->reg[ND__SN_TXBUF_SIZE] << 10;
}

/* Received and not given back [byte]. */
static inline uint16_t nd__rx_stored(const struct nd__socket *s) {
    return (uint16_t)(s->rx_wr - s->rx_rd);
}

static inline uint64_t nd__now_ms(void) {
    return nd__chip.cfg.now_ns(nd__chip.cfg.ctx) / 1000000u;
}

/* ---- socket.c ---- */

/* Power-on values; whatever connection there was is dropped without a word. */
void nd__socket_reset(struct nd__socket *s);
uint8_t nd__socket_read(struct nd__socket *s, uint16_t at);
void nd__socket_write(struct nd__socket *s, uint16_t at, uint8_t value);

/* Append to the receive buffer, in which there is room. */
void nd__socket_store(struct nd__socket *s, const void *bytes, uint32_t len);

/* The SEND that was under way is done. */
void nd__socket_sent(struct nd__socket *s);

/* Let what waits, at any socket, go on or time out. */
void nd__socket_poll_all(void);

/* ---- tcp.c ---- */

uint8_t nd__tcp_state(const struct nd__socket *s);
void nd__tcp_listen(struct nd__socket *s);
void nd__tcp_connect(struct nd__socket *s);
void nd__tcp_disconnect(struct nd__socket *s);
void nd__tcp_send(struct nd__socket *s, uint16_t to);
void nd__tcp_keep(struct nd__socket *s);
void nd__tcp_received(struct nd__socket *s, uint16_t len);
void nd__tcp_poll(struct nd__socket *s);

/* lwIP listens as long as a socket does. Not from inside lwIP. */
void nd__tcp_update_listeners(void);

/* Forget the connection or listener; nothing is sent. */
void nd__tcp_drop(struct nd__socket *s);

/* ---- udp.c ---- */

void nd__udp_open(struct nd__socket *s);
void nd__udp_send(struct nd__socket *s, uint16_t to, bool to_mac);
void nd__udp_poll(struct nd__socket *s);
void nd__udp_drop(struct nd__socket *s);

/* ---- net.c ---- */

void nd__net_start(void);
void nd__net_stop(void);

/* The address registers changed. */
void nd__net_readdress(void);

/* A peer's address as a socket's registers have it. */
ip_addr_t nd__net_peer(const struct nd__socket *s);

/* Whether its hardware address is known, and to ask for it. */
bool nd__net_resolved(const ip_addr_t *ip);
void nd__net_resolve(const ip_addr_t *ip);

/* How long the chip tries: with a doubling interval, or a constant one [ms]. */
uint64_t nd__net_limit_ms(bool doubling);

#endif
