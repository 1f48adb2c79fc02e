"""Phase one compared with the checks that hardware makes: thousands of calls, each broken in one respect.

phase_one_statuses.txt has the checks, tests/support/phase_one_model.py judges calls by them without actgrad.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import actgrad
from actgrad.ascend.sdk import declared_functions
from actgrad.base.dtypes import BY_NUMBER
from tests.support import phase_one_model as model
from tests.support.network_calls import ROWS, S, T, status
from tests.support.phase_one_model import Check, Scalar, Tensor
from tests.support.wrong_calls import variations

#: A few functions are checked here by documents alone.
CHECKED = [name for name in ROWS if f"aclnn{name}" in model.functions() and model.functions()[f"aclnn{name}"].checks]

#: Calls in which phase one here differs from the file, by function: a pattern of the calls, and the reason.
UNSAFE = "hardware does not test it, and would read or write beyond the tensors"
UNREAD = "hardware tests it after the steps that the file has"
ON_HARDWARE = "on hardware"
OUTSIDE_TABLE = "cubeMathType: (-[239]|[459])"
ONE_ELEMENT = "a result of one element has at most 8 dimensions here"
DIFFERENCES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("LtScalar", "InplaceLtScalar"), ("other: null", UNSAFE)),
    "Std": ("(self|dim): (null|\\(\\))", UNSAFE),
    "VarCorrection": ("dim: null", UNSAFE),
    "VarMean": ("dim: null", UNSAFE),
    "ScatterAdd": ("out: shape \\(\\)", UNSAFE),
    "Scatter": ("out: shape \\(\\)|reduce: 5", f"{UNSAFE}; the mean's formula is not documented"),
    "ScatterValue": ("out: shape \\(\\)|reduce: 5", f"{UNSAFE}; the mean's formula is not documented"),
    "InplaceScatter": ("reduce: 5", "the mean's formula is not documented"),
    "InplaceScatterValue": ("reduce: 5", "the mean's formula is not documented"),
    "Cumprod": ("out: null", UNSAFE),
    "ReduceNansum": ("0 rows|self: shape \\(2, 0\\)", "the shape of an empty result is compared here too"),
    "StdMeanCorrection": ("dim: (null|\\(\\))", UNSAFE),
    "Index": ("rank 0|(self|out): shape .*|indices: (one more|257 entries|.* shape .*|all of shape .*)", UNREAD),
    "IndexPutImpl": ("(selfRef|values): shape .*|indices: (one more|last entry shape .*|all of shape .*)", UNREAD),
    "InplaceIndexCopy": ("selfRef: shape \\(\\)", UNSAFE),
    "OneHot": ("(on|off)Value: shape .*", UNSAFE),
    "MultinomialTensor": ("(seed|offset)Tensor: shape .*", UNSAFE),
    "BinaryCrossEntropy": ("weight: shape .*", UNREAD),
    "AddRmsNorm": ("(gamma|rstdOut): shape .*", UNREAD),
    "LayerNorm": ("(mean|rstd)OutOptional: shape .*", UNSAFE),
    "RmsNorm": ("rstdOut: shape .*", UNSAFE),
    "RmsNormGrad": ("rstd: shape .*", UNSAFE),
    "ForeachAddcdivScalarList": ("rank 0|empty|rows of 0|0 rows|scalars: shape .*", UNREAD),
    "ForeachNonFiniteCheckAndUnscale": ("(foundInf|invScale): shape .*", UNREAD),
    "InplaceBernoulliTensor": ("(selfRef|prob): shape .*", UNREAD),
    "RepeatInterleaveInt": ("self: shape .*|repeats: .*", UNSAFE),
    "RepeatInterleaveIntWithDim": ("self: shape .*|repeats: .*", UNSAFE),
    "IndexAdd": ("index: shape \\(\\)", UNSAFE),
    "IndexAddV2": ("index: shape \\(\\)", UNSAFE),
    "EmbeddingDenseBackward": ("grad: shape \\(\\)", UNSAFE),
    "Embedding": ("(weight|out): shape .*", UNREAD),
    "NLLLoss": ("totalWeightOut: shape .*1\\)|self: shape \\(3,\\)", ONE_ELEMENT),
    "BinaryCrossEntropyWithLogits": (
        "out: shape .*1\\)|(weight|posWeight)Optional: .*shape .*",
        f"{ONE_ELEMENT}; the document wants weights that broadcast to target, hardware also takes larger ones",
    ),
    "SWhere": ("condition: shape .*", UNSAFE),
    "SliceV2": ("steps: .*", UNSAFE),
    "Triu": ("rank 0", "a number has no triangle"),
    "InplaceTriu": ("rank 0|selfRef: shape .*", "a number has no triangle"),
    "DropoutGenMask": ("shape: null", UNSAFE),
    "DropoutGenMaskV2": ("shape: null", UNSAFE),
    "ReduceSum": ("0 rows|rows of 0", "the shape of an empty result is compared here too"),
    "Stack": ("tensors: no entry|empty lists", UNSAFE),
    "Arange": (".*", "hardware does not compare the length of out with the number of steps"),
    "AvgPool2d": ("kernelSize: .*", "hardware ignores a third number"),
    "AvgPool2dBackward": ("gradOutput: shape .*|(kernelSize|stride|padding): .*|ceilMode: .*|0 rows|rank 3", UNSAFE),
    "BatchNormBackward": ("(save|running).*: null|(save.*|grad(Weight|Bias)): shape .*", UNSAFE),
    "ForeachCopy": ("(x|out): .* shape .*", UNSAFE),
    "ForeachAddcmulScalarV2": ("out: a null entry.*|null entries", UNSAFE),
    "ForeachSubListV2": ("out: (no entry|one more|257 entries)", UNSAFE),
    "ForeachAddcdivScalarV2": ("out: (no entry|one more|257 entries)", UNSAFE),
    "FlashAttentionScore": (".*", UNREAD),
    **dict.fromkeys(
        ("Convolution", "ConvolutionBackward", "MaxPool", "MaxPool2dWithIndicesBackward"),
        (f"(?!.*: 0, {ON_HARDWARE}).*", UNREAD),
    ),
    "FlashAttentionScoreGrad": (".*", UNREAD),
    "ScatterNdUpdate": ("rank [09]|(varRef|indices|updates): shape .*", UNREAD),
    **dict.fromkeys(("Unique", "Unique2"), ("(self|valueOut): dtype .*|all but .* to .*", UNSAFE)),
    "LayerNormWithImplMode": ("(mean|rstd)OutOptional: shape .*", UNSAFE),
    "GemmaRmsNorm": ("rstdOut: shape .*", UNSAFE),
    "DeepNorm": ("(mean|rstd)Out: shape .*", UNSAFE),
    "GroupNormSwish": ("(x|yOut|meanOut|rstdOut): shape .*|numGroups: [14]", UNSAFE),
    "ScaledMaskedSoftmaxBackward": ("all but out to .*|out: dtype .*", UNSAFE),
    "AvgPool3dBackward": ("(gradOutput|self|output): dtype .*|all but .*", UNREAD),
    "MaxPool3dWithArgmax": ("format NZ", "actgrad reads each format as ND"),
    "AdaptiveAvgPool3dBackward": ("(?!.*: 0, on hardware).*", "Ascend310P has no kernel; another batch is unsafe"),
    "AdaptiveMaxPool3d": ("outputSize: .*", "actgrad takes three numbers on Ascend950 too"),
    **dict.fromkeys(
        ("Mm", "Mv", "BatchMatMul", "Addmm", "InplaceAddmm", "Baddbmm", "InplaceBaddbmm"),
        (OUTSIDE_TABLE, "hardware reads outside a table of four columns"),
    ),
    "Matmul": (
        rf"{OUTSIDE_TABLE}|(self|mat2): shape \((0, 2|2, 0)\)",
        "the same table; hardware fills an out of any shape with 0 if a matrix is empty",
    ),
    "ForeachRoundOffNumberV2": ("(x|out): (no entry|one more|257 entries)", UNSAFE),
    **{
        f"Foreach{name}ScalarV2": ("(x|out): (no entry|one more|257 entries)", UNSAFE)
        for name in ("Sub", "Maximum", "Minimum", "Pow")
    },
}  # fmt: skip


def described(value: Any) -> Any:
    """An argument as the model takes it."""
    if isinstance(value, T):
        return Tensor(value.shape, acl_name(value.dtype), value.format)
    if isinstance(value, S):
        return Scalar(value.value, acl_name(value.dtype))
    return tuple(map(described, value)) if isinstance(value, tuple) else value


def acl_name(dtype: str) -> str:
    return next(row.acl_name for row in BY_NUMBER.values() if row.name == dtype)


def ending(name: str, call: dict[str, Any], product: str) -> Check | None:
    """The check that ends a call on hardware."""
    names = model.functions()[f"aclnn{name}"].parameters
    arguments = {to: described(call[p.name]) for p, to in zip(ROWS[name], names, strict=True)}
    if "dtype_" in arguments:
        row = BY_NUMBER.get(arguments["dtype_"])
        arguments["dtype_"] = row.acl_name if row else "UNDEFINED"
    tensors = [value for value in arguments.values() if isinstance(value, Tensor)]
    return model.ending(f"aclnn{name}", {"tensors": tensors} | arguments, product)


def is_compared(name: str, what: str) -> bool:
    """Whether the file says what becomes of a call: a null pointer that nothing tests ends the program."""
    if what == "tensors: null":
        return False
    return "null entr" not in what or any("any((null(t)" in check.text for check in checks_of(name))


def checks_of(name: str) -> list[Check]:
    return model.functions()[f"aclnn{name}"].checks


def differing(name: str, product: str) -> list[str]:
    """The calls in which the two differ."""
    result = []
    with actgrad.product(product):
        for what, call in variations(name):
            if not is_compared(name, what):
                continue
            check = ending(name, call, product)
            expected, actual = check.status if check else 0, status(name, call)
            if actual != expected:
                result.append(f"{what}: {actual}, {ON_HARDWARE} {expected} by {check and check.text}")
    return result


def unexpected(name: str, product: str) -> list[str]:
    pattern, _ = DIFFERENCES.get(name, ("(?!)", ""))
    return [each for each in differing(name, product) if not re.match(f"({pattern}): ", each)]


@pytest.mark.share(8)
@pytest.mark.parametrize("name", CHECKED)
def test_statuses(name: str) -> None:
    assert not unexpected(name, "Ascend910B")


@pytest.mark.share(80)
@pytest.mark.parametrize("name", CHECKED)
@pytest.mark.parametrize("product", ["Ascend910_93", "Ascend310P", "Ascend910", "Ascend950"])
def test_statuses_on_products(name: str, product: str) -> None:
    assert not unexpected(name, product)


@pytest.mark.share(16)
@pytest.mark.parametrize("name", DIFFERENCES)
def test_each_difference_occurs(name: str) -> None:
    is_newer = name in ("MaxPool", "AdaptiveMaxPool3d", "AdaptiveAvgPool3dBackward")
    is_older = DIFFERENCES[name][0] == OUTSIDE_TABLE
    assert differing(name, "Ascend950" if is_newer else "Ascend310P" if is_older else "Ascend910B")


def test_prototypes() -> None:
    """Each function has the parameters and the header that programs compile with."""
    rows = {
        row.name: row for row in declared_functions.functions() if row.header and row.parameters not in ((), ("...",))
    }
    assert len(rows.keys() & model.functions().keys()) > 250
    for name in rows.keys() & model.functions().keys():
        function = model.functions()[name]
        assert rows[name].parameters == function.prototype, name
        assert rows[name].header == f"aclnnop/{function.header}", name


def test_the_file_has_the_checks_of_all_functions() -> None:
    """docs/sdk-coverage.md has the numbers of checks and of compared calls."""
    assert len(CHECKED) >= 252
    checks = sum(len(checks_of(name)) for name in CHECKED)
    calls = sum(is_compared(name, what) for name in CHECKED for what, _ in variations(name)) * 5  # products
    assert checks > 2500
    page = (Path(__file__).parents[3] / "docs" / "sdk-coverage.md").read_text(encoding="utf-8")
    ((said_checks, said_calls),) = re.findall(r"with ([\d,]+) checks of these\s+sources: ([\d,]+) calls", page)
    assert int(said_checks.replace(",", "")) == pytest.approx(checks, rel=0.03)
    assert int(said_calls.replace(",", "")) == pytest.approx(calls, rel=0.03)
