"""Derivatives of operators in PyTorch.

`saving` chooses the tensors to save for backward, and `derivations` the kernels of a call's gradient. If no kernel
exists, `partials` differentiates the formula of an element, and `statistics` differentiates a formula that uses
statistics of rows. Both compute with the dual numbers of `dual`.

`products` computes second and third derivatives by kernels, whose formulas `closed_forms` has.
"""
