# SPDX-License-Identifier: BSD-3-Clause
"""make install: what lies where, and that it works without the build trees."""
import json
import os
import subprocess
from pathlib import Path

from conftest import FIRMWARE, TOOL

HOST_TREE = Path(TOOL).parent
FIRMWARE_TREE = Path(FIRMWARE).parent if FIRMWARE else HOST_TREE.parent / "cortex-m3"

EXPECTED = [
    "bin/netdyno",
    "include/nd/agent.h",
    "include/nd/port.h",
    "include/netdyno.h",
    "lib/netdyno/cortex-m3/libnd_core.a",
    "lib/netdyno/firmware/lwip.without",
    "lib/netdyno/firmware/netdyno-lwip-fast.elf",
    "lib/netdyno/firmware/netdyno-lwip-lpc1768.elf",
    "lib/netdyno/firmware/netdyno-lwip-native",
    f"lib/netdyno/{os.uname().machine}/libnd_core.a",
    "lib/pkgconfig/netdyno.pc",
    "share/doc/netdyno/LICENSE",
    "share/doc/netdyno/results.md",
    "share/man/man1/netdyno.1",
    "share/netdyno/cmake/netdyno-config.cmake",
    "share/netdyno/netdyno.c",
    "share/netdyno/ports/bsd/bsd.h",
]


def install(prefix, **environment):
    for tree in (HOST_TREE, FIRMWARE_TREE):
        subprocess.run(["cmake", "--install", tree, "--prefix", prefix], check=True,
                       capture_output=True, env=os.environ | environment)


def files_under(root):
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def assert_measures(tool, target):
    done = subprocess.run([tool, "run", target, "--plan", "memory", "--json", "-"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    steps = json.loads(done.stdout)["result"]["steps"]
    assert {step["status"] for step in steps} == {"ok"}


def test_an_installed_tool_finds_its_images(tmp_path):
    install(tmp_path)
    assert files_under(tmp_path) >= set(EXPECTED)
    assert_measures(tmp_path / "bin/netdyno", "sim:lwip@lpc1768")
    assert_measures(tmp_path / "bin/netdyno", "native:lwip")


def test_destdir_stands_before_the_prefix(tmp_path):
    install("/usr", DESTDIR=str(tmp_path))
    assert files_under(tmp_path / "usr") >= set(EXPECTED)
    assert [path.name for path in tmp_path.iterdir()] == ["usr"]
