"""The cases of a delivery: tensors of mixed numbers in sizes that show mistakes. No case accepts a wrong output.

Each tensor mixes ordinary numbers, large and small numbers, and a few special values. Three quarters of the cases have
at least 512 outputs. If the standards would accept a wrong output of a case, the case is drawn again with milder
numbers and shorter rows. Cases for special values are marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError, either
from ...calls.operator import Operator
from ...checks import law
from .. import backend_cases, oracle
from ..elements import Array, Elements, case_dtypes, new_elements
from ..golden import Golden
from ..power import power, weaknesses
from ..standards import IN_FORCE
from .manifest import DeliveryCase, TensorFile

DTYPES = ("float16", "bfloat16", "float32")
#: Shapes of elements. The last size is the length of the rows. No size is a multiple of 64.
SHAPES = (
    (1031,), (37, 29), (5, 7, 31), (129, 15), (3, 5, 7, 11), (2531,), (77, 65), (9, 3, 43), (257, 10),
    (2, 3, 5, 3, 7, 3), (65, 33), (601,), (19, 5, 17), (131, 6), (2, 2, 3, 5, 43),
)  # fmt: skip
SMALL = ((3, 7), (61,), (2, 5, 11), (15, 9))
ROUND = 8  # the number of cases in a round. In each round, one case is small, and one is for special values
TRIES = 12


@dataclass(frozen=True)
class Mixture:
    """The mix of numbers in tensors: how many elements are large or small, and how many are special."""

    dtype: str
    rng: np.random.Generator
    mildness: int = 0  # from 0 (large, small and special numbers) to only ordinary numbers

    def draw(self, shape: tuple[int, ...], has_rows: bool = False) -> Array:
        """A tensor of these numbers, with at most 8 special values."""
        rng, count, kind = self.rng, prod(shape), BY_NAME[self.dtype]
        if kind.kind != "float":
            return backend_cases.numbers(self.dtype, count, rng).reshape(shape)
        numbers = np.where(rng.random(count) < 0.5, rng.uniform(-5, 5, count), rng.normal(0, 1.5, count))
        if self.mildness < 2:
            sizes = 10.0 ** rng.uniform(-4, 1.5 if has_rows else 3, count)
            numbers = np.where(rng.random(count) < 0.06, np.copysign(sizes, numbers), numbers)
        values = numbers.astype(kind.numpy)
        if self.mildness < 3 and count >= 48:
            special = oracle.special_values(kind.numpy)[: -2 if self.mildness else None]
            large = np.abs(special.astype(np.float64)) > 1e3
            special = special[~large | np.isinf(special.astype(np.float64))] if not has_rows else special[~large]
            if has_rows:
                special = special[np.isfinite(special.astype(np.float64))]
            values[rng.permutation(count)[: min(8, count // 64 + 1)]] = rng.choice(special, min(8, count // 64 + 1))
        return values.reshape(shape)


def dtypes_of(operator: Operator, names: Sequence[str]) -> list[str]:
    """The dtypes among these names that an operator takes, on the chosen product if there is one."""
    allowed = case_dtypes(operator)
    dtypes = [name for name in names if name in allowed]
    if not dtypes:
        expected = f"it takes {either(allowed)}"
        raise ActgradError(f"{operator.name}: --dtypes is {', '.join(names)}; {expected}; change --dtypes")
    return dtypes


def draw(
    operator: Operator, names: Sequence[str], number: int, seed: int
) -> Iterator[tuple[DeliveryCase, dict[str, Array]]]:
    """Draw `number` cases of an operator, and the inputs of each. The same seed draws the same cases."""
    dtypes, settings = dtypes_of(operator, names), oracle.attribute_cases(operator, law.current())
    for k in range(number):
        rng = np.random.default_rng((seed, k, *operator.name.encode()))
        dtype = dtypes[k % len(dtypes)]
        attributes = oracle.attributes_for(operator, settings[k // len(dtypes) % len(settings)], dtype)
        kind = ("small", "special")[k % ROUND - ROUND] if k % ROUND >= ROUND - 2 else ""
        shapes = SMALL if kind == "small" else SHAPES
        yield _case(operator, dtype, attributes, k, shapes[(k // len(dtypes)) % len(shapes)], kind == "special", rng)


def _case(
    operator: Operator,
    dtype: str,
    attributes: dict[str, Any],
    number: int,
    shape: tuple[int, ...],
    is_special: bool,
    rng: np.random.Generator,
) -> tuple[DeliveryCase, dict[str, Array]]:
    name, dim = f"{operator.name}-{number + 1:04}", operator.access.dimension_attribute
    special = ""
    for attempt in range(TRIES):
        if attempt == 3 * TRIES // 4 and not is_special:  # the attributes may make all elements equal
            attributes = oracle.attributes_for(operator, oracle.attribute_cases(operator, law.current())[0], dtype)
        setting = dict(attributes)
        if dim:
            setting[dim] = int(rng.integers(-len(shape), len(shape))) if attempt < TRIES // 3 else -1
        if is_special:
            special, tensors = _special(operator, dtype, setting, number // ROUND, rng)
        else:
            tensors = _tensors(operator, Mixture(dtype, rng, attempt // 3), setting, shape)
        weak = weaknesses_of(operator, setting, tensors)
        if is_special or not (weak or _magnifies(operator, setting, tensors)):
            break
        if attempt % 3 == 2 and operator.access.sees_rows and len(shape) > 1:  # in shorter rows, each result is larger
            length = max(3, shape[-1] // 3)
            shape = (-(-prod(shape) // length) | 1, length)
        elif attempt % 3 == 2 and operator.access.sees_rows:
            shape = (-(-shape[0] // 13), 13)
    else:
        special = f"accepts {', '.join(weak)}" if weak else ""
    outputs = oracle.as_tuple(operator.plan(*tensors.values(), backend="reference", **_named(setting)).result)
    return described(operator, name, setting, tensors, outputs, special)


def described(
    operator: Operator,
    name: str,
    attributes: dict[str, Any],
    tensors: dict[str, Array | None],
    outputs: Sequence[Array],
    special: str,
) -> tuple[DeliveryCase, dict[str, Array]]:
    """A case for a manifest, and its inputs."""
    results = dict(zip(operator.schema.outputs, outputs, strict=True))
    present = {tensor: array for tensor, array in tensors.items() if array is not None}

    def files(arrays: dict[str, Array]) -> dict[str, TensorFile]:
        return {n: TensorFile(f"{name}/{n}.npy", a.dtype.name, a.shape) for n, a in arrays.items()}

    judge = law.current()
    product = None if judge is None else judge.description["product"]
    product = None if product == "none" else product
    return DeliveryCase(name, operator.name, attributes, product, files(present), files(results), special), present


def _named(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}


def _tensors(
    operator: Operator, mixture: Mixture, attributes: dict[str, Any], shape: tuple[int, ...]
) -> dict[str, Array | None]:
    """The tensors of a call. If the operator takes results of the forward pass, they are computed."""
    has_rows = operator.access.sees_rows
    x = backend_cases.as_result(operator, attributes, mixture.draw(shape, has_rows))
    tensors = oracle.paired(operator, attributes, x, lambda: mixture.draw(shape, has_rows))
    return backend_cases.with_value(operator, attributes, tensors)


def _special(
    operator: Operator, dtype: str, attributes: dict[str, Any], number: int, rng: np.random.Generator
) -> tuple[str, dict[str, Array | None]]:
    """A case for special values: all pairs of special values, only zeros, or a single element.

    If the operator sees rows, some rows have large numbers instead of zeros: exp of such a number overflows.
    """
    kind = ("special values", "zeros", "one element")[number % 3]
    dim = operator.access.dimension_attribute
    if dim:
        attributes[dim] = -1
    if kind == "special values":
        tensors = backend_cases.special_tensors(operator, attributes, dtype, rng)
        return kind, dict(zip(operator.schema.tensor_names, tensors, strict=True))
    shape = (7, 9) if kind == "zeros" else (1,)
    mixture = Mixture(dtype, rng, 3)
    if kind == "zeros":
        zeros = np.zeros(shape, BY_NAME[dtype].numpy)
        if operator.access.sees_rows and BY_NAME[dtype].kind == "float":
            kind, zeros[3:] = (
                "zeros and large numbers",
                rng.uniform(-oracle.LARGE_IN_ROWS, oracle.LARGE_IN_ROWS, zeros[3:].shape),
            )
        x = backend_cases.as_result(operator, attributes, zeros)
        tensors = oracle.paired(operator, attributes, x, lambda: mixture.draw(shape))
        return kind, backend_cases.with_value(operator, attributes, tensors)
    return kind, _tensors(operator, mixture, attributes, shape)


def weaknesses_of(operator: Operator, attributes: dict[str, Any], tensors: dict[str, Array | None]) -> list[str]:
    """The wrong outputs that the standard in force would accept if it looked only at finite results."""
    call = _call(operator, attributes, tensors)
    return weaknesses(power(call, Golden(call.computation), IN_FORCE, False, only_finite=True))


def _magnifies(operator: Operator, attributes: dict[str, Any], tensors: dict[str, Array | None]) -> bool:
    """Whether rounding an attribute would change a result by more than the standard allows, as in exp(-80 / alpha)."""
    call = _call(operator, attributes, tensors)
    if not operator.schema.scalars or call.computation.statistics is not None:
        return False
    lanes = [lane.take(slice(0, call.size)) for lane in call.inputs]
    expected = Golden(call.computation).expected(lanes, call.outputs[0].array.dtype)
    return any(bool(part.is_magnified.any()) for part in expected)


def _call(operator: Operator, attributes: dict[str, Any], tensors: dict[str, Array | None]) -> Elements:
    return new_elements(operator, _named(attributes), tuple(tensors.values()))
