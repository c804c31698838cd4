# SPDX-License-Identifier: BSD-3-Clause
"""Clients that stop in the midst of a test: the dialogues of iperf 3 and iperf 2, step by step.

Each is a generator that yields the name of the phase it has reached. Its sockets are in `opened`."""
import json
import socket
import struct

COOKIE = b"abcdefghijklmnopqrstuvwxyz234567abcd\0"

PARAM_EXCHANGE, CREATE_STREAMS, TEST_START, TEST_RUNNING = 9, 10, 1, 2
TEST_END, EXCHANGE_RESULTS, DISPLAY_RESULTS, IPERF_DONE = 4, 13, 14, 16

HELLO, WELCOME = b"9876", b"6789"

# What iperf 2.1 sends first, over TCP.
IPERF_HEADER = struct.pack("!IIIIIiIIHHIIHHIII", 0x40010078, 1, 5001, 0, 0, -1000, 0, 0, 0, 0,
                           0x00020001, 0x00080003, 0, 0, 0, 0, 0)


def take(sock, count):
    data = b""
    while len(data) < count:
        piece = sock.recv(count - len(data))
        assert piece, f"ended after {data!r}"
        data += piece
    return data


def expect(sock, *states):
    assert take(sock, len(states)) == bytes(states)


def take_text(sock):
    (length,) = struct.unpack("!I", take(sock, 4))
    return json.loads(take(sock, length))


def text(value):
    raw = json.dumps(value).encode()
    return struct.pack("!I", len(raw)) + raw


def params(udp, reverse, **more):
    value = {"udp" if udp else "tcp": True, "omit": 0, "time": 10, "num": 0, "blockcount": 0, "parallel": 1,
             "len": 1000, "pacing_timer": 1000, "client_version": "3.12", **more}
    if reverse:
        value["reverse"] = True
    if udp:
        value["bandwidth"] = 1000000
    return value


def results(packets, count):
    return {"cpu_util_total": 1.5, "cpu_util_user": 1, "cpu_util_system": 0.5, "sender_has_retransmits": 0,
            "streams": [{"id": 1, "bytes": count, "retransmits": -1, "jitter": 0, "errors": 0,
                         "packets": packets, "start_time": 0, "end_time": 1.0}]}


IPERF3_PHASES = ["connected", "half a cookie", "cookie", "half the parameters", "parameters", "running", "data",
                 "ended", "results"]


def iperf3(target, opened, udp=False, reverse=False, send=socket.socket.sendall):
    """A test of iperf 3, as its client."""
    control = target.connect("iperf3")
    opened.append(control)
    yield "connected"
    send(control, COOKIE[:20])
    yield "half a cookie"
    send(control, COOKIE[20:])
    expect(control, PARAM_EXCHANGE)
    yield "cookie"
    order = text(params(udp, reverse))
    send(control, order[:30])
    yield "half the parameters"
    send(control, order[30:])
    expect(control, CREATE_STREAMS)
    yield "parameters"
    stream = open_stream(target, opened, udp, reverse, send)
    expect(control, TEST_START, TEST_RUNNING)
    yield "running"
    packets, count = exchange(stream, udp, reverse)
    yield "data"
    send(control, bytes([TEST_END]))
    expect(control, EXCHANGE_RESULTS)
    yield "ended"
    send(control, text(results(packets, count)))
    answer = take_text(control)
    expect(control, DISPLAY_RESULTS)
    assert reverse or answer["streams"][0]["bytes"] == count, answer
    yield "results"
    send(control, bytes([IPERF_DONE]))


def open_stream(target, opened, udp, reverse, send):
    if not udp:
        stream = target.connect("iperf3")
        opened.append(stream)
        send(stream, COOKIE)
        return stream
    stream = target.socket(socket.SOCK_DGRAM)
    opened.append(stream)
    stream.connect((target.host, target.ports["iperf3"]))
    for _ in range(1 if reverse else 2):  # as if the first answer had been lost
        stream.send(HELLO)
        assert stream.recv(100) == WELCOME
    return stream


def exchange(stream, udp, reverse):
    """Some data one way: how many datagrams, and how many bytes."""
    if reverse:
        stream.recv(1000)
        return 0, 0
    for number in range(1, 11):
        stream.sendall(struct.pack("!III", 0, 0, number).ljust(1000, b"x") if udp else b"x" * 1000)
    return (10 if udp else 0), 10000


IPERF_PHASES = ["connected", "half a header", "header", "data"]


def iperf(target, opened):
    """A test of iperf 2 over TCP."""
    sock = target.connect("iperf")
    opened.append(sock)
    yield "connected"
    sock.sendall(IPERF_HEADER[:30])
    yield "half a header"
    sock.sendall(IPERF_HEADER[30:])
    yield "header"
    sock.sendall(b"x" * 10000)
    yield "data"


def iperf_datagram(number, length=200, flags=0x48010098, upper=0):
    """A datagram of iperf 2.1: number, no time, the header it repeats in every one."""
    head = bytearray(IPERF_HEADER)
    struct.pack_into("!I", head, 0, flags)
    struct.pack_into("!H", head, 32, upper)
    low, high = number & 0xFFFFFFFF, (number >> 32) & 0xFFFFFFFF
    return (struct.pack("!IIII", low, 0, 0, high) + bytes(head)).ljust(length, b"x")[:length]


def run_to(steps, phase):
    for reached in steps:
        if reached == phase:
            return
    raise AssertionError(f"{phase} was not reached")
