# SPDX-License-Identifier: BSD-3-Clause
"""A serial line between two pseudo terminals, which a test can cut and disturb."""
import os
import pty
import select
import threading
import tty


class Line:
    """Passes on what either end sends. `near` and `far` are the device files of its ends; to_near and to_far
    may change the bytes on their way."""

    def __init__(self):
        self.masters, self.slaves = zip(*(pty.openpty() for _ in range(2)))
        for slave in self.slaves:
            tty.setraw(slave)
        self.near, self.far = map(os.ttyname, self.slaves)
        self.to_near = self.to_far = lambda piece: piece
        self.stop_read, self.stop_write = os.pipe()
        self.thread = threading.Thread(target=self._relay, daemon=True)
        self.thread.start()

    def _relay(self):
        near, far = self.masters
        while True:
            ready, _, _ = select.select([near, far, self.stop_read], [], [])
            if self.stop_read in ready:
                return
            for source, sink in ((near, far), (far, near)):
                if source in ready:
                    piece = os.read(source, 4096)
                    change = self.to_far if source == near else self.to_near
                    self.write(sink, change(piece))

    @staticmethod
    def write(fd, piece):
        while piece:
            piece = piece[os.write(fd, piece):]

    def say_to_near(self, piece):
        """Something that the far end never said."""
        self.write(self.masters[0], piece)

    def cut(self):
        """Both ends find the line gone."""
        if self.thread.is_alive():
            os.write(self.stop_write, b"x")
            self.thread.join()
            for fd in (*self.masters, *self.slaves, self.stop_read, self.stop_write):
                os.close(fd)
