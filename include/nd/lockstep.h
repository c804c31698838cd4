/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/lockstep.h - the records that a device under test exchanges with the simulator.
 *
 * Two byte streams, one each way. The device speaks first; only HELLO, POLL and POLL_TX are
 * answered, and while it waits for an answer no virtual time passes for it. Virtual time moves by
 * what the device says it spent, and by what it is willing to wait. All integers are little-endian.
 * docs/wire.md tells the protocol in order; this header has the bytes.
 *
 * A device tick is what nd_lockstep_hello says, unless the simulator counts the device's cycles
 * from outside: then nd_lockstep_welcome says so, and `spent` is only the device's own estimate. */
#ifndef ND_LOCKSTEP_H
#define ND_LOCKSTEP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ND_LOCKSTEP_MAGIC   0x4B4C444Eu /* "NDLK" */
#define ND_LOCKSTEP_VERSION 3u

/* Longest Ethernet frame without FCS: 1500 + 14 [byte]. */
#define ND_LOCKSTEP_FRAME_BYTES 1514u

/* Longest piece of console text in one record or answer [byte]. An answer with a frame and a
 * console piece stays below PIPE_BUF (4096 on Linux), so a single write() delivers it whole and the
 * device never sees a part: its instruction count does not depend on the host. */
#define ND_LOCKSTEP_CONSOLE_BYTES 1024u

/* poll: no limit to the wait. */
#define ND_LOCKSTEP_FOREVER 0xFFFFFFFFu

enum nd_lockstep_type {
    ND_LOCKSTEP_HELLO = 1,   /* arg = sizeof(struct nd_lockstep_hello), which follows; answered */
    ND_LOCKSTEP_FRAME = 2,   /* arg = bytes of the Ethernet frame that follows, without FCS */
    ND_LOCKSTEP_CONSOLE = 3, /* arg = bytes of console output that follow */
    ND_LOCKSTEP_POLL = 4,    /* arg = ticks it would wait for a frame or console input; 0 = none;
                                answered */
    ND_LOCKSTEP_POLL_TX = 5, /* arg = ticks it would wait for a free transmit descriptor and nothing
                                else; brings no frame and no input; answered */
    ND_LOCKSTEP_EXIT = 6     /* arg = exit code; the device is finished */
};

/* Device to simulator, before the bytes that arg announces. */
struct nd_lockstep_record {
    uint32_t type;
    uint32_t spent; /* ticks of work since the previous record [ticks] */
    uint32_t arg;
};

/* The device describes itself. */
struct nd_lockstep_hello {
    uint32_t magic;   /* ND_LOCKSTEP_MAGIC */
    uint32_t version; /* ND_LOCKSTEP_VERSION */
    uint32_t hz;      /* ticks in a virtual second */
    uint32_t
        tick_kind; /* enum nd_clock_kind; ND_CLOCK_TIME: work costs nothing, busy is not known */
    uint32_t link_bit_s; /* rate of its Ethernet controller [bit/s] */
    uint32_t rx_ring;    /* receive descriptors [frames] */
    uint32_t tx_ring;    /* transmit descriptors [frames] */
    /* Of the memory that the code lies in, for who counts cycles. An access takes flash_waits
     * clocks more than one (0 = none, and the rest has no meaning) and brings flash_line_bytes,
     * which are kept in one of flash_buffers. */
    uint32_t flash_line_bytes;
    uint8_t flash_waits;
    uint8_t flash_buffers;
    uint8_t mac[6];
    char board[16]; /* NUL-terminated */
    char image[16]; /* NUL-terminated */
};

/* The answer to HELLO. */
struct nd_lockstep_welcome {
    uint32_t magic;
    uint32_t version;
    uint8_t ip[4]; /* the device's address; all zero = use DHCP */
    uint8_t mask[4];
    uint8_t gateway[4];
    uint32_t seed;      /* for the stack's random numbers */
    uint32_t tick_kind; /* enum nd_clock_kind: what the answers' ticks are; as the device said, or
                           ND_CLOCK_CYCLES */
};

/* The answer to POLL and POLL_TX; frame and console bytes follow in this order. */
struct nd_lockstep_answer {
    uint32_t now_low; /* device time after work and wait [ticks], 64 bit */
    uint32_t now_high;
    uint32_t frame_bytes;   /* of one received frame; 0 = none */
    uint32_t frames_left;   /* more frames lie in the receive ring */
    uint32_t tx_free;       /* free transmit descriptors [frames] */
    uint32_t console_bytes; /* of console input; 0 = none */
    uint32_t waited;        /* of `now`, the wait of this POLL [ticks] */
};

#ifdef __cplusplus
}
#endif
#endif
