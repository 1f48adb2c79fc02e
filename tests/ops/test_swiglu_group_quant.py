"""SwiGLU with quantisation in blocks: values by NumPy in double and ml_dtypes, statuses of C, PyTorch."""

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

pytestmark = pytest.mark.share(4)

RNG = np.random.default_rng(128)
INF, NAN = np.inf, np.nan
NUMBERS = {"float8_e4m3fn": 36, "float8_e5m2": 35}
LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}
E4M3, E8M0 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu
#: The modes, with their attributes and sizes of blocks.
MODES: dict[str, tuple[dict[str, Any], int]] = {
    "block": ({}, 128),
    "rounded": ({"round_scale": True, "block_size": 128}, 128),
    "mx": ({"quant_mode": 1, "round_scale": True}, 32),
}
SLACK = 2.0**-20  # of a value in float32, relative


def some(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return (2 * RNG.standard_normal(shape)).astype(dtype)


def values(x: np.ndarray, weight: Any = None, limit: float = -1.0) -> np.ndarray:
    """SwiGLU in double."""
    a, b = np.split(x.astype(np.float64), 2, -1)
    c = limit if limit > 0 else INF
    with np.errstate(over="ignore"):
        v = np.minimum(a, c) / (1 + np.exp(-np.minimum(a, c))) * np.clip(b, -c, c)
    return v if weight is None else v * weight.astype(np.float64).reshape(*x.shape[:-1], 1)


def blocked(v: np.ndarray, block: int) -> np.ndarray:
    return v.reshape(*v.shape[:-1], -1, min(block, v.shape[-1]))


def agrees(results: Any, v: np.ndarray, dtype: str, mode: str) -> None:
    """The scale is right, and each element is the nearest number to v / scale, or the other one next to a tie."""
    out, scale = results
    _attributes, block = MODES[mode]
    parts, end = blocked(v, block), LARGEST[dtype]
    amax = np.maximum(np.abs(parts).max(-1), 1e-4)
    written = scale.astype(np.float64).reshape(amax.shape)
    if mode == "block":
        np.testing.assert_allclose(written, amax / end, rtol=2e-6)
    else:
        low, high = (2.0 ** np.ceil(np.log2(amax * factor / end)) for factor in (1 - SLACK, 1 + SLACK))
        assert ((low <= written) & (written <= high)).all()
    rows = v.shape[:-1]
    assert scale.dtype == (E8M0 if mode == "mx" else np.float32)
    assert scale.shape == ((*rows, amax.shape[-1] // 2, 2) if mode == "mx" else (*rows, amax.shape[-1]))
    assert out.dtype == getattr(ml_dtypes, dtype)
    assert out.shape == v.shape
    exact = parts / written[..., None]
    bounds = [np.clip(exact + side * SLACK * np.abs(exact), -end, end) for side in (-1, 1)]
    low, high = (bound.astype(np.float32).astype(out.dtype).astype(np.float64) for bound in bounds)
    found = blocked(out.astype(np.float64), block)
    assert ((low <= found) & (found <= high)).all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("source", [np.float32, np.float16, bfloat16])
@pytest.mark.share(18)
def test_values(source: Any, dtype: str, mode: str) -> None:
    shapes = [(2, 3, 768), (37, 2048)]
    shapes += [(256,), (3, 66), (2, 3, 2)] if mode != "mx" else [(128,), (3, 384)]
    for shape in shapes:
        x, weight = some(*shape, dtype=source), RNG.uniform(0.5, 2, shape[:-1]).astype(np.float32)
        x[..., 0] = 0.75  # a kink
        for w, limit in ((None, -1.0), (weight, -1.0), (weight[..., None], 0.75)):
            given = {**MODES[mode][0], "dst_type": NUMBERS[dtype], "clamp_limit": limit}
            for backend in ("cpu", "reference"):
                agrees(actgrad.swiglu_group_quant(x, w, backend=backend, **given), values(x, w, limit), dtype, mode)


def test_scales_at_powers_of_two() -> None:
    """The largest number of a block is a power of two times 448, or a neighbour: the exponent is exact."""
    steps = np.arange(-20, 100)
    sizes = (448 * 2.0**steps).astype(np.float32)
    for near, step in ((sizes, 0), (np.nextafter(sizes, np.float32(INF)), 1), (np.nextafter(sizes, np.float32(0)), 0)):
        x = np.zeros((len(sizes), 256), np.float32)
        x[:, 5], x[:, 133] = 128, near / 128  # silu(128) is 128
        for attributes, _ in (MODES["rounded"], MODES["mx"]):
            for backend in ("cpu", "reference"):
                out, scale = actgrad.swiglu_group_quant(x, backend=backend, **attributes)
                first = scale.astype(np.float64).reshape(len(sizes), -1)[:, 0]
                least = 2.0**-22  # of a block with numbers up to 1e-4
                assert (first == np.maximum(2.0 ** (steps + step), least)).all()
                large = first > least
                assert (out[large, 5].astype(np.float64) == np.where(step, 224, 448)).all()


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_special_values(backend: str) -> None:
    a = np.full((6, 128), 20, np.float32)
    b = np.zeros((6, 128), np.float32)
    b[0, :3], b[1, :3], b[2, :3] = [0.0, -0.0, 1e-45], [NAN, 1, -2], [INF, 1, -INF]
    b[3], b[4, :2], a[5, :2], b[5, :2] = NAN, [3e38, -3e38], -INF, [1, INF]
    x = np.concatenate([a, b], -1)
    silu = np.float32(20 / (1 + np.exp(-20)))
    for mode in ("block", "rounded"):
        out, scale = actgrad.swiglu_group_quant(x, backend=backend, **MODES[mode][0])
        wide = out.astype(np.float32)
        least = np.float32(1e-4) / 448 if mode == "block" else 2.0**-22
        np.testing.assert_allclose(scale[[0, 3, 5], 0], [least] * 3, rtol=1e-6)
        assert wide[0].tolist() == [0] * 128
        assert np.isnan(wide[[1, 3, 5, 5], [0, 7, 1, 1]]).tolist() == [True] * 3 + [True]
        assert wide[1, 2] == (-448 if mode == "block" else -320)  # 40 / 2**-3
        assert wide[2, [0, 2]].tolist() == [448, -448]  # infinity does not count in scale
        assert scale[2, 0] == (np.float32(silu) / 448 if mode == "block" else 2.0**-4)
        assert backend == "reference" or wide[4, :2].tolist() == [448, -448]  # the product is infinite in float32
        assert wide[5, 0] == 0  # the limit of silu
    out, scale = actgrad.swiglu_group_quant(x, backend=backend, **MODES["mx"][0])
    codes, wide = scale.view(np.uint8).reshape(6, 4), out.astype(np.float32)
    assert codes[0].tolist() == codes[3].tolist() == [127 - 22] * 4
    assert codes[1].tolist() == [127 - 3, *[127 - 22] * 3]  # NaN does not count
    assert codes[2].tolist() == [255, *[127 - 22] * 3]
    assert backend == "reference" or codes[4].tolist() == codes[2].tolist()
    assert np.isnan(wide[2, [0, 2]]).all()
    assert wide[2, 1] == 0
    assert (wide[2, 3:] == 0).all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.share(18)
def test_layouts_threads_and_outputs_do_not_matter(mode: str) -> None:
    attributes = MODES[mode][0]
    x, weight = some(50, 3, 512), some(50, 3)
    plain = actgrad.swiglu_group_quant(x, weight, **attributes)
    threads = actgrad.get_num_threads()
    try:
        actgrad.set_num_threads(1)
        fortran = np.asfortranarray(x)
        for view in (x, fortran, np.flip(np.flip(x).copy()), np.repeat(x, 2, 2)[..., ::2]):
            outputs = [np.full((*each.shape[:-1], 2 * each.shape[-1]), 0x55, "u1") for each in plain]
            outputs = [
                np.repeat(o, each.itemsize, -1).view(each.dtype)[..., ::2]
                for o, each in zip(outputs, plain, strict=True)
            ]
            for w in (weight, np.asfortranarray(weight), np.repeat(weight, 2, 1)[:, ::2]):
                again = actgrad.swiglu_group_quant(view, w, out=tuple(outputs), **attributes)
                for one, other in zip(plain, again, strict=True):
                    assert one.tobytes() == np.ascontiguousarray(other).tobytes()
        swapped = np.empty(plain[1].shape[::-1], plain[1].dtype).T
        actgrad.swiglu_group_quant(x, weight, out=(np.empty_like(plain[0]), swapped), **attributes)
        assert swapped.tobytes() == plain[1].tobytes()
    finally:
        actgrad.set_num_threads(threads)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("counts", [[1, 2], [0], [-3], [100], [2, 0, 3]])
def test_counted_rows(counts: list[int], mode: str) -> None:
    x, index, count = some(2, 3, 256), np.array(counts, np.int64), min(max(sum(counts), 0), 6)
    for backend in ("cpu", "reference"):
        whole = actgrad.swiglu_group_quant(x, backend=backend, **MODES[mode][0])
        new = actgrad.swiglu_group_quant(x, None, index, backend=backend, **MODES[mode][0])
        given = tuple(np.full(y.nbytes, 0x55, np.uint8).view(y.dtype).reshape(y.shape) for y in whole)
        actgrad.swiglu_group_quant(x, None, index, out=given, backend=backend, **MODES[mode][0])
        for written, kept, every in zip(new, given, whole, strict=True):
            rows = [each.view(np.uint8).reshape(6, -1) for each in (written, kept, every)]
            assert (rows[0][:count] == rows[2][:count]).all()
            assert (rows[1][:count] == rows[2][:count]).all()
            assert (rows[0][count:] == 0).all()
            assert (rows[1][count:] == 0x55).all()


@pytest.mark.parametrize(
    ("shape", "change", "message"),
    [
        ((2, 384), {}, "a row of x has 384 elements; it must have a multiple of 256"),
        ((2, 64), {"quant_mode": 1, "round_scale": True}, "it must have a multiple of 128"),
        ((2, 257), {}, "odd size 257"),
        ((2, 256), {"dst_type": 2}, "dst_type is 2"),
        ((2, 256), {"dst_type": 40, "quant_mode": 1, "round_scale": True}, "FLOAT4"),
        ((2, 256), {"quant_mode": 1}, "round_scale"),
        ((2, 256), {"quant_mode": 3}, "HIFLOAT8"),
        ((2, 256), {"quant_mode": 5}, "quant_mode is 5"),
        ((2, 256), {"block_size": 32}, "block_size is 32"),
        ((2, 256), {"clamp_limit": 0.0}, "clamp_limit is 0"),
    ],
)
def test_refusals(shape: tuple[int, ...], change: dict[str, Any], message: str) -> None:
    with pytest.raises(actgrad.ActgradError, match=message):
        actgrad.swiglu_group_quant(some(*shape), **change)


def test_other_refusals() -> None:
    x = some(2, 256)
    with pytest.raises(actgrad.ActgradError, match="x is float64"):
        actgrad.swiglu_group_quant(x.astype(np.float64))
    outputs = np.zeros((2, 128), E4M3), np.zeros((2, 1), E8M0)
    with pytest.raises(actgrad.ActgradError, match="scale is float8_e8m0fnu; with quant_mode=0 it must be float32"):
        actgrad.swiglu_group_quant(x, out=outputs)
    with pytest.raises(actgrad.ActgradError, match="out is float8_e4m3fn, but dst_type is 35"):
        actgrad.swiglu_group_quant(x, dst_type=35, out=(outputs[0], np.zeros((2, 1), np.float32)))
    with pytest.raises(actgrad.ActgradError, match="weight has shape"):
        actgrad.swiglu_group_quant(x, np.ones(3, np.float32))
    with pytest.raises(actgrad.ActgradError, match="self is float8_e8m0fnu"):
        actgrad.relu(np.ones(3, E8M0))


X, ORIGIN = some(2, 3, 256, dtype=np.float16), np.zeros((2, 3, 128), np.float16)
OUT, ROWS = np.zeros((2, 3, 128), E4M3), np.zeros((2, 3, 1), np.float32)
MX = {"mode": 1, "round": True, "scale": np.zeros((2, 3, 2, 2), E8M0)}
USUAL = {
    "x": X,
    "weight": None,
    "index": None,
    "static": None,
    "dst_type": 36,
    "mode": 0,
    "block": 0,
    "round": False,
    "limit": -1.0,
    "maximum": 15.0,
    "origin": False,
    "y": OUT,
    "scale": ROWS,
    "y_origin": ORIGIN,
}


def tensor(shape: tuple[int, ...], dtype: int) -> aclnn.AclTensor:
    """An aclTensor of a dtype that NumPy may lack."""
    steps = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
    return aclnn.aclCreateTensor(shape, dtype, steps, 0, aclnn.ACL_FORMAT_ND, shape, np.zeros(4096, np.int64))


HIFLOAT8, FLOAT4 = (tensor((2, 3, 128), each) for each in (aclnn.ACL_HIFLOAT8, aclnn.ACL_FLOAT4_E2M1))
WIDE = some(*[1] * 7, 256, dtype=np.float16)  # rank 8


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 0),
        (MX, 0),
        ({"round": True, "block": 128}, 0),
        ({**MX, "block": 32}, 0),
        ({"weight": np.ones((2, 3), np.float32)}, 0),
        ({"weight": np.ones((6, 1, 1), np.float32)}, 0),
        ({**MX, "weight": np.ones((3, 4), np.float32)[:, ::2]}, 0),
        ({"index": np.array([2, 3])}, 0),
        ({"static": np.ones(1, np.float32)}, 0),  # not read
        ({"limit": 0.5, "maximum": NAN}, 0),
        ({"x": X.astype(bfloat16), "y_origin": ORIGIN.astype(bfloat16)}, 0),
        ({"dst_type": 35, "y": OUT.view(ml_dtypes.float8_e5m2)}, 0),
        ({"y_origin": ORIGIN[0]}, 0),  # its shape is not compared
        ({"scale": tensor((2, 3, 2, 2), aclnn.ACL_FLOAT8_E8M0), "mode": 1, "round": True}, 0),
        ({"x": None}, 161001),
        ({"y": None}, 161001),
        ({"scale": None}, 161001),
        ({"y_origin": None}, 161001),
        ({"y_origin": None, "x": X.astype(np.float64)}, 161001),
        ({"x": X.astype(np.float32), "y_origin": ORIGIN.astype(np.float32)}, 161002),  # only beside HIFLOAT8
        ({"x": X.astype(np.float64)}, 161002),
        ({"y_origin": ORIGIN.astype(np.float32)}, 161002),
        ({"static": np.ones(1, np.float16)}, 161002),
        ({"weight": np.ones((2, 3), np.float16)}, 161002),
        ({"index": np.array([2], np.int32)}, 161002),
        ({"y": OUT.view(np.int8)}, 161002),
        ({"scale": ROWS.astype(np.float16)}, 161002),
        ({"y": FLOAT4, "dst_type": 40}, 161002),  # only beside FLOAT8_E8M0
        ({"x": X[0, 0], "y": OUT[0, 0], "scale": ROWS[0, 0]}, 561002),  # rank 1
        ({"x": X[..., :128], "y": OUT[..., :64]}, 561002),
        ({"weight": np.ones(5, np.float32)}, 561002),
        ({"index": np.array([[2]])}, 561002),
        ({"index": np.array([], np.int64)}, 561002),
        ({"dst_type": 35}, 561002),
        ({"dst_type": 2}, 561002),
        ({"mode": 4}, 561002),
        ({"block": 32}, 561002),
        ({**MX, "block": 128}, 561002),
        ({**MX, "round": False}, 561002),
        ({"limit": 0.0}, 561002),
        ({"limit": NAN}, 561002),
        ({"scale": MX["scale"]}, 561002),
        ({**MX, "scale": ROWS}, 561002),
        ({"y": OUT[0]}, 561002),
        ({"scale": np.zeros((2, 3, 2), np.float32)}, 561002),
        ({**MX, "scale": np.zeros((2, 3, 4), E8M0)}, 561002),
        ({"origin": True}, 561002),  # the source refuses it
        ({**MX, "origin": True}, 561002),
        ({"origin": True, "y": OUT.view(np.int8)}, 161002),  # dtypes come first
        ({"origin": True, "x": X[:0], "y": OUT[:0], "scale": ROWS[:0]}, 0),  # empty: no tiling
        ({**MX, "y": FLOAT4, "dst_type": 40}, 561103),
        ({"y": HIFLOAT8, "dst_type": 34, "mode": 3, "scale": np.zeros(1, np.float32)}, 561103),
        ({"x": X[:0], "y": OUT[:0], "scale": ROWS[:0], "limit": 0.0}, 0),  # empty: no tiling
    ],
)
def test_statuses(change: dict[str, Any], status: int) -> None:
    arguments = {**USUAL, **change}
    y, scale = arguments["y"], arguments["scale"]
    for written in (y, scale):
        if isinstance(written, np.ndarray) and written.flags.c_contiguous:
            written.view(np.uint8)[...] = 0x55
    with actgrad.product("Ascend950"):
        for _ in range(2):  # the second call may be cached
            found, size, executor = aclnn.aclnnSwigluGroupQuantGetWorkspaceSize(*arguments.values())
            assert found == status, aclnn.aclGetRecentErrMsg()
            if not status:
                assert aclnn.aclnnSwigluGroupQuant(None, size, executor, None) == 0
    with actgrad.product("Ascend910B"):
        if status != 161001:
            assert aclnn.aclnnSwigluGroupQuantGetWorkspaceSize(*arguments.values())[0] == 561003
    if status or isinstance(scale, aclnn.AclTensor) or not y.size:
        return
    w = arguments["weight"]
    given = {"dst_type": arguments["dst_type"], "quant_mode": arguments["mode"], "round_scale": arguments["round"]}
    wanted = actgrad.swiglu_group_quant(
        arguments["x"],
        None if w is None else w.reshape(2, 3),
        arguments["index"],
        clamp_limit=arguments["limit"],
        **given,
    )
    count = 6 if arguments["index"] is None else int(arguments["index"].sum())
    for one, other in zip((y, scale), wanted, strict=True):
        rows = [each.view(np.uint8).reshape(6, -1) for each in (one, other)]
        assert (rows[0][:count] == rows[1][:count]).all()
        assert (rows[0][count:] == 0x55).all()


