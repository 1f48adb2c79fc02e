"""`actgrad check`: results of any program judged by the acceptance standards of operators for Ascend.

judging        `judge`: from operator, attributes, inputs and actual outputs to a verdict
verdict        the verdict as data, and the decision about all verdicts
elements       a call element by element
golden         the exact values of a call, and of an operator's outputs
oracle         the error measure, inputs and attributes to try
error_bounds   the errors that rounding explains
standards      the acceptance standards
power          wrong outputs that a case would accept
measurement    the elements of a call measured, on all cores
backend_cases  the calls that our own backends are tried on
gradient_check gradient operators against their forward operators
diagnosis/     the mistakes that failing elements look like
files/         tensors from files
casefiles/     test cases of ATK and TTK
exhaustive/    every number of a dtype
report/        verdicts for a terminal, as a page, as JSON
"""

from .judging import judge
from .verdict import Diagnosis, Verdict

__all__ = ["Diagnosis", "Verdict", "judge"]
