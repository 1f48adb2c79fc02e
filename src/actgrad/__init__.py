"""Activation functions and their gradients, for NumPy and PyTorch, to the contract of the CANN aclnn operators."""

import sys
from functools import partial as _partial

from .arrays import interception as _interception
from .backends import get_num_threads, set_num_threads
from .base import errors as _errors
from .base import first_use as _first_use
from .base import xp
from .base.errors import (
    ActgradError,
    BackendUnavailable,
    InvalidArgument,
    InvalidCall,
    InvalidDtype,
    InvalidOperator,
    KernelMissing,
    NotConfigured,
    NullArgument,
    OutOfMemory,
    TilingFailed,
    UnsupportedOnProduct,
)
from .base.products import product, rules
from .calls import operator as _operator
from .calls.operator import REGISTRY as operators
from .calls.operator import Operator
from .calls.plan import Plan
from .calls.precompile import precompile
from .ops import public as _public
from .ops.public import *  # noqa: F403  every operator of the registry

__version__ = "0.2.0"

_interception.import_handler = _partial(_first_use.module, f"{__name__}.torch")
sys.modules[f"{__name__}.xp"] = xp  # formulas of others import their functions from actgrad.xp
for _shown in (
    *(ActgradError, BackendUnavailable, InvalidArgument, InvalidCall, InvalidDtype, InvalidOperator, NullArgument),
    *(KernelMissing, NotConfigured, Operator, OutOfMemory, Plan, TilingFailed, UnsupportedOnProduct),
):
    _shown.__module__ = __name__  # pickles and tracebacks name public places
# Pickles of version 0.1 name these modules.
sys.modules[f"{__name__}.errors"], sys.modules[f"{__name__}.op"] = _errors, _operator

__all__ = [
    "ActgradError",
    "BackendUnavailable",
    "InvalidArgument",
    "InvalidCall",
    "InvalidDtype",
    "InvalidOperator",
    "KernelMissing",
    "NotConfigured",
    "NullArgument",
    "Operator",
    "OutOfMemory",
    "Plan",
    "TilingFailed",
    "UnsupportedOnProduct",
    "get_num_threads",
    "operators",
    "precompile",
    "product",
    "rules",
    "set_num_threads",
]
__all__ += _public.__all__
__all__.sort()
