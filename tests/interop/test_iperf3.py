# SPDX-License-Identifier: BSD-3-Clause
"""Debian's iperf3 as client and as server: both ends count the same, to the byte and the datagram."""
import json
import time

import pytest

LENGTH = 1400
UDP = ("-u", "-b", "5M", "-l", str(LENGTH))


def receivers(result):
    return [stream["receiver"] for stream in result["end"]["streams"]]


def senders(result):
    return [stream["sender"] for stream in result["end"]["streams"]]


def ok(result):
    assert "error" not in result, result["error"]
    return result["end"]


def report_of(target, role="server"):
    report = target.console.report("iperf3", role=role)
    assert report["result"] == "ok", report
    return report


class Server:
    """iperf3 -s on the PC for one test; its JSON is there when it is over."""

    def __init__(self, target):
        self.process = target.pc.start("iperf3", "-s", "-1", "-J")
        time.sleep(0.15)

    def result(self):
        out, _ = self.process.communicate(timeout=20)
        return json.loads(out)


# ---- the device serves -----------------------------------------------------------------

TCP_TESTS = [("-t", "1"), ("-n", "1M", "-P", "4"), ("-n", "1M"), ("-n", "1M", "-l", "1K"), ("-k", "10"),
             ("-t", "1", "-O", "1"), ("-n", "5K", "-l", "1"), ("-n", "1M", "--get-server-output")]


def agree(a, b, args):
    """What iperf3 sent and what the device says it received. A test that ends by time ends while bytes are under
    way, which iperf3 counts as sent; the seconds that -O leaves out end at another moment at either end, and a busy
    machine moves other amounts in each."""
    if "-O" in args:
        assert a / 4 < b < a * 4, (a, b)
    elif "-t" in args:
        assert a >= b > 0, (a, b)
    else:
        assert a == b > 0, (a, b)


@pytest.mark.parametrize("args", TCP_TESTS, ids=" ".join)
def test_tcp_to_the_device(fresh, args):
    end = ok(fresh.iperf3(*args))
    report = report_of(fresh)
    assert report["rx"]["bytes"] == end["sum_received"]["bytes"]
    assert report["tx"]["bytes"] == 0
    for stream in end["streams"]:
        agree(stream["sender"]["bytes"], stream["receiver"]["bytes"], args)


@pytest.mark.parametrize("args", TCP_TESTS, ids=" ".join)
def test_tcp_from_the_device(fresh, args):
    end = ok(fresh.iperf3("-R", *args))
    report = report_of(fresh)
    assert report["tx"]["bytes"] == end["sum_sent"]["bytes"] > 0 and end["sum_received"]["bytes"] > 0
    assert report["rx"]["bytes"] == 0
    if "-n" in args:  # else iperf3 does not count what is under way when it ends the test
        assert end["sum_sent"]["bytes"] == end["sum_received"]["bytes"]


@pytest.mark.parametrize("args", [("-n", "1M"), ("-n", "1M", "-P", "2")], ids=" ".join)
def test_tcp_both_ways_to_the_device(fresh, args):
    end = ok(fresh.iperf3("--bidir", *args))
    report = report_of(fresh)
    assert report["rx"]["bytes"] == end["sum_sent"]["bytes"] == end["sum_received"]["bytes"] > 0
    assert report["tx"]["bytes"] == end["sum_sent_bidir_reverse"]["bytes"] > 0


UDP_TESTS = [("-t", "1"), ("-n", "140000", "-P", "2"), ("-n", "140000"),
             ("-n", "140000", "--udp-counters-64bit")]


@pytest.mark.parametrize("args", [*UDP_TESTS, ("-t", "1", "-O", "1")], ids=" ".join)
def test_udp_to_the_device(fresh, args):
    end = ok(fresh.iperf3(*UDP, *args))
    report = report_of(fresh)
    figures = report["datagrams"]
    assert figures["lost"] == figures["duplicates"] == figures["reordered"] == 0
    assert end["sum"]["lost_packets"] == 0
    assert figures["expected"] == figures["received"]
    assert report["rx"]["bytes"] == figures["bytes"] == figures["received"] * LENGTH
    agree(figures["received"], end["sum"]["packets"], args)


