"""An operator: its schema, its formula, its limits. Calling it plans and runs it."""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import arrays, backends
from ..arrays import View, interception
from ..base import first_use, products
from ..base.definition import FIELDS, C, Definition
from ..base.dtypes import Dtype
from ..base.errors import ActgradError, InvalidOperator, OutOfMemory, shown
from ..base.faults import definition_faults
from ..base.loop import Meta
from ..base.products import BY_NAME
from ..contract import Check, Terms, allowed_dtypes, checks_of
from . import aliasing, arguments, dynamo, extension, prepare
from .arguments import Inputs, Outputs
from .call_cache import CACHED, CallCache, cache_of
from .fast_path import CachedCall, FastPath
from .plan import Plan, Prepared

if TYPE_CHECKING:
    import inspect

#: Every operator by its name, in the order of definition.
REGISTRY: dict[str, Operator] = {}


class _OwnSignature:
    """What help() and editors show of an operator: tensors by position, attributes by name. The class has its own."""

    def __get__(self, operator: Operator | None, owner: type) -> inspect.Signature:
        if operator is None:
            raise AttributeError("__signature__")
        import inspect  # costs a tenth of importing NumPy, and few ask

        positional, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        tensors = [
            inspect.Parameter(a.name, positional, default=None if a.is_optional else inspect.Parameter.empty)
            for a in operator.schema.tensors
        ]
        attributes = {**operator.defaults, "out": None, "backend": None}
        return inspect.Signature(
            tensors + [inspect.Parameter(name, by_name, default=value) for name, value in attributes.items()]
        )


