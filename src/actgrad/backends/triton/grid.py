"""Cuts a loop into tiles, one per program, and writes the text of a kernel, which computes one tile.

A flat loop is contiguous in every operand. A program takes a run of elements, and only the last run has a mask, so that
accesses have 128 bits for any number of elements. Any other loop is cut into tiles of one or two dimensions, and a
program's number gives its indices in the other dimensions. Pointers advance to the tile in 64 bits, once per program.
Offsets within a tile have 32 bits, unless the tile is larger than their range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

from ...base.dtypes import Dtype
from ...base.loop import Loop, Operand
from .element import ElementFunction
from .widening import memory_type

THREAD_BYTES = 32  # bytes of the widest operand per thread: two 128-bit accesses in flight
WARPS = 4
INTERPRETED_TILE = 1 << 16  # elements; a large tile, because the interpreter's time grows with the number of operations
TRANSPOSED_TILE = 64  # elements in each dimension, if operands are contiguous in different dimensions
FULL = 256  # elements in the second dimension that fill a tile well
VARYING = 1024  # elements assumed for a tracer's symbol; if this is too many, idle lanes cost little
LEAST_RUN = 32  # elements, at least, in the innermost dimension of a tile, if the loop has as many
REACH = 2**31 - 2**16  # the range of 32-bit offsets


class KernelArgument(NamedTuple):
    """A number that a launch passes to the kernel."""

    name: str
    type: str
    value: float
    is_hinted: bool = False  # whether the compiler may use its divisor

    @property
    def divisor(self) -> int:
        """The largest power of two up to 16 that divides the number, or 1 if the compiler may not use a divisor."""
        return min(16, int(self.value) & -int(self.value)) if self.is_hinted else 1


class TiledKernel(NamedTuple):
    """A kernel's text, its parameters and the number of its programs."""

    text: str
    pointers: tuple[tuple[str, str], ...]  # name and type, outputs first
    parameters: tuple[KernelArgument, ...]
    tiles: int
    warps: int
    description: str


