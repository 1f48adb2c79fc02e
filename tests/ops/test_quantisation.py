"""Quantisation to INT8: values and scales against NumPy in double, groups, statuses of the C functions, PyTorch."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from ml_dtypes import bfloat16

import actgrad
import actgrad.torch
from actgrad import aclnn, ir
from actgrad.judge.judging import judge
from tests.support.row_operators import QUANTISING
from tests.support.surroundings import on_small_stack

pytestmark = pytest.mark.share(4)

DTYPES = [np.float32, np.float16, bfloat16]
RNG = np.random.default_rng(35)
#: A quotient in float32 is off by half a unit, and a value of up to 128 has units of 2**-17. A tie may go either way.
ROUNDED, SMOOTHED, OF_SILU = 2.0**-18, 2.0**-16, 2.0**-13


def some(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return (3 * RNG.standard_normal(shape)).astype(dtype)


def double(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64)


def quantised(v: np.ndarray, scale: np.ndarray, slack: float, actual: np.ndarray) -> bool:
    """Whether `actual` is v / scale, rounded to INT8: the nearest integer, or the other one next to a tie."""
    assert actual.dtype == np.int8
    with np.errstate(invalid="ignore", divide="ignore"):
        exact = np.clip(np.nan_to_num(v / double(scale)[..., None]), -128, 127)
    return bool((np.abs(actual - exact) <= 0.5 + slack).all())


def units(actual: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance in units of float32."""
    assert actual.dtype == np.float32
    exact = double(exact)
    return float(np.max(np.abs(double(actual) - exact) / double(np.spacing(exact.astype(np.float32)))))


def swiglu(x: np.ndarray, left: bool) -> np.ndarray:
    lower, upper = np.split(double(x), 2, -1)
    a, b = (lower, upper) if left else (upper, lower)
    return a / (1 + np.exp(-a)) * b


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (7,), (2, 3, 64), (9, 4099)])
@pytest.mark.parametrize("smoothed", [False, True])
def test_dynamic_quant(dtype: Any, shape: tuple[int, ...], smoothed: bool) -> None:
    x = some(*shape, dtype=dtype)
    smooth = RNG.uniform(0.5, 2, shape[-1:]).astype(dtype) if smoothed else None
    v = double(x) * (1 if smooth is None else double(smooth))
    for backend in ("cpu", "reference"):
        out, scale = actgrad.dynamic_quant(x, smooth, backend=backend)
        assert units(scale, np.abs(v).max(-1) / 127) <= (1.5 if smoothed else 0.5)
        assert quantised(v, scale, SMOOTHED if smoothed else ROUNDED, out)
        assert (np.abs(out).max(-1) == 127).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 5), (7,), (2, 3, 64), (9, 4099)])
@pytest.mark.parametrize("smoothed", [False, True])
def test_dynamic_quant_asymmetric(dtype: Any, shape: tuple[int, ...], smoothed: bool) -> None:
    x = some(*shape, dtype=dtype) + dtype(2)
    smooth = RNG.uniform(0.5, 2, shape[-1:]).astype(dtype) if smoothed else None
    v = double(x) * (1 if smooth is None else double(smooth))
    high, low = v.max(-1), v.min(-1)
    for backend in ("cpu", "reference"):
        out, scale, offset = actgrad.dynamic_quant_asymmetric(x, smooth, backend=backend)
        assert units(scale, (high - low) / 255) <= 2
        assert (np.abs(offset - (127 - high / double(scale))) <= (127 + np.abs(v).max(-1) / scale) * 2.0**-23).all()
        exact = np.clip(v / double(scale)[..., None] + double(offset)[..., None], -128, 127)
        assert out.dtype == np.int8
        assert (np.abs(out - exact) <= 0.5 + 2.0**-14).all()
        assert (out.max(-1) == 127).all()
        assert (out.min(-1) == -128).all()


def test_the_reference_rounds_exactly() -> None:
    """It divides by the scale as it is written, and rounds once."""
    x = some(64, 1024, dtype=bfloat16)
    out, scale = actgrad.dynamic_quant(x, backend="reference")
    assert (out == np.rint(double(x) / double(scale)[:, None])).all()


