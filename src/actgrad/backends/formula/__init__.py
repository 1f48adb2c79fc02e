"""A formula as machine code computes it, for every backend that writes code.

`primitives` are the dozen operations that a backend offers, `accurate` the functions of `xp` over them, `cubics` tables
of piecewise polynomials, `coefficients` all their numbers, `tracing` the values that a formula is run with.
"""
