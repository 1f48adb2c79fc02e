"""The Python side of the C SDK: it plans calls that C describes in words, by the same path as calls from Python.

In a program's own process the C library calls `answer` through a pointer (`attach`); a program without Python's
library talks to another process over a socket (`serve`).
"""

from __future__ import annotations

import ctypes
import itertools
import logging
import os
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..aclnn import messages, signatures
from ..aclnn.c_functions import CFunction
from ..aclnn.names import format_name
from ..aclnn.objects import AclScalar, AclTensor, Storage, scalar_of_bits, tensor_of
from ..arrays import View
from ..base.dtypes import BY_NAME
from ..base.errors import ActgradError
from ..base.floating_point import default_environment
from ..base.loop import Meta
from ..calls import aliasing
from ..calls.plan import Plan, Prepared
from ..contract import Terms

_PLAN, _RUN = 1, 2  # requests, as in nnopbase.h
NULL, TENSOR, SCALAR, FLAG, DEAD = range(5)  # the kinds of words, as in nnopbase.h
MOST_CACHED = 4096  # calls
NOTHING = -3  # required bytes of a tensor without elements: even a null address (-2) has more
OPERANDS = 8

INTERFACE = 5  # the version of words and plans; nnopbase.h has the same number
#: actgrad_plan of nnopbase.h: the plan of one call, and its operands
_HEAD, _OPERAND = struct.Struct("<9q"), struct.Struct("<6q")
PLAN_SIZE = _HEAD.size + OPERANDS * _OPERAND.size


class Answer(NamedTuple):
    """The plan that C gets."""

    status: int
    workspace_size: int = 0
    handle: int = 0
    run: int = 0
    block: int = 0
    is_run_by_planner: int = 0
    is_general: int = 0
    outputs: int = 0
    operands: tuple[bytes, ...] = ()

    def packed(self) -> bytes:
        return (_HEAD.pack(*self[:8], len(self.operands)) + b"".join(self.operands)).ljust(PLAN_SIZE, b"\0")


class CachedWords(NamedTuple):
    """A call in words that passed, without its memory."""

    function: CFunction
    prepared: Prepared
    attributes: dict[str, Any]
    operands: list[tuple[int, int, int, Meta]]  # of outputs, then inputs; see _operands
    packed: tuple[bytes, ...]  # the operands of actgrad_plan


_functions: dict[bytes, CFunction] = {}
_cache: dict[tuple[bytes, bytes, int], CachedWords] = {}  # by name, words and identity of the terms (a few objects)
_kept: dict[int, Plan | Prepared] = {}  # by handle: the objects of C's executors
_handles = itertools.count((os.getpid() << 32) + 1)  # servers of a forked program have other handles


def plan(name: bytes, words: bytes, places: tuple[int, ...], is_here: bool) -> tuple[Answer, str]:
    """The plan of a call, and the text of its failure. `is_here`: this process is the program's own."""
    try:
        key = name, words, id(Terms.chosen(typed=True))
        cached = _cache.get(key)
        planned = _planned_again(cached, places) if cached is not None else None
        if planned is None or cached is None:
            planned, cached = _planned(key, places)
        return _answer(planned, cached, is_here), ""
    except BaseException as error:  # no exception may reach C, not even an exit or an interrupt
        function = _functions.get(name)
        if function is None or not isinstance(error, ActgradError):
            text = f"{name.decode()}: {messages.text_of(error)}"
        else:
            text = function.signature.translated(str(error))
        return Answer(messages.status(error)), messages.line(error, text)


def _planned_again(cached: CachedWords, places: tuple[int, ...]) -> Plan | None:
    """The plan of a call like a cached one; None if its memory is too small: the slow path reports it."""
    views = []
    for tensor, offset, needed, meta in cached.operands:
        if places[2 * tensor + 1] < needed:
            return None
        views.append(View(meta, places[2 * tensor] + offset, "cpu", "numpy", True, None, None))
    n = len(cached.function.outputs)
    return cached.function.operator.plan_prepared(cached.prepared, cached.attributes, views[n:], views[:n])


