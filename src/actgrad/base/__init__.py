"""Data about operators, and the ground for every floor above; imports nothing of the package's other floors.

`errors` is the tree of exceptions, `dtypes` the table of data types, `products` the chips and rules, `schema` the
language of an operator's interface, `definition` an operator as data, `faults` those of a definition. `access` has the
parts of tensors that an element sees, `rows` the statistics of its row, `loop` the shapes and strides of a computation,
`computation` all that a backend is told and the arithmetic of an element, which `element_formulas` selects.
`xp` has the functions that a formula may call. `first_use` guards imports and compilation, `forks` locks over a fork,
`bounded_cache` is the cache in memory, `floating_point` the rounding, and `folders` the user's cache folder: it tells
whether files are this user's alone.
"""

import time

IMPORTED = time.time()  #: before the first module of this package: of files that change later, others are loaded
