# SPDX-License-Identifier: BSD-3-Clause
"""Clients that die, hang, talk nonsense or another protocol: the next one is served all the same."""
import json
import os
import signal
import socket
import struct
import subprocess
import time

import dialogue
import pytest
import rig

SECONDS = 3  # within these a server is ready again


def iperf_tcp_works(target):
    target.iperf("-n", "100K", timeout=10)
    return True


def iperf_udp_works(target):
    return "Server Report:" in target.iperf("-u", "-b", "5M", "-n", 20 * 1470, timeout=10)


def iperf3_works(target, *args):
    if "error" in target.iperf3("-n", "100K", *args, timeout=10):
        return False
    target.console.report("iperf3", result="ok")  # the server is done with it, too
    return True


def iperf3_tcp_works(target):
    return iperf3_works(target)


def iperf3_udp_works(target):
    return iperf3_works(target, "-u", "-b", "5M", "-l", "1400")


def assert_ready(works, target):
    assert rig.is_ready(lambda: works(target), SECONDS)


def die(opened, how):
    for sock in opened:
        if how == "reset" and sock.type == socket.SOCK_STREAM:
            rig.reset(sock)
        else:
            sock.close()


# ---- clients that die ------------------------------------------------------------------


@pytest.mark.parametrize("phase", dialogue.IPERF3_PHASES)
@pytest.mark.parametrize("kind, how", [("tcp", "reset"), ("tcp", "close"), ("tcp reversed", "reset"),
                                       ("udp", "reset"), ("udp reversed", "close")])
def test_an_iperf3_client_dies(fresh, kind, how, phase):
    opened = []
    steps = dialogue.iperf3(fresh, opened, udp="udp" in kind, reverse="reversed" in kind)
    dialogue.run_to(steps, phase)
    die(opened, how)
    assert_ready(iperf3_udp_works if "udp" in kind else iperf3_tcp_works, fresh)


@pytest.mark.parametrize("how", ["reset", "close"])
@pytest.mark.parametrize("phase", dialogue.IPERF_PHASES)
def test_an_iperf_client_dies(fresh, phase, how):
    for _ in range(fresh.tests if fresh.tests < 10 else 1):  # all that it can serve at once
        opened = []
        dialogue.run_to(dialogue.iperf(fresh, opened), phase)
        die(opened, how)
    assert_ready(iperf_tcp_works, fresh)


@pytest.mark.parametrize("count", [1, 5])
def test_an_iperf_client_dies_over_udp(fresh, count):
    for _ in range(fresh.tests if fresh.tests < 10 else 1):
        with fresh.socket(socket.SOCK_DGRAM) as sock:
            for number in range(1, count + 1):
                sock.sendto(dialogue.iperf_datagram(number), (fresh.host, fresh.ports["iperf"]))
    if fresh.tests < 10:
        time.sleep(SECONDS - 0.2)  # all places are taken: silence alone tells that nobody is there
    assert iperf_udp_works(fresh)


@pytest.mark.parametrize("program, args, works", [
    ("iperf3", (), iperf3_tcp_works),
    ("iperf3", ("-R",), iperf3_tcp_works),
    ("iperf3", ("--bidir",), iperf3_tcp_works),
    ("iperf3", ("-u", "-b", "5M", "-l", "1400"), iperf3_udp_works),
    ("iperf3", ("-u", "-R", "-b", "5M", "-l", "1400"), iperf3_udp_works),
    ("iperf", (), iperf_tcp_works),
    ("iperf", ("-R",), iperf_tcp_works),
    ("iperf", ("--full-duplex",), iperf_tcp_works),
    ("iperf", ("-u", "-b", "5M"), iperf_udp_works),
    ("iperf", ("-u", "-R", "-b", "5M"), iperf_udp_works)])
def test_a_program_is_killed(fresh, program, args, works):
    process = fresh.pc.start(program, "-c", fresh.host, "-p", fresh.ports[program], "-t", "30", *args)
    time.sleep(0.5)
    assert process.poll() is None
    subprocess.run(["pkill", "-KILL", "-P", str(process.pid)], check=False)
    process.kill()
    process.communicate()
    assert_ready(works, fresh)
    fresh.console.run("stop")  # what still sends to nobody


