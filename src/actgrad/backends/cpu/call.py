"""The door for an operator's callers: a built-in function made of machine code, called as the operator is.

    call(*tensors, out=None, **attributes)

It holds what calls that passed were like (`Way`), takes the one whose attributes are this call's, allocates the result
where none is given, and has shortcut.py run the kernel if the arrays are as before, too. Any other call it hands on to
the long way just as it came. In Python these few comparisons would take longer than a small kernel.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextvars import ContextVar
from enum import auto
from typing import Any

import llvmlite.binding as llvm
import llvmlite.ir as ir

from ...arrays import interception
from ..kernel import Way
from . import launch, shortcut
from .call_block import MAX_OPERANDS, ThreadSlots
from .call_block import SLOTS_SYMBOL as THREADS_SYMBOL
from .ir_builder import IRFunction, WordIndex, add_python_functions, external, external_data
from .ir_types import I1, I8, I32, I64, PTR, VOID

NULL = PTR(None)
_EQUAL = 2  # Py_EQ
#: What calls an object with an array of arguments. Python 3.10 does not export the function that is meant for it.
_CALL: tuple[str, ...] = ("PyObject_Vectorcall",)
if not hasattr(ctypes.pythonapi, _CALL[0]):
    _CALL = ("_PyObject_MakeTpCall", "PyThreadState_Get")
_OUT, _TORCH = sys.intern("out"), sys.intern("torch")


class Held(WordIndex):
    """The items of the tuple that is bound to the function."""

    LONG_WAY = 0
    WAYS = auto()  # a list of one item, the tuple of ways: it is replaced as a whole
    SELECTED = auto()  # a context variable; where it is not None, other rules hold than those that the ways passed
    MODULES = auto()  # sys.modules; at the end of a process the interpreter no longer tells where it is


def make(address: int, long_way: Callable[..., Any], ways: list[tuple[Way, ...]], selected: ContextVar[Any]) -> Any:
    """The function whose machine code is at `address`, bound to what it holds."""
    return launch.as_builtin("call", address, takes_names=True, bound=(long_way, ways, selected, sys.modules))


def add_symbols() -> None:
    """Tell LLVM where the interpreter's functions and objects are."""
    add_python_functions("PyTuple_New", "PyTuple_SetItem", "PyList_GetItem", "PyLong_AsLong", "PyContextVar_Get")
    add_python_functions("PyObject_RichCompareBool", "PyErr_ExceptionMatches", "PyErr_Occurred", "PyErr_Clear")
    add_python_functions("PyDict_GetItem", "PyObject_GetAttr", *_CALL)
    symbols = {
        "PyTuple_Type": tuple,
        "_Py_TrueStruct": True,
        "actgrad_out": _OUT,
        "actgrad_torch": _TORCH,
    }
    for name, thing in symbols.items():
        llvm.add_symbol(name, id(thing))


