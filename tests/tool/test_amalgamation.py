# SPDX-License-Identifier: BSD-3-Clause
"""The agent in two files, and the smallest program that adds it, in each of the ways there are."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from test_install import install

ROOT = Path(__file__).resolve().parents[2]
CONSUMER = ROOT / "tests/consumer"
LOOP = [ROOT / f"ports/loop/{name}.c" for name in ("loop", "slot", "datagram")]
LWIP_HEADERS = [ROOT / "tests/contract/lwip_threads", ROOT / "ports/lwip_raw/glue",
                Path(os.environ.get("ND_LWIP_DIR") or ROOT / "build/lwip-src") / "src/include"]
STRICT = ["-Wall", "-Wextra", "-Werror"]
TRANSFERRED = "sent 102400 received 102400\n"

COMPILERS = [("gcc", "-std=c99"), ("gcc", "-std=c11"), ("g++", "-std=c++17"),
             ("clang", "-std=c99"), ("clang++", "-std=c++17")]


def run(*command, **kwargs):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **kwargs)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module", name="two_files")
def make_two_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("amalgamation")
    run(ROOT / "scripts/amalgamate", folder)
    return folder


@pytest.fixture(scope="module", name="installed")
def make_installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    install(prefix)
    return prefix


def test_there_are_two_files_and_they_are_the_same_every_time(two_files, tmp_path):
    run(ROOT / "scripts/amalgamate", tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["netdyno.c", "netdyno.h"]
    for name in names:
        assert (tmp_path / name).read_bytes() == (two_files / name).read_bytes()


@pytest.mark.parametrize("compiler,language", [("gcc", "c"), ("g++", "c++")])
def test_they_compile_for_a_board_whose_int32_t_is_a_long(two_files, tmp_path, compiler, language):
    run(f"arm-none-eabi-{compiler}", "-mcpu=cortex-m3", "-mthumb", *STRICT, "-x", language, "-c",
        two_files / "netdyno.c", "-o", tmp_path / "netdyno.o")


@pytest.mark.parametrize("compiler,standard", COMPILERS, ids=map("".join, COMPILERS))
def test_they_compile_alone_and_carry_a_test(two_files, tmp_path, compiler, standard):
    assert shutil.which(compiler)
    language = "c++" if "++" in standard else "c"
    run(compiler, standard, *STRICT, "-x", language, "-c", two_files / "netdyno.c", "-o",
        tmp_path / "netdyno.o", cwd=tmp_path)
    assert ".init_array" not in run("objdump", "-h", tmp_path / "netdyno.o")  # no constructors
    run("gcc", *STRICT, f"-I{two_files}", f"-I{ROOT}/include", f"-I{ROOT}/ports/loop",
        CONSUMER / "main.c", *LOOP, tmp_path / "netdyno.o", "-o", tmp_path / "consumer")
    assert run(tmp_path / "consumer") == TRANSFERRED


@pytest.mark.parametrize("standard", ["c99", "c++17"])
def test_the_header_stands_alone(two_files, standard):
    compiler = "g++" if "++" in standard else "gcc"
    run(compiler, f"-std={standard}", *STRICT, "-pedantic", "-fsyntax-only", "-x",
        compiler.replace("gcc", "c").replace("g++", "c++"), "-", f"-I{two_files}",
        input='#include "netdyno.h"\n')


def test_a_cmake_project_finds_what_is_installed(installed, tmp_path):
    run("cmake", "-S", CONSUMER, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={installed}",
        "-DLWIP=" + ";".join(map(str, LWIP_HEADERS)))
    run("cmake", "--build", tmp_path)
    assert run(tmp_path / "consumer") == TRANSFERRED


def test_pkg_config_finds_what_is_installed(installed, tmp_path):
    moved = tmp_path / "moved"  # it finds the rest by its own place
    shutil.copytree(installed, moved)
    search = os.environ | {"PKG_CONFIG_PATH": f"{moved}/lib/pkgconfig"}
    flags = run("pkg-config", "--cflags", "--libs", "netdyno", env=search).split()
    ports = run("pkg-config", "--variable=ports", "netdyno", env=search).strip()
    compile_flags = [flag for flag in flags if flag.startswith("-I")]
    link_flags = [flag for flag in flags if not flag.startswith("-I")]
    sources = [CONSUMER / "main.c", *Path(ports).glob("loop/*.c")]
    run("gcc", *STRICT, *compile_flags, f"-I{ports}/loop", *sources, *link_flags, "-o",
        tmp_path / "consumer")
    assert run(tmp_path / "consumer") == TRANSFERRED
