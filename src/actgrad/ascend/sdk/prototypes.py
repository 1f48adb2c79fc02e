"""The generated part of the SDK: prototypes, enumerators, statuses, and a header and two C functions per operator."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from ...base.dtypes import BY_NUMBER
from .. import products
from ..aclnn import names, signatures
from ..aclnn.objects import SCALARS
from ..aclnn.signatures import FIRST, RETURNED, SECOND, CParameter, Signature
from . import declared_functions

SOURCES = Path(__file__).parent / "c"

#: An exported function of the C sources, with its comment for the header.
_DEFINITION = re.compile(
    r"^ *(?P<comment>/\*\*(?:(?!\*/).)*\*/\n)?"
    r"(?P<type>(?:const )?\w+\*?) (?P<name>[aA]cl\w+)\((?P<parameters>[^{};]*)\) \{",
    re.M | re.S,
)
#: A macro of the C sources that defines functions.
_MACRO = re.compile(r"^#define (?P<name>\w+)\((?P<parameters>[\w, ]+)\) +\\\n(?P<body>(?:.*\\\n)*.*)", re.M)
#: The headers that include <array> in C++ too. Programs use std::array without an include of their own.
_WITH_ARRAY = tuple(
    f"aclnnop/aclnn_{name}.h"
    for name in (
        "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool2d", "adaptive_max_pool3d",
        "batch_norm_backward", "fast_batch_norm_backward", "group_norm_backward", "logsigmoid_backward",
        "logsoftmax_backward", "softmax_backward",
    )
)  # fmt: skip
_NO_BREAK = "\xa0"  # a space at which textwrap breaks no line
_CPP_BEGIN = '#ifdef __cplusplus\nextern "C" {\n#endif\n'
_CPP_END = "#ifdef __cplusplus\n}\n#endif\n"


def header(name: str, template: str) -> str:
    """A public header. `@name@` in its template becomes the prototypes of name.c. Two names are special.

    `@enumerators@` becomes data types and formats, `@clients@` the functions besides the activations for this header.
    """

    def replaced(match: re.Match[str]) -> str:
        if match[1] == "enumerators":
            return _enumerators()
        return "\n".join(_of_clients(name)) if match[1] == "clients" else _prototypes(match[1])

    start = template.rfind("#include")
    first = template.index("\n", start) + 1 if start >= 0 else 0
    body = re.sub(r"@(\w+)@", replaced, template[first:])
    return guarded(name, f"{template[:first]}\n{_CPP_BEGIN}{body}\n{_CPP_END}")


def _prototypes(name: str) -> str:
    """The prototypes of the functions that a source file exports."""
    (source,) = SOURCES.glob(f"*/{name}.c")
    lines = []
    for match in _DEFINITION.finditer(_expanded(source.read_text(encoding="utf-8"))):
        if match["comment"]:
            lines.append(match["comment"].replace("/**", "/*", 1).strip())
        parameters = tuple(" ".join(parameter.split()) for parameter in match["parameters"].split(","))
        lines.append(_prototype(f"ACL_FUNC_VISIBILITY {match['type']} {match['name']}", parameters) + ";")
    return "\n".join(lines)


def _expanded(text: str) -> str:
    """A C source in which the uses of its own macros are expanded."""
    for macro in _MACRO.finditer(text):

        def used(use: re.Match[str], macro: re.Match[str] = macro) -> str:
            values = dict(zip(macro["parameters"].split(", "), use[1].split(", "), strict=True))
            body = re.sub(r"\w+", lambda word: values.get(word[0], word[0]), macro["body"])
            return re.sub(r"##|\\$", "", body, flags=re.M)

        text = re.sub(rf"^{macro['name']}\((.*)\)$", used, text, flags=re.M)
    return text


def _of_clients(name: str) -> Iterator[str]:
    """The declarations of a header's functions besides the activations."""
    visibility = "ACLNN_API" if name.startswith("aclnnop/") else "ACL_FUNC_VISIBILITY"
    for row in declared_functions.functions():
        if row.header == name and row.has_phases:
            yield from (f"{each};" for each in _both(visibility, row.name, row.parameters))
        elif row.header == name:
            yield _prototype(f"{visibility} {row.type} {row.name}", row.parameters or ("void",)) + ";"


def _enumerators() -> str:
    """aclDataType and aclFormat."""
    return "\n".join([_enumeration("aclDataType", names.DATA_TYPES), _enumeration("aclFormat", names.FORMATS)])


def _enumeration(name: str, values: dict[str, int]) -> str:
    body = ",\n".join(f"    {key} = {number}" for key, number in values.items())
    return f"typedef enum {{\n{body}\n}} {name};\n"


def status_header() -> str:
    """aclnn/opdev/op_errno.h: the statuses of the operators."""
    lines = [f"#define {name} {number}" for name, number in names.STATUSES.items() if name.startswith("ACLNN_")]
    return guarded("aclnn/opdev/op_errno.h", "/* aclnnStatus */\n" + "\n".join(lines) + "\n")


def data_types() -> str:
    """data_types.h, only for the libraries: the bytes of an element and of a scalar, or 0 for types without scalars."""
    rows = []
    for row in BY_NUMBER.values():
        is_whole = row.kind != "other" or "float8" in row.name  # other dtypes are smaller than a byte, or have no size
        scalar = row.itemsize if row.acl in SCALARS else 0
        rows.append(f"    {{{row.acl}, {row.itemsize * is_whole}, {scalar}}}, /* {row.acl_name} */\n")
    struct = "static const struct {\n    int32_t number;\n    size_t size, scalar_size;\n}"
    body = f"{struct} DATA_TYPES[] = {{\n{''.join(rows)}}};\n"
    return guarded("data_types.h", f"#include <stddef.h>\n#include <stdint.h>\n\n{body}")


