"""Calls with one fault each: every rule of every operator, broken."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import actgrad
from tests.support.calls import BFLOAT16


def f4(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def of(dtype: Any, *shape: int) -> np.ndarray:
    return np.ones(shape, dtype)


@dataclass(frozen=True)
class Bad:
    """A call with one fault. `says` must be in the message, after the operator's name."""

    operator: str
    tensors: tuple[Any, ...]
    error: type[actgrad.ActgradError]
    says: str
    attributes: dict[str, Any] = field(default_factory=dict)
    product: str = ""
    rules: str = ""

    def __str__(self) -> str:
        return f"{self.operator}: {self.says[:40]}"


NULL, INVALID, DTYPE = actgrad.NullArgument, actgrad.InvalidArgument, actgrad.InvalidDtype
UNSUPPORTED = actgrad.UnsupportedOnProduct
A = f4(3, 4)
HALF, PACKED = f4(3, 4), f4(3, 8)
BF16 = of(BFLOAT16, 3, 4)

#: The products.
ALL = ("Ascend950", "Ascend910_93", "Ascend910B", "Ascend310B", "Ascend310P", "Ascend910")

BAD = [
    # ELU
    Bad("elu", (None,), NULL, "self is None; it is required"),
    Bad("elu", (), NULL, "self is None; it is required"),
    Bad("elu", (A,), NULL, "alpha is None; it is required", {"alpha": None}),
    Bad("elu", (A,), NULL, "scale is None; it is required", {"scale": None}),
    Bad("elu", (A,), NULL, "input_scale is None; it is required", {"input_scale": None}),
    Bad("elu", (A,), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("elu", (of("i4", 3),), DTYPE, "self is int32; it must be float32, float16"),
    Bad("elu", (of("i4", 3),), DTYPE, "self is int32; it must be ", product="Ascend910B"),
    Bad("elu", (A,), DTYPE, "alpha is complex (1j); it must be a real number", {"alpha": 1j}),
    Bad("elu", (A,), DTYPE, "scale is complex", {"scale": np.complex64(1)}),
    Bad("elu", (A,), DTYPE, "input_scale is complex", {"input_scale": complex(1, 0)}),
    Bad("elu", (A,), DTYPE, "out is int32, but the result is float32", {"out": of("i4", 3, 4)}),
    Bad("elu", (A,), DTYPE, "out is bool, but the result is float32", {"out": of("?", 3, 4)}),
    Bad("elu", (A,), DTYPE, "out is complex64; it must be ", {"out": of("c8", 3, 4)}, rules="document"),
    Bad("elu", (A,), INVALID, "out has shape (4, 3); it must be (3, 4), the shape of self", {"out": f4(4, 3)}),
    Bad("elu", (A,), INVALID, "out has shape (12,); it must be (3, 4), the shape of self", {"out": f4(12)}),
    Bad("elu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", product="Ascend910B"),
    # ELU backward
    Bad("elu_backward", (None, A), NULL, "grad_output is None; it is required"),
    Bad("elu_backward", (A, None), NULL, "self_or_result is None; it is required"),
    Bad("elu_backward", (A,), NULL, "self_or_result is None; it is required"),
    Bad("elu_backward", (A, A), NULL, "alpha is None; it is required", {"alpha": None}),
    Bad("elu_backward", (A, A), NULL, "is_result is None; it is required", {"is_result": None}),
    Bad("elu_backward", (A, A), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("elu_backward", (A, of("f2", 3, 4)), DTYPE, "self_or_result is float16, but grad_output is float32; their"),
    Bad("elu_backward", (of("i1", 3), of("i1", 3)), DTYPE, "grad_output is int8; it must be "),
    Bad("elu_backward", (BF16, BF16), DTYPE, "grad_output is bfloat16; it must be ", product="Ascend910"),
    Bad(
        "elu_backward", (of("f8", 3), of("f8", 3)), DTYPE,
        "is float64; it must be ", product="Ascend910B",
    ),
    Bad("elu_backward", (A, A), DTYPE, "alpha is complex", {"alpha": 1j}),
    Bad("elu_backward", (A, A), DTYPE, "grad_input is int32, but the result is float32", {"out": of("i4", 3, 4)}),
    Bad("elu_backward", (A, f4(16)), INVALID, "self_or_result has shape (16,); it must be (3, 4), the shape of"),
    Bad("elu_backward", (A, f4(4)), INVALID, "self_or_result has shape (4,); it must be (3, 4), the shape of"),
    Bad("elu_backward", (A, A), INVALID, "grad_input has shape (4,); it must be (3, 4), the shape of", {"out": f4(4)}),
    Bad("elu_backward", (f4(*[1] * 9),) * 2, INVALID, "grad_output has 9 dimensions", product="Ascend910B"),
    Bad(
        "elu_backward", (A, A), INVALID,
        "alpha is -0.5 and is_result is True; the operator needs alpha >= 0 when", {"alpha": -0.5, "is_result": True},
    ),
    Bad("elu_backward", (f4(0), f4(0)), INVALID, "needs alpha >= 0 when is_result", {"alpha": -1, "is_result": True}),
    Bad("elu_backward", (A, A), INVALID, "needs alpha >= 0", {"alpha": -np.inf, "is_result": True}),
    # SELU
    Bad("selu", (None,), NULL, "self is None; it is required"),
    Bad("selu", (A,), UNSUPPORTED, "not available on Ascend310P", product="Ascend310P"),
    Bad("selu", (A,), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("selu", (of("u1", 3),), DTYPE, "self is uint8; it must be "),
    Bad("selu", (of("f8", 3),), DTYPE, "self is float64; it must be ", product="Ascend910B"),
    Bad("selu", (A,), DTYPE, "out is int8, but the result is float32", {"out": of("i1", 3, 4)}),
    Bad("selu", (A,), DTYPE, "out is complex64; it must be ", {"out": of("c8", 3, 4)}),
    Bad("selu", (BF16,), DTYPE, "self is bfloat16; it must be ", product="Ascend910"),
    Bad("selu", (A,), DTYPE, "out is uint8; it must be ", {"out": of("u1", 3, 4)}),
    Bad("selu", (A,), INVALID, "out has shape (3,); it must be (3, 4), the shape of self", {"out": f4(3)}),
    # SELU backward
    Bad("selu_backward", (None, A), NULL, "grad_output is None; it is required"),
    Bad("selu_backward", (A, None), NULL, "result is None; it is required"),
    Bad("selu_backward", (A, A), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("selu_backward", (A, of("i4", 3, 4)), DTYPE, "result is int32, but grad_output is float32"),
    Bad("selu_backward", (A, A), DTYPE, "grad_input is float16, but grad_output is float32", {"out": of("f2", 3, 4)}),
    Bad("selu_backward", (of("u1", 3), of("u1", 3)), DTYPE, "grad_output is uint8; it must be "),
    Bad(
        "selu_backward", (BF16, BF16), DTYPE,
        "it must be float32, float16, int32 or int8 on Ascend310P", product="Ascend310P",
    ),
    Bad("selu_backward", (A, f4(1, 4)), INVALID, "result has shape (1, 4); it must be (3, 4), the shape"),
    Bad("selu_backward", (A, A), INVALID, "grad_input has shape (1,); it must be (3, 4), the shape", {"out": f4(1)}),
    Bad("selu", (A,), DTYPE, "out is float16, but self is float32", {"out": of("f2", 3, 4)}, rules="document"),
    Bad("selu", (f4(),), INVALID, "self has 0 dimensions; it must have 1 to 8", rules="document"),
    Bad("elu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", rules="document"),
    Bad("leaky_relu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", rules="document"),
    Bad("selu_backward", (f4(), f4()), INVALID, "grad_output has 0 dimensions; it must have 1 to 8", rules="document"),
    Bad("selu_backward", (f4(*[1] * 9),) * 2, INVALID, "grad_output has 9 dimensions", rules="document"),
    Bad("selu_backward", (f4(0), f4(0)), INVALID, "result is empty (shape (0,))", rules="document"),
    # GELU
    Bad("gelu", (None,), NULL, "self is None; it is required"),
    Bad("gelu_backward", (A, A), INVALID, "grad_input has shape (4,); it must be (3, 4), the shape", {"out": f4(4)}),
    Bad("gelu", (A,), NULL, "approximate is None; it is required", {"approximate": None}),
    Bad("gelu", (of("i4", 3),), DTYPE, "self is int32; it must be "),
    Bad("gelu", (A,), DTYPE, "out is int8, but the result is float32", {"out": of("i1", 3, 4)}),
    Bad("gelu", (A,), INVALID, "out has shape (3, 5); it must be (3, 4), the shape of self", {"out": f4(3, 5)}),
    Bad(
        "gelu", (A,), INVALID,
        "approximate is 'erf'; it must be 'none' (0) or 'tanh' (1)", {"approximate": "erf"},
    ),
    Bad("gelu", (A,), INVALID, "approximate is 2; it must be ", {"approximate": 2}),
    Bad("gelu", (A,), INVALID, "approximate is -1; it must be ", {"approximate": -1}),
    Bad("gelu_backward", (A, None), NULL, "self is None; it is required"),
    Bad("gelu_backward", (A, of("f2", 3, 4)), DTYPE, "self is float16, but grad_output is float32"),
    Bad("gelu_backward", (A, f4(3, 1)), INVALID, "self has shape (3, 1); it must be (3, 4), the shape of grad_output"),
    Bad("gelu_backward", (A, A), INVALID, "approximate is 'Tanh'", {"approximate": "Tanh"}),
    # LeakyReLU
    Bad("leaky_relu", (None,), NULL, "self is None; it is required"),
    Bad("leaky_relu", (A,), NULL, "negative_slope is None; it is required", {"negative_slope": None}),
    Bad("leaky_relu", (A,), UNSUPPORTED, "not available on Ascend310P", product="Ascend310P"),
    Bad("leaky_relu", (of("i8", 3),), DTYPE, "self is int64; it must be "),
    Bad("leaky_relu", (BF16,), DTYPE, "self is bfloat16; it must be ", product="Ascend910"),
    Bad("leaky_relu", (A,), DTYPE, "negative_slope is complex", {"negative_slope": 0j}),
    Bad("leaky_relu", (A,), DTYPE, "out is int16, but the result is float32", {"out": of("i2", 3, 4)}),
    Bad("leaky_relu", (A,), INVALID, "out has shape (3, 4, 1); it must be (3, 4), the shape of", {"out": f4(3, 4, 1)}),
    Bad("leaky_relu", (f4(*[1] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", product="Ascend950"),
    # LeakyReLU backward
    Bad("leaky_relu_backward", (None, A), NULL, "grad_output is None; it is required"),
    Bad("leaky_relu_backward", (A, None), NULL, "self is None; it is required"),
    Bad("leaky_relu_backward", (A, A), NULL, "negative_slope is None; it is required", {"negative_slope": None}),
    Bad("leaky_relu_backward", (A, A), NULL, "self_is_result is None; it is required", {"self_is_result": None}),
    Bad("leaky_relu_backward", (A, A), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("leaky_relu_backward", (of("i4", 3), f4(3)), DTYPE, "grad_output is int32; it must be "),
    Bad("leaky_relu_backward", (f4(3), of("i4", 3)), DTYPE, "self is int32; it must be "),
    Bad("leaky_relu_backward", (A, BF16), DTYPE, "self is bfloat16; it must be ", product="Ascend310P"),
    Bad("leaky_relu_backward", (A, A), DTYPE, "negative_slope is complex", {"negative_slope": 1j}),
    Bad(
        "leaky_relu_backward", (A, of("f8", 3, 4)), DTYPE,
        "out is int8, but the result is float64", {"out": of("i1", 3, 4)},
    ),
    Bad(
        "leaky_relu_backward", (f4(3), f4(4)), INVALID,
        "self has shape (4,), but grad_output has shape (3,); they must broadcast",
    ),
    Bad("leaky_relu_backward", (f4(0), f4(2)), INVALID, "they must broadcast; reshape one of them"),
    Bad(
        "leaky_relu_backward", (f4(3, 1), f4(4)), INVALID,
        "out has shape (4,); it must be (3, 4), the shape of the result", {"out": f4(4)},
    ),
    Bad("leaky_relu_backward", (f4(*[1] * 9), f4(1)), INVALID, "grad_output has 9 dimensions", product="Ascend910B"),
    Bad("leaky_relu_backward", (f4(1), f4(*[1] * 9)), INVALID, "self has 9 dimensions", product="Ascend910B"),
    Bad(
        "leaky_relu_backward", (A, A), INVALID, "the operator needs negative_slope >= 0 when self_is_result; change",
        {"negative_slope": -0.5, "self_is_result": True},
    ),
    # GeGLU
    Bad("geglu", (None,), NULL, "self is None; it is required"),
    Bad("geglu", (PACKED,), NULL, "dim is None; it is required", {"dim": None}),
    Bad("geglu", (PACKED,), NULL, "activate_left is None; it is required", {"activate_left": None}),
    Bad("geglu", (PACKED,), UNSUPPORTED, "not available on Ascend910 ", product="Ascend910"),
    Bad("geglu", (PACKED,), UNSUPPORTED, "not available on Ascend310B", product="Ascend310B"),
    Bad("geglu", (of("i4", 8),), DTYPE, "self is int32; it must be "),
    Bad("geglu", (of("f8", 8),), DTYPE, "self is float64; it must be ", product="Ascend910B"),
    Bad(
        "geglu", (of(BFLOAT16, 8),), DTYPE,
        "self is bfloat16; it must be ", {"approximate": 1}, "Ascend310P",
    ),
    Bad("geglu", (PACKED,), DTYPE, "out is float16, but self is float32", {"out": (of("f2", 3, 4), HALF)}),
    Bad("geglu", (PACKED,), DTYPE, "gelu is float16, but self is float32", {"out": (HALF, of("f2", 3, 4))}),
    Bad("geglu", (PACKED,), INVALID, "dim is 2, but self has shape (3, 8); it must lie in [-2, 1]", {"dim": 2}),
    Bad("geglu", (PACKED,), INVALID, "dim is -3, but self has shape (3, 8); it must lie in [-2, 1]", {"dim": -3}),
    Bad("geglu", (f4(),), INVALID, "self has shape (); it must have a dimension to halve"),
    Bad("geglu", (f4(3, 7),), INVALID, "self has odd size 7 in dimension -1 (shape (3, 7))"),
    Bad("geglu", (PACKED,), INVALID, "self has odd size 3 in dimension 0", {"dim": 0}),
    Bad("geglu", (PACKED,), INVALID, "out has size 8 in dimension -1, but self has 8; it", {"out": (f4(3, 8), HALF)}),
    Bad("geglu", (PACKED,), INVALID, "out_gelu has size 3 in dimension -1, but self has", {"out": (HALF, f4(4, 3))}),
    Bad(
        "geglu", (PACKED,), INVALID,
        "out has 1 dimension (shape (4,)), but self has 2", {"out": (f4(4), HALF)},
    ),
    Bad("geglu", (PACKED,), INVALID, "out_gelu has 1 dimension (shape (4,))", {"out": (HALF, f4(4))}),
    Bad("geglu", (PACKED,), INVALID, "out has shape (1, 4), but self has shape (3, 8); it", {"out": (f4(1, 4), HALF)}),
    Bad("geglu", (PACKED,), INVALID, "out_gelu has shape (1, 4), but self has shape (3,", {"out": (HALF, f4(1, 4))}),
    Bad("geglu", (f4(*[2] * 9),), INVALID, "self has 9 dimensions", product="Ascend910B"),
    Bad("geglu", (f4(*[2] * 9),), INVALID, "self has 9 dimensions; it must have 0 to 8", rules="document"),
    Bad("geglu", (PACKED,), INVALID, "approximate is 7; it must be 'none' (0) or 'tanh' (1)", {"approximate": 7}),
    Bad("geglu", (PACKED,), INVALID, "the operator needs approximate='tanh' on Ascend310P; change", {}, "Ascend310P"),
    # GeGLU backward
    Bad("geglu_backward", (None, PACKED, HALF), NULL, "grad_output is None; it is required"),
    Bad("geglu_backward", (HALF, None, HALF), NULL, "self is None; it is required"),
    Bad("geglu_backward", (HALF,), NULL, "self is None; it is required"),
    Bad("geglu_backward", (HALF, PACKED), UNSUPPORTED, "not available on Ascend910 ", product="Ascend910"),
    Bad("geglu_backward", (of("i4", 3), of("i4", 6)), DTYPE, "grad_output is int32; it must be "),
    Bad("geglu_backward", (HALF, of("f2", 3, 8)), DTYPE, "self is float16, but grad_output is float32"),
    Bad("geglu_backward", (HALF, PACKED, of("f2", 3, 4)), DTYPE, "gelu is float16, but grad_output is float32"),
    Bad("geglu_backward", (HALF, PACKED), DTYPE, "grad_input is float64, but grad_output", {"out": of("f8", 3, 8)}),
    Bad("geglu_backward", (HALF, PACKED, PACKED), INVALID, "gelu has shape (3, 8); it must be (3, 4), the shape"),
    Bad(
        "geglu_backward", (HALF, PACKED), INVALID,
        "grad_input has shape (3, 4); it must be (3, 8), the shape of self", {"out": f4(3, 4)},
    ),
    Bad("geglu_backward", (HALF, PACKED), INVALID, "dim is 2, but self has shape (3, 8); it must lie", {"dim": 2}),
    Bad("geglu_backward", (f4(), f4()), INVALID, "self has shape (); it must have a dimension to halve"),
    Bad("geglu_backward", (f4(3, 4), f4(3, 9)), INVALID, "self has odd size 9 in dimension -1"),
    Bad(
        "geglu_backward", (f4(12), PACKED), INVALID,
        "grad_output has 1 dimension (shape (12,)), but self has 2",
    ),
    Bad("geglu_backward", (f4(3, 5), PACKED), INVALID, "grad_output has shape (3, 5)"),
    Bad("geglu_backward", (f4(1, 4), PACKED), INVALID, "grad_output has shape (1, 4)"),
    Bad("geglu_backward", (HALF, PACKED), INVALID, "approximate is 2; it must be ", {"approximate": 2}),
    Bad("geglu_backward", (HALF, PACKED), INVALID, "needs approximate='tanh' on Ascend310P", {}, "Ascend310P"),
    Bad(
        "geglu_backward", (f4(*[1] * 9), f4(*[1] * 8, 2)), INVALID,
        "has 9 dimensions; it must have 1 to 8", rules="document",
    ),
]  # fmt: skip


@contextlib.contextmanager
def judged(product: str = "", rules: str = "") -> Any:
    with contextlib.ExitStack() as stack:
        if product:
            stack.enter_context(actgrad.product(product))
        if rules:
            stack.enter_context(actgrad.rules(rules))
        yield
