"""Access: which numbers of a call's tensors the formula reads for one element of the result.

An access object cuts every tensor into parts, for example a packed tensor into two halves. For one element of the
result, the formula reads one number of each part. Loops, checks, derivatives, sharding and test cases call the methods
of the access object, and no other code knows how a tensor is packed. `elementwise` has all methods, for tensors that
are not packed. `along`, `halves` and `bits` have other kinds of access, and `base.rows` has the access to statistics of
rows. `splitting` cuts tensors of any library, `access_loop` makes the loop over a call's tensors, and `unknown_sizes`
infers shapes.
"""

from .along import Along
from .bits import Bits
from .elementwise import Access, Elementwise, Part
from .halves import Halves
from .splitting import join, split

__all__ = ["Access", "Along", "Bits", "Elementwise", "Halves", "Part", "join", "split"]
