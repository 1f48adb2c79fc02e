"""The CPU backend: a formula becomes vector IR, that becomes machine code, and loops of any layout call it.

In the order of the data: `storage` widens what lies in memory, `vectors` computes, `rows` puts a loop around it,
`tiling` decides how a whole loop is cut into rows, `driver` walks it on the `threads` there are, `launch` is the door
from Python, `engine` compiles and keeps. `target` says for which processor.
"""

from .engine import prepare

__all__ = ["prepare"]
