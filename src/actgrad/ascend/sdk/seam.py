"""The Python side of the C SDK. It plans calls that C describes as words, by the same path as calls from Python.

In a program's own process, the C library calls `answer` through a pointer (`attach`). A program without Python's
library talks to another process over a socket (`serve`).
"""

from __future__ import annotations

import ctypes
import itertools
import logging
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import ArrayView
from ...base import first_use
from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError
from ...base.floating_point import default_environment
from ...base.loop import TensorMeta
from ...calls.plan import Plan, Prepared
from ..aclnn import c_functions, messages
from ..aclnn.c_functions import CachedPlan, CFunction
from ..aclnn.names import format_name
from ..aclnn.objects import AclScalar, AclTensor, Storage, scalar_of_bits, tensor_of
from ..aclnn.signatures import CParameter
from ..network import single_operators
from ..network.functions import functions
from ..network.work import Work, result_places
from ..rules.law import rules_of_c

_PLAN, _RUN, _END = 1, 2, 4  # requests, as in nnopbase.h. Any other request releases plans
NULL, TENSOR, SCALAR, FLAG, DEAD, TEXT, INTS, LIST = range(8)  # the kinds of words, as in nnopbase.h
NOTHING = -3  # required bytes of a tensor without elements; even a null address (-2) has more
OPERANDS = 9

INTERFACE = 12  # the version of words and plans. nnopbase.h has the same number
#: Parts of actgrad_plan in nnopbase.h: numbers of a call, numbers of operands, and each operand.
_HEAD, _COUNTS, _OPERAND = struct.Struct("<7q"), struct.Struct("<2q"), struct.Struct("<6q")
_REST = _COUNTS.size + OPERANDS * _OPERAND.size
PLAN_SIZE = _HEAD.size + _REST


class Answer(NamedTuple):
    """A plan in the form that C reads."""

    status: int
    workspace_size: int = 0
    handle: int = 0
    run: int = 0
    block: int = 0
    is_run_by_planner: int = 0
    is_general: int = 0
    operands: bytes = bytes(_REST)

    def packed(self) -> bytes:
        return _HEAD.pack(*self[:7]) + self.operands


_executors: dict[int, Plan | Prepared | Work] = {}  # the objects of C's executors, by handle
_handles = itertools.count((os.getpid() << 32) + 1)  # a server of a forked program starts at another number


def plan(name: bytes, words: bytes, memory: tuple[int, ...], is_here: bool) -> tuple[Answer, str]:
    """The plan of a call, or the text of its failure. `is_here`: this process is the program's own."""
    function = None
    try:
        key = words, id(rules_of_c())  # the few rulesets live as long as the process, so an id is unique
        if (known := _known_calls.get((name, *key))) is not None:
            return _plan_known(known, memory) or _plan_network(name, key, memory), ""
        function = c_functions.find(name.decode())
        if function is None and name.decode() in functions():
            return _plan_network(name, key, memory), ""
        if name == _OLDER:
            return _by_graph_name(words, memory), ""
        if function is None:
            fault = f"{name.decode()}: is in the SDK, but not in this actgrad"
            raise ActgradError(f"{fault}; both must be of one version; run `actgrad sdk` again")
        cached = function.cache.get(key)
        planned = _planned_again(cached, memory) if cached is not None else None
        if planned is None or cached is None:
            planned, cached = _planned(function, key, memory)
        return _answer(planned, cached.record.packed, is_here), ""
    except BaseException as error:  # no exception may reach C, not even an exit or an interrupt
        if function is None or not isinstance(error, ActgradError):
            text = f"{name.decode()}: {messages.text_of(error).removeprefix(f'{name.decode()}: ')}"
        else:
            text = function.signature.translated(str(error))
        return Answer(messages.status(error)), messages.line(error, text)


class _KnownCall:
    """A checked call of ascend/network, for calls with the same words: they differ only in the memory of tensors."""

    def __init__(self, work: Work, operands: bytes, memory: tuple[int, ...]):
        self.operands = operands
        self.needed = work.needed_bytes()
        self.first = work, memory
        self.last = work, memory  # programs often call again with the same memory


_known_calls: dict[tuple[bytes, bytes, int], _KnownCall] = {}  # by name, words and ruleset
_MOST_KNOWN_CALLS = 2048


