"""The operators, one family a file. Importing a family registers it: a new one needs one more name in this line."""

from . import elu, geglu, gelu, leaky_relu, selu

__all__ = ["elu", "geglu", "gelu", "leaky_relu", "selu"]
