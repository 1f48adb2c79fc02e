"""GELU with quantisation, and floats of 8 bits: values by SciPy and ml_dtypes, statuses of C, PyTorch."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from ml_dtypes import bfloat16

import actgrad
import actgrad.torch
from actgrad import aclnn, ir
from actgrad.judge.judging import judge

special = pytest.importorskip("scipy.special")

pytestmark = pytest.mark.share(4)

RNG = np.random.default_rng(64)
NUMBERS = {"int8": 2, "float8_e5m2": 35, "float8_e4m3fn": 36}
LARGEST = {"int8": 127.0, "float8_e5m2": 57344.0, "float8_e4m3fn": 448.0}
#: A value in float32 has errors of some units of 2**-24 relative to its terms.
SLACK = 2.0**-20


def some(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return (3 * RNG.standard_normal(shape)).astype(dtype)


def gelu(x: np.ndarray, approximate: str) -> np.ndarray:
    x = x.astype(np.float64)
    if approximate == "none":
        return x * special.ndtr(x)
    return x * special.expit(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))


def kind_of(dtype: str) -> np.dtype:
    return np.dtype(np.int8 if dtype == "int8" else getattr(ml_dtypes, dtype))


def is_rounded(actual: np.ndarray, exact: np.ndarray, dtype: str, slack: Any) -> bool:
    """Whether `actual` is the nearest number of the dtype, or the other one next to a tie. Numbers saturate."""
    assert actual.dtype == kind_of(dtype)
    end = LARGEST[dtype]
    exact = np.clip(exact, -end - (dtype == "int8"), end)
    if dtype == "int8":
        return bool((np.abs(actual - exact) <= 0.5 + slack).all())
    low, high = (
        np.clip(v, -end, end).astype(np.float32).astype(kind_of(dtype)) for v in (exact - slack, exact + slack)
    )
    found = actual.astype(np.float64)
    return bool(((low.astype(np.float64) <= found) & (found <= high.astype(np.float64))).all())


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("source", [np.float32, np.float16, bfloat16])
@pytest.mark.share(18)
def test_the_static_mode(source: Any, dtype: str, approximate: str) -> None:
    for shape in ((), (7,), (3, 5), (2, 3, 66), (5, 4099)):
        x, row = some(*shape, dtype=source), shape[-1] if shape else 1
        for n in {1, row}:
            scale, offset = RNG.uniform(5, 30, n).astype(source), some(n, dtype=source)
            for shift in (None, offset):
                value = gelu(x, approximate) * scale.astype(np.float64)
                exact = value + (0 if shift is None else shift.astype(np.float64))
                slack = SLACK * (np.abs(value) + 10)
                for backend in ("cpu", "reference"):
                    out = actgrad.static_gelu_quant(
                        x, scale, shift, approximate=approximate, dst_type=NUMBERS[dtype], backend=backend
                    )
                    assert out.size == x.size
                    assert is_rounded(out.reshape(shape), exact, dtype, slack)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("source", [np.float32, np.float16, bfloat16])
@pytest.mark.share(18)
def test_the_dynamic_mode(source: Any, dtype: str, approximate: str) -> None:
    for shape in ((3, 5), (2, 3, 66), (5, 4099)):
        x = some(*shape, dtype=source)
        for scale in (None, RNG.uniform(0.5, 2, 1).astype(source), RNG.uniform(0.5, 2, shape[-1]).astype(source)):
            v = gelu(x, approximate) * (1 if scale is None else scale.astype(np.float64))
            for backend in ("cpu", "reference"):
                out, written = actgrad.gelu_quant(
                    x, scale, approximate=approximate, dst_type=NUMBERS[dtype], backend=backend
                )
                assert written.dtype == np.float32
                np.testing.assert_allclose(written, np.abs(v).max(-1) / LARGEST[dtype], rtol=2e-6)
                quotient = v / written.astype(np.float64)[..., None]
                assert is_rounded(
                    out, quotient, dtype, SLACK * LARGEST[dtype] if dtype == "int8" else SLACK * abs(quotient)
                )
                assert (np.abs(out.astype(np.float64)).max(-1) >= LARGEST[dtype]).all()


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn"])
@pytest.mark.parametrize("source", [np.float32, np.float16, bfloat16])
def test_dynamic_quant_to_float8(source: Any, dtype: str) -> None:
    kind = kind_of(dtype)
    for shape in ((3, 5), (7,), (2, 3, 64), (9, 4099)):
        x, smooth = some(*shape, dtype=source), RNG.uniform(0.5, 2, shape[-1:]).astype(source)
        for scales in (None, smooth):
            v = x.astype(np.float64) * (1 if scales is None else scales.astype(np.float64))
            for backend in ("cpu", "reference"):
                out, scale = actgrad.dynamic_quant(x, scales, dst_type=NUMBERS[dtype], backend=backend)
                np.testing.assert_allclose(scale, np.abs(v).max(-1) / LARGEST[dtype], rtol=2e-7)
                quotient = v / scale.astype(np.float64)[..., None]
                assert is_rounded(out, quotient, dtype, SLACK * abs(quotient))
                given = np.full(shape, 0x55, np.uint8).view(kind), np.empty_like(scale)
                actgrad.dynamic_quant(x, scales, out=given, backend=backend)  # the tensor's dtype decides
                assert (given[0].view(np.uint8) == out.view(np.uint8)).all()
                out, scale, offset = actgrad.dynamic_quant_asymmetric(
                    x, scales, dst_type=NUMBERS[dtype], backend=backend
                )
                np.testing.assert_allclose(scale, (v.max(-1) - v.min(-1)) / (2 * LARGEST[dtype]), rtol=4e-7)
                exact = v / scale.astype(np.float64)[..., None] + offset.astype(np.float64)[..., None]
                terms = LARGEST[dtype] + np.abs(v).max(-1, keepdims=True) / scale[..., None]
                assert is_rounded(out, exact, dtype, SLACK * terms)


def test_special_rows() -> None:
    rows = np.array([[0, -0.0, 0], [np.nan, 2, -40], [np.nan] * 3, [np.inf, 1, -np.inf], [1e-45, 0, 0]], np.float32)
    for number, dtype in ((36, "float8_e4m3fn"), (35, "float8_e5m2")):
        out, scale = actgrad.dynamic_quant(rows, dst_type=number)
        wide, top = out.astype(np.float32), LARGEST[dtype]
        assert wide[0].tolist() == [0, 0, 0]
        assert np.isnan(wide[1, 0])
        assert wide[1, 2] == -top
        assert np.isnan(wide[2]).all()
        assert (wide[3, 1], scale[3]) == (0, np.inf)
        assert np.isnan(wide[3, [0, 2]]).all()
        assert wide[4].tolist() == [top, 0, 0]
        out, scale = actgrad.gelu_quant(rows, dst_type=number)
        assert out.astype(np.float32)[0].tolist() == [0, 0, 0]
        assert scale[0] == 0
        out = actgrad.static_gelu_quant(rows, np.ones(1, np.float32), dst_type=number).astype(np.float32)
        assert np.isnan(out[1, 0])
        assert out[3].tolist() == [top, np.float32(0.8413447).astype(kind_of(dtype)), 0]
    out = actgrad.static_gelu_quant(rows, np.full(1, 3e38, np.float32))
    assert out[1].tolist() == [0, 127, 0]
    assert out[3].tolist() == [127, 127, 0]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_layouts_and_threads_do_not_matter(dtype: str) -> None:
    x, scale = some(50, 260), RNG.uniform(5, 9, 260).astype(np.float32)
    number, threads = NUMBERS[dtype], actgrad.get_num_threads()
    plain = (actgrad.static_gelu_quant(x, scale, dst_type=number), *actgrad.gelu_quant(x, scale, dst_type=number))
    try:
        actgrad.set_num_threads(1)
        for view in (np.asfortranarray(x), np.flip(np.flip(x).copy()), np.repeat(x, 2, 1)[:, ::2]):
            again = actgrad.static_gelu_quant(view, np.repeat(scale, 2)[::2], dst_type=number)
            for a, b in zip(plain, (again, *actgrad.gelu_quant(view, scale, dst_type=number)), strict=True):
                assert a.tobytes() == np.ascontiguousarray(b).tobytes()
    finally:
        actgrad.set_num_threads(threads)


X, SCALE, OUT, ROWS = some(4, 6, dtype=np.float16), np.ones(6, np.float16), np.zeros((4, 6), np.int8), np.zeros(4, "f4")


def tensor(shape: tuple[int, ...], dtype: int) -> aclnn.AclTensor:
    """An aclTensor of a dtype that NumPy may lack."""
    steps = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
    return aclnn.aclCreateTensor(shape, dtype, steps, 0, aclnn.ACL_FORMAT_ND, shape, np.zeros(64, np.int64))


USUAL = {"self": X, "scale": SCALE, "offset": None, "approximate": "none", "mode": "static", "round": "rint"}
USUAL |= {"dst_type": 2, "y": OUT, "out_scale": None}
DYNAMIC = {"mode": "dynamic", "out_scale": ROWS}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 0),
        ({"offset": SCALE}, 0),
        ({"mode": "staticx"}, 0),  # a prefix is enough
        ({"scale": SCALE[:1].copy(), "offset": SCALE[:1].copy()}, 0),
        ({"scale": SCALE.astype(np.float32)}, 0),
        ({"approximate": "tanh"}, 0),
        ({"mode": None}, 161001),
        ({"mode": "Static"}, 161002),
        ({"mode": "", "self": None}, 161002),  # before null pointers
        ({"mode": "Static", "round": None}, 161002),
        ({"self": None}, 161001),
        ({"scale": None}, 161001),
        ({"approximate": None}, 161001),
        ({"round": None}, 161001),
        ({"y": None}, 161001),
        ({"out_scale": ROWS}, 161002),
        ({"out_scale": ROWS, "self": None}, 161001),
        ({"self": X.astype(np.float64)}, 161002),
        ({"scale": SCALE.astype(bfloat16)}, 161002),
        ({"scale": SCALE.astype(np.int8)}, 161002),
        ({"offset": SCALE.astype(np.float32)}, 161002),
        ({"y": OUT.astype(np.uint8)}, 161002),
        ({"approximate": "erf"}, 161002),
        ({"dst_type": 36}, 161002),
        ({"dst_type": 36, "y": OUT.view(ml_dtypes.float8_e4m3fn)}, 0),
        ({"dst_type": 35, "y": tensor((4, 6), aclnn.ACL_FLOAT8_E5M2)}, 0),
        ({"dst_type": 34, "y": tensor((4, 6), aclnn.ACL_HIFLOAT8)}, 161002),
        ({"dst_type": 34, "y": tensor((4, 6), aclnn.ACL_HIFLOAT8), "round": "round"}, 561103),
        ({"dst_type": 34, "y": tensor((4, 6), aclnn.ACL_HIFLOAT8), "round": "hybrid"}, 561103),
        ({"scale": SCALE[None]}, 161002),
        ({"offset": SCALE[:1].copy()}, 161002),
        ({"y": OUT[:2]}, 161002),
        ({"round": "round"}, 161002),
        ({"self": X[:0], "y": OUT[:0]}, 161002),
        ({"scale": SCALE[:3].copy()}, 561103),
        ({"self": X.astype(np.float32)}, 561103),
        (DYNAMIC, 0),
        ({**DYNAMIC, "scale": None}, 0),
        ({**DYNAMIC, "offset": SCALE}, 0),  # not used
        ({**DYNAMIC, "mode": "dynamic_x"}, 0),
        ({**DYNAMIC, "out_scale": None}, 161001),
        ({**DYNAMIC, "scale": None, "offset": SCALE}, 161002),
        ({**DYNAMIC, "out_scale": ROWS.astype(np.float16)}, 161002),
        ({**DYNAMIC, "out_scale": ROWS[:2]}, 161002),
        ({**DYNAMIC, "self": X[0], "y": OUT[0], "out_scale": ROWS[:1]}, 161002),  # rank 1
        ({**DYNAMIC, "offset": SCALE[:1].copy()}, 161002),
        ({**DYNAMIC, "scale": SCALE[:3].copy()}, 561103),
    ],
)
def test_statuses(change: dict[str, Any], status: int) -> None:
    arguments = {**USUAL, **change}
    with actgrad.product("Ascend950"):
        for _ in range(2):  # the second call may be cached
            found, size, executor = aclnn.aclnnGeluQuantGetWorkspaceSize(*arguments.values())
            assert found == status, aclnn.aclGetRecentErrMsg()
            if not status:
                assert aclnn.aclnnGeluQuant(None, size, executor, None) == 0
        if status == 561103:
            with actgrad.rules("document"):
                expected = 561103 if arguments["dst_type"] == 34 else 161002
                assert aclnn.aclnnGeluQuantGetWorkspaceSize(*arguments.values())[0] == expected
    for product in ("Ascend910B", "Ascend310P"):
        with actgrad.product(product):
            assert aclnn.aclnnGeluQuantGetWorkspaceSize(*arguments.values())[0] == 361001
    if status or isinstance(arguments["y"], aclnn.AclTensor):
        return
    tensors = {"approximate": arguments["approximate"], "dst_type": arguments["dst_type"]}
    x, scale, offset, y = (arguments[name] for name in ("self", "scale", "offset", "y"))
    if arguments["mode"].startswith("static"):
        assert (actgrad.static_gelu_quant(x, scale, offset, **tensors).view(np.uint8) == y.view(np.uint8)).all()
    else:
        for written, wanted in zip((y, ROWS), actgrad.gelu_quant(x, scale, **tensors), strict=True):
            assert (written == wanted).all()


@pytest.mark.parametrize(("product", "status"), [("Ascend950", 0), ("Ascend910B", 161002), ("Ascend310P", 161002)])
def test_dynamic_quant_to_float8_in_c(product: str, status: int) -> None:
    out = np.zeros((4, 6), ml_dtypes.float8_e4m3fn)
    with actgrad.product(product):
        for dst_type in (2, 36, 77):  # not compared with yOut
            found, size, executor = aclnn.aclnnDynamicQuantV2GetWorkspaceSize(X, None, None, dst_type, out, ROWS, None)
            assert found == status
        assert aclnn.aclnnDynamicQuantGetWorkspaceSize(X, None, out, ROWS)[0] == status
        if not status:
            assert aclnn.aclnnDynamicQuantV2(None, size, executor, None) == 0
            for written, wanted in zip((out, ROWS), actgrad.dynamic_quant(X, dst_type=36), strict=True):
                assert written.tobytes() == wanted.tobytes()
        else:
            with pytest.raises(actgrad.ActgradError, match="dst_type"):
                actgrad.dynamic_quant(X, dst_type=36)
    with pytest.raises(actgrad.ActgradError, match="dst_type"):
        actgrad.dynamic_quant(X, dst_type=29)


def test_graph_operators() -> None:
    with actgrad.product("Ascend950"):
        assert ir.GeluQuant.infer_dtype("BF16", dst_type=36) == ("FLOAT8_E4M3FN", "FLOAT")
        assert ir.GeluQuant.infer_shape((-1, 4, 8)) == ((-1, 4, 8), (-1, 4))
        assert (ir.GeluQuant(X, approximate="tanh")[0] == actgrad.gelu_quant(X, approximate="tanh")[0]).all()
        assert ir.DynamicQuant.infer_dtype("BF16", dst_type=35) == ("FLOAT8_E5M2", "FLOAT")
        with pytest.raises(actgrad.ActgradError, match="quant_mode is 'static'"):
            ir.GeluQuant(X, quant_mode="static")


@pytest.mark.parametrize("dtype", NUMBERS)
def test_pytorch(dtype: str) -> None:
    x, scale = torch.from_numpy(some(4, 6)), torch.from_numpy(RNG.uniform(3, 9, 6).astype(np.float32))
    number, kind = NUMBERS[dtype], getattr(torch, dtype)

    def call(x: Any) -> Any:
        static = actgrad.torch.static_gelu_quant(x, scale, approximate="tanh", dst_type=number)
        return static, *actgrad.torch.gelu_quant(x, scale, dst_type=number)

    plain, compiled = call(x), torch.compile(call, backend="aot_eager")(x)
    wanted = (
        actgrad.static_gelu_quant(x.numpy(), scale.numpy(), approximate="tanh", dst_type=number),
        *actgrad.gelu_quant(x.numpy(), scale.numpy(), dst_type=number),
    )
    for one, other, array in zip(plain, compiled, wanted, strict=True):
        assert one.dtype == other.dtype == (kind if array is not wanted[2] else torch.float32)
        assert one.view(torch.uint8).numpy().tobytes() == other.view(torch.uint8).numpy().tobytes() == array.tobytes()
    fake = torch.ops.actgrad.gelu_quant(x.to("meta"), None, None, dst_type=number)
    assert [(y.shape, y.dtype) for y in fake] == [(y.shape, y.dtype) for y in plain[1:]]
    with pytest.raises(
        actgrad.ActgradError, match=r"a tensor requires grad, but out is int8, \w+ or \w+, which has no gradient"
    ):
        call(x.requires_grad_())


@pytest.mark.parametrize("dtype", NUMBERS)
def test_check_knows_a_tie_from_a_fault(dtype: str) -> None:
    x = some(64, 512, dtype=bfloat16)
    attributes = {"dst_type": NUMBERS[dtype]}
    for operator, tensors in ((actgrad.gelu_quant, [x, None, None]), (actgrad.dynamic_quant, [x])):
        out, scale = operator(*tensors, **attributes)
        assert judge(operator, attributes, tensors, (out, scale)).holds
        wrong = out.copy()
        wrong.view(np.uint8)[3, 5] ^= 2
        assert not judge(operator, attributes, tensors, (wrong, scale)).holds
        assert not judge(operator, attributes, tensors, (out, scale * np.float32(2))).holds


@pytest.mark.parametrize("dtype", NUMBERS)
def test_triton_interpreted(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton", minversion="3.9")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    x, attributes = torch.from_numpy(some(5, 70)), {"dst_type": NUMBERS[dtype]}
    for operator in (actgrad.gelu_quant, actgrad.dynamic_quant, actgrad.dynamic_quant_asymmetric):
        results = [y.view(torch.uint8).numpy() for y in operator(x, backend="triton", **attributes)]
        kinds = [kind_of(dtype), np.dtype(np.float32), np.dtype(np.float32)]
        arrays = tuple(y.view(kind) for y, kind in zip(results, kinds, strict=False))
        assert judge(operator, attributes, [x.numpy(), None, None][: len(operator.schema.tensors)], arrays).holds
