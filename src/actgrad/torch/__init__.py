"""actgrad's operators as PyTorch's own: `torch.ops.actgrad`, differentiable functions, modules.

Importing this package registers every operator of the registry, with its shapes, derivatives of any order and
transforms; nothing here is written for one operator but the functions' and modules' signatures.
"""

from torch.utils._python_dispatch import _disable_current_modes

from .. import ops as _ops  # noqa: F401  fills the registry
from ..calls import dynamo as _frames

with _disable_current_modes():  # a first call may be one that is being traced, which this is no part of
    _frames.tell_torch()
    from .registration import call, register, register_all

    register_all()

from .conventions import (  # they take the registered operators
    geglu_ascend,
    geglu_diffusers,
    geglu_gemma,
    geglu_megatron,
    geglu_modernbert,
    geglu_onnx,
    geglu_t5,
    geglu_vllm,
)
from .conversion import Report, convert, revert
from .functions import elu, geglu, geglu_two, gelu, leaky_relu, selu
from .modules import ELU, GEGLU, GELU, SELU, LeakyReLU

__all__ = [
    "ELU",
    "GEGLU",
    "GELU",
    "SELU",
    "LeakyReLU",
    "Report",
    "call",
    "convert",
    "elu",
    "geglu",
    "geglu_ascend",
    "geglu_diffusers",
    "geglu_gemma",
    "geglu_megatron",
    "geglu_modernbert",
    "geglu_onnx",
    "geglu_t5",
    "geglu_two",
    "geglu_vllm",
    "gelu",
    "leaky_relu",
    "register",
    "revert",
    "selu",
]
