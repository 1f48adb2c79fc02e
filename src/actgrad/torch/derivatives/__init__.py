"""Derivatives of operators in PyTorch.

`saving` chooses the tensors to save for backward, and `derivations` the kernels of a call's gradient. If no kernel
exists, `partials` differentiates the formula. `statistics` does so for an element that uses statistics of its row.
`dual` has the dual numbers for both.
"""
