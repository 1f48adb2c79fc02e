"""The operators that `actgrad` exports. The stub next to this file is for type checkers and editors."""

from ..calls.operator import REGISTRY

globals().update(REGISTRY)

__all__ = list(REGISTRY)
