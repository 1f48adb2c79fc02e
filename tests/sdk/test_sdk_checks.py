"""Phase one of the C SDK's functions around the activations: each wrong call has the status that hardware returns."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import actgrad
from actgrad import aclnn
from actgrad.aclnn.signatures import CParameter
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import ActgradError
from actgrad.sdk import clients, lacking
from actgrad.sdk.checks import judge as checks
from actgrad.sdk.checks.row import Row
from actgrad.sdk.glue import work
from actgrad.sdk.glue.work import Work
from tests.support.sdk_programs import needs_compiler

NULL, WRONG, TILING, NO_CHIP, INNER = 161001, 161002, 561002, 561003, 561103


class T(NamedTuple):
    """A tensor of a call."""

    shape: tuple[int, ...] = (2, 3)
    dtype: str = "float32"
    format: int = 2  # ND


class S(NamedTuple):
    """A scalar of a call."""

    value: Any = 1.0
    dtype: str = "float32"


def tensor(given: T) -> Any:
    storage = np.zeros(max(math.prod(given.shape), 1) * BY_NAME[given.dtype].itemsize, np.uint8)
    strides = [math.prod(given.shape[k + 1 :]) for k in range(len(given.shape))]
    return aclnn.aclCreateTensor(
        given.shape, BY_NAME[given.dtype].acl, strides, 0, given.format, given.shape or (1,), storage
    )


def value_of(given: Any) -> Any:
    if isinstance(given, T):
        return tensor(given)
    if isinstance(given, S):
        return aclnn.aclCreateScalar(given.value, BY_NAME[given.dtype].acl)
    return tuple(map(value_of, given)) if isinstance(given, tuple) else given


def status(name: str, arguments: dict[str, Any]) -> int:
    """What phase one returns."""
    function = clients.glue()[f"aclnn{name}"]
    try:
        values = [value_of(arguments[p.name]) for p in function.arguments]
        Work(f"aclnn{name}", function.rule, function.arguments, values)
    except ActgradError as error:
        text = str(error)
        assert text.startswith(f"aclnn{name}: "), text
        assert text.count("; ") >= 2, text  # what was given; what is expected; what to do
        assert "\n" not in text
        return error.status
    return 0


# The 22 wrong calls

F64, I32, I64 = "float64", "int32", "int64"
MATRIX = {"self": T((2, 2)), "mat2": T((2, 2)), "out": T((2, 2)), "cubeMathType": 0}
BATCH = {"self": T((1, 2, 2)), "mat2": T((1, 2, 2)), "out": T((1, 2, 2)), "cubeMathType": 0}
LAYER = {
    "input": T((3, 2)), "normalizedShape": (2,), "weightOptional": T((2,)), "biasOptional": T((2,)), "eps": 1e-5,
    "out": T((3, 2)), "meanOutOptional": T((3, 1)), "rstdOutOptional": T((3, 1)),
}  # fmt: skip
RMS = {"x": T((3, 2)), "gamma": T((2,)), "epsilon": 1e-5, "yOut": T((3, 2)), "rstdOut": T((3, 1))}
LOSS = {"self": T(), "target": T(), "reduction": 1, "out": T(())}
GATHER = {"self": T((2, 3)), "dim": 0, "index": T((1, 3), I64), "out": T((1, 3))}
TABLE = {"weight": T((5, 3)), "indices": T((2,), I64), "out": T((2, 3))}
TOP = {
    "self": T((2, 4)), "k": 2, "dim": 1, "largest": True, "sorted": True, "valuesOut": T((2, 2)),
    "indicesOut": T((2, 2), I64),
}  # fmt: skip
SORT = {
    "self": T((2, 4)), "stable": False, "dim": 1, "descending": False, "valuesOut": T((2, 4)),
    "indicesOut": T((2, 4), I64),
}  # fmt: skip
SCATTER = {"self": T((2, 3)), "dim": 0, "index": T((2, 3), I64), "src": T((2, 3)), "out": T((2, 3))}


def all_of(call: dict[str, Any], dtype: str) -> dict[str, Any]:
    return {k: v._replace(dtype=dtype) if isinstance(v, T) else v for k, v in call.items()}


CALLS: dict[str, tuple[str, dict[str, Any], dict[str, Any], int]] = {
    "matrix product of INT64": ("Mm", MATRIX, all_of(MATRIX, I64), WRONG),
    "product of tensors of INT64": ("Matmul", MATRIX, all_of(MATRIX, I64), WRONG),
    "batch product of INT32": ("BatchMatMul", BATCH, all_of(BATCH, I32), WRONG),
    "layer norm of INT32": ("LayerNorm", LAYER, all_of(LAYER, I32), WRONG),
    "layer norm of DOUBLE": ("LayerNorm", LAYER, all_of(LAYER, F64), WRONG),
    "RMS norm of INT32": ("RmsNorm", RMS, all_of(RMS, I32), WRONG),
    "RMS norm of DOUBLE": ("RmsNorm", RMS, all_of(RMS, F64), WRONG),
    "layer norm, gamma of 3 for rows of 2": ("LayerNorm", LAYER, {**LAYER, "weightOptional": T((3,))}, WRONG),
    "RMS norm, gamma of 3 for rows of 2": ("RmsNorm", RMS, {**RMS, "gamma": T((3,))}, TILING),
    "mean squares with reduction 7": ("MseLoss", LOSS, {**LOSS, "reduction": 7}, WRONG),
    "mean distance with reduction 7": ("L1Loss", LOSS, {**LOSS, "reduction": 7}, WRONG),
    "mean squares of INT32": ("MseLoss", LOSS, all_of(LOSS, I32), WRONG),
    "mean distance of INT32": ("L1Loss", LOSS, all_of(LOSS, I32), WRONG),
    "FLOAT indices": ("Embedding", TABLE, {**TABLE, "indices": T((2,))}, WRONG),
    "embedding into INT32": ("Embedding", TABLE, {**TABLE, "out": T((2, 3), I32)}, WRONG),
    "topk with k = 9 of 4": (
        "Topk", TOP, {**TOP, "k": 9, "valuesOut": T((2, 9)), "indicesOut": T((2, 9), I64)}, WRONG,
    ),
    "INT32 indices of topk": ("Topk", TOP, {**TOP, "indicesOut": T((2, 2), I32)}, WRONG),
    "sort with dim 9": ("Sort", SORT, {**SORT, "dim": 9}, WRONG),
    "INT32 indices of sort": ("Sort", SORT, {**SORT, "indicesOut": T((2, 4), I32)}, WRONG),
    "gather with dim 9": ("Gather", GATHER, {**GATHER, "dim": 9}, WRONG),
    "gather with ranks that differ": ("Gather", GATHER, {**GATHER, "index": T((3,), I64), "out": T((3,))}, WRONG),
    "scatter_add of DOUBLE into FLOAT": ("ScatterAdd", SCATTER, {**SCATTER, "src": T((2, 3), F64)}, WRONG),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_wrong_calls(call: str) -> None:
    name, right, wrong, expected = CALLS[call]
    assert status(name, right) == 0
    assert status(name, wrong) == expected


# Right calls of every function, and each of their checks broken alone

ROWS = {name.removeprefix("aclnn"): clients.glue()[name].arguments for name in checks.patterns()}
V, B, INDICES, LAST = T((3,)), "bool", T((2, 3), I64), T((2, 1))
HEADS = T((1, 2, 1, 3))
POINT, ONE = T(()), T((1,), I64)
#: Arguments that differ from the usual ones: float32 tensors of shape (2, 3), scalars 1.0, lists of two tensors,
#: dimension 0, numbers 0.
SAMPLES: dict[str, dict[str, Any]] = {
    "Mm": MATRIX, "Matmul": MATRIX, "BatchMatMul": BATCH, "LayerNorm": LAYER, "RmsNorm": RMS, "MseLoss": LOSS,
    "L1Loss": LOSS, "Gather": GATHER, "Embedding": TABLE, "Topk": TOP, "Sort": SORT, "ScatterAdd": SCATTER,
    "Scatter": SCATTER, "InplaceScatter": {"index": INDICES}, "ScatterValue": {"index": INDICES},
    "InplaceScatterValue": {"index": INDICES},
    "MaxDim": {"out": V, "indices": T((3,), I64)}, "MinDim": {"out": V, "indices": T((3,), I64)},
    "Mean": {"out": V}, "ReduceSum": {"out": V}, "Std": {"out": V}, "VarCorrection": {"out": V}, "Norm": {"out": V},
    "LogSumExp": {"out": V}, "LinalgVectorNorm": {"out": V}, "Amax": {"out": V}, "Amin": {"out": V},
    "All": {"out": T((3,), B)}, "Any": {"out": T((3,), B)}, "Max": {"out": POINT}, "Min": {"out": POINT},
    "ArgMax": {"out": T((3,), I64)}, "Argsort": {"out": INDICES},
    "Index": {"indices": (T((2,), I64),), "out": T((2, 3))},
    "IndexPutImpl": {"indices": (T((2,), I64),), "values": T((2, 3))},
    "OneHot": {
        "self": T((2,), I64), "numClasses": 3, "onValue": T((1,)), "offValue": T((1,)), "axis": -1, "out": T((2, 3)),
    },
    "EmbeddingDenseBackward": {"grad": T((2, 3)), "indices": T((2,), I64), "numWeights": 5, "out": T((5, 3))},
    "MaskedSelect": {"mask": T((2, 3), B), "out": T((6,))},
    "Nonzero": {"out": T((6, 2), I64)}, "NonzeroV2": {"out": T((2, 6), I64)},
    "IndexSelect": {"index": T((1,), I64), "out": T((1, 3))}, "GatherV2": {"index": T((1,), I64), "out": T((1, 3))},
    "NLLLoss": {
        "target": T((2,), I64), "weight": V, "reduction": 1, "ignoreIndex": -100, "out": POINT,
        "totalWeightOut": POINT,
    },
    "NLLLossBackward": {
        "gradOutput": POINT, "target": T((2,), I64), "weight": V, "reduction": 1, "totalWeight": POINT,
    },
    "BinaryCrossEntropyWithLogits": {"reduction": 1, "out": POINT},
    "Mv": {"vec": V, "out": T((2,))},
    "Addmm": {"mat1": T((2, 4)), "mat2": T((4, 3))}, "InplaceAddmm": {"mat1": T((2, 4)), "mat2": T((4, 3))},
    "Baddbmm": {"self": T((1, 2, 3)), "batch1": T((1, 2, 4)), "batch2": T((1, 4, 3)), "out": T((1, 2, 3))},
    "LayerNormBackward": {
        "normalizedShape": (3,), "mean": LAST, "rstd": LAST, "weightOptional": V, "biasOptional": V,
        "outputMask": (True, True, True), "gradInputOptional": T(), "gradWeightOptional": V, "gradBiasOptional": V,
    },
    "AddRmsNorm": {"gamma": V, "rstdOut": LAST},
    "RmsNormGrad": {"gamma": V, "rstd": LAST, "dgammaOut": V},
    "GroupNorm": {
        "self": T((2, 4, 3)), "gammaOptional": T((4,)), "betaOptional": T((4,)), "N": 2, "C": 4, "HxW": 3, "group": 2,
        "out": T((2, 4, 3)), "meanOut": T((2, 2)), "rstdOut": T((2, 2)),
    },
    "VarMean": {"varOut": V, "meanOut": V}, "Aminmax": {"minOut": V, "maxOut": V},
    "AminmaxDim": {"minOut": V, "maxOut": V}, "AminmaxAll": {"minOut": POINT, "maxOut": POINT},
    "Prod": {"out": POINT}, "ProdDim": {"out": V}, "Ger": {"self": T((2,)), "vec2": V},
    "Multinomial": {"numsamples": 2, "out": T((2, 2), I64)},
    "MultinomialTensor": {"numsamples": 2, "out": T((2, 2), I64), "seedTensor": ONE, "offsetTensor": ONE},
    "ApplyAdamWV2": {"step": T((1,))},
    "IndexAdd": {"index": T((2,), I64)}, "IndexAddV2": {"index": T((2,), I64)}, "IndexCopy": {"index": T((2,), I64)},
    "InplaceIndexCopy": {"index": T((2,), I64)}, "IndexFill": {"index": ONE}, "InplaceIndexFill": {"index": ONE},
    "Slice": {"end": 1, "step": 1, "out": T((1, 3))},
    "SliceV2": {"ends": (1,), "steps": (1,), "out": T((1, 3))},
    "ConstantPadNd": {"pad": (1, 0), "out": T((2, 4))}, "ReflectionPad1d": {"padding": (1, 0), "out": T((2, 4))},
    "ReflectionPad2d": {"self": T((1, 3, 3)), "padding": (1, 0, 0, 1), "out": T((1, 4, 4))},
    "RepeatInterleave": {"repeats": ONE, "outputSize": 12, "out": T((12,))},
    "RepeatInterleaveInt": {"repeats": 2, "outputSize": 12, "out": T((12,))},
    "RepeatInterleaveWithDim": {"repeats": ONE, "outputSize": 4, "out": T((4, 3))},
    "RepeatInterleaveIntWithDim": {"repeats": 2, "outputSize": 4, "out": T((4, 3))},
    "RepeatInterleaveTensor": {"repeats": T((3,), I64), "outputSize": 5, "out": T((5,), I64)},
    "Eye": {"n": 2, "m": 3}, "Linspace": {"steps": 6, "out": T((6,))},
    "Arange": {"end": S(3.0), "out": T((2,))},
    "Equal": {"out": T((), B)}, "Stack": {"out": T((2, 2, 3))}, "Cat": {"out": T((4, 3))},
    "Permute": {"dims": (1, 0), "out": T((3, 2))}, "Repeat": {"repeats": (1, 2), "out": T((2, 6))},
    "Roll": {"shifts": (1,)}, "DropoutGenMask": {"shape": (8,), "out": T((16,), "uint8")},
    "DropoutGenMaskV2": {"shape": (8,), "out": T((16,), "uint8")}, "DropoutDoMask": {"mask": T((16,), "uint8")},
    "Randperm": {"n": 3, "out": T((3,), I64)}, "InplaceRandom": {"to": 5}, "InplaceUniform": {"to": 1.0},
    "BitwiseNot": {"out": T(dtype=I64)},
    "Bincount": {"self": T((3,), I64), "weights": V, "out": T((4,))},
    "GroupNormBackward": {
        **dict.fromkeys(("gradOut", "input", "gradInput"), T((2, 4, 3))), "N": 2, "C": 4, "HxW": 3, "group": 2,
        **dict.fromkeys(("mean", "rstd"), T((2, 2))), "outputMask": (True, True, True),
        **dict.fromkeys(("gamma", "gradGammaOut", "gradBetaOut"), T((4,))),
    },
    "FlashAttentionScore": {
        **dict.fromkeys(("query", "key", "value", "attentionOutOut"), HEADS), "headNum": 1, "softmaxOutO": HEADS,
    },
    "FlashAttentionScoreGrad": {
        **dict.fromkeys(("query", "keyIn", "value", "dy", "attentionInOptional"), HEADS), "headNum": 1,
        **dict.fromkeys(("dqOut", "dkOut", "dvOut"), HEADS), "dpseOut": HEADS,
    },
}  # fmt: skip


def row_of(name: str) -> Row:
    row = checks.row_of(f"aclnn{name}", ROWS[name])
    assert row is not None
    return row


def dtype_in(row: Row, name: str) -> str:
    dtypes = row.dtypes.get(name) or row.dtypes.get(f"{name}?")
    first = ("float32", I64, B, "uint8")
    return next((d for d in first if d in dtypes.names), dtypes.names[0]) if dtypes else "float32"


def usual(row: Row, parameter: CParameter) -> Any:
    dtype = dtype_in(row, parameter.name)
    if "Optional" in parameter.name or parameter.name.startswith("optional"):
        return None
    return {
        "Tensor": T(dtype=dtype), "Scalar": S(1, dtype) if dtype != "float32" else S(), "ints": (0,),
        "tensors": (T(dtype=dtype), T(dtype=dtype)), "scalars": (S(), S()), "bools": (True,), "double": 0.5,
        "bool": False, "text": "BSND",
    }.get(parameter.type, 0)  # fmt: skip


def right_call(name: str) -> dict[str, Any]:
    row = row_of(name)
    call = {parameter.name: usual(row, parameter) for parameter in row.parameters}
    return call | {k: v for k, v in SAMPLES.get(name, {}).items() if k in call}


@pytest.mark.parametrize("name", ROWS)
def test_right_calls(name: str) -> None:
    assert status(name, right_call(name)) == 0


def broken_alone(name: str) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Calls that break one check that the table states: what is broken, the call, the status."""
    row, call = row_of(name), right_call(name)
    nulls = {each: int(words[1]) for words in row.words if words[0] == "null" for each in words[2:]}
    pointers = ("Tensor", "Scalar", "ints", "tensors", "scalars", "bools", "text")
    for p in row.parameters:
        if p.type in pointers and not checks.may_be_null(row, p.name):
            yield f"null {p.name}", {**call, p.name: None}, nulls.get(p.name, NULL)
    arguments = {p.name: p for p in row.parameters}
    for key, dtypes in row.dtypes.items():
        names = row.of_type("Tensor") if key == "every" else [key.rstrip("?")]
        every = {*dtypes.names, *[d for _, more in dtypes.by_product for d in more]}
        wrong = next((d for d in ("float32", I32, "complex128", "uint16", "uint64") if d not in every), None)
        for argument in names:
            value = call.get(argument)
            if argument in arguments and wrong is not None and value is not None:
                bad = of_dtype(value, wrong)
                yield f"dtype {argument}", {**call, argument: bad}, WRONG
    for words in row.words:
        yield from of_words(call, words)
    shape_words = "UNARY", "SCALAR", "BROADCAST", "REDUCE", "INDEX", "LOSS"
    if row.pattern in shape_words and row.says("anyrank") is None:
        nine = {k: v._replace(shape=(1,) * 9) for k, v in call.items() if isinstance(v, T)}
        yield "rank 9", call | nine, WRONG


