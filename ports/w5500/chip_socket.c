/* SPDX-License-Identifier: BSD-3-Clause */
#include "chip_socket.h"

/* Reads of the command register before a command counts as stuck. The chip takes one within a
 * transaction or two; this bounds what a broken bus can cost. */
#define COMMAND_TRIES 32u

/* What a look reads: from the command register to the receive pointer. */
#define LOOK_FROM  ND__W5500_SN_COMMAND
#define LOOK_BYTES (ND__W5500_SN_RX_READ + 2u - LOOK_FROM)

static uint16_t get16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void write_registers(struct nd_w5500 *port, const struct nd_w5500_socket *socket,
                            uint16_t at, const uint8_t *bytes, uint16_t len) {
    nd__w5500_write(port, ND__W5500_REGISTERS, nd__w5500_number(port, socket), at, bytes, len);
}

static void write8(struct nd_w5500 *port, const struct nd_w5500_socket *socket, uint16_t at,
                   uint8_t value) {
    write_registers(port, socket, at, &value, 1);
}

static void write16(struct nd_w5500 *port, const struct nd_w5500_socket *socket, uint16_t at,
                    uint16_t value) {
    const uint8_t bytes[2] = {(uint8_t)(value >> 8), (uint8_t)value};

    write_registers(port, socket, at, bytes, sizeof bytes);
}

static uint16_t tx_size(const struct nd_w5500 *port, const struct nd_w5500_socket *socket) {
    return (uint16_t)(port->tx_kib[nd__w5500_number(port, socket)] << 10);
}

/* ---- commands ---- */

static bool command_taken(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    uint8_t command;

    for (unsigned i = 0; socket->busy && i < COMMAND_TRIES; i++) {
        nd__w5500_read(port, ND__W5500_REGISTERS, nd__w5500_number(port, socket),
                       ND__W5500_SN_COMMAND, &command, 1);
        socket->busy = command != 0;
    }
    if (socket->busy) {
        port->counts.stuck++;
    }
    return !socket->busy;
}

bool nd__w5500_command(struct nd_w5500 *port, struct nd_w5500_socket *socket, uint8_t command) {
    socket->hot = true;
    if (!command_taken(port, socket)) {
        return false;
    }
    write8(port, socket, ND__W5500_SN_COMMAND, command);
    socket->busy = true;
    return true;
}

/* ---- opening and closing ---- */

static bool usable(const struct nd_w5500 *port, unsigned number) {
    return port->rx_kib[number] != 0 && port->tx_kib[number] != 0;
}

/* The socket that has lingered longest. */
static struct nd_w5500_socket *oldest_lingering(struct nd_w5500 *port) {
    struct nd_w5500_socket *oldest = NULL;

    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        struct nd_w5500_socket *socket = &port->sockets[i];

        if (socket->use == ND__W5500_LINGERS &&
            (oldest == NULL || (int32_t)(socket->order - oldest->order) < 0)) {
            oldest = socket;
        }
    }
    return oldest;
}

struct nd_w5500_socket *nd__w5500_take_socket(struct nd_w5500 *port, bool udp) {
    struct nd_w5500_socket *socket;

    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        unsigned number = udp ? i : ND_W5500_SOCKETS - 1u - i;

        if (port->sockets[number].use == ND__W5500_FREE && usable(port, number)) {
            return &port->sockets[number];
        }
    }
    socket = oldest_lingering(port);
    if (socket != NULL) {
        port->counts.cut_off++;
        nd__w5500_abort(port, socket);
    }
    return socket;
}

bool nd__w5500_open(struct nd_w5500 *port, struct nd_w5500_socket *socket, uint8_t protocol,
                    uint16_t local_port) {
    const uint8_t opened = protocol == ND__W5500_UDP ? ND__W5500_IS_UDP : ND__W5500_IS_INIT;
    const bool busy = socket->busy; /* with the CLOSE of who had it before */

    *socket = (struct nd_w5500_socket){.busy = busy, .local_port = local_port};
    if (!command_taken(port, socket)) {
        return false;
    }
    write8(port, socket, ND__W5500_SN_MODE, protocol);
    write16(port, socket, ND__W5500_SN_PORT, local_port);
    write8(port, socket, ND__W5500_SN_FLAGS, 0xFF);
    if (!nd__w5500_command(port, socket, ND__W5500_OPEN) || !command_taken(port, socket)) {
        return false;
    }
    return nd__w5500_look(port, socket) && socket->state == opened;
}

