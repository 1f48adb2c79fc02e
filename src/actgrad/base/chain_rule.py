"""A kernel's arithmetic for one element.

These functions take the formulas, then the inputs' elements, then the attributes, and return one value per part of the
outputs. Like a formula they are generic in the number type.
"""

from __future__ import annotations


def forward(function, *arguments):
    """y = f(x, ...)"""
    return (function(*arguments),)


def forward_of_several(function, *arguments):
    """(y, z, ...) = f(x, ...)"""
    return function(*arguments)


def backward(derivative, grad_output, x, *attributes):
    """The chain rule: grad_input = grad_output * f'(x)."""
    return (grad_output * derivative(x, *attributes),)


def forward_of_two(function, *arguments):
    """The two results of a formula."""
    first, second = function(*arguments)
    return first, second


def backward_of_two(derivatives, grad_output, *arguments):
    """The chain rule for a formula of two elements; `derivatives` returns that by the first and that by the second."""
    by_first, by_second = derivatives(*arguments)
    return grad_output * by_first, grad_output * by_second


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
    """out = other * f(active), of two tensors. No result holds f(active): the backward pass computes it anew."""
    return gated_forward_alone(function, active, other, *attributes)


def pair_backward(function, derivative, grad_output, other, active, *attributes):
    """The gradients of the other and of the active tensor."""
    of_active, of_other = gated_backward(function, derivative, grad_output, active, other, *attributes)
    return of_other, of_active
