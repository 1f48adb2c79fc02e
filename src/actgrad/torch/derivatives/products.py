"""Second and higher derivatives by kernels.

The gradient of y = f(x) is the product g1 * f'(x). Its gradients are products too: g2 * f'(x) by g1, and
g1 * g2 * f''(x) by x, and so on. So one kernel computes each gradient of a product, and a node saves only x and the
factors, which exist already. If the result is saved, y has the place of x, and f' is a formula of y.

`closed_forms` has the formulas. A derivative that it lacks comes from the product's formula on dual numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import torch
from torch.autograd import forward_ad

from ...base import xp
from ...base.definition import Definition
from ...calls.operator import Operator
from ...checks import law
from .closed_forms import DERIVATIVES, PRODUCTS

_C = torch._C
_KINDS = (torch.Tensor, torch.nn.Parameter)
_VMAP = _C._parse_dispatch_key("VmapMode")  # the older vmap, which autograd uses for `is_grads_batched`


class GradientProduct(NamedTuple):
    """The operator of a product, and what its gradient by x is."""

    derivative: Callable[..., Any]  # the formula of f'
    order: int  # the number of factors, and the order of the derivative of f
    scalars: tuple[str, ...]  # the names of the formula's attributes

    @cache  # noqa: B019  there are few products
    def by_x(self) -> Operator | None:
        """The operator of the gradient by x, which has one more factor. None if `closed_forms` lacks the formula."""
        formulas = DERIVATIVES[self.derivative]
        if self.order > len(formulas):
            return None
        formula = formulas[self.order - 1]
        return None if formula is None else _operator(self.derivative, formula, self.order + 1, self.scalars)

    @cache  # noqa: B019
    def is_constant(self) -> bool:
        """Whether the product does not depend on x."""
        return DERIVATIVES[self.derivative][self.order - 1 : self.order] == (None,)


def first(operator: Operator, attributes: dict[str, Any]) -> GradientProduct | None:
    """The product that a backward operator computes, or None if `closed_forms` lacks its formula."""
    if operator.gradient_of is None or not operator.gradient_of.is_unary_elementwise:
        return None
    derivative = operator.definition.formula_for(attributes)
    scalars = tuple(a.name for a in operator.schema.attributes if a.type == "Scalar")
    return GradientProduct(derivative, 1, scalars) if derivative in DERIVATIVES else None


def further(operator: Operator) -> GradientProduct | None:
    """The product that an operator of this module computes, or None for any other operator."""
    return _PRODUCTS.get(operator)


#: The operators that this module has made.
_PRODUCTS: dict[Operator, GradientProduct] = {}


@cache
def _operator(
    derivative: Callable[..., Any], formula: Callable[..., Any], order: int, scalars: tuple[str, ...]
) -> Operator:
    factors = [f"g{number}" for number in range(order, 0, -1)]
    tensors = ", ".join(f"Tensor {name}" for name in (*factors, "x"))
    name = f"{derivative.__name__}_{order}"
    definition = Definition(
        f"{name}({', '.join((tensors, *(f'Scalar {each}' for each in scalars)))}) -> Tensor out",
        summary=f"{' * '.join(factors)} * the derivative number {order - 1} of {derivative.__name__}",
        formula=xp.with_parts(PRODUCTS[order, len(scalars)], derivative=formula),
    )
    operator = Operator.unlisted(definition)
    _PRODUCTS[operator] = GradientProduct(derivative, order, scalars)
    return operator


def are_alike(tensors: tuple[Any, ...]) -> bool:
    """Whether there are only tensors, with one floating dtype, one shape and one device."""
    x = tensors[-1]
    dtype, shape, device = x.dtype, x.shape, x.device
    if not dtype.is_floating_point:
        return False
    for each in tensors:  # a loop, because a generator takes longer
        if each is None or each.dtype != dtype or each.shape != shape or each.device != device:
            return False
    return True


def is_ordinary(tensors: tuple[Any, ...]) -> bool:
    """Whether no transform, mode, tensor subclass, trace or rule of a product must see the single operators."""
    for each in tensors:
        if type(each) not in _KINDS or each.layout != torch.strided or not (each.is_cpu or each.is_cuda):
            return False
    return not (
        _C._are_functorch_transforms_active()
        or _C._dispatch_tls_is_dispatch_key_included(_VMAP)
        or (forward_ad._current_level >= 0 and _C._is_fwd_grad_enabled())
        or _C._len_torch_dispatch_stack()
        or _C._len_torch_function_stack()
        or _C._get_tracing_state() is not None
        or law.is_any_in_force()
    )
