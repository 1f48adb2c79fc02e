"""The Triton backend: a formula becomes the text of a kernel, and Triton makes machine code of it for the GPU at hand.

In the order of the data: `storage` widens what lies in memory, `values` computes, `element` is both as one function of
text, `walk` decides how a loop is cut into tiles and puts the text of a kernel around that function. `program` gives
the text to Triton, which compiles it for a `device` or interprets it on the CPU; `engine` makes a kernel of all that,
`graph` a node for those who compile it themselves.
"""

from .graph import launch
from .launcher import prepare

__all__ = ["launch", "prepare"]
