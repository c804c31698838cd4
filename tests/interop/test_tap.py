# SPDX-License-Identifier: BSD-3-Clause
"""The simulated board on a TAP interface: the kernel and other people's programs reach it, in real
time, and nothing is left of it afterwards."""
import itertools
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

import pytest

from board import Board
from conftest import TOOL, wait_until

TARGETS = ["sim:lwip@lpc1768", "sim:lwip@fast", "native:lwip"]
MIB = 1 << 20
SCRIPT = os.path.join(os.path.dirname(__file__), "three_phase.py")

on_each_board = pytest.mark.parametrize("target", TARGETS)

# The modelled chip has fewer services.
on_the_chip_too = pytest.mark.parametrize("target", TARGETS + ["native:w5500"])


@pytest.fixture
def board(tmp_path):
    """Starts a simulated board in a namespace, and waits until its services can be called."""
    numbers = itertools.count()

    def start(ns, target="sim:lwip@lpc1768", *args):
        it = Board(ns, tmp_path / f"console-{next(numbers)}", target,
                   "--host-ip", f"{Board.HOST_IP}/24", *args)
        it.await_line(r"^sim \S+ (at|by) ")
        return it

    return start


def children(pid):
    out = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in out.stdout.split()]


def processor_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def is_gone(pid):
    return not os.path.exists(f"/proc/{pid}")


def refusal(text):
    """The error, which must be one line."""
    assert text.startswith("netdyno: ") and text.count("\n") == 1, text
    return text


# ---- services ----

@on_the_chip_too
def test_ping_answers_every_time(netns, board, target):
    ns = netns()
    board(ns, target)
    out = ns.run("ping", "-c", 20, "-i", "0.05", "-W", 2, Board.IP).stdout
    assert "20 packets transmitted, 20 received, 0% packet loss" in out, out


@on_the_chip_too
def test_nc_echo_returns_every_byte(netns, board, target):
    ns = netns()
    board(ns, target)
    data = bytes(range(256)) * 1000
    done = subprocess.run(ns.command("nc", "-N", Board.IP, 1007), input=data,
                          capture_output=True, timeout=60, check=True)
    assert done.stdout == data


@on_the_chip_too
def test_nc_discard_counts_every_byte(netns, board, target):
    ns = netns()
    it = board(ns, target)
    it.type("json on")
    it.await_line(r'"kind":"end"')
    subprocess.run(ns.command("nc", "-N", Board.IP, 9), input=b"x" * 1234567, timeout=60, check=True)
    [report] = it.reports("discard", 1)
    assert report["result"] == "ok"
    assert report["rx"]["bytes"] == 1234567


def check_memtest_reports(it):
    reports = it.reports("memtest", 3)
    counts = {item["phase"]: (item["rx"]["bytes"], item["tx"]["bytes"]) for item in reports}
    assert [item["result"] for item in reports] == ["ok"] * 3
    assert counts == {"rx": (MIB, 0), "tx": (0, MIB), "echo": (MIB, MIB)}


@on_the_chip_too
def test_memtest_by_the_tool(netns, board, target):
    ns = netns()
    it = board(ns, target)
    it.type("json on")
    done = ns.netdyno("memtest", Board.IP, check=True)
    assert re.findall(r"(?m)^(\w+) +(\d+) byte", done.stdout) == [
        ("rx", str(MIB)), ("tx", str(MIB)), ("echo", str(MIB))]
    check_memtest_reports(it)


@on_each_board
def test_memtest_by_a_script(netns, board, target):
    ns = netns()
    it = board(ns, target)
    it.type("json on")
    done = ns.run(sys.executable, SCRIPT, Board.IP)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert (counts["sent_bytes"], counts["received_bytes"], counts["echoed_bytes"],
            counts["after_end_bytes"]) == (MIB, MIB, MIB, 0)
    check_memtest_reports(it)


