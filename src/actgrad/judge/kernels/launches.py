"""Runs a kernel on the drawn cases of its operator, and judges the outputs.

Every output is filled with numbers that no call computes before a run, so an element that the kernel does not write is
wrong. A run that ends with a crash or without an end is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from ...backends import cores
from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError, either
from ...calls.operator import Operator
from ...checks import law
from ...kernel import Kernel, RunReport, Tiling, TilingError, TilingResult
from .. import backend_cases, oracle
from ..delivery import drawing
from ..elements import Array, case_dtypes
from ..judging import judge
from ..verdict import Verdict
from .fixed_tiling import FixedTiling, TilingCase
from .project import Attribute, KernelParameter, Project

AHEAD = 32  # cases whose kernels compile together
LARGE = (257, 1031)  # more elements than a block's buffers hold, so that a kernel works on several tiles
#: Faults after which the numbers say nothing, because the kernel did not end.
ENDINGS = ("crash", "timeout", "deadlock")
_C_TYPES = {
    "float32": "float", "float16": "half", "bfloat16": "bfloat16_t", "float64": "double", "bool": "bool",
    **{f"{kind}{bits}": f"{kind}{bits}_t" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    "float8_e5m2": "fp8_e5m2_t", "float8_e4m3fn": "fp8_e4m3fn_t",
}  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """How the kernel is compiled and run."""

    defines: Mapping[str, object] = field(default_factory=dict)
    include: Sequence[Path] = ()
    blocks: int = 8
    tiling: FixedTiling | None = None  # without a tiling function
    struct: str | None = None
    key: int | None = None
    workspace: int = 0
    timeout: float = 60.0
    assumptions: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False


@dataclass(frozen=True)
class Case:
    """A call of the operator."""

    name: str
    dtype: str
    attributes: dict[str, Any]
    inputs: dict[str, Array | None]  # by the names of the schema
    outputs: dict[str, Array]

    def __str__(self) -> str:
        shape = next(array.shape for array in self.inputs.values() if array is not None)
        return f"{self.name}, {self.dtype}, {'x'.join(map(str, shape)) or 'no dimension'}"


@dataclass(frozen=True)
class CaseRun:
    """What became of a case."""

    case: str
    entry: str  # the kernel function, with its template arguments
    key: int
    blocks: int
    report: RunReport | None = None  # None if the tiling function refused the case
    verdict: Verdict | None = None  # None if the kernel did not end
    refusal: str = ""

    @property
    def is_ended(self) -> bool:
        return self.report is None or all(fault.kind not in ENDINGS for fault in self.report.faults)


def in_force(operator: Operator, product: str) -> Any:
    """A context in which the product's rules apply, if CANN has the operator on this product."""
    if law.slots is None:
        return nullcontext()
    return law.slots.choosing(product) if product in operator.law.product_names else nullcontext()


def dtypes(project: Project, chosen: Sequence[str] | None) -> list[str]:
    """The dtypes to check: the chosen ones, those of the project's definition, or float32."""
    operator = project.operator
    allowed = case_dtypes(operator)
    wanted = chosen or project.dtypes or ["float32"]
    found = [name for name in wanted if name in allowed and name in _C_TYPES]
    lacking = [name for name in chosen or () if name not in found]
    if lacking or not found:
        raise ActgradError(
            f"{operator.name}: does not take {either(lacking or wanted)}; it takes {either(allowed)}; change --dtypes"
        )
    unknown = [name for name in found if project.dtypes and name not in project.dtypes]
    if unknown:
        raise ActgradError(
            f"{project.definition}: is not defined for {either(unknown)}; it is defined for {either(project.dtypes)}; "
            "change --dtypes"
        )
    return found


def cases(operator: Operator, names: Sequence[str], number: int, seed: int) -> Iterator[Case]:
    """The cases of `actgrad cases`, and for each dtype a large one. The same seed draws the same cases."""
    large = (_large(operator, dtype, seed) for dtype in names)
    return chain((_drawn(operator, *pair) for pair in drawing.draw(operator, names, number, seed)), large)


def _drawn(operator: Operator, case: Any, tensors: Mapping[str, Array]) -> Case:
    outputs = {name: np.empty(one.shape, BY_NAME[one.dtype].numpy) for name, one in case.outputs.items()}
    inputs = {name: tensors.get(name) for name in operator.schema.tensor_names}
    dtype = case.inputs[operator.definition.main].dtype
    name = f"{case.id} ({case.special})" if case.special else case.id
    return Case(name, dtype, case.attributes, inputs, outputs)


