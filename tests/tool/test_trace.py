# SPDX-License-Identifier: BSD-3-Clause
"""netdyno trace: the lanes of a simulated board, and the pulses in anybody's VCD file."""
import json
import os
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import is_one_line, netdyno, simulated

QUICK = ("--set", "seconds=20ms")
WINDOW = ("--after", "5ms", "--duration", "2ms")

# From the load's begin to its end.
ALL = ("--trigger", "0", "--duration", "1h")


def result_of(*args):
    done = netdyno(*args, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]


def trace(*args):
    return result_of("trace", *simulated(), *QUICK, *args)


def signals_of(result, prefix=""):
    """Signals by name, without what a reader put in front."""
    found = {}
    for it in result["trace"]["signals"]:
        name = it.pop("signal")
        assert name.startswith(prefix)
        found[name[len(prefix):]] = it
    return found


def pulses_in(path, prefix):
    return signals_of(result_of("trace", "--from", path), prefix)


@pytest.fixture(scope="module", name="window")
def traced_window(tmp_path_factory):
    """A window in the middle of a load: the result, FILE.vcd, the events of FILE.json."""
    folder = tmp_path_factory.mktemp("window")
    vcd, chrome = folder / "t.vcd", folder / "t.json"
    result = trace(*WINDOW, "-o", vcd, "-o", chrome)
    return result, vcd, json.loads(chrome.read_text())["traceEvents"]


@pytest.fixture(scope="module", name="whole")
def traced_load(tmp_path_factory):
    """The whole load: the result, and the events."""
    chrome = tmp_path_factory.mktemp("whole") / "t.json"
    result = trace(*ALL, "-o", chrome)
    return result, json.loads(chrome.read_text())["traceEvents"]


def lanes_of(events):
    """The slices of each lane: {(process, thread): [(begin_ns, end_ns, name, args), ...]}."""
    names, slices = {}, defaultdict(list)
    for it in events:
        if it["ph"] == "M" and it["name"] == "process_name":
            names[it["pid"]] = it["args"]["name"]
        elif it["ph"] == "M" and it["name"] == "thread_name":
            slices[names[it["pid"]], it["args"]["name"]] = []
            names[it["pid"], it["tid"]] = names[it["pid"]], it["args"]["name"]
        elif it["ph"] == "X":
            begin, length = round(it["ts"] * 1000), round(it["dur"] * 1000)
            slices[names[it["pid"], it["tid"]]].append(
                (begin, begin + length, it["name"], it.get("args")))
        else:
            assert it["ph"] == "M" and it["name"].endswith("_sort_index")
    return slices


# ---- the simulated board ----


def test_a_trace_changes_no_figure(window, whole):
    steps = result_of("profile", *simulated(), *QUICK)["steps"]
    assert window[0]["steps"] == whole[0]["steps"] == steps
    assert window[0]["simulation"]["virtual_ns"] > 0


def test_two_traces_are_the_same(tmp_path):
    outputs = []
    for name in "ab":
        files = [tmp_path / f"{name}.{kind}" for kind in ("vcd", "json")]
        done = netdyno("trace", *simulated(), *QUICK, *WINDOW, "-o", files[0], "-o", files[1])
        assert done.returncode == 0, done.stderr
        outputs.append([done.stdout, *(it.read_bytes() for it in files)])
    assert outputs[0] == outputs[1]


def test_slices_nest_in_every_lane(window):
    result, _, events = window
    length = result["trace"]["length_ns"]
    lanes = lanes_of(events)
    assert ("call", "tcp") in lanes and ("wire", "to_device") in lanes
    for slices in lanes.values():
        open_ends, latest = [], 0
        for begin, end, *_ in slices:
            assert latest <= begin <= end <= length
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1]
            open_ends.append(end)
            latest = begin


