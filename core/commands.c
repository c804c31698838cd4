/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "text.h"

/* ---- a line of keys and values, in either form --------------------------------------- */

static void item_key(struct nd_fmt *out, const char *key) {
    nd_fmt_char(out, ' ');
    nd_fmt_text(out, key);
    nd_fmt_char(out, '=');
}

static void item_text(struct nd_console *console, struct nd_fmt *out, const char *key,
                      const char *text) {
    if (console->json) {
        nd_json_text(out, key, text);
        return;
    }
    item_key(out, key);
    nd_fmt_text(out, text);
}

/* A number, or the reason why there is none. */
static void item_value(struct nd_console *console, struct nd_fmt *out, const char *key,
                       int64_t value) {
    const char *absent = nd_absent_name(value);

    if (console->json) {
        nd_json_value(out, key, value);
        return;
    }
    item_key(out, key);
    if (absent != NULL) {
        nd_fmt_text(out, absent);
    } else {
        nd_fmt_i64(out, value);
    }
}

static void begin(struct nd_console *console, struct nd_fmt *out, const char *kind) {
    nd_console_begin(console, out, kind);
    if (!console->json) {
        nd_fmt_text(out, kind);
    }
}

/* For the commands that take no words: false, with a message, when there are some. */
static bool stands_alone(struct nd_console *console) {
    if (console->argc > 1) {
        console->message = "this command takes no words";
    }
    return console->argc == 1;
}

/* ---- the commands -------------------------------------------------------------------- */

static int run_help(struct nd_command *self, struct nd_console *console, unsigned step) {
    const struct nd_command *at = console->commands;
    struct nd_fmt out;

    (void)self;
    if (!stands_alone(console)) {
        return ND_E_ARG;
    }
    while (at != NULL && step > 0) {
        at = at->next;
        step--;
    }
    if (at == NULL) {
        return ND_OK;
    }
    nd_console_begin(console, &out, "help");
    if (console->json) {
        nd_json_text(&out, "name", at->name);
        nd_json_text(&out, "usage", at->usage);
    } else {
        nd_fmt_text(&out, at->usage);
    }
    nd_console_end(console, &out);
    return ND_AGAIN;
}

/* The one argument, "on" or "off", into *value. */
static int take_switch(struct nd_console *console, bool *value) {
    if (console->argc != 2 ||
        (!nd__text_equal(console->argv[1], "on") && !nd__text_equal(console->argv[1], "off"))) {
        console->message = "expected on or off";
        return ND_E_ARG;
    }
    *value = console->argv[1][1] == 'n';
    return ND_OK;
}

static int run_json(struct nd_command *self, struct nd_console *console, unsigned step) {
    (void)self;
    (void)step;
    return take_switch(console, &console->json);
}

static int run_echo(struct nd_command *self, struct nd_console *console, unsigned step) {
    (void)self;
    (void)step;
    return take_switch(console, &console->echo);
}

static int run_id(struct nd_command *self, struct nd_console *console, unsigned step) {
    const struct nd_agent *agent = console->agent;
    const struct nd_clock *clock = agent->cfg.clock;
    struct nd_fmt out;
    char address[ND_ADDR_TEXT_BYTES];

    (void)self;
    (void)step;
    if (!stands_alone(console)) {
        return ND_E_ARG;
    }
    begin(console, &out, "id");
    item_text(console, &out, "agent", "netdyno");
    item_text(console, &out, "port", agent->cfg.port->name);
    item_text(console, &out, "stack", agent->cfg.port->version(agent->cfg.port_ctx));
    item_text(console, &out, "clock", clock->name);
    item_text(console, &out, "tick", nd_clock_kind_name(clock->kind));
    item_value(console, &out, "clock_hz", clock->hz);
    if (agent->cfg.address != NULL && agent->cfg.address->family != 0) {
        address[nd_addr_format(agent->cfg.address, address) - 2] = '\0'; /* without its ":0" */
        item_text(console, &out, "address", address);
    }
    item_value(console, &out, "agent_ram_bytes", (int64_t)sizeof *agent);
    item_value(console, &out, "console_ram_bytes", (int64_t)sizeof *console);
    nd_console_end(console, &out);
    return ND_OK;
}