@pytest.mark.parametrize("layout", ["transposed", "every other", "backwards"])
def test_layouts_and_threads_do_not_matter(layout: str) -> None:
    x = some(50, 260)
    views = {"transposed": np.asfortranarray(x), "backwards": np.flip(np.flip(x).copy())}
    views["every other"] = np.repeat(x, 2, 1)[:, ::2]
    plain, again = actgrad.dynamic_quant(x), actgrad.dynamic_quant(views[layout])
    threads = actgrad.get_num_threads()
    try:
        actgrad.set_num_threads(1)
        alone = actgrad.dynamic_quant(x)
    finally:
        actgrad.set_num_threads(threads)
    for a, b, c in zip(plain, again, alone, strict=True):
        assert a.tobytes() == b.tobytes() == c.tobytes()


def test_special_rows() -> None:
    rows = [[0, 0, 0], [np.nan, 2, -4], [np.nan] * 3, [np.inf, 1, -np.inf], [1e-45, 0, 0], [-0.0, 0, 3.4e38]]
    out, scale = actgrad.dynamic_quant(np.array(rows, np.float32))
    assert out.tolist() == [[0, 0, 0], [0, 64, -127], [0, 0, 0], [0, 0, 0], [127, 0, 0], [0, 0, 127]]
    assert scale.tolist() == [0, np.float32(4) / np.float32(127), 0, np.inf, 0, np.float32(3.4e38) / np.float32(127)]
    x = np.array([[1, 0, 0, 0], [1, np.nan, 5, 5], [np.inf, 2, 1, 1]], np.float32)
    constant = np.array([[2, 2], [0, 0], [np.nan, np.nan], [3e38, -3e38]], np.float32)
    out, scale, offset = actgrad.dynamic_quant_asymmetric(constant)
    assert scale.tolist()[:3] == [np.float32(1e-12)] * 3
    assert offset[1:3].tolist() == [127, 127]
    assert out[1:].tolist() == [[127, 127], [0, 0], [127, -128]]
    same = np.array([[np.inf, np.inf], [-np.inf, -np.inf], [np.nan, np.inf]], np.float32)
    for number in (2, 35, 36):
        for backend in ("cpu", "reference"):
            _, scale, offset = actgrad.dynamic_quant_asymmetric(same, dst_type=number, backend=backend)
            assert np.isnan(scale).all()  # inf - inf
            assert np.isnan(offset).all()
    out, scale = actgrad.swiglu_quant(x, activate_left=True)
    assert out[0].tolist() == [0, 0]
    assert scale.tolist()[::2] == [np.inf, 0]
    assert out[1].tolist() == [127, 0]
    assert out[2].tolist() == [0, 0]


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0, 0)])
def test_empty_tensors(shape: tuple[int, int]) -> None:
    out, scale = actgrad.dynamic_quant(np.zeros(shape, np.float16))
    assert (out.shape, scale.tolist()) == (shape, [0.0] * shape[0])


@pytest.mark.share(12)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 10), (2, 3, 66), (6, 8192), (2, 34000)])
@pytest.mark.parametrize("left", [False, True])
def test_swiglu_quant(dtype: Any, shape: tuple[int, ...], left: bool) -> None:
    x, n = some(*shape, dtype=dtype), shape[-1] // 2
    of_row = RNG.uniform(0.5, 2, (1, n)).astype(np.float32)
    shift = RNG.uniform(-5, 5, (1, n)).astype(np.float32)
    for smooth in (None, of_row, of_row[:, 0].copy()):
        for offsets in (None, shift):
            v = swiglu(x, left) * (1 if smooth is None else double(smooth))
            out, scale = actgrad.swiglu_quant(x, smooth, offsets, activate_left=left)
            is_short = dtype is not np.float32 and smooth is None  # then a * b is exact
            assert units(scale, 127 / np.abs(v).max(-1)) <= (1.5 if is_short else 2.5 if smooth is None else 3.5)
            assert quantised(v, 1 / double(scale), OF_SILU, out)
            out, scale = actgrad.swiglu_quant(x, smooth, offsets, activate_left=left, quant_mode="static")
            assert (scale == 0).all()
            assert quantised(v + (0 if offsets is None else double(offsets)), np.ones(shape[:-1]), OF_SILU, out)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("ends", [[4, 4, 10], [0, 0, 10], [10, 10, 10], [3, 7, 10], [12, 3, 10]])
