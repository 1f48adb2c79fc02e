"""CANN's law of heaviside."""

from ...checks.dtype_rules import convertible
from ...checks.shape_rules import broadcastable, result_shape
from ...ops.heaviside import heaviside, unit_step
from ..rules.law import C, Law
from ..rules.rule import Origin, limited, rank, supported, unless_empty

Law(
    heaviside,
    bfloat16_everywhere=True,
    checks=(
        supported("input", "values", "out"),
        rank("input", "values"),
        limited(convertible("out"), origin=Origin.ACTGRAD),
        unless_empty(
            ("input", "values", "out"), broadcastable("values", to="input"), result_shape("out", or_in_a_row=True)
        ),
    ),
    functions=(C("Heaviside"),),
    graph=("Heaviside(input, values) -> output",),
    differences_file="heaviside.md",
)

Law(
    unit_step,
    graph=("Threshold(x=self, threshold=0.0) -> y",),
    differences_file="heaviside.md",
)
