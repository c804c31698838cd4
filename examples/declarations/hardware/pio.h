/* SPDX-License-Identifier: BSD-3-Clause */
/* hardware/pio.h - of the Pico SDK as much as the example needs, to compile it without. */
#ifndef HARDWARE_PIO_H
#define HARDWARE_PIO_H

#include "pico/stdlib.h"

typedef struct pio_hw *PIO;
typedef struct {
    uint32_t clkdiv;
    uint32_t execctrl;
    uint32_t shiftctrl;
    uint32_t pinctrl;
} pio_sm_config;

struct pio_program {
    const uint16_t *instructions;
    uint8_t length;
    int8_t origin;
};

enum pio_src_dest { pio_pins = 0 };

#define pio0 ((PIO)0x50200000u)

uint pio_encode_out(enum pio_src_dest dest, uint count);
uint pio_encode_in(enum pio_src_dest src, uint count);
uint pio_encode_sideset(uint bits, uint value);
uint pio_encode_delay(uint cycles);
int pio_add_program(PIO pio, const struct pio_program *program);
int pio_claim_unused_sm(PIO pio, bool required);
pio_sm_config pio_get_default_sm_config(void);
void sm_config_set_wrap(pio_sm_config *config, uint target, uint wrap);
void sm_config_set_sideset(pio_sm_config *config, uint bits, bool optional, bool directions);
void sm_config_set_sideset_pins(pio_sm_config *config, uint base);
void sm_config_set_out_pins(pio_sm_config *config, uint base, uint count);
void sm_config_set_in_pins(pio_sm_config *config, uint base);
void sm_config_set_out_shift(pio_sm_config *config, bool right, bool automatic, uint threshold);
void sm_config_set_in_shift(pio_sm_config *config, bool right, bool automatic, uint threshold);
void sm_config_set_clkdiv(pio_sm_config *config, float divisor);
int pio_sm_init(PIO pio, uint sm, uint pc, const pio_sm_config *config);
void pio_sm_set_enabled(PIO pio, uint sm, bool enabled);
int pio_sm_set_consecutive_pindirs(PIO pio, uint sm, uint base, uint count, bool out);
void pio_gpio_init(PIO pio, uint pin);
void pio_sm_put_blocking(PIO pio, uint sm, uint32_t word);
uint32_t pio_sm_get_blocking(PIO pio, uint sm);

#endif
