"""CANN's law of relu."""

from ...base.errors import InvalidDtype
from ...base.xp import where
from ...checks.dtype_rules import convertible, equal, promoted, real
from ...checks.shape_rules import broadcastable, result_shape, same_shape
from ...ops.relu import (
    add_relu,
    hardtanh,
    hardtanh_backward,
    relu,
    relu_backward,
    relu_with_mask,
    relu_with_mask_backward,
    threshold,
    threshold_backward,
)
from ..rules.law import C, InPlace, Law, Parameter
from ..rules.rule import (
    Origin,
    Rule,
    When,
    limited,
    nonempty,
    only_documents,
    ordered_scalars,
    product_of,
    rank,
    scalar_converts,
    scalar_supported,
    supported,
)

FLOATS = "float32 float16 bfloat16"

WITH_MASKS = "Ascend950 Ascend910_93 Ascend910B Ascend310P Ascend910"  # products with masks of bits

TAKEN_FOR_0 = 2.0**-23 + 2.0**-47  # the source treats thresholds up to this size as 0: 2**-23 in float32


def hardtanh_gradient_of_documents(g, x, min_val, max_val):
    """g if min_val <= x <= max_val else 0, by the documents' rules"""
    return where(x < min_val, 0, where(x > max_val, 0, g))


def int64_of_950(name):
    """INT64 has the kernel of Ascend950's ReLU."""

    def fault(call):
        is_int64 = call.inputs[name].dtype.name == "int64"
        is_zero = abs(call.attributes["threshold"]) <= TAKEN_FOR_0
        if not is_int64 or (str(product_of(call)) == "Ascend950" and is_zero):
            return None
        threshold = call.attributes["threshold"]
        expected = "int64 needs Ascend950 and threshold 0"
        return f"{name} is int64, threshold is {threshold}{call.place}; {expected}; convert {name} to int32"

    rule = f"{name} is int64 only on Ascend950 and only if threshold is 0"
    return (
        Rule(
            rule,
            fault,
            InvalidDtype,
            when=When.PRODUCT,
            origin=Origin.OPERATOR,
            about=(name, "threshold"),
        ),
    )


Law(
    relu,
    dtypes="float32 float16 bfloat16 int8 uint8 int32 int64",
    checks=(supported("self"), equal("out", to="self"), rank("self", "out"), same_shape("out", to="self")),
    functions=(
        C(
            "Relu",
            parameters=("self", Parameter("out", is_const=True)),
            out_checks=(only_documents(supported("self", dtypes=f"{FLOATS} int8 int32 int64", everywhere=True)),),
        ),
    ),
    graph=("Relu(x=self) -> y",),
    differences_file="relu.md",
)

Law(
    relu_with_mask,
    products=WITH_MASKS,
    dtypes="float32 float16 bfloat16 int8 uint8 int32 int64",
    graph=("ReluV2(x) -> (y, mask)",),
    differences_file="relu.md",
)

Law(
    relu_with_mask_backward,
    products=WITH_MASKS,
    dtypes="float32 float16 bfloat16 int8 uint8 int32",
    graph=("ReluGradV2(gradients=grad_output, mask) -> backprops",),
)

Law(
    relu_backward,
    dtypes="float32 float16 bfloat16 int8 uint8 int32 int64",
    checks=(
        supported("grad_output"),
        equal("result", "grad_input", to="grad_output"),
        rank("grad_output", "result"),
        broadcastable("result", to="grad_output"),
        result_shape("grad_input"),
    ),
    graph=("ReluGrad(gradients=grad_output, features=result) -> backprops",),
)

Law(
    threshold,
    dtypes="float32 float16 bfloat16 int8 uint8 int32 int64 int16",
    checks=(
        supported("self"),
        real("threshold", "value"),
        convertible("out"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    functions=(C("Threshold", null_order="self out threshold value"),),
    differences_file="relu.md",
)

Law(
    threshold_backward,
    dtypes="float32 float16 bfloat16 int8 uint8 int32 int64",
    checks=(
        supported("grad_output"),
        int64_of_950("grad_output"),
        supported("self"),
        int64_of_950("self"),
        real("threshold"),
        equal("self", "grad_input", to="grad_output"),
        rank("grad_output", "self"),
        broadcastable("self", to="grad_output"),
        result_shape("grad_input"),
    ),
    functions=(
        C(
            "ThresholdBackward",
            parameters=("gradOutput", "self", "threshold", "out"),
            null_order="threshold grad_input grad_output self",
        ),
    ),
    graph=("ThresholdGradV2D(gradients=grad_output, features=self, threshold=1.0) -> backprops",),
    differences_file="relu.md",
)

Law(
    add_relu,
    dtypes="float32 float16 bfloat16 int8 uint8 int32 int64 int16",
    checks=(
        supported("self", "other"),
        promoted("self", "other"),
        scalar_converts("alpha"),
        convertible("out"),
        rank("self", "other"),
        broadcastable("other", to="self"),
        result_shape("out"),
    ),
    functions=(
        C(
            "AddRelu",
            parameters=("self", "other", Parameter("alpha", is_const=False), "out"),
            in_place=InPlace(overwrites_first=True),
        ),
    ),
    differences_file="relu.md",
)

OF_HARDTANH = f"{FLOATS} float64 int8 int16 int32 int64 uint8"

Law(
    hardtanh,
    dtypes="float32 float16 bfloat16 float64 int8 int16 int32 int64 uint8",
    checks=(
        supported("self"),
        scalar_supported("min_val", OF_HARDTANH),
        scalar_supported("max_val", OF_HARDTANH),
        equal("out", to="self"),
        rank("self"),
        same_shape("out", to="self"),
        ordered_scalars("min_val", "max_val"),
    ),
    functions=(C("Hardtanh", parameters=("self", "clipValueMin", "clipValueMax", "out")),),
    differences_file="relu.md",
)

Law(
    hardtanh_backward,
    checks=(
        supported("grad_output", "self", "grad_input"),
        real("min_val", "max_val"),
        equal("self", to="grad_output"),
        limited(convertible("grad_input"), origin=Origin.ACTGRAD),
        rank("grad_output", "self"),
        same_shape("self", to="grad_output"),
        same_shape("grad_input", to="grad_output"),
        only_documents(nonempty("grad_output")),
    ),
    formulas={"document": hardtanh_gradient_of_documents},
    functions=(
        C(
            "HardtanhBackward",
            parameters=("gradOutput", "self", "min", "max", "out"),
            null_order="self grad_output grad_input min_val max_val",
        ),
    ),
    graph=("HardtanhGrad(result=self, grad=grad_output, min_val=-1.0, max_val=1.0) -> y",),
    differences_file="relu.md",
)
