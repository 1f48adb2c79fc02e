"""CANN's law of sigmoid."""

from ...checks.dtype_rules import convertible, equal, promoted
from ...checks.shape_rules import broadcastable, result_shape, same_shape
from ...ops.sigmoid import sigmoid, sigmoid_backward, tanh, tanh_backward
from ..rules.law import C, InPlace, Law
from ..rules.rule import on_chip, only_documents, public_format, rank, same_format, supported

FLOATS = "float32 float16 float64 complex64 complex128 bfloat16"

HALVES = "float32 float16 bfloat16"

Law(
    sigmoid,
    dtypes="float32 float16 float64 complex64 complex128 bfloat16 int8 int16 int32 int64 uint8 bool",
    checks=(
        supported("self", everywhere=True),
        supported("out", dtypes=FLOATS, everywhere=True),
        on_chip("self"),
        same_shape("out", to="self"),
        rank("self"),
    ),
    functions=(
        C(
            "Sigmoid",
            in_place=InPlace(checks=(supported("self", dtypes=FLOATS),)),
            out_checks=(only_documents(supported("self", "out", dtypes=HALVES, everywhere=True)),),
        ),
    ),
    graph=("Sigmoid(x=self) -> y",),
    differences_file="sigmoid.md",
)

Law(
    sigmoid_backward,
    dtypes="float32 float16 float64 complex64 complex128 bfloat16",
    checks=(
        supported("grad_output", "output", "grad_input", everywhere=True),
        on_chip("grad_output"),
        rank("grad_output", "output"),
        promoted("grad_output", "output"),
        convertible("grad_input"),
        broadcastable("output", to="grad_output"),
        result_shape("grad_input"),
        only_documents(rank("grad_output", "output", minimum=1)),
    ),
    functions=(C("SigmoidBackward", fixed={"complex_conj": True}),),
    graph=("SigmoidGrad(y=output, dy=grad_output, complex_conj=False) -> z",),
)

Law(
    tanh,
    dtypes="float32 float16 bfloat16 int8 int16 int32 int64 uint8 bool",
    checks=(
        supported("self"),
        supported("out"),
        only_documents(supported("out", dtypes=HALVES)),
        convertible("out"),
        same_format("out", to="self"),
        public_format("self"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    functions=(C("Tanh", in_place=InPlace(checks=(supported("self", dtypes=HALVES),))),),
    graph=("Tanh(x=self) -> y",),
    differences_file="sigmoid.md",
)

Law(
    tanh_backward,
    dtypes="float32 float16 bfloat16 float64",
    checks=(
        supported("grad_output", "output", "grad_input"),
        equal("output", "grad_input", to="grad_output"),
        rank("grad_output", "output"),
        broadcastable("output", to="grad_output"),
        result_shape("grad_input"),
    ),
    functions=(C("TanhBackward"),),
    graph=("TanhGrad(y=output, dy=grad_output, complex_conj=_:False) -> z",),
    differences_file="sigmoid.md",
)
