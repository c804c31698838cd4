# SPDX-License-Identifier: BSD-3-Clause
"""netdyno iperf as client and as server, against itself and against iperf 2.1: the counts of both ends
agree exactly."""
import re
import shutil
import socket
import subprocess

import pytest
from conftest import PATIENCE_S, TOOL, free_ports, is_one_line, netdyno
from peers import (DATAGRAM_BYTES, RATE, Server, can_make_namespaces, document, in_namespace,
                   interrupt_after, ours, step, strict)

HOST = "127.0.0.1"

THEIRS = pytest.param(["stdbuf", "-oL", "iperf", "-f", "b"], id="iperf2",
                      marks=pytest.mark.skipif(shutil.which("iperf") is None, reason="no iperf"))
OURS = pytest.param([TOOL, "iperf", "-f", "b"], id="netdyno")

SPAN = r"\[\s*\*?(\d+|SUM)\]\s+([\d.]+)-\s*([\d.]+) sec\s+"


class Lines:
    """The lines of any iperf with -f b: bytes of each test, and what was received of datagrams."""

    def __init__(self, text):
        self.text = text
        self.amounts = {}
        self.received = {}
        for match in re.finditer(SPAN + r"(\d+)(?:\.\d+)? Bytes\s+\S+ bits/sec(.*)", text):
            name, begin, _, amount, more = match.groups()
            if float(begin) == 0 and name != "SUM":
                self.amounts[name] = int(amount)
                loss = re.search(r" (\d+)/(\d+) \(", more)
                if loss:
                    self.received[name] = (int(amount), int(loss[1]), int(loss[2]))


@pytest.fixture
def serve():
    servers = []

    def start(command, *args, udp=False):
        servers.append(Server(command, *(["-u"] if udp else []), *args, udp=udp))
        return servers[-1]

    yield start
    for it in servers:
        it.close()


def client_step(server, *args):
    return step("iperf", "-c", HOST, "-p", server.port, *args)


def count_of(server, tests=1):
    """What the server says of so many tests."""
    server.await_text(lambda text: len(Lines(text).amounts) == tests)
    return Lines(server.stop())


# ---- our client ------------------------------------------------------------------------


def test_a_client_sends_less_than_a_header(serve):
    """iperf itself would wait for the rest of it."""
    server = serve(ours("iperf"), "-f", "b")
    for amount in (1, 59):
        assert client_step(server, "-n", amount)["tx_bytes"] == amount
    assert list(count_of(server, 2).amounts.values()) == [1, 59]


@pytest.mark.parametrize("command", [OURS, THEIRS])
@pytest.mark.parametrize("amount", [60, 1000, 10240, 1 << 20])
def test_a_client_sends_exactly_so_many_bytes(serve, command, amount):
    server = serve(command)
    report = client_step(server, "-n", amount)
    assert report["tx_bytes"] == report["expected_bytes"] == amount
    assert list(count_of(server).amounts.values()) == [amount]


@pytest.mark.parametrize("command", [OURS, THEIRS])
def test_a_client_of_four_streams(serve, command):
    # Paced: iperf 2.1.8 corrupts its heap when the first of a group ends before the last is accepted.
    server = serve(command)
    steps = document("iperf", "-c", HOST, "-p", server.port, "-n", "256K", "-P", 4, "-b", "10M")["steps"]
    assert {it["status"] for it in steps} == {"ok"}
    assert sorted(it["stream"] for it in steps) == [1, 2, 3, 4]
    assert list(count_of(server, 4).amounts.values()) == [it["tx_bytes"] for it in steps] == [1 << 18] * 4


@pytest.mark.parametrize("command", [OURS, THEIRS])
def test_a_client_is_sent_to(serve, command):
    server = serve(command)
    report = client_step(server, "-R", "-n", "1M")
    assert report["step"] == "iperf-rx" and report["rx_bytes"] == 1 << 20
    assert list(count_of(server).amounts.values()) == [1 << 20]


