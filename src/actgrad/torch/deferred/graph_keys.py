"""The keys of graphs in the caches on disk of torch.compile.

PyTorch's keys contain the names of operators. But a compiled graph also depends on this package's version, on
`exact_in_graphs`, on the chosen product and rules, and on the formulas of operators that other packages define.
PyTorch adds an operator's Triton kernels to its keys, only where Triton is installed.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch

from ... import __version__
from ...calls.operator import REGISTRY
from ...ops import public
from . import late_imports

_CODECACHE = "torch._inductor.codecache"
_is_complete = False


def complete(settings: Callable[[], str]) -> None:
    """Let PyTorch's keys contain these settings and our version, for graphs with our operators."""
    late_imports.after_import(_CODECACHE, partial(_complete, settings))


def are_complete() -> bool:
    """Whether no cache confuses graphs: False in a version of PyTorch with keys that `complete` does not know."""
    return _CODECACHE not in sys.modules or _is_complete


def _complete(settings: Callable[[], str]) -> None:
    global _is_complete
    codecache: Any = sys.modules[_CODECACHE]
    details = getattr(codecache, "FxGraphHashDetails", None)
    if details is None:
        return
    initialise = details.__init__

    @functools.wraps(initialise)
    def with_our_state(self: Any, graph: Any, *args: Any, **options: Any) -> None:
        initialise(self, graph, *args, **options)
        calls = list(_calls(graph))
        names = set(map(_operator_name, calls))
        if any(name in REGISTRY and REGISTRY[name] is not getattr(public, name, None) for name in names):
            raise codecache.BypassFxGraphCache("an operator of actgrad is not actgrad's own: its formula may change")
        if any(map(_has_symbol, calls)):
            raise codecache.BypassFxGraphCache("a number may become a constant of the graph, and caches lose its guard")
        if names:
            self.actgrad = f"actgrad {__version__}, {_digest()}, {settings()}"

    details.__init__ = with_our_state
    _is_complete = True


def _calls(graph: Any) -> Iterator[torch.fx.Node]:
    """The calls of our operators in a graph and its subgraphs."""
    for module in graph.modules() if isinstance(graph, torch.nn.Module) else ():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            if node.op == "call_function" and str(node.target).partition(".")[0] == "actgrad":
                yield node


def _operator_name(call: torch.fx.Node) -> str:
    name = str(call.target).split(".")[1]
    return name if name in REGISTRY else name.removesuffix("_")


def _has_symbol(call: torch.fx.Node) -> bool:
    """Whether a call of an operator has a number that is an input of the graph.

    If an operator stays in the graph, PyTorch makes the number a constant, and guards its value. A graph from a cache
    has the constant without the guard, so a later call with another number would compute with the old one.
    """
    values = (node.meta.get("example_value", node.meta.get("val")) for node in call.all_input_nodes)
    return any(isinstance(value, torch.SymFloat) for value in values)


@cache
def _digest() -> str:
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[2].rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