def test_groups_of_rows(ends: list[int], backend: str) -> None:
    x, smooth = some(5, 2, 33, dtype=np.float16), RNG.uniform(0.5, 2, (3, 33)).astype(np.float16)
    rows = x.reshape(10, 33)
    firsts = np.minimum([0, *np.maximum.accumulate(ends)], 10)
    parts = [actgrad.dynamic_quant(rows[a:b], smooth[g], backend=backend) for g, (a, b) in enumerate(pairwise(firsts))]
    index = np.array(ends, np.int32)
    for each in (x, np.ascontiguousarray(x.transpose(1, 0, 2)).transpose(1, 0, 2)):
        out, scale = actgrad.dynamic_quant(each, smooth, index, backend=backend)
        assert (out.reshape(10, 33) == np.concatenate([part[0] for part in parts])).all()
        assert (scale.reshape(10) == np.concatenate([part[1] for part in parts])).all()
    plain, without = actgrad.dynamic_quant(x, None, index), actgrad.dynamic_quant(x)
    assert (plain[0] == without[0]).all()


def test_rows_behind_the_last_group() -> None:
    x, smooth = some(10, 66), RNG.uniform(0.5, 2, (3, 33)).astype(np.float32)
    with pytest.raises(actgrad.ActgradError, match="ends at row 9, but there are 10 rows"):
        actgrad.dynamic_quant(x, np.concatenate([smooth, smooth], 1), np.array([4, 4, 9], np.int32))
    with pytest.raises(actgrad.ActgradError, match="ends at row 0, but there are 10 rows"):
        actgrad.dynamic_quant(x, np.empty((0, 66), np.float32), np.empty(0, np.int32))
    offsets = RNG.uniform(-5, 5, (3, 33)).astype(np.float32)
    for mode in ("static", "dynamic"):
        of_ends = actgrad.swiglu_quant(x, smooth, offsets, np.array([4, 4, 8], np.int32), quant_mode=mode)
        counts = np.array([4, 0, 4], np.int32)
        of_counts = actgrad.swiglu_quant(x, smooth, offsets, counts, quant_mode=mode, group_list_type=1)
        groups = [(x[:4], smooth[:1], offsets[:1]), (x[4:8], smooth[2:], offsets[2:]), (x[8:],)]
        parts = [actgrad.swiglu_quant(*tensors, quant_mode=mode) for tensors in groups]
        for number in range(2):
            wanted = np.concatenate([part[number] for part in parts])
            assert (of_ends[number] == wanted).all()
            assert (of_counts[number] == wanted).all()


X, OUT, SCALE = some(4, 16, dtype=np.float16), np.zeros((4, 16), np.int8), np.zeros(4, np.float32)
SMOOTH, INDEX, HALF = X[0].copy(), np.array([4], np.int32), np.zeros((4, 8), np.int8)


