"""Calls of any operator whose output lies on the memory of an input: exactly, shifted, backwards, or along strides."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import actgrad
from actgrad.ascend.aclnn import signatures

ROOM = 64  # bytes before and after each tensor
STEP = {"every second": 2, "backwards": -1}
#: How an output lies on an input; "every second" is exactly, along strides.
KINDS = ("exactly", "one later", "one earlier", "every second", "backwards")
SQUARE = (3, 3)
ELEMENTS = ((3, 1), SQUARE)
ELEMENTS_OF = {"swiglu_group_quant": (*ELEMENTS, (2, 128))}  # its function in C takes rows of whole blocks only
MASKS = ((1, 8), (2, 16))  # the shapes of a mask of bits, which has eight elements in a byte
Shapes = tuple["tuple[int, ...] | None", ...]


@dataclass(frozen=True)
class Case:
    """A call of one operator, and the output and the input that overlap."""

    operator: Any
    shapes: Shapes  # of the inputs; None for one left out
    attributes: tuple[tuple[str, Any], ...]
    dtype: str
    output: int
    input: int
    kind: str

    def __str__(self) -> str:
        schema = self.operator.schema
        names = f"{schema.outputs[self.output]} over {schema.tensor_names[self.input]}, {self.kind}"
        return f"{self.operator.name}{self.shapes} {dict(self.attributes)} {self.dtype}: {names}"


@dataclass
class Memory:
    """The tensors of a case: of the overlapping call, and of the same call on separate memory."""

    blocks: list[np.ndarray]  # the memory of each input, and then of each other output; one for both that overlap
    places: list[tuple[int, int] | None]  # inputs, then outputs: block and first byte
    inputs: list[np.ndarray | None]
    outputs: list[np.ndarray]
    separate: list[np.ndarray]  # outputs that hold before the call what `outputs` hold


def inputs(operator: Any, shapes: Shapes, dtype: str, seed: int = 0) -> list[np.ndarray | None]:
    """Random tensors of these shapes; one that counts rows has few."""
    rng = np.random.default_rng(seed)
    found: list[np.ndarray | None] = []
    for name, shape in zip(operator.schema.tensor_names, shapes, strict=True):
        if shape is None:
            found.append(None)
        elif name == operator.ragged.counter:
            found.append(np.resize(np.array([1, 0], np.int64), shape))
        elif operator.access.has_bits and name in operator.access.tensor_names:
            found.append(rng.integers(0, 256, shape, np.uint8))
        elif name == "weight" and operator.ragged.counter:  # one for each row, in float32 for every dtype of x
            found.append(rng.standard_normal(shape).astype(np.float32))
        else:
            found.append(rng.standard_normal(shape).astype(dtype))
    return found


@cache
def results(operator: Any, shapes: Shapes, attributes: tuple[tuple[str, Any], ...], dtype: str) -> Any:
    """The metadata of a call's results; None for a call that is refused."""
    try:
        plan = operator.plan(*inputs(operator, shapes, dtype), backend="reference", **dict(attributes))
    except actgrad.ActgradError:
        return None
    return plan.prepared.results


def calls(operator: Any, dtype: str) -> Iterator[tuple[Shapes, tuple[tuple[str, Any], ...]]]:
    """Calls of an operator: few elements, in several shapes, broadcast where it can be, with and without a tensor."""
    tensors, access = operator.schema.tensors, operator.access
    seen, attribute = set(), access.dimension_attribute
    of_elements = MASKS if access.has_bits else ELEMENTS_OF.get(operator.name, ELEMENTS)
    for elements, dim in itertools.product(of_elements, (0, -1) if attribute else (None,)):
        attributes = tuple((operator.defaults | ({} if dim is None else {attribute: dim})).items())
        whole: Shapes = tuple(
            (2,) if a.name == operator.ragged.counter
            else access.whole_shape(a.name, elements, dict(attributes)) for a in tensors
        )  # fmt: skip
        left_out = tuple(None if a.is_optional else shape for a, shape in zip(tensors, whole, strict=True))
        found = [whole, left_out]
        for k, shape in enumerate(whole if elements == SQUARE else ()):  # broadcast, and of other ranks
            others = [(*shape[:d], 1, *shape[d + 1 :]) for d in range(len(shape or ()))] + [(1, *shape), shape[1:]]
            found += [(*whole[:k], other, *whole[k + 1 :]) for other in others]
        for shapes in found:
            if (shapes, attributes) not in seen and results(operator, shapes, attributes, dtype) is not None:
                seen.add((shapes, attributes))
                yield shapes, attributes


