/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lwip_raw.c - what the contract's suite cannot see of the port over lwIP's raw API: who owns
 * a pcb, what is credited and acknowledged, what is copied, and what happens without memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "lwip_raw.h"

#include "lwip/init.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/stats.h"
#include "lwip/tcp.h"
#include "lwip/udp.h"

#include "lwip_world.h"

#define SLOTS       12u
#define AWAIT_TURNS 20000u

static const struct nd_port *const port = &nd_port_lwip_raw;
static struct nd_lwip_raw ctx;
static struct nd_lwip_raw_conn conns[SLOTS];
static uint8_t bytes[4 * TCP_MSS];
static struct nd_conn *listener;
static struct nd_addr reach;

static void turn(void) {
    port->step(&ctx);
    world_turn();
}

#define AWAIT(condition)                                                                           \
    for (unsigned waited = 0; !(condition); waited++) {                                            \
        assert_true(waited < AWAIT_TURNS);                                                         \
        turn();                                                                                    \
    }

struct pair {
    struct nd_conn *near;
    struct nd_conn *far;
};

static struct pair pair_open(void) {
    struct pair pair = {0};

    assert_int_equal(port->connect(&ctx, &reach, &pair.near), ND_OK);
    AWAIT(port->accept(listener, &pair.far) == ND_OK);
    AWAIT(port->status(pair.near) == ND_OK);
    for (unsigned i = 0; i < 300; i++) { /* the handshake's delayed acknowledgements too */
        turn();
    }
    return pair;
}

static void pair_close(struct pair pair) {
    port->close(pair.near);
    port->close(pair.far);
}

static struct tcp_pcb *pcb_of(struct nd_conn *conn) {
    return ((struct nd_lwip_raw_conn *)conn)->tcp.pcb;
}

static int32_t unacked(struct nd_conn *conn) {
    struct nd_conn_info info;

    port->info(conn, &info);
    return (int32_t)info.unacked_bytes;
}

static uint32_t read_all(struct nd_conn *conn) {
    const void *there;
    uint32_t total = 0;
    int32_t len;

    while ((len = port->rx(conn, &there)) > 0) {
        port->rx_done(conn, (uint32_t)len);
        total += (uint32_t)len;
    }
    return total;
}

static unsigned packets_sent(void) {
    return lwip_stats.ip.xmit;
}

static int setup(void **state) {
    struct nd_addr at = {.ip = {127, 0, 0, 1}, .family = 4};
    struct nd_conn_info info;

    (void)state;
    nd_lwip_raw_init(&ctx, conns, SLOTS);
    if (port->listen(&ctx, &at, &listener) != ND_OK) {
        return -1;
    }
    port->info(listener, &info);
    reach = info.local;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (conns[i].kind != 0) {
            port->close((struct nd_conn *)&conns[i]);
        }
    }
    world_settle();
    return world_held() == 0 ? 0 : -1; /* nothing may be left inside lwIP */
}

/* ---- who owns a pcb ------------------------------------------------------------------ */

/* Fill lwIP's pool of pcbs with new connections, so that it takes back what waits in TIME_WAIT. */
static void recycle_pcbs(struct tcp_pcb *taken[MEMP_NUM_TCP_PCB]) {
    for (unsigned i = 0; i < MEMP_NUM_TCP_PCB; i++) {
        taken[i] = tcp_new();
        if (taken[i] != NULL) {
            tcp_err(taken[i], NULL);
        }
    }
}

static unsigned release_pcbs(struct tcp_pcb *taken[MEMP_NUM_TCP_PCB]) {
    unsigned count = 0;

    for (unsigned i = 0; i < MEMP_NUM_TCP_PCB; i++) {
        if (taken[i] != NULL) {
            tcp_abort(taken[i]);
            count++;
        }
    }
    return count;
}

/* Both slots are still ours, but lwIP has reused the pcbs: nothing may touch them. */
static void expect_finished(struct pair pair) {
    struct tcp_pcb *taken[MEMP_NUM_TCP_PCB];
    unsigned used = lwip_stats.memp[MEMP_TCP_PCB]->used;

    assert_null(tcp_active_pcbs);
    assert_true(used > 0); /* in TIME_WAIT */
    recycle_pcbs(taken);
    assert_int_equal(port->end(pair.near), ND_OK);
    assert_int_equal(port->end(pair.far), ND_OK);
    assert_int_equal(unacked(pair.near), 0);
    assert_int_equal(unacked(pair.far), 0);
    assert_int_equal(port->status(pair.near), ND_OK);
    pair_close(pair);
    assert_int_equal(lwip_stats.memp[MEMP_TCP_PCB]->used, MEMP_NUM_TCP_PCB);
    assert_int_equal(release_pcbs(taken), MEMP_NUM_TCP_PCB);
}

