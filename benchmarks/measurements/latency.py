"""Latency: the cost of a call on 16 elements, with all checks, and of the same call of the peers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from actgrad import aclnn

from .. import subject, verify
from ..buffers import Tensors
from ..cases import Case
from ..peers import peer
from ..peers.peer import Unavailable
from ..results import OURS, Key, Latency, Run
from ..timing import Call, Contender, Times, interleaved
from . import contenders
from .contenders import Loaded

ELEMENTS = 16
PEERS = ("aten", "eager", "numpy")  # those that are called so directly that it makes sense to time them
ACL_DTYPES = {"float32": aclnn.ACL_FLOAT, "float16": aclnn.ACL_FLOAT16, "bfloat16": aclnn.ACL_BF16,
              "float64": aclnn.ACL_DOUBLE, "int8": aclnn.ACL_INT8, "int32": aclnn.ACL_INT32}  # fmt: skip
Convert = Callable[[Any], Any]  # an array to the library whose arrays a way takes


@dataclass(frozen=True)
class Way:
    """A way of calling an operator of ours, and the peers that it is compared with."""

    make: Callable[[Case, Tensors, Convert], Call]
    form: str  # of the peers
    is_numpy: bool = False  # compared with NumPy, and given its arrays
    on: tuple[str, ...] = ("cpu",)  # kinds of devices


def _plan(case: Case, tensors: Tensors, convert: Convert) -> Call:
    return case.plan(tensors).run


def _out(case: Case, tensors: Tensors, convert: Convert) -> Call:
    outputs = tuple(map(convert, tensors.outputs))
    out = outputs if len(outputs) > 1 else outputs[0]
    return partial(case.operator, *map(convert, tensors.inputs), out=out, **case.attributes)


def _new(case: Case, tensors: Tensors, convert: Convert) -> Call:
    return partial(case.operator, *map(convert, tensors.inputs), **case.attributes)


def _both_phases(case: Case, tensors: Tensors, convert: Convert) -> Call:
    first, second, arguments = _aclnn(case, tensors)

    def call() -> Any:
        _, size, executor = first(*arguments)
        second(None, size, executor, None)
        return tensors.out

    return call


def _phase_two(case: Case, tensors: Tensors, convert: Convert) -> Call:
    first, second, arguments = _aclnn(case, tensors)
    _, size, executor = first(*arguments)
    aclnn.aclSetAclOpExecutorRepeatable(executor)

    def call() -> Any:
        second(None, size, executor, None)
        return tensors.out

    return call


def _aclnn(case: Case, tensors: Tensors) -> tuple[Any, Any, list[Any]]:
    """The two functions of a case and the arguments of the first, tensors and scalars made before as in C."""
    operator = case.operator
    function = subject.c_function(operator)
    if function is None:
        raise Unavailable("no aclnn function")
    c_name, names = function
    first, second = (getattr(aclnn, f"{c_name}{phase}") for phase in ("GetWorkspaceSize", ""))
    values: dict[str, Any] = dict(case.all_attributes)
    if operator.choices:
        values[operator.switch] = operator.choices.index(values[operator.switch])
    arrays = zip((*operator.schema.tensor_names, *operator.schema.outputs), (*tensors.inputs, *tensors.outputs))  # noqa: B905
    values |= {name: array if array is None else _acl_tensor(array) for name, array in arrays}
    types = {a.name: a.type for a in operator.schema.attributes}
    arguments = []
    if not values.keys() >= set(names):
        raise Unavailable("it has parameters that are none of the operator's")
    for name in names:
        is_scalar = types.get(name) == "Scalar"
        arguments.append(aclnn.aclCreateScalar(values[name], aclnn.ACL_FLOAT) if is_scalar else values[name])
    status, _, _ = first(*arguments)
    if status:
        raise Unavailable(f"status {status}: {aclnn.aclGetRecentErrMsg()}")
    return first, second, arguments


def _acl_tensor(array: Any) -> Any:
    dtype = ACL_DTYPES[array.dtype.name]
    return aclnn.aclCreateTensor(array.shape, dtype, None, 0, aclnn.ACL_FORMAT_ND, array.shape, array)


_EVERYWHERE = ("cpu", "cuda")
WAYS = {
    "plan.run()": Way(_plan, "out", on=_EVERYWHERE),
    "aclnn phase two": Way(_phase_two, "out"),
    "aclnn both phases": Way(_both_phases, "out"),
    "out": Way(_out, "out", on=_EVERYWHERE),
    "new": Way(_new, "new", on=_EVERYWHERE),
    "NumPy plan.run()": Way(_plan, "new", is_numpy=True),  # a NumPy expression allocates, there is no other form
    "NumPy out": Way(_out, "new", is_numpy=True),
    "NumPy new": Way(_new, "new", is_numpy=True),
}

#: PyTorch's functions for users, in addition to torch.ops.aten: (torch.nn.functional, attributes, tensor).
_FUNCTIONAL: dict[str, Callable[[Any, dict[str, Any], Any], Call]] = {
    "elu": lambda f, a, x: partial(f.elu, x, a["alpha"]),
    "selu": lambda f, a, x: partial(f.selu, x),
    "leaky_relu": lambda f, a, x: partial(f.leaky_relu, x, a["negative_slope"]),
    "gelu": lambda f, a, x: partial(f.gelu, x, approximate=a["approximate"]),
}


def measure(case: Case, dtype: str, loaded: Loaded, device: Any, seconds: float, run: Run) -> Latency:
    """The latency of a case's calls; results are checked first."""
    size = ELEMENTS * (2 if case.is_gated else 1)
    tensors = device.put(case.tensors("contiguous", size, case.pool(dtype), size))
    standard = verify.standard(case, device, tensors)
    torch = device.torch or contenders.torch_of(loaded)
    to_torch = partial(peer.to_torch, torch)
    calls: dict[Key, Call] = {}
    for name, way in WAYS.items():
        if device.kind not in way.on or (torch is None and not way.is_numpy):
            continue
        try:
            call = way.make(case, tensors, (lambda array: array) if way.is_numpy else to_torch)
        except Unavailable:  # no C function, or none that takes this call
            continue
        device.spoil(tensors.outputs)
        standard.check(name, device.arrays(call()), verify.OURS_ROUNDINGS)
        calls[f"{OURS} {name}"] = call
    direct = {name: loaded[name] for name in PEERS if name in loaded}
    for key, other, bound in contenders.theirs(case, direct, run):
        if contenders.check_peer(key, other, bound, standard, run, dtype):
            calls[key] = bound.bind(tensors)
    if torch is not None and case.operator.name in _FUNCTIONAL:
        x = to_torch(tensors.inputs[-1])
        calls["functional new"] = _FUNCTIONAL[case.operator.name](torch.nn.functional, case.all_attributes, x)
    taken = interleaved([Contender(key, [call]) for key, call in calls.items()], seconds, clock=device.launch_clock)
    times = dict(zip(calls, taken, strict=True))
    return Latency(case.title, case.operator.name, dict(case.attributes), dtype, ELEMENTS, times, _ratios(times))


def _ratios(times: Mapping[Key, Times]) -> dict[str, float]:
    """Each way of ours against each peer of its form; NumPy's ways against NumPy only."""
    found = {}
    for ours in (key for key in times if key.startswith(OURS)):
        way = WAYS[ours.removeprefix(f"{OURS} ")]
        for theirs in (key for key in times if not key.startswith(OURS)):
            name, _, form = theirs.partition(" ")
            if form == way.form and (name == "numpy") == way.is_numpy:
                found[f"{ours} / {theirs}"] = times[ours].median / times[theirs].median
    return found
