# SPDX-License-Identifier: BSD-3-Clause
"""The cycle model, to the cycle: kernels in assembly, each with the count that the manual gives,
run in QEMU. ND_CYCLES is the plugin, ND_PAGE a program that tells how the memory it shares is laid out."""
import os
import re
import struct
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent / "cycles"
PLUGIN = os.environ["ND_CYCLES"]

# Offsets and sizes of struct nd__page, printed by the program that ND_PAGE names.
PAGE = dict(line.split() for line in subprocess.run(
    [os.environ["ND_PAGE"]], capture_output=True, text=True, check=True).stdout.splitlines())
PAGE = {name: int(value) for name, value in PAGE.items()}

NO_WAITS = (0, 0, 0)
LPC1768 = (4, 16, 8)


def assemble(source, folder):
    elf = folder / "kernels.elf"
    subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-nostdlib", f"-I{HERE}",
                    "-Wl,-Ttext=0,--entry=0,--no-warn-rwx-segments", "-o", elf, HERE / source],
                   check=True)
    return elf


def build(source, folder):
    """A kernel file as an ELF program; its path, and the list of (cycles, name)."""
    elf, table = assemble(source, folder), folder / "expect"
    subprocess.run(["arm-none-eabi-objcopy", "--dump-section", f".expect={table}", elf,
                    folder / "copy.elf"], check=True)
    data, at, kernels = table.read_bytes(), 0, []
    while at < len(data):
        end = data.index(b"\0", at + 4)
        kernels.append((struct.unpack_from("<I", data, at)[0], data[at + 4:end].decode()))
        at = (end + 4) // 4 * 4
    return elf, kernels


def execute(elf, folder, words, *options):
    """Run a program on a page in which these words stand; the page, and what was printed."""
    page = folder / "page"
    with open(page, "wb") as file:
        file.truncate(PAGE["size"])
        for at, values in words.items():
            file.seek(PAGE[at])
            file.write(struct.pack(f"<{len(values)}I", *values))
    done = subprocess.run(
        ["qemu-system-arm", "-M", "mps2-an385", "-icount", "shift=6,sleep=off",
         "-semihosting-config", "enable=on,target=native", "-nographic", "-monitor", "none",
         "-serial", "none", *options, "-kernel", elf, "-plugin", f"{PLUGIN},page={page}"],
        capture_output=True, text=True, check=True, timeout=60)
    data = page.read_bytes()
    assert struct.unpack_from("<I", data, 0)[0] == PAGE["magic_value"]
    return data, done.stdout + done.stderr


def run(elf, folder, flash, *options):
    """The cycles at each mark, the instructions of the whole, and what was printed."""
    data, text = execute(elf, folder, {"flash": flash}, *options)
    count, = struct.unpack_from("<Q", data, PAGE["mark_count"])
    marks = struct.unpack_from(f"<{count}Q", data, PAGE["marks"])
    instructions, = struct.unpack_from("<Q", data, PAGE["instructions"])
    return marks, instructions, text


def counted(marks):
    """Cycles of each kernel: between its two marks, less the first one's own."""
    return [end - begin - 1 for begin, end in zip(marks[::2], marks[1::2])]


@pytest.mark.parametrize("source, flash", [("kernels.S", NO_WAITS), ("kernels_flash.S", LPC1768)])
def test_every_kernel_takes_what_the_manual_says(source, flash, tmp_path):
    elf, kernels = build(source, tmp_path)
    marks, *_ = run(elf, tmp_path, flash)
    got = counted(marks)
    assert len(got) == len(kernels) > 10
    wrong = [f"{name}: expected {cycles}, got {have}"
             for (cycles, name), have in zip(kernels, got) if cycles != have]
    assert not wrong, "\n".join(wrong)


def test_wait_states_make_nothing_faster(tmp_path):
    """The same kernels with wait states take no less, and some take more."""
    elf, kernels = build("kernels.S", tmp_path)
    got = counted(run(elf, tmp_path, LPC1768)[0])
    assert all(have >= cycles for (cycles, _), have in zip(kernels, got))
    assert sum(got) > sum(cycles for cycles, _ in kernels)


