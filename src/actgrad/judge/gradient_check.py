"""The check of gradient operators: a gradient must agree with a difference quotient of the forward formula.

The verdict on results compares them with the formula, so it cannot show that a formula is wrong. This check can. NumPy
computes both operators, at points away from kinks, for every case of attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks
from ..backends.reference import ReferenceKernel
from ..base.access import split
from ..base.definition import Definition
from ..base.dtypes import BY_NAME
from ..base.loop import TensorMeta, row_major
from ..calls import prepare
from ..calls.operator import Operator
from ..checks import law
from . import oracle
from .elements import Array

#: Magnitudes of the points. They lie on both sides of the usual kinks. No point is at a kink.
MAGNITUDES = (0.0131, 0.0973, 0.271, 0.4631, 0.6113, 0.8719, 1.1313, 1.6931, 2.3717, 2.8713, 3.1391, 4.4517, 5.7131,
              6.3319, 8.1933)  # fmt: skip
ATTRIBUTE_FACTORS = (0.5119, 0.9137, 1.0873, 1.7321)  # further points are these numbers times an attribute
ELEMENTS = 256  # elements of a call whose elements are independent
ROWS, ROUNDS = (3, 4, 2, 2, 2, 2, 2, 2), 4  # the shape of a call with rows (its first sizes), and the number of calls
STEP, MIN_STEP = 2e-6, 1e-7  # the step relative to a point, and the smallest step
RTOL = 1e-6  # difference quotients have much smaller errors, and a wrong formula has much larger errors
KINK_RTOL = 1e-3  # if the quotients to both sides differ by more, there is a kink at the point
Tensors = dict[str, "Array | None"]


@dataclass(frozen=True)
class Disagreement:
    """An output of a gradient operator that is not the gradient, with the numbers at the point of the largest error."""

    operator: str
    forward: str
    output: str
    attributes: Mapping[str, Any]
    inputs: Mapping[str, float]
    gradient: float
    quotient: float
    wrong: int  # the number of points at which the output is wrong
    points: int
    cause: str

    def __str__(self) -> str:
        attributes = ", ".join(f"{name}={value!r}" for name, value in self.attributes.items())
        where = ", ".join(f"{name}={value:.6g}" for name, value in self.inputs.items())
        return (
            f"{self.operator}({attributes}): {self.output} is {self.gradient:.6g} at {where}, but the difference "
            f"quotient of {self.forward} is {self.quotient:.6g}; they differ at {self.wrong} of {self.points} points; "
            f"{self.cause}; correct the formula of {self.operator} or of {self.forward}"
        )


@dataclass(frozen=True)
class _Comparison:
    """An output's gradient and the difference quotient at the same points. `is_wrong` is False at kinks."""

    output: str
    inputs: Mapping[str, Array]
    gradient: Array
    quotient: Array
    is_wrong: Array


def disagreements(operator: Operator) -> list[Disagreement]:
    """The outputs of a gradient operator that are not the gradients. [] for an operator that is not a gradient."""
    if operator.gradient_of is None:
        return []
    judge = law.current()
    by_output: dict[str, list[tuple[dict[str, Any], _Comparison]]] = {}
    for attributes in oracle.attribute_cases(operator, judge):
        for comparison in _comparisons(operator.definition, operator.gradient_of.definition, attributes, judge):
            by_output.setdefault(comparison.output, []).append((attributes, comparison))
    return [d for cases in by_output.values() if (d := _disagreement(operator, cases, by_output)) is not None]


def _disagreement(operator: Operator, cases: Sequence[Any], by_output: Mapping[str, Any]) -> Disagreement | None:
    """The disagreement in the comparisons of one output, or None. `cases` has pairs of attributes and a comparison."""
    failing = [case for case in cases if np.count_nonzero(case[1].is_wrong) > 1]
    if not failing:
        return None
    assert operator.gradient_of is not None
    attributes, worst = failing[0]
    points = np.flatnonzero(worst.is_wrong)
    point = points[np.argmax(np.abs(worst.gradient - worst.quotient)[points])]
    return Disagreement(
        operator.name,
        operator.gradient_of.name,
        worst.output,
        attributes,
        {name: float(values[point]) for name, values in worst.inputs.items()},
        float(worst.gradient[point]),
        float(worst.quotient[point]),
        len(points),
        len(worst.is_wrong),
        _cause(operator, attributes, worst, by_output),
    )


def _cause(operator: Operator, attributes: dict[str, Any], worst: _Comparison, by_output: Mapping[str, Any]) -> str:
    """A phrase that says which mistake explains the numbers."""
    with np.errstate(all="ignore"):
        ratio = (worst.gradient / worst.quotient)[worst.is_wrong]
        ratios = ratio[np.isfinite(ratio)]
    if len(ratios) and np.allclose(ratios, -1, rtol=1e-4):
        return "the sign is turned"
    for output, comparisons in by_output.items():
        quotients = [c.quotient for case, c in comparisons if case == attributes and output != worst.output]
        for quotient in quotients[:1]:
            is_alike = quotient.shape == worst.gradient.shape
            if is_alike and np.allclose(worst.gradient, quotient, rtol=1e-4, atol=1e-9):
                return f"it is the gradient of {output.removeprefix('grad_')}"
    if names := _causes(operator, attributes):
        return f"they differ where {' or '.join(names)} is not the default, and agree at the defaults"
    if len(ratios) > 1 and np.allclose(ratios, ratios[0], rtol=1e-4):
        return f"it has the factor {float(ratios[0]):.4g}"
    return "no simple factor explains it"


