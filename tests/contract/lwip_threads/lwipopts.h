/* SPDX-License-Identifier: BSD-3-Clause */
/* lwipopts.h - lwIP with a thread of its own and sockets, on the host, talking to itself. */
#ifndef ND_CONTRACT_THREADS_LWIPOPTS_H
#define ND_CONTRACT_THREADS_LWIPOPTS_H

#include <sys/time.h> /* struct timeval and fd_set are the host's */

#define NO_SYS                      0
#define SYS_LIGHTWEIGHT_PROT        1
#define LWIP_TCPIP_CORE_LOCKING     1
#define LWIP_NETCONN                1
#define LWIP_SOCKET                 1
#define LWIP_COMPAT_SOCKETS         1
#define LWIP_POSIX_SOCKETS_IO_NAMES 1
#define SO_REUSE                    1
#define LWIP_ERRNO_STDINCLUDE       1
#define LWIP_TIMEVAL_PRIVATE        0
#define MEM_ALIGNMENT               8

#define LWIP_NETIF_LOOPBACK 0
#define LWIP_HAVE_LOOPIF    0

#define TCPIP_MBOX_SIZE           64
#define DEFAULT_TCP_RECVMBOX_SIZE 64
#define DEFAULT_UDP_RECVMBOX_SIZE 32
#define DEFAULT_ACCEPTMBOX_SIZE   16

#define MEMP_NUM_NETCONN         64
#define MEMP_NUM_NETBUF          64
#define MEMP_NUM_TCPIP_MSG_API   64
#define MEMP_NUM_TCPIP_MSG_INPKT 64
#define MEMP_NUM_SELECT_CB       4
#define MEMP_NUM_TCP_PCB         32
#define MEMP_NUM_TCP_PCB_LISTEN  16
#define MEMP_NUM_UDP_PCB         16
#define TCP_LISTEN_BACKLOG       1

#define TCP_MSS          1460
#define TCP_WND          (8 * TCP_MSS)
#define TCP_SND_BUF      (8 * TCP_MSS)
#define MEM_SIZE         (1024 * 1024)
#define MEMP_NUM_TCP_SEG 256
#define MEMP_NUM_PBUF    256
#define PBUF_POOL_SIZE   64

/* Closed connections are forgotten at the next slow timer, so that a test can see it. */
#define TCP_MSL 100UL

/* The rig counts what is in use. */
#define LWIP_STATS 1
#define MEM_STATS  1
#define MEMP_STATS 1

#endif
