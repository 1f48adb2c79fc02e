"""actgrad's operators as PyTorch's own: `torch.ops.actgrad`, differentiable functions, modules.

Importing this package registers every operator of the registry, with its shapes, derivatives of any order and
transforms; nothing here is written for one operator but the functions' and modules' signatures.
"""

from torch.utils._python_dispatch import _disable_current_modes

from .. import ops as _ops  # noqa: F401  fills the registry

with _disable_current_modes():  # a first call may be one that is being traced, which this is no part of
    from .registration import call, register, register_all

    register_all()

from .functions import elu, geglu, geglu_two, gelu, leaky_relu, selu  # they take the registered operators
from .modules import ELU, GEGLU, GELU, SELU, LeakyReLU

__all__ = [
    "ELU",
    "GEGLU",
    "GELU",
    "SELU",
    "LeakyReLU",
    "call",
    "elu",
    "geglu",
    "geglu_two",
    "gelu",
    "leaky_relu",
    "register",
    "selu",
]
