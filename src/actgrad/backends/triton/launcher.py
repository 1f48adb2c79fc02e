"""Makes the kernel of a computation: cuts it into tiles, compiles it for its device, prepares its launches."""

from __future__ import annotations

from collections.abc import Callable

from triton import knobs

from ...base.computation import Computation
from ...base.errors import BackendUnavailable, InvalidArgument
from ...base.loop import Loop
from ..kernel import BackendKernel, EmptyKernel
from . import device, program
from .element import element
from .grid import TiledKernel, tile
from .machines import INTERPRETER, MACHINES, Machine
from .row_program import row_kernel

ALIGNMENT = 16  # the most bytes that one access moves


def walked(computation: Computation) -> Loop:
    """The loop that the kernel of a computation runs over."""
    return computation.loop if computation.statistics is not None else computation.loop.coalesced()


def tiled_kernel(computation: Computation, machine: Machine) -> TiledKernel:
    """The tiled kernel of a computation on at least one element."""
    loop = walked(computation)
    for operand in loop.operands:
        if any(stride % operand.dtype.itemsize for stride in operand.strides):
            steps = ", ".join(map(str, operand.strides))
            raise InvalidArgument(
                f"backend is 'triton', but {operand.dtype} elements lie {steps} bytes apart; strides must be "
                "multiples of "
                "the element's size; pass a contiguous copy"
            )
    if computation.statistics is not None:
        return row_kernel(computation, machine)
    return tile(loop, element(computation, machine), machine is INTERPRETER)


class _TritonKernel:
    """The common part of all kernels."""

    machine_code = None
    with_scalars = None
    with_size = None

    def __init__(self, computation: Computation, machine: Machine):
        loop = walked(computation)
        self.tiled = tiled_kernel(computation, machine)
        self._places = tuple((operand.tensor, operand.offset) for operand in loop.operands)
        self._units = [(o.dtype.part if o.dtype.kind == "complex" else o.dtype).itemsize for o in loop.operands]
        self._mismatch = max(self._units) - 1  # the address bits that show a misalignment


class CompiledKernel(_TritonKernel):
    """A computation as machine code of a GPU.

    `run` only adds the addresses. Their low bits select the variant for their alignment.
    """

    def __init__(self, computation: Computation):
        self.device = device.find(computation.device)
        super().__init__(computation, MACHINES[self.device.target.backend])
        self._numbers = tuple([parameter.value for parameter in self.tiled.parameters])
        self._launches: list[Callable[..., object] | None] = [None] * ALIGNMENT  # indices: low bits of the addresses
        self._launch(0)

    def __str__(self) -> str:
        target = self.device.target
        return f"Triton, {target.backend} {target.arch}, {self.tiled.description}"

    def run(self, *addresses: int) -> None:
        """Launch on the device's current stream."""
        pointers = [addresses[tensor] + offset for tensor, offset in self._places]
        low = 0
        for pointer in pointers:
            low |= pointer
        if low & self._mismatch and any(p % unit for p, unit in zip(pointers, self._units, strict=True)):
            raise InvalidArgument(
                "backend is 'triton', but a tensor's address is unaligned; addresses must be multiples of the "
                "element's "
                "size; pass a copy"
            )
        low &= ALIGNMENT - 1
        launch = self._launches[low] or self._launch(low)
        number, _, get_current, set_current, get_stream = self.device
        current = get_current()
        if current == number:
            launch(get_stream(number), pointers)
            return
        set_current(number)
        try:
            launch(get_stream(number), pointers)
        finally:
            set_current(current)

    def _launch(self, low: int) -> Callable[..., object]:
        """The function that launches the variant for addresses with these low bits."""
        alignment = low & -low or ALIGNMENT
        with self.device.made_current():
            compiled = program.compiled(self.tiled, self.device.target, alignment)
            enter = compiled.run  # reading the attribute loads the code
        tiles, numbers = self.tiled.tiles, self._numbers
        function, metadata = compiled.function, compiled.packed_metadata

        def launch(stream: int, pointers: list[int]) -> None:
            enter(tiles, 1, 1, stream, function, metadata, None, None, None, *pointers, *numbers)

        launch.compiled = compiled  # type: ignore[attr-defined]  # the driver unloads code with the last reference
        self._launches[low] = launch
        return launch


class InterpretedKernel(_TritonKernel):
    """A computation that Triton's interpreter runs on the CPU: slow, for tests on machines without a GPU."""

    def __init__(self, computation: Computation):
        if not knobs.runtime.interpret:
            raise BackendUnavailable(
                "backend is 'triton', but the tensors are on the CPU; Triton's interpreter must be on; set "
                "TRITON_INTERPRET=1"
            )
        super().__init__(computation, INTERPRETER)

    def __str__(self) -> str:
        return f"Triton's interpreter, {self.tiled.description}"

    def run(self, *addresses: int) -> None:
        """Compute with the interpreter."""
        program.interpret(self.tiled, [addresses[tensor] + offset for tensor, offset in self._places])


def prepare(computation: Computation) -> BackendKernel:
    """The kernel of a computation."""
    if computation.is_empty:
        return EmptyKernel()
    return (InterpretedKernel if computation.device == "cpu" else CompiledKernel)(computation)
