"""The functions around the activations in NumPy: the oracle of the functions that compute with PyTorch.

`rules.RULES` has a function of arrays, numbers and flags for each rule that the package computes with PyTorch. Tests
call it on float64 and int64 arrays, so that naive sums are exact enough.
"""
