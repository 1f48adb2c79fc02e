"""Trials of the judge: `python -m benchmarks trials right` and `python -m benchmarks trials wrong`.

Right outputs come from the backends, from sums in other orders, from flushed subnormal numbers and from PyTorch. Wrong
outputs have a planted mistake each; the judge must reject them and should name the mechanism. `planted.py` has them.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any
from unittest import mock

import ml_dtypes
import numpy as np

from actgrad import aten
from actgrad.backends import reference
from actgrad.base.computation import LENGTH, TOTAL
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import ActgradError, quantity
from actgrad.calls.operator import REGISTRY, Operator
from actgrad.judge import judge, oracle
from actgrad.judge.delivery import drawing
from actgrad.judge.elements import Array
from actgrad.judge.profiles import CANN, PYTORCH
from actgrad.judge.verdict import Verdict

BLOCKS = (8, 32, 256)
#: Attributes that PyTorch lacks. Our call applies them to x before PyTorch's operator, which moves x over a kink in 16
#: bits. So in 16 bits, only calls with the default attributes are PyTorch's.
LACKING = {"hardsigmoid_backward": ("alpha", "beta")}


@dataclass(frozen=True)
class Case:
    """A call."""

    id: str
    kind: str
    operator: Operator
    attributes: dict[str, Any]
    inputs: tuple[Array | None, ...]

    @property
    def by_name(self) -> dict[str, Array]:
        """The tensors that the call has."""
        pairs = zip(self.operator.schema.tensor_names, self.inputs, strict=True)
        return {name: array for name, array in pairs if array is not None}

    @property
    def x(self) -> Array:
        return self.by_name[self.operator.definition.main]

    def results(self, **options: Any) -> tuple[Array, ...]:
        """The outputs, computed by actgrad."""
        with np.errstate(all="ignore"):
            return oracle.as_tuple(self.operator(*self.inputs, **self.attributes, **options))

    def judged(self, actual: Sequence[Array], profile: str = CANN, explain: bool = False) -> Verdict:
        """The verdict on outputs."""
        tensors, outputs = list(self.inputs), list(actual)
        options: dict[str, Any] = {"profile": profile, "explain": explain, "with_power": False}
        return judge(self.operator, self.attributes, tensors, outputs, **options)


def cases(operator: Operator, number: int, seed: int) -> Iterator[Case]:
    """Some cases of a delivery with this seed."""
    dtypes = [name for name in drawing.DTYPES if name in operator.input_dtypes] or list(operator.input_dtypes)[:1]
    for case, tensors in drawing.draw(operator, dtypes, number, seed):
        stated = {name: value for name, value in case.attributes.items() if value is not None}
        inputs = tuple(tensors.get(name) for name in operator.schema.tensor_names)
        yield Case(case.id, case.kind, operator, stated, inputs)


# Right outputs


def ours(case: Case) -> tuple[Array, ...]:
    """The outputs of the CPU backend."""
    return case.results()


def float64_rounded(case: Case) -> tuple[Array, ...]:
    """The formula in float64, rounded once."""
    return case.results(backend="reference")


def flushed(case: Case) -> tuple[Array, ...] | None:
    """Our outputs with 0 for each subnormal number. None if there is none."""
    results = [_flushed(array) for array in case.results()]
    return tuple(results) if any(np.any(a != b) for a, b in zip(results, case.results(), strict=True)) else None


def _flushed(array: Array) -> Array:
    if BY_NAME[array.dtype.name].kind != "float":
        return array
    with np.errstate(invalid="ignore"):
        wide = array.astype(np.float64)
        is_subnormal = np.abs(wide) < float(ml_dtypes.finfo(array.dtype).smallest_normal)
    return np.where(is_subnormal, np.copysign(array.dtype.type(0), array), array)


def _one_by_one(terms: Array) -> Array:
    """Sums along the last dimension, in float32, one element after another."""
    return np.asarray(np.cumsum(terms, axis=-1, dtype=np.float32)[..., -1]) if terms.shape[-1] else terms.sum(-1)


def _reversed(terms: Array) -> Array:
    return _one_by_one(terms[..., ::-1])


def _pairwise(terms: Array) -> Array:
    while terms.shape[-1] > 1:
        odd = terms[..., terms.shape[-1] // 2 * 2 :]
        terms = np.concatenate([terms[..., 0:-1:2] + terms[..., 1::2], odd], axis=-1)
    return _one_by_one(terms)


def _in_blocks(size: int) -> Callable[[Array], Array]:
    """Sums of blocks, which are then added: what tiles of this size compute."""

    def total(terms: Array) -> Array:
        missing = np.zeros((*terms.shape[:-1], -terms.shape[-1] % size), np.float32)
        padded = np.concatenate([terms, missing], axis=-1)
        return _one_by_one(_one_by_one(padded.reshape(*padded.shape[:-1], -1, size)))

    return total


def _interleaved(lanes: int) -> Callable[[Array], Array]:
    """Sums of every `lanes`th element, which are then added: what a vector of accumulators computes."""

    def total(terms: Array) -> Array:
        missing = np.zeros((*terms.shape[:-1], -terms.shape[-1] % lanes), np.float32)
        padded = np.concatenate([terms, missing], axis=-1)
        return _one_by_one(_one_by_one(np.swapaxes(padded.reshape(*padded.shape[:-1], -1, lanes), -1, -2)))

    return total


ORDERS: dict[str, Callable[[Array], Array]] = {
    "one by one": _one_by_one,
    "reversed": _reversed,
    "pairwise": _pairwise,
    **{f"blocks of {size}": _in_blocks(size) for size in BLOCKS},
    "8 lanes": _interleaved(8),
}


class _OtherOrder(reference.ReferenceKernel):
    """The reference with other sums: terms and accumulators are float32, in another order."""

    total: Callable[[Array], Array]

    def _results(self, numbers: list[Any]) -> Sequence[Any]:
        rows, shape = self.computation.statistics, self.computation.loop.shape
        assert rows is not None, "a computation of rows"

        def combine(kind: str, terms: Any) -> Any:
            if kind == LENGTH:
                return np.asarray(prod(shape[-rows.dims :])).astype(self.precision)[()]
            each = np.broadcast_to(terms, shape).reshape(*shape[: -rows.dims], -1)
            if kind == TOTAL:
                result = type(self).total(each.astype(np.float32)).astype(self.precision)
            else:
                result = np.fmax.reduce(each, axis=-1, initial=-np.inf)
            return result.reshape(*shape[: -rows.dims], *[1] * rows.dims)

        count = len(self.computation.loop.inputs)
        inputs, attributes = numbers[:count], numbers[count:]
        terms = [self._as_written(k, term) for k, term in enumerate(self.computation.formulas[1:])]
        statistics = rows.compute(terms, inputs, attributes, combine)
        element, formulas = self.computation.element, self.computation.formulas
        return rows.results(element, formulas, inputs, statistics, attributes)


@contextmanager
def _summing(total: Callable[[Array], Array], operator: Operator) -> Iterator[None]:
    """A context in which the reference backend sums in another order."""

    class Kernel(_OtherOrder):
        pass

    Kernel.total = staticmethod(total)

    def prepare(computation: Any) -> Any:
        is_rows = computation.statistics is not None and computation.compute == "float32"
        return (Kernel if is_rows else reference.ReferenceKernel)(computation)

    operator.forget()
    with mock.patch.object(reference, "prepare", prepare):
        yield
    operator.forget()


def in_order(order: str, case: Case) -> tuple[Array, ...] | None:
    """The formula with float32 sums in another order. None for an operator without sums."""
    if not any(
        statistic.combine == TOTAL for statistic in getattr(case.operator.access, "statistics_by_name", {}).values()
    ):
        return None
    with _summing(ORDERS[order], case.operator):
        return case.results(backend="reference")


def of_pytorch(case: Case) -> tuple[Array, ...] | None:
    """PyTorch's outputs. None if PyTorch lacks the operator or an attribute, or refuses the call."""
    if case.operator.name not in aten.ATEN:
        return None
    import torch

    setting = {name: value for name, value in case.operator.defaults.items() if value is not None} | case.attributes
    lacking = LACKING.get(case.operator.name, ()) if case.x.dtype.itemsize == 2 else ()
    if any(setting[name] != case.operator.defaults[name] for name in lacking):
        return None
    inputs = tuple(None if array is None else np.array(array) for array in case.inputs)
    try:
        return oracle.as_tuple(aten.results(torch, case.operator, inputs, setting))
    except (ActgradError, RuntimeError, TypeError):  # PyTorch lacks the dtype, or an optional tensor
        return None


