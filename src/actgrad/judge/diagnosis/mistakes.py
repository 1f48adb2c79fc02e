"""Mistakes in the arguments of an operator: branches, attributes, flags, inputs, factors, unwritten outputs.

Each mistake is a rule that follows from schema and formula, and never from an operator's name. A rule takes a sample
and yields suspicions. Most rules compute the call again with the mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import combinations
from types import FunctionType
from typing import Any

import ml_dtypes
import numpy as np

from ...base import xp
from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError
from ...checks import law
from .. import error_bounds, golden, oracle
from ..elements import Array
from .sample import Prediction, Rule, Sample, Suspicion, where_wrong

_MOST = 1 << 16  # elements of a call whose forward result a rule computes
_OVERWRITTEN = 0.8  # share of the failing elements that an overwritten input must explain
_NO_FACTOR = 0.02  # a factor without a name that is nearer to 1 may only be the mean of other errors


def unwritten(sample: Sample) -> Iterator[Suspicion]:
    """A range of the output that holds NaN, or one constant, because nothing was written."""
    stretches: list[str] = []
    lanes = zip(sample.call.outputs, sample.actual, sample.right, sample.wrong, sample.failing, strict=True)
    for lane, actual, right, wrong, failing in lanes:
        positions, values = sample.positions[wrong], actual[wrong]
        if not len(positions):
            continue
        first, last = int(positions[0]), int(positions[-1])
        # All failing elements are between these two. They form a range only if all elements between fail, or if the
        # right elements between them hold the same number.
        inside = (sample.positions >= first) & (sample.positions <= last)
        is_constant = bool((actual[inside] == values[0]).all())
        is_full = failing >= 0.9 * (last - first + 1)
        is_full |= failing >= 0.3 * (last - first + 1) and is_constant
        if len(positions) < 2 or not is_full:
            return
        with np.errstate(invalid="ignore"):
            is_nan = bool(np.isnan(values.astype(np.float64)).all())
        expected = right.values[inside if is_constant else wrong]
        is_one_number = bool((values == values[0]).all()) and len(np.unique(expected)) > 1
        if not is_nan and not is_one_number:
            return
        number = "NaN" if is_nan else f"{values[0] + values.dtype.type(0)}"  # the sum turns -0 into 0
        is_whole = last - first + 1 >= sample.call.size or bool((actual == values[0]).all())
        stretch = "every element is" if is_whole else f"elements {first} to {last} (in C order) are"
        stretches.append(f"{lane.name}: {stretch} {number}")
    yield Suspicion("unwritten", "output left unwritten: " + "; ".join(stretches), explains=sample.wrong)


def nan_not_propagated(sample: Sample) -> Iterator[Suspicion]:
    """A number instead of NaN."""
    if sample.is_integer:
        return
    explains = sample.where(lambda right, actual: np.isnan(right.values) & ~np.isnan(actual.astype(np.float64)))
    yield Suspicion("nan-lost", "NaN is not propagated", explains=explains)


def saturated(sample: Sample) -> Iterator[Suspicion]:
    """The largest number of the dtype instead of infinity."""
    if sample.is_integer:
        return

    def is_largest(right: oracle.Expected, actual: Array) -> Array:
        if actual.dtype.kind in "iu":  # bits next to floats
            return np.zeros(actual.shape, bool)
        largest = np.copysign(float(ml_dtypes.finfo(actual.dtype).max), right.values)
        return (np.abs(right.values) > np.abs(largest)) & (actual.astype(right.values.dtype) == largest)

    sentence = "the result is the largest number instead of infinity"
    yield Suspicion("saturated", sentence, explains=sample.where(is_largest))


def branch_at_zero(sample: Sample) -> Iterator[Suspicion]:
    """Zero that was treated as a number on its other side: by another product's formula, or as a tiny number."""
    zeros = sample.x == 0
    if not any((zeros & wrong).any() for wrong in sample.wrong):
        return
    operator, call = sample.call.operator, sample.call
    rules: dict[Any, list[str]] = {}
    if law.slots is not None:
        arrays = zip(operator.schema.tensor_names, call.tensors, strict=False)
        dtypes = {name: BY_NAME[array.dtype.name] for name, array in arrays if array is not None}
        formulas, own = operator.law.formulas, operator.formula_for(call.attributes, None, dtypes)
        here = operator.formula_for(call.attributes, law.current(), dtypes)
        for name, formula in {**dict.fromkeys(operator.law.product_names, own), **formulas}.items():
            if formula is not here:
                rules.setdefault(formula, []).append(name)
    for formula, names in rules.items():
        sentence = f"wrong branch at 0: computed by the rule of {', '.join(names)}"
        yield Suspicion("branch-at-0", sentence, sample.recomputed(formula=formula))
    if sample.is_of_floats:
        tiny = float(ml_dtypes.finfo(sample.x.dtype).smallest_subnormal)
        for number, side in ((tiny, "positive"), (-tiny, "negative")):
            sentence = f"wrong branch at 0: x = 0 is computed as if it were {side}"
            x = np.where(zeros, sample.x.dtype.type(number), sample.x)
            yield Suspicion("branch-at-0", sentence, sample.recomputed(inputs={call.main: x}))


