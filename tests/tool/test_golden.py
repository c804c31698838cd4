# SPDX-License-Identifier: BSD-3-Clause
"""A simulated run gives the result that is kept, to the last byte."""
import difflib
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden/lwip-lpc1768.json"


def test_the_result_is_the_golden_one():
    done = subprocess.run([ROOT / "scripts/update-golden", "--print"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    golden = GOLDEN.read_text()
    if done.stdout != golden:
        diff = difflib.unified_diff(golden.splitlines(), done.stdout.splitlines(), "golden",
                                    "this run", n=2, lineterm="")
        pytest.fail("\n".join(["the result of sim:lwip@lpc1768 has changed:", *diff,
                               "If that is meant, run scripts/update-golden and commit "
                               f"{GOLDEN.relative_to(ROOT)}."]), pytrace=False)
