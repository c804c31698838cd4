# SPDX-License-Identifier: BSD-3-Clause
"""nc against echo, discard and chargen, and a host's script against the memory test."""
import os
import socket
import sys
import time

import pytest

MIB = 1 << 20

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "memtest_host.py")


def nc(target, service, *args, **kwargs):
    return target.pc.start("nc", *args, target.host, target.ports[service], **kwargs)


def pattern(count):
    return "".join(chr(33 + i % 90) for i in range(count))


def test_nc_gets_back_what_it_sends_over_tcp(fresh):
    done = fresh.pc.run("nc", "-N", fresh.host, fresh.ports["echo"], input=pattern(20000), timeout=20)
    assert done.returncode == 0 and done.stdout == pattern(20000)
    report = fresh.console.report("echo")
    assert report["result"] == "ok" and report["rx"]["bytes"] == report["tx"]["bytes"] == 20000


def test_nc_is_taken_all_and_told_nothing_by_discard_over_tcp(fresh):
    done = fresh.pc.run("sh", "-c", f"head -c {MIB} /dev/zero | "
                                    f"nc -N {fresh.host} {fresh.ports['discard']}", timeout=20)
    assert done.returncode == 0 and done.stdout == ""
    assert fresh.console.report("discard")["rx"]["bytes"] == MIB


def test_nc_is_sent_characters_over_tcp(fresh):
    done = fresh.pc.run("sh", "-c", f"nc {fresh.host} {fresh.ports['chargen']} </dev/null | head -c 7400",
                        timeout=20)
    lines = done.stdout.splitlines()
    assert len(lines) == 100 and {len(line) for line in lines} == {72}
    assert lines[1][:71] == lines[0][1:]


def test_nc_gets_back_what_it_sends_over_udp(fresh):
    process = nc(fresh, "echo-udp", "-u", stdin=-1)
    for line in ("one\n", "two, longer\n", "x" * 1000 + "\n"):
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.readline() == line
    process.kill()


def test_the_device_pings_the_pc(fresh):
    fresh.console.run(f"ping -n 3 -i 50 -l 1000 {fresh.pc_host}")
    report = fresh.console.report("ping")
    assert report["result"] == "ok" and report["round_trips"] == report["tx_datagrams"] == 3
    assert report["rx"]["bytes"] == 3000


def test_a_ping_that_nobody_answers_is_over_after_a_second(fresh):
    nobody = fresh.pc_host.rsplit(".", 1)[0] + ".77"
    fresh.console.run(f"ping -n 1 {nobody}")
    report = fresh.console.report("ping")
    assert report["result"] in ("timeout", "unreachable") and "round_trips" not in report


@pytest.mark.parametrize("length", [1, 2, 1000, 1471, 1472])
def test_a_datagram_comes_back_whole(fresh, length):
    with fresh.socket(socket.SOCK_DGRAM) as sock:
        sock.sendto(b"z" * length, (fresh.host, fresh.ports["echo-udp"]))
        assert sock.recvfrom(2000) == (b"z" * length, (fresh.host, fresh.ports["echo-udp"]))


@pytest.mark.parametrize("length, expected", [(1, 1), (100, 100), (512, 512), (1472, 512)])
def test_characters_come_as_many_as_asked_for_over_udp(fresh, length, expected):
    with fresh.socket(socket.SOCK_DGRAM) as sock:
        sock.sendto(b"z" * length, (fresh.host, fresh.ports["chargen-udp"]))
        answer = sock.recv(2000)
        assert len(answer) == expected and answer.isascii()


def test_discard_answers_no_datagram(fresh):
    with fresh.socket(socket.SOCK_DGRAM) as sock:
        sock.settimeout(0.3)
        sock.sendto(b"z" * 100, (fresh.host, fresh.ports["discard-udp"]))
        with pytest.raises(TimeoutError):
            sock.recv(2000)


def test_the_memory_test_runs_three_times_with_a_script(fresh):
    for _ in range(3):
        done = fresh.pc.run(sys.executable, "-B", SCRIPT, fresh.host, fresh.ports["memtest"], timeout=40)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"send {MIB}\nreceive {MIB}\necho {2 * MIB}\nTX+RX Throughput: ")
        for phase in ("rx", "tx", "echo"):
            report = fresh.console.report("memtest", phase=phase)
            assert report["result"] == "ok" and report["expected_bytes"] in (MIB, 2 * MIB)
        assert report["rx"]["bytes"] == report["tx"]["bytes"] == MIB


def test_the_device_sends_to_nc_and_receives_from_it(fresh):
    """ttcp has no header: nc is the other end."""
    server = fresh.pc.start("sh", "-c", "nc -l 5010 </dev/null | wc -c")
    time.sleep(0.2)
    fresh.console.run(f"ttcp -t -p 5010 -l 1024 -n 512 {fresh.pc_host}")
    report = fresh.console.report("ttcp", phase="tx")
    assert report["result"] == "ok" and report["tx"]["bytes"] == MIB // 2
    out, _ = server.communicate(timeout=10)
    assert int(out) == MIB // 2

    fresh.console.run("ttcp -r -p 5011")
    done = fresh.pc.run("sh", "-c", f"head -c {MIB} /dev/zero | nc -N {fresh.host} 5011", timeout=20)
    assert done.returncode == 0
    report = fresh.console.report("ttcp", phase="rx")
    assert report["result"] == "ok" and report["rx"]["bytes"] == MIB
