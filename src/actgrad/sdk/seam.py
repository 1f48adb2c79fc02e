"""The Python side of the C SDK: it plans calls that C describes in words, by the same path as calls from Python.

In a program's own process the C library calls `plan`, `run` and `release` through pointers (`attach`); a program
without Python's library talks to another process over a socket (`serve`).
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
from ..base.loop import Meta, extent, same_layout
from ..calls.plan import Plan, Prepared
from ..contract import Terms

NULL, TENSOR, SCALAR, FLAG, DEAD = range(5)  # the kinds of words, as in nnopbase.h
MOST_CACHED = 4096  # calls
NOTHING = -3  # required bytes of a tensor without elements: even a null address (-2) has more
OPERANDS = 8

INTERFACE = 5  # the version of words and plans; nnopbase.h has the same number
#: actgrad_plan of nnopbase.h: the plan of one call, and the part for other calls of the same words
_ANSWER, _GENERAL = struct.Struct(f"<6q{OPERANDS}Q"), struct.Struct(f"<{2 + 6 * OPERANDS}q")
PLAN_SIZE = _ANSWER.size + _GENERAL.size


class Answer(NamedTuple):
    """The plan that C gets."""

    status: int
    workspace_size: int = 0
    handle: int = 0
    run: int = 0
    block: int = 0
    is_run_here: int = 0
    addresses: tuple[int, ...] = ()
    general: bytes = bytes(_GENERAL.size)  # for other calls of the same words

    def packed(self) -> bytes:
        addresses = self.addresses + (0,) * (OPERANDS - len(self.addresses))
        return _ANSWER.pack(*self[:6], *addresses) + self.general


class CachedWords(NamedTuple):
    """A call in words that passed, without its memory."""

    function: CFunction
    prepared: Prepared
    attributes: dict[str, Any]
    tensors: list[tuple[int, int, Meta]]  # byte offset of the view, required bytes of storage, metadata
    places: tuple[int, ...]  # of the plan's inputs, then outputs, among the tensors
    general: bytes  # of actgrad_plan


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
        if planned is None:
            planned, cached = _planned(key, places)
        return _answer(planned, cached, is_here), ""
    except BaseException as error:  # no exception may reach C, not even an exit or an interrupt
        function, text = _functions.get(name), _text(error)
        if function is not None and isinstance(error, ActgradError):
            text = function.signature.translated(text)
        else:
            text = f"{name.decode()}: {text}"
        status, line = _failure(error, text)
        return Answer(status), line


def _text(error: BaseException) -> str:
    return str(error) if isinstance(error, ActgradError) else f"{type(error).__name__}: {error}"


def _failure(error: BaseException, text: str) -> tuple[int, str]:
    """The status of a failure, and its text in the layout of aclGetRecentErrMsg."""
    failure = error if isinstance(error, Exception) else ActgradError(text)
    return messages.status(failure), messages.line(failure, text)


def _planned_again(cached: CachedWords, places: tuple[int, ...]) -> Plan | None:
    """The plan of a call like a cached one; None if its memory is too small: the slow path reports it."""
    views = []
    for k, (offset, needed, meta) in enumerate(cached.tensors):
        address, left = places[2 * k], places[2 * k + 1]
        if left < needed:
            return None
        views.append(View(meta, address + offset, "cpu", "numpy", True, None, None))
    ordered = [views[place] for place in cached.places]
    n = len(cached.function.inputs)
    return cached.function.operator.plan_prepared(cached.prepared, cached.attributes, ordered[:n], ordered[n:])


@default_environment()  # a thread that flushes subnormal numbers would lose scalars
def _planned(key: tuple[bytes, bytes, int], places: tuple[int, ...]) -> tuple[Plan, CachedWords | None]:
    """The plan of a call. It is cached if its words say all but its memory."""
    name, words, _ = key
    function = _function(name)
    given = list(_arguments(function, np.frombuffer(words, np.int64).tolist(), places))
    planned = function.plan(tuple(given))
    tensors = [argument for argument in given if isinstance(argument, AclTensor)]
    if not all(tensor.is_plain for tensor in tensors):
        return planned, None
    described = []
    for tensor in tensors:
        assert tensor.view is not None, "made a moment ago"
        needed = tensor.storage_size if tensor.is_touched else NOTHING
        described.append((tensor.offset * tensor.dtype.itemsize, needed, tensor.view.meta))
    order = {id(tensor): k for k, tensor in enumerate(tensors)}
    where = tuple(order[id(given[k])] for k in function.tensors)
    while len(_cache) >= MOST_CACHED:
        _cache.pop(next(iter(_cache)), None)
    general = _general(described, (*where[len(function.inputs) :], *where[: len(function.inputs)]))
    cached = _cache[key] = CachedWords(function, planned.prepared, planned.attributes, described, where, general)
    return planned, cached


def _general(tensors: list[tuple[int, int, Meta]], operands: tuple[int, ...]) -> bytes:
    """The extents by which C judges other memory, and the places of the kernel's operands."""
    extents: list[int] = []
    for offset, needed, meta in tensors:
        low, high = extent(meta)
        alike = sum(1 << k for k, (at, _, other) in enumerate(tensors) if at == offset and same_layout(meta, other))
        extents += [needed, offset + low, offset + high, alike]
    rest = [0] * (OPERANDS - len(operands))
    offsets = [tensors[place][0] for place in operands]
    extents += [0] * (4 * OPERANDS - len(extents))
    return _GENERAL.pack(True, len(operands), *operands, *rest, *offsets, *rest, *extents)


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


