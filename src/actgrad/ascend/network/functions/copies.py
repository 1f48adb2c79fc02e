"""Copies, casts and fills."""

from __future__ import annotations

from ..checks.dtypes import (
    ALL,
    BOOL,
    COMPLEX32,
    F4,
    F8,
    FLOAT8_E8M0,
    INT4,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    D,
    H,
    I,
    R,
    U,
    X,
)
from ..checks.patterns import OTHER
from ..checks.phrases import any_rank, any_shape, fits, must, null, promotable, rank, real, shape, stepped
from ..checks.terms import arg
from ..function import Checks, Function
from ..rules import RULES

SUBJECT = "copies and fills"

FUNCTIONS = (
    Function("Eye", "eye", RULES["eye"],
        "int64_t n, int64_t m, aclTensor* out",
        checks=Checks(OTHER, {"out": H + I + BOOL}, rank("out", exactly=2), must(arg("n") >= 0), must(arg("m") >= 0),
            must(arg("out")[0] == arg("n")), must(arg("out")[1] == arg("m")))),
    Function("Linspace", "linspace", RULES["linspace"],
        "const aclScalar* start, const aclScalar* end, int64_t steps, aclTensor* out",
        checks=Checks(OTHER, {"out": (D + INT32 + INT8 + UINT8).on("910B", "910_93", "950", more=INT16 + INT64)},
            null(561103, "start", "end", "out"), real("start", "end"), must(arg("steps") >= 0), any_shape("out"))),
    Function("InplaceCopy", "copy", RULES["copy"],
        "aclTensor* selfRef, const aclTensor* src",
        checks=Checks(OTHER, {"selfRef": (ALL + U + F8 + FLOAT8_E8M0).on_every_chip(),
            "src": (ALL + U + F8 + FLOAT8_E8M0).on_every_chip()},
            fits("src", "selfRef"))),
    Function("Cast", "cast", RULES["cast"],
        "const aclTensor* self, const aclDataType dtype, aclTensor* out",
        checks=Checks(OTHER,
            {"self": (ALL + U).on("950", more=COMPLEX32 + F8 + F4),
                "dtype": (ALL + U).on("950", more=COMPLEX32 + F8 + F4 + INT4)},
            shape("out", "self"))),
    Function("InplaceFillScalar", "fill_scalar", RULES["fill"],
        "aclTensor* selfRef, const aclScalar* value",
        checks=Checks(OTHER, {"selfRef": ALL.on("910B", "910_93", "950", more=U)}, promotable("selfRef", "value"))),
    Function("InplaceZero", "zero", RULES["zero"],
        "aclTensor* selfRef",
        checks=Checks(OTHER, {"selfRef": (ALL + UINT16).on_every_chip().on("950", more=F8 + F4)}, any_rank())),
    Function("InplaceOne", "ones", RULES["one"],
        "const aclTensor* selfRef", results=("selfRef",),
        checks=Checks(OTHER, {"selfRef": R})),
    Function("Arange", "arange", RULES["sequence"],
        "const aclScalar* start, const aclScalar* end, const aclScalar* step, aclTensor* out",
        checks=Checks(OTHER, {"start": R, "end": R, "step": R, "out": D + X},
            stepped("start", "end", "step", "out"), any_shape("out"))),
    Function("Complex", "complex", RULES["complex"],
        "const aclTensor* real, const aclTensor* imag, aclTensor* out"),
)  # fmt: skip
