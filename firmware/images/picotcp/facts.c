/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that was decided when the image was built and that a figure may depend on. What
 * picoTCP itself was compiled with, its library does not tell. */
#include "facts.h"
#include "board.h"
#include "build.h"
#include "options.h"

#include "nd/compiler.h"

#include "pico_socket.h"

#define TEXT(key, value)                                                                           \
    { key, value, 0 }
#define NUMBER(key, value)                                                                         \
    { key, NULL, value }

#if defined(__ARM_ARCH)
#define CORE "cortex-m3"
#else
#define CORE "host"
#endif

/* picoTCP checks what it receives only when built with CRC; it always makes TCP's checksum and
 * never UDP's. */
#ifdef PICO_SUPPORT_CRC
#define CHECKED "software"
#else
#define CHECKED "off"
#endif

#define MSS_BYTES 1460

const struct nd_fact nd_facts[] = {
    TEXT("netdyno", ND_BUILD_VERSION),
    TEXT("image", "picotcp"),
    TEXT("board", ND_BOARD_NAME),
    TEXT("core", CORE),
    NUMBER("clock_hz", ND_BOARD_HZ),
    NUMBER("link_bit_s", ND_BOARD_LINK_BIT_S),
    NUMBER("rx_ring_frames", ND_BOARD_RX_RING),
    NUMBER("tx_ring_frames", ND_BOARD_TX_RING),
    TEXT("stack", "picotcp"),
    NUMBER("stack_version", ND_NOT_SUPPORTED),
    TEXT("stack_api", "sockets"),
    NUMBER("tcp_mss_bytes", MSS_BYTES),
    NUMBER("tcp_wnd_bytes", PICO_DEFAULT_SOCKETQ / MSS_BYTES * MSS_BYTES),
    NUMBER("tcp_snd_buf_bytes", PICO_DEFAULT_SOCKETQ),
    NUMBER("mem_size_bytes", ND_PICOTCP_HEAP_BYTES),
    NUMBER("tcp_stages", ND_PICOTCP_STAGES),
    NUMBER("tcp_stage_bytes", ND_PICOTCP_STAGE_BYTES),
    TEXT("checksum_kernel", ND_CHECKSUM_KERNEL),
    TEXT("copy_kernel", ND_COPY_KERNEL),
    TEXT("checksum_tcp_tx", "software"),
    TEXT("checksum_tcp_rx", CHECKED),
    TEXT("checksum_udp_tx", "off"),
    TEXT("checksum_udp_rx", CHECKED),
    TEXT("checksum_ip_tx", "software"),
    TEXT("checksum_ip_rx", CHECKED),
    TEXT("nic", ND_BOARD_NIC_NAME),
    TEXT("libc", ND_BUILD_LIBC),
    TEXT("compiler", ND_COMPILER),
    TEXT("compiler_flags", ND_BUILD_FLAGS),
};

const uint32_t nd_fact_count = sizeof(nd_facts) / sizeof(nd_facts[0]);
