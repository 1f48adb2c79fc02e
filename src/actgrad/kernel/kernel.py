"""`Kernel`: an Ascend C kernel that runs on this computer."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import InvalidArgument, InvalidCall, kind_of, quantity
from . import compiler, running, tiling_data
from .compiler import KernelError, Source
from .products import product as facts_of
from .report import RunReport, choices
from .running import Slot

_NEEDS_STRUCT = "NoTilingStruct"  # in the compiler's messages if GET_TILING_DATA has no struct
_BY_MACROS = re.compile(r"\bBEGIN_TILING_DATA_DEF\(\s*(\w+)\s*\)")
_REGISTERED = re.compile(r"\bREGISTER_TILING_DATA_CLASS\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_WORD = re.compile(r"\w+")


class Kernel:
    """An Ascend C kernel, compiled for this computer with the rules of a product.

    Args:
        file: The kernel's C++ file.
        entry: The kernel function; a template with its arguments, for example "elu<0>".
        product: The product whose rules apply: UB size, cores, dtypes of each call.
        defines: Macros, for example {"DTYPE_X": "half"}. ORIG_DTYPE_X follows from DTYPE_X.
        include: Folders for the kernel's includes, next to the kernel's own folder. A file is included before the
            kernel, for example the header of the host that declares the tiling data.

    Raises:
        KernelError: The kernel does not compile; `file` and `line` tell where.
        InvalidArgument: The product is unknown, or the file does not exist.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        entry: str,
        *,
        product: str = "Ascend910B",
        defines: Mapping[str, object] | None = None,
        include: Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        self.file = Path(os.path.abspath(file))
        self.entry, self.product = entry, product
        if not self.file.is_file():
            raise InvalidArgument(f"{self.file}: no such file; it must be the kernel's C++ file; check the path")
        self._facts = facts_of(product)
        self._defines = compiler.defines_of(defines or {}, self._facts)
        self._folders = compiler.include_folders(self.file, include)
        self._headers = tuple(os.path.abspath(each) for each in include if os.path.isfile(each))
        self._programs: dict[str, tuple[Path, list[int]]] = {}
        try:
            self._program("")
        except KernelError as error:
            if _NEEDS_STRUCT not in error.output:  # the struct is named by the first run
                raise

    def __repr__(self) -> str:
        return f"Kernel({str(self.file)!r}, {self.entry!r}, product={self.product!r})"

    def run(
        self,
        *arguments: Any,
        workspace: int = 0,
        tiling: Any = None,
        tiling_struct: str | None = None,
        tiling_key: int | None = None,
        blocks: int = 1,
        checks: bool = True,
        timeout: float = 60,
        assumptions: Mapping[str, str] | None = None,
    ) -> RunReport:
        """Run the kernel in a process of its own and report its faults. Outputs are written in place.

        Args:
            arguments: Arrays in the kernel's order, without workspace and tiling. A read-only array is an input: a
                write into it is a fault. None is a null pointer, for an optional tensor that is absent. Parameters
                that are no pointers take numbers.
            workspace: The size of the user's part of the workspace in bytes.
            tiling: The tiling data: a dict of the struct's fields, bytes, or a structured scalar.
            tiling_struct: The name of the struct, for a dict, and for GET_TILING_DATA without a registered struct.
            tiling_key: The key for TILING_KEY_IS.
            blocks: The number of blocks.
            checks: Whether faults are searched. Without checks a kernel runs up to five times faster.
            timeout: Seconds until a kernel that does not end is stopped. 0 means never.
            assumptions: Choices where the documents leave something open; see `actgrad.kernel.ASSUMPTIONS`.

        Raises:
            InvalidCall: The arguments do not fit the kernel's parameters.
            InvalidArgument: A value is out of range, or an assumption is unknown.
            KernelError: The kernel does not compile with this tiling struct.
        """
        if not 1 <= blocks <= 65535:
            raise InvalidArgument(f"blocks is {blocks}; it must be from 1 to 65535; change it")
        if workspace < 0 or timeout < 0:
            raise InvalidArgument("workspace or timeout is negative; both must be at least 0; change it")
        program, parameters = self._program(tiling_struct or "")
        return running.run(
            program,
            self._slots(arguments, parameters, workspace, tiling, tiling_struct),
            blocks=blocks,
            key=(tiling_key or 0) & 0xFFFFFFFFFFFFFFFF,
            checks=checks,
            ub_bytes=self._facts["ub_bytes"],
            timeout=timeout,
            values=choices(assumptions or {}),
        )

    def _program(self, tiling_struct: str) -> tuple[Path, list[int]]:
        """The compiled program, and its parameters: 0 for a pointer, else the bytes of a value."""
        struct = "" if "" in self._programs else tiling_struct or self._registered_struct
        if struct not in self._programs:  # "": the kernel names its structs itself
            defines = (f"ACTGRAD_TILING_STRUCT={struct}",) if struct else ()
            driver = self._driver(self._declarations_of(struct))
            source = Source(driver, self._folders, (*self._defines, *defines), str(self.file))
            program = compiler.program(source)
            self._programs[struct] = program, compiler.description(program, str(self.file), "--signature")
        return self._programs[struct]

    @cached_property
    def _registered_struct(self) -> str:
        """The struct that the project registers for its operator, if it registers one, for GET_TILING_DATA."""
        text = "".join(_text(Path(path)) for path in (*self._declarations_of(""), *self._headers))
        names = {struct for operator, struct in _REGISTERED.findall(text) if not operator.endswith("Op")}
        return names.pop() if len(names) == 1 else ""

    def _driver(self, declarations: Sequence[str]) -> str:
        """The file that the compiler gets. Its name differs from the kernel's, which may include headers by name."""
        return (
            self.includes(declarations)
            + '#include "actgrad_ascendc/program.h"\n'
            + f"int main(int count, char** words) {{ return actgrad::run_program<&{self.entry}>(count, words); }}\n"
        )

    def includes(self, declarations: Sequence[str] = ()) -> str:
        """C++ lines that include the interface, the headers of `include` and the kernel."""
        files = (*self._headers, *declarations, "kernel_operator.h", str(self.file))
        return "#define ACTGRAD_KERNEL\n#include <cstdint>\n" + "".join(f'#include "{name}"\n' for name in files)

    def _declarations_of(self, struct: str) -> tuple[str, ...]:
        """Headers of the folders that declare tiling data for the kernel: `struct`, or what the kernel's files name.

        A kernel of an operator project does not include the header of the host that declares its tiling data with
        macros: the build does.
        """
        headers = {path: _text(path) for folder in self._folders for path in sorted(Path(folder).glob("*.h"))}
        by_macros = {path: _BY_MACROS.findall(text) for path, text in headers.items() if _BY_MACROS.search(text)}
        kernel = [_text(self.file), *(_text(path) for path in sorted(self.file.parent.glob("*.hpp")))]
        words = set(_WORD.findall("\n".join((*kernel, *(headers[path] for path in headers.keys() - by_macros.keys())))))
        name = struct.rpartition("::")[2]
        declares = re.compile(rf"\bstruct\s+{re.escape(name)}\s*\{{")
        is_clear = "GET_TILING_DATA" in words and len(by_macros) == 1  # the kernel need not name the struct
        return tuple(
            str(path)
            for path, text in headers.items()
            if (path in by_macros and (is_clear or (words | {name}).intersection(by_macros[path])))
            or (name and declares.search(text))
        )

    def _slots(
        self, arguments: Sequence[Any], parameters: Sequence[int], workspace: int, tiling: Any, struct: str | None
    ) -> list[Slot]:
        """The kernel's parameters: the caller's arguments, and then workspace and tiling if the kernel takes them."""
        rest = len(parameters) - len(arguments)
        has_tiling = rest == 2 or (rest == 1 and tiling is not None)
        if rest < 0 or rest > 2 or (rest == 0 and tiling is not None):
            takes = quantity(len(parameters), "parameter")
            raise InvalidCall(
                f"{self.entry} has {takes}, workspace and tiling included; the call has "
                f"{quantity(len(arguments), 'argument')}; pass one array for each other parameter"
            )
        pairs = zip(arguments, parameters, strict=False)
        slots = [_slot(number, value, size) for number, (value, size) in enumerate(pairs, 1)]
        if rest == 2 or (rest == 1 and not has_tiling):
            scratch = np.full(workspace, 0xAA, np.uint8)  # its contents are random on the device
            slots.append(Slot("the workspace", scratch, read_only=False))
        if has_tiling:
            content = b"" if tiling is None else tiling_data.to_bytes(tiling, struct, self._layout)
            slots.append(Slot("the tiling data", content=content, is_pointer=parameters[-1] == 0))
            if parameters[-1] not in (0, len(content)):
                raise InvalidArgument(
                    f"the tiling data has {len(content)} bytes; the kernel takes {parameters[-1]}; pass the same struct"
                )
        return slots

    def _layout(self, struct: str, fields: Sequence[str]) -> tiling_data.Layout:
        """Where the fields of a struct lie, as the compiler says."""
        declarations = self._declarations_of("" if "" in self._programs else struct)
        return tiling_data.layout(
            self.includes(declarations), self._folders, self._defines, str(self.file), struct, fields
        )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _slot(number: int, value: Any, size: int) -> Slot:
    """A parameter from the caller's argument. `size` is 0 for a pointer."""
    name = f"argument {number}"
    if size != 0:
        content = value if isinstance(value, bytes) else _scalar_bytes(name, value, size)
        if len(content) != size:
            raise InvalidArgument(
                f"{name} has {len(content)} bytes; the kernel takes {size}; pass a value of this size"
            )
        return Slot(name, content=content, is_pointer=False)
    if value is None:
        return Slot(name, is_null=True)
    if not isinstance(value, np.ndarray):
        raise InvalidCall(f"{name} is {kind_of(value)}; it must be a NumPy array or None; convert it")
    if value.dtype.hasobject or not value.dtype.isnative:
        raise InvalidArgument(f"{name} has the dtype {value.dtype}; it must be a native number type; convert it")
    return Slot(name, np.asarray(value), read_only=not value.flags.writeable)


def _scalar_bytes(name: str, value: Any, size: int) -> bytes:
    """A number in the size of the kernel's parameter."""
    if isinstance(value, np.generic):
        return value.tobytes()
    if isinstance(value, bool | int):
        return int(value).to_bytes(size, "little", signed=value < 0)
    if isinstance(value, float):
        return np.dtype(f"f{size}").type(value).tobytes()
    raise InvalidCall(f"{name} is {kind_of(value)}; the kernel takes a value of {size} bytes; pass a number or bytes")
