"""The names that programs ask for beside the activations: clients.txt as declarations, glue and honest stubs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..aclnn import signatures
from ..aclnn.signatures import CParameter
from .glue.rules import RULES
from .prefix import SdkError

TABLE = Path(__file__).with_name("clients.txt")

#: The status of a function that fails, by the type it returns; other types return 0, pointers null.
_FAILURES = {"aclError": 207000, "int32_t": 207000, "rtError_t": 207000, "HcclResult": 5, "aclnnStatus": 561103}

_LIBRARY = re.compile(r"library (?P<names>.+): (?P<needed>.+)")
_SECTION = re.compile(r"\[(?P<library>\w+)(?: (?P<header>[\w/.]+))?(?P<nothing> = 0)?\] (?P<reason>.+)")
_PLAIN = re.compile(r"(?P<type>[\w ]+\*?) (?P<name>\w+)\((?P<parameters>.*)\)")
_PHASES = re.compile(r"(?P<header>\w+): (?P<name>\w+)\((?P<parameters>.*)\)(?: = (?P<rule>\w+))?")


@dataclass(frozen=True, slots=True)
class ClientFunction:
    """A function of the table."""

    library: str  # "opapi": of each library of operators
    header: str
    type: str  # that it returns
    name: str
    parameters: tuple[str, ...]  # of phase one where it has two; ("...",) where they are not at hand
    reason: str
    fails: bool
    has_phases: bool
    rule: str  # of the glue that computes it, "" without one

    @property
    def is_computed(self) -> bool:
        return self.rule != ""

    @property
    def is_known(self) -> bool:
        """Whether its parameters are at hand."""
        return self.parameters != ("...",)


@dataclass(frozen=True, slots=True)
class Names:
    """The content of clients.txt."""

    libraries: dict[str, tuple[str, ...]]  # beside those with sources; what each loads
    functions: tuple[ClientFunction, ...]


def table() -> Names:
    """The table, without functions that an operator of the registry has."""
    every, ours = _read(), {signature.name for signature in signatures.every()}
    return Names(every.libraries, tuple(row for row in every.functions if row.name not in ours))


@cache
def _read() -> Names:
    libraries: dict[str, tuple[str, ...]] = {}
    functions: dict[str, ClientFunction] = {}
    section: re.Match[str] | None = None
    for number, line in enumerate(TABLE.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if match := _LIBRARY.fullmatch(line):
            libraries.update(dict.fromkeys(match["names"].split(), tuple(match["needed"].split())))
        elif match := _SECTION.fullmatch(line):
            section = match
        else:
            row = _row(section, line)
            if row is None or row.name in functions:
                raise SdkError(f"{TABLE.name}:{number}: {line!r} is no row of its section, or is there twice")
            functions[row.name] = row
    return Names(libraries, tuple(functions.values()))


def _row(section: re.Match[str] | None, line: str) -> ClientFunction | None:
    has_phases = section is not None and section["header"] is None
    match = (_PHASES if has_phases else _PLAIN).fullmatch(line)
    rule = (match["rule"] or "") if match and has_phases else ""
    if section is None or match is None or rule not in {"", *RULES}:
        return None
    given = () if match["parameters"] in ("", "void") else tuple(match["parameters"].split(", "))
    header, kind, name = section["header"], match["type"] if not has_phases else "aclnnStatus", match["name"]
    if has_phases:
        header, name = f"aclnnop/aclnn_{match['header']}.h", f"aclnn{name}"
    fails = section["nothing"] is None
    return ClientFunction(section["library"], header, kind, name, given, section["reason"], fails, has_phases, rule)


def of_header(header: str) -> list[ClientFunction]:
    """The functions that a header declares."""
    return [row for row in table().functions if row.header == header]


def operator_headers() -> set[str]:
    """The names of the headers in aclnnop/ that declare functions of the table."""
    return {row.header.removeprefix("aclnnop/") for row in table().functions if row.header.startswith("aclnnop/")}


def not_computed() -> dict[str, ClientFunction]:
    """The functions that fail, by each of their names."""
    rows = (row for row in table().functions if row.fails and not row.is_computed)
    return {name: row for row in rows for name in all_names(row)}


def all_names(row: ClientFunction) -> tuple[str, ...]:
    return (f"{row.name}GetWorkspaceSize", row.name) if row.has_phases else (row.name,)


def stubs(library: str) -> str:
    """C definitions of a library's functions. They read no argument, and so name none."""
    lines = ["#include <stdint.h>", "", "extern int32_t actgrad_fail(int32_t code, const char* format, ...);", ""]
    rows = [row for row in table().functions if row.library == library and not row.is_computed]
    lines += [line for row in rows for line in _definitions(row)]
    return "\n".join(lines) + "\n"


def _definitions(row: ClientFunction) -> Iterator[str]:
    for name, phase in zip(all_names(row), ("one", "two"), strict=False):
        kind = _c_type(row.type)
        text = f"{row.name} is not in actgrad: {row.reason}" + (f"; called at phase {phase}" if row.has_phases else "")
        code = _FAILURES.get(row.type, 207000)
        report = f'actgrad_fail({code}, "%s", "{text}")'
        if not row.fails:
            body = "" if kind == "void" else " return 0; "
        elif row.type in _FAILURES:
            body = f" return {report}; "
        else:
            body = f" {report}; " if kind == "void" else f" {report}; return 0; "
        yield f'__attribute__((visibility("default"))) {kind} {name}(void) {{{body}}}'


def _c_type(kind: str) -> str:
    """The type in a stub, which includes no header."""
    if kind.endswith("*"):
        return "void*"
    return "int32_t" if kind in _FAILURES else kind


@dataclass(frozen=True, slots=True)
class Glued:
    """A function that the glue computes."""

    rule: str
    parameters: tuple[CParameter, ...]


@cache
def glue() -> dict[str, Glued]:
    """The functions that are computed, by name."""
    rows = (row for row in table().functions if row.is_computed)
    return {row.name: Glued(row.rule, tuple(map(_parameter, row.parameters))) for row in rows}


_TYPES = {
    "aclTensor*": "Tensor", "aclScalar*": "Scalar", "aclIntArray*": "ints", "bool": "bool", "aclTensorList*": "tensors",
    "aclScalarList*": "scalars", "aclBoolArray*": "bools", "double": "double", "float": "double", "char*": "text",
}  # fmt: skip


def _parameter(text: str) -> CParameter:
    kind, _, name = text.removeprefix("const ").rpartition(" ")
    may_be = name == "out" or name.endswith("Out") or not text.startswith("const ")
    is_output = kind in ("aclTensor*", "aclTensorList*") and may_be
    return CParameter(name, name, _TYPES.get(kind, "int"), is_output)


def declarations(rows: Sequence[ClientFunction]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The return type and name, and the parameters, of each function that rows declare."""
    for row in rows:
        if not row.has_phases:
            yield f"{row.type} {row.name}", row.parameters or ("void",)
            continue
        first = (*row.parameters, *signatures.RETURNED) if row.is_known else ("ACTGRAD_ANY",)
        yield f"{row.type} {row.name}GetWorkspaceSize", first
        yield f"{row.type} {row.name}", signatures.SECOND
