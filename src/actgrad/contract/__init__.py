"""The checks of a call, as data: stage by stage, null -> product -> dtype -> shape -> value; the first broken one wins.

They follow from an operator's schema and limits. Each says in words what must hold, for the documentation, and tests
a call, which is metadata only: no check looks at an element.
"""

from .check import EARLY, Call, Check, Origin, Terms, When, run
from .dtype_rules import allowed_dtypes
from .kinds import VALUES, of
from .results import result_dtype, result_shapes

__all__ = [
    "EARLY",
    "VALUES",
    "Call",
    "Check",
    "Origin",
    "Terms",
    "When",
    "allowed_dtypes",
    "of",
    "result_dtype",
    "result_shapes",
    "run",
]
