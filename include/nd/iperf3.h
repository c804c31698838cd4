/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/iperf3.h - iperf 3 (3.7 and later), server and client, in fixed memory.
 *
 * TCP and UDP, either way or both at once, parallel streams; the program `iperf3` is the other end
 * of either role. One test at a time, as the protocol has it: who calls meanwhile gets the
 * protocol's own refusal. A test ends by time, bytes or blocks, with exact counts on both
 * ends: the receiver reads on until nothing more comes, and the sender's tail loss is a loss.
 *
 * RAM on a Cortex-M3 [byte]: a server 1680, a client 1360, each stream 656, and to send UDP the
 * longest datagram; so a server of one TCP stream has 2336. On any machine at most
 * ND_IPERF3_SERVER_BYTES, ND_IPERF3_CLIENT_BYTES and ND_IPERF3_STREAM_BYTES, which the build
 * checks. Connections: one for the test and one for each TCP stream; the server a listener, up to
 * ND_IPERF3_CALLERS that have not said who they are, and one socket for all of UDP; the client one
 * socket for each UDP stream. */
#ifndef ND_IPERF3_H
#define ND_IPERF3_H

#include "nd/agent.h"
#include "nd/console.h"
#include "nd/json_scan.h"
#include "nd/pace.h"
#include "nd/sequence.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_IPERF3_PORT         5201u
#define ND_IPERF3_SECONDS      10u      /* of a test without -t, -n and -k */
#define ND_IPERF3_BLOCK_BYTES  131072u  /* a TCP write without -l [byte] */
#define ND_IPERF3_UDP_BIT_S    1048576u /* UDP without -b: iperf3's "1M" is 2^20 [bit/s] */
#define ND_IPERF3_SECONDS_MAX  86400u   /* the longest test that iperf3 asks for [s] */
#define ND_IPERF3_COOKIE_BYTES 37u      /* 36 characters and a NUL */
#define ND_IPERF3_TEXT_BYTES   512u     /* results of one stream leave in one write [byte] */

/* Connections that may wait at a server without having said who they are. The oldest is given up
 * for a new one; none blocks a test. */
#define ND_IPERF3_CALLERS 3u

/* RAM at most [byte]; the streams come on top. */
#define ND_IPERF3_SERVER_BYTES 1800u
#define ND_IPERF3_CLIENT_BYTES 1424u
#define ND_IPERF3_STREAM_BYTES (536u + ND_CFG_SEQUENCE_WINDOW / 8u)

/* What a test is to do, as the client's options say it and the wire carries it. */
struct nd_iperf3_params {
    uint64_t bytes;      /* -n: end after so many, all streams together [byte]; 0 = not by bytes */
    uint64_t blocks;     /* -k: end after so many writes or datagrams; 0 = not by blocks */
    uint64_t rate_bit_s; /* -b: of each stream [bit/s]; 0 = as fast as it goes */
    uint32_t burst;      /* -b RATE/BURST: datagrams sent back to back; 0 = 1 */
    uint32_t time_s;     /* -t [s]; 0 = until bytes or blocks are reached, or stopped */
    uint32_t omit_s;     /* -O: seconds at the beginning that do not count [s] */
    uint32_t parallel;   /* -P: streams in each direction */
    uint32_t length;     /* -l: bytes of a write or datagram [byte] */
    bool udp;            /* -u */
    bool reverse;        /* -R: the server sends */
    bool bidir;          /* --bidir: both send */
    bool counters_64bit; /* --udp-counters-64bit */
    bool server_output;  /* --get-server-output */
    bool sctp;           /* --sctp: refused */
};

/* What one end says of a stream when the test is over. Signed: some peers send nonsense, such as
 * counts that wrapped at 32 bits. */
struct nd_iperf3_result {
    int64_t bytes;
    int64_t packets; /* datagrams sent; of a receiver, the highest number */
    int64_t errors;  /* datagrams lost */
    int64_t omitted_packets;
    int64_t omitted_errors;
    uint64_t jitter_ns;
    uint32_t id; /* 0 = nothing was said */
};