def _plan_known(known: _KnownCall, memory: tuple[int, ...]) -> Answer | None:
    """The plan of a call with words that were checked. None if its memory must be checked."""
    work, place = known.last
    if place != memory:
        needs = enumerate(known.needed)
        if any(needed is not None and memory[2 * k + 1] < needed for k, needed in needs):
            return None
        work, place = known.first
        moved = work.at([address - before for address, before in zip(memory[::2], place[::2], strict=True)])
        if moved is None:
            return None
        work = moved
        known.last = moved, memory
    _executors[handle := next(_handles)] = work
    return Answer(0, 0, handle, is_run_by_planner=1, operands=known.operands)


def _plan_network(name: bytes, key: tuple[bytes, int], memory: tuple[int, ...]) -> Answer:
    """The plan of a function of ascend/network."""
    function = functions()[name.decode()]
    words = np.frombuffer(key[0], np.int64).tolist()
    arguments = _arguments(name.decode(), function.arguments, words, memory)
    work = Work(name.decode(), function.rule, function.arguments, tuple(arguments))
    answer = _answer_for(work)
    if len(_known_calls) >= _MOST_KNOWN_CALLS:
        _known_calls.clear()
    _known_calls.update({(name, *key): _KnownCall(work, answer.operands, memory)})
    return answer


#: The function of the older interface. Its calls as words begin with an operator's name.
_OLDER = b"aclopCompileAndExecute"
_OLDER_PARAMETERS = (
    CParameter("opType", "opType", "text"),
    CParameter("attr", "attr", "text"),
    CParameter("inputs", "inputs", "tensors"),
    CParameter("outputs", "outputs", "tensors"),
)


def _by_graph_name(words: bytes, memory: tuple[int, ...]) -> Answer:
    """The plan of an operator by its name in graphs."""
    arguments = _arguments(_OLDER.decode(), _OLDER_PARAMETERS, np.frombuffer(words, np.int64).tolist(), memory)
    return _answer_for(single_operators.plan(*arguments))


def _answer_for(work: Plan | Work) -> Answer:
    _executors[handle := next(_handles)] = work
    places = result_places(work)[:OPERANDS] if isinstance(work, Work) else []
    rows = b"".join([_OPERAND.pack(number, offset, NOTHING, *ends, 0) for number, offset, ends in places])
    operands = (_COUNTS.pack(len(places), len(places)) + rows).ljust(_REST, b"\0")
    return Answer(0, 0, handle, is_run_by_planner=1, operands=operands)


class KnownOperands(NamedTuple):
    """The operands of a cached call from C, outputs before inputs."""

    #: Index of the tensor, byte offset of the view, required bytes, metadata. None if the operand is left out.
    rows: list[tuple[int, int, int, TensorMeta] | None]
    packed: bytes  # the end of actgrad_plan
    function: CFunction  # that planned the call


def _planned_again(cached: CachedPlan, memory: tuple[int, ...]) -> Plan | None:
    """The plan of a similar call. None if its memory is too small, so that the slow path reports the failure."""
    views: list[Any] = []
    for row in cached.record.rows:
        if row is None:
            views.append(None)
            continue
        tensor, offset, needed, meta = row
        if memory[2 * tensor + 1] < needed:
            return None
        views.append(ArrayView(meta, memory[2 * tensor] + offset, "cpu", "numpy", True, None, None))
    function = cached.record.function
    n = len(function.outputs)
    return function.operator.plan_prepared(cached.prepared, cached.attributes, views[n:], views[:n])


@default_environment()  # a thread that flushes subnormal numbers would lose scalars
def _planned(function: CFunction, key: tuple[bytes, int], memory: tuple[int, ...]) -> tuple[Plan, CachedPlan]:
    """The plan of a call, and its entry in the cache."""
    parameters = function.signature.parameters
    arguments = tuple(_arguments(function.operator.name, parameters, np.frombuffer(key[0], np.int64).tolist(), memory))
    computes = c_functions.of_call(function, arguments)
    planned = computes.plan(arguments)
    return planned, function.keep(key, planned, _operands(computes, arguments, planned))


def _operands(function: CFunction, arguments: tuple[Any, ...], planned: Plan) -> KnownOperands:
    arguments = (*arguments, None)  # for absent tensors
    numbers = list(itertools.accumulate((isinstance(argument, AclTensor) for argument in arguments), initial=0))
    outputs, inputs = [view.meta for view in planned.outputs], [view.meta for view in planned.inputs if view]
    layouts = iter(planned.prepared.layouts)
    rows: list[Any] = []
    packed, metas = _COUNTS.pack(len(outputs), len(outputs) + len(inputs)), iter((*outputs, *inputs))
    for k in (*function.outputs, *function.inputs):
        tensor = arguments[k]
        if tensor is None:
            rows.append(None)
            continue
        meta = next(metas)
        needed = max(tensor.storage_size, tensor.reach) if tensor.is_touched else NOTHING
        rows.append((numbers[k], tensor.offset * tensor.dtype.itemsize, needed, meta))
        packed += _OPERAND.pack(*rows[-1][:3], *next(layouts))
    return KnownOperands(rows, packed.ljust(_REST, b"\0"), function)


