"""Passes a kernel's text to Triton, which compiles it for a GPU or interprets it on the CPU."""

from __future__ import annotations

import hashlib
import inspect
import linecache
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.interpreter import InterpretedFunction, TensorHandle
from triton.runtime.jit import JITFunction

from .grid import WARPS, TiledKernel

OPTIONS = {"enable_fp_fusion": False}  # the text states fused multiply-adds explicitly


def compiled(kernel: TiledKernel, target: GPUTarget, alignment: int) -> Any:
    """The machine code for a GPU, which need not be present. Pointers are multiples of `alignment` bytes."""
    signature = dict(kernel.pointers) | {p.name: p.type for p in kernel.parameters}
    divisors = [alignment] * len(kernel.pointers) + [p.divisor for p in kernel.parameters]
    hints = {(k,): [["tt.divisibility", divisor]] for k, divisor in enumerate(divisors) if divisor > 1}
    function = _function(kernel.text, "kernel", JITFunction)
    source = ASTSource(fn=function, signature=signature, constexprs={}, attrs=hints)
    return triton.compile(source, target=target, options={"num_warps": kernel.warps, **OPTIONS})


def interpret(kernel: TiledKernel, addresses: list[int]) -> None:
    """Run the kernel on the CPU, in NumPy, one operation after another."""
    pointers = [
        _typed(address, np.uint64, tl.pointer_type(_type(type_[1:])))
        for address, (_, type_) in zip(addresses, kernel.pointers, strict=True)
    ]
    numbers = [_typed(p.value, _NUMPY[p.type], _type(p.type)) for p in kernel.parameters]
    with np.errstate(all="ignore"):
        _function(kernel.text, "kernel", InterpretedFunction)[(kernel.tiles,)](*pointers, *numbers)


_NUMPY = {"i32": np.int32, "i64": np.int64, "fp32": np.float32, "fp64": np.float64}


def _type(name: str) -> Any:
    return tl.str_to_ty(name, None)


def _typed(value: Any, numpy_dtype: Any, type_: Any) -> Any:
    """A scalar with a type for the interpreter, which would otherwise guess the type from the value."""
    return tl.tensor(TensorHandle(np.array([value], numpy_dtype), type_), type_)


@cache
def for_others(text: str, name: str, warps: int) -> Any:
    """The function of this name in a text, for other compilers with their own options."""
    function = _function(text, name, JITFunction)
    is_default = warps == WARPS
    return function if is_default else triton.autotune([triton.Config({}, num_warps=warps)], key=[])(function)


@cache
def _function(text: str, name: str, wrap: Callable[[Any], Any]) -> Any:
    """The function of this name in a text, with the functions that it calls."""
    file = f"<actgrad kernel {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # Triton reads the source from here
    scope: dict[str, Any] = {"tl": tl, "__name__": __name__}
    exec(compile(text, file, "exec"), scope)
    for key, value in list(scope.items()):
        if inspect.isfunction(value):
            scope[key] = wrap(value)
    return scope[name]
