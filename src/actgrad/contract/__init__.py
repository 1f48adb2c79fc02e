"""The checks of a call, as data, in stages: null -> product -> dtype -> shape -> value. The first broken check wins.

They follow from an operator's definition. Each says in words what must hold, for the documentation, and tests a call,
which is metadata only: no check looks at an element.

check            a call and a check
kinds            puts an operator's checks in order and runs them
dtype_rules, shape_rules, halves_rules, quantisation_rules   the rules
stages           rules of one stage or product
results          the dtype and the shapes of a call's results
validation       the faults of a definition: `formula_faults` finds faults of formulas with the numbers of `traced`,
                 `call_faults` finds faults that sample calls show
documentation    the texts that documents and help share
docstrings       the docstrings of an operator
"""

from .check import Call, Check, Origin, Ruleset, When
from .dtype_rules import allowed_dtypes
from .kinds import EARLY, VALUES, checks_of, run
from .results import output_dtype, result_dtype, result_shapes
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
    "output_dtype",
    "result_dtype",
    "result_shapes",
    "run",
    "validate",
]
