/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/compiler.h - which compiler builds this, for the configuration fingerprint. */
#ifndef ND_COMPILER_H
#define ND_COMPILER_H

/* Name and version, as `compiler` of a fingerprint has it: "gcc 12.2.0". */
#if defined(__clang__)
#define ND_COMPILER "clang " __clang_version__
#else
#define ND_COMPILER "gcc " __VERSION__
#endif

#endif