static void a_pcb_in_time_wait_is_not_touched_again(void **state) {
    struct pair pair = pair_open();

    (void)state;
    AWAIT(port->end(pair.near) == ND_OK);
    AWAIT(port->end(pair.far) == ND_OK);
    turn();
    expect_finished(pair);
}

static void a_pcb_that_was_closing_is_not_touched_again(void **state) {
    struct pair pair = pair_open();

    (void)state;
    assert_int_equal(port->end(pair.near), ND_AGAIN);
    assert_int_equal(port->end(pair.far), ND_AGAIN); /* the two FINs cross */
    world_settle();
    /* By now TIME_WAIT has ended as well; a third party holds the memory. */
    assert_int_equal(lwip_stats.memp[MEMP_TCP_PCB]->used, 0);
    assert_int_equal(port->end(pair.near), ND_OK);
    assert_int_equal(unacked(pair.near), 0);
    pair_close(pair);
    pair = pair_open();
    assert_int_equal(port->end(pair.near), ND_AGAIN);
    assert_int_equal(port->end(pair.far), ND_AGAIN);
    AWAIT(tcp_active_pcbs == NULL);
    expect_finished(pair);
}

/* As lwIP does when retransmission gives up, or when it needs the pcb for another. */
static void a_connection_that_lwip_aborts_has_timed_out(void **state) {
    struct pair pair = pair_open();
    const void *there;

    (void)state;
    assert_int_equal(port->tx(pair.near, bytes, 100, ND_TX_MORE), 100);
    tcp_abandon(pcb_of(pair.near), 0);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(port->status(pair.near), ND_E_TIMEOUT);
        assert_int_equal(port->rx(pair.near, &there), ND_E_TIMEOUT);
        assert_int_equal(port->tx(pair.near, bytes, 1, 0), ND_E_TIMEOUT);
        assert_int_equal(port->end(pair.near), ND_E_TIMEOUT);
        assert_int_equal(port->cause(pair.near), ERR_ABRT);
        assert_int_equal(unacked(pair.near), -1);
        turn();
    }
    pair_close(pair);
}

static void bytes_received_before_a_reset_can_still_be_read(void **state) {
    struct pair pair = pair_open();
    const void *there;

    (void)state;
    assert_int_equal(port->tx(pair.near, bytes, 500, 0), 500);
    world_deliver();
    port->close(pair.near);
    world_deliver();
    assert_int_equal(port->status(pair.far), ND_E_RESET);
    assert_int_equal(port->cause(pair.far), ERR_RST);
    assert_int_equal(read_all(pair.far), 500);
    assert_int_equal(port->rx(pair.far, &there), ND_E_RESET);
    port->close(pair.far);
}

/* ---- what is credited and acknowledged ----------------------------------------------- */

/* The window as the peer may use it once the next acknowledgement has left. */
static uint32_t window_of(struct nd_conn *conn) {
    return (uint32_t)pcb_of(conn)->rcv_wnd + ((struct nd_lwip_raw_conn *)conn)->tcp.rx_held;
}

static void the_window_opens_by_exactly_what_was_consumed(void **state) {
    static const uint32_t pieces[] = {1, 700, 759, 1, 3, 1000};
    struct pair pair = pair_open();
    const void *there;
    uint32_t consumed = 0;

    (void)state;
    assert_int_equal(port->tx(pair.near, bytes, 2 * TCP_MSS, 0), 2 * TCP_MSS);
    world_deliver();
    assert_int_equal(window_of(pair.far), TCP_WND - 2 * TCP_MSS);
    for (unsigned i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        assert_true(port->rx(pair.far, &there) >= (int32_t)pieces[i]);
        port->rx_done(pair.far, pieces[i]);
        consumed += pieces[i];
        assert_int_equal(window_of(pair.far), TCP_WND - 2 * TCP_MSS + consumed);
    }
    read_all(pair.far);
    assert_int_equal(window_of(pair.far), TCP_WND);
    pair_close(pair);
}

/* What was consumed is told with an acknowledgement, but never leaves the peer less than two
 * segments. */
static void a_window_that_runs_short_opens_at_once(void **state) {
    struct pair pair = pair_open();

    (void)state;
    while (port->tx(pair.near, bytes, TCP_MSS, 0) > 0) {
        world_deliver();
    }
    assert_true(pcb_of(pair.far)->rcv_wnd < 2 * TCP_MSS);
    read_all(pair.far);
    assert_true(pcb_of(pair.far)->rcv_wnd >= 2 * TCP_MSS);
    pair_close(pair);
}