def attribute_ignored(sample: Sample) -> Iterator[Suspicion]:
    """An attribute that was replaced by its default, or by 1."""
    for name, value in _scalars(sample).items():
        default = sample.call.operator.defaults[name]
        if default is not None and default not in (1, value):
            sentence = f"{name} is ignored: as if it were {default:g}, its default"
            yield Suspicion(f"{name}-ignored", sentence, sample.recomputed({name: default}))
        if value != 1:
            sentence = f"missing {name}: as if {name} were 1"
            yield Suspicion(f"missing-{name}", sentence, sample.recomputed({name: 1.0}))


def attribute_converted(sample: Sample) -> Iterator[Suspicion]:
    """An attribute that was read as an integer, or with a wrong or missing sign."""
    for name, value in _scalars(sample).items():
        if not np.isfinite(value):
            continue
        for number, how in ((float(int(value)), "cut to an integer"), (-value, "with its sign turned")):
            if number != value:
                sentence = f"{name} is read as {number:g}: {how}"
                yield Suspicion(f"{name}-converted", sentence, sample.recomputed({name: number}))
        for number, mistake, how in ((value * value, "squared", "squared"), (1 / (value or 1), "inverted", "inverted")):
            if value not in (0.0, 1.0, -1.0) and np.isfinite(number):
                sentence = f"{name} is read as {number:g}: it is {how}"
                yield Suspicion(f"{name}-{mistake}", sentence, sample.recomputed({name: number}))


def attribute_in_argument(sample: Sample) -> Iterator[Suspicion]:
    """An attribute that multiplies or divides x where it should not, or that is missing there, as in exp(x / alpha)."""
    if not sample.is_of_floats or sample.is_integer:
        return
    with np.errstate(invalid="ignore"):
        sides = {" where x > 0": sample.x > 0, " where x <= 0": sample.x <= 0}
    for name, value in _scalars(sample).items():
        if value in (0.0, 1.0) or not np.isfinite(value):
            continue
        for factor, how in ((value, "multiplied by"), (1 / value, "divided by")):
            with np.errstate(all="ignore"):
                x = (sample.x.astype(np.float64) * factor).astype(np.float64)
            moved = sample.recomputed(inputs={sample.call.main: x})
            for where, side in sides.items() if moved is not None else ():
                assert moved is not None, "tested above"
                prediction = [
                    replace(
                        m,
                        values=np.where(side, m.values, r.values),
                        size=np.where(side, m.size, r.size),
                        argument_error=np.where(side, m.argument_error, r.argument_error),
                    )
                    for m, r in zip(moved, sample.right, strict=True)
                ]
                sentence = f"the argument of the function is {how} {name}{where}, or lacks the inverse"
                yield Suspicion(f"{name}-in-argument", sentence, prediction)


def gradients_exchanged(sample: Sample) -> Iterator[Suspicion]:
    """Two outputs that were exchanged, if they are not halves of one tensor."""
    if sample.is_integer or sample.call.operator.access.is_packed:
        return
    names = [lane.name for lane in sample.call.outputs]
    for a, b in combinations(range(len(names)), 2):
        if sample.actual[a].dtype == sample.actual[b].dtype:
            prediction = list(sample.right)
            prediction[a], prediction[b] = prediction[b], prediction[a]
            yield Suspicion("outputs-exchanged", f"{names[a]} and {names[b]} are exchanged", prediction)


