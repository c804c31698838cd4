# SPDX-License-Identifier: BSD-3-Clause
"""discard and chargen: bytes one way, counted by both ends."""
import re
import socket
import threading

import pytest
from conftest import PATIENCE_S, free_ports, is_one_line, netdyno
from peers import document, interrupt_after, step

HOST = "127.0.0.1"


def test_an_agent_receives_every_byte(agent):
    report = step("discard", HOST, "-p", agent.ports["discard"], "-n", 100, "-l", 1001)
    assert report["step"] == "discard-tx" and report["tx_bytes"] == 100100
    assert report["tail_ns"] >= 0
    assert agent.line().startswith("discard ok: 100100 bytes ")


def test_for_a_time(agent):
    report = step("discard", HOST, "-p", agent.ports["discard"], "-t", "0.2")
    assert report["tx_bytes"] > 0
    assert agent.line().startswith(f"discard ok: {report['tx_bytes']} bytes ")


def test_a_plain_socket_receives_every_datagram():
    """Longer ones than ttcp's marks of 4 byte."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind((HOST, 0))
        sock.settimeout(PATIENCE_S)
        report = step("discard", HOST, "-u", "-p", sock.getsockname()[1], "-n", 20, "-l", 500)
        assert report["tx_datagrams"] == 20 and report["tx_bytes"] == 10000
        got = [sock.recv(2048) for _ in range(26)]
        assert [len(it) for it in got if len(it) > 4] == [500] * 20


def test_the_lines_of_discard(agent):
    done = netdyno("discard", HOST, "-p", agent.ports["discard"], "-n", 10)
    assert re.fullmatch(r"discard 127\.0\.0\.1 port \d+: writes of 1024 byte\n"
                        r"sent 10240 byte in [\d.]+ s = [\d. ]+ .?bits/sec, all acknowledged\n",
                        done.stdout), done.stdout


def test_chargen_takes_exactly_so_many_bytes(agent):
    report = step("chargen", HOST, "-p", agent.ports["chargen"], "-n", 1000001)
    assert report["step"] == "chargen-rx" and report["rx_bytes"] == 1000001


def test_chargen_for_a_time(agent):
    report = step("chargen", HOST, "-p", agent.ports["chargen"], "-t", "0.2")
    assert report["rx_bytes"] > 0 and report["test_ns"] >= 200_000_000


@pytest.mark.parametrize("size, answer", [(1, 1), (100, 100), (512, 512), (1000, 512)])
def test_chargen_by_datagrams(agent, size, answer):
    """An answer is no longer than its request, nor than RFC 864 has it."""
    report = step("chargen", HOST, "-u", "-p", agent.ports["chargen-udp"], "-n", 20, "-l", size)
    assert report["tx_datagrams"] == report["datagrams"]["received"] == 20
    assert report["datagrams"]["lost"] == 0
    assert report["rx_bytes"] == 20 * answer


@pytest.mark.parametrize("command", ["discard", "chargen"])
def test_interrupted_it_tells_what_it_has(agent, command):
    code, out = interrupt_after([command, HOST, "-p", agent.ports[command], "-t", "60"], "port")
    assert code == 130
    assert re.fullmatch(rf"{command} .*\n((sent|received) \d+ byte in .*\n)?", out), out


def fails(*args):
    text = netdyno(*args)
    assert text.returncode == 1 and is_one_line(text.stderr)
    result = document(*args, code=1)
    assert result["error"] in text.stderr
    return result


@pytest.mark.parametrize("command", ["discard", "chargen"])
def test_nobody_listens(command):
    assert fails(command, HOST, "-p", free_ports(1))["steps"][0]["reason"] == "refused"


def test_nobody_answers():
    assert fails("chargen", HOST, "-u", "-p", free_ports(1), "-n", 1)["steps"][0]["reason"] == "timeout"


def test_a_server_that_hangs_up_early():
    listener = socket.create_server((HOST, 0))

    def run():
        sock, _ = listener.accept()
        with sock:
            sock.sendall(b"0123456789")

    thread = threading.Thread(target=run)
    thread.start()
    result = document("chargen", HOST, "-p", listener.getsockname()[1], "-n", 100, code=1)
    thread.join(PATIENCE_S)
    listener.close()
    assert result["steps"][0]["reason"] == "short" and result["steps"][0]["rx_bytes"] == 10


@pytest.mark.parametrize("args, words", [
    (["discard", HOST, "-u", "-l", "4"], ["--len 4", "5 to 1520"]),
    (["chargen", HOST, "-l", "2K"], ["--len 2K", "1 to 1520"]),
    (["chargen"], ["HOST is missing"]),
])
def test_what_cannot_be_is_refused(args, words):
    done = netdyno(*args)
    assert done.returncode == 2 and is_one_line(done.stderr)
    assert all(word in done.stderr for word in words), done.stderr
