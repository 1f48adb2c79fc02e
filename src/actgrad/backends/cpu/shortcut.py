"""The short way from Python's arrays to a kernel, for calls like one that was made and checked before.

    attempt(entries, objects, count)            objects: the outputs, then the inputs, None for one left out

is a function in machine code, for call.py. An entry (bytes) holds the metadata of such a call and its kernel's call
block. `attempt` looks at the objects themselves, finds the entry that they agree with in everything the checks look at,
and runs its kernel: true. Anything it does not know well, or that does not fit, is false, and takes the long way.

NumPy arrays are read by their C structure, which NumPy's own macros lay open to every extension; PyTorch tensors by
DLPack's C exchange functions, which take no reference and allocate nothing. Subclasses of either take the long way.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Sequence
from enum import auto
from functools import cache
from pathlib import Path
from types import GetSetDescriptorType, MethodDescriptorType
from typing import Any

import llvmlite.binding as llvm
import llvmlite.ir as ir
import numpy as np

from ...arrays import View, interception
from ...base.loop import extent, same_layout
from .call_block import MAX_OPERANDS
from .ir_builder import IRFunction, WordIndex, add_python_functions, external, external_data
from .ir_types import I1, I32, I64, PTR, VOID

SLOTS_SYMBOL = "actgrad_object_slots"
_WRITEABLE = 0x0400  # NumPy's flag
_DLPACK_CPU = 1
_METH_NOARGS = 0x0004
_HEADER = 16  # bytes of a Python object before its own fields; another number means another build of Python


class Slots(WordIndex):
    """The words of the process's table of what objects may be; 0 where there is none."""

    NDARRAY = 0  # types, as objects' headers point to them
    TENSOR = auto()
    PARAMETER = auto()
    EXCHANGE = auto()  # PyTorch's dltensor_from_py_object_no_sync
    REQUIRES_GRAD = auto()  # PyTorch's C functions for these, which answer with True or False
    IS_NEG = auto()
    FORWARD_MODE = auto()  # PyTorch's module of forward-mode differentiation
    CURRENT_LEVEL = auto()  # an attribute name of it, as a Python string
    IS_FUNCTION_MODE = auto()  # PyTorch's C++ functions: bool (), whether a TorchFunctionMode is active,
    IS_INCLUDED = auto()  # and bool (key), whether this thread includes a dispatch key
    KEYS = auto()  # those of interception.KEYS


class Entry(WordIndex):
    """The words of an entry. The objects follow, then their shapes and strides, then the call block."""

    OBJECTS = 0  # how many
    OUTPUTS = auto()  # how many of these are outputs
    BLOCK = auto()  # word at which the call block begins
    FIRST = auto()  # first of the objects


class Object(WordIndex):
    """The words of one object in an entry, and of what is found of one."""

    TYPE = 0
    DTYPE = auto()  # NumPy: address of the dtype; PyTorch: DLPack's three fields in one number
    RANK = auto()
    FLAGS = auto()  # entry: those of NumPy's that must be set; found: those that are
    SHAPE = auto()  # entry: word at which shape and then strides begin; found: address of the shape
    STRIDES = auto()  # found: address of the strides
    ADDRESS = auto()  # entry: which of the kernel's addresses, -1 for none; found: of the data
    LOW = auto()  # entry: first byte of the elements, from the address
    HIGH = auto()  # entry: the one after the last
    SAME = auto()  # entry, of an output: bits of the objects of equal layout, which it may be in place of
    WORDS = auto()


_table = (ctypes.c_int64 * (Slots.KEYS + len(interception.KEYS)))()
_QUESTIONS = {  # the names that Linux and macOS give to C++ functions
    Slots.IS_FUNCTION_MODE: "_ZN2at4impl27torch_function_mode_enabledEv",
    Slots.IS_INCLUDED: "_ZN3c104impl28tls_is_dispatch_key_includedENS_11DispatchKeyE",
}
_CURRENT_LEVEL = sys.intern("_current_level")  # the table points to it


def add_symbols() -> None:
    """Tell LLVM where the table and the interpreter's functions are."""
    llvm.add_symbol(SLOTS_SYMBOL, ctypes.addressof(_table))
    _table[Slots.NDARRAY] = id(np.ndarray)
    _table[Slots.CURRENT_LEVEL] = id(_CURRENT_LEVEL)
    add_python_functions("PyTuple_Size", "PyTuple_GetItem", "PyBytes_AsString", "Py_IncRef", "Py_DecRef")
    add_python_functions("PyErr_Clear", "PyErr_ExceptionMatches")
    llvm.add_symbol("actgrad_Exception", id(Exception))
    llvm.add_symbol("_Py_NoneStruct", id(None))
    llvm.add_symbol("_Py_FalseStruct", id(False))