static bool synchronized(const struct nd_w5500_socket *socket) {
    return socket->state >= ND__W5500_IS_ESTABLISHED && socket->state <= ND__W5500_IS_LAST_ACK;
}

/* No command of the chip sends an RST. A keepalive does it: the peer's answer to it finds no
 * connection any more, and that the chip answers with an RST. */
void nd__w5500_abort(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    if (!socket->gone) {
        if (synchronized(socket)) {
            nd__w5500_command(port, socket, ND__W5500_KEEP);
        }
        nd__w5500_command(port, socket, ND__W5500_CLOSE);
    }
    socket->use = ND__W5500_FREE;
    socket->slot = NULL;
    socket->hot = false;
}

static bool has_port(const struct nd_w5500 *port, uint16_t number) {
    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        if (port->sockets[i].use != ND__W5500_FREE && port->sockets[i].local_port == number) {
            return true;
        }
    }
    return false;
}

uint16_t nd__w5500_choose_port(struct nd_w5500 *port) {
    uint16_t chosen;

    do {
        chosen = port->next_port++;
        if (port->next_port == 0) {
            port->next_port = 49152;
        }
    } while (has_port(port, chosen));
    return chosen;
}

void nd__w5500_set_peer(struct nd_w5500 *port, struct nd_w5500_socket *socket, const uint8_t ip[4],
                        uint16_t peer_port) {
    uint8_t bytes[6];
    bool same = socket->peer_port == peer_port;

    for (unsigned i = 0; i < 4; i++) {
        same = same && socket->peer_ip[i] == ip[i];
        socket->peer_ip[i] = bytes[i] = ip[i];
    }
    if (same) {
        return;
    }
    socket->peer_port = peer_port;
    bytes[4] = (uint8_t)(peer_port >> 8);
    bytes[5] = (uint8_t)peer_port;
    write_registers(port, socket, ND__W5500_SN_PEER, bytes, sizeof bytes);
}

/* ---- looking ---- */

/* A register of the block that was read. */
#define AT(reg) (block + (reg)-LOOK_FROM)

/* While a connection comes to stand the chip may set its pointers anew. */
static void take_pointers(struct nd_w5500_socket *socket, const uint8_t *block) {
    socket->tx_write = socket->tx_told = get16(AT(ND__W5500_SN_TX_WRITE));
    socket->rx_read = get16(AT(ND__W5500_SN_RX_READ));
    for (unsigned i = 0; i < 4; i++) {
        socket->peer_ip[i] = AT(ND__W5500_SN_PEER)[i];
    }
    socket->peer_port = get16(AT(ND__W5500_SN_PEER) + 4);
}

static bool is_new(const struct nd_w5500_socket *socket) {
    return socket->state < ND__W5500_IS_ESTABLISHED;
}

static void take_state(struct nd_w5500 *port, struct nd_w5500_socket *socket,
                       const uint8_t *block) {
    const uint8_t state = *AT(ND__W5500_SN_STATE);
    const bool comes_to_stand = is_new(socket) && state >= ND__W5500_IS_ESTABLISHED;

    (void)port;
    socket->flags = *AT(ND__W5500_SN_FLAGS);
    socket->seen |= socket->flags;
    socket->state = state;
    if (comes_to_stand) {
        take_pointers(socket, block);
    }
    if ((socket->seen & ND__W5500_DISCONNECTED) != 0 ||
        (state >= ND__W5500_IS_CLOSING && state <= ND__W5500_IS_LAST_ACK)) {
        socket->fin_seen = true;
    }
}

/* Two bytes of a size are not read at one instant, but the higher one is read first, and between
 * our own commands both sizes only grow: what is read is never more than what is there. The pointer
 * behind which SEND is done is met exactly only when both its bytes are. */
static void take_sizes(struct nd_w5500_socket *socket, const uint8_t *block) {
    const uint16_t held = (uint16_t)(socket->tx_write - socket->tx_told);
    const uint16_t room = get16(AT(ND__W5500_SN_TX_FREE));

    socket->tx_room = (uint16_t)(room > held ? room - held : 0);
    socket->rx_there = get16(AT(ND__W5500_SN_RX_SIZE));
    if (get16(AT(ND__W5500_SN_TX_READ)) == socket->tx_told ||
        (socket->flags & ND__W5500_TIMED_OUT) != 0) {
        socket->sending = false;
    }
}

