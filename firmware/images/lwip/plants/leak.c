/* SPDX-License-Identifier: BSD-3-Clause */
/* A fault planted for the tests: every 100th received frame is referenced once too often, so that
 * its buffer never comes back. */
#include "lwip/netif.h"
#include "lwip/pbuf.h"

err_t __real_ethernet_input(struct pbuf *frame, struct netif *netif);
err_t __wrap_ethernet_input(struct pbuf *frame, struct netif *netif);

err_t __wrap_ethernet_input(struct pbuf *frame, struct netif *netif) {
    static unsigned frames;

    frames++;
    if (frames % 100u == 0) {
        pbuf_ref(frame);
    }
    return __real_ethernet_input(frame, netif);
}
