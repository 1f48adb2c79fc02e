"""A delivery whose manifest or whose files cannot be used."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.calls import status
from tests.support.deliveries import edited, judged

pytestmark = pytest.mark.needs("ascend")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(right_outputs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(right_outputs, tmp_path / "d"))


def with_case(**fields: Any) -> Any:
    return lambda document: document["cases"][0].update(fields)


def with_file(kind: str, **fields: Any) -> Any:
    def change(document: Any) -> None:
        next(iter(document["cases"][0][kind].values())).update(fields)

    return change


WRONG_MANIFESTS: dict[str, tuple[Any, str]] = {
    "unknown field": (lambda d: d.update(colour=1), "unknown field 'colour'"),
    "unknown field of a case": (with_case(atributes={}), "did you mean attributes"),
    "unknown attribute": (with_case(operator="silu", attributes={"x": 1}), "it may have no field"),
    "unknown field of a file": (with_file("inputs", order="C"), "unknown field 'order'"),
    "another format": (lambda d: d.update(format="other"), "format is 'other'"),
    "a later version": (lambda d: d.update(version=2), "version is 2"),
    "true as version": (lambda d: d.update(version=True), "version is True"),
    "no cases": (lambda d: d.update(cases=[]), "cases has 0 entries"),
    "cases of another type": (lambda d: d.update(cases={"a": 1}), "cases is"),
    "a case that is no object": (lambda d: d["cases"].append(3), "a case is 3"),
    "an id twice": (lambda d: d["cases"][1].update(id=d["cases"][0]["id"]), "occurs twice"),
    "an id of control characters": (with_case(id="a\x1b[31m"), "printable"),
    "a surrogate as id": (with_case(id="\ud800"), "printable"),
    "an unknown operator": (with_case(operator="swigloo"), "did you mean swiglu"),
    "an operator of another type": (with_case(operator=["swiglu"]), "operator is"),
    "an unknown attribute": (with_case(attributes={"dimm": 1}), "did you mean dim"),
    "an attribute of another type": (with_case(attributes={"dim": "one"}), "dim is 'one'"),
    "an attribute that is null": (with_case(attributes={"dim": None}), "dim is None"),
    "an attribute that is a list": (with_case(attributes={"dim": [1]}), "dim is [1]"),
    "an attribute out of range": (with_case(attributes={"dim": 7}), "dim"),
    "a huge attribute": (with_case(attributes={"dim": 10**30}), "dim is 1"),
    "an unknown product": (with_case(product="Ascend1"), "product is 'Ascend1'"),
    "a missing input": (with_case(inputs={}), "inputs has no x"),
    "an unknown input": (with_case(inputs={"y": {}}), "unknown field 'y'"),
    "an absolute path": (with_file("inputs", file="/etc/passwd.npy"), "inside the delivery"),
    "a path upwards": (with_file("inputs", file="a/../../x.npy"), "inside the delivery"),
    "a path upwards of an output": (with_file("outputs", file="../x.npy"), "inside the delivery"),
    "another kind of file": (with_file("inputs", file="x.npz"), "must be a .npy file"),
    "a path with NUL": (with_file("inputs", file="x\0.npy"), "must be a .npy file"),
    "a path of another type": (with_file("inputs", file=3), "must be a .npy file"),
    "an input that is missing": (with_file("inputs", file="none.npy"), "no such file"),
    "another dtype": (with_file("inputs", dtype="float32"), "holds float16"),
    "another shape": (with_file("inputs", shape=[3]), "holds float16 of shape"),
    "a complex dtype": (with_file("outputs", dtype="complex64"), "real dtype"),
    "a shape of another type": (with_file("outputs", shape="8"), "shape is '8'"),
    "a negative shape": (with_file("outputs", shape=[-1]), "at least 0"),
    "a huge shape of an output": (with_file("outputs", shape=[1 << 61]), "the shape of the result"),
    "an output that is an input": (with_file("outputs", file="swiglu-0001/x.npy"), "another tensor's file too"),
    "an output twice": (with_file("outputs", file="swiglu-0002/./out.npy"), "another tensor's file too"),
}


@pytest.mark.parametrize("kind", WRONG_MANIFESTS)
def test_a_manifest_that_cannot_be_used_ends_with_2(kind: str, folder: Path, capsys: Capture) -> None:
    change, words = WRONG_MANIFESTS[kind]
    edited(folder, change)
    assert status("check", "--manifest", str(folder), "--jobs", "1") == 2
    err = capsys.readouterr().err
    assert words in err
    assert len([line for line in err.splitlines() if line.startswith("actgrad: ")]) == 1


RAW = ["", "[", "[]", "3", "null", '{"cases": [{"id": NaN}]}', '{"cases": 1, "cases": 2}', "[" * 100_000, "\xff\xfe",
       '{"cases": [{"operator": "relu", "attributes": {"alpha": 1e999}}]}', "9" * 5000]  # fmt: skip


@pytest.mark.parametrize("text", RAW, ids=range(len(RAW)))
def test_a_file_that_is_no_manifest_ends_with_2(text: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "manifest.json").write_bytes(text.encode("latin-1"))
    assert status("check", "--manifest", str(tmp_path)) == 2
    assert "manifest.json: " in capsys.readouterr().err


def test_links_do_not_lead_out(folder: Path, capsys: Capture) -> None:
    outside = folder.parent / "outside.npy"
    out = folder / "swiglu-0001" / "out.npy"
    shutil.move(out, outside)
    out.symlink_to(outside)
    assert status("check", "--manifest", str(folder)) == 2
    assert "leads out" in capsys.readouterr().err
    out.unlink()
    (folder.parent / "case").mkdir()
    shutil.move(folder / "swiglu-0001", folder.parent / "case")
    (folder / "swiglu-0001").symlink_to(folder.parent / "case" / "swiglu-0001")
    assert status("check", "--manifest", str(folder)) == 2
    assert "leads out" in capsys.readouterr().err


@pytest.mark.parametrize("dtype", ["float32", "uint16"])
def test_bits_of_bfloat16_in_a_manifest_by_hand(dtype: str, tmp_path: Path, capsys: Capture) -> None:
    """A file of uint16 without "dtype": "bfloat16" is refused, with the words to write. Any other file is accepted."""
    (tmp_path / "a").mkdir()
    x = np.array([1.0, 2.0, 3.0], np.float32)
    bits = x.view(np.uint16)[1::2].copy()
    np.save(tmp_path / "a" / "x.npy", bits if dtype == "uint16" else x)
    np.save(tmp_path / "a" / "y.npy", bits if dtype == "uint16" else x)
    files: dict[str, dict[str, str]] = {"inputs": {"self": "a/x.npy"}, "outputs": {"out": "a/y.npy"}}
    case: dict[str, Any] = {kind: {name: {"file": file} for name, file in of.items()} for kind, of in files.items()}
    document = {"cases": [{"operator": "relu", **case}]}
    (tmp_path / "manifest.json").write_text(json.dumps(document))
    code = status("check", "--manifest", str(tmp_path), "--jobs", "1")
    assert code == (2 if dtype == "uint16" else 0)
    words = 'if a/x.npy has the bits of bfloat16, write "dtype": "bfloat16" for it'
    assert (words in capsys.readouterr().err) == (dtype == "uint16")
    if dtype == "uint16":
        for kind in files:
            next(iter(document["cases"][0][kind].values()))["dtype"] = "bfloat16"
        (tmp_path / "manifest.json").write_text(json.dumps(document))
        assert status("check", "--manifest", str(tmp_path), "--jobs", "1") == 0


def damaged(path: Path, kind: str) -> None:
    data = path.read_bytes()
    if kind == "truncated":
        path.write_bytes(data[:-3])
    elif kind == "too long":
        path.write_bytes(data + b"123")
    elif kind == "no header":
        path.write_bytes(b"hello")
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "huge":
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }".ljust(117) + "\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    elif kind == "objects":
        np.save(path, np.array([print], dtype=object), allow_pickle=True)
    elif kind == "archive":
        with path.open("wb") as file:
            np.savez_compressed(file, a=np.zeros(1 << 20))
    elif kind == "folder":
        path.unlink()
        path.mkdir()
    elif kind == "pipe":
        path.unlink()
        os.mkfifo(path)
    elif kind == "another dtype":
        np.save(path, np.load(path).astype(np.float64))
    elif kind == "another shape":
        np.save(path, np.load(path).reshape(-1, 1))


DAMAGES = ("truncated", "too long", "no header", "empty", "huge", "objects", "archive", "folder", "pipe",
           "another dtype", "another shape")  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("case", ["swiglu-0001", "swiglu-0002"])
def test_a_damaged_output_is_missing_and_a_damaged_input_ends_with_2(kind: str, case: str, folder: Path) -> None:
    edited(folder, lambda d: d.update(cases=[one for one in d["cases"] if one["id"] == case]))
    damaged(folder / case / "out.npy", kind)
    code, report = judged(folder)
    assert code == 1
    assert report["counts"] == {"ACCEPTED": 0, "REJECTED": 0, "MISSING": 1}
    assert "out: " in report["cases"][0]["why"]
    damaged(folder / case / "x.npy", kind)
    assert status("check", "--manifest", str(folder)) == 2