def tensor(shape: tuple[int, ...], dtype: int) -> aclnn.AclTensor:
    """An aclTensor of a dtype that NumPy may lack."""
    steps = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
    return aclnn.aclCreateTensor(shape, dtype, steps, 0, aclnn.ACL_FORMAT_ND, shape, np.zeros(64, np.int64))


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ((X, None, OUT, SCALE), 0),
        ((X, SMOOTH, OUT, SCALE), 0),
        ((None, None, OUT, SCALE), 161001),
        ((X, None, None, SCALE), 161001),
        ((X, None, OUT, None), 161001),
        ((X.astype(np.float32), None, OUT, SCALE), 161002),
        ((X, SMOOTH.astype(np.float32), OUT, SCALE), 161002),
        ((X, None, OUT.astype(np.uint8), SCALE), 161002),
        ((X, None, OUT, SCALE.astype(np.float64)), 161002),
        ((X[0], None, OUT[0], SCALE[0]), 161002),  # rank 1
        ((X, X, OUT, SCALE), 161002),
        ((X, X[:1], OUT, SCALE), 161002),
        ((X, None, OUT[:, :8], SCALE), 161002),
        ((X, None, OUT, SCALE[:2]), 161002),
        ((X, None, np.empty((4, 16), np.int32), SCALE), 161002),  # eight numbers of INT4 lie in one
        ((X, None, np.empty((4, 2), np.int32), SCALE), 561103),
        ((X, None, tensor((4, 16), aclnn.ACL_INT4), SCALE), 561103),
        ((X, None, tensor((4, 16), aclnn.ACL_HIFLOAT8), SCALE), 161002),
        ((X[:0], None, OUT[:0], SCALE[:0]), 0),
    ],
)
def test_statuses_of_dynamic_quant(arguments: tuple[Any, ...], status: int) -> None:
    found, size, executor = aclnn.aclnnDynamicQuantGetWorkspaceSize(*arguments)
    assert found == status, aclnn.aclGetRecentErrMsg()
    x, smooth, out, scale = arguments
    found, size, executor = aclnn.aclnnDynamicQuantV2GetWorkspaceSize(x, smooth, None, 77, out, scale, None)
    assert found == status
    if not status:
        assert aclnn.aclnnDynamicQuantV2(None, size, executor, None) == 0
        for written, wanted in zip((out, scale), actgrad.dynamic_quant(x, smooth), strict=True):
            assert (written == wanted).all()


@pytest.mark.parametrize(
    ("smooth", "index", "offset", "status"),
    [
        (SMOOTH[None], INDEX, None, 0),
        (SMOOTH, INDEX, None, 161002),
        (SMOOTH[None], INDEX[None], None, 161002),
        (SMOOTH[None], INDEX.astype(np.int64), None, 561103),
        (SMOOTH[None], INDEX.astype(np.int16), None, 161002),
        (None, INDEX.astype(np.int16), None, 0),  # not looked at
        (None, None, SCALE.copy(), 0),
        (SMOOTH[None], INDEX, SCALE.copy(), 0),
        (None, None, SCALE[:2], 161002),
        (None, None, SCALE.astype(np.float16), 161002),
        (SMOOTH, INDEX, SCALE.copy(), 161002),
    ],
)
def test_statuses_of_groups(smooth: Any, index: Any, offset: Any, status: int) -> None:
    for _ in range(2):  # the second call may be cached
        scale = SCALE.copy()
        found, size, executor = aclnn.aclnnDynamicQuantV2GetWorkspaceSize(X, smooth, index, 2, OUT, scale, offset)
        assert found == status, aclnn.aclGetRecentErrMsg()
        if not status:
            assert aclnn.aclnnDynamicQuantV2(None, size, executor, None) == 0
            operator = actgrad.dynamic_quant if offset is None else actgrad.dynamic_quant_asymmetric
            for written, wanted in zip((OUT, scale, offset), operator(X, smooth, index), strict=False):
                assert (written == wanted).all()


def test_int64_is_refused_after_shapes_and_not_beside_empty_tensors() -> None:
    smooth, index = SMOOTH[None], INDEX.astype(np.int64)
    for out, scale, status in ((OUT[:, :8], SCALE, 161002), (OUT, SCALE[:2], 161002), (OUT, SCALE, 561103)):
        assert aclnn.aclnnDynamicQuantV2GetWorkspaceSize(X, smooth, index, 2, out, scale, None)[0] == status
    for offset in (None, SCALE[:0]):
        status, size, executor = aclnn.aclnnDynamicQuantV2GetWorkspaceSize(
            X[:0], smooth, index, 2, OUT[:0], SCALE[:0], offset
        )
        assert (status, size) == (0, 0)
        assert aclnn.aclnnDynamicQuantV2(None, size, executor, None) == 0


