"""An operator's kernels for PyTorch's dispatcher: for tensors with memory, and for tensors with only a shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch

from .. import arrays, checks
from ..arrays import ArrayView
from ..base.errors import InvalidArgument, InvalidDtype, InvalidOperator
from ..base.forks import cached_property
from ..base.loop import TensorMeta
from ..calls import aliasing, arguments, prepare
from ..calls.operator import Operator
from ..checks import law
from .derivatives import saving

#: The types of symbolic numbers in traces.
SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)


class Interface:
    """An operator's schema in PyTorch's form. In PyTorch, outputs have no names."""

    def __init__(self, operator: Operator):
        self.operator = operator
        schema = operator.schema
        names = [a.name for a in schema.arguments]
        self.tensors = tuple(names.index(name) for name in schema.tensor_names)  # the positions of tensors
        self.names = tuple(a.name for a in schema.attributes)
        first = names.index(self.names[0]) if self.names else 0
        self.span = slice(first, first + len(self.names))  # the positions of attributes
        if self.names != tuple(names[self.span]):
            raise InvalidOperator(
                f"operator {operator.name}: the schema has tensors between attributes; attributes must stand "
                "together for "
                "PyTorch; reorder the arguments"
            )
        #: The defaults. The dispatcher leaves out trailing arguments that equal their defaults.
        self.defaults = tuple(_literal(operator, a.name, a.default) for a in schema.arguments)

    @property
    def text(self) -> str:
        """The arguments in PyTorch's schema language."""
        return ", ".join(
            f"{a.type} {a.name}" + ("" if a.default is None else f"={a.default}")
            for a in self.operator.schema.arguments
        )

    @property
    def results(self) -> str:
        """The outputs in PyTorch's schema language."""
        count = len(self.operator.schema.outputs)
        return "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"

    @property
    def title(self) -> str:
        """The name of the operator's nodes in autograd graphs."""
        return "Actgrad" + "".join(word.capitalize() for word in self.operator.name.split("_"))

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs in the `out=` variant. They follow the names of PyTorch's operators."""
        outputs = self.operator.schema.outputs
        return ("grad_input",) if self.operator.gradient_of is not None and len(outputs) == 1 else outputs

    @cached_property
    def overload(self) -> Any:
        """PyTorch's operator."""
        return getattr(torch.ops.actgrad, self.operator.name).default

    @cached_property
    def kernel(self) -> Callable[..., Any]:
        """The operator's kernel for tensors with memory.

        The kernel of the key Autograd has already recorded the call. `save` is only checked here.
        """
        operator, names, span, positions = self.operator, self.names, self.span, self.tensors

        def kernel(*args: Any, out: Any = None, save: str = saving.AUTO) -> Any:
            if save != saving.AUTO:
                saving.require(operator, self.attributes_of(self.values_of(args)), save)
            if len(args) == 1:  # a fast path for calls without attributes
                return operator(args[0].detach(), out=out)
            args = self.with_defaults(args)
            tensors = [None if args[index] is None else args[index].detach() for index in positions]
            return operator(*tensors, out=out, **dict(zip(names, args[span], strict=True)))

        return kernel

    def with_defaults(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """All arguments of a call. The dispatcher leaves out trailing arguments that equal their defaults."""
        return args + self.defaults[len(args) :] if len(args) < len(self.defaults) else args

    def values_of(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values of the attributes among the arguments."""
        return self.with_defaults(args)[self.span]

    def tensors_of(self, args: Sequence[Any]) -> list[Any]:
        """The tensors among the arguments. None for a tensor that is left out."""
        return [args[index] for index in self.tensors]

    def attributes_of(self, values: Sequence[Any]) -> dict[str, Any]:
        """The attributes by name, as `arguments.attribute` returns them.

        A traced Scalar stays a symbol. Another traced attribute becomes a number, because it chooses a loop or a
        formula. Then the graph is valid only for this number.
        """
        attributes: dict[str, Any] = {}
        for a, value in zip(self.operator.schema.attributes, values, strict=True):
            if isinstance(value, SYMBOLS) and a.type == "Scalar":
                attributes[a.name] = value
                continue
            if isinstance(value, (torch.SymInt, torch.SymBool)):
                value = int(value) if isinstance(value, torch.SymInt) else bool(value)
            attributes[a.name] = arguments.attribute(self.operator.definition, a, value)
        return attributes

    def direct(self, args: tuple[Any, ...]) -> Any:
        """The results of a call without the dispatcher, or None if the dispatcher must see the call.

        For a small tensor, the dispatcher takes longer than the kernel.
        """
        row = self.with_defaults(args)
        options = dict(zip(self.names, row[self.span], strict=True))
        results = self.operator.direct(*self.tensors_of(row), **options)
        return None if results is NotImplemented else results

    def template(self, attributes: dict[str, Any]) -> list[Any]:
        """The arguments of a call, with None for the tensors. A missing attribute has the operator's default."""
        row: list[Any] = [None] * len(self.defaults)
        values = {**self.operator.defaults, **attributes}
        row[self.span] = [_literal(self.operator, name, values[name]) for name in self.names]
        return row

    def row(self, tensors: Sequence[Any], attributes: dict[str, Any]) -> list[Any]:
        """All arguments of a call with these tensors and attributes, in the order of the schema."""
        return self.with_tensors(self.template(attributes), tensors)

    def with_tensors(self, args: Sequence[Any], tensors: Sequence[Any]) -> list[Any]:
        """The arguments of a call with other tensors."""
        row = list(args)
        for index, tensor in zip(self.tensors, tensors, strict=False):
            row[index] = tensor
        return row


@cache
def interface_of(operator: Operator) -> Interface:
    """The interface of an operator. There is only one object per operator."""
    return Interface(operator)


def _literal(operator: Operator, name: str, value: Any) -> Any:
    """An attribute's value in PyTorch's schema: the number of a choice instead of its name."""
    is_choice = name == operator.switch and isinstance(value, str) and value in operator.choices
    return operator.choices.index(value) if is_choice else value


def shapes(interface: Interface, *args: Any, out: Any = None, **options: Any) -> Any:
    """The call on tensors without data: its checks, and results with the kernel's strides, or None with `out`."""
    call = _call(interface, args, out or ())
    if not any(map(_is_lowered, call.attributes.values())):
        checks.run(call)
    if out is not None:
        return None
    results = empty_results(call, interface.tensors_of(args)[0])
    return results if len(results) > 1 else results[0]


def checked_call(interface: Interface, args: tuple[Any, ...], out: Sequence[Any] = ()) -> checks.Call:
    """The metadata of a call. Raises the errors of the checks."""
    call = _call(interface, args, out)
    checks.run(call)
    return call


def _call(interface: Interface, args: tuple[Any, ...], out: Sequence[Any]) -> checks.Call:
    """The metadata of a call that is not checked yet."""
    operator = interface.operator
    names = (*operator.schema.tensor_names, *operator.schema.outputs)
    tensors = dict(zip(names, (*interface.tensors_of(args), *out), strict=False))
    _refuse_other_devices(operator, tensors)
    metas: dict[str, TensorMeta | None] = {
        name: None if tensor is None else arrays.torch_meta(torch, tensor, operator.name, name)
        for name, tensor in tensors.items()
    }
    attributes = interface.attributes_of(interface.values_of(args))
    return checks.Call(operator.definition, metas, attributes, law.current())


def _is_lowered(value: Any) -> bool:
    """Whether an attribute is a float that inductor passes as an integer symbol when it lowers a graph.

    PyTorch's ranges of values cannot compare such a symbol with small numbers. The trace has checked the call, and the
    kernel checks it again.
    """
    expression = getattr(value.node, "expr", None) if isinstance(value, torch.SymInt) else None
    return expression is not None and not expression.is_integer


def arguments_for_out(interface: Interface, args: tuple[Any, ...], out: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments of a call whose results can be copied into `out`, with the same bits as a kernel writes.

    A kernel that writes to `out` rounds only once. So tensors are converted to the dtype of the arithmetic, if `out`
    has another dtype than new results. Raises the errors of the call that writes to `out`.
    """
    definition, call = interface.operator.definition, checked_call(interface, args, out)
    tensors = interface.tensors_of(args)
    _refuse_overlaps(call, tensors, out)
    if all(meta.dtype == checks.output_dtype(call, name) for name, meta in call.outputs.items()):
        return args
    metas = [*call.inputs.values(), *call.outputs.values()]
    dtype = getattr(torch, prepare.compute_dtype(call, metas))
    are_floats = all(meta.dtype.kind == "float" for meta in call.inputs.values())
    if not dtype.is_floating_point or not (are_floats or definition.integers.formula is None):
        return args
    wide = []
    for name, x in zip(definition.schema.tensor_names, tensors, strict=True):
        # A check may compare the dtype of a tensor that formulas do not read with that of an input.
        is_widened = x is not None and (name in call.inputs or x.is_floating_point())
        wide.append(x.to(dtype) if is_widened else x)
    row = tuple(interface.with_tensors(interface.with_defaults(args), wide))
    try:
        checked_call(interface, row)
    except InvalidDtype:  # the operator does not take tensors in the dtype of its arithmetic
        return args
    return row


def _refuse_overlaps(call: checks.Call, tensors: Sequence[Any], out: Sequence[Any]) -> None:
    """Raise if an output overlaps itself or another tensor. Do nothing if a size is unknown to a tracer.

    Tensors may have no addresses here, so each storage gets an address far from the others.
    """
    schema = call.definition.schema
    names = (*schema.outputs, *schema.tensor_names)
    views: list[ArrayView | None] = []
    storages: dict[int, int] = {}
    for name, tensor in zip(names, (*out, *tensors), strict=True):
        meta = None if tensor is None else call.tensors[name]
        if meta is None:
            views.append(None)
            continue
        if any(isinstance(n, torch.SymInt) for n in (*meta.shape, *meta.strides, tensor.storage_offset())):
            return
        base = storages.setdefault(tensor.untyped_storage()._cdata, (len(storages) + 1) << 50)
        address = base + tensor.storage_offset() * meta.dtype.itemsize
        views.append(ArrayView(meta, address, "", "torch", True, tensor, tensor))
    outputs, inputs = views[: len(out)], views[len(out) :]
    for name, output in zip(names, outputs, strict=False):
        if output is not None:
            aliasing.refuse_self_overlap(call.definition.name, name, output.meta)
    output_metas, input_metas = ([view.meta for view in group if view is not None] for group in (outputs, inputs))
    loop = prepare.make_computation(call, prepare.result_metas(call), "cpu").loop
    layouts = aliasing.layouts(output_metas, input_metas, loop)
    aliasing.check(call.definition.name, schema.outputs, outputs, schema.tensor_names, inputs, layouts)


def empty_results(call: checks.Call, like: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """New tensors for the results of a call that passed its checks, on the device of `like`."""
    return tuple(_empty(meta, like) for meta in prepare.result_metas(call))


def _refuse_other_devices(operator: Operator, tensors: dict[str, Any]) -> None:
    (first_name, first), *rest = [(name, tensor) for name, tensor in tensors.items() if tensor is not None]
    for name, tensor in rest:
        if tensor.device != first.device:
            devices = f"{name} is on {tensor.device}, but {first_name} is on {first.device}"
            raise InvalidArgument(f"{operator.name}: {devices}; all must be on one device; move one of them")


def _empty(meta: TensorMeta, like: torch.Tensor) -> torch.Tensor:
    strides = [stride // meta.dtype.itemsize for stride in meta.strides]
    return torch.empty_strided(meta.shape, strides, dtype=getattr(torch, meta.dtype.name), device=like.device)
