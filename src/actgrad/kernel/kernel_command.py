"""Run an Ascend C kernel on this computer, and name the line of each fault. This command needs g++ or clang++.

Write the arguments of the kernel after the file, in the order of the kernel, without workspace and tiling:
  x.npy                     an input
  bfloat16:x.npy            an input whose dtype NumPy's files do not know
  out:float32:8x512:y.npy   an output: dtype, shape and the file to write; it starts with zeros
  int32:5                   a parameter that is no pointer
  null                      a null pointer, for an optional tensor that is absent

Exit status: 0 if the kernel has no fault of severity error, 1 otherwise.

examples:
  actgrad kernel run elu.cpp --entry elu --blocks 8 --tiling '{"length": 4096, "alpha": 1.0}' --tiling-struct EluTilingData x.npy out:float32:4096:y.npy
  actgrad kernel run selu.cpp --entry 'selu<0>' --product Ascend950 --define DTYPE_X=half --tiling tiling.json --tiling-struct SeluTilingData x.npy out:float16:4096:y.npy
  g++ -std=c++17 -I $(actgrad kernel include) test_elu.cpp -lgtest -o test_elu     a unit test with tikicpulib.h
"""  # noqa: E501  a command line is one line

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..base.dtypes import BY_NAME
from ..base.errors import ActgradError, InvalidArgument, system_fault
from ..cli import argument_types, commands
from ..cli.parsing import Parser
from ..writing import terminal
from . import INCLUDE, Kernel, RunReport
from .products import facts


def add_arguments(parser: Parser) -> None:
    """The help and the arguments of `actgrad kernel`."""
    parser.describe(__doc__)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    include = actions.add_parser("include", help="print the folder of the headers, for -I")
    include.set_defaults(run=lambda _: _include())
    run = actions.add_parser(
        "run",
        help="compile and run a kernel",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("file", metavar="FILE", type=argument_types.path, help="the kernel's C++ file")
    run.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="the kernel's arguments, see above")
    run.add_argument("--entry", required=True, metavar="NAME", help='the kernel function, or an instance: "elu<0>"')
    run.add_argument(
        "--product", choices=tuple(facts()["products"]), default="Ascend910B", help="(default: Ascend910B)"
    )
    run.add_argument("--define", action="append", default=[], metavar="NAME=VALUE", help="a macro; may be repeated")
    run.add_argument("--include", action="append", default=[], metavar="PATH", help="a folder, or a file to include")
    run.add_argument("--blocks", type=argument_types.integer(1, 65535), default=1, metavar="N", help="(default: 1)")
    run.add_argument(
        "--tiling", metavar="JSON", help="fields of the tiling struct, or a file with them, or bytes in a .bin"
    )
    run.add_argument("--tiling-struct", metavar="NAME", help="the name of the struct")
    run.add_argument("--tiling-key", type=argument_types.integer(0), metavar="N", help="the key for TILING_KEY_IS")
    run.add_argument(
        "--workspace",
        type=argument_types.integer(0),
        default=0,
        metavar="BYTES",
        help="size of the workspace (default: 0)",
    )
    run.add_argument("--no-checks", action="store_true", help="only compute; faults are not searched")
    run.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help="(default: 60)")
    run.add_argument("--assume", action="append", default=[], metavar="NAME=VALUE", help="half_overflow=saturate, ...")
    run.add_argument("--json", action="store_true", help="print the report as JSON")
    run.set_defaults(run=partial(_run, run))
    commands.add(actions, "kernel")  # of the judge, which knows what a kernel should compute


def _include() -> int:
    terminal.show(str(INCLUDE))
    return 0


def _run(parser: Parser, options: argparse.Namespace) -> int:
    arguments = [_argument(word) for word in options.arguments]
    kernel = Kernel(
        options.file, options.entry, product=options.product, defines=argument_types.pairs(options.define, "--define"),
        include=options.include,
    )  # fmt: skip
    report = kernel.run(
        *(value for value, _ in arguments), workspace=options.workspace, tiling=_tiling(options.tiling),
        tiling_struct=options.tiling_struct, tiling_key=options.tiling_key, blocks=options.blocks,
        checks=not options.no_checks, timeout=options.timeout,
        assumptions=argument_types.pairs(options.assume, "--assume"),
    )  # fmt: skip
    for value, file in arguments:
        if file is not None:
            np.save(file, value)
    terminal.show(json.dumps(_as_json(report), indent=2) if options.json else _as_text(report))
    return 0 if report.ok else 1


def _as_json(report: RunReport) -> dict[str, Any]:
    return {"ok": report.ok, **asdict(report)}


def _as_text(report: RunReport) -> str:
    verdict = "no fault" if not report.faults else "no error" if report.ok else "the kernel has errors"
    return "\n".join([*map(str, report.faults), *map(str, report.assumptions), f"{verdict}; {report.seconds:.6f} s"])


def _argument(word: str) -> tuple[Any, Path | None]:
    """The value of an argument, and the file that it is written to afterwards."""
    if word == "null":
        return None, None
    kind, colon, rest = word.partition(":")
    if kind == "out" and rest.count(":") >= 2:
        name, shape, file = rest.split(":", 2)
        try:
            dims = tuple(int(each) for each in shape.split("x"))
        except ValueError as error:
            raise InvalidArgument(
                f"argument {word!r}: the shape is {shape!r}; it must be like 8x512; change it"
            ) from error
        return np.zeros(dims, _dtype(name, word)), Path(file)
    if not colon or (kind not in BY_NAME and Path(word).exists()):
        return _load(Path(word)), None
    dtype = _dtype(kind, word)
    if Path(rest).suffix == ".npy":
        array = _load(Path(rest))
        if array.dtype.itemsize != dtype.itemsize:
            raise InvalidArgument(
                f"argument {word!r}: the file has {array.dtype}; it must have the size of {kind}; change it"
            )
        return _read_only(array.view(dtype)), None
    try:
        return dtype.type(rest), None
    except ValueError as error:
        raise InvalidArgument(f"argument {word!r}: {rest!r} is no number of {kind}; change it") from error


def _load(path: Path) -> np.ndarray[Any, Any]:
    try:
        array: np.ndarray[Any, Any] = np.load(path)
    except OSError as error:
        raise ActgradError(f"{path}: {system_fault(error)}") from error
    except ValueError as error:
        raise ActgradError(f"{path}: {error}; it must be a file of np.save; write it again") from error
    return _read_only(array)


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


def _dtype(name: str, word: str) -> np.dtype[Any]:
    try:
        return BY_NAME[argument_types.dtype(name)].numpy
    except argparse.ArgumentTypeError as error:
        raise InvalidArgument(f"argument {word!r}: {error}") from error


def _tiling(text: str | None) -> Any:
    """Tiling data from JSON, from a file with JSON, or from a file of bytes."""
    if text is None:
        return None
    if text.lstrip().startswith("{"):
        return _parsed(text, "--tiling")
    path = Path(text)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ActgradError(f"--tiling {path}: {system_fault(error)}") from error
    return content if path.suffix == ".bin" else _parsed(content.decode(errors="replace"), str(path))


def _parsed(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidArgument(f"{name}: {error}; it must be JSON; correct it") from error
