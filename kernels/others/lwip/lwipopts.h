/* SPDX-License-Identifier: BSD-3-Clause */
/* As much of lwIP as its checksum needs. LWIP_CHKSUM_ALGORITHM comes from the build. */
#ifndef ND_LWIPOPTS_H
#define ND_LWIPOPTS_H

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN         0
#define LWIP_SOCKET          0
#define LWIP_STATS           0

#endif
