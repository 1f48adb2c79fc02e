"""Finds the mistakes that explain failing elements.

sample      failing elements and others, computed again with other attributes, inputs or formulas
mistakes    mistakes in the arguments: branches, attributes, flags, inputs, factors
arithmetic  mistakes in the arithmetic: rounding, precision, subnormal numbers, cancellation
layout      elements that hold the results of others, and positions in tiles, tails, rows and columns
quantisation  scales, zero points, rows and groups of quantised results, and optional tensors that are ignored
forms       functions in another form: a clamped sigmoid, no maximum, sums in half precision
ranking     chooses the suspicions that explain the most failing elements
axis        the ranges of x where elements fail
"""
