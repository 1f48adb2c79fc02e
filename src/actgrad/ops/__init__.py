"""The operators, one family a file. Importing a family registers it: a new one needs its name in this line."""

from . import elu, geglu, gelu, hardswish, leaky_relu, prelu, relu, selu, sigmoid, silu, swiglu  # noqa: F401  importing registers
