/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of the image picotcp on this board. */
#ifndef ND_PICOTCP_OPTIONS_H
#define ND_PICOTCP_OPTIONS_H

/* picoTCP's heap. As much as is of use. */
#define ND_PICOTCP_HEAP_BYTES (256u * 1024u)

/* TCP connections at a time: each has a place for a segment's payload, which is copied there. */
#define ND_PICOTCP_STAGES      16u
#define ND_PICOTCP_STAGE_BYTES 1464u

#endif
