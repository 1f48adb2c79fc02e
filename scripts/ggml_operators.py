#!/usr/bin/env python3
"""ggml's CANN backend on the C SDK: builds a checkout of llama.cpp, and lists the operators whose tests pass.

    python scripts/ggml_operators.py ~/llama.cpp --build /tmp/ggml SILU GELU

It runs ggml's own test-backend-ops, one process an operator. Without names it runs every operator.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from actgrad.ascend.sdk import builder, descriptions

#: A test's result, as test-backend-ops colours it.
PASSED, FAILED = "OK\033", "FAIL\033"
OPTIONS = (
    "-DGGML_CANN=ON", "-DSOC_TYPE=Ascend910B3", "-DCMAKE_BUILD_TYPE=Release", "-DLLAMA_BUILD_COMMON=OFF",
    "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_TOOLS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_SERVER=OFF",
)  # fmt: skip


def build(checkout: Path, folder: Path, source: str, *libraries: str) -> tuple[Path, dict[str, str]]:
    """A program of one source file of the checkout, and the environment that it runs in."""
    sdk, made = folder / "sdk", folder / "ggml"
    builder.build(sdk)
    variables = os.environ | descriptions.environment(sdk.resolve())
    paths = [str(sdk.resolve() / "lib64"), str(made.resolve() / "bin"), variables.get("LD_LIBRARY_PATH", "")]
    variables |= {"LD_LIBRARY_PATH": ":".join(filter(None, paths)), "GGML_NO_BACKTRACE": "1"}
    run(["cmake", "-S", str(checkout), "-B", str(made), *OPTIONS], variables)
    jobs = str(os.cpu_count() or 1)  # without a number, make starts all compilers at once
    run(["cmake", "--build", str(made), "--target", *libraries, "ggml", "--parallel", jobs], variables)
    program = folder / Path(source).stem
    names = [f"-l{name}" for name in (*libraries, "ggml", "ggml-base", "ggml-cpu", "ggml-cann")]
    places = [f"-I{checkout}/include", f"-I{checkout}/ggml/include", f"-L{made}/bin", f"-Wl,-rpath-link,{sdk}/lib64"]
    command = [*builder.compiler("c++"), "-std=c++17", "-w", str(checkout / source), *places, *names]
    run([*command, "-o", str(program)], variables)
    return program, variables


def run(command: list[str], variables: dict[str, str]) -> None:
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def operators(program: Path, variables: dict[str, str]) -> list[str]:
    """The names of ggml's operators, as the test program lists them."""
    done = subprocess.run([program, "--list-ops"], env=variables, capture_output=True, text=True, check=True)
    return re.findall(r"^ +([A-Z0-9_]+)$", done.stdout, re.M)


def result(program: Path, operator: str, variables: dict[str, str], seconds: int) -> str:
    """One line: the tests that passed, or the reason why not."""
    command = [str(program.resolve()), "test", "-b", "CANN0", "-o", operator]
    try:
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as stopped:
        output = (stopped.stdout or b"").decode(errors="replace")
        return f"{output.count(PASSED)} pass and {output.count(FAILED)} fail in {seconds} s, then it was stopped"
    said = done.stdout + done.stderr
    counted = re.search(r"(\d+)/(\d+) tests passed", said)
    if counted is None or done.returncode:
        reason = re.search(r"(aclnn\w+|acl\w+) is not in actgrad: [^;\n]+|aclnn\w+: [^\n]+", said)
        passed = said.count(PASSED) if counted is None else int(counted[1])
        return f"stops after {passed}: {reason[0] if reason else f'exit status {done.returncode}'}"
    return f"passes {counted[1]}/{counted[2]}" if int(counted[2]) else "is not of the CANN backend"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="a folder with llama.cpp's sources")
    parser.add_argument("operators", nargs="*", help="names as in test-backend-ops --list-ops; default: all")
    parser.add_argument("--build", type=Path, default=Path("build/ggml"), help="the folder of the build")
    parser.add_argument("--seconds", type=int, default=300, help="the most that one operator may take")
    options = parser.parse_intermixed_args()
    options.build.mkdir(parents=True, exist_ok=True)
    program, variables = build(options.checkout.resolve(), options.build.resolve(), "tests/test-backend-ops.cpp")
    for operator in options.operators or operators(program, variables):
        print(f"{operator}: {result(program, operator, variables, options.seconds)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