/* A stream. Owner: the caller; written by the engine. */
struct nd_iperf3_stream {
    struct nd_conn *conn; /* TCP, or a client's datagram socket; NULL = none */
    struct nd_addr peer;  /* UDP: where the datagrams go and come from */
    uint32_t id;          /* 1, 3, 4, 5 ...: 2 is skipped */
    uint32_t block_left;  /* TCP, sending: of the present write [byte] */
    uint32_t pattern_at;  /* and its place in the pattern of 95 characters */
    bool sends;
    bool ended;             /* its connection is over, or our direction of it */
    uint64_t bytes;         /* moved, omitted ones included [byte] */
    uint64_t omitted_bytes; /* [byte] */
    uint64_t packets;       /* UDP: sent, omitted ones included */
    uint64_t omitted_packets;
    uint64_t omitted_errors;
    struct nd_pace pace;            /* sending */
    struct nd_sequence_meter meter; /* UDP: receiving */
    struct nd_iperf3_result theirs; /* what the other end says */
};

/* The memory of a test. Owner: the caller, for as long as the engine lives. */
struct nd_iperf3_memory {
    struct nd_iperf3_stream *streams;
    uint32_t stream_count;   /* --bidir takes two for each -P */
    uint8_t *datagram;       /* to send UDP from; NULL = this end does not */
    uint32_t datagram_bytes; /* the longest [byte] */
    /* A client's session that has the same memory: while it is in progress, a server tells callers
     * that it is busy. NULL = the memory is nobody else's. */
    const struct nd_session *other;
};

/* Results as they are being read. */
struct nd_iperf3_reading {
    struct nd_iperf3_result stream;
    bool in_streams; /* within the list of streams */
};

/* One test, at either end. */
struct nd_iperf3_test {
    struct nd_session session; /* its connection is the control channel */
    struct nd_iperf3_memory memory;
    struct nd_iperf3_params params;
    struct nd_flow flow;        /* of all streams, without what was omitted */
    struct nd_flow before;      /* flow at the latest interval report */
    struct nd_sequence figures; /* of all streams, as of the latest cut */
    struct nd_conn *udp;        /* server: the socket of all streams */
    uint64_t begin;             /* the connection stood; then: what counts began [ticks] */
    uint64_t begin_idle;        /* the owner's idle count then [ticks] */
    uint64_t running;           /* data began [ticks] */
    uint64_t counts_from;       /* the omission ends [ticks] */
    uint64_t until;             /* the sending ends [ticks] */
    uint64_t limit;             /* what is being waited for is given up [ticks] */
    uint64_t moved;             /* the latest data [ticks] */
    uint64_t retry;             /* the stack had no room; ask again [ticks] */
    uint64_t goal_bytes; /* by bytes or blocks: to move in one direction; else UINT64_MAX [byte] */
    uint64_t budget_bytes;  /* still to begin to send, of all streams [byte] */
    uint64_t interval;      /* between reports [ticks]; 0 = none */
    uint64_t interval_from; /* the latest one [ticks] */
    uint64_t interval_due;  /* the next one [ticks] */
    uint64_t quiet_from;    /* waiting for the last data since then [ticks] */
    uint64_t acked_at;      /* the latest acknowledgement seen [ticks] */
    uint64_t unacked_bytes; /* what was missing then [byte] */
    uint64_t second_from;   /* time stamps: `second` began then [ticks] */
    uint64_t us_part;       /* and a tick is so many 2^-32 us */
    uint64_t tx_datagrams;
    uint64_t tx_failures;
    const char *message; /* why the test failed */
    int32_t refusal;     /* the number in the server's refusal */
    struct nd_json_scan scan;
    struct nd_iperf3_reading reading;
    uint32_t second;
    uint32_t text_left; /* of a JSON text being read [byte] */
    uint32_t stream_used;
    uint16_t out_length;
    uint16_t out_at;
    uint16_t piece; /* of the results, the next to write */
    uint8_t phase;
    uint8_t head_count;
    uint8_t head[8]; /* a length, or a refusal's numbers */
    bool server;
    bool omitting;
    bool started; /* data has begun to move */
    char cookie[ND_IPERF3_COOKIE_BYTES];
    char out[ND_IPERF3_TEXT_BYTES];
};

/* ---- server ------------------------------------------------------------------------ */

/* What the owner allows. All zero: what iperf3 itself would. */
struct nd_iperf3_limits {
    uint32_t seconds;     /* longest test, omission included [s]; 0 = ND_IPERF3_SECONDS_MAX */
    uint64_t rate_bit_s;  /* of all streams together, mean [bit/s]; 0 = no limit */
    uint32_t interval_ms; /* report a test in progress so often [ms]; 0 = not */
};

