"""An operator: its schema, its formula, its limits. Calling it plans and runs it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import arguments, arrays, backends, first_use, frames, interception, overlap, preparation, products, schema
from .arguments import Inputs, Outputs
from .arrays import View
from .checks import Check, Terms, allowed_dtypes
from .checks import of as all_checks
from .dtypes import Dtype
from .errors import ActgradError, InvalidOperator, OutOfMemory, shown
from .layouts import ELEMENTWISE, GATED
from .loop import Meta
from .plan import Plan, Prepared
from .products import Product
from .schema import Argument
from .shortcuts import Shortcuts

if TYPE_CHECKING:
    import inspect

#: Every operator by its name, in the order of definition.
REGISTRY: dict[str, Operator] = {}

Formula = Callable[..., Any]
Requirement = Callable[[dict[str, Any], "Product | None"], bool]


class Operator(functools.partial[Any]):
    """An operator of the registry. Call it with tensors by position and attributes by name.

    Its interface is its schema line; what follows from that (defaults, checks, documentation, other languages'
    signatures) is derived. `formula` is of one element: a function, or a mapping from the values of the attribute
    `switch`. With `gradient_of`, the formula is the derivative of that operator's and kernels apply the chain rule.
    With `part_of`, it returns that operator's first result alone, and has the same gradients.
    `checks` are the rules on dtypes and shapes in their order, of checks/; the usual ones where none are stated.

    It is a `partial` with nothing bound, because Python calls that faster than an object with a method `__call__`, and
    because what it calls can be replaced: `_long_way` at first, and then a door that knows short ways.
    """

    def __new__(cls, *_: Any, **__: Any) -> Operator:
        return super().__new__(cls, _unfinished)

    def __init__(
        self,
        text: str,
        *,
        summary: str,
        formula: Formula | Mapping[Any, Formula],
        switch: str | Callable[[dict[str, Any], Product | None], Any] = "",
        gradient_of: Operator | None = None,
        part_of: Operator | None = None,
        layout: str = ELEMENTWISE,
        broadcasts: bool = False,
        dtypes: str = "float32 float16 bfloat16",
        bfloat16_everywhere: bool = False,
        checks: tuple[tuple[Check, ...], ...] = (),
        requires: Mapping[str, Requirement] | None = None,
        result_suffices: Mapping[str, Requirement] | None = None,
        products: str = " ".join(products.BY_NAME),
        differences: tuple[str, ...] = (),
        aclnn: str | Mapping[str, Mapping[str, Any]] = "",
        ir: str = "",
    ):
        self.schema = schema.parse(text)
        given = tuple(formula.values()) if isinstance(formula, Mapping) else (formula,)
        if not given or not all(map(callable, given)):
            raise InvalidOperator(f"operator {self.schema.name}: formula is {shown(formula)}; it must be a function")
        self.name = self.schema.name
        self.summary = summary
        self.formula = formula
        self.switch = switch
        self.gradient_of = gradient_of
        self.part_of = part_of
        self.layout = layout
        self.broadcasts = broadcasts  # the inputs are promoted and broadcast together, else they must be alike
        self.dtypes = tuple(dtypes.split())  # by the contract; the library's own list is wider, see checks.py
        self.bfloat16_everywhere = bfloat16_everywhere  # also on products that otherwise lack it
        self.requires = dict(requires or {})  # rule in words -> whether (attributes, product) keep it
        #: Of a gradient from the result: rules on top of `requires` under which that tells the sign of the input.
        self.result_suffices = dict(result_suffices or {})
        self.products = tuple(products.split())
        self.differences = differences  # between the sources on the operator, and what holds here
        #: The C names, each with the attributes that it fixes.
        self.aclnn: Mapping[str, Mapping[str, Any]] = (
            aclnn if isinstance(aclnn, Mapping) else {aclnn: {}} if aclnn else {}
        )
        self.ir = schema.parse_graph(ir) if ir else None  # its interface in graph mode
        #: The named values of the switch attribute in the order of their numbers; empty where they have no names.
        self.choices = _choices(formula, switch)
        self.defaults = {a.name: self._default(a) for a in self.schema.attributes}
        self.checks = all_checks(self, checks)
        self.prepared: dict[Any, Prepared] = {}  # see preparation.py
        self._shortcuts = Shortcuts(self._long_way, layout == GATED)
        self._answer_by(self._shortcuts.door)
        self.__name__ = self.__qualname__ = self.name
        self.__doc__ = _documentation(self)
        if self.name in REGISTRY:
            raise InvalidOperator(f"operator {self.name!r} is already registered")
        REGISTRY[self.name] = self

    @property
    def __signature__(self) -> inspect.Signature:
        """What help() and editors show: tensors by position, attributes by name."""
        import inspect  # costs a tenth of importing NumPy, and few ask

        positional, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        tensors = [
            inspect.Parameter(a.name, positional, default=None if a.is_optional else inspect.Parameter.empty)
            for a in self.schema.tensors
        ]
        attributes = {**self.defaults, "out": None, "backend": None}
        return inspect.Signature(
            tensors + [inspect.Parameter(name, by_name, default=value) for name, value in attributes.items()]
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _registered, (self.name,)  # one per process: copies and pickles stand for the name

    def __repr__(self) -> str:
        return f"<actgrad operator {self.schema}>"

    def formula_for(self, attributes: dict[str, Any], product: Product | None) -> Formula:
        """The formula that a call with these attributes computes."""
        if not isinstance(self.formula, Mapping):
            return self.formula
        switch = self.switch
        return self.formula[switch(attributes, product) if callable(switch) else attributes[switch]]

    def __get__(self, instance: Any, owner: type | None = None) -> Operator:
        return self  # in a class it is what it is elsewhere, and no method

    @frames.left_alone
    def _long_way(self, /, *tensors: Any, **given: Any) -> Any:
        """The call with all that a first one needs."""
        if not frames.is_torch_told:  # it may have been imported after this package
            frames.tell_torch()
        return self._compute(*tensors, **given)

    @frames.left_alone
    def _compute(self, /, *tensors: Any, out: Any = None, backend: str | None = None, **attributes: Any) -> Any:
        tensors, values = arguments.arrange(self, tensors, attributes)
        outs = () if out is None else arguments.outputs(self, out)
        if backend is None and (
            interception.must_see((*tensors, *outs)) or (out is None and interception.is_differentiated(tensors))
        ):
            return first_use.module("actgrad.torch").call(self, tensors, values, outs)  # which builds on this module
        inputs, outputs = arguments.views(self, tensors, outs)
        terms = Terms.chosen()
        self._refuse_mixture(inputs, outputs)
        prepared, addresses, results, views = self._prepare(inputs, outputs, values, terms, backend)
        prepared.kernel.run(*addresses)
        first = inputs[0]
        assert first is not None, "the first tensor is never optional"
        tell = arrays.note_written(first.kind) if outputs else None
        if tell is not None:
            tell(results if isinstance(results, tuple) else (results,))
        if backend is None:
            self._shortcuts.add(attributes, prepared, views, inputs)
            if self.func is not self._shortcuts.door:
                self._answer_by(self._shortcuts.door)
        return results if outputs else arrays.like_input(results, first)

    def _answer_by(self, function: Callable[..., Any]) -> None:
        """Have calls of this object go to a function straight away: a partial's state."""
        functools.partial.__setstate__(self, (function, (), {}, vars(self)))  # type: ignore[attr-defined]

    @frames.left_alone
    def plan(self, /, *tensors: Any, out: Any = None, backend: str | None = None, **attributes: Any) -> Plan:
        """The call, checked and ready to run; nothing is computed yet. Its arguments are those of the operator."""
        tensors, values = arguments.arrange(self, tensors, attributes)
        inputs, outputs = arguments.views(self, tensors, () if out is None else arguments.outputs(self, out))
        self._refuse_mixture(inputs, outputs)
        terms = Terms.chosen()
        return self.plan_views(inputs, outputs, values, terms, backend)

    def plan_views(
        self,
        inputs: Inputs,
        outputs: Outputs,
        attributes: dict[str, Any],
        terms: Terms,
        backend: str | None = None,
        scalar_dtypes: tuple[Dtype, ...] = (),
        formats: tuple[str, ...] = (),
    ) -> Plan:
        """The same for views on memory, in the schema's order, and attributes in their one form.

        That form is what `arguments.attribute` makes. With typed terms, `scalar_dtypes` are those of the schema's
        scalars; `formats`, of tensors and then outputs, may be left out where all are ND.
        """
        prepared, addresses, results, targets = self._prepare(
            inputs, outputs, attributes, terms, backend, scalar_dtypes, formats
        )
        note_written = arrays.note_views_written(targets)
        return Plan(self.name, attributes, prepared, targets, inputs, addresses, results, note_written)

    def plan_prepared(
        self, prepared: Prepared, attributes: dict[str, Any], inputs: Sequence[View], outputs: Sequence[View]
    ) -> Plan:
        """The same for a call whose like was prepared before, on whichever memory."""
        schema = self.schema
        overlap.check(self.name, schema.outputs, outputs, schema.tensor_names, inputs, prepared.extents)
        addresses = tuple([view.address for view in (*outputs, *inputs)])
        results = outputs[0].source if len(outputs) == 1 else tuple([view.source for view in outputs])
        note_written = arrays.note_views_written(outputs)
        return Plan(self.name, attributes, prepared, outputs, inputs, addresses, results, note_written)

    def _refuse_mixture(self, inputs: Inputs, outputs: Outputs) -> None:
        """Raise where the arrays are of several libraries."""
        first = inputs[0]
        assert first is not None, "the first tensor is never optional"
        for view in (*inputs, *outputs):
            if view is not None and view.kind != first.kind:
                arguments.refuse_mixture(self, inputs, outputs)

    def _prepare(
        self,
        inputs: Inputs,
        outputs: Outputs,
        attributes: dict[str, Any],
        terms: Terms,
        backend: str | None,
        scalar_dtypes: tuple[Dtype, ...] = (),
        formats: tuple[str, ...] = (),
    ) -> tuple[Prepared, tuple[int, ...], Any, list[View]]:
        """What to run, on which addresses, the results that will then be there, and the outputs' views."""
        if not backends.torch_is_adopted:
            backends.adopt_torch()
        first = inputs[0]
        assert first is not None, "the first tensor is never optional"
        device = first.device
        metas: list[Meta | None] = []
        for view in (*inputs, *outputs):
            if view is None:
                metas.append(None)
                continue
            metas.append(view.meta)
            if view.device != device:
                arguments.refuse_mixture(self, inputs, outputs)
        prepared = preparation.prepare(
            self,
            tuple(metas),
            attributes,
            terms,
            "cpu" if backend is None and device == "cpu" else backends.choose(backend, device, self.name),
            scalar_dtypes,
            formats,
            device,
        )
        if outputs:
            overlap.check(self.name, self.schema.outputs, outputs, self.schema.tensor_names, inputs, prepared.extents)
            targets = [view or self._empty(first, meta) for view, meta in zip(outputs, prepared.results, strict=True)]
        else:
            targets = [self._empty(first, meta) for meta in prepared.results]
        results = targets[0].source if len(targets) == 1 else tuple([target.source for target in targets])
        addresses = tuple([view.address for view in (*targets, *inputs) if view])
        return prepared, addresses, results, targets

    def _empty(self, first: View, meta: Meta) -> View:
        """A fresh result. Libraries raise of their own kinds where there is no memory for it."""
        try:
            return arrays.empty(first, meta)
        except ActgradError:
            raise
        except (MemoryError, ValueError, RuntimeError) as error:
            what = f"a result of shape {meta.shape} in {meta.dtype} takes {meta.size * meta.dtype.itemsize} bytes"
            library = "NumPy" if first.kind != "torch" and first.device == "cpu" else "PyTorch"
            raise OutOfMemory(f"{self.name}: {what}, which {library} cannot allocate: {error}") from error

    def _default(self, argument: Argument) -> Any:
        """A default comes from the schema, else from the forward operator; flags are off."""
        if argument.default is not None:
            return arguments.attribute(self, argument, argument.default)
        if self.gradient_of is not None and argument.name in self.gradient_of.defaults:
            return self.gradient_of.defaults[argument.name]
        return False if argument.type == "bool" else None


