"""Pooling and its gradients."""

from __future__ import annotations

from ..checks.dtypes import BF16, FLOAT, FLOAT16, INT32, INT64, D, H, X
from ..checks.patterns import WINDOW
from ..checks.phrases import (
    dtype,
    empty,
    equal,
    formats,
    images,
    must,
    null,
    on,
    oneformat,
    only,
    optional,
    positive,
    public,
    rank,
    shape,
    when,
)
from ..function import Checks, Function
from ..rules import RULES

SUBJECT = "pooling"

FUNCTIONS = (
    Function("AvgPool2d", "avgpool2d", RULES["mean_pool_2d"],
        "const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* strides, "
        "const aclIntArray* paddings, const bool ceilMode, const bool countIncludePad, "
        "const int64_t divisorOverride, const int8_t cubeMathType, aclTensor* out",
        checks=Checks(WINDOW, {"self": H, "out": H}, equal("self", "out"), images("self", "out"),
            rank("self,out", "3-4"), must("1 <= len(kernelSize) <= 2"), must("1 <= len(paddings) <= 2"),
            positive("kernelSize", "1"), positive("strides", "1"), positive("paddings"))),
    Function("AvgPool2dBackward", "avgpool2d_backward", RULES["mean_pool_2d_backward"],
        "const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize, "
        "const aclIntArray* stride, const aclIntArray* padding, bool ceilMode, bool countIncludePad, "
        "int64_t divisorOverride, int8_t cubeMathType, aclTensor* gradInput",
        checks=Checks(WINDOW, {"gradOutput": H, "self": H, "gradInput": H}, optional("stride"),
            equal("gradOutput", "gradInput"), images("gradOutput", "self", "gradInput"),
            rank("gradOutput,self,gradInput", "3-4"), positive("kernelSize", "1"), positive("stride", "1"),
            positive("padding"), must("1 <= len(kernelSize) <= 2"), must("1 <= len(padding) <= 2"),
            must("len(stride) <= 2"), must("0 <= cubeMathType <= 3"), shape("self", "gradInput"))),
    Function("AdaptiveAvgPool2d", "adaptive_avg_pool2d", RULES["adaptive_mean_2d"],
        "const aclTensor* self, const aclIntArray* outputSize, aclTensor* out"),
    Function("AdaptiveAvgPool2dBackward", "adaptive_avg_pool2d_backward", RULES["adaptive_mean_2d_backward"],
        "const aclTensor* gradOutput, const aclTensor* self, aclTensor* out"),
    Function("MaxPool", "max_pool", RULES["max_pool"],
        "const aclTensor* self, const aclIntArray* kernelShape, const aclIntArray* strides, "
        "const int64_t autoPad, const aclIntArray* pads, const aclIntArray* dilations, "
        "const int64_t ceilMode, aclTensor* out",
        checks=Checks(WINDOW, {"self": FLOAT16.on("910B", "910_93", "950", more=FLOAT).on("950", more=BF16)},
            only("910", "910B", "910_93", "950"), equal("self", "out"), oneformat("self", "out"), public("self"),
            rank("self", "3-4"), must("autoPad == 0"), positive("kernelShape", "1"), positive("strides", "1"),
            positive("pads"), positive("dilations", "1"))),
    Function("MaxPool2dWithIndices", "max_pool2d_with_indices", RULES["max_pool_2d_with_indices"],
        "const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride, "
        "const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out, "
        "aclTensor* indices",
        checks=Checks(WINDOW, {"self": FLOAT.on("910B", "910_93", "950", more=FLOAT16 + BF16), "indices": X},
            must("1 <= len(padding) <= 2"), must("1 <= len(dilation) <= 2"), only("310P", "910B", "910_93", "950"),
            equal("self", "out"), oneformat("self", "out"), public("self"), rank("self", "3-4"),
            positive("kernelSize", "1"), positive("stride", "1"), positive("padding"), positive("dilation", "1"),
            on("310P,910B,910_93", must("dilation[0] == 1")))),
    Function("MaxPool2dWithMask", "max_pool2d_with_indices", RULES["max_pool_with_mask"],
        "const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride, "
        "const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out, "
        "aclTensor* indices"),
    Function("MaxPool2dWithIndicesBackward", "max_pool2d_with_indices_backward", RULES["max_pool_2d_backward"],
        "const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices, "
        "const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding, "
        "const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput",
        checks=Checks(WINDOW,
            {"self": FLOAT.on("950", more=FLOAT16 + BF16), "indices": INT32.on("950", more=INT64)},
            must("1 <= len(padding) <= 2"), must("1 <= len(dilation) <= 2"), only("910B", "910_93", "950"),
            equal("self", "gradOutput"), equal("self", "gradInput"), oneformat("self", "gradOutput", "gradInput"),
            public("self", "indices"), rank("self,gradInput,gradOutput,indices", "3-4"),
            positive("kernelSize", "1"), positive("stride", "1"), positive("padding"), positive("dilation", "1"),
            on("910B,910_93", must("dilation[0] == 1")))),
    Function("MaxPool2dWithMaskBackward", "max_pool2d_with_indices_backward", RULES["max_pool_mask_backward"],
        "const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices, "
        "const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding, "
        "const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput"),
    Function("AvgPool3d", "avgpool3d", RULES["mean_pool_3d"],
        "const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride, "
        "const aclIntArray* padding, bool ceilMode, bool countIncludePad, int64_t divisorOverride, "
        "aclTensor* out",
        checks=Checks(WINDOW, {"self": H}, equal("self", "out"), oneformat("self", "out"), public("self"),
            rank("self,out", "4-5"), must("rank(self) == rank(out)"), must("1 <= len(kernelSize) <= 3"),
            must("len(kernelSize) != 2"), must("len(stride) <= 3"), must("len(stride) != 2"),
            must("1 <= len(padding) <= 3"), must("len(padding) != 2"), positive("kernelSize", "1"),
            positive("stride", "1"), positive("padding"), must("kernelSize[0] <= self[-3]"),
            when("len(kernelSize) == 1", must("self[-1] >= kernelSize[0] <= self[-2]")),
            when("len(kernelSize) == 3", must("kernelSize[1] <= self[-2]")),
            when("len(kernelSize) == 3", must("kernelSize[2] <= self[-1]")))),
    Function("AvgPool3dBackward", "avgpool3d_backward", RULES["mean_pool_3d_backward"],
        "const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize, "
        "const aclIntArray* stride, const aclIntArray* padding, bool ceilMode, bool countIncludePad, "
        "int64_t divisorOverride, aclTensor* output",
        checks=Checks(WINDOW, {"gradOutput": H, "self": H, "output": H}, only("910B", "910_93", "950"),
            equal("self", "output", "gradOutput"), rank("gradOutput,self,output", "4-5"),
            must("rank(self) == rank(gradOutput)"), shape("output", "self"), must("1 <= len(kernelSize) <= 3"),
            must("len(kernelSize) != 2"), must("len(stride) <= 3"), must("len(stride) != 2"),
            must("1 <= len(padding) <= 3"), must("len(padding) != 2"), oneformat("output", "gradOutput"),
            public("gradOutput"), empty("gradOutput"), positive("kernelSize", "1"), positive("stride", "1"),
            positive("padding"))),
    Function("MaxPool3dWithArgmax", "max_pool3d_with_argmax", RULES["max_pool_3d_with_indices"],
        "const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride, "
        "const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out, "
        "aclTensor* indices",
        checks=Checks(WINDOW, {"self": H, "indices": INT32},
            null("161002", "self", "kernelSize", "stride", "padding", "dilation", "out", "indices"),
            only("910B", "910_93", "950"), equal("self", "out"), oneformat("out", "indices", "self"),
            public("self"), rank("self", "4-5"), must("1 <= len(kernelSize) <= 3"), must("len(kernelSize) != 2"),
            must("len(stride) <= 3"), must("len(stride) != 2"), must("1 <= len(padding) <= 3"),
            must("len(padding) != 2"), positive("kernelSize", "1"), positive("stride", "1"), positive("padding"),
            must("1 <= len(dilation) <= 3"), must("len(dilation) != 2"), must("dilation[0] == 1"),
            must("dilation[1] == 1"), must("dilation[2] == 1"), empty("self", "out"))),
    Function("MaxPool3dWithArgmaxBackward", "max_pool3d_with_argmax_backward", RULES["max_pool_3d_backward"],
        "const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices, "
        "const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding, "
        "const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput",
        checks=Checks(WINDOW, {"self": H, "indices": INT32}, null("161002", "gradOutput", "self", "indices",
            "kernelSize", "stride", "padding", "dilation", "gradInput"), only("910B", "910_93"),
            equal("gradOutput", "gradInput", "self"), oneformat("gradOutput", "gradInput", "self"),
            public("self", "indices"), rank("self,gradInput,gradOutput,indices", "4-5"),
            must("1 <= len(kernelSize) <= 3"), must("len(kernelSize) != 2"), must("len(stride) <= 3"),
            must("len(stride) != 2"), must("1 <= len(padding) <= 3"), must("len(padding) != 2"),
            positive("kernelSize", "1"), positive("stride", "1"), positive("padding"),
            must("1 <= len(dilation) <= 3"), must("len(dilation) != 2"), positive("dilation", "1"),
            empty("gradOutput", "self", "indices"))),
    Function("AdaptiveAvgPool3d", "adaptive_avg_pool3d", RULES["adaptive_mean_3d"],
        "const aclTensor* self, const aclIntArray* outputSize, aclTensor* out",
        checks=Checks(WINDOW, {"self": H}, equal("out", "self"), rank("self,out", "4-5"),
            must("rank(self) == rank(out)"), oneformat("self", "out"), public("self"), must("len(outputSize) == 3"))),
    Function("AdaptiveAvgPool3dBackward", "adaptive_avg_pool3d_backward", RULES["adaptive_mean_3d_backward"],
        "const aclTensor* gradOutput, const aclTensor* self, aclTensor* out",
        checks=Checks(WINDOW, {"narrow": H, "gradOutput": D}, only("910", "910B", "910_93", "950"),
            equal("self", "out", "gradOutput"), rank("self,gradOutput,out", "4-5"),
            must("rank(self) == rank(gradOutput)"), shape("out", "self"),
            on("910,910B,910_93", must("self[0] != 0")), must("self[1] != 0"), must("self[2] != 0"),
            must("self[3] != 0"), must("self[-1] != 0"), must("gradOutput[-1] != 0"), must("gradOutput[-2] != 0"),
            must("gradOutput[-3] != 0"), oneformat("gradOutput", "out", "self"), public("gradOutput"),
            on("910", must("gradOutput[-1] == 1")), when("gradOutput[-1] != 1", dtype("gradOutput", "narrow")),
            on("910", must("gradOutput[-2] == 1")), when("gradOutput[-2] != 1", dtype("gradOutput", "narrow")),
            on("910", must("gradOutput[-3] == 1")), when("gradOutput[-3] != 1", dtype("gradOutput", "narrow")))),
    Function("AdaptiveMaxPool2d", "adaptive_max_pool2d", RULES["adaptive_max_2d"],
        "const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut, " "aclTensor* indicesOut",
        checks=Checks(WINDOW, {"self": H, "indicesOut": INT64}, only("910B", "910_93", "950"),
            equal("outputOut", "self"), formats("self", "NHWC"), rank("self", "3-4"),
            shape("outputOut", "indicesOut"), must("self[1] != 0"), must("self[2] != 0"), must("self[-1] != 0"),
            must("len(outputSize) == 2"), positive("outputSize", "1"))),
    Function("AdaptiveMaxPool2dBackward", "adaptive_max_pool2d_backward", RULES["adaptive_max_2d_backward"],
        "const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices, " "aclTensor* gradInput",
        checks=Checks(WINDOW, {"self": H, "indices": X}, only("910B", "910_93", "950"),
            equal("gradOutput", "gradInput", "self"), rank("self,gradOutput,indices,gradInput", "3-4"),
            must("rank(self) == rank(gradOutput)"), shape("indices", "gradOutput"), shape("gradInput", "self"),
            oneformat("gradOutput", "gradInput", "indices", "self"), public("self"),
            empty("gradOutput", "self", "indices"))),
    Function("AdaptiveMaxPool3d", "adaptive_max_pool3d", RULES["adaptive_max_3d"],
        "const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut, " "aclTensor* indicesOut",
        checks=Checks(WINDOW, {"self": H, "indicesOut": INT32.on("950", more=INT64)}, only("910B", "910_93", "950"),
            equal("outputOut", "self"), rank("self,outputOut,indicesOut", "4-5"),
            formats("self", "NHWC", "HWCN", "NDHWC", "NCL", "NC"), on("910B,910_93", formats("self", "ND")),
            public("self"), oneformat("outputOut", "self"), must("len(outputSize) == 3"),
            positive("outputSize", "1"), must("self[1] != 0"), must("self[2] != 0"), must("self[3] != 0"),
            must("self[-1] != 0"))),
    Function("AdaptiveMaxPool3dBackward", "adaptive_max_pool3d_backward", RULES["adaptive_max_3d_backward"],
        "const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices, " "aclTensor* gradInput",
        checks=Checks(WINDOW, {"self": H, "indices": INT32.on("950", more=INT64)}, only("910B", "910_93", "950"),
            equal("gradOutput", "gradInput", "self"), rank("self,gradOutput,indices,gradInput", "4-5"),
            must("rank(self) == rank(gradOutput)"), shape("indices", "gradOutput"), shape("gradInput", "self"),
            oneformat("gradOutput", "gradInput", "indices", "self"), public("self"),
            empty("gradOutput", "self", "indices"))),
)  # fmt: skip