/* A socket rests when a look finds nothing to do and no flag. Flags are cleared when they have
 * woken it, and when nothing else is to be done; what comes after that raises them again, and what
 * came before is found by the next look: until then the socket stays hot. */
static void cool_down(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    const bool resting = socket->state != ND__W5500_IS_SYNSENT && !socket->sending &&
                         socket->rx_there == 0 && nd__w5500_unacknowledged(port, socket) == 0;

    if ((resting || socket->woken) && socket->flags != 0) {
        socket->woken = false;
        write8(port, socket, ND__W5500_SN_FLAGS, socket->flags);
        return;
    }
    /* No flag tells that our FIN was the last of two and has been acknowledged. */
    socket->hot = !socket->gone && (!resting || (socket->ended && !socket->fin_sent) ||
                                    (socket->fin_sent && socket->fin_seen));
}

bool nd__w5500_look(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    uint8_t block[LOOK_BYTES];

    nd__w5500_read(port, ND__W5500_REGISTERS, nd__w5500_number(port, socket), LOOK_FROM, block,
                   sizeof block);
    port->counts.looks++;
    socket->busy = *AT(ND__W5500_SN_COMMAND) != 0;
    if (socket->busy) {
        return false;
    }
    take_state(port, socket, block);
    if (!socket->returning) {
        take_sizes(socket, block);
    }
    socket->gone = socket->state == ND__W5500_IS_CLOSED;
    cool_down(port, socket);
    return true;
}

/* ---- data ---- */

uint16_t nd__w5500_unacknowledged(const struct nd_w5500 *port,
                                  const struct nd_w5500_socket *socket) {
    /* When it is closed in order, all was. */
    return socket->gone ? 0 : (uint16_t)(tx_size(port, socket) - socket->tx_room);
}

/* The read pointer counts when RECV says so. */
static void give_back(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    if (socket->gone) {
        return;
    }
    write16(port, socket, ND__W5500_SN_RX_READ, socket->rx_read);
    socket->returning = !nd__w5500_command(port, socket, ND__W5500_RECV);
}

uint16_t nd__w5500_fetch(struct nd_w5500 *port, struct nd_w5500_socket *socket, uint8_t *bytes,
                         uint32_t max) {
    const uint16_t len = socket->rx_there < max ? socket->rx_there : (uint16_t)max;

    if (len == 0) {
        return 0;
    }
    nd__w5500_read(port, ND__W5500_RX_BUFFER, nd__w5500_number(port, socket), socket->rx_read,
                   bytes, len);
    port->counts.bursts++;
    socket->rx_read = (uint16_t)(socket->rx_read + len);
    socket->rx_there = (uint16_t)(socket->rx_there - len);
    give_back(port, socket);
    return len;
}

void nd__w5500_store(struct nd_w5500 *port, struct nd_w5500_socket *socket, const void *bytes,
                     uint16_t len) {
    nd__w5500_write(port, ND__W5500_TX_BUFFER, nd__w5500_number(port, socket), socket->tx_write,
                    bytes, len);
    socket->tx_write = (uint16_t)(socket->tx_write + len);
    socket->tx_room = (uint16_t)(socket->tx_room - len);
    socket->hot = true;
}

static void send_stored(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    if (!command_taken(port, socket)) {
        return;
    }
    write16(port, socket, ND__W5500_SN_TX_WRITE, socket->tx_write);
    socket->tx_told = socket->tx_write;
    socket->sending = nd__w5500_command(port, socket, ND__W5500_SEND);
}

void nd__w5500_flush(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    if (socket->gone) {
        return;
    }
    if (socket->returning) {
        give_back(port, socket);
    }
    if (socket->tx_write != socket->tx_told && !socket->sending) {
        send_stored(port, socket);
    } else if (socket->ended && !socket->fin_sent && nd__w5500_unacknowledged(port, socket) == 0) {
        socket->fin_sent = nd__w5500_command(port, socket, ND__W5500_DISCON);
    }
}
