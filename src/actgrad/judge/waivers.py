"""Waivers: failures that somebody has accepted for a time, with a reason. Reports count and list the waived cases."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ..base.errors import did_you_mean, quote
from ..calls.operator import REGISTRY
from .files import fields, sizes
from .files.fields import FieldError
from .files.sizes import UnreadableFile

ANY = "*"
_FIELDS = ("operator", "kind", "reason", "until")


@dataclass(frozen=True)
class Waiver:
    """A failure that is accepted: of an operator, of a kind, for a reason, up to and including a day."""

    operator: str  # or ANY
    kind: str  # the name of a mistake, such as nan-at-infinity, or the kind of a case, such as zeros
    reason: str
    until: date

    def applies_to(self, operator: str, today: date) -> bool:
        """Whether it holds for an operator today."""
        return self.operator in (ANY, operator) and today <= self.until

    def __str__(self) -> str:
        return f"{self.operator} {self.kind} until {self.until}: {self.reason}"


def read(path: Path) -> list[Waiver]:
    """The waivers of a file: a JSON list of objects. Raises UnreadableFile if the file is damaged."""
    where = ""
    try:
        with sizes.reading(path):
            document = fields.json_document(path.read_text(encoding="utf-8-sig"), "a list of waivers")
        if not isinstance(document, list):
            raise FieldError(f"is {quote(document)}; it must be a list of waivers; write [{{...}}]")
        waivers = []
        for number, entry in enumerate(document):
            where = f"waiver {number}: "
            waivers.append(_waiver(entry))
    except FieldError as fault:
        raise UnreadableFile(f"{path}: {where}{fault}") from fault
    return waivers


def _waiver(entry: Any) -> Waiver:
    if not isinstance(entry, dict):
        raise FieldError(f"is {quote(entry)}; it must be an object with {', '.join(_FIELDS)}; write {{...}}")
    for name in entry:
        if name not in _FIELDS:
            cure = did_you_mean(name, _FIELDS, "leave it out")
            raise FieldError(f"has the unknown field {quote(name)}; it may have {', '.join(_FIELDS)}; {cure}")
    texts = {}
    for name in _FIELDS:
        text = entry.get(name)
        if not isinstance(text, str) or not text.strip():
            raise FieldError(f"{name} is {quote(text)}; it must be a text; add it")
        texts[name] = text.strip()
    if texts["operator"] != ANY and texts["operator"] not in REGISTRY:
        cure = did_you_mean(texts["operator"], REGISTRY, "see actgrad list")
        raise FieldError(
            f"operator is {quote(texts['operator'])}; it must be {ANY!r} or an operator of actgrad list; {cure}"
        )
    try:
        day = date.fromisoformat(texts["until"])
    except ValueError as error:
        raise FieldError(
            f"until is {quote(texts['until'])}; it must be a day such as 2027-01-31; correct it"
        ) from error
    return Waiver(texts["operator"], texts["kind"], texts["reason"], day)


def matching(
    waivers: Sequence[Waiver], operator: str, mistakes: Collection[str], kind: str, today: date
) -> list[Waiver]:
    """The waivers that accept a failing case together: one for its kind, or one for each of its mistakes. [] if none.

    `mistakes` are the names of the diagnosis. A case without a diagnosis needs a waiver for its kind.
    """
    valid = [waiver for waiver in waivers if waiver.applies_to(operator, today)]
    of_kind = [waiver for waiver in valid if kind and waiver.kind == kind]
    if of_kind:
        return of_kind[:1]
    found = [next((waiver for waiver in valid if waiver.kind == name), None) for name in mistakes]
    return [] if None in found else [*dict.fromkeys(filter(None, found))]
