"""Convolutions and their gradients."""

from __future__ import annotations

from ..checks.dtypes import FLOAT8_E4M3FN, HIFLOAT8, H
from ..checks.patterns import WINDOW
from ..checks.phrases import cube, dtype, images, masked, must, only, optional, positive, rank, when
from ..checks.terms import arg, between
from ..function import Checks, Function
from ..rules import RULES

SUBJECT = "convolution"

FUNCTIONS = (
    Function("Convolution", "convolution", RULES["convolution"],
        "const aclTensor* input, const aclTensor* weight, const aclTensor* bias, "
        "const aclIntArray* stride, const aclIntArray* padding, const aclIntArray* dilation, "
        "bool transposed, const aclIntArray* outputPadding, const int64_t groups, aclTensor* output, "
        "int8_t cubeMathType",
        checks=Checks(WINDOW, {"input": H.on("950", more=HIFLOAT8 + FLOAT8_E4M3FN),
            "weight": H.on("950", more=HIFLOAT8 + FLOAT8_E4M3FN), "output": H.on("950", more=HIFLOAT8 + FLOAT8_E4M3FN),
            "bias": H, "narrow": H.on("950", more=HIFLOAT8)}, optional("bias", "outputPadding"),
            when(arg("transposed") == 0, dtype("input", "narrow")), when(arg("transposed") == 0, dtype("weight",
            "narrow")),
            when(arg("transposed") == 0, dtype("output", "narrow")),
            rank("input", "weight", "output", between=(3, 5)), images("input", "weight", "output"), positive("stride",
            1),
            positive("padding"), positive("dilation", 1), must(arg("groups") >= 1), must(between(0,
            arg("cubeMathType"), 3)),
            cube("cubeMathType"), only("910B", "910_93", "950", "310P", "310B"))),
    Function("ConvolutionBackward", "convolution_backward", RULES["convolution_backward"],
        "const aclTensor* gradOutput, const aclTensor* input, const aclTensor* weight, "
        "const aclIntArray* biasSizes, const aclIntArray* stride, const aclIntArray* padding, "
        "const aclIntArray* dilation, bool transposed, const aclIntArray* outputPadding, int groups, "
        "const aclBoolArray* outputMask, int8_t cubeMathType, aclTensor* gradInput, "
        "aclTensor* gradWeight, aclTensor* gradBias",
        checks=Checks(WINDOW,
            {**dict.fromkeys(("gradOutput", "input", "weight", "gradInput", "gradWeight", "gradBias"),
                H.on("950", more=HIFLOAT8 + FLOAT8_E4M3FN)), "narrow": H.on("950", more=HIFLOAT8)},
            when(arg("transposed") == 1, dtype("gradOutput", "narrow")), when(arg("transposed") == 1, dtype("input",
            "narrow")),
            when(arg("transposed") == 1, dtype("weight", "narrow")),
            optional("biasSizes", "gradInput", "gradWeight", "gradBias"),
            masked("outputMask", "gradInput", "gradWeight", "gradBias", length_status=161001),
            images("gradOutput", "input", "weight", "gradInput", "gradWeight"),
            rank("gradOutput", "input", "weight", between=(3, 5)), positive("stride", 1), positive("padding"),
            positive("dilation", 1), must(arg("groups") >= 1), must(between(0, arg("cubeMathType"), 3)),
            cube("cubeMathType"))),
    Function("Im2col", "im2col", RULES["image_columns"],
        "const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* dilation, "
        "const aclIntArray* padding, const aclIntArray* stride, const aclTensor* out"),
)  # fmt: skip