def cases(operator: Any, dtype: str = "float32") -> Iterator[Case]:
    """Every output over every input, in every way."""
    for shapes, attributes in calls(operator, dtype):
        for output, (number, shape), kind in itertools.product(
            range(len(operator.schema.outputs)), enumerate(shapes), KINDS
        ):
            if shape is not None:
                yield Case(operator, shapes, attributes, dtype, output, number, kind)


def memory(case: Case) -> Memory:
    """The tensors of a case."""
    tensors = inputs(case.operator, case.shapes, case.dtype)
    metas = results(case.operator, case.shapes, case.attributes, case.dtype)
    blocks: list[np.ndarray] = []
    places: list[tuple[int, int] | None] = []
    views: list[np.ndarray | None] = []
    largest = 8 * max(meta.size for meta in metas)
    for number, tensor in enumerate(tensors):
        if tensor is None:
            places.append(None)
            views.append(None)
            continue
        step = 2 if case.kind == "every second" and number == case.input else 1
        size = step * max(tensor.nbytes, largest)
        blocks.append(np.frombuffer(np.random.default_rng(number).bytes(size + 2 * ROOM), np.uint8).copy())
        places.append((len(blocks) - 1, ROOM))
        views.append(_view(blocks[-1], ROOM, tensor.shape, tensor.dtype, step))
        views[-1][...] = tensor
    outputs: list[np.ndarray] = []
    for number, meta in enumerate(metas):
        dtype = meta.dtype.numpy
        if number != case.output:
            blocks.append(np.full(meta.size * dtype.itemsize, 0xFF, np.uint8))  # NaN
            places.append((len(blocks) - 1, 0))
            outputs.append(_view(blocks[-1], 0, meta.shape, dtype, 1))
            continue
        block, first = places[case.input]
        first += {"one later": 1, "one earlier": -1, "backwards": meta.size - 1}.get(case.kind, 0) * dtype.itemsize
        places.append((block, first))
        outputs.append(_view(blocks[block], first, meta.shape, dtype, STEP.get(case.kind, 1)))
    return Memory(blocks, places, views, outputs, [output.copy() for output in outputs])


def _view(block: np.ndarray, first: int, shape: tuple[int, ...], dtype: np.dtype, step: int) -> np.ndarray:
    """Elements of a block, every `step`-th one, from its byte `first` on."""
    strides = [step * dtype.itemsize * int(np.prod(shape[d + 1 :], dtype=int)) for d in range(len(shape))]
    return np.ndarray(shape, dtype, block, first, strides)


def functions(operator: Any) -> list[Any]:
    """The C functions of an operator that write into tensors of their own."""
    return [signature for signature in signatures.list_signatures(operator) if not signature.in_place]


def c_arguments(case: Case, signature: Any, given: list[Any], outputs: list[Any]) -> list[Any]:
    """The arguments of a C function's phase one, from tensors in the schema's order."""
    schema = case.operator.schema
    tensors = dict(zip((*schema.tensor_names, *schema.outputs), (*given, *outputs), strict=True))
    values = {**tensors, **dict(case.attributes)}

    def argument(parameter: Any) -> Any:
        if parameter.has("must_be_null"):
            return None
        if parameter.origin is not None and parameter.origin.example is not None:
            return parameter.origin.example
        if parameter.is_unread:
            return None if parameter.is_optional else np.zeros(1, case.dtype)
        value = values[parameter.argument]
        if parameter.type == "int" and isinstance(value, str):
            return case.operator.choices.index(value)
        return value

    return list(map(argument, signature.parameters))


def out_of(outputs: list[Any]) -> Any:
    """The argument `out` of a call with these outputs."""
    return tuple(outputs) if len(outputs) > 1 else outputs[0]