@pytest.mark.parametrize("source, flash", [("kernels.S", NO_WAITS), ("kernels_flash.S", LPC1768)])
def test_where_qemu_cuts_the_code_does_not_matter(source, flash, tmp_path):
    """One instruction in each of QEMU's blocks gives the same counts."""
    elf, _ = build(source, tmp_path)
    assert run(elf, tmp_path, flash) == run(elf, tmp_path, flash, "-singlestep")


# ---- calls ----

NAMES = ["reset", "a", "b", "c", "rec"]


def addresses(elf, names):
    out = subprocess.run(["arm-none-eabi-nm", elf], capture_output=True, text=True, check=True)
    table = {line.split()[2]: int(line.split()[0], 16) & ~1 for line in out.stdout.splitlines()}
    return [table[name] for name in [*names, "end"]]


def profile(source, names, folder, *options):
    """Run a program of these functions; the page with the profile up to its mark."""
    elf = assemble(source, folder)
    at = addresses(elf, names)
    bounds = [word for pair in zip(at, at[1:]) for word in pair]
    data, _ = execute(elf, folder, {"function_count": [len(names)], "functions": bounds,
                                    "turns_asked": [1]}, *options)
    assert struct.unpack_from("<I", data, PAGE["turns_done"])[0] == 1
    return data


@pytest.mark.parametrize("options", [(), ("-singlestep",)])
def test_calls_are_followed(options, tmp_path):
    data = profile("calls.S", NAMES, tmp_path, *options)
    count, lost = struct.unpack_from("<2I", data, PAGE["profile.context_count"])
    assert lost == 0
    contexts = [struct.unpack_from("<IIQQ", data, PAGE["profile.contexts"] + 24 * i)
                for i in range(count)]

    def chain(context):
        parent, function = contexts[context][:2]
        return ([] if context == 0 else chain(parent)) + ([NAMES[function - 1]] if function else [])

    found = {"/".join(chain(i)): it[2:] for i, it in enumerate(contexts)}
    assert found == {
        "": (0, 0),
        "reset": (2, 1),
        "reset/a": (13, 1),
        "reset/a/b": (6, 2),
        "reset/c": (10, 1),
        "reset/c/rec": (11, 1),
        "reset/c/rec/rec": (11, 1),
        "reset/c/rec/rec/rec": (9, 1),
    }
    assert struct.unpack_from("<Q", data, PAGE["profile.cycles"])[0] == 62
    calls = [struct.unpack_from("<4Q", data, PAGE["profile.calls"] + 32 * i)
             for i in range(len(NAMES) + 1)]
    assert dict(zip(["", *NAMES], calls)) == {
        "": (0, 0, 0, 0),
        "reset": (0, 0, 0, 0),
        "a": (1, 19, 19, 19),
        "b": (2, 6, 3, 3),
        "c": (1, 41, 41, 41),
        "rec": (3, 9 + 20 + 31, 9, 31),
    }


@pytest.mark.parametrize("options", [(), ("-singlestep",)])
def test_bytes_are_counted_by_the_width_of_what_is_loaded_and_stored(options, tmp_path):
    names = ["reset", "narrow", "wide", "several", "conditional", "none"]
    data = profile("bytes.S", names, tmp_path, *options)
    found = [struct.unpack_from("<2Q", data, PAGE["profile.bytes"] + 16 * i)
             for i in range(len(names) + 1)]
    assert dict(zip(["", *names], found)) == {
        "": (0, 0),
        "reset": (0, 0),
        "narrow": (17, 14),
        "wide": (10, 7),
        "several": (28, 28),
        "conditional": (4, 0),
        "none": (0, 0),
    }


# ---- refusals ----

def refusal(*arguments, qemu="qemu-system-arm", machine="mps2-an385"):
    done = subprocess.run([qemu, "-M", machine, "-nographic", "-plugin",
                           ",".join([PLUGIN, *arguments])],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    return done.stderr


def test_it_refuses_what_it_cannot_do(tmp_path):
    page = tmp_path / "page"
    page.write_bytes(bytes(PAGE["size"]))
    assert "expected page=PATH" in refusal()
    assert re.search("cannot map .*/nowhere", refusal(f"page={tmp_path}/nowhere"))
    assert "one processor" in refusal(f"page={page}", machine="mps2-an521")