/* Send so many full segments, each delivered by itself; read them or not. Packets that it took. */
static unsigned packets_for(struct pair pair, unsigned segments, bool read) {
    unsigned before = packets_sent();

    for (unsigned i = 0; i < segments; i++) {
        assert_int_equal(port->tx(pair.near, bytes, TCP_MSS, 0), TCP_MSS);
        world_deliver();
        if (read) {
            assert_int_equal(read_all(pair.far), TCP_MSS);
        }
        port->step(&ctx);
        world_deliver();
    }
    return packets_sent() - before;
}

/* Not once for lwIP's own rule and once more for the window. */
static void segments_read_at_once_are_acknowledged_once_for_two(void **state) {
    struct pair pair = pair_open();

    (void)state;
    assert_int_equal(packets_for(pair, 100, true), 100 + 50);
    assert_int_equal(unacked(pair.near), 0);
    pair_close(pair);
}

static void segments_left_unread_are_acknowledged_by_the_next_step(void **state) {
    struct pair pair = pair_open();

    (void)state;
    assert_int_equal(packets_for(pair, 4, false), 4 + 2);
    assert_int_equal(unacked(pair.near), 0);
    assert_int_equal(read_all(pair.far), 4 * TCP_MSS);
    pair_close(pair);
}

static void empty_and_chained_buffers_are_walked_through(void **state) {
    static const uint16_t sizes[] = {0, 5, 0, 0, 7};
    struct pair pair = pair_open();
    struct tcp_pcb *pcb = pcb_of(pair.far);
    struct pbuf *chain = NULL;
    const void *there;

    (void)state;
    for (unsigned i = sizeof(sizes) / sizeof(sizes[0]); i-- > 0;) {
        struct pbuf *p = pbuf_alloc(PBUF_RAW, sizes[i], PBUF_RAM);

        if (chain != NULL) {
            pbuf_cat(p, chain);
        }
        chain = p;
    }
    pcb->rcv_wnd = (tcpwnd_size_t)(pcb->rcv_wnd - 12);
    assert_int_equal(pcb->recv(pcb->callback_arg, pcb, chain, ERR_OK), ERR_OK);
    assert_int_equal(port->rx(pair.far, &there), 5);
    port->rx_done(pair.far, 5);
    assert_int_equal(port->rx(pair.far, &there), 7);
    port->rx_done(pair.far, 7);
    assert_int_equal(port->rx(pair.far, &there), ND_AGAIN);
    assert_int_equal(window_of(pair.far), TCP_WND);
    pair_close(pair);
}

/* ---- what is copied, and when it leaves ---------------------------------------------- */

static void static_bytes_are_sent_from_where_they_are(void **state) {
    struct pair pair = pair_open();
    const struct tcp_pcb *pcb = pcb_of(pair.near);

    (void)state;
    assert_int_equal(port->tx(pair.near, bytes, 600, ND_TX_STATIC | ND_TX_MORE), 600);
    assert_ptr_equal(pcb->unsent->p->next->payload, bytes);
    AWAIT(read_all(pair.far) == 600);
    pair_close(pair);
}

static void bytes_with_more_to_come_leave_at_the_step(void **state) {
    struct pair pair = pair_open();
    unsigned before = packets_sent();

    (void)state;
    assert_int_equal(port->tx(pair.near, bytes, 10, ND_TX_MORE), 10);
    assert_int_equal(port->tx(pair.near, bytes, 20, ND_TX_MORE), 20);
    assert_int_equal(packets_sent(), before);
    port->step(&ctx);
    assert_int_equal(packets_sent(), before + 1);
    world_deliver();
    assert_int_equal(read_all(pair.far), 30);
    assert_int_equal(port->tx(pair.near, bytes, 10, 0), 10);
    assert_int_equal(packets_sent(), before + 2);
    pair_close(pair);
}

static void a_write_beyond_the_room_is_cut_to_whole_segments(void **state) {
    struct pair pair = pair_open();
    const int32_t whole = TCP_SND_BUF - TCP_MSS; /* 10 byte fill the first part of a segment */

    (void)state;
    assert_int_equal(port->tx(pair.near, bytes, 10, ND_TX_MORE), 10);
    for (int32_t sent = 0; sent < whole; sent += TCP_MSS) {
        uint32_t len = sent + TCP_MSS < whole ? TCP_MSS : 2 * TCP_MSS;

        assert_int_equal(port->tx(pair.near, bytes, len, ND_TX_STATIC | ND_TX_MORE), TCP_MSS);
    }
    assert_int_equal(port->tx(pair.near, bytes, TCP_MSS, ND_TX_STATIC), ND_AGAIN);
    pair_close(pair);
}

