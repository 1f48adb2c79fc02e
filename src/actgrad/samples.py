"""Inputs and attributes for tests of an operator.

Everything follows from an operator's schema. So a test over the registry that uses these functions also covers new
operators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product as combined
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from .base.access import Access, join
from .base.dtypes import BY_NAME
from .base.schema import Argument
from .calls.operator import Operator
from .checks.law import LawInForce
from .checks.run import refused_flags

Array = np.ndarray[Any, np.dtype[Any]]

# Inputs


def special_values(dtype: npt.DTypeLike) -> Array:
    """Zeros, infinities, NaN, the ends of the subnormal and the normal range, and small numbers, of both signs."""
    limits = ml_dtypes.finfo(dtype)
    tiny, normal, largest = limits.smallest_subnormal, limits.smallest_normal, limits.max
    near_zero = [0, tiny, 2 * float(tiny), float(normal) - float(tiny), normal, limits.eps]
    positive = [*near_zero, 0.5, 1, 1.5, 2, largest, np.inf]
    return np.array([sign * float(v) for v in positive for sign in (1, -1)] + [np.nan], np.float64).astype(dtype)


def ends(dtype: str) -> tuple[Any, Any]:
    """The smallest and the largest number of a dtype, as Python numbers."""
    kind = BY_NAME[dtype]
    if kind.kind == "bool":
        return 0, 1
    limits: Any = ml_dtypes.finfo(kind.numpy) if kind.kind == "float" else np.iinfo(kind.numpy)
    number = float if kind.kind == "float" else int
    return number(limits.min), number(limits.max)


def stratified(dtype: npt.DTypeLike, count: int, rng: np.random.Generator) -> Array:
    """At least `count` finite values with random mantissas. All exponents and both signs are equally frequent."""
    dtype = np.dtype(dtype)
    bits, mantissa = 8 * dtype.itemsize, int(ml_dtypes.finfo(dtype).nmant)
    exponents = 2 ** (bits - 1 - mantissa) - 1  # all exponents except the exponent of infinity and NaN
    rounds = -(-count // (2 * exponents))
    upper = np.concatenate([np.arange(exponents), np.arange(exponents) + exponents + 1])  # sign bit and exponent
    words = (np.tile(upper, rounds).astype(np.uint64) << np.uint64(mantissa)) | rng.integers(
        0, 2**mantissa, rounds * len(upper), np.uint64
    )
    return words.astype(f"u{dtype.itemsize}").view(dtype)


def tensors(
    operator: Operator, attributes: dict[str, Any], x: Array, rng: np.random.Generator | None = None
) -> tuple[Any, ...]:
    """The tensors of a call that computes the formula once for each value of `x`.

    All other operands (grad_output, the other half of a packed tensor) are 1, or with `rng` random normal numbers.
    Optional tensors are left out.
    """
    x = x.reshape(operator.access.row(x.size))

    def other() -> Array:
        values = np.ones(x.shape) if rng is None else np.asarray(rng.standard_normal(x.shape))
        return values.astype(x.dtype)

    return tuple(tensor for tensor in paired(operator, attributes, x, other) if tensor is not None)


def paired(
    operator: Operator, attributes: dict[str, Any], x: Array, other: Callable[[], Array]
) -> tuple[Array | None, ...]:
    """The tensors of a call in which `x` is the main operand, and each other operand is a result of `other`.

    `other` returns an array with as many elements as `x`. An optional tensor is None.
    """
    definition = operator.definition

    def tensor(access: Access, argument: Argument) -> Array | None:
        if argument.is_optional:
            return None
        shape = access.whole_shape(argument.name, x.shape, attributes)
        if dtypes := definition.dtypes_of(argument.name):
            return np.resize(np.arange(256), shape).astype(dtypes[0])
        is_main = argument.name == definition.main
        count = len(access.parts(argument.name, shape, attributes))
        values = [x if is_main and k == 0 else other().reshape(x.shape) for k in range(count)]
        if not access.brings_elements(argument.name):
            values = [np.resize(values[0], shape)]
        return np.asarray(join(access, argument.name, values, attributes, np.concatenate))

    saved = definition.required_outputs
    tensors = {a.name: tensor(operator.access, a) for a in operator.schema.tensors if a.name not in saved}
    if saved:
        forward = operator.gradient_of
        assert forward is not None, "only a gradient reads outputs of a forward operator"
        inputs = [tensors.get(a.name, tensor(forward.access, a)) for a in forward.schema.tensors]
        results = dict(zip(forward.schema.outputs, forward_results(operator, attributes, *inputs), strict=True))
        tensors |= {name: results[output] for name, output in saved.items()}
    return tuple([tensors[name] for name in operator.schema.tensor_names])


# Attributes

LARGE_IN_ROWS = 1000.0  # exp of this number overflows in every dtype, but a sum over a row does not
#: Values for an operator's scalars, in their order. They differ from each other and from the defaults. One is a power
#: of two, and one is negative. For no 16-bit number x is `first * x + second` 0 or 1, because rounding would decide
#: there on which side of a jump the result lies.
_SCALARS = ((1.3, 0.7, 0.5, 0.3), (0.6, 2.3, 1.1, 1.9), (-1.2, 1.7, 0.9, 0.8))


def attribute_cases(operator: Operator, judge: LawInForce | None = None) -> list[dict[str, Any]]:
    """Attributes to try: all combinations of flags and choices, with default and with other scalars.

    Cases that break a rule of the operator are left out. An int attribute that is not the switch has its default.
    """
    arguments = operator.schema.attributes
    scalars = [a.name for a in arguments if a.type == "Scalar"]
    options: dict[str, tuple[Any, ...]] = {a.name: (False, True) for a in arguments if a.type == "bool"}
    for flag in refused_flags(operator.definition):
        del options[flag]
    if operator.choices:
        options[str(operator.switch)] = operator.choices
    values = [dict(zip(scalars, row, strict=False)) for row in _SCALARS] if scalars else []
    cases = [
        {**operator.defaults, **numbers, **dict(zip(options, flags, strict=True))}
        for numbers in [{}, *values]
        for flags in combined(*options.values())
    ]
    rules = operator.requires.values()
    cases = [case for case in cases if all(holds(case) for holds in rules)]
    return cases if judge is None else [case for case in cases if judge.allows(operator.definition, case)]


def attributes_for(operator: Operator, attributes: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """The attributes with scalars for tensors of this dtype. For integer arithmetic, scalars are integers in range."""
    definition, kind = operator.definition, BY_NAME[dtype].kind
    computes_integers = definition.integers.formula is not None and not definition.integers.in_floats
    if kind not in ("bool", "int", "uint") or not computes_integers:
        return dict(attributes)
    minimum, maximum = (0, 1) if kind == "bool" else ends(dtype)
    rounded = {name: min(max(round(attributes[name]), int(minimum)), int(maximum)) for name in operator.schema.scalars}
    return {**attributes, **rounded}


def forward_results(operator: Operator, attributes: Mapping[str, Any], *inputs: Any) -> tuple[Array, ...]:
    """The results of a gradient operator's forward operator, with the attributes that both have."""
    forward = operator.gradient_of
    assert forward is not None, "a backward operator"
    shared = {name: value for name, value in attributes.items() if name in forward.defaults}
    return tuple(map(np.asarray, as_tuple(forward(*inputs, backend="reference", **shared))))


def as_tuple(result: Any) -> tuple[Any, ...]:
    """The result of an operator as a tuple with an array for each output."""
    return result if isinstance(result, tuple) else (result,)
