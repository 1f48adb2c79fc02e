"""Calls of an operator's C functions. `CFunction` checks and plans a call, and caches the plan."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from ... import arrays, checks
from ...arrays import ArrayView
from ...base.bounded_cache import BoundedCache
from ...base.dtypes import BY_NAME
from ...base.errors import (
    ActgradError,
    InvalidArgument,
    InvalidCall,
    InvalidDtype,
    KernelMissing,
    NullArgument,
    either,
    quote,
)
from ...base.schema import Argument
from ...calls import arguments, prepare
from ...calls.plan import Plan, Prepared
from ...checks.shape_rules import KINDS
from ..rules.law import Parameter, Ruleset, rules_of_c
from ..rules.rule import missing
from . import memory_checks, signatures
from .objects import DESTROYED, AclScalar, AclTensor, scalar_of, token_of, token_of_flag
from .signatures import Signature


class CachedPlan(NamedTuple):
    """A call that passed its checks, without memory addresses. The real interface has such a cache too."""

    prepared: Prepared
    attributes: dict[str, Any]
    #: In calls from Python: the tokens. They must stay alive, because the key of the cache contains their ids. In calls
    #: from C: the operands.
    record: Any


_DOUBLE = BY_NAME["float64"]
CAPACITY = 4096  # plans per C function


class CFunction:
    """A pair of C functions (phase one and phase two), and a cache of plans of their calls."""

    def __init__(self, signature: Signature):
        self.signature, operator = signature, signature.operator
        self.operator, definition = operator, operator.definition
        self._positions = {p.argument: k for k, p in enumerate(signature.parameters)}
        absent = {*definition.schema.tensor_names} & signature.function.fixed.keys()
        self._positions |= dict.fromkeys(absent, len(signature.parameters))  # `plan` appends None to the arguments
        self._may_be_null = [  # the positions of tensors that may be null pointers
            self._positions[a.name]
            for a in definition.schema.tensors
            if a.is_optional and a.name != definition.given_value
        ]
        self._defaults: dict[str, Any] = {}  # of attributes whose pointers may be null
        self._refused: list[int] = []  # the positions of pointers that must be null
        self._constants: list[tuple[int, Parameter]] = []  # arguments that must have one value
        self._unread: list[tuple[int, str]] = []  # tensors that must not be null, although nothing reads them
        for k, p in enumerate(signature.parameters):
            if p.has("null_means_default") and p.argument in operator.defaults:
                self._defaults[p.argument] = operator.defaults[p.argument]
            if p.has("must_be_null"):
                self._refused.append(k)
            if p.origin is not None and p.origin.constant is not None:
                self._constants.append((k, p.origin))
            if p.is_unread and not p.is_optional and p.type == "Tensor":
                self._unread.append((k, p.argument))
        # The positions of the schema's tensors among the arguments. An in-place call writes to its first input.
        self.inputs = tuple(map(self._positions.__getitem__, definition.schema.tensor_names))
        outputs = () if signature.in_place else definition.schema.outputs
        self.outputs = tuple(map(self._positions.__getitem__, outputs)) or self.inputs[:1]
        self.tensors = (*self.inputs, *self.outputs)
        attributes = definition.schema.attributes
        self._attributes = [(self._positions[a.name], a) for a in attributes if a.name in self._positions]
        self._fixed = {
            name: arguments.attribute(definition, definition.schema.attributes_by_name[name], value)
            for name, value in signature.fixed.items()
        }
        self.cache = BoundedCache[Any, CachedPlan](CAPACITY)

    def keep(self, key: Any, plan: Plan, record: Any) -> CachedPlan:
        """Cache a plan."""
        return self.cache.keep(key, CachedPlan(plan.prepared, plan.attributes, record))

    def plan(self, args: tuple[Any, ...]) -> Plan:
        """The plan of a call with the arguments of phase one. Raises the error of the first rule that fails."""
        ruleset, args = rules_of_c(), (*args, None)  # None for tensors that the C function lacks
        views: list[Any] = []  # the views of tensors. None for an optional tensor that is left out
        values: list[Any] = []  # scalars and flags
        tokens: list[Any] = [ruleset]
        wrong = self._wrong_constant(args) if self._constants else None
        is_plain = wrong is None and (not self._refused or all(args[k] is None for k in self._refused))
        for k, name in self._unread:
            if args[k] is None:  # an earlier null pointer raises first. A later one is replaced by ()
                self._check_early((*args[:k], *[() if value is None else value for value in args[k:]]), ruleset)
                raise NullArgument(f"{self.operator.name}: {missing(name)}")
        try:
            for k in self.tensors:
                tensor = args[k]
                if tensor is None and k in self._may_be_null:
                    views.append(None)
                    tokens.append(None)
                    continue
                view = tensor.view if type(tensor) is AclTensor and tensor.is_plain else None
                if view is None:
                    view = _other_view(self.operator.name, tensor, self.signature.parameters[k].argument)
                    is_plain = is_plain and type(tensor) is not AclTensor
                    tokens.append(token_of(view))
                else:
                    tokens.append(tensor.token)
                views.append(view)
            for k, argument in self._attributes:
                value = args[k]
                if self.signature.parameters[k].type != "Scalar":
                    value = self._flag(value, argument, self.signature.parameters[k].type)
                    tokens.append(token_of_flag(value))
                else:
                    if value is None:
                        value = self._defaults.get(argument.name)
                    if type(value) is not AclScalar or value.is_destroyed:
                        value = scalar_of(value, self.operator.name, argument.name)
                    tokens.append(value.token)
                values.append(value)
        except ActgradError:
            self._check_early(args, ruleset)  # errors about null pointers and products come before all other errors
            raise
        n = len(self.inputs)
        key = tuple(map(id, tokens))
        cached = self.cache.get(key) if is_plain else None
        if cached is not None:
            return self.operator.plan_prepared(cached.prepared, cached.attributes, views[:n], views[n:])
        plan = self._new_plan(args, views, values, ruleset)
        if not is_plain:
            _refuse_unread(self.signature, [args[k] for k in self._refused])
            if wrong is not None and any(view.meta.size for view in views[n:]):  # an empty output needs no kernel
                raise wrong
        if is_plain:
            self.keep(key, plan, tokens)
        return plan

    def _new_plan(self, args: tuple[Any, ...], views: list[Any], values: list[Any], ruleset: Ruleset) -> Plan:
        """The plan of a call that is not cached."""
        operator, n = self.operator, len(self.inputs)
        definition = operator.definition
        by_name = {argument.name: value for (_, argument), value in zip(self._attributes, values, strict=True)}
        attributes = {**dict.fromkeys(definition.defaults), **self._fixed, **by_name}
        scalars = {name: value for name, value in attributes.items() if isinstance(value, AclScalar)}
        attributes |= {name: scalar.value for name, scalar in scalars.items()}
        dtypes = tuple([scalars[n].dtype if n in scalars else _DOUBLE for n in definition.schema.scalars])
        tensors = [(self.signature.parameters[min(k, len(args) - 2)], args[k]) for k in self.tensors]
        formats, fault = memory_checks.formats_and_fault(self.signature.name, tensors)
        law = ruleset.of_function(self.signature.law, dtypes, formats)
        if fault:
            # The operator's checks come before the check of memory, which the operator's contract does not have.
            metas = tuple([view and view.meta for view in views])
            with suppress(KernelMissing):  # the error about memory comes before the error about a missing kernel
                prepare.prepare(operator.definition, metas, attributes, law)
            raise InvalidArgument(f"{operator.name}: {fault}")
        try:
            return operator.plan_views(views[:n], views[n:], attributes, law)
        except KernelMissing:  # an error about overlapping tensors comes before an error about a missing kernel
            memory_checks.refuse_overlaps(operator, views[:n], views[n:])
            raise

    def _flag(self, value: Any, argument: Argument, kind: str) -> Any:
        """The value of a parameter of type bool, int64_t, double or char*."""
        if type(value) is bool and kind == "bool":
            return value
        if value is None:
            value = self._defaults.get(argument.name)
        if kind == "text" and value is None:
            raise NullArgument(f"{self.operator.name}: {missing(argument.name)}")
        if value is None or isinstance(value, str) is not (kind == "text"):
            raise self._no_flag(value, argument, kind)
        value = arguments.attribute(self.operator.definition, argument, value)
        if type(value) is int and self.signature.parameters[self._positions[argument.name]].has(
            "other_numbers_mean_first"
        ):
            value = self.operator.choices[0]  # an unknown number means the first choice
        if kind == "double" and isinstance(value, complex):
            raise self._no_flag(value, argument, kind)
        return ctypes.c_float(value).value if kind == "double" else value  # CANN converts a double to float first

    def _no_flag(self, value: Any, argument: Argument, kind: str) -> InvalidCall:
        expected = {"double": "a real number", **KINDS}[kind]
        fault = f"{self.operator.name}: {argument.name} is {quote(value)}; it must be {expected}; pass {expected}"
        return InvalidCall(fault)

    def _wrong_constant(self, args: tuple[Any, ...]) -> ActgradError | None:
        """The error of an argument that must have one value, or None."""
        for k, parameter in self._constants:
            argument, value = args[k], parameter.constant
            if argument != value and not (argument is None and isinstance(value, str)):
                name = self.signature.parameters[k].name
                fault = f"{name} is {quote(argument)}; it must be {value!r}; pass {value!r}"
                return parameter.refusal(f"{self.operator.name}: {fault}")
        return None

    def _check_early(self, args: tuple[Any, ...], ruleset: Ruleset) -> None:
        """Raise if a pointer is null, or the product lacks the operator."""
        operator = self.operator
        values = {**self.signature.function.fixed, **self._fixed}
        values |= {p.argument: args[k] for k, p in enumerate(self.signature.parameters)}
        values |= {name: value for name, value in self._defaults.items() if values[name] is None}
        if self.signature.in_place:
            values |= dict.fromkeys(operator.schema.outputs, values[operator.schema.tensor_names[0]])
        law = ruleset.of_function(self.signature.law, (), ())
        checks.run(checks.Call(operator.definition, values, values, law), early=True)
        for p in self.signature.parameters:
            if p.type == "text" and values[p.argument] is None and not p.is_unread:
                raise NullArgument(f"{operator.name}: {missing(p.argument)}")


def _refuse_unread(signature: Signature, refused: list[Any]) -> None:
    """Raise if an output of `refused` has elements."""
    name = signature.operator.name
    names = [p.name for p in signature.parameters if p.has("must_be_null")]
    for parameter, output in zip(names, refused, strict=True):
        if output is not None and _other_view(name, output, "").meta.size:
            raise KernelMissing(f"{name}: {parameter} must be null; pass None")


def _other_view(operator: str, tensor: Any, name: str) -> ArrayView:
    """The view of a tensor that is not a plain aclTensor."""
    if tensor is None:
        raise NullArgument(f"{operator}: {missing(name)}")
    if isinstance(tensor, AclTensor):
        if tensor.view is None:
            raise InvalidArgument(f"{operator}: {name} {DESTROYED}")
        return tensor.view
    return arrays.view(tensor, operator, name)


def of_call(function: CFunction, args: tuple[Any, ...]) -> CFunction:
    """The C function that computes a call: `function`, or the function of `otherwise` if the call has its outputs.

    The function of `otherwise` must have all its tensors. `function` refuses the other calls, unless the outputs are
    empty.
    """
    c = function.signature.function
    if c.otherwise is None and c.chooses is None:
        return function
    arguments = {p.name: argument for p, argument in zip(function.signature.parameters, args, strict=False)}
    if c.chooses is not None:
        product = rules_of_c().product
        assert product is not None, "a product judges the calls of C"
        return _of_operator(function, c.chooses(arguments, product))
    names = {name for name, argument in arguments.items() if argument is not None}
    if not {p.name for p in function.signature.parameters if p.has("must_be_null")} & names:
        return function
    other = _other(function)
    needed = {a.name for a in other.operator.schema.tensors if not a.is_optional}
    tensors = {p.argument for p in other.signature.parameters if p.name in names}
    if needed <= tensors:
        return other
    _refuse_dtypes(function, other, args)
    return function


def _refuse_dtypes(function: CFunction, other: CFunction, args: tuple[Any, ...]) -> None:
    """Raise if an output of `refused` has a dtype that it lacks in the function `other`."""
    refused = [p.name for p in function.signature.parameters if p.has("must_be_null")]
    operator = function.operator
    for p, output in zip(function.signature.parameters, args, strict=False):
        if p.name not in refused or output is None:
            continue
        dtype = _other_view(operator.name, output, p.name).meta.dtype
        result = next(each.argument for each in other.signature.parameters if each.name == p.name)
        allowed = other.operator.definition.dtypes_of(result)
        if dtype.name not in allowed:
            function._check_early((*args, None), rules_of_c())
            raise InvalidDtype(f"{operator.name}: {p.name} is {dtype}; it must be {either(allowed)}; convert {p.name}")


@cache
def _other(function: CFunction) -> CFunction:
    """The same C function with all its outputs, which another operator computes."""
    c = function.signature.function
    parameters = [
        replace(p, must_be_null=False) if isinstance(p, Parameter) and p.must_be_null else p for p in c.parameters
    ]
    every = replace(c, parameters=tuple(parameters), otherwise=None)
    return CFunction(next(signatures.of_function(c.otherwise, every)))


@cache
def _of_operator(function: CFunction, operator: Any) -> CFunction:
    """The same C function, computed by this operator. It refuses the last outputs, if the operator lacks them."""
    c = function.signature.function
    if operator.definition is function.operator.definition:
        return function
    lacking = [p.name for p in function.signature.parameters if p.is_output][len(operator.schema.outputs) :]
    parameters = [_lacking(p, lacking) for p in c.parameters]
    return CFunction(next(signatures.of_function(operator, replace(c, chooses=None, parameters=tuple(parameters)))))


def _lacking(parameter: str | Parameter, names: list[str]) -> str | Parameter:
    """The parameter, which must be null if it is one of `names`."""
    own = Parameter(parameter) if isinstance(parameter, str) else parameter
    return replace(own, must_be_null=True) if own.name in names else parameter


_functions: dict[str, CFunction] = {}


def find(name: str) -> CFunction | None:
    """The pair of C functions in which phase two has this name."""
    if name not in _functions:
        signature = signatures.find(name)
        if signature is not None:
            _functions.setdefault(name, CFunction(signature))
    return _functions.get(name)
