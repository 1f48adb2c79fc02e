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
) -> tuple[int, int, AclOpExecutor | None]:
    """max(self + alpha * other, 0)

    In C:
        aclnnStatus aclnnAddReluGetWorkspaceSize(const aclTensor* self, const aclTensor* other, aclScalar*
            alpha, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BF16. In C: const
            aclTensor*.
        other (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BF16. In C: const
            aclTensor*.
        alpha (float): Any number. In C: aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,), other (5,) -> out (5,), for example.
        other can be broadcast with self.
        out has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnAddRelu: PhaseTwo

def aclnnCeluGetWorkspaceSize(self: Tensor, alpha: Scalar, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """x if x > 0, else alpha * (exp(x / alpha) - 1)

    In C:
        aclnnStatus aclnnCeluGetWorkspaceSize(const aclTensor* self, const aclScalar* alpha, aclTensor* out,
            uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        alpha (float): Required: alpha neither 0 nor NaN. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

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
) -> tuple[int, int, AclOpExecutor | None]:
    """a * sigmoid(alpha * a) * (b + bias), where a = min(even, limit) and b = clamp(odd, -limit, limit); even and
    odd are the elements of x along dim with even and odd index; out has half the size of x along dim

    Before the split, x is flattened from dim on. interleaved=false splits into the lower and the upper half
    instead. clamp_mode='swish' (1) computes min(silu(even), limit) * clamp(odd, -limit, limit).
    groupIndexOptional counts rows (a row is everything behind one index of the dimensions before dim): only the
    first sum(groupIndexOptional) rows are computed. The other rows are 0 in a new result and unchanged in out=.

    In C:
        aclnnStatus aclnnClippedSwigluGetWorkspaceSize(const aclTensor* x, const aclTensor* groupIndexOptional,
            int64_t dim, double alpha, double limit, double bias, bool interleaved, const aclTensor* out,
            uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        x (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        groupIndexOptional (array or AclTensor): Only the first sum(groupIndexOptional) rows are computed. In C:
            const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        alpha (float): Any number. In C: double.
        limit (float): Required: limit > 0 on Ascend950. In C: double.
        bias (float): Any number. In C: double.
        interleaved (bool) In C: bool.
        out (array or AclTensor): Output. In C: const aclTensor*.
        Fixed: clamp_mode=0.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        x (2, 4) -> out (2, 2), for example.
        x has an even size along dim.
        groupIndexOptional has one dimension.
        out has the shape of x, halved along dim.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

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
) -> tuple[int, int, AclOpExecutor | None]:
    """grad_even = (gradY * (b + bias) * s * (1 + alpha * a * (1 - s)) if even <= limit, else 0) and grad_odd =
    (gradY * a * s if -limit <= odd <= limit, else 0), where a = min(even, limit) and b = clamp(odd, -limit,
    limit) and s = sigmoid(alpha * a); gradXOut packs grad_even and grad_odd as x packs even and odd

    The attributes have the same meaning as in clipped_swiglu. groupIndexOptional counts rows (a row is
    everything behind one index of the dimensions before dim): only the first sum(groupIndexOptional) rows are
    computed. gradXOut is 0 in the other rows.

    In C:
        aclnnStatus aclnnClippedSwigluGradGetWorkspaceSize(const aclTensor* gradY, const aclTensor* x, const
            aclTensor* groupIndexOptional, int64_t dim, double alpha, double limit, double bias, bool
            interleaved, const aclTensor* gradXOut, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradY (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of clipped_swiglu. In
            C: const aclTensor*.
        x (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of clipped_swiglu. In C: const aclTensor*.
        groupIndexOptional (array or AclTensor): Only the first sum(groupIndexOptional) rows are computed. In C:
            const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        alpha (float): Any number. In C: double.
        limit (float): Required: limit > 0. In C: double.
        bias (float): Any number. In C: double.
        interleaved (bool) In C: bool.
        gradXOut (array or AclTensor): Output. In C: const aclTensor*.
        Fixed: clamp_mode=0.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradY (2, 2), x (2, 4) -> gradXOut (2, 4), for example.
        x has an even size along dim.
        gradY has the shape of x, halved along dim.
        groupIndexOptional has one dimension.
        gradXOut has the shape of x.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

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
) -> tuple[int, int, AclOpExecutor | None]:
    """a * sigmoid(alpha * a) * (b + bias), where a = min(even, limit) and b = clamp(odd, -limit, limit); even and
    odd are the elements of x along dim with even and odd index; out has half the size of x along dim

    Before the split, x is flattened from dim on. interleaved=false splits into the lower and the upper half
    instead. clampMode='swish' (1) computes min(silu(even), limit) * clamp(odd, -limit, limit).
    groupIndexOptional counts rows (a row is everything behind one index of the dimensions before dim): only the
    first sum(groupIndexOptional) rows are computed. The other rows are 0 in a new result and unchanged in out=.

    In C:
        aclnnStatus aclnnClippedSwigluV2GetWorkspaceSize(const aclTensor* x, const aclTensor*
            groupIndexOptional, int64_t dim, double alpha, double limit, double bias, bool interleaved, int64_t
            clampMode, const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        x (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        groupIndexOptional (array or AclTensor): Only the first sum(groupIndexOptional) rows are computed. In C:
            const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        alpha (float): Any number. In C: double.
        limit (float): Required: limit > 0 on Ascend950. In C: double.
        bias (float): Any number. In C: double.
        interleaved (bool) In C: bool.
        clampMode (str or int): 'input' (0), 'swish' (1). In C: int64_t.
        out (array or AclTensor): Output. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        x (2, 4) -> out (2, 2), for example.
        x has an even size along dim.
        groupIndexOptional has one dimension.
        out has the shape of x, halved along dim.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnClippedSwigluV2: PhaseTwo

def aclnnEluGetWorkspaceSize(
    self: Tensor, alpha: Scalar, scale: Scalar, inputScale: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """scale * x if x > 0, else scale * alpha * (exp(inputScale * x) - 1)

    In C:
        aclnnStatus aclnnEluGetWorkspaceSize(const aclTensor* self, const aclScalar* alpha, const aclScalar*
            scale, const aclScalar* inputScale, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor**
            executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        alpha (float): Any number. In C: const aclScalar*.
        scale (float): Any number. In C: const aclScalar*.
        inputScale (float): Any number. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

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
) -> tuple[int, int, AclOpExecutor | None]:
    """scale * gradOutput if x > 0, else scale * alpha * inputScale * exp(inputScale * x) * gradOutput, where x =
    selfOrResult

    With isResult, selfOrResult is y = elu(x): scale * gradOutput if y > 0, else inputScale * (y + scale *
    alpha) * gradOutput. The result has the sign of the input only if alpha, scale and inputScale are not
    negative. A negative alpha is refused with isResult; negative scales are computed by this formula.

    In C:
        aclnnStatus aclnnEluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclScalar* alpha, const
            aclScalar* scale, const aclScalar* inputScale, bool isResult, const aclTensor* selfOrResult,
            aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of elu. In C:
            const aclTensor*.
        alpha (float): Required: alpha >= 0 when isResult. In C: const aclScalar*.
        scale (float): Any number. In C: const aclScalar*.
        inputScale (float): Any number. In C: const aclScalar*.
        isResult (bool): Required: alpha >= 0 when isResult. In C: bool.
        selfOrResult (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Result of elu if isResult, else its
            input. In C: const aclTensor*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), selfOrResult (5,) -> gradInput (5,), for example.
        selfOrResult has the shape of gradOutput.
        gradInput has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnEluBackward: PhaseTwo

def aclnnErfinvGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """erfinv(x); the y with erf(y) = x, NaN if abs(x) > 1

    Integers give FLOAT.

    In C:
        aclnnStatus aclnnErfinvGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BOOL, BF16. In C:
            const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnErfinv: PhaseTwo

def aclnnFastGeluGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """x * sigmoid(1.702 * x); close to GELU

    In C:
        aclnnStatus aclnnFastGeluGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnFastGelu: PhaseTwo

def aclnnFastGeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput * s * (1 + 1.702 * self * (1 - s)), where s = sigmoid(1.702 * self)

    In C:
        aclnnStatus aclnnFastGeluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of fast_gelu. In
            C: const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of fast_gelu. In C: const aclTensor*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> gradInput (5,), for example.
        self has the shape of gradOutput.
        gradInput has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnFastGeluBackward: PhaseTwo

def aclnnFatreluMulGetWorkspaceSize(
    input: Tensor, threshold: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """(lower if lower > threshold, else 0) * upper, where lower and upper are the halves of input along dim; out
    has half the size of input along dim

    By the documents' rules (actgrad.rules('document')) the condition is lower >= threshold. threshold is a
    tensor of one element.

    In C:
        aclnnStatus aclnnFatreluMulGetWorkspaceSize(const aclTensor* input, const aclTensor* threshold, const
            aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        input (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        threshold (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: const aclTensor*.
        Fixed: dim=-1.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        input (2, 4), threshold (1,) -> out (2, 2), for example.
        threshold has one element.
        input has an even size along dim.
        out has the shape of the result, or as many elements in a row.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnFatreluMul: PhaseTwo

def aclnnGeGluGetWorkspaceSize(
    self: Tensor, dim: SupportsIndex | None, approximate: SupportsIndex | None, out: Tensor, outGelu: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """out = lower * gelu(upper) and outGelu = gelu(upper), where lower and upper are the halves of self along dim;
    both results have half the size of self along dim

    activate_left=true swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

    In C:
        aclnnStatus aclnnGeGluGetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t approximate,
            aclTensor* out, aclTensor* outGelu, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        approximate (str or int): 'none' (0), 'tanh' (1). Required: approximate='tanh' on Ascend310P. In C:
            int64_t.
        out (array or AclTensor): Output. In C: aclTensor*.
        outGelu (array or AclTensor): Output. In C: aclTensor*.
        Fixed: activate_left=False.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (2, 4) -> out (2, 2), outGelu (2, 2), for example.
        self has an even size along dim.
        out has half the size of self along dim.
        outGelu has half the size of self along dim.
        out has as many dimensions as self.
        outGelu has as many dimensions as self.
        out has the shape of self, halved along dim.
        outGelu has the shape of self, halved along dim.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnGeGlu: PhaseTwo

def aclnnGeGluBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    gelu: Tensor,
    dim: SupportsIndex | None,
    approximate: SupportsIndex | None,
    gradInput: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]:
    """grad_lower = gradOutput * gelu(upper) and grad_upper = gradOutput * lower * gelu'(upper), where lower and
    upper are the halves of self along dim; gradInput packs grad_lower and grad_upper as self packs its halves

    gelu is the second result of geglu. Pass a null pointer to save its memory: it is then computed again.
    activate_left=true swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

    In C:
        aclnnStatus aclnnGeGluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self, const
            aclTensor* gelu, int64_t dim, int64_t approximate, aclTensor* gradInput, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of geglu. In C:
            const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of geglu. In C: const aclTensor*.
        gelu (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Second result of geglu. Without this tensor it
            is computed again. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        approximate (str or int): 'none' (0), 'tanh' (1). Required: approximate='tanh' on Ascend310P. In C:
            int64_t.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        Fixed: activate_left=False.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (2, 2), self (2, 4) -> gradInput (2, 4), for example.
        gelu has the shape of gradOutput.
        gradInput has the shape of self.
        gradOutput has as many dimensions as self.
        self has an even size along dim.
        gradOutput has the shape of self, halved along dim.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnGeGluBackward: PhaseTwo

def aclnnGeGluV3GetWorkspaceSize(
    self: Tensor,
    dim: SupportsIndex | None,
    approximate: SupportsIndex | None,
    activateLeft: bool | None,
    out: Tensor,
    outGelu: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]:
    """out = lower * gelu(upper) and outGelu = gelu(upper), where lower and upper are the halves of self along dim;
    both results have half the size of self along dim

    activateLeft=true swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

    In C:
        aclnnStatus aclnnGeGluV3GetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t approximate, bool
            activateLeft, aclTensor* out, aclTensor* outGelu, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        approximate (str or int): 'none' (0), 'tanh' (1). Required: approximate='tanh' on Ascend310P. In C:
            int64_t.
        activateLeft (bool) In C: bool.
        out (array or AclTensor): Output. In C: aclTensor*.
        outGelu (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (2, 4) -> out (2, 2), outGelu (2, 2), for example.
        self has an even size along dim.
        out has half the size of self along dim.
        outGelu has half the size of self along dim.
        out has as many dimensions as self.
        outGelu has as many dimensions as self.
        out has the shape of self, halved along dim.
        outGelu has the shape of self, halved along dim.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

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
) -> tuple[int, int, AclOpExecutor | None]:
    """grad_lower = gradOutput * gelu(upper) and grad_upper = gradOutput * lower * gelu'(upper), where lower and
    upper are the halves of self along dim; gradInput packs grad_lower and grad_upper as self packs its halves

    gelu is the second result of geglu. Pass a null pointer to save its memory: it is then computed again.
    activateLeft=true swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

    In C:
        aclnnStatus aclnnGeGluV3BackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            const aclTensor* gelu, int64_t dim, int64_t approximate, bool activateLeft, aclTensor* gradInput,
            uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of geglu. In C:
            const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of geglu. In C: const aclTensor*.
        gelu (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Second result of geglu. Without this tensor it
            is computed again. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        approximate (str or int): 'none' (0), 'tanh' (1). Required: approximate='tanh' on Ascend310P. In C:
            int64_t.
        activateLeft (bool) In C: bool.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (2, 2), self (2, 4) -> gradInput (2, 4), for example.
        gelu has the shape of gradOutput.
        gradInput has the shape of self.
        gradOutput has as many dimensions as self.
        self has an even size along dim.
        gradOutput has the shape of self, halved along dim.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnGeGluV3Backward: PhaseTwo

def aclnnGeluGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 *
    x**3)))

    approximate is 'none' (0) or 'tanh' (1).

    In C:
        aclnnStatus aclnnGeluGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        Fixed: approximate='tanh'.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        self has no private format.
        out has no private format.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnGelu: PhaseTwo

def aclnnGeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput * (Phi(self) + self * phi(self)); Phi and phi are the distribution function and the density of
    the standard normal distribution

    approximate='tanh' (1) computes the derivative of GELU's tanh form.

    In C:
        aclnnStatus aclnnGeluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self, const
            aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of gelu. In C:
            const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of gelu. In C: const aclTensor*.
        gradInput (array or AclTensor): Output. In C: const aclTensor*.
        Fixed: approximate='tanh'.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> gradInput (5,), for example.
        self can be broadcast with gradOutput.
        gradInput has the shape of the result.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnGeluBackward: PhaseTwo

def aclnnGeluBackwardV2GetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, approximate: str | None, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput * (Phi(self) + self * phi(self)); Phi and phi are the distribution function and the density of
    the standard normal distribution

    approximate='tanh' (1) computes the derivative of GELU's tanh form.

    In C:
        aclnnStatus aclnnGeluBackwardV2GetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            char* approximate, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of gelu. In C:
            const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of gelu. In C: const aclTensor*.
        approximate (str or int): 'none' (0), 'tanh' (1). In C: char*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> gradInput (5,), for example.
        self can be broadcast with gradOutput.
        gradInput has the shape of the result.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnGeluBackwardV2: PhaseTwo

def aclnnGeluMulGetWorkspaceSize(
    input: Tensor, approximateOptional: str | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gelu(lower) * upper, where lower and upper are the halves of input along dim; out has half the size of input
    along dim

    approximateOptional='tanh' (1) takes GELU's tanh form.

    In C:
        aclnnStatus aclnnGeluMulGetWorkspaceSize(const aclTensor* input, char* approximateOptional, const
            aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        input (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        approximateOptional (str or int): 'none' (0), 'tanh' (1). A null pointer means 'none'. In C: char*.
        out (array or AclTensor): Output. In C: const aclTensor*.
        Fixed: dim=-1.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        input (2, 4) -> out (2, 2), for example.
        input has an even size along dim.
        out has the shape of the result, or as many elements in a row.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnGeluMul: PhaseTwo

def aclnnGeluV2GetWorkspaceSize(
    x: Tensor, approximate: SupportsIndex | None, y: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 *
    x**3)))

    approximate is 'none' (0) or 'tanh' (1).

    In C:
        aclnnStatus aclnnGeluV2GetWorkspaceSize(const aclTensor* x, int64_t approximate, aclTensor* y, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        x (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        approximate (str or int): 'none' (0), 'tanh' (1). In C: int64_t.
        y (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        x (5,) -> y (5,), for example.
        y has the shape of x.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnGeluV2: PhaseTwo

def aclnnGluGetWorkspaceSize(
    self: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """lower * sigmoid(upper), where lower and upper are the halves of self along dim; out has half the size of
    self along dim

    In C:
        aclnnStatus aclnnGluGetWorkspaceSize(const aclTensor* self, int64_t dim, const aclTensor* out, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        out (array or AclTensor): Output. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (2, 4) -> out (2, 2), for example.
        self has an even size along dim.
        out has the shape of self, halved along dim.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnGlu: PhaseTwo

def aclnnGluBackwardGetWorkspaceSize(
    gradOut: Tensor, self: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """grad_lower = gradOut * s and grad_upper = gradOut * lower * s * (1 - s), where s = sigmoid(upper) and lower
    and upper are the halves of self along dim; out packs grad_lower and grad_upper as self packs its halves

    In C:
        aclnnStatus aclnnGluBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclTensor* self, int64_t
            dim, const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOut (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of glu. In C: const
            aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of glu. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        out (array or AclTensor): Output. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOut (2, 2), self (2, 4) -> out (2, 4), for example.
        self has an even size along dim.
        gradOut has the shape of self, halved along dim.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnGluBackward: PhaseTwo

def aclnnHardshrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """x if abs(x) > lambd, else 0

    In C:
        aclnnStatus aclnnHardshrinkGetWorkspaceSize(const aclTensor* self, const aclScalar* lambd, aclTensor*
            out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        lambd (float): Any number. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnHardshrink: PhaseTwo

def aclnnHardshrinkBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, lambd: Scalar, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """0 if abs(self) <= max(lambd, 0), else gradOutput

    In C:
        aclnnStatus aclnnHardshrinkBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            const aclScalar* lambd, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of hardshrink. In
            C: const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of hardshrink. In C: const aclTensor*.
        lambd (float): Any number. In C: const aclScalar*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> gradInput (5,), for example.
        self can be broadcast with gradOutput.
        gradInput has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnHardshrinkBackward: PhaseTwo

def aclnnHardsigmoidGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """min(max(alpha * x + beta, 0), 1)

    Integer results are truncated: 1 if alpha * x + beta >= 1, else 0.

    In C:
        aclnnStatus aclnnHardsigmoidGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, INT32, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        Fixed: alpha=0.16666666666666666.
        Fixed: beta=0.5.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnHardsigmoid: PhaseTwo

def aclnnHardsigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """alpha * gradOutput if -beta < alpha * self < 1 - beta, else 0

    In C:
        aclnnStatus aclnnHardsigmoidBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of hardsigmoid. In
            C: const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of hardsigmoid. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        Fixed: alpha=0.16666666666666666.
        Fixed: beta=0.5.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> out (5,), for example.
        self has the shape of gradOutput.
        out has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnHardsigmoidBackward: PhaseTwo

def aclnnHardswishGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """x * min(max(x + 3, 0), 6) / 6

    In C:
        aclnnStatus aclnnHardswishGetWorkspaceSize(const aclTensor* self, const aclTensor* out, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnHardswish: PhaseTwo

def aclnnHardswishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """0 if self <= -3, gradOutput if self >= 3, else gradOutput * (self / 3 + 1 / 2)

    With closed=true, -3 and 3 belong to the middle branch.

    In C:
        aclnnStatus aclnnHardswishBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of hardswish. In
            C: const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of hardswish. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        Fixed: closed=True.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> out (5,), for example.
        self has the shape of gradOutput.
        out has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnHardswishBackward: PhaseTwo

def aclnnHardswishBackwardV2GetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """0 if self <= -3, gradOutput if self >= 3, else gradOutput * (self / 3 + 1 / 2)

    With closed=true, -3 and 3 belong to the middle branch.

    In C:
        aclnnStatus aclnnHardswishBackwardV2GetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of hardswish. In
            C: const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of hardswish. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        Fixed: closed=False.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> out (5,), for example.
        self has the shape of gradOutput.
        out has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnHardswishBackwardV2: PhaseTwo

def aclnnHardtanhGetWorkspaceSize(
    self: Tensor, clipValueMin: Scalar, clipValueMax: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """min(max(x, clipValueMin), clipValueMax)

    In C:
        aclnnStatus aclnnHardtanhGetWorkspaceSize(const aclTensor* self, const aclScalar* clipValueMin, const
            aclScalar* clipValueMax, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        clipValueMin (float): Any number. In C: const aclScalar*.
        clipValueMax (float): Any number. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnHardtanh: PhaseTwo

def aclnnHardtanhBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, min: Scalar, max: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput if min < self < max, else 0

    By the documents' rules (actgrad.rules('document')) the bounds belong to the first case: min <= self <= max.

    In C:
        aclnnStatus aclnnHardtanhBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            const aclScalar* min, const aclScalar* max, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor**
            executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of hardtanh. In C:
            const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of hardtanh. In C: const aclTensor*.
        min (float): Any number. In C: const aclScalar*.
        max (float): Any number. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> out (5,), for example.
        self has the shape of gradOutput.
        out has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnHardtanhBackward: PhaseTwo

def aclnnHeavisideGetWorkspaceSize(
    input: Tensor, values: Tensor, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """1 if input > 0, values if input == 0, else 0; also 0 for NaN

    In C:
        aclnnStatus aclnnHeavisideGetWorkspaceSize(const aclTensor* input, const aclTensor* values, aclTensor*
            out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        input (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        values (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        input (5,), values (5,) -> out (5,), for example.
        values can be broadcast with input.
        out has the shape of the result, or as many elements in a row.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnHeaviside: PhaseTwo

def aclnnInplaceAddReluGetWorkspaceSize(
    selfRef: Tensor, other: Tensor, alpha: Scalar, /
) -> tuple[int, int, AclOpExecutor | None]:
    """max(selfRef + alpha * other, 0)

    In C:
        aclnnStatus aclnnInplaceAddReluGetWorkspaceSize(aclTensor* selfRef, const aclTensor* other, aclScalar*
            alpha, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BF16. It is
            overwritten with the result. In C: aclTensor*.
        other (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BF16. In C: const
            aclTensor*.
        alpha (float): Any number. In C: aclScalar*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,), other (5,) -> selfRef (5,), for example.
        other can be broadcast with selfRef.
        selfRef has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceAddRelu: PhaseTwo

def aclnnInplaceCeluGetWorkspaceSize(selfRef: Tensor, alpha: Scalar, /) -> tuple[int, int, AclOpExecutor | None]:
    """x if x > 0, else alpha * (exp(x / alpha) - 1)

    In C:
        aclnnStatus aclnnInplaceCeluGetWorkspaceSize(aclTensor* selfRef, const aclScalar* alpha, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. It is overwritten with the result. In C:
            aclTensor*.
        alpha (float): Required: alpha neither 0 nor NaN. In C: const aclScalar*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceCelu: PhaseTwo

def aclnnInplaceEluGetWorkspaceSize(
    selfRef: Tensor, alpha: Scalar, scale: Scalar, inputScale: Scalar, /
) -> tuple[int, int, AclOpExecutor | None]:
    """scale * x if x > 0, else scale * alpha * (exp(inputScale * x) - 1)

    In C:
        aclnnStatus aclnnInplaceEluGetWorkspaceSize(aclTensor* selfRef, const aclScalar* alpha, const aclScalar*
            scale, const aclScalar* inputScale, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. It is overwritten with the result. In C:
            aclTensor*.
        alpha (float): Any number. In C: const aclScalar*.
        scale (float): Any number. In C: const aclScalar*.
        inputScale (float): Any number. In C: const aclScalar*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceElu: PhaseTwo

def aclnnInplaceErfinvGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """erfinv(x); the y with erf(y) = x, NaN if abs(x) > 1

    Integers give FLOAT.

    In C:
        aclnnStatus aclnnInplaceErfinvGetWorkspaceSize(const aclTensor* selfRef, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BOOL, BF16. It
            is overwritten with the result. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceErfinv: PhaseTwo

def aclnnInplaceHardsigmoidGetWorkspaceSize(self: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """min(max(alpha * x + beta, 0), 1)

    Integer results are truncated: 1 if alpha * x + beta >= 1, else 0.

    In C:
        aclnnStatus aclnnInplaceHardsigmoidGetWorkspaceSize(const aclTensor* self, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, INT32, DOUBLE, BF16. It is overwritten with the result. In C:
            const aclTensor*.
        Fixed: alpha=0.16666666666666666.
        Fixed: beta=0.5.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> self (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceHardsigmoid: PhaseTwo

def aclnnInplaceHardswishGetWorkspaceSize(self: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """x * min(max(x + 3, 0), 6) / 6

    In C:
        aclnnStatus aclnnInplaceHardswishGetWorkspaceSize(const aclTensor* self, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. It is overwritten with the result. In C: const
            aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> self (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceHardswish: PhaseTwo

def aclnnInplaceHardtanhGetWorkspaceSize(
    selfRef: Tensor, clipValueMin: Scalar, clipValueMax: Scalar, /
) -> tuple[int, int, AclOpExecutor | None]:
    """min(max(x, clipValueMin), clipValueMax)

    In C:
        aclnnStatus aclnnInplaceHardtanhGetWorkspaceSize(aclTensor* selfRef, const aclScalar* clipValueMin,
            const aclScalar* clipValueMax, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. It is overwritten with the result. In C:
            aclTensor*.
        clipValueMin (float): Any number. In C: const aclScalar*.
        clipValueMax (float): Any number. In C: const aclScalar*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceHardtanh: PhaseTwo

def aclnnInplaceLeakyReluGetWorkspaceSize(
    selfRef: Tensor, negativeSlope: Scalar, /
) -> tuple[int, int, AclOpExecutor | None]:
    """x if x > 0, else negativeSlope * x

    In C:
        aclnnStatus aclnnInplaceLeakyReluGetWorkspaceSize(aclTensor* selfRef, const aclScalar* negativeSlope,
            uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. It is overwritten with the result. In C:
            aclTensor*.
        negativeSlope (float): Any number. In C: const aclScalar*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceLeakyRelu: PhaseTwo

def aclnnInplaceMishGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """x * tanh(log(1 + exp(x)))

    In C:
        aclnnStatus aclnnInplaceMishGetWorkspaceSize(aclTensor* selfRef, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. It is overwritten with the result. In C:
            aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

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
) -> tuple[int, int, AclOpExecutor | None]:
    """self if self > 0, else (lower + upper) / 2 * self

    noise, seed and offset are not read, because training=true is refused.

    In C:
        aclnnStatus aclnnInplaceRReluWithNoiseGetWorkspaceSize(const aclTensor* self, const aclTensor* noise,
            const aclScalar* lower, const aclScalar* upper, bool training, int64_t seed, int64_t offset,
            uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. It is overwritten with the result. In C: const
            aclTensor*.
        noise (array or AclTensor): Only its shape and its data type are checked. In C: const aclTensor*.
        lower (float): Any number. In C: const aclScalar*.
        upper (float): Any number. In C: const aclScalar*.
        training (bool): Required: false. In C: bool.
        seed (int) In C: int64_t.
        offset (int) In C: int64_t.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,), noise (5,) -> self (5,), for example.
        with training noise has as many elements as self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceRReluWithNoise: PhaseTwo

def aclnnInplaceReluGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """max(x, 0)

    In C:
        aclnnStatus aclnnInplaceReluGetWorkspaceSize(aclTensor* selfRef, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT64, DOUBLE, BF16. It is overwritten
            with the result. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceRelu: PhaseTwo

def aclnnInplaceSeluGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """scale * x if x > 0, else scale * alpha * (exp(x) - 1), where scale = 1.0507009873554805 and alpha =
    1.6732632423543773

    Integers are computed as floats, rounded to the nearest even number, and saturate.

    In C:
        aclnnStatus aclnnInplaceSeluGetWorkspaceSize(aclTensor* selfRef, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, DOUBLE, BF16. It is overwritten with the
            result. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceSelu: PhaseTwo

def aclnnInplaceSigmoidGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """1 / (1 + exp(-x))

    Integers give FLOAT.

    In C:
        aclnnStatus aclnnInplaceSigmoidGetWorkspaceSize(aclTensor* selfRef, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BOOL, COMPLEX64,
            COMPLEX128, BF16. It is overwritten with the result. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceSigmoid: PhaseTwo

def aclnnInplaceTanhGetWorkspaceSize(selfRef: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """tanh(x)

    Integers give FLOAT.

    In C:
        aclnnStatus aclnnInplaceTanhGetWorkspaceSize(aclTensor* selfRef, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BOOL, COMPLEX64,
            COMPLEX128, BF16. It is overwritten with the result. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceTanh: PhaseTwo

def aclnnInplaceThresholdGetWorkspaceSize(
    selfRef: Tensor, threshold: Scalar, value: Scalar, /
) -> tuple[int, int, AclOpExecutor | None]:
    """x if x > threshold, else value

    In C:
        aclnnStatus aclnnInplaceThresholdGetWorkspaceSize(aclTensor* selfRef, const aclScalar* threshold, const
            aclScalar* value, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        selfRef (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BF16. It is
            overwritten with the result. In C: aclTensor*.
        threshold (float): Any number. In C: const aclScalar*.
        value (float): Any number. In C: const aclScalar*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        selfRef (5,) -> selfRef (5,), for example.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnInplaceThreshold: PhaseTwo

def aclnnLeakyReluGetWorkspaceSize(
    self: Tensor, negativeSlope: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """x if x > 0, else negativeSlope * x

    In C:
        aclnnStatus aclnnLeakyReluGetWorkspaceSize(const aclTensor* self, const aclScalar* negativeSlope,
            aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        negativeSlope (float): Any number. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnLeakyRelu: PhaseTwo

def aclnnLeakyReluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, negativeSlope: Scalar, selfIsResult: bool | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput if self > 0, else negativeSlope * gradOutput

    With selfIsResult, self is the result of leaky_relu. The result has the sign of the input, because a
    negative negativeSlope is refused then.

    In C:
        aclnnStatus aclnnLeakyReluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            const aclScalar* negativeSlope, bool selfIsResult, aclTensor* out, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of leaky_relu. In
            C: const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Result of leaky_relu if selfIsResult, else its
            input. In C: const aclTensor*.
        negativeSlope (float): Required: negativeSlope >= 0 when selfIsResult. In C: const aclScalar*.
        selfIsResult (bool): Required: negativeSlope >= 0 when selfIsResult. In C: bool.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> out (5,), for example.
        self can be broadcast with gradOutput.
        out has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnLeakyReluBackward: PhaseTwo

def aclnnLogSigmoidGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """-log(1 + exp(-x))

    In C:
        aclnnStatus aclnnLogSigmoidGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnLogSigmoid: PhaseTwo

def aclnnLogSigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, buffer: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput * sigmoid(-self)

    In C:
        aclnnStatus aclnnLogSigmoidBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            const aclTensor* buffer, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of logsigmoid. In
            C: const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of logsigmoid. In C: const aclTensor*.
        buffer (array or AclTensor): Not read. In C: const aclTensor*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> gradInput (5,), for example.
        gradInput has the shape of gradOutput.
        self has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnLogSigmoidBackward: PhaseTwo

def aclnnLogSigmoidForwardGetWorkspaceSize(
    self: Tensor, out: Tensor, buffer: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """-log(1 + exp(-x))

    In C:
        aclnnStatus aclnnLogSigmoidForwardGetWorkspaceSize(const aclTensor* self, aclTensor* out, aclTensor*
            buffer, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        buffer (array or AclTensor): Not read. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnLogSigmoidForward: PhaseTwo

def aclnnLogSoftmaxGetWorkspaceSize(
    self: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """x - log(sum(exp(x))) along dim

    In C:
        aclnnStatus aclnnLogSoftmaxGetWorkspaceSize(const aclTensor* self, int64_t dim, aclTensor* out,
            uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (2, 2) -> out (2, 2), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnLogSoftmax: PhaseTwo

def aclnnLogSoftmaxBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput - exp(output) * sum(gradOutput) along dim; output = log_softmax(x)

    In C:
        aclnnStatus aclnnLogSoftmaxBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor*
            output, int64_t dim, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of log_softmax. In
            C: const aclTensor*.
        output (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Result of log_softmax. In C: const
            aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (2, 2), output (2, 2) -> out (2, 2), for example.
        output has the shape of gradOutput.
        out has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnLogSoftmaxBackward: PhaseTwo

def aclnnMishGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """x * tanh(log(1 + exp(x)))

    In C:
        aclnnStatus aclnnMishGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnMish: PhaseTwo

def aclnnMishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput * (t + self * sigmoid(self) * (1 - t**2)), where t = tanh(log(1 + exp(self)))

    In C:
        aclnnStatus aclnnMishBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of mish. In C:
            const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of mish. In C: const aclTensor*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> gradInput (5,), for example.
        self can be broadcast with gradOutput.
        gradInput has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnMishBackward: PhaseTwo

def aclnnPreluGetWorkspaceSize(self: Tensor, weight: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """self if self > 0, else weight * self; weight has one element, or one for each channel (dimension 1 of self)

    In C:
        aclnnStatus aclnnPreluGetWorkspaceSize(const aclTensor* self, const aclTensor* weight, aclTensor* out,
            uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        weight (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (2, 2), weight (2,) -> out (2, 2), for example.
        out has the shape of self.
        weight has one element, or those of dimension 1 of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnPrelu: PhaseTwo

def aclnnPreluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, weight: Tensor, gradInput: Tensor, gradWeight: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradInput = (gradOutput if self > 0, else weight * gradOutput) and gradWeight = sum(0 if self > 0, else self
    * gradOutput) over each channel

    A channel is one index of dimension 1. With a weight of one element, gradWeight is the sum over all
    elements.

    In C:
        aclnnStatus aclnnPreluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self, const
            aclTensor* weight, aclTensor* gradInput, aclTensor* gradWeight, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of prelu. In C:
            const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of prelu. In C: const aclTensor*.
        weight (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of prelu. In C: const aclTensor*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        gradWeight (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (2, 2), self (2, 2), weight (2,) -> gradInput (2, 2), gradWeight (2,), for example.
        gradInput has the shape of self.
        weight has one element, or those of dimension 1 of self.
        gradWeight has one dimension, or the shape of a single weight.
        gradOutput can be broadcast to the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

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
) -> tuple[int, int, AclOpExecutor | None]:
    """self if self > 0, else (lower + upper) / 2 * self

    noise, seed and offset are not read, because training=true is refused.

    In C:
        aclnnStatus aclnnRReluWithNoiseGetWorkspaceSize(const aclTensor* self, const aclTensor* noise, const
            aclScalar* lower, const aclScalar* upper, bool training, int64_t seed, int64_t offset, aclTensor*
            out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        noise (array or AclTensor): Only its shape and its data type are checked. In C: const aclTensor*.
        lower (float): Any number. In C: const aclScalar*.
        upper (float): Any number. In C: const aclScalar*.
        training (bool): Required: false. In C: bool.
        seed (int) In C: int64_t.
        offset (int) In C: int64_t.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,), noise (5,) -> out (5,), for example.
        out has the shape of self.
        with training noise has as many elements as self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnRReluWithNoise: PhaseTwo

def aclnnReluGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """max(x, 0)

    In C:
        aclnnStatus aclnnReluGetWorkspaceSize(const aclTensor* self, const aclTensor* out, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT64, DOUBLE, BF16. In C: const
            aclTensor*.
        out (array or AclTensor): Output. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnRelu: PhaseTwo

def aclnnSeluGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """scale * x if x > 0, else scale * alpha * (exp(x) - 1), where scale = 1.0507009873554805 and alpha =
    1.6732632423543773

    Integers are computed as floats, rounded to the nearest even number, and saturate.

    In C:
        aclnnStatus aclnnSeluGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSelu: PhaseTwo

def aclnnSeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, result: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """scale * gradOutput if result >= 0, else (result + scale * alpha) * gradOutput, where scale =
    1.0507009873554805 and alpha = 1.6732632423543773; result = selu(x)

    On Ascend950 a result of 0 belongs to the second case. Integers are computed as floats, rounded to the
    nearest even number, and saturate.

    In C:
        aclnnStatus aclnnSeluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* result,
            aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, DOUBLE, BF16. Gradient of the result of
            selu. In C: const aclTensor*.
        result (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, DOUBLE, BF16. Result of selu. In C: const
            aclTensor*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), result (5,) -> gradInput (5,), for example.
        result has the shape of gradOutput.
        gradInput has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSeluBackward: PhaseTwo

def aclnnShrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar, bias: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """x - bias if x > lambd, x + bias if x < -lambd, else 0

    NaN gives NaN, and 0 on Ascend950.

    In C:
        aclnnStatus aclnnShrinkGetWorkspaceSize(const aclTensor* self, const aclScalar* lambd, const aclScalar*
            bias, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        lambd (float): Required: lambd >= 0. In C: const aclScalar*.
        bias (float): Any number. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnShrink: PhaseTwo

def aclnnSigmoidGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """1 / (1 + exp(-x))

    Integers give FLOAT.

    In C:
        aclnnStatus aclnnSigmoidGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BOOL, COMPLEX64,
            COMPLEX128, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSigmoid: PhaseTwo

def aclnnSigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput * output * (1 - output); output = sigmoid(x)

    For complex numbers, complex_conj=true takes the conjugate of output * (1 - output).

    In C:
        aclnnStatus aclnnSigmoidBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* output,
            aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BF16. Gradient of the
            result of sigmoid. In C: const aclTensor*.
        output (array or AclTensor): FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BF16. Result of sigmoid. In
            C: const aclTensor*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        Fixed: complex_conj=True.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), output (5,) -> gradInput (5,), for example.
        output can be broadcast with gradOutput.
        gradInput has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSigmoidBackward: PhaseTwo

def aclnnSiluGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """x * sigmoid(x)

    In C:
        aclnnStatus aclnnSiluGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSilu: PhaseTwo

def aclnnSiluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput * s * (1 + self * (1 - s)), where s = sigmoid(self)

    In C:
        aclnnStatus aclnnSiluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of silu. In C:
            const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of silu. In C: const aclTensor*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> gradInput (5,), for example.
        off Ascend950: self has the shape of gradOutput.
        off Ascend950: gradInput has the shape of gradOutput.
        self can be broadcast with gradOutput.
        gradInput has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSiluBackward: PhaseTwo

def aclnnSituGluGetWorkspaceSize(
    x: Tensor,
    dim: SupportsIndex | None,
    beta: Number | None,
    linearBeta: Number | None,
    activateLeft: bool | None,
    out: Tensor,
    /,
) -> tuple[int, int, AclOpExecutor | None]:
    """beta * tanh(lower / beta) * sigmoid(lower) * upper, where lower and upper are the halves of x along dim; out
    has half the size of x along dim

    With linearBeta > 0, linearBeta * tanh(upper / linearBeta) takes the place of upper. activateLeft=false
    swaps the roles of lower and upper.

    In C:
        aclnnStatus aclnnSituGluGetWorkspaceSize(const aclTensor* x, int64_t dim, double beta, double
            linearBeta, bool activateLeft, const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor**
            executor)

    Args:
        x (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        beta (float): Any number. In C: double.
        linearBeta (float): Any number. In C: double.
        activateLeft (bool) In C: bool.
        out (array or AclTensor): Output. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        x (2, 4) -> out (2, 2), for example.
        x has an even size along dim.
        out has the shape of x, halved along dim.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

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
) -> tuple[int, int, AclOpExecutor | None]:
    """grad_lower = gradY * upper * s * (1 - t**2 + beta * t * (1 - s)) and grad_upper = gradY * beta * t * s,
    where t = tanh(lower / beta) and s = sigmoid(lower) and lower and upper are the halves of x along dim; out
    packs grad_lower and grad_upper as x packs its halves

    With linearBeta > 0, the formula is the derivative of situ_glu's other form. activateLeft=false swaps the
    roles of lower and upper.

    In C:
        aclnnStatus aclnnSituGluGradGetWorkspaceSize(const aclTensor* gradY, const aclTensor* x, int64_t dim,
            double beta, double linearBeta, bool activateLeft, const aclTensor* out, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        gradY (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of situ_glu. In C:
            const aclTensor*.
        x (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of situ_glu. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        beta (float): Any number. In C: double.
        linearBeta (float): Any number. In C: double.
        activateLeft (bool) In C: bool.
        out (array or AclTensor): Output. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradY (2, 2), x (2, 4) -> out (2, 4), for example.
        x has an even size along dim.
        gradY has the shape of x, halved along dim.
        out has the shape of x.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSituGluGrad: PhaseTwo

def aclnnSoftmaxGetWorkspaceSize(
    self: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """exp(x) / sum(exp(x)) along dim

    In C:
        aclnnStatus aclnnSoftmaxGetWorkspaceSize(const aclTensor* self, int64_t dim, aclTensor* out, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (2, 2) -> out (2, 2), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSoftmax: PhaseTwo

def aclnnSoftmaxBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """output * (gradOutput - sum(gradOutput * output)) along dim; output = softmax(x)

    In C:
        aclnnStatus aclnnSoftmaxBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* output,
            int64_t dim, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of softmax. In C:
            const aclTensor*.
        output (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Result of softmax. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (2, 2), output (2, 2) -> out (2, 2), for example.
        output has the shape of gradOutput.
        out has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSoftmaxBackward: PhaseTwo

def aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize(
    features: Tensor, labels: Tensor, loss: Tensor, backprop: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """loss = -sum(labels * log_softmax(features)) and backprop = softmax(features) - labels along the last
    dimension; loss has one element for each row

    backprop is the gradient of loss by features, if the labels of each row sum to 1. features and labels have
    the shape (rows, classes).

    In C:
        aclnnStatus aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize(const aclTensor* features, aclTensor*
            labels, aclTensor* loss, aclTensor* backprop, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        features (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        labels (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: aclTensor*.
        loss (array or AclTensor): Output. In C: aclTensor*.
        backprop (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        features (2, 2), labels (2, 2) -> loss (2,), backprop (2, 2), for example.
        labels has the shape of features.
        loss has the shape of the result, or as many elements in a row.
        backprop has the shape of the result, or as many elements in a row.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSoftmaxCrossEntropyWithLogits: PhaseTwo

def aclnnSoftplusGetWorkspaceSize(
    self: Tensor, beta: Scalar, threshold: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """x if beta * x > threshold, else log(1 + exp(beta * x)) / beta

    In C:
        aclnnStatus aclnnSoftplusGetWorkspaceSize(const aclTensor* self, const aclScalar* beta, const aclScalar*
            threshold, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        beta (float): Any number. In C: const aclScalar*.
        threshold (float): Any number. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSoftplus: PhaseTwo

def aclnnSoftplusBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, beta: Scalar, threshold: Scalar, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput if beta * self > threshold, else gradOutput * sigmoid(beta * self)

    In C:
        aclnnStatus aclnnSoftplusBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            const aclScalar* beta, const aclScalar* threshold, aclTensor* gradInput, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BOOL, BF16.
            Gradient of the result of softplus. In C: const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BOOL, BF16. Input
            of softplus. In C: const aclTensor*.
        beta (float): Any number. In C: const aclScalar*.
        threshold (float): Any number. In C: const aclScalar*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> gradInput (5,), for example.
        self has the shape of gradOutput.
        gradInput has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSoftplusBackward: PhaseTwo

def aclnnSoftshrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """sign(x) * max(abs(x) - lambd, 0)

    NaN gives NaN, and 0 on Ascend950.

    In C:
        aclnnStatus aclnnSoftshrinkGetWorkspaceSize(const aclTensor* self, const aclScalar* lambd, aclTensor*
            out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        lambd (float): Required: lambd >= 0. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSoftshrink: PhaseTwo

def aclnnSoftshrinkBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, lambda_: Scalar, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """0 if abs(self) <= lambda, else gradOutput

    In C:
        aclnnStatus aclnnSoftshrinkBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            const aclScalar* lambda, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of softshrink. In
            C: const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of softshrink. In C: const aclTensor*.
        lambda (float): Required: lambda >= 0. In C: const aclScalar*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> gradInput (5,), for example.
        self can be broadcast with gradOutput.
        gradInput has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSoftshrinkBackward: PhaseTwo

def aclnnSquaredReluGetWorkspaceSize(input: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """max(x, 0)**2

    In C:
        aclnnStatus aclnnSquaredReluGetWorkspaceSize(const aclTensor* input, const aclTensor* out, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        input (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        input (5,) -> out (5,), for example.
        out has the shape of the result, or as many elements in a row.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSquaredRelu: PhaseTwo

def aclnnSwiGluGetWorkspaceSize(
    x: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """silu(lower) * upper, where lower and upper are the halves of x along dim; out has half the size of x along
    dim

    In C:
        aclnnStatus aclnnSwiGluGetWorkspaceSize(const aclTensor* x, int64_t dim, const aclTensor* out, uint64_t*
            workspaceSize, aclOpExecutor** executor)

    Args:
        x (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        out (array or AclTensor): Output. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        x (2, 4) -> out (2, 2), for example.
        x has an even size along dim.
        out has the shape of the result, or as many elements in a row.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSwiGlu: PhaseTwo

def aclnnSwiGluGradGetWorkspaceSize(
    yGrad: Tensor, x: Tensor, dim: SupportsIndex | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """grad_lower = yGrad * upper * silu'(lower) and grad_upper = yGrad * silu(lower), where lower and upper are
    the halves of x along dim; out packs grad_lower and grad_upper as x packs its halves

    silu(lower) is computed again.

    In C:
        aclnnStatus aclnnSwiGluGradGetWorkspaceSize(const aclTensor* yGrad, const aclTensor* x, int64_t dim,
            const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        yGrad (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of swiglu. In C: const
            aclTensor*.
        x (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of swiglu. In C: const aclTensor*.
        dim (int): Dimension, from -rank to rank - 1. In C: int64_t.
        out (array or AclTensor): Output. In C: const aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        yGrad (2, 2), x (2, 4) -> out (2, 4), for example.
        yGrad has as many dimensions as x.
        x has an even size along dim.
        yGrad has the shape of x, halved along dim.
        out has the shape of the result, or as many elements in a row.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSwiGluGrad: PhaseTwo

def aclnnSwigluGroupGetWorkspaceSize(
    x: Tensor, weightOptional: Tensor, groupIndexOptional: Tensor, clampLimit: Number | None, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """silu(lower) * upper * weightOptional, where lower and upper are the halves of x along the last dimension;
    out has half the size of x there; weightOptional has one element for each row

    Without weightOptional, the factor is 1. With clampLimit > 0 (c for short), lower becomes min(lower, c) and
    upper becomes clamp(upper, -c, c). groupIndexOptional counts rows: only the first sum(groupIndexOptional)
    rows are computed. The other rows are 0 in a new result and unchanged in out=.

    In C:
        aclnnStatus aclnnSwigluGroupGetWorkspaceSize(const aclTensor* x, const aclTensor* weightOptional, const
            aclTensor* groupIndexOptional, double clampLimit, const aclTensor* out, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        x (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        weightOptional (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        groupIndexOptional (array or AclTensor): Only the first sum(groupIndexOptional) rows are computed. In C:
            const aclTensor*.
        clampLimit (float): Required: clampLimit -1 or > 0. In C: double.
        out (array or AclTensor): Output. In C: const aclTensor*.
        Fixed: dim=-1.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        x (2, 4) -> out (2, 2), for example.
        x has an even size along dim.
        weightOptional has one element for each row of x.
        groupIndexOptional has one dimension.
        groupIndexOptional has at least 1 elements.
        out has the shape of x, halved along dim.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSwigluGroup: PhaseTwo

def aclnnSwishGetWorkspaceSize(
    self: Tensor, betaOptional: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """x * sigmoid(betaOptional * x)

    In C:
        aclnnStatus aclnnSwishGetWorkspaceSize(const aclTensor* self, const aclScalar* betaOptional, aclTensor*
            out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. In C: const aclTensor*.
        betaOptional (float): Any number. A null pointer means 1.0. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSwish: PhaseTwo

def aclnnSwishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, betaOptional: Scalar, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput * s * (1 + betaOptional * self * (1 - s)), where s = sigmoid(betaOptional * self)

    In C:
        aclnnStatus aclnnSwishBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self, const
            aclScalar* betaOptional, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Gradient of the result of swish. In C:
            const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, DOUBLE, BF16. Input of swish. In C: const aclTensor*.
        betaOptional (float): Any number. A null pointer means 1.0. In C: const aclScalar*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> gradInput (5,), for example.
        self has the shape of gradOutput.
        gradInput has the shape of gradOutput.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnSwishBackward: PhaseTwo

def aclnnTanhGetWorkspaceSize(self: Tensor, out: Tensor, /) -> tuple[int, int, AclOpExecutor | None]:
    """tanh(x)

    Integers give FLOAT.

    In C:
        aclnnStatus aclnnTanhGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
            aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BOOL, COMPLEX64,
            COMPLEX128, BF16. In C: const aclTensor*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnTanh: PhaseTwo

def aclnnTanhBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, gradInput: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput * (1 - output**2); output = tanh(x)

    For complex numbers, the conjugate of 1 - output**2 is taken.

    In C:
        aclnnStatus aclnnTanhBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* output,
            aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BF16. Gradient of the
            result of tanh. In C: const aclTensor*.
        output (array or AclTensor): FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BF16. Result of tanh. In C:
            const aclTensor*.
        gradInput (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), output (5,) -> gradInput (5,), for example.
        output can be broadcast with gradOutput.
        gradInput has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnTanhBackward: PhaseTwo

def aclnnThresholdGetWorkspaceSize(
    self: Tensor, threshold: Scalar, value: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """x if x > threshold, else value

    In C:
        aclnnStatus aclnnThresholdGetWorkspaceSize(const aclTensor* self, const aclScalar* threshold, const
            aclScalar* value, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        self (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, INT64, DOUBLE, BF16. In C: const
            aclTensor*.
        threshold (float): Any number. In C: const aclScalar*.
        value (float): Any number. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        self (5,) -> out (5,), for example.
        out has the shape of self.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnThreshold: PhaseTwo

def aclnnThresholdBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, threshold: Scalar, out: Tensor, /
) -> tuple[int, int, AclOpExecutor | None]:
    """gradOutput if self > threshold, else 0

    In C:
        aclnnStatus aclnnThresholdBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
            const aclScalar* threshold, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)

    Args:
        gradOutput (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT64, DOUBLE, BF16. Gradient of
            the result of threshold. In C: const aclTensor*.
        self (array or AclTensor): FLOAT, FLOAT16, INT8, INT32, UINT8, INT64, DOUBLE, BF16. Input of threshold.
            In C: const aclTensor*.
        threshold (float): Any number. In C: const aclScalar*.
        out (array or AclTensor): Output. In C: aclTensor*.
        None is the null pointer. An array is a NumPy array or a torch.Tensor.

    Shape:
        gradOutput (5,), self (5,) -> out (5,), for example.
        self can be broadcast with gradOutput.
        out has the shape of the result.
        The tensors are broadcast together and promoted to one data type.

    Returns:
        (status, workspaceSize, executor). If status is not 0, the executor is None.
    """

aclnnThresholdBackward: PhaseTwo
