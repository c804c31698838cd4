# SPDX-License-Identifier: BSD-3-Clause
"""A hostile network: what a forged sender may make a device send, and to whom."""
import collections
import socket
import struct
import time

import dialogue
import pytest
import rig

ETH_P_IP = 0x0800
SOL_PACKET = 263
PACKET_IGNORE_OUTGOING = 23

SIMPLE_PORTS = [7, 13, 17, 19, 37, 53, 69, 123]

# An end that is also the beginning: the server's answer to it is the report.
END = dialogue.iperf_datagram(-1, 200)
REVERSE = dialogue.iperf_datagram(1, 200, flags=0x6c010098, upper=0x0400)

QUIET_S = 0.3


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def datagram(source, source_port, to, to_port, payload):
    """An IPv4 packet with a UDP datagram without a checksum, from whomever."""
    udp = struct.pack("!HHHH", source_port, to_port, 8 + len(payload), 0) + payload
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 1, 0, 64, socket.IPPROTO_UDP, 0,
                       socket.inet_aton(source), socket.inet_aton(to))
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + udp


class Wire:
    """The PC's end of the wire, below its stack: frames of any sender go out, and every UDP datagram of
    the device is seen, whoever it is for."""

    def __init__(self, target, name):
        self.target = target
        self.sock = rig.inside(target.pc, lambda: self._open(name))
        self.mac = self.sock.getsockname()[4]
        with target.socket(socket.SOCK_DGRAM) as probe:  # let the stack learn the device's address
            probe.sendto(b"x", (target.host, target.ports["discard-udp"]))
        self.device_mac = rig.wait_until(self._neighbour)
        # And the device the PC's, and those of all whom it could be made to answer.
        for source in (rig.PC, "10.9.0.77"):
            self.answer_arp_for(source)

    @staticmethod
    def _open(name):
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        sock.bind((name, 0x0003))
        sock.settimeout(0.05)
        return sock

    def _neighbour(self):
        out = self.target.pc.run("ip", "neigh", "show", self.target.host).stdout.split()
        if "lladdr" not in out:
            return None
        return bytes.fromhex(out[out.index("lladdr") + 1].replace(":", ""))

    def answer_arp_for(self, source):
        """Say unasked where this address is; a request makes a stack note its sender."""
        frame = (b"\xff" * 6 + self.mac + struct.pack("!HHHBBH", 0x0806, 1, ETH_P_IP, 6, 4, 1)
                 + self.mac + socket.inet_aton(source) + bytes(6) + socket.inet_aton(self.target.host))
        self.sock.send(frame)
        time.sleep(0.05)

    def send(self, service, payload, source=rig.PC, source_port=40000):
        packet = datagram(source, source_port, self.target.host, self.target.ports[service], payload)
        self.sock.send(self.device_mac + self.mac + struct.pack("!H", ETH_P_IP) + packet)

    def sent_by_device(self, seconds=QUIET_S):
        """UDP payload lengths that the device sent within the time, by (address, port)."""
        sent = collections.defaultdict(list)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                frame = self.sock.recv(65536)
            except TimeoutError:
                continue
            if frame[6:12] != self.device_mac or frame[12:14] != b"\x08\x00" or frame[23] != socket.IPPROTO_UDP:
                continue
            to = socket.inet_ntoa(frame[30:34])
            _, port, length = struct.unpack_from("!HHH", frame, 34)
            sent[to, port].append(length - 8)
        return sent

    def drain(self):
        self.sent_by_device(0.1)


@pytest.fixture
def wire(fresh):
    it = Wire(fresh, "eth0" if fresh.kernel else "tap0")
    it.drain()
    yield it
    it.sock.close()
    fresh.console.run("stop")


ANSWERING = [("echo-udp", b"x" * 200), ("chargen-udp", b"x" * 200), ("iperf", END)]


@pytest.mark.parametrize("service, payload", ANSWERING, ids=[name for name, _ in ANSWERING])
def test_an_ordinary_sender_is_answered_once(wire, service, payload):
    """So that the silence of the tests below means something."""
    wire.send(service, payload, source="10.9.0.77")
    sent = wire.sent_by_device()
    assert list(sent) == [("10.9.0.77", 40000)]
    assert len(sent["10.9.0.77", 40000]) == 1


@pytest.mark.parametrize("service, payload", ANSWERING, ids=[name for name, _ in ANSWERING])
def test_other_simple_services_are_not_answered(wire, service, payload):
    for port in SIMPLE_PORTS:
        wire.send(service, payload, source_port=port)
    assert not wire.sent_by_device()


