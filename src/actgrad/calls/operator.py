"""An operator: a definition that can be called. A call checks the arguments and runs a kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .. import arrays
from ..arrays import ArrayView, interception
from ..base import first_use
from ..base.definition import FIELDS, Definition, Roles
from ..base.errors import ActgradError, InvalidOperator, did_you_mean, quote
from ..base.lazy_docstring import LazyDocstring
from ..base.schema import name_in
from ..checks import Check, law, own_checks
from ..checks.law import LawInForce
from . import aliasing, arguments, dynamo
from .arguments import Inputs, Outputs
from .call_cache import CAPACITY, CallCache, cache_of
from .fast_path import FastPath, cached_call
from .plan import Plan, Prepared

if TYPE_CHECKING:
    import inspect

#: The module that prepares calls and plans. The first of them imports it, so that `import actgrad` does not.
PREPARE = "actgrad.calls.prepare"
#: Every operator by its name, in the order of definition.
REGISTRY: dict[str, Operator] = {}
_is_shipping = False


@contextmanager
def shipping() -> Iterator[None]:
    """A context in which the package defines its operators. The linter reads only other ones; a test lints ours."""
    global _is_shipping
    _is_shipping = True
    try:
        yield
    finally:
        _is_shipping = False


class _CallSignature:
    """The signature of an operator's call, for help() and editors. The class Operator keeps its other signature."""

    def __get__(self, operator: Operator | None, owner: type) -> inspect.Signature:
        if operator is None:
            raise AttributeError("__signature__")
        inspect: Any = first_use.module("inspect")  # imported here because few programs ask for a signature
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

    An operator has all public fields of its definition: `schema`, `dtypes`, `requires` and so on. The arguments are the
    schema line and, by name, the fields of base/definition.py. `gradient_of` and `part_of` of the roles are operators.

    A call takes the fast path if an earlier call was like it, otherwise `_slow_path`.
    """

    def __init__(self, text: str, **fields: Any):
        author: Any = None if _is_shipping else first_use.module("actgrad.author.linter")
        old_law: dict[str, Any] = {}
        if author is not None:
            fields, old_law = author.with_new_names(text, fields)
            author.refuse_fields(text, fields, FIELDS)
        self.definition: Definition = _definition(text, **fields)
        if author is not None:
            author.define(self.definition, [other.definition for other in REGISTRY.values()])
            first_use.module(PREPARE).untried.add(self.definition)
        self._set_up()
        roles = fields.get("roles", Roles())
        self.gradient_of, self.part_of = fields.get("gradient_of"), roles.part_of
        if old_law:
            author.state_law(self, old_law)
        REGISTRY[self.name] = self

    @classmethod
    def unlisted(cls, definition: Definition) -> Operator:
        """An operator without gradients that is not in the registry: a kernel that other code needs."""
        operator = cls.__new__(cls)
        operator.definition = definition
        operator._set_up()
        operator.gradient_of = operator.part_of = None
        return operator

    def _set_up(self) -> None:
        self.name = self.__name__ = self.__qualname__ = self.definition.name
        self._cache: CallCache = cache_of(self.definition)

    def __getattr__(self, name: str) -> Any:
        if name == "definition":  # __init__ has not set it yet
            raise AttributeError(name)
        return _attribute(self, name)

    @property
    def law(self) -> Any:
        """What CANN says about the operator: chips, data types, rules, names in C and in graphs."""
        if law.slots is None:
            raise AttributeError  # Python then asks __getattr__, which says why
        return law.slots.law_of(self.definition)

    @property
    def checks(self) -> tuple[Check, ...]:
        """All checks of the operator's calls without a law, in order."""
        return own_checks(self.definition)

    @property
    def prepared(self) -> dict[Any, Prepared]:
        """The prepared calls in the cache."""
        return self._cache.prepared

    def forget(self) -> None:
        """Clear the caches of this operator. The next call of each kind is checked and prepared again."""
        self._cache.forget()
        self._forget()

    __signature__ = _CallSignature()

    def __reduce__(self) -> tuple[Any, ...]:
        return Operator.registered, (self.name,)  # a process has one object per operator, so a pickle has only the name

    @classmethod
    def registered(cls, name: str) -> Operator:
        """The operator with this name. Raises InvalidOperator if this process has no such operator."""
        return _registered(name)

    def __repr__(self) -> str:
        return f"<actgrad operator {self.schema}>"

    def __get__(self, instance: Any, owner: type | None = None) -> Operator:
        return self  # an operator in a class does not become a method

    @dynamo.skip_tracing
    def _slow_path(self, /, *tensors: Any, out: Any = None, backend: str | None = None, **attributes: Any) -> Any:
        """The call with all checks. The next call of the same kind takes the fast path."""
        if not dynamo.is_torch_configured:  # a program may import PyTorch after this package
            dynamo.configure_torch()
        positional = tensors
        tensors, values = arguments.arrange(self.definition, tensors, attributes)
        outs = () if out is None else arguments.outputs(self.definition, out)
        if backend is None and (
            interception.must_see((*tensors, *outs)) or (out is None and interception.is_differentiated(tensors))
        ):
            return interception.load_handler()(self, tensors, values, outs)
        inputs, outputs = arguments.views(self.definition, tensors, outs)
        judge = law.current()
        arguments.check_libraries(self.definition, inputs, outputs)
        prepared, addresses, results, views = first_use.module(PREPARE).bind(
            self.definition, inputs, outputs, values, judge, backend
        )
        prepared.kernel.run(*addresses)
        first = inputs[0]
        assert first is not None, "the first tensor is never optional"
        tell = arrays.note_written(first.kind) if outputs else None
        if tell is not None:
            tell(results if isinstance(results, tuple) else (results,))
        if backend is None and judge is None and not law.is_any_in_force():
            call = cached_call(attributes, inputs, views, prepared, is_fresh=not outputs)
            sources = tuple([view.source for view in views])
            if call is not None and self._remember((*positional, *call.values), sources, call) > CAPACITY:
                self.forget()
        return results if outputs else arrays.like_input(results, first)

    @dynamo.skip_tracing
    def plan(self, /, *tensors: Any, out: Any = None, backend: str | None = None, **attributes: Any) -> Plan:
        """A plan: the call with these arguments, checked and ready to run."""
        tensors, values = arguments.arrange(self.definition, tensors, attributes)
        outs = () if out is None else arguments.outputs(self.definition, out)
        inputs, outputs = arguments.views(self.definition, tensors, outs)
        arguments.check_libraries(self.definition, inputs, outputs)
        return self.plan_views(inputs, outputs, values, law.current(), backend)

    def plan_views(
        self,
        inputs: Inputs,
        outputs: Outputs,
        attributes: dict[str, Any],
        judge: LawInForce | None,
        backend: str | None = None,
    ) -> Plan:
        """The plan of a call with these views, in the schema's order, and attributes as `arguments.attribute` returns.

        `judge` is the law of the call. Without one, the operator's own checks apply.
        """
        prepared, addresses, results, targets = first_use.module(PREPARE).bind(
            self.definition, inputs, outputs, attributes, judge, backend
        )
        note_written = arrays.note_views_written(targets)
        return Plan(self.name, attributes, prepared, targets, inputs, addresses, results, note_written)

    def plan_prepared(
        self, prepared: Prepared, attributes: dict[str, Any], inputs: Inputs, outputs: Sequence[ArrayView]
    ) -> Plan:
        """The plan of a call from its preparation, for tensors at these addresses."""
        schema = self.definition.schema
        aliasing.check(self.name, schema.outputs, outputs, schema.tensor_names, inputs, prepared.layouts)
        addresses = tuple([view.address for view in (*outputs, *inputs) if view])
        results = outputs[0].source if len(outputs) == 1 else tuple([view.source for view in outputs])
        note_written = arrays.note_views_written(outputs)
        return Plan(self.name, attributes, prepared, outputs, inputs, addresses, results, note_written)


