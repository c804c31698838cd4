# SPDX-License-Identifier: BSD-3-Clause
"""Round trips with an echo service: rr and echo, over TCP and UDP, against an agent and plain sockets."""
import re
import socket
import threading

import pytest
from conftest import PATIENCE_S, free_ports, is_one_line, netdyno
from peers import document, interrupt_after, step

HOST = "127.0.0.1"


def echo_port(agent, udp):
    return agent.ports["echo-udp" if udp else "echo"]


@pytest.mark.parametrize("command", ["rr", "echo"])
@pytest.mark.parametrize("udp", [False, True], ids=["tcp", "udp"])
@pytest.mark.parametrize("size", [8, 64, 1024])
def test_every_message_comes_back(agent, command, udp, size):
    report = step(command, HOST, "-p", echo_port(agent, udp), "-n", 200, "-l", size, *["-u"] * udp)
    assert report["tx_bytes"] == report["rx_bytes"] == 200 * size
    assert report["round_trips"] == report["latency"]["samples"] == 200
    assert report["step"] == f"rr-{'udp' if udp else 'tcp'}"
    if udp:
        assert report["datagrams"]["lost"] == 0 and report["datagrams"]["received"] == 200


def test_percentiles_are_in_order(agent):
    latency = step("rr", HOST, "-p", echo_port(agent, False), "-n", 500)["latency"]
    keys = ["min_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"]
    values = [latency[key] for key in keys]
    assert values == sorted(values) and values[0] > 0


def test_a_connection_for_each_round_trip(agent):
    report = step("rr", HOST, "-p", echo_port(agent, False), "--connect", "-n", 20)
    assert report["step"] == "rr-connect" and report["round_trips"] == 20
    assert report["tx_bytes"] == report["rx_bytes"] == 20 * 64
    lines = [agent.line() for _ in range(20)]
    assert all(line.startswith("echo ok: 128 bytes") for line in lines)


def test_for_a_time(agent):
    report = step("rr", HOST, "-p", echo_port(agent, False), "-t", "0.2")
    assert report["round_trips"] > 0 and report["test_ns"] >= 100_000_000  # connecting is a part of it


def test_requests_at_a_distance(agent):
    report = step("rr", HOST, "-p", echo_port(agent, True), "-u", "-n", 10, "-i", "20ms")
    assert report["round_trips"] == 10 and report["test_ns"] >= 9 * 20_000_000


def test_the_lines(agent):
    done = netdyno("rr", HOST, "-p", echo_port(agent, True), "-u", "-n", 10)
    assert done.returncode == 0 and done.stderr == ""
    number = r"\d+\.\d+"
    assert re.fullmatch(rf"rr 127\.0\.0\.1 port \d+: messages of 64 byte, UDP\n"
                        rf"10 round trips in {number} s = {number} /s; sent 640 byte, received 640\n"
                        rf"lost 0/10 \(0%\)\n"
                        rf"round trip \[us\]: min {number}, mean {number}, p50 {number}, p90 {number}, "
                        rf"p99 {number}, p99\.9 {number}, max {number}\n", done.stdout), done.stdout


def test_interrupted_it_tells_what_it_has(agent):
    code, out = interrupt_after(["rr", HOST, "-p", echo_port(agent, False), "-t", "60"], r"messages of")
    assert code == 130
    assert re.fullmatch(r"rr .*\n(\d+ round trips in .*\n(round trip .*\n)?)?", out)


def answer_all_but(lost):
    """A UDP service that leaves out some answers; its port. It ends when it is sent an empty datagram."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((HOST, 0))

    def run():
        with sock:
            for number in range(1 << 30):
                words, peer = sock.recvfrom(2048)
                if not words:
                    return
                if number not in lost:
                    sock.sendto(words, peer)

    thread = threading.Thread(target=run)
    thread.start()
    return sock.getsockname()[1], thread


def test_lost_answers_are_counted():
    port, thread = answer_all_but({3, 4, 9})
    report = step("rr", HOST, "-p", port, "-u", "-n", 20, "--timeout", "200ms")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"", (HOST, port))
    thread.join(PATIENCE_S)
    assert report["datagrams"]["lost"] == 3 and report["datagrams"]["expected"] == 20
    assert report["round_trips"] == report["latency"]["samples"] == 17


def fails(*args):
    text = netdyno(*args)
    assert text.returncode == 1 and is_one_line(text.stderr)
    result = document(*args, code=1)
    assert result["error"] in text.stderr
    return result


def test_nobody_listens():
    assert fails("rr", HOST, "-p", free_ports(1))["steps"][0]["reason"] == "refused"


def test_nobody_answers():
    result = fails("rr", HOST, "-u", "-p", free_ports(1), "-n", 2, "--timeout", "50ms")
    assert result["steps"][0]["reason"] == "timeout"
    assert result["steps"][0]["latency"]["absent"]["p50_ns"] == "no_samples"


def test_a_changed_byte_ends_it():
    listener = socket.create_server((HOST, 0))

    def run():
        sock, _ = listener.accept()
        with sock:
            sock.sendall(sock.recv(4096).swapcase())

    thread = threading.Thread(target=run)
    thread.start()
    result = document("echo", HOST, "-p", listener.getsockname()[1], code=1)
    thread.join(PATIENCE_S)
    listener.close()
    assert result["steps"][0]["reason"] == "protocol"


@pytest.mark.parametrize("args, words", [
    (["rr"], ["HOST is missing"]),
    (["rr", HOST, "-u", "--connect"], ["one of -u, --connect"]),
    (["rr", HOST, "-u", "-l", "7"], ["--bytes 7", "8 to 1024"]),
    (["echo", HOST, "-l", "2000"], ["--bytes 2000", "1 to 1K"]),
    (["echo", HOST, "-C"], ["unknown option -C", "--messages"]),
])
def test_what_cannot_be_is_refused(args, words):
    done = netdyno(*args)
    assert done.returncode == 2 and is_one_line(done.stderr)
    assert all(word in done.stderr for word in words), done.stderr