MANY = ["10.9.0.255", "255.255.255.255", "224.0.0.1", "239.1.2.3", "0.0.0.0", "127.0.0.1", "240.0.0.1"]


@pytest.mark.parametrize("service, payload", ANSWERING, ids=[name for name, _ in ANSWERING])
def test_no_answer_reaches_more_than_one_machine(wire, service, payload):
    for source in MANY:
        wire.send(service, payload, source=source)
    sent = wire.sent_by_device()
    assert not sent, sent


@pytest.mark.parametrize("service", ["echo-udp", "chargen-udp"])
def test_no_more_is_answered_than_came(wire, service):
    lengths = (1, 100, 512, 513, 1472)
    for length in lengths:
        for _ in range(3):
            wire.send(service, b"x" * length, source_port=40000 + length)
        sent = wire.sent_by_device(0.15)[rig.PC, 40000 + length]
        assert 1 <= len(sent) <= 3 and max(sent) <= length


def test_a_report_of_iperf_is_no_longer_than_what_came(wire):
    for length in (12, 16, 20, 76, 127, 128, 200):
        for number in (-1, -2, -2):
            wire.send("iperf", dialogue.iperf_datagram(number, length), source_port=40000 + length)
        assert sum(wire.sent_by_device(0.15)[rig.PC, 40000 + length]) <= 3 * length


@pytest.mark.parametrize("flags, upper", [(0x48010098, 0), (0x40000000, 0), (0x08000000, 0), (0, 0),
                                          (0x80000000, 0x0400), (0x40010098, 0x0800)],
                         ids=["data", "extended", "wide", "nothing", "old, with newer bits", "duplex"])
def test_iperf_sends_to_nobody_who_did_not_ask(wire, flags, upper):
    for number in (1, 2, 3):
        wire.send("iperf", dialogue.iperf_datagram(number, 200, flags, upper), source_port=40100)
    assert sum(map(len, wire.sent_by_device().values())) <= 1


def test_iperf3_takes_no_datagram_outside_a_test(wire):
    wire.send("iperf3", dialogue.HELLO)
    wire.send("iperf3", b"x" * 1000)
    assert not wire.sent_by_device()


def test_iperf3_sends_to_nobody_but_its_client(wire, fresh):
    """The stream of a reversed test is set up from the client's own address; a stranger is faster."""
    opened = []
    dialogue.run_to(dialogue.iperf3(fresh, opened, udp=True, reverse=True), "parameters")
    wire.send("iperf3", dialogue.HELLO, source="10.9.0.77")
    sent = wire.sent_by_device()
    assert ("10.9.0.77", 40000) not in sent
    for sock in opened:
        rig.reset(sock)


# ---- who asks to be sent to ------------------------------------------------------------


@pytest.fixture
def open_device(_can_make_netns):
    """Starts an agent with these options, and gives its wire."""
    networks = []

    def start(*args, trusting):
        networks.append(rig.Network())
        return Wire(rig.open_agent(networks[-1], *args, trusting=trusting), "eth0")

    yield start
    for it in networks:
        it.close()


@pytest.mark.parametrize("flags, upper", [(0x6c010098, 0x0400), (0xc8010099, 0), (0xc8010098, 0)],
                         ids=["-R", "-d", "-r"])
def test_iperf_sends_to_no_asker_unless_its_owner_lets_it(open_device, flags, upper):
    """iperf 2 gives no proof that the asker is at the address it claims."""
    wire = open_device(trusting=False)
    for number in (1, 1, -2):
        wire.send("iperf", dialogue.iperf_datagram(number, 200, flags, upper))
    sent = wire.sent_by_device(1.5)
    assert sum(map(len, sent.values())) <= 1 and sum(map(sum, sent.values())) <= 600


def test_what_iperf_sends_is_within_its_owners_limits(open_device):
    wire = open_device("--max-seconds", "1s", "--max-rate", "1M", trusting=True)
    wire.send("iperf", REVERSE)
    sent = wire.sent_by_device(2.5)
    assert list(sent) == [(rig.PC, 40000)]
    assert 100000 < 8 * sum(sent[rig.PC, 40000]) < 1200000


def test_what_iperf3_may_ask_for_is_within_its_owners_limits(open_device):
    target = open_device("--max-seconds", "2s", "--max-rate", "1M", trusting=False).target
    assert "error" in target.iperf3("-t", "5", "-b", "500K")
    assert "error" in target.iperf3("-u", "-t", "1", "-b", "5M", "-R")
    assert "error" not in target.iperf3("-u", "-t", "1", "-b", "500K", "-l", "1000", "-R")
