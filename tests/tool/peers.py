# SPDX-License-Identifier: BSD-3-Clause
"""The other ends of the tests of standard programs: those programs themselves, and netdyno as them."""
import json
import re
import signal
import subprocess
import threading

from conftest import PATIENCE_S, TOOL, free_ports, netdyno, wait_until

# No more datagrams in a second than a socket holds: a receiver may be without the processor for as long.
RATE = "900K"
DATAGRAM_BYTES = 1470


def strict(text):
    """The JSON of a text, and no more: no NaN, no key twice."""

    def refuse(word):
        raise ValueError(word)

    def unique(pairs):
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), keys
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def is_bound(port, udp):
    """Does anybody have this port? Asked of the kernel, so that the server does not notice."""
    wanted = f":{port:04X}"
    for family in ("", "6"):
        with open(f"/proc/net/{'udp' if udp else 'tcp'}{family}", encoding="ascii") as table:
            for line in table.readlines()[1:]:
                fields = line.split()
                if fields[1].endswith(wanted) and fields[3] in ("0A", "07"):
                    return True
    return False


class Server:
    """A server on a free port, from when it listens until it is stopped. What it prints is gathered as it
    comes: text and errors."""

    def __init__(self, command, *args, udp=False):
        self.port = free_ports(2)
        self.process = subprocess.Popen([*command, "-s", "-p", str(self.port), *map(str, args)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.text = self.errors = ""
        self.readers = [threading.Thread(target=self._gather, args=it) for it in
                        (("text", self.process.stdout), ("errors", self.process.stderr))]
        for reader in self.readers:
            reader.start()
        assert wait_until(lambda: is_bound(self.port, udp) or self.process.poll() is not None)
        assert self.process.poll() is None, self.errors

    def _gather(self, name, pipe):
        for line in pipe:
            setattr(self, name, getattr(self, name) + line)

    def _finish(self):
        self.process.wait(timeout=PATIENCE_S)
        for reader in self.readers:
            reader.join(PATIENCE_S)

    def end(self):
        """Let it end by itself: what it printed."""
        self._finish()
        assert self.process.returncode == 0, self.errors
        return self.text

    def await_text(self, true):
        """Let it print on until true() is of what it printed."""
        assert wait_until(lambda: true(self.text)), self.text
        return self.text

    def stop(self):
        """End it by Ctrl-C: what it printed."""
        self.process.send_signal(signal.SIGINT)
        self._finish()
        return self.text

    def close(self):
        self.process.kill()
        self._finish()
        self.process.stdout.close()
        self.process.stderr.close()


def ours(name):
    return [TOOL, name]


def document(*args, code=0):
    """Run a command of netdyno to its end, and give the result of its document."""
    done = netdyno(*args, "--json", "-")
    assert done.returncode == code, done.stderr
    return strict(done.stdout)["result"]


def step(*args):
    """The same, of a test that has one step."""
    (only,) = document(*args)["steps"]
    assert only["status"] == "ok"
    return only


def interrupt_after(args, pattern):
    """Run a command until a line matches, then Ctrl-C: exit code, all that it printed."""
    process = subprocess.Popen([TOOL, *map(str, args)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    seen = ""
    while not re.search(pattern, seen):
        line = process.stdout.readline()
        assert line, seen + process.stderr.read()
        seen += line
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE_S)
    return process.returncode, seen + out


def in_namespace(*lines):
    """Run shell lines where there is no network but that which they make."""
    return subprocess.run(["unshare", "--net", "sh", "-c", "\n".join(["set -e", *lines])],
                          capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def can_make_namespaces():
    return in_namespace("ip link set lo up").returncode == 0
