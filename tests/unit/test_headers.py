# SPDX-License-Identifier: BSD-3-Clause
"""Every public header compiles alone and twice, as strict C11 and as C++."""

import argparse
import pathlib
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-fsyntax-only"]
LANGUAGES = {"C11": ["-x", "c", "-std=c11"], "C++11": ["-x", "c++", "-std=c++11"]}


def compile_alone(cc, include, name, language):
    """What the compiler says of a file that holds nothing but this header; empty when fine."""
    # The declaration is there because strict C has no empty file.
    source = f'#include "{name}"\n#include "{name}"\nextern int nd_unit_headers;\n'
    done = subprocess.run([cc, *language, *WARNINGS, "-I", str(include), "-"], input=source,
                          capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr or f"exit code {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("include", type=pathlib.Path)
    args = parser.parse_args()

    headers = sorted(path.relative_to(args.include) for path in args.include.rglob("*.h"))
    if not headers:
        sys.exit(f"{args.include}: expected headers, found none")
    failed = 0
    for name in headers:
        for title, language in LANGUAGES.items():
            complaint = compile_alone(args.cc, args.include, name, language)
            if complaint:
                failed += 1
                print(f"{name} as {title}:\n{complaint}")
    print(f"{len(headers)} headers, {failed} complaints")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
