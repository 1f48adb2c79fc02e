"""Calls of the C SDK's functions around the activations, right ones by default, and phase one's status of a call."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from actgrad import aclnn
from actgrad.ascend.aclnn.signatures import CParameter
from actgrad.ascend.network.checks import judge as checks
from actgrad.ascend.network.checks.row import Row
from actgrad.ascend.network.work import Work
from actgrad.ascend.sdk import declared_functions
from actgrad.base.dtypes import BY_NAME, BY_NUMBER
from actgrad.base.errors import ActgradError


class T(NamedTuple):
    """A tensor of a call."""

    shape: tuple[int, ...] = (2, 3)
    dtype: str = "float32"
    format: int = 2  # ND


class S(NamedTuple):
    """A scalar of a call."""

    value: Any = 1.0
    dtype: str = "float32"


def tensor(given: T) -> Any:
    row = next(row for row in BY_NUMBER.values() if row.name == given.dtype)
    storage = np.zeros(max(math.prod(given.shape), 1) * max(row.itemsize, 1), np.uint8)
    strides = [math.prod(given.shape[k + 1 :]) for k in range(len(given.shape))]
    return aclnn.aclCreateTensor(given.shape, row.acl, strides, 0, given.format, given.shape or (1,), storage)


def value_of(given: Any) -> Any:
    if isinstance(given, T):
        return tensor(given)
    if isinstance(given, S):
        return aclnn.aclCreateScalar(given.value, BY_NAME[given.dtype].acl)
    return tuple(map(value_of, given)) if isinstance(given, tuple) else given


def status(name: str, arguments: dict[str, Any]) -> int:
    """What phase one returns."""
    function = declared_functions.computed()[f"aclnn{name}"]
    try:
        values = [value_of(arguments[p.name]) for p in function.arguments]
        Work(f"aclnn{name}", function.rule, function.arguments, values)
    except ActgradError as error:
        text = str(error)
        assert text.startswith(f"aclnn{name}: "), text
        assert text.count("; ") >= 2, text  # what was given; what is expected; what to do
        assert "\n" not in text
        return error.status
    return 0


F64, I32, I64 = "float64", "int32", "int64"
MATRIX = {"self": T((2, 2)), "mat2": T((2, 2)), "out": T((2, 2)), "cubeMathType": 0}
BATCH = {"self": T((1, 2, 2)), "mat2": T((1, 2, 2)), "out": T((1, 2, 2)), "cubeMathType": 0}
LAYER = {
    "input": T((3, 2)), "normalizedShape": (2,), "weightOptional": T((2,)), "biasOptional": T((2,)), "eps": 1e-5,
    "out": T((3, 2)), "meanOutOptional": T((3, 1)), "rstdOutOptional": T((3, 1)),
}  # fmt: skip
RMS = {"x": T((3, 2)), "gamma": T((2,)), "epsilon": 1e-5, "yOut": T((3, 2)), "rstdOut": T((3, 1))}
LOSS = {"self": T(), "target": T(), "reduction": 1, "out": T(())}
GATHER = {"self": T((2, 3)), "dim": 0, "index": T((1, 3), I64), "out": T((1, 3))}
TABLE = {"weight": T((5, 3)), "indices": T((2,), I64), "out": T((2, 3))}
IMAGE, HALF_IMAGE = (T(shape, format=0) for shape in ((2, 4, 4, 6), (2, 4, 2, 3)))  # NCHW
SPACE, BINS = (T(shape, format=30) for shape in ((2, 4, 4, 6, 2), (2, 4, 2, 3, 1)))  # NCDHW
CONVOLUTION = {
    **dict.fromkeys(("input", "output", "gradOutput", "gradInput"), IMAGE), "weight": T((4, 4, 3, 3), format=0),
    **dict.fromkeys(("bias", "gradBias"), T((4,))), "gradWeight": T((4, 4, 3, 3), format=0),
    "biasSizes": (4,), "stride": (1, 1),
    "padding": (1, 1), "dilation": (1, 1), "transposed": False, "outputPadding": (0, 0), "groups": 1,
    "outputMask": (True, True, True), "cubeMathType": 0,
}  # fmt: skip
POOL = {
    **dict.fromkeys(("self", "gradInput"), IMAGE), **dict.fromkeys(("out", "gradOutput"), HALF_IMAGE),
    "indices": T((2, 4, 2, 3), I32), **dict.fromkeys(("kernelSize", "kernelShape", "stride", "strides"), (2, 2)),
    **dict.fromkeys(("padding", "paddings", "pads"), (0, 0)), **dict.fromkeys(("dilation", "dilations"), (1, 1)),
    "ceilMode": False, "countIncludePad": True, "divisorOverride": 0, "cubeMathType": 0, "autoPad": 0,
}  # fmt: skip
BATCH_NORM = {
    **dict.fromkeys(("input", "output", "gradOut", "gradInput"), IMAGE), "training": True, "momentum": 0.1,
    **dict.fromkeys(("weight", "bias", "runningMean", "runningVar", "saveMean", "saveInvstd"), T((4,))), "eps": 1e-5,
    **dict.fromkeys(("gradWeight", "gradBias"), T((4,))), "outputMask": (True, True, True),
}  # fmt: skip
TOP = {
    "self": T((2, 4)), "k": 2, "dim": 1, "largest": True, "sorted": True, "valuesOut": T((2, 2)),
    "indicesOut": T((2, 2), I64),
}  # fmt: skip
SORT = {
    "self": T((2, 4)), "stable": False, "dim": 1, "descending": False, "valuesOut": T((2, 4)),
    "indicesOut": T((2, 4), I64),
}  # fmt: skip
SCATTER = {"self": T((2, 3)), "dim": 0, "index": T((2, 3), I64), "src": T((2, 3)), "out": T((2, 3))}
ROWS = {name.removeprefix("aclnn"): declared_functions.computed()[name].arguments for name in checks.patterns()}
V, B, INDICES, LAST = T((3,)), "bool", T((2, 3), I64), T((2, 1))
HEADS = T((1, 2, 1, 3))
POINT, ONE = T(()), T((1,), I64)
#: Arguments that differ from the usual ones: float32 tensors of shape (2, 3), scalars 1.0, lists of two tensors,
#: dimension 0, numbers 0.
SAMPLES: dict[str, dict[str, Any]] = {
    "Mm": MATRIX, "Matmul": MATRIX, "BatchMatMul": BATCH, "LayerNorm": LAYER, "RmsNorm": RMS, "MseLoss": LOSS,
    "L1Loss": LOSS, "Gather": GATHER, "Embedding": TABLE, "Topk": TOP, "Sort": SORT, "ScatterAdd": SCATTER,
    "Scatter": SCATTER, "InplaceScatter": {"index": INDICES}, "ScatterValue": {"index": INDICES},
    "InplaceScatterValue": {"index": INDICES},
    "MaxDim": {"out": V, "indices": T((3,), I64)}, "MinDim": {"out": V, "indices": T((3,), I64)},
    "Mean": {"out": V}, "ReduceSum": {"out": V}, "Std": {"out": V}, "VarCorrection": {"out": V}, "Norm": {"out": V},
    "LogSumExp": {"out": V}, "LinalgVectorNorm": {"out": V}, "Amax": {"out": V}, "Amin": {"out": V},
    "All": {"out": T((3,), B)}, "Any": {"out": T((3,), B)}, "Max": {"out": POINT}, "Min": {"out": POINT},
    "ArgMin": {"out": T((3,), I64)}, "ReduceNansum": {"out": V}, "StdMeanCorrection": {"stdOut": V, "meanOut": V},
    "Cumprod": {"dim": S(0, I64)}, "InplaceCumprod": {"dim": S(0, I64)}, "Dot": {"self": V, "tensor": V, "out": POINT},
    "ArgMax": {"out": T((3,), I64)}, "Argsort": {"out": INDICES},
    "Index": {"indices": (T((2,), I64),), "out": T((2, 3))},
    "IndexPutImpl": {"indices": (T((2,), I64),), "values": T((2, 3))},
    "OneHot": {
        "self": T((2,), I64), "numClasses": 3, "onValue": T((1,)), "offValue": T((1,)), "axis": -1, "out": T((2, 3)),
    },
    "EmbeddingDenseBackward": {"grad": T((2, 3)), "indices": T((2,), I64), "numWeights": 5, "out": T((5, 3))},
    "MaskedSelect": {"mask": T((2, 3), B), "out": T((6,))},
    "Nonzero": {"out": T((6, 2), I64)}, "NonzeroV2": {"out": T((2, 6), I64)},
    "IndexSelect": {"index": T((1,), I64), "out": T((1, 3))}, "GatherV2": {"index": T((1,), I64), "out": T((1, 3))},
    "NLLLoss": {
        "target": T((2,), I64), "weight": V, "reduction": 1, "ignoreIndex": -100, "out": POINT,
        "totalWeightOut": POINT,
    },
    "NLLLossBackward": {
        "gradOutput": POINT, "target": T((2,), I64), "weight": V, "reduction": 1, "totalWeight": POINT,
    },
    "BinaryCrossEntropyWithLogits": {"reduction": 1, "out": POINT},
    "Mv": {"vec": V, "out": T((2,))},
    "Addmm": {"mat1": T((2, 4)), "mat2": T((4, 3))}, "InplaceAddmm": {"mat1": T((2, 4)), "mat2": T((4, 3))},
    "Baddbmm": {"self": T((1, 2, 3)), "batch1": T((1, 2, 4)), "batch2": T((1, 4, 3)), "out": T((1, 2, 3))},
    "InplaceBaddbmm": {"selfRef": T((1, 2, 3)), "batch1": T((1, 2, 4)), "batch2": T((1, 4, 3))},
    "ForeachNorm": {"out": (T((1, 1)), POINT)},
    "LayerNormBackward": {
        "normalizedShape": (3,), "mean": LAST, "rstd": LAST, "weightOptional": V, "biasOptional": V,
        "outputMask": (True, True, True), "gradInputOut": T(), "gradWeightOut": V, "gradBiasOut": V,
    },
    "AddRmsNorm": {"gamma": V, "rstdOut": LAST},
    "RmsNormGrad": {"gamma": V, "rstd": LAST, "dgammaOut": V},
    "GroupNorm": {
        "self": T((2, 4, 3)), "gamma": T((4,)), "beta": T((4,)), "N": 2, "C": 4, "HxW": 3, "group": 2,
        "out": T((2, 4, 3)), "meanOut": T((2, 2)), "rstdOut": T((2, 2)),
    },
    "VarMean": {"varOut": V, "meanOut": V}, "Aminmax": {"minOut": V, "maxOut": V},
    "AminmaxDim": {"minOut": V, "maxOut": V}, "AminmaxAll": {"minOut": POINT, "maxOut": POINT},
    "Prod": {"out": POINT}, "ProdDim": {"out": V}, "Ger": {"self": T((2,)), "vec2": V},
    "Multinomial": {"numsamples": 2, "out": T((2, 2), I64)},
    "MultinomialTensor": {"numsamples": 2, "out": T((2, 2), I64), "seedTensor": ONE, "offsetTensor": ONE},
    **{
        f"Inplace{name}Tensor": {"seedTensor": ONE, "offsetTensor": ONE, "to": 1}
        for name in ("Normal", "Uniform", "Random")
    },
    "ApplyAdamWV2": {"step": T((1,))},
    "IndexAdd": {"index": T((2,), I64)}, "IndexAddV2": {"index": T((2,), I64)}, "IndexCopy": {"index": T((2,), I64)},
    "InplaceIndexCopy": {"index": T((2,), I64)}, "IndexFill": {"index": ONE}, "InplaceIndexFill": {"index": ONE},
    "Slice": {"end": 1, "step": 1, "out": T((1, 3))},
    "SliceV2": {"ends": (1,), "steps": (1,), "out": T((1, 3))},
    "ConstantPadNd": {"pad": (1, 0), "out": T((2, 4))}, "ReflectionPad1d": {"padding": (1, 0), "out": T((2, 4))},
    "ReflectionPad2d": {"self": T((1, 3, 3)), "padding": (1, 0, 0, 1), "out": T((1, 4, 4))},
    "RepeatInterleave": {"repeats": ONE, "outputSize": 12, "out": T((12,))},
    "RepeatInterleaveInt": {"repeats": 2, "outputSize": 12, "out": T((12,))},
    "RepeatInterleaveWithDim": {"repeats": ONE, "outputSize": 4, "out": T((4, 3))},
    "RepeatInterleaveIntWithDim": {"repeats": 2, "outputSize": 4, "out": T((4, 3))},
    "RepeatInterleaveTensor": {"repeats": T((3,), I64), "outputSize": 5, "out": T((5,), I64)},
    "Eye": {"n": 2, "m": 3}, "Linspace": {"steps": 6, "out": T((6,))},
    "Arange": {"end": S(3.0), "out": T((2,))},
    "Equal": {"out": T((), B)}, "Stack": {"out": T((2, 2, 3))}, "Cat": {"out": T((4, 3))},
    "Permute": {"dims": (1, 0), "out": T((3, 2))}, "Repeat": {"repeats": (1, 2), "out": T((2, 6))},
    "ForeachNonFiniteCheckAndUnscale": {"foundInf": T((1,)), "invScale": T((1,))},
    "Roll": {"shifts": (1,)}, "DropoutGenMask": {"shape": (8,), "out": T((16,), "uint8")},
    "DropoutGenMaskV2": {"shape": (8,), "out": T((16,), "uint8")}, "DropoutDoMask": {"mask": T((16,), "uint8")},
    "Randperm": {"n": 3, "out": T((3,), I64)}, "InplaceRandom": {"to": 5}, "InplaceUniform": {"to": 1.0},
    "BitwiseNot": {"out": T(dtype=I64)}, "ForeachAddcmulScalarList": {"scalars": T((2,))},
    "ForeachAddcdivScalarList": {"scalars": T((2,))},
    "FusedInferAttentionScoreV2": {
        **dict.fromkeys(("query", "attentionOut"), T((1, 2, 1, 4), "float16")), "numHeads": 1, "preTokens": 9,
        **dict.fromkeys(("key", "value"), (T((1, 3, 1, 4), "float16"),)), "nextTokens": 9, "scaleValue": 0.5,
    },
    "RotaryPositionEmbedding": dict.fromkeys(("x", "cos", "sin", "out"), T((1, 2, 1, 4))),
    "TriangularSolve": {"A": T((2, 2)), "mOut": T((2, 2))},
    "WeightQuantBatchMatmulV2": {
        "x": T((2, 4), "float16"), "weight": T((4, 3), "int8"), "antiquantScale": T((3,), "float16"),
        "y": T((2, 3), "float16"),
    },
    **dict.fromkeys(("Convolution", "ConvolutionBackward"), CONVOLUTION),
    **dict.fromkeys(("BatchNorm", "BatchNormBackward"), BATCH_NORM),
    **dict.fromkeys(("AvgPool2d", "AvgPool2dBackward", "MaxPool"), POOL),
    **dict.fromkeys(("MaxPool2dWithIndices", "MaxPool2dWithIndicesBackward"), POOL),
    "Bincount": {"self": T((3,), I64), "weights": V, "out": T((4,)), "minlength": 4},
    "GroupNormBackward": {
        **dict.fromkeys(("gradOut", "input", "gradInput"), T((2, 4, 3))), "N": 2, "C": 4, "HxW": 3, "group": 2,
        **dict.fromkeys(("mean", "rstd"), T((2, 2))), "outputMask": (True, True, True),
        **dict.fromkeys(("gamma", "gradGammaOut", "gradBetaOut"), T((4,))),
    },
    **{
        f"{kind}Pad{n}d{end}": {
            "padding": (1, 0, 0, 1, 0, 0)[: 2 * n],
            **dict.fromkeys(("self", "gradInput"), T((1, 3, 3, 3)[-n - 1 :])),
            **dict.fromkeys(("out", "gradOutput"), T(((3, 4), (3, 4, 4), (1, 3, 4, 4))[n - 1])),
        }
        for kind in ("Reflection", "Replication", "Circular") for n in (1, 2, 3) for end in ("", "Backward")
        if end or kind != "Reflection" or n == 3
    },
    "Gcd": dict.fromkeys(("self", "other", "out"), T(dtype=I64)),
    "Addr": {"vec1": T((2,)), "vec2": V}, "InplaceAddr": {"vec1": T((2,)), "vec2": V},
    "MaxV2": {"out": V}, "MeanV2": {"out": V}, "ReduceLogSum": {"reduce": V}, "Var": {"out": V},
    **{f"Global{name}Pool": {"self": T((2, 3, 4, 5)), "out": T((2, 3, 1, 1))} for name in ("Average", "Max")},
    "Histc": {"bins": 4, "min": S(0.0), "max": S(1.0), "out": T((4,))},
    "SearchSorted": {"sortedSequence": V, "sorter": None, "out": T(dtype=I64)},
    "Expand": {"size": (4, 2, 3), "out": T((4, 2, 3))},
    "ChannelShuffle": {"groups": 3, "self": T((2, 3, 4)), "out": T((2, 3, 4))},
    "SplitTensor": {"splitSections": 1, "out": (T((1, 3)), T((1, 3)))},
    "SplitWithSize": {"splitSize": (1, 2), "dim": 1, "out": (T((2, 1)), T((2, 2)))},
    "Range": {"end": S(3.0), "out": T((3,))}, "Real": {"self": T(dtype="complex64")},
    "ScatterReduce": SCATTER | {"reduce": 1, "includeSelf": True},
    "InplaceScatterReduce": {"index": INDICES, "reduce": 1, "includeSelf": True}, "SoftMarginLoss": LOSS,
    **{
        name: {
            "outputSize": (4, 4), **dict.fromkeys(("self", "out"), T((1, 2, 2))), "indices": T((1, 2, 2), I64),
            "gradOutput": T((1, 4, 4)),
        } | ({"out": T((1, 4, 4))} if name == "MaxUnpool2d" else {})
        for name in ("MaxUnpool2d", "MaxUnpool2dBackward")
    },
    **{
        name: {
            "outputSize": (4, 4, 4), **dict.fromkeys(("self", "out"), T((1, 2, 2, 2))), "stride": (2, 2, 2),
            "padding": (0, 0, 0), "indices": T((1, 2, 2, 2), I64), "gradOutput": T((1, 4, 4, 4)),
            "outRef": T((1, 4, 4, 4)),
        }
        for name in ("MaxUnpool3d", "MaxUnpool3dBackward")
    },
    "LayerNormWithImplMode": {**LAYER, "implMode": 1},
    "GroupNormSwish": {
        **dict.fromkeys(("x", "yOut"), T((2, 4, 3))), **dict.fromkeys(("gamma", "beta"), T((4,))), "numGroups": 2,
        **dict.fromkeys(("meanOut", "rstdOut"), T((2, 2))), "dataFormatOptional": "NCHW",
    },
    "MatmulWeightNz": {**dict.fromkeys(("self", "mat2", "out"), T((2, 2), "float16")), "cubeMathType": 0},
    **{
        name: {
            **dict.fromkeys(("self", "output", "gradInput"), T((2, 4, 4, 6, 2))), "ceilMode": False,
            **dict.fromkeys(("out", "gradOutput"), T((2, 4, 2, 3, 1))), "indices": T((2, 4, 2, 3, 1), I32),
            **dict.fromkeys(("kernelSize", "stride"), (2, 2, 2)), "padding": (0, 0, 0), "dilation": (1, 1, 1),
            "countIncludePad": True, "divisorOverride": 0,
        }
        for name in ("AvgPool3d", "AvgPool3dBackward", "MaxPool3dWithArgmax", "MaxPool3dWithArgmaxBackward")
    },
    "AdaptiveAvgPool3d": {"self": SPACE, "outputSize": (2, 3, 1), "out": BINS},
    "AdaptiveAvgPool3dBackward": {"gradOutput": BINS, "self": SPACE, "out": SPACE},
    "AdaptiveMaxPool3d": {
        "self": SPACE, "outputSize": (2, 3, 1), "outputOut": BINS, "indicesOut": BINS._replace(dtype=I32),
    },
    "AdaptiveMaxPool3dBackward": {
        "gradOutput": BINS, "self": SPACE, "indices": BINS._replace(dtype=I32), "gradInput": SPACE,
    },
    "AdaptiveMaxPool2d": {
        "self": IMAGE, "outputSize": (2, 3), "outputOut": HALF_IMAGE, "indicesOut": HALF_IMAGE._replace(dtype=I64),
    },
    "AdaptiveMaxPool2dBackward": {
        "gradOutput": HALF_IMAGE, "self": IMAGE, "indices": HALF_IMAGE._replace(dtype=I64), "gradInput": IMAGE,
    },
    **{
        f"Foreach{name}Scalar": {"scalar": T(())}
        for name in ("Add", "Sub", "Mul", "Div", "Maximum", "Minimum", "Pow", "Addcmul", "Addcdiv")
    },
    **{f"Foreach{name}List": {"alpha": T(())} for name in ("Add", "Sub")},
    "ForeachRoundOffNumber": {"roundMode": T((), "int8")}, "ForeachRoundOffNumberV2": {"roundMode": S(1, I64)},
    **{f"Foreach{name}ScalarInplace": {"scalar": T(())} for name in ("Mul", "Sub")},
    **{f"Foreach{name}ListInplace": {"alpha": T(())} for name in ("Add", "Sub")},
    **{
        f"GroupNormSilu{version}": {
            "self": T((2, 4, 3)), "gamma": T((4,)), "beta": T((4,)), "group": 2, "out": T((2, 4, 3)),
            "meanOut": T((2, 2)), "rstdOut": T((2, 2)),
        } for version in ("", "V2")
    },
    "Trace": {"out": POINT}, "Median": {"valuesOut": POINT},
    **{key: {"valuesOut": V, "indicesOut": T((3,), I64)} for key in ("MedianDim", "NanMedianDim")},
    "Inverse": {"self": T((2, 2)), "out": T((2, 2))}, "NanMedian": {"out": POINT},
    "Kthvalue": {"k": 1, "valuesOut": V, "indicesOut": T((3,), I64)},
    "Unique": {"valueOut": T((6,)), "inverseOut": INDICES},
    "Unique2": {"valueOut": T((6,)), "inverseOut": INDICES, "countsOut": T((6,), I64)},
    "AdaptiveAvgPool2d": {"self": IMAGE, "outputSize": (2, 3), "out": HALF_IMAGE},
    "AdaptiveAvgPool2dBackward": {"gradOutput": HALF_IMAGE, "self": IMAGE, "out": IMAGE},
    "MaxPool2dWithMask": {**POOL, "indices": T((2, 4, 8), "int8")},
    "MaxPool2dWithMaskBackward": {**POOL, "indices": T((2, 4, 8), "int8")},
    "Im2col": {
        "self": IMAGE, "kernelSize": (2, 2), "stride": (2, 2), "padding": (0, 0), "dilation": (1, 1),
        "out": T((2, 16, 6)),
    },
    "NLLLoss2d": {
        "self": IMAGE, "target": T((2, 4, 6), I64), "weight": T((4,)), "reduction": 1, "out": POINT,
        "totalWeightOut": POINT, "ignoreIndex": -100,
    },
    "NLLLoss2dBackward": {
        "gradOutput": POINT, "self": IMAGE, "target": T((2, 4, 6), I64), "weight": T((4,)), "reduction": 1,
        "totalWeight": POINT, "out": IMAGE, "ignoreIndex": -100,
    },
    "GatherNd": {"self": T((2, 3)), "indices": T((4, 2), I64), "out": T((4,))},
    "ScatterNd": {"data": T((2, 3)), "indices": T((1, 2), I64), "updates": T((1,)), "out": T((2, 3))},
    "ScatterNdUpdate": {"varRef": T((2, 3)), "indices": T((1, 2), I64), "updates": T((1,))},
    "Take": {"index": T((4,), I64), "out": T((4,))}, "InplacePut": {"index": T((1,), I64), "source": T((1,))},
    "Complex": {"out": T(dtype="complex64")},
    "Cummax": {"indicesOut": INDICES}, "Cummin": {"indicesOut": INDICES},
    "MseLossOut": {"reduction": 1, "out": V}, "LogSpace": {"steps": 6, "result": T((6,))},
    "ScaledMaskedSoftmaxBackward": {
        **dict.fromkeys(("gradOutput", "y", "out"), T((1, 2, 3, 4))), "mask": T((1, 1, 3, 4), B),
    },
    "Addmv": {"self": T((2,)), "mat": T((2, 3)), "vec": V, "out": T((2,))},
    "Addbmm": {"batch1": T((1, 2, 4)), "batch2": T((1, 4, 3))},
    "InplaceAddbmm": {"batch1": T((1, 2, 4)), "batch2": T((1, 4, 3))},
    "GemmaRmsNorm": RMS, "InplaceAddRmsNorm": {"gamma": V, "rstdOut": LAST},
    "AddLayerNorm": {"gamma": V, "beta": V, "meanOut": LAST, "rstdOut": LAST},
    "DeepNorm": {"gamma": V, "beta": V, "meanOut": LAST, "rstdOut": LAST},
    "ForeachAddcdivList": {"scalars": T((2,))}, "ForeachAddcmulList": {"scalars": T((2,))},
    "DiagFlat": {"diagonal": 1, "out": T((7, 7))}, "Flatten": {"axis": 1}, "InplaceFillTensor": {"value": T(())},
    "FlashAttentionScore": {
        **dict.fromkeys(("query", "key", "value", "attentionOutOut"), HEADS), "headNum": 1,
        **dict.fromkeys(("softmaxMaxOut", "softmaxSumOut"), T((1, 1, 2, 8))),
    },
    "FlashAttentionScoreGrad": {
        **dict.fromkeys(("query", "keyIn", "value", "dy", "attentionInOptional"), HEADS), "headNum": 1,
        **dict.fromkeys(("dqOut", "dkOut", "dvOut"), HEADS), "dpseOut": HEADS,
    },
}  # fmt: skip


def row_of(name: str) -> Row:
    row = checks.row_of(f"aclnn{name}", ROWS[name])
    assert row is not None
    return row


def product_of(name: str) -> str:
    """The default product, or the first one that a function has."""
    names = row_of(name).arguments_of("chips") or ("910B",)
    return "Ascend910B" if "910B" in names else f"Ascend{names[0]}"


def dtype_in(row: Row, name: str) -> str:
    dtypes = row.dtypes.get(name) or row.dtypes.get(f"{name}?")
    first = ("float32", I64, B, "uint8")
    return next((d for d in first if d in dtypes.names), dtypes.names[0]) if dtypes else "float32"


def usual(row: Row, parameter: CParameter) -> Any:
    dtype = dtype_in(row, parameter.name)
    if "Optional" in parameter.name or parameter.name.startswith("optional"):
        return None
    return {
        "Tensor": T(dtype=dtype), "Scalar": S(1, dtype) if dtype != "float32" else S(), "ints": (0,),
        "tensors": (T(dtype=dtype), T(dtype=dtype)), "scalars": (S(), S()), "bools": (True,), "double": 0.5,
        "bool": False, "text": "BSND",
    }.get(parameter.type, 0)  # fmt: skip


#: All functions, also those without checks.
CALLS = {name.removeprefix("aclnn"): function.arguments for name, function in declared_functions.computed().items()}


def call_of(name: str) -> dict[str, Any]:
    """A call of any function. `right_call` has the functions with checks."""
    if name in ROWS:
        return right_call(name)
    row = Row(f"aclnn{name}", CALLS[name], {}, ())
    call = {parameter.name: usual(row, parameter) for parameter in row.parameters}
    return call | {k: v for k, v in SAMPLES.get(name, {}).items() if k in call}


def right_call(name: str) -> dict[str, Any]:
    row = row_of(name)
    call = {parameter.name: usual(row, parameter) for parameter in row.parameters}
    return call | {k: v for k, v in SAMPLES.get(name, {}).items() if k in call}
