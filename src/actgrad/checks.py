"""The checks of a call, as data: stage by stage, null -> product -> dtype -> shape -> value; the first broken one wins.

They follow from an operator's schema and limits. Each says in words what must hold, for the documentation, and tests
a call, which is metadata only: no check looks at an element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from . import dtypes
from .dtypes import BY_NAME, Dtype
from .errors import ActgradError, InvalidArgument, InvalidDtype, NullArgument, UnsupportedOnProduct
from .layouts import GATED
from .loop import Meta, broadcast_shapes
from .products import Product

if TYPE_CHECKING:
    from .op import Operator


@dataclass(frozen=True, slots=True)
class Call:
    """What an operator was called with. An output that is still to be allocated is absent from `tensors`."""

    operator: Operator
    tensors: dict[str, Meta | None]
    attributes: dict[str, Any]
    product: Product | None  # None: judged by the library's own, wider limits
    document: bool = False  # whether the documents' letter holds too

    @property
    def inputs(self) -> dict[str, Meta]:
        names = [a.name for a in self.operator.schema.tensors]
        given = {name: self.tensors.get(name) for name in names}
        return {name: meta for name, meta in given.items() if meta is not None}

    @property
    def outputs(self) -> dict[str, Meta]:
        given = {name: self.tensors.get(name) for name in self.operator.schema.outputs}
        return {name: meta for name, meta in given.items() if meta is not None}

    @property
    def first(self) -> tuple[str, Meta]:
        return next(iter(self.inputs.items()))


@dataclass(frozen=True, slots=True)
class Check:
    """One rule: what must hold, and a test that returns what is wrong, or None."""

    rule: str
    test: Callable[[Call], str | None]
    error: type[ActgradError] = InvalidArgument
    document: bool = False  # a document's letter, which the real operator does not enforce
    on_product: bool = False  # enforced only where a product judges


EARLY = (NullArgument, UnsupportedOnProduct)  # what is checked before anything is looked at


def run(call: Call, early: bool = False) -> None:
    """Raise the error of the first check that `call` breaks; `early`: only of those that need no tensor."""
    for check in call.operator.checks:
        if early and check.error not in EARLY:
            break
        if (check.document and not call.document) or (check.on_product and call.product is None):
            continue
        fault = check.test(call)
        if fault is not None:
            raise check.error(f"{call.operator.name}: {fault}")


def of(operator: Operator) -> tuple[Check, ...]:
    """All checks of an operator, in order."""
    return (*_null(operator), *_product(operator), *_dtype(operator), *_shape(operator), *_value(operator))


def _null(operator: Operator) -> Iterator[Check]:
    for argument in operator.schema.arguments:
        if argument.is_optional:
            continue

        def test(call: Call, name: str = argument.name, is_tensor: bool = argument.is_tensor) -> str | None:
            missing = (call.tensors if is_tensor else call.attributes).get(name) is None
            return f"{name} is None; it is required" if missing else None

        yield Check(f"{argument.name} is not null", test, NullArgument)


def _product(operator: Operator) -> Iterator[Check]:
    def test(call: Call) -> str | None:
        if call.product is None or call.product.name in operator.products:
            return None
        return f"not available on {call.product} ({call.product.marketing}); it is on {', '.join(operator.products)}"

    yield Check("the product has the operator", test, UnsupportedOnProduct, on_product=True)


def allowed_dtypes(operator: Operator, product: Product | None) -> tuple[str, ...]:
    """The dtypes that an operator's tensors may have: a product's list, else the library's own."""
    if product is None:
        return tuple(name for name in BY_NAME if name in dtypes.FLOATS or name in operator.dtypes)
    if product.bfloat16 or operator.bfloat16_everywhere:
        return operator.dtypes
    return tuple(name for name in operator.dtypes if name != "bfloat16")


def _listed(name: str, dtype: Dtype, call: Call) -> str | None:
    allowed = allowed_dtypes(call.operator, call.product)
    if dtype.name in allowed:
        return None
    where = f" on {call.product}" if call.product else ""
    return f"{name} is {dtype}; supported{where}: {', '.join(allowed)}; convert it"


