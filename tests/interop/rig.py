# SPDX-License-Identifier: BSD-3-Clause
"""A PC and a device under test at the two ends of a network of their own.

The PC is a namespace in which other people's programs run. The device is `netdyno agent` in a second
namespace, or a simulated board on a TAP interface. Either tells by its console, in JSON, what it
counted."""
import collections
import ctypes
import json
import os
import queue
import re
import socket
import struct
import subprocess
import sys
import threading
import time

from netns import FIRMWARE, TOOL, Netns, wait_until

PC = "10.9.0.1"
DEVICE = "10.9.0.2"

CLONE_NEWNET = 0x40000000

HERE = os.path.dirname(os.path.abspath(__file__))


def inside(netns, make):
    """Call make() in this namespace: sockets that it opens stay there."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = []

    def work():
        with open(f"/run/netns/{netns.name}", "rb") as handle:
            if libc.setns(handle.fileno(), CLONE_NEWNET) != 0:
                result.append(OSError(ctypes.get_errno(), "setns"))
                return
        try:
            result.append(make())
        except OSError as error:
            result.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if isinstance(result[0], OSError):
        raise result[0]
    return result[0]


def reset(sock):
    """Close with RST instead of FIN, as the kernel does for a client that was killed with bytes unread."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


class Console:
    """An agent's console in JSON mode."""

    def __init__(self, reading, writing):
        self.writing = writing
        self.answers = queue.Queue()
        self.reports = queue.Queue()
        self.passed = []
        self.number = 0
        self.reader = threading.Thread(target=self._read, args=(reading,), daemon=True)
        self.reader.start()
        self.command("json on")

    def _read(self, reading):
        try:
            for line in reading:
                self._take(line)
        except OSError:
            pass  # the device ended

    def _take(self, line):
        if not line.startswith("{"):
            return  # text from before "json on"
        item = json.loads(line)
        if "id" in item:
            self.answers.put(item)
        elif item["kind"] == "report":
            self.reports.put(item)

    def command(self, line):
        """Type a command and answer the lines it brought, the end among them."""
        self.number += 1
        self.writing.write(f"#{self.number} {line}\n")
        self.writing.flush()
        lines = []
        while not lines or lines[-1]["kind"] != "end":
            item = self.answers.get(timeout=10)
            if item["id"] == self.number:
                lines.append(item)
        return lines

    def run(self, line):
        """Type a command that must succeed."""
        lines = self.command(line)
        assert lines[-1]["result"] == "ok", lines[-1]
        return lines[:-1]

    def report(self, engine, seconds=20, **members):
        """The first final report of this engine with these members that nobody has taken yet."""
        def fits(item):
            return item["engine"] == engine and all(item.get(key) == value
                                                    for key, value in members.items())

        end = time.monotonic() + seconds
        while True:
            for item in self.passed:
                if fits(item):
                    self.passed.remove(item)
                    return item
            try:
                item = self.reports.get(timeout=max(0.001, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no report of {engine} {members} in {self.passed}") from None
            if not item.get("interval"):
                self.passed.append(item)

    def report_all(self, engine, count, seconds=20, **members):
        return [self.report(engine, seconds, **members) for _ in range(count)]

    def forget(self):
        """What was reported so far is nobody's concern."""
        self.passed.clear()
        while not self.reports.empty():
            self.reports.get_nowait()


class Target:
    """A device under test. ports: service to port. streams: parallel ones of an iperf 3 test that it
    can serve, both directions counted; tests: of iperf 2."""

    def __init__(self, pc):
        self.pc = pc
        self.host = DEVICE
        self.pc_host = PC

    def socket(self, kind=socket.SOCK_STREAM, port=0):
        """A socket of the PC."""
        def make():
            sock = socket.socket(socket.AF_INET, kind)
            sock.settimeout(10)
            sock.bind((PC, port))
            return sock
        return inside(self.pc, make)

    def connect(self, service):
        sock = self.socket()
        sock.connect((self.host, self.ports[service]))
        return sock

    def iperf(self, *args, timeout=40):
        """Run the client of iperf 2 on the PC against the device."""
        done = self.pc.run("iperf", "-c", self.host, "-p", self.ports["iperf"], *args,
                           timeout=timeout)
        # Told a second time that a test is over, when we are gone, it says so. Nothing is wrong then.
        noise = re.sub(r"\[ *\d+\] WARNING: ack of last datagram failed.\n", "", done.stderr)
        assert done.returncode == 0 and noise == "", done
        return done.stdout

    def iperf3(self, *args, timeout=40):
        """Run the client of iperf 3 on the PC against the device; answers its JSON."""
        done = self.pc.run("iperf3", "-J", "-c", self.host, "-p", self.ports["iperf3"], *args,
                           timeout=timeout)
        return json.loads(done.stdout)


class AgentTarget(Target):
    """`netdyno agent` on the kernel's stack, in a namespace of its own."""
    tests = 64
    streams = 128
    kernel = True

    def __init__(self, pc, netns, *args, trusting=True):
        super().__init__(pc)
        trust = ["--udp-reverse"] if trusting else []
        self.process = netns.start(TOOL, "agent", "--listen", f"{DEVICE}:5055", "--token", "rig",
                                   *trust, *args)
        self.ports = {}
        while "chargen-udp" not in self.ports:
            line = self.process.stdout.readline()
            assert line, self.process.communicate()
            name, where = line.split()
            self.ports[name] = int(where.rsplit(":", 1)[1])
        self.text = collections.deque()
        threading.Thread(target=self._drain, daemon=True).start()
        sock = self.connect("console")
        sock.settimeout(None)
        sock.sendall(b"token rig\n")
        self.console = Console(sock.makefile("r"), sock.makefile("w"))

    def _drain(self):
        for line in self.process.stdout:
            self.text.append(line)

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=10)


class BoardTarget(Target):
    """A simulated board on a TAP interface. Its console is the simulator's."""
    ports = {"iperf": 5001, "iperf3": 5201, "echo": 1007, "memtest": 7, "discard": 9, "chargen": 19,
             "iperf-udp": 5001, "echo-udp": 7, "discard-udp": 9, "chargen-udp": 19}
    tests = 3
    streams = 4
    kernel = False

    def __init__(self, pc, netns, *args):
        super().__init__(pc)
        firmware = [] if FIRMWARE is None else ["--firmware", f"{FIRMWARE}/netdyno-lwip-lpc1768.elf"]
        self.process = netns.start(TOOL, "sim", "sim:lwip@lpc1768", "--tap", "tap0", "--ip",
                                   f"{DEVICE}/24", *firmware, *args, stdin=subprocess.PIPE)
        line = self.process.stdout.readline()
        while line and not line.startswith("sim lwip@lpc1768 at "):
            line = self.process.stdout.readline()
        assert line, self.process.communicate()
        self.console = Console(self.process.stdout, self.process.stdin)

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=10)


