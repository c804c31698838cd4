/* SPDX-License-Identifier: BSD-3-Clause */
/* w5500_bus - what two drivers of the W5500 cost on its bus, on the same model, side by side.
 *
 * The driver under test has one socket; the other end is another socket of the same chip, which
 * this program drives by registers without counting. Prints a table and the ratios, ours over
 * theirs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "w5500_driver.h"
#include "w5500_world.h"

#define SEGMENT  1460u
#define DATAGRAM 1470u
#define ROUNDS   20u
#define TOGETHER 5u

/* Let acknowledgements and flags settle [turns of a millisecond]. */
#define SETTLE_TURNS 300u

/* ---- the bus, counted ---- */

static struct nd_bus_counts counts;

static void count_select(void) {
    counts.selects++;
    nd_chip_select();
}

/* Time passes for who waits in a loop. */
static void count_deselect(void) {
    nd_chip_deselect();
    if (counts.selects % 64 == 0) {
        world_turn();
    }
}

static void count_read(uint8_t *bytes, uint16_t len) {
    counts.bytes += len;
    nd_chip_read(bytes, len);
}

static void count_write(uint8_t *bytes, uint16_t len) {
    counts.bytes += len;
    nd_chip_write(bytes, len);
}

static const struct nd_w5500_bus bus = {count_select, count_deselect, count_read, count_write};

static void turns(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        world_turn();
    }
}

/* ---- the other end, by registers ---- */

static void transfer(unsigned block, uint16_t at, uint8_t *bytes, uint16_t len, bool write) {
    uint8_t prefix[3] = {(uint8_t)(at >> 8), (uint8_t)at,
                         (uint8_t)((BENCH_SOCKET << 2 | block) << 3 | (write ? 4u : 0u))};

    nd_chip_select();
    nd_chip_write(prefix, sizeof prefix);
    if (write) {
        nd_chip_write(bytes, len);
    } else {
        nd_chip_read(bytes, len);
    }
    nd_chip_deselect();
}

static void put8(uint16_t at, uint8_t value) {
    transfer(1, at, &value, 1, true);
}

static void put16(uint16_t at, uint16_t value) {
    put8(at, (uint8_t)(value >> 8));
    put8((uint16_t)(at + 1), (uint8_t)value);
}

static uint16_t get16(uint16_t at) {
    uint8_t bytes[2];

    transfer(1, at, bytes, sizeof bytes, false);
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void command(uint8_t value) {
    put8(0x01, value);
    turns(1);
}

static void open_other(uint8_t mode) {
    static uint8_t peer[6] = {10, 0, 0, 2, DRIVER_PORT >> 8, DRIVER_PORT & 0xFF};

    put16(0x1E, 0x0404);
    put8(0x00, mode);
    put16(0x04, 6000);
    command(0x01);
    transfer(1, 0x0C, peer, sizeof peer, true);
}

static void send_other(uint16_t len) {
    static uint8_t bytes[SEGMENT + DATAGRAM];
    uint16_t at = get16(0x24);

    transfer(2, at, bytes, len, true);
    put16(0x24, (uint16_t)(at + len));
    command(0x20);
    turns(2);
}

static void take_other(void) {
    put16(0x28, get16(0x2A));
    command(0x40);
    turns(2);
}

/* ---- loads ---- */

/* What one unit of a load cost. */
struct cost {
    double selects;
    double bytes;
};

static void require(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "w5500-bus: %s\n", what);
        exit(1);
    }
}

/* Counts only what happens between the two calls. */
static struct {
    struct nd_bus_counts begin;
    struct nd_bus_counts sum;
} meter;

static void meter_start(void) {
    meter.begin = counts;
}

static void meter_stop(void) {
    meter.sum.selects += counts.selects - meter.begin.selects;
    meter.sum.bytes += counts.bytes - meter.begin.bytes;
}

/* The cost of one of so many, and begin anew. */
static struct cost meter_read(unsigned units) {
    const struct cost cost = {.selects = (double)meter.sum.selects / units,
                              .bytes = (double)meter.sum.bytes / units};

    meter.sum = (struct nd_bus_counts){0};
    return cost;
}

static void connect_to(const struct driver *driver) {
    world_start();
    driver->start(&bus);
    driver->listen();
    open_other(1);
    command(0x04);
    turns(5);
    driver->accept();
    turns(SETTLE_TURNS);
}