def _dtype(operator: Operator) -> Iterator[Check]:
    first, *others = [a.name for a in operator.schema.tensors]
    outputs = operator.schema.outputs

    def same_as_first(name: str) -> Check:
        def test(call: Call) -> str | None:
            meta, expected = call.tensors.get(name), call.first[1].dtype
            if meta is None or meta.dtype == expected:
                return None
            return f"{name} is {meta.dtype}, but {first} is {expected}; they must be equal"

        return Check(f"{name} has the dtype of {first}", test, InvalidDtype)

    def listed(name: str, document: bool = False) -> Check:
        def test(call: Call) -> str | None:
            meta = call.tensors.get(name)
            return None if meta is None else _listed(name, meta.dtype, call)

        return Check(f"{name} has a supported dtype", test, InvalidDtype, document)

    yield listed(first)
    for name in others:
        yield listed(name) if operator.broadcasts else same_as_first(name)
    for argument in operator.schema.attributes:
        if argument.type == "Scalar":
            yield _real(argument.name)
    for name in outputs:
        if operator.out_dtype == "equal":
            yield same_as_first(name)
        elif operator.out_dtype == "listed":
            yield listed(name)
            yield replace(same_as_first(name), document=True)
        else:
            yield listed(name, document=True)
            yield _convertible(name)


def _real(name: str) -> Check:
    def test(call: Call) -> str | None:
        value = call.attributes[name]
        return f"{name} is complex ({value}); it must be a real number" if isinstance(value, complex) else None

    return Check(f"{name} can be converted to float", test, InvalidDtype)


def _convertible(name: str) -> Check:
    def test(call: Call) -> str | None:
        meta, result = call.tensors.get(name), result_dtype(call)
        if meta is None or dtypes.can_convert(result, meta.dtype):
            return None
        return f"{name} is {meta.dtype}, to which the result ({result}) cannot be converted; use a floating dtype"

    return Check(f"the result can be converted to {name}'s dtype", test, InvalidDtype)


def result_dtype(call: Call) -> Dtype:
    """The dtype of a result nobody chose another for: that of the inputs, promoted where they differ."""
    result = None
    for meta in call.inputs.values():
        result = meta.dtype if result is None else dtypes.promote(result, meta.dtype)
        assert result is not None, "no two dtypes that an operator lists lack a promotion"
    assert result is not None, "every operator has a tensor"
    return result


def _shape(operator: Operator) -> Iterator[Check]:
    names = [a.name for a in operator.schema.tensors]
    if operator.max_rank is not None:
        for name in names[: 2 if operator.broadcasts else 1]:
            yield _rank(name, 0, operator.max_rank, document=False)
    if operator.document_rank is not None:
        for name in names:
            yield _rank(name, *operator.document_rank, document=True)
    for name in operator.document_nonempty:
        yield _nonempty(name)
    if operator.layout == GATED:
        yield from _gated_shapes(operator)
    else:
        yield from _elementwise_shapes(operator)


def _rank(name: str, low: int, high: int, document: bool) -> Check:
    def test(call: Call) -> str | None:
        rank = len(call.inputs[name].shape) if name in call.inputs else low
        return None if low <= rank <= high else f"{name} has {rank} dimensions; it must have {low} to {high}"

    return Check(f"{name} has {low} to {high} dimensions", test, document=document, on_product=not document)


def _nonempty(name: str) -> Check:
    def test(call: Call) -> str | None:
        return f"{name} is empty (shape {call.inputs[name].shape})" if call.inputs[name].size == 0 else None

    return Check(f"{name} is not empty", test, document=True)


def _elementwise_shapes(operator: Operator) -> Iterator[Check]:
    first, *others = [a.name for a in operator.schema.tensors]
    for name in others:

        def test(call: Call, name: str = name) -> str | None:
            got, expected = call.inputs[name].shape, call.first[1].shape
            if operator.broadcasts:
                joined = broadcast_shapes(expected, got)
                fault = f"{name} has shape {got}, but {first} has {expected}; they cannot be broadcast together"
                return fault if joined is None else None
            return f"{name} has shape {got}, but {first} has {expected}" if got != expected else None

        broadcast = "can be broadcast with" if operator.broadcasts else "has the shape of"
        yield Check(f"{name} {broadcast} {first}", test)
    for output in operator.schema.outputs:
        yield _output_shape(output)