/* A connection that has not said who it is. */
struct nd_iperf3_caller {
    struct nd_session session;
    struct nd_iperf3_server *server;
    uint8_t count; /* bytes of the cookie */
    bool leaving;  /* it was refused */
    char cookie[ND_IPERF3_COOKIE_BYTES];
};

/* A server. Owner: the caller. */
struct nd_iperf3_server {
    struct nd_service service;
    struct nd_iperf3_test test;
    struct nd_iperf3_limits limits;
    uint64_t allowed_bytes; /* may have moved until then: the limit's rate [byte] */
    uint64_t allowed_until; /* [ticks] */
    uint32_t first_caller;  /* session number from which on a caller may be a stream */
    struct nd_iperf3_caller callers[ND_IPERF3_CALLERS];
};

/* Serve at *at, one test after another, until closed. memory and limits are copied; limits may be
 * NULL. Every test ends in a report. ND_OK; ND_E_ARG without a stream; ND_E_STATE when it serves
 * already (an object of zeros does not); or the port's result. */
int nd_iperf3_serve(struct nd_iperf3_server *server, struct nd_agent *agent,
                    const struct nd_addr *at, const struct nd_iperf3_memory *memory,
                    const struct nd_iperf3_limits *limits);

/* End the test in progress, hang up on callers, close the listener. */
void nd_iperf3_server_close(struct nd_iperf3_server *server);

/* ---- client ------------------------------------------------------------------------ */

/* Gets the server's results, JSON, as they arrive: len bytes of them at a time, from poll context.
 * With server_output they hold what the server printed. */
typedef void nd_iperf3_heard_fn(void *ctx, const char *text, uint32_t len);

struct nd_iperf3_client_cfg {
    struct nd_addr to;
    struct nd_iperf3_params params; /* 0 in time, bytes and blocks: ND_IPERF3_SECONDS; 0 in
                                       length, parallel and (UDP) rate: their defaults */
    bool full_rate;                 /* UDP: -b 0, as fast as it goes */
    uint32_t interval_ms;           /* report the test in progress so often [ms]; 0 = not */
    nd_iperf3_heard_fn *heard;      /* NULL = nobody wants them but the test */
    void *heard_ctx;
};

/* A client. Owner: the caller; in use until its report has gone out (test.session.number is 0). */
struct nd_iperf3_client {
    struct nd_iperf3_test test;
    struct nd_addr to;
    uint64_t rtt;   /* the connection took so long to stand [ticks] */
    uint64_t again; /* stream being set up: try again then [ticks] */
    uint64_t pause; /* and so long after that [ticks] */
    uint8_t sent;   /* bytes of its cookie */
    nd_iperf3_heard_fn *heard;
    void *heard_ctx;
};

/* Begin a test. Its report comes when it is over. ND_OK; ND_E_STATE when *client is in use;
 * ND_E_ARG for parameters that make no sense or more streams or longer datagrams than memory has;
 * ND_E_UNSUPPORTED for UDP without a port that has it; or the port's result. */
int nd_iperf3_connect(struct nd_iperf3_client *client, struct nd_agent *agent,
                      const struct nd_iperf3_memory *memory,
                      const struct nd_iperf3_client_cfg *cfg);

/* ---- console ----------------------------------------------------------------------- */

/* What the console command works with; one test at a time. Owner: the caller, who fills in memory
 * and limits and leaves the rest zero. */
struct nd_iperf3 {
    struct nd_iperf3_memory memory;
    struct nd_iperf3_limits limits;
    struct nd_iperf3_server server;
    struct nd_iperf3_client client;
    struct nd_session serving; /* what `stop` ends when `iperf3 -s` runs */
};

/* The console command: "iperf3 -s [-p PORT] [-i S]" and "iperf3 -c HOST [-u] [-t S] [-n BYTES] [-k
 * BLOCKS] [-l BYTES] [-b RATE[/BURST]] [-P N] [-R] [--bidir] [-O S] [-p PORT] [-i S]
 * [--get-server-output] [--udp-counters-64bit]". */
void nd_iperf3_command(struct nd_command *command, struct nd_iperf3 *iperf3);

#ifdef __cplusplus
}
#endif
#endif
