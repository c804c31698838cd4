# SPDX-License-Identifier: BSD-3-Clause
"""The fixtures of the interop tests. What they are made of is in netns.py and rig.py."""
import os
import subprocess

import pytest
import rig
from netns import FIRMWARE, TOOL, Netns, Process, wait_until  # pylint: disable=unused-import


def _why_not():
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not os.path.exists("/dev/net/tun"):
        return "no /dev/net/tun: load the module tun"
    probe = f"netdyno-{os.getpid()}-probe"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return f"cannot make a network namespace: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", probe], check=True)
    return None


@pytest.fixture(scope="session")
def _can_make_netns():
    reason = _why_not()
    if reason:
        pytest.skip(reason)


@pytest.fixture
def netns(_can_make_netns):
    """Makes network namespaces, and removes them when the test is over, however it went."""
    made = []

    def make():
        made.append(Netns())
        return made[-1]

    yield make
    for it in made:
        it.close()


@pytest.fixture(scope="module", params=["agent", "lwip-board"])
def target(request, _can_make_netns):
    """A PC and a device (rig.py), kept for all tests of a file."""
    network = rig.Network()
    try:
        it = rig.TARGETS[request.param](network)
        yield it
        assert it.process.poll() is None, f"the device ended: {it.process.stderr.read()}"
        assert it.stop() == 0
    finally:
        network.close()


@pytest.fixture
def fresh(target):
    """The target, with nothing left of the test before."""
    target.console.forget()
    return target


@pytest.fixture(params=["agent", "lwip-board"])
def lossy(request, _can_make_netns):
    """A PC and a device with something on the wire that can lose datagrams."""
    network = rig.Network()
    try:
        yield rig.LOSSY_TARGETS[request.param](network)
    finally:
        network.close()
