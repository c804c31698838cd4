/* SPDX-License-Identifier: BSD-3-Clause */
#include "token.h"

#include <stdlib.h>

const char *token_find(const char *given) {
    const char *token = given != NULL ? given : getenv(TOKEN_VARIABLE);

    return token != NULL && token[0] != '\0' ? token : NULL;
}

bool token_is_fit(const char *token, size_t length) {
    if (length == 0 || length >= TOKEN_BYTES) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (token[i] <= ' ' || token[i] > '~') {
            return false;
        }
    }
    return true;
}