def of_dtype(value: Any, dtype: str) -> Any:
    """A tensor, a scalar, a list or a number of an aclDataType, of another dtype."""
    if isinstance(value, tuple) and not isinstance(value, (T, S)):
        return tuple(each._replace(dtype=dtype) for each in value)
    return value._replace(dtype=dtype) if isinstance(value, (T, S)) else BY_NAME[dtype].acl


def of_words(call: dict[str, Any], words: tuple[str, ...]) -> Iterator[tuple[str, Any, int]]:
    word, *names = words
    stage = WRONG
    if word == "tiling":
        (word, *names), stage = names, TILING
    text = " ".join(words)
    first = call.get(names[0]) if names else None
    if word in ("equal", "part") and isinstance(first, T):
        other = "float16" if first.dtype == "float32" else I32
        yield text, {**call, names[0]: first._replace(dtype=other)}, stage
    elif word == "same" and isinstance(first, T):
        yield text, {**call, names[1]: BY_NAME["float16"].acl}, stage
    elif word == "public":
        yield text, {**call, names[0]: first._replace(format=29)}, stage  # FRACTAL_NZ
    elif word == "dims":
        yield text, {**call, names[0]: (9,) if isinstance(first, tuple) else 9}, stage
        if "once" in names and isinstance(first, tuple):
            yield text, {**call, names[0]: (*first, *first)}, stage
    elif word == "rank":
        name, bound = names[0].split(",")[0], int(names[1].split("-")[-1])
        value = call[name]
        if isinstance(value, T):
            yield text, {**call, name: value._replace(shape=(1,) * (bound + 1))}, stage
    elif word == "shape":
        yield text, {**call, names[0]: first._replace(shape=(1, *first.shape))}, stage
    elif word == "must" and names[0] in ("0", "0.0", "-1") and names[2] in call:
        value = call[names[2]]
        wrong = -5 if not isinstance(value, S) else S(-5)
        if not isinstance(value, tuple):
            yield text, {**call, names[2]: wrong}, stage
    elif word == "oneof":
        yield text, {**call, **dict.fromkeys(names)}, NULL
    elif word == "positive":
        yield text, {**call, names[0]: tuple(-1 for _ in first)}, stage


