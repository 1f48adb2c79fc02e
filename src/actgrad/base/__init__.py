"""Data about operators, and the ground for every floor above. It imports nothing of the package's other floors.

errors             the tree of exceptions
dtypes, products   the data types, and the chips with their rules
schema             the language of an operator's interface
definition         an operator as data, with `faults` that are found at once
access, rows       the parts of tensors that an element sees, and the statistics of its row. `scaled_rows` adds scales
loop               shapes and strides of a computation
computation        all that a backend is told, and the arithmetic of an element, which `element_formulas` selects
xp                 the functions that a formula may call
first_use, forks   guard imports and compilation, and locks over a fork
bounded_cache      the cache in memory
collection         a pause of garbage collection during imports
lazy_docstring     docstrings that are made when someone reads them
floating_point     the rounding
folders            the user's cache folder, and whether files are this user's alone
"""

import time

IMPORTED = time.time()  #: before the first module of this package: of files that change later, others are loaded
