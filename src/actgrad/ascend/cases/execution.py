"""Computes a case of a file on one of our backends, and judges the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import ActgradError, BackendUnavailable
from ...calls.operator import Operator
from ...checks import law
from ...judge import backend_cases, oracle
from ...judge.backend_cases import BackendCase
from ...judge.elements import Array, is_judged
from ...judge.files.sizes import available_memory
from ...judge.profiles import CANN
from ...judge.standards import STANDARDS, ULP
from ...judge.verdict import Verdict
from .case_model import FileCase, NotRun, Tensor
from .interface import case_parameters

IN_FORCE = "mixed"  # the standard that decides if neither the command nor the case names a standard
_TIMES = 12  # memory that judging takes, relative to the size of the tensors


@dataclass(frozen=True)
class CaseOutcome:
    """The outcome of a case: a verdict, a refusal that the case expects, or the reason why it was not run."""

    case: FileCase
    verdict: Verdict | None
    reason_not_run: str = ""
    is_refused: bool = False  # whether the operator refused the call, as the case expects

    @property
    def holds(self) -> bool | None:
        """Whether the case passes. None if it was not run."""
        if self.verdict is None:
            return self.is_refused or None
        return self.verdict.holds and not self.case.expects_error

    @property
    def reason(self) -> str:
        """The reason why the case failed or was not run. "" if it passes."""
        verdict = self.verdict
        if verdict is None or self.holds:
            return self.reason_not_run
        if self.case.expects_error:
            return "the operator accepted the call; the case expects a refusal"
        broken = verdict.sentences(lambda outcome: outcome.is_broken)
        return "; ".join([*broken, *(d.says for d in verdict.diagnoses)])


def execute(
    case: FileCase,
    backend: str,
    names: Sequence[str] | None,
    seed: int,
    strict: bool = False,
    profile: str = CANN,
) -> CaseOutcome:
    """Run a case. `names` replace its standards. Raises only if the backend is missing. Other errors are outcomes."""
    try:
        return CaseOutcome(case, _run_case(case, backend, names, seed, strict, profile))
    except BackendUnavailable:
        raise
    except NotRun as why:
        return CaseOutcome(case, None, str(why))
    except ActgradError as error:  # the operator's own checks
        return CaseOutcome(case, None, f"refused: {error}", case.expects_error)


def draw(case: FileCase, seed: int) -> tuple[Operator, dict[str, Any], tuple[Array | None, ...], tuple[Array, ...]]:
    """The operator, the attributes, the inputs and the outputs of a case. The same seed gives the same numbers."""
    if case.problem:
        raise NotRun(case.problem)
    signature = case.signature
    assert signature is not None, "a case without a signature has a problem"
    operator = signature.operator
    _refuse_unfit(case)
    for parameter in case_parameters(signature):
        is_given = parameter.type == "Tensor" or parameter.argument in case.attributes
        if not is_given and operator.defaults[parameter.argument] is None:
            raise NotRun(f"{parameter.name} is missing; it has no default; add it to the case")
    rng = np.random.default_rng(seed if case.seed is None else case.seed)
    attributes = {**signature.fixed, **{name: scalar.number(name, rng) for name, scalar in case.attributes.items()}}
    names = operator.schema.tensor_names
    inputs = {name: case.inputs[name].drawn(name, rng) for name in names if name in case.inputs}
    for name, tensor in case.inputs.items():
        if tensor.is_result:
            inputs[name] = _result(operator, attributes, inputs, name, tensor)
    tensors = tuple(inputs.get(name) for name in names)
    return operator, attributes, tensors, _outputs(case, operator, attributes, tensors)


def _run_case(
    case: FileCase, backend: str, standard_names: Sequence[str] | None, seed: int, strict: bool, profile: str
) -> Verdict:
    operator, attributes, tensors, outputs = draw(case, seed)
    names, signature = operator.schema.tensor_names, case.signature
    assert signature is not None, "a case that was drawn has a signature"
    in_place = names.index(signature.parameters[0].argument) if signature.in_place else None
    dtype = outputs[0].dtype.name
    backend_case = BackendCase(operator, attributes, dtype, case.name, (), tensors, in_place=in_place, of_file=True)
    standards = list(standard_names or case.standards or (IN_FORCE,))
    is_defined = all(array.dtype.name in STANDARDS[name].limits for name in standards for array in outputs)
    if standard_names is None and not is_defined:
        standards.append(ULP)
    if strict and ULP not in standards:
        standards.append(ULP)
    verdict = backend_cases.compute_and_judge(backend_case, backend, outputs, standards, strict, None, profile)
    if not verdict.is_judged and verdict.repeat is None:
        raise NotRun(f"the dtype is {dtype}; {', '.join(standards)} must cover it; choose another standard")
    return replace(verdict, dtype=dtype, case=case.name)


def _refuse_unfit(case: FileCase) -> None:
    """Raise if tensors cannot be judged because of their dtype or their size."""
    tensors = (*case.inputs.items(), *case.outputs.items())
    for name, tensor in tensors:
        if not is_judged(tensor.dtype):
            raise NotRun(f"{name} is {tensor.dtype}; check judges real numbers; use another dtype")
    size, free = sum(tensor.nbytes for _, tensor in tensors), available_memory()
    if size > 1 << 62 or (free is not None and _TIMES * size > free):
        needed = f"judging needs {_TIMES} times as many, and {free or 0:,} are free"
        raise NotRun(f"the tensors take {size:,} bytes; {needed}; use smaller shapes")


def _result(
    operator: Operator, attributes: dict[str, Any], inputs: dict[str, Array], name: str, tensor: Tensor
) -> Array:
    """The forward pass's result for a tensor's own numbers or, if the tensor is optional, for the other input."""
    forward = operator.gradient_of
    if forward is None:
        raise NotRun(f"{name} is marked as a forward result; {operator.name} must be a gradient; remove the mark")
    is_value = name == operator.given_value
    input_names = forward.schema.tensor_names
    sources = [inputs[n] for n in input_names if n in inputs] if is_value else [inputs[name]]
    if len(sources) != len(input_names):
        raise NotRun(f"{name} is marked as a result of {forward.name}; its inputs must be in the case; add them")
    result = oracle.forward_results(operator, attributes, *sources)[is_value]
    if result.shape != tensor.shape or result.dtype.name != tensor.dtype:
        expected = f"{forward.name} returns {result.dtype.name} of shape {result.shape}"
        raise NotRun(f"{name} is {tensor.dtype} of shape {tensor.shape}; {expected}; correct the case")
    return result


def _outputs(
    case: FileCase, operator: Operator, attributes: dict[str, Any], inputs: tuple[Array | None, ...]
) -> tuple[Array, ...]:
    """New arrays for the outputs. An output that the case does not describe has the layout that the operator makes."""
    planned = oracle.as_tuple(operator.plan(*inputs, backend="reference", **attributes).result)
    outputs = tuple(
        case.outputs[name].empty(name) if name in case.outputs else np.empty_like(array)
        for name, array in zip(operator.schema.outputs, planned, strict=True)
    )
    if law.is_any_in_force():  # further rules apply to a call with outputs
        operator.plan(*inputs, out=outputs[0] if len(outputs) == 1 else outputs, backend="reference", **attributes)
    return outputs