@pytest.mark.parametrize("command", [OURS, THEIRS])
@pytest.mark.parametrize("way", ["-d", "-r"])
def test_a_client_is_tested_back(serve, command, way):
    server = serve(command)
    steps = document("iperf", "-c", HOST, "-p", server.port, way, "-n", "256K", "-L",
                     server.port + 1)["steps"]
    assert [it["status"] for it in steps] == ["ok", "ok"]
    assert sorted(it["role"] for it in steps) == ["client", "server"]
    assert [it.get("tx_bytes", it.get("rx_bytes")) for it in steps] == [1 << 18] * 2


def test_both_send_over_one_connection(serve):
    server = serve(ours("iperf"), "-P", 1, "--json", "/dev/stderr")
    report = client_step(server, "--full-duplex", "-t", "0.3")
    server.end()
    (theirs,) = strict(server.errors)["result"]["steps"]
    assert report["step"] == theirs["step"] == "iperf-duplex"
    assert report["tx_bytes"] == theirs["rx_bytes"] > 0
    assert report["rx_bytes"] == theirs["tx_bytes"] > 0


@pytest.mark.parametrize("command", [OURS, THEIRS])
@pytest.mark.parametrize("amount", [73500, 100001])
def test_a_client_sends_exactly_so_many_bytes_in_datagrams(serve, command, amount):
    server = serve(command, udp=True)
    report = client_step(server, "-u", "-b", "20M", "-n", amount)
    heard = report["peer_datagrams"]
    assert report["tx_bytes"] == heard["bytes"] == amount
    assert report["tx_datagrams"] == heard["received"] == heard["expected"]
    assert heard["lost"] == 0
    assert list(count_of(server).received.values()) == [(amount, 0, report["tx_datagrams"])]


@pytest.mark.parametrize("command", [OURS, THEIRS])
def test_a_client_of_two_streams_of_datagrams(serve, command):
    server = serve(command, udp=True)
    done = document("iperf", "-c", HOST, "-u", "-p", server.port, "-b", RATE, "-n", 20 * DATAGRAM_BYTES,
                    "-P", 2)
    for it in done["steps"]:
        assert it["tx_bytes"] == it["peer_datagrams"]["bytes"] == 20 * DATAGRAM_BYTES
        assert it["peer_datagrams"]["lost"] == 0


@pytest.mark.parametrize("command", [OURS, THEIRS])
def test_a_client_is_sent_datagrams(serve, command):
    server = serve(command, udp=True)
    report = client_step(server, "-u", "-R", "-b", RATE, "-t", 1)
    figures = report["datagrams"]
    assert figures["lost"] == figures["duplicates"] == figures["reordered"] == 0
    assert report["rx_bytes"] == figures["received"] * DATAGRAM_BYTES > 0
    assert figures["received"] == figures["expected"]
    assert list(count_of(server).amounts.values()) == [report["rx_bytes"]]


# ---- our server ------------------------------------------------------------------------


