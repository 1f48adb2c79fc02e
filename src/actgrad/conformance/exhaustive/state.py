"""What sweeps found, on disk: an interrupted one goes on where it was, a finished one is not run again."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ... import outputs, products
from ...folders import user_cache
from ...plan import Computation
from ..sizes import UnreadableFile
from .item import Found, Item


@dataclass
class State:
    """How far a sweep is."""

    done: int = 0  # numbers, from the first
    outputs: dict[str, Found] = field(default_factory=dict)
    verified: str = ""  # what its exact values were held against


def default_folder() -> Path | None:
    """Where states are kept unless another folder is named; None where there is no home folder."""
    base = user_cache()
    return None if base is None else base / "actgrad-exhaustive"


class Folder:
    """The states in one folder, a file each, written whole or not at all."""

    def __init__(self, path: Path):
        self.path = path

    def file(self, item: Item) -> Path:
        """Where a sweep's state is, if there is one."""
        product = products.chosen()
        parts = [item.words, item.kind, str(item.every), product.name if product else ""]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
        return self.path / f"{item.operator.name}-{item.dtype}-{item.kind}-{digest}.json"

    def load(self, item: Item, fingerprint: str) -> State:
        """How far a sweep is; a new one where nothing was found yet by this very code."""
        path = self.file(item)
        try:
            held = json.loads(path.read_text(encoding="utf-8"))
            if held["fingerprint"] != fingerprint or held["count"] != item.count:
                return State()
            outputs = {name: Found.of_plain(plain) for name, plain in held["outputs"].items()}
            if type(held["done"]) is not int or not 0 <= held["done"] <= item.count:
                raise ValueError(f"done is {held['done']!r}")
            return State(held["done"], outputs, str(held["verified"]))
        except FileNotFoundError:
            return State()
        except OSError as error:
            raise UnreadableFile(f"{path}: {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise UnreadableFile(f"{path}: no state of a sweep ({error}); remove it to begin anew") from error

    def save(self, item: Item, fingerprint: str, state: State) -> None:
        """Keep how far a sweep is."""
        document: dict[str, Any] = {
            "operator": item.operator.name,
            "attributes": item.words,
            "dtype": item.dtype,
            "kind": item.kind,
            "every": item.every,
            "count": item.count,
            "fingerprint": fingerprint,
            "done": state.done,
            "verified": state.verified,
            "outputs": {name: found.plain() for name, found in state.outputs.items()},
        }
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnreadableFile(f"{self.path}: {error.strerror or error}") from error
        outputs.write(self.file(item), json.dumps(document, indent=1, allow_nan=False) + "\n")


def fingerprint(computation: Computation) -> str:
    """A name for the code that computes and measures: what it found counts no longer once it is another."""
    digest = hashlib.sha256(_sources())
    for formula in computation.formulas:
        module = sys.modules.get(formula.__module__)
        if module is not None and module.__file__ is not None:
            digest.update(Path(module.__file__).read_bytes())
        digest.update(formula.__qualname__.encode())
    digest.update(repr((computation.scalars, computation.compute)).encode())
    return digest.hexdigest()[:24]


@cache
def _sources() -> bytes:
    package = Path(__file__).parents[2]
    names = ["backends/*.py", "backends/cpu/*.py", "ops/*.py", "xp.py", "layouts.py", "testing.py", "sized.py"]
    names += [f"conformance/{name}.py" for name in ("elements", "golden", "measurement", "standards")]
    names += [f"conformance/exhaustive/{name}.py" for name in ("item", "sweep")]
    found = [path for name in names for path in package.glob(name)]
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(path.read_bytes())
    return digest.digest()