def result_shapes(call: Call) -> tuple[tuple[int, ...], ...]:
    """The shape of each output; the inputs' shapes must have passed their checks."""
    operator, shapes = call.operator, [meta.shape for meta in call.inputs.values()]
    if operator.layout == GATED:
        if operator.gradient_of is not None:
            return (shapes[1],)
        dim = call.attributes["dim"] % len(shapes[0])
        return (_halved(shapes[0], dim),) * len(operator.schema.outputs)
    joined: tuple[int, ...] | None = shapes[0]
    for shape in shapes[1:]:
        assert joined is not None, "checked before"
        joined = broadcast_shapes(joined, shape)
    assert joined is not None, "checked before"
    return (joined,)


def _output_shape(name: str) -> Check:
    def test(call: Call) -> str | None:
        meta = call.tensors.get(name)
        if meta is None:
            return None
        expected = result_shapes(call)[call.operator.schema.outputs.index(name)]
        return f"{name} has shape {meta.shape}, but the result has {expected}" if meta.shape != expected else None

    return Check(f"{name} has the shape of the result", test)


def _halved(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return (*shape[:dim], shape[dim] // 2, *shape[dim + 1 :])


def _gated_shapes(operator: Operator) -> Iterator[Check]:
    packed = "self"  # the tensor whose halves are gated
    is_backward = operator.gradient_of is not None
    if is_backward:
        yield Check("gelu has the shape of grad_output", _gelu_shape)

    def dim_in_range(call: Call) -> str | None:
        dim, rank = call.attributes["dim"], max(len(call.inputs[packed].shape), 1)
        return None if -rank <= dim < rank else f"dim is {dim}; it must lie in [{-rank}, {rank - 1}]"

    def has_rank(call: Call) -> str | None:
        return f"{packed} has no dimension to halve (shape ())" if not call.inputs[packed].shape else None

    def even(call: Call) -> str | None:
        shape, dim = call.inputs[packed].shape, call.attributes["dim"]
        return f"{packed} has odd size {shape[dim]} in dimension {dim} (shape {shape})" if shape[dim] % 2 else None

    def gradient_is_half(call: Call) -> str | None:
        got, shape, dim = call.inputs["grad_output"].shape, call.inputs[packed].shape, call.attributes["dim"]
        expected = _halved(shape, dim % len(shape))
        if got == expected:
            return None
        return f"grad_output has shape {got}, but half of {packed} along dimension {dim} has {expected}"

    yield Check(f"dim lies in [-rank, rank - 1] of {packed}", dim_in_range)
    yield Check(f"{packed} has at least one dimension", has_rank)
    yield Check(f"{packed} has an even size along dim", even)
    if is_backward:
        yield Check(f"grad_output has the shape of {packed}, halved along dim", gradient_is_half)
    for output in operator.schema.outputs:
        yield _output_shape(output)


def _gelu_shape(call: Call) -> str | None:
    gelu, grad_output = call.inputs.get("gelu"), call.inputs["grad_output"]
    if gelu is None or gelu.shape == grad_output.shape:
        return None
    return f"gelu has shape {gelu.shape}, but grad_output has {grad_output.shape}"


def _value(operator: Operator) -> Iterator[Check]:
    choices = operator.choices
    if choices:
        switch = str(operator.switch)

        def known(call: Call) -> str | None:
            value = call.attributes[switch]
            names = ", ".join(f"{name!r} ({k})" for k, name in enumerate(choices))
            return None if value in choices else f"{switch} is {value!r}; it must be one of {names}"

        yield Check(f"{switch} is one of {', '.join(map(repr, choices))}", known)
    for rule, holds in operator.requires.items():

        def test(
            call: Call,
            rule: str = rule,
            holds: Callable[[dict[str, Any], Product | None], bool] = holds,
        ) -> str | None:
            if holds(call.attributes, call.product):
                return None
            concerned = {n: v for n, v in call.attributes.items() if n in rule} or call.attributes
            given = ", ".join(f"{name}={value!r}" for name, value in concerned.items())
            where = f" on {call.product}" if call.product else ""
            return f"it needs {rule}; got {given}{where}"

        yield Check(rule, test)
