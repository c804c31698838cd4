/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/memtest.h"

#include "text.h"

/* The original test has no header in which a caller could say how much it will send, so its console
 * does. */
static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_memtest_server *server = (struct nd_memtest_server *)self->ctx;
    struct nd_fmt out;
    uint64_t bytes;

    (void)step;
    if (server->service.listener == NULL) {
        console->message = "memtest is not served";
        return ND_E_STATE;
    }
    if (console->argc == 3 && nd__text_equal(console->argv[1], "-n") &&
        nd__text_u64(console->argv[2], nd__text_length(console->argv[2]), &bytes) && bytes > 0) {
        server->next_bytes = bytes;
    } else if (console->argc != 1) {
        console->message = "expected nothing or -n BYTES";
        return ND_E_ARG;
    }
    bytes = server->next_bytes != 0 ? server->next_bytes : server->bytes;
    nd_console_begin(console, &out, "memtest");
    if (console->json) {
        nd_json_u64(&out, "bytes", bytes);
    } else {
        nd_fmt_text(&out, "memtest bytes=");
        nd_fmt_u64(&out, bytes);
    }
    nd_console_end(console, &out);
    return ND_OK;
}

void nd_memtest_command(struct nd_command *command, struct nd_memtest_server *server) {
    *command = (struct nd_command){
        .name = "memtest",
        .usage = "memtest [-n BYTES]: bytes of each phase for the next caller",
        .run = run,
        .ctx = server,
    };
}
