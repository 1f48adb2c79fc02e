"""The CPU backend: a formula becomes vector IR, that becomes machine code, and loops of any layout call it.

In the order of the data: `storage` widens what lies in memory, `vectors` computes, `rows` puts a loop around it,
`tiling` decides how a whole loop is cut into rows, `driver` walks it on the `threads` there are, with `staging` where
rows are not contiguous. `engine` compiles, and keeps machine code on disk by `objects`. `target` says for which
processor, `flow` helps to write control flow.
"""

from .engine import prepare

__all__ = ["prepare"]
