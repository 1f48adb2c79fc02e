"""The kernels of the folder `faults`: what each computes, and which fault the comments in it plant.

`FAULT=3` compiles a kernel with its third fault. The line that a report must name carries the comment
`FAULT 3: sync-missing`; two lines carry one where either end of a conflict may be named. "(any line)" stands where the
documents tell of no line: a wild pointer, or a loop without a call.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.kernel.kernels import C_TYPES, NUMPY, Array

FOLDER = Path(__file__).parent / "faults"
KINDS = (
    "gm-read-out-of-bounds",
    "gm-write-out-of-bounds",
    "gm-overlapping-writes",
    "gm-race",
    "ub-capacity",
    "ub-alignment",
    "ub-out-of-bounds",
    "ub-uninitialised",
    "ub-use-after-free",
    "copy-length",
    "queue-empty",
    "queue-full",
    "queue-double-free",
    "queue-leak",
    "sync-missing",
    "flag-unpaired",
    "deadlock",
    "parameter-truncated",
    "overlap",
    "compare-remainder",
    "dtype-unsupported",
    "inputs-modified",
    "mask-or-repeat",
    "timeout",
    "crash",
)
_MARKER = re.compile(r"// FAULT (.*)$")
_PLANTED = re.compile(r"(\d+): ([a-z-]+)( \(any line\))?")


@dataclass(frozen=True)
class FaultyKernel:
    """`total`, `per_block` and `tile` are the tiling data.

    x has `total * inputs` elements, y has `total * outputs + rest`; the last `rest` ones are 0 before the run.
    """

    file: str
    oracle: Callable[[Array, int], Array]  # x and the share of a block -> y
    total: int
    per_block: int
    tile: int
    blocks: int
    dtype: str = "float32"
    inputs: int = 1
    outputs: int = 1
    rest: int = 0
    workspace: int = 0

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.file}.cpp"

    @property
    def tiling(self) -> dict[str, int]:
        return {"total": self.total, "perBlock": self.per_block, "tile": self.tile}

    @property
    def defines(self) -> dict[str, str]:
        return {"DTYPE_X": C_TYPES[self.dtype]}

    def arrays(self) -> tuple[Array, Array]:
        """The input x, which is read only, and the output y, full of NaN."""
        x = np.random.default_rng(self.total).uniform(0.5, 4.0, self.total * self.inputs)
        x = (x * np.where(np.arange(x.size) % 3 == 0, -1.0, 1.0)).astype(NUMPY[self.dtype])
        x.flags.writeable = False
        y = np.full(self.total * self.outputs + self.rest, np.nan, NUMPY[self.dtype])
        if self.rest:
            y[-self.rest :] = 0
        return x, y


@dataclass(frozen=True)
class Planted:
    kernel: FaultyKernel
    number: int
    kind: str
    lines: tuple[int, ...]  # (): any line

    def __str__(self) -> str:
        return f"{self.kernel.file}-{self.number}-{self.kind}"


def _carried(x: Array, share: int) -> Array:
    return np.concatenate([np.cumsum(x[i : i + share], dtype=np.float32) for i in range(0, x.size, share)])


def _reversed_evens(tile: int) -> Callable[[Array, int], Array]:
    def oracle(x: Array, share: int) -> Array:
        parts = []
        for block in range(0, x.size // 2, share):
            of_block = x[2 * block : 2 * (block + share)]
            for at in range(0, of_block.size, 2 * tile):
                piece = of_block[at : at + 2 * tile]
                parts.append(piece[0::2][::-1] + piece[0])
        return np.concatenate(parts)

    return oracle


def _less_mean(x: Array, share: int) -> Array:
    rows = x.reshape(-1, 20).astype(np.float64)
    return (rows - rows.mean(axis=1, keepdims=True)).reshape(-1)


def _quotients(x: Array, share: int) -> Array:
    return np.concatenate([x / x.sum(dtype=np.float64), np.full(8, -(-x.size // share))])


KERNELS = (
    FaultyKernel("tiles", lambda x, share: 2 * x + 1, total=1003, per_block=512, tile=128, blocks=2),
    FaultyKernel(
        "flags",
        lambda x, share: np.abs(x) + 3 * np.minimum(x, 0),
        total=1003,
        per_block=512,
        tile=128,
        blocks=2,
        dtype="float16",
    ),
    FaultyKernel("repeats", lambda x, share: (x + 1) / 2, total=1003, per_block=512, tile=256, blocks=2),
    FaultyKernel("selects", lambda x, share: np.where(x > 0.25, x, -1), total=2043, per_block=1024, tile=512, blocks=2),
    FaultyKernel("rows", _less_mean, total=70, per_block=40, tile=16, blocks=2, inputs=20, outputs=20),
    FaultyKernel("blocks", _quotients, total=1003, per_block=256, tile=256, blocks=4, rest=8, workspace=2 * 4 * 32),
    FaultyKernel(
        "bound",
        lambda x, share: np.maximum(x, 0) + 1,
        total=1003,
        per_block=512,
        tile=128,
        blocks=2,
        dtype="bfloat16",
    ),
    FaultyKernel("scalars", _carried, total=90, per_block=48, tile=16, blocks=2),
    FaultyKernel("gathers", _reversed_evens(128), total=1003, per_block=512, tile=128, blocks=2, inputs=2),
)

BENIGN = FaultyKernel("benign", lambda x, share: 2 * x, total=1003, per_block=512, tile=256, blocks=8, workspace=2048)


def planted(kernel: FaultyKernel) -> list[Planted]:
    """The faults of a kernel, by the comments in its source."""
    kinds: dict[int, str] = {}
    lines: dict[int, list[int]] = {}
    for line, text in enumerate(kernel.path.read_text().splitlines(), 1):
        marker = _MARKER.search(text)
        if marker is None:
            continue
        found = _PLANTED.findall(marker[1])
        assert found, f"{kernel.path.name}:{line}: no fault in {marker[1]}"
        for number, kind, any_line in found:
            assert kind in KINDS, f"{kernel.path.name}:{line}: unknown kind {kind}"
            assert kinds.setdefault(int(number), kind) == kind, f"{kernel.path.name}:{line}: two kinds for {number}"
            lines.setdefault(int(number), []).extend([] if any_line else [line])
    return [Planted(kernel, number, kind, tuple(lines[number])) for number, kind in sorted(kinds.items())]


PLANTED = tuple(fault for kernel in KERNELS for fault in planted(kernel))
BENIGN_CASES = tuple(sorted({int(n) for n in re.findall(r"CASE == (\d+)", BENIGN.path.read_text())}))
