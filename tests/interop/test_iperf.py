# SPDX-License-Identifier: BSD-3-Clause
"""Debian's iperf 2.1 as client and as server: both ends count the same, to the byte."""
import re
import time

import pytest

DATAGRAM_BYTES = 1470
RATE = "5M"
SECONDS = "0.4"

NUMBER = r"(\d+)"
STREAM = r"\[\s*\*?(\d+)\] "
SPAN = r"[\d.]+-[\d.]+ sec\s+"


class Output:
    """What iperf -e -f b printed, total lines aside. Each maps a stream to what its line says: bytes moved;
    (bytes, lost, datagrams) received; and the same as its server told it."""

    def __init__(self, text):
        self.text = text
        self.bytes = {}
        self.received = {}
        self.server_report = {}
        reported = set()
        for line in text.splitlines():
            head = re.match(STREAM, line)
            if head and line.endswith("Server Report:"):
                reported.add(head[1])
            elif head and re.match(STREAM + SPAN, line):
                self._take(line, head[1], head[1] in reported)
                reported.discard(head[1])

    def _take(self, line, stream, is_report):
        received = re.match(STREAM + SPAN + NUMBER + r" Bytes\s.* ms " + NUMBER + "/" + NUMBER, line)
        figures = received and tuple(map(int, received.groups()[1:]))
        if is_report:
            self.server_report[stream] = figures
            return
        self.bytes[stream] = int(re.match(STREAM + SPAN + NUMBER, line)[2])
        if figures:
            self.received[stream] = figures


def client(target, *args):
    # Without its header (-C) iperf has no long form.
    form = () if "-C" in args else ("-e",)
    return Output(target.iperf("-f", "b", *form, *args))


class Server:
    """iperf -s on the PC, until its output has been asked for."""

    def __init__(self, target, *args):
        self.process = target.pc.start("iperf", "-s", "-e", "-f", "b", *args)
        self.seconds = 0.5 if "-u" in args else 0.2
        time.sleep(0.15)

    def output(self):
        time.sleep(self.seconds)  # over UDP it waits for silence
        self.process.terminate()
        out, _ = self.process.communicate(timeout=10)
        return Output(out)


def is_clean(datagrams, count):
    """All came, once and in order."""
    assert datagrams["received"] == datagrams["expected"] == count
    assert datagrams["lost"] == datagrams["duplicates"] == datagrams["reordered"] == 0
    assert datagrams["bytes"] == count * DATAGRAM_BYTES


# ---- the device serves -----------------------------------------------------------------


@pytest.mark.parametrize("args", [("-t", SECONDS), ("-n", "1M"), ("-n", "1000"), ("-n", "2K", "-l", "1"),
                                  ("-n", "100001"), ("-t", SECONDS, "-X"), ("-n", "200K", "-C")],
                         ids=" ".join)
def test_tcp_to_the_device(fresh, args):
    out = client(fresh, *args)
    report = fresh.console.report("iperf")
    assert report["result"] == "ok" and report["phase"] == "rx" and report["role"] == "server"
    assert [report["rx"]["bytes"]] == list(out.bytes.values())
    assert report["tx"]["bytes"] == 0


def test_two_tcp_streams_to_the_device(fresh):
    out = client(fresh, "-t", SECONDS, "-P", "2")
    reports = fresh.console.report_all("iperf", 2)
    assert sorted(it["rx"]["bytes"] for it in reports) == sorted(out.bytes.values())


@pytest.mark.parametrize("args", [("-t", SECONDS), ("-n", "1M")], ids=" ".join)
def test_tcp_from_the_device(fresh, args):
    out = client(fresh, "-R", *args)
    report = fresh.console.report("iperf")
    assert report["result"] == "ok" and report["phase"] == "tx"
    assert [report["tx"]["bytes"]] == list(out.bytes.values())
    assert report["rx"]["bytes"] == 0


def test_tcp_both_ways_on_one_connection(fresh):
    out = client(fresh, "--full-duplex", "-t", SECONDS)
    report = fresh.console.report("iperf")
    assert report["result"] == "ok" and report["phase"] == "duplex"
    assert sorted([report["rx"]["bytes"], report["tx"]["bytes"]]) == duplex_bytes(out)


def duplex_bytes(out):
    """Both directions have one stream's number: each has its line."""
    lines = re.findall(STREAM + SPAN + NUMBER + " Bytes", out.text)
    return sorted(int(amount) for _, amount in lines)


@pytest.mark.parametrize("way", ["-d", "-r"])
def test_tcp_there_and_back(fresh, way):
    out = client(fresh, way, "-t", SECONDS)
    reports = fresh.console.report_all("iperf", 2)
    assert {it["result"] for it in reports} == {"ok"}
    assert {it["phase"] for it in reports} == {"rx", "tx"}
    assert sorted(it[it["phase"]]["bytes"] for it in reports) == sorted(out.bytes.values())


def test_udp_to_the_device(fresh):
    out = client(fresh, "-u", "-b", RATE, "-t", SECONDS)
    report = fresh.console.report("iperf")
    (sent,) = out.bytes.values()
    count = sent // DATAGRAM_BYTES
    assert report["result"] == "ok" and report["rx"]["bytes"] == sent
    is_clean(report["datagrams"], count)
    assert list(out.server_report.values()) == [(sent, 0, count)]


