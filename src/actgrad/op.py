"""An operator: its schema, its formula, its limits. Calling it plans and runs it."""

from __future__ import annotations

import inspect
import numbers
import operator as python_operator
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import arrays, backends, checks, layouts, loop, overlap, products, schema
from .arrays import View
from .errors import InvalidArgument, InvalidCall
from .layouts import ELEMENTWISE, GATED
from .loop import Loop, Meta
from .plan import Computation, Kernel, Plan
from .products import Product
from .schema import Argument

#: Every operator by its name, in the order of definition.
REGISTRY: dict[str, Operator] = {}

Formula = Callable[..., Any]
Requirement = Callable[[dict[str, Any], "Product | None"], bool]


class Prepared(NamedTuple):
    """All of a plan that does not depend on where the data lies."""

    computation: Computation
    backend: str
    kernel: Kernel
    results: tuple[Meta, ...]  # of the outputs, those to be allocated included


class Operator:
    """An operator of the registry. Call it with tensors by position and attributes by name.

    Its interface is its schema line; what follows from that (defaults, checks, documentation, other languages'
    signatures) is derived. `formula` is of one element: a function, or a mapping from the values of the attribute
    `switch`. With `gradient_of`, the formula is the derivative of that operator's and kernels apply the chain rule.
    """

    def __init__(
        self,
        text: str,
        *,
        summary: str,
        formula: Formula | Mapping[Any, Formula],
        switch: str | Callable[[dict[str, Any], Product | None], Any] = "",
        gradient_of: Operator | None = None,
        layout: str = ELEMENTWISE,
        broadcasts: bool = False,
        dtypes: str = "float32 float16 bfloat16",
        bfloat16_everywhere: bool = False,
        out_dtype: str = "convertible",
        max_rank: int | None = 8,
        document_rank: tuple[int, int] | None = None,
        document_nonempty: tuple[str, ...] = (),
        requires: Mapping[str, Requirement] | None = None,
        products: str = " ".join(products.BY_NAME),
        aclnn: str | Mapping[str, Mapping[str, Any]] = "",
        ir: str = "",
    ):
        self.schema = schema.parse(text)
        self.name = self.schema.name
        self.summary = summary
        self.formula = formula
        self.switch = switch
        self.gradient_of = gradient_of
        self.layout = layout
        self.broadcasts = broadcasts  # the inputs are promoted and broadcast together, else they must be alike
        self.dtypes = tuple(dtypes.split())  # by the contract; the library's own list is wider, see checks.py
        self.bfloat16_everywhere = bfloat16_everywhere  # also on products that otherwise lack it
        self.out_dtype = out_dtype  # "convertible" from the result's, "equal" to the inputs', or "listed" in `dtypes`
        self.max_rank = max_rank  # where a product judges
        self.document_rank = document_rank  # least and most dimensions by the documents' letter
        self.document_nonempty = document_nonempty  # inputs that may not be empty by the documents' letter
        self.requires = dict(requires or {})  # rule in words -> whether (attributes, product) keep it
        self.products = tuple(products.split())
        #: The C names, each with the attributes that it fixes.
        self.aclnn: Mapping[str, Mapping[str, Any]] = (
            aclnn if isinstance(aclnn, Mapping) else {aclnn: {}} if aclnn else {}
        )
        self.ir = ir
        self.defaults = {a.name: self._default(a) for a in self.schema.attributes}
        self.checks = checks.of(self)
        self.__name__ = self.__qualname__ = self.name
        self.__doc__ = _documentation(self)
        self.__signature__ = _signature(self)
        if self.name in REGISTRY:
            raise ValueError(f"operator {self.name!r} is already registered")
        REGISTRY[self.name] = self

    def __repr__(self) -> str:
        return f"<actgrad operator {self.schema}>"

    @property
    def choices(self) -> tuple[str, ...]:
        """The named values of the switch attribute, in the order of their numbers; empty where they have no names."""
        keys = tuple(self.formula) if isinstance(self.formula, Mapping) and isinstance(self.switch, str) else ()
        return keys if all(isinstance(key, str) for key in keys) else ()

    def formula_for(self, attributes: dict[str, Any], product: Product | None) -> Formula:
        """The formula that a call with these attributes computes."""
        if not isinstance(self.formula, Mapping):
            return self.formula
        switch = self.switch
        return self.formula[switch(attributes, product) if callable(switch) else attributes[switch]]

    def __call__(self, *tensors: Any, out: Any = None, backend: str | None = None, **attributes: Any) -> Any:
        inputs, outputs, values = self._bind(tensors, out, attributes)
        result = self._plan(inputs, outputs, values, backend).run()
        first = next(iter(inputs.values()))
        return result if outputs else arrays.like_input(result, first)

    def plan(self, *tensors: Any, out: Any = None, backend: str | None = None, **attributes: Any) -> Plan:
        """The call, checked and ready to run; nothing is computed yet. Its arguments are those of the operator."""
        return self._plan(*self._bind(tensors, out, attributes), backend)

    def prepare(
        self,
        inputs: dict[str, Meta],
        outputs: dict[str, Meta],
        attributes: dict[str, Any],
        *,
        product: Product | None = None,
        document: bool = False,
        backend: str = "cpu",
        float32_attributes: bool = False,
    ) -> Prepared:
        """Check a call by its metadata and make its kernel; outputs left out are to be allocated."""
        key = (
            self.name, *inputs.items(), *outputs.items(), *map(_identity, attributes.values()),
            product, document, backend, float32_attributes,
        )  # fmt: skip
        prepared = _PREPARED.get(key)
        if prepared is None:
            call = checks.Call(self, {**inputs, **outputs}, attributes, product, document)
            checks.run(call)
            prepared = _prepare(call, backend, float32_attributes)
            with _PREPARING:
                while len(_PREPARED) >= _PREPARED_LIMIT:
                    del _PREPARED[next(iter(_PREPARED))]
                _PREPARED[key] = prepared
        return prepared

    def _default(self, argument: Argument) -> Any:
        """A default comes from the schema, else from the forward operator; flags are off."""
        if argument.default is not None:
            return self._attribute(argument, argument.default)
        if self.gradient_of is not None and argument.name in self.gradient_of.defaults:
            return self.gradient_of.defaults[argument.name]
        return False if argument.type == "bool" else None

    def _attribute(self, argument: Argument, value: Any) -> Any:
        """An attribute's value in the one form that everything behind this point knows."""
        name = argument.name
        if value is None:
            return None
        if argument.name == self.switch and self.choices:
            if isinstance(value, (str, bool, np.bool_)):
                return value
            number = _integer(self, name, value)
            return self.choices[number] if 0 <= number < len(self.choices) else number
        if argument.type == "int":
            return _integer(self, name, value)
        if argument.type == "bool":
            if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
                return bool(value)
            raise InvalidCall(f"{self.name}: {name} is {value!r}; it must be True or False")
        if isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real):
            return complex(value)
        if isinstance(value, (numbers.Real, np.bool_)) or type(value).__name__ == "bfloat16":
            return float(value)
        raise InvalidCall(f"{self.name}: {name} is a {type(value).__name__}; it must be a number")

    def _bind(
        self, tensors: tuple[Any, ...], out: Any, attributes: dict[str, Any]
    ) -> tuple[dict[str, View], dict[str, View], dict[str, Any]]:
        """The call's arguments by name: inputs and given outputs as views, attributes as values."""
        names = [a.name for a in self.schema.tensors]
        if len(tensors) > len(names):
            raise InvalidCall(
                f"{self.name}: takes {len(names)} tensors by position ({', '.join(names)}), got {len(tensors)}; "
                f"attributes go by name: {', '.join(self.defaults) or 'it has none'}"
            )
        given = dict(zip(names, tensors))  # noqa: B905  missing ones are null, which the checks report
        values = {}
        for name in attributes.keys() - self.defaults.keys():
            if name not in names or name in given:
                fault = (
                    "is given twice" if name in given else f"is unknown; it takes {', '.join([*names, *self.defaults])}"
                )
                raise InvalidCall(f"{self.name}: {name} {fault}")
            given[name] = attributes[name]
        for argument in self.schema.attributes:
            value = attributes.get(argument.name, self.defaults[argument.name])
            values[argument.name] = self._attribute(argument, value)
        nothing_missing = all(given.get(a.name) is not None for a in self.schema.tensors if not a.is_optional)
        if not nothing_missing or None in values.values():
            checks.run(checks.Call(self, {n: given.get(n) for n in names}, values, None))
        inputs = {name: arrays.view(given[name], self.name, name) for name in names if given.get(name) is not None}
        return inputs, self._outputs(out), values

    def _outputs(self, out: Any) -> dict[str, View]:
        names = self.schema.outputs
        if out is None:
            return {}
        if len(names) == 1:
            return {names[0]: arrays.view(out, self.name, names[0])}
        if not isinstance(out, (tuple, list)) or len(out) != len(names):
            raise InvalidCall(f"{self.name}: out must be a tuple ({', '.join(names)}), got a {type(out).__name__}")
        pairs = zip(names, out, strict=True)
        return {name: arrays.view(obj, self.name, name) for name, obj in pairs if obj is not None}

    def _plan(
        self, inputs: dict[str, View], outputs: dict[str, View], values: dict[str, Any], backend: str | None
    ) -> Plan:
        first_name, first = next(iter(inputs.items()))
        for name, view in {**inputs, **outputs}.items():
            if view.kind != first.kind:
                kinds = f"{name} is a {type(view.source).__name__}, but {first_name} is a {type(first.source).__name__}"
                raise InvalidCall(f"{self.name}: {kinds}; pass arrays of one library")
            if view.device != first.device:
                places = f"{name} is on {view.device}, but {first_name} is on {first.device}"
                raise InvalidArgument(f"{self.name}: {places}; move them to one device")
        prepared = self.prepare(
            {name: view.meta for name, view in inputs.items()},
            {name: view.meta for name, view in outputs.items()},
            values,
            product=products.chosen(),
            document=products.chosen_rules() == "document",
            backend=backends.choose(backend, first.device, self.name),
        )
        self._may_write(outputs, inputs)
        targets = []
        for name, meta in zip(self.schema.outputs, prepared.results, strict=True):
            target = outputs.get(name)
            targets.append(target or arrays.view(arrays.empty(first, meta), self.name, name))
        views = (*targets, *inputs.values())
        results = tuple(target.source for target in targets)
        return Plan(
            operator=self.name,
            attributes=values,
            computation=prepared.computation,
            backend=prepared.backend,
            kernel=prepared.kernel,
            addresses=tuple(view.address for view in views),
            owners=tuple(view.owner for view in views),
            result=results[0] if len(results) == 1 else results,
        )

    def _may_write(self, outputs: dict[str, View], inputs: dict[str, View]) -> None:
        """Raise where an output is read-only, overlaps itself, or overlaps another tensor without being the same."""
        others = dict(inputs)
        for name, view in outputs.items():
            if not view.writable:
                raise InvalidArgument(f"{self.name}: {name} is read-only; it must be writable")
            if overlap.overlaps_itself(view.meta):
                layout = f"shape {view.meta.shape}, strides {view.meta.strides} bytes"
                raise InvalidArgument(f"{self.name}: {name} overlaps itself ({layout}); pass a copy of it")
            for other_name, other in others.items():
                shared = other_name in outputs and overlap.same_view(view, other)
                if shared or overlap.partly_overlap(view, other):
                    raise InvalidArgument(
                        f"{self.name}: {name} overlaps {other_name}; an output may be exactly an input, else apart"
                    )
            others[name] = view


