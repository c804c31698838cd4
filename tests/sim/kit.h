/* SPDX-License-Identifier: BSD-3-Clause */
/* kit.h - what the simulation's tests share. */
#ifndef ND_TEST_SIM_KIT_H
#define ND_TEST_SIM_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sim.h"

/* Patience with a device that is to answer, on a machine that is busy with other things [ms]. */
#define PATIENCE_MS 10000u

/* Descriptors of this process that are open. */
unsigned open_files(void);

/* This process has no child, dead or alive. */
void assert_no_child(void);

/* A configuration that runs the fake device in this mode, patient for silence_ms. */
struct nd_sim_cfg fake_cfg(const char *mode, unsigned silence_ms);

/* Step until a step does not answer ND_OK, at most so often; what it answered. */
int run_steps(struct nd_sim *sim, unsigned limit);

#endif
