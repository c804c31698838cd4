/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/bypass.h"

#include <string.h>

#include "nd/discard.h"
#include "pattern.h"
#include "session.h"

/* ARP is asked again so often, and given up after so long [ns]. */
#define ASK_NS     10000000u
#define GIVE_UP_NS 1000000000u

/* Frames handed over in one poll, at most: the stack has its turn in between. */
#define POLL_FRAMES 16u

/* Fields of a frame [byte from its start]: Ethernet II, IPv4 (RFC 791), UDP (RFC 768). */
enum {
    ETH_TYPE = 12,
    IP = 14,
    IP_SUM = IP + 10,
    IP_FROM = IP + 12,
    UDP = IP + 20,
    PAYLOAD = UDP + 8
};

/* The port that datagrams come from: unused by any service. */
#define OWN_PORT 49152u

static void finish(struct nd_bypass *bypass, int result) {
    struct nd_report report = {
        .role = "client",
        .phase = "tx",
        .last = true,
        .result = result,
        .peer = bypass->cfg.to,
        .flow = bypass->flow,
        .begin = bypass->begin,
        .tail_ticks = ND_NOT_SUPPORTED,
        .buflen = bypass->cfg.payload_bytes,
        .tx_datagrams = bypass->sent,
    };

    if (bypass->ready) {
        bypass->path->release(bypass->path->ctx);
    }
    nd_session_report(&bypass->session, &report);
    nd_session_leave(&bypass->session);
}

static void stop(struct nd_session *session, int why) {
    finish((struct nd_bypass *)session, why);
}

/* ---- the frame ----------------------------------------------------------------------- */

static void put_u16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* RFC 1071, added to `sum`. Once a frame, so the plain loop does. */
static uint32_t add_words(uint32_t sum, const uint8_t *bytes, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
    }
    return sum;
}

static uint32_t fold(uint32_t sum) {
    while (sum > 0xFFFF) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return ~sum & 0xFFFF;
}

static void put_ip(uint8_t *frame, const struct nd_bypass *bypass,
                   const struct nd_bypass_ends *ends) {
    uint8_t *ip = frame + IP;

    memset(ip, 0, UDP - IP);
    ip[0] = 0x45; /* version 4, header of 5 words */
    put_u16(ip + 2, UDP - IP + 8 + bypass->cfg.payload_bytes);
    put_u16(ip + 6, 0x4000); /* don't fragment: so the id may stay 0 (RFC 6864) */
    ip[8] = 64;              /* time to live */
    ip[9] = 17;              /* UDP */
    memcpy(frame + IP_FROM, ends->own_ip, 4);
    memcpy(frame + IP_FROM + 4, bypass->cfg.to.ip, 4);
    put_u16(frame + IP_SUM, fold(add_words(0, ip, UDP - IP)));
}

static void put_udp(uint8_t *frame, const struct nd_bypass *bypass) {
    uint32_t len = 8 + bypass->cfg.payload_bytes;
    uint32_t sum;

    put_u16(frame + UDP, OWN_PORT);
    put_u16(frame + UDP + 2, bypass->cfg.to.port);
    put_u16(frame + UDP + 4, len);
    put_u16(frame + UDP + 6, 0);
    memcpy(frame + PAYLOAD, nd__pattern, bypass->cfg.payload_bytes);
    if (bypass->cfg.checksum) {
        sum = fold(add_words(add_words(17 + len, frame + IP_FROM, 8), frame + UDP, len));
        put_u16(frame + UDP + 6, sum != 0 ? sum : 0xFFFF);
    }
}

static void build(uint8_t *frame, const struct nd_bypass *bypass,
                  const struct nd_bypass_ends *ends) {
    memcpy(frame, ends->next_mac, 6);
    memcpy(frame + 6, ends->own_mac, 6);
    put_u16(frame + ETH_TYPE, 0x0800);
    put_ip(frame, bypass, ends);
    put_udp(frame, bypass);
}

/* ---- the session --------------------------------------------------------------------- */

static uint64_t later(const struct nd_bypass *bypass, uint64_t ns) {
    const struct nd_agent *agent = bypass->session.agent;

    return agent->now + nd_clock_ticks(ns, agent->cfg.clock->hz);
}

