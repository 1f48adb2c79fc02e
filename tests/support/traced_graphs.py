"""Graphs as torch.compile makes them, without a GPU: their kernels run by Triton's interpreter, or compiled only."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest

pytest.importorskip("triton", minversion="3.9")  # the interpreter's fma rounded twice before
pytest.importorskip("torch", minversion="2.13")

import torch
import triton
from torch._dynamo.backends.common import aot_autograd
from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.interpreter import InterpretedFunction

from actgrad.backends.triton import graph, program

TARGET = GPUTarget("cuda", 90, 32)
LAUNCH = torch.ops.higher_order.triton_kernel_wrapper_functional


class Graphs:
    """Compiles like inductor up to the graphs, and runs them with Triton's interpreter in place of a GPU."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def compiled(self, function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        torch.compiler.reset()
        whole = aot_autograd(fw_compiler=self._compile, bw_compiler=self._compile)
        return torch.compile(function, fullgraph=True, backend=whole, **options)

    def _compile(self, module: Any, _: Any) -> Callable[..., Any]:
        self.seen.append(module)
        return lambda *given: Interpreter(module).run(*given)

    @property
    def targets(self) -> list[str]:
        return [str(node.target) for module in self.seen for node in module.graph.nodes if node.op == "call_function"]

    @property
    def launches(self) -> int:
        return self.targets.count(str(LAUNCH))

    def assert_no_operator(self) -> None:
        assert not [target for target in self.targets if target.startswith("actgrad")]


class Interpreter(torch.fx.Interpreter):  # type: ignore[misc,name-defined]
    """Runs a graph."""

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        return launch(**kwargs) if target is LAUNCH else super().call_function(target, args, kwargs)


def launch(kernel_idx: int, grid: Any, kwargs: Any, tensors_to_clone: list[str], **_: Any) -> dict[str, Any]:
    """Run a node's kernel on its arguments."""
    kernel = kernel_side_table.get_kernel(kernel_idx)
    if not isinstance(kernel, triton.JITFunction):
        kernel = kernel.fn  # with a number of warps
    assert tensors_to_clone == [name for name in kernel.arg_names if name in tensors_to_clone]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_INTERPRET", "1")
        text = "".join(linecache.getlines(kernel.fn.__code__.co_filename))
        run = program._function(text, graph.NAME, InterpretedFunction)[grid[0]]
        with np.errstate(all="ignore"):
            run(*[kwargs[name] for name in kernel.arg_names])
    return {name: kwargs[name] for name in tensors_to_clone}


class Written(Exception):
    """Inductor has written its code."""


def inductor_code(function: Callable[..., Any], *given: Any, dynamic: bool = False) -> str:
    """The code for fake CUDA tensors; whatever would ask a GPU is answered for it."""
    from functorch.compile import aot_function
    from torch._inductor import compile_fx
    from torch._inductor.graph import GraphLowering
    from torch._inductor.runtime.hints import DeviceProperties

    def write(lowering: Any) -> None:
        code, _ = lowering.codegen()
        raise Written(code.value)

    properties = DeviceProperties("cuda", 0, 132, 90, 9, 65536, 2048, 32)
    gpu = SimpleNamespace(name="GPU", multi_processor_count=132, major=9, minor=0, total_memory=80 << 30)

    def inner(module: Any, example: Any) -> Any:
        with ExitStack() as stack:
            for where, what in {
                "torch.cuda.is_available": lambda: True,
                "torch.cuda.device_count": lambda: 1,
                "torch.cuda.current_device": lambda: 0,
                "torch.cuda.get_device_capability": lambda *_: (9, 0),
                "torch.cuda._lazy_init": lambda: None,
                "torch.cuda._exchange_device": lambda *_: 0,
                "torch.cuda._maybe_exchange_device": lambda *_: 0,
                "torch.cuda.get_device_properties": lambda *_: gpu,
                "torch._dynamo.utils.preserve_rng_state": nullcontext,
                "torch._inductor.scheduler.has_triton": lambda *_: True,
                "torch._inductor.runtime.hints.DeviceProperties.create": lambda _: properties,
            }.items():
                stack.enter_context(mock.patch(where, what))
            stack.enter_context(mock.patch.object(GraphLowering, "compile_to_module", write))
            stack.enter_context(torch._inductor.config.patch(fx_graph_cache=False, fx_graph_remote_cache=False))
            compile_fx.compile_fx_inner(module, example)

    with pytest.raises(Exception) as caught:  # noqa: PT011  inductor makes its own of it
        aot_function(function, fw_compiler=inner, dynamic=dynamic)(*given)
    error: Any = caught.value
    while error is not None and not isinstance(error, Written):
        error = error.__cause__ or error.__context__
    if error is None:
        raise caught.value
    return str(error)


def machine_codes(code: str, folder: Path) -> list[Any]:
    """What inductor's own compilation of the kernels in its code gives."""
    from torch._inductor.runtime import triton_heuristics

    found = []
    for number, (_, text) in enumerate(re.findall(r"async_compile\.triton\('(\w+)', '''(.*?)'''", code, re.DOTALL)):
        path = folder / f"kernel{number}.py"
        path.write_text(text)
        scope: dict[str, Any] = {"__file__": str(path), "__name__": path.stem}
        exec(compile(text, str(path), "exec"), scope)
        tuner = scope[graph.NAME]
        assert isinstance(tuner, triton_heuristics.CachingAutotuner)
        (config,) = tuner.configs
        meta = tuner._create_compile_meta(config)
        source = ASTSource(tuner.fn, meta["signature"], meta["constants"], meta["configs"][0])
        options = tuner._create_compile_options(config, meta)
        assert "enable_fp_fusion" not in options  # if it ever is, it must be False
        found.append(triton.compile(source, target=TARGET, options=options))
    return found
