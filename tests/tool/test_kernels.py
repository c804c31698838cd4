# SPDX-License-Identifier: BSD-3-Clause
"""`netdyno kernels`: the routines proved and timed, on the simulated board and on this machine."""
import json

import pytest
from conftest import is_one_line, netdyno, simulated

BOARD = simulated(image="kernels")
SEGMENT = 1460


def kernels(*args):
    """The part `kernels` of the board's document."""
    done = netdyno("kernels", *BOARD, *args, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]["kernels"]


def figures(document, what, name, bytes_=SEGMENT):
    """Ticks of a call by (source, destination) alignment."""
    routine, = [it for it in document["routines"] if (it["what"], it["name"]) == (what, name)]
    assert routine["status"] == "ok"
    return {(case["src_align"], case["dst_align"]): case["call_ticks"]
            for case in routine["cases"] if case["bytes"] == bytes_}


@pytest.fixture(scope="module", name="timed")
def _timed():
    return kernels()


@pytest.mark.parametrize("what", ["checksum", "copy", "copy-checksum", "fifo-read16",
                                  "fifo-read32", "fifo-write16", "fifo-write32"])
def test_every_kernel_is_right_on_the_board_for_every_length_and_alignment(what):
    document = kernels("--prove", "--instructions", "--what", what)
    assert document["proved_bytes"] == 2100
    assert len(document["routines"]) >= 2
    assert {it["status"] for it in document["routines"]} == {"ok"}


def test_the_checksum_needs_at_most_a_third_of_lwips(timed):
    ours = figures(timed, "checksum", "armv7m")
    for even in (0, 2):
        at = (even, 0)
        assert ours[at] <= 0.30 * figures(timed, "checksum", "lwip-2")[at]
        assert ours[at] <= 0.45 * figures(timed, "checksum", "lwip-3")[at]


def test_the_copy_is_near_what_its_loads_and_stores_take(timed):
    ours = figures(timed, "copy", "armv7m")
    words = SEGMENT / 4
    limit = 2 * words + 2 * words / 8  # a cycle each, and one for each LDM and STM of 8
    assert limit <= ours[0, 0] <= 1.15 * limit
    assert ours[0, 0] <= 0.15 * figures(timed, "copy", "ref")[0, 0]
    assert ours[0, 0] <= figures(timed, "copy", "newlib")[0, 0]
    assert max(ours.values()) <= 2 * ours[0, 0]


def test_copying_and_summing_in_one_pass_is_less_than_both(timed):
    both = figures(timed, "copy-checksum", "armv7m")[0, 0]
    copy = figures(timed, "copy", "armv7m")[0, 0]
    assert copy < both < copy + figures(timed, "checksum", "armv7m")[0, 0]


def test_every_size_and_alignment_has_a_time_that_repeats(timed):
    again = kernels("--what", "copy")
    copies = [it for it in timed["routines"] if it["what"] == "copy"]
    assert again["routines"] == copies
    for routine in copies:
        assert len(routine["cases"]) == 16 * 16
        assert all(case["call_ticks"] > 0 for case in routine["cases"])
    assert timed["tick"] == "cycle"
    assert any("newlib" in verdict for verdict in timed["verdicts"])


def test_this_machine_is_timed_in_nanoseconds():
    done = netdyno("kernels", "local:", "--what", "checksum")
    assert done.returncode == 0
    assert "In ns/byte" in done.stdout
    assert "lwip-3" in done.stdout and "checksum: lwip-2 takes" in done.stdout


def test_a_device_without_kernels_says_so():
    done = netdyno("kernels", *simulated())
    assert done.returncode == 1
    assert is_one_line(done.stderr) and "kernels" in done.stderr


def test_what_cannot_be_is_refused():
    done = netdyno("kernels", *BOARD, "--what", "sort")
    assert done.returncode == 2
    assert "no such routine" in done.stderr