def knows(views: Sequence[View | None]) -> bool:
    """Whether these objects are of the kinds that `attempt` can look at."""
    given = [view for view in views if view is not None]
    kind = given[0].kind
    if object.__basicsize__ != _HEADER or any(view.meta.dtype.kind == "complex" for view in given):
        return False  # a complex tensor may be a lazy conjugate, which nothing here tells
    if kind == "numpy":
        # NumPy's one object per dtype, and not another that only equals it: its address must not be given away.
        return all(type(v.source) is np.ndarray and v.source.dtype is v.meta.dtype.numpy for v in given)
    if kind != "torch":
        return False
    torch = sys.modules["torch"]
    exact = (torch.Tensor, torch.nn.Parameter)
    return _adopt_torch() and all(type(view.source) in exact and view.device == "cpu" for view in given)


@cache
def _adopt_torch() -> bool:
    """Point the table to PyTorch's types and exchange function; whether it has one."""
    torch = sys.modules["torch"]
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    forward_mode = torch.autograd.forward_ad
    if capsule is None or not hasattr(forward_mode, _CURRENT_LEVEL):
        return False
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    pointer = get_pointer(capsule, b"dlpack_exchange_api")
    requires_grad, is_neg = _getter(torch.Tensor.requires_grad), _method(torch.Tensor.is_neg)
    # {uint32 major, minor; previous version; allocate, export, import, export without owning, current stream}
    major = ctypes.c_uint32.from_address(pointer).value
    exchange = (ctypes.c_int64 * 7).from_address(pointer)[5]
    if major != 1 or not exchange or not requires_grad or not is_neg or not adopt_questions():
        return False
    _table[Slots.REQUIRES_GRAD], _table[Slots.IS_NEG] = requires_grad, is_neg
    _table[Slots.TENSOR], _table[Slots.PARAMETER] = id(torch.Tensor), id(torch.nn.Parameter)
    _table[Slots.FORWARD_MODE] = id(forward_mode)
    _table[Slots.EXCHANGE] = exchange
    return True


def adopt_questions() -> bool:
    """Point the table to what tells whether calls are intercepted; whether PyTorch is there and has it."""
    if _table[Slots.IS_INCLUDED]:
        return True
    try:
        torch: Any = sys.modules["torch"]
        keys: list[Any] = [int(key) for key, _ in interception.dispatch_keys(torch)]
        library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
        addresses = {slot: ctypes.cast(library[name], ctypes.c_void_p).value for slot, name in _QUESTIONS.items()}
    except (KeyError, AttributeError, OSError):  # not there, or not wholly; another system's library, or other names
        return False
    _table[Slots.KEYS :] = keys
    for slot, address in addresses.items():
        _table[slot] = address or 0  # IS_INCLUDED last: it tells that all are there
    return True


def _getter(descriptor: Any) -> int:
    """The C function `object get(object, closure)` of an attribute of a built-in type, 0 where it is something else."""
    if type(descriptor) is not GetSetDescriptorType:
        return 0
    # PyGetSetDescrObject: header, type, name, qualified name, PyGetSetDef*: {name, get, set, doc, closure}
    get, closure = (_words_at(_words_at(id(descriptor))[5])[k] for k in (1, 4))
    return 0 if closure else get


def _method(descriptor: Any) -> int:
    """The C function `object method(object, null)` of a method without arguments of a built-in type, or 0."""
    if type(descriptor) is not MethodDescriptorType:
        return 0
    # PyMethodDescrObject: header, type, name, qualified name, PyMethodDef*: {name, function, int flags, doc}
    function, flags = (_words_at(_words_at(id(descriptor))[5])[k] for k in (1, 2))
    return function if flags & 0xFFFFFFFF == _METH_NOARGS else 0


def _words_at(address: int) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * 6).from_address(address)


