/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that was decided when the image was built and that a figure may depend on. */
#include "facts.h"
#include "board.h"
#include "build.h"
#include "nd/compiler.h"

#include "lwip/init.h"
#include "lwip/memp.h"
#include "lwip/opt.h"
#include "lwip/stats.h"

#define TEXT(key, value)                                                                           \
    { key, value, 0 }
#define NUMBER(key, value)                                                                         \
    { key, NULL, value }

/* Who makes and who checks a checksum: the processor, or nobody. */
#define CHECKED(on) ((on) ? "software" : "off")

#if defined(__ARM_ARCH)
#define CORE "cortex-m3"
#else
#define CORE "host"
#endif

#ifdef LWIP_NOASSERT
#define ASSERTIONS "off"
#else
#define ASSERTIONS "on"
#endif

/* LWIP_CHKSUM_ALGORITHM names one of lwIP's loops; ours has no number there. */
#if ND_CFG_LWIP_CHECKSUM
#define ALGORITHM ND_NOT_BUILT
#else
#define ALGORITHM LWIP_CHKSUM_ALGORITHM
#endif

/* Whose routine it is. */
#define KERNEL(ours, other) ((ours) ? "nd" : (other))

const struct nd_fact nd_facts[] = {
    TEXT("netdyno", ND_BUILD_VERSION),
    TEXT("image", "lwip"),
    TEXT("board", ND_BOARD_NAME),
    TEXT("core", CORE),
    NUMBER("clock_hz", ND_BOARD_HZ),
    NUMBER("link_bit_s", ND_BOARD_LINK_BIT_S),
    NUMBER("rx_ring_frames", ND_BOARD_RX_RING),
    NUMBER("tx_ring_frames", ND_BOARD_TX_RING),
    TEXT("stack", "lwip"),
    TEXT("stack_version", LWIP_VERSION_STRING),
    TEXT("stack_api", "raw"),
    TEXT("stack_assertions", ASSERTIONS),
    NUMBER("tcp_mss_bytes", TCP_MSS),
    NUMBER("tcp_wnd_bytes", TCP_WND),
    NUMBER("tcp_snd_buf_bytes", TCP_SND_BUF),
    NUMBER("tcp_snd_queuelen_pbufs", TCP_SND_QUEUELEN),
    NUMBER("tcp_segments", MEMP_NUM_TCP_SEG),
    NUMBER("tcp_pcbs", MEMP_NUM_TCP_PCB),
    NUMBER("mem_size_bytes", MEM_SIZE),
    NUMBER("pbuf_pool_buffers", PBUF_POOL_SIZE),
    NUMBER("pbuf_pool_buffer_bytes", PBUF_POOL_BUFSIZE),
    NUMBER("checksum_algorithm", ALGORITHM),
    TEXT("checksum_kernel", KERNEL(ND_CFG_LWIP_CHECKSUM, "lwip")),
    TEXT("copy_kernel", KERNEL(ND_CFG_LWIP_COPY, "libc")),
    TEXT("checksum_tcp_tx", CHECKED(CHECKSUM_GEN_TCP)),
    TEXT("checksum_tcp_rx", CHECKED(CHECKSUM_CHECK_TCP)),
    TEXT("checksum_udp_tx", CHECKED(CHECKSUM_GEN_UDP)),
    TEXT("checksum_udp_rx", CHECKED(CHECKSUM_CHECK_UDP)),
    TEXT("checksum_ip_tx", CHECKED(CHECKSUM_GEN_IP)),
    TEXT("checksum_ip_rx", CHECKED(CHECKSUM_CHECK_IP)),
    TEXT("nic", ND_BOARD_NIC_NAME),
#if LWIP_STATS
    NUMBER("stats_counter_bits", 8 * (int64_t)sizeof(STAT_COUNTER)),
#endif
    TEXT("libc", ND_BUILD_LIBC),
    TEXT("compiler", ND_COMPILER),
    TEXT("compiler_flags", ND_BUILD_FLAGS),
};

const uint32_t nd_fact_count = sizeof(nd_facts) / sizeof(nd_facts[0]);
