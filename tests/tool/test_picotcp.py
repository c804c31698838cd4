# SPDX-License-Identifier: BSD-3-Clause
"""run and profile with picoTCP's images, where picoTCP is."""
import json
import os
from pathlib import Path

import pytest

from conftest import FIRMWARE, TOOL, netdyno, simulated
from test_run import QUICK, assert_complete, load

NATIVE = ("native:picotcp", "--firmware", os.environ["ND_PICOTCP_IMAGE"])
IMAGES = Path(FIRMWARE or Path(TOOL).parent.parent / "cortex-m3/firmware")

on_board = pytest.mark.skipif(not (IMAGES / "netdyno-picotcp-lpc1768.elf").exists(),
                              reason="the images were configured without -DND_PICOTCP_ROOT=DIR")


def run(target):
    done = netdyno("run", *target, *QUICK, "--json", "-")
    assert done.returncode == 0, done.stderr
    return load(done.stdout)


def assert_heap_is_told(document):
    steps = [step for step in document["result"]["steps"] if "pools" in step]
    heap = steps[-1]["pools"][0]
    assert heap["name"] == "heap"
    assert heap["failures"] == 0
    assert 0 < heap["used"] < heap["used_max"] < heap["total"]


def test_the_default_plan_gives_one_result_every_time():
    first = run(NATIVE)
    assert_complete(first)
    assert first["result"] == run(NATIVE)["result"]
    assert first["result"]["config"]["stack"] == "picotcp"
    assert_heap_is_told(first)


@on_board
def test_it_runs_in_64_kib_and_gives_one_result_every_time():
    first = run(simulated(image="picotcp"))
    assert_complete(first)
    assert first["result"] == run(simulated(image="picotcp"))["result"]
    assert_heap_is_told(first)


@on_board
def test_a_profile_knows_the_layers():
    done = netdyno("profile", *simulated(image="picotcp"), "--load", "tcp-rx", "--json", "-")
    assert done.returncode == 0, done.stderr
    layers = {layer["layer"]: layer for layer in json.loads(done.stdout)["result"]["profile"]["layers"]}
    assert {"checksum", "copy", "buffers", "tcp", "ip", "sockets", "ethernet"} <= layers.keys()
