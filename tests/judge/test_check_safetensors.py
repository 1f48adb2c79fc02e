"""Tensors in .safetensors files: each size is compared with the file before memory is taken."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actgrad.judge.files.sizes import UnreadableFile
from actgrad.judge.files.tensor_files import read

NUMBERS = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def safetensors(path: Path, header: Any, data: bytes = b"") -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def entry(shape: Any, first: Any = 0, last: Any = 96, dtype: Any = "F32") -> dict[str, Any]:
    return {"x": {"dtype": dtype, "shape": shape, "data_offsets": [first, last]}}


BAD_SAFETENSORS: dict[str, Any] = {
    "rank 70": entry([1] * 69 + [24]),
    "nothing beside huge": entry([0, 1 << 40, 1 << 40], 0, 0),
    "beyond all": entry([1 << 70]),
    "thousands of digits": entry([10**4000]),
    "another size": entry([25]),
    "a smaller size": entry([23]),
    "beyond the file": entry([25], 0, 100),
    "far beyond the file": entry([25], 10**300, 10**300 + 100),
    "backwards": entry([24], 96, 0),
    "negative": entry([-24]),
    "half a size": entry([24.0]),
    "no shape": {"x": {"dtype": "F32", "data_offsets": [0, 96]}},
    "offset of words": entry([24], "0", "96"),
    "a dtype": entry([24], dtype="F31"),
    "a dtype that NumPy has not": entry([96], dtype="F8_E4M3"),
    "no object": [1],
    "an entry of numbers": {"x": 3},
    "no JSON": b"{",
    "deep": b"[" * 100_000,
    "no text": b"\xff\xfe",
}


@pytest.mark.parametrize("kind", BAD_SAFETENSORS)
def test_a_bad_safetensors_file_is_refused(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    path = safetensors(tmp_path / "x.safetensors", BAD_SAFETENSORS[kind], NUMBERS.tobytes())
    with pytest.raises(UnreadableFile, match=r"(not a|truncated) \.safetensors file") as error:
        read(str(path))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 600


def test_metadata_of_safetensors_is_no_tensor(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    header = {"__metadata__": {"by": "us"}, **entry([2, 3, 4])}
    assert same(read(str(safetensors(tmp_path / "x.safetensors", header, NUMBERS.tobytes()))), NUMBERS)
    with pytest.raises(UnreadableFile, match="has 0 tensors"):
        read(str(safetensors(tmp_path / "y.safetensors", {})))


def test_a_tensor_of_safetensors_must_fit_into_memory(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    with (tmp_path / "y.safetensors").open("wb") as file:
        text = json.dumps(entry([1 << 40], 0, 1 << 42)).encode()
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + (1 << 42))  # 4 TiB of holes
    with pytest.raises(UnreadableFile, match="bytes when it is read; at most"):
        read(f"{tmp_path}/y.safetensors")
