"""The names that programs use besides the activations: declarations, computed functions, and stubs that fail.

declared_functions.txt lists the names that actgrad does not compute. The table of ascend/network has the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ..aclnn import signatures
from ..aclnn.signatures import CParameter
from ..network import pytorch
from ..network.entry import Entry
from ..network.functions import families
from .prefix import SdkError

TABLE = Path(__file__).with_name("declared_functions.txt")

#: The status of a function that fails, by the function's return type. Other types return 0, pointers null.
_FAILURES = {"aclError": 207000, "int32_t": 207000, "rtError_t": 207000, "HcclResult": 5, "aclnnStatus": 561103}

#: Replaces a header's name: no header declares the functions of this section.
BY_NAME = "by name"

_LIBRARY = re.compile(r"library (?P<names>.+): (?P<needed>.+)")
_SECTION = re.compile(r"\[(?P<library>\w+)(?: (?P<header>by name|[\w/.]+))?(?P<nothing> = 0)?\] (?P<reason>.+)")
_PLAIN = re.compile(r"(?P<type>[\w ]+\*?) (?P<name>\w+)\((?P<parameters>.*)\)")
_PHASES = re.compile(r"(?P<header>\w+): (?P<name>\w+)\((?P<parameters>.*)\)")


@dataclass(frozen=True, slots=True)
class DeclaredFunction:
    """A function of the table."""

    library: str  # "opapi" means every library of operators
    header: str  # "" if no header declares the function
    type: str  # the return type
    name: str
    parameters: tuple[str, ...]  # the parameters of phase one, or ("...",) if the table does not list them
    reason: str
    fails: bool
    has_phases: bool
    rule: Entry | None = None  # what computes the function
    arguments: tuple[CParameter, ...] = ()  # of a function that is computed: the parameters of phase one
    is_checked: bool = False

    @property
    def is_computed(self) -> bool:
        return self.rule is not None

    @property
    def names(self) -> tuple[str, ...]:
        return (f"{self.name}{signatures.FIRST}", self.name) if self.has_phases else (self.name,)


def functions() -> tuple[DeclaredFunction, ...]:
    """All functions besides those of the registry's operators."""
    operator_names = {signature.name for signature in signatures.all_signatures()}
    return tuple(row for row in (*_read()[1].values(), *_computed()) if row.name not in operator_names)


@cache
def _computed() -> tuple[DeclaredFunction, ...]:
    """The functions that PyTorch or NumPy computes."""
    return tuple(
        DeclaredFunction(
            "opapi", f"aclnnop/aclnn_{row.header}.h", "aclnnStatus", f"aclnn{row.name}", row.parameters, subject, True,
            True, row.rule, row.arguments, row.checks is not None,
        )
        for subject, rows in families().items() for row in rows
    )  # fmt: skip


def libraries() -> dict[str, tuple[str, ...]]:
    """The libraries without sources, and the libraries that each of them loads."""
    return _read()[0]


