# SPDX-License-Identifier: BSD-3-Clause
"""What the interop tests share: network namespaces, in which nothing but the test is.

ND_TOOL is the netdyno under test; ND_FIRMWARE, if set, the folder of the Cortex-M3 images, for a tool
that does not lie beside them."""
import itertools
import os
import signal
import subprocess
import time

import pytest

TOOL = os.environ["ND_TOOL"]
FIRMWARE = os.environ.get("ND_FIRMWARE")

_numbers = itertools.count()


def wait_until(true, seconds=10):
    """Wait until true() is, and answer it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = true()
        if value:
            return value
        time.sleep(0.02)
    return true()


class Process(subprocess.Popen):
    """A process whose pipes are text."""

    def __init__(self, args, **kwargs):
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        super().__init__(args, text=True, **{**pipes, **kwargs})

    def end(self, number=signal.SIGTERM, seconds=10):
        """Send the signal, wait, and answer what is left of stdout and stderr."""
        self.send_signal(number)
        return self.communicate(timeout=seconds)


class Netns:
    """A network namespace with its own loopback interface, and the processes in it."""

    def __init__(self):
        self.name = f"netdyno-{os.getpid()}-{next(_numbers)}"
        self.processes = []
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        self.run("ip", "link", "set", "lo", "up", check=True)

    def command(self, *args):
        """The command line that runs these words inside."""
        return ["ip", "netns", "exec", self.name, *map(str, args)]

    def run(self, *args, timeout=60, check=False, **kwargs):
        """Run a program to its end."""
        return subprocess.run(self.command(*args), capture_output=True, text=True,
                              timeout=timeout, check=check, **kwargs)

    def start(self, *args, **kwargs):
        """Start a program; it ends with the test at the latest."""
        self.processes.append(Process(self.command(*args), **kwargs))
        return self.processes[-1]

    def netdyno(self, *args, **kwargs):
        """Run the tool to its end."""
        return self.run(TOOL, *args, **kwargs)

    def links(self):
        """The names of its interfaces, loopback aside."""
        out = self.run("ip", "-br", "link", check=True).stdout
        names = [line.split()[0].split("@")[0] for line in out.splitlines()]
        return [name for name in names if name != "lo"]

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()
        subprocess.run(["ip", "netns", "del", self.name], check=True)


def _why_not():
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not os.path.exists("/dev/net/tun"):
        return "no /dev/net/tun: load the module tun"
    probe = f"netdyno-{os.getpid()}-probe"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return f"cannot make a network namespace: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", probe], check=True)
    return None


@pytest.fixture(scope="session")
def _can_make_netns():
    reason = _why_not()
    if reason:
        pytest.skip(reason)


@pytest.fixture
def netns(_can_make_netns):
    """Makes network namespaces, and removes them when the test is over, however it went."""
    made = []

    def make():
        made.append(Netns())
        return made[-1]

    yield make
    for it in made:
        it.close()
