/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.c - counts the cycles of a Cortex-M in QEMU, from outside its firmware.
 *
 *   -plugin netdyno-cycles.so,page=PATH[,window=PATH]
 *
 * The page is a file of a struct nd__page and the tape behind it, which is mapped; the window is
 * the file in which QEMU has the board's external RAM. QEMU calls us when it translates a block of
 * code, and when it enters one; what the branch at the end of a block costs shows when the next one
 * is entered. One processor, as QEMU has it with -icount. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "block.h"
#include "calls.h"
#include "flash.h"
#include "page.h"
#include "qemu_plugin.h"
#include "tape.h"

/* QEMU translates so many instructions at once, at most. */
enum { BLOCK_MAX = 4096 };

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static const struct nd__block nowhere = {.seen = UINT64_MAX};

static struct {
    struct nd__page *page;
    uint32_t *window;               /* NULL = none */
    const struct nd__block *before; /* the block entered last */
    uint64_t begun; /* stoppable blocks that were entered, and whose last instruction was begun */
    uint64_t ended;
    struct nd__flash flash;
    struct nd__calls *calls; /* NULL = not followed */
    struct nd__tape tape;
    struct nd__history history;
} run;

static _Noreturn void give_up(const char *why) {
    fprintf(stderr, "netdyno-cycles: fatal: %s\n", why);
    exit(1);
}

/* ---- while the device runs ---- */

/* The block was left in front of an instruction: QEMU does so when a load or a store meets a
 * device, executes it alone, and goes on behind it. Take back what was not executed. */
static void take_back(const struct nd__block *block, uint32_t address) {
    const struct nd__place *place = nd__block_place(block, address);

    run.ended = run.begun;
    if (place != NULL) {
        run.page->cycles -= nd__block_rest(block, place);
        run.page->instructions -= block->count - (uint32_t)(place - block->places);
    }
}

/* The device went from a block to one of another function, or of another call of the same. */
static void follow(const struct nd__block *before, const struct nd__block *block, bool branched) {
    uint64_t now = run.page->cycles;

    if (before->calls && branched) {
        nd__calls_enter(run.calls, block->function, before->end, now);
    } else if (before->far && branched) {
        nd__calls_leave(run.calls, block->start, block->function, now);
    } else if (before->function != block->function) {
        nd__calls_replace(run.calls, block->function, now);
    }
    nd__tape_change(&run.tape, run.calls, now);
}

static void on_block(unsigned vcpu, void *data) {
    struct nd__block *block = data;
    struct nd__page *page = run.page;
    const struct nd__block *before = run.before;
    bool branched = false;

    (void)vcpu;
    if (run.begun != run.ended) {
        take_back(before, block->start);
        page->cycles += (uint64_t)(int64_t)block->carry;
    } else if (before->end != block->start || before->always) {
        branched = true;
        page->cycles += before->refill + (before->late_counts ? block->late : 0);
    } else {
        page->cycles += (uint64_t)(int64_t)block->carry;
    }
    if (run.calls != NULL &&
        (before->function != block->function || before->calls || before->far)) {
        follow(before, block, branched);
    }
    if (run.flash.cfg.waits != 0 && block->seen != run.flash.changes) {
        page->cycles += nd__block_wait(block, &run.flash, page->cycles);
    }
    page->cycles += block->cycles;
    page->instructions += block->count;
    run.begun += block->stoppable;
    run.before = block;
}

static void take_flash(const struct nd__page_flash *cfg) {
    if (cfg->waits != 0 &&
        (cfg->buffers == 0 || cfg->buffers > ND__PAGE_BUFFERS || cfg->line_bytes < 4 ||
         (cfg->line_bytes & (cfg->line_bytes - 1)) != 0)) {
        give_up("flash needs 1 to 16 buffers, and lines of a power of two");
    }
    if (!nd__flash_init(&run.flash, cfg)) {
        give_up("out of memory");
    }
}

