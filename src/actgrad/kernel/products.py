"""The facts of each product's hardware: cores, the size of the UB, architecture numbers, and the dtypes of each call.

`products.json` holds the facts. The headers need them too, so `python -m actgrad.kernel.products` writes them into
`include/actgrad_ascendc/products.h`; a test compares the two files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ..base.errors import InvalidArgument, did_you_mean, either, quote

HERE = Path(__file__).parent
HEADER = HERE / "include" / "actgrad_ascendc" / "products.h"

_TYPES = (
    "bool", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "half",
    "bfloat16_t", "float", "double", "fp8_e5m2_t", "fp8_e4m3fn_t", "hifloat8_t", "fp8_e8m0_t", "fp4x2_e2m1_t",
    "fp4x2_e1m2_t", "int4b_t",
)  # fmt: skip
_MODES = ("NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD", "HYBRID")
_FAMILY_OF_ARCH = {3510: "950", 2201: "A2", 2002: "310P"}


@cache
def facts() -> dict[str, Any]:
    """The content of products.json."""
    content: dict[str, Any] = json.loads((HERE / "products.json").read_text(encoding="utf-8"))
    return content


def product(name: str) -> dict[str, Any]:
    """The hardware of the product with this name. Raises InvalidArgument for another name."""
    products = facts()["products"]
    if name not in products:
        cure = did_you_mean(name, products, "name one of these")
        raise InvalidArgument(f"product is {quote(name)}; it must be {either(products)}; {cure}")
    row: dict[str, Any] = products[name]
    return row


def header() -> str:
    """The text of products.h."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "// Facts of the products. Written by `python -m actgrad.kernel.products` from products.json; do not edit."
    yield "//"
    yield "// __NPU_ARCH__ chooses the product. A call's row has a bit for each element type that the product takes."
    yield "#pragma once"
    yield ""
    yield "#include <cstdint>"
    yield ""
    yield "#ifndef __NPU_ARCH__"
    yield "#define __NPU_ARCH__ 2201"
    yield "#endif"
    chips = {row["npu_arch"]: row for row in reversed(facts()["products"].values())}
    for number, (arch, row) in enumerate(chips.items()):
        yield f"#{'if' if number == 0 else 'elif'} __NPU_ARCH__ == {arch}"
        yield "#ifndef __CCE_AICORE__"
        yield f"#define __CCE_AICORE__ {row['cce_aicore']}"
        yield "#endif"
        yield f"#define ACTGRAD_UB_BYTES {row['ub_bytes']}"
        yield f"#define ACTGRAD_VECTOR_CORES {row['vector_cores']}"
        yield f"#define ACTGRAD_CUBE_CORES {row['cube_cores']}"
    yield "#else"
    yield '#error "actgrad imitates the products with __NPU_ARCH__ 3510, 2201 and 2002; define one of them"'
    yield "#endif"
    yield ""
    yield "namespace actgrad {"
    yield ""
    yield f"enum class Call : uint8_t {{ {', '.join(facts()['calls'])} }};"
    yield f"enum class Type : uint8_t {{ {', '.join(f'{name}_' for name in _TYPES)} }};"
    yield ""
    for arch in chips:
        yield f"#{'if' if arch == next(iter(chips)) else 'elif'} __NPU_ARCH__ == {arch}"
        yield from _tables(_FAMILY_OF_ARCH[arch])
    yield "#endif"
    yield ""
    yield "}  // namespace actgrad"


def _tables(family: str) -> Iterator[str]:
    """The rows of one family of products."""
    yield "constexpr uint32_t types_of_calls[] = {"
    for name, row in facts()["calls"].items():
        bits = sum(1 << _TYPES.index(each) for each in row[family])
        yield f"    0x{bits:05X},  // {name}: {' '.join(row[family]) or 'not on this product'}"
    yield "};"
    yield "struct CastRow { Type from, to; uint8_t modes; bool scaled; };  // a bit for each RoundMode"
    yield "constexpr CastRow cast_rows[] = {"
    for pair, words in facts()["casts"][family].items():
        source, target = pair.split(">")
        scaled = words == "SetDeqScale"
        bits = 0xFF if scaled else sum(1 << _MODES.index(each) for each in words.split("/"))
        yield f"    {{Type::{source}_, Type::{target}_, 0x{bits:02X}, {str(scaled).lower()}}},  // {words}"
    yield "};"


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