@pytest.mark.parametrize("name", ROWS)
def test_each_check_alone(name: str) -> None:
    for what, call, expected in broken_alone(name):
        assert status(name, call) == expected, what


def test_each_pattern_has_functions() -> None:
    assert {row.partition(":")[0] for row in checks.patterns()} == set(clients.glue()) - UNCHECKED
    assert len(set(checks.patterns().values())) == 14  # no function of the table has a window


PAGE = (Path(__file__).parents[2] / "docs" / "sdk.md").read_text(encoding="utf-8")
LINES = [line for line in PAGE.splitlines() if line.startswith("Computed, not checked")]
#: Functions whose checks are not known.
UNCHECKED = set(re.findall(r"`(aclnn\w+)`", " ".join(LINES)))


@pytest.mark.parametrize(
    ("name", "product", "expected"),
    [("ForeachAbs", "Ascend310P", NO_CHIP), ("ForeachSqrt", "Ascend310P", WRONG), ("RmsNorm", "Ascend310B", NO_CHIP)],
)
def test_products(name: str, product: str, expected: int) -> None:
    with actgrad.product(product):
        assert status(name, right_call(name)) == expected


def test_dtypes_of_products() -> None:
    """bfloat16 where chips have it; further dtypes on the products that a row names."""
    halves = all_of(MATRIX, "bfloat16")
    assert status("Mm", halves) == 0
    for product in ("Ascend310P", "Ascend910"):
        with actgrad.product(product):
            assert status("Mm", halves) == WRONG
            assert status("Mm", MATRIX) == WRONG  # cubeMathType 0
            assert status("Mm", {**MATRIX, "cubeMathType": 1}) == 0
    wide = right_call("MaxDim") | {"self": T(dtype=I32), "out": T((3,), I32)}
    assert status("MaxDim", wide) == WRONG
    with actgrad.product("Ascend950"):
        assert status("MaxDim", wide) == 0


