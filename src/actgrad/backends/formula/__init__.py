"""Formulas for the backends that emit code: accurate functions over a few primitives.

`primitives` defines the operations that a backend offers. `accurate` writes the functions of `xp` in these operations.
`coefficients` loads their constants from coefficients.json, and `cubics` makes tables of piecewise polynomials.
`tracing` has the values with which a backend runs a formula.
"""
