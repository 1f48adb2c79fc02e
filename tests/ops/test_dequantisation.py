"""Dequantisation, SwiGLU and quantisation to INT8: values against NumPy in double, groups, statuses, PyTorch."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
import torch
from ml_dtypes import bfloat16

import actgrad
import actgrad.torch
from actgrad import aclnn, ir
from actgrad.judge.judging import judge
from tests.ops.test_quantisation import OF_SILU, double, quantised, tensor, units

pytestmark = pytest.mark.share(4)

RNG = np.random.default_rng(36)
DEQUANT = actgrad.dequant_swiglu_quant
ATTRIBUTES = ("activate_left", "quant_mode", "swiglu_mode", "clamp_limit", "glu_alpha", "glu_bias")
#: A value in double is off by less than this in units of INT8, and a value of 16 bits by OF_SILU.
OF_DOUBLE = 2.0**-40


def integers(*shape: int) -> np.ndarray:
    return RNG.integers(-(1 << 27), 1 << 27, shape, np.int32)


def computed(*arguments: Any, **options: Any) -> Any:
    """The results of a call with attributes by position."""
    return DEQUANT(*arguments[:7], **dict(zip(ATTRIBUTES, arguments[7:], strict=False)), **options)


def numbers(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return RNG.uniform(0.5, 2, shape).astype(dtype)


def dequantised(x: np.ndarray, weight: Any, activation: Any, bias: Any) -> np.ndarray:
    """Of one group."""
    v = double(x) + (double(bias) if bias is not None and bias.dtype == np.int32 else 0)
    v = v * (1 if weight is None else double(weight)) * (1 if activation is None else double(activation)[..., None])
    return v + (double(bias) if bias is not None and bias.dtype != np.int32 else 0)


def gated(v: np.ndarray, mode: int, left: bool, limit: float, alpha: float, shift: float) -> np.ndarray:
    a, b = np.split(v, 2, -1) if mode != 1 else (v[..., ::2], v[..., 1::2])
    if not left and mode != 1:
        a, b = b, a
    with np.errstate(over="ignore"):
        if mode in (1, 2):
            a, b = np.minimum(a, limit), np.clip(b, -limit, limit)
            return a / (1 + np.exp(-alpha * a)) * (b + shift)
        swish = a / (1 + np.exp(-a))
    return np.minimum(swish, limit) * np.clip(b, -limit, limit) if mode == 3 else swish * b


def assert_right(outputs: Any, v: np.ndarray, quant: str, scale: Any, offset: Any, slack: float, most: float) -> None:
    """Assert that the outputs of one group quantise v."""
    out, of_rows = outputs
    if quant == "static":
        exact = v / (1 if scale is None else double(scale)) + (0 if offset is None else double(offset))
        assert quantised(exact, np.ones(v.shape[:-1]), slack, out)
        assert (of_rows == 0).all()
        return
    v = v * (1 if scale is None else double(scale))
    assert units(of_rows, np.abs(v).max(-1) / 127) <= most
    assert quantised(v, of_rows, slack, out)
    assert (np.abs(out).max(-1) == 127).all()


@pytest.mark.share(28)
@pytest.mark.parametrize("bias", [None, np.int32, np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("mode", range(4))
@pytest.mark.parametrize("quant", ["static", "dynamic"])
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_integers(bias: Any, mode: int, quant: str, backend: str) -> None:
    for shape, left, is_scaled in product([(3, 10), (1, 4, 4096)], (False, True), (False, True)):
        x, n, rows = integers(*shape), shape[-1], shape[:-1]
        weight, activation = numbers(n) * np.float32(2e-8), numbers(*rows) if is_scaled else None
        addend = None if bias is None else integers(n) if bias is np.int32 else numbers(n, dtype=bias)
        scale = numbers(n // 2) / np.float32(8) if is_scaled else None
        offset = numbers(n // 2) if scale is not None and quant == "static" else None
        scalars = (3.0, 1.5, 0.25)
        outputs = computed(
            x, weight, activation, addend, scale, offset, None, left, quant, mode, *scalars, backend=backend
        )
        v = gated(dequantised(x, weight, activation, addend), mode, left, *scalars)
        assert_right(outputs, v, quant, scale, offset, OF_DOUBLE, 0.5000001)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("mode", range(4))
@pytest.mark.share(12)
def test_floats(dtype: Any, mode: int) -> None:
    for shape, left, quant in product([(3, 10), (2, 34_000)], (False, True), ("static", "dynamic")):
        x = (3 * RNG.standard_normal(shape)).astype(dtype)
        scale = numbers(1)
        offset = numbers(1) if quant == "static" else None
        outputs = computed(x, None, None, None, scale, offset, None, left, quant, mode)
        assert_right(outputs, gated(double(x), mode, left, 7.0, 1.702, 1.0), quant, scale, offset, OF_SILU, 3.5)


def test_bits_beyond_float32() -> None:
    """The sum of x and an integer bias, and the scale as it is written."""
    x = np.array([[(1 << 30) + 1, 5, 3, 1 << 24]], np.int32)
    bias = np.array([-(1 << 30), 0, 0, 1], np.int32)
    out, scale = DEQUANT(x, np.ones(4, np.float32), None, bias, activate_left=True, quant_mode="dynamic")
    v = np.array([3 / (1 + np.exp(-1.0)), 5 * ((1 << 24) + 1) / (1 + np.exp(-5.0))]) * [1, 1]
    assert scale.tolist() == [np.float32(v[1] / 127)]
    assert out.tolist() == [[0, 127]]
    near = np.array([[1, 1, 1, 1]], np.int32)
    lone = DEQUANT(near, np.float32([1, 1, 0, 0]), None, np.float32([0, 0, 20.5, 20.5]), activate_left=True)
    assert lone[0].tolist() == [[15, 15]]


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("counts", [[4, 0, 6], [0, 0, 10], [3, 4, 1], [0, 0, 0], [5, -7, 3], [2, 3, 400]])
@pytest.mark.parametrize("quant", ["static", "dynamic"])
def test_groups(counts: list[int], quant: str, backend: str) -> None:
    x, weight, bias = integers(5, 2, 64), numbers(3, 64) * np.float32(2e-8), numbers(3, 64)
    activation, index = numbers(5, 2), np.array(counts, np.int64)
    ends = [0, *np.minimum(np.cumsum(np.maximum(counts, 0)), 10)]
    of_numbers = (numbers(3), numbers(3)) if quant == "static" else (None, None)
    of_rows = (numbers(3, 32), numbers(3, 32) if quant == "static" else None)
    for scale, offset in (of_numbers, of_rows):
        out, rows = np.full((5, 2, 32), 77, np.int8), np.full((5, 2), np.nan, np.float32)
        layout = np.ascontiguousarray(x.transpose(1, 0, 2)).transpose(1, 0, 2)
        computed(layout, weight, activation, bias, scale, offset, index, False, quant, out=(out, rows), backend=backend)
        fresh = computed(x, weight, activation, bias, scale, offset, index, False, quant, backend=backend)
        kept, scales = out.reshape(10, 32), rows.reshape(10)
        for g, (a, b) in enumerate(pairwise(ends)):
            part = [None if each is None else each[g : g + 1] for each in (scale, offset)]
            alone = computed(
                x.reshape(10, 64)[a:b], weight[g], activation.reshape(10)[a:b], bias[g], *part, None, False, quant,
                backend=backend,
            )  # fmt: skip
            assert (kept[a:b] == alone[0]).all()
            assert (scales[a:b] == alone[1]).all()
        assert (kept[ends[-1] :] == 77).all()
        assert np.isnan(scales[ends[-1] :]).all()
        kept[ends[-1] :], scales[ends[-1] :] = 0, 0
        assert (fresh[0] == out).all()
        assert (fresh[1] == rows).all()


def test_one_group_with_rows_of_scales() -> None:
    x, weight, scale = integers(6, 64), numbers(64) * np.float32(2e-8), numbers(32)
    index = np.array([6], np.int64)
    wanted = DEQUANT(x, weight, quant_scale=scale, quant_mode="dynamic")
    for shape in ((64,), (1, 64)):
        got = DEQUANT(x, weight.reshape(shape), None, None, scale, None, index, quant_mode="dynamic")
        assert all((a == b).all() for a, b in zip(got, wanted, strict=True))


@pytest.mark.parametrize("layout", ["transposed", "every other", "backwards"])
def test_layouts_and_threads(layout: str) -> None:
    x, weight, activation = integers(50, 260), numbers(260) * np.float32(2e-8), numbers(50)
    views = {
        "transposed": (np.asfortranarray(x), weight, activation[:, None]),
        "backwards": (np.flip(np.flip(x).copy()), np.flip(np.flip(weight).copy()), np.flip(np.flip(activation).copy())),
        "every other": (np.repeat(x, 2, 1)[:, ::2], np.repeat(weight, 2)[::2], np.repeat(activation, 2)[::2]),
    }
    threads = actgrad.get_num_threads()
    for mode in (0, 1):
        plain = DEQUANT(x, weight, activation, quant_mode="dynamic", swiglu_mode=mode)
        again = DEQUANT(*views[layout], quant_mode="dynamic", swiglu_mode=mode)
        try:
            actgrad.set_num_threads(1)
            alone = computed(x, weight, activation, quant_mode="dynamic", swiglu_mode=mode)
        finally:
            actgrad.set_num_threads(threads)
        for a, b, c in zip(plain, again, alone, strict=True):
            assert a.tobytes() == b.tobytes() == c.tobytes()


def test_special_rows() -> None:
    rows = [[0, 0, -0.0, 0], [np.nan, 2, 4, 1], [np.inf, 1, 2, 1], [1e-40, 1e-40, 1, 1], [3e38, 3, 1, 2]]
    x = np.array(rows, np.float32)
    out, scale = DEQUANT(x, activate_left=True, quant_mode="dynamic")
    assert out.tolist() == [[0, 0], [0, 127], [0, 0], [127, 127], [127, 0]]
    assert scale[[0, 2]].tolist() == [0, np.inf]
    assert DEQUANT(x, activate_left=True)[0].tolist() == [[0, 0], [0, 2], [127, 1], [0, 0], [127, 6]]
    limits = DEQUANT(np.float32([[7, 7.5, -9, -9], [8, 100, 0, 0]]), None, activate_left=True, swiglu_mode=2)
    exact = 7 / (1 + np.exp(-1.702 * 7)) * (np.array([[-7, -7], [0, 0]]) + 1)
    assert limits[0].tolist() == np.rint(exact).tolist()
    for shape in ((0, 4), (4, 0)):
        out, scale = DEQUANT(np.zeros(shape, np.float16), quant_mode="dynamic")
        assert (out.shape, scale.tolist()) == ((shape[0], shape[1] // 2), [0.0] * shape[0])


X, OUT, SCALE = integers(4, 128), np.zeros((4, 64), np.int8), np.zeros(4, np.float32)
WEIGHT, HALF, INDEX = numbers(1, 128) * np.float32(2e-8), numbers(1, 64), np.array([4], np.int64)
USUAL = {
    "x": X, "weight": WEIGHT, "activation": None, "bias": None, "scale": None, "offset": None, "index": INDEX,
    "left": True, "mode": "dynamic", "dst_type": 2, "round": "rint", "dim": -1, "swiglu": 0, "limit": 7.0,
    "alpha": 1.702, "shift": 1.0, "out": OUT, "of_rows": SCALE,
}  # fmt: skip
STATIC = {"mode": "static", "scale": HALF, "offset": HALF}
FLOATS = {"x": (X * 2e-8).astype(bfloat16), "weight": None}
ALONE = {"index": None}
TWO = {"index": np.array([1, 3], np.int64), "weight": np.repeat(WEIGHT, 2, 0)}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 0), (ALONE, 0), (STATIC, 0), (FLOATS, 0), (TWO, 0),
        (STATIC | {"mode": None}, 0),
        ({"weight": WEIGHT[0]}, 0),
        ({"weight": WEIGHT[0], **ALONE}, 0),
        ({"activation": SCALE + 2}, 0),
        ({"activation": np.ones((2, 2), np.float32)}, 0),  # as many as rows
        ({"bias": WEIGHT.astype(np.int32)}, 0),
        ({"bias": WEIGHT.astype(bfloat16)}, 0),
        (STATIC | {"scale": HALF[:, 0], "offset": HALF[:, 0]}, 0),
        (STATIC | TWO | {"scale": HALF[0, :2], "offset": HALF[0, :2]}, 0),
        (ALONE | {"mode": "static"}, 0),
        (ALONE | STATIC | {"scale": HALF[0, :1], "offset": HALF[0]}, 0),
        (FLOATS | ALONE | {"x": (X * 1e-8).astype(np.float16)}, 0),
        ({"round": None}, 0),
        ({"swiglu": 3, "limit": 0.5}, 0),
        ({"x": None}, 161001), ({"out": None}, 161001), ({"of_rows": None}, 161001),
        ({"x": X.astype(np.float32)}, 161002),
        ({"weight": WEIGHT.astype(np.float16)}, 161002),
        ({"activation": SCALE.astype(np.float16)}, 161002),
        ({"bias": WEIGHT.astype(np.int16)}, 161002),
        (FLOATS | {"bias": WEIGHT.astype(np.float16)}, 161002),
        ({"scale": HALF.astype(np.float16)}, 161002),
        (STATIC | {"offset": HALF.astype(np.float16)}, 161002),
        ({"index": INDEX.astype(np.int32)}, 161002),
        ({"out": OUT.astype(np.uint8)}, 161002),
        ({"out": tensor((4, 64), aclnn.ACL_HIFLOAT8)}, 161002),
        ({"of_rows": SCALE.astype(np.float16)}, 161002),
        ({"x": X[0], "out": OUT[0], "of_rows": SCALE[0]}, 561002),
        ({"x": X[:, :127]}, 561002),
        ({"x": X[:, :96], "weight": WEIGHT[:, :96], "out": OUT[:, :48]}, 561002),  # no multiple of 64
        (FLOATS | {"x": (X * 1e-8).astype(np.float16)}, 561002),  # with group_index
        ({"mode": "dynamic_msd"}, 561002),
        ({"swiglu": 4}, 561002), ({"swiglu": -1}, 561002), ({"swiglu": 1, "limit": 0.0}, 561002),
        (ALONE | {"swiglu": 1}, 561002),
        ({"weight": None}, 561002),
        ({"weight": WEIGHT[:, :64]}, 561002),
        (TWO | {"weight": WEIGHT}, 561002),
        (TWO | {"weight": WEIGHT[0]}, 561002),
        ({"activation": SCALE[:3]}, 561002),
        ({"bias": WEIGHT[0, :64]}, 561002),
        (FLOATS | {"bias": WEIGHT}, 561002),
        (FLOATS | {"weight": WEIGHT}, 561002),
        ({"scale": HALF, "offset": HALF}, 561002),  # dynamic
        ({"scale": HALF[:, :1]}, 561002),
        (STATIC | {"scale": None}, 561002), (STATIC | {"offset": None}, 561002),
        (STATIC | {"scale": None, "offset": None}, 561002),
        (STATIC | TWO, 561002),
        ({"index": INDEX[:0]}, 561002),
        ({"out": OUT[:, :32]}, 561002),
        ({"of_rows": SCALE[:2]}, 561002),
        ({"index": np.array([[0, 4]], np.int64)}, 561103),
        ({"dst_type": 3}, 561103), ({"round": "floor"}, 561103), ({"dim": 0}, 561103),
        ({"dst_type": 3, "x": None}, 161001), ({"dim": 0, "mode": "wrong"}, 561002),
    ],
)  # fmt: skip
def test_statuses(change: dict[str, Any], status: int) -> None:
    arguments = {**USUAL, **change}
    for _ in range(2):  # the second call may be cached
        OUT[...], SCALE[...] = 99, 1
        found, size, executor = aclnn.aclnnDequantSwigluQuantV2GetWorkspaceSize(*arguments.values())
        assert found == status, aclnn.aclGetRecentErrMsg()
        if not status:
            assert aclnn.aclnnDequantSwigluQuantV2(None, size, executor, None) == 0
            names = ("x", "weight", "activation", "bias", "scale", "offset", "index", "left")
            inputs = [arguments[name] for name in names]
            if inputs[2] is not None:
                inputs[2] = inputs[2].reshape(4)
            wanted = computed(*inputs, arguments["mode"] or "static", arguments["swiglu"], arguments["limit"])
            assert (wanted[0] == OUT).all()
            assert (wanted[1] == SCALE).all()
    if not {"dst_type", "round", "dim", "swiglu", "limit"} & change.keys():
        first = [*[*arguments.values()][:9], arguments["out"], arguments["of_rows"]]
        assert aclnn.aclnnDequantSwigluQuantGetWorkspaceSize(*first)[0] == status


@pytest.mark.parametrize(
    ("change", "longest"),
    [({}, 10560), ({"bias": True}, 8640), ({"swiglu": 1}, 9280), ({"mode": "static", "bias": True, "swiglu": 1}, 7232)],
)
def test_longest_rows_of_groups(change: dict[str, Any], longest: int) -> None:
    """CANN's document has 7232. The memory of a core is 192 KiB."""
    for size, status in ((longest, 0), (longest + 64, 561002)):
        arguments = {**USUAL, "x": integers(1, size), "weight": numbers(size), "out": np.zeros((1, size // 2), np.int8)}
        arguments |= {"of_rows": SCALE[:1], "swiglu": change.get("swiglu", 0), "mode": change.get("mode", "dynamic")}
        arguments["bias"] = numbers(size) if "bias" in change else None
        if "mode" in change:
            arguments["scale"] = arguments["offset"] = numbers(1)
        assert aclnn.aclnnDequantSwigluQuantV2GetWorkspaceSize(*arguments.values())[0] == status


def test_products_and_documents() -> None:
    arguments = [*[*USUAL.values()][:9], OUT, SCALE]
    for name, status in {"Ascend910B": 0, "Ascend910_93": 0, "Ascend950": 561003, "Ascend310P": 561003}.items():
        with actgrad.product(name):
            assert aclnn.aclnnDequantSwigluQuantGetWorkspaceSize(*arguments)[0] == status
    right = {**USUAL, "swiglu": 1, "left": False}
    assert aclnn.aclnnDequantSwigluQuantV2GetWorkspaceSize(*right.values())[0] == 0
    with actgrad.rules("document"):
        assert aclnn.aclnnDequantSwigluQuantV2GetWorkspaceSize(*right.values())[0] == 161002


def test_graph_operator() -> None:
    operator = ir.DequantSwigluQuant
    assert operator.infer_shape((-1, 8)) == ((-1, 4), (-1,))
    assert operator.infer_dtype("INT32", "FLOAT") == ("INT8", "FLOAT")
    assert (operator(X, WEIGHT, quant_mode="dynamic")[0] == DEQUANT(X, WEIGHT, quant_mode="dynamic")[0]).all()
    for wrong in ({"dst_type": 3}, {"round_mode": "floor"}, {"activate_dim": 0}):
        with pytest.raises(actgrad.ActgradError, match=next(iter(wrong))):
            operator(X, WEIGHT, **wrong)


def test_pytorch() -> None:
    x, weight, activation = torch.from_numpy(X), torch.from_numpy(WEIGHT[0]), torch.from_numpy(SCALE + 2)
    wanted = DEQUANT(X, WEIGHT[0], SCALE + 2, quant_mode="dynamic", swiglu_mode=1)
    out, scale = actgrad.torch.dequant_swiglu_quant(x, weight, activation, quant_mode="dynamic", swiglu_mode=1)
    assert (out.numpy() == wanted[0]).all()
    assert (scale.numpy() == wanted[1]).all()
    fake = actgrad.torch.dequant_swiglu_quant(x.to("meta"), weight.to("meta"))
    assert [(y.shape, y.dtype) for y in fake] == [(out.shape, torch.int8), (scale.shape, torch.float32)]
    kept = actgrad.torch.dequant_swiglu_quant(x, weight, group_index=torch.tensor([3]), quant_mode="dynamic")
    assert (kept[0][3] == 0).all()

    def call(x: torch.Tensor) -> Any:
        return actgrad.torch.dequant_swiglu_quant(x, weight, activation, quant_mode="dynamic")

    for got, exact in zip(torch.compile(call, backend="aot_eager")(x), call(x), strict=True):
        assert torch.equal(got, exact)


def test_check_judges() -> None:
    for inputs in ([X, WEIGHT], [(X * 2e-8).astype(bfloat16), None], [X, WEIGHT, None, WEIGHT.astype(np.int32)]):
        tensors = [*inputs, *[None] * (7 - len(inputs))]
        out, scale = DEQUANT(*inputs, quant_mode="dynamic")
        assert judge(DEQUANT, {"quant_mode": "dynamic"}, tensors, (out, scale)).holds
        wrong = out.copy()
        wrong[3, 5] ^= 1
        assert judge(DEQUANT, {"quant_mode": "dynamic"}, tensors, (wrong, scale)).failing == 1


def test_triton_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton", minversion="3.9")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    for quant, mode in product(("static", "dynamic"), range(4)):
        got = DEQUANT(X, WEIGHT, SCALE + 2, quant_mode=quant, swiglu_mode=mode, backend="triton")
        for a, b in zip(got, DEQUANT(X, WEIGHT, SCALE + 2, quant_mode=quant, swiglu_mode=mode), strict=True):
            assert (a == b).all()
