# SPDX-License-Identifier: BSD-3-Clause
"""The command line: help, refusals, exit codes."""
import re
import subprocess

import pytest
from conftest import TOOL, is_one_line, netdyno

COMMANDS = re.findall(r"^  (\w+) {2,}", netdyno("help").stdout, re.MULTILINE)


def test_version_is_one_line():
    done = netdyno("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"netdyno \d+\.\d+\.\d+\S*\n", done.stdout)


def test_help_lists_every_command():
    assert {"run", "sim", "agent", "memtest", "ttcp", "help"} <= set(COMMANDS)
    for args in (["help"], ["--help"], ["-h"], ["help", "help"]):
        done = netdyno(*args)
        assert done.returncode == 0 and done.stderr == ""
        for command in COMMANDS:
            assert f"\n  {command} " in done.stdout


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "help"])
def test_help_of_a_command_fits_a_screen(command):
    done = netdyno("help", command)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == netdyno(command, "--help").stdout
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"netdyno {command} [OPTION]...")
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("args, expected", [
    ([], "a command is missing"),
    (["nope"], "expected one of: " + ", ".join(COMMANDS)),
    (["help", "nope"], "unknown command nope"),
    (["run"], "TARGET... is missing"),
    (["run", "lwip"], "expected one of: sim:STACK@BOARD, native:STACK, tcp://HOST[:PORT], serial:DEVICE[@BAUD], local:"),
    (["run", "sim:lwip"], "expected sim:STACK@BOARD"),
    (["run", "sim:../x@y"], "expected sim:STACK@BOARD"),
    (["run", "sim:lwip@nowhere"], "no firmware netdyno-lwip-nowhere.elf"),
    (["run", "local:x"], "expected local:"),
    (["run", "local:", "--plan", "x"], "expected one of: default"),
    (["run", "local:", "--set", "x=1"], "KEY one of: seconds, buflen"),
    (["run", "local:", "--set", "seconds"], "expected KEY=VALUE"),
    (["run", "local:", "--set", "seconds=5Q"], "expected a duration such as 5s"),
    (["run", "local:", "--set", "seconds=2d"], "expected a duration"),
    (["run", "local:", "--set", "seconds=48h"], "expected 1ms to 24h"),
    (["run", "tcp://127.0.0.1:99999"], "PORT 1 to 65535"),
    (["run", "tcp://"], "PORT 1 to 65535"),
    (["run", "tcp://secret@"], "target tcp://: expected tcp://HOST"),
    (["run", "tcp://@host"], "expected a token of 1 to 95 characters"),
    (["run", "serial:"], "expected serial:DEVICE or DEVICE@BAUD"),
    (["run", "serial:/dev/x@12345"], "expected serial:DEVICE or DEVICE@BAUD"),
    (["run", "local:", "--address", "1.2.3.4"], "--address is for serial: targets only"),
    (["run", "serial:/dev/x", "--address", "there"], "expected an address in numbers"),
    (["run", "sim:a@b", "sim:a@c", "--firmware", "y", "--pcap", "x"], "expected one target"),
    (["run", "sim:a@b", "--firmware", "y", "--json", "x", "--pcap", "x"], "expected different files"),
    (["run", "local:", "--pcap", "x"], "for simulated targets only"),
    (["run", "local:", "--seed", "4"], "for simulated targets only"),
    (["run", "local:", "--set", "memtest=0"], "expected 1 to 1G"),
    (["run", "local:", "--set", "link=10M"], "for simulated targets only"),
    (["memtest"], "HOST is missing"),
    (["memtest", "127.0.0.1:99999"], "PORT 1 to 65535"),
    (["ttcp", "-ts", "127.0.0.1:0"], "PORT 1 to 65535"),
    (["iperf", "-c", "127.0.0.1:99999"], "PORT 1 to 65535"),
    (["memtest", "a", "b"], "unexpected argument b"),
    (["memtest", "-p", "65536", "a"], "--port 65536 is out of range, expected 1 to 65535"),
    (["memtest", "--bytes", "1T", "a"], "expected a size such as 1460, 32K or 1M"),
    (["ttcp", "-s", "-r", "-t", "a"], "expected -t HOST or -r"),
    (["ttcp", "-s"], "expected -t HOST or -r"),
    (["ttcp", "-s", "-t"], "-t needs the HOST"),
    (["ttcp", "-s", "-r", "a"], "-r takes no HOST"),
    (["ttcp", "-r"], "give -s"),
    (["ttcp", "-s", "-r", "-f", "x"], "expected one of: k, m, g, K, M, G"),
    (["agent", "--listen", "here"], "expected ADDR:PORT"),
    (["agent", "--services", "memtest,x"], "expected some of: console, ttcp"),
    (["agent", "--token", "a b"], "--token: expected 1 to 95 characters"),
    (["agent", "--console", "x@1"], "--console x@1: expected pty, or DEVICE"),
    (["agent", "--idle", "1ms"], "expected 100ms to 24h"),
])
def test_refusals_say_what_was_expected(args, expected):
    done = netdyno(*args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert is_one_line(done.stderr)
    assert expected in done.stderr


def test_a_full_disk_is_an_error():
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([TOOL, "help"], stdout=full, stderr=subprocess.PIPE, text=True,
                              check=False)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
