"""The Triton backend: a formula becomes the text of a kernel, and Triton compiles the text for the GPU at hand.

In the order of the data: `widening` converts storage dtypes, `text_emitter` computes, `element` makes one function of
both. `grid` cuts a loop into tiles and writes the kernel around that function, `row_program` writes one over rows.
`program` gives the text to Triton, `machines` and `device` describe the GPU. `launcher` makes a kernel of all that,
`graph` a node of a compiled graph.
"""

from .graph import launch
from .launcher import prepare

__all__ = ["launch", "prepare"]