@pytest.mark.parametrize("service", ["echo", "discard", "chargen", "memtest"])
def test_clients_of_the_small_services_die(fresh, service):
    for _ in range(4):
        sock = fresh.connect(service)
        sock.sendall(b"x" * 3000)
        time.sleep(0.05)
        rig.reset(sock)

    def works():
        with fresh.connect(service) as sock:
            sock.settimeout(1)
            sock.sendall(b"y" * 100)
            return service in ("discard", "memtest") or len(sock.recv(50)) > 0
    assert rig.is_ready(works, SECONDS)


# ---- clients that hang -----------------------------------------------------------------


def test_idle_connections_are_in_nobodys_way(fresh):
    idle = [fresh.connect("iperf3") for _ in range(2)] + [fresh.connect("iperf") for _ in range(2)]
    begin = time.monotonic()
    assert iperf3_tcp_works(fresh) and iperf_tcp_works(fresh) and iperf_udp_works(fresh)
    assert time.monotonic() - begin < 5
    for sock in idle:
        sock.close()


@pytest.fixture
def hasty():
    """An agent that waits a second for a silent peer."""
    network = rig.Network()
    try:
        yield rig.open_agent(network, "--idle", "1s")
    finally:
        network.close()


@pytest.mark.parametrize("program, args, works", [
    ("iperf3", (), iperf3_tcp_works), ("iperf3", ("-R",), iperf3_tcp_works),
    ("iperf3", ("-u", "-b", "5M"), iperf3_udp_works), ("iperf", ("-P", "64"), iperf_tcp_works)])
def test_a_client_that_is_stopped_is_given_up(_can_make_netns, hasty, program, args, works):
    process = hasty.pc.start(program, "-c", hasty.host, "-p", hasty.ports[program], "-t", "30", *args)
    time.sleep(0.7)
    process.send_signal(signal.SIGSTOP)
    assert_ready(works, hasty)
    process.send_signal(signal.SIGCONT)


def test_a_client_that_vanishes_is_given_up(_can_make_netns, hasty):
    """Nothing comes from it any more, no reset either."""
    process = hasty.pc.start("iperf3", "-c", hasty.host, "-p", hasty.ports["iperf3"], "-t", "30", "-R")
    time.sleep(0.7)
    hasty.pc.run("ip", "link", "set", "eth0", "down", check=True)
    time.sleep(2)
    process.kill()
    hasty.pc.run("ip", "link", "set", "eth0", "up", check=True)
    assert_ready(iperf3_tcp_works, hasty)


# ---- clients that talk nonsense --------------------------------------------------------

LENGTH_FFFFFFFF = struct.pack("!I", 0xFFFFFFFF) + b"{" * 2000
LONG_JSON = struct.pack("!I", 65536) + b'{"a":"' + b"x" * 65536
WRONG_TYPES = dialogue.text({"tcp": "yes", "time": [1, 2], "parallel": {"a": 1}, "len": "1M", "omit": None})
DEEP = struct.pack("!I", 4000) + b"[" * 4000
NOTHING = struct.pack("!I", 0)
SAID_AFTER_THE_COOKIE = {"a length of 4 GB": LENGTH_FFFFFFFF, "64 KiB of JSON": LONG_JSON,
                         "wrong types": WRONG_TYPES, "deep JSON": DEEP, "no JSON": NOTHING}
SAID_FIRST = {"HTTP": b"GET / HTTP/1.1\r\nHost: device\r\n\r\n", "a byte": b"\0", "TLS": b"\x16\x03\x01" + b"\0" * 300,
              "36 bytes of a cookie": dialogue.COOKIE[:36], "zeros": bytes(5000)}


@pytest.mark.parametrize("what", SAID_FIRST)
@pytest.mark.parametrize("service", ["iperf3", "iperf"])
def test_scanners_are_survived(fresh, service, what):
    sock = fresh.connect(service)
    try:
        sock.sendall(SAID_FIRST[what])
    except ConnectionError:
        pass  # it was not wanted any more
    assert_ready(iperf3_tcp_works if service == "iperf3" else iperf_tcp_works, fresh)
    sock.close()


@pytest.mark.parametrize("what", SAID_AFTER_THE_COOKIE)
def test_nonsense_for_parameters_is_survived(fresh, what):
    sock = fresh.connect("iperf3")
    sock.sendall(dialogue.COOKIE)
    dialogue.expect(sock, dialogue.PARAM_EXCHANGE)
    try:
        sock.sendall(SAID_AFTER_THE_COOKIE[what])
    except ConnectionError:
        pass
    if what == "wrong types":
        sock.close()  # they are passed over, and what then holds is a test
    assert_ready(iperf3_tcp_works, fresh)
    sock.close()


