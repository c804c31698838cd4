/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/kernel_command.h"

#include "nd/error.h"

#define USAGE "kernels [prove NUMBER SRC DST BYTES | time NUMBER SRC DST BYTES CALLS]"

/* Seed of the random bytes: any will do. */
#define SEED 1u

/* Calls of one timing, at most: a board's counter must not wrap meanwhile. */
#define CALLS_MAX 1000u

enum word { NUMBER, SRC_ALIGN, DST_ALIGN, BYTES, CALLS, WORDS };

static bool is_ours(unsigned number) {
    unsigned count;

    nd_kernels(&count);
    return number < count;
}

static const struct nd_kernel *kernel_at(const struct nd_kernel_bench *bench, unsigned number) {
    unsigned count;
    const struct nd_kernel *ours = nd_kernels(&count);

    if (number < count) {
        return &ours[number];
    }
    number -= count;
    return number < bench->other_count ? &bench->others[number] : NULL;
}

/* ---- words ---- */

static bool equal(const char *a, const char *b) {
    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    return *a == *b;
}

/* A decimal number of at most `most`; most + 1 when it is none. */
static uint32_t read_number(const char *text, uint32_t most) {
    uint32_t value = 0;

    for (; *text >= '0' && *text <= '9' && value <= most; text++) {
        value = 10 * value + (uint32_t)(*text - '0');
    }
    return *text == '\0' && value <= most ? value : most + 1;
}

static bool read_words(const struct nd_console *console, uint32_t *values, int count) {
    static const uint32_t most[WORDS] = {UINT16_MAX, ND_KERNEL_ALIGNS - 1, ND_KERNEL_ALIGNS - 1,
                                         ND_KERNEL_BYTES, CALLS_MAX};

    for (int i = 0; i < count; i++) {
        values[i] = read_number(console->argv[2 + i], most[i]);
        if (values[i] > most[i]) {
            return false;
        }
    }
    return true;
}

/* ---- time ---- */

static uint64_t series(const struct nd_kernel_bench *bench, enum nd_kernel_kind kind,
                       const struct nd_kernel *kernel, const struct nd_kernel_case *at,
                       uint32_t calls) {
    uint64_t began = bench->now(bench->ctx);

    nd_kernel_call(kind, kernel, bench->room, at, calls);
    return bench->now(bench->ctx) - began;
}

/* Of the calls behind the first, which finds nothing of itself in a buffer or a cache. */
static uint64_t behind_first(const struct nd_kernel_bench *bench, enum nd_kernel_kind kind,
                             const struct nd_kernel *kernel, const struct nd_kernel_case *at,
                             uint32_t calls) {
    uint64_t all = series(bench, kind, kernel, at, calls + 1);
    uint64_t first = series(bench, kind, kernel, at, 1);

    return all > first ? all - first : 0;
}

uint64_t nd_kernel_time(const struct nd_kernel_bench *bench, const struct nd_kernel *kernel,
                        const struct nd_kernel_case *at, uint32_t calls) {
    uint64_t work = behind_first(bench, kernel->kind, kernel, at, calls);
    uint64_t calling = behind_first(bench, kernel->kind, NULL, at, calls);

    return work > calling ? work - calling : 0;
}

/* ---- the command ---- */

static void tell_kernel(struct nd_console *console, const struct nd_kernel *kernel,
                        unsigned number) {
    struct nd_fmt out;

    nd_console_begin(console, &out, "kernel");
    if (console->json) {
        nd_json_u64(&out, "number", number);
        nd_json_text(&out, "what", nd_kernel_kind_name(kernel->kind));
        nd_json_text(&out, "name", kernel->name);
        nd_json_bool(&out, "ours", is_ours(number));
    } else {
        nd_fmt_u64(&out, number);
        nd_fmt_char(&out, ' ');
        nd_fmt_text(&out, nd_kernel_kind_name(kernel->kind));
        nd_fmt_char(&out, ' ');
        nd_fmt_text(&out, kernel->name);
    }
    nd_console_end(console, &out);
}