@on_each_board
def test_ttcp_from_the_board(netns, board, target):
    ns = netns()
    it = board(ns, target)
    receiver = ns.start(TOOL, "ttcp", "-r", "-s", "-p", 5010)
    assert wait_until(lambda: "5010" in ns.run("ss", "-ltn").stdout)
    it.type("json on")
    it.type(f"ttcp -t -n 500 -l 1000 -p 5010 {Board.HOST_IP}")
    out, err = receiver.communicate(timeout=30)
    assert receiver.returncode == 0, err
    assert "500000 bytes in " in out
    [report] = it.reports("ttcp", 1)
    assert report["result"] == "ok"
    assert report["tx"]["bytes"] == 500000


@on_each_board
def test_ttcp_to_the_board(netns, board, target):
    ns = netns()
    it = board(ns, target)
    it.type("json on")
    it.type("ttcp -r -p 5010")
    it.await_line(r'"kind":"start"')
    done = ns.netdyno("ttcp", "-t", "-s", "-n", 500, "-l", 1000, "-p", 5010, Board.IP)
    assert done.returncode == 0, done.stderr
    [report] = it.reports("ttcp", 1)
    assert report["result"] == "ok"
    assert report["rx"]["bytes"] == 500000


def test_console_takes_what_is_typed(netns, board):
    ns = netns()
    it = board(ns)
    it.type("id")
    it.await_line(r"^id agent=netdyno ")
    it.type("mem")
    it.await_line(r"PBUF_POOL")


# ---- real time ----

def test_delay_of_the_wire_is_real(netns, board):
    ns = netns()
    board(ns, "sim:lwip@lpc1768", "--set", "delay=50ms")
    out = ns.run("ping", "-c", 5, "-i", "0.3", Board.IP).stdout
    match = re.search(r"rtt min/avg/max/mdev = ([\d.]+)/", out)
    assert match, out
    assert 100.0 <= float(match[1]) < 150.0


def test_rate_of_the_wire_is_real(netns, board):
    ns = netns()
    board(ns, "sim:lwip@lpc1768", "--set", "link=1M")
    begin = time.monotonic()
    subprocess.run(ns.command("nc", "-N", Board.IP, 9), input=b"x" * 125000, timeout=60, check=True)
    assert 1.0 <= time.monotonic() - begin < 3.0


def test_idle_board_costs_nothing(netns, board):
    ns = netns()
    it = board(ns)
    pids = [it.process.pid, *children(it.process.pid)]
    assert len(pids) == 2
    before = sum(map(processor_ticks, pids))
    time.sleep(3)
    assert (sum(map(processor_ticks, pids)) - before) / os.sysconf("SC_CLK_TCK") < 0.1


def test_host_that_stops_is_told(netns, board):
    ns = netns()
    it = board(ns)
    it.process.send_signal(signal.SIGSTOP)
    time.sleep(1.5)  # the board sleeps no longer than 1 s
    it.process.send_signal(signal.SIGCONT)
    ns.run("ping", "-c", 1, Board.IP, check=True)
    lines = it.end().splitlines()
    late = re.fullmatch(r"netdyno: sim: this machine is too slow: the board's time lagged by (\d+) ms",
                        lines[0])
    end = re.fullmatch(r"netdyno: sim: lagged (\d+) ms in ([\d.]+) s: figures over the TAP are not "
                       r"valid", lines[-1])
    assert late and end, lines
    assert 400 <= int(late[1]) <= int(end[1])
    assert it.process.returncode == 0


# ---- what is left ----

@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("target", ["sim:lwip@lpc1768", "native:lwip"])
def test_signal_leaves_nothing(netns, board, target, number):
    ns = netns()
    it = board(ns, target)
    pids = children(it.process.pid)
    assert len(pids) == 1
    assert ns.links() == ["tap0"]
    begin = time.monotonic()
    err = it.end(number)
    assert time.monotonic() - begin < 1.0
    assert wait_until(lambda: all(map(is_gone, pids)))
    assert ns.links() == []
    if number == signal.SIGKILL:
        assert it.process.returncode == -number
    else:
        assert it.process.returncode == 0
        assert err.startswith("netdyno: sim: ") and err.count("\n") >= 1


