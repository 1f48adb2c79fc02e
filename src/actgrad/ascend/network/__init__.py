"""Functions around the activations, which whole networks need: copies, arithmetic, sums, norms, convolutions.

Most compute with PyTorch, the others with NumPy, on arrays over the program's tensors. Only the C SDK has them.

functions/        the table: each function's name, parameters and checks, and the rule that computes it
function          a row of the table
checks/           what phase one checks
entry             a computation, its dtype by PyTorch's promotion, and the shape of its result
arrays            the memory of tensors as arrays of NumPy
comparisons       the dtype in which a tensor is compared with a number
pytorch           the memory of tensors as tensors of PyTorch, and PyTorch apart from the program's settings
rearrangement     slices, padding, repetition, other orders of elements
reductions        sums, means, extremes, variances and norms along dimensions
indices           gather, scatter, sort, search
matmul            matrix products
losses            losses and their gradients
norms             normalisations and their gradients
windows           convolution and pooling, and their gradients
attention         attention with a softmax, and its gradients
optimizers        steps of optimisers
randomness        random numbers and dropout
rules             all rules, by name
work              one call: phase one checks the arguments, phase two computes
single_operators  operators of the older interface, by their names in graphs
"""
