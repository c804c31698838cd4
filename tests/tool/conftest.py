# SPDX-License-Identifier: BSD-3-Clause
"""What the end-to-end tests share. ND_TOOL is the netdyno under test; ND_FIRMWARE, if set, the
folder of the Cortex-M3 images, for a tool that does not lie beside them."""
import os
import pty
import re
import signal
import socket
import subprocess
import time
import tty

import pytest

TOOL = os.environ["ND_TOOL"]
FIRMWARE = os.environ.get("ND_FIRMWARE")

# What is awaited comes at once, or late on a busy machine, or never [s].
PATIENCE_S = 60


def netdyno(*args, timeout=PATIENCE_S, **kwargs):
    """Run the tool to its end."""
    return subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True, timeout=timeout,
                          check=False, **kwargs)


def simulated(board="lpc1768", image="lwip"):
    """The arguments that name a simulated target."""
    args = [f"sim:{image}@{board}"]
    if FIRMWARE:
        args += ["--firmware", f"{FIRMWARE}/netdyno-{image}-{board}.elf"]
    return args


def is_one_line(text):
    return text.startswith("netdyno: ") and text.count("\n") == 1 and text.endswith("\n")


def children(pid):
    """Processes whose parent this is."""
    out = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in out.stdout.split()]


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(true):
    """Wait until true() is, and answer it."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = true()
        if value:
            return value
        time.sleep(0.02)
    return true()


def free_ports(count):
    """The first of so many free TCP ports in a row, where the kernel takes none by itself."""
    for base in range(20000 + os.getpid() % 100 * 100, 32000, count):
        socks = [socket.socket() for _ in range(count)]
        try:
            for i, sock in enumerate(socks):
                sock.bind(("127.0.0.1", base + i))
            return base
        except OSError:
            pass
        finally:
            for sock in socks:
                sock.close()
    raise AssertionError("no free ports")


class Run:
    """A `netdyno run` in progress. It believes that it writes its errors to a terminal, so it tells there
    which step it begins."""

    def __init__(self, *args):
        self.screen, errors = pty.openpty()
        tty.setraw(errors)
        self.process = subprocess.Popen([TOOL, "run", *map(str, args)], stdout=subprocess.PIPE,
                                        stderr=errors, text=True)
        self.pid = self.process.pid
        self.shown = ""
        os.close(errors)

    def read(self):
        """What else it showed; nothing at its end."""
        try:
            piece = os.read(self.screen, 4096).decode()
        except OSError:
            piece = ""
        self.shown += piece
        return piece

    def await_step(self, name):
        while f" {name}" not in self.shown:
            assert self.read(), self.shown
        return self

    def end(self):
        """Its exit code, its output, and its errors without the progress that they replaced."""
        out, _ = self.process.communicate(timeout=PATIENCE_S)
        while self.read():
            pass
        return self.process.returncode, out, re.split(r"\r\x1b\[K", self.shown)[-1]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        os.close(self.screen)


class Agent:
    """A `netdyno agent` on ports of the kernel's choice."""

    def __init__(self, *args):
        # Room for the reports of a test that reads them at its end.
        self.process = subprocess.Popen([TOOL, "agent", "--listen", "127.0.0.1:0", *args],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        pipesize=1 << 20)
        self.ports = {}

    def await_services(self, count):
        for _ in range(count):
            line = self.process.stdout.readline()
            match = re.fullmatch(r"([\w-]+) 127\.0\.0\.1:(\d+)\n", line)
            assert match, line
            self.ports[match[1]] = int(match[2])
        return self

    def line(self):
        """The next report."""
        return self.process.stdout.readline()

    def fd_count(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        assert err == ""
        assert self.process.returncode == 0
        return out


ALL_SERVICES = 12  # lines that tell of one


@pytest.fixture
def start_agent():
    """Starts agents, and ends them when the test is over, however it went."""
    agents = []

    def start(*args, services=ALL_SERVICES):
        agents.append(Agent(*args))
        return agents[-1].await_services(services)

    yield start
    for it in agents:
        if it.process.poll() is None:
            it.process.kill()
            it.process.communicate()


@pytest.fixture
def start_run():
    """Starts runs, and ends them when the test is over, however it went."""
    runs = []

    def start(*args):
        runs.append(Run(*args))
        return runs[-1]

    yield start
    for it in runs:
        it.close()


@pytest.fixture
def agent(start_agent):
    return start_agent()
