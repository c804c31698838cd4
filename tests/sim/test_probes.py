# SPDX-License-Identifier: BSD-3-Clause
"""Images with probes: counts against arithmetic, lost probes and planted leaks. ND_RIG is the rig,
ND_BUILD the build tree of the Cortex-M3 images, which are built on request."""
import fcntl
import json
import os
import subprocess

import pytest

RIG = os.environ["ND_RIG"]
TOOL = os.environ["ND_TOOL"]
BUILD = os.environ["ND_BUILD"]
ECOS = ("Net malloc", "Net free", "Mbuf alloc", "Mbuf free", "Cluster alloc", "Checksum", "Net memcpy", "Net memset")
ECHOES = 100


def image(variant, board="lpc1768"):
    name = f"netdyno-lwip-timing{variant}-{board}"
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


def profile(board, load):
    done = subprocess.run([TOOL, "profile", f"sim:lwip@{board}", "--firmware", image("", board), "--load", load,
                           "--json", "-"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]


@pytest.mark.parametrize("board", ["lpc1768", "fast"])
def test_inside_and_outside_agree_on_1024_datagrams_of_1472_bytes(board):
    """With wait states and without: the probes' code lies in RAM."""
    result = profile(board, "udp-tx")
    step = next(it for it in result["steps"] if it["step"] == "udp-tx")
    assert (step["tx_datagrams"], step["rx_bytes"]) == (1024, 1024 * 1472)
    assert result["timing"]["tick"] == "cycle"
    rows = {it["name"]: it for it in result["timing"]["rows"]}
    for name in ECOS:
        outside = rows[name]["outside"]
        assert rows[name]["count"] == outside["count"], name
        assert rows[name]["sites_missed"] > 0 or outside["missed"] == 0 or name in ("Net memcpy", "Net memset")
        if outside["count"]:
            assert abs(rows[name]["difference_pct"]) < 5, rows[name]
        else:
            assert rows[name]["absent"]["average_ticks"] == "no_samples"
    # A pbuf for the payload and one for the headers' place each, IP's checksum in line; and what met before.
    assert rows["Net malloc"]["count"] >= 1024 and rows["Checksum"]["count"] >= 2048


def test_counts_inside_and_outside_agree_with_wait_states_too():
    rows = {it["name"]: it for it in profile("lpc1768", "tcp-rx")["timing"]["rows"]}
    for name in ECOS:
        assert rows[name]["count"] == rows[name]["outside"]["count"], name
    assert rows["Mbuf free"]["count"] > 1000


def test_two_profiles_are_equal():
    assert profile("fast", "udp-tx") == profile("fast", "udp-tx")


def one(items, kind, name=None):
    return next(it for it in items if it["kind"] == kind and name in (None, it.get("name")))


def test_memory_is_told_without_statistics():
    """Each pool as lwIP's own statistics have it, but that a heap piece's bytes are not seen."""
    actions = ("echo:20:1000", "type:ttcp -t -n 100 -p 9 10.0.0.1", "wait:2000", "type:mem")
    with_stats, without = (named(run(variant, *actions), "pool") for variant in ("", "-nostats"))
    assert without["heap"]["total"] == "not_supported" and without["heap"]["used_max"] > 0
    for name in ("PBUF_POOL", "TCP_SEG", "TCP_PCB", "UDP_PCB"):
        assert without[name] == with_stats[name], name


def test_a_heap_too_small_for_the_send_buffer_is_found_by_number():
    items = run("-smallheap", "type:metrics reset", "type:ttcp -t -n 20 -l 1024 -p 9 10.0.0.1", "wait:2000", "type:mem",
                "type:leaks", "type:metrics", "type:heap")
    heap = one(items, "pool", "heap")
    assert heap["failures"] == one(items, "leak", "heap")["failures"] == one(items, "heap_free")["failures"] > 0
    report, metrics = one(items, "report"), one(items, "metrics")
    assert report["result"] == "ok"
    assert metrics["first_failure_pool"] == "heap"
    # In the turn that filled the send buffer for the first time.
    assert metrics["first_failure_ns"] == report["tx"]["first_ns"]
    assert 1024 < one(items, "heap_free")["first_failed_bytes"] < 1600


def test_a_stall_of_10_ms_in_the_main_loop_reads_10_ms():
    items = run("-plants", "type:metrics reset", "type:ttcp -t -n 200 -p 9 10.0.0.1", "type:plant stall", "wait:500",
                "type:metrics")
    assert 10_000_000 <= one(items, "gap", "poll")["max_ns"] < 10_200_000


def test_a_stack_used_to_its_last_word_reads_full():
    items = [it for it in run("-plants", "type:stack", "type:plant stack", "type:stack") if it["kind"] == "stack"]
    assert items[0]["used_max_bytes"] < items[0]["total_bytes"] / 2
    assert items[1]["used_max_bytes"] == items[1]["total_bytes"]


def test_a_stack_that_overflows_its_paint_ends_the_board_with_a_line():
    done = subprocess.run([RIG, "qemu", image("-plants"), "type:json on", "type:plant overflow", "type:id"],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0 and "ended with code 3" in done.stderr
    assert "netdyno fault: exception" in done.stdout


def test_a_run_has_free_heap_over_time():
    done = subprocess.run([TOOL, "run", "sim:lwip@lpc1768", "--firmware", image(""), "--plan", "memory", "--set",
                           "memtest=64K", "--json", "-"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    steps = {it["step"]: it for it in json.loads(done.stdout)["result"]["steps"]}
    series = steps["memory-end"]["series"]
    assert 8 < len(series) < 64
    assert all(a["at_ns"] < b["at_ns"] for a, b in zip(series, series[1:]))
    heap = one_pool(steps["memory-end"]["pools"], "heap")
    assert min(it["free_min_bytes"] for it in series) >= heap["total"] - heap["used_max"]
    assert min(it["free_min_bytes"] for it in series) < series[0]["free_min_bytes"]


def one_pool(pools, name):
    return next(it for it in pools if it["name"] == name)
