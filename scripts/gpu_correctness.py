"""Whether the Triton backend is right on a GPU: rows of operators, attributes and dtypes, and what goes beyond them.

    python scripts/gpu_correctness.py                     # a GPU is needed
    python scripts/gpu_correctness.py --interpret         # a small sample, on any machine

scripts/gpu_check.py runs it as a process of its own: what fails here leaves the GPU useless to the process. It prints
the number of rows and then, row by row, what it found, a line of JSON each.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.sample_values import every_value, samples

import actgrad
from actgrad import aten
from actgrad.base.dtypes import BY_NAME
from actgrad.judge import golden, oracle

#: ULP, and units of the larger term where terms cancel, that docs/accuracy.md allows: (float32, float64), halves.
ULPS = {"elu": (4.5, 4), "selu": (4.5, 4), "leaky_relu": (4.5, 4)}
OTHER_ULPS, HALF_ULPS = (12, 12), 0.51
TERMS = {"gelu": 16, "geglu": 16}


class Fault(Exception):
    """Something is wrong; the text says what."""


class Place:
    """Where the operators compute: a GPU, or Triton's interpreter."""

    def __init__(self, interpreted: bool):
        self.options = {"backend": "triton"} if interpreted else {}
        self.torch = None if interpreted else importlib.import_module("torch")

    def put(self, array: Any) -> Any:
        if array is None or self.torch is None:
            return array
        return aten.to_torch(self.torch, np.ascontiguousarray(array)).cuda()

    def get(self, result: Any) -> Any:
        return result if self.torch is None else aten.from_torch(self.torch, result.cpu())

    def call(self, operator: Any, *tensors: Any, **attributes: Any) -> tuple[Any, ...]:
        given = [self.put(tensor) for tensor in tensors]
        return tuple(map(self.get, oracle.as_tuple(operator(*given, **attributes, **self.options))))


def bounds(operator: Any, dtype: str) -> tuple[float, float]:
    family = operator.name.removesuffix("_backward")
    if BY_NAME[dtype].itemsize == 2:
        return HALF_ULPS, 8
    return ULPS.get(family, OTHER_ULPS)[dtype == "float64"], TERMS.get(family, 8)


def accuracy(place: Place, operator: Any, attributes: dict[str, Any], dtype: str, sample: int) -> float:
    """The largest error in ULP outside of cancelling terms."""
    numpy_dtype, rng, worst = BY_NAME[dtype].numpy, np.random.default_rng(1), 0.0
    if BY_NAME[dtype].kind != "float":
        limits = np.iinfo(numpy_dtype)
        x = rng.integers(limits.min, limits.max, min(sample, 4096), numpy_dtype, endpoint=True)
        tensors = (x,) * sum(not a.is_optional for a in operator.schema.tensors)
        for got, wanted in zip(
            place.call(operator, *tensors, **attributes),
            oracle.as_tuple(operator(*tensors, backend="reference", **attributes)),
            strict=True,
        ):
            if not np.array_equal(got, wanted):
                raise Fault(f"{np.count_nonzero(got != wanted)} of {got.size} integers differ")
        return 0.0
    x = every_value(numpy_dtype) if BY_NAME[dtype].itemsize == 2 else samples(numpy_dtype, sample, rng)
    x = rng.permutation(x)[: max(sample, 64)]
    is_normal: list[Any] = []
    for generator in (None, rng):
        tensors = tuple(oracle.tensors(operator, attributes, x, generator))
        expectations = golden.expected(operator, tensors, attributes)
        for k, (expectation, got) in enumerate(
            zip(expectations, place.call(operator, *tensors, **attributes), strict=True)
        ):
            faults = expectation.faults(got, *bounds(operator, dtype))
            if generator is None:
                is_normal.append(expectation.is_normal)
                errors = np.where(expectation.cancels, 0, expectation.errors(got))
                worst = max(worst, float(np.nanmax(errors)))
            else:
                faults &= is_normal[k]
            if faults.any():
                at = int(np.argmax(np.where(faults, expectation.errors(got), -1)))
                raise Fault(f"{np.count_nonzero(faults)} faults, one at x = {x[at % x.size]!r}: {got[at]!r}")
            nans = np.unique(np.frombuffer(got[np.isnan(got)].tobytes(), f"u{got.itemsize}"))
            if len(nans) > 1:
                raise Fault(f"several NaNs: {[hex(n) for n in nans]}")
    return worst


