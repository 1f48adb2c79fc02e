"""The mistake that failing elements look like.

sample      failing elements and others, computed again with other attributes, inputs or formulas
mistakes    mistakes in the arguments: branches, attributes, flags, inputs, factors
arithmetic  mistakes in the arithmetic: rounding, precision, subnormal numbers, cancelling terms
layout      elements that hold others' results, and positions in tiles, tails, rows and columns
forms       functions in another form: a clamped sigmoid, no maximum, sums in half precision
ranking     the suspicions that explain the most failing elements
axis        the ranges of x where elements fail
"""