def test_what_hardware_accepts() -> None:
    """Optional tensors left out, empty tensors, broadcasts, promotion, dtypes that differ."""
    add = right_call("Add")
    assert status("Add", {**add, "self": T((2, 1)), "other": T((3,), "float16")}) == 0
    assert status("Add", {**add, "self": T((0, 3)), "other": T((1, 3)), "out": T((0, 3))}) == 0
    layer = {**LAYER, "weightOptional": None, "biasOptional": None, "meanOutOptional": None, "rstdOutOptional": None}
    assert status("LayerNorm", layer) == 0
    mixed = all_of(LAYER, "float16") | {"weightOptional": T((2,)), "biasOptional": T((2,))}
    assert status("LayerNorm", mixed) == 0
    assert status("Mm", {**MATRIX, "self": T((2, 2), "bfloat16")}) == 0
    clamp = right_call("Clamp") | {"clipValueMin": None, "clipValueMax": S()}
    assert status("Clamp", clamp) == 0
    assert status("Clamp", {**clamp, "clipValueMax": None}) == NULL
    assert status("Div", right_call("Div") | {"self": T(dtype=I32), "other": T(dtype=I32), "out": T(dtype=I32)}) == 0
    empty = right_call("LeTensor") | {"self": T((0, 3), "complex64"), "out": T((0, 3))}
    assert status("LeTensor", empty | {"other": T((1, 3))}) == 0


