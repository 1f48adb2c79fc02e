"""Tensors from files: written tensors are read; damaged, hostile and too large files are refused by name."""

from __future__ import annotations

import json
import os
import pickle
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import ActgradError
from actgrad.judge.files import sizes
from actgrad.judge.files.sizes import UnreadableFile
from actgrad.judge.files.tensor_files import read
from tests.support.calls import status

DTYPES = ("float16", "bfloat16", "float32", "float64", "int8", "int32")
SHAPES = ((), (0,), (7,), (3, 0, 2), (2, 3, 4))


def values(dtype: str, shape: tuple[int, ...] = (2, 3, 4)) -> np.ndarray:
    size = int(np.prod(shape))
    return np.random.default_rng(0).integers(-100, 100, size).reshape(shape).astype(BY_NAME[dtype].numpy)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def npy(path: Path, header: str, body: bytes = b"", version: bytes = b"\x01\x00") -> Path:
    """A .npy file with any header."""
    text = header.encode("latin1")
    length = struct.pack("<H" if version == b"\x01\x00" else "<I", len(text))
    path.write_bytes(b"\x93NUMPY" + version + length + text + body)
    return path


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_npy_and_raw_bytes(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    array = values(dtype, shape)
    np.save(tmp_path / "x.npy", array)
    assert same(read(str(tmp_path / "x.npy")), array)
    (tmp_path / "x.bin").write_bytes(array.tobytes())
    words = "x".join(map(str, shape)) or "scalar"
    assert same(read(f"{tmp_path}/x.bin:{dtype}:{words}"), array)


def test_npy_in_other_orders_and_versions(tmp_path: Path) -> None:
    array = values("float32")
    np.save(tmp_path / "f.npy", np.asfortranarray(array))
    assert same(read(str(tmp_path / "f.npy")), array)
    np.save(tmp_path / "big.npy", array.astype(">f4"))
    assert same(read(str(tmp_path / "big.npy")), array)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4)}\n"
    assert same(read(str(npy(tmp_path / "2.npy", header, array.tobytes(), b"\x02\x00"))), array)


def test_a_mapped_file_is_not_read_as_a_whole(tmp_path: Path) -> None:
    with (tmp_path / "x.bin").open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of holes
    array = read(f"{tmp_path}/x.bin:float32:524288x524288")
    assert array.shape == (1 << 19, 1 << 19)
    assert array[-1, -1] == 0


def test_bfloat16_as_others_write_it(tmp_path: Path) -> None:
    array = values("bfloat16")
    for bits in (np.uint16, np.int16):
        np.save(tmp_path / "x.npy", array.view(bits))
        assert same(read(f"{tmp_path}/x.npy:bfloat16"), array)
        assert read(f"{tmp_path}/x.npy").dtype == bits
    np.save(tmp_path / "x.npy", array)
    assert same(read(f"{tmp_path}/x.npy:bfloat16"), array)
    np.save(tmp_path / "x.npy", values("float16"))
    with pytest.raises(UnreadableFile, match=r"x\.npy: holds float16, but 'bfloat16' follows"):
        read(f"{tmp_path}/x.npy:bfloat16")


def test_bits_without_a_dtype_say_how_to_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", values("bfloat16").view(np.uint16))
    assert status("check", "gelu", "--inputs", "x.npy", "--actual", "x.npy") == 2
    assert "if x.npy has the bits of bfloat16, write x.npy:bfloat16" in capsys.readouterr().err