class Network:
    """The namespaces of one target, made and removed with it."""

    def __init__(self):
        self.made = []

    def netns(self):
        self.made.append(Netns())
        return self.made[-1]

    def wire(self, one, other, names=("eth0", "eth0")):
        """A cable between two namespaces."""
        subprocess.run(["ip", "link", "add", names[0], "netns", one.name, "type", "veth",
                        "peer", "name", names[1], "netns", other.name], check=True)
        for netns, name in ((one, names[0]), (other, names[1])):
            netns.run("ip", "link", "set", name, "up", check=True)

    def close(self):
        for netns in self.made:
            netns.close()


def give_address(netns, name, address):
    netns.run("ip", "addr", "add", f"{address}/24", "dev", name, check=True)


def open_agent(network, *args, **kwargs):
    """PC and agent with a cable between them."""
    pc, device = network.netns(), network.netns()
    network.wire(pc, device)
    give_address(pc, "eth0", PC)
    give_address(device, "eth0", DEVICE)
    return AgentTarget(pc, device, *args, **kwargs)


def open_board(network, *args):
    """PC whose interface is the board's wire."""
    pc = network.netns()
    return BoardTarget(pc, pc, "--host-ip", f"{PC}/24", *args)


TARGETS = {"agent": open_agent, "lwip-board": open_board}


class Relay:
    """What stands on the wire between the two and can lose datagrams. See relay.py."""

    def __init__(self, netns, device_side):
        self.netns = netns
        self.process = netns.start(sys.executable, "-B", os.path.join(HERE, "relay.py"), "eth0", device_side,
                                   stdin=subprocess.PIPE)
        assert self.process.stdout.readline() == "ready\n", self.process.communicate()

    def _ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def lose(self, to, numbers, least=0, most=65535):
        """From now on lose these datagrams, counted from 1, of those to "pc" or to "device" whose payload
        is of such a length."""
        self._ask(json.dumps({"to": to, "lose": sorted(numbers), "least": least, "most": most}))

    def counts(self):
        """Datagrams seen that such a rule applies to, and of these lost."""
        return self._ask("{}")


def open_lossy_agent(network):
    pc, wire, device = network.netns(), network.netns(), network.netns()
    network.wire(pc, wire, ("eth0", "eth0"))
    network.wire(device, wire, ("eth0", "eth1"))
    give_address(pc, "eth0", PC)
    give_address(device, "eth0", DEVICE)
    relay = Relay(wire, "eth1")
    target = AgentTarget(pc, device)
    target.relay = relay
    return target


def open_lossy_board(network):
    pc, wire = network.netns(), network.netns()
    network.wire(pc, wire)
    give_address(pc, "eth0", PC)
    wire.run("ip", "tuntap", "add", "tap0", "mode", "tap", check=True)
    wire.run("ip", "link", "set", "tap0", "up", check=True)
    target = BoardTarget(pc, wire)
    target.relay = Relay(wire, "tap0")
    return target


LOSSY_TARGETS = {"agent": open_lossy_agent, "lwip-board": open_lossy_board}


def is_ready(try_it, seconds=3):
    """Does the server serve again within the time? try_it() runs a test and tells whether it went
    well."""
    return wait_until(try_it, seconds)
