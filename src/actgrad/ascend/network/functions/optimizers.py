"""Steps of optimisers."""

from __future__ import annotations

from ..checks.dtypes import FLOAT, INT64, H
from ..checks.patterns import OTHER
from ..checks.phrases import any_rank, must, one_of, shape, when
from ..checks.terms import arg
from ..function import Checks, Function
from ..rules import RULES

SUBJECT = "steps of optimisers"

FUNCTIONS = (
    Function("ApplyAdamWV2", "apply_adam_w_v2", RULES["adam_w"],
        "aclTensor* varRef, aclTensor* mRef, aclTensor* vRef, aclTensor* maxGradNormOptionalRef, "
        "const aclTensor* grad, const aclTensor* step, float lr, float beta1, float beta2, "
        "float weightDecay, float eps, bool amsgrad, bool maximize",
        checks=Checks(OTHER, {"varRef": H, "mRef": H, "vRef": H, "maxGradNormOptionalRef": H, "grad": H,
            "step": FLOAT + INT64}, when(arg("amsgrad") == 1, one_of("maxGradNormOptionalRef")),
            shape("mRef", "vRef", "grad", "maxGradNormOptionalRef", "varRef"), must(arg("step").count == 1),
            any_rank())),
    Function("AmpUpdateScale", "amp_update_scale", RULES["loss_scale"],
        "const aclTensor* currentScale, const aclTensor* growthTracker, const aclTensor* foundInf, "
        "double growthFactor, double backoffFactor, int64_t growthInterval, "
        "const aclTensor* updatedScaleOut, const aclTensor* updatedGrowthTrackerOut", results=("updatedScaleOut",
        "updatedGrowthTrackerOut",)),
)  # fmt: skip
