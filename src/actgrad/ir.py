"""Graph mode: every operator under its name in CANN's graphs (IR), with the inputs and defaults that it has there.

    ir.GeGluGradV2(dy, x, gelu, dim=-1, approximate=1, activate_left=False)
    ir.GeGluGradV2.infer_shape((4, -1), (4, 64), (4, -1))        ((4, 64),)

Called with arrays, a graph operator computes at once; in a traced PyTorch graph it is one node. It infers shapes from
shapes and data types from data types: a dimension of -1 is unknown, a shape of (-2,) has unknown rank. The line `ir=`
of an operator gives the names. Building graphs for CANN's own graph engine (C++) is not part of this package.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import reduce
from operator import index
from typing import Any

import numpy as np

from . import contract
from .arrays import interception
from .base import dtypes, products
from .base.dtypes import Dtype
from .base.errors import InvalidArgument, InvalidCall, InvalidDtype, did_you_mean, either, quantity, shown
from .base.loop import Meta, row_major
from .base.schema import GraphSignature
from .calls import arguments
from .calls.operator import REGISTRY, Operator
from .calls.plan import Plan
from .contract.documentation import wrapped

Shape = tuple[int, ...]

UNKNOWN = -1  # a dimension
UNKNOWN_RANK = (-2,)
BY_ACL_NAME = {row.acl_name: row for row in dtypes.BY_NAME.values()}


class GraphOperator:
    """An operator as graphs know it. Call it with tensors by position or by their graph names, attributes by name."""

    def __init__(self, operator: Operator, signature: GraphSignature):
        self.operator = operator
        self.signature = signature
        # A node of a traced graph needs these three; a tracer sees only that an operator can be called.
        self._node = operator.name, operator.schema.tensor_names, operator.defaults
        self.__name__ = self.__qualname__ = signature.name
        attributes = [f"{name}={value!r}" for name, value in signature.attributes.items()]
        self._graph_names = {tensor: name for name, tensor in signature.tensors.items() if tensor}
        renamed = {name: graph_name for graph_name, name in signature.renamed.items() if name}
        results = dict(zip(operator.schema.outputs, signature.outputs, strict=True))
        self._words = {**results, **renamed, **self._graph_names}  # of the schema, and the graph's
        line = f"{', '.join([*signature.inputs, *attributes])}) -> {', '.join(signature.outputs)}"
        self.__doc__ = f"{signature.name}({line}\n\n{wrapped(self._translated(operator.summary))}"

    def __repr__(self) -> str:
        return f"<graph operator {self.__doc__.partition(chr(10))[0] if self.__doc__ else self.__name__}>"

    def __call__(self, *tensors: Any, **named: Any) -> Any:
        """The outputs: one, or a tuple of several."""
        given, attributes = self._bound(tensors, named)
        name, tensor_names, defaults = self._node
        inputs = self._inputs(given)
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(inputs[0], torch.Tensor):
            if interception.handler is None:
                interception.load_handler()
            call = getattr(torch.ops.actgrad, name)
            switch, choices = self.operator.switch, self.operator.choices
            if attributes.get(switch) in choices:  # PyTorch's schema has its number
                attributes[switch] = choices.index(attributes[switch])
            return call(**dict(zip(tensor_names, inputs, strict=True)), **{**defaults, **attributes})
        return self.operator(*inputs, **attributes)

    def plan(self, *tensors: Any, out: Any = None, **named: Any) -> Plan:
        """The call on arrays, checked and ready to run; nothing is computed yet."""
        given, attributes = self._bound(tensors, named)
        return self.operator.plan(*self._inputs(given), out=out, **attributes)

    def _inputs(self, given: dict[str, Any]) -> list[Any]:
        """The operator's tensors in its order; broadcast together where the graph does so and the operator may not."""
        inputs = [given.get(tensor) for tensor in self.operator.schema.tensor_names]
        return _broadcast_arrays(inputs) if self.signature.broadcasts else inputs

    def infer_shape(self, *shapes: Any, **named: Any) -> tuple[Shape, ...]:
        """The outputs' shapes, given the inputs' (sequences of sizes; -1 unknown, (-2,) of unknown rank).

        Raises InvalidArgument for shapes that no tensors of this operator have. Known shapes are judged as in a call.
        """
        given, attributes = self._bound(shapes, named)
        access, outputs = self.operator.access, self.operator.schema.outputs
        inputs = {tensor: self._shape(self._graph_names[tensor], shape) for tensor, shape in given.items()}
        if access.dim:
            attributes[access.dim] = self._dim(attributes[access.dim])
        elements = self._elements(inputs, attributes)
        if all(min(shape, default=0) >= 0 for shape in inputs.values()):
            together = dict.fromkeys(inputs, elements) if self.signature.broadcasts else inputs
            return self._result_shapes(together, attributes)
        whole = next((shape for tensor, shape in inputs.items() if tensor in access.packed), UNKNOWN_RANK)
        results = {name: whole if name in access.packed else elements for name in outputs}
        for name in {*access.held} & {*outputs}:
            if access.tensor or elements != UNKNOWN_RANK:
                results[name] = access.held_shape(name, elements, attributes, inputs)
        return tuple(results.values())

    def infer_dtype(self, *given: Any, **named: Any) -> tuple[Any, ...]:
        """The outputs' data types, given the inputs': names ("float16", "BF16"), NumPy's or PyTorch's dtypes.

        The result is the first given object of its type, else one of the same kind. Raises InvalidDtype for types that
        the operator does not take together (on the product, where one was chosen).
        """
        types, attributes = self._bound(given, named)
        found = {tensor: self._dtype(self._graph_names[tensor], dtype) for tensor, dtype in types.items()}
        call = self._call({tensor: meta_of(dtype, (1,)) for tensor, dtype in found.items()}, attributes)
        self._judge(call, of_dtypes=True)
        result = contract.result_dtype(call)
        alike = [types[tensor] for tensor, dtype in found.items() if dtype == result]
        return (alike[0] if alike else _like(next(iter(types.values())), result),) * len(self.signature.outputs)

    def _elements(self, inputs: dict[str, Shape], attributes: dict[str, Any]) -> Shape:
        """The shape of the elements that are computed, as far as the inputs' shapes tell it."""
        access = self.operator.access
        parts = {
            tensor: self._part(self._graph_names[tensor], tensor, shape, attributes)
            for tensor, shape in inputs.items()
            if tensor != access.tensor and tensor in self.operator.seen  # its size says nothing of the elements' rank
        }
        for tensor in access.packed:
            self._check_parts(parts, tensor, attributes)
        known = [part for part in parts.values() if part != UNKNOWN_RANK]
        broadcasts = self.signature.broadcasts or self.operator.broadcasts
        broadcasts |= any(access.flattens(name) for name in access.held)  # PReLU's gradient
        if not known or (broadcasts and len(known) < len(parts)):  # broadcasting may add dimensions
            return UNKNOWN_RANK
        return reduce(self._broadcast if broadcasts else self._merged, known)

    def _result_shapes(self, inputs: dict[str, Shape], attributes: dict[str, Any]) -> tuple[Shape, ...]:
        """The outputs' shapes of a call on tensors of these shapes, which must pass the call's checks."""
        float32 = dtypes.BY_NAME["float32"]
        call = self._call({tensor: meta_of(float32, shape) for tensor, shape in inputs.items()}, attributes)
        self._judge(call, of_dtypes=False)
        return contract.result_shapes(call)

    def _call(self, tensors: Mapping[str, Meta | None], attributes: dict[str, Any]) -> contract.Call:
        """The metadata of a call on such tensors."""
        definition, terms = self.operator.definition, contract.Terms.chosen()
        given = tuple(tensors.get(name) for name in definition.schema.tensor_names)
        values = arguments.arrange(definition, given, attributes)[1]
        return contract.Call(definition, dict(tensors), values, terms)

    def _judge(self, call: contract.Call, of_dtypes: bool) -> None:
        """Raise the error of the first check on dtypes, or of the first other one, that a call breaks."""
        for check in contract.checks_of(call.definition):
            if (check.error is InvalidDtype) is of_dtypes and check.when.applies(call.terms):
                fault = check.test(call)
                if fault is not None:
                    raise check.error(f"{self.__name__}: {self._translated(fault)}")

    def _translated(self, text: str) -> str:
        """A text about the operator, with the names that tensors, attributes and results have in the graph."""
        pattern = rf"\b({'|'.join(map(re.escape, self._words))})\b"
        return re.sub(pattern, lambda match: self._words[match[0]], text)

    def _bound(self, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The inputs, in the graph's order, and all attributes of the graph operator, by the schema's names."""
        names, name = self.signature.inputs, self.__name__
        if len(given) > len(names):
            expected = f"it takes {quantity(len(names), 'input')}: {', '.join(names)}"
            raise InvalidCall(f"{name}: got {quantity(len(given), 'input')}; {expected}; pass attributes by name")
        inputs = dict(zip(names, given, strict=False))
        attributes = dict(self.signature.attributes)
        for key, value in named.items():
            if key in inputs:
                raise InvalidCall(
                    f"{name}: {key} is given twice, by position and by name; it must be given once; leave one out"
                )
            if key not in names and key not in attributes:
                known = [*names, *attributes]
                cure = did_you_mean(key, known, f"leave {key} out")
                raise InvalidCall(f"{name}: {key} is unknown; the arguments are {', '.join(known)}; {cure}")
            (inputs if key in names else attributes)[key] = value
        missing = [key for key in names if inputs.get(key) is None and key not in self.signature.optional]
        if missing:
            raise InvalidCall(f"{name}: {missing[0]} is missing; it must have {', '.join(names)}; pass {missing[0]}")
        tensors, renamed = self.signature.tensors, self.signature.renamed
        for key, value in attributes.items():
            only = self.signature.attributes[key]
            if not renamed[key] and not (isinstance(value, (bool, np.bool_)) and value == only):
                raise InvalidArgument(
                    f"{name}: {key} is {shown(value)}; actgrad computes only {key}={only}; pass {only}"
                )
            if isinstance(value, (list, tuple)) and renamed[key] == self.operator.access.dim:
                if len(value) != 1:
                    raise InvalidArgument(f"{name}: {key} is {shown(value)}; it must be one dimension; pass -1 or [-1]")
                attributes[key] = value[0]  # CANN writes the dimension of rows as a list of one
        read = {tensors[key]: inputs[key] for key in names if tensors[key] and inputs.get(key) is not None}
        return read, self.signature.fixed | {renamed[k]: value for k, value in attributes.items() if renamed[k]}

    def _dim(self, value: Any) -> int:
        try:
            if isinstance(value, bool):
                raise TypeError("a bool")
            return index(value)
        except Exception as error:  # an object of any type may be given
            raise InvalidCall(f"{self.__name__}: dim is {shown(value)}; it must be an integer; pass one") from error

    def _shape(self, name: str, shape: Any) -> Shape:
        try:
            sizes = tuple(map(index, shape))
        except Exception as error:  # an object of any type may be given
            expected = "it must be a sequence of integers; pass a tuple"
            raise InvalidCall(f"{self.__name__}: the shape of {name} is {shown(shape)}; {expected}") from error
        if sizes != UNKNOWN_RANK and any(size < UNKNOWN for size in sizes):
            raise InvalidArgument(
                f"{self.__name__}: the shape of {name} is {sizes}; sizes must be -1 or more; pass -1 for an unknown "
                "size"
            )
        return sizes

    def _merged(self, a: Shape, b: Shape) -> Shape:
        """The shape of tensors that must be alike, each knowing some of its sizes."""
        if not _agree(a, b):
            raise InvalidArgument(
                f"{self.__name__}: the inputs have shapes {a} and {b}; the shapes must be equal; reshape one of them"
            )
        return tuple(map(max, a, b))

    def _broadcast(self, a: Shape, b: Shape) -> Shape:
        """The shape that `a` and `b` are broadcast to together."""
        rank = max(len(a), len(b))
        sizes = []
        for m, n in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True):
            if m != n and not {m, n} & {1, UNKNOWN}:
                raise InvalidArgument(
                    f"{self.__name__}: the inputs have shapes {a} and {b}; they must broadcast; reshape one of them"
                )
            # One that is unknown beside a size other than 1 can only be that size, or 1.
            sizes.append(UNKNOWN if {m, n} == {1, UNKNOWN} else n if m in (1, UNKNOWN) else m)
        return tuple(sizes)

    def _part(self, name: str, tensor: str, shape: Shape, attributes: dict[str, Any]) -> Shape:
        """The shape of the elements that a tensor brings, as its access says; checks that it can be packed."""
        access = self.operator.access
        if shape == UNKNOWN_RANK or tensor not in access.packed:
            return shape
        rank, dim = len(shape), attributes[access.dim]
        if not rank or not -rank <= dim < rank:
            must = f"dim must lie in [{-rank}, {rank - 1}]; change dim"
            must = must if rank else f"it must have a dimension to halve; reshape {name}"
            raise InvalidArgument(f"{self.__name__}: dim is {shown(dim)}, but {name} has shape {shape}; {must}")
        if shape[dim] % 2 and shape[dim] != UNKNOWN:
            fault = f"{self.__name__}: {name} has odd size {shape[dim]} in dimension {dim} (shape {shape})"
            raise InvalidArgument(f"{fault}; it must be even, because the operator halves it; change dim or pad {name}")
        return access.part_shape(tensor, shape, attributes)

    def _check_parts(self, parts: dict[str, Shape], packed: str, attributes: dict[str, Any]) -> None:
        """Raise where another tensor cannot have the shape of the packed tensor's parts."""
        half, names = parts.get(packed, UNKNOWN_RANK), self._graph_names
        for tensor, part in parts.items():
            if UNKNOWN_RANK not in (half, part) and not _agree(part, half):
                dim = attributes[self.operator.access.dim]
                expected = f"it must be {half}, which is {names[packed]} halved along dimension {dim}"
                name = names[tensor]
                raise InvalidArgument(f"{self.__name__}: {name} has shape {part}; {expected}; reshape {name}")

    def _dtype(self, name: str, dtype: Any) -> Dtype:
        text = dtype if isinstance(dtype, str) else shown(dtype).removeprefix("torch.")
        if text in dtypes.BY_NAME or text in BY_ACL_NAME:
            return dtypes.BY_NAME.get(text) or BY_ACL_NAME[text]
        try:
            text = np.dtype(dtype).name
        except Exception as error:  # NumPy asks the object, which may raise anything
            raise self._no_dtype(name, shown(dtype)) from error
        if text not in dtypes.BY_NAME:
            raise self._no_dtype(name, text)
        return dtypes.BY_NAME[text]

    def _no_dtype(self, name: str, text: str) -> InvalidDtype:
        allowed = contract.allowed_dtypes(self.operator.definition, products.chosen())
        return InvalidDtype(f"{self.__name__}: {name} is {text}; it must be {either(allowed)}; pass one of these")


def meta_of(dtype: Dtype, shape: Shape) -> Meta:
    """A contiguous tensor, without its data."""
    return Meta(dtype, shape, row_major(shape, dtype.itemsize))


def _like(given: Any, dtype: Dtype) -> Any:
    """A dtype as an object of the kind that was given: a name, PyTorch's or NumPy's."""
    if isinstance(given, str):
        return dtype.acl_name if given in BY_ACL_NAME else dtype.name
    torch = sys.modules.get("torch")
    return getattr(torch, dtype.name) if torch is not None and isinstance(given, torch.dtype) else dtype.numpy


def _broadcast_arrays(arrays: list[Any]) -> list[Any]:
    """Arrays of one library as views of one shape; the operator refuses those that have none together."""
    torch = sys.modules.get("torch")
    try:
        if len({tuple(array.shape) for array in arrays}) == 1:
            return arrays
        if torch is not None and isinstance(arrays[0], torch.Tensor):
            return list(torch.broadcast_tensors(*arrays))
        return list(getattr(arrays[0], "__array_namespace__", lambda: np)().broadcast_arrays(*arrays))
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return arrays


def _agree(a: Shape, b: Shape) -> bool:
    """Whether the known sizes of two shapes agree."""
    return len(a) == len(b) and all(m == n or UNKNOWN in (m, n) for m, n in zip(a, b, strict=True))


def names() -> list[str]:
    """The graph names of all operators that have one."""
    return [graph.name for operator in REGISTRY.values() for graph in operator.graphs]


def __getattr__(name: str) -> GraphOperator:
    for operator in REGISTRY.values():
        for graph in operator.graphs:
            if graph.name == name:
                globals()[name] = found = GraphOperator(operator, graph)
                return found
    cure = did_you_mean(name, names(), "use one of actgrad.ir.names()")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it must be a graph operator; {cure}")


def __dir__() -> list[str]:
    return sorted([*names(), "GraphOperator", "names"])
