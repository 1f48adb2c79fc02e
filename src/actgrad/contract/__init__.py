"""The checks of a call, as data: stage by stage, null -> product -> dtype -> shape -> value; the first broken one wins.

They follow from an operator's definition. Each says in words what must hold, for the documentation, and tests a call,
which is metadata only: no check looks at an element. `check` says what a call and a check are, `kinds` puts an
operator's checks in order and runs them; `dtype_rules`, `shape_rules` and `halves_rules` are the rules, and `stages`
has those of one stage or product. `results` has the dtype and the shapes of a call's results, `validation` the faults
of a definition: `formula_faults` finds those of formulas with the numbers of `traced`, `call_faults` those that sample
calls show. `documentation` has the texts that documents and help share, `docstrings` the docstrings of an operator.
"""

from .check import Call, Check, Origin, Ruleset, When
from .dtype_rules import allowed_dtypes
from .kinds import EARLY, VALUES, checks_of, run
from .results import result_dtype, result_shapes
from .validation import validate

__all__ = [
    "EARLY",
    "VALUES",
    "Call",
    "Check",
    "Origin",
    "Ruleset",
    "When",
    "allowed_dtypes",
    "checks_of",
    "result_dtype",
    "result_shapes",
    "run",
    "validate",
]
