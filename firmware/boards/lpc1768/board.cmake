# An LPC1768-class board: NXP LPC1768 at 96 MHz, as on the mbed, with its 512 KiB of flash and 64 KiB
# of RAM (two banks there, one here).
set(ND_MACHINE mps2)
set(ND_HZ 96000000)
set(ND_TICK_KIND ND_CLOCK_INSTRUCTIONS)
set(ND_CLOCK_NAME "icount")
set(ND_FLASH_BYTES 512K)
set(ND_RAM_BYTES 64K)
set(ND_STACK_BYTES 6K)
set(ND_LINK_BIT_S 100000000)
set(ND_RX_RING 4)
set(ND_TX_RING 4)
set(ND_CHUNK_BYTES 1024)
set(ND_RR 0)
# UM10360, chapter 5: up to 100 MHz an access to flash takes 5 clocks (FLASHTIM) and brings 128 bits, of which the
# flash accelerator keeps 8.
set(ND_FLASH_WAITS 4)
set(ND_FLASH_LINE_BYTES 16)
set(ND_FLASH_BUFFERS 8)