class Operator(FastPath):
    """An operator of the registry. Call it with tensors by position and attributes by name.

    It is a Definition that can be called; its public data (`schema`, `dtypes`, `requires`, ...) are the definition's.
    Arguments: the schema line, and by name the fields of base/definition.py. `gradient_of` and `part_of` are operators,
    `dtypes` and `products` names with spaces between, `aclnn` a C name or several with the attributes that each fixes.

    A call takes the fast path first, and else `_slow_path`.
    """

    def __init__(
        self,
        text: str,
        *,
        dtypes: str = "float32 float16 bfloat16",
        products: str = " ".join(BY_NAME),
        gradient_of: Operator | None = None,
        part_of: Operator | None = None,
        aclnn: str | C | tuple[C, ...] = (),
        ir: str | tuple[str, ...] = (),
        **fields: Any,
    ):
        definition_faults.refuse_fields(text, fields, FIELDS)
        for name, other in (("gradient_of", gradient_of), ("part_of", part_of)):
            if other is not None and not isinstance(other, Operator):
                what = f"{name} is {shown(other)}; it must be an operator"
                raise InvalidOperator(f"operator {definition_faults.name_in(text)}: {what}")
        self.definition: Definition = Definition(
            text,
            dtypes=tuple(dtypes.split()) if isinstance(dtypes, str) else dtypes,
            products=tuple(products.split()) if isinstance(products, str) else products,
            gradient_of=None if gradient_of is None else gradient_of.definition,
            part_of=None if part_of is None else part_of.definition,
            aclnn=tuple([C(c) if isinstance(c, str) else c for c in (aclnn if isinstance(aclnn, tuple) else (aclnn,))]),
            graph=ir if isinstance(ir, tuple) else (ir,),
            **fields,
        )
        self._set_up()
        if self.name in REGISTRY:
            raise InvalidOperator(f"operator {self.name!r} is already registered; give one of the two another name")
        _hold_names(self.definition)
        self.gradient_of, self.part_of = gradient_of, part_of
        REGISTRY[self.name] = self

    def _set_up(self) -> None:
        self.name = self.__name__ = self.__qualname__ = self.definition.name
        self._cache: CallCache = cache_of(self.definition)
        self._cache.forget_fast_path = self._forget
        self.__doc__ = _documentation(self.definition)

    def with_definition(self, definition: Definition) -> Operator:
        """This operator under another definition of its calls, as a C function may have; not in the registry."""
        if definition is self.definition:
            return self
        other = Operator.__new__(Operator)
        other.definition, other.gradient_of, other.part_of = definition, self.gradient_of, self.part_of
        other._set_up()
        return other

    def __getattr__(self, name: str) -> Any:
        if name == "definition":  # not there yet
            raise AttributeError(name)
        return getattr(self.definition, name)

    @property
    def checks(self) -> tuple[Check, ...]:
        """All checks of its calls, in order."""
        return checks_of(self.definition)

    @property
    def prepared(self) -> dict[Any, Prepared]:
        """The prepared calls that are kept."""
        return self._cache.prepared

    def forget(self) -> None:
        """Forget all calls that passed: the next one of each kind is checked and prepared anew."""
        self._cache.forget()

    __signature__ = _OwnSignature()

    def __reduce__(self) -> tuple[Any, ...]:
        return Operator.registered, (self.name,)  # one per process: copies and pickles stand for the name

    @classmethod
    def registered(cls, name: str) -> Operator:
        """The operator called `name`; an InvalidOperator where this process has none."""
        return _registered(name)

    def __repr__(self) -> str:
        return f"<actgrad operator {self.schema}>"

    def __get__(self, instance: Any, owner: type | None = None) -> Operator:
        return self  # no binding: an operator stored on a class is not a method

    @dynamo.left_alone
    def _slow_path(self, /, *tensors: Any, out: Any = None, backend: str | None = None, **attributes: Any) -> Any:
        """The call with all checks; the next one like it takes the fast path."""
        if not dynamo.is_torch_told:  # it may have been imported after this package
            dynamo.tell_torch()
        given = tensors
        tensors, values = arguments.arrange(self.definition, tensors, attributes)
        outs = () if out is None else arguments.outputs(self.definition, out)
        if backend is None and (
            interception.must_see((*tensors, *outs)) or (out is None and interception.is_differentiated(tensors))
        ):
            return first_use.module("actgrad.torch").call(self, tensors, values, outs)  # which builds on this module
        inputs, outputs = arguments.views(self.definition, tensors, outs)
        terms = Terms.chosen()
        self._refuse_mixture(inputs, outputs)
        prepared, addresses, results, views = self._prepare(inputs, outputs, values, terms, backend)
        prepared.kernel.run(*addresses)
        first = inputs[0]
        assert first is not None, "the first tensor is never optional"
        tell = arrays.note_written(first.kind) if outputs else None
        if tell is not None:
            tell(results if isinstance(results, tuple) else (results,))
        if backend is None and terms is Terms.chosen() and not products.any_chosen():
            self._keep(given, attributes, inputs, views, prepared, is_fresh=not outputs)
        return results if outputs else arrays.like_input(results, first)

    def _keep(
        self,
        tensors: tuple[Any, ...],
        attributes: dict[str, Any],
        inputs: Inputs,
        outputs: Sequence[View],
        prepared: Prepared,
        is_fresh: bool,
    ) -> None:
        """Have calls like this one take the fast path, where there is one for them."""
        kind = outputs[0].kind
        if kind not in ("numpy", "torch") or outputs[0].device != "cpu" or prepared.kernel.machine_code is None:
            return
        present = [view.meta for view in inputs if view is not None]
        layouts = aliasing.layout_words([view.meta for view in outputs], present, prepared.extents)
        call = CachedCall(
            tuple(attributes),
            tuple(attributes.values()),
            struct.pack(f"<{len(layouts)}q", *layouts),
            prepared.packed,
            tuple([_allocator(view, inputs) for view in outputs]) if is_fresh else None,
            arrays.note_written(kind),
            prepared.kernel,
        )
        sources = tuple([view.source for view in outputs])
        if self._remember((*tensors, *call.values), sources, call) > CACHED:
            self.forget()

    @dynamo.left_alone
    def plan(self, /, *tensors: Any, out: Any = None, backend: str | None = None, **attributes: Any) -> Plan:
        """The call, checked and ready to run; nothing is computed yet. Its arguments are those of the operator."""
        tensors, values = arguments.arrange(self.definition, tensors, attributes)
        inputs, outputs = arguments.views(
            self.definition, tensors, () if out is None else arguments.outputs(self.definition, out)
        )
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
        self, prepared: Prepared, attributes: dict[str, Any], inputs: Inputs, outputs: Sequence[View]
    ) -> Plan:
        """The same for a call whose like was prepared before, on whichever memory."""
        schema = self.definition.schema
        aliasing.check(self.name, schema.outputs, outputs, schema.tensor_names, inputs, prepared.extents)
        addresses = tuple([view.address for view in (*outputs, *inputs) if view])
        results = outputs[0].source if len(outputs) == 1 else tuple([view.source for view in outputs])
        note_written = arrays.note_views_written(outputs)
        return Plan(self.name, attributes, prepared, outputs, inputs, addresses, results, note_written)

    def _refuse_mixture(self, inputs: Inputs, outputs: Outputs) -> None:
        """Raise where the arrays are of several libraries."""
        first = inputs[0]
        assert first is not None, "the first tensor is never optional"
        for view in (*inputs, *outputs):
            if view is not None and view.kind != first.kind:
                arguments.refuse_mixture(self.definition, inputs, outputs)

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
                arguments.refuse_mixture(self.definition, inputs, outputs)
        prepared = prepare.prepare(
            self.definition,
            tuple(metas),
            attributes,
            terms,
            "cpu" if backend is None and device == "cpu" else backends.choose(backend, device, self.name),
            scalar_dtypes,
            formats,
            device,
        )
        if not backends.torch_is_adopted:
            backends.adopt_torch()
            if backends.torch_is_adopted:
                extension.adopt_torch()
        if outputs:
            aliasing.check(
                self.name,
                self.definition.schema.outputs,
                outputs,
                self.definition.schema.tensor_names,
                inputs,
                prepared.extents,
            )
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


