"""CANN's law of rrelu."""

from ...checks.dtype_rules import equal
from ...checks.shape_rules import same_shape
from ...ops.rrelu import ENOUGH_NOISE, NO_TRAINING, rrelu_with_noise
from ..rules.law import C, InPlace, Law
from ..rules.rule import Origin, rank, rule_from, same_format, scalar_supported, supported

FLOAT_SCALARS = "float32 float16 bfloat16 float64"

Law(
    rrelu_with_noise,
    checks=(
        supported("self", "noise", "out"),
        equal("out", "noise", to="self"),
        scalar_supported("lower", FLOAT_SCALARS, everywhere=True),
        scalar_supported("upper", FLOAT_SCALARS, everywhere=True),
        same_shape("out", to="self"),
        (ENOUGH_NOISE,),
        rank("self", "noise", maximum=32),
        same_format("self", "noise", to="out"),
        (rule_from(NO_TRAINING, origin=Origin.ACTGRAD),),
    ),
    functions=(C("RReluWithNoise", in_place=InPlace("self", is_const=True, overwrites_first=True)),),
    differences_file="rrelu.md",
)
