"""ReLU6, ReLU with a ceiling."""

from ..base.definition import Torch
from ..base.xp import minimum, where
from ..calls.operator import Operator
from ..contract import Check, Origin
from ..contract.dtype_rules import convertible, number_for_integers, real, supported
from ..contract.shape_rules import rank, same_shape
from ..contract.stages import document


def relu6_formula(x):
    """min(max(x, 0), 6)"""
    return where(x <= 0, 0, where(x >= 6, 6, x))


def relu6_gradient(g, x):
    """g if 0 < x < 6 else 0"""
    return where(x > 0, where(x < 6, g, 0), 0)


def relu6_d_formula(x, scale):
    """min(max(x, 0), 6 * scale)"""
    return minimum(where(x <= 0, 0, x), 6.0 * scale)


relu6 = Operator(
    "relu6(Tensor self) -> Tensor out",
    summary="min(max(x, 0), 6)",
    paper="Krizhevsky 2010, https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf",
    formula=relu6_formula,
    integer_formula=relu6_formula,
    dtypes="float32 float16 bfloat16 int32",
    torch=Torch("relu6(inplace)", module="ReLU6"),
    ir="Relu6(x=self) -> y",
)

relu6_backward = Operator(
    "relu6_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="grad_output if 0 < self < 6, else 0\n\n"
    "The result of relu6 gives the same gradient and may be passed instead of the input.",
    formula=relu6_gradient,
    integer_formula=relu6_gradient,
    takes_gradient=True,
    gradient_of=relu6,
    ir="Relu6Grad(gradients=grad_output, features=self; broadcast) -> backprops",
)


def fault_of_ceiling(call):
    """A message, if 6 * scale is below all integers of the dtype, so that the dtype cannot represent the result."""
    meta, scale = call.outputs.get("out") or call.inputs["self"], call.attributes["scale"]
    lowest = -(1 << 8 * meta.dtype.itemsize - 1)
    if meta.dtype.kind != "int" or not 6.0 * scale < lowest:
        return None
    return f"scale is {scale}, but 6 * scale must be at least {lowest} in {meta.dtype}; use a floating dtype"


CEILING = Check(
    "6 * scale is not below the result's dtype, where that is an integer",
    fault_of_ceiling,
    origin=Origin.ACTGRAD,
    about=("scale",),
)

relu6_d = Operator(
    "relu6_d(Tensor self, Scalar scale=1) -> Tensor out",
    summary="min(max(x, 0), 6 * scale)",
    paper="Krizhevsky 2010, https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf",
    formula=relu6_d_formula,
    dtypes="float32 float16 bfloat16 int32",
    checks=(
        supported("self"),
        real("scale"),
        document(supported("out")),
        convertible("out"),
        same_shape("out", to="self"),
        rank("self"),
        number_for_integers("scale"),
        (CEILING,),
    ),
    differences=("INT32: the kernel truncates 6 * scale. actgrad rounds to nearest, as for all results of integers.",),
    torch=Torch("relu6_d(scale)"),
    ir="Relu6D(x=self, scale=1.0) -> y",
)
