"""Randomized leaky ReLU without training, which is leaky ReLU."""

from ..base.definition import C
from ..base.errors import KernelMissing
from ..calls.operator import Operator
from ..contract import Check, Origin
from ..contract.dtype_rules import equal, scalar_supported, supported
from ..contract.shape_rules import rank, same_format, same_shape
from .leaky_relu import leaky_relu_formula


def rrelu_formula(x, lower, upper):
    """x if x > 0 else (lower + upper) / 2 * x"""
    return leaky_relu_formula(x, 0.5 * (lower + upper))


def enough_noise(call):
    """A message, if `noise` is too small for training, which writes a number for each element."""
    noise, size = call.tensors["noise"].size, call.inputs["self"].size
    if not call.attributes["training"] or noise >= size:
        return None
    return f"noise has {noise} elements, but self has {size}; with training it must have as many; enlarge noise"


def no_training(call):
    """A message, if `training` is True. A call on an empty tensor draws no random numbers, so it is allowed."""
    sizes = [meta.size for name in ("self", "noise") if (meta := call.tensors.get(name)) is not None]
    if 0 in sizes or not call.attributes["training"]:
        return None
    return "training is True; actgrad computes only training=False; pass training=False"


FLOAT_SCALARS = "float32 float16 bfloat16 float64"
ENOUGH_NOISE = Check("with training noise has as many elements as self", enough_noise, about=("noise", "self"))
NO_TRAINING = Check(
    "training is off, unless a tensor is empty", no_training, KernelMissing, origin=Origin.ACTGRAD, about=("training",)
)

rrelu_with_noise = Operator(
    "rrelu_with_noise(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, "
    "bool training=False, int seed=0, int offset=0) -> Tensor out",
    summary="self if self > 0, else (lower + upper) / 2 * self\n\n"
    "noise, seed and offset are not read, because training=True is refused.",
    paper="Xu et al. 2015, https://arxiv.org/abs/1505.00853",
    formula=rrelu_formula,
    unseen="noise",
    checks=(
        supported("self", "noise", "out"),
        equal("out", "noise", to="self"),
        scalar_supported("lower", FLOAT_SCALARS, everywhere=True),
        scalar_supported("upper", FLOAT_SCALARS, everywhere=True),
        same_shape("out", to="self"),
        (ENOUGH_NOISE,),
        rank("self", "noise", maximum=32),
        same_format("self", "noise", to="out"),
        (NO_TRAINING,),
    ),
    differences=(
        "training: the operator draws random numbers on the device. actgrad refuses it after all other checks.",
    ),
    aclnn=C("RReluWithNoise", overwrites_first=True, reference="self", const_reference=True),
)
