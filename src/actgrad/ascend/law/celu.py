"""CANN's law of celu."""

from ...base.dtypes import FLOAT32_ZERO
from ...checks.dtype_rules import convertible, real
from ...checks.shape_rules import same_shape
from ...ops.celu import celu, celu_backward, scaled_celu, scaled_celu_backward
from ..rules.law import C, Law
from ..rules.rule import only_on, rank, supported

# If a product is in force, alpha is rounded to float32, so a tiny alpha is 0.
NOT_ZERO_2 = {"alpha2 neither 0 nor NaN": lambda a, product: abs(a["alpha2"]) > (FLOAT32_ZERO if product else 0)}

NOT_ZERO = {"alpha neither 0 nor NaN": lambda a, product: abs(a["alpha"]) > (FLOAT32_ZERO if product else 0)}

Law(
    celu,
    checks=(
        supported("self", everywhere=True),
        only_on("Ascend310P Ascend910", supported("self")),
        real("alpha"),
        convertible("out"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    requires=NOT_ZERO,
    functions=(C("Celu"),),
    graph=("CeluV2(x=self, alpha=1.0) -> y",),
    differences_file="celu.md",
)

Law(
    celu_backward,
    requires=NOT_ZERO,
)

Law(
    scaled_celu,
    dtypes="float32 float16",
    requires=NOT_ZERO_2,
    graph=("Celu(x=self, alpha1=1.0, alpha2=1.0, alpha3=1.0) -> y",),
    differences_file="celu.md",
)

Law(
    scaled_celu_backward,
    dtypes="float32 float16",
    requires=NOT_ZERO_2,
)
