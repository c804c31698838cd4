/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/chargen.h"

#include "pattern.h"
#include "stream.h"
#include "stream_server.h"

/* RFC 864's recommended pattern: 72 characters and CR LF a line, each line beginning one character
 * further on; after 95 lines it repeats. */
#define TEXT_BYTES  72u
#define LINE_BYTES  (TEXT_BYTES + 2u)
#define CYCLE_BYTES (ND__PATTERN_PERIOD * LINE_BYTES)

/* Lines made at a time on the stack: near one segment of an Ethernet. */
#define LINES_AT_ONCE 19u

static void fill(char *bytes, uint32_t offset, uint32_t len) {
    uint32_t line = offset / LINE_BYTES;
    uint32_t column = offset % LINE_BYTES;

    for (uint32_t i = 0; i < len; i++) {
        if (column < TEXT_BYTES) {
            bytes[i] = nd__pattern[line + column];
        } else {
            bytes[i] = column == TEXT_BYTES ? '\r' : '\n';
        }
        if (++column == LINE_BYTES) {
            column = 0;
            line = line + 1 == ND__PATTERN_PERIOD ? 0 : line + 1;
        }
    }
}

static int32_t work(struct nd_stream_conn *conn) {
    char lines[LINES_AT_ONCE * LINE_BYTES];
    int32_t n = nd__stream_take(&conn->session, &conn->flow.rx, ND_CFG_POLL_BYTES);

    /* What the caller says is thrown away; that it hangs up is not. */
    if (n < 0 && n != ND_AGAIN) {
        return n;
    }
    fill(lines, conn->offset, sizeof lines);
    n = nd__stream_send(&conn->session, &conn->flow.tx, lines, sizeof lines, 0);
    if (n > 0) {
        conn->offset = (conn->offset + (uint32_t)n) % CYCLE_BYTES;
    }
    return n;
}

static const struct nd__stream_kind kind = ND__STREAM_KIND("chargen", work);

int nd_chargen_serve(struct nd_stream_server *server, struct nd_agent *agent,
                     const struct nd_addr *at, struct nd_stream_conn *conns, uint32_t conn_count) {
    return nd__stream_serve(server, agent, &kind, at, conns, conn_count);
}
