#!/usr/bin/env python3
"""CANN's public example programs on the C SDK: builds those of a checkout of ops-nn, runs them, and says which pass.

    python scripts/aclnn_examples.py ~/ops-nn gelu_v2 swi_glu
    python scripts/aclnn_examples.py ~/ops-nn --group norm rms_norm
    python scripts/aclnn_examples.py ~/ops-nn --group . --compare

It runs the programs that call aclnn functions in the folders `example` and `examples` of activation, unmodified.
`--group` names another folder, also in a checkout of ops-math or ops-transformer; `.` means all folders. Without
names it runs every operator's programs. A program passes if it ends with status 0 and prints a result and no failure.
If it prints no result, the script says so, and counts the program neither as passed nor as failed. `--compare` also
computes each call of a program by other code (aclnn_references.py, which needs PyTorch). A program then passes only
if the results are equal. The exit status is 1 if a program fails.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import aclnn_references as references

from actgrad.ascend.sdk import builder, descriptions, lacking
from actgrad.base.errors import quantity

#: The operators whose examples cannot pass: they quantise to HIFLOAT8, which actgrad does not compute.
LEFT_OUT = ("swiglu_group_quant",)
MAIN = re.compile(r"\bmain\s*\(")
#: The chips that a program is tried on, in order; a folder arch35 is Ascend950's alone.
PRODUCTS = ("Ascend910B", "Ascend950")
#: The end of a line about a program of which no call was compared.
NOT_COMPARED = ", not compared"
#: The status of a function that the SDK has by name alone.
NOT_COMPUTED = "561103"
#: What a program that ran says if it prints nothing that tells whether its results are right.
SILENT = "prints nothing that can be compared"
_NUMBER = r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)\b"
#: A result: numbers after "is", "=" or a colon, such as "result[0] is: 1.0", "[0] out=1.00", "0 acos(1.0) = 0.0" and
#: "out: 1, 2", a line of several numbers, or the verdict of a program that compares its numbers itself.
_LIST = rf"^[\[({{ \t]*{_NUMBER}(?:[ \t,]+(?:{_NUMBER}|\.\.\.))+[\])}} \t,]*$"
RESULT = re.compile(rf"(?:\bis\b:?|=|:)[ \t]*[\[({{]*{_NUMBER}|{_LIST}|\bPASS(?:ED)?\b", re.M | re.I)
#: Lines with numbers that are no results.
NO_RESULT = re.compile(
    r"^.*(?:workspace|device|stream|\bsoc\b|\bret\b|status|shape|dims?\b|0x[0-9a-f]).*$", flags=re.M | re.I
)

#: A line of a failure: "aclnnGelu failed. ERROR: 161002", or "out=1.00 expected=2.00 FAIL", but not "0 FAIL".
FAILED = re.compile(r"^.*(?:(?<!\b0 )failed|ERROR|(?<!\b0 )\bFAIL$).*$", re.M)


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
    return "" if RESULT.search(NO_RESULT.sub("", done.stdout)) else SILENT


def comparison(file: Path) -> tuple[str, str]:
    """The first difference, or nothing, and the end of the line of a program that passes."""
    lines = file.read_text().splitlines()
    equal = sum(line.endswith(f": {references.EQUAL}") for line in lines)
    differences = [line for line in lines if not line.endswith((references.EQUAL, references.UNKNOWN))]
    return differences[0] if differences else "", f", {quantity(equal, 'call')} compared" if equal else NOT_COMPARED


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
        if reason in ("", SILENT) and options.compare:
            difference, end = comparison(compared)
            reason = difference or (reason if end == NOT_COMPARED else "")
        if not reason:
            return f"passes on {product}{end}"
        reasons.append(reason)
    if SILENT in reasons:
        return SILENT
    missing = [finding for finding in lacking.findings(source) if finding.reason] if NOT_COMPUTED in reasons[0] else ()
    functions = "".join(f"; {m.name.removesuffix('GetWorkspaceSize')} is not in actgrad: {m.reason}" for m in missing)
    return f"does not pass: {reasons[0]}{functions}"


def programs(group: Path, names: list[str]) -> list[Path]:
    """The programs of the named operators, by their paths under the group's folder."""
    found = sorted(filter(lambda place: is_program(group, place), (p.relative_to(group) for p in group.rglob("*.cpp"))))
    unknown = set(names) - set(map(operator, found))
    if unknown or not found:
        sys.exit(f"{group} has no programs{' of ' if unknown else ''}{', '.join(sorted(unknown))}")
    return [path for path in found if not names or operator(path) in names]


def is_program(group: Path, place: Path) -> bool:
    """Whether a file in a folder of examples is a program of aclnn functions, by its name or by its text."""
    folders = {*place.parts[:-1]}
    if not folders & {"example", "examples"} or folders & {"test", "tests", "template"}:
        return False
    text = (group / place).read_text(encoding="utf-8", errors="replace")
    is_named = place.name.startswith("test_aclnn_")
    return is_named or ("aclnn" in text and MAIN.search(text) is not None)


def operator(place: Path) -> str:
    """The folder of an operator, which has the folder of its examples."""
    return next((a for a, b in itertools.pairwise(place.parts) if b in ("example", "examples")), "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="a folder with the sources of ops-nn")
    parser.add_argument("names", nargs="*", help="folders of the group, like gelu_v2; default: all")
    parser.add_argument("--group", default="activation", help="the folder of the operators; . means all folders")
    parser.add_argument("--build", type=Path, default=Path("build/aclnn-examples"), help="the folder of the build")
    parser.add_argument("--sdk", type=Path, help="the folder of an SDK that is there; default: build one")
    parser.add_argument("--compare", action="store_true", help="compare each call with PyTorch or a float64 formula")
    parser.add_argument("--seconds", type=int, default=60, help="the most that one program may take")
    options = parser.parse_intermixed_args()
    group, folder = options.checkout.resolve() / options.group, options.build.resolve()
    chosen = programs(group, options.names)
    tried = [place for place in chosen if operator(place) not in LEFT_OUT]
    sdk = options.sdk or folder / "sdk"
    folder.mkdir(parents=True, exist_ok=True)
    if options.sdk is None:
        builder.build(sdk)
    passed = silent = 0
    for place in chosen:
        binary = folder / "-".join(place.with_suffix("").parts)
        result = outcome(group / place, place, binary, sdk, options) if place in tried else "left out"
        passed += result.startswith("passes")
        silent += result.startswith(SILENT)
        print(f"{place}: {result}", flush=True)
    words = f"{silent} {'prints' if silent == 1 else 'print'} nothing that can be compared"
    print(f"{passed} of {len(tried)} programs pass; {words}; {len(chosen) - len(tried)} left out")
    return 0 if passed + silent == len(tried) else 1


if __name__ == "__main__":
    sys.exit(main())
