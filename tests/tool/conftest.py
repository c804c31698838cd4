# SPDX-License-Identifier: BSD-3-Clause
"""What the end-to-end tests share. ND_TOOL is the netdyno under test; ND_FIRMWARE, if set, the
folder of the Cortex-M3 images, for a tool that does not lie beside them."""
import os
import re
import signal
import subprocess
import time

import pytest

TOOL = os.environ["ND_TOOL"]
FIRMWARE = os.environ.get("ND_FIRMWARE")


def netdyno(*args, timeout=60, **kwargs):
    """Run the tool to its end."""
    return subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True, timeout=timeout,
                          check=False, **kwargs)


def simulated(board="lpc1768"):
    """The arguments that name a simulated target."""
    args = [f"sim:lwip@{board}"]
    if FIRMWARE:
        args += ["--firmware", f"{FIRMWARE}/netdyno-lwip-{board}.elf"]
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


def wait_until(true, seconds=10):
    """Wait until true() is, and answer it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = true()
        if value:
            return value
        time.sleep(0.02)
    return true()


class Agent:
    """A `netdyno agent` on ports of the kernel's choice."""

    def __init__(self, *args):
        self.process = subprocess.Popen([TOOL, "agent", "--listen", "127.0.0.1:0", *args],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.ports = {}

    def await_services(self, count):
        for _ in range(count):
            line = self.process.stdout.readline()
            match = re.fullmatch(r"(\w+) 127\.0\.0\.1:(\d+)\n", line)
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
        out, err = self.process.communicate(timeout=10)
        assert err == ""
        assert self.process.returncode == 0
        return out


ALL_SERVICES = 6


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
def agent(start_agent):
    return start_agent()
