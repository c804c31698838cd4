# SPDX-License-Identifier: BSD-3-Clause
"""Network namespaces, in which nothing but the test is, and processes in them.

ND_TOOL is the netdyno under test; ND_FIRMWARE, if set, the folder of the Cortex-M3 images, for a tool
that does not lie beside them."""
import itertools
import os
import signal
import subprocess
import time

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
