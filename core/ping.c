/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/ping.h"

#include "bytes.h"
#include "pattern.h"

#define COUNT     4u
#define PERIOD_MS 1000u

/* A reply that takes longer is lost. */
#define LIMIT_NS 1000000000u

/* RFC 792. */
#define ECHO_REPLY   0u
#define ECHO_REQUEST 8u

/* ---- messages ------------------------------------------------------------------------ */

void nd_ping_write(uint8_t *message, uint16_t identifier, uint16_t sequence, uint32_t bytes) {
    uint32_t sum = (ECHO_REQUEST << 8) + identifier + sequence;

    message[0] = ECHO_REQUEST;
    message[1] = 0;
    nd__bytes_put_u16(message + 4, identifier);
    nd__bytes_put_u16(message + 6, sequence);
    for (uint32_t i = 0; i < bytes; i++) {
        uint8_t value = (uint8_t)nd__pattern[i];
        message[ND_PING_HEADER_BYTES + i] = value;
        sum += (i & 1) == 0 ? (uint32_t)value << 8 : value;
    }
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum += sum >> 16;
    nd__bytes_put_u16(message + 2, (uint16_t)~sum);
}

int32_t nd_ping_read(const uint8_t *message, uint32_t len, uint16_t identifier) {
    if (len < ND_PING_HEADER_BYTES || message[0] != ECHO_REPLY || message[1] != 0 ||
        nd__bytes_u16(message + 4) != identifier) {
        return ND_AGAIN;
    }
    return nd__bytes_u16(message + 6);
}

/* ---- the test ------------------------------------------------------------------------ */

static void finish(struct nd_ping *ping, int result) {
    struct nd_report report = {
        .role = "client",
        .last = true,
        .result = result,
        .peer = ping->cfg.to,
        .flow = ping->flow,
        .begin = ping->begin,
        .tail_ticks = ND_NOT_SUPPORTED,
        .buflen = ping->cfg.bytes,
        .tx_datagrams = ping->sent,
        .round_trips = ping->replies,
    };

    ping->path->close(ping->path->ctx);
    nd_session_report(&ping->session, &report);
    nd_session_leave(&ping->session);
}

static void stop(struct nd_session *session, int why) {
    finish((struct nd_ping *)session, why);
}

/* A line about the latest request: its round trip, or that it is lost. */
static void tell(struct nd_ping *ping, int64_t ns) {
    struct nd_fmt out;

    nd_console_begin(ping->console, &out, "ping");
    if (ping->console->json) {
        nd_json_u64(&out, "session", ping->session.number);
        nd_json_u64(&out, "seq", ping->sent);
        nd_json_value(&out, "round_trip_ns", ns);
    } else {
        nd_fmt_text(&out, ns < 0 ? "ping lost seq:" : "ping reply seq:");
        nd_fmt_u64(&out, ping->sent);
        if (ns >= 0) {
            nd_fmt_text(&out, " time:");
            nd_fmt_fixed(&out, (uint64_t)ns / 1000u, 3);
            nd_fmt_text(&out, " ms");
        }
    }
    nd_console_end(ping->console, &out);
}

/* The latest request is answered, or given up. */
static void settle(struct nd_ping *ping, int64_t ns) {
    ping->awaiting = false;
    if (ns >= 0) {
        ping->replies++;
        nd_session_moved(&ping->session, &ping->flow.rx, ping->cfg.bytes);
    }
    if (ping->console != NULL) {
        tell(ping, ns);
    }
}

static void listen(struct nd_ping *ping) {
    const struct nd_agent *agent = ping->session.agent;
    uint64_t ns = nd_agent_ns(agent, agent->now - ping->sent_at);
    int32_t heard;

    while (ping->awaiting && (heard = ping->path->heard(ping->path->ctx)) >= 0) {
        if ((uint16_t)heard == (uint16_t)ping->sent) {
            settle(ping, (int64_t)ns);
        }
    }
    if (ping->awaiting && ns >= LIMIT_NS) {
        settle(ping, ND_NO_SAMPLES);
    }
}

/* ND_AGAIN is an answer, too: it is not yet time. */
static int send(struct nd_ping *ping) {
    struct nd_agent *agent = ping->session.agent;
    uint64_t period = nd_clock_ticks(ping->cfg.period_ms * UINT64_C(1000000), agent->cfg.clock->hz);
    int result;

    if (ping->sent > 0 && agent->now - ping->sent_at < period) {
        ping->session.wake = ping->sent_at + period;
        return ND_AGAIN;
    }
    result = ping->path->send(ping->path->ctx, &ping->cfg.to, (uint16_t)(ping->sent + 1),
                              ping->cfg.bytes);
    if (result != ND_OK) {
        ping->session.wake = agent->now + 1;
        return result;
    }
    ping->sent++;
    ping->awaiting = true;
    ping->sent_at = agent->now;
    ping->session.wake = agent->now + nd_clock_ticks(LIMIT_NS, agent->cfg.clock->hz);
    nd_session_moved(&ping->session, &ping->flow.tx, ping->cfg.bytes);
    return ND_OK;
}

static bool poll(struct nd_session *session) {
    struct nd_ping *ping = (struct nd_ping *)session;
    int result = ND_AGAIN;

    listen(ping);
    if (ping->awaiting) {
        return false;
    }
    if (ping->sent < ping->cfg.count) {
        result = send(ping);
    } else {
        finish(ping, ping->replies > 0 ? ND_OK : ND_E_TIMEOUT);
        return true;
    }
    if (result < 0 && result != ND_AGAIN) {
        finish(ping, result);
    }
    return result != ND_AGAIN;
}

static const struct nd_session_class kind = {.engine = "ping", .poll = poll, .stop = stop};

int nd_ping_start(struct nd_ping *ping, struct nd_agent *agent, const struct nd_ping_cfg *cfg) {
    const struct nd_ping_path *path = ping->path;
    int result;

    if (ping->session.number != 0) {
        return ND_E_STATE;
    }
    if (cfg->to.family != 4 || cfg->bytes > ND_PING_BYTES_MAX) {
        return ND_E_ARG;
    }
    result = path != NULL ? path->open(path->ctx) : ND_E_UNSUPPORTED;
    if (result != ND_OK) {
        return result;
    }
    *ping =
        (struct nd_ping){.path = path, .console = ping->console, .cfg = *cfg, .begin = agent->now};
    ping->cfg.count = cfg->count > 0 ? cfg->count : COUNT;
    ping->cfg.period_ms = cfg->period_ms > 0 ? cfg->period_ms : PERIOD_MS;
    nd_session_join(&ping->session, &kind, agent, NULL);
    ping->session.patient = true;
    return ND_OK;
}