def _documentation(operator: Operator) -> str:
    """The docstring of an operator. The reference backend computes the results of its example."""
    docstrings: Any = first_use.module("actgrad.checks.docstrings")  # imported here because few programs read it
    definition, numpy = operator.definition, first_use.module("numpy")
    names = {"np": numpy, "actgrad": first_use.module(__package__.partition(".")[0])}
    is_public = getattr(names["actgrad"], operator.name, None) is operator
    call = f"actgrad.{operator.name}" if is_public else f"actgrad.operators[{operator.name!r}]"
    try:
        sample = docstrings.ExampleCall(definition)
        tensors = [
            eval(sample.tensor(name), names) if name in sample.shapes else None
            for name in definition.schema.tensor_names
        ]
        inputs, outputs = arguments.views(definition, tuple(tensors), ())
        result = operator.plan_views(inputs, outputs, sample.attributes, None, "reference").run()
    except (ActgradError, AttributeError):  # the rules refuse the sample, or its forward operator is not public
        return str(docstrings.operator_docstring(definition, call, ()))
    results = result if isinstance(result, tuple) else (result,)
    printed = [repr(each if "float8" in each.dtype.name else numpy.round(each, 4)) for each in results]
    return str(docstrings.operator_docstring(definition, call, printed))


Operator.__doc__ = LazyDocstring(Operator.__doc__, _documentation)  # type: ignore[assignment]


#: Old name of a fact that CANN states about an operator -> its name in the law.
_IN_LAW = {"products": "product_names", "aclnn": "functions", "graphs": "graphs", "differences": "differences"}


def _attribute(operator: Operator, name: str) -> Any:
    """A field of an operator's definition, or of its law. Raises an AttributeError for an unknown name."""
    definition = operator.definition
    try:
        return getattr(definition, name)
    except AttributeError:
        if hasattr(type(definition), name):  # the name is known, and the property raised the error
            raise
    if name == "law":
        raise AttributeError(f"operator {definition.name} has no law; actgrad.ascend must be installed; install it")
    if name in _IN_LAW:
        return getattr(operator.law, _IN_LAW[name])
    fault = f"operator {definition.name} has no attribute {name!r}"
    if name.startswith("_"):  # libraries ask every object for such names, so skip the search for similar names
        raise AttributeError(fault)
    names = [each for each in dict.fromkeys((*dir(Operator), *dir(definition))) if not each.startswith("_")]
    raise AttributeError(f"{fault}; {did_you_mean(name, names, 'help() of the operator lists its arguments')}")


def _definition(text: str, gradient_of: Operator | None = None, paper: str = "", **fields: Any) -> Definition:
    """The definition of an operator, from the arguments of `Operator`."""
    roles: Roles = fields.pop("roles", Roles())
    part_of: Any = roles.part_of
    for name, other in (("gradient_of", gradient_of), ("part_of", part_of)):
        if other is not None and not isinstance(other, Operator):
            raise InvalidOperator(
                f"operator {name_in(text)}: {name} is {quote(other)}; it must be an operator; pass one"
            )
    forward = gradient_of or part_of
    return Definition(
        text,
        paper=paper or ("" if forward is None else forward.paper),
        gradient_of=None if gradient_of is None else gradient_of.definition,
        roles=roles if part_of is None else roles.changed(part_of=part_of.definition),
        **fields,
    )


def _registered(name: str) -> Operator:
    if name not in REGISTRY:
        raise InvalidOperator(
            f"operator {quote(name)} is unknown; it must be registered in this process; import the module that "
            "defines it"
        )
    return REGISTRY[name]
