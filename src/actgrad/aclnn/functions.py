"""The two C functions of a signature: phase one checks a call and makes an executor, phase two computes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from .. import arguments, arrays, checks, preparation
from ..arrays import View
from ..checks import Terms
from ..errors import ActgradError, InvalidArgument, InvalidCall, KernelMissing, NullArgument
from ..plan import Plan, Prepared
from ..schema import Argument
from . import streams
from .executors import AclOpExecutor, ExecutorError
from .messages import report
from .objects import AclScalar, AclTensor, scalar_of, token_of
from .signatures import SECOND, Signature

_log = logging.getLogger("actgrad.aclnn")


class Known(NamedTuple):
    """A call that passed its checks, without its memory: the operator cache of the real interface."""

    prepared: Prepared
    attributes: dict[str, Any]
    tokens: list[Any]  # kept alive, since the key is their identities


KNOWN = 1024  # calls that a function remembers


class Function:
    """An operator's pair of C functions."""

    def __init__(self, signature: Signature):
        self.signature = signature
        operator = self.operator = signature.operator
        self._places = {p.argument: k for k, p in enumerate(signature.parameters)}
        # Where the schema's tensors stand among the arguments; in place, the input is the output.
        self.inputs = tuple(self._places[name] for name in operator.schema.tensor_names)
        named = (self._places[name] for name in operator.schema.outputs if not signature.in_place)
        self.outputs = tuple(named) or self.inputs
        self.tensors = (*self.inputs, *self.outputs)
        attributes = operator.schema.attributes
        self._others = [(self._places[a.name], a) for a in attributes if a.name in self._places]
        self._fixed = {
            name: arguments.attribute(operator, operator.schema.attributes_by_name[name], value)
            for name, value in signature.fixed.items()
        }
        self._known: dict[tuple[int, ...], Known] = {}

    def plan(self, given: tuple[Any, ...]) -> Plan:
        """The plan of a call with the arguments of phase one; raises what it breaks."""
        terms = Terms.chosen(typed=True)
        views: list[View] = []
        values: list[Any] = []  # the other arguments: scalars and flags
        tokens: list[Any] = [terms]
        is_plain = True
        try:
            for k in self.tensors:
                tensor = given[k]
                view = tensor.view if type(tensor) is AclTensor and tensor.is_plain else None
                if view is None:
                    view = self._other_view(tensor, self.signature.parameters[k].argument)
                    is_plain = is_plain and type(tensor) is not AclTensor
                    tokens.append(token_of(view))
                else:
                    tokens.append(tensor.token)
                views.append(view)
            for k, argument in self._others:
                value = given[k]
                if argument.type != "Scalar":
                    value = self._flag(value, argument)
                    tokens.append(value)
                else:
                    if type(value) is not AclScalar or value.is_destroyed:
                        value = self._scalar(value, argument.name)
                    tokens.append(value.token)
                values.append(value)
        except ActgradError:
            self._check_early(given, terms)  # what is null or not on the product counts before all else
            raise
        n = len(self.inputs)
        key = tuple(map(id, tokens))
        known = self._known.get(key) if is_plain else None
        if known is not None:
            return self.operator.plan_prepared(known.prepared, known.attributes, views[:n], views[n:])
        plan = self._new_plan(given, views, values, terms)
        if is_plain:
            while len(self._known) >= KNOWN:
                self._known.pop(next(iter(self._known)), None)
            self._known[key] = Known(plan.prepared, plan.attributes, tokens)
        return plan

    def _new_plan(self, given: tuple[Any, ...], views: list[View], values: list[Any], terms: Terms) -> Plan:
        """The plan of a call that is not known yet."""
        operator, n = self.operator, len(self.inputs)
        named = {argument.name: value for (_, argument), value in zip(self._others, values, strict=True)}
        attributes = {**dict.fromkeys(operator.defaults), **self._fixed, **named}
        scalars = {name: value for name, value in attributes.items() if isinstance(value, AclScalar)}
        attributes |= {name: scalar.value for name, scalar in scalars.items()}
        dtypes = tuple([scalar.dtype for scalar in scalars.values()])
        formats, fault = self._formats_and_fault(given)
        if fault:
            # The operator's own checks come first: those of memory are no part of its contract.
            metas = tuple([view.meta for view in views])
            with suppress(KernelMissing):  # which is found out later than this
                preparation.prepare(operator, metas, attributes, terms, "cpu", dtypes, formats)
            raise InvalidArgument(f"{operator.name}: {fault}")
        return operator.plan_views(views[:n], views[n:], attributes, terms, None, dtypes, formats)

    def _other_view(self, tensor: Any, name: str) -> View:
        """The view of a tensor that is no plain aclTensor."""
        if tensor is None:
            raise NullArgument(f"{self.operator.name}: {name} is None; it is required")
        if isinstance(tensor, AclTensor):
            if tensor.view is None:
                raise InvalidArgument(f"{self.operator.name}: {name} was destroyed")
            return tensor.view
        return arrays.view(tensor, self.operator.name, name)

    def _scalar(self, value: Any, name: str) -> AclScalar:
        if value is None:
            raise NullArgument(f"{self.operator.name}: {name} is None; it is required")
        return scalar_of(value, self.operator.name, name)

    def _flag(self, value: Any, argument: Argument) -> Any:
        """A parameter that is a C bool or int64_t; names of values, as "tanh", are Python's alone."""
        if type(value) is bool and argument.type == "bool":
            return value
        if value is None or isinstance(value, str):
            wanted = "True or False" if argument.type == "bool" else "an integer"
            raise InvalidCall(f"{self.operator.name}: {argument.name} is {value!r}; it must be {wanted}")
        return arguments.attribute(self.operator, argument, value)

    def _check_early(self, given: tuple[Any, ...], terms: Terms) -> None:
        """Raise where a pointer is null, or the product lacks the operator."""
        operator = self.operator
        values = {p.argument: given[k] for k, p in enumerate(self.signature.parameters)}
        if self.signature.in_place:
            values |= dict.fromkeys(operator.schema.outputs, values[operator.schema.tensor_names[0]])
        checks.run(checks.Call(operator, values, values, terms), early=True)

    def _formats_and_fault(self, given: tuple[Any, ...]) -> tuple[tuple[str, ...], str]:
        """The formats, where one is not ND, and what is wrong with the memory of a tensor."""
        fault, is_plain = "", True
        for k in self.tensors:
            tensor = given[k]
            if type(tensor) is AclTensor and (tensor.fault or tensor.format != "ND"):
                is_plain = is_plain and tensor.format == "ND"
                if tensor.fault and not fault:
                    fault = f"{self.signature.parameters[k].argument} {tensor.fault}"
                if tensor.format == "FRACTAL_NZ":
                    name = self.signature.parameters[k].name
                    _log.warning("%s: %s has format FRACTAL_NZ; it is read as ND", self.signature.name, name)
        if is_plain:
            return (), fault
        tensors = [given[k] for k in self.tensors]
        return tuple(t.format if isinstance(t, AclTensor) else "ND" for t in tensors), fault


