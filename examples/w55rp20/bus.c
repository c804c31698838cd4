/* SPDX-License-Identifier: BSD-3-Clause */
/* bus.c - SPI by a state machine of the PIO: in the W55RP20 the W5500 hangs on pins that the
 * RP2040's own SPI cannot drive. Mode 0, most significant bit first, four state machine cycles a
 * bit. */
#include "bus.h"

#include "hardware/clocks.h"
#include "hardware/gpio.h"
#include "hardware/pio.h"
#include "pico/stdlib.h"

/* The W55RP20's inner pins; a W5500 of its own has those of its board. */
#define PIN_SELECT 20u
#define PIN_CLOCK  21u
#define PIN_IN     22u
#define PIN_OUT    23u
#define PIN_RESET  25u

#define BUS_HZ       33000000u
#define CYCLES_A_BIT 4u
#define RESET_MS     1u  /* low for 500 us at least (datasheet 1.1.0, 5.5.1) */
#define WAKE_UP_MS   50u /* the PLL is locked well before */
#define IDLE_BYTE    0x00u

static const PIO pio = pio0;
static uint machine;

static void load_program(void) {
    static uint16_t instructions[2];
    static const struct pio_program program = {
        .instructions = instructions, .length = 2, .origin = -1};

    /* Out on the falling edge, in on the rising one; the clock is the side-set pin. */
    instructions[0] =
        (uint16_t)(pio_encode_out(pio_pins, 1) | pio_encode_sideset(1, 0) | pio_encode_delay(1));
    instructions[1] =
        (uint16_t)(pio_encode_in(pio_pins, 1) | pio_encode_sideset(1, 1) | pio_encode_delay(1));
    uint offset = (uint)pio_add_program(pio, &program);
    pio_sm_config config = pio_get_default_sm_config();
    sm_config_set_wrap(&config, offset, offset + 1);
    sm_config_set_sideset(&config, 1, false, false);
    sm_config_set_sideset_pins(&config, PIN_CLOCK);
    sm_config_set_out_pins(&config, PIN_OUT, 1);
    sm_config_set_in_pins(&config, PIN_IN);
    sm_config_set_out_shift(&config, false, true, 8);
    sm_config_set_in_shift(&config, false, true, 8);
    sm_config_set_clkdiv(&config, (float)clock_get_hz(clk_sys) / (float)(BUS_HZ * CYCLES_A_BIT));
    pio_sm_init(pio, machine, offset, &config);
}

static void make_output(uint pin, bool value) {
    gpio_init(pin);
    gpio_put(pin, value);
    gpio_set_dir(pin, GPIO_OUT);
}

void bus_start(void) {
    make_output(PIN_SELECT, true);
    make_output(PIN_RESET, false);
    sleep_ms(RESET_MS);
    gpio_put(PIN_RESET, true);
    sleep_ms(WAKE_UP_MS);
    machine = (uint)pio_claim_unused_sm(pio, true);
    load_program();
    pio_gpio_init(pio, PIN_CLOCK);
    pio_gpio_init(pio, PIN_OUT);
    pio_gpio_init(pio, PIN_IN);
    pio_sm_set_consecutive_pindirs(pio, machine, PIN_CLOCK, 1, true);
    pio_sm_set_consecutive_pindirs(pio, machine, PIN_OUT, 1, true);
    pio_sm_set_consecutive_pindirs(pio, machine, PIN_IN, 1, false);
    pio_sm_set_enabled(pio, machine, true);
}

void bus_select(void) {
    gpio_put(PIN_SELECT, false);
}

void bus_deselect(void) {
    gpio_put(PIN_SELECT, true);
}

/* One byte out, one in. The state machine takes the byte from the upper end of the word. */
static uint8_t exchange(uint8_t byte) {
    pio_sm_put_blocking(pio, machine, (uint32_t)byte << 24);
    return (uint8_t)pio_sm_get_blocking(pio, machine);
}

void bus_read(uint8_t *bytes, uint16_t len) {
    for (uint16_t i = 0; i < len; i++) {
        bytes[i] = exchange(IDLE_BYTE);
    }
}

void bus_write(uint8_t *bytes, uint16_t len) {
    for (uint16_t i = 0; i < len; i++) {
        exchange(bytes[i]);
    }
}
