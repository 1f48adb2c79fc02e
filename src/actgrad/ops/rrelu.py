"""Randomized leaky ReLU without training, which is leaky ReLU."""

from ..base.definition import Roles
from ..base.errors import KernelMissing
from ..calls.operator import Operator
from ..checks import Check
from ..checks.dtype_rules import convertible, equal, supported
from ..checks.shape_rules import same_shape
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


ENOUGH_NOISE = Check("with training noise has as many elements as self", enough_noise, about=("noise", "self"))

NO_TRAINING = Check("training is off, unless a tensor is empty", no_training, KernelMissing, about=("training",))

rrelu_with_noise = Operator(
    "rrelu_with_noise(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, "
    "bool training=False, int seed=0, int offset=0) -> Tensor out",
    summary="self if self > 0, else (lower + upper) / 2 * self\n\n"
    "noise, seed and offset are not read, because training=True is refused.",
    paper="Xu et al. 2015, https://arxiv.org/abs/1505.00853",
    formula=rrelu_formula,
    roles=Roles(only_checked="noise"),
    preconditions=(
        supported("self"),
        equal("noise", to="self"),
        convertible("out"),
        same_shape("out", to="self"),
        (ENOUGH_NOISE,),
        (NO_TRAINING,),
    ),
)
