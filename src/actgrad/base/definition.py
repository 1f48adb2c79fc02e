"""What an operator is: its interface, formula and roles, as data. Nothing here comes from CANN."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import schema
from .access import Access, Elementwise
from .access.elementwise import NONE
from .dtypes import BY_NAME, BY_NUMBER, FLOATS, Dtype
from .forks import cached_property
from .records import Record
from .schema import Argument, Schema

Formula = Callable[..., Any]
TensorDtypes = Mapping[str, Dtype]
Requirement = Callable[[dict[str, Any]], bool]
ELEMENTWISE = Elementwise()


class Switch(dict[Any, Any]):
    """Formulas by key, and the question that chooses one: an attribute, an optional tensor or a function of attributes.

    The terms of statistics may be mappings with the same keys. If a value is a mapping too, `variant` chooses its key.
    """

    def __init__(
        self,
        by: str | Callable[[dict[str, Any]], Any],
        formulas: Mapping[Any, Any],
        variant: Callable[[dict[str, Any], TensorDtypes], Any] | None = None,
    ):
        super().__init__(formulas)
        self.by, self.variant = by, variant


class Result(Record):
    """The tensor of a gradient operator that is the result of the forward operator, not its input."""

    tensor: str = ""
    flag: str = ""  # if this attribute is false, the tensor is the input instead
    #: Rules in words, each with a test of the attributes: what makes the result enough to compute the gradient.
    suffices: Mapping[str, Requirement] = NONE


class Integers(Record):
    """How integer inputs are computed. Without a formula, they are computed as floats and then converted."""

    formula: Formula | Mapping[Any, Any] | None = None  # for integer arithmetic. It may be the operator's formula
    dtype: str = ""  # the dtype of results. "" means the dtype of the inputs
    in_floats: bool = False  # whether the formula computes in floats, because attributes are floats


class Roles(Record):
    """The parts that tensors play in an operator, beyond being an argument of the formula."""

    multiplies: str = ""  # the tensor that multiplies the formula's value, or "other" for the other half
    linear_in: str = ""  # the results are linear in this tensor. A gradient operator's default is its first tensor
    only_checked: str = ""  # the last tensor, or the last before the counter of rows, if no formula reads it
    takes_gradient: bool = False  # of a gradient operator: the formula takes grad_output and returns the gradient
    #: The tensor whose order of dimensions new results have. "" means the first tensor, None means row-major results.
    orders_results: str | None = ""
    part_of: Any = None  # the operator of which this one returns only the first result


class Ragged(Record):
    """The optional last tensor, if it says which rows of a call are computed, or to which group a row belongs."""

    counter: str = ""  # this tensor's sum is the number of rows before `dim` that a call computes
    groups: str = ""  # this tensor assigns rows to groups
    are_counts: str | bool = False  # whether `groups` has sizes instead of ends, or the int attribute that is 1 if so
    #: The other rows of the results: "cleared" (0), "kept" (their values, and 0 in new results), "computed" without
    #: the groups' scales, or "refused".
    rest: str = "kept"


class Dtypes(Record):
    """The dtypes that the mathematics allows: all floating ones, and others."""

    besides_floats: str = ""  # the inputs' dtypes that are not floating, with spaces between
    #: Output -> its dtypes, names with spaces between. The first one is the dtype of a new output. For dtypes that
    #: depend on the switch, write a mapping from its values to dtypes. Other outputs have the promoted dtype.
    outputs: Mapping[str, str | Mapping[Any, str]] = NONE
    attribute: str = ""  # the int that numbers the dtype (aclDataType) of a new first output


class Torch(Record):
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
    #: The names of parameters that PyTorch deprecated, and their new names.
    former_names: Mapping[str, str] = NONE


class Definition(Record):
    """An operator as data. Its schema line is its interface, and the rest follows from the line.

    `formula` computes one element. With `gradient_of`, it is the derivative, and kernels apply the chain rule.
    """

    text: str  # the schema line
    summary: str  # a line with the formula and its conditions. Further sentences follow after an empty line
    formula: Formula | Switch
    gradient_of: Definition | None = None
    layout: Access | None = None  # None means the forward operator's layout, or Elementwise
    ragged: Ragged = Ragged()
    roles: Roles = Roles()
    result: Result = Result()
    integers: Integers = Integers()
    defaults_of_tensors: Mapping[str, float] = NONE  # optional tensor -> a number in its place
    preconditions: tuple[Any, ...] = ()  # rules on dtypes and shapes, in order. Empty: they follow from the rest
    requires: Mapping[str, Requirement] = NONE  # rule in words -> whether attributes keep it
    dtypes: Dtypes = Dtypes()
    broadcasts: bool = False  # whether inputs are promoted and broadcast. Otherwise shapes and dtypes are equal
    torch: Torch | None = None  # the names in actgrad.torch
    paper: str = ""  # authors, year and address. A gradient has the paper of its forward operator

    __eq__, __hash__ = object.__eq__, object.__hash__  # one object for each operator

    @cached_property
    def schema(self) -> Schema:
        return schema.parse(self.text)

    @property
    def name(self) -> str:
        """The operator's name. It is read without the schema, which is parsed at the operator's first use."""
        return self.text.partition("(")[0] if isinstance(self.text, str) else self.schema.name

    @property
    def switch(self) -> str | Callable[[dict[str, Any]], Any]:
        """What chooses the formula, or "" for one formula."""
        return self.formula.by if isinstance(self.formula, Switch) else ""

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """The names of the switch attribute's values, in the order of their numbers. Empty if they have no names."""
        keys = tuple(self.formula) if isinstance(self.formula, Switch) and isinstance(self.formula.by, str) else ()
        return keys if all(isinstance(key, str) for key in keys) else ()

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The default of each attribute, from the schema or from the forward operator. Flags are False."""
        return {argument.name: self._default(argument) for argument in self.schema.attributes}

    def _default(self, argument: Argument) -> Any:
        forward = self.gradient_of
        if argument.default is not None:
            is_choice = argument.name == self.switch and self.choices
            return self.choices[argument.default] if is_choice else argument.default
        if forward is not None and argument.name in forward.defaults:
            return forward.defaults[argument.name]
        return False if argument.type == "bool" else None

    @cached_property
    def access(self) -> Access:
        """The layout in force: what the formula reads. If a tensor is packed, its gradient is packed alike."""
        if self.layout is not None:
            return self.layout
        forward = self.gradient_of or self.roles.part_of
        if forward is None:
            return ELEMENTWISE
        packed = [output for output, tensor in self.gradients.items() if forward.access.part_count(tensor) > 1]
        return forward.access.with_packed(*packed)

    @cached_property
    def gradients(self) -> dict[str, str]:
        """For each output of a gradient operator: the tensor of the forward operator whose gradient the output is."""
        if self.gradient_of is None:
            return {}
        tensors, outputs = self.gradient_of.element_tensors, self.schema.outputs
        if len(tensors) == len(outputs) == 1:
            return {outputs[0]: tensors[0]}
        return {output: output.removeprefix("grad_") for output in outputs}

    @cached_property
    def forward_outputs(self) -> dict[str, str]:
        """A gradient's tensors `y` that are outputs `y` or `out_y` of the forward operator after its first output."""
        outputs = self.gradient_of.schema.outputs[1:] if self.gradient_of is not None else ()
        names = {name.removeprefix("out_"): name for name in outputs} | {name: name for name in outputs}
        return {name: names[name] for name in self.schema.tensor_names if name in names}

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
        others = (self.roles.only_checked, self.ragged.counter, self.ragged.groups)
        return tuple(name for name in self.schema.tensor_names if name not in others)

    @property
    def main(self) -> str:
        """The tensor x of the formula f(x): the last required tensor that has an element at each index.

        It is neither an output of the forward operator nor a tensor of bits.
        """
        required = [a.name for a in self.schema.tensors if not a.is_optional and a.name in self.element_tensors]
        names = [name for name in required if self.access.brings_elements(name)]
        return [name for name in names if name not in self.forward_outputs and not self.dtypes_of(name)][-1]

    @property
    def may_be_in_place(self) -> bool:
        """Whether the result may overwrite the operator's only tensor."""
        names = (*self.schema.tensor_names, *self.schema.outputs)
        return self.gradient_of is None and len(names) == 2 and self.access.is_uniform

    @property
    def is_unary_elementwise(self) -> bool:
        """Whether an element of the result depends only on the element of the input at the same index."""
        return not self.roles.multiplies and self.access.is_uniform and len(self.schema.tensor_names) == 1

    @cached_property
    def input_dtypes(self) -> tuple[str, ...]:
        """The dtypes that the mathematics allows for inputs.

        The list lacks float64 if an output has a statistic in float32, because the formula reads the rounded one.
        """
        statistics = {self.dtypes_of(name)[:1] for name in self.schema.outputs if self.access.is_statistic(name)}
        floats = [name for name in FLOATS if name != "float64" or ("float32",) not in statistics]
        return tuple(name for name in BY_NAME if name in (*floats, *self.dtypes.besides_floats.split()))

    def dtypes_of(self, name: str) -> tuple[str, ...]:
        """The dtypes that the operator states for an output. If there are none, the output has the promoted dtype.

        A tensor that is an output of the forward operator has the dtypes of that output. Bits are in bytes.
        """
        if stored := self.access.stored_dtypes.get(name):
            return (stored,)
        if self.gradient_of is not None and name in self.forward_outputs:
            return self.gradient_of.dtypes_of(self.forward_outputs[name])
        dtypes = self.dtypes.outputs.get(name, "")
        return tuple((dtypes if isinstance(dtypes, str) else " ".join(dtypes.values())).split())

    def new_dtype_of(self, output: str, attributes: Mapping[str, Any]) -> str:
        """The dtype of a new output, or "" for the promoted dtype."""
        dtypes, by_switch = self.dtypes_of(output), self.dtypes.outputs.get(output)
        if isinstance(by_switch, Mapping):
            return by_switch[self.switch(dict(attributes)) if callable(self.switch) else attributes[self.switch]]
        if self.dtypes.attribute and output == self.schema.outputs[0]:
            return BY_NUMBER[attributes[self.dtypes.attribute]].name  # a check refuses other numbers
        return next(iter(dtypes), "")

    def takes_result(self, attributes: Mapping[str, Any]) -> bool:
        """Whether the gradient is computed from y = f(x) instead of x."""
        return bool(self.result.tensor) and (not self.result.flag or bool(attributes[self.result.flag]))

    def is_linear(self, name: str) -> bool:
        """Whether the results are linear in this tensor."""
        first = self.schema.tensor_names[0] if self.gradient_of is not None else ""
        return name == (self.roles.linear_in or first)

    def formula_for(self, attributes: Any, law: Any = None, tensors: TensorDtypes | None = None) -> Formula:
        """The formula that a call with these attributes, and tensors of these dtypes, computes under a law."""
        formula = None if law is None else law.formula(self)
        return self.choose(self.formula if formula is None else formula, attributes, tensors)

    def choose(self, source: Any, attributes: dict[str, Any], tensors: TensorDtypes | None = None) -> Formula:
        """The function of a formula, or of a statistic's term, for a call with these attributes and dtypes of tensors.

        `tensors` has the first output too, because its dtype may choose a term.
        """
        if not isinstance(source, Mapping):
            return source
        switch, tensors = self.switch, tensors or {}
        first = self.schema.outputs[0]
        if source.keys() <= {*self.dtypes_of(first)}:
            choice = source[tensors[first].name]
        elif switch in self.schema.tensor_names:
            choice = source[switch in tensors]
        else:
            key = switch(attributes) if callable(switch) else attributes[switch]
            choice = source[key if isinstance(key, (str, int)) else bool(key)]  # bool() of a traced value makes a guard
        if not isinstance(choice, Mapping):
            return choice
        assert isinstance(self.formula, Switch), "the linter demands it"
        assert self.formula.variant is not None, "the linter demands it"
        return choice[self.formula.variant(attributes, tensors)]


def functions_in(source: Any) -> tuple[Formula, ...]:
    """The functions of a formula or of a term, which may be mappings of functions."""
    values = source.values() if isinstance(source, Mapping) else ()
    return tuple([function for value in values for function in functions_in(value)]) if values else (source,)


#: The fields that `Operator` takes as keywords, and whether they are required.
FIELDS = {name: name in Definition.required_fields for name in Definition.field_names if name != "text"}
