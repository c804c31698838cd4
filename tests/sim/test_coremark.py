# SPDX-License-Identifier: BSD-3-Clause
"""CoreMark in the cycle model, without wait states. ND_COREMARK is a folder with its sources
(https://github.com/eembc/coremark), the rest as for test_cycles.py.

Arm gives 3.34 CoreMark/MHz for a Cortex-M3 (its product page; with its own compiler), which GCC
does not reach. What is known of GCC's is in docs/method.md."""
import os
import subprocess
from pathlib import Path

import pytest
from test_cycles import NO_WAITS, run

HERE = Path(__file__).resolve().parent / "coremark"
SOURCES = [Path(os.environ["ND_COREMARK"]) / f"core_{name}.c"
           for name in ("list_join", "main", "matrix", "state", "util")]
ITERATIONS = 5
ARM_PUBLISHES = 3.34


def coremark_per_mhz(folder, *flags):
    elf = folder / "coremark.elf"
    subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", *flags, "-nostartfiles",
                    f"-DND_ITERATIONS={ITERATIONS}", f'-DND_FLAGS="{" ".join(flags)}"',
                    f"-I{SOURCES[0].parent}", f"-I{HERE}", f"-T{HERE}/image.ld",
                    "-Wl,--no-warn-rwx-segments", "-o", elf, *SOURCES, HERE / "core_portme.c"],
                   check=True)
    marks, _, text = run(elf, folder, NO_WAITS)
    assert "Correct operation validated" in text and len(marks) == 2
    return 1e6 * ITERATIONS / (marks[1] - marks[0])


@pytest.mark.parametrize("flags, least", [
    (["-O2"], 2.2),
    (["-O3"], 2.3),
    (["-O3", "-funroll-all-loops"], 2.6),
])
def test_a_figure_of_this_core(flags, least, tmp_path):
    figure = coremark_per_mhz(tmp_path, *flags)
    print(f"\nCoreMark/MHz of {' '.join(flags)}: {figure:.3f}")
    assert least < figure < ARM_PUBLISHES
