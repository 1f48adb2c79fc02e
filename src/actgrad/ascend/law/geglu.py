"""CANN's law of geglu."""

from ...checks.dtype_rules import equal
from ...checks.halves_rules import dim_in_range, even, half, half_size, same_rank
from ...checks.shape_rules import same_shape
from ...ops.geglu import geglu, geglu_backward
from ..rules.law import C, Law
from ..rules.rule import only_documents, rank, supported

HEADER, BACKWARD = "aclnn_geglu.h", "aclnn_geglu_backward.h"

PRODUCTS = "Ascend950 Ascend910_93 Ascend910B Ascend310P"

REQUIRES = {
    "approximate='tanh' on Ascend310P": lambda a, product: (
        a["approximate"] == "tanh" or product is None or product.name != "Ascend310P"
    )
}

Law(
    geglu,
    products=PRODUCTS,
    checks=(
        supported("self", "out", "out_gelu"),
        equal("out", "out_gelu", to="self", unless_empty=True),
        rank("self", "out", "out_gelu"),
        dim_in_range("self"),
        even("self"),
        half_size("out", "out_gelu", of="self"),
        same_rank("out", "out_gelu", to="self"),
        half("out", "out_gelu", of="self"),
    ),
    requires=REQUIRES,
    functions=(
        C("GeGlu", fixed={"activate_left": False}, header=HEADER),
        C("GeGluV3", header=HEADER),
    ),
    graph=("GeGluV2(x=self, dim=-1, approximate=1, activate_left=False) -> (y, gelu)",),
    differences_file="geglu.md",
)

Law(
    geglu_backward,
    products=PRODUCTS,
    checks=(
        supported("grad_output"),
        equal("self", "gelu", "grad_input", to="grad_output"),
        only_documents(rank("self", minimum=1)),
        same_shape("gelu", to="grad_output"),
        same_shape("grad_input", to="self"),
        dim_in_range("self"),
        same_rank("grad_output", to="self"),
        even("self"),
        half("grad_output", of="self"),
    ),
    requires=REQUIRES,
    functions=(
        C("GeGluBackward", fixed={"activate_left": False}, header=BACKWARD),
        C("GeGluV3Backward", header=BACKWARD),
    ),
    graph=("GeGluGradV2(dy=grad_output, x=self, gelu, dim=-1, approximate=1, activate_left=False) -> dx",),
    differences_file="geglu.md",
)
