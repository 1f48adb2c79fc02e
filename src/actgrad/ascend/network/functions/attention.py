"""Attention, softmax with masks, rotary positions."""

from __future__ import annotations

from ..checks.dtypes import BF16, BOOL, FLOAT16, INT4, INT8, UINT8, H
from ..checks.patterns import ATTENTION, OTHER
from ..checks.phrases import chips, equal, must, nd, one_of, one_or_size_of, optional, rank, shape, tiling
from ..checks.terms import arg, between
from ..function import Checks, Function
from ..rules import RULES

SUBJECT = "attention"

FUNCTIONS = (
    Function("FlashAttentionScore", "flash_attention_score", RULES["attention"],
        "const aclTensor* query, const aclTensor* key, const aclTensor* value, "
        "const aclTensor* realShiftOptional, const aclTensor* dropMaskOptional, "
        "const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional, "
        "const aclIntArray* prefixOptional, double scaleValue, double keepProb, int64_t preTokens, "
        "int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise, "
        "int64_t sparseMode, const aclTensor* softmaxMaxOut, const aclTensor* softmaxSumOut, "
        "const aclTensor* softmaxOutOut, const aclTensor* attentionOutOut",
        checks=Checks(ATTENTION, {"query": H, "dropMaskOptional": UINT8}, optional("softmaxOutOut"),
            equal("key", "value", "query"), equal("realShiftOptional", "query"), must(arg("headNum") > 0))),
    Function("FlashAttentionScoreGrad", "flash_attention_score_grad", RULES["attention_backward"],
        "const aclTensor* query, const aclTensor* keyIn, const aclTensor* value, const aclTensor* dy, "
        "const aclTensor* pseShiftOptional, const aclTensor* dropMaskOptional, "
        "const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional, "
        "const aclTensor* softmaxMaxOptional, const aclTensor* softmaxSumOptional, "
        "const aclTensor* softmaxInOptional, const aclTensor* attentionInOptional, "
        "const aclIntArray* prefixOptional, double scaleValue, double keepProb, int64_t preTokens, "
        "int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise, "
        "int64_t sparseMode, const aclTensor* dqOut, const aclTensor* dkOut, const aclTensor* dvOut, "
        "const aclTensor* dpseOut",
        checks=Checks(ATTENTION, {"query": H, "dropMaskOptional": UINT8}, equal("keyIn", "value", "dy", "query"),
            one_of("attentionInOptional"), must(arg("headNum") > 0),
            rank("query", "keyIn", "value", "dy", "attentionInOptional", "dqOut", "dkOut", "dvOut", between=(3, 8)),
            optional("dpseOut"))),
    Function("FusedInferAttentionScoreV2", "fused_infer_attention_score_v2", RULES["inference"],
        "const aclTensor* query, const aclTensorList* key, const aclTensorList* value, "
        "const aclTensor* pseShiftOptional, const aclTensor* attenMaskOptional, "
        "const aclIntArray* actualSeqLengthsOptional, const aclIntArray* actualSeqLengthsKvOptional, "
        "const aclTensor* deqScale1Optional, const aclTensor* quantScale1Optional, "
        "const aclTensor* deqScale2Optional, const aclTensor* quantScale2Optional, "
        "const aclTensor* quantOffset2Optional, const aclTensor* antiquantScaleOptional, "
        "const aclTensor* antiquantOffsetOptional, const aclTensor* blockTableOptional, "
        "const aclTensor* queryPaddingSizeOptional, const aclTensor* kvPaddingSizeOptional, "
        "const aclTensor* keyAntiquantScaleOptional, const aclTensor* keyAntiquantOffsetOptional, "
        "const aclTensor* valueAntiquantScaleOptional, const aclTensor* valueAntiquantOffsetOptional, "
        "const aclTensor* keySharedPrefixOptional, const aclTensor* valueSharedPrefixOptional, "
        "const aclIntArray* actualSharedPrefixLenOptional, int64_t numHeads, double scaleValue, "
        "int64_t preTokens, int64_t nextTokens, char* inputLayout, int64_t numKeyValueHeads, "
        "int64_t sparseMode, int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode, "
        "bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode, "
        "const aclTensor* attentionOut, const aclTensor* softmaxLse", results=("attentionOut", "softmaxLse",),
        checks=Checks(ATTENTION, {"query": FLOAT16 + BF16 + INT8, "pseShiftOptional": FLOAT16 + BF16,
            "key": FLOAT16 + BF16 + INT8 + INT4, "value": FLOAT16 + BF16 + INT8 + INT4,
            "attentionOut": FLOAT16 + BF16 + INT8}, chips("910B", "910_93"), optional("softmaxLse"),
            tiling(rank("query", "key", "value", between=(3, 4))), tiling(must(arg("numHeads") > 0)),
            tiling(shape("attentionOut", "query")))),
    Function("RotaryPositionEmbedding", "rotary_position_embedding", RULES["rotary"],
        "const aclTensor* x, const aclTensor* cos, const aclTensor* sin, int64_t mode, aclTensor* out",
        checks=Checks(ATTENTION, {"x": H, "cos": H, "sin": H, "out": H}, chips("910B", "910_93", "950"),
            equal("cos", "sin", "out", "x"), tiling(rank("x", "cos", "sin", "out", exactly=4)),
            tiling(must(arg("x")[-1].is_multiple_of(2))),
            tiling(shape("out", "x")), tiling(shape("sin", "cos")), tiling(one_or_size_of("cos", "x")),
            tiling(must(between(0, arg("mode"), 3))))),
    Function("ScaledMaskedSoftmax", "scaled_masked_softmax", RULES["masked_softmax"],
        "const aclTensor* x, const aclTensor* mask, double scale, bool fixTriuMask, aclTensor* y"),
    Function("ScaledMaskedSoftmaxBackward", "scaled_masked_softmax_backward", RULES["masked_softmax_backward"],
        "const aclTensor* gradOutput, const aclTensor* y, const aclTensor* mask, double scale, "
        "bool fixTriuMask, aclTensor* out",
        checks=Checks(OTHER, {"gradOutput": H.on_every_chip(), "y": H.on_every_chip(), "mask": BOOL,
            "out": H.on_every_chip()}, nd("gradOutput"), nd("y"), nd("mask"), nd("out"),
            rank("gradOutput", "mask", exactly=4), must(arg("gradOutput")[3] <= 4096), shape("y", "gradOutput"),
            shape("out", "gradOutput"), must(arg("mask")[2] == arg("gradOutput")[2]),
            must(arg("mask")[3] == arg("gradOutput")[3]),
            one_or_size_of("mask", "gradOutput"), must(arg("fixTriuMask") == 0), chips("910B", "910_93"),
            equal("y", "out", "gradOutput"))),
)  # fmt: skip
