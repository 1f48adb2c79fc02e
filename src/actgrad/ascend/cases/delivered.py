"""The cases of a case file as a delivery, for an external program."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress

from ...base.errors import ActgradError
from ...judge.delivery.drawing import described, weaknesses_of
from ...judge.delivery.manifest import DeliveryCase
from ...judge.elements import Array
from . import execution
from .case_model import FileCase, NotRun


def of_file(cases: Iterable[FileCase], seed: int) -> Iterator[tuple[DeliveryCase, dict[str, Array]]]:
    """The cases of an ATK or a TTK file that actgrad can run and does not refuse."""
    for k, case in enumerate(cases):
        with suppress(NotRun, ActgradError):
            operator, attributes, tensors, outputs = execution.draw(case, seed + k)
            if case.expects_error or not all(isinstance(v, str) or math.isfinite(v) for v in attributes.values()):
                continue
            if operator.choices and type(number := attributes.get(str(operator.switch))) is int:
                attributes[str(operator.switch)] = operator.choices[number]
            by_name = dict(zip(operator.schema.tensor_names, tensors, strict=True))
            weak = weaknesses_of(operator, attributes, by_name)
            special = f"{case.name}: accepts {', '.join(weak)}" if weak else ""
            yield described(operator, f"{operator.name}-{k + 1:04}", attributes, by_name, outputs, special)