def _allocator(result: View, inputs: Inputs) -> tuple[Any, int]:
    """A function that allocates results like this one, and the number of the input that it takes, -1 for none."""
    for number, view in enumerate(inputs):
        if view is not None and view.meta == result.meta:
            return arrays.empty_like(result), number
    return functools.partial(arrays.fresh, result.kind, result.meta, result.device), -1


#: The operator that has a name of a C function, of a graph operator or in actgrad.torch, by the field that states it.
_HOLDERS: dict[tuple[str, str], str] = {}


def _hold_names(definition: Definition) -> None:
    """Remember the names under which others find an operator; raise for one that another operator has."""
    names = [*definition_faults.public_names(definition)]
    for name in names:
        holder = REGISTRY.get(_HOLDERS.get(name, ""))
        if holder is None or name not in definition_faults.public_names(holder.definition):  # it is gone
            _HOLDERS.pop(name, None)
    definition_faults.refuse(definition.name, definition_faults.of_names(definition, _HOLDERS))
    _HOLDERS.update(dict.fromkeys(names, definition.name))


def _registered(name: str) -> Operator:
    if name not in REGISTRY:
        raise InvalidOperator(f"there is no operator {shown(name)} in this process; import the module that defines it")
    return REGISTRY[name]


def _documentation(definition: Definition) -> str:
    """The docstring: what the operator returns, then what follows from its limits."""
    outputs = ", ".join(definition.schema.outputs)
    tensors = ", ".join(a.name for a in definition.schema.tensors)
    alike = "broadcast and promoted together" if definition.broadcasts else "alike in shape and dtype"
    lines = [
        definition.summary,
        "",
        f"Tensors (by position): {tensors}; NumPy arrays, torch.Tensor or arrays with __dlpack__, of any shape and",
        f"strides; dtypes {', '.join(allowed_dtypes(definition, None))}." + (
            f" They are {alike}." if not definition.access.packed and len(definition.schema.tensors) > 1 else ""
        ),
        f"Returns {outputs}, of the inputs' kind and dtype; `out` takes the result instead.",
        "`backend` is 'cpu', 'triton' or 'reference'; by default that of the tensors' device.",
    ]  # fmt: skip
    if definition.requires:
        lines.append("Requires: " + "; ".join(definition.requires) + ".")
    lines.append("Errors: NullArgument, InvalidDtype, InvalidArgument, UnsupportedOnProduct; nothing is written then.")
    source = definition.formula
    functions = dict(source) if isinstance(source, Mapping) else {None: source}
    lines += ["", "Formula:"]
    for key, function in functions.items():
        case = "" if key is None else f"{definition.switch if isinstance(definition.switch, str) else 'case'} {key!r}: "
        lines.append(f"    {case}{(function.__doc__ or function.__name__).strip()}")
    if definition.multiplied_by:
        lines.append(f"    times {definition.multiplied_by}")
    return "\n".join(lines)