static void tell_value(const struct nd_console *console, struct nd_fmt *out, const char *key,
                       uint64_t value) {
    if (console->json) {
        nd_json_u64(out, key, value);
        return;
    }
    nd_fmt_char(out, ' ');
    nd_fmt_text(out, key);
    nd_fmt_char(out, '=');
    nd_fmt_u64(out, value);
}

static int list(const struct nd_kernel_bench *bench, struct nd_console *console, unsigned step) {
    const struct nd_kernel *kernel = kernel_at(bench, step);

    if (kernel == NULL) {
        return ND_OK;
    }
    tell_kernel(console, kernel, step);
    return ND_AGAIN;
}

static void begin(struct nd_console *console, struct nd_fmt *out, const char *kind) {
    nd_console_begin(console, out, kind);
    if (!console->json) {
        nd_fmt_text(out, kind);
    }
}

/* A kernel that differs from the reference has no time. */
static void tell_wrong(struct nd_console *console, int32_t len) {
    struct nd_fmt out;

    begin(console, &out, "kernel_wrong");
    tell_value(console, &out, "bytes", (uint64_t)len);
    nd_console_end(console, &out);
}

static void prove(const struct nd_kernel_bench *bench, struct nd_console *console,
                  const struct nd_kernel *kernel, const struct nd_kernel_case *at) {
    int32_t wrong;

    nd_kernel_room_fill(bench->room, SEED);
    wrong = nd_kernel_prove(kernel, bench->room, at);
    if (wrong < 0 && at->src_align == 0) {
        nd_kernel_room_fill_ones(bench->room);
        wrong = nd_kernel_prove(kernel, bench->room, at);
    }
    if (wrong >= 0) {
        tell_wrong(console, wrong);
    }
}

static void time_one(const struct nd_kernel_bench *bench, struct nd_console *console,
                     const struct nd_kernel *kernel, const struct nd_kernel_case *at,
                     uint32_t calls) {
    struct nd_fmt out;
    int32_t wrong;

    nd_kernel_room_fill(bench->room, SEED);
    wrong = nd_kernel_prove_one(kernel, bench->room, at);
    if (wrong >= 0) {
        tell_wrong(console, wrong);
        return;
    }
    begin(console, &out, "kernel_time");
    tell_value(console, &out, "ticks", nd_kernel_time(bench, kernel, at, calls));
    tell_value(console, &out, "calls", calls);
    tell_value(console, &out, "hz", bench->clock->hz);
    if (console->json) {
        nd_json_text(&out, "tick", nd_clock_kind_name(bench->clock->kind));
    }
    nd_console_end(console, &out);
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    const struct nd_kernel_bench *bench = self->ctx;
    bool proves = console->argc == 2 + CALLS && equal(console->argv[1], "prove");
    bool times = console->argc == 2 + WORDS && equal(console->argv[1], "time");
    uint32_t values[WORDS];
    const struct nd_kernel *kernel;

    if (console->argc == 1) {
        return list(bench, console, step);
    }
    if ((!proves && !times) || !read_words(console, values, console->argc - 2)) {
        console->message = USAGE;
        return ND_E_ARG;
    }
    const struct nd_kernel_case at = {values[SRC_ALIGN], values[DST_ALIGN], values[BYTES]};
    kernel = kernel_at(bench, values[NUMBER]);
    if (kernel == NULL || (times && values[CALLS] == 0)) {
        console->message = kernel == NULL ? "there is no kernel of this number" : USAGE;
        return ND_E_ARG;
    }
    if (times) {
        time_one(bench, console, kernel, &at, values[CALLS]);
    } else {
        prove(bench, console, kernel, &at);
    }
    return ND_OK;
}

void nd_kernel_command(struct nd_command *command, struct nd_kernel_bench *bench) {
    command->name = "kernels";
    command->usage = USAGE ": checksum and copy routines";
    command->run = run;
    command->ctx = bench;
}
