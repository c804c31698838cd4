# SPDX-License-Identifier: BSD-3-Clause
"""The agent and the kernels need nothing of the machine they run on: list what an archive leaves undefined.

Allowed are the four functions that a compiler may call by itself even in freestanding code, and
the compiler's own arithmetic (libgcc).
"""

import argparse
import re
import subprocess
import sys

ALLOWED = re.compile(
    r"""mem(cpy|move|set|cmp)
    | __aeabi_\w+                                   # Arm: 64-bit division and its kin
    | __gnu_thumb1_case_\w+                         # Thumb-1: jump tables
    | __cpu_(model|indicator_init)                  # x86: what the processor can do
    | _GLOBAL_OFFSET_TABLE_                         # the linker's
    | __(u?(div|mod|divmod)|mul|neg|ash[lr]|lshr|u?cmp|cl[zs]|ctz|ffs|popcount|parity|bswap)
      [sdt]i[234]
    """,
    re.VERBOSE,
)
INSTRUMENTED = re.compile(r"__(asan|ubsan|sanitizer)_\w+")


def symbols(nm, archive, *options):
    """The names that nm prints for every object in the archive."""
    done = subprocess.run([nm, "-P", "-g", *options, archive], check=True, capture_output=True,
                          text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {words[0] for words in lines if len(words) >= 2}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--instrumented", action="store_true", help="built with sanitizers")
    parser.add_argument("archive")
    parser.add_argument("name", help="a function that the archive defines")
    args = parser.parse_args()

    defined = symbols(args.nm, args.archive, "--defined-only")
    needed = symbols(args.nm, args.archive, "--undefined-only") - defined
    if args.name not in defined:
        sys.exit(f"{args.archive}: found no {args.name}")
    foreign = sorted(
        name for name in needed
        if not ALLOWED.fullmatch(name)
        and not (args.instrumented and INSTRUMENTED.fullmatch(name))
    )
    print(f"{len(defined)} symbols defined, needed from outside:", *sorted(needed))
    if foreign:
        sys.exit("not allowed in freestanding code: " + " ".join(foreign))


if __name__ == "__main__":
    main()