static int run_config(struct nd_command *self, struct nd_console *console, unsigned step) {
    const struct nd_agent_cfg *cfg = &console->agent->cfg;
    struct nd_fmt out;

    (void)self;
    if (!stands_alone(console)) {
        return ND_E_ARG;
    }
    if (step >= cfg->fact_count) {
        return ND_OK;
    }
    const struct nd_fact *fact = &cfg->facts[step];
    begin(console, &out, "config");
    if (fact->text != NULL) {
        item_text(console, &out, fact->key, fact->text);
    } else {
        item_value(console, &out, fact->key, fact->number);
    }
    nd_console_end(console, &out);
    return ND_AGAIN;
}

static int run_services(struct nd_command *self, struct nd_console *console, unsigned step) {
    const struct nd_service *at = console->agent->services;
    struct nd_fmt out;
    char where[ND_ADDR_TEXT_BYTES];

    (void)self;
    if (!stands_alone(console)) {
        return ND_E_ARG;
    }
    while (at != NULL && step > 0) {
        at = at->next;
        step--;
    }
    if (at == NULL) {
        return ND_OK;
    }
    nd_addr_format(&at->at, where);
    begin(console, &out, "service");
    item_text(console, &out, "name", at->kind->name);
    item_text(console, &out, "at", where);
    item_value(console, &out, "port", at->at.port);
    item_value(console, &out, "taken", at->taken);
    item_value(console, &out, "turned_away", at->turned_away);
    nd_console_end(console, &out);
    return ND_AGAIN;
}

/* What memtest sampled last, in the order of the report that it comes from. For people; programs
 * have it in that test's own report. */
static void tell_heap_free(struct nd_console *console) {
    const struct nd_heap_meter *heap = &console->agent->heap_free;
    struct nd_fmt out;

    if (console->json || heap->samples == 0) {
        return;
    }
    begin(console, &out, "heap free");
    item_value(console, &out, "current", heap->now);
    item_value(console, &out, "maximum", heap->max);
    item_value(console, &out, "minimum", heap->min);
    item_value(console, &out, "average", nd_heap_meter_average(heap));
    nd_console_end(console, &out);
}

static int run_mem(struct nd_command *self, struct nd_console *console, unsigned step) {
    const struct nd_memory *memory = console->agent->cfg.memory;
    struct nd_pool pool;
    struct nd_fmt out;

    (void)self;
    if (!stands_alone(console)) {
        return ND_E_ARG;
    }
    if (memory == NULL || memory->pool == NULL) {
        console->message = "memory: not_hooked";
        return ND_E_UNSUPPORTED;
    }
    if (memory->pool(memory->ctx, step, &pool) != ND_OK) {
        tell_heap_free(console);
        return ND_OK;
    }
    begin(console, &out, "pool");
    item_text(console, &out, "name", pool.name);
    item_value(console, &out, "element_bytes", pool.element_bytes);
    item_value(console, &out, "total", pool.total);
    item_value(console, &out, "used", pool.used);
    item_value(console, &out, "used_max", pool.used_max);
    item_value(console, &out, "failures", pool.failures);
    nd_console_end(console, &out);
    return ND_AGAIN;
}

/* What is free of a stack now, or why that is not known [byte]. */
static int64_t free_of(const struct nd_stack *stack) {
    return stack->used_bytes < 0 ? stack->used_bytes : stack->total_bytes - stack->used_bytes;
}

/* What is used of it now [%]. */
static int64_t share_of(const struct nd_stack *stack) {
    if (stack->used_bytes < 0 || stack->total_bytes <= 0) {
        return stack->used_bytes < 0 ? stack->used_bytes : (int64_t)ND_NOT_SUPPORTED;
    }
    return stack->used_bytes * 100 / stack->total_bytes;
}

static int run_stack(struct nd_command *self, struct nd_console *console, unsigned step) {
    const struct nd_memory *memory = console->agent->cfg.memory;
    struct nd_stack stack;
    struct nd_fmt out;

    (void)self;
    if (!stands_alone(console)) {
        return ND_E_ARG;
    }
    if (memory == NULL || memory->stack == NULL) {
        console->message = "stack: not_hooked";
        return ND_E_UNSUPPORTED;
    }
    if (memory->stack(memory->ctx, step, &stack) != ND_OK) {
        return ND_OK;
    }
    begin(console, &out, "stack");
    item_text(console, &out, "name", stack.name);
    item_value(console, &out, "total_bytes", stack.total_bytes);
    item_value(console, &out, "used_bytes", stack.used_bytes);
    item_value(console, &out, "used_max_bytes", stack.used_max);
    item_value(console, &out, "free_bytes", free_of(&stack));
    item_value(console, &out, "used_pct", share_of(&stack));
    nd_console_end(console, &out);
    return ND_AGAIN;
}

