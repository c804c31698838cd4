/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/iperf.h - iperf 2 (peers of 2.0.x and 2.1.x), TCP and UDP, as server and as client.
 *
 * One object, its places and one buffer serve everything: a place is one connection or one UDP peer
 * being tested, whoever began it. Nothing is allocated. Server: any number of tests at once up to
 * the places, parallel ones of a client (-P) included; -R, --full-duplex (TCP), -d and -r as their
 * flags ask. Not supported: --bounceback, --isochronous, --full-duplex over UDP, --permit-key.
 *
 * iperf 2 gives no proof that a UDP peer who asks to be sent to (-R, -d, -r) is at the address that
 * it claims: whoever forges one could aim a flood at it. So the server does not, unless its owner
 * says that the network may be trusted (nd_iperf_limits.udp_to_askers), and then only to unicast
 * addresses and to ports that are no simple service. */
#ifndef ND_IPERF_H
#define ND_IPERF_H

#include "nd/agent.h"
#include "nd/console.h"
#include "nd/pace.h"
#include "nd/sequence.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_IPERF_PORT           5001u
#define ND_IPERF_TCP_BYTES      131072u  /* a write, when nobody says how long: as iperf [byte] */
#define ND_IPERF_DATAGRAM_BYTES 1470u    /* a datagram, likewise [byte] */
#define ND_IPERF_UDP_BIT_S      1000000u /* likewise [bit/s] */
#define ND_IPERF_SECONDS        10u      /* likewise [s] */

/* Longest and shortest datagram that is sent [byte]. */
#define ND_IPERF_DATAGRAM_MAX 65507u
#define ND_IPERF_DATAGRAM_MIN 16u

/* Bytes that a test begins with: longest header of 2.1 that is looked at. */
#define ND_IPERF_HEAD_BYTES 60u

/* What strangers may make the server do. All zero is safe on an open network. */
struct nd_iperf_limits {
    bool udp_to_askers;   /* send over UDP to a peer that asks for it (-R, -d, -r) */
    uint32_t max_seconds; /* a test ends then [s]; 0 = no limit */
    uint64_t max_bit_s;   /* the server sends no faster [bit/s]; 0 = no limit */
};

struct nd_iperf;

/* A clock of seconds and microseconds that moves on without a division. */
struct nd_iperf_stamp {
    uint64_t ticks;     /* agent time of the latest stamp [ticks] */
    uint32_t s;         /* [s] */
    uint32_t us;        /* [us] */
    uint32_t part;      /* and so many 2^-32 us */
    uint32_t tick_us;   /* a tick is so many whole us */
    uint32_t tick_part; /* and so many 2^-32 us */
};

/* What a place is doing. */
enum nd_iperf_state {
    ND_IPERF_FREE,
    ND_IPERF_CONNECT, /* TCP client: waits for the connection */
    ND_IPERF_HEAD,    /* TCP server: reads the header; client: sends it */
    ND_IPERF_ASK,     /* UDP client, reverse: asks until traffic arrives */
    ND_IPERF_RUN,
    ND_IPERF_END,   /* TCP: both directions are ending; UDP sender: waits for the report */
    ND_IPERF_LINGER /* UDP receiver: reported; answers repeated ends */
};

/* A place: one test. RAM: about 1.2 KB, with the window of nd/sequence.h. Owner: the caller, who
 * only reads. */
struct nd_iperf_test {
    struct nd_session session; /* first: its functions find the test through it */
    struct nd_iperf *iperf;
    enum nd_iperf_state state;
    bool server;
    bool udp;
    bool sends;
    bool receives;
    bool quiet;      /* UDP sender: no report is to be waited for */
    bool modern;     /* UDP receiver: the sender reads reports of 2.1 */
    bool wide;       /* UDP receiver: the ids have 64 bits */
    bool tx_ended;   /* TCP: end() was called */
    bool rx_ended;   /* TCP: the peer ended */
    bool back_after; /* server: test back when this is over */
    uint8_t tries;   /* of an end or a request without an answer */
    uint32_t stream; /* of parallel ones, from 1; 0 = the only one */
    struct nd_addr peer;
    struct nd_flow flow;
    struct nd_flow cut_flow; /* at the latest interval's end */
    uint64_t cut_datagrams;
    uint64_t begin;      /* [ticks] */
    uint64_t until;      /* end then [ticks]; UINT64_MAX = never */
    uint64_t interval;   /* [ticks]; 0 = no intervals */
    uint64_t cut;        /* the present interval began [ticks] */
    uint64_t cut_next;   /* and ends */
    uint64_t planned;    /* the test is to end about then: no interval just before [ticks] */
    uint64_t retry;      /* next repetition of an end or a request [ticks] */
    uint64_t amount;     /* to send in all [byte]; UINT64_MAX = until the time is up */
    uint64_t left_bytes; /* of these */
    uint32_t len;        /* bytes per write or datagram [byte] */
    uint32_t at;         /* TCP: bytes of the present write sent [byte] */
    uint32_t last_len;   /* UDP sender: of the latest datagram [byte] */
    struct nd_pace pace;
    struct nd_iperf_stamp stamp;
    uint64_t next_id; /* UDP sender */
    uint64_t credit;  /* UDP receiver: came from the peer and not yet answered [byte] */
    uint64_t tx_datagrams;
    uint64_t tx_failures;
    struct nd_addr back_to; /* server: the test back that is to follow */
    uint64_t back_amount;
    uint64_t back_ns;
    uint64_t back_bit_s;
    uint32_t back_len;
    uint32_t head_have; /* TCP: bytes in head[] */
    uint8_t head[ND_IPERF_HEAD_BYTES];
    struct nd_sequence_meter meter; /* UDP receiver */
};

