/* SPDX-License-Identifier: BSD-3-Clause */
#include "loads.h"
#include "board.h"
#include "stack.h"

#include "nd/bypass.h"
#include "nd/chunks.h"

static struct nd_chunks_console chunks;
static uint8_t chunk_memory[ND_CHUNKS_MEMORY(ND_BOARD_CHUNK_BYTES)] __attribute__((aligned(4)));
static struct nd_bypass bypass;

void nd_loads_add(struct nd_console *console) {
    static struct nd_command stream_command;
    static struct nd_command bypass_command;

    nd_chunks_init(&chunks.chunks, chunk_memory, sizeof(chunk_memory));
    nd_chunks_command(&stream_command, &chunks);
    nd_console_add(console, &stream_command);
    bypass.path = &nd_stack_bypass;
    nd_bypass_command(&bypass_command, &bypass);
    nd_console_add(console, &bypass_command);
}