_PREPARED: dict[Any, Prepared] = {}
_PREPARED_LIMIT = 4096
_PREPARING = threading.Lock()


def _identity(value: Any) -> Any:
    """A key that tells apart what `==` does not (0.0 and -0.0, 1.0 and 1+0j) and joins what it keeps apart (NaN)."""
    if type(value) is float:
        if value != value:
            return "nan"
        return value or str(value)
    return value, type(value)


def _prepare(call: checks.Call, backend: str, float32_attributes: bool) -> Prepared:
    operator = call.operator
    dtype = checks.result_dtype(call)
    results = tuple(
        call.outputs.get(name) or Meta(dtype, shape, _result_strides(call, shape, dtype.itemsize))
        for name, shape in zip(operator.schema.outputs, checks.result_shapes(call), strict=True)
    )
    tensors = (*call.inputs.values(), *results)
    compute = "float64" if any(meta.dtype.compute == "float64" for meta in tensors) else "float32"
    scalars = [call.attributes[a.name] for a in operator.schema.attributes if a.type == "Scalar"]
    if compute == "float32" or float32_attributes:
        with np.errstate(over="ignore"):
            scalars = [float(np.float32(s)) for s in scalars]
    element, formulas, space = _element_and_loop(call, results)
    computation = Computation(element, formulas, tuple(scalars), compute, space)
    return Prepared(computation, backend, backends.load(backend).prepare(computation), results)