def _large(operator: Operator, dtype: str, seed: int) -> Case:
    rng = np.random.default_rng((seed, *b"large", *dtype.encode()))
    attributes = oracle.attributes_for(operator, oracle.attribute_cases(operator, law.current())[0], dtype)
    if dim := operator.access.dimension_attribute:
        attributes[dim] = -1

    def numbers() -> Array:
        return backend_cases.numbers(dtype, LARGE[0] * LARGE[1], rng).reshape(LARGE)

    x = backend_cases.as_result(operator, attributes, numbers())
    tensors = backend_cases.with_value(operator, attributes, oracle.paired(operator, attributes, x, numbers))
    given = {name: value for name, value in attributes.items() if value is not None}
    planned = oracle.as_tuple(operator.plan(*tensors.values(), backend="reference", **given).result)
    outputs = {n: np.empty(a.shape, a.dtype) for n, a in zip(operator.schema.outputs, planned, strict=True)}
    return Case(f"{operator.name}-large", dtype, given, dict(tensors), outputs)


@dataclass(frozen=True)
class CaseLaunch:
    """A case, ready to run: the kernel's arguments, its tiling, and which instance of the kernel runs."""

    case: Case
    arrays: dict[str, Array | None]  # by the names of the project; None if an optional tensor is absent
    tiling: TilingResult | None = None  # None if the tiling function refuses the case
    entry: str = ""
    defines: Mapping[str, object] = field(default_factory=dict)
    refusal: str = ""

    @property
    def instance(self) -> tuple[str, ...]:
        """Equal for two launches of one compiled kernel."""
        return self.entry, *(f"{name}={value}" for name, value in self.defines.items())


class Runner:
    """Runs a project's kernel. Each instance of the kernel compiles once."""

    def __init__(self, project: Project, settings: Settings) -> None:
        self.project, self.settings = project, settings
        self._kernels: dict[tuple[str, ...], Kernel] = {}
        self._earlier: list[tuple[str, Array]] = []
        include = (*project.include, *settings.include)
        self._include = tuple(dict.fromkeys(include))
        self._host = None
        if project.host is not None and settings.tiling is None:
            self._host = Tiling(project.host, product=project.product, include=self._include, defines=settings.defines)

    def prepare(self, case: Case) -> CaseLaunch:
        """Allocate the kernel's arguments, and run the tiling function."""
        project = self.project
        arrays: dict[str, Array | None] = {}
        for one in project.inputs:
            given = case.inputs.get(one.tensor)
            arrays[one.name] = None if given is None else _read_only(given)
        for one in project.outputs:
            given = case.outputs.get(one.tensor)
            arrays[one.name] = None if given is None else _unwritten(given)
        try:
            tiling = self._tiling(case, arrays)
        except TilingError as error:
            return CaseLaunch(case, arrays, refusal=str(error))
        is_template = bool(tiling.instance) and "<" not in project.entry
        entry = f"{project.entry}<{', '.join(tiling.instance)}>" if is_template else project.entry
        return CaseLaunch(case, arrays, tiling, entry, self._defines(case))

    def compile(self, launches: Sequence[CaseLaunch], pool: Executor) -> None:
        """Compile the instances of these launches that are new, at the same time."""

        def compiled(launch: CaseLaunch) -> Kernel:
            project = self.project
            return Kernel(
                project.kernel, launch.entry, product=project.product, defines=launch.defines, include=self._include
            )

        wanted = {launch.instance: launch for launch in launches if launch.tiling is not None}
        new = {instance: launch for instance, launch in wanted.items() if instance not in self._kernels}
        self._kernels.update(zip(new, pool.map(compiled, new.values()), strict=True))

    def run(self, launch: CaseLaunch) -> CaseRun:
        """Run the kernel on a case and judge the outputs."""
        project, settings = self.project, self.settings
        case, arrays, tiling = launch.case, launch.arrays, launch.tiling
        if tiling is None:
            return CaseRun(str(case), project.entry, 0, 0, refusal=launch.refusal)
        report = self._kernels[launch.instance].run(
            *(arrays[name] for name in project.order),
            workspace=tiling.workspace, tiling=tiling.data, tiling_struct=settings.struct or project.struct(tiling.key),
            tiling_key=tiling.key, blocks=tiling.blocks, timeout=settings.timeout, assumptions=settings.assumptions,
        )  # fmt: skip
        case_run = CaseRun(str(case), launch.entry, tiling.key, tiling.blocks, report)
        return replace(case_run, verdict=self._verdict(case, arrays)) if case_run.is_ended else case_run

    def _tiling(self, case: Case, arrays: Mapping[str, Array | None]) -> TilingResult:
        """The tiling of a case, from the tiling function or from what the caller gave."""
        project, settings = self.project, self.settings
        if self._host is not None:
            inputs = [arrays[one.name] for one in project.inputs]
            outputs = [_or_empty(arrays[one.name], self._dtype_of(one, case)) for one in project.outputs]
            attributes = [_attribute(one, case, project.operator) for one in project.attributes]
            return self._host.run(inputs, outputs, attributes, operator=project.definition or None)
        data: Any = None
        if settings.tiling is not None:
            given = {name: array for name, array in case.inputs.items() if array is not None}
            attributes_of_case = {**project.operator.defaults, **case.attributes}
            data = settings.tiling(TilingCase(given, case.outputs, attributes_of_case, settings.blocks))
        if isinstance(data, TilingResult):
            return data
        return TilingResult(data, settings.key or 0, settings.blocks, settings.workspace, (), "")

    def _defines(self, case: Case) -> dict[str, object]:
        """The macros of the kernel: the C++ type of each parameter, and those that the caller gave."""
        macros = {
            f"DTYPE_{one.name.upper()}": _C_TYPES[self._dtype_of(one, case)]
            for one in (*self.project.inputs, *self.project.outputs)
        }
        macros |= {
            f"DTYPE_{one.tensor.upper()}": macros[f"DTYPE_{one.name.upper()}"]
            for one in (*self.project.inputs, *self.project.outputs)
            if one.tensor
        }
        return {**macros, **self.settings.defines}

    def _dtype_of(self, one: KernelParameter, case: Case) -> str:
        """The dtype of a parameter, also of an optional tensor that the case leaves out."""
        array = case.inputs.get(one.tensor)
        array = case.outputs.get(one.tensor) if array is None else array
        if array is not None:
            return array.dtype.name
        main = next((each for each in self.project.inputs if each.tensor == self.project.operator.definition.main), one)
        with suppress(ValueError, IndexError):
            return one.dtypes[main.dtypes.index(case.dtype)] or case.dtype
        return case.dtype

    def _verdict(self, case: Case, arrays: Mapping[str, Array | None]) -> Verdict:
        operator = self.project.operator
        actual = {one.tensor: arrays[one.name] for one in self.project.outputs}
        inputs = [case.inputs[name] for name in operator.schema.tensor_names]
        outputs = [actual.get(name) for name in operator.schema.outputs]
        earlier = tuple(self._earlier)
        verdict = judge(
            operator, case.attributes, inputs, outputs, strict=self.settings.strict, with_power=False,
            earlier=lambda: earlier,
        )  # fmt: skip
        first = next(array for array in outputs if array is not None)
        self._earlier = [*self._earlier[-1:], (case.name, first)]
        return replace(verdict, dtype=case.dtype, case=str(case))


