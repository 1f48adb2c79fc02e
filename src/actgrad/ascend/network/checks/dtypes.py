"""Lists of dtypes that an argument may have."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ....base.dtypes import BY_NUMBER
from ....checks.check import Call
from ...rules.rule import product_of

_BY_ACL_NAME = {row.acl_name: row.name for row in BY_NUMBER.values()}


@dataclass(frozen=True)
class DtypeList:
    """Dtypes that an argument may have. Products may add dtypes, and bfloat16 needs chips that support it."""

    names: tuple[str, ...]
    by_product: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (product, further dtypes) pairs
    everywhere: bool = False  # whether bfloat16 is allowed on all products
    exempts_empty: bool = False  # whether an empty tensor may have any dtype

    def __add__(self, other: DtypeList) -> DtypeList:
        by_product, everywhere = self.by_product + other.by_product, self.everywhere or other.everywhere
        return DtypeList(self.names + other.names, by_product, everywhere, self.exempts_empty or other.exempts_empty)

    def on(self, *chips: str, more: DtypeList) -> DtypeList:
        """This list, and further dtypes on these chips."""
        return replace(self, by_product=(*self.by_product, *((f"Ascend{chip}", more.names) for chip in chips)))

    def on_every_chip(self) -> DtypeList:
        """This list, with bfloat16 also on chips that do not support it."""
        return replace(self, everywhere=True)

    def unless_empty(self) -> DtypeList:
        """This list, but an empty tensor may have any dtype."""
        return replace(self, exempts_empty=True)

    def allowed(self, call: Call) -> tuple[str, ...]:
        """The dtypes that the product of a call allows."""
        product, names = product_of(call), self.names
        if product is None:
            return names
        if not product.bfloat16 and not self.everywhere:
            names = tuple(name for name in names if name != "bfloat16")
        return (*names, *[name for chip, more in self.by_product if chip == product.name for name in more])


def listed(*acl_names: str) -> DtypeList:
    """The dtypes of these names of aclDataType."""
    return DtypeList(tuple(_BY_ACL_NAME[name] for name in acl_names))


BOOL = listed("BOOL")
INT4 = listed("INT4")
INT8 = listed("INT8")
INT16 = listed("INT16")
INT32 = listed("INT32")
INT64 = listed("INT64")
UINT8 = listed("UINT8")
UINT16 = listed("UINT16")
UINT32 = listed("UINT32")
UINT64 = listed("UINT64")
FLOAT = listed("FLOAT")
FLOAT16 = listed("FLOAT16")
BF16 = listed("BF16")
DOUBLE = listed("DOUBLE")
COMPLEX32 = listed("COMPLEX32")
COMPLEX64 = listed("COMPLEX64")
COMPLEX128 = listed("COMPLEX128")
FLOAT8_E5M2 = listed("FLOAT8_E5M2")
FLOAT8_E4M3FN = listed("FLOAT8_E4M3FN")
HIFLOAT8 = listed("HIFLOAT8")
FLOAT8_E8M0 = listed("FLOAT8_E8M0")
FLOAT4_E1M2 = listed("FLOAT4_E1M2")
FLOAT4_E2M1 = listed("FLOAT4_E2M1")

H = FLOAT + FLOAT16 + BF16
D = H + DOUBLE
X = INT32 + INT64
I = INT8 + INT16 + INT32 + INT64 + UINT8  # noqa: E741
U = UINT16 + UINT32 + UINT64
C = COMPLEX64 + COMPLEX128
N = D + I
R = N + BOOL
ALL = R + C
F8 = FLOAT8_E5M2 + FLOAT8_E4M3FN + HIFLOAT8
F4 = FLOAT4_E1M2 + FLOAT4_E2M1
NONE = listed()