def test_udp_by_amount_to_the_device(fresh):
    out = client(fresh, "-u", "-b", RATE, "-n", "147000")
    report = fresh.console.report("iperf")
    (sent,) = out.bytes.values()
    assert report["rx"]["bytes"] == sent
    assert list(out.server_report.values()) == [(sent, 0, sent // DATAGRAM_BYTES)]


def test_two_udp_streams_to_the_device(fresh):
    out = client(fresh, "-u", "-b", RATE, "-t", SECONDS, "-P", "2")
    reports = fresh.console.report_all("iperf", 2)
    assert sorted(it["rx"]["bytes"] for it in reports) == sorted(out.bytes.values())
    assert sorted((it["rx"]["bytes"], it["datagrams"]["lost"], it["datagrams"]["expected"])
                  for it in reports) == sorted(out.server_report.values())
    assert {it["datagrams"]["lost"] for it in reports} == {0}


def test_udp_from_the_device(fresh):
    out = client(fresh, "-u", "-R", "-b", RATE, "-t", SECONDS)
    report = fresh.console.report("iperf")
    assert report["result"] == "ok" and report["phase"] == "tx"
    count = report["tx_datagrams"]
    assert report["tx"]["bytes"] == count * DATAGRAM_BYTES
    assert list(out.received.values()) == [(count * DATAGRAM_BYTES, 0, count)]


@pytest.mark.parametrize("way", ["-d", "-r"])
def test_udp_there_and_back(fresh, way):
    out = client(fresh, "-u", way, "-b", RATE, "-t", SECONDS)
    there = fresh.console.report("iperf", phase="rx")
    back = fresh.console.report("iperf", phase="tx")
    assert list(out.server_report.values()) == [
        (there["rx"]["bytes"], 0, there["datagrams"]["expected"])]
    assert there["datagrams"]["lost"] == 0
    ((back_bytes, lost, count),) = out.received.values()
    heard = back["peer_datagrams"]
    assert (heard["bytes"], heard["lost"], heard["expected"]) == (back_bytes, lost, count)
    assert count == back["tx_datagrams"]
    # iperf itself may lose the second datagram, while it makes a socket for the sender of the first.
    assert lost <= 1 and back_bytes == (count - lost) * DATAGRAM_BYTES


@pytest.mark.parametrize("length", [16, 75, 76, 77, 1471, 1472])
def test_udp_datagrams_of_any_length(fresh, length):
    out = client(fresh, "-u", "-l", length, "-b", "200pps", "-n", 20 * length)
    report = fresh.console.report("iperf")
    ((received, lost, total),) = out.server_report.values()
    assert lost == 0 and report["datagrams"]["lost"] == 0
    assert received == report["rx"]["bytes"] and total == report["datagrams"]["expected"]


# ---- the device calls ------------------------------------------------------------------


def test_tcp_by_the_device(fresh):
    server = Server(fresh)
    fresh.console.run("iperf -c 10.9.0.1 -t 1")
    report = fresh.console.report("iperf", role="client")
    assert report["result"] == "ok"
    assert list(server.output().bytes.values()) == [report["tx"]["bytes"]]


@pytest.mark.parametrize("amount", ["1M", "100001", "1000"])
def test_tcp_by_amount_by_the_device(fresh, amount):
    server = Server(fresh)
    fresh.console.run(f"iperf -c 10.9.0.1 -n {amount}")
    report = fresh.console.report("iperf", role="client")
    expected = (1 << 20) if amount == "1M" else int(amount)
    assert report["result"] == "ok" and report["tx"]["bytes"] == expected
    assert list(server.output().bytes.values()) == [expected]


def test_tcp_reversed_by_the_device(fresh):
    server = Server(fresh)
    fresh.console.run("iperf -c 10.9.0.1 -R -n 4M")
    report = fresh.console.report("iperf", role="client")
    assert report["result"] == "ok" and report["phase"] == "rx"
    assert list(server.output().bytes.values()) == [report["rx"]["bytes"]]


def test_two_tcp_streams_by_the_device(fresh):
    server = Server(fresh)
    fresh.console.run("iperf -c 10.9.0.1 -n 4M -P 2")
    reports = fresh.console.report_all("iperf", 2, role="client")
    assert sorted(it["tx"]["bytes"] for it in reports) == sorted(server.output().bytes.values())
    assert {it["stream"] for it in reports} == {1, 2}


@pytest.mark.parametrize("way", ["-d", "-r"])
def test_tcp_there_and_back_by_the_device(fresh, way):
    server = Server(fresh)
    fresh.console.run(f"iperf -c 10.9.0.1 {way} -n 4M")
    there = fresh.console.report("iperf", role="client")
    back = fresh.console.report("iperf", role="server")
    assert there["result"] == back["result"] == "ok"
    assert sorted(server.output().bytes.values()) == sorted([there["tx"]["bytes"], back["rx"]["bytes"]])


@pytest.mark.parametrize("args", ["-t 1", "-n 147000", "-n 100001"])
def test_udp_by_the_device(fresh, args):
    server = Server(fresh, "-u")
    fresh.console.run(f"iperf -c 10.9.0.1 -u -b {RATE} {args}")
    report = fresh.console.report("iperf", role="client")
    assert report["result"] == "ok"
    sent, count = report["tx"]["bytes"], report["tx_datagrams"]
    assert args == "-t 1" or sent == int(args[3:])
    heard = report["peer_datagrams"]
    assert (heard["bytes"], heard["lost"], heard["expected"]) == (sent, 0, count)
    assert list(server.output().received.values()) == [(sent, 0, count)]


def test_two_udp_streams_by_the_device(fresh):
    server = Server(fresh, "-u")
    fresh.console.run(f"iperf -c 10.9.0.1 -u -b {RATE} -n 147000 -P 2")
    reports = fresh.console.report_all("iperf", 2, role="client")
    assert sorted((it["tx"]["bytes"], 0, it["tx_datagrams"]) for it in reports) == sorted(
        server.output().received.values())


def test_udp_reversed_by_the_device(fresh):
    server = Server(fresh, "-u")
    fresh.console.run(f"iperf -c 10.9.0.1 -u -R -b {RATE} -t 1")
    report = fresh.console.report("iperf", role="client")
    assert report["result"] == "ok"
    is_clean(report["datagrams"], report["rx"]["bytes"] // DATAGRAM_BYTES)
    assert list(server.output().bytes.values()) == [report["rx"]["bytes"]]


@pytest.mark.parametrize("way", ["-d", "-r"])
def test_udp_there_and_back_by_the_device(fresh, way):
    server = Server(fresh, "-u")
    fresh.console.run(f"iperf -c 10.9.0.1 -u {way} -b {RATE} -n 147000")
    there = fresh.console.report("iperf", role="client")
    back = fresh.console.report("iperf", role="server")
    out = server.output()
    assert there["result"] == back["result"] == "ok"
    assert list(out.received.values()) == [(there["tx"]["bytes"], 0, there["tx_datagrams"])]
    is_clean(back["datagrams"], back["rx"]["bytes"] // DATAGRAM_BYTES)
    assert back["rx"]["bytes"] in out.bytes.values()


# ---- what is lost ----------------------------------------------------------------------

LOST = [3, 7, 8, 9, 20, 40]
COUNT = 64


def test_lost_on_the_way_to_the_device(lossy):
    lossy.relay.lose("device", LOST, DATAGRAM_BYTES, DATAGRAM_BYTES)
    out = client(lossy, "-u", "-b", "1M", "-n", COUNT * DATAGRAM_BYTES)
    report = lossy.console.report("iperf")
    assert lossy.relay.counts()["device"]["lost"] == len(LOST)
    ((received, lost, total),) = out.server_report.values()
    assert lost == report["datagrams"]["lost"] == len(LOST)
    assert total == report["datagrams"]["expected"] == lossy.relay.counts()["device"]["seen"]
    assert received == report["rx"]["bytes"] == (total - len(LOST)) * DATAGRAM_BYTES
    assert report["datagrams"]["reordered"] == report["datagrams"]["duplicates"] == 0


def test_lost_on_the_way_from_the_device(lossy):
    """Slow enough for iperf to have made a socket for the sender when the second datagram comes."""
    lossy.relay.lose("pc", LOST, DATAGRAM_BYTES, DATAGRAM_BYTES)
    server = Server(lossy, "-u")
    lossy.console.run(f"iperf -c 10.9.0.1 -u -b 400K -n {COUNT * DATAGRAM_BYTES}")
    report = lossy.console.report("iperf", role="client")
    heard = report["peer_datagrams"]
    counts = lossy.relay.counts()["pc"]
    assert counts["lost"] == len(LOST) and counts["seen"] >= COUNT  # the last may be repeated
    assert (heard["lost"], heard["expected"]) == (len(LOST), COUNT)
    assert list(server.output().received.values()) == [
        ((COUNT - len(LOST)) * DATAGRAM_BYTES, len(LOST), COUNT)]


def test_lost_when_the_client_has_asked_the_device_to_send(lossy):
    lossy.relay.lose("pc", LOST, DATAGRAM_BYTES, DATAGRAM_BYTES)
    out = client(lossy, "-u", "-R", "-b", "2M", "-t", "1.5")
    report = lossy.console.report("iperf")
    ((_, lost, total),) = out.received.values()
    assert lossy.relay.counts()["pc"]["lost"] == lost == len(LOST)
    assert total == report["tx_datagrams"]


def test_a_lost_report_is_asked_for_again(lossy):
    """The first answer to the end of the test does not arrive."""
    lossy.relay.lose("pc", [1], 128, 128)
    out = client(lossy, "-u", "-b", "2M", "-n", 20 * DATAGRAM_BYTES)
    report = lossy.console.report("iperf")
    assert lossy.relay.counts()["pc"]["lost"] == 1
    assert list(out.server_report.values()) == [
        (report["rx"]["bytes"], 0, report["datagrams"]["expected"])]
