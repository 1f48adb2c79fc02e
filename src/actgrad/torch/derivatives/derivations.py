"""The derivatives of a call: by a backward operator's kernel if one exists, otherwise by the formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch

from ...aten import ATEN, SAME_BITS
from ...base.bounded_cache import BoundedCache
from ...base.dtypes import FLOATS
from ...base.errors import InvalidArgument, either
from ...checks import law
from ..kernels import Interface, interface_of
from . import products, saving
from .dual import sum_present
from .partials import Tensors, jacobian_vector, vector_jacobian
from .products import GradientProduct

#: `autograd.record`. The module `autograd` sets it, because it imports this module.
record: Any = None


_GRADIENT_AND_SAVED = (0, 1)  # the sources of a gradient that takes grad_output and one saved tensor


class Gradient(NamedTuple):
    """A backward operator with its attributes."""

    interface: Interface
    attributes: dict[str, Any]  # all attributes, in the form of PyTorch's schema
    plain: Callable[..., Any]  # the call on tensors that do not need the dispatcher
    sources: tuple[int | None, ...]  # per tensor: its position in (grad_output, *saved), or None if it is left out
    #: Per tensor of the forward call: the position of its gradient among the outputs, or None if the operator has none.
    positions: tuple[int | None, ...]

    def __call__(self, *args: Any) -> Any:
        """The outputs, from grad_output and the saved tensors."""
        is_in_order = self.sources == _GRADIENT_AND_SAVED
        tensors = args if is_in_order else [None if source is None else args[source] for source in self.sources]
        results = self.plain(*tensors)
        if results is None or results is NotImplemented:
            present = tuple([tensor for tensor in tensors if tensor is not None])
            if results is NotImplemented and products.is_ordinary(present):  # only the graph must see the call
                operator = self.interface.operator
                if operator.name in SAME_BITS and args[0].is_cpu and products.are_alike(present):
                    return ATEN[operator.name](torch.ops.aten, self.attributes, *tensors)
                return record(self.interface.operator, tuple(self.attributes.values()), saving.AUTO, *tensors)
            return self.interface.overload(*self.interface.row(tensors, self.attributes))
        return results

    def of_tensors(self, *args: Any) -> list[torch.Tensor | None]:
        """The gradient of each tensor of the forward call that has one, from grad_output and the saved tensors."""
        outputs = self(*args)
        every = outputs if isinstance(outputs, tuple) else (outputs,)
        return [None if index is None else every[index] for index in self.positions]


class Derivation(NamedTuple):
    """The derivatives of calls with these attributes."""

    interface: Interface
    attributes: dict[str, Any]
    compute: Callable[..., Any]  # computes on memory
    plain: Callable[..., Any]  # the call on tensors that do not need the dispatcher
    keeps_result: bool
    saves: tuple[int, ...]  # the saved tensors: their positions among the call's tensors and then its outputs
    by_kernel: Gradient | None  # the gradient of a forward operator, from the saved tensors
    by_kernel_from_input: Gradient | None
    product: GradientProduct | None  # if the call is a product of gradients and a derivative, see products.py

    def overwrite(self, x: torch.Tensor) -> torch.Tensor:
        """The call in place."""
        memory = x.detach()
        self.compute(memory, out=memory)
        return x

    def gradients(self, numbers: Sequence[int], saved: Any, gradients: Tensors) -> list[torch.Tensor | None]:
        """The gradients of some of the call's tensors, from the saved tensors and the outputs' gradients."""
        if self.by_kernel is None:
            return [self._of_gradient(number, saved, gradients) for number in numbers]
        first, *rest = gradients
        positions = self.by_kernel.positions
        by_kernel = [number for number in numbers if positions[number] is not None]
        totals: list[Any] = [None] * len(positions)
        if first is not None and by_kernel:
            totals = self.by_kernel.of_tensors(first, *saved)
        if len(by_kernel) == len(numbers) and all(other is None for other in rest):
            return [totals[number] for number in numbers]
        by_formula = [(None, *rest) if number in by_kernel else gradients for number in numbers]
        pairs = zip(numbers, by_formula, strict=True)
        return [
            sum_present((totals[number], self._by_formula(number, saved, output_gradients)))
            for number, output_gradients in pairs
        ]

    def _of_gradient(self, number: int, saved: Any, gradients: Tensors) -> torch.Tensor | None:
        """The gradient of one tensor in a call of a backward operator. No kernel computes it."""
        operator, first = self.interface.operator, gradients[0]
        if all(gradient is None for gradient in gradients):
            return None
        name = operator.schema.tensor_names[number]
        is_factor = operator.gradient_of is not None and operator.gradient_of.is_unary_elementwise
        if not (is_factor and operator.definition.is_linear(name)):
            return self._by_formula(number, saved, gradients)
        target, row = saved[number], list(saved)
        row[number] = first
        count, attributes = len(self.interface.tensors), _row_attributes(self.interface, self.attributes)
        total = Gradient(self.interface, attributes, self.plain, tuple(range(count)), ())(*row)
        return total.sum_to_size(target.shape).to(target.dtype)

    def tangents(self, tensors: Any, directions: Tensors, dtype: torch.dtype) -> Any:
        """The tangents of the call's outputs. `dtype` is the dtype of the first output."""
        operator = self.interface.operator
        is_alone = operator.is_unary_elementwise and len(operator.schema.outputs) == 1
        if self.by_kernel_from_input is not None and is_alone:
            return self.by_kernel_from_input(directions[0], *tensors)
        results = jacobian_vector(operator, tensors, self.attributes, directions, dtype)
        return tuple(results) if len(results) > 1 else results[0]

    def _by_formula(self, number: int, saved: Any, gradients: Tensors) -> torch.Tensor | None:
        tensors = saved[: len(self.interface.tensors)]
        return vector_jacobian(self.interface.operator, tensors, self.attributes, gradients, number)


