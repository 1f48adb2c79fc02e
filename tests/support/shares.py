"""Which cases of a test that is marked `share(n)` run in `make test`."""

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
T = TypeVar("T")


def seed_of_commit(root: Path = ROOT) -> str:
    """The first digits of the commit that is checked out in root, and "0" outside a repository of git."""
    if not (root / ".git").exists():  # git would take the commit of a repository around an unpacked archive
        return "0"
    command = ["git", "-C", str(root), "rev-parse", "--verify", "--quiet", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:  # the machine has no git
        return "0"
    return done.stdout.strip()[:8] or "0"


def drawn(cases: Sequence[T], n: int, seed: str, test: str) -> list[T]:
    """One case out of each n neighbours, drawn by the seed. A test without parameters is drawn at one of n seeds, or
    of six. Such tests of a file are drawn together, because they often stand on the same costly folder.

    Neighbours differ in the last parameter, so a draw for each n of them leaves no parameter out for ever, as a fixed
    step of n may do.
    """
    if len(cases) == 1:
        file = test.partition("::")[0]
        return list(cases) if random.Random(f"{seed} {file}").randrange(min(n, 6)) == 0 else []
    draw = random.Random(f"{seed} {test}")
    return [draw.choice(cases[first : first + n]) for first in range(0, len(cases), n)]
