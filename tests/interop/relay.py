# SPDX-License-Identifier: BSD-3-Clause
"""relay.py PC_SIDE DEVICE_SIDE - pass frames between two interfaces and lose chosen UDP datagrams.

A line of JSON on stdin sets a rule or, being empty, asks for counts; each is answered by the counts:
{"to": "pc"|"device", "lose": [NUMBER...], "least": BYTES, "most": BYTES}. Datagrams to that side with a
payload of least to most bytes are counted from 1, and those with these numbers go no further.

Frames are passed as the kernel has them, unfinished checksums and joined segments included."""
import json
import selectors
import socket
import struct
import sys

ETH_P_ALL = 3
SOL_PACKET = 263
PACKET_ADD_MEMBERSHIP = 1
PACKET_MR_PROMISC = 1
PACKET_VNET_HDR = 15
PACKET_IGNORE_OUTGOING = 23
VNET_BYTES = 10
FRAME_BYTES = 1 << 17


def open_side(name):
    side = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    side.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    side.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        side.setsockopt(socket.SOL_SOCKET, option, 1 << 22)
    side.bind((name, ETH_P_ALL))
    side.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP,
                    struct.pack("iHH8s", socket.if_nametoindex(name), PACKET_MR_PROMISC, 0, b""))
    return side


def datagram_bytes(frame):
    """Length of the UDP payload in this frame; -1 when it is none."""
    ip = VNET_BYTES + 14
    if len(frame) < ip + 28 or frame[ip - 2:ip] != b"\x08\x00" or frame[ip + 9] != socket.IPPROTO_UDP:
        return -1
    udp = ip + (frame[ip] & 15) * 4
    return struct.unpack_from("!H", frame, udp + 4)[0] - 8


class Rule:
    def __init__(self, lose=(), least=0, most=65535, to=None):
        self.to = to
        self.lose = set(lose)
        self.lengths = range(least, most + 1)
        self.seen = 0
        self.lost = 0

    def loses(self, frame):
        if datagram_bytes(frame) not in self.lengths:
            return False
        self.seen += 1
        if self.seen in self.lose:
            self.lost += 1
            return True
        return False


def main():
    sides = {"pc": open_side(sys.argv[1]), "device": open_side(sys.argv[2])}
    others = {"pc": "device", "device": "pc"}
    rules = {"pc": Rule(), "device": Rule()}
    ready = selectors.DefaultSelector()
    ready.register(sys.stdin, selectors.EVENT_READ)
    for name, side in sides.items():
        ready.register(side, selectors.EVENT_READ, name)
    print("ready", flush=True)
    while True:
        for key, _ in ready.select():
            if key.data is None:
                line = sys.stdin.readline()
                if not line:
                    return
                order = json.loads(line)
                if order:
                    rules[order["to"]] = Rule(**order)
                print(json.dumps({to: {"seen": rule.seen, "lost": rule.lost}
                                  for to, rule in rules.items()}), flush=True)
                continue
            frame = sides[key.data].recv(FRAME_BYTES)
            to = others[key.data]
            if not rules[to].loses(frame):
                sides[to].send(frame)


if __name__ == "__main__":
    main()