@default_environment()  # a thread that flushes subnormal numbers would lose scalars
def _planned(key: tuple[bytes, bytes, int], places: tuple[int, ...]) -> tuple[Plan, CachedWords]:
    """The plan of a call, which is cached."""
    name, words, _ = key
    function = _function(name)
    given = list(_arguments(function, np.frombuffer(words, np.int64).tolist(), places))
    planned = function.plan(tuple(given))
    operands = list(_operands(function, given))
    outputs, inputs = [view.meta for view in planned.outputs], [view.meta for view in planned.inputs if view]
    layouts = iter(aliasing.layout_words(outputs, inputs, planned.prepared.extents))
    packed = tuple(
        _OPERAND.pack(tensor, offset, needed, next(layouts), next(layouts), next(layouts))
        for tensor, offset, needed, _ in operands
    )
    while len(_cache) >= MOST_CACHED:
        _cache.pop(next(iter(_cache)), None)
    cached = _cache[key] = CachedWords(function, planned.prepared, planned.attributes, operands, packed)
    return planned, cached


def _operands(function: CFunction, given: list[Any]) -> Iterator[tuple[int, int, int, Meta]]:
    """Of outputs, then inputs: number of the tensor, byte offset of the view, required bytes of storage, metadata."""
    numbers = itertools.accumulate(isinstance(argument, AclTensor) for argument in given)
    number_at = [number - 1 for number in numbers]
    for k in (*function.outputs, *function.inputs):
        tensor = given[k]
        needed = tensor.storage_size if tensor.is_touched else NOTHING
        yield number_at[k], tensor.offset * tensor.dtype.itemsize, needed, tensor.view.meta


def _function(name: bytes) -> CFunction:
    function = _functions.get(name)
    if function is None:
        for signature in signatures.every():
            if signature.name.encode() == name:
                function = _functions[name] = CFunction(signature)
                break
        else:
            raise ActgradError(f"{name.decode()} is in the SDK, but not in this actgrad; run `actgrad sdk` again")
    return function


def _arguments(function: CFunction, words: list[int], places: tuple[int, ...]) -> Iterator[Any]:
    """The arguments of a call from its words, as `actgrad.aclnn` takes them."""
    place = itertools.count()
    k = 0
    for parameter in function.signature.parameters:
        kind = words[k]
        if kind == NULL:
            yield None
            k += 1
        elif kind == DEAD:
            yield _destroyed(parameter.type)
            k += 1
        elif kind == FLAG:
            yield bool(words[k + 1]) if parameter.type == "bool" else words[k + 1]
            k += 2
        elif kind == SCALAR:
            bits = struct.pack("<2q", *words[k + 2 : k + 4])
            yield scalar_of_bits(f"{function.operator.name}: {parameter.argument}", words[k + 1], bits)
            k += 4
        else:
            dtype, form, offset, rank, storage_rank = words[k + 1 : k + 6]
            k += 6
            dims, strides = words[k : k + rank], words[k + rank : k + 2 * rank]
            k += 2 * rank
            tensor = tensor_of(
                f"{function.operator.name}: {parameter.argument}",
                dims, dtype, strides, offset, format_name(form), words[k : k + storage_rank],
            )  # fmt: skip
            k += storage_rank
            n = next(place)
            _put(tensor, places[2 * n], places[2 * n + 1])
            yield tensor


def _destroyed(kind: str) -> AclTensor | AclScalar:
    """A destroyed object of Python, for one of C."""
    if kind == "Scalar":
        return AclScalar(0.0, BY_NAME["float32"], None, is_destroyed=True)
    return AclTensor((), BY_NAME["float32"], (), 0, "ND", ())  # on no storage


def _put(tensor: AclTensor, address: int, left: int) -> None:
    """Put a tensor on device memory with `left` bytes from `address` (-1: no device memory, -2: a null address)."""
    owner = None if left == -2 else tensor  # a null address has none
    view, fault = tensor.view_on(Storage(address, max(left, 0), "cpu", "numpy", True, owner))
    if fault and left == -1:
        fault = f"is at {address:#x}, which is no device memory: of the host, freed, or never allocated"
    tensor.put(view, fault)


def _answer(planned: Plan, cached: CachedWords, is_here: bool) -> Answer:
    code = planned.kernel.machine_code
    if code is None and not planned.computation.loop.size:
        return Answer(0, planned.workspace_size)
    handle = next(_handles)
    if code is None or not is_here:
        _kept[handle] = planned
        return Answer(0, planned.workspace_size, handle, is_run_by_planner=1)
    _kept[handle] = planned.prepared
    outputs = len(cached.function.outputs)
    return Answer(0, planned.workspace_size, handle, *code, 0, 1, outputs, cached.packed)