static void begin(struct nd_bypass *bypass) {
    const struct nd_agent *agent = bypass->session.agent;
    uint64_t ns = bypass->cfg.duration_ns;

    bypass->ready = true;
    bypass->begin = agent->now;
    bypass->until = ns > 0 ? later(bypass, ns) : UINT64_MAX;
    nd_pace_start(&bypass->pace, agent->now, agent->cfg.clock->hz, bypass->cfg.payload_bytes * 8,
                  bypass->cfg.rate_bit_s, 1);
}

/* Learn the addresses and build the frame. ND_OK when it is there. */
static int prepare(struct nd_bypass *bypass) {
    const struct nd_bypass_path *path = bypass->path;
    struct nd_bypass_ends ends;
    int result = path->resolve(path->ctx, &bypass->cfg.to, &ends);
    uint8_t *frame;

    if (result == ND_AGAIN) {
        bypass->session.wake = later(bypass, ASK_NS);
        return bypass->session.agent->now < bypass->asking ? ND_AGAIN : ND_E_UNREACHABLE;
    }
    if (result != ND_OK) {
        return result;
    }
    frame = path->reserve(path->ctx, ND_BYPASS_HEADER_BYTES + bypass->cfg.payload_bytes);
    if (frame == NULL) {
        return ND_E_MEMORY;
    }
    build(frame, bypass, &ends);
    begin(bypass);
    return ND_OK;
}

static bool is_over(const struct nd_bypass *bypass) {
    return bypass->sent >= bypass->cfg.count || bypass->session.agent->now >= bypass->until;
}

static uint64_t next_time(const struct nd_bypass *bypass) {
    return bypass->pace.due < bypass->until ? bypass->pace.due : bypass->until;
}

/* Hand over what is due. ND_OK when there may be more at once. */
static int send_frames(struct nd_bypass *bypass) {
    uint64_t now = bypass->session.agent->now;
    int result = ND_OK;
    uint32_t frames = 0;

    while (frames < POLL_FRAMES && bypass->sent < bypass->cfg.count && result == ND_OK) {
        if (!nd_pace_due(&bypass->pace, now)) {
            bypass->session.wake = next_time(bypass);
            result = ND_AGAIN;
            break;
        }
        result = bypass->path->send(bypass->path->ctx);
        if (result == ND_OK) {
            nd_pace_step(&bypass->pace);
            bypass->sent++;
            frames++;
        }
    }
    if (frames > 0) {
        nd__session_moved(&bypass->session, &bypass->flow.tx, frames * bypass->cfg.payload_bytes);
    }
    return result;
}

static bool poll(struct nd_session *session) {
    struct nd_bypass *bypass = (struct nd_bypass *)session;
    int result;

    session->wake = UINT64_MAX;
    if (!bypass->ready) {
        result = prepare(bypass);
    } else if (is_over(bypass)) {
        finish(bypass, ND_OK);
        return true;
    } else {
        result = send_frames(bypass);
    }
    if (result == ND_OK || result == ND_AGAIN) {
        return result == ND_OK;
    }
    finish(bypass, result);
    return true;
}

static const struct nd_session_class kind = {.engine = "bypass", .poll = poll, .stop = stop};

static bool set_defaults(struct nd_bypass_cfg *cfg) {
    if (cfg->payload_bytes == 0) {
        cfg->payload_bytes = ND_BYPASS_BYTES_MAX;
    }
    if (cfg->count == 0) {
        cfg->count = cfg->duration_ns == 0 ? ND_BYPASS_COUNT : UINT64_MAX;
    }
    if (cfg->to.port == 0) {
        cfg->to.port = ND_DISCARD_PORT;
    }
    return cfg->to.family == 4 && cfg->payload_bytes >= ND_BYPASS_BYTES_MIN &&
           cfg->payload_bytes <= ND_BYPASS_BYTES_MAX;
}

int nd_bypass_start(struct nd_bypass *bypass, struct nd_agent *agent,
                    const struct nd_bypass_cfg *cfg) {
    if (bypass->path == NULL) {
        return ND_E_UNSUPPORTED;
    }
    if (bypass->session.number != 0) {
        return ND_E_STATE;
    }
    *bypass = (struct nd_bypass){.cfg = *cfg, .path = bypass->path, .begin = agent->now};
    if (!set_defaults(&bypass->cfg)) {
        return ND_E_ARG;
    }
    nd_session_join(&bypass->session, &kind, agent, NULL);
    bypass->session.patient = true; /* ARP has its own limit */
    bypass->asking = later(bypass, GIVE_UP_NS);
    return ND_OK;
}
