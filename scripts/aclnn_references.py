"""Compares the calls of a program on the C SDK with PyTorch in float64, or with actgrad's formulas in float64.

With the variables of `environment`, the server that computes for a program starts by a command of this module. It
computes each call twice, and writes a line about the call into a file: the function and `EQUAL`, `UNKNOWN`, or the
difference. Activations are compared with actgrad's reference backend. Any other function is compared with the function
of torch.ops.aten that has its name and takes its inputs in their order. Without such a function it is not compared.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from actgrad.arrays import numpy_array
from actgrad.ascend.aclnn.objects import AclScalar, AclTensor
from actgrad.ascend.network.work import Work
from actgrad.ascend.sdk import declared_functions, seam
from actgrad.backends.reference import ReferenceKernel
from actgrad.calls.counted_kernel import CountedKernel, GroupedKernel

EQUAL, UNKNOWN = "equal", "not compared"
_FILE = "ACTGRAD_EXAMPLES_REFERENCES"
#: PyTorch's names of functions that have another name there.
_OTHER_NAMES = {
    "cast": "clone", "reduce_sum": "sum", "s_where": "where", "batch_mat_mul": "bmm", "arg_max": "argmax",
    "arg_min": "argmin", "log_sum_exp": "logsumexp", "is_close": "isclose", "is_finite": "isfinite", "is_inf": "isinf",
    "var_correction": "var", "gather_v2": "index_select", "search_sorted": "searchsorted",
}  # fmt: skip
#: Parameters that PyTorch's functions do not have. The dtype of the output tells the same.
_DROPPED = ("cubeMathType", "dtype")
#: By the output's dtype. Any other dtype has 1e-5.
_TOLERANCES = {"float16": 2e-3, "bfloat16": 2e-2, "float8_e4m3fn": 0.13, "float8_e5m2": 0.26}


def environment(folder: Path, file: Path) -> dict[str, str]:
    """Variables for a program whose calls are compared, with the results in `file`."""
    python, here = folder / "python-with-references", Path(__file__)
    start = f"import sys; sys.path.insert(0, {str(here.parent)!r}); from {here.stem} import start; start()"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{start}; exec(sys.argv[-1])" "$@"\n')
    python.chmod(0o755)
    file.write_text("")
    settings = {"ACTGRAD_SDK_HOST": "server", "ACTGRAD_SDK_PYTHON": str(python), "ACTGRAD_STRICT": "0"}
    return settings | {_FILE: str(file)}


def start() -> None:
    """Compare each call that this process computes from now on."""
    seam.run_plan = compared(seam.run_plan)


def compared(run: Callable[..., Any]) -> Callable[..., Any]:
    """`seam.run_plan`, with a comparison of each call that it computes."""

    def run_and_compare(handle: int, distance: int = 0) -> Any:
        work = seam._executors[handle]
        is_work = isinstance(work, Work)
        expected = list(_by_torch(work) if is_work else _by_formula(work))
        answer = run(handle, distance)
        if answer[0].status == 0:
            actual = _results(work) if is_work else [_array(view) for view in work.outputs]
            with Path(os.environ[_FILE]).open("a") as file:
                file.write(f"{work.name if is_work else work.operator}: {verdict(actual, expected)}\n")
        return answer

    return run_and_compare


def _array(view: Any) -> Any:
    return numpy_array(view.address, view.meta)


def _by_formula(plan: Any) -> Iterator[Any]:
    """The outputs by the reference backend. It writes over the outputs, which then get their old values.

    Nothing for a call that computes some rows only.
    """
    if isinstance(plan.kernel, (CountedKernel, GroupedKernel)):
        return
    outputs = [_array(view) for view in plan.outputs]
    before = [np.array(each) for each in outputs]
    ReferenceKernel(plan.computation).run(*plan.addresses)
    yield from [np.array(each) for each in outputs]
    for output, old in zip(outputs, before, strict=True):
        output[...] = old


def _results(work: Work) -> list[Any]:
    tensors = [tensor for call in work._calls for tensor in work._targets(call)]
    return [None if tensor is None else work.array_of(tensor) for tensor in tensors]


def _by_torch(work: Work) -> Iterator[Any]:
    """The outputs by PyTorch, of one call after another if the arguments are lists of tensors."""
    function = declared_functions.computed().get(work.name)
    if function is None or "random" in function.reason:
        return
    dropped = [k for k, parameter in enumerate(function.arguments) if parameter.name in _DROPPED]
    for call in work._calls:
        inputs = [v for k, v in enumerate(call) if k not in dropped and (k not in work._results or k == 0)]
        yield from _first_answer(work.name.removeprefix("aclnn"), [_for_torch(work, value) for value in inputs])


def _for_torch(work: Work, value: Any) -> Any:
    import torch

    if isinstance(value, tuple):
        return [_for_torch(work, each) for each in value]
    if isinstance(value, AclTensor):
        array = work.array_of(value)
        wide = {"float": np.float64, "int": np.int64}.get(value.dtype.kind, array.dtype)
        return torch.from_numpy(np.array(array, wide))
    return value.value if isinstance(value, AclScalar) else value


def _first_answer(name: str, inputs: list[Any]) -> list[Any]:
    """The results of the first function of PyTorch that takes these inputs. Empty if there is none."""
    import torch

    for packet in [getattr(torch.ops.aten, each) for each in _names(name) if hasattr(torch.ops.aten, each)]:
        for function in (getattr(packet, overload) for overload in packet.overloads()):
            arguments = function._schema.arguments
            if any(a.is_out for a in arguments) or len(inputs) > len(arguments):
                continue
            pairs = list(zip(arguments, inputs, strict=False))
            by_name = {a.name: value for a, value in pairs if a.kwarg_only}
            try:
                result = function(*[value for a, value in pairs if not a.kwarg_only], **by_name)
            except (RuntimeError, TypeError, ValueError, IndexError):  # of other inputs
                continue
            return [np.asarray(each) for each in (result if isinstance(result, (tuple, list)) else [result])]
    return []


def _names(name: str) -> Iterator[str]:
    """Names that PyTorch may have for a function: InplaceAdds is add, ForeachMulScalarV2 is mul."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})", "_", name).lower()
    short = re.sub(r"(_scalar|_list|_tensor|_dim)*(_inplace|_v2)?$", "", re.sub("^(inplace|foreach)_", "", snake))
    for each in (snake, short, short.removesuffix("s")):
        yield _OTHER_NAMES.get(each, each)
    yield from (f"native_{snake}", f"{snake}_forward")


def verdict(actual: list[Any], expected: list[Any]) -> str:
    """The result of a comparison. Outputs that only one of the two computes are not compared."""
    pairs = [(a, b.astype(a.dtype)) for a, b in zip(actual, expected, strict=False) if a is not None]
    if not pairs or any(a.size != b.size for a, b in pairs):
        return UNKNOWN
    for number, (a, b) in enumerate(pairs):
        rtol = _TOLERANCES.get(a.dtype.name, 1e-5)
        atol = 1 if a.dtype == np.int8 else rtol / 10  # a quantised number may be near the middle of two integers
        a, b = (each.astype(np.complex128).reshape(-1) for each in (a, b))
        is_close = np.isclose(a, b, rtol, atol, equal_nan=True)
        if not is_close.all():
            k = is_close.argmin()
            return f"output {number} has element {k} {a[k]}, by other code {b[k]}"
    return EQUAL
