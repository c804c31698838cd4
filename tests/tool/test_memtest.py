# SPDX-License-Identifier: BSD-3-Clause
"""memtest: the PC's side."""
import json
import re
import socket
import threading

from conftest import PATIENCE_S, is_one_line, netdyno

MIB = 1 << 20


def test_three_phases_with_exact_counts(start_agent, tmp_path):
    path = tmp_path / "m.json"
    agent = start_agent("--bytes", "32M", "--services", "memtest", services=1)
    done = netdyno("memtest", "-n", "32M", f"127.0.0.1:{agent.ports['memtest']}", "--json", path)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"rx +33554432 byte +[\d.]+ Mbit/s\n"
                        r"tx +33554432 byte +[\d.]+ Mbit/s\n"
                        r"echo +33554432 byte +[\d.]+ Mbit/s\n", done.stdout)
    steps = json.loads(path.read_text())["result"]["steps"]
    assert [step["step"] for step in steps] == ["memtest-rx", "memtest-tx", "memtest-echo"]
    assert [step["status"] for step in steps] == ["ok"] * 3
    assert [step.get("rx_bytes", step.get("tx_bytes")) for step in steps] == [32 * MIB] * 3
    for step in steps:
        assert step["goodput_bit_s"] > 0 and step["elapsed_ns"] > 0


def test_a_phase_that_only_emptied_a_buffer_has_no_rate(start_agent):
    agent = start_agent("--bytes", "1K", "--services", "memtest", services=1)
    done = netdyno("memtest", "-n", "1K", "127.0.0.1", "-p", agent.ports["memtest"], "--json", "-")
    steps = json.loads(done.stdout)["result"]["steps"]
    assert steps[1]["rx_bytes"] == 1024 and steps[1]["absent"]["goodput_bit_s"] == "no_samples"


def test_the_origin_line_is_made_from_the_measured_values(agent):
    done = netdyno("memtest", "127.0.0.1", "-p", agent.ports["memtest"], "--origin-line")
    last = done.stdout.splitlines()[-1]
    match = re.fullmatch(r"TX\+RX Throughput: 4194304 bytes in (\d+) seconds \(([\d.]+)\) Mbits/s",
                         last)
    assert match, last
    assert float(match[2]) > 0


def test_other_amounts_when_both_sides_agree(start_agent):
    agent = start_agent("--bytes", "100K", "--services", "memtest", services=1)
    done = netdyno("memtest", "127.0.0.1", "-p", agent.ports["memtest"], "--bytes", "100K")
    assert done.returncode == 0
    assert done.stdout.count(" 102400 byte") == 3
    agent.stop()


def test_a_device_that_closes_early_is_told_with_both_counts(tmp_path):
    path = tmp_path / "m.json"
    listener = socket.create_server(("127.0.0.1", 0))

    def answer():
        sock, _ = listener.accept()
        with sock:
            left = MIB
            while left > 0:
                left -= len(sock.recv(min(65536, left)))
            sock.sendall(b"x" * 5000)

    thread = threading.Thread(target=answer)
    thread.start()
    done = netdyno("memtest", "127.0.0.1", "-p", listener.getsockname()[1], "--json", path)
    thread.join(PATIENCE_S)
    listener.close()
    assert done.returncode == 1
    assert is_one_line(done.stderr)
    assert "memtest tx: short after 5000 of 1048576 byte" in done.stderr
    assert done.stdout.startswith("rx ")
    steps = json.loads(path.read_text())["result"]["steps"]
    assert [step["status"] for step in steps] == ["ok", "failed"]
    assert steps[1]["rx_bytes"] == 5000 and "short" in steps[1]["reason"]


def test_nobody_there_is_a_failure():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        done = netdyno("memtest", "127.0.0.1", "-p", free.getsockname()[1], "--json", "-")
    assert done.returncode == 1
    assert is_one_line(done.stderr) and "refused" in done.stderr
    assert json.loads(done.stdout)["result"]["steps"][0]["reason"] == "refused"
