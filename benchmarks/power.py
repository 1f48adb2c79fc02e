"""How many wrong kernels each acceptance standard accepts: `python -m benchmarks power`.

For each operator and dtype, the command makes seeded mutations of the formula and of the output, and asks each
standard. A mutation that no element shows is not wrong, and is left out: it must differ from the right result by more
than actgrad's own bound on a case, or on all numbers of 16 bits (of float32: on numbers of every exponent).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType
from typing import Any

import ml_dtypes
import numpy as np

from actgrad.backends.reference import rounded
from actgrad.base import xp
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import ActgradError
from actgrad.calls.operator import REGISTRY, Operator
from actgrad.judge import backend_cases, error_bounds, oracle, standards
from actgrad.judge.delivery import design, drawing
from actgrad.judge.elements import Array, Elements, new_elements
from actgrad.judge.golden import Golden
from actgrad.judge.standards import STANDARDS, ULP, ElementErrors
from actgrad.writing import documents

from .power_command import DTYPES

PAGE = Path(__file__).parents[1] / "docs" / "power.md"
KINDS = ("usual", "other dimension", "large numbers", "edges", "special values")
MOST = 4096  # elements of a case
GRID = 1 << 16  # numbers on which a mutation of the formula may show
COLUMNS = {
    "mixed": "mixed tolerance",
    "mere-mare": "MERE and MARE",
    "thousandth": "thousandth",
    "allclose 1e-2": "allclose 1e-2",
    "allclose 1e-3": "allclose 1e-3",
    "close": "TTK close",
    "cosine": "TTK cosine",
    "default": "actgrad check",
    "strict": "actgrad check --strict",
}
Lanes = list[Array]  # a result for each output lane, before it is rounded


@dataclass(frozen=True)
class Case:
    """A call, its exact results with error bounds, and the inputs of the formula."""

    call: Elements
    golden: Golden
    lanes: tuple[Any, ...]
    expected: tuple[oracle.Expected, ...]


@dataclass(frozen=True)
class Mutation:
    """A wrong kernel. `apply` makes its results for a case, or returns None if the case cannot show it."""

    name: str
    apply: Callable[[Case], Lanes | None]
    is_formula: bool


def run(given: argparse.Namespace) -> int:
    """Run the command."""
    begin, results = time.monotonic(), []
    for name in given.operator or REGISTRY:
        if name not in REGISTRY:
            raise ActgradError(f"power: {name} is no operator; it must be one of actgrad list; correct the name")
        for dtype in given.dtypes.split(","):
            if dtype in REGISTRY[name].input_dtypes:
                results.append(measure(REGISTRY[name], dtype, given.mutations, given.seed))
                print(line(results[-1]), flush=True)
    count, names = sum(result["mutations"] for result in results), {result["operator"] for result in results}
    text = f"Seed {given.seed}, {count:,} mutations of {len(names)} operators.\n\n{table(results)}"
    print(text)
    print(f"{time.monotonic() - begin:.0f} seconds")
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")
    if given.write:
        documents.write_part(PAGE, "power", text)
    return 0


def line(result: Mapping[str, Any]) -> str:
    """One result for a terminal."""
    accepted = ", ".join(f"{name} {len(result['accepted'][name])}" for name in COLUMNS)
    false = f"; RIGHT OUTPUT REJECTED BY {', '.join(result['right rejected'])}" if result["right rejected"] else ""
    return f"{result['operator']} {result['dtype']}: {result['mutations']} mutations; accepted: {accepted}{false}"


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """The shares of accepted mutations, for all operators together, then by operator."""

    def cells(of: Sequence[Mapping[str, Any]]) -> list[str]:
        total = sum(result["mutations"] for result in of)
        shares = []
        for name in COLUMNS:
            defined = [one for one in of if name != "thousandth" or one["dtype"] != "bfloat16"]
            count = sum(len(one["accepted"][name]) for one in defined)
            base = sum(one["mutations"] for one in defined)
            shares.append(f"{100 * count / base:.1f} %" if base else "-")
        return [f"{total:,}", *shares]

    headings = ["", "mutations", *COLUMNS.values()]
    dtypes = [dtype for dtype in DTYPES if any(result["dtype"] == dtype for result in results)]
    rows = [[dtype, *cells([one for one in results if one["dtype"] == dtype])] for dtype in dtypes]
    rows.append(["all", *cells(results)])
    names = list(dict.fromkeys(result["operator"] for result in results))
    by_name = [[f"`{name}`", *cells([one for one in results if one["operator"] == name])] for name in names]
    return f"{documents.table(headings, rows)}\n\n{documents.table(headings, by_name)}"


def measure(operator: Operator, dtype: str, count: int, seed: int) -> dict[str, Any]:
    """The mutations of an operator in a dtype, and those that each standard accepts on all cases."""
    rng = np.random.default_rng((seed, *operator.name.encode(), *dtype.encode()))
    cases = list(_cases(operator, dtype, seed))
    mutations = _mutations(cases[0], count, rng)
    grid = _grid(operator, dtype, cases[0], rng)
    accepted: dict[str, list[str]] = {name: [] for name in COLUMNS}
    number = 0
    for mutation in mutations:
        verdicts, is_wrong = dict.fromkeys(COLUMNS, True), False
        for case in cases:
            results = mutation.apply(case)
            if results is None:
                continue
            held, differs = _judged(case, results)
            is_wrong |= differs
            verdicts = {name: verdicts[name] and held[name] for name in COLUMNS}
        if not is_wrong and mutation.is_formula and grid is not None:
            results = mutation.apply(grid)
            is_wrong = results is not None and _judged(grid, results)[1]
        if is_wrong:
            number += 1
            for name, holds in verdicts.items():
                if holds:
                    accepted[name].append(mutation.name)
    right = [_judged(case, [one.values for one in case.expected])[0] for case in cases]
    rejected = [name for name in ("default", "strict") if not all(held[name] for held in right)]
    return {
        "operator": operator.name, "dtype": dtype, "mutations": number, "accepted": accepted,
        "right rejected": rejected,
    }  # fmt: skip


def _cases(operator: Operator, dtype: str, seed: int) -> Iterator[Case]:
    """A case of each kind, with at most MOST elements."""
    chosen: dict[str, Any] | None = None
    for plan in design.plans(operator, [dtype], None, seed):
        if plan.kind not in KINDS or (chosen is not None and plan.optional != chosen["optional"]):
            continue
        if chosen is None:
            chosen = {"optional": plan.optional, "attributes": plan.attributes}
        attributes = chosen["attributes"]
        try:
            drawn, inputs = drawing.draw_planned(operator, replace(plan, attributes=dict(attributes)), "power", seed)
        except ActgradError:  # these attributes do not go with the kind
            continue
        tensors = [inputs.get(name) for name in operator.schema.tensor_names]
        stated = {name: value for name, value in drawn.attributes.items() if value is not None}
        call = new_elements(operator, stated, tensors)
        if 0 < call.size <= MOST:
            yield _case(call)


def _case(call: Elements) -> Case:
    golden, everything = Golden(call.computation), slice(0, call.size)
    lanes = tuple(lane.take(everything) for lane in call.inputs)
    return Case(call, golden, lanes, _expected(call, golden, lanes))


def _expected(call: Elements, golden: Golden, lanes: Sequence[Any], **options: Any) -> tuple[oracle.Expected, ...]:
    results = golden.expected(lanes, call.outputs[0].array.dtype, **options)
    pairs = zip(call.outputs, call.numbers, strict=True)
    return tuple(replace(results[n], dtype=lane.array.dtype) for lane, n in pairs)


def _grid(operator: Operator, dtype: str, case: Case, rng: np.random.Generator) -> Case | None:
    """All numbers of 16 bits, or numbers of every exponent. None for operators on rows or with optional tensors."""
    if operator.access.sees_rows or len(case.call.inputs) != len(operator.schema.tensors):
        return None
    kind = BY_NAME[dtype]
    if kind.itemsize == 2:
        x = np.arange(GRID, dtype=np.uint16).view(kind.numpy)
    else:
        x = oracle.stratified(kind.numpy, GRID, rng)
    try:
        with np.errstate(invalid="ignore"):
            x = x[np.isfinite(x.astype(np.float64))]
        x = backend_cases.as_result(operator, case.call.attributes, x)  # only results of the forward operator
        tensors = oracle.tensors(operator, case.call.attributes, x, rng)
        return _case(new_elements(operator, case.call.attributes, tensors))
    except (ActgradError, ValueError):
        return None


# Judging


def _judged(case: Case, results: Lanes) -> tuple[dict[str, bool], bool]:
    """Whether each standard accepts these results, and whether an element is beyond actgrad's own bound."""
    held, differs = dict.fromkeys(COLUMNS, True), False
    for expected, values in zip(case.expected, results, strict=True):
        dtype = expected.dtype.name
        with np.errstate(all="ignore"):
            actual = np.asarray(rounded(np.asarray(values), BY_NAME[dtype])).astype(expected.dtype)
        ulps, terms = standards.bounds(case.call.operator, dtype)
        errors = standards.compare(actual, expected.values)
        with np.errstate(all="ignore"):
            faults = expected.faults(actual, ulps, terms)
        errors = replace(errors, faults=faults, by_terms=(errors.ulps > ulps) & ~faults)
        differs |= bool(faults.any())
        for name, holds in _held(errors, dtype).items():
            held[name] &= holds
    return held, differs


