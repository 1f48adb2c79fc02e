"""Runs the tasks of a long check: the cases of a delivery, or the parts of sweeps.

A state keeps each result. The function of a task gets the earlier result and decides whether it still holds, because
only the function knows what its result depends on. An executor says where the tasks run. All executors give the same
results.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice
from typing import Any

from ..backends import cores
from .state import State
from .workers import in_processes

Function = Callable[[Any, Any], Any]  # (argument, earlier result or None) -> result, which is plain data
#: Calls a module's function with each argument, and yields the results as they come.
Execute = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]


def run(
    function: Function, tasks: Iterable[tuple[str, Any]], execute: Execute, state: State
) -> Generator[tuple[str, Any]]:
    """Yield the names and results of the tasks as they come. A task is a name and the argument of the function."""
    calls = ((name, argument, state.get(name)) for name, argument in tasks)
    for name, result in execute(partial(_call, function), calls):
        state.put(name, result)
        yield name, result


def _call(function: Function, call: tuple[str, Any, Any]) -> tuple[str, Any]:
    name, argument, earlier = call
    return name, function(argument, earlier)


def here(function: Callable[[Any], Any], arguments: Iterable[Any]) -> Iterator[Any]:
    """Compute in this thread."""
    return map(function, arguments)


def in_threads(function: Callable[[Any], Any], arguments: Iterable[Any]) -> Iterator[Any]:
    """Compute in a thread for each core. The choice of a product holds in the threads too."""
    context = contextvars.copy_context()
    with ThreadPoolExecutor(cores()) as pool:

        def within(argument: Any) -> Any:
            return context.copy().run(function, argument)

        yield from in_pool(pool, within, arguments, cores())


def processes(jobs: int) -> Execute:
    """Compute in this number of new processes. One job computes in this process."""
    return here if jobs == 1 else partial(in_processes, jobs=jobs)


def in_pool(pool: Executor, function: Callable[[Any], Any], arguments: Iterable[Any], at_once: int) -> Iterator[Any]:
    """The results in the order of arrival. At most `at_once` arguments are with the pool at a time.

    If the caller leaves the loop, arguments that have not begun are cancelled.
    """
    waiting = iter(arguments)
    running: set[Future[Any]] = {pool.submit(function, argument) for argument in islice(waiting, at_once)}
    try:
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(function, argument) for argument in islice(waiting, len(finished))}
            for future in finished:
                yield future.result()
    finally:
        for future in running:
            future.cancel()
