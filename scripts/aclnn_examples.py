#!/usr/bin/env python3
"""CANN's public example programs on the C SDK: builds those of a checkout of ops-nn, runs them, and says which pass.

    python scripts/aclnn_examples.py ~/ops-nn gelu_v2 swi_glu
    python scripts/aclnn_examples.py ~/ops-nn --group norm rms_norm
    python scripts/aclnn_examples.py ~/ops-nn --compare

It runs activation/*/examples/**/test_aclnn_*.cpp, unmodified. `--group` names another folder than activation, also in a
checkout of ops-math or ops-transformer. Without names it runs every operator's programs. `--compare` also computes each
call of a program by other code (aclnn_references.py, which needs PyTorch), and a program passes only if the results are
equal. The exit status is 1 where a program that should pass does not.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import aclnn_references as references

from actgrad.base.errors import quantity
from actgrad.sdk import builder, descriptions, lacking

#: The operators whose examples cannot pass: they quantise to HIFLOAT8, which actgrad does not compute.
LEFT_OUT = ("swiglu_group_quant",)
#: The chips that a program is tried on, in order; a folder arch35 is Ascend950's alone.
PRODUCTS = ("Ascend910B", "Ascend950")
#: The status of a function that the SDK has by name alone.
NOT_COMPUTED = "561103"
#: A line with a result: "result[0] is: 1.000000", or "[0] out=1.00".
RESULT = re.compile(r"\[\d+\].*?(?:is:|=) *-?(?:\d|nan|inf)")

#: A line of a failure: "aclnnGelu failed. ERROR: 161002", or "out=1.00 expected=2.00 FAIL", but not "0 FAIL".
FAILED = re.compile(r"^.*(?:failed|ERROR|(?<!\b0 )\bFAIL$).*$", re.M)


def compile_program(source: Path, binary: Path, sdk: Path) -> str:
    """Compile by the command of docs/sdk.md; the first error, or nothing."""
    folders = [f"-I{sdk}/include", f"-I{sdk}/include/aclnnop", f"-L{sdk}/opp/lib64", f"-L{sdk}/lib64"]
    libraries = ["-lopapi_nn", "-lopapi_math", "-lascendcl", "-lnnopbase"]
    command = [*builder.compiler("c++"), str(source), *folders, *libraries, "-o", str(binary)]
    variables = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, errors="replace", check=False)
    if not done.returncode:
        return ""
    error = re.search(r"undefined reference to .*|(?<=error: ).*", done.stderr)
    return error[0] if error else f"the compiler's exit status is {done.returncode}"


def run_program(binary: Path, variables: dict[str, str], seconds: int) -> str:
    """The reason why a program does not pass, or nothing."""
    try:
        # Line by line, because a few programs end with _exit, which drops what the program has in its buffer.
        done = subprocess.run(
            ["stdbuf", "-oL", binary],
            env=variables,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {seconds} s"
    if failed := FAILED.search(done.stdout + done.stderr):
        return failed[0].strip()
    if done.returncode:
        return f"exit status {done.returncode}"
    return "" if RESULT.search(done.stdout) else "prints no result"


def comparison(file: Path) -> tuple[str, str]:
    """The first difference, or nothing, and the end of the line of a program that passes."""
    lines = file.read_text().splitlines()
    equal = sum(line.endswith(f": {references.EQUAL}") for line in lines)
    differences = [line for line in lines if not line.endswith((references.EQUAL, references.UNKNOWN))]
    return differences[0] if differences else "", f", {quantity(equal, 'call')} compared" if equal else ", not compared"


def outcome(source: Path, place: Path, binary: Path, sdk: Path, options: argparse.Namespace) -> str:
    """One program's line: the chip that it passes on, or the reason why it does not. `place` is in the checkout."""
    error = compile_program(source, binary, sdk)
    if error:
        return f"does not compile: {error}"
    variables = os.environ | descriptions.environment(sdk)
    variables["LD_LIBRARY_PATH"] = ":".join(filter(None, [f"{sdk}/lib64", variables.get("LD_LIBRARY_PATH", "")]))
    reasons, end, compared = [], "", binary.with_suffix(".compared")
    for product in PRODUCTS[1:] if "arch35" in place.parts else PRODUCTS:
        if options.compare:
            variables |= references.environment(binary.parent, compared)
        reason = run_program(binary, variables | {"ACTGRAD_PRODUCT": product}, options.seconds)
        if not reason and options.compare:
            reason, end = comparison(compared)
        if not reason:
            return f"passes on {product}{end}"
        reasons.append(reason)
    missing = [finding for finding in lacking.findings(source) if finding.reason] if NOT_COMPUTED in reasons[0] else ()
    functions = "".join(f"; {m.name.removesuffix('GetWorkspaceSize')} is not in actgrad: {m.reason}" for m in missing)
    return f"does not pass: {reasons[0]}{functions}"


def programs(group: Path, names: list[str]) -> list[Path]:
    """The programs of the named operators, by their paths under the group's folder."""
    found = sorted(path.relative_to(group) for path in group.glob("*/examples/**/test_aclnn_*.cpp"))
    unknown = set(names) - {path.parts[0] for path in found}
    if unknown or not found:
        sys.exit(f"{group} has no programs{' of ' if unknown else ''}{', '.join(sorted(unknown))}")
    return [path for path in found if not names or path.parts[0] in names]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="a folder with the sources of ops-nn")
    parser.add_argument("names", nargs="*", help="folders of the group, like gelu_v2; default: all")
    parser.add_argument("--group", default="activation", help="the folder of the operators")
    parser.add_argument("--build", type=Path, default=Path("build/aclnn-examples"), help="the folder of the build")
    parser.add_argument("--compare", action="store_true", help="compare each call with PyTorch or a float64 formula")
    parser.add_argument("--seconds", type=int, default=60, help="the most that one program may take")
    options = parser.parse_intermixed_args()
    group, folder = options.checkout.resolve() / options.group, options.build.resolve()
    chosen = programs(group, options.names)
    tried = [place for place in chosen if place.parts[0] not in LEFT_OUT]
    sdk = folder / "sdk"
    builder.build(sdk)
    passed = 0
    for place in chosen:
        binary = folder / "-".join(place.with_suffix("").parts)
        result = outcome(group / place, place, binary, sdk, options) if place in tried else "left out"
        passed += result.startswith("passes")
        print(f"{place}: {result}", flush=True)
    print(f"{passed} of {len(tried)} programs pass; {len(chosen) - len(tried)} left out")
    return 0 if passed == len(tried) else 1


if __name__ == "__main__":
    sys.exit(main())
