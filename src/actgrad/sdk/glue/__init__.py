"""The operators around the activations without which no program ends: copies, fills, arithmetic, sums.

Plain NumPy over arrays on the program's tensors. clients.txt has their prototypes; they are in the C SDK alone.

promotion         PyTorch's promotion of dtypes
rules             the computations, which clients.txt names
work              one call: its arguments, checked by phase one and computed by phase two
single_operators  operators of the older interface, by their names in graphs
"""