def test_death_of_the_board_leaves_nothing(netns, board):
    ns = netns()
    it = board(ns)
    [emulator] = children(it.process.pid)
    os.kill(emulator, signal.SIGKILL)
    assert "killed by signal 9" in it.await_end()
    assert it.process.returncode == 1
    assert ns.links() == []


def test_interface_that_goes_away_ends_the_board(netns, board):
    ns = netns()
    it = board(ns)
    pids = children(it.process.pid)
    ns.run("ip", "link", "del", "tap0", check=True)
    assert refusal(it.await_end()) == "netdyno: sim: the interface tap0 is gone\n"
    assert it.process.returncode == 1
    assert all(map(is_gone, pids))


def test_persistent_interface_is_left_as_it_was(netns, board):
    ns = netns()
    ns.run("ip", "tuntap", "add", "tap0", "mode", "tap", check=True)
    ns.run("ip", "addr", "add", "10.1.1.1/24", "dev", "tap0", check=True)
    it = board(ns)
    ns.run("ping", "-c", 1, "-W", 2, Board.IP, check=True)
    assert "10.0.0.1/24 " in ns.run("ip", "-br", "addr", "show", "tap0").stdout
    it.end()
    assert re.split(r" +", ns.run("ip", "-br", "addr", "show", "tap0").stdout.strip()) == [
        "tap0", "DOWN", "10.1.1.1/24"]


def test_two_boards_at_once(netns, board):
    both = [netns(), netns()]
    boards = [board(both[0]), board(both[1])]
    for it in boards:
        it.type("json on")
    calls = [ns.start(TOOL, "memtest", Board.IP) for ns in both]
    for call in calls:
        _, err = call.communicate(timeout=60)
        assert call.returncode == 0, err
    for it in boards:
        check_memtest_reports(it)
        it.end()
    assert both[0].links() == both[1].links() == []


# ---- addresses ----

@pytest.fixture
def dhcp_server(tmp_path):
    if shutil.which("dnsmasq") is None:
        pytest.skip("no dnsmasq: install dnsmasq-base")

    def start(ns):
        return ns.start("dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--port=0",
                        "--interface=tap0", "--bind-interfaces", "--no-ping", "--user=root",
                        "--dhcp-range=10.0.0.50,10.0.0.59,10m", f"--pid-file={tmp_path}/pid",
                        f"--dhcp-leasefile={tmp_path}/leases", stderr=subprocess.DEVNULL)
    return start


@pytest.mark.parametrize("target", ["sim:lwip@lpc1768", "native:lwip"])
def test_dhcp_gives_an_address(netns, board, dhcp_server, target):
    ns = netns()
    it = board(ns, target, "--dhcp")
    it.await_line(r"^sim lwip@\w+ by DHCP on tap0$")
    dhcp_server(ns)
    lease = it.await_line(r"^dhcp: address ([\d.]+), mask 255\.255\.255\.0, gateway 10\.0\.0\.1$", 40)
    assert 50 <= int(lease[1].rsplit(".", 1)[1]) <= 59
    it.type("json on")
    ns.netdyno("memtest", lease[1], check=True)
    check_memtest_reports(it)


def test_address_is_as_asked(netns, tmp_path):
    ns = netns()
    it = Board(ns, tmp_path / "console", "native:lwip", "--ip", "172.16.5.9/20", "--host-ip", "172.16.1.1/20")
    it.await_line(r"^sim lwip@native at 172\.16\.5\.9 on tap0$")
    ns.run("ping", "-c", 2, "-i", "0.1", "-W", 2, "172.16.5.9", check=True)
    address = ns.run("ip", "-4", "addr", "show", "tap0").stdout
    assert "inet 172.16.1.1/20 brd 172.16.15.255 " in address


# ---- the capture ----

