"""Both phases of every C function, and the enumerators. None is the null pointer."""

from typing import Any, Protocol, SupportsIndex, TypeAlias

from ..ops.public import Array, Number
from .executors import AclOpExecutor
from .objects import AclScalar, AclTensor
from .streams import AclrtStream

__all__ = [
    "ACLNN_ERR_INNER",
    "ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH",
    "ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND",
    "ACLNN_ERR_INNER_CREATE_EXECUTOR",
    "ACLNN_ERR_INNER_FIND_KERNEL_ERROR",
    "ACLNN_ERR_INNER_INFERSHAPE_ERROR",
    "ACLNN_ERR_INNER_INPUT_JSON_IS_NULL",
    "ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE",
    "ACLNN_ERR_INNER_INVALID_IMPL_MODE",
    "ACLNN_ERR_INNER_JSON_DTYPE_INVALID",
    "ACLNN_ERR_INNER_JSON_FORMAT_INVALID",
    "ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND",
    "ACLNN_ERR_INNER_KEY_CONFILICT",
    "ACLNN_ERR_INNER_KEY_CONFLICT",
    "ACLNN_ERR_INNER_LOAD_JSON_FAILED",
    "ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR",
    "ACLNN_ERR_INNER_NULLPTR",
    "ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND",
    "ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND",
    "ACLNN_ERR_INNER_OP_FILE_INVALID",
    "ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID",
    "ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID",
    "ACLNN_ERR_INNER_TILING_ERROR",
    "ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE",
    "ACLNN_ERR_PARAM_INVALID",
    "ACLNN_ERR_PARAM_NULLPTR",
    "ACLNN_ERR_RUNTIME_ERROR",
    "ACLNN_SUCCESS",
    "ACL_BF16",
    "ACL_BOOL",
    "ACL_COMPLEX32",
    "ACL_COMPLEX64",
    "ACL_COMPLEX128",
    "ACL_DOUBLE",
    "ACL_DT_UNDEFINED",
    "ACL_ERROR_RT_PARAM_INVALID",
    "ACL_FLOAT",
    "ACL_FLOAT4_E1M2",
    "ACL_FLOAT4_E2M1",
    "ACL_FLOAT6_E2M3",
    "ACL_FLOAT6_E3M2",
    "ACL_FLOAT8_E4M3FN",
    "ACL_FLOAT8_E5M2",
    "ACL_FLOAT8_E8M0",
    "ACL_FLOAT16",
    "ACL_FORMAT_FRACTAL_NZ",
    "ACL_FORMAT_FRACTAL_NZ_C0_2",
    "ACL_FORMAT_FRACTAL_NZ_C0_4",
    "ACL_FORMAT_FRACTAL_NZ_C0_8",
    "ACL_FORMAT_FRACTAL_NZ_C0_16",
    "ACL_FORMAT_FRACTAL_NZ_C0_32",
    "ACL_FORMAT_FRACTAL_Z",
    "ACL_FORMAT_HWCN",
    "ACL_FORMAT_NC",
    "ACL_FORMAT_NC1HWC0",
    "ACL_FORMAT_NC1HWC0_C04",
    "ACL_FORMAT_NCDHW",
    "ACL_FORMAT_NCHW",
    "ACL_FORMAT_NCL",
    "ACL_FORMAT_ND",
    "ACL_FORMAT_NDC1HWC0",
    "ACL_FORMAT_NDHWC",
    "ACL_FORMAT_NHWC",
    "ACL_FORMAT_UNDEFINED",
    "ACL_FRACTAL_Z_3D",
    "ACL_HIFLOAT8",
    "ACL_INT4",
    "ACL_INT8",
    "ACL_INT16",
    "ACL_INT32",
    "ACL_INT64",
    "ACL_STRING",
    "ACL_SUCCESS",
    "ACL_UINT1",
    "ACL_UINT8",
    "ACL_UINT16",
    "ACL_UINT32",
    "ACL_UINT64",
    "aclnnAddRelu",
    "aclnnAddReluGetWorkspaceSize",
    "aclnnCelu",
    "aclnnCeluGetWorkspaceSize",
    "aclnnClippedSwiglu",
    "aclnnClippedSwigluGetWorkspaceSize",
    "aclnnClippedSwigluGrad",
    "aclnnClippedSwigluGradGetWorkspaceSize",
    "aclnnClippedSwigluV2",
    "aclnnClippedSwigluV2GetWorkspaceSize",
    "aclnnElu",
    "aclnnEluBackward",
    "aclnnEluBackwardGetWorkspaceSize",
    "aclnnEluGetWorkspaceSize",
    "aclnnErfinv",
    "aclnnErfinvGetWorkspaceSize",
    "aclnnFastGelu",
    "aclnnFastGeluBackward",
    "aclnnFastGeluBackwardGetWorkspaceSize",
    "aclnnFastGeluGetWorkspaceSize",
    "aclnnFatreluMul",
    "aclnnFatreluMulGetWorkspaceSize",
    "aclnnGeGlu",
    "aclnnGeGluBackward",
    "aclnnGeGluBackwardGetWorkspaceSize",
    "aclnnGeGluGetWorkspaceSize",
    "aclnnGeGluV3",
    "aclnnGeGluV3Backward",
    "aclnnGeGluV3BackwardGetWorkspaceSize",
    "aclnnGeGluV3GetWorkspaceSize",
    "aclnnGelu",
    "aclnnGeluBackward",
    "aclnnGeluBackwardGetWorkspaceSize",
    "aclnnGeluBackwardV2",
    "aclnnGeluBackwardV2GetWorkspaceSize",
    "aclnnGeluGetWorkspaceSize",
    "aclnnGeluMul",
    "aclnnGeluMulGetWorkspaceSize",
    "aclnnGeluV2",
    "aclnnGeluV2GetWorkspaceSize",
    "aclnnGlu",
    "aclnnGluBackward",
    "aclnnGluBackwardGetWorkspaceSize",
    "aclnnGluGetWorkspaceSize",
    "aclnnHardshrink",
    "aclnnHardshrinkBackward",
    "aclnnHardshrinkBackwardGetWorkspaceSize",
    "aclnnHardshrinkGetWorkspaceSize",
    "aclnnHardsigmoid",
    "aclnnHardsigmoidBackward",
    "aclnnHardsigmoidBackwardGetWorkspaceSize",
    "aclnnHardsigmoidGetWorkspaceSize",
    "aclnnHardswish",
    "aclnnHardswishBackward",
    "aclnnHardswishBackwardGetWorkspaceSize",
    "aclnnHardswishBackwardV2",
    "aclnnHardswishBackwardV2GetWorkspaceSize",
    "aclnnHardswishGetWorkspaceSize",
    "aclnnHardtanh",
    "aclnnHardtanhBackward",
    "aclnnHardtanhBackwardGetWorkspaceSize",
    "aclnnHardtanhGetWorkspaceSize",
    "aclnnHeaviside",
    "aclnnHeavisideGetWorkspaceSize",
    "aclnnInplaceAddRelu",
    "aclnnInplaceAddReluGetWorkspaceSize",
    "aclnnInplaceCelu",
    "aclnnInplaceCeluGetWorkspaceSize",
    "aclnnInplaceElu",
    "aclnnInplaceEluGetWorkspaceSize",
    "aclnnInplaceErfinv",
    "aclnnInplaceErfinvGetWorkspaceSize",
    "aclnnInplaceHardsigmoid",
    "aclnnInplaceHardsigmoidGetWorkspaceSize",
    "aclnnInplaceHardswish",
    "aclnnInplaceHardswishGetWorkspaceSize",
    "aclnnInplaceHardtanh",
    "aclnnInplaceHardtanhGetWorkspaceSize",
    "aclnnInplaceLeakyRelu",
    "aclnnInplaceLeakyReluGetWorkspaceSize",
    "aclnnInplaceMish",
    "aclnnInplaceMishGetWorkspaceSize",
    "aclnnInplaceRReluWithNoise",
    "aclnnInplaceRReluWithNoiseGetWorkspaceSize",
    "aclnnInplaceRelu",
    "aclnnInplaceReluGetWorkspaceSize",
    "aclnnInplaceSelu",
    "aclnnInplaceSeluGetWorkspaceSize",
    "aclnnInplaceSigmoid",
    "aclnnInplaceSigmoidGetWorkspaceSize",
    "aclnnInplaceTanh",
    "aclnnInplaceTanhGetWorkspaceSize",
    "aclnnInplaceThreshold",
    "aclnnInplaceThresholdGetWorkspaceSize",
    "aclnnLeakyRelu",
    "aclnnLeakyReluBackward",
    "aclnnLeakyReluBackwardGetWorkspaceSize",
    "aclnnLeakyReluGetWorkspaceSize",
    "aclnnLogSigmoid",
    "aclnnLogSigmoidBackward",
    "aclnnLogSigmoidBackwardGetWorkspaceSize",
    "aclnnLogSigmoidForward",
    "aclnnLogSigmoidForwardGetWorkspaceSize",
    "aclnnLogSigmoidGetWorkspaceSize",
    "aclnnLogSoftmax",
    "aclnnLogSoftmaxBackward",
    "aclnnLogSoftmaxBackwardGetWorkspaceSize",
    "aclnnLogSoftmaxGetWorkspaceSize",
    "aclnnMish",
    "aclnnMishBackward",
    "aclnnMishBackwardGetWorkspaceSize",
    "aclnnMishGetWorkspaceSize",
    "aclnnPrelu",
    "aclnnPreluBackward",
    "aclnnPreluBackwardGetWorkspaceSize",
    "aclnnPreluGetWorkspaceSize",
    "aclnnRReluWithNoise",
    "aclnnRReluWithNoiseGetWorkspaceSize",
    "aclnnRelu",
    "aclnnReluGetWorkspaceSize",
    "aclnnSelu",
    "aclnnSeluBackward",
    "aclnnSeluBackwardGetWorkspaceSize",
    "aclnnSeluGetWorkspaceSize",
    "aclnnShrink",
    "aclnnShrinkGetWorkspaceSize",
    "aclnnSigmoid",
    "aclnnSigmoidBackward",
    "aclnnSigmoidBackwardGetWorkspaceSize",
    "aclnnSigmoidGetWorkspaceSize",
    "aclnnSilu",
    "aclnnSiluBackward",
    "aclnnSiluBackwardGetWorkspaceSize",
    "aclnnSiluGetWorkspaceSize",
    "aclnnSituGlu",
    "aclnnSituGluGetWorkspaceSize",
    "aclnnSituGluGrad",
    "aclnnSituGluGradGetWorkspaceSize",
    "aclnnSoftmax",
    "aclnnSoftmaxBackward",
    "aclnnSoftmaxBackwardGetWorkspaceSize",
    "aclnnSoftmaxCrossEntropyWithLogits",
    "aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize",
    "aclnnSoftmaxGetWorkspaceSize",
    "aclnnSoftplus",
    "aclnnSoftplusBackward",
    "aclnnSoftplusBackwardGetWorkspaceSize",
    "aclnnSoftplusGetWorkspaceSize",
    "aclnnSoftshrink",
    "aclnnSoftshrinkBackward",
    "aclnnSoftshrinkBackwardGetWorkspaceSize",
    "aclnnSoftshrinkGetWorkspaceSize",
    "aclnnSquaredRelu",
    "aclnnSquaredReluGetWorkspaceSize",
    "aclnnSwiGlu",
    "aclnnSwiGluGetWorkspaceSize",
    "aclnnSwiGluGrad",
    "aclnnSwiGluGradGetWorkspaceSize",
    "aclnnSwigluGroup",
    "aclnnSwigluGroupGetWorkspaceSize",
    "aclnnSwish",
    "aclnnSwishBackward",
    "aclnnSwishBackwardGetWorkspaceSize",
    "aclnnSwishGetWorkspaceSize",
    "aclnnTanh",
    "aclnnTanhBackward",
    "aclnnTanhBackwardGetWorkspaceSize",
    "aclnnTanhGetWorkspaceSize",
    "aclnnThreshold",
    "aclnnThresholdBackward",
    "aclnnThresholdBackwardGetWorkspaceSize",
    "aclnnThresholdGetWorkspaceSize",
]
Tensor: TypeAlias = AclTensor | Array | None
Scalar: TypeAlias = AclScalar | Number | None
ACLNN_ERR_INNER: int
ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH: int
ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND: int
ACLNN_ERR_INNER_CREATE_EXECUTOR: int
ACLNN_ERR_INNER_FIND_KERNEL_ERROR: int
ACLNN_ERR_INNER_INFERSHAPE_ERROR: int
ACLNN_ERR_INNER_INPUT_JSON_IS_NULL: int
ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE: int
ACLNN_ERR_INNER_INVALID_IMPL_MODE: int
ACLNN_ERR_INNER_JSON_DTYPE_INVALID: int
ACLNN_ERR_INNER_JSON_FORMAT_INVALID: int
ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND: int
ACLNN_ERR_INNER_KEY_CONFILICT: int
ACLNN_ERR_INNER_KEY_CONFLICT: int
ACLNN_ERR_INNER_LOAD_JSON_FAILED: int
ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR: int
ACLNN_ERR_INNER_NULLPTR: int
ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND: int
ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND: int
ACLNN_ERR_INNER_OP_FILE_INVALID: int
ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID: int
ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID: int
ACLNN_ERR_INNER_TILING_ERROR: int
ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE: int
ACLNN_ERR_PARAM_INVALID: int
ACLNN_ERR_PARAM_NULLPTR: int
ACLNN_ERR_RUNTIME_ERROR: int
ACLNN_SUCCESS: int
ACL_BF16: int
ACL_BOOL: int
ACL_COMPLEX128: int
ACL_COMPLEX32: int
ACL_COMPLEX64: int
ACL_DOUBLE: int
ACL_DT_UNDEFINED: int
ACL_ERROR_RT_PARAM_INVALID: int
ACL_FLOAT: int
ACL_FLOAT16: int
ACL_FLOAT4_E1M2: int
ACL_FLOAT4_E2M1: int
ACL_FLOAT6_E2M3: int
ACL_FLOAT6_E3M2: int
ACL_FLOAT8_E4M3FN: int
ACL_FLOAT8_E5M2: int
ACL_FLOAT8_E8M0: int
ACL_FORMAT_FRACTAL_NZ: int
ACL_FORMAT_FRACTAL_NZ_C0_16: int
ACL_FORMAT_FRACTAL_NZ_C0_2: int
ACL_FORMAT_FRACTAL_NZ_C0_32: int
ACL_FORMAT_FRACTAL_NZ_C0_4: int
ACL_FORMAT_FRACTAL_NZ_C0_8: int
ACL_FORMAT_FRACTAL_Z: int
ACL_FORMAT_HWCN: int
ACL_FORMAT_NC: int
ACL_FORMAT_NC1HWC0: int
ACL_FORMAT_NC1HWC0_C04: int
ACL_FORMAT_NCDHW: int
ACL_FORMAT_NCHW: int
ACL_FORMAT_NCL: int
ACL_FORMAT_ND: int
ACL_FORMAT_NDC1HWC0: int
ACL_FORMAT_NDHWC: int
ACL_FORMAT_NHWC: int
ACL_FORMAT_UNDEFINED: int
ACL_FRACTAL_Z_3D: int
ACL_HIFLOAT8: int
ACL_INT16: int
ACL_INT32: int
ACL_INT4: int
ACL_INT64: int
ACL_INT8: int
ACL_STRING: int
ACL_SUCCESS: int
ACL_UINT1: int
ACL_UINT16: int
ACL_UINT32: int
ACL_UINT64: int
ACL_UINT8: int

