# SPDX-License-Identifier: BSD-3-Clause
"""Images with probes: counts against arithmetic, lost probes and planted leaks. ND_RIG is the rig,
ND_BUILD the build tree of the Cortex-M3 images, which are built on request."""
import fcntl
import json
import os
import subprocess

import pytest

RIG = os.environ["ND_RIG"]
BUILD = os.environ["ND_BUILD"]
ECHOES = 100


def image(variant):
    name = f"netdyno-lwip-timing{variant}-lpc1768"
    with open(f"{BUILD}/.probes.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["cmake", "--build", BUILD, "--target", name], check=True,
                       stdout=subprocess.DEVNULL, timeout=240)
    return f"{BUILD}/firmware/{name}.elf"


def run(variant, *actions):
    done = subprocess.run([RIG, "qemu", image(variant), "type:json on", *actions],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def named(items, kind):
    return {item["name"]: item for item in items if item["kind"] == kind}


def echo_rows(variant):
    items = run(variant, "echo:1:100", "type:timing reset", f"echo:{ECHOES}:1000", "type:timing")
    return named(items, "timing")


def test_counts_are_those_of_arithmetic():
    rows = echo_rows("")
    # A pbuf, a buffer for the ring and one frame each way; three checksums: IP and UDP of what came, UDP of
    # what went. lwIP makes the checksum of an IP header it sends in line.
    assert rows["Checksum"]["count"] == 3 * ECHOES
    for name in ("Net malloc", "Net free", "Cluster alloc", "Driver output", "Stack input"):
        assert rows[name]["count"] == ECHOES, name
    assert rows["Mbuf alloc"]["count"] == rows["Mbuf free"]["count"] == 2 * ECHOES
    assert rows["Net memset"]["average_ticks"] == "no_samples"


def test_a_row_adds_up():
    for row in echo_rows("").values():
        if row["count"]:
            assert row["total_ticks"] == row["cost_ticks"] + row["net_ticks"]
            assert row["min_ticks"] * row["count"] <= row["total_ticks"] <= row["max_ticks"] * row["count"]


def test_two_runs_are_equal():
    assert echo_rows("") == echo_rows("")


def test_lto_is_told_and_never_zero():
    rows = echo_rows("-lto")
    for name, row in rows.items():
        if row["tier"] == "wrap":
            assert row["count"] == "not_hooked", name
            assert row["sites_seen"] == "not_supported"
    assert rows["Checksum"]["count"] == 3 * ECHOES


def test_a_checksum_that_is_not_checked_is_not_built():
    row = echo_rows("-nocheck")["Checksum"]
    assert row["count"] == ECHOES
    assert row["part_sites"]["check"] == "not_built"
    assert row["part_sites"]["make"] > 0


def test_no_checksum_at_all_is_not_built():
    row = named(run("-nosum", "type:timing"), "timing")["Checksum"]
    assert row["count"] == "not_built"


@pytest.mark.parametrize("variant, lost", [("", 0), ("-leak", 3)])
def test_a_lost_buffer_is_found_by_number(variant, lost):
    items = run(variant, "echo:305:1000", "type:ttcp -t -n 10 -p 9 10.0.0.1", "wait:2000", "type:leaks")
    verdict = next(item for item in items if item["kind"] == "leaks")
    assert verdict["tests"] == 1
    assert verdict["leaking_checks"] == (lost > 0)
    leaks = named(items, "leak")
    assert leaks["PBUF_POOL"]["grown"] == lost
    assert leaks["heap"]["grown"] == leaks["TCP_SEG"]["grown"] == 0
