"""Whole deliveries: planted mistakes are rejected and named, and right outputs of five kinds are accepted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from actgrad.judge.delivery import design
from tests.support import delivery_vendor as exact
from tests.support import planted_mistakes
from tests.support.calls import status
from tests.support.deliveries import edited

pytestmark = [pytest.mark.share(6), pytest.mark.needs("ascend")]

Array = Any
DTYPES = ("float16", "bfloat16", "float32")
#: What the standard in force may accept: the error is small, or few elements show it.
SUBTLE = (
    "the other form", "half sums", "padding of 16", "padding of 64", "rolled back by three", "uncounted tail",
    "truncation", "double rounding", "one row",
)  # fmt: skip

#: What the mixed tolerance accepts: the errors of these mistakes are small in the numbers of their cases.
TOLERATED = {"silu_backward float16: clamped sigmoid", "log_softmax bfloat16: no sum"}
#: A rejected output whose mistake `check` does not name.
UNNAMED = {"gelu float16: row pairs"}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A delivery of 15 operators in three dtypes, with right outputs."""
    folder = tmp_path_factory.mktemp("delivery") / "d"
    assert status("cases", *exact.OPERATORS, "--tensors", str(folder), "--seed", "5", "--number", "36") == 0
    exact.fill(folder)
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five cases of each operator."""
    folder = tmp_path_factory.mktemp("delivery") / "d"
    assert status("cases", *exact.OPERATORS, "--tensors", str(folder), "--seed", "9", "--number", "5") == 0
    return folder


def judged(folder: Path) -> dict[str, Any]:
    path = folder / "report.json"
    status("check", "--manifest", str(folder), "--jobs", "2", "--json", str(path))
    return {case["id"]: case for case in json.loads(path.read_text())["cases"]}


def test_planted_mistakes_are_rejected_and_named(original: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(original, tmp_path / "d"))
    planted = planted_mistakes.fill(folder)
    assert len({words.split(":")[0].split()[0] for words, _ in planted.values()}) >= 12
    assert len(planted) >= 100
    cases = judged(folder)
    assert {key for key, case in cases.items() if case["verdict"] != "ACCEPTED"} <= set(planted)
    accepted, unnamed, false = [], [], []
    for key, (words, names) in planted.items():
        case, is_subtle = cases[key], words.endswith(SUBTLE)
        if case["verdict"] == "ACCEPTED" and (is_subtle or case["kind"] in design.SPECIAL):
            continue
        if case["verdict"] == "ACCEPTED":
            accepted.append((key, words, case["diagnosis"]))
            continue
        if not set(case["diagnosis"]) <= set(names.split()):
            false.append((key, words, case["diagnosis"]))
        elif bool(case["diagnosis"]) != bool(names) and not is_subtle:
            unnamed.append((key, words))
    assert {words for _, words, _ in accepted} <= TOLERATED, accepted
    assert {words for _, words in unnamed} <= UNNAMED, unnamed
    assert not false


def rounded_worse(folder: Path) -> None:
    """Outputs of 16 bits that are up to 2 ULP too large, as a kernel with short intermediate results has them."""
    rng = np.random.default_rng(3)
    for case in json.loads((folder / "manifest.json").read_text())["cases"]:
        for one in case["outputs"].values():
            if one["dtype"] != "float32":
                bits = np.load(folder / one["file"])
                sizes = np.abs(exact.from_file(bits, one["dtype"]).astype(np.float64))
                words = bits.view(np.uint16)
                words[...] += np.where((sizes > 1e-3) & (sizes < 3e4), rng.integers(0, 3, bits.shape), 0).astype(
                    np.uint16
                )
                np.save(folder / one["file"], bits)


#: Mistakes that stand out from such rounding in all of their cases.
CLEAR = (
    "tail of 64", "tail of 32", "rolled by one", "one tile", "every third tile", "last block", "zeros", "interleaved",
    "swapped halves", "saturating sigmoid", "wrong broadcast", "NaN to 0", "-0 lost", "missing alpha",
)  # fmt: skip


@pytest.mark.slow
def test_mistakes_of_a_kernel_that_rounds_worse_are_named(original: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(original, tmp_path / "d"))
    planted = planted_mistakes.fill(folder)
    clear = {key: pair for key, pair in planted.items() if pair[0].endswith(CLEAR)}
    edited(folder, lambda d: d.update(cases=[case for case in d["cases"] if case["id"] in clear]))
    rounded_worse(folder)
    cases = judged(folder)
    found = {key: set(cases[key]["diagnosis"]) for key in clear}
    assert [(key, words, found[key]) for key, (words, names) in clear.items() if found[key] - set(names.split())] == []
    unnamed = [(key, words) for key, (words, _) in clear.items() if not found[key]]
    assert not unnamed
    assert len(clear) > 55


INTEGERS: dict[str, tuple[str, Any]] = {
    "truncation": ("truncation", np.trunc),
    "rounding down": ("floor", np.floor),
    "wrap-around": ("wrap-around", lambda right: (np.rint(right) + 128) % 256 - 128),
}


@pytest.mark.parametrize("kind", INTEGERS)
def test_mistakes_in_integers_are_named(kind: str, tmp_path: Path) -> None:
    name, change = INTEGERS[kind]
    x = np.random.default_rng(4).integers(-128, 128, (23, 31)).astype(np.int8)
    right = 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543773 * np.expm1(np.minimum(x, 0.0)))
    (tmp_path / "selu-0001").mkdir()
    np.save(tmp_path / "selu-0001" / "self.npy", x)
    (tmp_path / "manifest.json").write_text(json.dumps({"cases": [{"operator": "selu"}]}))
    np.save(tmp_path / "selu-0001" / "out.npy", np.clip(np.rint(right), -128, 127).astype(np.int8))
    assert judged(tmp_path)["selu-0001"]["verdict"] == "ACCEPTED"
    wrong = change(right) if name == "wrap-around" else np.clip(change(right), -128, 127)
    np.save(tmp_path / "selu-0001" / "out.npy", wrong.astype(np.int8))
    case = judged(tmp_path)["selu-0001"]
    assert (case["verdict"], case["diagnosis"]) == ("REJECTED", [name])


# Right outputs


def in_float32(x: Array) -> Array:
    """Rounded to float32 as an intermediate result of a kernel is."""
    return np.asarray(x, np.float64).astype(np.float32)


def other_order(case: Any, inputs: dict[str, Array], right: list[Array]) -> list[Array]:
    """The sums of rows in float32, from the last element to the first, in blocks of 8."""
    if "softmax" not in case["operator"]:
        return right
    dim = case["attributes"]["dim"]
    x = np.moveaxis(in_float32(exact.first(inputs)), dim, -1)[..., ::-1]
    powers = np.exp(x - x.max(-1, keepdims=True))
    total = np.zeros(x.shape[:-1], np.float32)
    for first in range(0, x.shape[-1], 8):
        total = total + powers[..., first : first + 8].sum(-1, dtype=np.float32)
    results = powers / total[..., None]
    if case["operator"] == "log_softmax":
        results = (x - x.max(-1, keepdims=True)) - np.log(total)[..., None]
    return [np.moveaxis(results[..., ::-1], -1, dim).astype(np.float64)]


def flushed(case: Any, inputs: dict[str, Array], right: list[Array]) -> list[Array]:
    """Results below the smallest normal number are 0."""
    dtype = next(iter(case["outputs"].values()))["dtype"]
    normal = 2.0**-14 if dtype == "float16" else 2.0**-126

    return [np.where(np.abs(r) < normal, np.copysign(0.0, r), r) for r in right]


def one_ulp(case: Any, inputs: dict[str, Array], right: list[Array]) -> list[Array]:
    return right  # the bits are changed when they are stored


def stored(numbers: Array, one: Any, kind: str) -> Array:
    bits = exact.to_file(numbers, one["dtype"])
    if kind == "1 ULP in 1,000" and bits.size > 500:
        words = bits.view(np.uint32 if one["dtype"] == "float32" else np.uint16).reshape(-1)
        wide = exact.from_file(bits, one["dtype"]).reshape(-1).astype(np.float64)
        at = np.flatnonzero(np.isfinite(wide) & (wide != 0))[500::1000]
        words[at] -= 1
    return bits


def of_pytorch(case: Any, tensors: dict[str, torch.Tensor]) -> torch.Tensor | None:
    """PyTorch's own result, where it has the operator."""
    aten, a, t = torch.ops.aten, case["attributes"], list(tensors.values())
    calls: dict[str, Any] = {
        "gelu": lambda: aten.gelu(t[0], approximate=a["approximate"]),
        "gelu_backward": lambda: aten.gelu_backward(t[0], t[1], approximate=a["approximate"]),
        "silu": lambda: aten.silu(t[0]),
        "silu_backward": lambda: aten.silu_backward(t[0], t[1]),
        "softmax": lambda: aten._softmax(t[0], a["dim"], False),
        "log_softmax": lambda: aten._log_softmax(t[0], a["dim"], False),
        "leaky_relu": lambda: aten.leaky_relu(t[0], a["negative_slope"]),
        "mish_backward": lambda: aten.mish_backward(t[0], t[1]),
        "sigmoid": lambda: aten.sigmoid(t[0]),
        "relu": lambda: aten.relu(t[0]),
    }
    return calls[case["operator"]]() if case["operator"] in calls else None