@cache
def _read() -> tuple[dict[str, tuple[str, ...]], dict[str, DeclaredFunction]]:
    loaded: dict[str, tuple[str, ...]] = {}
    table: dict[str, DeclaredFunction] = {}
    section: re.Match[str] | None = None
    for number, line in enumerate(TABLE.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if match := _LIBRARY.fullmatch(line):
            loaded.update(dict.fromkeys(match["names"].split(), tuple(match["needed"].split())))
        elif match := _SECTION.fullmatch(line):
            section = match
        else:
            rows = _rows(section, line)
            if not rows or not table.keys().isdisjoint(row.name for row in rows):
                fault = f"{TABLE.name}:{number}: {line!r} does not parse or occurs twice"
                raise SdkError(f"{fault}; it must be a row of its section; see the comment at the top of the table")
            table |= {row.name: row for row in rows}
    return loaded, table


def _rows(section: re.Match[str] | None, line: str) -> list[DeclaredFunction]:
    """The functions of a line. Empty if the line does not fit its section."""
    if section is not None and section["header"] == BY_NAME:
        library, reason = section["library"], section["reason"]
        return [
            DeclaredFunction(library, "", "aclnnStatus", f"aclnn{name}", (), reason, True, True)
            for name in line.split()
        ]
    row = _row(section, line)
    return [] if row is None else [row]


def _row(section: re.Match[str] | None, line: str) -> DeclaredFunction | None:
    has_phases = section is not None and section["header"] is None
    match = (_PHASES if has_phases else _PLAIN).fullmatch(line)
    if section is None or match is None:
        return None
    parameters = () if match["parameters"] in ("", "void") else tuple(match["parameters"].split(", "))
    header, kind, name = section["header"], match["type"] if not has_phases else "aclnnStatus", match["name"]
    if has_phases:
        header, name = f"aclnnop/aclnn_{match['header']}.h", f"aclnn{name}"
    return DeclaredFunction(
        section["library"], header, kind, name, parameters, section["reason"], section["nothing"] is None, has_phases
    )


@cache
def computed() -> dict[str, DeclaredFunction]:
    """The functions that PyTorch or NumPy computes, by name."""
    return {row.name: row for row in functions() if row.is_computed}


def not_computed() -> dict[str, DeclaredFunction]:
    """The functions that return an error at each call, by name. A function may have several names."""
    return {name: row for row in functions() if row.fails and not row.is_computed for name in row.names}


#: How `actgrad sdk --check` describes a function that computes, but accepts wrong calls.
UNCHECKED = "computed, not checked"

#: How it begins to describe a function that needs PyTorch, which is not installed.
NEEDS_TORCH = "needs PyTorch"


def unchecked() -> dict[str, DeclaredFunction]:
    """The functions that are computed without checks, by all of their names."""
    rows = [replace(row, reason=UNCHECKED) for row in computed().values() if not row.is_checked]
    return {name: row for row in rows for name in row.names}


def without_torch() -> dict[str, DeclaredFunction]:
    """The functions that fail because PyTorch is not installed, by all of their names. Empty if it is."""
    if pytorch.is_installed():
        return {}
    rows = [replace(row, reason=f"{NEEDS_TORCH}; {pytorch.CURE}") for row in computed().values()]
    return {name: row for row in rows if row.rule is not None and row.rule.uses_torch for name in row.names}


def stubs(library: str) -> str:
    """C definitions of a library's functions. They read no argument, so their parameters have no names."""
    lines = [
        "#include <stdbool.h>",
        "#include <stdint.h>",
        "",
        "extern int32_t actgrad_fail(int32_t code, const char* format, ...);",
        "extern int32_t actgrad_note_refusal(int32_t status, bool fails_in_its_thread);",
        "extern int32_t actgrad_note_phase_one(int32_t status);",
        "",
    ]
    rows = [row for row in functions() if row.library == library and not row.is_computed]
    lines += [line for row in rows for line in _definitions(row)]
    return "\n".join(lines) + "\n"


def _definitions(row: DeclaredFunction) -> Iterator[str]:
    type_here = "void*" if row.type.endswith("*") else "int32_t" if row.type in _FAILURES else row.type  # no header
    for name, phase in zip(row.names, ("one", "two"), strict=False):
        hint = f"called at phase {phase}" if row.has_phases else "the program must not call it"
        text = f"{row.name} is not in actgrad: {row.reason}; {hint}; run actgrad sdk --check for all such names"
        report = f'actgrad_fail({_FAILURES.get(row.type, 207000)}, "%s", "{text}")'
        if row.has_phases and phase == "one":
            report = f"actgrad_note_phase_one({report})"
        if row.name.startswith("aclop") and any(p.startswith("aclrtStream") for p in row.parameters):
            report = f"actgrad_note_refusal({report}, true)"  # the stream never gets this operator
        value = report if row.fails and row.type in _FAILURES else "0"
        before = f"{report}; " if row.fails and value == "0" else ""
        body = before + ("" if row.type == "void" else f"return {value};")
        yield f'__attribute__((visibility("default"))) {type_here} {name}(void) {{ {body} }}'
