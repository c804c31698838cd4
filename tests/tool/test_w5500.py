# SPDX-License-Identifier: BSD-3-Clause
"""run on the modelled chip behind its bus."""
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


def test_a_clock_beyond_the_chip_and_another_target_are_refused():
    for args in (("native:w5500", "--set", "spi_hz=81M"), ("native:w5500", "--set", "sockets=9"),
                 ("native:lwip", "--set", "spi_hz=33M"), ("local:", "--set", "sockets=4")):
        done = netdyno("run", *args)
        assert done.returncode == 2
        assert is_one_line(done.stderr)
