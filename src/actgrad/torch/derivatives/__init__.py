"""Derivatives of operators in PyTorch.

`saving` chooses the tensors to save for backward, and `derivations` the kernels of a call's gradient. `partials`
differentiates a formula where there is no kernel, `statistics` does so for the parts that an element sees, and its row.
`dual` has the dual numbers for that.
"""