def _arguments(name: str, parameters: Sequence[CParameter], words: list[int], memory: tuple[int, ...]) -> Iterator[Any]:
    """The arguments of a call from its words, in the form for `actgrad.aclnn`."""
    memory_number, word = iter(memory), iter(words)

    def several(count: int) -> list[int]:
        return list(itertools.islice(word, count))

    def argument(parameter: CParameter) -> Any:
        context = f"{name}: {parameter.argument}"
        kind = next(word)
        if kind == NULL:
            return None
        if kind == DEAD:
            return _destroyed(parameter.type)
        if kind == FLAG:
            return _FLAGS.get(parameter.type, int)(next(word))
        if kind == TEXT:
            size = next(word)
            words_of_it = several((size + 7) // 8)
            return struct.pack(f"<{len(words_of_it)}q", *words_of_it)[:size].decode(errors="replace")
        if kind == INTS:
            return tuple(several(next(word)))
        if kind == LIST:
            return tuple(argument(parameter) for _ in range(next(word)))
        if kind == SCALAR:
            return scalar_of_bits(context, next(word), struct.pack("<2q", *several(2)))
        dtype, form, offset, rank, storage_rank = several(5)
        dims, strides, storage_dims = several(rank), several(rank), several(storage_rank)
        tensor = tensor_of(context, dims, dtype, strides, offset, format_name(form), storage_dims)
        _put(tensor, next(memory_number), next(memory_number))
        return tensor

    return map(argument, parameters)


#: Converts a word to the value of a parameter that is not a pointer. Other types are integers.
_FLAGS: dict[str, Callable[[int], Any]] = {
    "bool": bool,
    "double": lambda bits: struct.unpack("<d", struct.pack("<q", bits))[0],
}


def _destroyed(kind: str) -> AclTensor | AclScalar:
    """A destroyed Python object, for a destroyed object of C."""
    if kind in ("Scalar", "scalars"):
        return AclScalar(0.0, BY_NAME["float32"], None, is_destroyed=True)
    return AclTensor((), BY_NAME["float32"], (), 0, "ND", ())  # a tensor without storage counts as destroyed


def _put(tensor: AclTensor, address: int, left: int) -> None:
    """Move a tensor to device memory with `left` bytes from `address` (-1: no device memory, -2: a null address)."""
    owner = None if left == -2 else tensor  # a null address has no owner
    view, fault = tensor.view_on(Storage(address, max(left, 0), "cpu", "numpy", True, owner))
    if fault and left == -1:
        fault = f"is at {address:#x}; it must be device memory that is not freed; allocate it with aclrtMalloc"
    tensor.put(view, fault)


def _answer(planned: Plan, operands: bytes, is_here: bool) -> Answer:
    code = planned.kernel.machine_code
    if code is None and not planned.computation.loop.size:
        return Answer(0, planned.workspace_size, operands=operands)
    handle = next(_handles)
    if code is None or not is_here:
        _executors[handle] = planned
        return Answer(0, planned.workspace_size, handle, is_run_by_planner=1, operands=operands)
    _executors[handle] = planned.prepared
    return Answer(0, planned.workspace_size, handle, *code, 0, 1, operands)


def run_plan(handle: int, distance: int = 0) -> tuple[Answer, str]:
    """Compute a plan that has no machine code. Returns the numbers of the answer, and the text of a failure.

    `distance` is the distance from the plan's addresses to the memory. A strict program can access the memory only
    there.
    """
    try:
        work = _executors.get(handle)
        if isinstance(work, Work):
            sizes = work.run(distance)
            reshaped = struct.pack(f"<{len(sizes) + 1}q", len(sizes), *sizes)
            return Answer(0, operands=reshaped.ljust(_REST, b"\0")), ""
        if not isinstance(work, Plan):
            raise ActgradError(
                "the executor is of the process before a fork; it must be of this process; call phase one again"
            )
        if distance:
            work.kernel.run(*[address + distance for address in work.addresses])
        else:
            work.run()
    except BaseException as error:  # the same reason as in `plan`
        return Answer(messages.status(error)), messages.line(error)
    return Answer(0), ""


def release(handles: tuple[int, ...]) -> None:
    """Forget the objects of these handles."""
    for handle in handles:
        _executors.pop(handle, None)


def answer(request: int, name: bytes, words: bytes, memory: bytes, is_here: bool) -> tuple[bytes, str]:
    """The answer to a request of C: actgrad_plan, and the text of a failure."""
    if request == _PLAN:
        result, text = plan(name, words, _numbers(memory), is_here)
    elif request == _RUN:
        result, text = run_plan(*_numbers(words), *_numbers(memory))
    elif request == _END:
        _end_compiler()
        result, text = Answer(0), ""
    else:
        release(_numbers(words))
        result, text = Answer(0), ""
    return result.packed(), text


def _end_compiler() -> None:
    """Wait until other threads finish compiling, and let no compilation begin, because LLVM's library will end."""
    first_use.lock.end()
    if "llvmlite" in sys.modules:
        text = "the process is ending; a kernel must be compiled before; make a similar call earlier"
        first_use.refuse(ActgradError(text))


def _numbers(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 8}q", data)


# In the process of the program

_attached: list[Any] = []  # keeps the function alive, because C has a pointer to it


def attach(interface: int, plan_size: int, attach_address: int, report_address: int, watch_address: int) -> None:
    """Pass `answer` to the C library, by calling functions of the library."""
    _check(interface, plan_size)
    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    # A leak checker in the process already ignores this thread, but not the threads that compile.
    first_use.on_thread = getattr(ctypes.CDLL(None), "__lsan_disable", None)
    # Objects that LLVM creates at its first use end before older objects, but they must end after their users.
    first_use.after_work = ctypes.CFUNCTYPE(None)(watch_address)
    attach_to_c = ctypes.CFUNCTYPE(None, pointer)(attach_address)
    report_text = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(report_address)

    def ask(request: int, name: bytes, words: int, count: int, memory: int, memory_count: int, result: int) -> None:
        data = ctypes.string_at(words, 8 * count), ctypes.string_at(memory, 8 * memory_count)
        packed, text = answer(request, name, *data, True)
        if text:
            report_text(text.encode())
        ctypes.memmove(result, packed, PLAN_SIZE)

    callback = ctypes.CFUNCTYPE(None, integer, ctypes.c_char_p, pointer, integer, pointer, integer, pointer)(ask)
    _attached.append(callback)
    attach_to_c(ctypes.cast(callback, pointer))


def _check(interface: int, plan_size: int) -> None:
    handler = logging.StreamHandler() if os.environ.get("ACTGRAD_STRICT") == "1" else logging.NullHandler()
    handler.setFormatter(logging.Formatter("actgrad: %(message)s"))
    logging.getLogger("actgrad").addHandler(handler)  # standard error belongs to the program, unless it is strict
    if (interface, plan_size) != (INTERFACE, PLAN_SIZE):
        raise ActgradError(
            "the SDK was built by another version of actgrad; both must be of one version; run `actgrad sdk` again"
        )


# In another process

_REQUEST = struct.Struct("<4q")


def serve(interface: int, plan_size: int, socket_number: int, memory_number: int, base: int, size: int) -> None:
    """Answer a program's requests until it ends. Its device memory is the file `memory_number`, mapped at `base`."""
    import socket

    _check(interface, plan_size)
    _map(memory_number, base, size)
    connection = socket.socket(fileno=socket_number)
    try:
        connection.sendall(_text(""))
        while True:
            _serve_one(connection)
    except (EOFError, ConnectionError):
        os._exit(0)  # the program has ended


def _serve_one(connection: Any) -> None:
    request, name, words, memory = _REQUEST.unpack(_received(connection, _REQUEST.size))
    data = _received(connection, name + words + memory)
    packed, text = answer(request, data[:name], data[name : name + words], data[name + words :], False)
    connection.sendall(packed + _text(text))


def _text(text: str) -> bytes:
    """The text of a failure, or an empty text, in the form that server.c reads."""
    encoded = text.encode()
    return struct.pack("<q", len(encoded)) + encoded


def _received(connection: Any, size: int) -> bytes:
    import socket

    data = connection.recv(size, socket.MSG_WAITALL) if size else b""
    if len(data) < size:
        raise EOFError
    return data


def _map(memory: int, base: int, size: int) -> None:
    """Map the program's device memory at the same address as in the program."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
    )  # fmt: skip
    read_write, shared, exactly_there, no_reserve = 3, 0x01, 0x100000, 0x4000  # linux/mman.h
    if libc.mmap(base, size, read_write, shared | exactly_there | no_reserve, memory, 0) != base:
        raise OSError(
            ctypes.get_errno(),
            f"device memory was not mapped at {base:#x}; the address must be free; start the program again",
        )
