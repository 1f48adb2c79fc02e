#!/usr/bin/env python3
"""The aclnn functions that a wheel of torch_npu looks up by name.

Their list is at the end of src/actgrad/ascend/sdk/declared_functions.txt.

python scripts/torch_npu_names.py .venv/npu            print the names that the table does not have otherwise
python scripts/torch_npu_names.py .venv/npu --write    write them into the table

The folder is the one that the wheel was installed into. The list has a function if the SDK does not compute it, so that
its first phase fails. Without the function torch_npu chooses another way, which mostly fails later.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from pathlib import Path

from actgrad.ascend.aclnn import signatures
from actgrad.ascend.sdk import declared_functions

HEADING = "\n[opapi by name]"
#: A text of its own in a library.
_NAME = re.compile(rb"\0(aclnn[A-Z]\w*)(?=\0)")

#: Functions that must not be there. Without them torch_npu computes on the CPU, or with functions that the SDK has.
ABSENT = {
    "aclnnChunkCat",
    "aclnnPolar",
    "aclnnTopkV2",
    "aclnnTransformBiasRescaleQkv",
    "aclnnUnfoldGrad",
    "aclnnUpsampleBilinear2dAA",
    "aclnnUpsampleBilinear2dAABackward",
    "aclnnUpsampleNearestExact1d",
    "aclnnUpsampleNearestExact1dBackward",
    "aclnnUpsampleNearestExact2d",
    "aclnnUpsampleNearestExact2dBackward",
    "aclnnUpsampleNearestExact3d",
    "aclnnUpsampleNearestExact3dBackward",
}


def looked_up(wheel: Path) -> set[str]:
    """The functions of two phases that the wheel's libraries look up."""
    found = {name.decode() for path in wheel.rglob("*.so") for name in _NAME.findall(path.read_bytes())}
    return {name for name in found if name + signatures.FIRST in found}


def listed() -> set[str]:
    """The functions that the table has by their names alone."""
    return {row.name for row in declared_functions.functions() if not row.header}


def missing(wheel: Path) -> list[str]:
    """The functions that the list must have, in order."""
    others = {row.name for row in declared_functions.functions() if row.header} | {
        row.name for row in signatures.all_signatures()
    }
    return sorted(looked_up(wheel) - others - ABSENT)


def write(names: list[str]) -> None:
    """Write the list, which ends the table."""
    before, heading, rest = declared_functions.TABLE.read_text(encoding="utf-8").partition(HEADING)
    lines = textwrap.wrap(" ".join(name.removeprefix("aclnn") for name in names), 118, break_on_hyphens=False)
    reason = rest.partition("\n")[0]
    declared_functions.TABLE.write_text("\n".join([f"{before}{heading}{reason}", *lines, ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path, help="the folder that has the folder torch_npu")
    parser.add_argument("--write", action="store_true", help="write the list into the table")
    options = parser.parse_args()
    names = missing(options.wheel / "torch_npu")
    if not names:
        parser.error(f"{options.wheel} has no wheel of torch_npu")
    if options.write:
        write(names)
    else:
        print(*names, sep="\n")


if __name__ == "__main__":
    main()
