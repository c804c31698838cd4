/* SPDX-License-Identifier: BSD-3-Clause */
#include "vcd_writer.h"

#include <inttypes.h>
#include <stdio.h>

#include "outfile.h"
#include "say.h"

/* Characters that an identifier code is made of: those that print, IEEE 1364-2005, 18.2.1. */
enum { CODE_FIRST = '!', CODE_COUNT = 94, CODE_BYTES = 8 };

struct writer {
    FILE *file;
    uint64_t at_ns; /* of the latest time that was written */
};

static const char *code_of(uint32_t signal, char code[CODE_BYTES]) {
    size_t length = 0;

    do {
        code[length++] = (char)(CODE_FIRST + signal % CODE_COUNT);
        signal /= CODE_COUNT;
    } while (signal > 0);
    code[length] = '\0';
    return code;
}

static void put_head(const struct timeline *timeline, const char *about, FILE *file) {
    char code[CODE_BYTES];
    char name[TIMELINE_NAME_BYTES];

    fprintf(file, "$version netdyno $end\n");
    fprintf(file, "$comment %s $end\n", about);
    fprintf(file, "$timescale 1 ns $end\n");
    fprintf(file, "$scope module netdyno $end\n");
    for (uint32_t i = 0; i < timeline->signal_count; i++) {
        fprintf(file, "$var wire 1 %s %s $end\n", code_of(i, code),
                timeline_name(&timeline->signals[i], name));
    }
    fprintf(file, "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n");
}

static void put_change(void *ctx, uint64_t at_ns, uint32_t signal, bool high) {
    struct writer *writer = ctx;
    char code[CODE_BYTES];

    if (at_ns != writer->at_ns) {
        fprintf(writer->file, "%s#%" PRIu64 "\n", writer->at_ns == 0 ? "$end\n" : "", at_ns);
        writer->at_ns = at_ns;
    }
    fprintf(writer->file, "%d%s\n", high, code_of(signal, code));
}

int vcd_write(const struct timeline *timeline, const struct waves *waves, const char *about,
              const char *path) {
    struct writer writer = {.file = outfile_open(path)};

    if (writer.file == NULL) {
        return -1;
    }
    put_head(timeline, about, writer.file);
    if (waves_walk(waves, put_change, &writer) != 0) {
        say_error("out of memory");
        outfile_close(writer.file, path);
        return -1;
    }
    fprintf(writer.file, "%s#%" PRIu64 "\n", writer.at_ns == 0 ? "$end\n" : "",
            timeline->length_ns);
    return outfile_close(writer.file, path);
}
