"""The two phases as functions: phase one checks a call and makes an executor, phase two computes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from keyword import iskeyword
from typing import Any

import numpy as np

from ...base.errors import InvalidCall, NullArgument, quantity, quote
from ...base.lazy_docstring import LazyDocstring
from ...checks.docstrings import Docstring, ExampleCall
from ...checks.documentation import first_line
from ..products import DEFAULT
from ..rules.rule import When
from . import streams
from .c_functions import CFunction, of_call
from .executors import AclOpExecutor, ExecutorError
from .messages import report
from .signatures import SECOND, Signature


class Phase(partial[Any]):
    """Phase one or phase two as a Python function, with the name and the parameters of the C function."""

    __name__: str
    __qualname__: str
    __text_signature__: str
    document: Callable[[], str]

    def __new__(cls, function: Any, name: str, parameters: list[str], document: Callable[[], str]) -> Phase:
        self = super().__new__(cls, function)
        function.__qualname__ = name  # Python's error about a missing argument has this name
        self.document, self.__name__, self.__qualname__, self.__module__ = document, name, name, str(__package__)
        names = [name + "_" * iskeyword(name) for name in parameters]  # a C function has a parameter `lambda`
        self.__text_signature__ = function.__text_signature__ = f"({', '.join([*names, '/'])})"
        return self

    def __repr__(self) -> str:
        return f"<C function {self.__name__}{self.__text_signature__}>"

    def __reduce__(self) -> Any:
        return self.__name__  # a pickle has only the name, and loading finds the same object


Phase.__doc__ = LazyDocstring(Phase.__doc__, lambda phase: phase.document())  # type: ignore[assignment]


def first(function: CFunction) -> Callable[..., tuple[int, int, AclOpExecutor | None]]:
    """Phase one of an operator as a Python function with the C function's name and parameters."""
    signature = function.signature
    names = [p.name for p in signature.parameters]
    count = len(names)

    def phase_one(*args: Any) -> tuple[int, int, AclOpExecutor | None]:
        if len(args) != count:
            expected = f"it takes {count}: {', '.join(names)}"
            raise InvalidCall(f"{signature.first_name}: got {quantity(len(args), 'argument')}; {expected}; pass all")
        computes = function
        try:
            computes = of_call(function, args)
            plan = computes.plan(args)
            return 0, plan.workspace_size, AclOpExecutor(computes, plan, args)
        except Exception as error:  # a C function does not raise
            return report(error, computes.signature.translated(str(error))), 0, None

    return Phase(phase_one, signature.first_name, names, lambda: _documentation(signature))


def second(function: CFunction) -> Callable[[Any, int, AclOpExecutor | None, Any], int]:
    """Phase two of an operator."""
    signature = function.signature
    name = signature.name

    def phase_two(workspace: Any, workspaceSize: int, executor: AclOpExecutor | None, stream: Any) -> int:
        try:
            if executor is None:
                raise NullArgument(
                    f"{name}: executor is a null pointer; it is required; pass the executor of {signature.first_name}"
                )
            if type(executor) is not AclOpExecutor or executor.function.signature.name != name:
                expected = f"it must be an executor of {signature.first_name}"
                raise ExecutorError(f"{name}: executor is {quote(executor)}; {expected}; pass that one")
            work = executor.repeat or executor.take()
            if workspaceSize and workspace is None:
                size = f"workspaceSize is {quote(workspaceSize)}"
                expected = "it must be memory of that size"
                raise NullArgument(f"{name}: workspace is a null pointer, but {size}; {expected}; allocate it")
            if stream is None and not streams.STRICT:
                work()
            else:
                streams.stream_of(stream, name).submit(work)
        except Exception as error:  # a C function does not raise
            return report(error)
        return 0

    parameters = [word.split()[-1] for word in SECOND]
    return Phase(phase_two, name, parameters, lambda: _documentation_of_second(signature))


def _documentation_of_second(signature: Signature) -> str:
    """The docstring of phase two."""
    return f"""{signature.translated(first_line(signature.operator.definition))}

    Phase two computes the call that phase one checked. In C: aclnnStatus {signature.name}({", ".join(SECOND)}).

    Args:
        workspace (array): Memory of workspaceSize bytes, or None if workspaceSize is 0.
        workspaceSize (int): The size that {signature.first_name} returned.
        executor (AclOpExecutor): The executor that {signature.first_name} returned.
        stream (AclrtStream): A stream of aclrtCreateStream. None is the default stream.

    Returns:
        status (int): 0 if the outputs are written. Otherwise aclGetRecentErrMsg() says why not.

    Example: see help(actgrad.aclnn.{signature.first_name}).
    """