RIGHT: dict[str, Callable[[Case], tuple[Array, ...] | None]] = {
    "ours": ours,
    "float64 rounded": float64_rounded,
    "subnormal numbers flushed": flushed,
    **{f"sums {order}": partial(in_order, order) for order in ORDERS},
    "PyTorch": of_pytorch,
}


def false_rejections(case: Case, counts: Counter[str]) -> Iterator[str]:
    """A line for each right output of a case that the judge rejects. Counts the outputs of each kind."""
    for name, compute in RIGHT.items():
        outputs = compute(case)
        if outputs is None:
            continue
        counts[name] += 1
        verdict = case.judged(outputs, PYTORCH if name == "PyTorch" else CANN)
        if not verdict.holds:
            broken = "; ".join(verdict.sentences(lambda outcome: outcome.is_broken))
            worst = next((output.worst[0] for output in verdict.outputs if output.worst), None)
            yield f"{case.id} ({case.kind}, {case.x.dtype}, {case.attributes}), {name}: {broken}; {worst}"


def run(given: argparse.Namespace) -> int:
    """Run the command. The status is 1 if the judge was wrong."""
    for name in given.operator:
        if name not in REGISTRY:
            raise ActgradError(f"trials: {name} is no operator; it must be one of actgrad list; correct the name")
    if given.outputs == "wrong":
        from . import planted

        return planted.run(given)
    counts, lines, begin = Counter[str](), [], time.monotonic()
    for seed in range(given.seed, given.seed + given.seeds):
        for name in given.operator or REGISTRY:
            for case in cases(REGISTRY[name], given.cases, seed):
                for line in false_rejections(case, counts):
                    lines.append(line)
                    print(f"rejected: seed {seed}: {line}", flush=True)
        print(f"seed {seed}: {sum(counts.values()):,} outputs, {time.monotonic() - begin:.0f} seconds", flush=True)
    for name, count in counts.items():
        print(f"{count:6,} {name}")
    print(f"{len(lines)} of {quantity(sum(counts.values()), 'right output')} rejected")
    return 1 if lines else 0
