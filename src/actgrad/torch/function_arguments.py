"""The arguments of functions. Errors are the same for calls by the dispatcher and for direct calls.

Messages have the names of the function's parameters.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base.errors import ActgradError, InvalidArgument, InvalidCall, kind_of, quote
from ..calls import arguments
from ..calls.operator import REGISTRY, Operator
from ..checks.docstrings import renamed
from ..checks.shape_rules import unknown_choice
from . import public_names
from .derivatives import saving
from .kernels import SYMBOLS, interface_of


def implicit_dim(function: str, input: torch.Tensor, level: int) -> int:
    """The dimension that PyTorch chooses if a call has no `dim`, with PyTorch's warning. A graph does not warn."""
    require_tensor(function, "input", input)
    if torch.compiler.is_compiling():
        return 0 if input.dim() in (0, 1, 3) else 1
    return torch.nn.functional._get_softmax_dim(function, input.dim(), stacklevel=level + 1)


def number(operator: str, choice: Any, choices: tuple[str, ...]) -> int:
    """The number of a choice. PyTorch's schema has this number instead of the name."""
    if isinstance(choice, str) and choice in choices:
        return choices.index(choice)
    if type(choice) is int and 0 <= choice < len(choices):
        return choice
    return _number(REGISTRY[operator].definition, choice)


def _number(definition: Any, choice: Any) -> int:
    """The number of a choice, for example of a NumPy integer. Raises an error if no choice has this name or number."""
    choices, switch = definition.choices, definition.switch
    value = arguments.attribute(definition, definition.schema.attributes_by_name[switch], choice)
    if value not in choices:
        raise InvalidArgument(f"{definition.name}: {unknown_choice(switch, value, choices)}")
    index: int = choices.index(value)
    return index


def converted(function: str, input: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The input, converted to another dtype."""
    require_tensor(function, "input", input)
    if not isinstance(dtype, torch.dtype):
        raise InvalidCall(
            f"{function}: dtype is {kind_of(dtype)}; it must be a torch.dtype; pass torch.float32 or another"
        )
    return input.to(dtype)


def require_bounds(function: str, **bounds: Any) -> None:
    """Raise if the first of two numbers is greater than the second."""
    (low_name, low), (high_name, high) = bounds.items()
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low > high:
        fault = f"{low_name} is {quote(low)}, but {high_name} is {quote(high)}"
        expected = f"{low_name} must not be greater than {high_name}"
        raise InvalidArgument(f"{function}: {fault}; {expected}; exchange them")


def require_tensor(function: str, name: str, value: Any) -> None:
    """Raise an error unless a value is a tensor of PyTorch."""
    if not hasattr(type(value), "__torch_function__"):
        expected = "it must be a torch.Tensor; call torch.as_tensor on it"
        raise InvalidCall(f"{function}: {name} is {kind_of(value)}; {expected}")


def require_way(operator: Operator, save: Any, values: tuple[Any, ...]) -> None:
    """Raise if `save` is unknown, or if backward cannot compute the gradient from this tensor."""
    saving.require(operator, interface_of(operator).attributes_of(values), save)


def row_of(operator: Operator, tensors: tuple[Any, ...], values: tuple[Any, ...]) -> list[Any]:
    """All arguments of a call, in the order of PyTorch's schema. Raises the errors of a call about its arguments."""
    interface = interface_of(operator)
    arguments_by_name = dict(zip(interface.names, values, strict=True))
    symbols = {name: value for name, value in arguments_by_name.items() if isinstance(value, SYMBOLS)}
    plain = {name: value for name, value in arguments_by_name.items() if name not in symbols}
    tensors, attributes = arguments.arrange(operator.definition, tensors, plain)
    if operator.choices:
        attributes[operator.switch] = number(operator.name, attributes[operator.switch], operator.choices)
    for name, tensor in zip(operator.schema.tensor_names, tensors, strict=True):
        if tensor is not None:
            require_tensor(operator.name, name, tensor)
    return interface.row(tensors, {**attributes, **symbols})


def dispatch(operator: Operator, overload: Any, tensors: tuple[Any, ...], values: tuple[Any, ...], save: str) -> Any:
    """The results of a call through PyTorch's dispatcher.

    The arguments are checked first, because the dispatcher's messages lack the names of functions and parameters.
    """
    return overload(*row_of(operator, tensors, values), **({} if save == saving.AUTO else {"save": save}))


def explain(fault: ActgradError, function: str, tensors: tuple[Any, ...], values: tuple[Any, ...]) -> ActgradError:
    """The error of a call, with the names of the function and its parameters.

    If the arguments are wrong, this is the error about the arguments.
    """
    names = public_names.names_of(function)
    try:
        row_of(names.operator, tensors, values)
    except ActgradError as other:
        fault = other
        fault.__suppress_context__ = True
    words = dict(zip(names.operator.schema.tensor_names, names.tensors, strict=True))
    fault.args = (renamed(str(fault), {**words, names.operator.name: function}),)
    return fault
