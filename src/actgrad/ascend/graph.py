"""Graph mode: every operator with its name, inputs and defaults in CANN's graphs (IR).

    ir.GeGluGradV2(dy, x, gelu, dim=-1, approximate=1, activate_left=False)
    ir.GeGluGradV2.infer_shape((4, -1), (4, 64), (4, -1))        ((4, 64),)

A graph operator that is called with arrays computes at once. In a traced PyTorch graph, it is one node. `infer_shape`
returns the shapes of the outputs. A size of -1 is unknown, and a shape of (-2,) has unknown rank. `infer_dtype` returns
the data types. The names come from the field `ir=` of an operator. This package does not build graphs for CANN's graph
engine (C++).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import checks
from ..arrays import interception
from ..base import dtypes
from ..base.access.unknown_sizes import completed_shapes
from ..base.definition import Definition
from ..base.dtypes import Dtype
from ..base.errors import (
    ActgradError,
    InvalidArgument,
    InvalidCall,
    InvalidDtype,
    KernelMissing,
    NullArgument,
    did_you_mean,
    either,
    quantity,
    quote,
)
from ..base.lazy_docstring import LazyDocstring
from ..base.loop import UNKNOWN, UNKNOWN_RANK, Shape, TensorMeta, row_major
from ..calls import arguments
from ..calls.operator import REGISTRY, Operator
from ..calls.plan import Plan
from ..checks.docstrings import Docstring, ExampleCall, renamed
from ..checks.documentation import wrapped
from .law import law_of
from .rules.graph_lines import GraphSignature

BY_ACL_NAME = {row.acl_name: row for row in dtypes.BY_NAME.values()}
DTYPES = BY_ACL_NAME | dtypes.BY_NAME


class GraphOperator:
    """An operator of CANN's graphs. Call it with tensors by position or by their graph names, attributes by name."""

    def __init__(self, operator: Operator, signature: GraphSignature):
        self.operator = operator
        self.signature = signature
        # A call in a traced graph needs these values. A tracer cannot read attributes of the operator.
        self._node = operator.name, operator.schema.tensor_names, operator.defaults
        self.__name__ = self.__qualname__ = signature.name
        attributes = [f"{name}={value!r}" for name, value in signature.attributes.items()]
        self._graph_names = {tensor: name for name, tensor in signature.tensors.items() if tensor}
        renamed = {name: graph_name for graph_name, name in signature.renamed.items() if name}
        results = dict(zip(operator.schema.outputs, signature.outputs, strict=True))
        self._words = {**results, **renamed, **self._graph_names}  # name in the schema -> name in the graph
        line = f"{', '.join([*signature.inputs, *attributes])}) -> {', '.join(signature.outputs)}"
        self.line = f"{signature.name}({line}"

    def __repr__(self) -> str:
        return f"<graph operator {self.line}>"

    def __call__(self, *tensors: Any, **keywords: Any) -> Any:
        """The output, or a tuple of several outputs."""
        inputs, attributes = self._bind(tensors, keywords)
        name, tensor_names, defaults = self._node
        arrays = self._arrays(inputs)
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(arrays[0], torch.Tensor):
            if interception.handler is None:
                interception.load_handler()
            call = getattr(torch.ops.actgrad, name)
            switch, choices = self.operator.switch, self.operator.choices
            if attributes.get(switch) in choices:  # PyTorch's schema has the number of a choice
                attributes[switch] = choices.index(attributes[switch])
            return call(**dict(zip(tensor_names, arrays, strict=True)), **{**defaults, **attributes})
        return self.operator(*arrays, **attributes)

    def plan(self, *tensors: Any, out: Any = None, **keywords: Any) -> Plan:
        """A plan: the call on arrays, checked and ready to run."""
        inputs, attributes = self._bind(tensors, keywords)
        return self.operator.plan(*self._arrays(inputs), out=out, **attributes)

    def _arrays(self, inputs: dict[str, Any]) -> list[Any]:
        """The tensors in the order of the operator. They are broadcast together if the graph operator does so."""
        arrays = [inputs.get(tensor) for tensor in self.operator.schema.tensor_names]
        return _broadcast_arrays(arrays) if self.signature.broadcasts else arrays

    def infer_shape(self, *shapes: Any, **keywords: Any) -> tuple[Shape, ...]:
        """The shapes of the outputs, from the shapes of the inputs.

        A shape is a sequence of sizes. A size of -1 is unknown, and the shape (-2,) has unknown rank. Raises
        InvalidArgument for shapes that a call of this operator refuses.
        """
        inputs, attributes = self._bind(shapes, keywords)
        about = {tensor: f"{self.__name__}: the shape of {self._graph_names[tensor]}" for tensor in inputs}
        sizes = {tensor: _sizes(about[tensor], shape) for tensor, shape in inputs.items()}
        access, outputs = self.operator.access, self.operator.schema.outputs
        with self._graph_words():
            values = self._values(inputs, attributes)
            elements = self._elements(sizes, values)
        results = [access.result_shape(name, elements, values, sizes) for name in outputs]
        return tuple([tuple(map(int, result)) for result in results])

    def infer_dtype(self, *types: Any, **keywords: Any) -> tuple[Any, ...]:
        """The outputs' data types, from the inputs' data types: names ("BF16"), or dtypes of NumPy or PyTorch.

        A result is the object that the caller passed for this data type, or an object of the same kind as the first
        input. Raises InvalidDtype if the chosen product does not have these dtypes.
        """
        inputs, attributes = self._bind(types, keywords)
        definition, about = self.operator.definition, {n: f"{self.__name__}: {self._graph_names[n]}" for n in inputs}
        metas = {n: _meta((1,), _dtype(about[n], dtype, definition)) for n, dtype in inputs.items()}
        with self._graph_words():
            call = self._judge(metas, self._values(inputs, attributes), of_dtypes=True)
        results = [checks.output_dtype(call, name) for name in self.operator.schema.outputs]
        return tuple([_as_spelled(result, inputs, metas) for result in results])

    def _elements(self, sizes: dict[str, Shape], values: dict[str, Any]) -> Shape:
        """The shape of the elements that a call computes, or UNKNOWN_RANK. Raises for shapes that a call refuses."""
        access, broadcasts = self.operator.access, self.signature.broadcasts
        may_differ = broadcasts or self.operator.broadcasts or access.broadcasts
        visible = {tensor: shape for tensor, shape in sizes.items() if tensor in self.operator.element_tensors}
        shapes = completed_shapes(access, visible, values, may_differ)
        if not shapes:
            return UNKNOWN_RANK
        if broadcasts:
            shapes = dict.fromkeys(shapes, access.elements_shape(shapes, values))
        self._judge({n: _meta(s) for n, s in {**sizes, **shapes}.items() if s is not UNKNOWN_RANK}, values)
        return access.elements_shape({n: s for n, s in shapes.items() if access.brings_elements(n)}, values)

    def _values(self, inputs: dict[str, Any], attributes: dict[str, Any]) -> dict[str, Any]:
        tensors = tuple(map(inputs.get, self.operator.schema.tensor_names))
        return arguments.arrange(self.operator.definition, tensors, attributes)[1]

    def _judge(self, metas: dict[str, TensorMeta], values: dict[str, Any], of_dtypes: bool = False) -> checks.Call:
        """A call on such tensors. With `of_dtypes`, run only the checks on dtypes, otherwise only the other checks.

        The checks on the number of a dtype count as checks on dtypes.
        """
        judge, number = checks.law.current(), self.operator.definition.dtypes.attribute
        call = checks.Call(self.operator.definition, {**metas}, values, judge)
        for check in checks.checks_under(call.definition, judge):
            is_of_dtypes = check.error is InvalidDtype or (number != "" and number in check.about)
            is_judged = is_of_dtypes is of_dtypes and check.error is not NullArgument
            fault = check.test(call) if is_judged else None
            if fault is not None:
                raise check.error(fault)
        return call

    @contextmanager
    def _graph_words(self) -> Iterator[None]:
        """A context that replaces names of the schema in error messages by names of the graph."""
        try:
            yield
        except ActgradError as error:
            fault = str(error).removeprefix(f"{self.operator.name}: ")
            raise type(error)(f"{self.__name__}: {self.translated(fault)}") from error.__cause__

    def translated(self, text: str) -> str:
        """A text about the operator, with the graph's names for tensors, attributes and results."""
        return renamed(text, self._words)

    def _bind(self, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The inputs and all attributes of a call. The keys are names of the schema."""
        names, name, signature = self.signature.inputs, self.__name__, self.signature
        if len(inputs) > len(names):
            expected = f"it takes {quantity(len(names), 'input')}: {', '.join(names)}"
            raise InvalidCall(f"{name}: got {quantity(len(inputs), 'input')}; {expected}; pass attributes by name")
        by_name, attributes = dict(zip(names, inputs, strict=False)), dict(signature.attributes)
        for key, value in keywords.items():
            if key in by_name:
                raise InvalidCall(
                    f"{name}: {key} is given twice, by position and by name; it must be given once; leave one out"
                )
            if key not in names and key not in attributes:
                parameters = [*names, *attributes]
                cure = did_you_mean(key, parameters, f"leave {key} out")
                raise InvalidCall(f"{name}: {key} is unknown; the arguments are {', '.join(parameters)}; {cure}")
            (by_name if key in names else attributes)[key] = value
        missing = [key for key in names if by_name.get(key) is None and key not in signature.optional]
        if missing:
            raise InvalidCall(f"{name}: {missing[0]} is missing; the inputs are {', '.join(names)}; pass {missing[0]}")
        tensors, renamed = signature.tensors, signature.renamed
        for key, value in attributes.items():
            only = signature.attributes[key]
            is_alike = isinstance(value, (bool, np.bool_)) is isinstance(only, bool)
            if not renamed[key] and not (is_alike and value == only):
                raise (KernelMissing if is_alike else InvalidArgument)(
                    f"{name}: {key} is {quote(value)}; actgrad computes only {key}={only}; pass {only}"
                )
            if isinstance(value, (list, tuple)) and self.operator.access.dimension_attribute == renamed[key]:
                if len(value) != 1:
                    raise InvalidArgument(f"{name}: {key} is {quote(value)}; it must be one dimension; pass -1 or [-1]")
                attributes[key] = value[0]  # CANN's graphs have a list with one dimension
        read = {tensors[key]: by_name[key] for key in names if tensors[key] and by_name.get(key) is not None}
        return read, signature.fixed | {renamed[key]: value for key, value in attributes.items() if renamed[key]}


def _documentation(graph: GraphOperator) -> str:
    """The docstring of a graph operator."""
    signature, definition = graph.signature, graph.operator.definition
    writer, sample = Docstring(definition, graph.translated), ExampleCall(definition)
    arguments = []
    needed = {a.name for a in definition.schema.tensors if not a.is_optional}
    names = [n for n in signature.inputs if n not in signature.optional or signature.tensors[n] in needed]
    for name, tensor in signature.tensors.items():
        optional = "" if name in names else " It may be left out."
        arguments.append(f"{name} {writer.argument(tensor) if tensor else '(array): Not read.' + optional}")
    for name, default in signature.attributes.items():
        attribute = signature.renamed[name]
        words = writer.argument(attribute, default) if attribute else f"(bool): Required: {default}."
        arguments.append(f"{name} {words}")
    arguments += [f"Fixed: {name}={value!r}." for name, value in signature.fixed.items()]
    outputs = ", ".join(signature.outputs)
    codes = {name: sample.tensor(signature.tensors[name] or definition.main) for name in names}
    example = [">>> import numpy as np", ">>> import actgrad.ir", *(f">>> {n} = {codes[n]}" for n in names)]
    example.append(f">>> {outputs} = actgrad.ir.{signature.name}({', '.join(names)})")
    for name, shape in zip(signature.outputs, sample.result_shapes.values(), strict=True):
        example += [f">>> {name}.shape", str(shape)]
    returns = [f"{outputs} ({'array' if len(signature.outputs) == 1 else 'arrays'}): Of the inputs' data type."]
    text = writer.write(
        ("Args", arguments),
        ("Shape", writer.shapes()),
        ("Returns", returns),
        ("Raises", writer.errors("InvalidCall: an argument is missing or unknown.", outputs=False)),
        example=example,
    )
    return f"{wrapped(graph.line)}\n\n{text}"


GraphOperator.__doc__ = LazyDocstring(GraphOperator.__doc__, _documentation)  # type: ignore[assignment]


def _sizes(name: str, shape: Any) -> Shape:
    """A shape with UNKNOWN for -1, or UNKNOWN_RANK. `name` is the beginning of error messages."""
    try:
        is_sequence = isinstance(shape, (Sequence, np.ndarray)) and not isinstance(shape, (str, bytes))
        if not is_sequence or any(isinstance(size, (bool, np.bool_)) for size in shape):
            raise TypeError("not a sequence of integers")
        sizes = tuple(map(index, shape))
    except Exception as error:  # a caller may pass an object of any type
        raise InvalidCall(f"{name} is {quote(shape)}; it must be a sequence of integers; pass a tuple") from error
    if sizes == UNKNOWN_RANK:
        return UNKNOWN_RANK
    if any(not -1 <= size < 1 << 63 for size in sizes):
        raise InvalidArgument(f"{name} is {sizes}; sizes must be -1 to 2**63 - 1; pass -1 for an unknown size")
    return tuple([UNKNOWN if size == -1 else size for size in sizes])


def _dtype(name: str, dtype: Any, definition: Definition) -> Dtype:
    """The data type of a name or of an object of NumPy or PyTorch. `name` is the beginning of error messages."""
    text = dtype if isinstance(dtype, str) else quote(dtype).removeprefix("torch.")
    if text in DTYPES:
        return DTYPES[text]
    try:
        text = np.dtype(dtype).name
    except Exception as error:  # NumPy calls code of the object, which may raise any exception
        raise _no_dtype(f"{name} is {quote(dtype)}", definition) from error
    if text not in DTYPES:
        raise _no_dtype(f"{name} is {text}", definition)
    return DTYPES[text]


def _no_dtype(fault: str, definition: Definition) -> InvalidDtype:
    judge = checks.law.current()
    allowed = definition.input_dtypes if judge is None else judge.dtypes(definition)
    return InvalidDtype(f"{fault}; it must be {either(allowed)}; pass one of these")


def _meta(shape: Shape, dtype: Dtype = dtypes.BY_NAME["float32"]) -> TensorMeta:
    """The metadata of a contiguous tensor."""
    return TensorMeta(dtype, shape, row_major(shape, dtype.itemsize))


def _like(example: Any, dtype: Dtype) -> Any:
    """A dtype as an object of the same kind as `example`: a name, or a dtype of PyTorch or NumPy."""
    if isinstance(example, str):
        return dtype.acl_name if example in BY_ACL_NAME else dtype.name
    torch = sys.modules.get("torch")
    return getattr(torch, dtype.name) if torch is not None and isinstance(example, torch.dtype) else dtype.numpy


def _as_spelled(dtype: Dtype, inputs: dict[str, Any], metas: dict[str, TensorMeta]) -> Any:
    """The object that the caller passed for this dtype, or an object of the same kind as the first input."""
    alike = [inputs[tensor] for tensor, meta in metas.items() if meta.dtype == dtype]
    return alike[0] if alike else _like(next(iter(inputs.values())), dtype)


def _broadcast_arrays(arrays: list[Any]) -> list[Any]:
    """The arrays, broadcast to one shape. Without a common shape, the same arrays, for which the operator raises."""
    torch = sys.modules.get("torch")
    try:
        if len({tuple(array.shape) for array in arrays}) == 1:
            return arrays
        if torch is not None and isinstance(arrays[0], torch.Tensor):
            return list(torch.broadcast_tensors(*arrays))
        return list(getattr(arrays[0], "__array_namespace__", lambda: np)().broadcast_arrays(*arrays))
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return arrays


def names() -> list[str]:
    """The names of all graph operators."""
    return [graph.name for operator in REGISTRY.values() for graph in law_of(operator.definition).graphs]


if TYPE_CHECKING:
    from .graph_operators import *  # noqa: F403  every graph operator
else:

    def __getattr__(name: str) -> GraphOperator:
        for operator in REGISTRY.values():
            for graph in law_of(operator.definition).graphs:
                if graph.name == name:
                    globals()[name] = graph_operator = GraphOperator(operator, graph)
                    return graph_operator
        cure = did_you_mean(name, names(), "use one of actgrad.ir.names()")
        raise AttributeError(f"actgrad.ir has no attribute {name!r}; it must be a graph operator; {cure}")


def __dir__() -> list[str]:
    return sorted([*names(), "GraphOperator", "names"])
