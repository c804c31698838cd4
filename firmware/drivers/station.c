/* SPDX-License-Identifier: BSD-3-Clause */
#include "station.h"
#include "board.h"
#include "machine.h"
#include "pio.h"

#include <string.h>

/* A frame for which no buffer is posted is read past in pieces of so much [byte]. */
#define DRAIN_BYTES 128u

static struct {
    struct nd_lockstep_welcome welcome;
    struct nd_station_receiver receiver;
    struct nd_station_counts counts;
    uint64_t spent;  /* work told to the simulator so far [ticks] */
    uint64_t idle;   /* device time that was not work [ticks] */
    uint64_t latest; /* device time at the latest answer [ticks] */
    uint32_t offset; /* device time less work as counted here, at that answer, low word [ticks] */
    uint32_t clock;  /* device time at the latest record or answer, low word [ticks] */
    uint32_t tx_free;
    bool more;
    uint32_t typed_head; /* next byte to hand out */
    uint32_t typed_tail; /* next byte to fill */
    char typed[ND_LOCKSTEP_CONSOLE_BYTES];
} station;

/* Between answers the device's time goes on by the work that is counted here. The simulator may
 * count otherwise, in cycles: then it is an estimate, which the next answer corrects. It never goes
 * back. */
static inline void set_clock(uint32_t now) {
    if ((int32_t)(now - station.clock) > 0) {
        station.clock = now;
    }
}

/* Begin a record: its header carries the work since the one before. */
static inline void send_record(enum nd_lockstep_type type, uint32_t arg) {
    uint64_t ticks = nd_machine_ticks();
    const struct nd_lockstep_record record = {type, (uint32_t)(ticks - station.spent), arg};
    station.spent = ticks;
    set_clock((uint32_t)ticks + station.offset);
    nd_machine_write(&record, sizeof(record));
}

static void send_hello(const char *image, const uint8_t mac[6]) {
    struct nd_lockstep_hello hello = {
        .magic = ND_LOCKSTEP_MAGIC,
        .version = ND_LOCKSTEP_VERSION,
        .hz = ND_BOARD_HZ,
        .tick_kind = ND_BOARD_TICK_KIND,
        .link_bit_s = ND_BOARD_LINK_BIT_S,
        .rx_ring = ND_BOARD_RX_RING,
        .tx_ring = ND_BOARD_TX_RING,
        .flash_line_bytes = ND_BOARD_FLASH_LINE_BYTES,
        .flash_waits = ND_BOARD_FLASH_WAITS,
        .flash_buffers = ND_BOARD_FLASH_BUFFERS,
        .board = ND_BOARD_NAME,
    };
    memcpy(hello.mac, mac, sizeof(hello.mac));
    strncpy(hello.image, image, sizeof(hello.image) - 1);
    send_record(ND_LOCKSTEP_HELLO, sizeof(hello));
    nd_machine_write(&hello, sizeof(hello));
}

void nd_station_start(int argc, char **argv, const char *image, const uint8_t mac[6]) {
    nd_machine_open(argc, argv);
    send_hello(image, mac);
    nd_machine_read(&station.welcome, sizeof(station.welcome));
    if (station.welcome.magic != ND_LOCKSTEP_MAGIC ||
        station.welcome.version != ND_LOCKSTEP_VERSION) {
        nd_machine_abandon("the simulator speaks another version of the lockstep protocol");
    }
    station.tx_free = ND_BOARD_TX_RING;
    if (station.welcome.tick_kind == ND_CLOCK_CYCLES) {
        nd_station_clock.kind = ND_CLOCK_CYCLES;
        nd_station_clock.name = "cycles";
    }
}

const struct nd_lockstep_welcome *nd_station_welcome(void) {
    return &station.welcome;
}

void nd_station_set_receiver(const struct nd_station_receiver *receiver) {
    station.receiver = *receiver;
}

static void drain(uint32_t bytes) {
    uint8_t piece[DRAIN_BYTES];
    while (bytes > 0) {
        uint32_t now = bytes < sizeof(piece) ? bytes : (uint32_t)sizeof(piece);
        nd_machine_read(piece, now);
        bytes -= now;
    }
}