KINDS: dict[str, Any] = {
    "float64 rounded": lambda case, inputs, right: right,
    "another order of sums": other_order,
    "flush to zero": flushed,
    "1 ULP in 1,000": one_ulp,
}


def filled(folder: Path, kind: str) -> list[str]:
    """Write the outputs of a kind; the ids of the cases that it covers."""
    document = json.loads((folder / "manifest.json").read_text())
    ids = []
    for case in document["cases"]:
        arrays = {
            name: exact.from_file(np.load(folder / one["file"]), one["dtype"]) for name, one in case["inputs"].items()
        }
        outputs = list(case["outputs"].values())
        if kind == "PyTorch's own":
            if not all(np.isfinite(array).all() for array in arrays.values()):
                continue
            dtype = getattr(torch, outputs[0]["dtype"])
            result = of_pytorch(case, {n: torch.from_numpy(x.copy()).to(dtype) for n, x in arrays.items()})
            if result is None:
                continue
            results = [result.to(torch.float64).numpy()]
        else:
            inputs = {name: array.astype(np.float64) for name, array in arrays.items()}
            with np.errstate(all="ignore"):
                results = KINDS[kind](case, inputs, exact.results(folder, case))
        ids.append(case["id"])
        for one, numbers in zip(outputs, results, strict=False):
            with np.errstate(all="ignore"):
                np.save(folder / one["file"], stored(numbers, one, kind).reshape(one["shape"]))
    return ids