def their_client(server, *args):
    done = subprocess.run(["iperf", "-c", HOST, "-p", str(server.port), "-f", "b", *map(str, args)],
                          capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    return Lines(done.stdout)


@pytest.mark.skipif(shutil.which("iperf") is None, reason="no iperf")
class TestServerOfTheRealClient:
    def serve(self, serve, count, *args, **kwargs):
        return serve(ours("iperf"), "-P", count, "--json", "/dev/stderr", *args, **kwargs)

    def steps(self, server):
        server.end()
        return strict(server.errors)["result"]["steps"]

    @pytest.mark.parametrize("args", [["-n", "1M"], ["-n", "10K"], ["-t", "1"]], ids=" ".join)
    def test_tcp(self, serve, args):
        server = self.serve(serve, 1)
        lines = their_client(server, *args)
        (report,) = self.steps(server)
        assert report["step"] == "iperf-rx" and report["status"] == "ok"
        assert list(lines.amounts.values()) == [report["rx_bytes"]]

    def test_tcp_reversed(self, serve):
        server = self.serve(serve, 1)
        lines = their_client(server, "-R", "-n", "1M")
        (report,) = self.steps(server)
        assert report["step"] == "iperf-tx"
        assert list(lines.amounts.values()) == [report["tx_bytes"]] == [1 << 20]

    def test_four_streams(self, serve):
        server = self.serve(serve, 4)
        lines = their_client(server, "-P", 4, "-n", "256K", "-b", "10M")  # paced, as above
        assert sorted(it["rx_bytes"] for it in self.steps(server)) == sorted(lines.amounts.values())

    def test_udp(self, serve):
        server = self.serve(serve, 1, udp=True)
        lines = their_client(server, "-u", "-b", RATE, "-t", 1)
        (report,) = self.steps(server)
        figures = report["datagrams"]
        assert figures["lost"] == 0
        assert (report["rx_bytes"], 0, figures["received"]) in lines.received.values()

    def test_udp_reversed(self, serve):
        server = self.serve(serve, 1, udp=True)
        lines = their_client(server, "-u", "-R", "-b", RATE, "-t", 1)
        (report,) = self.steps(server)
        assert list(lines.received.values()) == [(report["tx_bytes"], 0, report["tx_datagrams"])]


# ---- lines ------------------------------------------------------------------------------


def test_intervals_add_up_and_none_has_no_length(serve):
    server = serve(ours("iperf"))
    done = netdyno("iperf", "-c", HOST, "-p", server.port, "-t", 1, "-i", "0.25", "-f", "b")
    spans = [(float(a), float(b), int(n))
             for _, a, b, n in re.findall(SPAN + r"(\d+) Bytes", done.stdout)]
    total = spans.pop()
    assert total[0] == 0
    assert len(spans) == 4
    assert all(end - begin > 0.01 for begin, end, _ in spans)
    assert [it[0] for it in spans[1:]] == [it[1] for it in spans[:-1]]
    assert sum(it[2] for it in spans) == total[2]


def test_a_sum_for_streams(serve):
    server = serve(ours("iperf"))
    done = netdyno("iperf", "-c", HOST, "-p", server.port, "-t", 1, "-i", "0.5", "-P", 2, "-f", "b")
    rows = re.findall(SPAN + r"(\d+) Bytes", done.stdout)
    sums = [int(amount) for name, *_, amount in rows if name == "SUM"]
    streams = [int(amount) for name, *_, amount in rows if name != "SUM"]
    assert len(sums) == 3
    assert sum(sums) == sum(streams)


def test_lines_come_through_a_pipe_when_they_are_due(serve):
    """Ctrl-C is answered by the summary so far; the first line was there in mid-test."""
    server = serve(ours("iperf"))
    code, out = interrupt_after(["iperf", "-c", HOST, "-p", server.port, "-t", 60, "-i", "0.1", "-f", "b"],
                                SPAN)
    assert code == 130
    amounts = [int(it[3]) for it in re.findall(SPAN + r"(\d+) Bytes", out)]
    assert len(amounts) >= 2 and amounts[-1] == sum(amounts[:-1]) > 0


def test_rates_are_decimal_and_exact(serve):
    server = serve(ours("iperf"), udp=True)
    done = netdyno("iperf", "-c", HOST, "-u", "-p", server.port, "-b", "1M", "-l", 1250, "-n", 2500)
    assert "Sending 1250 byte datagrams, one every 10000.00 us" in done.stdout
    assert " 2.50 KBytes " in done.stdout


@pytest.mark.parametrize("letter, unit", [("k", "Kbits"), ("m", "Mbits"), ("K", "KBytes"), ("G", "GBytes")])
def test_units_of_the_rate(serve, letter, unit):
    server = serve(ours("iperf"))
    done = netdyno("iperf", "-c", HOST, "-p", server.port, "-n", "1M", "-f", letter)
    assert re.search(rf"[\d.]+ {unit}/sec\n", done.stdout)


def test_a_sender_is_told_what_was_offered(serve):
    server = serve(ours("iperf"), udp=True)
    assert netdyno("iperf", "-c", HOST, "-u", "-p", server.port, "-b", RATE, "-n", "100K").returncode == 0
    out = server.stop()
    assert re.search(r" 0/70 \(0%\)  offered  ?[\d.]+ [KM]bits/sec  \d+ pps\n", out)


# ---- what goes wrong -------------------------------------------------------------------


def fails(*args):
    """A test that fails: in text and in JSON alike; the document's result."""
    text = netdyno("iperf", *args)
    assert text.returncode == 1 and is_one_line(text.stderr)
    result = document("iperf", *args, code=1)
    assert result["error"] in text.stderr
    return result


def test_nobody_listens():
    result = fails("-c", HOST, "-p", free_ports(1))
    assert result["steps"][0]["reason"] == "refused"


def test_nobody_listens_to_datagrams():
    result = fails("-c", HOST, "-u", "-p", free_ports(1), "-t", "0.1")
    assert "no report" in result["error"]


def test_nobody_sends_datagrams():
    result = fails("-c", HOST, "-u", "-R", "-p", free_ports(1), "-t", "0.1")
    assert result["steps"][0]["reason"] == "timeout"


def test_a_host_that_is_none():
    assert fails("-c", "no-such-host.invalid")["steps"] == []


def test_a_peer_that_is_killed(serve):
    server = serve(ours("iperf"))
    args = ["iperf", "-c", HOST, "-p", str(server.port), "-t", "60", "-i", "0.1", "--json", "/dev/stderr"]
    client = subprocess.Popen([TOOL, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not re.match(SPAN, client.stdout.readline()):
        assert client.poll() is None
    server.process.kill()
    _, err = client.communicate(timeout=PATIENCE_S)
    assert client.returncode == 1
    result = strict(err[err.index("\n{") + 1:])["result"]
    assert result["steps"][0]["reason"] == "reset" and result["error"]


def test_a_server_survives_whoever_calls(serve):
    server = serve(ours("iperf"))
    for words in (b"", b"x", b"GET / HTTP/1.0\r\n\r\n", b"\0" * 100):
        with socket.create_connection((HOST, server.port)) as sock:
            sock.sendall(words)
    assert client_step(server, "-n", "10K")["tx_bytes"] == 10240


def test_a_port_that_is_taken(serve):
    server = serve(ours("iperf"))
    assert "cannot listen" in fails("-s", "-p", server.port)["error"]


@pytest.mark.parametrize("args, words", [
    ([], ["-s or -c HOST"]),
    (["-s", "-c", HOST], ["one of -s, -c"]),
    (["-c", HOST, "-R", "-d"], ["one of -R, -r, -d"]),
    (["-c", HOST, "-u", "--full-duplex"], ["over UDP"]),
    (["-c", HOST, "-u", "-l", "15"], ["-l 15", "16 to 65507"]),
    (["-c", HOST, "-y", "C"], ["--reportstyle", "--json"]),
    (["-c", HOST, "-w", "1M"], ["--window"]),
    (["-c", HOST, "-Q"], ["unknown option -Q", "-n --num"]),
    (["-c", HOST, "-b", "1X"], ["--bandwidth 1X", "100M"]),
    (["-c", HOST, "-f", "x"], ["-f x", "k, m, g"]),
])
def test_what_is_not_supported_is_refused_by_name(args, words):
    done = netdyno("iperf", *args)
    assert done.returncode == 2 and is_one_line(done.stderr)
    assert all(word in done.stderr for word in words), done.stderr


@pytest.mark.skipif(not can_make_namespaces(), reason="needs network namespaces")
class TestWarnings:
    def test_of_fragments(self):
        done = in_namespace("ip link set lo up mtu 1500",
                            f"{TOOL} iperf -c {HOST} -u -l 1472 -n 1472 || true",
                            f"{TOOL} iperf -c {HOST} -u -l 1473 -n 1473 --json - || true")
        assert done.stderr.count("fragmented") == 1
        result = strict(done.stdout[done.stdout.index("\n{") + 1:])["result"]
        assert "room for 1472" in result["warnings"][0]

    def test_of_a_rate_beyond_the_link(self):
        """Ethernet at 10 Gbit/s, as the kernel says of a pair of virtual ones: 9570 Mbit/s of payload."""
        done = in_namespace("ip link add left type veth peer name right",
                            "ip addr add 10.0.0.1/24 dev left", "ip link set left up",
                            "ip link set right up",
                            f"{TOOL} iperf -c 10.0.0.2 -u -b 9.5G -n 1470 || true",
                            f"{TOOL} iperf -c 10.0.0.2 -u -b 9.6G -n 1470 || true")
        assert done.stderr.count("more than the link carries: 9570.") == 1
        assert "9600.00 Mbit/s" in done.stderr
