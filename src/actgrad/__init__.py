"""Activation functions and their gradients, for NumPy and PyTorch, to the contract of the CANN aclnn operators."""

from .backends import get_num_threads, set_num_threads
from .errors import (
    ActgradError,
    BackendUnavailable,
    InvalidArgument,
    InvalidCall,
    InvalidDtype,
    InvalidOperator,
    NullArgument,
    OutOfMemory,
    UnsupportedOnProduct,
)
from .op import REGISTRY as operators
from .op import Operator
from .ops.elu import elu, elu_backward
from .ops.geglu import geglu, geglu_backward, geglu_packed, geglu_two, geglu_two_backward
from .ops.gelu import gelu, gelu_backward
from .ops.leaky_relu import leaky_relu, leaky_relu_backward
from .ops.selu import selu, selu_backward
from .plan import Plan
from .precompile import precompile
from .products import product, rules

__version__ = "0.1.0"

__all__ = [
    "ActgradError",
    "BackendUnavailable",
    "InvalidArgument",
    "InvalidCall",
    "InvalidDtype",
    "InvalidOperator",
    "NullArgument",
    "Operator",
    "OutOfMemory",
    "Plan",
    "UnsupportedOnProduct",
    "elu",
    "elu_backward",
    "geglu",
    "geglu_backward",
    "geglu_packed",
    "geglu_two",
    "geglu_two_backward",
    "gelu",
    "gelu_backward",
    "get_num_threads",
    "leaky_relu",
    "leaky_relu_backward",
    "operators",
    "precompile",
    "product",
    "rules",
    "selu",
    "selu_backward",
    "set_num_threads",
]