@pytest.mark.parametrize(
    ("product", "dtype", "status"),
    [
        ("Ascend910B", np.float16, 0), ("Ascend910B", bfloat16, 0), ("Ascend310P", np.float16, 0),
        ("Ascend310P", bfloat16, 161002), ("Ascend910", bfloat16, 161002), ("Ascend310B", np.float16, 161002),
    ],
)  # fmt: skip
def test_products_of_dynamic_quant(product: str, dtype: Any, status: int) -> None:
    with actgrad.product(product):
        assert aclnn.aclnnDynamicQuantGetWorkspaceSize(X.astype(dtype), None, OUT, SCALE)[0] == status
        out = tensor((4, 16), aclnn.ACL_HIFLOAT8)
        wanted = 561103 if product == "Ascend950" else 161002
        assert aclnn.aclnnDynamicQuantGetWorkspaceSize(X, None, out, SCALE)[0] == wanted


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("name", ["smooth_scales", "offsets"])
def test_one_dimension_has_one_scale(name: str, backend: str) -> None:
    x = np.linspace(-4, 4, 16, dtype=np.float32)
    one, row = np.full(1, 1.5, np.float32), np.linspace(1, 2, 8, dtype=np.float32)[None]
    scales = {"smooth_scales": one, "offsets": one}

    def run(x: np.ndarray, **scales: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return actgrad.swiglu_quant(x, *scales.values(), quant_mode="static", backend=backend)

    out, _ = run(x, **scales)
    assert out.tolist() == run(x[None], **scales)[0][0].tolist()
    with pytest.raises(
        actgrad.InvalidArgument, match=rf"{name} has shape \(1, 8\), but x has one .*reshape x to \(1, 16\)"
    ):
        run(x, **scales | {name: row})
    assert run(x[None], **scales | {name: row})[0].shape == (1, 8)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 0),
        ({"mode": None}, 0),
        ({"mode": "static"}, 0),
        ({"x": None}, 161001),
        ({"out": None}, 161001),
        ({"scale": None}, 161001),
        ({"smooth": SMOOTH[:1]}, 161002),  # FLOAT16
        ({"offsets": SMOOTH[:1]}, 161002),
        ({"index": INDEX.astype(np.int64)}, 161002),
        ({"out": HALF.astype(np.uint8)}, 161002),
        ({"scale": SCALE.astype(np.float16)}, 161002),
        ({"mode": "dynamic_msd"}, 561002),
        ({"mode": "Dynamic"}, 561002),
        ({"kind": 2}, 561002),
        ({"dst_type": 3}, 561002),
        ({"x": X[:, :15]}, 561002),
        ({"x": X[0], "out": HALF[0], "scale": SCALE[:1].reshape(())}, 561002),
        ({"out": OUT}, 561002),
        ({"scale": SCALE[:2]}, 561002),
        ({"smooth": SCALE[:2]}, 561002),
        ({"smooth": np.ones((1, 7), np.float32)}, 561002),
        ({"index": INDEX[:0]}, 561002),
        ({"index": np.zeros(1025, np.int32)}, 561002),
        ({"dst_type": 29}, 561103),
        ({"out": tensor((4, 8), aclnn.ACL_INT4)}, 561103),
    ],
)
def test_statuses_of_swiglu_quant(change: dict[str, Any], status: int) -> None:
    usual = {"x": X, "smooth": None, "offsets": None, "index": None, "left": False, "mode": "dynamic", "kind": 0}
    arguments = {**usual, "dst_type": 2, "out": HALF, "scale": SCALE, **change}
    found, size, executor = aclnn.aclnnSwiGluQuantV2GetWorkspaceSize(*arguments.values())
    assert found == status, aclnn.aclGetRecentErrMsg()
    if not status:
        assert aclnn.aclnnSwiGluQuantV2(None, size, executor, None) == 0
        wanted = actgrad.swiglu_quant(X, quant_mode=change.get("mode") or "dynamic")
        assert (wanted[0] == HALF).all()
    if not {"kind", "dst_type"} & change.keys():
        del arguments["kind"], arguments["dst_type"]
        assert aclnn.aclnnSwiGluQuantGetWorkspaceSize(*arguments.values())[0] == status


