"""The Triton backend: it turns a formula into the text of a kernel, and Triton compiles the text for the GPU.

In the order of the data: `widening` converts storage dtypes, `text_emitter` computes, and `element` makes one function
of both. `grid` cuts a loop into tiles and writes the kernel around that function. `row_program` writes a kernel over
rows. `program` passes the text to Triton. `machines` and `device` describe the GPU. `launcher` combines all of these
into a kernel, and `graph` into a node of a compiled graph.
"""

from .graph import launch
from .launcher import prepare

__all__ = ["launch", "prepare"]
