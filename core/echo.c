/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/echo.h"

#include "stream.h"
#include "stream_server.h"

static int32_t work(struct nd_stream_conn *conn) {
    return nd__stream_echo(&conn->session, &conn->flow, ND_CFG_POLL_BYTES, ND_CFG_POLL_BYTES);
}

static const struct nd__stream_kind kind = ND__STREAM_KIND("echo", work);

int nd_echo_serve(struct nd_stream_server *server, struct nd_agent *agent, const struct nd_addr *at,
                  struct nd_stream_conn *conns, uint32_t conn_count) {
    return nd__stream_serve(server, agent, &kind, at, conns, conn_count);
}