def entry(outputs: Sequence[View], inputs: Sequence[View | None], block: bytes) -> bytes:
    """The entry of a checked call whose kernel has this call block."""
    views = [*outputs, *inputs]
    words = [len(views), len(outputs), 0]
    dimensions: list[int] = []
    first_dimension = Entry.FIRST + len(views) * Object.WORDS
    address = 0
    for k, view in enumerate(views):
        part = [0] * Object.WORDS
        if view is None:
            part[Object.TYPE], part[Object.ADDRESS] = id(type(None)), -1
        else:
            meta, is_output = view.meta, k < len(outputs)
            part[Object.TYPE] = id(type(view.source))
            part[Object.DTYPE] = _dtype_word(view)
            part[Object.RANK] = len(meta.shape)
            part[Object.FLAGS] = _WRITEABLE if is_output and view.kind == "numpy" else 0
            part[Object.SHAPE] = first_dimension + len(dimensions)
            part[Object.ADDRESS] = address
            part[Object.LOW], part[Object.HIGH] = extent(meta)
            alike = [other is not None and same_layout(meta, other.meta) for other in views]
            part[Object.SAME] = sum(1 << j for j, same in enumerate(alike) if same and j >= len(outputs))
            step = 1 if view.kind == "numpy" else meta.dtype.itemsize  # DLPack counts in elements
            dimensions += [*meta.shape, *(s // step for s in meta.strides)]
            address += 1
        words += part
    words[Entry.BLOCK] = first_dimension + len(dimensions)
    words += dimensions
    return struct.pack(f"<{len(words)}q", *words) + block


def _dtype_word(view: View) -> int:
    if view.kind == "numpy":
        return id(view.source.dtype)
    dtype = view.meta.dtype
    code = {"int": 0, "uint": 1, "float": 2, "complex": 5, "bool": 6}[dtype.kind]
    if dtype.name == "bfloat16":
        code = 4
    return code | 8 * dtype.itemsize << 8 | 1 << 16


def emit(module: ir.Module, invoke: ir.Function) -> ir.Function:
    """Add `attempt` to `module`; `invoke(block, addresses)` runs a kernel."""
    describe, agrees = _describe(module), _agrees(module)
    f = IRFunction(module, "attempt", (PTR, PTR, I64), I1)
    entries, objects, count = f.arguments
    found = f.stack_words(MAX_OPERANDS * Object.WORDS, "found")
    addresses = f.stack_words(MAX_OPERANDS, "addresses")
    failure = f.append_basic_block("failure")
    with f.steps(I64(0), count) as k:
        place = f.word_at(found, f.mul(k, I64(Object.WORDS)))
        f.require(f.call(describe, [f.word(objects, k, PTR), place]), failure)
    number = f.call(external(module, "PyTuple_Size", I64, PTR), [entries])
    with f.steps(I64(0), number) as k:
        candidate = f.call(external(module, "PyTuple_GetItem", PTR, PTR, I64), [entries, k])
        words = f.call(external(module, "PyBytes_AsString", PTR, PTR), [candidate])
        with f.if_then(f.call(agrees, [words, found, count, addresses])):
            done = f.call(invoke, [f.word_at(words, f.word(words, Entry.BLOCK)), addresses])
            f.leave(f.icmp_signed("!=", done, I32(0)))  # without memory the long way raises the error
    return f.end(I1(0), failure, I1(0))


def _describe(module: ir.Module) -> ir.Function:
    """describe(object, found): whether the object is of a known kind; what was found of it."""
    f = IRFunction(module, "describe", (PTR, PTR), I1)
    obj, found = f.arguments
    tensor = f.stack_words(6, "tensor")  # a DLTensor
    slots = external_data(module, SLOTS_SYMBOL)
    type_ = f.word(obj, 1)

    def keep(part: Object, value: ir.Value) -> None:
        f.store(value, f.word_at(found, part))

    def is_type(slot: Slots) -> ir.Value:
        return f.icmp_signed("==", type_, f.word(slots, slot))

    def give_up_unless(condition: ir.Value) -> None:
        with f.if_then(f.not_(condition)):
            # The long way says what is wrong; an interrupt is nobody's to keep.
            matches = external(module, "PyErr_ExceptionMatches", I32, PTR)
            is_error = f.call(matches, [external_data(module, "actgrad_Exception")])
            with f.if_then(f.icmp_signed("!=", is_error, I32(0))):
                f.call(external(module, "PyErr_Clear", VOID), [])
            f.leave(I1(0))

    def int32(pointer: ir.Value, offset: int) -> ir.Value:
        return f.zext(f.load(f.at(pointer, offset), typ=I32), I64)

    keep(Object.TYPE, type_)
    with f.if_then(is_type(Slots.NDARRAY)):
        # PyArrayObject: data, int nd, dimensions, strides, base, descr, int flags
        keep(Object.ADDRESS, f.word(obj, 2))
        keep(Object.RANK, int32(obj, 24))
        keep(Object.SHAPE, f.word(obj, 4))
        keep(Object.STRIDES, f.word(obj, 5))
        keep(Object.DTYPE, f.word(obj, 7))
        keep(Object.FLAGS, int32(obj, 64))
        f.leave(I1(1))
    with f.if_then(f.or_(is_type(Slots.TENSOR), is_type(Slots.PARAMETER))):
        exchange = ir.FunctionType(I32, [PTR, PTR]).as_pointer()
        status = f.call(f.inttoptr(f.word(slots, Slots.EXCHANGE), exchange), [obj, tensor])
        give_up_unless(f.icmp_signed("==", status, I32(0)))
        # DLTensor: data, int32 device type and number, int32 ndim, uint8 code and bits, uint16 lanes, shape, strides,
        # byte offset
        give_up_unless(f.icmp_signed("==", int32(tensor, 8), I64(_DLPACK_CPU)))
        keep(Object.ADDRESS, f.add(f.word(tensor, 0), f.word(tensor, 5)))
        keep(Object.RANK, int32(tensor, 16))
        keep(Object.DTYPE, int32(tensor, 20))
        keep(Object.SHAPE, f.word(tensor, 3))
        keep(Object.STRIDES, f.word(tensor, 4))
        keep(Object.FLAGS, I64(0))
        falsehood = external_data(module, "_Py_FalseStruct")
        question = ir.FunctionType(PTR, [PTR, PTR]).as_pointer()
        # Neither is told by DLPack: a tensor on the autograd graph, and one that is a lazy negation of its memory.
        for slot in (Slots.REQUIRES_GRAD, Slots.IS_NEG):
            result = f.call(f.inttoptr(f.word(slots, slot), question), [obj, PTR(None)])
            give_up_unless(f.icmp_signed("!=", f.ptrtoint(result, I64), I64(0)))
            f.call(external(module, "Py_DecRef", VOID, PTR), [result])
            give_up_unless(f.icmp_signed("==", f.ptrtoint(result, I64), f.ptrtoint(falsehood, I64)))
        f.leave(I1(1))
    none = external_data(module, "_Py_NoneStruct")
    is_none = f.icmp_signed("==", f.ptrtoint(obj, I64), f.ptrtoint(none, I64))
    for part in (Object.RANK, Object.DTYPE, Object.FLAGS):
        keep(part, I64(0))
    f.ret(is_none)
    return f.function_value


def _agrees(module: ir.Module) -> ir.Function:
    """agrees(entry, found, objects, addresses): whether all objects are as the entry's, and apart or exactly in place.

    Fills in the kernel's addresses.
    """
    f = IRFunction(module, "agrees", (PTR, PTR, I64, PTR), I1)
    words, found, objects, addresses = f.arguments
    failure = f.append_basic_block("failure")

    def need(condition: ir.Value) -> None:
        f.require(condition, failure)

    def both(k: ir.Value) -> tuple[ir.Value, ir.Value]:
        offset = f.mul(k, I64(Object.WORDS))
        return f.word_at(words, f.add(offset, I64(Entry.FIRST))), f.word_at(found, offset)

    need(f.icmp_signed("==", f.word(words, Entry.OBJECTS), objects))
    with f.steps(I64(0), objects) as k:
        wanted, have = both(k)
        for part in (Object.TYPE, Object.DTYPE, Object.RANK):
            need(f.icmp_signed("==", f.word(wanted, part), f.word(have, part)))
        flags = f.word(wanted, Object.FLAGS)
        need(f.icmp_signed("==", f.and_(flags, f.word(have, Object.FLAGS)), flags))
        rank = f.word(wanted, Object.RANK)
        shape = f.word_at(words, f.word(wanted, Object.SHAPE))
        strides = f.word_at(shape, rank)
        with f.steps(I64(0), rank) as d:
            need(f.icmp_signed("==", f.word(shape, d), f.word(f.word(have, Object.SHAPE, PTR), d)))
            need(f.icmp_signed("==", f.word(strides, d), f.word(f.word(have, Object.STRIDES, PTR), d)))
        place = f.word(wanted, Object.ADDRESS)
        address = f.word(have, Object.ADDRESS)
        # A tensor seen through a transform, or whose memory was taken away, has elements but no address.
        is_empty = f.icmp_signed("==", f.word(wanted, Object.LOW), f.word(wanted, Object.HIGH))
        need(f.or_(f.icmp_signed("!=", address, I64(0)), is_empty))
        with f.if_then(f.icmp_signed(">=", place, I64(0))):
            f.store(address, f.word_at(addresses, place))
    with f.steps(I64(0), f.word(words, Entry.OUTPUTS)) as k, f.steps(I64(0), objects) as j:
        output, others = both(k), both(j)
        starts = [f.word(have, Object.ADDRESS) for _, have in (output, others)]
        lows = [f.add(s, f.word(o, Object.LOW)) for s, (o, _) in zip(starts, (output, others), strict=True)]
        highs = [f.add(s, f.word(o, Object.HIGH)) for s, (o, _) in zip(starts, (output, others), strict=True)]
        apart = f.or_(f.icmp_signed("<=", highs[1], lows[0]), f.icmp_signed("<=", highs[0], lows[1]))
        alike = f.and_(f.lshr(f.word(output[0], Object.SAME), j), I64(1))
        in_place = f.and_(f.icmp_signed("==", starts[0], starts[1]), f.icmp_signed("==", alike, I64(1)))
        is_none = f.icmp_signed("<", f.word(others[0], Object.ADDRESS), I64(0))
        itself = f.icmp_signed("==", k, j)
        need(f.or_(f.or_(apart, in_place), f.or_(is_none, itself)))
    return f.end(I1(1), failure, I1(0))
