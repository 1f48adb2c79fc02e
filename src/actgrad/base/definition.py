"""The definition of an operator: its interface, formula, limits and roles, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from . import products, schema
from .access import Access, Elementwise
from .dtypes import BY_NUMBER, Dtype
from .errors import ActgradError, InvalidOperator, KernelMissing
from .forks import cached_property
from .products import Product
from .schema import Argument, GraphSignature, Schema

Formula = Callable[..., Any]
Dtypes = Mapping[str, Dtype]
Requirement = Callable[[dict[str, Any], "Product | None"], bool]


@dataclass(frozen=True, slots=True)
class Torch:
    """An operator's names in actgrad.torch: a differentiable function, and a module.

    Each name may have a list of parameters, for example "elu(alpha, inplace, *, scale, save)". Parameters are
    attributes, `inplace` if the operator may overwrite its tensor, `save`, and other names for the tensors. Without a
    list, the function has all attributes, and the module has the function's parameters. With the parameter `dim=None`,
    the default is the dimension that PyTorch chooses, with PyTorch's warning.
    A module with the name of a tensor, for example "PReLU(weight)", is a subclass of torch.nn's class, and this tensor
    is its parameter.
    """

    function: str
    module: str = ""
    shows_values_alone: bool = False  # whether `repr` of a module shows values without their names
    #: The names of parameters that PyTorch deprecated, and their new names.
    former_names: Mapping[str, str] = field(default_factory=dict)
    bounds: tuple[str, ...] = ()  # two parameters. PyTorch refuses a module whose first one is above the second


@dataclass(frozen=True, eq=False)
class C:
    """A C function of an operator: its name, and its differences from the operator in parameters, limits or checks.

    By default its parameters are the operator's tensors, attributes and outputs, in the schema's order.
    """

    name: str  # after "aclnn"
    #: Attributes that the function fixes, with their values. Tensors that the function lacks, with None.
    fixed: Mapping[str, Any] = field(default_factory=dict)
    parameters: str = ""  # the parameters' names in C. "" means the schema's names in camelCase
    header: str = ""  # the header's name. "" means aclnn_ and the function's name in snake_case
    in_place: bool = True  # whether there is an in-place form, if the operator allows one
    overwrites_first: bool = False  # whether the in-place form overwrites the first of several tensors
    reference: str = "selfRef"  # the C name of the tensor that the in-place form overwrites
    const_reference: bool = False  # whether `reference` is const in the prototype
    unusual_const: str = ""  # C names of outputs that are const, and of inputs that are not const
    unread: str = ""  # C names of tensors that the function does not use. "name?" may be a null pointer
    ignored: str = ""  # C names of int64_t that the function does not use. "name*" is a char*, "name." a double
    #: C name of an int64_t, bool or string -> the only value that the function accepts. A string may be null.
    constants: Mapping[str, int | str] = field(default_factory=dict)
    wrong_constant: type[ActgradError] = KernelMissing  # the error of another value
    #: C name of an argument that the operator does not have -> its value in the example of the docstring.
    example: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""  # C names of outputs that must be null pointers, or empty
    otherwise: Any = None  # the operator that computes calls with the outputs in `refused` and all its inputs
    #: From the arguments by C names and the product to the operator that computes the call, or an exception.
    chooses: Callable[[Mapping[str, Any], Product], Any] | None = None
    optional: str = ""  # the scalar or string that may be a null pointer. A null pointer means the default
    doubles: str = ""  # scalars whose C type is double instead of aclScalar*
    text: str = ""  # the switch, if its C type is char*
    any_choice: bool = False  # whether a number without a choice means the first choice
    checks: tuple[Any, ...] = ()  # they replace the operator's checks
    in_place_checks: tuple[Any, ...] = ()  # checks of the in-place form, before all others
    out_checks: tuple[Any, ...] = ()  # checks of the form that is not in place, before all others
    products: str = ""  # the products that have the function. "" means the products of the operator
    null_order: str = ""  # the arguments in the order of the search for null pointers. "" means C's order
    requires: Mapping[str, Requirement] | None = None  # rules that replace the operator's `requires`


@dataclass(frozen=True, eq=False)
class Definition:
    """An operator as data. Its schema line is its interface, and the rest follows from the line.

    `formula` computes one element: a function, or a mapping from keys to functions. `switch` chooses the key: an
    attribute, a function, or whether a call has an optional tensor. A value may be a mapping too, and `variant` chooses
    the key. With `gradient_of`, the formula is the derivative, and kernels apply the chain rule. With `part_of`, the
    operator returns only the first result of another operator.
    """

    text: str  # the schema line
    summary: str  # a line with the formula and its conditions. Further sentences follow after an empty line
    formula: Formula | Mapping[Any, Formula]
    switch: str | Callable[[dict[str, Any], Product | None], Any] = ""  # chooses a key of `formula`
    variant: Callable[..., Any] | None = None  # (attributes, dtypes of tensors) -> key of a mapping within a mapping
    gradient_of: Definition | None = None
    part_of: Definition | None = None
    reads: Access | None = None  # the access. None means the forward operator's access, or Elementwise
    multiplies: str = ""  # the tensor that multiplies the formula's value, or "other" for the other half
    reads_result: str = ""  # of a gradient operator: the tensor that is the forward operator's result
    result_flag: str = ""  # if this attribute is false, `reads_result` is the input instead of the result
    row_counter: str = ""  # the optional last tensor. Its sum is the number of rows before `dim` that a call computes
    clears_rest: bool = False  # whether the other rows of the results are 0. Otherwise they keep their values
    row_groups: str = ""  # the optional last tensor that assigns rows to groups
    groups_are_counts: str | bool = False  # whether `row_groups` has sizes instead of ends, or the int that is 1 if so
    rest: str = ""  # rows behind the last group: "computed" without scales, "kept" (0 in new results), "" for an error
    absent: Mapping[str, float] = field(default_factory=dict)  # optional tensor -> the number that stands for it
    unseen: str = ""  # the last tensor, or the last before `row_counter`, if only the checks look at it
    linear_in: str = ""  # the results are linear in this tensor. A gradient operator's default is its first tensor
    layout_of: str | None = ""  # the tensor whose order of dimensions new results have. "": the first. None: contiguous
    broadcasts: bool = False  # whether inputs are promoted and broadcast. Otherwise shapes and dtypes are equal
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")  # CANN's list. Without a product, actgrad allows more
    further_dtypes: str = ""  # dtypes outside CANN's list that actgrad computes without a product
    bfloat16_everywhere: bool = False  # whether even products without bfloat16 have this operator in bfloat16
    checks: tuple[Any, ...] = ()  # rules of contract/ on dtypes and shapes, in order. Empty means the usual rules
    requires: Mapping[str, Requirement] = field(default_factory=dict)  # rule in words -> whether attributes keep it
    result_suffices: Mapping[str, Requirement] = field(default_factory=dict)  # rules that make `reads_result` enough
    products: tuple[str, ...] = tuple(products.BY_NAME)
    differences: tuple[str, ...] = ()  # each text says where the sources differ, and what actgrad does
    null_order: tuple[str, ...] = ()  # the order of the search for null pointers. () means the schema's order
    #: Output -> its dtypes, names with spaces between. The first one is the dtype of a new output. For dtypes that
    #: depend on the switch, write a mapping from its values to dtypes.
    output_dtypes: Mapping[str, str | Mapping[Any, str]] = field(default_factory=dict)
    dtype_attribute: str = ""  # the int that numbers the dtype (aclDataType) of a new first output
    integer_result: str = ""  # the dtype of results for integer inputs. "" means the dtype of the inputs
    integer_formula: Formula | Mapping[Any, Formula] | None = None  # for integer arithmetic. It may be `formula`
    integers_as_floats: bool = False  # whether integer_formula computes in floats, because attributes are floats
    takes_gradient: bool = False  # of a gradient operator: the formula takes grad_output and returns the gradient
    aclnn: tuple[C, ...] = ()  # the C functions
    generated: bool = False  # whether CANN's build makes the C functions. These return other statuses
    graph: tuple[str, ...] = ()  # the interfaces in graph mode
    torch: Torch | None = None  # the names in actgrad.torch
    paper: str = ""  # authors, year and address. A gradient has the paper of its forward operator

    @cached_property
    def schema(self) -> Schema:
        return schema.parse(self.text)

    @property
    def name(self) -> str:
        return self.schema.name

    @cached_property
    def graphs(self) -> tuple[GraphSignature, ...]:
        """The interfaces in graph mode (IR)."""
        return tuple(_graph_signature(self, line) for line in self.graph)

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """The names of the switch attribute's values, in the order of their numbers. Empty if they have no names."""
        keys = tuple(self.formula) if isinstance(self.formula, Mapping) and isinstance(self.switch, str) else ()
        return keys if all(isinstance(key, str) for key in keys) else ()

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The default of each attribute, from the schema or from the forward operator. Flags are False."""
        return {argument.name: _default(self, argument) for argument in self.schema.attributes}

    @cached_property
    def access(self) -> Access:
        """The access: what the formula reads. If a tensor is packed, its gradient is packed in the same way."""
        return _access(self)

    @cached_property
    def gradients(self) -> dict[str, str]:
        """For each output of a gradient operator: the tensor of the forward operator whose gradient the output is."""
        return _gradients(self)

    @cached_property
    def forward_outputs(self) -> dict[str, str]:
        """A gradient's tensors `y` that are outputs `y` or `out_y` of the forward operator after its first output."""
        return _forward_outputs(self)

    @cached_property
    def given_value(self) -> str:
        """The optional one of these tensors, or "". Without this tensor, a kernel computes its values again."""
        return next((a.name for a in self.schema.tensors if a.is_optional and a.name in self.forward_outputs), "")

    @property
    def required_outputs(self) -> dict[str, str]:
        """Required tensor of a gradient -> output of the forward operator, which PyTorch saves for backward."""
        return {name: output for name, output in self.forward_outputs.items() if name != self.given_value}

    @cached_property
    def element_tensors(self) -> tuple[str, ...]:
        """The tensors that formulas get: all except the tensors that count or group rows or that are only checked."""
        return tuple(n for n in self.schema.tensor_names if n not in (self.unseen, self.row_counter, self.row_groups))

    @property
    def main(self) -> str:
        """The tensor x of the formula f(x): the last required tensor that has an element at each index.

        It is neither an output of the forward operator nor a tensor of bits.
        """
        return _main(self)

    @property
    def may_be_in_place(self) -> bool:
        """Whether the result may overwrite the operator's only tensor."""
        names = (*self.schema.tensor_names, *self.schema.outputs)
        return self.gradient_of is None and len(names) == 2 and self.access.is_uniform

    @property
    def is_unary_elementwise(self) -> bool:
        """Whether an element of the result depends only on the element of the input at the same index."""
        return not self.multiplies and self.access.is_uniform and len(self.schema.tensor_names) == 1

    def dtypes_of(self, name: str) -> tuple[str, ...]:
        """The dtypes that the operator states for an output. If there are none, the output has the promoted dtype.

        A tensor that is an output of the forward operator has the dtypes of that output. Bits are in bytes.
        """
        return _dtypes_of(self, name)

    def new_dtype_of(self, output: str, attributes: Mapping[str, Any]) -> str:
        """The dtype of a new output, or "" for the promoted dtype."""
        return _new_dtype_of(self, output, attributes)

    def takes_result(self, attributes: Mapping[str, Any]) -> bool:
        """Whether the gradient is computed from y = f(x) instead of x."""
        return bool(self.reads_result) and (not self.result_flag or bool(attributes[self.result_flag]))

    def is_linear(self, name: str) -> bool:
        """Whether the results are linear in this tensor."""
        return name == (self.linear_in or (self.schema.tensor_names[0] if self.gradient_of is not None else ""))

    def formula_for(self, attributes: Any, product: Product | None, tensors: Dtypes | None = None) -> Formula:
        """The formula that a call with these attributes, and tensors of these dtypes, computes."""
        return choose(self, self.formula, attributes, product, tensors)


