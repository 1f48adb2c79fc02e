"""Mistakes that a kernel's author makes, planted in the outputs of a delivery: NumPy and float64 formulas only.

Each entry has an operator, a name, the diagnoses that name it rightly, and a function from the inputs, the attributes
and the right results to the wrong ones. None means that the case cannot show the mistake.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from . import delivery_vendor as exact
from .planted_layouts import LAYOUT

Array = Any


def formula(compute: Any) -> Any:
    """A mistake in the formula: the inputs in float64 and the attributes."""
    return lambda inputs, attributes, right: compute(inputs, attributes)


def other_dim(inputs: Any, attributes: Any, right: list[Array], name: str = "softmax") -> Any:
    x = exact.first(inputs)
    other = (attributes["dim"] + 1) % x.ndim
    if x.ndim < 2 or x.shape[other] < 2:
        return None
    return [getattr(exact, name)(x, other)]


def gated(gate: Any, order: Any = lambda a, b: (a, b)) -> Any:
    def compute(i: Any, a: Any) -> Any:
        active, other = order(*exact.halves(exact.first(i), a["dim"]))
        return [gate(active) * other]

    return formula(compute)


def interleaved(i: Any, a: Any) -> Any:
    x = np.moveaxis(exact.first(i), a["dim"], -1)
    return [np.moveaxis(exact.silu(x[..., ::2]) * x[..., 1::2], -1, a["dim"])]


def gated_other_dim(i: Any, a: Any, right: list[Array]) -> Any:
    """The halves of another dimension, written over the same number of elements."""
    x = exact.first(i)
    for other in range(x.ndim):
        if other != a["dim"] % x.ndim and x.shape[other] % 2 == 0:
            active, gate = exact.halves(x, other)
            return [(exact.silu(active) * gate).reshape(right[0].shape)]
    if a["dim"] % x.ndim == x.ndim - 1 and x.ndim == 1:
        return None
    active, gate = x.ravel()[: x.size // 2], x.ravel()[x.size // 2 :]  # of the flat tensor
    return None if a["dim"] % x.ndim == 0 else [(exact.silu(active) * gate).reshape(right[0].shape)]


def clamped(end: float) -> Any:
    return lambda x: exact.sigmoid(np.clip(x, -end, end))


def clamped_silu_slope(x: Array) -> Array:
    s = clamped(5.0)(x)
    return s + x * s * (1 - s)


def clamped_input_slope(x: Array) -> Array:
    return exact.silu_slope(np.clip(x, -4, 4))


def overflowing_silu(i: Any, a: Any) -> Any:
    x = exact.first(i)
    e = np.exp(x.astype(np.float32))
    wrong = x * (e / (1 + e)).astype(float)
    return [wrong] if (np.isnan(wrong) & np.isfinite(x)).sum() > 2 else None


def padded(name: str, block: int) -> Any:
    def compute(i: Any, a: Any, right: Any) -> Any:
        x = exact.first(i)
        dim, length = a["dim"] % x.ndim, x.shape[a["dim"]]
        if not -length % block:
            return None
        widths = [(0, -length % block if d == dim else 0) for d in range(x.ndim)]
        wrong = getattr(exact, name)(np.pad(x, widths), dim)
        return [np.take(wrong, range(length), axis=dim)]

    return compute


def half_sums(name: str, terms: Any = np.float16) -> Any:
    def compute(i: Any, a: Any, right: Any) -> Any:
        x = np.moveaxis(exact.first(i), a["dim"], -1)
        if x.shape[-1] < 2:
            return None
        shifted = x - x.max(-1, keepdims=True)
        e, total = np.exp(shifted), np.zeros(x.shape[:-1], np.float16)
        for k in range(x.shape[-1]):
            total = (total + e[..., k].astype(terms)).astype(np.float16)
        wide = total.astype(float)[..., None]
        wrong = e / wide if name == "softmax" else shifted - np.log(wide)
        return [np.moveaxis(wrong, -1, a["dim"])]

    return compute


def broadcast_last(i: Any, a: Any, right: Any) -> Any:
    x, weight = i["self"], i["weight"]
    if x.ndim < 3 or weight.size == 1:
        return None
    index = np.arange(x.size).reshape(x.shape) % weight.size  # of the last dimension
    return [np.where(x > 0, x, x * weight[index])]


def zeros_of_nan(i: Any, a: Any, right: Any) -> Any:
    return [np.where(np.isnan(r), 0, r) for r in right] if any(np.isnan(r).any() for r in right) else None


def without(name: str, value: float = 1.0) -> Any:
    def compute(i: Any, a: Any, right: Any) -> Any:
        if a[name] == value:
            return None
        return exact.OPERATORS["elu_backward"](i, {**a, name: value})

    return compute


def flipped(i: Any, a: Any, right: Any) -> Any:
    return exact.OPERATORS["elu_backward"](i, {**a, "is_result": not a["is_result"]})


def slope(change: Any) -> Any:
    return formula(lambda i, a: [i["grad_output"] * change(i)])


def swapped_gradients(i: Any, a: Any, right: Any) -> Any:
    return [np.concatenate(exact.halves(right[0], a["dim"])[::-1], a["dim"])]


def no_maximum(i: Any, a: Any, right: Any) -> Any:
    x = exact.first(i)
    e = np.exp(x.astype(np.float32))
    wrong = (e / e.sum(a["dim"], keepdims=True)).astype(float)
    return [wrong] if np.isnan(wrong).any() else None


def sign_of_zero(i: Any, a: Any, right: Any) -> Any:
    x = exact.first(i)
    return [np.where(right[0] == 0, 0.0, right[0])] if (x == -np.inf).any() else None


def truncated(numbers: Array, dtype: str) -> Array | None:
    """The file with digits cut off that its dtype has no room for."""
    if dtype == "float32":
        return None
    bits = exact.to_file(numbers, dtype)
    above = np.abs(exact.from_file(bits, dtype).astype(float)) > np.abs(numbers)
    return (bits.view(np.uint16) - above.astype(np.uint16)).view(bits.dtype)


def rounded_twice(numbers: Array, dtype: str) -> Array | None:
    """The file of numbers that were rounded to the other dtype of 16 bits before."""
    other = {"float16": "bfloat16", "bfloat16": "float16"}.get(dtype)
    return None if other is None else exact.to_file(exact.from_file(exact.to_file(numbers, other), other), dtype)


def flat_rows(name: str) -> Any:
    """The sum of all rows together."""

    def compute(i: Any, a: Any, right: Any) -> Any:
        x = exact.first(i)
        return (
            None if x.ndim < 2 or x.shape[a["dim"]] == x.size else [getattr(exact, name)(x.ravel(), 0).reshape(x.shape)]
        )

    return compute


def uncounted_tail(i: Any, a: Any, right: Any) -> Any:
    x = np.moveaxis(exact.first(i), a["dim"], -1)
    length = x.shape[-1]
    if length <= 16 or not length % 16:
        return None
    e = np.exp(x - x.max(-1, keepdims=True))
    return [np.moveaxis(e / e[..., : length // 16 * 16].sum(-1, keepdims=True), -1, a["dim"])]


def no_sum(i: Any, a: Any, right: Any) -> Any:
    x = exact.first(i)
    return [x - x.max(a["dim"], keepdims=True)] if x.shape[a["dim"]] > 1 else None


def written_interleaved(i: Any, a: Any, right: Any) -> Any:
    """The gradients of both halves, written for interleaved halves."""
    moved = np.moveaxis(right[0], a["dim"], -1)
    lower, upper = np.split(moved, 2, -1)
    return [np.moveaxis(np.stack([lower, upper], -1).reshape(moved.shape), -1, a["dim"])]


def read_and_written_interleaved(i: Any, a: Any, right: Any) -> Any:
    """The whole gradient in the arrangement of interleaved halves."""
    dim = a["dim"]
    order = np.argsort(np.arange(i["x"].shape[dim]) % 2, kind="stable")
    split = {**i, "x": np.take(i["x"], order, dim)}
    return [np.take(exact.swiglu_backward(split, a)[0], np.argsort(order), dim)]


def first_weight(i: Any, a: Any, right: Any) -> Any:
    x, weight = i["self"], i["weight"]
    return None if weight.size == 1 else [np.where(x > 0, x, x * weight.ravel()[0])]


def overflowing_sigmoid(i: Any, a: Any, right: Any) -> Any:
    e = np.exp(exact.first(i).astype(np.float32))
    wrong = (e / (1 + e)).astype(float)
    return [wrong] if (np.isnan(wrong) & np.isfinite(exact.first(i))).sum() > 2 else None


#: Two or three layouts for each operator, each of them several times.
OPERATORS = ("gelu", "silu", "swiglu", "geglu", "softmax", "log_softmax", "elu_backward", "leaky_relu", "mish_backward",
             "prelu", "sigmoid", "gelu_backward", "silu_backward", "swiglu_backward")  # fmt: skip
PLANTED: list[tuple[str, str, str, Any]] = [
    (OPERATORS[k % len(OPERATORS)], name, LAYOUT[name][1], LAYOUT[name][0])
    for k, name in enumerate([*LAYOUT, *list(LAYOUT)[:11]])
    if (OPERATORS[k % len(OPERATORS)], name) != ("leaky_relu", "zeros")
]
PLANTED += [
    *((name, "the output of an earlier call", "stale", "earlier") for name in ("gelu", "softmax", "swiglu_backward", "prelu")),  # noqa: E501
    ("gelu", "1.702", "sigmoid-1.702", formula(lambda i, a: [exact.times(exact.first(i), exact.sigmoid(1.702 * exact.first(i)))])),  # noqa: E501
    ("gelu", "the other form", "approximate-tanh approximate-none",
     formula(lambda i, a: [exact.gelu(exact.first(i), "none" if a["approximate"] == "tanh" else "tanh")])),
    ("gelu_backward", "the other form", "approximate-tanh approximate-none",
     slope(lambda i: exact.gelu_slope(i["self"], "tanh"))),
    ("silu", "saturating sigmoid", "saturating-sigmoid", formula(lambda i, a: [exact.times(exact.first(i), clamped(4.0)(exact.first(i)))])),  # noqa: E501
    ("silu", "straight line", "saturating-sigmoid",
     formula(lambda i, a: [exact.times(exact.first(i), np.clip(exact.first(i) / 6 + 0.5, 0, 1))])),
    ("silu", "exp overflows", "exp-overflow nan-at-infinity", formula(overflowing_silu)),
    ("silu", "NaN to 0", "nan-lost", zeros_of_nan),
    ("silu", "-0 lost", "zero-sign", sign_of_zero),
    ("sigmoid", "saturating sigmoid", "saturating-sigmoid", formula(lambda i, a: [clamped(3.0)(exact.first(i))])),
    ("sigmoid", "straight line", "saturating-sigmoid", formula(lambda i, a: [np.clip(exact.first(i) / 6 + 0.5, 0, 1)])),
    ("sigmoid", "NaN to 0", "nan-lost", zeros_of_nan),
    ("silu_backward", "clamped sigmoid", "saturating-sigmoid", slope(lambda i: clamped_silu_slope(i["self"]))),
    ("silu_backward", "clamped input", "saturating-sigmoid", slope(lambda i: clamped_input_slope(i["self"]))),
    ("silu_backward", "the sigmoid for its slope", "", slope(lambda i: exact.sigmoid(i["self"]))),
    ("swiglu", "interleaved", "interleaved-halves", formula(interleaved)),
    ("swiglu", "swapped halves", "swapped-halves", gated(exact.silu, lambda a, b: (b, a))),
    ("swiglu", "wrong dim", "wrong-dim", gated_other_dim),
    ("swiglu", "saturating sigmoid", "saturating-sigmoid", gated(lambda x: exact.times(x, clamped(4.0)(x)))),
    ("swiglu_backward", "swapped gradients", "swapped-halves", swapped_gradients),
    ("geglu", "swapped halves", "swapped-halves",
     formula(lambda i, a: exact.geglu(i, {**a, "activate_left": not a["activate_left"]}))),
    ("softmax", "one row", "wrong-dim", flat_rows("softmax")),
    ("log_softmax", "one row", "wrong-dim", flat_rows("log_softmax")),
    ("softmax", "uncounted tail", "tail-not-counted", uncounted_tail),
    ("log_softmax", "no sum", "sum-ignored", no_sum),
    ("swiglu_backward", "written interleaved", "interleaved-halves", written_interleaved),
    ("swiglu_backward", "interleaved", "interleaved-halves", read_and_written_interleaved),
    ("prelu", "the first weight", "wrong-broadcast", first_weight),
    ("sigmoid", "exp overflows", "exp-overflow", overflowing_sigmoid),
    ("sigmoid", "steep line", "saturating-sigmoid", formula(lambda i, a: [np.clip(exact.first(i) / 4 + 0.5, 0, 1)])),
    *((name, "truncation", "truncation", truncated) for name in ("gelu", "swiglu", "log_softmax", "silu_backward", "prelu")),  # noqa: E501
    *((name, "double rounding", "double-rounding", rounded_twice) for name in ("silu", "geglu", "mish_backward")),
    ("sigmoid", "double rounding", "double-rounding", rounded_twice),
    ("softmax", "wrong dim", "wrong-dim", other_dim),
    ("softmax", "padding of 16", "padding-counted", padded("softmax", 16)),
    ("softmax", "half sums", "half-accumulation", half_sums("softmax")),
    ("softmax", "no maximum", "no-maximum", no_maximum),
    ("softmax", "wide terms in half sums", "half-accumulation", half_sums("softmax", np.float32)),
    ("log_softmax", "wrong dim", "wrong-dim", lambda i, a, r: other_dim(i, a, r, "log_softmax")),
    ("log_softmax", "padding of 64", "padding-counted", padded("log_softmax", 64)),
    ("log_softmax", "half sums", "half-accumulation", half_sums("log_softmax")),
    ("elu_backward", "missing alpha", "missing-alpha alpha-ignored", without("alpha")),
    ("elu_backward", "missing scale", "missing-scale scale-ignored", without("scale")),
    ("elu_backward", "missing input_scale", "missing-input_scale input_scale-ignored", without("input_scale")),
    ("elu_backward", "result for input", "result-for-input", flipped),
    ("leaky_relu", "slope of the default", "negative_slope-ignored missing-negative_slope",
     lambda i, a, r: None if a["negative_slope"] == 0.01 else [np.where(exact.first(i) > 0, exact.first(i), 0.01 * exact.first(i))]),  # noqa: E501
    ("leaky_relu", "sign of the slope", "negative_slope-converted sign",
     formula(lambda i, a: [np.where(exact.first(i) > 0, exact.first(i), -a["negative_slope"] * exact.first(i))])),
    ("prelu", "wrong broadcast", "wrong-broadcast", broadcast_last),
    ("prelu", "NaN to 0", "nan-lost", zeros_of_nan),
    ("mish_backward", "missing gradient", "inputs-exchanged grad_output-ignored grad-ignored missing-grad_output", formula(lambda i, a: [exact.mish_slope(i["self"])])),  # noqa: E501
    ("mish_backward", "inputs exchanged", "inputs-exchanged",
     formula(lambda i, a: [i["self"] * exact.mish_slope(i["grad_output"])])),
]  # fmt: skip


def fill(folder: Path) -> dict[str, tuple[str, str]]:
    """Plant each mistake in a case of each dtype; the ids of the cases with mistake and right diagnoses."""
    exact.fill(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    planted: dict[str, tuple[str, str]] = {}
    read: set[str] = set()  # cases whose outputs another one repeats
    for dtype in ("float16", "bfloat16", "float32"):
        earlier: dict[str, list[Any]] = {}
        for case in manifest["cases"]:
            outputs = [*case["outputs"].values()]
            size = np.prod(outputs[0]["shape"])
            if outputs[0]["dtype"] == dtype and "special" not in case and size >= 500:
                earlier.setdefault(case["operator"], []).append(case)
        for operator, name, names, change in PLANTED:
            for case in earlier[operator]:
                if case["id"] in planted or case["id"] in read:
                    continue
                before = manifest["cases"][max(0, manifest["cases"].index(case) - 3)]  # of the same dtype
                is_stale = change == "earlier"
                if is_stale and before["id"] in planted:  # a wrong output, which may be zeros everywhere
                    continue
                wrong = stale(folder, case, before) if is_stale else spoiled(folder, case, change)
                if wrong is not None:
                    for one, numbers in zip(case["outputs"].values(), wrong, strict=False):
                        np.save(folder / one["file"], numbers)
                    read |= {before["id"]} if change == "earlier" else set()
                    planted[case["id"]] = (f"{operator} {dtype}: {name}", names)
                    break
    return planted


def stale(folder: Path, case: Any, before: Any) -> list[Array] | None:
    """The last three quarters still hold the output of the call before."""
    if before["operator"] != case["operator"] or any(one["special"] for one in (case, before) if "special" in one):
        return None
    results = []
    for one, other in zip(case["outputs"].values(), before["outputs"].values(), strict=True):
        right, old = np.load(folder / one["file"]), np.load(folder / other["file"])
        wrong = right.copy()
        first = wrong.size // 4
        if one["dtype"] != other["dtype"] or old.size < wrong.size // 2:
            return None
        wrong.ravel()[first:] = np.resize(old, wrong.size)[first:]
        results.append(wrong)
    return results


def spoiled(folder: Path, case: Any, change: Any) -> list[Array] | None:
    """The wrong outputs as stored; None where they are as good as the right ones."""
    inputs = {
        name: exact.from_file(np.load(folder / one["file"]), one["dtype"]).astype(np.float64)
        for name, one in case["inputs"].items()
    }
    with np.errstate(all="ignore"):
        right = exact.results(folder, case)
        if change in (truncated, rounded_twice):
            stored = [change(r, one["dtype"]) for r, one in zip(right, case["outputs"].values(), strict=False)]
            return None if stored[0] is None else stored
        wrong = change(inputs, case["attributes"], right)
        if wrong is None or any(w is None or np.size(w) != np.size(r) for w, r in zip(wrong, right, strict=False)):
            return None
        difference = np.concatenate(
            [np.ravel(w != r) & ~np.ravel(np.isnan(w) & np.isnan(r)) for w, r in zip(wrong, right, strict=False)]
        )
        zeros = np.concatenate([np.ravel(np.signbit(w) != np.signbit(r)) for w, r in zip(wrong, right, strict=False)])
        if not (difference | zeros).any():
            return None
        return [
            exact.to_file(w, one["dtype"]).reshape(one["shape"])
            for w, one in zip(wrong, case["outputs"].values(), strict=False)
        ]