#: Calls by what differs from the right one.
MORE: dict[str, tuple[str, dict[str, Any], int]] = {
    "a list of 257 tensors": ("ForeachNonFiniteCheckAndUnscale", {"scaledGrads": (T((1,)),) * 257}, TILING),
    "a list of 256 tensors": ("ForeachNonFiniteCheckAndUnscale", {"scaledGrads": (T((1,)),) * 256}, 0),
    "the largest second moments left out": ("ApplyAdamWV2", {"amsgrad": True}, NULL),
    "them given": ("ApplyAdamWV2", {"amsgrad": True, "maxGradNormOptionalRef": T()}, 0),
    "a divided batch": ("KlDiv", {"reduction": 3, "out": POINT}, 0),
    "reduction 4": ("KlDiv", {"reduction": 4, "out": POINT}, WRONG),
    "a reduction that is not tested": ("KlDivBackward", {"reduction": 9}, 0),
    "dtypes that differ, without a weight": ("BinaryCrossEntropy", {"target": T(dtype="float16"), "weight": None}, 0),
    "dtypes that differ": ("BinaryCrossEntropy", {"target": T(dtype="float16")}, WRONG),
    "one result of two dimensions": ("BinaryCrossEntropy", {"reduction": 1, "out": T((1, 1))}, 0),
    "a margin as large as the dimension": ("ReflectionPad1d", {"padding": (3, 0), "out": T((2, 6))}, WRONG),
    "a step of 0": ("SliceV2", {"steps": (0,)}, WRONG),
    "an index beyond the dimension": ("IndexFillTensor", {"index": (2,)}, WRONG),
    "an empty dimension": ("AminmaxDim", {"self": T((0, 3))}, WRONG),
    "more draws than classes": ("Multinomial", {"numsamples": 4, "out": T((2, 4), I64)}, WRONG),
    "as many with replacement": ("Multinomial", {"numsamples": 4, "out": T((2, 4), I64), "replacement": True}, 0),
    "repetitions of one count": ("RepeatInterleave", {"repeats": T((6,), I64)}, 0),
    "repetitions of another count": ("RepeatInterleave", {"repeats": T((5,), I64)}, WRONG),
}  # fmt: skip


