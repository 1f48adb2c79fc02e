#!/usr/bin/env python3
"""The Triton backend on a GPU, in one call of a few minutes: first that it is right, then how fast it is.

    python scripts/gpu_check.py                     # a GPU is needed; writes docs/benchmarks/gpu.json and gpu.png
    python scripts/gpu_check.py --interpret         # the first part, on a small sample, on any machine

Right: every operator, set of attributes and dtype against the float64 reference, float16 and bfloat16 exhaustively;
layouts, addresses, streams, graphs, devices, more than 2**31 elements. Fast: against a copy of as many bytes on the
device, and against what one would call instead. The status is 0 where all is right, 1 where not, 2 without a GPU.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import actgrad
from actgrad import checks, testing
from actgrad.bench.cases import Case, cases, traffic
from actgrad.dtypes import BY_NAME

FOLDER = Path(__file__).parents[1] / "docs" / "benchmarks"
#: ULP, and units of the larger term where terms cancel, that docs/accuracy.md allows: (float32, float64), halves.
ULPS = {"elu": (4.5, 4), "selu": (4.5, 4), "leaky_relu": (4.5, 4)}
OTHER_ULPS, HALF_ULPS = (12, 12), 0.51
TERMS = {"gelu": 16, "geglu": 16}
BYTES = (64 << 20, 256 << 20)  # of the largest tensor
ROW = 11008  # elements of a gated half, as in a network


class Fault(Exception):
    """Something is wrong; the text says what."""


# Right


class Place:
    """Where the operators compute: a GPU, or Triton's interpreter."""

    def __init__(self, interpreted: bool):
        self.options = {"backend": "triton"} if interpreted else {}
        self.torch = None if interpreted else importlib.import_module("torch")

    def put(self, array: Any) -> Any:
        if array is None or self.torch is None:
            return array
        return testing.to_torch(self.torch, np.ascontiguousarray(array)).cuda()

    def get(self, result: Any) -> Any:
        return result if self.torch is None else testing.from_torch(self.torch, result.cpu())

    def call(self, operator: Any, *tensors: Any, **attributes: Any) -> tuple[Any, ...]:
        given = [self.put(tensor) for tensor in tensors]
        return tuple(map(self.get, testing.as_tuple(operator(*given, **attributes, **self.options))))


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
        tensors = [x] * sum(not a.is_optional for a in operator.schema.tensors)
        for got, wanted in zip(
            place.call(operator, *tensors, **attributes),
            testing.as_tuple(operator(*tensors, backend="reference", **attributes)),
            strict=True,
        ):
            if not np.array_equal(got, wanted):
                raise Fault(f"{np.count_nonzero(got != wanted)} of {got.size} integers differ")
        return 0.0
    x = testing.every_value(numpy_dtype) if BY_NAME[dtype].itemsize == 2 else testing.samples(numpy_dtype, sample, rng)
    x = rng.permutation(x)[: max(sample, 64)]
    is_normal: list[Any] = []
    for generator in (None, rng):
        tensors = testing.tensors(operator, attributes, x, generator)
        expectations = testing.expected(operator, tensors, attributes)
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
        known = testing.attribute_cases(operator)
        for attributes in known if every else known[-1:]:
            for dtype in checks.allowed_dtypes(operator, None) if every else ("float32", "bfloat16"):
                words = ", ".join([dtype, *(f"{name}={value}" for name, value in attributes.items())])
                yield (
                    f"{operator.name}: {words}",
                    lambda o=operator, a=attributes, d=dtype: accuracy(place, o, a, d, sample),
                )


def same(torch: Any, a: Any, b: Any) -> None:
    if not torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8)):
        raise Fault("the bits differ")


def layouts(torch: Any) -> None:
    """Transposed, strided, unaligned, halves, expanded: the bits of contiguous tensors."""
    base = torch.randn(513, 2050, device="cuda")
    views = [base.T, base[:, ::2], base.ravel()[1:], base[:, 1025:], base.chunk(2, -1)[1], base[:1].expand(64, -1)]
    for dtype in (torch.float32, torch.bfloat16):
        for x in [v if dtype == torch.float32 else v.to(dtype).T.contiguous().T for v in views]:
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