/* The engine. Owner: the caller. */
struct nd_iperf {
    struct nd_service service; /* TCP; first */
    struct nd_session socket;  /* UDP: the server's socket */
    struct nd_agent *agent;
    struct nd_iperf_test *tests;
    uint32_t test_count;
    uint8_t *buffer; /* a datagram being made; NULL: UDP is not sent */
    uint32_t buffer_bytes;
    struct nd_iperf_limits limits;
    uint64_t interval_ns; /* of the server's tests */
    uint64_t silence;     /* a UDP test without a datagram for so long is over [ticks] */
    uint32_t turned_away; /* UDP peers and tests back that found no place or were not let */
    uint64_t
        epoch_us; /* what the world's clock said at agent time 0 [us since 1970]; 0 = unknown */
};

/* Make the engine. tests: the places. buffer: for datagrams that are sent, of any address; its size
 * limits their length; NULL when none are. All stay in place while it is used. */
void nd_iperf_init(struct nd_iperf *iperf, struct nd_agent *agent, struct nd_iperf_test *tests,
                   uint32_t test_count, void *buffer, uint32_t buffer_bytes);

/* Tell the present time [us since 1970]. A receiver of 2.1 whose clock is far from the sender's
 * shows nonsense as jitter in its first hundred datagrams. Without this call the first peer who
 * sends us time stamps tells it. */
void nd_iperf_set_time(struct nd_iperf *iperf, uint64_t us);

/* What a server does. */
struct nd_iperf_server_cfg {
    struct nd_addr at;
    bool tcp;
    bool udp; /* on the same port number; may both be */
    struct nd_iperf_limits limits;
    uint64_t interval_ns; /* report so often during a test [ns]; 0 = only at its end */
    uint32_t silence_ms;  /* a UDP peer silent for so long has gone [ms]; 0 = 2500 */
};

/* Serve. ND_OK; ND_E_ARG without tcp or udp; ND_E_STATE when it serves already; or the port's
 * result. The port that was chosen is in service.at, for TCP. */
int nd_iperf_serve(struct nd_iperf *iperf, const struct nd_iperf_server_cfg *cfg);

/* Listen no more. Tests in progress go on, but for those of UDP, which share the socket: they end
 * with ND_E_STOPPED. Not from inside nd_agent_poll(). */
void nd_iperf_close(struct nd_iperf *iperf);

/* What a client does. All zero but `to` is 10 seconds of TCP. */
struct nd_iperf_client_cfg {
    struct nd_addr to;
    bool udp;
    bool reverse;         /* -R: the server sends */
    bool duplex;          /* --full-duplex: both send; TCP only */
    bool dual;            /* -d: the server connects back, now, to listen_port */
    bool tradeoff;        /* -r: the same, when this is over */
    uint16_t listen_port; /* -L: where a server of ours listens; 0 = ND_IPERF_PORT */
    uint64_t bytes;       /* -n: exactly so many per stream [byte]; 0 = no limit */
    uint64_t duration_ns; /* -t [ns]; 0 without bytes = 10 s */
    uint64_t interval_ns; /* -i [ns]; 0 = no intervals */
    uint64_t bit_s;       /* -b, per stream [bit/s]; 0 = UDP 1 Mbit/s, TCP no limit */
    uint32_t len;         /* -l [byte]; 0 = UDP 1470, TCP 128 KiB */
    uint32_t burst;       /* datagrams sent back to back at the same mean rate; 0 = 1 */
    uint32_t parallel;    /* -P streams, each with a place and its own reports; 0 = 1 */
};

/* Begin a test. Each stream is a session of its own, with its own reports. ND_OK; ND_E_ARG for
 * what cannot be: a length that the buffer does not hold, more than 2^31 bytes asked of a server,
 * a UDP test of fewer than 16 bytes; ND_E_FULL without enough places; ND_E_UNSUPPORTED; or the
 * port's result: then the streams that had begun are ended. */
int nd_iperf_connect(struct nd_iperf *iperf, const struct nd_iperf_client_cfg *cfg);

/* The console command: "iperf -s [-u] [-p PORT] [-i S]" and "iperf -c HOST [-u] [-t S] [-n BYTES]
 * [-l BYTES] [-b BIT_S] [-P N] [-i S] [-R] [-d] [-r] [-L PORT] [-p PORT]". command and iperf: the
 * caller's. */
void nd_iperf_command(struct nd_command *command, struct nd_iperf *iperf);

#ifdef __cplusplus
}
#endif
#endif