def _answer(planned: Plan, cached: CachedWords | None, is_here: bool) -> Answer:
    kernel = planned.kernel
    code = kernel.machine_code
    if code is None and not planned.computation.loop.size:
        return Answer(0, planned.workspace_size)
    handle = next(_handles)
    if code is None or not is_here:
        _kept[handle] = planned
        return Answer(0, planned.workspace_size, handle, is_run_here=1)
    _kept[handle] = planned.prepared
    answer = Answer(0, planned.workspace_size, handle, *code, 0, planned.addresses)
    return answer if cached is None else answer._replace(general=cached.general)


def run(handle: int, distance: int = 0) -> tuple[int, str]:
    """Compute a plan without machine code: (status, text of a failure).

    `distance` is that from the plan's addresses to the memory itself, which a strict program cannot touch elsewhere.
    """
    try:
        kept = _kept.get(handle)
        if not isinstance(kept, Plan):
            raise ActgradError("the executor was made before this process was forked; call phase one again")
        if distance:
            kept.kernel.run(*[address + distance for address in kept.addresses])
        else:
            kept.run()
    except BaseException as error:  # as in plan
        return _failure(error, _text(error))
    return 0, ""


def release(handles: tuple[int, ...]) -> None:
    """Forget the objects of these handles."""
    for handle in handles:
        _kept.pop(handle, None)


# In the program's own process

_attached: list[Any] = []  # C has pointers to these


def attach(interface: int, plan_size: int, attach_address: int, report_address: int) -> None:
    """Give the C library the functions above, by two functions of its own."""
    _check(interface, plan_size)
    attach_to_c = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(attach_address)
    report_text = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(report_address)

    def plan_for_c(name: bytes, words: int, count: int, places: int, tensors: int, result: int) -> None:
        described = ctypes.string_at(words, 8 * count)
        where = struct.unpack(f"<{2 * tensors}q", ctypes.string_at(places, 16 * tensors))
        answer, text = plan(name, described, where, True)
        if text:
            report_text(text.encode())
        ctypes.memmove(result, answer.packed(), PLAN_SIZE)

    def run_for_c(handle: int, distance: int) -> int:
        status, text = run(handle, distance)
        if text:
            report_text(text.encode())
        return status

    def release_for_c(handles: int, count: int) -> None:
        release(struct.unpack(f"<{count}q", ctypes.string_at(handles, 8 * count)))

    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    functions: list[Any] = [
        ctypes.CFUNCTYPE(None, ctypes.c_char_p, pointer, integer, pointer, integer, pointer)(plan_for_c),
        ctypes.CFUNCTYPE(ctypes.c_int32, integer, integer)(run_for_c),
        ctypes.CFUNCTYPE(None, pointer, integer)(release_for_c),
    ]
    table = (ctypes.c_void_p * len(functions))(*[ctypes.cast(f, ctypes.c_void_p).value for f in functions])
    _attached.extend([functions, table])
    attach_to_c(table)


def _check(interface: int, plan_size: int) -> None:
    logging.getLogger("actgrad").addHandler(logging.NullHandler())  # standard error is the program's
    if (interface, plan_size) != (INTERFACE, PLAN_SIZE):
        raise ActgradError("the SDK was built by another version of actgrad; run `actgrad sdk` again")


# In a process of its own

_REQUEST = struct.Struct("<4q")
_PLAN, _RUN, _RELEASE, _READY = 1, 2, 3, 42


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
    what, first, count, places = _REQUEST.unpack(_received(connection, _REQUEST.size))
    name = _received(connection, first) if what == _PLAN else b""
    words = _received(connection, 8 * count)
    where = struct.unpack(f"<{places}q", _received(connection, 8 * places))
    if what == _PLAN:
        answer, text = plan(name, words, where, False)
    elif what == _RUN:
        status, text = run(first)
        answer = Answer(status)
    else:
        release(struct.unpack(f"<{count}q", words))
        answer, text = Answer(0), ""
    encoded = text.encode()
    connection.sendall(answer.packed() + struct.pack("<q", len(encoded)) + encoded)


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
