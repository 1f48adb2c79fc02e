"""CANN's law of relu6."""

from ...checks.dtype_rules import convertible, number_for_integers, real
from ...checks.shape_rules import same_shape
from ...ops.relu6 import CEILING, relu6, relu6_backward, relu6_d
from ..rules.law import Law
from ..rules.rule import Origin, limited, only_documents, rank, supported

Law(
    relu6,
    dtypes="float32 float16 bfloat16 int32",
    graph=("Relu6(x=self) -> y",),
)

Law(
    relu6_backward,
    graph=("Relu6Grad(gradients=grad_output, features=self; broadcast) -> backprops",),
)

Law(
    relu6_d,
    dtypes="float32 float16 bfloat16 int32",
    checks=(
        supported("self"),
        real("scale"),
        only_documents(supported("out")),
        convertible("out"),
        same_shape("out", to="self"),
        rank("self"),
        limited(number_for_integers("scale"), origin=Origin.ACTGRAD),
        (CEILING,),
    ),
    graph=("Relu6D(x=self, scale=1.0) -> y",),
    differences_file="relu6.md",
)
