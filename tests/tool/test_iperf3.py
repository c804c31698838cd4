# SPDX-License-Identifier: BSD-3-Clause
"""netdyno iperf3 as client and as server, against itself and against iperf3: the counts of both ends
agree exactly, as the JSON of both has them."""
import json
import re
import shutil
import socket
import subprocess

import pytest
from conftest import PATIENCE_S, TOOL, free_ports, is_one_line, netdyno
from peers import RATE, Server, document, interrupt_after, ours, step, strict

HOST = "127.0.0.1"
LENGTH = 1460
UDP = ["-u", "-b", RATE, "-l", LENGTH]
UDP_OF_4 = ["-u", "-b", "200K", "-l", LENGTH, "-t", 1, "-P", 4]


has_iperf3 = pytest.mark.skipif(shutil.which("iperf3") is None, reason="no iperf3")
OURS = pytest.param(ours("iperf3"), id="netdyno")
THEIRS = pytest.param(["iperf3"], id="iperf3", marks=has_iperf3)

SPAN = r"\[\s*(\d+|SUM)\](?:\[..-.\])?\s+([\d.]+)-([\d.]+)\s+sec\s+"


@pytest.fixture
def serve():
    servers = []

    def start(command, *args):
        servers.append(Server(command, *args))
        return servers[-1]

    yield start
    for it in servers:
        it.close()


def client_step(server, *args):
    return step("iperf3", "-c", HOST, "-p", server.port, *args)


def by_end(report, direction=None):
    """Of each stream, the bytes that its sender and its receiver have counted."""
    ends = {"sender": {}, "receiver": {}}
    for it in report["streams"]:
        if direction in (None, it["direction"]):
            ends[it["counted_by"]][it["stream"]] = it["bytes"]
    return ends["sender"], ends["receiver"]


def agree(report):
    sent, received = by_end(report)
    assert sent == received and all(sent.values())
    return sum(sent.values())


def clean(figures):
    assert figures["lost"] == figures["duplicates"] == figures["reordered"] == 0
    assert figures["received"] == figures["expected"] > 0


# ---- our client; the server's counts are in its results ---------------------------------


@pytest.mark.parametrize("command", [OURS, THEIRS])
@pytest.mark.parametrize("amount", [1, 1000, 10240, 100001, 1 << 20])
@pytest.mark.parametrize("way", [[], ["-R"]], ids=["sends", "is sent to"])
def test_exactly_so_many_bytes(serve, command, amount, way):
    if way and command == ["iperf3"]:
        pytest.skip("iperf3 as a sender rounds up to whole blocks")
    report = client_step(serve(command, "-1"), "-n", amount, *way)
    assert agree(report) == amount


@pytest.mark.parametrize("command", [OURS, THEIRS])
@pytest.mark.parametrize("args", [["-t", 1], ["-t", 1, "-P", 4], ["-t", 1, "-R"], ["-k", 10],
                                  ["-t", 1, "-R", "-P", 4], ["-t", 1, "-O", 1], ["-t", 1, "-b", "10M"]],
                         ids=lambda args: " ".join(map(str, args)))
def test_tcp(serve, command, args):
    report = client_step(serve(command, "-1"), *args)
    sent, received = by_end(report)
    assert len(received) == (4 if "-P" in args else 1)
    assert all(received.values())
    if "-O" not in args and (command != ["iperf3"] or "-R" not in args):
        assert sent == received
    if "-k" in args:
        assert sum(sent.values()) == 10 * 131072


@pytest.mark.parametrize("command", [OURS, THEIRS])
@pytest.mark.parametrize("args", [[], ["-P", 2]], ids=["one", "two"])
def test_tcp_both_ways(serve, command, args):
    report = client_step(serve(command, "-1"), "--bidir", "-t", 1, *args)
    sent, received = by_end(report, "tx")
    assert sent and len(sent) == len(received)
    if command != ["iperf3"]:  # it reads no more when it has heard of the end
        assert sent == received
    assert sum(sent.values()) == report["tx_bytes"]
    sent, received = by_end(report, "rx")
    assert sum(received.values()) == report["rx_bytes"] > 0