def icmp_frames(path):
    """Echo requests and replies in a capture of nanoseconds, and the time between them [ns]."""
    with open(path, "rb") as file:
        data = file.read()
    assert struct.unpack_from("<I", data)[0] == 0xA1B23C4D
    at, found = 24, []
    while at < len(data):
        seconds, ns, size, _ = struct.unpack_from("<IIII", data, at)
        frame = data[at + 16:at + 16 + size]
        if frame[12:14] == b"\x08\x00" and frame[23] == 1:
            found.append((frame[34], seconds * 10**9 + ns))
        at += 16 + size
    return found


def test_capture_has_the_frames(netns, board, tmp_path):
    ns = netns()
    it = board(ns, "sim:lwip@lpc1768", "--pcap", tmp_path / "wire.pcap")
    ns.run("ping", "-c", 5, "-i", "0.2", Board.IP, check=True)
    it.end()
    frames = icmp_frames(tmp_path / "wire.pcap")
    assert [kind for kind, _ in frames] == [8, 0] * 5
    assert 750_000_000 <= frames[8][1] - frames[0][1] <= 1_200_000_000


# ---- refusals ----

def test_without_permission_one_line_says_so(netns):
    ns = netns()
    done = ns.run("setpriv", "--bounding-set", "-net_admin", TOOL, "sim", "native:lwip",
                  "--tap", "tap0")
    assert done.returncode == 1
    assert "CAP_NET_ADMIN" in refusal(done.stderr)
    assert ns.links() == []


def test_without_permission_an_interface_made_before_serves(netns):
    ns = netns()
    ns.run("ip", "tuntap", "add", "tap0", "mode", "tap", "user", "root", check=True)
    ns.run("ip", "link", "set", "tap0", "up", check=True)
    ns.run("ip", "addr", "add", "10.0.0.1/24", "dev", "tap0", check=True)
    ns.start("setpriv", "--bounding-set", "-net_admin", TOOL, "sim", "native:lwip", "--tap", "tap0")
    assert wait_until(
        lambda: ns.run("ping", "-c", 1, "-W", 1, Board.IP).returncode == 0)


def test_interface_in_use_is_refused(netns, board):
    ns = netns()
    board(ns)
    done = ns.netdyno("sim", "native:lwip", "--tap", "tap0")
    assert done.returncode == 1
    assert "another program uses it" in refusal(done.stderr)
    assert ns.links() == ["tap0"]


def test_interface_of_another_kind_is_refused(netns):
    ns = netns()
    done = ns.netdyno("sim", "native:lwip", "--tap", "lo")
    assert done.returncode == 1
    assert "it exists and is no TAP interface" in refusal(done.stderr)


@pytest.mark.parametrize("args, words", [
    (["native:lwip"], "--tap IFNAME is missing"),
    (["local:", "--tap", "t"], "expected sim:STACK@BOARD or native:STACK"),
    (["native:lwip", "--tap", "t", "--ip", "10.0.0.300"], "expected an IPv4 address"),
    (["native:lwip", "--tap", "t", "--ip", "10.0.0.3/33"], "BITS 1 to 30"),
    (["native:lwip", "--tap", "t", "--ip", "10.0.0.3:80"], "expected an IPv4 address"),
    (["native:lwip", "--tap", "t", "--gateway", "here"], "expected an IPv4 address"),
    (["native:lwip", "--tap", "t", "--dhcp", "--ip", "10.0.0.3"], "--dhcp gives address"),
    (["native:lwip", "--tap", "t", "--host-ip", "10.0.0.2"], "the board has this address"),
    (["native:lwip", "--tap", "t", "--set", "seconds=3"], "expected link=RATE, delay=TIME"),
    (["native:lwip", "--tap", "t", "--set", "link=fast"], "expected a rate"),
    (["native:lwip", "--tap", "longer-than-15-chars"], "a name of 1 to 15 characters"),
    (["native:lwip", "--tap", "tap%d"], "a name of 1 to 15 characters"),
])
def test_usage_is_checked(args, words):
    done = subprocess.run([TOOL, "sim", *args], capture_output=True, text=True, timeout=10,
                          check=False)
    assert done.returncode == 2
    assert words in refusal(done.stderr)
