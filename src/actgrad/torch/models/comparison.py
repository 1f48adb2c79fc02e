"""`report` measures a user's model before and after its conversion."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from ..conversion import PAYS, convert, require_module, revert
from ..derivatives import saving
from . import swapping, trials
from .outcome import Report
from .patching import call, copied
from .swapping import Methods

ROUNDS = 7


@dataclass(frozen=True)
class TrainingStep:
    """A training step, forward and backward, before and after the conversion, in eager mode or compiled."""

    seconds: tuple[float, float]  # medians of ROUNDS steps, which alternate
    ranges: tuple[tuple[float, float], tuple[float, float]]  # the fastest and the slowest of these steps, in seconds
    peak: tuple[int, int]  # peak memory of a step in bytes, without the memory that was in use before


@dataclass(frozen=True)
class ModelReport:
    """The numbers of `report`. `print` shows them as a table."""

    conversion: Report
    output: float  # the largest difference of the outputs, relative to the largest output
    gradient: float  # the same for the gradients of the parameters
    ways: Mapping[str, TrainingStep]  # keys: "eager", and "compiled"

    def __str__(self) -> str:
        lines = [str(self.conversion), ""]
        lines.append(f"largest difference, relative: output {self.output:.1e}, gradient {self.gradient:.1e}")
        for way, measured in self.ways.items():
            (before, after), (most, minimum) = measured.seconds, measured.peak
            first, second = (f"{fastest * 1e3:.2f}..{slowest * 1e3:.2f} ms" for fastest, slowest in measured.ranges)
            lines.append(
                f"training step, {way}: {before * 1e3:.2f} ms before ({first}), {after * 1e3:.2f} ms after ({second}), "
                f"ratio {after / before:.2f}; peak memory {most / 2**20:.1f} MiB before, {minimum / 2**20:.1f} MiB "
                f"after, ratio {minimum / max(most, 1):.2f}"
            )
        return "\n".join(lines)

    __repr__ = __str__


def report(
    model: torch.nn.Module, inputs: Any, *, compiled: bool = False, save: str = saving.AUTO, only: str = PAYS
) -> ModelReport:
    """Compare a model with itself after `convert`: values, time and memory of a training step.

    A step is a forward pass and the gradients of the sum of all outputs. Afterwards, the model is
    unchanged: its methods, parameters, buffers, gradients and mode. Both steps use the same random numbers.

    Args:
        model: The model, in training or evaluation mode.
        inputs: Its inputs, a tensor, a tuple of arguments, or a dict of arguments by name.
        compiled: Whether to measure the model with `torch.compile` too.
        save: The value of `save` for `convert`, "auto" or "input".
        only: The value of `only` for `convert`, "pays" or "all".

    Returns:
        The numbers: `conversion`, `output`, `gradient`, and `ways` with times and memory. `print` shows a table.

    Raises:
        RuntimeError: No output or no parameter requires grad.
        InvalidArgument: `save` is neither "auto" nor "input".

    Example:
        >>> print(actgrad.torch.report(model, x))
    """
    require_module(model, "report")
    with trials.preserved(model, copies_parameters=False):
        revert(model)
        conversion = convert(model, save=save, inputs=inputs, only=only)
        before: Methods = {}
        after = swapping.methods(model)
        both = [partial(_step, model, methods) for methods in (before, after)]
        values = [step(model, copied(inputs)) for step in both]
        ways = {"eager": _measured([partial(step, model) for step in both], inputs)}
        if compiled:
            ways["compiled"] = _measured([partial(step, torch.compile(model)) for step in both], inputs)
    output, gradient = (_difference(reference, result) for reference, result in zip(*values, strict=True))
    return ModelReport(conversion, output, gradient, ways)


def _become(model: torch.nn.Module, methods: Methods) -> None:
    """Let these methods be the only ones that are swapped."""
    swapping.remove(swapping.methods(model))
    swapping.restore(methods)


def _step(
    model: torch.nn.Module, methods: Methods, run: Any, inputs: Any
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """The outputs of a forward pass with these methods, and the gradients of their sum by the parameters."""
    _become(model, methods)
    torch.manual_seed(0)
    leaves = torch.utils._pytree.tree_leaves(call(run, inputs))
    outputs = [leaf for leaf in leaves if torch.is_tensor(leaf) and leaf.requires_grad]
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not parameters:
        raise RuntimeError("report: no parameter of the model requires grad; one must; call model.requires_grad_()")
    if not outputs:
        raise RuntimeError("report: no output of the model requires grad; one must; remove no_grad() and detach()")
    total = torch.stack([output.float().sum() for output in outputs]).sum()
    gradients = torch.autograd.grad(total, parameters, allow_unused=True)
    return [output.detach() for output in outputs], [gradient for gradient in gradients if gradient is not None]


def _difference(reference: list[torch.Tensor], result: list[torch.Tensor]) -> float:
    """The largest difference of tensors, relative to the largest number in `reference`."""
    largest = max(float(tensor.abs().max()) for tensor in reference)
    differences = [float((a.float() - b.float()).abs().max()) for a, b in zip(reference, result, strict=True)]
    return max(differences) / (largest or 1.0)


def _measured(both: Sequence[Callable[[Any], object]], inputs: Any) -> TrainingStep:
    """Times and memory of both steps. The steps alternate, so that other work on the machine affects both."""
    times: tuple[list[float], list[float]] = ([], [])
    for round_number in range(ROUNDS + 1):
        for step, durations in zip(both, times, strict=True):
            given = copied(inputs)
            start = time.perf_counter()
            step(given)
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            if round_number:  # the first round compiles
                durations.append(time.perf_counter() - start)
    before, after = both
    first, second = times
    medians = statistics.median(first), statistics.median(second)
    ranges = (min(first), max(first)), (min(second), max(second))
    peaks = _peak(partial(before, copied(inputs))), _peak(partial(after, copied(inputs)))
    return TrainingStep(medians, ranges, peaks)


def _peak(step: Callable[[], object]) -> int:
    """The peak memory of a step, without the memory that was in use before the step."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        step()
        return int(torch.cuda.max_memory_allocated() - before)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        step()
    events = [event for event in profile.profiler.kineto_results.events() if event.name() == "[memory]"]
    total = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        total += event.nbytes()
        most = max(most, total)
    return most
