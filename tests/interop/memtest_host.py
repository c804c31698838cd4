# SPDX-License-Identifier: BSD-3-Clause
"""memtest_host.py HOST PORT - the host's part of the memory test of a device, in three phases.

Sends 1 MiB in packets of random letters and digits; receives 1 MiB; and sends 1024 messages of 1024 bytes, each of which
must come back whole in one receive. Prints a line per phase, ends with 1 at the first that goes wrong."""
import random
import socket
import string
import sys
import time

PACKET_BYTES = 1024
PACKETS = 1024
TOTAL_BYTES = PACKET_BYTES * PACKETS


def packet():
    return "".join(random.choices(string.ascii_letters + string.digits, k=PACKET_BYTES)).encode()


def send(sock):
    for _ in range(PACKETS):
        sock.sendall(packet())
    return TOTAL_BYTES


def receive(sock):
    count = 0
    while count < TOTAL_BYTES:
        piece = sock.recv(min(PACKET_BYTES, TOTAL_BYTES - count))
        if not piece:
            sys.exit(f"receive: ended after {count} bytes")
        count += len(piece)
    return count


def echo(sock):
    for number in range(PACKETS):
        message = packet()
        sock.sendall(message)
        if sock.recv(PACKET_BYTES) != message:
            sys.exit(f"echo: message {number} did not come back whole")
    return 2 * TOTAL_BYTES


def main():
    begin = time.monotonic()
    total = 0
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=10) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for phase in (send, receive, echo):
            count = phase(sock)
            total += count
            print(f"{phase.__name__} {count}", flush=True)
    seconds = time.monotonic() - begin
    print(f"TX+RX Throughput: {total} bytes in {seconds:.3f} seconds "
          f"({total * 8 / seconds / 1e6:.3f}) Mbits/s")


if __name__ == "__main__":
    main()
