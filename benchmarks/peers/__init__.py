"""Peers: other libraries that can be called in place of actgrad. Each says why it has nothing to offer for a call.

`peer` is what a peer is, `table` lists them. `aten` are PyTorch's own operators, as they are, compiled, or replaced by
FlagGems; `composition` is GeGLU and formulas as code of PyTorch, NumPy and JAX; `liger` is Liger-Kernel.
"""
