"""CANN's rules on the outputs of quantisation and on the tensor that assigns rows to groups."""

from __future__ import annotations

from ...base.errors import InvalidDtype, either
from ...base.loop import TensorMeta
from ...checks import quantisation_rules
from ...checks.check import Call
from .rule import Origin, Rule, limited, on_each, product_of

#: Product -> the dtypes to which it quantises. The key "" is for all other products.
QUANTISED = {
    "Ascend950": ("int8", "int4", "int32", "float8_e5m2", "float8_e4m3fn", "hifloat8"),
    "Ascend310P": ("int8",),
    "Ascend910": ("int8",),
    "": ("int8", "int4", "int32"),
}


def output_supported(name: str) -> tuple[Rule, ...]:
    """The product can quantise to the dtype of this output. Without a product, a kernel of actgrad must write it."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        written_dtypes = call.definition.dtypes_of(name)
        allowed = QUANTISED.get(product.name, QUANTISED[""]) if (product := product_of(call)) else written_dtypes
        if meta.dtype.name in allowed:
            return None
        return f"{name} is {meta.dtype}; it must be {either(allowed)}{call.place}; pass such a {name}"

    return on_each((name,), "the product quantises to the dtype of {name}", test, InvalidDtype)


def one_dtype_of(name: str, dtypes: str) -> tuple[Rule, ...]:
    """If a product is in force, this output has one of these dtypes. Otherwise it has a dtype of the operator."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        allowed = tuple(dtypes.split()) if product_of(call) else call.definition.dtypes_of(name)
        return (
            None if meta.dtype.name in allowed else f"{name} is {meta.dtype}; it must be {either(allowed)}; convert it"
        )

    return on_each((name,), f"{{name}} is {either(dtypes.split())}", test, InvalidDtype)


def kernel_writes(name: str) -> tuple[Rule, ...]:
    """A kernel of actgrad writes the dtype of this output, unless the output is empty. CANN writes more dtypes."""
    return limited(quantisation_rules.kernel_writes(name), origin=Origin.ACTGRAD)