def test_datagrams_of_nonsense_are_survived(fresh):
    with fresh.socket(socket.SOCK_DGRAM) as sock:
        for length in (1, 3, 4, 11, 12, 16, 75, 76, 1472):
            for fill in (b"\0", b"\xff", b"\x80"):
                sock.sendto(fill * length, (fresh.host, fresh.ports["iperf"]))
    assert_ready(iperf_udp_works, fresh)


def dribble(sock, data):
    """A segment for every byte."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for at in range(len(data)):
        sock.sendall(data[at:at + 1])
        time.sleep(0.0005)


@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_words_come_in_pieces(fresh, kind):
    opened = []
    phases = list(dialogue.iperf3(fresh, opened, udp=kind == "udp", send=dribble))
    assert phases == dialogue.IPERF3_PHASES
    assert fresh.console.report("iperf3")["result"] == "ok"
    die(opened, "close")


def test_a_udp_stream_is_set_up_once_though_asked_for_twice(fresh):
    """The answer was lost: the same port asks again and is the same stream."""
    opened = []
    assert list(dialogue.iperf3(fresh, opened, udp=True)) == dialogue.IPERF3_PHASES
    report = fresh.console.report("iperf3")
    assert report["result"] == "ok" and report["datagrams"]["received"] == 10
    assert report["datagrams"]["lost"] == 0
    die(opened, "close")


# ---- clients that talk another protocol ------------------------------------------------


def test_iperf3_at_the_port_of_iperf(fresh):
    process = fresh.pc.start("iperf3", "-c", fresh.host, "-p", fresh.ports["iperf"])
    report = fresh.console.report("iperf", SECONDS)
    assert report["result"] == "protocol"
    assert "iperf 3 client" in report["message"] and "iperf 2 server" in report["message"]
    assert process.wait(timeout=SECONDS) != 0


def test_iperf_at_the_port_of_iperf3(fresh):
    process = fresh.pc.start("iperf", "-c", fresh.host, "-p", fresh.ports["iperf3"], "-t", "1")
    report = fresh.console.report("iperf3", SECONDS)
    assert report["result"] == "protocol"
    assert "does not speak iperf 3" in report["message"] and "iperf 2" in report["message"]
    process.kill()


def test_a_second_client_is_told_that_the_server_is_busy(fresh):
    first = fresh.pc.start("iperf3", "-J", "-c", fresh.host, "-p", fresh.ports["iperf3"], "-t", "2", "-b", "1M")
    time.sleep(0.7)
    second = fresh.iperf3("-n", "100K")
    assert "server is busy" in second["error"]
    out, _ = first.communicate(timeout=10)
    assert "error" not in json.loads(out)


def test_who_calls_a_device_that_calls(fresh):
    """A board has memory for one test of iperf 3, whoever began it; the agent on a PC for both."""
    server = fresh.pc.start("iperf3", "-s", "-1", "-J")
    time.sleep(0.2)
    fresh.console.run(f"iperf3 -c {fresh.pc_host} -n 400K -b 2M -l 1000")
    time.sleep(0.3)
    second = fresh.iperf3("-n", "100K")
    assert second.get("error", "") == ("" if fresh.kernel else
                                       "the server is busy running a test. try again later")
    assert fresh.console.report("iperf3", role="client")["result"] == "ok"
    out, _ = server.communicate(timeout=10)
    assert "error" not in json.loads(out)
    assert iperf3_tcp_works(fresh)


# ---- many of them ----------------------------------------------------------------------


def test_twenty_tests_leave_nothing(fresh):
    works = (iperf_tcp_works, iperf_udp_works, iperf3_tcp_works, iperf3_udp_works)

    def kept():
        """Pools of a board, descriptors of an agent, that are in use."""
        if fresh.kernel:
            pid = int(subprocess.run(["pgrep", "-P", str(fresh.process.pid)], capture_output=True, text=True,
                                     check=False).stdout or fresh.process.pid)
            return len(os.listdir(f"/proc/{pid}/fd"))
        pools = {item["name"]: item["used"] for item in fresh.console.run("mem") if item["kind"] == "pool"}
        return {name: used for name, used in pools.items()
                if name not in ("TCP_PCB", "SYS_TIMEOUT")}  # those are kept for the peers' late segments

    time.sleep(2.6)  # peers that vanished over UDP are forgotten
    before = kept()
    for i in range(20):
        assert works[i % 4](fresh)
    assert rig.is_ready(lambda: kept() == before, 5), (before, kept())
