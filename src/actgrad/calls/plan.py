"""A plan: a checked call, ready to run. In aclnn, a plan is called an executor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..arrays import ArrayView, interception
from ..backends.kernel import BackendKernel
from ..base.computation import Computation
from ..base.errors import InvalidCall
from ..base.loop import TensorMeta
from ..base.records import Record
from . import extension
from .aliasing import ByteRange


class Prepared(Record):
    """A checked call without its data."""

    computation: Computation
    backend: str
    kernel: BackendKernel
    results: tuple[TensorMeta, ...]  # the metadata of all outputs
    layouts: tuple[ByteRange, ...]  # the layouts of the outputs, then of the inputs that the call has
    packed: bytes | None  # see packed_kernel

    def with_kernel(self, computation: Computation, kernel: BackendKernel) -> Prepared:
        """The same call with another computation and kernel, for other scalars."""
        return self.changed(computation=computation, kernel=kernel, packed=packed_kernel(computation, kernel))


def packed_kernel(computation: Computation, kernel: BackendKernel) -> bytes | None:
    """The kernel, packed for the extension, or None if the extension cannot run this kernel."""
    return extension.packed(kernel.machine_code, computation.loop.size)


class Plan:
    """A checked call, ready to run. `run()` only computes. A plan keeps its arrays alive. `print` shows its loop."""

    __slots__ = (
        "_packed", "addresses", "attributes", "inputs", "note_written", "operator", "outputs", "prepared", "result",
    )  # fmt: skip

    def __init__(
        self,
        operator: str,
        attributes: dict[str, Any],
        prepared: Prepared,
        outputs: Sequence[ArrayView],
        inputs: Sequence[ArrayView | None],
        addresses: tuple[int, ...],
        result: Any,
        note_written: Callable[[], object] | None,
    ):
        self.operator, self.attributes, self.prepared = operator, attributes, prepared
        self.outputs, self.inputs, self.addresses = outputs, inputs, addresses
        self.result, self.note_written = result, note_written
        packed = prepared.packed
        self._packed = packed and packed + extension.packer(len(addresses))(*addresses)

    def __repr__(self) -> str:
        return f"Plan(operator={self.operator!r}, attributes={self.attributes!r}, prepared={self.prepared!r})"

    def __copy__(self) -> Plan:
        return self

    def __reduce_ex__(self, _: Any) -> Any:
        raise InvalidCall(
            f"{self.operator}: a plan cannot be pickled or copied deeply; it must stay with the arrays that it was "
            f"made for; call {self.operator}.plan with the arrays that the copy is for"
        )

    @property
    def workspace_size(self) -> int:
        """The bytes of scratch memory that a caller must provide: 0, because the kernels need none."""
        return 0

    @property
    def computation(self) -> Computation:
        return self.prepared.computation

    @property
    def backend(self) -> str:
        return self.prepared.backend

    @property
    def kernel(self) -> BackendKernel:
        return self.prepared.kernel

    def run(self) -> Any:
        """Compute the outputs and return them. Call it again after the inputs changed."""
        # `launch` returns True, or None if a mode of PyTorch may be active. Then the lines below compute.
        if self._packed is not None and extension.native.launch(self._packed, self.note_written, True):
            return self.result
        if self.note_written is not None and interception.may_be_active():  # PyTorch's tensors
            interception.refuse(f"{self.operator}: plan.run() is called", "call the operator itself")
        self.prepared.kernel.run(*self.addresses)
        if self.note_written is not None:
            self.note_written()
        return self.result

    def __str__(self) -> str:
        attributes = ", ".join(f"{name}={value!r}" for name, value in self.attributes.items())
        return (
            f"{self.operator}({attributes})\n"
            f"  loop     {self.computation.loop}, computed in {self.computation.compute}\n"
            f"  backend  {self.backend}: {self.kernel}"
        )
