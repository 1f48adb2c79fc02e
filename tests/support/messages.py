"""The form of a message: what was given, what is expected, what to do; in one line."""

from __future__ import annotations

import re

#: What the third part begins with, where it is no question.
DO = {
    "add", "allocate", "build", "call", "change", "check", "choose", "convert", "correct",
    "create", "cut", "did", "enlarge", "exchange", "export", "fill", "free", "install",
    "leave", "make", "merge", "move", "name", "pad", "pass", "quote", "raise",
    "redirect", "remove", "rename", "repair", "reorder", "reshape", "rewrite", "run", "save",
    "see", "set", "skip", "split", "start", "state", "synchronize", "trim", "type",
    "undo", "unset", "use", "write",
}  # fmt: skip


def faults_of(text: str, *names: str) -> list[str]:
    """The ways in which a message breaks the form. It must contain each of `names` as a word."""
    faults = []
    if "\n" in text.rstrip("\n"):
        faults.append("several lines")
    parts = text.strip().split("; ")
    if len(parts) < 3:
        faults.append(f"{len(parts)} parts")
    elif re.split(r"\W", parts[-1].lower())[0] not in DO:
        faults.append(f"says not what to do: {parts[-1]}")
    faults += [f"does not name {name}" for name in names if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    return faults


def check(text: str, *names: str) -> None:
    """Hold a message to the form."""
    faults = faults_of(text, *names)
    assert not faults, f"{faults}: {text}"
