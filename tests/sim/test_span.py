# SPDX-License-Identifier: BSD-3-Clause
"""What the marks of nd/span.h cost on a Cortex-M3, in QEMU with the cycle counter, against what the header
says. The environment is test_cycles.py's."""
import re
import subprocess
from pathlib import Path

import pytest
from test_cycles import HERE, NO_WAITS, counted, run

TOP = Path(__file__).resolve().parents[2]

# Data stands apart from code, which begins with the vectors.
LAYOUT = ["-nostdlib", "-Wl,--section-start=.vectors=0,-Ttext=0x100,-Tdata=0x20000000,-Tbss=0x20000400,"
          "--entry=reset,--no-warn-rwx-segments"]

PORT = ["-DND_CFG_SPAN=ND_SPAN_PINS", "-DND_CFG_SPAN_SET_REGISTER=0x20004000",
        "-DND_CFG_SPAN_CLEAR_REGISTER=0x20004004"]


def costs(folder, *options):
    """Cycles of nothing, and of marks: begin, end, task."""
    elf = folder / "span.elf"
    subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O2", "-ffreestanding", *LAYOUT,
                    *options, f"-I{TOP}/include", "-o", elf, HERE / "span.c", TOP / "probes/span.c",
                    TOP / "core/clock.c", "-lgcc"], check=True)
    marks, *_ = run(elf, folder, NO_WAITS)
    return counted(marks)


def stated(mode):
    """What the header promises."""
    text = " ".join((TOP / "include/nd/span.h").read_text().replace("\n *", " ").split())
    found = re.search(r"a mark takes (\d+) cycles in the ring,.* or (\d+) cycles on pins", text)
    return int(found[1 if mode == "ring" else 2])


@pytest.mark.parametrize("mode, options", [("ring", ["-DND_CFG_SPAN=ND_SPAN_RING"]), ("pins", PORT)])
def test_a_mark_takes_what_the_header_says(mode, options, tmp_path):
    nothing, begin, end, task = costs(tmp_path, *options)
    assert nothing == 0
    assert stated(mode) - 5 < max(begin, end) <= stated(mode)
    assert 0 < task <= 2 * stated(mode)


def test_a_mark_that_is_off_takes_nothing(tmp_path):
    assert costs(tmp_path) == [0, 0, 0, 0]
