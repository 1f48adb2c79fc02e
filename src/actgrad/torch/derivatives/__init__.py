"""Derivatives of operators in PyTorch.

`derivations` chooses the kernels of a call's gradient, `partials` differentiates a formula where there is no kernel,
`dual` has the dual numbers for that, `statistics` those of rows.
"""
