"""The operators around the activations without which no program ends: copies, fills, arithmetic, sums.

Plain NumPy over arrays on the program's tensors. clients.txt has their prototypes. They are in the C SDK alone.

promotion         PyTorch's promotion of dtypes
rule              a computation, and the shape of its result
rearrangement     slices, padding, repeated elements
indices           gathered, scattered, sorted, found elements
matmul            products of matrices
losses            losses and their gradients
norms             normalisations and their gradients
windows           convolution and pooling, and their gradients
attention         attention with a softmax, and its gradients
optimizers        steps of optimisers
randomness        random numbers and dropout
rules             all computations, which clients.txt names
work              one call: its arguments, checked by phase one and computed by phase two
single_operators  operators of the older interface, by their names in graphs
"""