def _unfinished(*_: Any, **__: Any) -> Any:
    """What an operator calls before it is made."""
    raise TypeError("this operator is not finished")


def _choices(formula: Formula | Mapping[Any, Formula], switch: Any) -> tuple[str, ...]:
    keys = tuple(formula) if isinstance(formula, Mapping) and isinstance(switch, str) else ()
    return keys if all(isinstance(key, str) for key in keys) else ()


def _registered(name: str) -> Operator:
    if name not in REGISTRY:
        raise InvalidOperator(f"there is no operator {shown(name)} in this process; import the module that defines it")
    return REGISTRY[name]


def _documentation(operator: Operator) -> str:
    """The docstring: what the operator returns, then what follows from its limits."""
    outputs = ", ".join(operator.schema.outputs)
    tensors = ", ".join(a.name for a in operator.schema.tensors)
    alike = "broadcast and promoted together" if operator.broadcasts else "alike in shape and dtype"
    lines = [
        operator.summary,
        "",
        f"Tensors (by position): {tensors}; NumPy arrays, torch.Tensor or arrays with __dlpack__, of any shape and",
        f"strides; dtypes {', '.join(allowed_dtypes(operator, None))}." + (
            f" They are {alike}." if operator.layout != GATED and len(operator.schema.tensors) > 1 else ""
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
        lines.append(f"    {case}{(function.__doc__ or function.__name__).strip()}")
    return "\n".join(lines)