/* The time in front of an instruction of the block that is being executed. */
static uint64_t time_at(const struct nd__place *place) {
    return run.page->cycles - nd__block_rest(run.before, place);
}

/* The device asks, and its next instruction reads. */
static void on_show(unsigned vcpu, void *data) {
    (void)vcpu;
    __atomic_store_n(run.window, (uint32_t)time_at(data), __ATOMIC_RELEASE);
}

static void on_mark(unsigned vcpu, void *data) {
    const struct nd__place *place = data;
    const struct nd__block *block = run.before;
    struct nd__page *page = run.page;
    uint64_t now = time_at(place);
    uint32_t asked = __atomic_load_n(&page->turns_asked, __ATOMIC_ACQUIRE);

    (void)vcpu;
    if (page->tape_room > 0 && run.calls != NULL) {
        nd__tape_mark(&run.tape, run.calls, (uint32_t)page->mark_count, now);
    }
    page->marks[page->mark_count % ND__PAGE_MARKS] = now;
    __atomic_store_n(&page->mark_count, page->mark_count + 1, __ATOMIC_RELEASE);
    if (memcmp(&page->flash, &run.flash.cfg, sizeof page->flash) != 0) {
        take_flash(&page->flash);
    }
    if (asked != page->turns_done && run.calls != NULL) {
        nd__calls_turn(run.calls, now,
                       page->instructions - (block->count - (uint32_t)(place - block->places)));
        __atomic_store_n(&page->turns_done, asked, __ATOMIC_RELEASE);
    }
}

/* A load. The bus knows only aligned accesses, so others are cut into halfwords and bytes, each of
 * them a cycle more; the write buffer hides that of stores (ARM DDI 0337I, 3.3.2). */
static void on_load(unsigned vcpu, uint32_t info, uint64_t address, void *data) {
    static const uint8_t more[2][4] = {{0, 1, 0, 1}, {0, 2, 1, 2}}; /* [cycles] */
    unsigned shift = qemu_plugin_mem_size_shift(info);

    (void)vcpu;
    (void)data;
    if (shift == 1 || shift == 2) {
        run.page->cycles += more[shift - 1][address & 3];
    }
}

/* ---- while QEMU translates ---- */

static void read_codes(const struct qemu_plugin_tb *tb, struct nd__code *codes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const uint8_t *bytes = qemu_plugin_insn_data(insn);

        codes[i].size = (uint8_t)qemu_plugin_insn_size(insn);
        codes[i].code = (uint32_t)bytes[1] << 24 | (uint32_t)bytes[0] << 16;
        if (codes[i].size == 4) {
            codes[i].code |= (uint32_t)bytes[3] << 8 | bytes[2];
        }
    }
}

/* QEMU 7.2 takes loads for stores where it is to tell them apart, so it is not asked to. */
static void count_bytes(struct qemu_plugin_insn *insn, const struct nd__place *place,
                        uint32_t function) {
    struct nd_sim_bytes *sums = &run.calls->bytes[function];

    qemu_plugin_register_vcpu_mem_inline(insn, QEMU_PLUGIN_MEM_RW, QEMU_PLUGIN_INLINE_ADD_U64,
                                         place->stores ? &sums->stored : &sums->loaded,
                                         place->data);
}

static void hook(struct qemu_plugin_tb *tb, struct nd__block *block) {
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, block);
    for (uint32_t i = 0; i < block->count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

        if (block->places[i].marks) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
                                                   &block->places[i]);
        }
        if (block->places[i].slips) {
            qemu_plugin_register_vcpu_mem_cb(insn, on_load, QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW, NULL);
        }
        if (block->places[i].shows && run.window != NULL) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_show, QEMU_PLUGIN_CB_NO_REGS,
                                                   &block->places[i]);
        }
        if (block->places[i].access > 0) {
            qemu_plugin_register_vcpu_mem_inline(insn, QEMU_PLUGIN_MEM_RW,
                                                 QEMU_PLUGIN_INLINE_ADD_U64, &run.page->cycles,
                                                 block->places[i].access);
        }
        if (block->places[i].data > 0 && run.calls != NULL) {
            count_bytes(insn, &block->places[i], block->function);
        }
    }
    if (block->stoppable) {
        qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_tb_get_insn(tb, block->count - 1),
                                                   QEMU_PLUGIN_INLINE_ADD_U64, &run.ended, 1);
    }
}

