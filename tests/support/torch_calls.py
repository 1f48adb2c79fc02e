"""Calls of `torch.ops.actgrad` for the tests: every operator, its attributes, tensors of any layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import pytest

import actgrad
from actgrad import samples
from actgrad.base.dtypes import FLOATS
from tests.support.calls import OPERATORS, doubled, off_defaults

torch = pytest.importorskip("torch")

from actgrad.torch.kernels import interface_of  # noqa: E402  there is no such module without PyTorch

FORWARD = [operator for operator in OPERATORS if operator.gradient_of is None]
BACKWARD = [operator for operator in OPERATORS if operator.gradient_of is not None]

#: PyTorch's own, when it loads forward-mode differentiation and vmap.
ignore_deprecation = pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")


def cases(operators: list[actgrad.Operator] = OPERATORS) -> list[Any]:
    """Every operator with its attributes at their defaults, and with all of them off."""
    pairs = [(operator, attributes) for operator in operators for attributes in attribute_cases(operator)]
    return [
        pytest.param(operator, attributes, id="-".join([operator.name, *(f"{k}={v}" for k, v in attributes.items())]))
        for operator, attributes in pairs
    ]


def attribute_cases(operator: actgrad.Operator) -> list[dict[str, Any]]:
    """The defaults, and for each set of flags and choices scalars off their defaults."""
    found = [case for case in samples.attribute_cases(operator) if _has_scalars_of(case, off_defaults(operator))]
    return [dict(operator.defaults), *(case for case in found if case != operator.defaults)]


def _has_scalars_of(case: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(case[name] == value for name, value in other.items() if type(value) is float)


def has_gradient(operator: actgrad.Operator) -> bool:
    """Whether the first result, as that of most operators, is a float with a gradient and not an integer or FLOAT8."""
    return set(operator.definition.dtypes_of(operator.schema.outputs[0])) <= {*FLOATS}


def call(operator: actgrad.Operator, attributes: dict[str, Any], **options: Any) -> Callable[..., Any]:
    """The operator of `torch.ops.actgrad` as a function of its tensors alone."""
    interface = interface_of(operator)
    overload, template, places = interface.overload, interface.template(attributes), interface.tensors

    def function(*tensors: Any) -> Any:
        row = list(template)
        for place, tensor in zip(places, tensors, strict=False):
            row[place] = tensor
        return overload(*row, **options)

    return function


def compiled(function: Callable[..., Any], backend: str = "aot_eager", **options: Any) -> Callable[..., Any]:
    """The function compiled as one graph; what was compiled before is forgotten, since there is a limit to it."""
    torch.compiler.reset()
    return torch.compile(function, fullgraph=True, backend=backend, **options)


def contiguous(shape: tuple[int, ...], dtype: Any) -> Any:
    return torch.randn(shape, dtype=dtype)


def permuted(shape: tuple[int, ...], dtype: Any) -> Any:
    return torch.randn(shape[::-1], dtype=dtype).permute(*range(len(shape))[::-1])


def chunked(shape: tuple[int, ...], dtype: Any) -> Any:
    return torch.randn((*shape[:-1], 2 * shape[-1]), dtype=dtype).chunk(2, -1)[1]


def channels_last(shape: tuple[int, ...], dtype: Any) -> Any:
    return torch.randn((1, *shape, 2), dtype=dtype).to(memory_format=torch.channels_last)[0, ..., 0]


def tensors(
    operator: actgrad.Operator,
    shape: tuple[int, ...],
    make: Callable[..., Any] = contiguous,
    dtype: Any = torch.float32,
    requires_grad: bool = False,
    optional: bool = False,
) -> list[Any]:
    """Tensors for a call that computes `shape` elements, away from the kinks."""
    found: list[Any] = []
    is_bits = operator.access.has_bits
    for argument in operator.schema.tensors:
        is_packed = operator.access.part_count(argument.name) > 1
        if argument.is_optional and not optional:
            found.append(None)
            continue
        if is_bits and not is_packed:
            found.append(torch.arange(prod(shape)).to(torch.uint8).reshape(shape))
            continue
        packed_shape = operator.access.whole_shape(argument.name, shape, {}) if is_bits else doubled(shape, -1)
        tensor = make(packed_shape if is_packed else shape, dtype)
        with torch.no_grad():
            tensor += torch.where(tensor > 0, 0.05, -0.05)
        found.append(tensor.requires_grad_(requires_grad))
    return found


def drawn(
    operator: actgrad.Operator,
    shape: tuple[int, ...],
    dtype: Any = torch.float32,
    generator: Any = None,
    attributes: dict[str, Any] | None = None,
    optional: bool = True,
) -> list[Any]:
    """Random tensors for a call of any operator that computes `shape` elements; two rows are counted."""
    found: list[Any] = []
    for argument in operator.schema.tensors:
        if argument.is_optional and not optional:
            found.append(None)
        elif argument.name == operator.ragged.counter:
            found.append(torch.tensor([2]))
        else:
            whole = operator.access.whole_shape(argument.name, shape, attributes or operator.defaults)
            if "uint8" in operator.definition.dtypes_of(argument.name):  # a mask of bits, for every dtype
                found.append(torch.randint(0, 256, whole, dtype=torch.uint8, generator=generator))
            else:
                found.append(torch.randn(whole, dtype=dtype, generator=generator))
    return found


def outcome(function: Callable[..., Any], *given: Any) -> Any:
    """The results of a call, or the class and the words of its error."""
    try:
        return samples.as_tuple(function(*given))
    except actgrad.ActgradError as error:
        return type(error), str(error)


def assert_same(got: Any, wanted: Any, what: object = "") -> None:
    """Equal outcomes: the same error, or results of the same dtypes, shapes and values; NaN equals NaN."""
    are_errors = [isinstance(each[0], type) for each in (got, wanted)]
    if any(are_errors):
        assert got == wanted, what
        return
    for one, other in zip(got, wanted, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), what
        torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True, msg=lambda text: f"{what}: {text}")


@contextmanager
def exact_in_graphs() -> Iterator[None]:
    """Graphs that are compiled in it compute the bits of eager calls."""
    actgrad.torch.exact_in_graphs()
    try:
        yield
    finally:
        actgrad.torch.exact_in_graphs(False)
