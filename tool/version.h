/* SPDX-License-Identifier: BSD-3-Clause */
/* version.h - which netdyno this is; version.c is written by CMake from `git describe`. */
#ifndef ND_TOOL_VERSION_H
#define ND_TOOL_VERSION_H

extern const char nd_version[];

#endif
