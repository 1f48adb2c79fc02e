"""Functional calls: `patched` passes calls such as `torch.nn.functional.gelu` to actgrad, and counts them."""

from __future__ import annotations

import copy
import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

from .. import conventions, function_arguments, functions, public_names
from . import swapping


def patched() -> Any:
    """A context in which actgrad computes PyTorch's functional activations, in any code that runs inside.

    They are the functions of `torch.nn.functional` that `actgrad.torch` has, also in place (`relu_`) and with `out=`,
    and their forms in `torch`, in `torch.special` and as methods of tensors. PyTorch computes a call that actgrad
    refuses, such as a call on integers, or a call that would resize `out`.

    Returns:
        A context manager.

    Example:
        >>> with actgrad.torch.patched():
        ...     loss = model(x).sum()
    """
    return _Mode()


def copied(inputs: Any) -> Any:
    """A copy of a model's inputs, because a model may overwrite them. Modules in them are not copied."""
    memo: dict[int, Any] = {}
    for each in torch.utils._pytree.tree_leaves([*inputs.values()] if isinstance(inputs, Mapping) else inputs):
        if isinstance(each, torch.nn.Module):
            memo[id(each)] = each
        elif isinstance(each, torch.Tensor) and not each.is_leaf:  # deepcopy refuses it
            memo[id(each)] = each.detach().clone().requires_grad_()
    return copy.deepcopy(inputs, memo)


def call(model: torch.nn.Module, inputs: Any) -> Any:
    """The model's results for inputs: a tensor, a tuple of arguments, or a dict of arguments by name."""
    if isinstance(inputs, Mapping):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, (tuple, list)) else model(inputs)


class Form(NamedTuple):
    """One of PyTorch's calls that a function of actgrad.torch computes."""

    name: str  # the name of actgrad's function
    compute: Callable[..., Any]
    operator: Callable[..., Any]  # the operator itself, for `out=`
    parameters: tuple[str, ...]  # parameters of the call, in its order
    required: tuple[str, ...]

    def __call__(self, args: Any, kwargs: dict[str, Any]) -> Any:
        """The result of actgrad's function. TypeError if the arguments do not fit this function."""
        if len(args) > len(self.parameters):
            raise TypeError("too many arguments")
        row = {**dict(zip(self.parameters, args)), **kwargs}  # noqa: B905  fewer arguments than parameters
        if len(row) != len(args) + len(kwargs) or not all(name in row for name in self.required):
            raise TypeError("an argument is missing, or is passed twice")
        row.pop("_stacklevel", None)
        out = row.pop("out", None)
        return self.compute(**row) if out is None else self._into(out, row)

    def _into(self, out: torch.Tensor, row: dict[str, Any]) -> Any:
        """Write actgrad's result into `out`. TypeError if PyTorch would resize or convert `out`."""
        dtype, first = row.pop("dtype", None), row.pop(self.parameters[0])
        first = first if dtype is None else first.to(dtype)
        tensors = [first, *(value for value in row.values() if isinstance(value, torch.Tensor))]
        is_alike = out.dtype == first.dtype and out.device == first.device and out.shape == first.shape
        if not is_alike or any(each.requires_grad for each in (out, *tensors)):
            raise TypeError("out has another shape, dtype or device than the result")
        if any(each.dim() and each.shape != out.shape for each in tensors):
            raise TypeError("the tensors are broadcast")
        return self.operator(first, **row, out=out)


_forms: dict[Any, Form] = {}  # `forms` fills it, because torch.compile cannot trace through a cache
#: PyTorch's other names of our functions.
_ALIASES = {"sigmoid": ("expit",)}


def forms() -> dict[Any, Form]:
    """PyTorch's calls that a function of actgrad.torch computes."""
    if not _forms:
        for names in public_names.all_names():
            for space in (torch.nn.functional, torch, torch.Tensor, torch.special, torch._C._nn):
                for name in (names.function, *_ALIASES.get(names.function, ())):
                    for suffix in ("", "_"):
                        original = getattr(space, name + suffix, None)
                        form = None if original is None else _form(names, original, bool(suffix))
                        if form is not None:
                            _forms.setdefault(original, form)
        for name in ("softmin", "tanhshrink"):
            original = getattr(torch.nn.functional, name)
            parameters = _parameters(original)
            if parameters is not None:
                _forms[original] = Form(name, getattr(conventions, name), original, *parameters)
    return _forms


def _form(names: public_names.TorchNames, original: Any, is_in_place: bool) -> Form | None:
    """The form that turns a call of PyTorch's function into a call of actgrad's, or None if there is no such form."""
    described, name = _parameters(original), names.operator.name
    function: Any = getattr(functions, names.function)
    if function is functions.selu:
        function = conventions.selu
    if is_in_place and any(each.name == "inplace" for each in names.parameters):
        function = partial(function, inplace=True)
    elif is_in_place:
        function = partial(_call, names, getattr(torch.ops.actgrad, f"{name}_", None))
    if described is None or (is_in_place and not hasattr(torch.ops.actgrad, f"{name}_")):
        return None
    parameters, required = ((*names.tensors, *row[len(names.tensors) :]) for row in described)
    operator = partial(_call, names, getattr(torch.ops.actgrad, name))
    return Form(names.function, function, operator, parameters, required)


def _call(names: public_names.TorchNames, operator: Any, input: Any, out: Any = None, **attributes: Any) -> Any:
    """A call of the operator, which takes numbers instead of named choices."""
    switch, choices = names.operator.switch, names.operator.choices
    if switch in attributes and choices:
        attributes[switch] = function_arguments.number(names.operator.name, attributes[switch], choices)
    return operator(input, **attributes) if out is None else operator(input, **attributes, out=out)


def _parameters(original: Any) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The names of a call's positional parameters, and the names of its required parameters."""
    if isinstance(original, FunctionType):
        row = inspect.signature(original).parameters.values()
        return tuple(p.name for p in row), tuple(p.name for p in row if p.default is p.empty)
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{original.__name__}"):
        arguments = [each for each in schema.arguments if not each.kwarg_only]
        return tuple(a.name for a in arguments), tuple(a.name for a in arguments if not a.has_default_value())
    return None


class _Mode(TorchFunctionMode):
    """Passes calls to actgrad. Counts the calls that actgrad computes, and the calls that it refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.forms = forms()
        self.calls: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        form = self.forms.get(function)
        if form is None:
            return function(*args, **(kwargs or {}))
        x = args[0] if args else None
        version = swapping.version_of(x)
        try:
            y = form(args, kwargs or {})
        except swapping.REFUSALS:  # PyTorch may take more dtypes, or other arguments
            if swapping.version_of(x) != version:  # a call in place failed after it wrote its result
                raise
            self.refusals[form.name] += 1
            return function(*args, **(kwargs or {}))
        self.calls[form.name] += 1
        return y