#: Derivations by interface, attributes, dtype and `save`.
CACHE = BoundedCache[Any, Derivation](1024)


def derive(interface: Interface, values: tuple[Any, ...], dtype: torch.dtype | None, save: str) -> Derivation:
    """The derivatives of a call with these attributes. Without a dtype, the call is in place.

    They are cached, because deriving takes longer than a small kernel. Raises if the result is rounded to integers.
    """
    definition = interface.operator.definition
    result, *_ = definition.schema.outputs
    if not {*definition.dtypes_of(result)} <= {*FLOATS}:
        dtypes = either(definition.dtypes_of(result))
        fault = f"a tensor requires grad, but {result} is {dtypes}, which has no gradient"
        raise InvalidArgument(
            f"{definition.name}: {fault}; no tensor may require grad; pass .detach() or call inside torch.no_grad()"
        )
    if law.is_any_in_force() or not all(map(_equality_identifies, values)):
        return _derive(interface, values, dtype, save)
    key = (interface, values, dtype, save)
    return CACHE.get(key) or CACHE.keep(key, _derive(interface, values, dtype, save))


def _equality_identifies(value: Any) -> bool:
    """Whether equality identifies a value: not zero (0.0 == -0.0), not NaN, not a tracer's symbol."""
    return type(value) in (int, bool) or (type(value) is float and value == value and value != 0)


def _derive(interface: Interface, values: tuple[Any, ...], dtype: torch.dtype | None, save: str) -> Derivation:
    attributes = interface.attributes_of(values)
    way = saving.choose(interface.operator, attributes, dtype, save)
    from_input = saving.ways(interface.operator).get(saving.INPUT)
    return Derivation(
        interface,
        attributes,
        _partial(interface.operator, interface, attributes),
        _partial(interface.operator.direct, interface, attributes),
        way is not None and way.keeps_result,
        tuple(range(len(interface.tensors))) if way is None else way.saves,
        None if way is None else _gradient(interface, way, attributes),
        None if from_input is None else _gradient(interface, from_input, attributes),
        products.further(interface.operator) or products.first(interface.operator, attributes),
    )


def _gradient(interface: Interface, way: saving.SavedForBackward, attributes: dict[str, Any]) -> Gradient:
    backward = interface_of(way.backward)
    pairs = {tensor: output for output, tensor in way.backward.definition.gradients.items()}
    outputs = way.backward.schema.outputs
    names = interface.operator.element_tensors
    positions = tuple(outputs.index(pairs[name]) if name in pairs else None for name in names)
    row = _row_attributes(backward, {**attributes, **way.flags})
    return Gradient(backward, row, _partial(backward.operator.direct, backward, row), way.sources, positions)


def _row_attributes(interface: Interface, attributes: dict[str, Any]) -> dict[str, Any]:
    """All attributes of a call for PyTorch's schema. Missing attributes have the operator's defaults."""
    return dict(zip(interface.names, interface.template(attributes)[interface.span], strict=True))


def _partial(call: Callable[..., Any], interface: Interface, attributes: dict[str, Any]) -> Callable[..., Any]:
    """A call with the attributes that differ from the defaults in type, value or sign. Fewer attributes are faster."""
    defaults = interface.attributes_of(interface.values_of(interface.defaults))
    values = interface.attributes_of([attributes[name] for name in interface.names])
    return partial(call, **{name: attributes[name] for name in values if repr(values[name]) != repr(defaults[name])})
