# SPDX-License-Identifier: BSD-3-Clause
"""matrix: images built with every combination of options, and measured."""
import shutil

import pytest
from conftest import is_one_line, netdyno
from peers import strict

TARGET = "sim:lwip@nios50"
QUICK = "--plan", "tcp", "--set", "seconds=20ms"

needs_compiler = pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None,
                                    reason="arm-none-eabi-gcc is not installed")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("images")


def matrix(cache, *args, code=0):
    done = netdyno("matrix", TARGET, *QUICK, "--cache", cache, *args, "--json", "-", timeout=600)
    assert done.returncode == code, done.stderr
    return strict(done.stdout)["result"], done.stderr


@needs_compiler
def test_every_combination_is_built_and_measured_and_one_that_fails_leaves_the_others(cache):
    args = "--vary", "nic=dma,pio,drums"
    result, errors = matrix(cache, *args, code=1)
    assert is_one_line(errors) and "1 of 3 cells" in errors
    cells = result["cells"]
    assert [it["options"] for it in cells] == [{"nic": name} for name in ("dma", "pio", "drums")]
    assert [it["status"] for it in cells] == ["ok", "ok", "failed"]
    assert "expected dma, pio or pio-unrolled" in cells[2]["reason"]
    assert cells[2]["absent"]["flash_bytes"] == "not_built"
    dma, pio = cells[:2]
    assert pio["work_per_byte"] > dma["work_per_byte"] and pio["flash_bytes"] > dma["flash_bytes"]
    assert (dma["frontier"], pio["frontier"]) == (True, False)
    assert {it["step"] for it in dma["steps"]} == {"tcp-rx", "tcp-tx-copy", "tcp-tx-borrow"}
    assert matrix(cache, *args, code=1)[0] == result  # from the cache, to the last figure


@pytest.mark.parametrize("args, expected", [
    ([], "--vary"),
    (["--vary", "speed=1,2"], "expected opt="),
    (["--vary", "nic="], "1 to 16 values"),
    (["--vary", "nic=dma,,pio"], "1 to 16 values"),
    (["--vary", "nic"], "KEY=VALUE"),
    (["--vary", "nic=dma", "--vary", "nic=pio"], "varies already"),
    (["--vary", "opt=-O2;x"], "expected a value"),
    (["--vary", "nic=dma", "--plan", "nope"], "--plan nope"),
    (["--vary", "nic=dma", "--with", "x=1"], "--with x=1"),
    (["--vary", "nic=dma", "--set", "x=1"], "--set x=1"),
])
def test_what_cannot_be_is_refused_before_anything_is_built(args, expected):
    done = netdyno("matrix", TARGET, *args)
    assert done.returncode == 2 and is_one_line(done.stderr)
    assert expected in done.stderr and done.stdout == ""


def test_a_target_without_sources_is_refused():
    done = netdyno("matrix", "local:", "--vary", "nic=dma")
    assert done.returncode == 2 and "sim:STACK@BOARD" in done.stderr


def test_a_source_tree_that_is_none_is_named(tmp_path):
    done = netdyno("matrix", TARGET, *QUICK, "--cache", tmp_path, "--vary", "nic=dma", "--source", tmp_path)
    assert done.returncode == 1
    assert "is no source tree of netdyno" in done.stdout