def test_products_of_swiglu_quant() -> None:
    arguments = (X, None, None, None, False, None, HALF, SCALE)
    for product, status in {"Ascend910B": 0, "Ascend910_93": 0, "Ascend950": 0, "Ascend310P": 561003}.items():
        with actgrad.product(product):
            assert aclnn.aclnnSwiGluQuantGetWorkspaceSize(*arguments)[0] == status


def test_graph_operators() -> None:
    assert ir.DynamicQuant.infer_dtype("BF16", "BF16") == ("INT8", "FLOAT")
    assert ir.DynamicQuant.infer_shape((-1, 4, 8)) == ((-1, 4, 8), (-1, 4))
    assert ir.DynamicQuantV2.infer_dtype("FLOAT16") == ("INT8", "FLOAT", "FLOAT")
    assert (ir.DynamicQuantV2(X)[2] == actgrad.dynamic_quant_asymmetric(X)[2]).all()
    assert ir.SwiGluQuant.infer_shape((-1, 8)) == ((-1, 4), (-1,))
    assert (ir.SwiGluQuant(X, quant_mode="static")[0] == actgrad.swiglu_quant(X, quant_mode="static")[0]).all()
    with pytest.raises(actgrad.ActgradError, match="dst_type is 3"):
        ir.DynamicQuant(X, dst_type=3)


def test_pytorch() -> None:
    x = torch.from_numpy(X)
    out, scale = actgrad.torch.dynamic_quant(x)
    assert (out.dtype, scale.dtype) == (torch.int8, torch.float32)
    assert (out.numpy() == actgrad.dynamic_quant(X)[0]).all()
    assert (torch.ops.actgrad.swiglu_quant(x, None, None, None)[0] == actgrad.torch.swiglu_quant(x)[0]).all()
    of_batch = torch.vmap(actgrad.torch.dynamic_quant)(x[:, None])
    assert (of_batch[0][:, 0] == out).all()
    fake = torch.ops.actgrad.dynamic_quant(x.to("meta"), None, None)
    assert [(y.shape, y.dtype) for y in fake] == [(out.shape, out.dtype), (scale.shape, scale.dtype)]
    for call in (actgrad.torch.dynamic_quant, actgrad.torch.dynamic_quant_asymmetric, actgrad.torch.swiglu_quant):
        with pytest.raises(
            actgrad.ActgradError, match=r"a tensor requires grad, but out is int8.*, which has no gradient"
        ):
            call(x.float().requires_grad_())


def test_check_knows_a_tie_from_a_fault() -> None:
    x = some(64, 512, dtype=bfloat16)
    exact, (out, scale) = actgrad.dynamic_quant(x, backend="reference"), actgrad.dynamic_quant(x)
    assert judge(actgrad.dynamic_quant, {}, [x], exact).holds
    assert judge(actgrad.dynamic_quant, {}, [x], (out, scale)).holds
    wrong = out.copy()
    wrong[3, 5] ^= 1
    verdict = judge(actgrad.dynamic_quant, {}, [x], (wrong, scale))
    assert not verdict.holds
    assert verdict.failing == 1
    assert not judge(actgrad.dynamic_quant, {}, [x], (out, scale * np.float32(1.01))).holds


@pytest.mark.parametrize("operator", QUANTISING, ids=lambda o: o.name)
def test_rows_need_little_stack(operator: Any) -> None:
    for shape in ((300, 40), (3, 5120), (1, 40_960)):
        x = some(*shape)
        outputs = tuple(np.empty_like(array) for array in operator(x))
        on_small_stack(partial(operator, x, out=outputs))


@pytest.mark.parametrize("operator", QUANTISING, ids=lambda o: o.name)
def test_triton_interpreted(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton", minversion="3.9")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    for dtype in (np.float32, np.float16):
        x = some(5, 70, dtype=dtype)
        results = operator(x, backend="triton")
        assert judge(operator, {}, [x, *[None] * (len(operator.schema.tensors) - 1)], results).holds
