/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_device.c - a device under test that is no firmware: it speaks the records by hand, well or
 * badly, as the environment variable ND_FAKE says. Its arguments are those of real firmware.
 *
 * It answers ARP for 10.0.0.2 and returns UDP datagrams; swapping both ends leaves every checksum
 * as it was. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nd/clock.h"
#include "nd/lockstep.h"

static int out_fd;
static int in_fd;
static uint32_t tx_free;

static const struct nd_lockstep_hello good_hello = {
    .magic = ND_LOCKSTEP_MAGIC,
    .version = ND_LOCKSTEP_VERSION,
    .hz = 100000000,
    .tick_kind = ND_CLOCK_INSTRUCTIONS,
    .link_bit_s = 100000000,
    .rx_ring = 4,
    .tx_ring = 4,
    .mac = {0x02, 0, 0, 0, 0, 0x02},
    .board = "fake",
    .image = "fake",
};

static void put(const void *bytes, size_t size) {
    if (write(out_fd, bytes, size) != (ssize_t)size) {
        exit(9);
    }
}

static void get(void *bytes, size_t size) {
    uint8_t *at = bytes;

    while (size > 0) {
        ssize_t got = read(in_fd, at, size);

        if (got <= 0) {
            exit(8);
        }
        at += got;
        size -= (size_t)got;
    }
}

static void put_record(uint32_t type, uint32_t spent, uint32_t arg, const void *bytes,
                       uint32_t size) {
    const struct nd_lockstep_record record = {.type = type, .spent = spent, .arg = arg};
    uint8_t whole[sizeof record + 4096];

    memcpy(whole, &record, sizeof record);
    if (size > 0) {
        memcpy(whole + sizeof record, bytes, size);
    }
    put(whole, sizeof record + size);
}

static void say_hello(const struct nd_lockstep_hello *hello) {
    put_record(ND_LOCKSTEP_HELLO, 1000, sizeof *hello, hello, sizeof *hello);
}

static void greet(const struct nd_lockstep_hello *hello) {
    struct nd_lockstep_welcome welcome;

    say_hello(hello);
    get(&welcome, sizeof welcome);
    if (welcome.magic != ND_LOCKSTEP_MAGIC || welcome.version != ND_LOCKSTEP_VERSION ||
        memcmp(welcome.ip, (const uint8_t[]){10, 0, 0, 2}, 4) != 0) {
        exit(7);
    }
    tx_free = hello->tx_ring;
}

/* Poll; returns the bytes of the frame that came, and of console text, which is NUL-terminated. */
static uint32_t poll_device(uint32_t spent, uint32_t wait, uint8_t *frame, char *console,
                            uint64_t *now) {
    struct nd_lockstep_answer answer;

    put_record(tx_free == 0 ? ND_LOCKSTEP_POLL_TX : ND_LOCKSTEP_POLL, spent, wait, NULL, 0);
    get(&answer, sizeof answer);
    get(frame, answer.frame_bytes);
    get(console, answer.console_bytes);
    console[answer.console_bytes] = '\0';
    tx_free = answer.tx_free;
    *now = answer.now_low | (uint64_t)answer.now_high << 32;
    return answer.frame_bytes;
}

static void swap_bytes(uint8_t *a, uint8_t *b, size_t size) {
    uint8_t kept[8];

    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

/* Turn a request into its answer; false when it is none. */
static bool answer_frame(uint8_t *frame) {
    static const uint8_t arp_request[] = {0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1};

    if (memcmp(frame + 12, arp_request, sizeof arp_request) == 0 && frame[41] == 2) {
        frame[21] = 2;
        memcpy(frame, frame + 6, 6);
        memcpy(frame + 6, good_hello.mac, 6);
        memcpy(frame + 32, frame + 22, 6);
        memcpy(frame + 22, good_hello.mac, 6);
        swap_bytes(frame + 28, frame + 38, 4);
        return true;
    }
    if (frame[12] == 0x08 && frame[13] == 0x00 && frame[14] == 0x45 && frame[23] == 17) {
        swap_bytes(frame, frame + 6, 6);
        swap_bytes(frame + 26, frame + 30, 4);
        swap_bytes(frame + 34, frame + 36, 2);
        return true;
    }
    return false;
}

/* Answer ARP and UDP; echo console lines; "exit" ends. */
static void serve(const struct nd_lockstep_hello *hello, uint32_t wait) {
    uint8_t frame[ND_LOCKSTEP_FRAME_BYTES];
    char console[ND_LOCKSTEP_CONSOLE_BYTES + 1];
    uint64_t now;

    greet(hello);
    for (;;) {
        uint32_t bytes = poll_device(500, wait, frame, console, &now);

        if (strcmp(console, "exit\n") == 0) {
            put_record(ND_LOCKSTEP_EXIT, 0, 3, NULL, 0);
            return;
        }
        if (console[0] != '\0') {
            put_record(ND_LOCKSTEP_CONSOLE, 10, (uint32_t)strlen(console), console,
                       (uint32_t)strlen(console));
        }
        if (bytes > 0 && answer_frame(frame)) {
            put_record(ND_LOCKSTEP_FRAME, 300, bytes, frame, bytes);
        }
    }
}

/* Send 6 full frames at once with 4 descriptors; then say when each poll came back, and with what.
 * In the receive ring lies what the peer sent first, to announce its address. */
static void overrun_tx(void) {
    static const uint8_t sent[ND_LOCKSTEP_FRAME_BYTES] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2};
    uint8_t frame[ND_LOCKSTEP_FRAME_BYTES];
    char console[ND_LOCKSTEP_CONSOLE_BYTES + 1];
    char line[80];

    uint64_t now;

    greet(&good_hello);
    for (unsigned i = 0; i < 6; i++) {
        put_record(ND_LOCKSTEP_FRAME, 0, sizeof sent, sent, sizeof sent);
    }
    tx_free = 0;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t bytes = poll_device(0, 100000, frame, console, &now);
        int len = snprintf(line, sizeof line, "now %llu free %u frame %u\n",
                           (unsigned long long)now, tx_free, bytes);

        put_record(ND_LOCKSTEP_CONSOLE, 0, (uint32_t)len, line, (uint32_t)len);
    }
    put_record(ND_LOCKSTEP_EXIT, 0, 0, NULL, 0);
}