def test_ranks_of_c() -> None:
    y, scale, origin = np.zeros((*[1] * 7, 128), E4M3), np.zeros((*[1] * 7, 1), np.float32), WIDE[..., :128].copy()
    rest = (None, None, None, 36, 0, 0, False, -1.0, 15.0, False)
    with actgrad.product("Ascend950"):
        assert aclnn.aclnnSwigluGroupQuantGetWorkspaceSize(WIDE, *rest, y, scale, origin)[0] == 0
        pairs, rest = np.zeros((*[1] * 7, 2, 2), E8M0), (None, None, None, 36, 1, 0, True, -1.0, 15.0, False)
        assert aclnn.aclnnSwigluGroupQuantGetWorkspaceSize(WIDE, *rest, y, pairs, origin)[0] == 561002


def test_graph_operator() -> None:
    with actgrad.product("Ascend950"):
        graph = ir.SwigluGroupQuant
        assert graph.infer_dtype("BF16") == ("FLOAT8_E4M3FN", "FLOAT")
        assert graph.infer_dtype("FLOAT16", dst_type=35, quant_mode=1, round_scale=True) == (
            "FLOAT8_E5M2",
            "FLOAT8_E8M0",
        )
        assert graph.infer_shape((-1, 4, 512)) == ((-1, 4, 256), (-1, 4, 2))
        assert graph.infer_shape((-1, 512), quant_mode=1, round_scale=True) == ((-1, 256), (-1, 4, 2))
        assert graph.infer_shape((4, -1)) == ((4, -1), (4, -1))
        for found, wanted in zip(graph(X), actgrad.swiglu_group_quant(X), strict=True):
            assert found.tobytes() == wanted.tobytes()
        with pytest.raises(actgrad.ActgradError, match="output_origin is True"):
            graph(X, output_origin=True)