def _causes(operator: Operator, attributes: Mapping[str, Any]) -> list[str]:
    """The attributes that alone cause a disagreement. [] if the default attributes already cause a disagreement."""
    assert operator.gradient_of is not None
    forward = operator.gradient_of.definition
    defaults = {name: attributes[name] if value is None else value for name, value in operator.defaults.items()}

    def differs(**changed: Any) -> bool:
        case = {**defaults, **changed}
        if not all(holds(case) for holds in operator.requires.values()):
            return False
        comparisons = _comparisons(operator.definition, forward, case, law.current())
        return any(np.count_nonzero(comparison.is_wrong) > 1 for comparison in comparisons)

    if differs():
        return []
    return [name for name, value in attributes.items() if value != defaults[name] and differs(**{name: value})]


def _comparisons(
    definition: Definition, forward: Definition, attributes: dict[str, Any], judge: Any
) -> Iterator[_Comparison]:
    """The comparisons for calls with these attributes. Empty if the forward operator refuses the attributes."""
    shared = {name: attributes.get(name, default) for name, default in forward.defaults.items()}
    rules = [*forward.requires.values()]
    if None in shared.values() or not all(holds(shared) for holds in rules):
        return
    from_result = definition.takes_result(attributes)
    if from_result and not all(holds(attributes) for holds in definition.result.suffices.values()):
        return
    rng = np.random.default_rng(0)
    points = sample_points(attributes)
    accesses, names = (forward.access, definition.access), forward.schema.tensor_names
    sees_rows = any(access.sees_rows for access in accesses)
    needed = [a.name for a in forward.schema.tensors if not a.is_optional]
    is_independent = not (sees_rows or forward.access.has_bits) and all(map(forward.access.brings_elements, needed))
    positions = [access.position_of(name) or 0 for access in accesses for name in names]
    rank = max(2, *(position + 1 if position >= 0 else -position for position in positions))
    shapes = [(ELEMENTS,)] if is_independent else [ROWS[:rank]] * ROUNDS
    for shape in shapes:
        tensors: Tensors = {
            a.name: None if a.is_optional else rng.choice(points, forward.access.whole_shape(a.name, shape, shared))
            for a in forward.schema.tensors
        }
        call = _GradientCall(definition, forward, attributes, shared, judge, tensors, from_result)
        yield from call.independent(rng) if is_independent else call.of_rows(rng)


def sample_points(attributes: Mapping[str, Any]) -> Array:
    """Points of both signs: MAGNITUDES, and numbers around each attribute."""
    numbers = [v for v in attributes.values() if isinstance(v, float) and np.isfinite(v) and v != 0]
    magnitudes = [*MAGNITUDES, *(abs(number) * near for number in numbers for near in ATTRIBUTE_FACTORS)]
    return np.array([sign * m for m in magnitudes if m < 100 for sign in (1, -1)])