@pytest.mark.parametrize("args", UDP_TESTS, ids=" ".join)
def test_udp_from_the_device(fresh, args):
    end = ok(fresh.iperf3("-R", *UDP, *args))
    report = report_of(fresh)
    assert end["sum"]["lost_packets"] == 0
    agree(report["tx_datagrams"], end["sum"]["packets"], args)
    assert report["tx"]["bytes"] == report["tx_datagrams"] * LENGTH


def test_udp_both_ways_to_the_device(fresh):
    end = ok(fresh.iperf3("--bidir", *UDP, "-n", "140000"))
    report = report_of(fresh)
    there, back = end["streams"][0]["udp"], end["streams"][1]["udp"]
    assert report["datagrams"]["lost"] == 0 and back["lost_packets"] == 0
    assert report["datagrams"]["expected"] == there["packets"]
    assert report["tx_datagrams"] == back["packets"]


def test_the_server_tells_what_it_saw(fresh):
    done = fresh.iperf3("-n", "1M", "--get-server-output")
    ok(done)
    assert "server_output_text" in done or "server_output_json" in done


# ---- the device calls ------------------------------------------------------------------


@pytest.mark.parametrize("args", ["-t 1", "-n 1M -P 4", "-n 1M", "-n 100001", "-k 10", "-t 1 -O 1"])
def test_tcp_by_the_device(fresh, args):
    server = Server(fresh)
    fresh.console.run(f"iperf3 -c 10.9.0.1 {args}")
    report = report_of(fresh, "client")
    end = ok(server.result())
    agree(report["tx"]["bytes"], end["sum_received"]["bytes"], args)
    if args.startswith("-n"):
        assert report["tx"]["bytes"] == {"1M": 1 << 20, "100001": 100001}[args.split()[1]]


@pytest.mark.parametrize("args", ["-t 1", "-n 1M -P 4", "-n 1M"])
def test_tcp_reversed_by_the_device(fresh, args):
    server = Server(fresh)
    fresh.console.run(f"iperf3 -c 10.9.0.1 -R {args}")
    report = report_of(fresh, "client")
    end = ok(server.result())
    agree(report["rx"]["bytes"], end["sum_sent"]["bytes"], args)


def test_tcp_both_ways_by_the_device(fresh):
    server = Server(fresh)
    fresh.console.run("iperf3 -c 10.9.0.1 --bidir -t 1")
    report = report_of(fresh, "client")
    end = ok(server.result())
    assert report["tx"]["bytes"] == end["sum_received"]["bytes"] > 0
    assert report["rx"]["bytes"] == end["sum_sent_bidir_reverse"]["bytes"] > 0


@pytest.mark.parametrize("args", ["-t 1", "-n 140000 -P 2", "-n 140000", "-n 140000 --udp-counters-64bit"])
def test_udp_by_the_device(fresh, args):
    server = Server(fresh)
    fresh.console.run(f"iperf3 -c 10.9.0.1 -u -b 5M -l {LENGTH} {args}")
    report = report_of(fresh, "client")
    end = ok(server.result())
    assert end["sum"]["lost_packets"] == 0
    assert report["tx_datagrams"] == end["sum"]["packets"] > 0
    assert report["peer_datagrams"]["lost"] == 0
    assert report["peer_datagrams"]["expected"] == report["tx_datagrams"]


@pytest.mark.parametrize("args", ["-t 1", "-n 140000 -P 2", "-n 140000 --udp-counters-64bit"])
def test_udp_reversed_by_the_device(fresh, args):
    server = Server(fresh)
    fresh.console.run(f"iperf3 -c 10.9.0.1 -R -u -b 5M -l {LENGTH} {args}")
    report = report_of(fresh, "client")
    end = ok(server.result())
    figures = report["datagrams"]
    assert figures["lost"] == 0
    assert figures["expected"] == figures["received"] == end["sum"]["packets"] > 0


