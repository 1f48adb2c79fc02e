"""Mistakes in the field `layout` of an operator, which says what the formula reads for one element."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..base.access import Along, Bits, Elementwise, Halves
from ..base.errors import either, one, quote
from ..base.rows import Rows, RowsAlong, Statistic
from ..base.schema import Schema


def of_access(layout: Any, schema: Schema) -> Iterator[str]:
    """The mistakes in an access, for an operator with this schema."""
    if layout is None:
        return
    if not isinstance(layout, Elementwise):
        yield f"layout is {quote(layout)}; it must be an access, such as Along('weight', 1) or Halves(('x',))"
    elif isinstance(layout, Rows):
        yield from _of_rows(layout, schema)
    elif isinstance(layout, Halves):
        yield from _of_halves(layout, schema)
    elif isinstance(layout, Bits):
        yield from _of_bits(layout, schema)
    if isinstance(layout, (Along, RowsAlong)):
        yield from _of_tensor_along(layout, schema)
    if isinstance(layout, Elementwise):
        yield from _of_dimension(layout.dimension_attribute, schema)


def _of_dimension(name: str, schema: Schema) -> Iterator[str]:
    """The mistakes in the attribute `dim`. `import actgrad.torch` needs this attribute."""
    kind = {a.name: a.type for a in schema.attributes}.get(name, "")
    if name and not kind:
        cure = f"add int {name}=-1 to the schema, or name another int attribute in layout"
        yield f"layout counts dimensions by {name!r}; it must be an attribute; {cure}"
    elif name and kind != "int":
        yield f"layout counts dimensions by {name!r}, which is {one(kind)}; write int {name}=-1 in the schema"


def _of_tensor_along(layout: Any, schema: Schema) -> Iterator[str]:
    kind, required = type(layout).__name__, [a.name for a in schema.tensors if not a.is_optional]
    names = ", ".join(required[1:]) or "none; add Tensor weight to the schema"
    if layout.tensor not in required[1:]:
        fault = "no tensor" if layout.tensor not in schema.tensor_names else "optional or the first tensor"
        yield f"layout={kind} names {quote(layout.tensor)}, which is {fault}; it must be one of {names}"
    if not _is_integer(layout.position):
        yield f"layout={kind} has position {quote(layout.position)}; it must be an integer; write 1 or -1, for example"


def _of_bits(layout: Bits, schema: Schema) -> Iterator[str]:
    lasts, required = (schema.tensor_names[-1], schema.outputs[-1]), all(not a.is_optional for a in schema.tensors)
    if layout.tensor not in lasts or lasts == schema.tensor_names[:1] + schema.outputs[:1]:
        must = f"it must be the last of several tensors, or of several outputs ({either(lasts)})"
        yield f"layout=Bits names {quote(layout.tensor)}; {must}; write it last"
    if len(schema.tensor_names) + len(schema.outputs) > 4 or not required:
        yield "layout=Bits has optional tensors, or more than 3 tensors and outputs next to the bits; take fewer"


def _of_halves(layout: Halves, schema: Schema) -> Iterator[str]:
    if isinstance(layout.packed, str) or not isinstance(layout.packed, tuple) or not layout.packed:
        yield f"layout=Halves packs {quote(layout.packed)}; it must be a tuple of tensors, such as Halves(('x',))"
        return
    flags = [a.name for a in schema.attributes if a.type == "bool"]
    listed = ", ".join(map(repr, flags)) or "none"
    if layout.active not in ("lower", "upper", *flags):
        must = f"it must be 'lower', 'upper' or a bool attribute ({listed})"
        yield f"layout=Halves has active {quote(layout.active)}; {must}"
    if layout.interleaved not in (False, True, *flags):
        yield (
            f"layout=Halves has interleaved {quote(layout.interleaved)}; it must be False, True or a bool attribute "
            f"({listed})"
        )
    if layout.tensor and layout.tensor not in schema.tensor_names:
        tensors = either(schema.tensor_names)
        yield f"layout=Halves names {layout.tensor!r}; it must be {tensors}; name one of these tensors"


def _of_rows(layout: Rows, schema: Schema) -> Iterator[str]:
    kind, example = type(layout).__name__, "passes=({'total': total(term)},)"
    if not isinstance(layout.passes, tuple) or not all(isinstance(group, Mapping) and group for group in layout.passes):
        yield f"layout={kind} has passes {quote(layout.passes)}; they must be a tuple of mappings, such as {example}"
        return
    if not layout.passes:
        yield f"layout={kind} has no passes; write {example}, or leave out layout"
    if not _is_integer(layout.position):
        yield f"layout={kind} has position {quote(layout.position)}; it must be an integer"
    names: list[str] = []
    for group in layout.passes:
        for name, statistic in group.items():
            if not isinstance(statistic, Statistic) or not _is_term(statistic.term):
                yield f"layout={kind} has {name!r}: {quote(statistic)}; write largest(term), total(term) or once(term)"
            if name in names:
                yield f"layout={kind} has two statistics {name!r}; give each a different name"
            if name in schema.tensor_names or name in schema.attributes_by_name:
                yield f"layout={kind} has a statistic {name!r}, the name of an argument; give it another"
            names.append(name)


def _is_term(term: Any) -> bool:
    return all(map(_is_term, term.values())) if isinstance(term, Mapping) else callable(term)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
