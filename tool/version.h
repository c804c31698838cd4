/* SPDX-License-Identifier: BSD-3-Clause */
/* version.h - which netdyno this is, and how it was built; version.c is written by CMake. */
#ifndef ND_TOOL_VERSION_H
#define ND_TOOL_VERSION_H

/* As `git describe` says. */
extern const char nd_version[];

/* The compiler's flags. */
extern const char nd_build_flags[];

#endif