class _GradientCall:
    """A call of a gradient operator and of its forward operator, on the same tensors in double precision."""

    def __init__(
        self, definition: Definition, forward: Definition, attributes: dict[str, Any], shared: dict[str, Any],
        judge: Any, tensors: Tensors, from_result: bool,
    ):  # fmt: skip
        self.definition, self.forward, self.attributes, self.shared = definition, forward, attributes, shared
        self.judge, self.tensors = judge, tensors
        self.outputs = dict(zip(forward.schema.outputs, _outputs(forward, shared, judge, tensors), strict=True))
        self.value = self.outputs[forward.schema.outputs[0]]
        self.from_result = from_result
        self.rank = max(t.ndim for name, t in tensors.items() if t is not None and forward.access.brings_elements(name))

    def _forward(self, tensors: Tensors) -> Array:
        """The first output of the forward operator."""
        return _outputs(self.forward, self.shared, self.judge, tensors)[0]

    def _gradients(self, grad: Array) -> dict[str, Array]:
        """The outputs of the gradient operator."""
        first, *names = self.definition.schema.tensor_names
        tensors: Tensors = {first: grad}
        for name in names:
            if name == self.definition.result.tensor and self.from_result:
                tensors[name] = self.value
            elif name in self.definition.required_outputs:
                tensors[name] = self.outputs[self.definition.required_outputs[name]]
            elif name in self.forward.schema.tensor_names:
                tensors[name] = self.tensors[name]
            elif any(a.name == name and a.is_optional for a in self.definition.schema.tensors):
                tensors[name] = None
            else:  # the forward operator's tensor, under another name
                tensors[name] = self.tensors[self.forward.schema.tensor_names[0]]
        outputs = _outputs(self.definition, self.attributes, self.judge, tensors)
        return dict(zip(self.definition.schema.outputs, outputs, strict=True))

    def independent(self, rng: np.random.Generator) -> Iterator[_Comparison]:
        """The comparisons of a call whose elements are independent, for each part of each tensor."""
        grad = rng.uniform(0.5, 2, self.value.shape) * rng.choice([1.0, -1.0], self.value.shape)
        gradients, inputs = self._gradients(grad), self._lanes(self.tensors, self.forward, self.shared)
        for output, tensor in self.definition.gradients.items():
            values = self.tensors[tensor]
            assert values is not None, "no optional tensor has a gradient"
            parts = split(self.definition.access, output, gradients[output], self.attributes, self.rank)
            for k, part in enumerate(parts):
                step = np.maximum(STEP * np.abs(self._part(values, tensor, k)), MIN_STEP)
                sides = [
                    self._forward({**self.tensors, tensor: self._moved(values, tensor, k, s * step)}) for s in (1, -1)
                ]
                label = output if len(parts) == 1 else f"{output} ({'active' if k == 0 else 'other'} half)"
                yield _comparison(label, inputs, grad, part, self.value, sides, step, np.abs(self.value * grad))

    def of_rows(self, rng: np.random.Generator) -> Iterator[_Comparison]:
        """The comparisons of a call with rows. The quotients are of sum(grad * result), by one element at a time."""
        grad = rng.uniform(0.5, 2, self.value.shape) * rng.choice([1.0, -1.0], self.value.shape)
        gradients = self._gradients(grad)
        for output, tensor in self.definition.gradients.items():
            values = self.tensors[tensor]
            assert values is not None, "no optional tensor has a gradient"
            step = np.maximum(STEP * np.abs(values.ravel()), MIN_STEP)
            sides: list[Array] = []
            for s in (1, -1):
                moved = [
                    values + s * step[e] * (np.arange(values.size) == e).reshape(values.shape)
                    for e in range(values.size)
                ]
                sides.append(np.array([np.sum(grad * self._forward({**self.tensors, tensor: x})) for x in moved]))
            total, size = np.sum(grad * self.value), np.sum(np.abs(grad * self.value))
            ones = np.ones(values.size)
            inputs = {tensor: values.ravel()}
            yield _comparison(output, inputs, ones, gradients[output].ravel(), total, sides, step, size * ones)

    def _part(self, values: Array, tensor: str, k: int) -> Array:
        part: Array = split(self.forward.access, tensor, values, self.shared, self.rank)[k]
        return part

    def _moved(self, values: Array, tensor: str, k: int, step: Array) -> Array:
        """A copy of a tensor with `step` added to part `k`."""
        moved = values.copy()
        self._part(moved, tensor, k)[...] += step
        return moved

    def _lanes(self, tensors: Tensors, definition: Definition, attributes: dict[str, Any]) -> dict[str, Array]:
        """The parts of all tensors. The keys are names for messages."""
        lanes: dict[str, Array] = {}
        for name, tensor in tensors.items():
            if tensor is not None:
                parts = split(definition.access, name, tensor, attributes, self.rank)
                names = [name] if len(parts) == 1 else [f"{name} (active half)", f"{name} (other half)"]
                lanes |= dict(zip(names, parts, strict=True))
        return lanes


def _comparison(
    output: str, inputs: Mapping[str, Array], grad: Array, gradient: Array, value: Any, sides: Sequence[Array],
    step: Array, size: Array,
) -> _Comparison:  # fmt: skip
    """The comparison of a gradient with grad * (difference quotient). `sides` are the values at x + step, x - step."""
    above, below = sides
    with np.errstate(all="ignore"):
        right, left = grad * (above - value) / step, grad * (value - below) / step
        quotient = (right + left) / 2
        noise = 8 * np.finfo(np.float64).eps * size / step
        room = RTOL * (np.abs(quotient) + np.abs(gradient)) + noise
        is_straight = np.abs(right - left) <= KINK_RTOL * (np.abs(right) + np.abs(left)) + 4 * noise
        is_wrong = is_straight & ~(np.abs(gradient - quotient) <= room) & np.isfinite(quotient)
    return _Comparison(output, inputs, gradient, quotient, is_wrong)


def _outputs(definition: Definition, attributes: dict[str, Any], judge: Any, tensors: Tensors) -> tuple[Array, ...]:
    """The outputs of a call in float64, which NumPy computes. The operator's checks do not run."""
    metas = {
        name: None if t is None else TensorMeta(BY_NAME[t.dtype.name], t.shape, row_major(t.shape, t.itemsize))
        for name, t in tensors.items()
    }
    call = checks.Call(definition, metas, attributes, judge)
    results = prepare.result_metas(call)
    computation = prepare.make_computation(call, results, "cpu")
    outputs = tuple(np.empty(meta.shape, meta.dtype.numpy) for meta in results)
    inputs = [np.ascontiguousarray(tensors[name]) for name in call.inputs]
    ReferenceKernel(computation).run(*(array.__array_interface__["data"][0] for array in (*outputs, *inputs)))
    return outputs
