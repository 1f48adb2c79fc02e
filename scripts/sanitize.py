"""The extension under AddressSanitizer and UndefinedBehaviorSanitizer: a copy of the package is built and tested.

Needs gcc with its sanitizers' libraries. The tests of calls, views and aliasing run by default, in about 5 minutes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLAGS = "-fsanitize=address,undefined"
TESTS = ("tests/calls", "tests/arrays/test_foreign_arrays.py", "tests/arrays/test_dlpack.py",
         "tests/ascend/aclnn/test_aclnn_executors.py")  # fmt: skip


def library(name: str) -> str:
    """The path of one of gcc's libraries."""
    found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    path = found.stdout.strip()
    if not os.path.isabs(path):
        sys.exit(f"sanitize: gcc has no {name}; install its sanitizers (Debian: libasan8, libubsan1)")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  python scripts/sanitize.py tests/calls -k fast_path",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pytest", nargs="*", help="what pytest is given (default: tests of calls, views and aliasing)")
    given, others = parser.parse_known_args()
    arguments = [*given.pytest, *others] or list(TESTS)
    preload = f"{library('libasan.so')} {library('libubsan.so')}"
    with tempfile.TemporaryDirectory() as folder:
        compiled = {**os.environ, "CC": "gcc", "CFLAGS": f"{FLAGS} -O1 -g -fno-omit-frame-pointer", "LDFLAGS": FLAGS}
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, str(ROOT)]
        subprocess.run(install, env=compiled, check=True)
        if not list(Path(folder).glob("actgrad/calls/_fastcall*.so")):
            sys.exit("sanitize: the extension was not compiled; pip install -v . says why")
        options = {
            "LD_PRELOAD": preload,
            "PYTHONMALLOC": "malloc",
            "PYTHONPATH": folder,
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        }
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-s", "-q", *arguments]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, **options}).returncode


if __name__ == "__main__":
    sys.exit(main())
