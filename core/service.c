/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/agent.h"

int nd_service_open(struct nd_service *service, const struct nd_service_class *kind,
                    struct nd_agent *agent, const struct nd_addr *at) {
    struct nd_conn *listener;
    struct nd_conn_info info;
    int result = agent->cfg.port->listen(agent->cfg.port_ctx, at, &listener);

    if (result != ND_OK) {
        return result;
    }
    agent->cfg.port->info(listener, &info);
    *service = (struct nd_service){
        .kind = kind,
        .agent = agent,
        .next = agent->services,
        .listener = listener,
        .at = info.local,
    };
    agent->services = service;
    return ND_OK;
}

void nd_service_close(struct nd_service *service) {
    struct nd_service **link = &service->agent->services;

    while (*link != NULL && *link != service) {
        link = &(*link)->next;
    }
    if (*link == service) {
        *link = service->next;
        service->agent->cfg.port->close(service->listener);
        service->listener = NULL;
    }
}
