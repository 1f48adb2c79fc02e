"""The checks of a call that hold without a chip, in stages: null -> dtype -> shape -> value. The first failure raises.

The checks follow from an operator's definition. Each check has a rule in words, for the documentation, and a test.
Tests read only metadata, never the elements of tensors.

check            a call and a check
law              the law in force, which may replace the operator's own checks
run              puts the checks of an operator in order and runs them
dtype_rules      rules on data types
shape_rules      rules on shapes and values
halves_rules     rules on the shapes of packed tensors
quantisation_rules   rules on the outputs and scales of quantisation
results          the dtype and the shapes of a call's results
documentation    texts for the documentation and for `help()`
docstrings       the docstring of an operator
"""

from .check import Call, Check
from .law import LawInForce
from .results import output_dtype, result_dtype, result_shapes
from .run import EARLY, checks_under, own_checks, run

__all__ = [
    "EARLY",
    "Call",
    "Check",
    "LawInForce",
    "checks_under",
    "output_dtype",
    "own_checks",
    "result_dtype",
    "result_shapes",
    "run",
]
