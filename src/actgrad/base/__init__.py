"""Data about operators, and what every floor above needs; imports nothing of the package's other floors.

`errors` is the tree of exceptions, `dtypes` the table of data types, `products` the chips and rules, `schema` the
language of an operator's interface, `access` what an element sees of its tensors, `loop` shapes and strides of what is
computed, `computation` all that a backend is told, `xp` the functions that a formula may call. `first_use` guards
imports and compilation, `forks` locks over a fork, `floating_point` the rounding, `folders` the user's cache folder.
"""
