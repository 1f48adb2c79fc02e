"""Tasks on the workers of a running Dask cluster, through the executor interface of `distributed`.

A worker refuses a task if it has another version of the package, or if its environment chooses another product,
because its results could differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from .. import __version__
from ..base.errors import ActgradError, library
from ..checks import law
from . import state
from .runner import Execute, in_pool

PREFIX = "dask:"
TIMEOUT_SECONDS = 20
_AHEAD = 2  # tasks for each thread of the cluster that are with the scheduler, so that no thread waits for a message


@contextmanager
def connected(address: str) -> Iterator[Execute]:
    """A context with an executor for the cluster whose scheduler has this address."""
    distributed = library("distributed", "check --executor needs distributed", "dask")
    try:
        client = distributed.Client(address, timeout=TIMEOUT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # TimeoutError is an OSError
        cause = " ".join(str(error).split()) or type(error).__name__
        cure = "it must be that of a running scheduler, such as tcp://127.0.0.1:8786; start one with: dask scheduler"
        raise ActgradError(f"--executor {PREFIX}{address}: no scheduler at this address ({cause}); {cure}") from error
    with client:
        threads = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        if not threads:
            cure = "it must have at least one; start some with: dask worker ADDRESS"
            raise ActgradError(f"--executor {PREFIX}{address}: the cluster has no workers; {cure}")
        yield partial(_execute, client.get_executor(pure=False), _AHEAD * threads)


def _execute(pool: Any, at_once: int, function: Callable[[Any], Any], arguments: Iterable[Any]) -> Iterator[Any]:
    choice = law.current()
    remote = partial(_on_worker, function, facts(), None if choice is None else choice.description)
    try:
        yield from in_pool(pool, remote, arguments, at_once)
    except ActgradError:
        raise
    except Exception as error:  # distributed has errors of many kinds, and passes on the errors of workers
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        cure = f"each worker must have actgrad {__version__} and stay alive; see the logs of the workers"
        raise ActgradError(f"check: a worker of the Dask cluster failed ({cause}); {cure}") from error


def facts() -> dict[str, str]:
    """What must be equal on all machines."""
    chosen = law.of_environment() if law.of_environment is not None else None
    return {
        "actgrad": __version__,
        "the code of actgrad": state.code_digest("**/*.py"),
        "numpy": np.__version__,
        "the product in the environment": "none" if chosen is None else str(sorted(chosen.description.values())),
    }


def _on_worker(
    function: Callable[[Any], Any], expected: dict[str, str], choice: dict[str, str] | None, argument: Any
) -> Any:
    for name, value in facts().items():
        if value != expected[name]:
            fault = f"check: on a worker of the Dask cluster, {name} is {value}"
            raise ActgradError(f"{fault}; it must be {expected[name]}, as where check runs; install the same version")
    with _choosing(choice):
        return function(argument)


def _choosing(choice: dict[str, str] | None) -> Any:
    if choice is None or law.slots is None:
        return nullcontext()
    product = choice["product"]
    return law.slots.choosing(None if product == "none" else product, choice["rules"])