def first(function: Function) -> Callable[..., tuple[int, int, AclOpExecutor | None]]:
    """Phase one of an operator as a Python function with the C function's name and parameters."""
    signature = function.signature
    names = [p.name for p in signature.parameters]
    count = len(names)

    def phase_one(*given: Any) -> tuple[int, int, AclOpExecutor | None]:
        if len(given) != count:
            raise InvalidCall(f"{signature.first_name} takes ({', '.join(names)}), got {len(given)} arguments")
        try:
            plan = function.plan(given)
            return 0, plan.workspace_size, AclOpExecutor(function, plan, given)
        except Exception as error:  # C's function does not raise
            return report(error, signature.translated(str(error))), 0, None

    phase_one.__doc__ = f"""(status, workspaceSize, executor) of a call: phase one, which checks it.

    In C: {signature}.
    Tensors are of aclCreateTensor, NumPy arrays or torch.Tensor; scalars of aclCreateScalar or plain numbers; None is
    the null pointer. Nothing is raised and nothing computed; aclGetRecentErrMsg() says what a status means.
    """
    return _named(phase_one, signature.first_name, names)


def second(function: Function) -> Callable[[Any, int, AclOpExecutor | None, Any], int]:
    """Phase two of an operator."""
    signature = function.signature
    name = signature.name

    def phase_two(workspace: Any, workspaceSize: int, executor: AclOpExecutor | None, stream: Any) -> int:
        try:
            if executor is None:
                raise NullArgument(f"{name}: executor is a null pointer; it is required")
            if type(executor) is not AclOpExecutor or executor.function is not function:
                raise ExecutorError(f"{name}: executor is {executor!r}; it must be one of {signature.first_name}")
            work = executor.repeat or executor.take()
            if workspaceSize and workspace is None:
                raise NullArgument(f"{name}: workspace is a null pointer, but workspaceSize is {workspaceSize}")
            if stream is None and not streams.STRICT:
                work()
            else:
                streams.stream_of(stream, name).submit(work)
        except Exception as error:  # C's function does not raise
            return report(error)
        return 0

    phase_two.__doc__ = f"""The status of phase two, which computes what phase one checked.

    In C: aclnnStatus {name}({", ".join(SECOND)}).
    {signature.operator.summary}
    """
    return _named(phase_two, name, [word.split()[-1] for word in SECOND])


def _named(function: Any, name: str, parameters: list[str]) -> Any:
    """`function` with the C function's name and parameters, for help() and editors."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = __package__
    function.__text_signature__ = f"({', '.join([*parameters, '/'])})"
    return function
