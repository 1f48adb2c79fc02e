"""The functions around the activations in NumPy: the second oracle of the functions that compute with PyTorch.

Tests call these on float64 and int64 arrays, so that naive sums are exact enough.
"""
