# SPDX-License-Identifier: BSD-3-Clause
"""run on the modelled chip behind its bus, and the W55RP20's two experiments on it."""
import os
import re
import subprocess

from conftest import is_one_line, netdyno
from test_run import QUICK, assert_complete, by_name, load


def run(*args):
    done = netdyno("run", "native:w5500", *args, "--json", "-")
    assert done.returncode == 0, done.stderr
    return load(done.stdout)


def test_the_default_plan_gives_one_result_every_time():
    first = run(*QUICK)
    assert_complete(first)
    assert first["result"] == run(*QUICK)["result"]
    assert first["result"]["device"]["stack"] == "W5500, version 4"
    assert first["result"]["config"]["spi_hz"] == 33000000


def test_the_clock_of_the_bus_is_the_ceiling():
    for spi_hz, most in (("8M", 8e6), ("33M", 33e6)):
        document = run("--plan", "tcp", "--set", "seconds=100ms", "--set", f"spi_hz={spi_hz}")
        rates = [by_name(document)[name] for name in ("tcp-rx", "tcp-tx-copy")]
        for step in rates:
            assert 0.6 * most < step["goodput_bit_s"] < 1460 / 1463 * most
            assert step["busy_pct"] > 95


def test_what_the_bus_cost_is_told_for_each_step():
    rows = {row["steps"][0]: row for row in run(*QUICK)["result"]["bus"]}
    assert rows["memtest-rx"]["steps"] == ["memtest-rx", "memtest-tx", "memtest-echo"]
    for name in ("tcp-rx", "tcp-tx-copy"):
        assert 1 < rows[name]["bytes_per_byte"] < 1.5
        assert 2 < rows[name]["selects_per_kib"] < 20
        assert 0 < rows[name]["busy_pct"] <= 100
    assert rows["echo-1"]["bytes_per_byte"] > 2


def test_a_clock_beyond_the_chip_and_another_target_are_refused():
    for args in (("native:w5500", "--set", "spi_hz=81M"), ("native:w5500", "--set", "sockets=9"),
                 ("native:lwip", "--set", "spi_hz=33M"), ("local:", "--set", "sockets=4")):
        done = netdyno("run", *args)
        assert done.returncode == 2
        assert is_one_line(done.stderr)


def experiment(*args):
    """The lines that the device printed, and the figures."""
    done = subprocess.run([os.environ["ND_W5500_UDP"], os.environ["ND_W5500_IMAGE"], *map(str, args)],
                          capture_output=True, text=True, timeout=60, check=True)
    lines = done.stdout.splitlines()
    words = lines[-1].split()
    return lines[:-1], dict(zip(words[::2], map(float, words[1::2])))


def test_at_the_default_rate_the_sender_is_the_limit():
    lines, figures = experiment("receive", 33000000, 8, 1048576, 2)
    assert figures["lost"] == 0
    assert 1.0 < figures["mbit_s"] < 1.1
    assert figures["bus_share_pct"] < 10
    found = [re.match(r"Interval: 1\.00 sec \| Received: (\d+) bytes \| Throughput: (\d\.\d\d) Mbps", line)
             for line in lines[:2]]
    assert all(found), lines
    for match in found:
        assert abs(int(match[1]) * 8e-6 - float(match[2])) < 0.02


def test_offered_more_than_the_bus_carries_it_carries_nearly_that():
    for sockets, least in ((8, 0.7), (4, 0.9), (1, 0.97)):
        _, figures = experiment("receive", 33000000, sockets, 100000000, 1)
        assert least < figures["mbit_s"] / figures["clock_ceiling_mbit_s"] < 1
        assert 60 < figures["lost_pct"] < 80
        assert figures["bus_share_pct"] > 75
        assert figures["bus_bytes_per_byte"] < 1.1


def test_datagrams_come_back_whole_one_at_a_time():
    _, figures = experiment("loopback", 33000000, 8, 1024, 1)
    assert 10 < figures["mbit_s_each_way"] < 16.5
