"""How an activation is applied to elements: alone or gated, forward or backward.

Each function below is what one kernel computes for one element: it takes the formulas, then the inputs, then the
attributes, and returns one value per output. Like a formula it is generic in its number type.
"""


def forward(function, x, *attributes):
    """y = f(x)"""
    return (function(x, *attributes),)


def backward(derivative, grad_output, x, *attributes):
    """The chain rule: grad_input = grad_output * f'(x)."""
    return (grad_output * derivative(x, *attributes),)


def gated_forward(function, active, other, *attributes):
    """out = f(active) * other, and f(active) itself, which the backward pass may be given."""
    activated = function(active, *attributes)
    return activated * other, activated


def gated_forward_alone(function, active, other, *attributes):
    """out = f(active) * other"""
    return (function(active, *attributes) * other,)


def gated_backward(function, derivative, grad_output, active, other, *attributes):
    """The gradients of the active and of the other half, f(active) computed anew."""
    return gated_backward_given(derivative, grad_output, active, other, function(active, *attributes), *attributes)


def gated_backward_given(derivative, grad_output, active, other, activated, *attributes):
    """The gradients of the active and of the other half, f(active) given.

    The derivative is bounded, so multiplying by it first overflows only where the gradient itself does.
    """
    return grad_output * derivative(active, *attributes) * other, grad_output * activated


def pair_forward(function, other, active, *attributes):
    """out = other * f(active), of two tensors. f(active) is nobody's result: the backward pass computes it anew."""
    return gated_forward_alone(function, active, other, *attributes)


def pair_backward(function, derivative, grad_output, other, active, *attributes):
    """The gradients of the other and of the active tensor."""
    of_active, of_other = gated_backward(function, derivative, grad_output, active, other, *attributes)
    return of_other, of_active


ELEMENTWISE = "elementwise"
GATED = "gated"  # the two factors are the halves of a packed tensor
GATED_PAIR = "gated pair"  # they are two tensors
