"""The door from Python: `launch(block, *addresses)`, a built-in function made of machine code.

It turns the addresses into an array on the stack, lets go of the interpreter while much is computed, and calls the
driver. It costs a third of a call through ctypes, and a small plan's run is little else.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import llvmlite.ir as ir

from .call_block import MAX_OPERANDS, Block
from .ir_builder import IRFunction, add_python_functions, external, external_data
from .ir_types import I32, I64, PTR, VOID

_METH_KEYWORDS, _METH_FASTCALL = 0x0002, 0x0080
#: Work, in grains (see driver.Block), from which on other Python threads may run meanwhile.
RELEASE_GRAINS = 1


def emit_invoke(module: ir.Module, run: ir.Function) -> ir.Function:
    """invoke(block, addresses): what `run` returns; the interpreter is not held while much is computed."""
    f = IRFunction(module, "invoke", (PTR, PTR), I32)
    block, addresses = f.arguments
    work = f.sdiv(f.word(block, Block.UNITS), f.word(block, Block.GRAIN))
    with f.if_else(f.icmp_signed(">=", work, I64(RELEASE_GRAINS))) as (long, short):
        with long:
            thread = f.call(external(module, "PyEval_SaveThread", PTR), [])
            done = f.call(run, [block, addresses])
            f.call(external(module, "PyEval_RestoreThread", VOID, PTR), [thread])
            f.leave(done)
        with short:
            f.leave(f.call(run, [block, addresses]))
    f.unreachable()
    return f.function_value


def emit(module: ir.Module, invoke: ir.Function) -> None:
    """Add `launch` to `module`."""
    f = IRFunction(module, "launch", (PTR, PTR, I64), PTR, public=True)
    _, arguments, count = f.arguments
    addresses = f.stack_words(MAX_OPERANDS, "addresses")
    as_pointer = external(module, "PyLong_AsVoidPtr", PTR, PTR)
    with f.steps(I64(1), count) as k:
        address = f.call(as_pointer, [f.word(arguments, k, PTR)])
        f.store(address, f.word_at(addresses, f.sub(k, I64(1))))
    block = f.call(as_pointer, [f.word(arguments, 0, PTR)])
    done = f.call(invoke, [block, addresses])
    with f.if_then(f.icmp_signed("==", done, I32(0))):
        f.leave(f.call(external(module, "PyErr_NoMemory", PTR), []))
    none = external_data(module, "_Py_NoneStruct")
    f.call(external(module, "Py_IncRef", VOID, PTR), [none])
    f.ret(none)


def add_symbols() -> None:
    """Tell LLVM where the interpreter's functions are."""
    add_python_functions("PyLong_AsVoidPtr", "PyEval_SaveThread", "PyEval_RestoreThread", "Py_IncRef", "PyErr_NoMemory")
    llvm.add_symbol("_Py_NoneStruct", id(None))


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def as_builtin(
    name: str, address: int, *, takes_names: bool = False, bound: tuple[Any, ...] = ()
) -> Callable[..., Any]:
    """The Python function whose machine code is at `address`, which is given the tuple that is bound to it first."""
    definition = _MethodDef(name.encode(), address, _METH_FASTCALL | (_METH_KEYWORDS if takes_names else 0), None)
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    function: Callable[..., Any] = new(ctypes.addressof(definition), (*bound, definition), "actgrad")
    return function
