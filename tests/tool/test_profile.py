# SPDX-License-Identifier: BSD-3-Clause
"""netdyno profile, on a simulated board: the parts are the whole, twice the same."""
import json
import subprocess
from pathlib import Path

import pytest
from conftest import FIRMWARE, TOOL, is_one_line, netdyno, simulated

QUICK = ("--set", "seconds=50ms")


def profile(*args, board="lpc1768"):
    done = netdyno("profile", *simulated(board), *QUICK, *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def result_of(*args, **kwargs):
    return json.loads(profile(*args, "--json", "-", **kwargs))["result"]


def by_name(result):
    return {it["function"]: it for it in result["profile"]["functions"]}


@pytest.fixture(scope="module", name="rx")
def profile_of_receiving():
    return result_of()


@pytest.mark.parametrize("load", ["tcp-rx", "tcp-tx", "tcp-tx-borrow", "udp-rx", "udp-tx"])
def test_the_parts_add_up_to_the_whole(load):
    found = result_of("--load", load)["profile"]
    assert found["load"] == load and found["cycles"] > 1000000
    assert sum(it["cycles"] for it in found["layers"]) == found["cycles"]
    assert sum(it["cycles"] for it in found["functions"]) == found["cycles"]
    assert abs(sum(it["share_pct"] for it in found["layers"]) - 100) < 0.1
    for it in found["functions"]:
        assert it["cycles"] <= it["inclusive_cycles"] <= found["cycles"]
        calls = it["calls"]
        assert calls["count"] <= it["entries"]
        if calls["count"] > 0:
            assert calls["min_cycles"] <= calls["average_cycles"] <= calls["max_cycles"]


def test_1024_datagrams_of_1472_byte_arrive_and_are_counted():
    """The UDP run of eCos, without being told its numbers; before it both ends have met."""
    result = result_of("--load", "udp-tx")
    step = next(it for it in result["steps"] if it["step"] == "udp-tx")
    assert (step["tx_datagrams"], step["lost_datagrams"]) == (1024, 0)
    assert step["rx_bytes"] == result["profile"]["payload_bytes"] == 1024 * 1472
    marks = 6
    assert by_name(result)["udp_sendto_if_src"]["entries"] == 1024 + marks
    assert result["profile"]["layers"][0]["layer"] == "checksum"


def test_datagrams_come_one_behind_the_other_as_the_wire_carries_them():
    result = result_of("--load", "udp-rx")
    step = next(it for it in result["steps"] if it["step"] == "udp-rx")
    assert (step["tx_datagrams"], step["lost_datagrams"]) == (1024, 0)
    assert 99.9 < step["wire_share_pct"] <= 100.01
    assert result["simulation"]["queue_dropped_frames"] == 0


def test_a_receiver_that_is_too_slow_loses_datagrams_in_its_ring():
    result = result_of("--load", "udp-rx", "--count", "200", "--len", "100")
    step = next(it for it in result["steps"] if it["step"] == "udp-rx")
    assert step["tx_datagrams"] == 200 and step["busy_pct"] > 99
    assert 0 < step["lost_datagrams"] <= result["simulation"]["ring_dropped_frames"]
    assert step["rx_bytes"] == 100 * (200 - step["lost_datagrams"])


def test_layers_are_what_receiving_takes(rx):
    layers = {it["layer"]: it for it in rx["profile"]["layers"]}
    assert rx["profile"]["layers"][0]["layer"] == "checksum"
    assert 40 < layers["checksum"]["share_pct"] < 60
    assert layers["instrument"]["cycles"] > 0
    assert "other" not in layers
    assert rx["profile"]["cycles_per_byte"] == pytest.approx(
        rx["profile"]["cycles"] / rx["profile"]["payload_bytes"], abs=0.001)
    assert 1.2 < rx["profile"]["cycles_per_instruction"] < 2


def test_calls_are_counted(rx):
    """As many segments as went through the stack, and one function's calls inside another's."""
    found = by_name(rx)
    segments = rx["profile"]["payload_bytes"] / rx["config"]["tcp_mss_bytes"]
    assert segments <= found["tcp_input"]["entries"] <= segments + 20
    assert found["tcp_input"]["entries"] == found["ip4_input"]["entries"]
    assert found["ip4_input"]["inclusive_cycles"] > found["tcp_input"]["inclusive_cycles"]
    assert found["main"]["inclusive_cycles"] == rx["profile"]["cycles"]
    assert found["main"]["calls"]["count"] == 0


def test_a_checksum_reads_what_came_and_a_copy_moves_what_goes(rx):
    """Each byte of payload once, and some headers; two loads of a checksum cost more than a byte of a copy."""
    payload = rx["profile"]["payload_bytes"]
    it = by_name(rx)["lwip_standard_chksum"]
    assert payload < it["loaded_bytes"] < 1.1 * payload and it["stored_bytes"] == 0
    assert it["cycles_per_moved_byte"] == pytest.approx(it["cycles"] / it["loaded_bytes"], abs=1e-3)
    tx = result_of("--load", "tcp-tx")
    it, payload = by_name(tx)["memcpy"], tx["profile"]["payload_bytes"]
    assert it["loaded_bytes"] == it["stored_bytes"]
    assert payload <= it["stored_bytes"] < 1.1 * payload
    for layer in tx["profile"]["layers"]:
        for key in ("loaded_bytes", "stored_bytes"):
            assert layer[key] == sum(it[key] for it in tx["profile"]["functions"]
                                     if it["layer"] == layer["layer"])


def test_the_load_is_as_busy_as_a_run_says(rx):
    """The device's own account of its work, and the counting from outside."""
    step = next(it for it in rx["steps"] if it["step"] == "tcp-rx")
    busy_per_byte = step["busy_cycles_per_byte"]
    assert rx["profile"]["cycles_per_byte"] == pytest.approx(busy_per_byte, rel=0.03)


def test_following_calls_does_not_change_time(rx):
    done = netdyno("run", *simulated(), *QUICK, "--plan", "tcp", "--json", "-")
    steps = {it["step"]: it for it in json.loads(done.stdout)["result"]["steps"]}
    watched = {it["step"]: it for it in rx["steps"]}
    for key in ("goodput_bit_s", "busy_cycles_per_byte"):
        assert watched["tcp-rx"][key] == pytest.approx(steps["tcp-rx"][key], rel=0.001)


def test_two_profiles_are_the_same(tmp_path):
    outputs = []
    for name in "ab":
        files = [tmp_path / f"{name}.{kind}" for kind in ("folded", "speedscope")]
        text = profile("--folded", files[0], "--speedscope", files[1])
        outputs.append([text, *(it.read_bytes() for it in files)])
    assert outputs[0] == outputs[1]


def test_stacks_hold_every_cycle(tmp_path):
    folded, scope = tmp_path / "folded", tmp_path / "speedscope"
    document = result_of("--folded", folded, "--speedscope", scope)
    total = document["profile"]["cycles"]
    lines = [line.rsplit(" ", 1) for line in folded.read_text().splitlines()]
    assert sum(int(cycles) for _, cycles in lines) == total
    assert any("main;nd_netif_poll;ethernet_input;ip4_input;tcp_input" in it for it, _ in lines)
    drawn = json.loads(scope.read_text())
    found = drawn["profiles"][0]
    assert drawn["$schema"].startswith("https://www.speedscope.app/")
    assert found["endValue"] == sum(found["weights"]) == total
    assert len(found["samples"]) == len(found["weights"]) == len(lines)
    frames = drawn["shared"]["frames"]
    names = {";".join(frames[i]["name"] for i in stack) for stack in found["samples"]}
    assert names == {it for it, _ in lines}


def test_another_table_of_layers(tmp_path):
    table = tmp_path / "layers"
    table.write_text("# mine\nstack tcp_* ip4_*   # two\nrest *\n")
    layers = {it["layer"] for it in result_of("--layers", table)["profile"]["layers"]}
    assert layers == {"stack", "rest"}
    table.write_text("stack tcp_*\n")
    layers = {it["layer"] for it in result_of("--layers", table)["profile"]["layers"]}
    assert layers == {"stack", "other"}


def test_the_sheet_fits_80_columns():
    lines = profile().splitlines()
    assert max(map(len, lines)) <= 80
    assert any("lwip_standard_chksum" in line for line in lines)


@pytest.mark.parametrize("args, code, expected", [
    (["local:"], 2, "sim: targets only"),
    (["native:lwip"], 2, "sim: targets only"),
    (["sim:lwip@lpc1768", "--load", "udp"], 2, "expected one of: tcp-rx"),
    (["sim:lwip@lpc1768", "--len", "1473"], 2, "expected 5 to 1472"),
    (["sim:lwip@lpc1768", "--count", "0"], 2, "out of range"),
    (["sim:lwip@lpc1768", "--set", "time=instructions"], 2, "counts cycles"),
    (["sim:lwip@lpc1768", "--set", "time=never"], 2, "expected one of: best, cycles"),
    ([*simulated(), "--layers", "/nowhere"], 2, "cannot read /nowhere"),
    (["sim:lwip@lpc1768", "--firmware", "/bin/true"], 1, "has no symbols"),
    ([*simulated(), *QUICK, "--folded", "/nowhere/x"], 1, "cannot write /nowhere/x"),
])
def test_what_cannot_be_is_one_line(args, code, expected):
    done = netdyno("profile", *args)
    assert done.returncode == code
    assert is_one_line(done.stderr) and expected in done.stderr


def test_a_run_says_what_a_tick_is():
    for time, tick in (("cycles", "cycle"), ("instructions", "instruction")):
        done = netdyno("run", *simulated(), *QUICK, "--plan", "tcp", "--set", f"time={time}",
                       "--json", "-")
        result = json.loads(done.stdout)["result"]
        assert result["device"]["tick"] == result["simulation"]["tick"] == tick
        assert f"busy_{tick}s_per_byte" in result["steps"][1]


def test_without_a_counter_instructions_count(tmp_path):
    """A copy of the tool without the plugin, and one with a plugin that does not load."""
    tool, counter = tmp_path / "netdyno", tmp_path / "netdyno-cycles.so"
    tool.write_bytes(open(TOOL, "rb").read())
    tool.chmod(0o755)
    folder = FIRMWARE or Path(TOOL).resolve().parents[1] / "cortex-m3/firmware"

    def run(*args):
        return subprocess.run([tool, "run", "sim:lwip@fast", "--firmware",
                               f"{folder}/netdyno-lwip-fast.elf", *QUICK, "--plan", "echo",
                               "--json", "-", *args],
                              capture_output=True, text=True, timeout=60, check=False)

    for text, why in ((None, "no netdyno-cycles.so"), ("no plugin", "QEMU does not load the cycle counter")):
        if text is not None:
            counter.write_text(text)
        done = run()
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["result"]["device"]["tick"] == "instruction"
        done = run("--set", "time=cycles")
        assert done.returncode == 1
        assert is_one_line(done.stderr) and why in done.stderr