def _dtypes_of(definition: Definition, name: str) -> tuple[str, ...]:
    if definition.access.has_bits and name in definition.access.tensor_names:
        return ("uint8",)
    if definition.gradient_of is not None and name in definition.forward_outputs:
        return definition.gradient_of.dtypes_of(definition.forward_outputs[name])
    dtypes = definition.output_dtypes.get(name, "")
    return tuple((dtypes if isinstance(dtypes, str) else " ".join(dtypes.values())).split())


def _new_dtype_of(definition: Definition, output: str, attributes: Mapping[str, Any]) -> str:
    dtypes, by_switch = definition.dtypes_of(output), definition.output_dtypes.get(output)
    if isinstance(by_switch, Mapping):
        switch = definition.switch
        return by_switch[switch(dict(attributes), None) if callable(switch) else attributes[switch]]
    if definition.dtype_attribute and output == definition.schema.outputs[0]:
        return BY_NUMBER[attributes[definition.dtype_attribute]].name  # a check refuses other numbers
    return next(iter(dtypes), "")


def _access(definition: Definition) -> Access:
    if definition.reads is not None:
        return definition.reads
    forward = definition.gradient_of or definition.part_of
    if forward is None:
        return Elementwise()
    packed = [output for output, tensor in definition.gradients.items() if forward.access.part_count(tensor) > 1]
    return forward.access.with_packed(*packed)