def _read_only(array: Array) -> Array:
    """A contiguous view or copy of an input, which the kernel must not change."""
    result = np.ascontiguousarray(array).reshape(array.shape).view()
    result.flags.writeable = False
    return result


def _unwritten(array: Array) -> Array:
    """An output like this one, with numbers that no call computes."""
    result = np.empty_like(array)
    backend_cases.garbage(result)
    return result


def _or_empty(array: Array | None, dtype: str) -> Array:
    return np.empty(0, BY_NAME[dtype].numpy) if array is None else array


def run_all(
    project: Project, settings: Settings, listed: Iterator[Case], advance: Callable[[int], None]
) -> Iterator[CaseRun]:
    """Run all cases. After a case whose kernel did not end, no further one is run: it would not end either."""
    runner = Runner(project, settings)
    with ThreadPoolExecutor(cores()) as pool:
        while launches := [runner.prepare(case) for case in islice(listed, AHEAD)]:
            runner.compile(launches, pool)
            for launch in launches:
                case_run = runner.run(launch)
                yield case_run
                advance(1)
                if not case_run.is_ended:
                    return


def _attribute(one: Attribute, case: Case, operator: Operator) -> Any:
    """The value of an attribute for the tiling function, in the type of the project's definition."""
    if not one.attribute:
        return [] if one.default is None and one.type.startswith("list") else one.default
    value = case.attributes.get(one.attribute, operator.defaults.get(one.attribute))
    if one.type == "int" and isinstance(value, str) and value in operator.choices:
        return operator.choices.index(value)
    if one.type == "string" and isinstance(value, int):
        return operator.choices[value]
    if one.type.startswith("list") and isinstance(value, int | float):  # one dimension, for an attribute of several
        return [value]
    is_scalar = operator.schema.attributes_by_name[one.attribute].type == "Scalar"
    return float(value) if one.type == "float" or (not one.type and is_scalar) else value
