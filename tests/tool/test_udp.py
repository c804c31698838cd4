# SPDX-License-Identifier: BSD-3-Clause
"""The plans udp and bypass: datagrams through a simulated board's stack, and around it."""
from conftest import netdyno, simulated
from peers import strict


def bypass(*args, board="lpc1768"):
    done = netdyno("run", *simulated(board), "--plan", "bypass", *args, "--json", "-")
    assert done.returncode == 0, done.stderr
    return {it["step"]: it for it in strict(done.stdout)["result"]["steps"]}


def test_every_datagram_arrives_and_the_stack_costs_what_the_way_around_it_does_not():
    steps = bypass()
    for name in ("udp-tx", "bypass-tx"):
        it = steps[name]
        assert (it["tx_datagrams"], it["lost_datagrams"]) == (1024, 0)
        assert it["rx_bytes"] == 1024 * 1472
        assert it["goodput_bit_s"] == round(100e6 * 1472 / 1538)
    assert steps["bypass-tx"]["busy_cycles_per_byte"] < 0.25 * steps["udp-tx"]["busy_cycles_per_byte"]


def test_two_runs_give_one_result():
    args = "--set", "datagrams=50", "--set", "datagram=100"
    assert bypass(*args) == bypass(*args)


def test_where_the_processor_limits_the_way_around_the_stack_is_faster():
    steps = bypass(board="nios50")
    assert steps["udp-tx"]["busy_pct"] > 99
    assert steps["udp-tx"]["goodput_bit_s"] < 0.9 * steps["bypass-tx"]["goodput_bit_s"]


def test_a_stack_without_a_way_around_it_says_so():
    done = netdyno("run", "local:", "--plan", "bypass", "--set", "datagrams=10")
    assert done.returncode == 1
    assert "bypass-tx" in done.stderr and "no such command" in done.stderr
