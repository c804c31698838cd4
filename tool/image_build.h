/* SPDX-License-Identifier: BSD-3-Clause */
/* image_build.h - firmware built anew with other options, from netdyno's source tree.
 *
 * Each set of options has a build tree of its own in a cache, so what was built before and has the
 * same sources is not built again. Several processes may build at once; one tree is built by one of
 * them at a time. */
#ifndef ND_TOOL_IMAGE_BUILD_H
#define ND_TOOL_IMAGE_BUILD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Options of one image, at most. */
#define IMAGE_BUILD_OPTIONS 32

/* What to build. Every text is the caller's and outlives the call. */
struct image_build {
    const char *image;  /* "lwip" */
    const char *board;  /* "lpc1768"; "native": for this machine */
    const char *source; /* the source tree; NULL = where this program was built */
    const char *cache;  /* NULL = netdyno/images in $XDG_CACHE_HOME or ~/.cache */
    unsigned jobs;      /* compilers at once; 0 = as many as there are processors */
    unsigned count;     /* of options */
    const char *options[IMAGE_BUILD_OPTIONS]; /* "KEY=VALUE", see image_build_check() */
};

/* Lines for a command's help: the keys that an option may have. */
#define IMAGE_BUILD_KEYS                                                                           \
    "opt=-O2 (of the compiler), nic=dma|pio|pio-unrolled, chksum=1|2|3|nd,\n"                      \
    "copy=libc|nd, lto=on|off, lwip=DIR (lwIP's source tree), and NAME=VALUE for any\n"            \
    "of lwIP's own options (TCP_WND=2920)"

/* NULL when an option is one that an image can be built with; else what was expected, static. */
const char *image_build_check(const char *option);

/* Build, or find built, and answer where the program lies. False with a line in error: no source
 * tree, no compiler, an option that the sources refuse, interrupted. */
bool image_build(const struct image_build *build, char path[PATH_MAX], char *error,
                 size_t error_size);

#endif
