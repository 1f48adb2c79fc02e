"""Sizes of tensors in files: each is held against the file before memory is taken, for every format."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actgrad.judge.files import sizes
from actgrad.judge.files.sizes import UnreadableFile
from actgrad.judge.files.tensor_files import read
from tests.support.calls import status

NUMBERS = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def npy(array: Any = NUMBERS, shape: Any = None, version: tuple[int, int] = (1, 0)) -> bytes:
    """A .npy file whose header may claim another shape."""
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version)
    return file.getvalue().replace(str(array.shape).encode(), str(shape or array.shape).encode())


def npy_head(size: int) -> bytes:
    """The header of so many bytes."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "|i1", "fortran_order": False, "shape": (size,)})
    return file.getvalue()


def zipped(path: Path, entries: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


# .npz


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize(
    "array",
    [NUMBERS, np.asfortranarray(NUMBERS), NUMBERS.astype(">f4"), np.float16(3), np.zeros((3, 0), np.int8),
     np.arange(1 << 20, dtype=np.int32)],
    ids=["c", "fortran", "big", "scalar", "empty", "long"],
)  # fmt: skip
def test_npz(tmp_path: Path, save: Any, array: Any) -> None:
    path = tmp_path / "x.npz"
    save(path, array)
    native = np.asarray(array).astype(array.dtype.newbyteorder("="))
    assert same(read(str(path)), native)
    save(path, one=array, two=NUMBERS)
    assert same(read(f"{path}:one"), native)
    assert same(read(f"{path}:two"), NUMBERS)
    with pytest.raises(UnreadableFile, match=r"has 2 tensors, but no name follows; it holds one, two; write .*:NAME"):
        read(str(path))
    with pytest.raises(UnreadableFile, match="has no tensor 'three'"):
        read(f"{path}:three")


def test_bfloat16_in_npz(tmp_path: Path) -> None:
    bits = np.arange(8, dtype=np.uint16)
    np.savez(tmp_path / "x.npz", a=bits, bfloat16=NUMBERS)
    assert read(f"{tmp_path}/x.npz:a:bfloat16").dtype.name == "bfloat16"
    assert read(f"{tmp_path}/x.npz:a").dtype == np.uint16
    assert same(read(f"{tmp_path}/x.npz:bfloat16"), NUMBERS)
    np.savez(tmp_path / "y.npz", bits)
    assert read(f"{tmp_path}/y.npz:bfloat16").dtype.name == "bfloat16"


def test_an_array_must_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez_compressed(tmp_path / "y.npz", NUMBERS)
    monkeypatch.setattr(sizes, "available_memory", lambda: 0)
    with pytest.raises(UnreadableFile, match="takes 224 bytes when it is unpacked; at most 0 are free"):
        read(f"{tmp_path}/y.npz")


def claimed(path: Path, size: int = 0xFFFFFFF0, field: int = 24) -> Path:
    """Have the directory claim that its last entry unpacks to 4 GB; field 20 is the size of the packed entry."""
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\1\2")
    data[at + field : at + field + 4] = struct.pack("<I", size)
    path.write_bytes(data)
    return path


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def damaged(change: Callable[[bytes], bytes], compression: int = zipfile.ZIP_DEFLATED) -> Callable[[Path], Any]:
    def make(path: Path) -> None:
        zipped(path, {"a.npy": npy()}, compression)
        path.write_bytes(change(path.read_bytes()))

    return make


BAD_NPZ: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no zip": (lambda p: p.write_bytes(b"hello"), "not a .npz file"),
    "empty": (lambda p: p.write_bytes(b""), "truncated .npz file"),
    "no entry": (lambda p: zipped(p, {}), "holds no tensor"),
    "text": (lambda p: zipped(p, {"a.npy": b"hello"}), "not a .npz file"),
    "a larger shape": (lambda p: zipped(p, {"a.npy": npy(shape=(2, 3, 5))}), "truncated .npz file with .* of"),
    "a smaller shape": (lambda p: zipped(p, {"a.npy": npy(shape=(2, 3, 3))}), "too long a .npz file"),
    "a huge shape": (lambda p: zipped(p, {"a.npy": npy(shape=(1 << 40, 1 << 40))}), "truncated"),
    "a shape beyond all": (lambda p: zipped(p, {"a.npy": npy(shape=(1 << 70,))}), "sizes must be from 0"),
    "huge beside nothing": (lambda p: zipped(p, {"a.npy": npy(shape=(0, 1 << 40, 1 << 40))}), "too long"),
    "objects": (lambda p: zipped(p, {"a.npy": npy(np.array([{}], object))}), "it must hold numbers, not objects"),
    "other bits": (damaged(lambda d: flipped(d, 60)), "not a .npz file|truncated"),
    "half": (damaged(lambda d: d[: len(d) // 2]), "truncated .npz file"),
    "an entry beyond the file": (
        damaged(lambda d: d[:80] + d[140:], zipfile.ZIP_STORED), "not a .npz file|not a .npy file|truncated|Invalid"
    ),
    "bzip2, which unpacks without a limit": (
        lambda p: zipped(p, {"a.npy": npy()}, zipfile.ZIP_BZIP2), "is compressed by method 12, which NumPy never writes"
    ),
    "lzma, which unpacks without a limit": (
        lambda p: zipped(p, {"a.npy": npy()}, zipfile.ZIP_LZMA), "is compressed by method 14, which NumPy never writes"
    ),
    "a stored array that claims more": (
        lambda p: claimed(zipped(p, {"a.npy": npy(shape=(1 << 29,))}, zipfile.ZIP_STORED), (1 << 31) + 128),
        "states a size for a.npy that its entry lacks",
    ),
    "a packed array that claims to be packed larger": (
        lambda p: claimed(zipped(p, {"a.npy": npy()}), 1 << 31, 20), "not a .npz file|that its entry lacks"
    ),
    "a lone array": (lambda p: p.write_bytes(npy()), "not a .npz file"),
    "a header of 4 GiB": (
        lambda p: zipped(p, {"a.npy": b"\x93NUMPY\x02\x00" + struct.pack("<I", 0xFFFFFFFF) + b" " * 9}), "not a .npz"
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_NPZ)
def test_a_bad_npz_is_refused(kind: str, tmp_path: Path) -> None:
    make, words = BAD_NPZ[kind]
    make(tmp_path / "x.npz")
    with pytest.raises(UnreadableFile, match=words) as error:
        read(f"{tmp_path}/x.npz")
    assert "\n" not in str(error.value)


def of_zeros(path: Path, size: int, claim: int | None = None) -> Path:
    """An archive with an array of zeros, deflated in equal blocks; its directory may claim another size."""
    head = npy_head(size)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    last = packer.compress(bytes(size % (1 << 20))) + packer.flush()
    packed = len(first) + len(last) + (size >> 20) * len(block)
    sizes_ = struct.pack("<III", 0, packed, len(head) + size if claim is None else claim)
    entry = struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sizes_ + struct.pack("<HH", 5, 0)
    local = b"PK\3\4" + entry + b"a.npy"
    directory = b"PK\1\2" + struct.pack("<H", 20) + entry + struct.pack("<HHHII", 0, 0, 0, 0, 0) + b"a.npy"
    with path.open("wb") as file:
        file.write(local + first)
        for _ in range(size >> 20):
            file.write(block)
        start = len(local) + packed
        end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), start, 0)
        file.write(last + directory + end)
    return path


GIB = 1 << 30


@pytest.mark.parametrize("size", [GIB + 1, 3 * GIB], ids=["one byte more", "three times"])
def test_a_compressed_array_of_more_than_1_gib_ends_with_2(
    tmp_path: Path, size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path, x = of_zeros(tmp_path / "x.npz", size), tmp_path / "x.npy"
    assert path.stat().st_size < 4 << 20
    np.save(x, NUMBERS)
    assert status("check", "relu", "--inputs", str(path), "--actual", str(x)) == 2
    says = f"{path}: a.npy unpacks to an array of {size} bytes; a compressed array may have at most {GIB}; save it with"
    assert says in capsys.readouterr().err
    assert status("check", "relu", "--inputs", str(x), "--actual", f"{path}:a") == 2


def test_an_array_of_1_gib_is_small_enough(tmp_path: Path) -> None:
    """Its directory claims 1 GiB and holds less, so that nothing is unpacked: it fails for that alone."""
    path = tmp_path / "x.npz"
    claimed(zipped(path, {"a.npy": npy_head(GIB)}), len(npy_head(GIB)) + GIB)
    with pytest.raises(UnreadableFile) as error:
        read(str(path))
    assert "may have at most" not in str(error.value)


def test_many_arrays_may_have_1_gib_each(tmp_path: Path) -> None:
    """The limit is that of one array: an archive of others that are larger is read."""
    path = of_zeros(tmp_path / "x.npz", GIB + 1)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("b.npy", npy())
    assert same(read(f"{path}:b"), NUMBERS)
    with pytest.raises(UnreadableFile, match="a compressed array may have at most"):
        read(f"{path}:a")


# .pt


def rewritten(path: Path, change: Callable[[str, bytes], bytes], compression: int = zipfile.ZIP_STORED) -> None:
    """A file of PyTorch's with other entries."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: change(name, archive.read(name)) for name in archive.namelist()}
    zipped(path, entries, compression)


def in_pickle(old: bytes, new: bytes) -> Callable[[str, bytes], bytes]:
    def change(name: str, data: bytes) -> bytes:
        assert not name.endswith("data.pkl") or old in data
        return data.replace(old, new) if name.endswith("data.pkl") else data

    return change


def other_pickle(pickle: bytes) -> Callable[[str, bytes], bytes]:
    return lambda name, data: pickle if name.endswith("data.pkl") else data


NUMEL, SHAPE = b"K\x18", b"K\x02K\x03K\x04"
BAD_PT: dict[str, tuple[Callable[[Path], Any], str]] = {
    "compressed": (lambda p: rewritten(p, lambda n, d: d, zipfile.ZIP_DEFLATED), "entries are compressed"),
    "a claimed size": (claimed, "not a .pt file"),
    "more elements": (lambda p: rewritten(p, in_pickle(NUMEL, b"K\x58")), "an entry must have|not a .pt file"),
    "elements beyond the file": (
        lambda p: rewritten(p, in_pickle(NUMEL, b"J\xff\xff\xff\x3f")), "an entry must have|not a .pt file"
    ),
    "a larger shape": (lambda p: rewritten(p, in_pickle(SHAPE, b"K\x02K\x03K\x7f")), "not a .pt file"),
    "a bytearray": (
        lambda p: rewritten(p, other_pickle(b"\x80\x02cbuiltins\nbytearray\nK\x09\x85R.")), "holds a bytearray"
    ),
    "fresh memory": (
        lambda p: rewritten(p, other_pickle(b"\x80\x02ctorch\nFloatTensor\nJ\xff\xff\xff\x7f\x85R.")),
        "an entry must have",
    ),
    "copies": (
        lambda p: rewritten(p, other_pickle(b"\x80\x02c_codecs\nencode\nX\x01\0\0\0a\x85R.")), "holds a bytes"
    ),
    "a cut pickle": (lambda p: rewritten(p, other_pickle(b"\x80\x02ctorch")), "not a .pt file"),
    "something before it": (lambda p: p.write_bytes(b"x" * 64 + p.read_bytes()), "not a .pt file"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_PT)
def test_a_bad_pt_is_refused(kind: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    make, words = BAD_PT[kind]
    path = tmp_path / "x.pt"
    torch.save(torch.from_numpy(NUMBERS), path)
    assert same(read(str(path)), NUMBERS)
    make(path)
    with pytest.raises(UnreadableFile, match=words) as error:
        read(str(path))
    assert "\n" not in str(error.value)


def test_the_format_before_pytorch_1_6_is_refused(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save(torch.ones(3), tmp_path / "x.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(UnreadableFile, match=r"it must be of torch.save since PyTorch 1.6; save it again"):
        read(f"{tmp_path}/x.pt")


def test_views_parameters_and_dictionaries(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    x = torch.arange(24.0).reshape(2, 3, 4)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.PReLU())
    held = {"slice": x[1:, ::2], "turned": x.mT, "repeated": x[:1, :1].expand(5, 3, 4), "parameter": model[0].weight,
            "short": x.bfloat16(), "nothing": x[:0], "one": torch.tensor(2.0)}  # fmt: skip
    torch.save(held, tmp_path / "x.pt")
    for name, tensor in held.items():
        np.testing.assert_array_equal(read(f"{tmp_path}/x.pt:{name}").astype(np.float32), tensor.detach().float())
    torch.save(model.state_dict(), tmp_path / "m.pt")
    np.testing.assert_array_equal(read(f"{tmp_path}/m.pt:0.bias"), model[0].bias.detach())


def test_a_repeated_tensor_must_fit(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save(torch.ones(1).expand(1 << 24, 1 << 24), tmp_path / "x.pt")
    with pytest.raises(UnreadableFile, match="bytes when its tensor is read; at most"):
        read(f"{tmp_path}/x.pt")


MEASURED = """
import resource, sys
from actgrad.judge.files.tensor_files import read
from actgrad.judge.files.sizes import UnreadableFile
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if sys.argv[1].endswith(".pt"):
    import torch
    read(sys.argv[2])
before = peak()
try: read(sys.argv[1])
except UnreadableFile as error: print(error, file=sys.stderr)
print(peak() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured as Linux does")
@pytest.mark.parametrize("suffix", ["pt", "npz", "npz, by its header", "npz, long header"])
@pytest.mark.share(8)
def test_a_bomb_takes_little_memory(tmp_path: Path, suffix: str) -> None:
    path, good = tmp_path / f"x.{suffix[:3].rstrip(',')}", tmp_path / "good.pt"
    zeros = bytes(1 << 28)
    if suffix == "pt":
        torch = pytest.importorskip("torch")
        torch.save(torch.ones(1 << 10), path)
        torch.save(torch.ones(1 << 10), good)
        rewritten(path, lambda n, d: zeros if n.endswith("data/0") else d, zipfile.ZIP_DEFLATED)
        assert path.stat().st_size < 1 << 20
    elif suffix == "npz, long header":
        zipped(path, {"a.npy": b"\x93NUMPY\x02\x00" + struct.pack("<I", len(zeros)) + zeros})
    else:
        shape = (1 << 10,) if suffix == "npz" else (1 << 40,)
        zipped(path, {"a.npy": npy(np.zeros(1 << 10, np.int8), shape) + zeros})
    done = subprocess.run([sys.executable, "-c", MEASURED, path, good], capture_output=True, text=True, check=True)
    assert f"x.{path.suffix[1:]}: " in done.stderr
    assert int(done.stdout) < 1 << 16, "kilobytes"