def run(handle: int) -> tuple[int, str]:
    """Compute a plan without machine code: (status, text of a failure)."""
    try:
        kept = _kept.get(handle)
        if not isinstance(kept, Plan):
            raise ActgradError("the executor was made before this process was forked; call phase one again")
        kept.run()
    except BaseException as error:  # as in plan
        return messages.status(error), messages.line(error)
    return 0, ""


def release(handles: tuple[int, ...]) -> None:
    """Forget the objects of these handles."""
    for handle in handles:
        _kept.pop(handle, None)


def answer(request: int, name: bytes, words: bytes, places: bytes, is_here: bool) -> tuple[bytes, str]:
    """The answer to a request of C: actgrad_plan, and the text of a failure."""
    if request == _PLAN:
        found, text = plan(name, words, _numbers(places), is_here)
    elif request == _RUN:
        status, text = run(*_numbers(words))
        found = Answer(status)
    else:
        release(_numbers(words))
        found, text = Answer(0), ""
    return found.packed(), text


def _numbers(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 8}q", data)


# In the program's own process

_attached: list[Any] = []  # C has a pointer to this


def attach(interface: int, plan_size: int, attach_address: int, report_address: int) -> None:
    """Give the C library the function above, by two functions of its own."""
    _check(interface, plan_size)
    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    attach_to_c = ctypes.CFUNCTYPE(None, pointer)(attach_address)
    report_text = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(report_address)

    def ask(request: int, name: bytes, words: int, count: int, places: int, place_count: int, result: int) -> None:
        given = ctypes.string_at(words, 8 * count), ctypes.string_at(places, 8 * place_count)
        packed, text = answer(request, name, *given, True)
        if text:
            report_text(text.encode())
        ctypes.memmove(result, packed, PLAN_SIZE)

    made = ctypes.CFUNCTYPE(None, integer, ctypes.c_char_p, pointer, integer, pointer, integer, pointer)(ask)
    _attached.append(made)
    attach_to_c(ctypes.cast(made, pointer))


def _check(interface: int, plan_size: int) -> None:
    logging.getLogger("actgrad").addHandler(logging.NullHandler())  # standard error is the program's
    if (interface, plan_size) != (INTERFACE, PLAN_SIZE):
        raise ActgradError("the SDK was built by another version of actgrad; run `actgrad sdk` again")


# In a process of its own

_REQUEST = struct.Struct("<4q")
_READY = 42


def serve(interface: int, plan_size: int, socket_number: int, memory_number: int, base: int, size: int) -> None:
    """Answer a program's requests until it ends. Its device memory is the file `memory_number`, mapped at `base`."""
    import socket

    _check(interface, plan_size)
    _map(memory_number, base, size)
    connection = socket.socket(fileno=socket_number)
    connection.sendall(struct.pack("<q", _READY))
    try:
        while True:
            _serve_one(connection)
    except (EOFError, ConnectionError):
        os._exit(0)  # the program has ended


def _serve_one(connection: Any) -> None:
    request, name, words, places = _REQUEST.unpack(_received(connection, _REQUEST.size))
    data = _received(connection, name + words + places)
    packed, text = answer(request, data[:name], data[name : name + words], data[name + words :], False)
    encoded = text.encode()
    connection.sendall(packed + struct.pack("<q", len(encoded)) + encoded)


def _received(connection: Any, size: int) -> bytes:
    import socket

    data = connection.recv(size, socket.MSG_WAITALL) if size else b""
    if len(data) < size:
        raise EOFError
    return data


def _map(memory: int, base: int, size: int) -> None:
    """Map the program's device memory at the address that it has there."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
    )  # fmt: skip
    read_write, shared, exactly_there, no_reserve = 3, 0x01, 0x100000, 0x4000  # linux/mman.h
    if libc.mmap(base, size, read_write, shared | exactly_there | no_reserve, memory, 0) != base:
        raise OSError(ctypes.get_errno(), f"device memory cannot be mapped at {base:#x}")