def test_the_processor_is_at_one_place_at_a_time(window):
    result, _, events = window
    places = sorted(it[:2] for (scope, _), slices in lanes_of(events).items() if scope == "cpu"
                    for it in slices)
    assert places[0][0] == 0 and places[-1][1] == result["trace"]["length_ns"]
    assert all(before[1] == after[0] for before, after in zip(places, places[1:]))
    signals = signals_of(json.loads(json.dumps(result)))
    shares = [it["high_pct"] for name, it in signals.items() if name.startswith("cpu_")]
    assert sum(shares) == pytest.approx(100, abs=0.1)


def test_lanes_hold_the_cycles_that_a_profile_counts(whole):
    """Layers that rest outside of a load; an edge of a pulse is rounded to a nanosecond."""
    result, events = whole
    profile = result_of("profile", *simulated(), *QUICK)
    layers = {it["layer"]: it["cycles"] for it in profile["profile"]["layers"]}
    hz = profile["device"]["clock_hz"]
    lanes = lanes_of(events)
    for layer in ("checksum", "tcp", "ip", "ethernet", "driver-tx"):
        slices = lanes["cpu", layer]
        cycles = sum(end - begin for begin, end, *_ in slices) * hz / 1e9
        assert len(slices) > 10
        assert abs(cycles - layers[layer]) <= len(slices) * hz / 1e9


def test_lanes_hold_the_calls_that_a_profile_counts(whole):
    _, events = whole
    functions = result_of("profile", *simulated(), *QUICK)["profile"]["functions"]
    entries = {it["function"]: it["entries"] for it in functions}
    calls = defaultdict(int)
    for (scope, _), slices in lanes_of(events).items():
        for it in slices if scope == "call" else ():
            calls[it[2]] += 1
    for name in ("tcp_input", "ip4_input", "ethernet_input", "lwip_standard_chksum", "tcp_output"):
        assert calls[name] == entries[name] > 0


def test_frames_carry_the_payload_that_was_measured(whole):
    result, events = whole
    step = next(it for it in result["steps"] if it["step"] == "tcp-rx")
    frames = lanes_of(events)["wire", "to_device"]
    segments = [it for it in frames if it[2] == "tcp"]
    assert sum(it[3]["payload_bytes"] for it in segments) == step["rx_bytes"]
    full = next(it for it in segments if it[3]["payload_bytes"] == 1460)
    assert full[3]["bytes"] == 1514 and full[1] - full[0] == 122080
    data = [it[3]["seq"] for it in segments if it[3]["payload_bytes"] > 0]
    assert data == sorted(data) and len(set(data)) == len(data)


def test_a_trace_of_sending_shows_segments_that_leave():
    signals = signals_of(trace("--load", "tcp-tx", *WINDOW))
    assert signals["wire_from_device"]["count"] >= 10
    assert signals["wire_from_device"]["max_ns"] == 122080
    assert signals["cpu_driver_tx"]["count"] > 0


# ---- a device with marks ----


