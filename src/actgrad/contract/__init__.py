"""The checks of a call, in stages: null -> product -> dtype -> shape -> value. The first failure raises.

The checks follow from an operator's definition. Each check has a rule in words, for the documentation, and a test.
Tests read only metadata, never the elements of tensors.

check            a call and a check
kinds            puts the checks of an operator in order and runs them
dtype_rules      rules on data types
shape_rules      rules on pointers, products, formats, shapes and values
halves_rules     rules on the shapes of packed tensors
quantisation_rules   rules on the outputs and scales of quantisation
stages           limits rules to a stage, to products or to nonempty tensors
results          the dtype and the shapes of a call's results
documentation    texts for the documentation and for `help()`
docstrings       the docstring of an operator
"""

from .check import Call, Check, Origin, Ruleset, When
from .dtype_rules import allowed_dtypes
from .kinds import EARLY, VALUES, checks_of, run
from .results import output_dtype, result_dtype, result_shapes

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
]
