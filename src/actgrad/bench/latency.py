"""Latency: what a call on 16 elements costs, all checks included, beside the same call of the peers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .. import aclnn
from ..aclnn import signatures
from ..base.dtypes import BY_NAME
from . import buffers, peer, verify
from .buffers import Tensors
from .cases import Case
from .devices import Device
from .peer import Peer, Unavailable
from .results import OURS, Key, Latency, Notes
from .timing import Call, Contender, interleaved

ELEMENTS = 16
PEERS = ("aten", "eager", "numpy")  # those that are called so directly that it makes sense to time them


@dataclass(frozen=True)
class Way:
    """A way of calling an operator of ours, and what it is compared with."""

    make: Callable[[Case, Tensors, Callable[[Any], Any]], Call]  # (case, tensors, to the arrays of the library)
    form: str  # of the peers that it is compared with
    library: str  # whose arrays it is given: "torch" or "numpy"
    on: tuple[str, ...] = ("cpu",)  # kinds of devices


def _plan(case: Case, tensors: Tensors, convert: Callable[[Any], Any]) -> Call:
    return case.plan(tensors).run


def _out(case: Case, tensors: Tensors, convert: Callable[[Any], Any]) -> Call:
    outputs = tuple(map(convert, tensors.outputs))
    out = outputs if len(outputs) > 1 else outputs[0]
    return partial(case.operator, *map(convert, tensors.inputs), out=out, **case.attributes)


def _new(case: Case, tensors: Tensors, convert: Callable[[Any], Any]) -> Call:
    return partial(case.operator, *map(convert, tensors.inputs), **case.attributes)


def _two_phases(case: Case, tensors: Tensors, convert: Callable[[Any], Any]) -> Call:
    get_workspace_size, compute, arguments = _aclnn(case, tensors)

    def call() -> Any:
        _, size, executor = get_workspace_size(*arguments)
        compute(None, size, executor, None)
        return tensors.out

    return call


def _phase_two(case: Case, tensors: Tensors, convert: Callable[[Any], Any]) -> Call:
    get_workspace_size, compute, arguments = _aclnn(case, tensors)
    _, size, executor = get_workspace_size(*arguments)
    aclnn.aclSetAclOpExecutorRepeatable(executor)

    def call() -> Any:
        compute(None, size, executor, None)
        return tensors.out

    return call


def _aclnn(case: Case, tensors: Tensors) -> tuple[Any, Any, list[Any]]:
    """The two functions of a case and the arguments of the first, tensors and scalars made before as in C."""
    found = [s for s in signatures.of(case.operator) if not s.in_place and not s.fixed]
    if not found:
        raise Unavailable("no aclnn function")
    signature = found[0]
    values: dict[str, Any] = dict(case.all_attributes)
    if case.operator.choices:
        switch = str(case.operator.switch)
        values[switch] = case.operator.choices.index(values[switch])
    names = (*case.operator.schema.tensor_names, *case.operator.schema.outputs)
    arrays = dict(zip(names, (*tensors.inputs, *tensors.outputs), strict=True))
    made = []
    for p in signature.parameters:
        array, value = arrays.get(p.argument), values.get(p.argument)
        if p.type == "Tensor" and array is not None:
            number = BY_NAME[array.dtype.name].acl
            value = aclnn.aclCreateTensor(array.shape, number, None, 0, aclnn.ACL_FORMAT_ND, array.shape, array)
        elif p.type == "Scalar":
            value = aclnn.aclCreateScalar(value, BY_NAME["float32"].acl)
        made.append(value)
    functions = getattr(aclnn, signature.first_name), getattr(aclnn, signature.name)
    status, _, _ = functions[0](*made)
    if status:
        raise Unavailable(f"status {status}: {aclnn.aclGetRecentErrMsg()}")
    return *functions, made


_EVERYWHERE = ("cpu", "cuda")
WAYS = {
    "plan.run()": Way(_plan, "out", "torch", on=_EVERYWHERE),
    "aclnn phase two": Way(_phase_two, "out", "torch"),
    "aclnn both phases": Way(_two_phases, "out", "torch"),
    "out": Way(_out, "out", "torch", on=_EVERYWHERE),
    "new": Way(_new, "new", "torch", on=_EVERYWHERE),
    "NumPy plan.run()": Way(_plan, "new", "numpy"),  # a NumPy expression allocates, there is no other form
    "NumPy out": Way(_out, "new", "numpy"),
    "NumPy new": Way(_new, "new", "numpy"),
}

#: PyTorch's functions of users, beside torch.ops.aten; (torch.nn.functional, attributes, tensor).
_FUNCTIONAL: dict[str, Callable[[Any, dict[str, Any], Any], Call]] = {
    "elu": lambda f, a, x: partial(f.elu, x, a["alpha"]),
    "selu": lambda f, a, x: partial(f.selu, x),
    "leaky_relu": lambda f, a, x: partial(f.leaky_relu, x, a["negative_slope"]),
    "gelu": lambda f, a, x: partial(f.gelu, x, approximate=a["approximate"]),
}


def measure(
    case: Case, dtype: str, loaded: dict[str, tuple[Peer, Any]], device: Device, seconds: float, notes: Notes
) -> Latency:
    """The latency of a case's calls; results are checked first."""
    size = ELEMENTS * (2 if case.is_gated else 1)
    shape = buffers.shape_of("contiguous", size, case.is_gated, size)
    tensors = device.put(buffers.make(case.operator, "contiguous", shape, case.pool(dtype), case.with_optional))
    standard = verify.standard(case, device, tensors)
    torch = device.torch or next((library for other, library in loaded.values() if other.load is peer.torch), None)
    to_torch = partial(peer.to_torch, torch)
    calls: dict[Key, Call] = {}
    for name, way in WAYS.items():
        if device.kind not in way.on or (way.library == "torch" and torch is None):
            continue
        try:
            call = way.make(case, tensors, to_torch if way.library == "torch" else lambda array: array)
        except Unavailable:  # no C function, or none that takes this call
            continue
        device.spoil(tensors.outputs)
        standard.check_ours(name, device.arrays(call()))
        calls[OURS, name] = call
    for name in PEERS:
        other, library = loaded.get(name, (None, None))
        for form, make in other.forms.items() if other else ():
            try:
                call = make(library, case, "contiguous")(tensors)
                device.spoil(tensors.outputs)
                returned = call()
                standard.check_peer(f"{name} {form}", tensors.outputs if form == "out" else device.arrays(returned))
            except Unavailable:
                continue
            except verify.WrongResult as fault:
                notes.add(f"{name} left out: {fault}")
                continue
            except Exception as fault:  # as in throughput: whatever another library cannot do
                notes.add(f"{name}: {case.title}, {dtype}: {peer.reason(fault)}")
                continue
            calls[name, form] = call
    if torch is not None and case.operator.name in _FUNCTIONAL:
        make_functional = _FUNCTIONAL[case.operator.name]
        calls["functional", "new"] = make_functional(
            torch.nn.functional, case.all_attributes, to_torch(tensors.inputs[-1])
        )
    contenders = [Contender(*key, [call]) for key, call in calls.items()]
    times = dict(zip(calls, interleaved(contenders, seconds, clock=device.launch_clock), strict=True))
    return Latency(case.title, case.operator.name, dict(case.attributes), dtype, ELEMENTS, times, _ratios(times))


def _ratios(times: dict[Key, Any]) -> dict[tuple[Key, Key], float]:
    """Each way of ours against each peer of its form; NumPy's ways against NumPy only."""
    found = {}
    for ours in times:
        if ours[0] != OURS:
            continue
        way = WAYS[ours[1]]
        for theirs in times:
            is_numpy = theirs[0] == "numpy"
            if theirs[0] != OURS and theirs[1] == way.form and is_numpy == (way.library == "numpy"):
                found[ours, theirs] = times[ours].median / times[theirs].median
    return found