def _held(errors: ElementErrors, dtype: str) -> dict[str, bool]:
    """Whether each standard holds. A standard without figures for the dtype accepts everything."""
    held = {}
    for name in ("mixed", "mere-mare", "thousandth", "nonfinite", ULP):
        held[name] = STANDARDS[name].apply(errors)[1].holds is not False
    deciding = [name for name in (*STANDARDS,) if standards.counts(name, dtype, standards.IN_FORCE, False)]
    held["default"] = all(held[name] for name in deciding if name in held)
    held["strict"] = held["default"] and held[ULP]
    with np.errstate(all="ignore"):
        size = np.nan_to_num(np.abs(errors.golden.astype(np.float64)), nan=0.0, posinf=0.0)
        error = errors.error.astype(np.float64)
        for tolerance in (1e-2, 1e-3):
            held[f"allclose {tolerance:.0e}".replace("e-0", "e-")] = bool((error <= tolerance + tolerance * size).all())
        relative = 1e-3 if dtype in ("float16", "bfloat16") else 1e-4
        held["close"] = bool(np.mean(~(error <= 1e-8 + relative * size)) <= relative)
        a, g = errors.actual.astype(np.float64), errors.golden.astype(np.float64)
        at = np.isfinite(a) & np.isfinite(g)
        norm = float(np.linalg.norm(a[at]) * np.linalg.norm(g[at]))
        held["cosine"] = norm == 0 or bool(1 - float(np.dot(a[at], g[at])) / norm <= 0.01)
    return {name: bool(held[name]) for name in COLUMNS}


