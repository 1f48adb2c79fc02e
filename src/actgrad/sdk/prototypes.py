"""The generated part of the SDK: enumerators, status codes, and per operator a header and its two C functions."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

from ..aclnn import names, signatures
from ..aclnn.objects import SCALARS
from ..aclnn.signatures import RETURNED, SECOND, Parameter, Signature

ENUMERATORS = "@ENUMERATORS@"  # where acl_base.h.in wants aclDataType and aclFormat

_CPP_BEGIN = '#ifdef __cplusplus\nextern "C" {\n#endif\n'
_CPP_END = "#ifdef __cplusplus\n}\n#endif\n"


def enumerators() -> str:
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
    """data_types.h, for the libraries alone: what a scalar may be, and the bytes of its value."""
    rows = "\n".join(f"    {{{row.acl}, {row.itemsize}}}, /* {row.acl_name} */" for row in SCALARS.values())
    struct = "static const struct ScalarType {\n    int32_t number;\n    size_t size;\n}"
    return guarded(
        "data_types.h", f"#include <stddef.h>\n#include <stdint.h>\n\n{struct} SCALAR_TYPES[] = {{\n{rows}\n}};\n"
    )


def operator_headers() -> Iterator[tuple[str, str]]:
    """Each header of aclnnop/, by its file's name."""
    for operator, group in groupby(signatures.every(), lambda signature: signature.operator):
        name = f"aclnn_{operator.name}.h"
        lines = ['#include "aclnn/aclnn_base.h"', '#include "aclnnop/aclnn_util.h"', "", _CPP_BEGIN]
        for signature in group:
            summary = " ".join(operator.summary.partition("\n\n")[0].split())
            in_place = " The result is written to selfRef." if signature.in_place else ""
            comment = f"/* {signature.name}: {summary}{in_place} */"
            lines += textwrap.wrap(comment, 110, subsequent_indent="   ")
            lines.append(f"ACLNN_API {_prototype(signature.first_name, _first(signature))};")
            lines.append(f"ACLNN_API {_prototype(signature.name, SECOND)};")
            lines.append("")
        lines.append(_CPP_END)
        yield name, guarded(f"aclnnop/{name}", "\n".join(lines))


def stubs() -> str:
    """opapi.c: the operators' functions, which pass their arguments on."""
    lines = ['#include "internal.h"', "", *(f'#include "aclnnop/{name}"' for name, _ in operator_headers()), ""]
    for signature in signatures.every():
        rows = ",\n".join(f"        {_argument(p, signature)}" for p in signature.parameters)
        name, count = signature.name, len(signature.parameters)
        lines += [
            f"EXPORT {_prototype(signature.first_name, _first(signature))} {{",
            f"    const actgrad_argument arguments[] = {{\n{rows},\n    }};",
            f'    return actgrad_phase_one("{name}", arguments, {count}, workspaceSize, executor);',
            "}",
            "",
            f"EXPORT {_prototype(signature.name, SECOND)} {{",
            f'    return actgrad_phase_two("{name}", workspace, workspaceSize, executor, stream);',
            "}",
            "",
        ]
    return "\n".join(lines)


def _first(signature: Signature) -> tuple[str, ...]:
    return (*[f"{p.c_type} {p.name}" for p in signature.parameters], *RETURNED)


def _prototype(name: str, parameters: tuple[str, ...]) -> str:
    """A prototype, broken into lines that fit."""
    line = f"aclnnStatus {name}("
    lines = [line]
    for k, parameter in enumerate(parameters):
        text = parameter + (")" if k == len(parameters) - 1 else ",")
        if len(lines[-1]) + len(text) > 110:
            lines.append("    " + text)
        else:
            lines[-1] += ("" if lines[-1].endswith("(") else " ") + text
    return "\n".join(lines)


def _argument(parameter: Parameter, signature: Signature) -> str:
    if parameter.type == "Tensor":
        kind = "TENSOR_IN_OUT" if signature.in_place else "TENSOR_OUT" if parameter.is_output else "TENSOR_IN"
        return f'{{{kind}, "{parameter.name}", {parameter.name}, 0}}'
    if parameter.type == "Scalar":
        return f'{{SCALAR, "{parameter.name}", {parameter.name}, 0}}'
    return f'{{FLAG, "{parameter.name}", NULL, {parameter.name}}}'


def guarded(name: str, body: str) -> str:
    """A header that may be included twice."""
    guard = "ACTGRAD_" + "".join(c if c.isalnum() else "_" for c in name).upper()
    return f"/* Made by `actgrad sdk`. */\n#ifndef {guard}\n#define {guard}\n\n{body}\n#endif\n"
