# A process of the host. Its work takes no time: ticks only order events.
set(ND_MACHINE native)
set(ND_HZ 100000000)
set(ND_TICK_KIND ND_CLOCK_TIME)
set(ND_CLOCK_NAME "virtual")
set(ND_LINK_BIT_S 100000000)
set(ND_RX_RING 4)
set(ND_TX_RING 4)
