"""The C API of CANN's operators (aclnn), with both phases of every call, for every operator of the registry.

    status, workspaceSize, executor = aclnn.aclnnEluBackwardGetWorkspaceSize(
        gradOutput, alpha, scale, inputScale, isResult, selfOrResult, gradInput)
    status = aclnn.aclnnEluBackward(workspace, workspaceSize, executor, stream)

Output pointers become return values. None is the null pointer. A wrong argument returns a status. A call applies the
rules of the product that `actgrad.product` or ACTGRAD_PRODUCT chooses, otherwise Ascend910B. Enumerators (ACL_FLOAT,
ACLNN_ERR_PARAM_INVALID and so on) have the same numbers as in C.

names           enumerators: data types, formats, statuses
messages        aclGetRecentErrMsg: the text of the last failure
signatures      names and parameters of the C functions, from the schemas
objects         aclTensor and aclScalar
c_functions     plans calls of C functions, and caches the plans
memory_checks   checks formats, storage sizes and overlaps of tensors
streams         aclrtStream: runs work at once, or with ACTGRAD_STRICT=1 when the stream is synchronised
executors       aclOpExecutor: the object that phase one returns and phase two takes
phases          phase one and phase two as Python functions, made at their first use
pairs.pyi       both phases of every C function for type checkers and editors (generated)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import did_you_mean
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
        """An enumerator, or phase one or phase two of an operator."""
        if name in names.ALL:
            return _keep({name: names.ALL[name]})[name]
        if name.startswith("aclnn"):
            pair = c_functions.find(name.removesuffix(signatures.FIRST))
            if pair is not None:
                functions = {pair.signature.first_name: phases.first(pair), pair.signature.name: phases.second(pair)}
                return _keep(functions)[name]
        cure = did_you_mean(name, __dir__(), "dir(actgrad.aclnn) lists them")
        raise AttributeError(f"actgrad.aclnn has no attribute {name!r}; it must be a name of the C API; {cure}")


def _keep(members: dict[str, Any]) -> dict[str, Any]:
    """Put members into this module, so that the next access does not call __getattr__."""
    globals().update(members)
    return members


def __dir__() -> list[str]:
    functions = [name for s in signatures.all_signatures() for name in (s.first_name, s.name)]
    return sorted({*__all__, *names.ALL, *functions})
