"""How kernels are launched on a GPU, shown on a machine without one: a device and machine code that only take notes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton")

from triton.backends.compiler import GPUTarget

import actgrad
from actgrad import arrays
from actgrad.backends.triton import device, launcher, program

CURRENT_STREAM = 77


class Notes:
    """Two GPUs of which number 0 is the current one, and what was asked of them; anything else is an error."""

    def __init__(self) -> None:
        self.current = 0
        self.launches: list[tuple[Any, ...]] = []
        self.compiled: list[int] = []
        self.asked: list[str] = []

    def set_current(self, number: int) -> None:
        self.asked.append(f"set {number}")
        self.current = number

    def get_stream(self, number: int) -> int:
        self.asked.append(f"stream {number}")
        return CURRENT_STREAM + number

    def find(self, name: str) -> device.GpuDevice:
        number = int(name.partition(":")[2])
        return device.GpuDevice(
            number, GPUTarget("cuda", 90, 32), lambda: self.current, self.set_current, self.get_stream
        )  # fmt: skip

    def compile(self, walk: Any, target: Any, alignment: int) -> Any:
        self.compiled.append(alignment)
        return SimpleNamespace(
            run=lambda *arguments: self.launches.append((alignment, self.current, *arguments)),
            function="function",
            packed_metadata="metadata",
        )


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> Notes:
    notes = Notes()
    monkeypatch.setattr(device, "find", notes.find)
    monkeypatch.setattr(program, "compiled", notes.compile)
    return notes


def kernel(place: str = "cuda:0", count: int = 5000, **attributes: Any) -> Any:
    tensors = [np.zeros(count, np.float32) for _ in range(2)]
    plan = actgrad.elu_backward.plan(*tensors, backend="reference", **attributes)
    return launcher.prepare(plan.computation._replace(device=place))


def test_everything_but_the_addresses_is_settled_before(gpus: Notes) -> None:
    elu = kernel(alpha=1.5, scale=2.0, input_scale=0.5)
    assert gpus.compiled == [16]
    assert gpus.launches == []
    gpus.asked.clear()
    elu.run(0x1000, 0x2000, 0x3000)
    ((alignment, current, *launch),) = gpus.launches
    assert (alignment, current) == (16, 0)
    tiles = -(-5000 // 1024)
    stream, nothing = CURRENT_STREAM, None
    assert launch[:9] == [tiles, 1, 1, stream, "function", "metadata", nothing, nothing, nothing]
    assert launch[9:] == [0x1000, 0x2000, 0x3000, 5000, 0.5, 1.5, 2.0]
    # The stream is asked for each time: it may be another one, or one that records a graph. Nothing waits.
    assert gpus.asked == ["stream 0"]
    assert gpus.compiled == [16]


def test_a_kernel_runs_on_the_device_of_its_tensors(gpus: Notes) -> None:
    elu = kernel("cuda:1")
    elu.run(0x1000, 0x2000, 0x3000)
    assert gpus.launches[0][1] == 1
    assert gpus.launches[0][5] == CURRENT_STREAM + 1
    assert gpus.current == 0


@pytest.mark.parametrize(("low", "alignment"), [(0, 16), (8, 8), (4, 4), (12, 4), (16, 16)])
def test_code_is_made_for_the_alignment_of_addresses(gpus: Notes, low: int, alignment: int) -> None:
    elu = kernel()
    for _ in range(2):
        elu.run(0x1000, 0x2000 + low, 0x3000)
    assert [launch[0] for launch in gpus.launches] == [alignment] * 2
    assert gpus.compiled == [16] + [alignment] * (alignment != 16)


def test_addresses_that_no_gpu_could_read_are_refused(gpus: Notes) -> None:
    with pytest.raises(actgrad.InvalidArgument, match="multiples of the element's size"):
        kernel().run(0x1000, 0x2002, 0x3000)
    assert not gpus.launches


def test_halves_are_reached_by_their_offset(gpus: Notes) -> None:
    packed = np.zeros((8, 64), np.float32)
    plan = actgrad.geglu.plan(packed, backend="reference", activate_left=True)
    launcher.prepare(plan.computation._replace(device="cuda:0")).run(0x1000, 0x2000, 0x4000)
    assert gpus.launches[0][11:15] == (0x1000, 0x2000, 0x4000, 0x4000 + 32 * 4)


def test_nothing_is_launched_for_no_elements(gpus: Notes) -> None:
    kernel(count=0).run(0, 0, 0)
    assert not gpus.launches
    assert not gpus.compiled


# Arrays of other libraries on a GPU


class OnGpu:
    """An array that only has CUDA's array interface, as Numba's."""

    def __init__(self, **changes: Any):
        self.__cuda_array_interface__ = {
            "shape": (2, 3), "typestr": "<f4", "data": (0x5000, False), "version": 3, "strides": None, "stream": None,
        } | changes  # fmt: skip


def test_cuda_array_interface() -> None:
    seen = arrays.view(OnGpu(), "elu", "self")
    assert (seen.meta.dtype.name, seen.meta.shape, seen.meta.strides) == ("float32", (2, 3), (12, 4))
    assert (seen.address, seen.device, seen.kind, seen.writable) == (0x5000, "cuda:0", "dlpack", True)
    seen = arrays.view(OnGpu(strides=(4, 8), data=(0x5000, True), typestr="<f8"), "elu", "self")
    assert (seen.meta.dtype.name, seen.meta.strides, seen.writable) == ("float64", (4, 8), False)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"typestr": "<M8"}, actgrad.InvalidDtype, "datetime64; it must be a dtype that actgrad knows"),
        ({"typestr": ">f4"}, actgrad.InvalidDtype, "in the other byte order"),
        ({"mask": object()}, actgrad.InvalidCall, "masked array"),
    ],
)
def test_cuda_array_interface_refusals(changes: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"elu: self.*{message}"):
        actgrad.elu(OnGpu(**changes))


def test_an_operator_on_arrays_of_a_gpu(gpus: Notes) -> None:
    """Into a given output; a fresh one would be PyTorch's, which is asked for it."""
    x, out = OnGpu(), OnGpu(data=(0x6000, False))
    assert actgrad.elu(x, out=out) is out
    assert gpus.launches[0][11:13] == (0x6000, 0x5000)


def test_results_go_to_the_library_of_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Namespace:
        @staticmethod
        def from_dlpack(result: Any) -> Any:
            return "taken", result

    class Modern(OnGpu):
        def __array_namespace__(self) -> Any:
            return Namespace

    assert arrays.like_input("result", arrays.view(Modern(), "elu", "self")) == ("taken", "result")
    assert arrays.like_input(("a", "b"), arrays.view(Modern(), "elu", "self")) == (("taken", "a"), ("taken", "b"))
    assert arrays.like_input("result", arrays.view(OnGpu(), "elu", "self")) == "result"