def rounded_inputs(sample: Sample) -> Iterator[Suspicion]:
    """float32 inputs that were rounded to a 16-bit dtype before the formula."""
    if not sample.is_of_floats or sample.is_integer or sample.x.dtype.itemsize < 4:
        return
    floats = {k: lane for k, lane in enumerate(sample.inputs) if BY_NAME[lane.dtype.name].kind == "float"}
    for name in ("float16", "bfloat16"):
        with np.errstate(all="ignore"):
            inputs = {k: lane.astype(BY_NAME[name].numpy).astype(lane.dtype) for k, lane in floats.items()}
        sentence = f"inputs are rounded to {name} before the formula"
        yield Suspicion("inputs-rounded", sentence, sample.recomputed(inputs=inputs), share=0.8)


def attributes_exchanged(sample: Sample) -> Iterator[Suspicion]:
    """Two attributes that were exchanged."""
    for (a, x), (b, y) in combinations(_scalars(sample).items(), 2):
        if x != y:
            yield Suspicion("attributes-exchanged", f"{a} and {b} are exchanged", sample.recomputed({a: y, b: x}))


def flag_turned(sample: Sample) -> Iterator[Suspicion]:
    """A flag that was inverted. A gate without a flag may take the wrong half of its tensor."""
    chooses_half, operator = False, sample.call.operator
    for argument in sample.call.operator.schema.attributes:
        if argument.type != "bool":
            continue
        value = not sample.call.attributes[argument.name]
        if sample.other_half_is_active({**sample.call.attributes, argument.name: value}):
            chooses_half = True
            yield from _halves(sample, f", as if {argument.name} were {value}", {argument.name: value})
        elif argument.name == operator.result.flag:
            role, source = ("result", "input") if value else ("input", "result")
            sentence = f"computed as if {argument.name} were {value}: the {source} is taken for the {role}"
            prediction = sample.recomputed({argument.name: value})
            if prediction is None:  # actgrad refuses the call, but a kernel may compute it
                setting = {**sample.call.attributes, argument.name: value}
                prediction = sample.recomputed(formula=operator.formula_for(setting, law.current()))
            yield Suspicion("result-for-input", sentence, prediction)
        else:
            sentence = f"computed as if {argument.name} were {value}"
            yield Suspicion(f"{argument.name}-turned", sentence, sample.recomputed({argument.name: value}))
    if sample.call.operator.access.is_packed and not chooses_half:
        yield from _halves(sample, "", None)


def _halves(sample: Sample, how: str, attributes: Mapping[str, Any] | None) -> Iterator[Suspicion]:
    turned = sample.recomputed(attributes, is_other_half=attributes is None)
    yield Suspicion("swapped-halves", f"swapped halves: the other half is activated{how}", turned)
    if sample.call.operator.gradient_of is not None:
        sentence = "swapped halves: each half's gradient is written where the other's belongs"
        yield Suspicion("swapped-halves", sentence, _exchanged(sample, sample.right))
        if turned is not None:
            sentence = "swapped halves: the other half is activated, while the gradients are written as they should be"
            yield Suspicion("swapped-halves", sentence, _exchanged(sample, turned))


def _exchanged(sample: Sample, prediction: Prediction) -> Prediction:
    dtypes = [lane.dtype for lane in sample.actual]
    turned = (*prediction[1::-1], *prediction[2:])  # the halves come first
    return [replace(p, dtype=dtype) for p, dtype in zip(turned, dtypes, strict=True)]


def other_choice(sample: Sample) -> Iterator[Suspicion]:
    """Another of the formulas that an attribute chooses from, for example tanh instead of erf."""
    operator, switch = sample.call.operator, sample.call.operator.switch
    if operator.choices and isinstance(switch, str):
        for choice in operator.choices:
            if choice != sample.call.attributes[switch]:
                sentence = f"computed by the formula of {switch}={choice!r}"
                if set(operator.choices) == {"none", "tanh"}:
                    sentence = f"{'tanh for erf' if choice == 'tanh' else 'erf for tanh'}: {sentence}"
                yield Suspicion(f"{switch}-{choice}", sentence, sample.recomputed({switch: choice}))


def inputs_confused(sample: Sample) -> Iterator[Suspicion]:
    """grad_output that was ignored, and inputs that were exchanged."""
    names, lanes = [lane.name for lane in sample.call.inputs], sample.inputs
    if sample.call.operator.gradient_of is not None:
        sentence = f"{names[0]} is ignored: as if it were 1"
        yield Suspicion(f"{names[0]}-ignored", sentence, sample.recomputed(inputs={0: np.ones_like(lanes[0])}))
    if not sample.call.operator.access.is_packed and _has_finite_mistakes(sample):
        for a, b in combinations(range(len(lanes)), 2):
            sentence = f"{names[a]} and {names[b]} are exchanged"
            yield Suspicion("inputs-exchanged", sentence, sample.recomputed(inputs={a: lanes[b], b: lanes[a]}))


