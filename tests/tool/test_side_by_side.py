# SPDX-License-Identifier: BSD-3-Clause
"""run with several targets: one table, a column each."""
import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import FIRMWARE, TOOL, is_one_line, netdyno
from test_run import QUICK, load

BOARD = "sim:lwip@lpc1768"
IMAGES = Path(FIRMWARE or Path(TOOL).parent / "../cortex-m3/firmware")


@pytest.fixture(scope="module", autouse=True)
def images_beside_the_tool():
    """Several boards cannot be named by --firmware: a tool that lies elsewhere is led to them."""
    place = Path(TOOL).parent.parent / "cortex-m3"
    made = FIRMWARE is not None and not place.exists()
    if made:
        place.symlink_to(IMAGES.parent)
    yield
    if made:
        place.unlink()


def columns(table, title, name):
    """The words of a row."""
    rows = re.search(rf"^{re.escape(title)}\n((?:  .*\n)+)", table, re.MULTILINE)[1].splitlines()
    return next(row for row in rows if row.startswith(f"  {name} "))[len(name) + 2:].split()


def run_two(*targets, plan="memory", code=0):
    done = netdyno("run", *targets, *QUICK, "--plan", plan, "--json", "/dev/stderr")
    assert done.returncode == code
    return done.stdout, done.stderr


def test_a_board_and_this_machine_are_one_table():
    table, err = run_two(BOARD, "local:", plan="default")
    board, local = load(err)
    assert table.count("netdyno") == 1 and "dyno sheet" not in table
    assert max(map(len, table.splitlines())) <= 80 and not re.search(r" $", table, re.MULTILINE)
    assert re.search(rf"^A  {BOARD} .*board lpc1768$", table, re.MULTILINE)
    assert re.search(r"^B  local: .*port posix$", table, re.MULTILINE)
    cells = columns(table, "Memory test [Mbit/s]", "TX")
    rates = [next(step["goodput_bit_s"] for step in document["result"]["steps"]
                  if step["step"] == "memtest-tx") for document in (board, local)]
    assert [float(cell) for cell in cells[:2]] == [round(rate / 1e6, 3) for rate in rates]
    ratio = float(cells[2].removeprefix("x").removesuffix("*"))
    assert abs(ratio / (rates[1] / rates[0]) - 1) < 0.01
    assert cells[2].endswith("*")  # cycles of a model against time
    assert columns(table, "Free heap in memory test [byte]", "average")[1] == "not_hooked"
    assert columns(table, "Flash [byte]", "TCP/IP stack")[1:] == ["no", "image"]
    assert columns(table, "* not to be compared with column A, because these differ", "time is told in")[:2] == [
        "cycle", "time"]


def test_two_boards_of_one_configuration_are_compared_without_reserve():
    table, err = run_two(BOARD, BOARD)
    assert len(load(err)) == 2
    assert "*" not in table
    ratios = re.findall(r"x[\d.]+", table)
    assert len(ratios) > 10 and set(ratios) == {"x1.000"}


def test_another_window_is_marked_and_not_hidden():
    table, _ = run_two(BOARD, "sim:lwip@fast")
    assert columns(table, "Memory test [Mbit/s]", "TX+RX")[2].endswith("*")
    assert not columns(table, "Work per byte", "memory test TX")[-1].endswith("*")
    assert columns(table, "* not to be compared with column A, because these differ", "window [byte]") == [
        "5840", "11680"]


def test_a_target_that_fails_leaves_the_others_column():
    done = netdyno("run", BOARD, "tcp://127.0.0.1:1", *QUICK, "--plan", "memory")
    assert done.returncode == 1 and is_one_line(done.stderr)
    cells = columns(done.stdout, "Memory test [Mbit/s]", "RX")
    assert float(cells[0]) > 0 and cells[1:] == ["not", "run"]
    assert re.search(r"^B  identity: cannot reach the console", done.stdout, re.MULTILINE)


def test_sizes_are_those_of_the_image():
    done = netdyno("run", BOARD, "--firmware", IMAGES / "netdyno-lwip-lpc1768.elf", *QUICK, "--plan", "echo",
                   "--json", "-")
    firmware = load(done.stdout)["result"]["firmware"]
    elf = IMAGES / "netdyno-lwip-lpc1768.elf"
    size = subprocess.run(["arm-none-eabi-size", elf], capture_output=True, text=True, check=True).stdout
    text, data, bss = map(int, size.splitlines()[1].split()[:3])
    assert (firmware["flash_bytes"], firmware["ram_bytes"]) == (text + data, data + bss)
    for key in ("flash_bytes", "ram_bytes"):
        assert sum(part[key] for part in firmware["parts"]) == firmware[key]
    parts = {part["part"]: part for part in firmware["parts"]}
    assert list(parts)[-1] == "rest" and set(parts) == {"stack", "port", "agent", "board", "libc", "rest"}


def archive_sizes(elf):
    """Bytes of the functions of each archive, as the linker's map has them."""
    text = Path(f"{elf}.map").read_text()
    text = text[text.index("Linker script and memory map"):]
    sizes = {}
    for size, place in re.findall(r"^ \.text\.\S+\s*(?:\n\s+)?\s+0x[0-9a-f]+\s+0x([0-9a-f]+)\s+(\S+)$", text,
                                  re.MULTILINE):
        name = re.sub(r"\(.*", "", os.path.basename(place))
        sizes[name] = sizes.get(name, 0) + int(size, 16)
    return sizes


def test_the_table_of_parts_agrees_with_the_linker():
    elf = IMAGES / "netdyno-lwip-lpc1768.elf"
    done = netdyno("run", BOARD, "--firmware", elf, *QUICK, "--plan", "echo", "--json", "-")
    parts = {part["part"]: part for part in load(done.stdout)["result"]["firmware"]["parts"]}
    linker = archive_sizes(elf)
    for part, archive in (("stack", "libnd_lwip_lpc1768.a"), ("agent", "libnd_core.a"),
                          ("port", "libnd_lwip_raw_lpc1768.a")):
        # Constants come on top of it, few bytes of alignment are in it.
        assert linker[archive] * 0.98 < parts[part]["flash_bytes"] < linker[archive] * 1.25, part
