# SPDX-License-Identifier: BSD-3-Clause
"""The agent on this machine's stack, and what its clients do to it."""
import os
import re
import socket
import struct
import time

import pytest
from conftest import PATIENCE_S, TOOL, Agent, free_ports, netdyno, wait_until
from peers import can_make_namespaces, in_namespace

MIB = 1 << 20


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


def reset(sock):
    """Close with RST instead of FIN, as a client that dies."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def receive(sock, count):
    total = 0
    while total < count:
        piece = sock.recv(min(65536, count - total))
        assert piece
        total += len(piece)


def assert_memtest_works(agent):
    done = netdyno("memtest", "127.0.0.1", "-p", agent.ports["memtest"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(f" {MIB} byte") == 3


def test_echo_discard_and_chargen_answer(agent):
    with connect(agent.ports["echo"]) as sock:
        sock.sendall(b"abc")
        assert sock.recv(10) == b"abc"
    with connect(agent.ports["discard"]) as sock:
        sock.sendall(b"x" * 100000)
        sock.shutdown(socket.SHUT_WR)
        assert sock.recv(1) == b""
    with connect(agent.ports["chargen"]) as sock:
        line = sock.makefile("rb").readline()
        assert len(line) == 74 and line.endswith(b"\r\n")


def test_reports_come_at_once(agent):
    with connect(agent.ports["discard"]) as sock:
        sock.sendall(b"x" * 1000)
    assert agent.line().startswith("discard ok: 1000 bytes processed in ")


def test_a_client_that_dies_in_any_phase_harms_nobody(agent):
    dead = connect(agent.ports["memtest"])           # connected, silent
    reset(dead)
    dead = connect(agent.ports["memtest"])           # receive phase
    dead.sendall(b"x" * 1000)
    reset(dead)
    dead = connect(agent.ports["memtest"])           # send phase
    dead.sendall(b"x" * MIB)
    dead.recv(1000)
    reset(dead)
    dead = connect(agent.ports["memtest"])           # echo phase
    dead.sendall(b"x" * MIB)
    receive(dead, MIB)
    dead.sendall(b"y" * 1024)
    receive(dead, 1024)
    reset(dead)
    dead = connect(agent.ports["memtest"])           # ends in order, too early
    dead.sendall(b"x" * 1000)
    dead.close()
    assert_memtest_works(agent)
    out = agent.stop()
    assert "memtest echo reset: " in out
    assert "memtest rx short: 1000 of 1048576 bytes" in out


def test_an_idle_client_is_dropped(start_agent):
    agent = start_agent("--idle", "300ms", "--services", "memtest", services=1)
    with connect(agent.ports["memtest"]) as idle:
        began = time.monotonic()
        with pytest.raises(ConnectionResetError):
            idle.recv(1)
        assert time.monotonic() - began > 0.2
    assert_memtest_works(agent)
    assert "memtest rx timeout: 0 of 1048576 bytes" in agent.stop()


def test_only_the_named_services_are_offered(start_agent):
    agent = start_agent("--services", "echo,console", services=2)
    assert set(agent.ports) == {"echo", "console"}
    agent.stop()


def test_fixed_ports_follow_the_first(start_agent):
    base = free_ports(8)
    agent = start_agent("--listen", f"127.0.0.1:{base}", services=12)
    names = ["console", "ttcp", "memtest", "echo", "discard", "chargen", "iperf", "iperf3"]
    udp = {"echo-udp": base + 3, "discard-udp": base + 4, "chargen-udp": base + 5,
           "iperf-udp": base + 6}
    assert agent.ports == {name: base + i for i, name in enumerate(names)} | udp
    second = netdyno("agent", "--listen", f"127.0.0.1:{base}")
    assert second.returncode == 1
    assert "cannot serve console" in second.stderr and "in_use" in second.stderr
    agent.stop()


def test_the_console_is_no_service_for_other_machines_unless_it_is_asked_for():
    for args, there in ([], False), (["--token", "x"], True), (["--services", "console,echo"], True):
        agent = Agent("--listen", "0.0.0.0:0", *args)
        lines = [agent.line().split() for _ in range(2)]
        assert (lines[0][0] == "console") == there
        agent.process.terminate()
        _, err = agent.process.communicate(timeout=PATIENCE_S)
        assert ("no console on the network: give --token" in err) != there


def may_ping():
    """Whether this user may open a socket for ICMP."""
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            socket.socket(socket.AF_INET, kind, socket.IPPROTO_ICMP).close()
            return True
        except PermissionError:
            pass
    return False


def test_ping_tells_each_round_trip_or_that_it_is_not_supported(agent):
    with connect(agent.ports["console"]) as sock:
        lines = sock.makefile("rw")
        lines.write("ping -n 2 -i 10 127.0.0.1\n")
        lines.flush()
        if not may_ping():
            assert lines.readline() == "error: unsupported: ping: not_supported\n"
            return
        assert lines.readline() == "ping requests:2 bytes:56\n"
        for number in (1, 2):
            assert re.fullmatch(rf"ping reply seq:{number} time:\d+\.\d{{3}} ms\n", lines.readline())
        assert re.search(r"^ping ok: 224 bytes .* round trips 2,", lines.readline())


def test_a_thousand_connections_leave_nothing(agent):
    before = agent.fd_count()
    for i in range(1000):
        with connect(agent.ports[("echo", "discard", "memtest", "ttcp")[i % 4]]) as sock:
            sock.sendall(b"x")
            if i % 8 < 4:
                reset(sock)
    assert wait_until(lambda: agent.fd_count() <= before)
    assert_memtest_works(agent)
    agent.stop()  # under ASan it would tell of leaks


def test_an_idle_agent_uses_no_processor(agent):
    def ticks():
        with open(f"/proc/{agent.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    idle = connect(agent.ports["echo"])
    time.sleep(0.2)
    before = ticks()
    time.sleep(2)
    assert ticks() - before <= os.sysconf("SC_CLK_TCK") // 50
    idle.close()


def test_the_console_is_served_to_one_caller_after_the_other(agent):
    for _ in range(3):
        with connect(agent.ports["console"]) as sock:
            lines = sock.makefile("rwb")
            lines.write(b"#7 json on\n#8 id\n")
            lines.flush()
            assert lines.readline() == b'{"id":7,"kind":"end","result":"ok"}\n'
            assert b'"kind":"id"' in lines.readline()
            assert lines.readline() == b'{"id":8,"kind":"end","result":"ok"}\n'


# Of 600 ports that the kernel chooses from, 400 are another's for UDP; an agent lives, until it is told to end.
CROWDED = """
import socket, subprocess, sys
held = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(400)]
for number, it in enumerate(held):
    it.bind(("127.0.0.1", 40000 + number * 3 // 2))
agent = ["timeout", "1", sys.argv[1], "agent", "--quiet", "--listen", "127.0.0.1:0"]
sys.exit(any(subprocess.run(agent, stdout=subprocess.DEVNULL).returncode != 124 for _ in range(4)))
"""


@pytest.mark.skipif(not can_make_namespaces(), reason="needs network namespaces")
def test_an_agent_that_may_choose_its_ports_does_not_end_for_want_of_one_of_another_program(tmp_path):
    script = tmp_path / "crowded.py"
    script.write_text(CROWDED)
    done = in_namespace("ip link set lo up",
                        "echo 40000 40599 >/proc/sys/net/ipv4/ip_local_port_range",
                        f"/usr/bin/python3 {script} {TOOL}")
    assert done.returncode == 0, done.stderr
