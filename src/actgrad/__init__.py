"""Activation functions and gradients for NumPy and PyTorch on CPUs, compatible with Huawei's Ascend aclnn API.

    >>> import numpy as np
    >>> import actgrad
    >>> actgrad.elu(np.array([-1.0, 0.0, 2.0])).round(4)
    array([-0.6321,  0.    ,  2.    ])

Each operator is a function of this module; help(actgrad.elu) describes it. `actgrad.operators` has all of them by name.

actgrad.torch    functions and modules for PyTorch with gradients; `convert` puts them into a model
actgrad.aclnn    the two-phase C API of CANN's operators
actgrad.ir       CANN's graph operators
actgrad.aten     PyTorch's operators that compute the same as operators of actgrad
actgrad.ascend   what CANN says about operators: products, rules, names; `aclnn` and `ir` are parts of it
actgrad.judge    the judge of kernels; `actgrad.conformance` is its other name

`samples` makes inputs and attributes for tests of an operator. `actgrad.torch_npu` is deprecated, and `__main__` is the
command `actgrad`.
"""

import sys
import typing as _typing
from functools import partial as _partial
from importlib.util import find_spec as _find_spec
from os import environ as _environ

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
from .calls.operator import REGISTRY as operators
from .calls.operator import Operator
from .calls.plan import Plan
from .checks import law as _law
from .ops import public as _public
from .ops.public import *  # noqa: F403  every operator of the registry

__version__ = "0.4.0"

if _find_spec(f"{__name__}.ascend") is not None:
    _law.slots = _first_use.LazyModule(f"{__name__}.ascend.slots")
    if _environ.get("ACTGRAD_PRODUCT") or _environ.get("ACTGRAD_RULES"):
        _law.of_environment = lambda: _law.slots.ruleset_of_environment()
_interception.import_handler = _partial(_first_use.module, f"{__name__}.torch")
sys.modules[f"{__name__}.xp"] = xp  # formulas import their functions from actgrad.xp
for _shown in (
    *(ActgradError, BackendUnavailable, InvalidArgument, InvalidCall, InvalidDtype, InvalidOperator, NullArgument),
    *(KernelMissing, NotConfigured, Operator, OutOfMemory, Plan, TilingFailed, UnsupportedOnProduct),
):
    _shown.__module__ = __name__  # pickles and tracebacks name the public module

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


if _typing.TYPE_CHECKING:
    from .ascend.choice import product, rules
    from .calls.precompile import precompile
else:  # a type checker refuses unknown names itself

    def __getattr__(name: str) -> object:
        late = {"precompile": "calls.precompile"}  # modules of names that few programs use
        if _law.slots is not None:
            late |= {"product": "ascend.choice", "rules": "ascend.choice"}
        if name in late:
            globals()[name] = getattr(_first_use.module(f"{__name__}.{late[name]}"), name)
            return globals()[name]
        if name in __all__:
            raise AttributeError(f"module {__name__!r}: {name} needs actgrad.ascend; install the whole package")
        if name.startswith("_"):
            cure = "look at dir(actgrad)"
        elif _find_spec(f"{__name__}.{name}") is not None:  # `from actgrad import NAME` calls it too
            cure = f"write `import {__name__}.{name}` first"
        else:
            cure = _errors.did_you_mean(name, __all__, "actgrad.operators lists the operators")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it must be in __all__; {cure}")
