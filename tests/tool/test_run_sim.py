# SPDX-License-Identifier: BSD-3-Clause
"""run on simulated boards: the same result every time, and clean ends."""
import os
import signal
import subprocess

from conftest import children, is_alive, is_one_line, netdyno, simulated
from test_run import QUICK, assert_complete, by_name, load


def run(*args):
    done = netdyno("run", *simulated(), *args, "--json", "/dev/stderr")
    assert done.returncode == 0, done.stderr
    return done.stdout, load(done.stderr)


def test_two_runs_give_one_result():
    first_text, first = run(*QUICK)
    busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        second_text, second = run(*QUICK)
    finally:
        busy.kill()
        busy.wait()
    assert_complete(first)
    assert first["result"] == second["result"]
    assert first_text == second_text


def test_the_same_image_runs_as_a_process():
    documents = []
    for _ in range(2):
        done = netdyno("run", "native:lwip", *QUICK, "--json", "-")
        assert done.returncode == 0, done.stderr
        documents.append(load(done.stdout))
    assert_complete(documents[0])
    assert documents[0]["result"] == documents[1]["result"]
    assert by_name(documents[0])["tcp-rx"]["absent"]["busy_pct"] == "not_supported"


def test_the_sheet_fits_80_columns():
    text, _ = run(*QUICK)
    assert max(map(len, text.splitlines())) <= 80


def test_figures_are_possible():
    _, document = run("--set", "seconds=200ms", "--plan", "tcp")
    result = document["result"]
    most_bit_s = result["link"]["tcp_most_bit_s"]
    assert most_bit_s == round(100e6 * 1460 / 1538)
    for name in ("tcp-rx", "tcp-tx-copy", "tcp-tx-borrow"):
        step = by_name(document)[name]
        assert step["goodput_bit_s"] < most_bit_s * 1.001
        assert 0 < step["busy_pct"] <= 100
        assert step["busy_cycles_per_byte"] > 1
    assert result["simulation"]["virtual_ns"] > 600e6


def test_a_slower_wire_is_slower():
    _, document = run("--set", "seconds=200ms", "--set", "link=10M", "--plan", "tcp")
    step = by_name(document)["tcp-rx"]
    assert 9e6 < step["goodput_bit_s"] < 9.6e6
    assert document["result"]["settings"]["link_bit_s"] == 10000000


def test_a_delay_is_in_every_round_trip():
    _, document = run("--set", "delay=5ms", "--set", "messages=20", "--plan", "echo")
    assert 10e6 < by_name(document)["echo-1"]["latency"]["min_ns"] < 11e6


def test_the_wire_can_be_kept(tmp_path):
    path = tmp_path / "wire.pcap"
    run(*QUICK, "--plan", "echo", "--pcap", path)
    assert path.read_bytes()[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1")


def test_a_killed_machine_leaves_the_finished_steps(tmp_path, start_run):
    path = tmp_path / "r.json"
    run = start_run(*simulated(), "--set", "seconds=1000s", "--json", path).await_step("tcp-rx")
    os.kill(children(run.pid)[0], signal.SIGKILL)
    code, out, err = run.end()
    assert code == 1
    assert is_one_line(err) and "killed by signal 9" in err
    assert "not run" in out
    steps = by_name(load(path.read_text()))
    assert steps["memtest-echo"]["status"] == "ok"
    assert steps["tcp-rx"]["status"] == "failed"
    assert steps["memory-end"]["status"] == "not_run"


def test_a_signal_ends_the_machine_too(tmp_path, start_run):
    path = tmp_path / "r.json"
    run = start_run(*simulated(), "--set", "seconds=1000s", "--json", path).await_step("tcp-rx")
    child = children(run.pid)[0]
    os.kill(run.pid, signal.SIGINT)
    assert run.end()[0] == 130
    assert not is_alive(child)
    assert by_name(load(path.read_text()))["tcp-rx"]["reason"] == "interrupted"


def test_a_file_that_is_no_firmware_is_one_line():
    done = netdyno("run", "sim:lwip@lpc1768", "--firmware", "/etc/passwd")
    assert done.returncode == 1
    assert is_one_line(done.stderr)
