"""ReLU6, ReLU with a ceiling."""

from ..base.definition import Dtypes, Integers, Roles, Torch
from ..base.xp import minimum, where
from ..calls.operator import Operator
from ..checks import Check
from ..checks.dtype_rules import convertible, number_for_integers, supported
from ..checks.shape_rules import same_shape


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
    integers=Integers(formula=relu6_formula),
    dtypes=Dtypes("int32"),
    torch=Torch("relu6(inplace)", module="ReLU6"),
)

relu6_backward = Operator(
    "relu6_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="grad_output if 0 < self < 6, else 0\n\n"
    "The result of relu6 gives the same gradient and may be passed instead of the input.",
    formula=relu6_gradient,
    gradient_of=relu6,
    roles=Roles(takes_gradient=True),
    integers=Integers(formula=relu6_gradient),
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
    about=("scale",),
)

relu6_d = Operator(
    "relu6_d(Tensor self, Scalar scale=1) -> Tensor out",
    summary="min(max(x, 0), 6 * scale)",
    paper="Krizhevsky 2010, https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf",
    formula=relu6_d_formula,
    dtypes=Dtypes("int32"),
    preconditions=(
        supported("self"),
        convertible("out"),
        same_shape("out", to="self"),
        number_for_integers("scale"),
        (CEILING,),
    ),
    torch=Torch("relu6_d(scale)"),
)