def _gradients(definition: Definition) -> dict[str, str]:
    if definition.gradient_of is None:
        return {}
    tensors, outputs = definition.gradient_of.element_tensors, definition.schema.outputs
    if len(tensors) == len(outputs) == 1:
        return {outputs[0]: tensors[0]}
    return {output: output.removeprefix("grad_") for output in outputs}


def _forward_outputs(definition: Definition) -> dict[str, str]:
    outputs = definition.gradient_of.schema.outputs[1:] if definition.gradient_of is not None else ()
    names = {name.removeprefix("out_"): name for name in outputs} | {name: name for name in outputs}
    return {name: names[name] for name in definition.schema.tensor_names if name in names}


def _main(definition: Definition) -> str:
    required = [argument.name for argument in definition.schema.tensors if not argument.is_optional]
    names = [name for name in required if name in definition.element_tensors]
    names = [name for name in names if definition.access.brings_elements(name)]
    return [name for name in names if name not in definition.forward_outputs and not definition.dtypes_of(name)][-1]


def choose(
    definition: Definition,
    source: Formula | Mapping[Any, Any],
    attributes: dict[str, Any],
    product: Product | None,
    tensors: Dtypes | None = None,
) -> Formula:
    """The function of a formula, or of a statistic's term, for a call with these attributes and dtypes of tensors.

    `tensors` has the first output too, because its dtype may choose a term.
    """
    if not isinstance(source, Mapping):
        return source
    switch, schema, tensors = definition.switch, definition.schema, tensors or {}
    first = schema.outputs[0]
    if source.keys() <= {*definition.dtypes_of(first)}:
        choice = source[tensors[first].name]
    elif switch in schema.tensor_names:
        choice = source[switch in tensors]
    else:
        key = switch(attributes, product) if callable(switch) else attributes[switch]
        choice = source[key if isinstance(key, (str, int)) else bool(key)]  # bool() of a traced value makes a guard
    if not isinstance(choice, Mapping):
        return choice
    assert definition.variant is not None, "the linter demands it"
    return choice[definition.variant(attributes, tensors)]


