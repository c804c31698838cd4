/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/error.h"

/* At index -result. A name is its constant in small letters, without the prefix. */
static const char *const names[] = {
    [-ND_OK] = "ok",
    [-ND_AGAIN] = "again",
    [-ND_EOF] = "eof",
    [-ND_E_ARG] = "arg",
    [-ND_E_REFUSED] = "refused",
    [-ND_E_RESET] = "reset",
    [-ND_E_TIMEOUT] = "timeout",
    [-ND_E_UNREACHABLE] = "unreachable",
    [-ND_E_FULL] = "full",
    [-ND_E_MEMORY] = "memory",
    [-ND_E_STATE] = "state",
    [-ND_E_UNSUPPORTED] = "unsupported",
    [-ND_E_IN_USE] = "in_use",
    [-ND_E_PROTOCOL] = "protocol",
    [-ND_E_SHORT] = "short",
    [-ND_E_STOPPED] = "stopped",
    [-ND_E_STACK] = "stack",
};

#define NAME_COUNT ((int)(sizeof names / sizeof names[0]))

const char *nd_error_name(int result) {
    if (result > 0 || result <= -NAME_COUNT) {
        return "unknown";
    }
    return names[-result];
}
