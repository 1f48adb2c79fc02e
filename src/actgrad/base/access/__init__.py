"""Access: the parts of a call's tensors that one element sees.

An access object cuts every tensor into the parts that an element sees one element of each. Loops, checks, derivatives,
sharding and test cases ask it. Nothing else knows how a tensor is packed. `elementwise` has the questions and the plain
answers, `along`, `halves` and `bits` other kinds of access. `base.rows` has the access to statistics of rows.
`splitting` cuts tensors of any library, `access_loop` makes the loop over a call's tensors, and `unknown_sizes` serves
shape inference.
"""

from .along import Along
from .bits import Bits
from .elementwise import Access, Elementwise, Part
from .halves import Halves
from .splitting import join, split

__all__ = ["Access", "Along", "Bits", "Elementwise", "Halves", "Part", "join", "split"]
