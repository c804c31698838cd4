#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""three_phase.py HOST [PORT] - the host's side of the three-phase memory test, with sockets alone.

Sends 1024 messages of 1024 random letters and digits, receives as many bytes, and has 1024 messages
echoed, each of which must come back whole in one recv(). Prints one JSON object: the bytes of every
phase and the seconds of all."""
import json
import random
import socket
import string
import sys
import time

PORT = 7
MESSAGES = 1024
MESSAGE_BYTES = 1024
PATIENCE_S = 10


def message():
    letters = random.choices(string.ascii_letters + string.digits, k=MESSAGE_BYTES)
    return "".join(letters).encode("ascii")


def send_all(sock):
    for _ in range(MESSAGES):
        sock.sendall(message())
    return MESSAGES * MESSAGE_BYTES


def receive_all(sock):
    got = 0
    while got < MESSAGES * MESSAGE_BYTES:
        piece = sock.recv(min(4096, MESSAGES * MESSAGE_BYTES - got))
        if not piece:
            break
        got += len(piece)
    return got


def echo_all(sock):
    for number in range(MESSAGES):
        sent = message()
        sock.sendall(sent)
        back = sock.recv(MESSAGE_BYTES)
        if back != sent:
            sys.exit(f"three_phase: echo {number}: {len(back)} of {MESSAGE_BYTES} bytes in one piece, "
                     f"{'the same' if sent.startswith(back) else 'other ones'}")
    return MESSAGES * MESSAGE_BYTES


def main(host, port=PORT):
    begin = time.monotonic()
    with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as sock:
        counts = {"sent_bytes": send_all(sock), "received_bytes": receive_all(sock),
                  "echoed_bytes": echo_all(sock)}
        counts["after_end_bytes"] = len(sock.recv(1))
    print(json.dumps({**counts, "seconds": round(time.monotonic() - begin, 3)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
