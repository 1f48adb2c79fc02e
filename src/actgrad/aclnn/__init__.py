"""The two-phase C API of CANN's operators (aclnn), call for call, for every operator of the registry.

    status, workspaceSize, executor = aclnn.aclnnEluBackwardGetWorkspaceSize(
        gradOutput, alpha, scale, inputScale, isResult, selfOrResult, gradInput)
    status = aclnn.aclnnEluBackward(workspace, workspaceSize, executor, stream)

Out-pointers are returned; None is the null pointer; nothing raises. Calls are judged by a product: the one chosen by
`actgrad.product` or ACTGRAD_PRODUCT, else Ascend910B. Function pairs are made from the registry when they are first
asked for, enumerators (ACL_FLOAT, ACLNN_ERR_PARAM_INVALID, ...) have C's numbers.
"""

from __future__ import annotations

from typing import Any

from . import names, phases, signatures
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


def __getattr__(name: str) -> Any:
    """An enumerator, or one of an operator's two functions."""
    if name in names.ALL:
        return _keep({name: names.ALL[name]})[name]
    if name.startswith("aclnn"):
        for signature in signatures.every():
            if name in (signature.name, signature.first_name):
                pair = phases.Function(signature)
                made = {signature.first_name: phases.first(pair), signature.name: phases.second(pair)}
                return _keep(made)[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _keep(found: dict[str, Any]) -> dict[str, Any]:
    """Put names into this module, so that they are found at once from now on."""
    globals().update(found)
    return found


def __dir__() -> list[str]:
    made = [name for s in signatures.every() for name in (s.first_name, s.name)]
    return sorted({*__all__, *names.ALL, *made})