# ---- what is lost ----------------------------------------------------------------------

LOST = [2, 7, 8, 9, 50, 60]
COUNT = 100
LOSSY = ("-u", "-b", "1M", "-l", str(LENGTH), "-n", str(COUNT * LENGTH))


def test_lost_on_the_way_to_the_device(lossy):
    lossy.relay.lose("device", LOST, LENGTH, LENGTH)
    end = ok(lossy.iperf3(*LOSSY))
    report = report_of(lossy)
    counts = lossy.relay.counts()["device"]
    assert counts["lost"] == end["sum"]["lost_packets"] == report["datagrams"]["lost"] == len(LOST)
    assert counts["seen"] == end["sum"]["packets"] == report["datagrams"]["expected"]
    assert report["datagrams"]["received"] == counts["seen"] - len(LOST)


def test_the_last_datagrams_lost_on_the_way_to_the_device(lossy):
    """iperf3 itself never misses them."""
    lossy.relay.lose("device", range(COUNT - 4, COUNT + 2), LENGTH, LENGTH)
    end = ok(lossy.iperf3(*LOSSY))
    report = report_of(lossy)
    counts = lossy.relay.counts()["device"]
    assert counts["lost"] == report["datagrams"]["lost"] == end["sum"]["lost_packets"] >= 5
    assert counts["seen"] == report["datagrams"]["expected"]


def test_lost_on_the_way_from_the_device(lossy):
    lossy.relay.lose("pc", LOST, LENGTH, LENGTH)
    end = ok(lossy.iperf3("-R", *LOSSY))
    report = report_of(lossy)
    counts = lossy.relay.counts()["pc"]
    assert counts["lost"] == end["sum"]["lost_packets"] == len(LOST)
    assert counts["seen"] == report["tx_datagrams"] == end["sum"]["packets"]


def test_lost_when_the_device_calls(lossy):
    lossy.relay.lose("pc", LOST, LENGTH, LENGTH)
    server = Server(lossy)
    lossy.console.run(f"iperf3 -c 10.9.0.1 -u -b 1M -l {LENGTH} -n {COUNT * LENGTH}")
    report = report_of(lossy, "client")
    end = ok(server.result())
    counts = lossy.relay.counts()["pc"]
    assert counts == {"seen": COUNT, "lost": len(LOST)}
    assert end["sum"]["lost_packets"] == report["peer_datagrams"]["lost"] == len(LOST)
    assert report["tx_datagrams"] == end["sum"]["packets"] == COUNT


def test_lost_when_the_device_has_asked_to_be_sent_to(lossy):
    lossy.relay.lose("device", LOST, LENGTH, LENGTH)
    server = Server(lossy)
    lossy.console.run(f"iperf3 -c 10.9.0.1 -R -u -b 1M -l {LENGTH} -t 1")
    report = report_of(lossy, "client")
    end = ok(server.result())
    counts = lossy.relay.counts()["device"]
    assert counts["lost"] == report["datagrams"]["lost"] == len(LOST)
    assert counts["seen"] == report["datagrams"]["expected"] == end["sum"]["packets"]


@pytest.mark.parametrize("side", ["device", "pc"])
def test_a_lost_hello_is_said_again_when_the_device_calls(lossy, side):
    """The four bytes that open a UDP stream, or their answer."""
    lossy.relay.lose(side, [1], 4, 4)
    server = Server(lossy)
    lossy.console.run(f"iperf3 -c 10.9.0.1 -u -b 1M -l {LENGTH} -n {20 * LENGTH}")
    report = report_of(lossy, "client")
    ok(server.result())
    assert lossy.relay.counts()[side]["lost"] == 1
    assert report["tx_datagrams"] == report["peer_datagrams"]["expected"] == 20