def functions_in(source: Any) -> tuple[Formula, ...]:
    """The functions of a formula or of a term, which may be mappings of functions."""
    values = source.values() if isinstance(source, Mapping) else ()
    return tuple([function for value in values for function in functions_in(value)]) if values else (source,)


def _graph_signature(definition: Definition, line: str) -> GraphSignature:
    signature = schema.parse_graph(line, definition.schema, definition.choices)
    for name, default in definition.defaults.items():
        if default is None and name not in (*signature.renamed.values(), *signature.fixed):
            raise InvalidOperator(
                f"operator {definition.name}: graph operator {signature.name} leaves out {name}, which has no default; "
                f"each attribute must have a value; write 'GRAPH_NAME={name}:DEFAULT'"
            )
    return signature


def _default(definition: Definition, argument: Argument) -> Any:
    forward = definition.gradient_of
    if argument.default is not None:
        is_choice = argument.name == definition.switch and definition.choices
        return definition.choices[argument.default] if is_choice else argument.default
    if forward is not None and argument.name in forward.defaults:
        return forward.defaults[argument.name]
    return False if argument.type == "bool" else None


#: The fields that `Operator` takes as **keywords, and whether they are required.
FIELDS = {
    field.name: field.default is MISSING and field.default_factory is MISSING
    for field in fields(Definition)
    if field.name not in ("text", "dtypes", "products", "gradient_of", "part_of", "aclnn", "graph")
}
