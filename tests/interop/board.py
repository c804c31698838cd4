# SPDX-License-Identifier: BSD-3-Clause
"""`netdyno sim`: a simulated board on a TAP interface, at the keyboard of its console."""
import json
import re
import signal
import subprocess

from conftest import FIRMWARE, TOOL, wait_until


class Board:
    """A board at 10.0.0.2 on tap0 in a namespace, in which the kernel is 10.0.0.1."""

    IP = "10.0.0.2"
    HOST_IP = "10.0.0.1"

    def __init__(self, netns, console, target, *args):
        """console: path of a file for what it prints."""
        words = [TOOL, "sim", target, "--tap", "tap0", *args]
        name = re.fullmatch(r"sim:(\w+)@(\w+)", target)
        if name and FIRMWARE:
            words += ["--firmware", f"{FIRMWARE}/netdyno-{name[1]}-{name[2]}.elf"]
        self.console = console
        with open(console, "w", encoding="utf-8") as out:
            self.process = netns.start(*words, stdin=subprocess.PIPE, stdout=out)

    def lines(self):
        """The whole lines of its console so far."""
        return self.console.read_text("utf-8").split("\n")[:-1]

    def await_line(self, pattern, seconds=20):
        """The match of the first line that has this pattern, old or new."""
        def found():
            if self.process.poll() is not None:
                raise AssertionError(f"the board ended: {self.process.stderr.read()}")
            return next(filter(None, (re.search(pattern, line) for line in self.lines())), None)
        match = wait_until(found, seconds)
        assert match, f"no line has {pattern!r}: {self.lines()}"
        return match

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def reports(self, engine, count, seconds=20):
        """This many reports of the board's engine; `json on` was typed before."""
        def found():
            items = [json.loads(line) for line in self.lines() if line.startswith("{")]
            items = [item for item in items
                     if item["kind"] == "report" and item["engine"] == engine]
            return items if len(items) >= count else None
        items = wait_until(found, seconds)
        assert items is not None and len(items) == count, self.lines()
        return items

    def end(self, number=signal.SIGTERM):
        """Send the signal, and answer what is on stderr."""
        self.process.send_signal(number)
        return self.await_end()

    def await_end(self, seconds=10):
        """Answer what is on stderr when it has ended."""
        return self.process.communicate(timeout=seconds)[1]