@pytest.mark.parametrize("command", [OURS, THEIRS])
@pytest.mark.parametrize("args", [["-t", 1], ["-n", 60 * LENGTH], ["-k", 60], UDP_OF_4,
                                  ["-t", 1, "--udp-counters-64bit"], ["-t", 1, "-O", 1]],
                         ids=lambda args: " ".join(map(str, args)))
def test_udp(serve, command, args):
    report = client_step(serve(command, "-1"), *UDP, *args)
    clean({"duplicates": 0, **report["peer_datagrams"]})
    if "-O" not in args:
        assert report["tx_datagrams"] == report["peer_datagrams"]["received"]
        assert agree(report) == report["tx_datagrams"] * LENGTH
    if "-n" in args or "-k" in args:
        assert report["tx_datagrams"] == 60


@pytest.mark.parametrize("command", [OURS, THEIRS])
@pytest.mark.parametrize("args", [["-t", 1], UDP_OF_4, ["-n", 60 * LENGTH]],
                         ids=lambda args: " ".join(map(str, args)))
def test_udp_reversed(serve, command, args):
    report = client_step(serve(command, "-1"), *UDP, "-R", *args)
    clean(report["datagrams"])
    assert agree(report) == report["rx_bytes"] == report["datagrams"]["received"] * LENGTH


@pytest.mark.parametrize("command", [OURS, THEIRS])
def test_udp_both_ways(serve, command):
    report = client_step(serve(command, "-1"), *UDP, "--bidir", "-t", 1)
    clean(report["datagrams"])
    assert report["peer_datagrams"]["lost"] == 0
    agree(report)


@has_iperf3
def test_the_servers_output(serve):
    result = document("iperf3", "-c", HOST, "-p", serve(["iperf3"], "-1").port, "-n", "1M",
                      "--get-server-output")
    assert "Accepted connection from 127.0.0.1" in result["server_output_text"]
    done = netdyno("iperf3", "-c", HOST, "-p", serve(ours("iperf3"), "-1").port, "-n", "1M",
                   "--get-server-output")
    assert "Server output:\nnetdyno on " in done.stdout and "received 1048576 bytes" in done.stdout


# ---- our server ------------------------------------------------------------------------