# Mutations


def _mutations(case: Case, count: int, rng: np.random.Generator) -> list[Mutation]:
    """`count` mutations: half of the formula, if there are as many, and half of the output."""
    formula, output = list(_of_formula(case)), list(_of_output(rng))
    formula = [formula[k] for k in rng.permutation(len(formula))][: max(count // 2, count - len(output))]
    output = [output[k] for k in rng.permutation(len(output))][: count - len(formula)]
    return [*formula, *output]


def _of_formula(case: Case) -> Iterator[Mutation]:
    """Constants, attributes, functions, signs, branches and inputs. Each is computed by the oracle again."""
    call = case.call

    def recomputed(name: str, change: Any) -> Mutation:
        def apply(one: Case) -> Lanes | None:
            lanes = list(one.lanes)
            options = change(one, lanes)
            golden = options.pop("golden", one.golden)
            try:
                return [e.values for e in _expected(one.call, golden, lanes, **options)]
            except (ActgradError, ValueError, TypeError, ZeroDivisionError):
                return None

        return Mutation(name, apply, True)

    for k, name in enumerate(call.operator.schema.scalars):
        for factor in (1.01, 1.1, 2.0, -1.0, 0.0):
            yield recomputed(
                f"{name} times {factor:g}",
                lambda one, lanes, k=k, factor=factor: {"golden": _with_scalar(one.golden, k, factor)},
            )
    constants = {name: v for formula in call.computation.formulas for name, v in _constants(formula).items()}
    for name, value in constants.items():
        for factor in (1.001, 1.01, 1.1, -1.0):
            changed: Any = {**error_bounds.FUNCTIONS, name: value * factor}
            yield recomputed(f"constant {name} times {factor:g}", lambda one, lanes, f=changed: {"functions": f})
    used = frozenset().union(*map(xp.functions_of, call.computation.formulas))
    for name in sorted(used - {"where", "conjugate"}):
        for words, change in _FUNCTIONS.items():
            changed = xp.with_factors({**error_bounds.FUNCTIONS, name: _changed(name, change)})
            yield recomputed(f"{name}: {words}", lambda one, lanes, f=changed: {"functions": f})
    for k, lane in enumerate(call.inputs[: len(call.computation.loop.inputs)]):
        for words, move in _INPUTS.items():

            def moved(one: Case, lanes: list[Any], k: int = k, move: Any = move) -> dict[str, Any]:
                lanes[k] = move(lanes[k])
                return {}

            yield recomputed(f"{lane.name}: {words}", moved)
        for j in range(k):

            def exchanged(one: Case, lanes: list[Any], j: int = j, k: int = k) -> dict[str, Any]:
                lanes[j], lanes[k] = lanes[k], lanes[j]
                return {}

            yield recomputed(f"{call.inputs[j].name} and {lane.name} exchanged", exchanged)


def _with_scalar(golden: Golden, k: int, factor: float) -> Golden:
    computation = golden.computation
    scalars = [number * factor if j == k else number for j, number in enumerate(computation.scalars)]
    return Golden(computation._replace(scalars=tuple(scalars)))


def _constants(formula: Callable[..., Any]) -> dict[str, float]:
    """The numbers that a formula, or a formula that it calls, uses by name."""
    scope, names = formula.__globals__, formula.__code__.co_names
    found: dict[str, float] = {}
    for name in names:
        value = scope.get(name)
        if isinstance(value, FunctionType) and name not in xp.FUNCTIONS:
            found |= _constants(value)
        elif isinstance(value, float) and np.isfinite(value):
            found[name] = value
    return found


def _changed(name: str, change: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda *arguments: change(error_bounds.number(error_bounds.FUNCTIONS[name](*arguments)))


def _cut(dtype: str) -> Callable[[Any], Any]:
    def cut(value: Any) -> Any:
        with np.errstate(all="ignore"):
            return value.map(lambda part: part.astype(BY_NAME[dtype].numpy).astype(part.dtype))

    return cut


_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "dropped": lambda v: v * 0.0,
    "negated": lambda v: -v,
    "1 instead": lambda v: v * 0.0 + 1.0,
    "1 % too large": lambda v: v * 1.01,
    "0.1 % too large": lambda v: v * 1.001,
    "rounded to float16": _cut("float16"),
    "rounded to bfloat16": _cut("bfloat16"),
    "clamped to [-1, 1]": lambda v: v.map(lambda part: np.clip(part, -1, 1)),
    "of at most 8": lambda v: v.map(lambda part: np.minimum(part, 8)),
}


def _is_float(lane: Any) -> bool:
    return isinstance(lane, np.ndarray) and BY_NAME[lane.dtype.name].kind == "float"


def _of_floats(change: Callable[[Array], Array]) -> Callable[[Any], Any]:
    def changed(lane: Any) -> Any:
        with np.errstate(all="ignore"):
            return change(lane.astype(np.float64)).astype(lane.dtype) if _is_float(lane) else lane

    return changed


_INPUTS: Mapping[str, Callable[[Any], Any]] = {
    "negated": _of_floats(np.negative),
    "absolute": _of_floats(np.abs),
    "1 instead": _of_floats(np.ones_like),
    "clamped to [-3, 3]": _of_floats(lambda x: np.clip(x, -3, 3)),
    "clamped to [-8, 8]": _of_floats(lambda x: np.clip(x, -8, 8)),
    "0 below 1e-3": _of_floats(lambda x: np.where(np.abs(x) < 1e-3, 0, x)),
    "0 below 1e-2": _of_floats(lambda x: np.where(np.abs(x) < 1e-2, 0, x)),
    "zero is positive": _of_floats(lambda x: np.where(x == 0, 1e-30, x)),
    "zero is negative": _of_floats(lambda x: np.where(x == 0, -1e-30, x)),
    "rounded to bfloat16": _of_floats(lambda x: x.astype(ml_dtypes.bfloat16)),
    "NaN is 0": _of_floats(lambda x: np.where(np.isnan(x), 0, x)),
    "infinity is large": _of_floats(lambda x: np.where(np.isinf(x), np.copysign(65504, x), x)),
}


def _of_output(rng: np.random.Generator) -> Iterator[Mutation]:
    """Layouts, blocks, tiles, signs, factors and roundings of a right output."""

    def changed(name: str, change: Any) -> Mutation:
        def apply(case: Case) -> Lanes | None:
            with np.errstate(all="ignore"):
                results = [change(one.values.copy(), case) for one in case.expected]
            return None if any(one is None for one in results) else [one for one in results if one is not None]

        return Mutation(name, apply, False)

    for shift in (1, 3, 8, 64, -1):
        yield changed(f"shifted by {shift}", lambda v, case, shift=shift: np.roll(v, shift))
    for a, b in ((0, 1), (0, -1)):
        yield changed(f"dimensions {a} and {b} exchanged", lambda v, case, a=a, b=b: _exchanged(v, case, a, b))
    for tile in (8, 16, 31, 64, 100, 256, 1024):
        for words, write in {"zero": 0.0, "NaN": np.nan, "stale": None}.items():
            at = int(rng.integers(1, 8))
            yield changed(f"tile {at} of {tile} is {words}", lambda v, case, t=tile, n=at, w=write: _tile(v, t, n, w))
        yield changed(f"the tail behind tiles of {tile} is 0", lambda v, case, t=tile: _tail(v, t))
        yield changed(f"every fourth tile of {tile} is stale", lambda v, case, t=tile: _every(v, t))
    yield changed(
        "the second half is stale", lambda v, case: np.concatenate([v[: len(v) - len(v) // 2], v[: len(v) // 2]])
    )
    for factor in (-1.0, 0.0, 4.0, 2.0, 1.1, 1.01, 1.003, 1.001):
        yield changed(f"times {factor:g}", lambda v, case, factor=factor: v * factor)
    for words, side in {"x > 0": np.greater, "x < 0": np.less}.items():
        for factor in (-1.0, 0.5, 1.01):
            yield changed(
                f"times {factor:g} where {words}",
                lambda v, case, s=side, f=factor: np.where(s(_x(case), 0), v * f, v),
            )
    for dtype in ("float16", "bfloat16"):
        yield changed(f"rounded to {dtype}", lambda v, case, d=dtype: v.astype(BY_NAME[d].numpy).astype(v.dtype))
    yield changed("plus 0.01", lambda v, case: v + 0.01)
    yield changed("plus 0.001", lambda v, case: v + 0.001)
    yield changed("one element in 1,000 is negated", lambda v, case: np.where(np.arange(len(v)) % 1000 == 500, -v, v))
    yield changed("one element in 100 is 0", lambda v, case: np.where(np.arange(len(v)) % 100 == 50, 0, v))
    yield changed("truncated", lambda v, case: _truncated(v, case))


def _x(case: Case) -> Array:
    return np.asarray(case.lanes[case.call.main]).astype(np.float64)


def _exchanged(v: Array, case: Case, a: int, b: int) -> Array | None:
    shape = case.call.shape
    if len(shape) < 2 or v.size != np.prod(shape) or a % len(shape) == b % len(shape):
        return None
    return v.reshape(shape).swapaxes(a, b).ravel()


def _tile(v: Array, tile: int, at: int, write: float | None) -> Array | None:
    first, last = at * tile, (at + 1) * tile
    if last > len(v):
        return None
    v[first:last] = v[first - tile : last - tile].copy() if write is None else write
    return v


def _tail(v: Array, tile: int) -> Array | None:
    rest = len(v) % tile
    if not rest or rest == len(v):
        return None
    v[len(v) - rest :] = 0
    return v


def _every(v: Array, tile: int) -> Array | None:
    if len(v) < 4 * tile:
        return None
    source = np.arange(len(v))
    source = np.where(source // tile % 4 == 3, source - tile, source)
    return np.asarray(v[source])


def _truncated(v: Array, case: Case) -> Array | None:
    dtype = case.expected[0].dtype
    if dtype.itemsize != 2 or dtype.kind in "iu":
        return None
    with np.errstate(all="ignore"):
        stored = v.astype(dtype)
        above = np.abs(stored.astype(v.dtype)) > np.abs(v)
        bits = stored.view(np.uint16) - above.astype(np.uint16)
        return np.asarray(bits.view(dtype).astype(v.dtype))