def _has_finite_mistakes(sample: Sample) -> bool:
    """Whether a wrong element and its right value are finite. NaN shows nothing about the inputs."""
    pairs = zip(sample.right, sample.actual, sample.wrong, strict=True)
    with np.errstate(all="ignore"):
        return any(
            bool((np.isfinite(r.values) & np.isfinite(a.astype(np.float64)) & wrong).any()) for r, a, wrong in pairs
        )


def result_of_input(sample: Sample) -> Iterator[Suspicion]:
    """The forward pass's result of an input, instead of that input."""
    operator = sample.call.operator
    if operator.gradient_of is None or operator.access.is_packed or sample.is_integer:
        return
    try:
        result = oracle.forward_results(operator, sample.call.attributes, sample.x)[0]
    except ActgradError:  # a product may have only the backward pass
        return
    sentence = "computed from the forward pass's result of the last input"
    yield Suspicion("forward-applied", sentence, sample.recomputed(inputs={sample.call.main: result}))


def read_after_write(sample: Sample) -> Iterator[Suspicion]:
    """The result of the call for an output of its own as an input: the output overwrote it before it was read."""
    call = sample.call
    if not call.operator.access.is_uniform or sample.is_integer:
        return
    _, counts = np.unique(sample.failing_values, return_counts=True)
    if 2 * max(counts, default=0) >= sum(counts):  # a common number such as 0 may come from any input
        return
    for k, lane in enumerate(call.inputs[: len(sample.inputs)]):
        for output, right in zip(call.outputs, sample.right, strict=True):
            if lane.array.dtype == right.dtype and lane.array.shape == call.shape and output.numbers is None:
                read = sample.recomputed(inputs={k: right.stored.astype(lane.array.dtype)})
                sentence = f"{lane.name} is read after the output has overwritten it"
                if read is not None:
                    yield Suspicion("read-after-write", sentence, where_wrong(sample, read), share=_OVERWRITTEN)


def forward_returned(sample: Sample) -> Iterator[Suspicion]:
    """The result of the forward operator, instead of the gradient."""
    call, operator = sample.call, sample.call.operator
    forward = operator.gradient_of
    if forward is None or sample.is_integer or call.size > _MOST or operator.definition.takes_result(call.attributes):
        return
    tensors = dict(zip(operator.schema.tensor_names, call.tensors, strict=False))
    inputs = tuple(tensors.get(name) for name in forward.schema.tensor_names)
    attributes = {name: v for name, v in call.attributes.items() if name in forward.schema.attributes_by_name}
    try:
        result = golden.expected(forward, inputs, attributes)[0].values
    except ActgradError:  # the gradient lacks a tensor of the forward operator
        return
    if any(shape != result.shape for _, _, shape in sample.memory):
        return
    values = [result.ravel()[indices] for indices, _, _ in sample.memory]
    zero = np.zeros(len(sample.positions))
    prediction = [
        replace(right, values=v, size=np.abs(v), argument_error=zero)
        for right, v in zip(sample.right, values, strict=True)
    ]
    yield Suspicion("forward-returned", f"the result is that of {forward.name}, not its gradient", prediction)


def constant_left_out(sample: Sample) -> Iterator[Suspicion]:
    """A constant of the formula, such as a built-in scale, that was replaced by 1."""
    for name, value in _constants(sample.call.computation.formulas[sample.formula_place]).items():
        if value != 1:
            functions = {**error_bounds.FUNCTIONS, name: 1.0}
            sentence = f"missing {name.lower()}: the constant {name} = {value:.6g} is left out"
            yield Suspicion(f"missing-{name.lower()}", sentence, sample.recomputed(functions=functions))


def factor(sample: Sample) -> Iterator[Suspicion]:
    """A factor with a name that wrong and right values have in common, on one side of 0 or on both."""
    names = _factors(sample)
    for where, side, ratio in _common_ratios(sample):
        exact = min(names, key=lambda name: abs(ratio / name - 1))
        if abs(ratio / exact - 1) <= sample.room * float(ml_dtypes.finfo(sample.actual[0].dtype).eps):
            mistake, sentence = names[exact]
            yield Suspicion(mistake, sentence + where, _multiplied(sample, side, exact))


