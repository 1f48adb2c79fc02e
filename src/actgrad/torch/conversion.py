"""Conversion of the activation modules of a model, in place, and back.

`convert` puts a method named `forward` on a module. The object, its class, parameters, buffers, hooks and names stay
the same. So references to the module and tests of its class stay valid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple
from weakref import ref

import torch

from ..base.errors import InvalidArgument, InvalidCall, quote
from .derivatives import saving
from .models import patching, pays, proposals, swapping, trials
from .models.gates import Gate
from .models.outcome import ConvertedModule, Report
from .models.proposals import Declared, Proposal

nn = torch.nn
PAYS, ALL = "pays", "all"


def convert(
    model: torch.nn.Module,
    *,
    save: str = saving.AUTO,
    inputs: Any = None,
    only: str = PAYS,
    activations: Mapping[type, str] | None = None,
    gates: Mapping[type, Gate] | None = None,
) -> Report:
    """Convert a model's activation modules and gated blocks to actgrad, in place.

    It knows the exact classes of torch.nn, and a table of classes of transformers, timm and diffusers. The caller
    declares other classes. A trial compares values and gradients before each swap. It does not convert other calls of
    `torch.nn.functional`, for which `patched` exists.

    Args:
        model: The model.
        save: The tensor that is saved for backward, "auto" or "input". "auto" may save the result instead of the input.
            If the next module of a Sequential overwrites the result, "auto" saves the input. If a model overwrites a
            result elsewhere (`y = elu(x); y += residual`), the backward pass raises an error. Then pass "input", also
            for a model that is converted already.
        inputs: The model's inputs, a tensor, a tuple or a dict. With inputs, `convert` runs a forward pass first. The
            sizes in it decide what pays, and the report also counts functional calls. The pass works on copies of the
            inputs and buffers. It does not undo writes into parameters.
        only: "pays" swaps what saves memory for backward or is faster at the size of its calls. "all" swaps everything.
        activations: Classes of activations, and the names of the functions that they compute: {MyGELU: "gelu_tanh"}.
        gates: Classes of gated blocks, and their parts: {MyMLP: Gate(gate="w1", up="w3", down="w2", act="act")}.

    Returns:
        The report: the modules that were converted, and the others with the reasons. `print` shows it.

    Raises:
        InvalidArgument: `save`, `only`, `activations` or `gates` has a wrong value.

    Example:
        >>> print(actgrad.torch.convert(model))
    """
    require_module(model, "convert")
    for name, value, choices in (("save", save, (saving.AUTO, saving.INPUT)), ("only", only, (PAYS, ALL))):
        if value not in choices:
            expected = f"it must be {choices[0]!r} or {choices[1]!r}"
            raise InvalidArgument(f"convert: {name} is {quote(value)}; {expected}; pass one of these")
    declared = Declared(activations or {}, gates or {})
    proposals.require(declared)
    overwritten = _overwritten(model)
    names: dict[torch.nn.Module, list[str]] = {}
    for name, module in model.named_modules(remove_duplicate=False):
        names.setdefault(module, []).append(name or "(the model itself)")
    rows, already, confirmed = [], [], {}
    trial_of: dict[Any, Any] = {}
    for module, paths in names.items():
        way = saving.INPUT if module in overwritten else save
        swaps = list(filter(None, map(swapping.swap_of, vars(module).values())))
        if swaps and not (way == saving.INPUT and swaps[0].save == saving.AUTO):
            already.append(", ".join(paths))
            continue
        proposal = proposals.propose(module, declared, way)
        reason = proposal if isinstance(proposal, str) else ""
        if not isinstance(proposal, str):
            try:
                confirmed[module] = proposal, _confirmed(module, proposal, trial_of)
            except trials.Declined as declined:
                reason = str(declined)
        if reason:
            rows.append((module, ConvertedModule(", ".join(paths), type(module).__name__, "", reason)))
    observed = None if inputs is None else _observed(model, inputs, {*confirmed})
    saved, swapped, unused = 0.0, {}, []
    for module, (proposal, trial) in confirmed.items():
        path = ", ".join(names[module])
        elements, dtype = _size(model, module, observed)
        per_element = trial.before - trial.after
        is_swapped_again = any(map(swapping.swap_of, vars(module).values()))
        reason = "" if only == ALL or is_swapped_again else _reason_to_leave(proposal, elements, dtype, per_element)
        if not reason:
            vars(module).pop(proposal.swap.name, None)
            swapping.put(module, proposal.swap, proposal.function)
            swapped[path] = ref(module)
            if observed is not None:
                is_in_gate = any(module is each.act for each, _ in confirmed.values())  # the gate's trial counts it
                saved += 0 if is_in_gate else per_element * observed.total[module]
                unused += [path] * (module not in observed.largest)
        becomes = "" if reason else proposal.swap.becomes
        rows.append((module, ConvertedModule(path, type(module).__name__, becomes, reason)))
    order = {module: number for number, module in enumerate(names)}
    rows.sort(key=lambda row: order[row[0]])
    report = Report(tuple(row for _, row in rows), len(names), tuple(already), modules=swapped)
    if observed is None:
        return report
    return Report(
        report.rows,
        report.looked_at,
        report.already,
        int(saved),
        observed.calls,
        observed.refused,
        tuple(unused),
        swapped,
    )


def revert(model: torch.nn.Module) -> Report:
    """Undo `convert`: each module gets its own method back.

    Args:
        model: The model, or a copy of it.

    Returns:
        The report: the modules that were reverted.

    Example:
        >>> actgrad.torch.revert(model)
    """
    require_module(model, "revert")
    swapped = swapping.methods(model)
    names = {module: name or "(the model itself)" for name, module in model.named_modules()}
    swapping.remove(swapped)
    rows = [ConvertedModule(names[each], type(each).__name__, type(each).__name__, "") for each, _ in swapped]
    return Report(tuple(rows), len(names), modules={names[each]: ref(each) for each, _ in swapped})


def require_module(model: Any, function: str) -> None:
    """Raise an error unless `model` is a module."""
    if not isinstance(model, torch.nn.Module):
        raise InvalidCall(
            f"actgrad.torch.{function}: model is {quote(model)}; it must be a torch.nn.Module; pass the module itself"
        )


def _overwritten(model: torch.nn.Module) -> set[torch.nn.Module]:
    """The modules in Sequentials whose result the next module overwrites."""
    chains = [list(_chain(module)) for module in model.modules() if isinstance(module, nn.Sequential)]
    return {first for chain in chains for first, then in pairwise(chain) if getattr(then, "inplace", False)}


def _chain(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    """The modules of nested Sequentials, in the order in which they are called."""
    if isinstance(module, nn.Sequential):
        for child in module:
            yield from _chain(child)
    else:
        yield module


def _confirmed(module: torch.nn.Module, proposal: Proposal, trial_of: dict[Any, trials.Trial]) -> trials.Trial:
    """The trial of a swap. Modules of one class with equal attributes and sizes share a trial."""
    key = (type(module), proposal.swap, *_attributes(module))
    if key not in trial_of:
        own = swapping.own(module, proposal.swap.name)
        inputs = proposal.inputs() or trials.points_for(module)
        trial_of[key] = trials.confirm(module, lambda x: own(module, x), lambda x: proposal.compute(module, x), inputs)
    return trial_of[key]


def _attributes(module: torch.nn.Module) -> tuple[Any, ...]:
    """What distinguishes modules of one class: plain attributes, and the classes, sizes and attributes of the parts."""
    simple = (bool, int, float, str, type(None), torch.dtype)
    found: list[Any] = []
    for each in module.modules():
        own = {name: value for name, value in vars(each).items() if not name.startswith("_")}
        values = [(name, value if isinstance(value, simple) else id(value)) for name, value in own.items()]
        parameters = [(name, p.shape, p.dtype, p.requires_grad) for name, p in each.named_parameters(recurse=False)]
        found.append((type(each), tuple(values), tuple(parameters)))
    return tuple(found)


class Observed(NamedTuple):
    """What a forward pass showed."""

    largest: dict[torch.nn.Module, tuple[int, torch.dtype]]  # the elements and the dtype of the largest call
    total: Counter[torch.nn.Module]  # the elements of all calls
    calls: Mapping[str, int]
    refused: Mapping[str, int]


def _observed(model: torch.nn.Module, inputs: Any, candidates: set[torch.nn.Module]) -> Observed:
    """Run a forward pass. The model stays as it is, and so do its gradients and the state of random numbers."""
    mode = patching.patched()
    observed = Observed({}, Counter(), mode.calls, mode.refusals)
    counts: list[tuple[Any, Counter[str], Counter[str]]] = []

    def before(module: Any, args: Any) -> None:
        if module in candidates:
            counts.append((module, mode.calls.copy(), mode.refusals.copy()))
            tensors = [each for each in args if isinstance(each, torch.Tensor)]
            size = (tensors[0].numel(), tensors[0].dtype) if tensors else (pays.USUAL, torch.float32)
            observed.total[module] += size[0]
            observed.largest[module] = max(observed.largest.get(module, size), size, key=lambda each: each[0])

    def after(module: Any, args: Any, result: Any) -> None:
        if module in candidates and counts and counts[-1][0] is module:
            _, calls, refusals = counts.pop()  # the module's own calls are no functional calls of the model
            for counter, earlier in ((mode.calls, calls), (mode.refusals, refusals)):
                counter.clear()
                counter.update(earlier)

    register = torch.nn.modules.module
    with torch.inference_mode(False), torch.enable_grad(), trials.preserved(model, copies_parameters=False):
        hooks = [
            register.register_module_forward_pre_hook(before),
            register.register_module_forward_hook(after, always_call=True),
        ]
        try:
            with mode:
                patching.call(model, patching.copied(inputs))
        finally:
            for hook in hooks:
                hook.remove()
    return observed


def _size(model: torch.nn.Module, module: torch.nn.Module, observed: Observed | None) -> tuple[float, torch.dtype]:
    """The elements and the dtype of a module's largest call, or the usual ones."""
    if observed is not None:
        return observed.largest.get(module, (0, torch.float32))
    floats = (p.dtype for p in model.parameters() if p.is_floating_point())
    return pays.USUAL, next(floats, torch.float32)


def _reason_to_leave(proposal: Proposal, elements: float, dtype: torch.dtype, per_element: float) -> str:
    if not elements:
        return "the forward pass did not call it"
    return pays.reason_to_leave(proposal.kernel, elements, dtype, per_element * elements)