static void open_datagrams(const struct driver *driver) {
    world_start();
    driver->start(&bus);
    driver->open_udp();
    open_other(2);
}

/* A segment waits whenever the driver asks. The first finds it at rest and is not counted. */
static struct cost segments(const struct driver *driver) {
    connect_to(driver);
    for (unsigned i = 0; i <= ROUNDS; i++) {
        send_other(SEGMENT);
        turns(SETTLE_TURNS);
        meter_start();
        require(driver->receive(false) == SEGMENT, "a segment did not come whole");
        if (i > 0) {
            meter_stop();
        }
    }
    return meter_read(ROUNDS);
}

/* One segment, and the driver comes to rest again. */
static struct cost lonely_segments(const struct driver *driver) {
    connect_to(driver);
    driver->settle();
    for (unsigned i = 0; i < ROUNDS; i++) {
        send_other(SEGMENT);
        turns(SETTLE_TURNS);
        meter_start();
        require(driver->receive(true) == SEGMENT, "a segment did not come whole");
        driver->settle();
        meter_stop();
    }
    return meter_read(ROUNDS);
}

/* So many datagrams wait whenever the driver asks. */
static struct cost datagrams(const struct driver *driver, unsigned together) {
    open_datagrams(driver);
    for (unsigned i = 0; i <= ROUNDS; i++) {
        for (unsigned k = 0; k < together; k++) {
            send_other(DATAGRAM);
        }
        meter_start();
        require(driver->receive_udp(together > 1) == together * DATAGRAM, "datagrams are missing");
        if (i > 0) {
            meter_stop();
        }
    }
    return meter_read(ROUNDS * together);
}

static struct cost sends(const struct driver *driver) {
    static uint8_t bytes[SEGMENT];

    connect_to(driver);
    for (unsigned i = 0; i <= ROUNDS; i++) {
        meter_start();
        driver->send(bytes, SEGMENT);
        if (i > 0) {
            meter_stop();
        }
        turns(SETTLE_TURNS);
        take_other();
        turns(SETTLE_TURNS);
    }
    return meter_read(ROUNDS);
}

static struct cost lone_datagrams(const struct driver *driver) {
    return datagrams(driver, 1);
}

static struct cost joined_datagrams(const struct driver *driver) {
    return datagrams(driver, TOGETHER);
}

static const struct {
    const char *name; /* in ratios */
    const char *what;
    struct cost (*run)(const struct driver *driver);
} loads[] = {
    {"w5500-bus", "receive a segment of 1460, one always waits", segments},
    {"w5500-bus-rest", "the same, at rest before and after", lonely_segments},
    {"w5500-bus-udp", "receive a datagram of 1470, one always waits", lone_datagrams},
    {"w5500-bus-udp-joined", "the same, five always wait", joined_datagrams},
    {"w5500-bus-send", "send a segment of 1460", sends},
};

/* Neither driver may do what the datasheet forbids. */
static void require_no_faults(const char *name) {
    static const struct nd_chip_faults none;

    if (memcmp(nd_chip_faults(), &none, sizeof none) != 0) {
        fprintf(stderr, "w5500-bus: %s misused the chip\n", name);
        exit(1);
    }
}

int main(void) {
    const unsigned count = sizeof loads / sizeof *loads;
    struct cost ours[sizeof loads / sizeof *loads];
    struct cost theirs[sizeof loads / sizeof *loads];

    printf("per segment or datagram               %24s %24s\n", driver_ours.name,
           driver_theirs.name);
    printf("%-46s %8s %7s %16s %7s\n", "", "frames", "bytes", "frames", "bytes");
    for (unsigned i = 0; i < count; i++) {
        ours[i] = loads[i].run(&driver_ours);
        require_no_faults(driver_ours.name);
        theirs[i] = loads[i].run(&driver_theirs);
        require_no_faults(driver_theirs.name);
        printf("%-46s %8.1f %7.0f %16.1f %7.0f\n", loads[i].what, ours[i].selects, ours[i].bytes,
               theirs[i].selects, theirs[i].bytes);
    }
    for (unsigned i = 0; i < count; i++) {
        printf("%s-frames ratio %.2f\n", loads[i].name, ours[i].selects / theirs[i].selects);
        printf("%s-bytes ratio %.3f\n", loads[i].name, ours[i].bytes / theirs[i].bytes);
    }
    return 0;
}
