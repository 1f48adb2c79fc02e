"""`actgrad check` applies the acceptance standards of Ascend operators to the results of any program.

judging        `judge` returns the verdict on a call and its actual outputs
verdict        the verdict as data, and the decision about all verdicts
elements       the elements of a call as flat arrays
golden         the exact values of a call
oracle         errors in ULP, and inputs and attributes for tests
error_bounds   the errors that rounding explains
standards      the acceptance standards
profiles       what counts at infinities and where a formula jumps
cross_check    compares the errors with those of a second device
waivers        failures that somebody has accepted for a time
power          whether a test case would accept wrong outputs
measurement    measures the errors of all elements, on all cores
backend_cases  test cases for actgrad's own backends
check_command  `actgrad check`
gradient_check compares gradient operators with difference quotients of their forward operators
diagnosis/     finds the mistake that explains failing elements
state          results in an SQLite database, so that an interrupted run can continue
runner         runs the tasks of a long check in threads or processes, and keeps their results
workers        worker processes
cluster        tasks on a Dask cluster
files/         reads tensors from files
delivery/      a folder of inputs for an external program, and the check of its outputs
exhaustive/    checks every number of a dtype
kernels/       runs an Ascend C kernel on drawn cases, and judges faults and numbers
report/        verdicts as text, as HTML and as JSON
"""

from .judging import judge
from .standards import bound
from .verdict import Diagnosis, Verdict

__all__ = ["Diagnosis", "Verdict", "bound", "judge"]