def _element_and_loop(call: checks.Call, results: tuple[Meta, ...]) -> tuple[Formula, tuple[Formula, ...], Loop]:
    operator, inputs = call.operator, tuple(call.inputs.values())
    formula = operator.formula_for(call.attributes, call.product)
    forward = operator.gradient_of
    if operator.layout == ELEMENTWISE:
        element = layouts.forward if forward is None else layouts.backward
        return element, (formula,), loop.elementwise(results, inputs)
    assert operator.layout == GATED
    packed = call.inputs["self"]
    dim, upper = call.attributes["dim"] % len(packed.shape), not call.attributes["activate_left"]
    if forward is None:
        return layouts.gated_forward, (formula,), loop.gated_forward(results, packed, dim, upper)
    space = loop.gated_backward(results[0], inputs, dim, upper)
    if "gelu" in call.inputs:
        return layouts.gated_backward_given, (formula,), space
    return layouts.gated_backward, (forward.formula_for(call.attributes, call.product), formula), space


def _result_strides(call: checks.Call, shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Dense strides in the memory order of the first input that a result of `shape` can follow, else row by row."""
    for meta in call.inputs.values():
        if len(meta.shape) == len(shape) and all(s or n == 1 for s, n in zip(meta.strides, meta.shape, strict=True)):
            return arrays.dense_strides(shape, meta.strides, itemsize)
    return arrays.row_major(shape, itemsize)


def _integer(operator: Operator, name: str, value: Any) -> int:
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        hint = f" or one of {', '.join(map(repr, operator.choices))}" if name == operator.switch else ""
        raise InvalidCall(f"{operator.name}: {name} is {value!r}; it must be an integer{hint}")
    return python_operator.index(value)


def _signature(operator: Operator) -> inspect.Signature:
    positional, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    tensors = [
        inspect.Parameter(a.name, positional, default=None if a.is_optional else inspect.Parameter.empty)
        for a in operator.schema.tensors
    ]
    attributes = {**operator.defaults, "out": None, "backend": None}
    return inspect.Signature(
        tensors + [inspect.Parameter(name, by_name, default=value) for name, value in attributes.items()]
    )


def _documentation(operator: Operator) -> str:
    """The docstring: what the operator returns, then what follows from its limits."""
    outputs = ", ".join(operator.schema.outputs)
    tensors = ", ".join(a.name for a in operator.schema.tensors)
    alike = "broadcast and promoted together" if operator.broadcasts else "alike in shape and dtype"
    lines = [
        operator.summary,
        "",
        f"Tensors (by position): {tensors}; NumPy arrays, torch.Tensor or arrays with __dlpack__, of any shape and",
        f"strides; dtypes {', '.join(checks.allowed_dtypes(operator, None))}." + (
            f" They are {alike}." if operator.layout == ELEMENTWISE and len(operator.schema.tensors) > 1 else ""
        ),
        f"Returns {outputs}, of the inputs' kind and dtype; `out` takes the result instead.",
        "`backend` is 'cpu', 'triton' or 'reference'; by default that of the tensors' device.",
    ]  # fmt: skip
    if operator.requires:
        lines.append("Requires: " + "; ".join(operator.requires) + ".")
    lines.append("Errors: NullArgument, InvalidDtype, InvalidArgument, UnsupportedOnProduct; nothing is written then.")
    source = operator.formula
    functions = dict(source) if isinstance(source, Mapping) else {None: source}
    lines += ["", "Formula:"]
    for key, function in functions.items():
        case = "" if key is None else f"{operator.switch if isinstance(operator.switch, str) else 'case'} {key!r}: "
        lines.append(f"    {case}{inspect.getdoc(function) or function.__name__}")
    return "\n".join(lines)