@pytest.mark.parametrize("mode", MODES)
def test_pytorch(mode: str) -> None:
    attributes = MODES[mode][0]
    x, w = torch.from_numpy(some(4, 3, 512)), torch.from_numpy(some(4, 3))

    def call(x: Any) -> Any:
        return actgrad.torch.swiglu_group_quant(x, w, **attributes)

    wanted = actgrad.swiglu_group_quant(x.numpy(), w.numpy(), **attributes)
    dtypes = torch.float8_e4m3fn, torch.float8_e8m0fnu if mode == "mx" else torch.float32
    compiled = torch.compile(call, backend="aot_eager")(x)
    fake = torch.ops.actgrad.swiglu_group_quant(x.to("meta"), w.to("meta"), None, **attributes)
    for found in (call(x), compiled):
        for one, array, dtype, meta in zip(found, wanted, dtypes, fake, strict=True):
            assert one.dtype == meta.dtype == dtype
            assert one.shape == meta.shape == array.shape
            assert one.view(torch.uint8).numpy().tobytes() == array.tobytes()
    with pytest.raises(actgrad.ActgradError, match="a tensor requires grad"):
        call(x.requires_grad_())


@pytest.mark.parametrize("mode", MODES)
def test_check_knows_a_tie_from_a_fault(mode: str) -> None:
    attributes, x = MODES[mode][0], some(64, 512, dtype=bfloat16)
    out, scale = actgrad.swiglu_group_quant(x, **attributes)
    assert judge(actgrad.swiglu_group_quant, attributes, [x], (out, scale)).holds
    wrong = out.copy()
    wrong.view(np.uint8)[3, 5] ^= 2
    assert not judge(actgrad.swiglu_group_quant, attributes, [x], (wrong, scale)).holds
    doubled = (scale.astype(np.float32) * 2).astype(scale.dtype)
    assert not judge(actgrad.swiglu_group_quant, attributes, [x], (out, doubled)).holds


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_triton_interpreted(dtype: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton", minversion="3.9")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    x, attributes = some(5, 256), {**MODES[mode][0], "dst_type": NUMBERS[dtype]}
    results = actgrad.swiglu_group_quant(torch.from_numpy(x), backend="triton", **attributes)
    out, scale = (each.view(torch.uint8).numpy() for each in results)
    kinds = getattr(ml_dtypes, dtype), E8M0 if mode == "mx" else np.float32
    agrees((out.view(kinds[0]), scale.view(kinds[1])), values(x), dtype, mode)