/* ---- without memory ------------------------------------------------------------------ */

/* Take all of lwIP's heap, but for less than `left` in one piece. */
static struct pbuf *exhaust_heap(uint16_t left) {
    struct pbuf *taken = NULL;
    uint16_t size = 8192;

    while (size >= left) {
        struct pbuf *p = pbuf_alloc(PBUF_RAW, size, PBUF_RAM);

        if (p == NULL) {
            size /= 2;
            continue;
        }
        p->next = taken;
        taken = p;
    }
    return taken;
}

static void free_heap(struct pbuf *taken) {
    while (taken != NULL) {
        struct pbuf *next = taken->next;

        taken->next = NULL;
        pbuf_free(taken);
        taken = next;
    }
}

static void an_empty_heap_is_no_error_but_a_reason_to_wait(void **state) {
    struct pair pair = pair_open();
    struct pbuf *taken = exhaust_heap(64);

    (void)state;
    assert_int_equal(port->tx(pair.near, bytes, sizeof(bytes), 0), ND_AGAIN);
    assert_int_equal(port->tx(pair.near, bytes, 1000, 0), ND_AGAIN);
    assert_int_equal(port->status(pair.near), ND_OK);
    free_heap(taken);
    assert_true(port->tx(pair.near, bytes, sizeof(bytes), 0) > 0);
    assert_true(port->tx(pair.far, bytes, 1000, 0) > 0);
    pair_close(pair);
}

/* In a hole of the heap where two segments fit, and not three. */
static void a_write_takes_the_segments_there_is_memory_for(void **state) {
    struct pair pair = pair_open();
    struct pbuf *hole = pbuf_alloc(PBUF_RAW, 2 * TCP_MSS + 400, PBUF_RAM);
    struct pbuf *taken = exhaust_heap(16);

    (void)state;
    pbuf_free(hole);
    assert_int_equal(port->tx(pair.near, bytes, sizeof(bytes), ND_TX_MORE), 2 * TCP_MSS);
    free_heap(taken);
    AWAIT(read_all(pair.far) > 0);
    pair_close(pair);
}

/* The interface copies, so without memory it refuses. No timer of lwIP helps: time stands
 * still. */
static void what_the_interface_refuses_is_sent_at_a_later_step(void **state) {
    struct pair pair = pair_open();
    struct pbuf *taken;

    (void)state;
    assert_int_equal(port->tx(pair.near, bytes, 40, ND_TX_MORE), 40);
    taken = exhaust_heap(16);
    port->step(&ctx);
    port->step(&ctx);
    free_heap(taken);
    world_deliver();
    assert_int_equal(read_all(pair.far), 0);
    port->step(&ctx);
    world_deliver();
    assert_int_equal(read_all(pair.far), 40);
    pair_close(pair);
}

/* With the window not all credited lwIP takes the close for one with data unread, and resets. */
static void a_close_whose_fin_waits_for_memory_is_no_reset(void **state) {
    struct pair pair = pair_open();
    struct pbuf *taken;
    const void *there;

    (void)state;
    assert_int_equal(port->tx(pair.near, bytes, 100, 0), 100);
    world_deliver();
    assert_int_equal(read_all(pair.far), 100);
    taken = exhaust_heap(16);
    assert_int_equal(port->end(pair.far), ND_AGAIN);
    port->close(pair.far);
    free_heap(taken);
    AWAIT(port->rx(pair.near, &there) != ND_AGAIN);
    assert_int_equal(port->rx(pair.near, &there), ND_EOF);
    port->close(pair.near);
}

/* A part of a segment that left for want of more cost as much as a full one: 1.3 times the
 * segments. */
static void writes_that_follow_each_other_fill_their_segments(void **state) {
    struct pair pair = pair_open();
    unsigned before = lwip_stats.tcp.xmit;
    uint32_t sent = 0;

    (void)state;
    while (sent < 100u * TCP_MSS) {
        int32_t n = port->tx(pair.near, bytes, 1024, ND_TX_MORE);
        sent += n > 0 ? (uint32_t)n : 0;
        if (n == ND_AGAIN) {
            port->step(&ctx);
            world_deliver();
            read_all(pair.far);
        }
    }
    AWAIT(read_all(pair.far) == 0 && unacked(pair.near) == 0);
    /* 100 full segments, an acknowledgement for two, and a few. */
    assert_in_range(lwip_stats.tcp.xmit - before, 150, 156);
    pair_close(pair);
}

