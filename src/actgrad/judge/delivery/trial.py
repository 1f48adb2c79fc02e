"""Judges all cases of a delivery. A state keeps the results.

A case is judged again if its files, its entry in the manifest, the options or the versions have changed. A rejected
case is also judged again if the outputs have changed that its diagnosis compared.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import numpy as np

import actgrad

from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError
from ...checks import law
from .. import cross_check, oracle, runner, state
from ..elements import Array
from ..files import operator_files, sizes
from ..files.sizes import UnreadableFile
from ..judging import judge
from ..power import weaknesses
from ..profiles import CANN
from ..report import svg
from ..report.text import json_value
from ..runner import Execute
from ..standards import STANDARDS, ULP
from ..verdict import Verdict
from . import manifest, reproduction
from .manifest import DeliveryCase, TensorFile

ACCEPTED, REJECTED, MISSING, WAIVED = "ACCEPTED", "REJECTED", "MISSING", "WAIVED"
_TIMES = 12  # the memory to judge a case, relative to the size of its tensors
Entry = dict[str, Any]  # the result of a case, as in report.json, and more for the page


def judge_case(
    folder: Path,
    case: DeliveryCase,
    options: Mapping[str, Any],
    before: Entry | None = None,
    outputs_before: Sequence[tuple[str, TensorFile]] = (),
) -> Entry:
    """The result of one case. `before` is the result of an earlier run, which is returned if nothing has changed.

    `outputs_before` are outputs of the cases before this one: a diagnosis looks for them in a stale output.
    """
    begin = time.monotonic()
    if options.get("operators"):
        operator_files.load_same(*options["operators"])
    entry = {"id": case.id, "operator": case.operator.name, "special": case.special, "kind": case.kind}
    hashes = {tensor.file: manifest.digest(folder / tensor.file) for tensor in case.inputs.values()}
    hashes |= {tensor.file: output_digest(folder, tensor) for tensor in case.outputs.values()}
    for tensor in case.inputs.values():
        if tensor.sha256 not in ("", hashes[tensor.file]):
            raise UnreadableFile(manifest.changed(folder / tensor.file))
    with ExitStack() as stack:
        product, rules = case.product or options["product"], options["rules"]
        if product or rules:
            stack.enter_context(law.slots.choosing(product, rules))
        key = _key(case, options, hashes)
        if before is not None and before.get("key") == key:
            compared = _compared(folder, before["verdict"], outputs_before)
            if compared == before["compared"]:
                return before
        try:
            entry |= _judged(folder, case, options, outputs_before)
        except ActgradError as error:
            raise UnreadableFile(f"{error}{_hint(folder, case)}") from error
    compared = _compared(folder, entry["verdict"], outputs_before)
    seconds = round(time.monotonic() - begin, 3)
    return {**entry, "hashes": hashes, "key": key, "compared": compared, "seconds": seconds}


def output_digest(folder: Path, output: TensorFile) -> str:
    """The digest of an output. A file that is too large for its shape is not read, because it is not judged either."""
    if output.shape is None:
        return manifest.digest(folder / output.file)
    itemsize = 16 if output.dtype is None else BY_NAME[output.dtype].itemsize
    return manifest.digest(folder / output.file, sizes.MOST_NPY_HEADER + itemsize * math.prod(output.shape))


def _key(case: DeliveryCase, options: Mapping[str, Any], hashes: Mapping[str, str]) -> str:
    """The digest of everything that the result depends on, except the outputs that a diagnosis compares."""
    in_force = law.current()
    baseline = Path(options["baseline"]) if options.get("baseline") else None
    facts = [
        actgrad.__version__,
        np.__version__,
        state.code_digest("**/*.py"),
        ["none", "operator"] if in_force is None else [*in_force.description.values()],  # of the environment, or chosen
        options,
        case.as_json(),
        hashes,
        [] if baseline is None else [output_digest(baseline, one) for one in case.outputs.values()],
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _compared(folder: Path, verdict: str, outputs_before: Sequence[tuple[str, TensorFile]]) -> list[str]:
    """The digests of the outputs that the diagnosis of a rejected case reads. Empty for an accepted case."""
    return [output_digest(folder, one) for _, one in outputs_before] if verdict == REJECTED else []


def _hint(folder: Path, case: DeliveryCase) -> str:
    """The end of an error about a case: how a manifest says that a file of integers has the bits of bfloat16."""
    for one in case.files:
        with suppress(UnreadableFile):
            if manifest.load(folder, one).dtype in (np.uint16, np.int16):
                return f'; if {one.file} has the bits of bfloat16, write "dtype": "bfloat16" for it'
    return ""


def _judged(
    folder: Path,
    case: DeliveryCase,
    options: Mapping[str, Any],
    outputs_before: Sequence[tuple[str, TensorFile]],
) -> Entry:
    operator = case.operator
    files = [case.inputs.get(name) for name in operator.schema.tensor_names]
    inputs = [None if one is None else manifest.load(folder, one) for one in files]
    planned = oracle.as_tuple(operator.plan(*inputs, backend="reference", **case.attributes).result)
    actual: list[Array] = []
    main, faults = inputs[operator.schema.tensor_names.index(operator.definition.main)], []
    dtype = planned[0].dtype.name if main is None else main.dtype.name
    for (name, one), result in zip(case.outputs.items(), planned, strict=True):
        if one.shape not in (None, result.shape):
            expected = f"it must be {result.shape}, the shape of the result"
            raise UnreadableFile(f"outputs: the shape of {name} is {one.shape}; {expected}; correct the manifest")
        sizes.refuse_large(folder / one.file, _TIMES * result.nbytes, "when it is judged")
        try:
            actual.append(manifest.load(folder, TensorFile(one.file, one.dtype or result.dtype.name, result.shape)))
        except UnreadableFile as fault:
            faults.append(f"{name}: {fault}")
    setting = {name: value for name, value in operator.defaults.items() if value is not None} | case.attributes
    tensors = dict(zip(operator.schema.tensor_names, inputs, strict=True))
    shapes = {n: {"dtype": a.dtype.name, "shape": list(a.shape)} for n, a in tensors.items() if a is not None}
    facts: Entry = {"attributes": json_value(setting), "inputs": shapes}
    if faults:
        missing: Entry = {"verdict": MISSING, "why": "; ".join(faults), "diagnosis": [], "power": {}, "worst": {}}
        return {**facts, "dtype": dtype, **missing}
    deciding, names = options["deciding"], options["measured"]

    def earlier() -> Iterator[tuple[str, Array]]:
        for name, one in outputs_before:
            with suppress(UnreadableFile):
                yield name, manifest.load(folder, one)

    verdict = judge(
        operator, case.attributes, inputs, actual,
        measured=names, deciding=deciding, strict=options["strict"], earlier=earlier,
        profile=options.get("profile") or CANN,
        baseline=_baseline(options, case, planned), level=options.get("level") or cross_check.LEVEL,
    )  # fmt: skip
    entry = {**facts, "dtype": dtype, **_entry(verdict)}
    others = [(n, a, r) for n, a, r in zip(case.outputs, actual, planned, strict=True) if a.dtype != r.dtype]
    for name, array, result in others:
        words = f"{name} is {array.dtype}, and the result is {result.dtype}: the limits of {array.dtype} apply"
        entry["warnings"] = [*entry["warnings"], words]
    if not verdict.holds:
        entry["reproduce"] = {"script": reproduction.script(case, verdict)}
    return entry


def _baseline(options: Mapping[str, Any], case: DeliveryCase, planned: Sequence[Array]) -> list[Array] | None:
    """The outputs of the second device."""
    if not options.get("baseline"):
        return None
    pairs = zip(case.outputs.values(), planned, strict=True)
    files = [TensorFile(one.file, one.dtype or result.dtype.name, result.shape) for one, result in pairs]
    return [manifest.load(Path(options["baseline"]), one) for one in files]


def _entry(verdict: Verdict) -> Entry:
    failing = max(verdict.outputs, key=lambda one: (any(o.is_broken for o in one.outcomes), one.failing))
    broken = verdict.sentences(lambda one: one.is_broken)
    exceeded = verdict.sentences(verdict.needs_warning)
    weak = weaknesses(verdict.power)
    ulps = [one.largest for one in verdict.outcomes if one.standard == ULP]
    worst: Entry = {"ulp": max(ulps, default=0.0)}
    if failing.worst:
        first = failing.worst[0]
        worst |= {"output": failing.name, "index": first.index, "inputs": dict(first.inputs)}
        worst |= {"actual": first.actual, "golden": first.golden, "ulp": first.ulps}
    by_standard: Counter[str] = Counter()
    for one in verdict.outcomes:
        by_standard[STANDARDS[one.standard].title] += one.over
    entry: Entry = {
        "verdict": ACCEPTED if verdict.holds else REJECTED,
        "why": "; ".join(broken) or "the standards that decide hold",
        "diagnosis": [d.mistake for d in verdict.diagnoses],
        "says": [d.says for d in verdict.diagnoses],
        "power": {mistake: "accepted" if mistake in weak else "rejected" for mistake in verdict.power},
        "power by standard": {mistake: dict(by_standard) for mistake, by_standard in verdict.power.items()},
        "worst": worst,
        "warnings": [] if broken else exceeded,
        "failing": verdict.failing,
        "elements": verdict.elements,
        "failing by standard": by_standard,
        "ranges": [(r.says, r.failing, r.elements) for r in verdict.ranges[:5]],
    }
    if not verdict.holds:
        entry["pictures"] = [svg.outline(failing.points[:, column], failing.points[:, 1]) for column in (0, 2)]
    document: Entry = json_value(entry)
    return document


# All cases


def judge_all(
    folder: Path, cases: Sequence[DeliveryCase], options: Mapping[str, Any], execute: Execute, state_file: Path | None
) -> Generator[Entry]:
    """Yield the results as they come. If the caller leaves the loop, the state keeps the results."""

    def execute_or_raise(function: Callable[[Any], Any], arguments: Iterable[Any]) -> Iterator[Any]:
        for name, entry in execute(function, arguments):
            if "error" in entry:
                raise UnreadableFile(f"{folder / manifest.NAME}: case {name!r}: {entry['error']}")
            yield name, entry

    real = Path(os.path.abspath(folder))  # a worker may have another working folder
    pairs = zip(cases, _outputs_before(cases), strict=True)
    tasks = [(case.id, (real, case, options, earlier)) for case, earlier in pairs]
    with state.opened(state_file) as kept, closing(runner.run(_guarded, tasks, execute_or_raise, kept)) as results:
        for _, entry in results:
            yield entry


def is_known_elsewhere(cases: Sequence[DeliveryCase], options: Mapping[str, Any]) -> bool:
    """Whether a new process knows all operators: it has actgrad's own, and those of --operators."""
    return bool(options["operators"]) or all(hasattr(actgrad, case.operator_name) for case in cases)


def _outputs_before(cases: Sequence[DeliveryCase]) -> Iterator[list[tuple[str, TensorFile]]]:
    """For each case, the outputs of the two cases before it, and of the two before it with its operator and dtype."""
    recent: dict[tuple[str, str | None], list[tuple[str, TensorFile]]] = {}
    for case in cases:
        files = [*case.outputs.values()]
        keys = [(case.operator.name, files[0].dtype), ("", files[0].dtype)]
        yield list(dict.fromkeys(pair for key in keys for pair in recent.get(key, ())))
        for key in keys:
            recent[key] = [*recent.get(key, ()), (case.id, files[0])][-2:]


def _guarded(argument: tuple[Any, ...], before: Entry | None) -> Entry:
    """The result of a case. If the call fails, the error is the result, because the call comes from another program."""
    folder, case, options, outputs_before = argument
    try:
        return judge_case(folder, case, options, before, outputs_before)
    except (ActgradError, OSError) as error:
        return {"id": case.id, "error": str(error) or type(error).__name__}
    except Exception as error:  # the type tells what the text of such an exception often lacks
        return {"id": case.id, "error": f"internal error: {type(error).__name__}: {error}"}
