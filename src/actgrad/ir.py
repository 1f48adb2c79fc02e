"""Graph mode: every operator under its name in CANN's graphs (IR), with the inputs and defaults that it has there.

    ir.GeGluGradV2(dy, x, gelu, dim=-1, approximate=1, activate_left=False)
    ir.GeGluGradV2.infer_shape((4, -1), (4, 64), (4, -1))        ((4, 64),)

Called with arrays, such an operator computes at once; in a traced PyTorch graph it is one node. What it infers of
shapes and data types it infers from these alone: a dimension of -1 is unknown, a shape of (-2,) has unknown rank.
Building graphs for CANN's own graph engine (C++) is not part of this package.
"""

from __future__ import annotations

import importlib
import sys
from functools import reduce
from operator import index
from typing import Any

import numpy as np

from . import (
    dtypes,
    ops,  # noqa: F401  fills the registry
    products,
)
from .checks import allowed_dtypes
from .errors import InvalidArgument, InvalidCall, InvalidDtype, shown
from .layouts import GATED
from .op import REGISTRY, Operator
from .schema import GraphSignature

Shape = tuple[int, ...]

UNKNOWN = -1  # a dimension
UNKNOWN_RANK = (-2,)


class GraphOperator:
    """An operator as graphs know it. Call it with tensors by position or by their graph names, attributes by name."""

    def __init__(self, operator: Operator, signature: GraphSignature):
        self.operator = operator
        self.signature = signature
        # What a node of a traced graph is made of: a tracer sees no more of an operator than that it can be called.
        self._node = operator.name, operator.schema.tensor_names, operator.defaults
        self.__name__ = self.__qualname__ = signature.name
        attributes = ", ".join(f"{name}={value!r}" for name, value in signature.attributes.items())
        line = f"{', '.join(signature.inputs)}{', ' if attributes else ''}{attributes}"
        self.__doc__ = f"{signature.name}({line}) -> {', '.join(signature.outputs)}\n\n{operator.summary}"

    def __repr__(self) -> str:
        return f"<graph operator {self.__doc__.partition(chr(10))[0] if self.__doc__ else self.__name__}>"

    def __call__(self, *tensors: Any, **named: Any) -> Any:
        """The outputs: one, or a tuple of several."""
        inputs, attributes = self._bound(tensors, named)
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(inputs[0], torch.Tensor):
            if f"{__package__}.torch" not in sys.modules:
                importlib.import_module(f"{__package__}.torch")
            name, tensor_names, defaults = self._node
            call = getattr(torch.ops.actgrad, name)
            return call(**dict(zip(tensor_names, inputs, strict=True)), **{**defaults, **attributes})
        return self.operator(*inputs, **attributes)

    def infer_shape(self, *shapes: Any, **named: Any) -> tuple[Shape, ...]:
        """The outputs' shapes, given the inputs' (sequences of sizes; -1 unknown, (-2,) of unknown rank).

        Raises InvalidArgument for shapes that no tensors of this operator have.
        """
        given, attributes = self._bound(shapes, named)
        inputs = [self._shape(name, shape) for name, shape in zip(self.signature.inputs, given, strict=True)]
        if self.operator.layout == GATED:
            return self._gated_shapes(inputs, self._dim(attributes["dim"]))
        if UNKNOWN_RANK in inputs:
            known = [shape for shape in inputs if shape != UNKNOWN_RANK]
            # What must have one shape has that of any; what is broadcast may still gain dimensions.
            return (known[0] if known and not self.operator.broadcasts else UNKNOWN_RANK,)
        return (reduce(self._broadcast if self.operator.broadcasts else self._merged, inputs),)

    def infer_dtype(self, *given: Any, **named: Any) -> tuple[Any, ...]:
        """The outputs' data types, given the inputs': names ("float16", "BF16"), NumPy's or PyTorch's dtypes.

        An output has the inputs' type; what is returned is the object that was given first. Raises InvalidDtype for
        types that differ, or that the operator (on the product, where one was chosen) does not take.
        """
        types, _ = self._bound(given, named)
        names = [self._dtype_name(name, dtype) for name, dtype in zip(self.signature.inputs, types, strict=True)]
        allowed = allowed_dtypes(self.operator, products.chosen())
        for name, dtype in zip(self.signature.inputs, names, strict=True):
            if dtype not in allowed:
                raise InvalidDtype(f"{self.__name__}: {name} is {dtype}; supported: {', '.join(allowed)}")
            if dtype != names[0]:
                first = self.signature.inputs[0]
                raise InvalidDtype(f"{self.__name__}: {name} is {dtype}, but {first} is {names[0]}")
        return (types[0],) * len(self.signature.outputs)

    def _bound(self, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """What belongs to the inputs, in their order, and all attributes of the graph operator."""
        names, name = self.signature.inputs, self.__name__
        if len(given) > len(names):
            raise InvalidCall(f"{name}: takes {len(names)} inputs ({', '.join(names)}), got {len(given)}")
        inputs = dict(zip(names, given, strict=False))
        attributes = dict(self.signature.attributes)
        for key, value in named.items():
            if key in inputs:
                raise InvalidCall(f"{name}: {key} is given twice, by position and by name")
            if key not in names and key not in attributes:
                raise InvalidCall(f"{name}: {key} is unknown; it takes {', '.join([*names, *attributes])}")
            (inputs if key in names else attributes)[key] = value
        missing = [key for key in names if inputs.get(key) is None]
        if missing:
            raise InvalidCall(f"{name}: {missing[0]} is missing; it takes {', '.join(names)}")
        return [inputs[key] for key in names], attributes

    def _dim(self, value: Any) -> int:
        try:
            if isinstance(value, bool):
                raise TypeError("a bool")
            return index(value)
        except Exception as error:  # whatever an object raises that is no integer
            raise InvalidCall(f"{self.__name__}: dim is {shown(value)}; it must be an integer") from error

    def _shape(self, name: str, shape: Any) -> Shape:
        try:
            sizes = tuple(map(index, shape))
        except Exception as error:  # whatever an object raises that is no sequence
            wanted = "it must be a sequence of integers"
            raise InvalidCall(f"{self.__name__}: the shape of {name} is {shown(shape)}; {wanted}") from error
        if sizes != UNKNOWN_RANK and any(size < UNKNOWN for size in sizes):
            raise InvalidArgument(f"{self.__name__}: the shape of {name} is {sizes}; sizes are -1 (unknown) or more")
        return sizes

    def _merged(self, a: Shape, b: Shape) -> Shape:
        """The shape of tensors that must be alike, each knowing some of its sizes."""
        if not _agree(a, b):
            raise InvalidArgument(f"{self.__name__}: the inputs have shapes {a} and {b}; they must be equal")
        return tuple(map(max, a, b))

    def _broadcast(self, a: Shape, b: Shape) -> Shape:
        """The shape that `a` and `b` are broadcast to together."""
        rank = max(len(a), len(b))
        sizes = []
        for m, n in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True):
            if m != n and not {m, n} & {1, UNKNOWN}:
                raise InvalidArgument(f"{self.__name__}: the inputs have shapes {a} and {b}; they cannot be broadcast")
            # One that is unknown beside a size other than 1 can only be that size, or 1.
            sizes.append(UNKNOWN if {m, n} == {1, UNKNOWN} else n if m in (1, UNKNOWN) else m)
        return tuple(sizes)

    def _gated_shapes(self, inputs: list[Shape], dim: int) -> tuple[Shape, ...]:
        """Halves of the packed tensor forward; backward its own shape, where the others are its halves."""
        packed_name = dict(zip(self.operator.schema.tensor_names, self.signature.inputs, strict=True))["self"]
        packed = dict(zip(self.signature.inputs, inputs, strict=True))[packed_name]
        is_forward = self.operator.gradient_of is None
        if packed == UNKNOWN_RANK:
            return (packed,) * len(self.signature.outputs)
        rank = len(packed)
        if not rank or not -rank <= dim < rank:
            must = f"it must lie in [{-rank}, {rank - 1}]" if rank else "there is no dimension to halve"
            raise InvalidArgument(f"{self.__name__}: dim is {shown(dim)}, but {packed_name} has shape {packed}; {must}")
        size = packed[dim]
        if size % 2 and size != UNKNOWN:
            raise InvalidArgument(f"{self.__name__}: {packed_name} has odd size {size} in dimension {dim} ({packed})")
        half = list(packed)
        half[dim] = size if size == UNKNOWN else size // 2
        if is_forward:
            return (tuple(half),) * len(self.signature.outputs)
        for name, shape in zip(self.signature.inputs, inputs, strict=True):
            if name != packed_name and shape != UNKNOWN_RANK and not _agree(shape, tuple(half)):
                wanted = f"half of {packed_name} along {dim} has {tuple(half)}"
                raise InvalidArgument(f"{self.__name__}: {name} has shape {shape}, but {wanted}")
        return (packed,)

    def _dtype_name(self, name: str, dtype: Any) -> str:
        text = dtype if isinstance(dtype, str) else shown(dtype).removeprefix("torch.")
        by_acl_name = {row.acl_name: row.name for row in dtypes.BY_NAME.values()}
        if text in dtypes.BY_NAME or text in by_acl_name:
            return by_acl_name.get(text, text)
        try:
            return np.dtype(dtype).name
        except Exception as error:  # whatever NumPy, or an object that it asks, raises
            raise InvalidDtype(f"{self.__name__}: {name} is {shown(dtype)}, no data type") from error


def _agree(a: Shape, b: Shape) -> bool:
    """Whether two shapes can be the same, as far as they are known."""
    return len(a) == len(b) and all(m == n or UNKNOWN in (m, n) for m, n in zip(a, b, strict=True))


def names() -> list[str]:
    """The graph names of all operators that have one."""
    return [operator.ir.name for operator in REGISTRY.values() if operator.ir is not None]


def __getattr__(name: str) -> GraphOperator:
    for operator in REGISTRY.values():
        if operator.ir is not None and operator.ir.name == name:
            globals()[name] = found = GraphOperator(operator, operator.ir)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; graph operators: {', '.join(names())}")


def __dir__() -> list[str]:
    return sorted([*names(), "GraphOperator", "names"])