def factor_without_a_name(sample: Sample) -> Iterator[Suspicion]:
    """Any other factor that wrong and right values have in common."""
    for where, side, ratio in _common_ratios(sample):
        if abs(ratio - 1) > _NO_FACTOR:
            sentence = f"everything is multiplied by {ratio:.6g}{where}"
            yield Suspicion("factor", sentence, _multiplied(sample, side, ratio), share=0.9)


def _multiplied(sample: Sample, side: Array, by: float) -> Prediction:
    factors = np.where(side, by, 1.0)
    return [replace(r, values=factors * r.values, size=np.abs(factors) * r.size) for r in sample.right]


def _common_ratios(sample: Sample) -> Iterator[tuple[str, Array, float]]:
    """Yield a description of elements, the elements, and their common ratio of actual and right values."""
    if sample.is_integer:
        return
    with np.errstate(invalid="ignore"):  # NaN is neither above nor below 0
        sides = {"": np.ones(len(sample.x), bool), " where x > 0": sample.x > 0, " where x <= 0": sample.x <= 0}
    for where, side in sides.items():
        ratio = _common_ratio(sample, side)
        if ratio is not None:
            yield where, side, ratio


def _common_ratio(sample: Sample, side: Array) -> float | None:
    """The ratio of actual and right values that most failing elements on one side have."""
    ratios = []
    for right, actual, wrong in zip(sample.right, sample.actual, sample.wrong, strict=True):
        some = wrong & side & right.is_normal & (right.values != 0) & np.isfinite(right.values)
        with np.errstate(all="ignore"):
            ratios.append((actual[some].astype(right.values.dtype) / right.values[some]).astype(np.float64))
    together = np.concatenate(ratios)
    together = together[np.isfinite(together)]
    if len(together) < 2:
        return None
    common = float(np.median(together))
    return common if common not in (0.0, 1.0) else None


def _factors(sample: Sample) -> dict[float, tuple[str, str]]:
    """Factors that a mistake may cause. Values are the mistake's name and words."""
    call = sample.call
    values = _scalars(sample)
    values |= {n.lower(): v for n, v in _constants(call.computation.formulas[sample.formula_place]).items()}
    values = {name: v for name, v in values.items() if v not in (0.0, 1.0) and np.isfinite(v)}
    factors: dict[float, tuple[str, str]] = {-1.0: ("sign", "the sign is turned")}
    for name, v in values.items():
        factors[v] = (f"surplus-{name}", f"{name} is applied once too often")
        factors[1 / v] = (f"missing-{name}", f"missing {name}: it is not applied")
    for (a, v), (b, w) in combinations(values.items(), 2):
        factors.setdefault(v * w, (f"surplus-{a}", f"{a} and {b} are applied once too often"))
        factors.setdefault(1 / (v * w), (f"missing-{a}", f"missing {a} and {b}: they are not applied"))
        factors.setdefault(v / w, (f"{a}-for-{b}", f"{a} is applied in the place of {b}"))
        factors.setdefault(w / v, (f"{b}-for-{a}", f"{b} is applied in the place of {a}"))
    return factors


@cache
def _constants(formula: Callable[..., Any]) -> Mapping[str, float]:
    """The numbers that a formula, or a formula that it calls, uses by name."""
    constants: dict[str, float] = {}
    scope, names = formula.__globals__, formula.__code__.co_names
    for callee in (scope.get(name) for name in names if name not in xp.FUNCTIONS):
        if isinstance(callee, FunctionType):
            constants |= _constants(callee)
    return constants | {name: scope[name] for name in names if isinstance(scope.get(name), (int, float))}


def _scalars(sample: Sample) -> dict[str, float]:
    """The attributes that are numbers."""
    arguments = [a for a in sample.call.operator.schema.attributes if a.type == "Scalar"]
    return {a.name: float(sample.call.attributes[a.name]) for a in arguments}


#: The most specific rules come first. If several suspicions explain the same elements, the first is reported.
RULES: tuple[Rule, ...] = (
    nan_not_propagated, unwritten, saturated, branch_at_zero, attribute_ignored,
    flag_turned, other_choice, attributes_exchanged, constant_left_out, inputs_confused, gradients_exchanged, factor,
    attribute_converted, result_of_input, read_after_write, forward_returned, attribute_in_argument, rounded_inputs,
    factor_without_a_name,
)  # fmt: skip
