"""Formulas for the backends that emit code: accurate functions over a few primitives.

`primitives` defines the operations that a backend offers. `accurate` has the functions of `xp`, written in them.
`coefficients` loads their constants from coefficients.json; `cubics` makes tables of piecewise polynomials. `tracing`
has the values that backends run a formula with.
"""
