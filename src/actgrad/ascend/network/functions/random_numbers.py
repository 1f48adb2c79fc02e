"""Random numbers and dropout."""

from __future__ import annotations

from ..checks.dtypes import INT64, UINT8, C, D, H, N, R, U
from ..checks.patterns import RANDOM
from ..checks.phrases import (
    any_rank,
    any_shape,
    casts,
    columns,
    empty_first,
    fits,
    must,
    null,
    only,
    public,
    rank,
    shape,
    when,
)
from ..checks.terms import all_equal, arg, between
from ..function import Checks, Function
from ..rules import RULES

SUBJECT = "random numbers"

FUNCTIONS = (
    Function("InplaceNormal", "normal", RULES["normal"],
        "const aclTensor* selfRef, float mean, float std, int64_t seed, int64_t offset", results=("selfRef",),
        checks=Checks(RANDOM, {"selfRef": R}, must(arg("std") >= 0))),
    Function("InplaceUniform", "uniform", RULES["uniform"],
        "const aclTensor* selfRef, double from, double to, uint64_t seed, uint64_t offset", results=("selfRef",),
        checks=Checks(RANDOM, {"selfRef": N.on_every_chip()}, must(arg("from") <= arg("to")))),
    Function("InplaceNormalTensor", "normal", RULES["normal_of_tensors"],
        "const aclTensor* selfRef, float mean, float std, const aclTensor* seedTensor, "
        "const aclTensor* offsetTensor, int64_t offset", results=("selfRef",),
        checks=Checks(RANDOM, {"selfRef": R}, must(arg("std") >= 0),
            when(arg("selfRef").count != 0, columns(("seedTensor", "offsetTensor"), (INT64, INT64))),
            when(arg("selfRef").count != 0, must(all_equal(arg("seedTensor").count, arg("offsetTensor").count, 1))))),
    Function("InplaceUniformTensor", "uniform", RULES["uniform_of_tensors"],
        "const aclTensor* selfRef, double from, double to, const aclTensor* seedTensor, "
        "const aclTensor* offsetTensor, uint64_t offset", results=("selfRef",),
        checks=Checks(RANDOM, {"selfRef": N.on_every_chip()}, must(arg("from") <= arg("to")),
            when(arg("selfRef").count != 0, columns(("seedTensor", "offsetTensor"), (INT64, INT64))),
            when(arg("selfRef").count != 0, must(all_equal(arg("seedTensor").count, arg("offsetTensor").count, 1))))),
    Function("InplaceBernoulli", "bernoulli", RULES["bernoulli"],
        "const aclTensor* selfRef, const aclScalar* prob, int64_t seed, int64_t offset", results=("selfRef",),
        checks=Checks(RANDOM, {"selfRef": R.on("950", more=U), "prob": D}, public("selfRef"),
            only("910", "910B", "910_93", "950"), must(between(0, arg("prob"), 1)))),
    Function("InplaceBernoulliTensor", "bernoulli", RULES["bernoulli"],
        "const aclTensor* selfRef, const aclTensor* prob, int64_t seed, int64_t offset", results=("selfRef",),
        checks=Checks(RANDOM, {"selfRef": R.on("950", more=U), "prob": D}, public("selfRef", "prob"),
            only("910", "910B", "910_93", "950"),
            when(arg("prob").count != 0, when(arg("selfRef").count != 0, fits("prob", "selfRef"))))),
    Function("InplaceRandom", "random", RULES["integers"],
        "const aclTensor* selfRef, int64_t from, int64_t to, int64_t seed, int64_t offset", results=("selfRef",),
        checks=Checks(RANDOM, {"selfRef": R.on("910", "910B", "910_93", "310P", "310B", more=C).on_every_chip()},
            must(arg("from") < arg("to")))),
    Function("InplaceRandomTensor", "random", RULES["integers_of_tensors"],
        "const aclTensor* selfRef, int64_t from, int64_t to, const aclTensor* seedTensor, "
        "const aclTensor* offsetTensor, int64_t offset", results=("selfRef",),
        checks=Checks(RANDOM, {"selfRef": R.on("910", "910B", "910_93", "310P", "310B", more=C).on_every_chip()},
            must(arg("from") < arg("to")), when(arg("selfRef").count != 0, columns(("seedTensor", "offsetTensor"),
            (INT64, INT64))),
            when(arg("selfRef").count != 0, must(all_equal(arg("seedTensor").count, arg("offsetTensor").count, 1))))),
    Function("Randperm", "randperm", RULES["permutation"],
        "int64_t n, int64_t seed, int64_t offset, aclTensor* out",
        checks=Checks(RANDOM, {"out": N}, null(561103, "out"), must(arg("n") >= 0))),
    Function("Multinomial", "multinomial", RULES["multinomial"],
        "const aclTensor* self, int64_t numsamples, bool replacement, int64_t seed, int64_t offset, "
        "aclTensor* out",
        checks=Checks(RANDOM, {"self": D, "out": INT64}, rank("self", between=(1, 2)),
            must(arg("self").rank == arg("out").rank),
            must(arg("out")[-1] == arg("numsamples")), when(arg("self").rank == 2,
            must(arg("self")[0] == arg("out")[0])),
            must(arg("numsamples") >= 1), when(arg("replacement") == 0, must(arg("numsamples") <= arg("self")[-1])),
            must(arg("self")[-1] <= 16777216))),
    Function("MultinomialTensor", "multinomial", RULES["multinomial_of_tensors"],
        "const aclTensor* self, int64_t numsamples, bool replacement, const aclTensor* seedTensor, "
        "const aclTensor* offsetTensor, int64_t offset, aclTensor* out",
        checks=Checks(RANDOM, {"self": D, "out": INT64}, when(arg("self").count != 0, when(arg("self").count <= 5000,
            columns(("seedTensor", "offsetTensor"), (INT64, INT64)))), rank("self", between=(1, 2)),
            must(arg("self").rank == arg("out").rank), must(arg("out")[-1] == arg("numsamples")),
            when(arg("self").rank == 2, must(arg("self")[0] == arg("out")[0])), must(arg("numsamples") >= 1),
            when(arg("replacement") == 0, must(arg("numsamples") <= arg("self")[-1])),
            must(arg("self")[-1] <= 16777216),
            when(arg("self").count != 0, must(all_equal(arg("seedTensor").count, arg("offsetTensor").count, 1))),
            any_rank())),
    Function("DropoutGenMask", "dropout_gen_mask", RULES["dropout_mask"],
        "const aclIntArray* shape, double prob, int64_t seed, int64_t offset, aclTensor* out",
        checks=Checks(RANDOM, {"out": UINT8}, must(between(0, arg("prob"), 1)), any_shape("out"))),
    Function("DropoutGenMaskV2", "dropout_gen_mask", RULES["dropout_mask"],
        "const aclIntArray* shape, double prob, int64_t seed, int64_t offset, aclDataType probDataType, "
        "aclTensor* out",
        checks=Checks(RANDOM, {"out": UINT8}, must(between(0, arg("prob"), 1)), any_shape("out"))),
    Function("DropoutDoMask", "dropout_do_mask", RULES["dropout"],
        "const aclTensor* self, const aclTensor* mask, double prob, aclTensor* out",
        checks=Checks(RANDOM, {"self": H, "mask": UINT8}, empty_first("self", "mask"), casts("self", "out"),
            must(between(0, arg("prob"), 1)), shape("self", "out"), must(arg("self").mask_bytes <= arg("mask").count))),
)  # fmt: skip