def products_header() -> str:
    """products.h, only for the libraries: for each product, a chip and a regular expression for its chips' names."""
    rows = "".join(f'    {{"{name}", "{chip}", "^{chips}$"}},\n' for name, (chip, chips) in products.CHIPS.items())
    struct = "static const struct {\n    const char *name, *chip, *chips;\n}"
    return guarded("products.h", f"{struct} PRODUCTS[] = {{\n{rows}}};\n")


def operator_headers() -> Iterator[tuple[str, str]]:
    """Each header of aclnnop/, by its file's name."""
    every = sorted(signatures.all_signatures(), key=lambda signature: signature.header)
    computed = {f"aclnnop/{name}": list(group) for name, group in groupby(every, lambda signature: signature.header)}
    client_headers = {row.header for row in declared_functions.functions() if row.header.startswith("aclnnop/")}
    for name in sorted(computed.keys() | client_headers):
        lines = ["#ifdef __cplusplus", "#include <array>", "#endif"] if name in _WITH_ARRAY else []
        lines += ['#include "aclnn/aclnn_base.h"', '#include "aclnnop/aclnn_util.h"', "", _CPP_BEGIN]
        for signature in computed.get(name, []):
            lines += _comment(signature)
            first, second = _both("ACLNN_API", signature.name, _parameters(signature))
            lines += [f"{first};", f"{second};", ""]
        if name in client_headers:
            remark = "/* Functions besides the activations. The SDK computes them, or phase one returns 561103. */"
            lines += [remark, *_of_clients(name), ""]
        yield name.removeprefix("aclnnop/"), guarded(name, "\n".join([*lines, _CPP_END]))


def _comment(signature: signatures.Signature) -> list[str]:
    """What a function computes: the operator's summary, and the attributes that the function fixes."""
    operator = signature.operator.name
    fixed = " and ".join(f"{name}={value!r}" for name, value in signature.fixed.items())
    begin = f"{signature.name} is {operator} with {fixed}.\n\n{operator}" if fixed else signature.name
    in_place = "\n\nThe result is written to selfRef." if signature.in_place else ""
    text = f"/* {signature.translated(f'{begin}: {signature.operator.definition.summary}')}{in_place} */"
    paragraphs = [textwrap.wrap(part, 107) for part in text.split("\n\n")]
    first, *rest = [line for paragraph in paragraphs for line in paragraph]
    return [first, *[f"   {line}" for line in rest]]


def stubs() -> str:
    """opapi.c: the operators' functions, which call the two functions of phases.c."""
    operators = [(each.name, _parameters(each), each.parameters) for each in signatures.all_signatures()]
    others = [(row.name, row.parameters, row.arguments) for row in declared_functions.computed().values()]
    headers = {f"aclnnop/{each.header}" for each in signatures.all_signatures()} | {
        row.header for row in declared_functions.computed().values()
    }
    lines = ['#include "nnopbase/nnopbase.h"', "", *(f'#include "{name}"' for name in sorted(headers)), ""]
    for name, parameters, arguments in [*operators, *others]:
        lines += _definitions(name, arguments, _both("EXPORT", name, parameters))
    return "\n".join(lines)


def _definitions(name: str, parameters: Sequence[CParameter], both: tuple[str, str]) -> list[str]:
    """The two functions of a call, by their prototypes."""
    rows = ",\n".join(f"        {_argument(p)}" for p in parameters)
    return [
        f"{both[0]} {{",
        f"    const actgrad_argument arguments[] = {{\n{rows},\n    }};",
        f'    return actgrad_phase_one("{name}", arguments, {len(parameters)}, workspaceSize, executor);',
        "}",
        "",
        f"{both[1]} {{",
        f'    return actgrad_phase_two("{name}", workspace, workspaceSize, executor, stream);',
        "}",
        "",
    ]


def _parameters(signature: Signature) -> tuple[str, ...]:
    return tuple(f"{p.c_type} {p.name}" for p in signature.parameters)


def _both(visibility: str, name: str, parameters: tuple[str, ...]) -> tuple[str, str]:
    """The prototypes of the two functions of a call."""
    first = ("ACTGRAD_ANY",) if parameters == ("...",) else (*parameters, *RETURNED)
    start = f"{visibility} aclnnStatus {name}"
    return _prototype(f"{start}{FIRST}", first), _prototype(start, SECOND)


def _prototype(start: str, parameters: tuple[str, ...]) -> str:
    """A prototype. Lines that are too long are broken between parameters."""
    text = f"{start}({', '.join(each.replace(' ', _NO_BREAK) for each in parameters)})"
    wrapped = textwrap.fill(text, 112, subsequent_indent="    ", break_long_words=False)
    return wrapped.replace(_NO_BREAK, " ")


def _argument(parameter: CParameter) -> str:
    if parameter.type in ("Tensor", "Scalar", "text", "ints", "bools", "tensors", "scalars"):
        return f"{{{parameter.type.upper()}, {parameter.name}, 0}}"
    value = f"actgrad_bits({parameter.name})" if parameter.type == "double" else parameter.name
    return f"{{FLAG, NULL, {value}}}"


def guarded(name: str, body: str) -> str:
    """A header with a guard, so that a program may include it twice."""
    guard = "ACTGRAD_" + "".join(c if c.isalnum() else "_" for c in name).upper()
    return f"/* Made by `actgrad sdk`. */\n#ifndef {guard}\n#define {guard}\n\n{body}\n#endif\n"
