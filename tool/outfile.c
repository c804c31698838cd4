/* SPDX-License-Identifier: BSD-3-Clause */
#include "outfile.h"

#include <errno.h>
#include <string.h>

#include "say.h"

FILE *outfile_open(const char *path) {
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

    if (file == NULL) {
        say_error("cannot write %s: %s", path, strerror(errno));
    }
    return file;
}

int outfile_close(FILE *file, const char *path) {
    int failed = ferror(file);

    failed |= file == stdout ? fflush(file) : fclose(file);
    if (failed != 0) {
        say_error("cannot write %s: %s", path, strerror(errno));
        return -1;
    }
    return 0;
}
