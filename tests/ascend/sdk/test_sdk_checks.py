"""Phase one of the C SDK's functions around the activations: each wrong call has the status that hardware returns."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import actgrad
from actgrad.ascend.network import work
from actgrad.ascend.network.checks import judge as checks
from actgrad.ascend.sdk import declared_functions, lacking
from tests.support.network_calls import (
    BATCH,
    F64,
    GATHER,
    I32,
    I64,
    LAYER,
    LOSS,
    MATRIX,
    POINT,
    RMS,
    ROWS,
    SCATTER,
    SORT,
    TABLE,
    TOP,
    S,
    T,
    product_of,
    right_call,
    status,
)
from tests.support.sdk_programs import needs_compiler

NULL, WRONG, TILING, NO_CHIP, INNER = 161001, 161002, 561002, 561003, 561103


# The 22 wrong calls


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


@pytest.mark.share(4)
@pytest.mark.parametrize("call", CALLS)
def test_wrong_calls(call: str) -> None:
    name, right, wrong, expected = CALLS[call]
    assert status(name, right) == 0
    assert status(name, wrong) == expected


@pytest.mark.share(12)
@pytest.mark.parametrize("name", ROWS)
def test_right_calls(name: str) -> None:
    with actgrad.product(product_of(name)):
        assert status(name, right_call(name)) == 0


def test_each_pattern_has_functions() -> None:
    assert checks.patterns().keys() < declared_functions.computed().keys()
    assert len(set(checks.patterns().values())) == 15


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


@pytest.mark.share(4)
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


def test_the_page_names_functions_that_are_not_checked() -> None:
    page = (Path(__file__).parents[3] / "docs" / "sdk-coverage.md").read_text(encoding="utf-8")
    examples = re.findall(r"`(aclnn\w+)`", page.partition("**Computed, not checked.**")[2].partition("\n\n")[0])
    assert len(examples) > 3
    assert set(examples) <= declared_functions.unchecked().keys()


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
