"""The operators, one family a file. Importing a family registers it: a new one needs its name in this line."""

from . import elu, geglu, gelu, leaky_relu, selu  # noqa: F401  importing registers
