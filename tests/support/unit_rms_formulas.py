"""Formulas and terms of x / sqrt(mean(x * x) + eps), and terms of its gradient."""

from actgrad.base.xp import rsqrt


def square(x, eps):
    """x * x"""
    return x * x


def inverse_root(squares, count, eps):
    """1 / sqrt(mean(x * x) + eps)"""
    return rsqrt(squares / count + eps)


def normalised(x, squares, count, scale, eps):
    """x / sqrt(mean(x * x) + eps)"""
    return x * scale


def square_of_x(grad, x, eps):
    """x * x"""
    return x * x


def product(grad, x, eps):
    """grad * x"""
    return grad * x


def inverse_root_of_sums(squares, products, count, eps):
    """1 / sqrt(mean(x * x) + eps)"""
    return inverse_root(squares, count, eps)