static void say_bad_hello(const char *what) {
    struct nd_lockstep_hello hello = good_hello;

    if (strcmp(what, "magic") == 0) {
        hello.magic++;
    } else if (strcmp(what, "version") == 0) {
        hello.version = 99;
    } else if (strcmp(what, "hz") == 0) {
        hello.hz = 0;
    } else if (strcmp(what, "ring") == 0) {
        hello.rx_ring = 0;
    } else if (strcmp(what, "rate") == 0) {
        hello.link_bit_s = 0;
    } else {
        memset(hello.board, 'x', sizeof hello.board);
    }
    say_hello(&hello);
    pause();
}

static void send_noise(unsigned seed) {
    srandom(seed);
    if (seed % 2 == 0) {
        greet(&good_hello);
    }
    for (;;) {
        uint8_t noise[1024];

        for (size_t i = 0; i < sizeof noise; i++) {
            noise[i] = (uint8_t)random();
        }
        put(noise, sizeof noise);
    }
}

/* After a good beginning, break the protocol in this way. */
static void misbehave(const char *how) {
    static const uint8_t zeros[4096];

    greet(&good_hello);
    if (strcmp(how, "hello-again") == 0) {
        say_hello(&good_hello);
    } else if (strcmp(how, "unknown-type") == 0) {
        put_record(77, 0, 0, NULL, 0);
    } else if (strcmp(how, "long-frame") == 0) {
        put_record(ND_LOCKSTEP_FRAME, 0, 1515, zeros, 1515);
    } else if (strcmp(how, "short-frame") == 0) {
        put_record(ND_LOCKSTEP_FRAME, 0, 13, zeros, 13);
    } else if (strcmp(how, "long-console") == 0) {
        put_record(ND_LOCKSTEP_CONSOLE, 0, 1025, zeros, 1025);
    } else if (strcmp(how, "half-record") == 0) {
        put(zeros, 5);
        exit(0);
    } else if (strcmp(how, "half-silent") == 0) {
        put(zeros, 5);
    } else if (strcmp(how, "die") == 0) {
        fprintf(stderr, "==1==ERROR: told to die\nand more text\n");
        raise(SIGKILL);
    } else if (strcmp(how, "fail") == 0) {
        fprintf(stderr, "first line\nlast line\n\n");
        exit(5);
    } else if (strcmp(how, "close") == 0) {
        close(out_fd);
        for (int fd = 3; fd < 64; fd++) {
            close(fd);
        }
    } else if (strcmp(how, "deaf") == 0) {
        for (;;) {
            put_record(ND_LOCKSTEP_POLL, 0, 1, NULL, 0);
        }
    } else if (strcmp(how, "spin") == 0) {
        for (;;) {
            put_record(ND_LOCKSTEP_CONSOLE, 0, 0, NULL, 0);
        }
    } else if (strcmp(how, "rush") == 0) {
        for (;;) {
            put_record(ND_LOCKSTEP_CONSOLE, UINT32_MAX, 0, NULL, 0);
        }
    }
    for (;;) {
        pause();
    }
}

int main(int argc, char **argv) {
    const char *mode = getenv("ND_FAKE");
    struct nd_lockstep_hello hello = good_hello;

    if (argc != 3 || mode == NULL) {
        fprintf(stderr, "usage: ND_FAKE=MODE fake_device OUT IN\n");
        return 2;
    }
    out_fd = open(argv[1], O_WRONLY);
    in_fd = open(argv[2], O_RDONLY);
    if (out_fd < 0 || in_fd < 0) {
        return 10;
    }
    if (strcmp(mode, "echo") == 0) {
        serve(&hello, ND_LOCKSTEP_FOREVER);
        return 3;
    }
    if (strcmp(mode, "lazy") == 0) { /* looks at its ring every 10 ms only */
        uint8_t frame[ND_LOCKSTEP_FRAME_BYTES];
        char console[ND_LOCKSTEP_CONSOLE_BYTES + 1];
        uint64_t now;

        greet(&hello);
        for (;;) {
            uint32_t bytes = poll_device(1000000, 0, frame, console, &now);

            if (bytes > 0 && answer_frame(frame)) {
                put_record(ND_LOCKSTEP_FRAME, 0, bytes, frame, bytes);
            }
        }
    }
    if (strcmp(mode, "overrun") == 0) {
        overrun_tx();
    } else if (strncmp(mode, "hello-", 6) == 0 && strcmp(mode, "hello-again") != 0) {
        say_bad_hello(mode + 6);
    } else if (strncmp(mode, "noise-", 6) == 0) {
        send_noise((unsigned)atoi(mode + 6));
    } else if (strcmp(mode, "silent") == 0) {
        pause();
    } else {
        misbehave(mode);
    }
    return 0;
}