@pytest.mark.parametrize("dtype", DTYPES)
def test_pytorch(tmp_path: Path, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    array = values(dtype)
    tensor = torch.from_numpy(array.astype(np.float64)).to(getattr(torch, dtype))
    torch.save(tensor, tmp_path / "x.pt")
    assert same(read(f"{tmp_path}/x.pt"), array)
    torch.save({"one": tensor, "a:b": tensor + 1}, tmp_path / "y.pth")
    assert same(read(f"{tmp_path}/y.pth:one"), array)
    assert same(read(f"{tmp_path}/y.pth:a:b"), (array + 1).astype(array.dtype))
    with pytest.raises(
        UnreadableFile, match=r"has 2 tensors, but no name follows; it holds a:b, one; write .*/y\.pth:NAME"
    ):
        read(f"{tmp_path}/y.pth")
    torch.save(tensor.transpose(0, 2).requires_grad_(dtype.startswith(("f", "b"))), tmp_path / "t.pt")
    assert same(np.ascontiguousarray(read(f"{tmp_path}/t.pt")), np.ascontiguousarray(array.transpose(2, 1, 0)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_safetensors(tmp_path: Path, dtype: str) -> None:
    pytest.importorskip("safetensors")
    array = values(dtype)
    code = {"bfloat16": "BF16"}.get(dtype, dtype[0].upper() + dtype.lstrip("floatin"))
    entry = {"dtype": code, "shape": list(array.shape), "data_offsets": [0, array.nbytes]}
    other = {**entry, "data_offsets": [array.nbytes, 2 * array.nbytes]}
    header = json.dumps({"x": entry, "y": other}).encode()
    data = array.tobytes() + (array + 1).astype(array.dtype).tobytes()
    (tmp_path / "x.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + data)
    assert same(read(f"{tmp_path}/x.safetensors:x"), array)
    assert same(read(f"{tmp_path}/x.safetensors:y"), (array + 1).astype(array.dtype))
    with pytest.raises(UnreadableFile, match="has no tensor 'z'; it holds x, y"):
        read(f"{tmp_path}/x.safetensors:z")


def test_a_path_may_have_colons(tmp_path: Path) -> None:
    folder = tmp_path / "a:b"
    folder.mkdir()
    np.save(folder / "c:d.npy", values("float32"))
    assert same(read(f"{folder}/c:d.npy"), values("float32"))


# Bad files


def hostile() -> dict[str, tuple[str, Callable[[Path], Any], str]]:
    """File as it is written on the command line, how it is made, what the error says."""
    whole = values("float32")
    good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4)}\n"

    def header(text: str, body: bytes = b"") -> Callable[[Path], Any]:
        return lambda path: npy(path, text, body)

    def raw(data: bytes) -> Callable[[Path], Any]:
        return lambda path: path.write_bytes(data)

    return {
        "missing": ("x.npy", lambda path: None, "no such file"),
        "folder": ("x.npy", lambda path: path.mkdir(), "is a folder; it must be a file"),
        "unknown suffix": ("x.txt", raw(b"1"), "has the suffix .txt; it must be .npy"),
        "empty": ("x.npy", raw(b""), "truncated .npy file"),
        "no magic": ("x.npy", raw(b"hello" * 40), "not a .npy file"),
        "truncated header": ("x.npy", raw(b"\x93NUMPY\x01\x00\xff\x00{'descr'"), "truncated .npy file"),
        "truncated": ("x.npy", header(good, whole.tobytes()[:-1]), "truncated .npy file with 95 bytes of elements;"),
        "too long": ("x.npy", header(good, whole.tobytes() + b"!"), "too long a .npy file with 97 bytes of elements;"),
        "version 3": ("x.npy", lambda p: npy(p, good, whole.tobytes(), b"\x03\x00"), "not a .npy file"),
        "version 9": ("x.npy", lambda p: npy(p, good, whole.tobytes(), b"\x09\x00"), "not a .npy file"),
        "nan in shape": ("x.npy", header(good.replace("(2, 3, 4)", "(nan,)")), "not a .npy file"),
        "negative": ("x.npy", header(good.replace("(2, 3, 4)", "(-4, -6)"), whole.tobytes()), "sizes must be from 0"),
        "overflowing": ("x.npy", header(good.replace("(2, 3, 4)", f"({2**40}, {2**40})")), "truncated"),
        "much of nothing": ("x.npy", header(good.replace("(2, 3, 4)", f"({2**62}, {2**62}, 0)")), "sizes must be"),
        "rank 70": ("x.npy", header(good.replace("(2, 3, 4)", str((1,) * 70)), b"1234"), "not a .npy file"),
        "code": ("x.npy", header("__import__('os').abort()\n"), "not a .npy file"),
        "deep": ("x.npy", header("(" * 5000 + "\n"), "not a .npy file"),
        "enormous header": ("x.npy", header(" " * 20000 + good), "not a .npy file"),
        "objects": ("x.npy", lambda p: np.save(p, np.array([{}, 1], object), allow_pickle=True), "it must hold"),
        "not objects or records": ("x.npy", lambda p: np.save(p, np.zeros(3, "f4,i4")), "not objects or records"),
        "text": ("x.npy", lambda p: np.save(p, np.array(["a"])), "they must be float32"),
        "float8": ("x.npy", lambda p: np.save(p, np.zeros(3, "V1")), "they must be float32"),
        "long double": ("x.npy", lambda p: np.save(p, np.zeros(3, np.longdouble)), "they must be float32"),
        "raw without dtype": ("x.bin", raw(b"1234"), "holds raw bytes, and .* follows; dtype .* and shape must follow"),
        "raw without shape": ("x.bin:float32", raw(b"1234"), "holds raw bytes, and .* follows; dtype .* and shape"),
        "raw of another dtype": ("x.bin:float31:1", raw(b"1234"), "holds raw bytes, and .* follows; dtype .* and"),
        "raw of no shape": ("x.bin:float32:-1", raw(b"1234"), "holds raw bytes, and .* follows; dtype .* and shape"),
        "raw too short": ("x.bin:float32:2", raw(b"1234"), "truncated .bin file with 4 bytes of elements; float32 of"),
        "raw too long": ("x.bin:float16:1", raw(b"1234"), "too long"),
        "raw and enormous": ("x.bin:float32:99999999999x99999999999", raw(b"1234"), "truncated"),
        "no pickle": ("x.pt", raw(b"hello"), "not a .pt file; it must be of torch.save|needs PyTorch"),
        "a pickle": ("x.pt", lambda p: p.write_bytes(pickle.dumps(Bomb())), "not a .pt file|needs PyTorch"),
        "no safetensors": ("x.safetensors", raw(b"\xff" * 64), "(not a|truncated) .safetensors file|needs safetensors"),
        "long header": (
            "x.safetensors", raw(struct.pack("<Q", 2**60) + b"{}"), "(not a|truncated) .safetensors file|needs "
            "safetensors"
        ),
    }  # fmt: skip


class Bomb:
    """Unpickled, it would set this environment variable."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.putenv, ("ACTGRAD_TEST_WAS_UNPICKLED", "1")


@pytest.mark.parametrize("kind", hostile())
def test_bad_files_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    text, make, words = hostile()[kind]
    make(tmp_path / text.partition(":")[0])
    with pytest.raises(UnreadableFile, match=words) as error:
        read(f"{tmp_path}/{text}")
    assert str(error.value).startswith(str(tmp_path / text.partition(":")[0]))
    assert "\n" not in str(error.value)


def test_a_pickle_inside_a_pytorch_file_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    ran = []
    monkeypatch.setattr(Trap, "fired", ran)
    torch.save({"x": Trap()}, tmp_path / "x.pt")
    with pytest.raises(UnreadableFile, match=r"not a \.pt file"):
        read(f"{tmp_path}/x.pt")
    assert not ran
    torch.load(tmp_path / "x.pt", weights_only=False)
    assert ran, "the trap itself does not work"


class Trap:
    """Unpickled, it leaves a trace."""

    fired: ClassVar[list[int]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return _fire, ()


def _fire() -> None:
    Trap.fired.append(1)


@pytest.mark.parametrize("held", ["a word", 3.0, ["a list"], {"x": 1}])
def test_a_pytorch_file_without_tensors(tmp_path: Path, held: Any) -> None:
    torch = pytest.importorskip("torch")
    torch.save(held, tmp_path / "x.pt")
    with pytest.raises(UnreadableFile, match="it must hold a dense tensor"):
        read(f"{tmp_path}/x.pt")


def test_what_must_be_read_as_a_whole_must_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "available_memory", lambda: 10)
    np.save(tmp_path / "x.npy", values("float32").astype(">f4"))
    with pytest.raises(UnreadableFile, match=r"takes 96 bytes when its byte order is changed; at most 10 are free"):
        read(f"{tmp_path}/x.npy")


@pytest.mark.parametrize("text", ["x.npy", "x.bin:float32:1024x1024", "x.pt", "x.safetensors"])
def test_a_file_that_shrinks_afterwards(tmp_path: Path, text: str) -> None:
    """A mapped file would end the program with SIGBUS."""
    array = np.random.default_rng(1).normal(size=(1024, 1024)).astype(np.float32)
    path = tmp_path / text.partition(":")[0]
    if path.suffix == ".npy":
        np.save(path, array)
    elif path.suffix == ".bin":
        array.tofile(path)
    elif path.suffix == ".pt":
        torch = pytest.importorskip("torch")
        torch.save(torch.from_numpy(array), path)
    else:
        pytest.importorskip("safetensors.numpy").save_file({"x": array}, path)
    found = read(f"{tmp_path}/{text}")
    os.truncate(path, 4096)
    assert found.tobytes() == array.tobytes()


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "x.npy", values("float32"))
    compare = sizes.check_size

    def shrinking(path: Path, *arguments: Any) -> None:
        compare(path, *arguments)
        os.truncate(path, path.stat().st_size - 8)

    monkeypatch.setattr(sizes, "check_size", shrinking)
    with pytest.raises(UnreadableFile, match=r"x\.npy: has become shorter while it was read: 88 bytes of elements"):
        read(f"{tmp_path}/x.npy")


def test_memory_is_known_here() -> None:
    free = sizes.available_memory()
    assert free is None or free > 1 << 20


@pytest.mark.parametrize("is_mapped", [True, False])
def test_running_out_of_memory_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_mapped: bool) -> None:
    np.save(tmp_path / "x.npy", values("float32"))

    def fail(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(sizes, "fits", lambda size: not is_mapped)
    monkeypatch.setattr(*((np, "memmap") if is_mapped else (sizes, "_read")), fail)
    with pytest.raises(UnreadableFile, match=r"x\.npy: has \d+ bytes; it must fit into memory"):
        read(f"{tmp_path}/x.npy")


@pytest.mark.parametrize(
    ("package", "file", "extra"), [("torch", "x.pt", "torch"), ("safetensors", "x.safetensors", "check")]
)
def test_a_missing_library_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, file: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / file).write_bytes(b"x")
    with pytest.raises(ActgradError, match=rf"{file}.* {package} .*pip install '\.\[{extra}\]' in a clone"):
        read(f"{tmp_path}/{file}")


def test_safetensors_own_writer_is_read(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    numbers = values("float32")
    library.save_file({"x": numbers, "y": numbers + 1}, tmp_path / "x.safetensors")
    assert same(read(f"{tmp_path}/x.safetensors:y"), numbers + 1)


# Shapes on the command line, and in .npy headers


@pytest.mark.parametrize(
    "shape",
    ["9" * 5000, "9" * 19, "x".join(["1"] * 70), "0x" + "9" * 19, "0x4611686018427387903x4611686018427387903",
     "x".join(["9" * 19] * 300)],
    ids=["digits", "19 digits", "rank", "beside 0", "product", "many"],
)  # fmt: skip
def test_raw_shapes_that_no_array_has(tmp_path: Path, shape: str) -> None:
    (tmp_path / "x.bin").write_bytes(b"")
    with pytest.raises(UnreadableFile, match=r"holds raw bytes|sizes must be|not a \.bin file|truncated") as error:
        read(f"{tmp_path}/x.bin:float32:{shape}")
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize("shape", [(10**4000,), (10**4000,) * 3, (1 << 61,) * 60, (1,) * 70, (0, 1 << 40, 1 << 40)])
def test_npy_shapes_that_no_array_has(tmp_path: Path, shape: tuple[int, ...]) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    with pytest.raises(UnreadableFile, match=r"sizes must be|truncated|not a .npy file") as error:
        read(f"{tmp_path}/x.npy")
    assert len(str(error.value)) < 2000