@pytest.mark.parametrize("what", MORE)
def test_further_calls(what: str) -> None:
    name, difference, expected = MORE[what]
    assert status(name, right_call(name) | difference) == expected


def test_a_strict_program_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    work._warn.cache_clear()
    for _ in range(2):
        assert status("NanToNum", {"self": T(), "nan": 0.0, "posinf": 1.0, "neginf": -1.0, "out": T()}) == 0
        assert status("Abs", {"self": T(), "out": T()}) == 0
    assert [record.message.partition(";")[0] for record in caplog.records] == ["aclnnNanToNum: computed, not checked"]


def test_the_page_lists_functions_that_are_not_checked() -> None:
    assert {row.name for row in clients.unchecked().values()} == UNCHECKED
    rows = dict(re.findall(r"^\| ([A-Z]+) (\d+) \|", PAGE, re.M))
    assert {name: int(count) for name, count in rows.items()} == Counter(checks.patterns().values())


@needs_compiler
def test_the_command_notes_functions_that_are_not_checked(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(
        '#include "aclnnop/aclnn_nan_to_num.h"\n#include "aclnnop/aclnn_abs.h"\n'
        "void* used[] = {(void*)aclnnNanToNum, (void*)aclnnAbs};\n"
    )
    (finding,) = lacking.findings(program)
    assert finding.is_note
    assert "function aclnnNanToNum is computed, not checked" in str(finding)