static void tell_gaps(struct nd_console *console, const char *name, const struct nd_gaps *gaps) {
    const struct nd_agent *agent = console->agent;
    uint64_t count = nd_gaps_count(gaps);
    struct nd_fmt out;
    static const struct {
        const char *key;
        unsigned permille;
    } points[] = {{"p50_ns", 500}, {"p99_ns", 990}, {"max_ns", 1000}};

    begin(console, &out, "gap");
    item_text(console, &out, "name", name);
    item_value(console, &out, "count", (int64_t)count);
    for (unsigned i = 0; i < sizeof points / sizeof points[0]; i++) {
        uint64_t ticks = nd_gaps_percentile(gaps, points[i].permille);
        item_value(console, &out, points[i].key,
                   count > 0 ? (int64_t)nd_agent_ns(agent, ticks) : (int64_t)ND_NO_SAMPLES);
    }
    nd_console_end(console, &out);
}

static void tell_counts(struct nd_console *console) {
    const struct nd_agent *agent = console->agent;
    struct nd_fmt out;

    begin(console, &out, "metrics");
    item_value(console, &out, "rx_bytes", (int64_t)agent->rx_bytes);
    item_value(console, &out, "tx_bytes", (int64_t)agent->tx_bytes);
    item_value(console, &out, "now_ns", (int64_t)nd_agent_ns(agent, agent->now));
    if (agent->first_failure_pool != NULL) {
        item_text(console, &out, "first_failure_pool", agent->first_failure_pool);
        item_value(console, &out, "first_failure_ns",
                   (int64_t)nd_agent_ns(agent, agent->first_failure));
    }
    nd_console_end(console, &out);
}

static int run_metrics(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_agent *agent = console->agent;

    (void)self;
    if (console->argc == 2 && nd__text_equal(console->argv[1], "reset")) {
        nd_agent_reset_metrics(agent);
        return ND_OK;
    }
    if (console->argc != 1) {
        console->message = "expected nothing or reset";
        return ND_E_ARG;
    }
    switch (step) {
    case 0:
        nd_agent_check_memory(agent);
        tell_counts(console);
        return ND_AGAIN;
    case 1:
        tell_gaps(console, "poll", &agent->poll_gap);
        return ND_AGAIN;
    default:
        tell_gaps(console, "progress", &agent->progress_gap);
        return ND_OK;
    }
}

static int run_stop(struct nd_command *self, struct nd_console *console, unsigned step) {
    (void)self;
    (void)step;
    if (!stands_alone(console)) {
        return ND_E_ARG;
    }
    nd_agent_stop_tests(console->agent);
    return ND_OK;
}

/* ---- lines that cannot run ----------------------------------------------------------- */

static int run_unknown(struct nd_command *self, struct nd_console *console, unsigned step) {
    (void)self;
    (void)step;
    console->message =
        console->gate != NULL ? console->gate->usage : "no such command; help lists them";
    return ND_E_ARG;
}

static int run_unreadable(struct nd_command *self, struct nd_console *console, unsigned step) {
    (void)self;
    (void)step;
    console->message = console->argc == ND_CONSOLE_WORDS ? "too many words" : "line too long";
    return ND_E_ARG;
}

struct nd_command *nd__commands_refuse(bool readable) {
    static struct nd_command unknown = {.run = run_unknown};
    static struct nd_command unreadable = {.run = run_unreadable};

    return readable ? &unknown : &unreadable;
}

struct nd_command *nd__commands_list(void) {
    static struct nd_command list[10] = {
        {"help", "help: this list", run_help, NULL, &list[1]},
        {"id", "id: agent, stack and clock", run_id, NULL, &list[2]},
        {"config", "config: the configuration fingerprint", run_config, NULL, &list[3]},
        {"services", "services: who listens where", run_services, NULL, &list[4]},
        {"mem", "mem: heap and pools", run_mem, NULL, &list[5]},
        {"stack", "stack: processor and task stacks", run_stack, NULL, &list[6]},
        {"metrics", "metrics [reset]: bytes, poll and progress gaps, first allocation failure",
         run_metrics, NULL, &list[7]},
        {"stop", "stop: end the tests in progress", run_stop, NULL, &list[8]},
        {"json", "json on|off: one JSON object a line", run_json, NULL, &list[9]},
        {"echo", "echo on|off: repeat what is typed", run_echo, NULL, NULL},
    };

    return list;
}
