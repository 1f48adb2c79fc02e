"""Another revision beside this one: both in a process of their own, taking turns, so that the same noise meets them.

The other revision lives in a throw-away git work tree. Both processes run the same code for measuring, this tree's.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import actgrad

from ..base.errors import ActgradError
from ..conformance import oracle
from . import buffers
from .cases import Case
from .results import Notes, Revision
from .throughput import Conditions
from .timing import LEAST_RUNS, MOST_RUNS, RUN_SECONDS, times

PAUSE = 0.004  # seconds between turns, in which the other process's threads stop waiting for work and sleep
WORKER = Path(__file__).with_name("worker.py")


class _Failed(Exception):
    """A process has answered with an error."""


class Process:
    """A process with one revision of the package."""

    def __init__(self, source: Path, folder: str):
        # By its text: a script's folder would come first in the module search, with this package's names.
        command = [sys.executable, "-c", WORKER.read_text(encoding="utf-8"), buffers.__file__]
        path = os.pathsep.join(filter(None, (str(source), os.environ.get("PYTHONPATH"))))
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a request."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended: the missing answer tells
            self._child.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            assert self._child.stderr is not None
            last = self._child.stderr.read().strip().splitlines()[-1:] or ["without a word"]
            raise ActgradError(f"bench: the process of a revision ended: {last[0]}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise _Failed(answer["error"])
        return answer

    def end(self) -> None:
        self._child.kill()
        self._child.communicate()


class Comparison:
    """Both processes, ready to be timed against each other."""

    def __init__(self, ours: Process, base: Process, revision: str):
        self.ours, self.base, self.revision = ours, base, revision

    def measure(
        self, case: Case, under: Conditions, seconds: float, notes: Notes, *, row: int, deviation: float
    ) -> Revision | None:
        """The times of a case in both revisions, or None where the other one lacks it."""
        request = {
            "name": case.operator.name,
            "attributes": dict(case.attributes),
            "given": case.with_optional,
            "from_result": oracle.takes_result(case.operator, case.all_attributes),
            "dtype": under.dtype,
            "layout": under.layout,
            "size": under.size,
            "row": row,
            "deviation": deviation,
        }
        sides = (self.ours, self.base)
        threads = [process.ask("hello", threads=under.threads) for process in sides]
        try:
            estimates = [process.ask("prepare", **request)["seconds"] for process in sides]
        except _Failed as fault:
            notes.add(f"{case.title}, {under.dtype}, {under.layout}: {fault}; not timed")
            return None
        calls = max(1, math.ceil(RUN_SECONDS / min(estimates)))
        runs = max(LEAST_RUNS, min(MOST_RUNS, int(seconds / (max(estimates) * (calls + 1) + PAUSE))))
        taken: tuple[list[float], list[float]] = ([], [])
        for turn in range(runs):
            for k in (0, 1) if turn % 2 else (1, 0):
                time.sleep(PAUSE)
                taken[k].append(sides[k].ask("time", calls=calls)["seconds"])
        return Revision(
            case.title, case.operator.name, dict(case.attributes), under.dtype, under.layout, under.size,
            threads[0]["threads"], *(times(s, calls) for s in taken),
        )  # fmt: skip


@contextmanager
def comparison(revision: str) -> Iterator[Comparison]:
    """This package's tree and a throw-away work tree of another revision, a process in each."""
    root = checkout()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="actgrad-base-")))
        commit = _commit(root, revision)
        tree = folder / "tree"
        _git(root, "worktree", "add", "--detach", str(tree), commit, about=revision)
        stack.callback(_git, root, "worktree", "remove", "--force", str(tree), about=revision)
        if not (tree / "src" / "actgrad" / "__init__.py").is_file():
            raise ActgradError(f"bench: revision {revision} has no src/actgrad")
        pair = [Process(source, str(folder)) for source in (root / "src", tree / "src")]
        for process in pair:
            stack.callback(process.end)
        for process, source in zip(pair, (root, tree), strict=True):
            found = Path(process.ask("hello", threads=0)["file"]).resolve()
            if source.resolve() not in found.parents:
                raise ActgradError(f"bench: the process of {source} found actgrad in {found.parent} instead")
        yield Comparison(pair[0], pair[1], commit)


def checkout() -> Path:
    """The root of the git checkout that this package is run from; an error where it is none."""
    package = Path(actgrad.__file__).resolve().parent
    root = package.parents[1]
    try:
        done = subprocess.run(
            ["git", "-C", str(package), "rev-parse", "--show-toplevel"], capture_output=True, text=True
        )
    except OSError as error:
        raise ActgradError(f"bench: --base needs git: {error}") from error
    if done.returncode or Path(done.stdout.strip()).resolve() != root:
        raise ActgradError(f"bench: --base needs a git checkout of actgrad; this one runs from {package}")
    return root


def _commit(root: Path, revision: str) -> str:
    try:
        return _git(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}", about=revision)
    except ActgradError:
        raise ActgradError(f"bench: --base {revision}: the checkout in {root} has no such revision") from None


def _git(root: Path, *arguments: str, about: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["git failed"])[-1]
        raise ActgradError(f"bench: --base {about}: {last}")
    return done.stdout.strip()