class _Objects(IRFunction):
    """A function on Python's objects, by the C API."""

    def api(self, result: ir.Type, name: str, *arguments: ir.Value) -> ir.Value:
        """A call of a function of the C API."""
        return self.call(external(self.module, name, result, *(a.type for a in arguments)), arguments)

    def vectorcall(self, called: ir.Value, arguments: ir.Value, count: ir.Value, names: ir.Value) -> ir.Value:
        """The result of calling an object, or NULL."""
        name, *state = _CALL
        thread = [self.api(PTR, function) for function in state]
        return self.api(PTR, name, *thread, called, arguments, count, names)

    def object(self, name: str) -> ir.Value:
        """An object that lives as long as the process."""
        return external_data(self.module, name)

    def item(self, tuple_: ir.Value, place: ir.Value | int) -> ir.Value:
        """A borrowed item of a tuple."""
        return self.api(PTR, "PyTuple_GetItem", tuple_, I64(place) if isinstance(place, int) else place)

    def field(self, way: ir.Value, name: str) -> ir.Value:
        """A borrowed field of a way."""
        return self.item(way, Way._fields.index(name))

    def number(self, way: ir.Value, name: str) -> ir.Value:
        """A field of a way that is a number."""
        return self.api(I64, "PyLong_AsLong", self.field(way, name))

    def size(self, tuple_: ir.Value) -> ir.Value:
        return self.api(I64, "PyTuple_Size", tuple_)

    def type_of(self, thing: ir.Value) -> ir.Value:
        return self.word(thing, 1, PTR)

    def slot(self, number: int, type_: ir.Type = PTR) -> ir.Value:
        """A word of the table of what objects may be."""
        return self.word(external_data(self.module, shortcut.SLOTS_SYMBOL), number, type_)

    def same(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """Whether two are one object."""
        return self.icmp_signed("==", self.ptrtoint(a, I64), self.ptrtoint(b, I64))

    def is_none(self, thing: ir.Value) -> ir.Value:
        return self.same(thing, self.object("_Py_NoneStruct"))


def emit(module: ir.Module, attempt: ir.Function) -> None:
    """Add `call` to `module`; `attempt(entries, objects, count)` runs the kernel of the entry that these agree with."""
    is_another, may_be_intercepted, way_of = _is_another(module), _may_be_intercepted(module), _way_of(module)
    _emit_question(module, may_be_intercepted)
    fresh, given = _fresh(module, attempt), _given(module, attempt)
    f = _Objects(module, "call", (PTR, PTR, I64, PTR), PTR, public=True)
    held, arguments, tensors, names = f.arguments
    given_out, result = f.stack_words(1, "given_out"), f.stack_words(1, "result")
    long_way = f.append_basic_block("long_way")
    f.require(f.icmp_signed(">", tensors, I64(0)), long_way)
    f.require(f.not_(f.call(is_another, [f.item(held, Held.SELECTED), f.item(held, Held.MODULES)])), long_way)
    with f.if_then(f.not_(f.same(f.type_of(f.word(arguments, 0, PTR)), f.slot(shortcut.Slots.NDARRAY)))):
        f.require(f.not_(f.call(may_be_intercepted, [])), long_way)
    ways = f.api(PTR, "PyList_GetItem", f.item(held, Held.WAYS), I64(0))
    f.api(VOID, "Py_IncRef", ways)  # another thread may put others there meanwhile
    way = f.call(way_of, [ways, arguments, tensors, names, given_out])
    f.store(NULL, result)
    with f.if_then(f.not_(f.same(way, NULL))):
        out = f.word(given_out, 0, PTR)
        with f.if_else(f.is_none(out)) as (allocates, writes):
            with allocates:
                f.store(f.call(fresh, [way, arguments, tensors]), result)
            with writes:
                f.store(f.call(given, [way, arguments, tensors, out]), result)
    f.api(VOID, "Py_DecRef", ways)
    is_nothing = f.and_(f.same(f.word(result, 0, PTR), NULL), f.same(f.api(PTR, "PyErr_Occurred"), NULL))
    f.require(f.not_(is_nothing), long_way)
    f.ret(f.word(result, 0, PTR))
    f.position_at_end(long_way)
    f.ret(f.vectorcall(f.item(held, Held.LONG_WAY), arguments, tensors, names))


def _is_another(module: ir.Module) -> ir.Function:
    """is_another(selected, modules): whether the call is another one than those that passed, whatever it is given."""
    f = _Objects(module, "is_another", (PTR, PTR), I1)
    variable, modules = f.arguments
    another = f.append_basic_block("another")
    value = f.stack_words(1, "value")
    f.store(NULL, value)
    f.api(I32, "PyContextVar_Get", variable, NULL, value)
    selected = f.word(value, 0, PTR)
    f.api(VOID, "Py_DecRef", selected)  # it is only told apart from None
    f.require(f.is_none(selected), another)
    # PyTorch was imported, and its threads are not in use yet.
    settled = f.word(external_data(module, THREADS_SYMBOL), ThreadSlots.SETTLED)
    with f.if_then(f.icmp_signed("==", settled, I64(0))):
        f.require(f.same(f.api(PTR, "PyDict_GetItem", modules, f.object("actgrad_torch")), NULL), another)
    # A tensor that is being differentiated forwards does not show it.
    forward_mode = f.slot(shortcut.Slots.FORWARD_MODE)
    with f.if_then(f.not_(f.same(forward_mode, NULL))):
        level = f.api(PTR, "PyObject_GetAttr", forward_mode, f.slot(shortcut.Slots.CURRENT_LEVEL))
        with f.if_then(f.same(level, NULL)):
            f.api(VOID, "PyErr_Clear")
            f.branch(another)
            f.position_at_end(f.append_basic_block("unreachable"))
        number = f.api(I64, "PyLong_AsLong", level)
        f.api(VOID, "Py_DecRef", level)
        f.require(f.icmp_signed("<", number, I64(0)), another)
    return f.end(I1(0), another, I1(1))


def _may_be_intercepted(module: ir.Module) -> ir.Function:
    """may_be_intercepted(): whether PyTorch may intercept a call in this thread; interception.py tells for certain."""
    f = _Objects(module, "may_be_intercepted", (), I1)
    slots = shortcut.Slots
    with f.if_then(f.same(f.slot(slots.IS_INCLUDED), NULL)):  # nothing is known
        f.leave(I1(1))

    def ask(slot: shortcut.Slots, *arguments: ir.Value) -> ir.Value:
        function = ir.FunctionType(I8, [a.type for a in arguments]).as_pointer()
        return f.call(f.inttoptr(f.slot(slot, I64), function), arguments)

    answer = ask(slots.IS_FUNCTION_MODE)
    for number in range(len(interception.KEYS)):
        answer = f.or_(answer, ask(slots.IS_INCLUDED, f.trunc(f.slot(slots.KEYS + number, I64), I32)))
    f.ret(f.icmp_signed("!=", answer, I8(0)))
    return f.function_value


def _emit_question(module: ir.Module, may_be_intercepted: ir.Function) -> None:
    """Add `may_be_active`, the same question as a built-in function."""
    f = _Objects(module, "may_be_active", (PTR, PTR, I64), PTR, public=True)
    truth, falsehood = (f.object(f"_Py_{name}Struct") for name in ("True", "False"))
    answer = f.select(f.call(may_be_intercepted, []), truth, falsehood)
    f.api(VOID, "Py_IncRef", answer)
    f.ret(answer)


def _way_of(module: ir.Module) -> ir.Function:
    """way_of(ways, arguments, tensors, names, out): the way of this kind of array and these attributes, or NULL.

    `out` gets the object that the caller named so, else None.
    """
    fits = _fits(module)
    f = _Objects(module, "way_of", (PTR, PTR, I64, PTR, PTR), PTR)
    ways, arguments, tensors, names, out = f.arguments
    count, place_of_out = f.stack_words(1, "count"), f.stack_words(1, "place_of_out")
    values = f.word_at(arguments, tensors)
    f.store(f.object("_Py_NoneStruct"), out)
    f.store(I64(0), count)
    f.store(I64(-1), place_of_out)
    with f.if_then(f.not_(f.same(names, NULL))):
        f.store(f.size(names), count)
        with f.steps(I64(0), f.word(count, 0)) as k, f.if_then(f.same(f.item(names, k), f.object("actgrad_out"))):
            f.store(k, place_of_out)
            f.store(f.word(values, k), out)
    kind = f.type_of(f.word(arguments, 0, PTR))
    with f.steps(I64(0), f.size(ways)) as k:
        way = f.item(ways, k)
        with f.if_then(f.call(fits, [way, kind, names, values, f.word(count, 0), f.word(place_of_out, 0)])):
            f.leave(way)
    f.ret(NULL)
    return f.function_value


def _fits(module: ir.Module) -> ir.Function:
    """fits(way, kind, names, values, count, place_of_out): whether the attributes of a call are a way's."""
    equal = _equal(module)
    f = _Objects(module, "fits", (PTR, PTR, PTR, PTR, I64, I64), I1)
    way, kind, names, values, count, place_of_out = f.arguments
    no = f.append_basic_block("no")
    f.require(f.same(f.field(way, "kind"), kind), no)
    known, has_out = f.field(way, "names"), f.icmp_signed(">=", place_of_out, I64(0))
    size = f.size(known)
    f.require(f.icmp_signed("==", f.add(size, f.zext(has_out, I64)), count), no)
    with f.steps(I64(0), size) as k:
        is_behind = f.and_(has_out, f.icmp_signed(">=", k, place_of_out))
        place = f.add(k, f.zext(is_behind, I64))
        f.require(f.call(equal, [f.item(known, k), f.item(names, place)]), no)
        f.require(f.call(equal, [f.item(f.field(way, "values"), k), f.word(values, place, PTR)]), no)
    return f.end(I1(1), no, I1(0))


def _equal(module: ir.Module) -> ir.Function:
    """equal(a, b): whether two objects are one, or of one type and equal. The first is of a plain type."""
    f = _Objects(module, "equal", (PTR, PTR), I1)
    a, b = f.arguments
    with f.if_then(f.same(a, b)):
        f.leave(I1(1))
    with f.if_then(f.not_(f.same(f.type_of(a), f.type_of(b)))):  # 1 and True are equal, but not both allowed
        f.leave(I1(0))
    f.ret(f.icmp_signed("==", f.api(I32, "PyObject_RichCompareBool", a, b, I32(_EQUAL)), I32(1)))
    return f.function_value


def _given(module: ir.Module, attempt: ir.Function) -> ir.Function:
    """given(way, arguments, tensors, out): the call into results that the caller gave; they, or NULL."""
    f = _Objects(module, "given", (PTR, PTR, I64, PTR), PTR)
    way, arguments, tensors, out = f.arguments
    objects, written = f.stack_words(MAX_OPERANDS, "objects"), f.stack_words(1, "written")
    nothing = f.append_basic_block("nothing")
    results = f.number(way, "results")
    is_one = f.icmp_signed("==", results, I64(1))
    _place_tensors(f, objects, results, arguments, tensors, nothing)
    with f.if_else(is_one) as (one, several):
        with one:
            f.store(out, objects)
        with several:
            f.require(f.same(f.type_of(out), f.object("PyTuple_Type")), nothing)
            f.require(f.icmp_signed("==", f.size(out), results), nothing)
            with f.steps(I64(0), results) as k:
                f.store(f.item(out, k), f.word_at(objects, k))
    f.require(f.call(attempt, [f.field(way, "entries"), objects, f.add(results, tensors)]), nothing)
    tell = f.field(way, "note_written")
    with f.if_then(f.not_(f.is_none(tell))):
        f.store(out, written)
        with f.if_then(is_one):
            f.store(f.api(PTR, "PyTuple_New", I64(1)), written)
            f.require(f.not_(f.same(f.word(written, 0, PTR), NULL)), nothing)
            f.api(I32, "PyTuple_SetItem", f.word(written, 0, PTR), I64(0), out)
        f.api(VOID, "Py_IncRef", out)  # taken by the tuple of one, and given back with it; or lent for the call
        answer = f.vectorcall(tell, written, I64(1), NULL)
        f.api(VOID, "Py_DecRef", f.word(written, 0, PTR))
        f.require(f.not_(f.same(answer, NULL)), nothing)
        f.api(VOID, "Py_DecRef", answer)
    f.api(VOID, "Py_IncRef", out)
    return f.end(out, nothing, NULL)


def _fresh(module: ir.Module, attempt: ir.Function) -> ir.Function:
    """fresh(way, arguments, tensors): the call into a result that is allocated here; it, or NULL."""
    f = _Objects(module, "fresh", (PTR, PTR, I64), PTR)
    way, arguments, tensors = f.arguments
    objects = f.stack_words(MAX_OPERANDS, "objects")
    nothing, failed = f.append_basic_block("nothing"), f.append_basic_block("failed")
    _place_tensors(f, objects, I64(1), arguments, tensors, nothing)
    allocate, alike = f.field(way, "empty_like"), f.number(way, "alike")
    f.require(f.not_(f.is_none(allocate)), nothing)
    f.require(f.icmp_signed("<", alike, tensors), nothing)
    model = f.word_at(arguments, alike)
    f.require(f.same(f.type_of(f.word(model, 0, PTR)), f.field(way, "kind")), nothing)
    result = f.vectorcall(allocate, model, I64(1), NULL)
    f.require(f.not_(f.same(result, NULL)), failed)
    f.store(result, objects)
    with f.if_then(f.call(attempt, [f.field(way, "entries"), objects, f.add(tensors, I64(1))])):
        f.leave(result)
    f.api(VOID, "Py_DecRef", result)
    f.branch(nothing)
    f.position_at_end(failed)
    # Some of PyTorch's tensors have no like, others no memory for one; the long way says so. An interrupt stays.
    is_error = f.api(I32, "PyErr_ExceptionMatches", f.object("actgrad_Exception"))
    with f.if_then(f.icmp_signed("!=", is_error, I32(0))):
        f.api(VOID, "PyErr_Clear")
    return f.end(NULL, nothing, NULL)


def _place_tensors(
    f: _Objects, objects: ir.Value, first: ir.Value, arguments: ir.Value, tensors: ir.Value, otherwise: ir.Block
) -> None:
    """Put a call's tensors behind its results, where there is room for them."""
    f.require(f.icmp_signed("<=", f.add(first, tensors), I64(MAX_OPERANDS)), otherwise)
    with f.steps(I64(0), tensors) as k:
        f.store(f.word(arguments, k), f.word_at(objects, f.add(first, k)))
