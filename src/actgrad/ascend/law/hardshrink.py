"""CANN's law of hardshrink."""

from ...checks.dtype_rules import convertible, promoted, real
from ...checks.shape_rules import broadcastable, result_shape, same_shape
from ...ops.hardshrink import hardshrink, hardshrink_backward
from ..rules.law import C, Law
from ..rules.rule import only_on, rank, supported, unless_empty

Law(
    hardshrink,
    checks=(
        supported("self", "out", everywhere=True),
        only_on("Ascend310P Ascend910", supported("self", "out")),
        real("lambd"),
        same_shape("out", to="self"),
        rank("self"),
    ),
    functions=(C("Hardshrink", in_place=None),),
    graph=("HardShrink(input_x=self, lambd=0.5) -> output_y",),
    differences_file="hardshrink.md",
)

Law(
    hardshrink_backward,
    checks=(
        supported("grad_output", "self", "grad_input"),
        real("lambd"),
        rank("grad_output", "self", "grad_input"),
        promoted("grad_output", "self"),
        convertible("grad_input"),
        unless_empty(("grad_output", "self"), broadcastable("self", to="grad_output"), result_shape("grad_input")),
    ),
    functions=(C("HardshrinkBackward"),),
    graph=("HardShrinkGrad(gradients=grad_output, features=self, lambd=0.5) -> backprops",),
    differences_file="hardshrink.md",
)
