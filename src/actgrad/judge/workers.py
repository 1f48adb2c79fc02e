"""Worker processes: each reads tasks one by one from standard input, and writes the results to standard output.

A worker has its own session, so Ctrl-C in a terminal reaches only the parent. A worker ends without a message when its
input ends, even during its start. An interrupted parent kills its workers.
"""

from __future__ import annotations

import os
import pickle
import selectors
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from typing import Any

from ..base.errors import ActgradError


def in_processes(function: Callable[[Any], Any], tasks: Iterable[Any], jobs: int) -> Iterator[Any]:
    """The results of a module's function for all tasks, computed by `jobs` processes, in the order of arrival."""
    waiting = iter(tasks)
    with selectors.DefaultSelector() as ready, ExitStack() as stack:
        for task in islice(waiting, jobs):
            worker = stack.enter_context(_worker())
            ready.register(worker.stdout, selectors.EVENT_READ, worker)  # type: ignore[arg-type]
            _send(worker, function, task)
        while ready.get_map():
            for key, _ in ready.select():
                result = _receive(key.data)
                following = list(islice(waiting, 1))
                if following:
                    _send(key.data, *following)
                else:
                    ready.unregister(key.fileobj)
                yield result


@contextmanager
def _worker() -> Iterator[subprocess.Popen[bytes]]:
    # Code sets the path, because with -c, Python would search the working folder first for every module.
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve()"
    command = [sys.executable, "-c", code]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        yield worker
    finally:
        worker.kill()
        with suppress(BrokenPipeError), worker:  # closes the pipes and waits for the worker
            pass


def _send(worker: subprocess.Popen[bytes], *objects: Any) -> None:
    assert worker.stdin is not None
    try:
        worker.stdin.write(b"".join(map(pickle.dumps, objects)))
        worker.stdin.flush()
    except BrokenPipeError:
        raise _ended(worker) from None


def _receive(worker: subprocess.Popen[bytes]) -> Any:
    assert worker.stdout is not None
    try:
        return pickle.load(worker.stdout)
    except (EOFError, pickle.UnpicklingError):
        raise _ended(worker) from None


def _ended(worker: subprocess.Popen[bytes]) -> ActgradError:
    expected = "each must stay alive; free memory or use fewer --jobs"
    return ActgradError(f"check: a process that judges ended with status {worker.wait()}; {expected}")


def serve() -> None:
    """Compute the results of the tasks on standard input. The input begins with the function."""
    tasks = sys.stdin.buffer
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the output of libraries must not mix with the results
    with suppress(EOFError, pickle.UnpicklingError, BrokenPipeError):  # the parent has ended
        function = pickle.load(tasks)
        while True:
            task = pickle.load(tasks)
            result = function(task)
            pickle.dump(result, results)
            results.flush()
