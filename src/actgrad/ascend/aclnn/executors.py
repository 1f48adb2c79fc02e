"""Executors. An executor is a call that phase one has checked. Phase two computes the call, once or repeatedly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.errors import ActgradError, InvalidArgument, kind_of, quote
from ...base.forks import forkable_lock
from ...calls.plan import Plan
from .c_functions import CFunction
from .messages import report
from .names import STATUSES
from .objects import DESTROYED, AclTensor, Handle, storage_of

_take_lock = forkable_lock()  # two threads must not run an ordinary executor twice


class ExecutorError(ActgradError):
    """An executor has run already, was destroyed, or belongs to another operator (ACLNN_ERR_INNER)."""


class InnerNull(ActgradError):
    """A function about executors gets a null pointer (ACLNN_ERR_INNER_NULLPTR)."""

    status = STATUSES["ACLNN_ERR_INNER_NULLPTR"]


class AclOpExecutor(Handle):
    """aclOpExecutor: a checked call. It runs once, unless aclSetAclOpExecutorRepeatable made it reusable.

    Afterwards, or when it is destroyed, it releases its plan and its tensors.
    """

    __slots__ = ("__weakref__", "_plan", "_tensors", "function", "repeat")

    def __init__(self, function: CFunction, plan: Plan, arguments: tuple[Any, ...]):
        self.function = function
        self._plan: Plan | None = plan
        self._tensors = (*arguments, None)  # the arguments of phase one. None is for tensors that the function lacks
        self.repeat: Callable[[], object] | None = None  # the work of phase two, if the executor is reusable

    def __repr__(self) -> str:
        label = f"aclOpExecutor of {self.function.signature.name}"
        return f"<{label}, used up>" if self._plan is None else f"<{label}: {self._plan}>"

    @property
    def plan(self) -> Plan:
        """The plan. Raises ExecutorError if the executor has run or was destroyed."""
        if self._plan is None:
            name = self.function.signature.name
            raise ExecutorError(
                f"{name}: executor ran already or was destroyed; each call needs a new one; call "
                f"{name}GetWorkspaceSize again"
            )
        return self._plan

    def take(self) -> Callable[[], object]:
        """The work of phase two. An ordinary executor then releases its plan."""
        if self.repeat is not None:
            return self.repeat
        with _take_lock:
            run = self.plan.run
            self._plan, self._tensors = None, ()
        return run

    def make_repeatable(self) -> None:
        """Make the executor reusable: phase two may run many times, until the executor is destroyed."""
        self.repeat = self.plan.run

    def destroy(self) -> None:
        """Release the plan and the tensors. Raises ExecutorError if they are released already."""
        with _take_lock:
            assert self.plan
            self._plan, self.repeat, self._tensors = None, None, ()

    def move(self, function: str, positions: tuple[int, ...], index: Any, tensor: Any, addr: Any) -> None:
        """Move the tensor at `positions[index]` of the arguments to another storage. The kernel stays the same."""
        plan = self.plan
        if self.repeat is None:
            raise ExecutorError(
                f"{function}: executor runs once; it must be reusable; call aclSetAclOpExecutorRepeatable first"
            )
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(positions):
            limits = f"it must lie in [0, {len(positions) - 1}]"
            raise InvalidArgument(f"{function}: index is {quote(index)}; {limits}; pass the position of the tensor")
        if tensor is not self._tensors[positions[index]]:
            raise InvalidArgument(
                f"{function}: tensor is not the tensor of phase one; it must be the tensor at index {index}; pass that "
                "tensor"
            )
        if not isinstance(tensor, AclTensor) or tensor.view is None:
            kind = f"is {kind_of(tensor)}; it must be an aclTensor; call aclCreateTensor"
            raise InvalidArgument(f"{function}: tensor {DESTROYED if isinstance(tensor, AclTensor) else kind}")
        view, fault = tensor.view_on(storage_of(addr, function))
        if fault:
            raise InvalidArgument(f"{function}: tensor {fault}")
        # If the same tensor is an input and an output, for example in an in-place call, both move.
        outputs, inputs = self.function.outputs, self.function.inputs
        targets = [view if self._tensors[k] is tensor else old for k, old in zip(outputs, plan.outputs, strict=True)]
        sources = [view if self._tensors[k] is tensor else old for k, old in zip(inputs, plan.inputs, strict=True)]
        if view.device != plan.outputs[0].device:
            expected = f"it must be on {plan.outputs[0].device}, as in phase one"
            raise InvalidArgument(f"{function}: addr is on {view.device}; {expected}; pass memory there")
        self._plan = self.function.operator.plan_prepared(plan.prepared, plan.attributes, sources, targets)
        tensor.put(view, "")
        self.repeat = self._plan.run


def aclSetAclOpExecutorRepeatable(executor: AclOpExecutor | None) -> int:
    """Make an executor reusable, right after phase one. The program must call aclDestroyAclOpExecutor later."""
    return _on_executor("aclSetAclOpExecutorRepeatable", executor, AclOpExecutor.make_repeatable)


def aclDestroyAclOpExecutor(executor: AclOpExecutor | None) -> int:
    """Destroy a reusable executor, or an executor that has not run."""
    return _on_executor("aclDestroyAclOpExecutor", executor, AclOpExecutor.destroy)


def aclSetInputTensorAddr(executor: AclOpExecutor | None, index: int, tensor: AclTensor | None, addr: Any) -> int:
    """Move input `index` of a reusable executor to other memory: `addr`, which may be a storage of aclCreateTensor."""
    return _move("aclSetInputTensorAddr", executor, _inputs, index, tensor, addr)


def aclSetOutputTensorAddr(executor: AclOpExecutor | None, index: int, tensor: AclTensor | None, addr: Any) -> int:
    """Move output `index` of a reusable executor to other memory."""
    return _move("aclSetOutputTensorAddr", executor, lambda f: f.outputs, index, tensor, addr)


def aclSetTensorAddr(executor: AclOpExecutor | None, index: int, tensor: AclTensor | None, addr: Any) -> int:
    """Move tensor `index` of a reusable executor to other memory. The inputs come before the outputs."""
    return _move("aclSetTensorAddr", executor, lambda f: (*_inputs(f), *f.outputs), index, tensor, addr)


def _inputs(function: CFunction) -> tuple[int, ...]:
    """The positions of the inputs that the C function has as parameters."""
    return tuple(k for k in function.inputs if k < len(function.signature.parameters))


def _move(
    name: str,
    executor: AclOpExecutor | None,
    positions: Callable[[CFunction], tuple[int, ...]],
    index: int,
    tensor: AclTensor | None,
    addr: Any,
) -> int:
    def move(executor: AclOpExecutor) -> None:
        if tensor is None:
            raise InnerNull(f"{name}: tensor is a null pointer; it is required; pass an aclTensor")
        executor.move(name, positions(executor.function), index, tensor, addr)

    return _on_executor(name, executor, move)


def _on_executor(name: str, executor: AclOpExecutor | None, action: Callable[[AclOpExecutor], None]) -> int:
    """The status of an action on an executor."""
    try:
        if executor is None:
            raise InnerNull(f"{name}: executor is a null pointer; it is required; pass the executor of phase one")
        if not isinstance(executor, AclOpExecutor):
            kind = kind_of(executor)
            raise ExecutorError(
                f"{name}: executor is {kind}; it must be an aclOpExecutor; pass the executor of phase one"
            )
        action(executor)
    except Exception as error:  # a C function does not raise
        return report(error)
    return 0
