"""Tiling data as bytes: from a dict of a struct's fields, from bytes, or from a structured scalar.

The compiler says where the fields of a struct lie: we compile a program that prints it, and keep it in the cache.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import InvalidArgument, InvalidCall, kind_of, quote
from . import compiler
from .compiler import KernelError, Source


@dataclass(frozen=True)
class Layout:
    """The size of a struct, and its fields: name -> offset, dtype, shape."""

    size: int
    fields: dict[str, tuple[int, np.dtype[Any], tuple[int, ...]]]


def to_bytes(tiling: Any, struct: str | None, layout_of: Callable[[str, Sequence[str]], Layout]) -> bytes:
    """The bytes of the tiling data. `layout_of(struct, fields)` says where the fields of a dict lie."""
    if isinstance(tiling, bytes | bytearray | memoryview):
        return bytes(tiling)
    if isinstance(tiling, np.void | np.ndarray):
        return tiling.tobytes()
    if not isinstance(tiling, Mapping):
        raise InvalidCall(f"tiling is {kind_of(tiling)}; it must be a dict, bytes or a structured scalar; convert it")
    if struct is None:
        raise InvalidCall("tiling is a dict, and tiling_struct is missing; it must name the struct; add tiling_struct=")
    values = dict(_flat(tiling))
    layout = layout_of(struct, tuple(values))
    content = bytearray(layout.size)
    for name, value in values.items():
        offset, dtype, shape = layout.fields[name]
        encoded = _encode(name, value, dtype, shape)
        content[offset : offset + len(encoded)] = encoded
    return bytes(content)


def _flat(tiling: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The fields by their names in C++: a.b for a struct in a struct."""
    for name, value in tiling.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise InvalidArgument(f"tiling has the key {quote(name)}; it must be the name of a field; change it")
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _encode(name: str, value: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    # As objects: NumPy would turn a list with a number above 2**63 into float64.
    given = value if isinstance(value, np.ndarray | np.generic) else np.asarray(value, dtype=object)
    if given.size > max(int(np.prod(shape)), 1):
        raise InvalidArgument(f"tiling field {name} has {given.size} values; the struct has room for {np.prod(shape)}")
    try:
        converted = given.astype(dtype)
    except OverflowError as error:
        raise InvalidArgument(
            f"tiling field {name} is {quote(value)}; it does not fit into {dtype}; change it"
        ) from error
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"tiling field {name} is {quote(value)}; it must be a number; change it") from error
    if dtype.kind in "iu" and not np.array_equal(converted.astype(object), given.astype(object)):
        raise InvalidArgument(f"tiling field {name} is {quote(value)}; it does not fit into {dtype}; change it")
    return converted.tobytes()


_NO_MEMBER = re.compile(r"driver\.cpp:.*error: .*no member named ['‘](?P<name>\w+)['’]")

#: `using Struct = NAME;` of the program below is an error.
_NO_STRUCT = re.compile(r"driver\.cpp:\d+:\d+: error: (?:.*\n){1,2}? *\d+ \| +using Struct = ")

_PROGRAM = """
#include <cstdio>
template <class T> void actgrad_field(const char* name, unsigned long offset)
{
    using E = std::remove_all_extents_t<T>;
    static_assert(std::is_arithmetic_v<E> || std::is_enum_v<E>, "a field of the tiling data is no number");
    const char* sign = std::is_same_v<E, bool> ? "b" : std::is_signed_v<E> ? "i" : "u";
    const char* kind = std::is_floating_point_v<E> ? "f" : sign;
    const unsigned long extent = std::is_array_v<T> ? sizeof(T) / sizeof(E) : 0;
    std::printf("\\"%s\\": [%lu, \\"%s%zu\\", %lu],\\n", name, offset, kind, sizeof(E), extent);
}
int main()
{
    using Struct = STRUCT;
    std::printf("{\\n");
FIELDS    std::printf("\\"\\": %zu}\\n", sizeof(Struct));
}
"""


def layout(
    includes: str, folders: tuple[str, ...], defines: tuple[str, ...], kernel: str, struct: str, fields: Sequence[str]
) -> Layout:
    """Compile and run a program that knows the struct. Raises KernelError if a field is missing."""
    lines = "".join(
        f"    actgrad_field<std::remove_reference_t<decltype(std::declval<Struct&>().{field})>>("
        f'"{field}", __builtin_offsetof(Struct, {field}));\n'
        for field in fields
    )
    driver = includes + _PROGRAM.replace("STRUCT", struct).replace("FIELDS", lines)
    defines = (*defines, f"ACTGRAD_TILING_STRUCT={struct}")
    try:
        program = compiler.program(Source(driver, folders, defines, kernel, is_fast=False))
    except KernelError as error:
        if lacking := _NO_MEMBER.search(error.output):
            raise KernelError(
                f"tiling has the field {lacking['name']}; the struct {struct} has no such field; correct the name"
            ) from error
        if _NO_STRUCT.search(error.output):
            raise KernelError(
                f"tiling_struct is {quote(struct)}; the kernel's files declare no such struct; correct the name, or "
                "add the folder of its header to include"
            ) from error
        raise KernelError(
            f"tiling_struct {struct}: {error}; the struct must have the fields {', '.join(fields)}"
        ) from error
    described: dict[str, Any] = compiler.description(program, kernel)
    size = described.pop("")
    return Layout(
        size,
        {
            name: (offset, np.dtype(bool if kind == "b1" else kind), (extent,) if extent else ())
            for name, (offset, kind, extent) in described.items()
        },
    )