@pytest.fixture(name="marked")
def device_with_marks():
    """The target's name of a device whose firmware has marks."""
    with subprocess.Popen([os.environ["ND_SPAN_AGENT"]], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as agent:
        yield f"tcp://127.0.0.1:{agent.stdout.readline().strip()}"
        agent.stdin.close()


def test_marks_of_a_device_become_lanes(marked, tmp_path):
    """A span in itself, one that began before the record, one that does not end; two tasks."""
    vcd, chrome = tmp_path / "t.vcd", tmp_path / "t.json"
    result = result_of("trace", marked, "--duration", "200ms", "-o", vcd, "-o", chrome)
    assert result["trace"]["length_ns"] == 58000 and result["trace"]["lost_events"] == 0
    signals = signals_of(json.loads(json.dumps(result)))
    assert {name: (it["count"], it["total_ns"], it["high_ns"]) for name, it in signals.items()} == {
        "span_1": (0, 0, 13000),
        "span_checksum": (2, 32000, 32000),
        "task_idle": (0, 0, 19000),
        "task_sender": (1, 39000, 39000),
    }
    lanes = lanes_of(json.loads(chrome.read_text())["traceEvents"])
    assert [it[:2] for it in lanes["span", "checksum"]] == [
        (15000, 40000), (35000, 36000), (42000, 49000)]
    assert [it[:2] for it in lanes["span", "1"]] == [(0, 10000), (55000, 58000)]
    assert pulses_in(vcd, "netdyno.") == signals


@pytest.mark.parametrize("args, code, expected", [
    (["local:"], 1, "the device refused `spans start`"),
    (["native:lwip", "--load", "tcp-rx"], 2, "for sim: targets only"),
    (["tcp://127.0.0.1:1"], 1, "cannot reach"),
    (["tcp://"], 2, "tcp://"),
])
def test_a_device_without_marks_is_one_line(args, code, expected):
    done = netdyno("trace", *args)
    assert done.returncode == code
    assert is_one_line(done.stderr) and expected in done.stderr


# ---- files ----


def test_pulses_of_the_file_are_those_of_the_run(window):
    result, vcd, _ = window
    read = pulses_in(vcd, "netdyno.")
    assert read == signals_of(json.loads(json.dumps(result)))
    assert read["call_tcp"]["count"] > 10 and read["call_main"]["absent"]["min_ns"] == "no_samples"


@pytest.mark.skipif(shutil.which("sigrok-cli") is None, reason="no sigrok-cli")
def test_sigrok_reads_the_file(window, tmp_path):
    result, vcd, _ = window
    copy = tmp_path / "copy.vcd"
    subprocess.run(["sigrok-cli", "-I", "vcd", "-i", vcd, "-O", "vcd", "-o", copy], check=True,
                   timeout=60)
    expected = signals_of(json.loads(json.dumps(result)))
    for name, it in pulses_in(copy, "libsigrok.").items():
        assert it["count"] == expected[name]["count"]
        assert it.get("max_ns") == expected[name].get("max_ns")


@pytest.mark.skipif(shutil.which("vcd2fst") is None, reason="no gtkwave")
def test_gtkwave_reads_the_file(window, tmp_path):
    result, vcd, _ = window
    fst = tmp_path / "t.fst"
    subprocess.run(["vcd2fst", vcd, fst], check=True, timeout=60)
    copy = tmp_path / "copy.vcd"
    copy.write_bytes(subprocess.run(["fst2vcd", fst], check=True, capture_output=True,
                                    timeout=60).stdout)
    assert pulses_in(copy, "netdyno.") == signals_of(json.loads(json.dumps(result)))


def test_a_segment_is_drawn(window, tmp_path):
    """The script of docs/trace.md: well-formed, with the lanes on the segment's way in order."""
    folder = Path(__file__).resolve().parents[2]
    done = subprocess.run([folder / "scripts/draw-trace", window[1].with_suffix(".json")],
                          capture_output=True, text=True, timeout=60, check=True)
    texts = [it.text for it in ElementTree.fromstring(done.stdout).iter()
             if it.tag.endswith("text")]
    assert any("A received segment of 1460 byte" in it for it in texts)
    way = ["to device", "driver-rx", "ethernet", "ip", "checksum", "tcp", "port", "driver-tx",
           "from device"]
    assert [it for it in texts if it in way and it != "checksum"] == [
        it for it in way if it != "checksum"]
    assert "checksum" in texts


ANALYSER = """$date today $end
$timescale 10 us $end
$scope module libsigrok $end
$var wire 1 ! checksum $end
$var wire 1 " tcp_write [3] $end
$var wire 8 # bus $end
$var real 1 % volts $end
$upscope $end
$var wire 1 ! alias $end
$enddefinitions $end
#5 1! 0" b00000000 #
#8 0! #10 1! 1" r1.5 %
#13 0!
#14 x"
#20 1! b1 " #21 0! #24 b0 "
#30 1!
#40
"""


def test_pulses_are_counted_from_edge_to_edge(tmp_path):
    """One is cut by the begin, one by the end, and one touches an unknown level."""
    path = tmp_path / "a.vcd"
    path.write_text(ANALYSER)
    result = result_of("trace", "--from", path)
    assert result["trace"]["length_ns"] == 350000
    signals = signals_of(result)
    assert list(signals) == ["libsigrok.checksum", "libsigrok.tcp_write[3]", "alias"]
    checksum = signals["libsigrok.checksum"]
    assert checksum == signals["alias"]
    assert checksum == {"count": 2, "min_ns": 10000, "max_ns": 30000, "average_ns": 20000,
                        "total_ns": 40000, "high_ns": 170000,
                        "high_pct": pytest.approx(48.571, abs=0.001)}
    assert signals["libsigrok.tcp_write[3]"]["count"] == 0
    assert signals["libsigrok.tcp_write[3]"]["high_ns"] == 80000


@pytest.mark.parametrize("unit, first", [("1 ps", 0.003), ("100ns", 300), ("1 s", 3000000000)])
def test_units_are_kept(unit, first, tmp_path):
    path = tmp_path / "a.vcd"
    path.write_text(f"$timescale {unit} $end $var wire 1 ! a $end $enddefinitions $end\n"
                    "#0 0! #1 1! #4 0! #9\n")
    assert signals_of(result_of("trace", "--from", path))["a"]["max_ns"] == first


HEAD = "$timescale 1 ns $end\n$var wire 1 ! a $end\n$enddefinitions $end\n"


@pytest.mark.parametrize("text, expected", [
    ("", "line 1: no $enddefinitions"),
    ("GIF89a", "no $enddefinitions"),
    ("$timescale 2 ns $end", "expected 1, 10 or 100"),
    ("$timescale 1 hour $end", "expected s, ms, us, ns, ps or fs"),
    ("$scope module a $end $upscope $end $upscope $end", "$upscope without $scope"),
    ("$var wire 1 $end", "expected the identifier"),
    ("$enddefinitions $end #0", "no signal of one bit"),
    (HEAD, "no time follows"),
    (HEAD + "#5 1!\n#4 0!\n", "line 5: time runs back, from 5 to 4"),
    (HEAD + "#1 1?\n", "no signal has the identifier ?"),
    (HEAD + "#one\n", "#one is no time"),
    (HEAD + "#99999999999999999999\n", "too far away"),
    (HEAD + "#1 q!\n", "expected a change of a value"),
    (HEAD + "#1 b1", "expected the identifier"),
    (HEAD + "#1 $timescale 1 s $end", "behind $enddefinitions"),
    (HEAD + "$comment", "expected $end"),
])
def test_a_broken_file_is_one_line(text, expected, tmp_path):
    path = tmp_path / "a.vcd"
    path.write_text(text)
    done = netdyno("trace", "--from", path)
    assert done.returncode == 1 and done.stdout == ""
    assert is_one_line(done.stderr) and expected in done.stderr


@pytest.mark.parametrize("args, code, expected", [
    ([], 2, "either a TARGET or --from"),
    (["sim:lwip@lpc1768", "--from", "x.vcd"], 2, "either a TARGET or --from"),
    (["--from", "x.vcd", "-o", "y.vcd"], 2, "are for a TARGET"),
    (["--from", "/nowhere.vcd"], 2, "cannot read /nowhere.vcd"),
    (["--from", "/"], 1, "cannot be read"),
    (["sim:lwip@lpc1768", "-o", "x.txt"], 2, "ends in .vcd or .json"),
    (["sim:lwip@lpc1768", "--load", "none"], 2, "expected one of: tcp-rx"),
    (["sim:lwip@lpc1768", "--set", "time=instructions"], 2, "a trace counts cycles"),
    ([*simulated(), *QUICK, "-o", "/nowhere/x.vcd"], 1, "cannot write /nowhere/x.vcd"),
    ([*simulated(), *QUICK, "--after", "1h"], 1, "the load was over before the window began"),
    ([*simulated(), *QUICK, "--duration", "1us"], 1, "make --duration longer"),
])
def test_what_cannot_be_is_one_line(args, code, expected):
    done = netdyno("trace", *args)
    assert done.returncode == code
    assert is_one_line(done.stderr) and expected in done.stderr


def test_the_table_fits_80_columns():
    lines = netdyno("trace", *simulated(), *QUICK, *WINDOW).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("cpu_checksum" in line for line in lines)