def tile(loop: Loop, element: ElementFunction, interpreted: bool) -> TiledKernel:
    """The kernel for a coalesced loop of at least one element."""
    writer = _TileWriter(loop, element)
    elements = WARPS * 32 * max(1, THREAD_BYTES // max(o.dtype.itemsize for o in loop.operands))
    if all(_is_flat(o, output) for output in (True, False) for o in (loop.outputs if output else loop.inputs)):
        block = min(INTERPRETED_TILE, _power_above(loop.size)) if interpreted else elements
        return writer.flat(block)
    sizes = [n if isinstance(n, int) else VARYING for n in loop.shape]
    inner, second = _tile_dimensions(loop, sizes)
    if interpreted:
        elements = INTERPRETED_TILE
    blocks = {inner: min(_power_above(sizes[inner]), elements)}
    if second is not None:
        is_transposed = any(_step(o, second) == 1 for o in loop.operands)
        if is_transposed and not interpreted:
            elements = TRANSPOSED_TILE**2
        tile = _tile(sizes[inner], sizes[second], elements, is_transposed)
        blocks = dict(zip((inner, second), tile, strict=True))
    return writer.tiled(blocks, 2 * WARPS if prod(blocks.values()) > elements // 2 > 1024 else WARPS)


def _step(operand: Operand, dimension: int) -> int:
    """An operand's stride along a dimension in elements."""
    return operand.strides[dimension] // operand.dtype.itemsize


def _is_flat(operand: Operand, is_output: bool) -> bool:
    if not operand.strides:
        return True
    return len(operand.strides) == 1 and (_step(operand, 0) == 1 or (not is_output and operand.strides[0] == 0))


def _tile_dimensions(loop: Loop, sizes: Sequence[int]) -> tuple[int, int | None]:
    """The innermost dimension, and the second dimension of a tile.

    The second dimension is a dimension in which another operand is contiguous, so that every operand is accessed in
    runs. If no such dimension exists, it is the innermost dimension that fills a tile, or else the longest dimension.
    """
    inner = len(sizes) - 1
    contiguous_dims = [d for d in range(inner) if any(_step(o, d) == 1 for o in loop.operands)]
    if contiguous_dims or not inner:
        return inner, contiguous_dims[-1] if contiguous_dims else None
    return inner, max(range(inner), key=lambda d: (min(sizes[d], FULL), d))


def _tile(inner: int, second: int, elements: int, is_transposed: bool) -> tuple[int, int]:
    """The sizes of a tile, which are powers of two.

    Take the sizes with the fewest idle lanes, and of these the longest.
    """
    if is_transposed:
        inner_block = min(_power_above(inner), TRANSPOSED_TILE)
        return inner_block, min(_power_above(second), elements // inner_block)
    longest = min(_power_above(inner), elements)
    lengths = [longest >> k for k in range(16) if longest >> k >= min(longest, LEAST_RUN)]
    tiles = [(n, min(_power_above(second), elements // n)) for n in lengths]
    return min(tiles, key=lambda t: (_padded(inner, t[0]) * _padded(second, t[1]), -t[0]))


def _padded(size: int, block: int) -> int:
    return -(-size // block) * block


def _power_above(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


class KernelWriter:
    """Writes a kernel: its parameters, the functions that it calls, and its body."""

    def __init__(self, loop: Loop):
        self.loop = loop
        names = [f"out{k}" for k in range(len(loop.outputs))] + [f"in{k}" for k in range(len(loop.inputs))]
        self.operands = dict(zip(names, loop.operands, strict=True))
        self.numbers: list[KernelArgument] = []
        self.uniforms: list[KernelArgument] = []
        self.functions: list[str] = []

    def call(self, name: str, element: ElementFunction) -> Callable[[Sequence[str]], str]:
        """Write an element's function under this name. Returns a function that makes the text of a call."""
        self.functions.append(element.text.replace("def element(", f"def {name}(", 1))
        prefix = "u" if name == "element" else f"{name}_u"
        parameters = [KernelArgument(f"{prefix}{k}", element.uniform_type, u) for k, u in enumerate(element.uniforms)]
        self.uniforms += parameters
        return lambda arguments: f"{name}({', '.join([*arguments, *(p.name for p in parameters)])})"

    def kernel(self, body: list[str], tiles: int, warps: int, description: str) -> TiledKernel:
        """The kernel with this body."""
        pointers = tuple((name, "*" + memory_type(o.dtype)) for name, o in self.operands.items())
        parameters = (*self.numbers, *self.uniforms)
        names = ", ".join([name for name, _ in pointers] + [p.name for p in parameters])
        text = "\n".join([*(f"{f}\n\n" for f in self.functions), f"def kernel({names}):", *indented(body), ""])
        return TiledKernel(text, pointers, parameters, tiles, warps, description)


class _TileWriter(KernelWriter):
    """Writes the kernel of one tile around an element's function."""

    def __init__(self, loop: Loop, element: ElementFunction):
        super().__init__(loop)
        self.element = self.call("element", element)
        self.results = [f"y{k}" for k in range(element.results)]

    def flat(self, block: int) -> TiledKernel:
        """The kernel of a loop that is contiguous in every operand."""
        self.numbers.append(KernelArgument("count", "i64", self.loop.size))
        moved = [name for name, o in self.operands.items() if not o.strides or o.strides[0]]
        everywhere, somewhere = dict.fromkeys(self.operands, ""), dict.fromkeys(moved, "inside")
        layouts = everywhere | dict.fromkeys(moved, "lane")
        body = [
            f"start = tl.program_id(0).to(tl.int64) * {block}",
            f"lane = tl.arange(0, {block})",
            *(f"{name} += start{_scale(self.operands[name].dtype)}" for name in moved),
            f"if start + {block} <= count:",
            *indented(self._access(layouts, everywhere, [block])),
            "else:",
            "    inside = lane < (count - start).to(tl.int32)",
            *indented(self._access(layouts, everywhere | somewhere, [block])),
        ]
        return self.kernel(body, -(-self.loop.size // block), WARPS, f"runs of {block}")

    def tiled(self, blocks: dict[int, int], warps: int) -> TiledKernel:
        """The kernel of any loop. `blocks` maps the tile's dimensions to its sizes, the innermost first."""
        shape = self.loop.shape
        letters = dict(zip(blocks, "ij", strict=False))
        order = [*blocks, *(d for d in reversed(range(len(shape))) if d not in blocks)]
        body, tiles = ["rest = tl.program_id(0)"], 1
        for d in order:
            name = letters.get(d, f"d{d}")
            size = f"n_{name}"
            self.numbers.append(KernelArgument(size, "i32" if shape[d] < REACH else "i64", shape[d], d in blocks))
            count = -(-shape[d] // blocks.get(d, 1))
            tiles *= count
            if d in blocks:
                across = f"(({size} + {blocks[d] - 1}) // {blocks[d]})"
                body += [f"start_{name} = rest % {across} * {blocks[d]}", f"rest = rest // {across}"]
            else:
                body += [f"start_{name} = rest % {size}", f"rest = rest // {size}"]
        for d, letter in letters.items():
            lanes = f"tl.arange(0, {blocks[d]})"
            lanes += {"i": "[None, :]", "j": "[:, None]"}[letter] if len(blocks) > 1 else ""
            body += [f"lane_{letter} = {lanes}", f"inside_{letter} = start_{letter} + lane_{letter} < n_{letter}"]
        offsets, masks = {}, {}
        for name, operand in self.operands.items():
            advance: list[str] = []
            offset: list[str] = []
            reach = sum((n - 1) * abs(_step(operand, d)) for d, n in blocks.items())
            for d in order:
                step, index = _step(operand, d), letters.get(d, f"d{d}")
                if step == 0:
                    continue
                times = ""
                if step != 1:
                    stride = f"{name}_{index}"
                    is_wide = abs(step) >= REACH or (d in blocks and reach >= REACH)
                    self.numbers.append(KernelArgument(stride, "i64" if is_wide else "i32", step, True))
                    times = f" * {stride}"
                advance.append(f"start_{index}.to(tl.int64){times}")
                if d in blocks:
                    offset.insert(0, f"lane_{index}{times}")
            if advance:
                body.append(f"{name} += ({' + '.join(advance)}){_scale(operand.dtype)}")
            offsets[name] = " + ".join(offset)
            masks[name] = " & ".join(f"inside_{letters[d]}" for d in reversed(blocks) if _step(operand, d))
        body += self._access(offsets, masks, list(reversed(blocks.values())))
        description = f"tiles of {' x '.join(str(n) for n in reversed(blocks.values()))}"
        return self.kernel(body, tiles, warps, description)

    def _access(self, offsets: dict[str, str], masks: dict[str, str], shape: Sequence[int]) -> list[str]:
        """Lines that load the inputs, call the element's function and store.

        An operand without an offset is one element.
        """
        loads = []
        for name in self.operands:
            if name.startswith("in"):
                offset = f"{name} + {offsets[name]}" if offsets[name] else name
                loads.append(f"tl.load({offset}{f', {masks[name]}' if masks[name] else ''})")
        lines = [f"{', '.join(self.results)} = {self.element(loads)}"]
        for result, (name, operand) in zip(self.results, self.operands.items(), strict=False):
            offset, inside = offsets[name], masks[name]
            if operand.dtype.kind == "complex":
                pair = "[" + ", ".join(["None"] * len(shape)) + ", :]"
                lines.append(f"{result} = tl.broadcast_to({result}, {tuple(shape)})")
                result = f"tl.join({result}, tl.full({tuple(shape)}, 0, {result}.dtype))"
                offset = f"tl.expand_dims({offset}, {len(shape)}) * 2 + tl.arange(0, 2){pair}"
                inside = f"tl.expand_dims({inside}, {len(shape)})" if inside else ""
            lines.append(f"tl.store({name} + {offset}, {result}{f', {inside}' if inside else ''})")
        return lines


def _scale(dtype: Dtype) -> str:
    return " * 2" if dtype.kind == "complex" else ""


def indented(lines: Sequence[str]) -> list[str]:
    """The lines, indented."""
    return [f"    {line}" for line in lines]
