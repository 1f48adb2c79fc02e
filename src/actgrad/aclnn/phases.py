"""The two phases as functions: phase one checks a call and makes an executor, phase two computes."""

from __future__ import annotations

from collections.abc import Callable
from keyword import iskeyword
from typing import Any

from ..base.errors import InvalidCall, NullArgument, quantity, quote
from ..contract.documentation import first_line
from . import streams
from .c_functions import CFunction
from .executors import AclOpExecutor, ExecutorError
from .messages import report
from .signatures import SECOND


def first(function: CFunction) -> Callable[..., tuple[int, int, AclOpExecutor | None]]:
    """Phase one of an operator as a Python function with the C function's name and parameters."""
    signature = function.signature
    names = [p.name for p in signature.parameters]
    count = len(names)

    def phase_one(*args: Any) -> tuple[int, int, AclOpExecutor | None]:
        if len(args) != count:
            expected = f"it takes {count}: {', '.join(names)}"
            raise InvalidCall(f"{signature.first_name}: got {quantity(len(args), 'argument')}; {expected}; pass all")
        try:
            plan = function.plan(args)
            return 0, plan.workspace_size, AclOpExecutor(function, plan, args)
        except Exception as error:  # a C function does not raise
            return report(error, signature.translated(str(error))), 0, None

    phase_one.__doc__ = f"""(status, workspaceSize, executor) of a call: phase one, which checks it.

    In C: {signature}.
    Tensors are of aclCreateTensor, NumPy arrays or torch.Tensor, scalars of aclCreateScalar or plain numbers. None is
    the null pointer. The function raises nothing and computes nothing. aclGetRecentErrMsg() explains a status.
    """
    return _named(phase_one, signature.first_name, names)


def second(function: CFunction) -> Callable[[Any, int, AclOpExecutor | None, Any], int]:
    """Phase two of an operator."""
    signature = function.signature
    name = signature.name

    def phase_two(workspace: Any, workspaceSize: int, executor: AclOpExecutor | None, stream: Any) -> int:
        try:
            if executor is None:
                raise NullArgument(
                    f"{name}: executor is a null pointer; it is required; pass the one of {signature.first_name}"
                )
            if type(executor) is not AclOpExecutor or executor.function is not function:
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

    phase_two.__doc__ = f"""The status of phase two, which computes the call that phase one checked.

    In C: aclnnStatus {name}({", ".join(SECOND)}).
    {signature.translated(first_line(signature.operator.definition))}
    """
    return _named(phase_two, name, [word.split()[-1] for word in SECOND])


def _named(function: Any, name: str, parameters: list[str]) -> Any:
    """Give `function` the C function's name and parameters, for help() and editors."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = __package__
    names = [name + "_" * iskeyword(name) for name in parameters]  # C has a parameter lambda
    function.__text_signature__ = f"({', '.join([*names, '/'])})"
    return function
