"""The two-phase C API of CANN's operators (aclnn), call for call, for every operator of the registry.

    status, workspaceSize, executor = aclnn.aclnnEluBackwardGetWorkspaceSize(
        gradOutput, alpha, scale, inputScale, isResult, selfOrResult, gradInput)
    status = aclnn.aclnnEluBackward(workspace, workspaceSize, executor, stream)

Output pointers become return values. None is the null pointer. No call raises. The product of `actgrad.product` or of
ACTGRAD_PRODUCT, else Ascend910B, judges a call. Enumerators (ACL_FLOAT, ACLNN_ERR_PARAM_INVALID, ...) have C's numbers.

names           enumerators: data types, formats, statuses
messages        aclGetRecentErrMsg: the text of the last failure
signatures      names and parameters of the C functions, from the schemas
objects         aclTensor and aclScalar
c_functions     calls of an operator's functions, planned or found in a cache
memory_checks   formats, faults and overlaps of the tensors' memory
streams         aclrtStream: work at once, or strictly at a synchronize
executors       aclOpExecutor, between the phases
phases          phase one and phase two as Python functions, made at their first use
pairs.pyi       both phases of every C function for type checkers and editors (generated)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import c_functions, names, phases, signatures
from .executors import (
    AclOpExecutor,
    aclDestroyAclOpExecutor,
    aclSetAclOpExecutorRepeatable,
    aclSetInputTensorAddr,
    aclSetOutputTensorAddr,
    aclSetTensorAddr,
)
from .messages import aclGetRecentErrMsg
from .objects import (
    AclScalar,
    AclTensor,
    aclCreateScalar,
    aclCreateTensor,
    aclDestroyScalar,
    aclDestroyTensor,
    aclSetRawTensorAddr,
)
from .streams import AclrtStream, aclrtCreateStream, aclrtDestroyStream, aclrtSynchronizeStream

__all__ = [
    "AclOpExecutor",
    "AclScalar",
    "AclTensor",
    "AclrtStream",
    "aclCreateScalar",
    "aclCreateTensor",
    "aclDestroyAclOpExecutor",
    "aclDestroyScalar",
    "aclDestroyTensor",
    "aclGetRecentErrMsg",
    "aclSetAclOpExecutorRepeatable",
    "aclSetInputTensorAddr",
    "aclSetOutputTensorAddr",
    "aclSetRawTensorAddr",
    "aclSetTensorAddr",
    "aclrtCreateStream",
    "aclrtDestroyStream",
    "aclrtSynchronizeStream",
]


if TYPE_CHECKING:
    from . import pairs
    from .pairs import *  # noqa: F403  every function and enumerator

    __all__ += pairs.__all__  # type: ignore[has-type]  # pyright exports these names
else:

    def __getattr__(name: str) -> Any:
        """An enumerator, or one of an operator's two functions."""
        if name in names.ALL:
            return _keep({name: names.ALL[name]})[name]
        if name.startswith("aclnn"):
            pair = c_functions.find(name.removesuffix(signatures.FIRST))
            if pair is not None:
                functions = {pair.signature.first_name: phases.first(pair), pair.signature.name: phases.second(pair)}
                return _keep(functions)[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _keep(members: dict[str, Any]) -> dict[str, Any]:
    """Put names into this module: the next access finds them without __getattr__."""
    globals().update(members)
    return members


def __dir__() -> list[str]:
    functions = [name for s in signatures.every() for name in (s.first_name, s.name)]
    return sorted({*__all__, *names.ALL, *functions})