def their_client(server, *args):
    done = subprocess.run(["iperf3", "-c", HOST, "-p", str(server.port), "-J", *map(str, args)],
                          capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    return json.loads(done.stdout)["end"]  # which has some keys twice


@has_iperf3
class TestServerOfTheRealClient:
    def run(self, serve, *args):
        """The client's end, the server's step."""
        server = serve(ours("iperf3"), "-1", "--json", "/dev/stderr")
        end = their_client(server, *args)
        server.end()
        (report,) = strict(server.errors)["result"]["steps"]
        assert report["status"] == "ok" and report["role"] == "server"
        return end, report

    @pytest.mark.parametrize("args", [["-t", 1], ["-t", 1, "-P", 4], ["-n", "1M"]],
                             ids=lambda args: " ".join(map(str, args)))
    def test_tcp(self, serve, args):
        end, report = self.run(serve, *args)
        assert report["rx_bytes"] == end["sum_sent"]["bytes"] == end["sum_received"]["bytes"]
        assert agree(report) == report["rx_bytes"]

    @pytest.mark.parametrize("args", [["-t", 1], ["-t", 1, "-P", 4], ["-n", "1M"]],
                             ids=lambda args: " ".join(map(str, args)))
    def test_tcp_reversed(self, serve, args):
        end, report = self.run(serve, "-R", *args)
        assert report["tx_bytes"] == end["sum_sent"]["bytes"]
        assert end["sum_received"]["bytes"] <= report["tx_bytes"]

    def test_tcp_both_ways(self, serve):
        end, report = self.run(serve, "--bidir", "-t", 1)
        assert report["rx_bytes"] == end["sum_received"]["bytes"]
        assert report["tx_bytes"] == end["sum_sent_bidir_reverse"]["bytes"]

    @pytest.mark.parametrize("args", [["-t", 1], UDP_OF_4, ["-t", 1, "--udp-counters-64bit"]],
                             ids=lambda args: " ".join(map(str, args)))
    def test_udp(self, serve, args):
        end, report = self.run(serve, *UDP, *args)
        clean(report["datagrams"])
        assert report["datagrams"]["received"] == end["sum"]["packets"]
        assert end["sum"]["lost_packets"] == 0
        assert report["rx_bytes"] == end["sum"]["packets"] * LENGTH

    def test_udp_reversed(self, serve):
        end, report = self.run(serve, *UDP, "-R", "-t", 1)
        assert report["tx_datagrams"] == end["sum"]["packets"]
        assert end["sum"]["lost_packets"] == 0


# ---- lines and iperf3's JSON -------------------------------------------------------------


@pytest.mark.parametrize("args", [["-P", 2], ["--bidir"], [*UDP], [*UDP, "-R"], ["-R"]],
                         ids=lambda args: " ".join(map(str, args)))
def test_intervals_add_up_and_none_has_no_length(serve, args):
    server = serve(ours("iperf3"), "-1", "-i", "0.25", "-f", "b")
    done = netdyno("iperf3", "-c", HOST, "-p", server.port, "-t", 1, "-i", "0.25", "-f", "b", *args)
    for text in (done.stdout, server.end()):
        intervals, whole = text.rsplit("[ ID]", 1)
        rows = re.findall(SPAN + r"(\d+) Bytes", intervals)
        assert rows and all(float(end) - float(begin) > 0.1 for _, begin, end, _ in rows)
        for name in {it[0] for it in rows}:
            ((ours_whole, *_),) = [re.findall(rf"\[\s*{name}\](?:\[..-.\])?.* (\d+) Bytes.*(sender|receiver)",
                                              whole)[:1]]
            assert sum(int(it[3]) for it in rows if it[0] == name) == int(ours_whole[0])


@has_iperf3
@pytest.mark.parametrize("args", [[], ["-P", 2], ["-R"], ["--bidir"], UDP, [*UDP, "-R"], [*UDP, "-P", 2]],
                         ids=lambda args: " ".join(map(str, args)))
def test_the_json_has_the_keys_of_iperf3(serve, args):
    """What iperf3 -J has, ours has; but not what this end does not know."""
    unknown = {"retransmits", "max_snd_cwnd", "max_snd_wnd", "max_rtt", "min_rtt", "mean_rtt", "snd_cwnd",
               "snd_wnd", "rtt", "rttvar", "pmtu", "cpu_utilization_percent", "sender_tcp_congestion",
               "receiver_tcp_congestion"}
    server = serve(ours("iperf3"))

    def run(command):
        done = subprocess.run([*command, "-c", HOST, "-p", str(server.port), "-t", "1", "-J",
                               *map(str, args)], capture_output=True, text=True, timeout=PATIENCE_S,
                              check=True)
        return json.loads(done.stdout)

    def lacking(theirs, mine, path=""):
        if isinstance(theirs, list):
            assert len(theirs) == len(mine), path
            return sum((lacking(a, b, path + "[]") for a, b in zip(theirs, mine)), [])
        if not isinstance(theirs, dict):
            return []
        sender = {"jitter_ms", "lost_packets", "lost_percent"} if path == ".sum_sent" else set()
        lost = [f"{path}.{key}" for key in theirs if key not in mine and key not in unknown | sender]
        return lost + sum((lacking(theirs[key], mine[key], f"{path}.{key}")
                           for key in theirs if key in mine), [])

    theirs, mine = run(["iperf3"]), run(ours("iperf3"))
    assert lacking(theirs["end"], mine["end"]) == []
    assert lacking(theirs["intervals"][0], mine["intervals"][0]) == []
    assert mine["end"]["sum_received"]["bytes"] > 0


def test_lines_come_through_a_pipe_when_they_are_due(serve):
    server = serve(ours("iperf3"))
    code, out = interrupt_after(["iperf3", "-c", HOST, "-p", server.port, "-t", 60, "-i", "0.1", "-f", "b"],
                                SPAN)
    assert code == 130
    *intervals, whole = [int(it[3]) for it in re.findall(SPAN + r"(\d+) Bytes", out)]
    assert intervals and sum(intervals) == whole
    assert client_step(server, "-n", "10K")["tx_bytes"] == 10240


# ---- what goes wrong -------------------------------------------------------------------


def fails(*args):
    """A test that fails, in text and in each JSON alike; the document's result."""
    text = netdyno("iperf3", *args)
    assert text.returncode == 1 and is_one_line(text.stderr), text.stderr
    result = document("iperf3", *args, code=1)
    theirs = netdyno("iperf3", *args, "-J")
    assert theirs.returncode == 1
    assert strict(theirs.stdout)["error"] == result["error"]
    assert result["error"] in text.stderr
    return result


def test_nobody_listens():
    assert fails("-c", HOST, "-p", free_ports(1))["steps"][0]["reason"] == "refused"


def test_a_host_that_is_none():
    assert fails("-c", "no-such-host.invalid")["steps"] == []


@pytest.mark.parametrize("command", [OURS, THEIRS])
def test_a_server_that_is_busy(serve, command):
    server = serve(command)
    first = subprocess.Popen([TOOL, "iperf3", "-c", HOST, "-p", str(server.port), "-t", "60", "-i", "0.1"],
                             stdout=subprocess.PIPE, text=True)
    try:
        while not re.match(SPAN, first.stdout.readline()):
            assert first.poll() is None
        # The word that says so may be overtaken by the end of the connection.
        done = netdyno("iperf3", "-c", HOST, "-p", server.port, "-t", 1)
        assert done.returncode == 1 and "busy" in done.stderr
        assert "busy" in document("iperf3", "-c", HOST, "-p", server.port, "-t", 1, code=1)["error"]
    finally:
        first.kill()
        first.communicate()


def test_a_peer_that_is_killed(serve):
    server = serve(ours("iperf3"))
    client = subprocess.Popen([TOOL, "iperf3", "-c", HOST, "-p", str(server.port), "-t", "60", "-i", "0.1",
                               "--json", "/dev/stderr"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
    while not re.match(SPAN, client.stdout.readline()):
        assert client.poll() is None
    server.process.kill()
    _, err = client.communicate(timeout=PATIENCE_S)
    assert client.returncode == 1
    result = strict(err[err.index("\n{") + 1:])["result"]
    assert result["steps"][0]["reason"] in ("reset", "short") and result["error"]


def test_a_server_survives_whoever_calls(serve):
    server = serve(ours("iperf3"))
    for words in (b"", b"x", b"GET / HTTP/1.0\r\n\r\n", b"a" * 36 + b"\0" + b"\xff" * 8):
        with socket.create_connection((HOST, server.port)) as sock:
            sock.sendall(words)
    assert client_step(server, "-n", "10K")["tx_bytes"] == 10240


def test_the_other_iperf_is_named(serve):
    """An iperf 3 client at a server of iperf 2, and the reverse: both ends say what is wrong."""
    second = serve(ours("iperf"))
    assert "iperf" in fails("-c", HOST, "-p", second.port, "-t", 1)["error"]
    assert "call with iperf (version 2)" in second.errors
    third = serve(ours("iperf3"))
    assert netdyno("iperf", "-c", HOST, "-p", third.port, "-t", 1).returncode == 1
    third.stop()
    assert "use iperf3 -c" in third.errors


@pytest.mark.parametrize("args, words", [
    ([], ["-s or -c HOST"]),
    (["-s", "-u"], ["with -s only"]),
    (["-c", HOST, "-R", "--bidir"], ["one of -R, --bidir"]),
    (["-c", HOST, "-t", "1", "-n", "1K"], ["one of -t, -n, -k"]),
    (["-c", HOST, "-t", "1.5"], ["whole seconds"]),
    (["-c", HOST, "-u", "-l", "15"], ["-l 15", "16 to 65507"]),
    (["-c", HOST, "-b", "1M/0"], ["-b 1M/0", "RATE/BURST"]),
    (["-c", HOST, "--sctp"], ["--sctp", "only TCP and UDP"]),
    (["-c", HOST, "-Z"], ["--zerocopy"]),
    (["-c", HOST, "--no-such"], ["unknown option --no-such", "--bidir"]),
    (["-c", HOST, "-J", "--json", "-"], ["one of -J, --json"]),
])
def test_what_is_not_supported_is_refused_by_name(args, words):
    done = netdyno("iperf3", *args)
    assert done.returncode == 2 and is_one_line(done.stderr)
    assert all(word in done.stderr for word in words), done.stderr