class CDocstring(Docstring):
    """The docstring of phase one, with the rules, dtypes and formulas of the function's law."""

    def __init__(self, signature: Signature):
        definition, law = signature.operator.definition, signature.law
        super().__init__(definition, signature.translated, "array or AclTensor", has_defaults=False)
        self.checks = tuple([rule for rule in signature.checks if rule.when is When.ALWAYS])
        self.requires = (*definition.requires, *law.requires)
        self.dtypes = law.dtype_names
        self.formulas = (definition.formula, *law.formulas.values())


def _documentation(signature: Signature) -> str:
    """The docstring of phase one: the parameters, the checks for each status, and an example with both phases."""
    definition = signature.operator.definition
    writer = CDocstring(signature)
    arguments, statuses = [], dict[int, list[str]]()
    for parameter in signature.parameters:
        words = f"({'array or AclTensor' if parameter.type == 'Tensor' else 'int'}): Not read."
        if parameter.has("must_be_null"):
            words = "(array or AclTensor): Output, or a null pointer."
        if parameter.origin is not None and parameter.origin.constant is not None:
            constant = parameter.origin.constant
            words = f"({'str' if isinstance(constant, str) else 'int'}): Always {constant!r}."
        if not parameter.is_unread:
            is_input = parameter.argument not in definition.schema.outputs
            words = writer.argument(parameter.argument) if is_input else "(array or AclTensor): Output."
        if parameter.has("null_means_default"):
            words += f" A null pointer means {definition.defaults[parameter.argument]!r}."
        words += " It is overwritten with the result." if signature.in_place and parameter.is_output else ""
        arguments.append(f"{parameter.name} {words} In C: {parameter.c_type}.")
    arguments += [f"Fixed: {name}={value!r}." for name, value in signature.fixed.items()]
    for check in signature.checks:
        if check.when is not When.DOCUMENT:
            statuses.setdefault(check.status, []).append(signature.translated(check.rule))
    lines = [f"{status}: a rule is broken: {'; '.join(dict.fromkeys(rules))}." for status, rules in statuses.items()]
    return writer.write(
        ("In C", [str(signature)]),
        ("Args", [*arguments, "None is the null pointer. An array is a NumPy array or a torch.Tensor."]),
        ("Shape", writer.shapes()),
        ("Returns", ["(status, workspaceSize, executor). If status is not 0, the executor is None."]),
        ("Status", ["0: the call passed the checks. Nothing is computed before phase two.", *lines]),
        ("Raises", ["InvalidCall: the number of arguments is wrong. aclGetRecentErrMsg() explains a status."]),
        example=_example(signature),
    )


def _example(signature: Signature) -> list[str]:
    """An example with both phases on small arrays, on a product that has the function."""
    definition, law = signature.operator.definition, signature.law
    dtype = "float32" if "float32" in law.dtype_names else law.dtype_names[0]
    sample = ExampleCall(definition, dtype=f", dtype=np.{dtype}", has_whole_blocks=True)
    outputs = definition.schema.outputs
    required = {name for check in signature.checks if check.error is NullArgument for name in check.about}
    tensors, codes = {}, []
    origins = {p.name: p.origin for p in signature.parameters if p.origin is not None}
    numbers = {name: p.example if p.constant is None else p.constant for name, p in origins.items()}
    values = {**sample.attributes, **{name: value for name, value in numbers.items() if value is not None}}
    for p in signature.parameters:
        if p.type == "Tensor" and (p.argument in required or (p.is_unread and not p.is_optional)):
            codes.append(f"{p.name}{'_' * iskeyword(p.name)}")  # a C function has a parameter `lambda`
            is_output = p.argument in outputs
            of_output, *_ = (*definition.dtypes_of(p.argument), dtype)
            library = "np" if hasattr(np, of_output) else "ml_dtypes"
            empty = f"np.empty({sample.result_shapes.get(p.argument)}, dtype={library}.{of_output})"
            tensors[codes[-1]] = empty if is_output else sample.tensor(definition.main if p.is_unread else p.argument)
        else:
            value = values.get(p.argument, 0 if p.type == "int" else None)
            is_number = p.argument == definition.switch and value in definition.choices and p.type != "text"
            codes.append(repr(definition.choices.index(value) if is_number else value))
    phase_one = [f"status, size, executor = actgrad.aclnn.{signature.first_name}(", f"    {', '.join(codes)}", ")"]
    if DEFAULT.name not in law.product_names:
        with_product = f"with actgrad.product({law.product_names[0]!r}):"
        phase_one = [with_product, *(f"    {line}" for line in phase_one)]
    return [
        *([">>> import ml_dtypes"] if any("ml_dtypes." in code for code in tensors.values()) else []),
        ">>> import numpy as np",
        ">>> import actgrad.aclnn",
        *(f">>> {name} = {code}" for name, code in tensors.items()),
        f">>> {phase_one[0]}",
        *(f"... {line}" for line in phase_one[1:]),
        ">>> workspace = np.empty(size, np.uint8) if size else None",
        f">>> status, actgrad.aclnn.{signature.name}(workspace, size, executor, None)",
        "(0, 0)",
    ]