/* A block lives as long as QEMU may execute it, which it does not tell: as long as we do. */
static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
    static struct nd__code codes[BLOCK_MAX];
    size_t count = qemu_plugin_tb_n_insns(tb);
    uint32_t start = (uint32_t)qemu_plugin_tb_vaddr(tb);
    struct nd__block *block;

    (void)id;
    if (count == 0 || count > BLOCK_MAX) {
        give_up("QEMU translates blocks of another length than expected");
    }
    read_codes(tb, codes, count);
    block = nd__block_make(&nd__cortex_m3, &run.history, start, codes, (uint32_t)count);
    if (block == NULL) {
        give_up("out of memory");
    }
    block->function = nd__calls_function(run.page, start);
    hook(tb, block);
}

/* ---- begin ---- */

/* All of a file that has so many bytes at least; NULL when that fails. */
static void *map(const char *path, size_t least) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *mapped = MAP_FAILED;
    struct stat stat;

    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &stat) == 0 && stat.st_size >= (off_t)least) {
        mapped = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    close(fd);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static bool map_page(const char *path) {
    run.page = map(path, sizeof *run.page);
    run.tape.page = run.page;
    return run.page != NULL;
}

static bool map_window(const char *path) {
    run.window = map(path, sizeof *run.window);
    return run.window != NULL;
}

static bool follow_calls(void) {
    if (run.page->function_count == 0) {
        return true;
    }
    run.calls = calloc(1, sizeof *run.calls);
    if (run.calls == NULL) {
        return false;
    }
    nd__calls_init(run.calls, run.page);
    return true;
}

static int refuse(const char *why, const char *what) {
    fprintf(stderr, "netdyno-cycles: fatal: %s%s\n", why, what);
    return -1;
}

/* The value of an option that begins with this, as "page="; NULL when it is another. */
static const char *value_of(const char *option, const char *key) {
    size_t length = strlen(key);

    return strncmp(option, key, length) == 0 ? option + length : NULL;
}

/* 0, or -1 after a line that says what is wrong. */
static int take_options(int argc, char **argv) {
    const char *page = argc > 0 ? value_of(argv[0], "page=") : NULL;
    const char *window = argc > 1 ? value_of(argv[1], "window=") : NULL;

    if (page == NULL || argc > 2 || (argc == 2 && window == NULL)) {
        return refuse("expected page=PATH[,window=PATH]", "");
    }
    if (!map_page(page)) {
        return refuse("cannot map ", page);
    }
    return window == NULL || map_window(window) ? 0 : refuse("cannot map ", window);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv) {
    if (info->version.min > QEMU_PLUGIN_VERSION || info->version.cur < QEMU_PLUGIN_VERSION) {
        return refuse("this QEMU does not offer version 1 of the plugin interface", "");
    }
    if (!info->system_emulation || strcmp(info->target_name, "arm") != 0) {
        return refuse("expected qemu-system-arm, got a QEMU for ", info->target_name);
    }
    if (info->system.max_vcpus != 1) {
        return refuse("expected a machine of one processor", "");
    }
    if (take_options(argc, argv) != 0) {
        return -1;
    }
    if (!follow_calls()) {
        return refuse("out of memory", "");
    }
    run.before = &nowhere;
    take_flash(&run.page->flash);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    __atomic_store_n(&run.page->magic, ND__PAGE_MAGIC, __ATOMIC_RELEASE);
    return 0;
}
