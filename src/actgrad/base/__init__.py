"""Data about operators, which all other folders use. This folder imports no other folder of the package.

errors             the exceptions
dtypes             the data types
products           the chips, and the choice of the chip whose rules apply
schema             the language of an operator's interface
records            immutable objects with named fields
definition         an operator as data
torch_names        parses the names of an operator in actgrad.torch
access             which elements of the tensors a formula gets
rows, scaled_rows  the access to statistics of rows, and to scales as well
loop               the shape and the strides of a computation
computation        everything that a backend gets to compute a call, and the arithmetic of one element
element_formulas   chooses the arithmetic and the formulas of a call
xp                 the functions that a formula may call
first_use          runs imports and compilation in one thread at a time
forks              locks that are free in a child process after a fork
bounded_cache      a dictionary with a limit
collection         pauses Python's garbage collector during imports
lazy_docstring     docstrings that are written when someone reads them
floating_point     sets the default rounding of floating-point numbers
folders            the user's cache folder, and the check that only this user may write to a file
"""

import time

#: The time of the first import of this package. Python has loaded an older version of a file that changed later.
IMPORTED = time.time()