def table(place: Place, sample: int, every: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is to be right for every operator."""
    for operator in actgrad.operators.values():
        known = oracle.attribute_cases(operator)
        for attributes in known if every else known[-1:]:
            for dtype in operator.input_dtypes if every else ("float32", "bfloat16"):
                words = ", ".join([dtype, *(f"{name}={value}" for name, value in attributes.items())])
                yield f"{operator.name}: {words}", partial(accuracy, place, operator, attributes, dtype, sample)


def same(torch: Any, a: Any, b: Any) -> None:
    if not torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8)):
        raise Fault("the bits differ")


def layouts(torch: Any) -> None:
    """Transposed, strided, unaligned, halves, expanded: the bits of contiguous tensors."""
    base = torch.randn(513, 2050, device="cuda")
    views = [base.T, base[:, ::2], base.ravel()[1:], base[:, 1025:], base.chunk(2, -1)[1], base[:1].expand(64, -1)]
    for dtype in (torch.float32, torch.bfloat16):
        for x in [v if dtype == torch.float32 else v.to(dtype).t().contiguous().t() for v in views]:
            same(torch, actgrad.elu(x, alpha=1.3), actgrad.elu(x.contiguous(), alpha=1.3))
            same(torch, actgrad.gelu_backward(x, x), actgrad.gelu_backward(x.contiguous(), x.contiguous()))
    for dim in (0, 1):
        x = torch.randn(66, 4098, device="cuda", dtype=torch.float16)
        y, _ = actgrad.geglu(x, dim=dim)
        other = actgrad.geglu(x.T.contiguous().T, dim=dim)[0]
        same(torch, y, other)


def streams_and_graphs(torch: Any) -> None:
    """The current stream is used, and a graph records and repeats a plan."""
    x = torch.randn(1 << 22, device="cuda")
    out = torch.empty_like(x)
    plan = actgrad.elu.plan(x, out=out)
    plan.run()
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.graph(graph):
        plan.run()
    x.normal_()
    graph.replay()
    same(torch, out, actgrad.elu(x))
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(50_000_000)
        x.fill_(-1.0)
        plan.run()
    torch.cuda.current_stream().wait_stream(side)
    same(torch, out, actgrad.elu(torch.full_like(x, -1.0)))


def devices(torch: Any) -> None:
    """A tensor of another device than the current one."""
    for number in range(1, torch.cuda.device_count()):
        x = torch.randn(1001, device=f"cuda:{number}")
        same(torch, actgrad.elu(x).cpu(), actgrad.elu(x.to("cuda:0")).cpu())


def repeated(torch: Any) -> None:
    """The same bits on every run."""
    x = torch.randn(1 << 20, device="cuda", dtype=torch.bfloat16)
    first = actgrad.gelu_backward(x, x)
    for _ in range(20):
        same(torch, first, actgrad.gelu_backward(x, x))


def many_elements(torch: Any) -> None:
    """More than 2**31 of them, contiguous and not."""
    count = 2**31 + 1000
    if torch.cuda.mem_get_info()[0] < 5 * count:
        return
    x = torch.zeros(count, device="cuda", dtype=torch.float16)
    x[-500:] = torch.arange(500, device="cuda", dtype=torch.float16) - 250
    same(torch, actgrad.leaky_relu(x)[-1000:], actgrad.leaky_relu(x[-1000:].clone()))
    step = x[:: 2**30]
    same(torch, actgrad.leaky_relu(step), actgrad.leaky_relu(step.clone()))


def other_libraries(torch: Any) -> None:
    """CuPy, where it is installed: by DLPack, results being its own."""
    try:
        cupy = importlib.import_module("cupy")
    except ImportError:
        return
    x = cupy.linspace(-3, 3, 1000, dtype="float32")
    y = actgrad.elu(x)
    if not isinstance(y, cupy.ndarray):
        raise Fault(f"the result for CuPy is a {type(y).__name__}")
    same(torch, torch.from_dlpack(y), actgrad.elu(torch.from_dlpack(x)))


def compiled(torch: Any) -> None:
    """torch.compile, which sees the kernels: the bits of calls that are not compiled, and of their gradients."""
    functional = importlib.import_module("actgrad.torch")
    functions: tuple[Callable[[Any], Any], ...] = (
        lambda x: functional.elu(x, 1.3),
        lambda x: functional.geglu(x, approximate="tanh"),
        lambda x: functional.gelu(x.chunk(2, -1)[1]),
        lambda x: functional.leaky_relu(x.t(), 0.2, inplace=False),
    )
    for function in functions:
        graph = torch.compile(function, fullgraph=True)
        for rows in (3, 3, 65, 66):  # the second size makes it one for any number
            x = torch.randn(rows, 2050, device="cuda", requires_grad=True)
            results = function(x), graph(x)
            gradient = torch.randn_like(results[0])
            same(torch, *(y.detach() for y in results))
            same(torch, *(torch.autograd.grad(y, x, gradient)[0] for y in results))


BEYOND = (layouts, streams_and_graphs, devices, repeated, many_elements, other_libraries, compiled)


def main(arguments: list[str] | None = None) -> int:
    """Print what each row finds; the status is 0, whatever that is."""
    begin = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interpret", action="store_true", help="Triton's interpreter, a small sample")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="rows that would begin later are left out")
    given = parser.parse_args(arguments)
    if given.interpret:
        os.environ["TRITON_INTERPRET"] = "1"
    place = Place(given.interpret)
    rows = list(table(place, 512 if given.interpret else 65536, every=not given.interpret))
    if not given.interpret:
        rows += [((part.__doc__ or part.__name__).strip(), partial(part, place.torch)) for part in BEYOND]
    print(json.dumps({"rows": len(rows)}), flush=True)
    for name, attempt in rows:
        if time.monotonic() - begin > given.seconds:
            break
        try:
            found = {"row": name, "ulp": attempt()}
        except Exception as error:
            found = {"row": name, "wrong": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