static void receive_frame(uint32_t bytes) {
    void *buffer = NULL;
    if (station.receiver.buffer != NULL) {
        buffer = station.receiver.buffer(station.receiver.ctx);
    }
    if (buffer == NULL || bytes > ND_LOCKSTEP_FRAME_BYTES) {
        station.counts.rx_no_buffer++;
        drain(bytes);
        return;
    }
    nd_pio_take(buffer, bytes);
    nd_machine_read(buffer, bytes);
    station.receiver.arrived(station.receiver.ctx, bytes);
}

static void receive_typed(uint32_t bytes) {
    uint32_t waiting = station.typed_tail - station.typed_head;
    memmove(station.typed, station.typed + station.typed_head, waiting);
    uint32_t room = (uint32_t)sizeof(station.typed) - waiting;
    uint32_t kept = bytes < room ? bytes : room;
    nd_machine_read(station.typed + waiting, kept);
    drain(bytes - kept);
    station.typed_head = 0;
    station.typed_tail = waiting + kept;
    station.counts.console_lost_bytes += bytes - kept;
}

static bool exchange(enum nd_lockstep_type type, uint32_t wait) {
    struct nd_lockstep_answer answer;
    send_record(type, wait);
    nd_machine_read(&answer, sizeof(answer));
    station.latest = (uint64_t)answer.now_high << 32 | answer.now_low;
    station.idle += answer.waited;
    station.offset = answer.now_low - (uint32_t)station.spent;
    set_clock(answer.now_low);
    station.tx_free = answer.tx_free;
    station.more = answer.frames_left > 0;
    if (answer.frame_bytes > 0) {
        receive_frame(answer.frame_bytes);
    }
    if (answer.console_bytes > 0) {
        receive_typed(answer.console_bytes);
    }
    return answer.frame_bytes > 0 || answer.console_bytes > 0;
}

bool nd_station_poll(uint32_t wait) {
    return exchange(ND_LOCKSTEP_POLL, wait);
}

bool nd_station_more(void) {
    return station.more;
}

static void wait_for_descriptor(void) {
    station.counts.tx_waits++;
    uint64_t idle = station.idle;
    do {
        exchange(ND_LOCKSTEP_POLL_TX, ND_BOARD_HZ);
    } while (station.tx_free == 0);
    station.counts.tx_wait_ticks += station.idle - idle;
}

void nd_station_frame(uint32_t bytes) {
    if (station.tx_free == 0) {
        wait_for_descriptor();
    }
    station.tx_free--;
    send_record(ND_LOCKSTEP_FRAME, bytes);
}

void nd_station_piece(const void *bytes, uint32_t len) {
    nd_pio_put(bytes, len);
    nd_machine_write(bytes, len);
}

uint32_t nd_station_tx_free(void) {
    return station.tx_free;
}

size_t nd_station_console_input(const char **bytes) {
    *bytes = station.typed + station.typed_head;
    return station.typed_tail - station.typed_head;
}

void nd_station_console_input_done(size_t len) {
    station.typed_head += (uint32_t)len;
}

void nd_station_console_write(const char *bytes, size_t len) {
    while (len > 0) {
        uint32_t now = len < ND_LOCKSTEP_CONSOLE_BYTES ? (uint32_t)len : ND_LOCKSTEP_CONSOLE_BYTES;
        send_record(ND_LOCKSTEP_CONSOLE, now);
        nd_machine_write(bytes, now);
        bytes += now;
        len -= now;
    }
}

uint64_t nd_station_latest(void) {
    return station.latest;
}

const uint64_t *nd_station_idle(void) {
    return &station.idle;
}

/* The agent loads its clock from memory, as a board loads its cycle counter: a reading of the
 * emulator's timer would cost tens of instructions that no board spends. */
struct nd_clock nd_station_clock = {
    .counter = &station.clock,
    .name = ND_BOARD_CLOCK_NAME,
    .hz = ND_BOARD_HZ,
    .bits = 32,
    .kind = ND_BOARD_TICK_KIND,
};

const struct nd_station_counts *nd_station_counts(void) {
    return &station.counts;
}

_Noreturn void nd_station_exit(int code) {
    send_record(ND_LOCKSTEP_EXIT, (uint32_t)code);
    nd_machine_exit(code);
}
