"""FLOAT8 and FLOAT4: what CANN lists and actgrad cannot compute gives 561103, what CANN does not list 161002."""

from __future__ import annotations

from typing import Any

import pytest

import actgrad
from tests.support.network_calls import T, right_call, status

E5M2, E4M3, HIF8, E8M0 = "float8_e5m2", "float8_e4m3fn", "hifloat8", "float8_e8m0fnu"
FLOAT4 = ("float4_e1m2", "float4_e2m1fn")
ALL = (E5M2, E4M3, HIF8, E8M0, *FLOAT4)
PRODUCTS = ("Ascend950", "Ascend910B", "Ascend310P")
#: Function -> the tensors that get the dtype, and what Ascend950 and Ascend910B list, as in the sources of CANN.
LISTED: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "InplaceCopy": (("selfRef", "src"), (E5M2, E4M3, HIF8, E8M0), (E5M2, E4M3, HIF8, E8M0)),
    "Cast": (("self",), (E5M2, E4M3, HIF8, *FLOAT4), ()),
    "InplaceZero": (("selfRef",), (E5M2, E4M3, HIF8, *FLOAT4), ()),
    "TransMatmulWeight": (("mmWeightRef",), (E4M3, HIF8), (E4M3, HIF8)),
    "Permute": (("self", "out"), (E5M2, E4M3, HIF8), (E5M2, E4M3, HIF8)),
    "Repeat": (("self", "out"), (E5M2, E4M3, HIF8), ()),
    "ConstantPadNd": (("self", "out"), ALL, ()),
    "ReflectionPad1d": (("self", "out"), (E5M2, E4M3, HIF8, E8M0), ()),
    "ReflectionPad2d": (("self", "out"), (E5M2, E4M3, HIF8, E8M0), ()),
    "ReflectionPad3d": (("self", "out"), (E5M2, E4M3, HIF8, E8M0), ()),
    "Gather": (("self", "out"), (E5M2, E4M3, E8M0), ()),
    "ScatterNdUpdate": (("varRef", "updates"), (E5M2, E4M3, HIF8), ()),
    "Cat": (("tensors", "out"), ALL, ()),
    "WeightQuantBatchMatmulV2": (("weight",), (E4M3, HIF8, "float4_e2m1fn"), ()),
    "Convolution": (("input", "weight", "output"), (HIF8,), ()),
    "ConvolutionBackward": (("gradOutput", "input", "weight", "gradInput", "gradWeight", "gradBias"), (HIF8, E4M3), ()),
    "Flip": (("self", "out"), (), ()),
    "Roll": (("x", "out"), (), ()),
    "ReplicationPad2d": (("self", "out"), (), ()),
}  # fmt: skip
SAME_EVERYWHERE = ("InplaceCopy", "Permute")


def with_dtype(value: Any, dtype: str) -> Any:
    if isinstance(value, T):
        return value._replace(dtype=dtype)
    return tuple(with_dtype(each, dtype) for each in value)


@pytest.mark.parametrize("name", LISTED)
def test_lists(name: str) -> None:
    tensors, on_950, on_910b = LISTED[name]
    for product in PRODUCTS:
        listed = {"Ascend950": on_950, "Ascend910B": on_910b}.get(product, on_910b if name in SAME_EVERYWHERE else ())
        for dtype in ALL:
            arguments = right_call(name)
            arguments |= {each: with_dtype(arguments[each], dtype) for each in tensors}
            with actgrad.product(product):
                assert status(name, arguments) == (561103 if dtype in listed else 161002), (product, dtype)


def test_dtype_numbers_of_cast() -> None:
    for number, on_950 in ((29, 561103), (34, 561103), (35, 561103), (36, 561103), (37, 161002), (40, 561103)):
        arguments = right_call("Cast") | {"dtype": number, "out": T(dtype="float8_e5m2" if number != 29 else "int4")}
        for product, expected in (("Ascend950", on_950), ("Ascend910B", 161002)):
            with actgrad.product(product):
                assert status("Cast", arguments) == expected, (product, number)


def test_float8_of_transposed_convolutions() -> None:
    for transposed, function, dtype, expected in (
        (True, "Convolution", E4M3, 561103),
        (False, "Convolution", E4M3, 161002),
        (True, "ConvolutionBackward", E4M3, 161002),
        (True, "ConvolutionBackward", HIF8, 561103),
    ):
        tensors, _, _ = LISTED[function]
        arguments = right_call(function) | {"transposed": transposed}
        arguments |= {each: with_dtype(arguments[each], dtype) for each in tensors}
        with actgrad.product("Ascend950"):
            assert status(function, arguments) == expected, (transposed, function, dtype)
