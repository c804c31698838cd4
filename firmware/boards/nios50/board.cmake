# A board without DMA: 50 MHz, and an Ethernet controller of the LAN91C111's class, whose 8 KiB of packet memory the
# processor reads and writes word by word through a data register. Code and data in zero-wait memory; the class of a
# NiosII board of 2006, with a Cortex-M3 in the NiosII's place.
set(ND_MACHINE mps2)
set(ND_HZ 50000000)
set(ND_TICK_KIND ND_CLOCK_INSTRUCTIONS)
set(ND_CLOCK_NAME "icount")
set(ND_FLASH_BYTES 1M)
set(ND_RAM_BYTES 1M)
set(ND_STACK_BYTES 16K)
set(ND_LINK_BIT_S 100000000)
# The packet memory in pages of 2 KiB (LAN91C111 data sheet, "packet memory organization"): two frames each way.
set(ND_RX_RING 2)
set(ND_TX_RING 2)
set(ND_BOARD_NIC pio)