BEYOND = (layouts, streams_and_graphs, devices, repeated, many_elements, other_libraries)


# Fast


def tensors_for(torch: Any, case: Case, dtype: Any, size: int) -> list[Any]:
    """Random inputs, the largest of `size` bytes."""
    count = size // torch.empty((), dtype=dtype).itemsize
    rows = max(1, count // (2 * ROW))
    whole = (rows, 2 * ROW) if case.is_gated else (count,)
    half = (rows, ROW) if case.is_gated else (count,)
    given = []
    for argument in case.operator.schema.tensors:
        if argument.is_optional and not case.with_optional:
            given.append(None)
            continue
        shape = whole if case.is_gated and argument.name == "self" else half
        given.append(torch.randn(shape, device="cuda", dtype=torch.float32).to(dtype))
    return given


def contenders(torch: Any, case: Case, tensors: list[Any], notes: set[str]) -> dict[str, Callable[[], Any]]:
    """Ours, and the others that there are and that agree."""
    plan = case.operator.plan(*tensors, **case.attributes)
    found: dict[str, Callable[[], Any]] = {"actgrad": plan.run}
    counterpart, attributes = testing.ATEN.get(case.operator.name), case.all_attributes
    given = [t for t in tensors if t is not None]
    if counterpart is not None:
        eager = lambda *t: counterpart(torch.ops.aten, attributes, *t)  # noqa: E731
        found["aten"] = lambda: eager(*given)
        compiled = torch.compile(eager, dynamic=False)
        found["torch.compile"] = lambda: compiled(*given)
    name = case.operator.name
    if name.startswith("geglu") and attributes["approximate"] == "tanh" and case.is_gated:
        try:
            liger = importlib.import_module("liger_kernel.ops.geglu")
            packed = given[0] if case.operator.gradient_of is None else given[1]
            other, active = (half.contiguous() for half in packed.chunk(2, -1))
            if case.operator.gradient_of is None:
                found["Liger-Kernel"] = lambda: liger.geglu_forward(active, other)
            else:  # it overwrites what it is given
                found["Liger-Kernel"] = lambda: liger.geglu_backward(active, other, given[0])
        except (ImportError, AttributeError) as error:
            notes.add(f"Liger-Kernel: {error}")
    try:
        gems = importlib.import_module("flag_gems")
        use_gems = getattr(gems, "use_gems", None)
        if counterpart is not None and use_gems is not None:

            def flag_gems() -> Any:
                with use_gems():
                    return eager(*given)

            found["FlagGems"] = flag_gems
    except ImportError as error:
        notes.add(f"FlagGems: {error}")
    for peer in list(found)[1:]:
        try:
            found[peer]()
        except Exception as error:  # whatever another library cannot do, it is left out
            notes.add(f"{peer}: {case.title}: {type(error).__name__}: {str(error).splitlines()[:1]}")
            del found[peer]
    return found


def timings(torch: Any, notes: set[str], sizes: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """One row per operator, formula, dtype and size: medians in milliseconds, and the rate against a copy."""
    do_bench = importlib.import_module("triton.testing").do_bench
    do_bench_warm = importlib.import_module("triton.testing").do_bench_cudagraph
    for operator in actgrad.operators.values():
        for case in cases(operator):
            for dtype in ("float32", "bfloat16", "float16", "float64"):
                for size in sizes:
                    tensors = tensors_for(torch, case, getattr(torch, dtype), size)
                    moved = sum(traffic(case.operator.plan(*tensors, **case.attributes)))
                    source = torch.empty(moved // 2, dtype=torch.uint8, device="cuda")
                    target = torch.empty_like(source)
                    calls = contenders(torch, case, tensors, notes) | {"copy": lambda t=target, s=source: t.copy_(s)}
                    cold = {n: do_bench(call, quantiles=[0.5, 0.2, 0.8]) for n, call in calls.items()}
                    with torch.cuda.stream(torch.cuda.Stream()):
                        warm = {n: float(do_bench_warm(calls[n])) for n in ("actgrad", "copy")}
                    yield {
                        "case": case.title, "dtype": dtype, "layout": operator.layout, "bytes": size, "moved": moved,
                        "milliseconds": cold, "warm": warm, "of_copy": cold["copy"][0] / cold["actgrad"][0],
                    }  # fmt: skip


def launches(torch: Any) -> dict[str, float]:
    """Microseconds of the host for a launch on 16 elements: medians of batches, ours by `plan.run()`."""
    x = torch.randn(16, device="cuda")
    out = torch.empty_like(x)
    plan = actgrad.elu_backward.plan(x, x, out=out)
    aten = torch.ops.aten.elu_backward.grad_input
    calls = {
        "plan.run()": plan.run,
        "aten, out=": lambda: aten(x, 1.0, 1.0, 1.0, False, x, grad_input=out),
        "actgrad.elu_backward(out=)": lambda: actgrad.elu_backward(x, x, out=out),
    }
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(30):
        for name, call in calls.items():
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(200):
                call()
            taken[name].append((time.perf_counter() - begin) / 200 * 1e6)
    return {name: statistics.median(times) for name, times in taken.items()}


def plot(rows: list[dict[str, Any]], title: str, path: Path) -> None:
    """The rate of each case as a share of the copy's, at the largest size."""
    importlib.import_module("matplotlib").use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    largest = max(row["bytes"] for row in rows)
    titles = list(dict.fromkeys(row["case"] for row in rows))
    figure, axes = pyplot.subplots(figsize=(11, 0.34 * len(titles) + 1.5), layout="constrained")
    for marker, dtype in zip("os^D", ("float32", "bfloat16", "float16", "float64"), strict=True):
        shares = {r["case"]: r["of_copy"] for r in rows if r["dtype"] == dtype and r["bytes"] == largest}
        axes.plot(list(shares.values()), [titles.index(t) for t in shares], marker, label=dtype)
    axes.set_yticks(range(len(titles)), titles)
    axes.axvline(0.92, color="0.6", linestyle="--")
    axes.set(xlabel="share of a device copy's bandwidth", title=title, xlim=(0, 1.1))
    axes.legend()
    figure.savefig(path)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interpret", action="store_true", help="Triton's interpreter, a small sample, no timing")
    parser.add_argument("--only-correctness", action="store_true", help="no timing")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where gpu.json and gpu.png go")
    options = parser.parse_args(arguments)
    if options.interpret:
        os.environ["TRITON_INTERPRET"] = "1"
    else:
        torch = importlib.import_module("torch")
        if not torch.cuda.is_available():
            print("gpu_check: this machine has no GPU that PyTorch sees; --interpret runs without one", file=sys.stderr)
            return 2
    place = Place(options.interpret)
    work = list(table(place, 512 if options.interpret else 65536, every=not options.interpret))
    if not options.interpret:
        work += [(part.__doc__ or part.__name__, lambda p=part: p(torch)) for part in BEYOND]
    wrong, worst = [], {}
    for what, attempt in work:
        try:
            worst[what] = attempt()
        except Exception as error:
            wrong.append(f"{what}: {type(error).__name__}: {error}")
            print(f"WRONG {wrong[-1]}", file=sys.stderr)
    print(f"{len(work) - len(wrong)} of {len(work)} right")
    if options.interpret or options.only_correctness:
        return 1 if wrong else 0
    notes: set[str] = set()
    rows = []
    for row in timings(torch, notes, BYTES):
        rows.append(row)
        others = {n: round(t[0] / row["milliseconds"]["actgrad"][0], 2) for n, t in row["milliseconds"].items()}
        print(f"{row['case']}, {row['dtype']}, {row['bytes'] >> 20} MiB: {row['of_copy']:.2f} of a copy; {others}")
    result = {
        "device": torch.cuda.get_device_name(), "torch": torch.__version__, "actgrad": actgrad.__version__,
        "triton": importlib.import_module("triton").__version__, "wrong": wrong, "worst_ulp": worst,
        "launches_us": launches(torch), "rows": rows, "notes": sorted(notes),
    }  # fmt: skip
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "gpu.json").write_text(json.dumps(result, indent=1, default=str) + "\n", encoding="utf-8")
    print(result["launches_us"], *sorted(notes), sep="\n")
    plot(rows, f"{result['device']}, {BYTES[-1] >> 20} MiB", options.folder / "gpu.png")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
