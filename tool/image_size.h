/* SPDX-License-Identifier: BSD-3-Clause */
/* image_size.h - how much flash and RAM a firmware image takes, and what takes it, read off its ELF
 * file.
 *
 * Sizes of sections are exact. They are split by symbols and the table IMAGE.parts beside the image
 * (firmware/images/lwip/lwip.parts says how it is written); what no symbol covers (texts without a
 * name, alignment, the processor's stack) is the rest, so that the parts add up. */
#ifndef ND_TOOL_IMAGE_SIZE_H
#define ND_TOOL_IMAGE_SIZE_H

#include <jansson.h>

/* Enter "firmware" into the result: flash_bytes, ram_bytes, and both of each of "parts"; or why
 * that is not known. image: as the firmware calls itself. */
void image_size_describe(const char *path, const char *image, json_t *result);

#endif