class PhaseTwo(Protocol):
    def __call__(
        self, workspace: Any, workspaceSize: int, executor: AclOpExecutor | None, stream: AclrtStream | None, /
    ) -> int: ...

def aclnnAddReluGetWorkspaceSize(
    self: Tensor, other: Tensor, alpha: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnAddRelu: PhaseTwo

def aclnnCeluGetWorkspaceSize(self: Tensor, alpha: Scalar, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnCelu: PhaseTwo

def aclnnClippedSwigluGetWorkspaceSize(
    x: Tensor,
    groupIndexOptional: Tensor,
    dim: SupportsIndex | None,
    alpha: Number | None,
    limit: Number | None,
    bias: Number | None,
    interleaved: bool | None,
    out: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnClippedSwiglu: PhaseTwo

def aclnnClippedSwigluGradGetWorkspaceSize(
    gradY: Tensor,
    x: Tensor,
    groupIndexOptional: Tensor,
    dim: SupportsIndex | None,
    alpha: Number | None,
    limit: Number | None,
    bias: Number | None,
    interleaved: bool | None,
    gradXOut: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnClippedSwigluGrad: PhaseTwo

def aclnnClippedSwigluV2GetWorkspaceSize(
    x: Tensor,
    groupIndexOptional: Tensor,
    dim: SupportsIndex | None,
    alpha: Number | None,
    limit: Number | None,
    bias: Number | None,
    interleaved: bool | None,
    clampMode: SupportsIndex | None,
    out: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnClippedSwigluV2: PhaseTwo

def aclnnEluGetWorkspaceSize(
    self: Tensor, alpha: Scalar, scale: Scalar, inputScale: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnElu: PhaseTwo

def aclnnEluBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    alpha: Scalar,
    scale: Scalar,
    inputScale: Scalar,
    isResult: bool | None,
    selfOrResult: Tensor,
    gradInput: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnEluBackward: PhaseTwo

def aclnnErfinvGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnErfinv: PhaseTwo

def aclnnFastGeluGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnFastGelu: PhaseTwo

def aclnnFastGeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnFastGeluBackward: PhaseTwo

def aclnnFatreluMulGetWorkspaceSize(
    input: Tensor, threshold: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnFatreluMul: PhaseTwo

def aclnnGeGluGetWorkspaceSize(
    self: Tensor, dim: SupportsIndex | None, approximate: SupportsIndex | None, out: Tensor, outGelu: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGeGlu: PhaseTwo

def aclnnGeGluBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    gelu: Tensor,
    dim: SupportsIndex | None,
    approximate: SupportsIndex | None,
    gradInput: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGeGluBackward: PhaseTwo

def aclnnGeGluV3GetWorkspaceSize(
    self: Tensor,
    dim: SupportsIndex | None,
    approximate: SupportsIndex | None,
    activateLeft: bool | None,
    out: Tensor,
    outGelu: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGeGluV3: PhaseTwo

def aclnnGeGluV3BackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    gelu: Tensor,
    dim: SupportsIndex | None,
    approximate: SupportsIndex | None,
    activateLeft: bool | None,
    gradInput: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGeGluV3Backward: PhaseTwo

def aclnnGeluGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGelu: PhaseTwo

def aclnnGeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGeluBackward: PhaseTwo

def aclnnGeluBackwardV2GetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, approximate: str | None, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGeluBackwardV2: PhaseTwo

def aclnnGeluMulGetWorkspaceSize(
    input: Tensor, approximateOptional: str | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGeluMul: PhaseTwo

def aclnnGeluV2GetWorkspaceSize(
    x: Tensor, approximate: SupportsIndex | None, y: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGeluV2: PhaseTwo

def aclnnGluGetWorkspaceSize(
    self: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGlu: PhaseTwo

def aclnnGluBackwardGetWorkspaceSize(
    gradOut: Tensor, self: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnGluBackward: PhaseTwo

def aclnnHardshrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnHardshrink: PhaseTwo

def aclnnHardshrinkBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, lambd: Scalar, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnHardshrinkBackward: PhaseTwo

def aclnnHardsigmoidGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnHardsigmoid: PhaseTwo

def aclnnHardsigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnHardsigmoidBackward: PhaseTwo

def aclnnHardswishGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnHardswish: PhaseTwo

def aclnnHardswishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnHardswishBackward: PhaseTwo

def aclnnHardswishBackwardV2GetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnHardswishBackwardV2: PhaseTwo

def aclnnHardtanhGetWorkspaceSize(
    self: Tensor, clipValueMin: Scalar, clipValueMax: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnHardtanh: PhaseTwo

def aclnnHardtanhBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, min: Scalar, max: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnHardtanhBackward: PhaseTwo

def aclnnHeavisideGetWorkspaceSize(
    input: Tensor, values: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnHeaviside: PhaseTwo

def aclnnInplaceAddReluGetWorkspaceSize(
    selfRef: Tensor, other: Tensor, alpha: Scalar, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceAddRelu: PhaseTwo

def aclnnInplaceCeluGetWorkspaceSize(selfRef: Tensor, alpha: Scalar, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceCelu: PhaseTwo

def aclnnInplaceEluGetWorkspaceSize(
    selfRef: Tensor, alpha: Scalar, scale: Scalar, inputScale: Scalar, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceElu: PhaseTwo

def aclnnInplaceErfinvGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceErfinv: PhaseTwo

def aclnnInplaceHardsigmoidGetWorkspaceSize(self: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceHardsigmoid: PhaseTwo

def aclnnInplaceHardswishGetWorkspaceSize(self: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceHardswish: PhaseTwo

def aclnnInplaceHardtanhGetWorkspaceSize(
    selfRef: Tensor, clipValueMin: Scalar, clipValueMax: Scalar, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceHardtanh: PhaseTwo

def aclnnInplaceLeakyReluGetWorkspaceSize(
    selfRef: Tensor, negativeSlope: Scalar, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceLeakyRelu: PhaseTwo

def aclnnInplaceMishGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceMish: PhaseTwo

def aclnnInplaceRReluWithNoiseGetWorkspaceSize(
    self: Tensor,
    noise: Tensor,
    lower: Scalar,
    upper: Scalar,
    training: bool | None,
    seed: SupportsIndex | None,
    offset: SupportsIndex | None,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceRReluWithNoise: PhaseTwo

def aclnnInplaceReluGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceRelu: PhaseTwo

def aclnnInplaceSeluGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceSelu: PhaseTwo

def aclnnInplaceSigmoidGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceSigmoid: PhaseTwo

def aclnnInplaceTanhGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceTanh: PhaseTwo

def aclnnInplaceThresholdGetWorkspaceSize(
    selfRef: Tensor, threshold: Scalar, value: Scalar, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnInplaceThreshold: PhaseTwo

def aclnnLeakyReluGetWorkspaceSize(
    self: Tensor, negativeSlope: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnLeakyRelu: PhaseTwo

def aclnnLeakyReluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, negativeSlope: Scalar, selfIsResult: bool | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnLeakyReluBackward: PhaseTwo

def aclnnLogSigmoidGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnLogSigmoid: PhaseTwo

def aclnnLogSigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, buffer: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnLogSigmoidBackward: PhaseTwo

def aclnnLogSigmoidForwardGetWorkspaceSize(
    self: Tensor, out: Tensor, buffer: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnLogSigmoidForward: PhaseTwo

def aclnnLogSoftmaxGetWorkspaceSize(
    self: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnLogSoftmax: PhaseTwo

def aclnnLogSoftmaxBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnLogSoftmaxBackward: PhaseTwo

def aclnnMishGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnMish: PhaseTwo

def aclnnMishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnMishBackward: PhaseTwo

def aclnnPreluGetWorkspaceSize(
    self: Tensor, weight: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnPrelu: PhaseTwo

def aclnnPreluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, weight: Tensor, gradInput: Tensor, gradWeight: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnPreluBackward: PhaseTwo

def aclnnRReluWithNoiseGetWorkspaceSize(
    self: Tensor,
    noise: Tensor,
    lower: Scalar,
    upper: Scalar,
    training: bool | None,
    seed: SupportsIndex | None,
    offset: SupportsIndex | None,
    out: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnRReluWithNoise: PhaseTwo

def aclnnReluGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnRelu: PhaseTwo

def aclnnSeluGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSelu: PhaseTwo

def aclnnSeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, result: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSeluBackward: PhaseTwo

def aclnnShrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar, bias: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnShrink: PhaseTwo

def aclnnSigmoidGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSigmoid: PhaseTwo

def aclnnSigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSigmoidBackward: PhaseTwo

def aclnnSiluGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSilu: PhaseTwo

def aclnnSiluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSiluBackward: PhaseTwo

def aclnnSituGluGetWorkspaceSize(
    x: Tensor,
    dim: SupportsIndex | None,
    beta: Number | None,
    linearBeta: Number | None,
    activateLeft: bool | None,
    out: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSituGlu: PhaseTwo

def aclnnSituGluGradGetWorkspaceSize(
    gradY: Tensor,
    x: Tensor,
    dim: SupportsIndex | None,
    beta: Number | None,
    linearBeta: Number | None,
    activateLeft: bool | None,
    out: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSituGluGrad: PhaseTwo

def aclnnSoftmaxGetWorkspaceSize(
    self: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSoftmax: PhaseTwo

def aclnnSoftmaxBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSoftmaxBackward: PhaseTwo

def aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize(
    features: Tensor, labels: Tensor, loss: Tensor, backprop: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSoftmaxCrossEntropyWithLogits: PhaseTwo

def aclnnSoftplusGetWorkspaceSize(
    self: Tensor, beta: Scalar, threshold: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSoftplus: PhaseTwo

def aclnnSoftplusBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, beta: Scalar, threshold: Scalar, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSoftplusBackward: PhaseTwo

def aclnnSoftshrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSoftshrink: PhaseTwo

def aclnnSoftshrinkBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, lambda_: Scalar, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSoftshrinkBackward: PhaseTwo

def aclnnSquaredReluGetWorkspaceSize(input: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSquaredRelu: PhaseTwo

def aclnnSwiGluGetWorkspaceSize(
    x: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSwiGlu: PhaseTwo

def aclnnSwiGluGradGetWorkspaceSize(
    yGrad: Tensor, x: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSwiGluGrad: PhaseTwo

def aclnnSwigluGroupGetWorkspaceSize(
    x: Tensor, weightOptional: Tensor, groupIndexOptional: Tensor, clampLimit: Number | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSwigluGroup: PhaseTwo

def aclnnSwishGetWorkspaceSize(
    self: Tensor, betaOptional: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSwish: PhaseTwo

def aclnnSwishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, betaOptional: Scalar, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnSwishBackward: PhaseTwo

def aclnnTanhGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnTanh: PhaseTwo

def aclnnTanhBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnTanhBackward: PhaseTwo

def aclnnThresholdGetWorkspaceSize(
    self: Tensor, threshold: Scalar, value: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnThreshold: PhaseTwo

def aclnnThresholdBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, threshold: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]: ...

aclnnThresholdBackward: PhaseTwo