@pytest.mark.parametrize("kind", [*KINDS, "PyTorch's own"])
@pytest.mark.share(4)
def test_right_outputs_are_accepted(kind: str, small: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(small, tmp_path / "d"))
    exact.fill(folder)  # also the cases that a kind does not cover
    assert len(filled(folder, kind)) >= (15 if kind == "PyTorch's own" else 75)
    cases = judged(folder)
    assert len(cases) == 75
    rejected = {key: case["why"] for key, case in cases.items() if case["verdict"] != "ACCEPTED"}
    assert not rejected


def test_a_kernel_may_compute_with_attributes_in_float64(tmp_path: Path) -> None:
    """Rounding alpha to float32 moves exp(-88 / alpha) by many ULP: such numbers are not drawn."""
    assert status("cases", "celu", "--tensors", str(tmp_path / "d"), "--seed", "77", "--number", "24") == 0
    for case in json.loads((tmp_path / "d" / "manifest.json").read_text())["cases"]:
        (x,), (out,) = case["inputs"].values(), case["outputs"].values()
        numbers = exact.from_file(np.load(tmp_path / "d" / x["file"]), x["dtype"]).astype(np.float64)
        alpha = case["attributes"]["alpha"]
        with np.errstate(all="ignore"):
            right = np.where(numbers > 0, numbers, alpha * np.expm1(np.minimum(numbers, 0) / alpha))
            np.save(tmp_path / "d" / out["file"], exact.to_file(right, out["dtype"]))
    assert {case["verdict"] for case in judged(tmp_path / "d").values()} == {"ACCEPTED"}