static void a_reset_and_an_end_need_no_memory(void **state) {
    struct pair first = pair_open();
    struct pair second = pair_open();
    struct pbuf *taken;

    (void)state;
    assert_int_equal(port->tx(first.near, bytes, 100, ND_TX_STATIC | ND_TX_MORE), 100);
    taken = exhaust_heap(16);
    assert_true(port->end(second.near) >= ND_AGAIN); /* the FIN must wait */
    port->close(first.near);
    turn();
    free_heap(taken);
    AWAIT(port->end(second.near) == ND_OK); /* and is not forgotten */
    port->close(first.far);
    pair_close(second);
}

/* ---- counters ------------------------------------------------------------------------ */

static void callers_beyond_the_pool_are_counted(void **state) {
    struct nd_conn *socket;
    struct nd_conn *caller;

    (void)state;
    for (unsigned i = 0; i < SLOTS - 2; i++) {
        assert_int_equal(port->udp_open(&ctx, &(struct nd_addr){0}, &socket), ND_OK);
    }
    assert_int_equal(port->connect(&ctx, &reach, &caller), ND_OK);
    AWAIT(port->status(caller) == ND_E_RESET);
    assert_int_equal(ctx.turned_away, 1);
    assert_true((port->step(&ctx) & ND_STEP_ACCEPT) != 0);
    assert_int_equal(port->accept(listener, &socket), ND_E_FULL);
    assert_int_equal(port->step(&ctx) & ND_STEP_ACCEPT, 0);
}

static void datagrams_beyond_the_ring_are_counted_and_chains_joined(void **state) {
    struct nd_conn *socket;
    struct udp_pcb *pcb;
    struct nd_addr from;
    const void *there;

    (void)state;
    assert_int_equal(port->udp_open(&ctx, &(struct nd_addr){0}, &socket), ND_OK);
    pcb = ((struct nd_lwip_raw_conn *)socket)->udp.pcb;
    for (unsigned i = 0; i < ND_CFG_LWIP_RAW_DATAGRAMS + 2; i++) {
        struct pbuf *p = pbuf_alloc(PBUF_RAW, 8, PBUF_RAM);

        pbuf_cat(p, pbuf_alloc(PBUF_RAW, 5, PBUF_RAM));
        pbuf_take(p, "head....tail.", 13);
        pcb->recv(pcb->recv_arg, pcb, p, IP4_ADDR_ANY, 77);
    }
    assert_int_equal(ctx.datagrams_dropped, 2);
    for (unsigned i = 0; i < ND_CFG_LWIP_RAW_DATAGRAMS; i++) {
        assert_int_equal(port->udp_rx(socket, &from, &there), 13);
        assert_memory_equal(there, "head....tail.", 13);
        assert_int_equal(from.port, 77);
        port->rx_done(socket, 13);
    }
    assert_int_equal(port->udp_rx(socket, &from, &there), ND_AGAIN);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    static const struct CMUnitTest cases[] = {
        CASE(a_pcb_in_time_wait_is_not_touched_again),
        CASE(a_pcb_that_was_closing_is_not_touched_again),
        CASE(a_connection_that_lwip_aborts_has_timed_out),
        CASE(bytes_received_before_a_reset_can_still_be_read),
        CASE(the_window_opens_by_exactly_what_was_consumed),
        CASE(a_window_that_runs_short_opens_at_once),
        CASE(segments_read_at_once_are_acknowledged_once_for_two),
        CASE(segments_left_unread_are_acknowledged_by_the_next_step),
        CASE(empty_and_chained_buffers_are_walked_through),
        CASE(static_bytes_are_sent_from_where_they_are),
        CASE(bytes_with_more_to_come_leave_at_the_step),
        CASE(a_write_beyond_the_room_is_cut_to_whole_segments),
        CASE(what_the_interface_refuses_is_sent_at_a_later_step),
        CASE(an_empty_heap_is_no_error_but_a_reason_to_wait),
        CASE(a_write_takes_the_segments_there_is_memory_for),
        CASE(a_close_whose_fin_waits_for_memory_is_no_reset),
        CASE(writes_that_follow_each_other_fill_their_segments),
        CASE(a_reset_and_an_end_need_no_memory),
        CASE(callers_beyond_the_pool_are_counted),
        CASE(datagrams_beyond_the_ring_are_counted_and_chains_joined),
    };

    world_start();
    return cmocka_run_group_tests_name("lwip_raw", cases, NULL, NULL);
}
