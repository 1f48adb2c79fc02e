"""CANN's law of softsign."""

from ...ops.softsign import softsign, softsign_backward
from ..rules.law import Law

Law(
    softsign,
    dtypes="float32 float16 float64 bfloat16",
    graph=("Softsign(x=self) -> y",),
    differences_file="softsign.md",
)

Law(
    softsign_backward,
    dtypes="float32 float16 float64 bfloat16",
    graph=("SoftsignGrad(gradients=grad_output, features=self) -> output",),
)
