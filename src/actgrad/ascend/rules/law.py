"""What CANN says about an operator: chips, data types, rules, names in C and in graphs. And the law in force."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from ...base.definition import Definition, Formula
from ...base.dtypes import Dtype
from ...base.errors import ActgradError, KernelMissing
from ...base.forks import cached_property
from ...base.loop import broadcast_shapes
from ...calls.call_cache import cache_of
from ...calls.operator import REGISTRY
from ...checks import dtype_rules, halves_rules, law
from ...checks import shape_rules as own_shape_rules
from ...checks.check import Call, Check
from ...checks.run import forget_checks, own_checks
from ..products import BY_NAME, DEFAULT, Product
from . import lint
from .graph_lines import GraphSignature, parse_graph
from .rule import (
    Origin,
    Rule,
    When,
    available,
    has_integer_type,
    in_tiling,
    limited,
    no_nulls,
    on_product,
    only_documents,
    rank,
    required,
)

Requirement = Callable[[dict[str, Any], "Product | None"], bool]
#: Operator -> the law that somebody stated.
LAWS: dict[Definition, Law] = {}
_is_shipping = False


@contextmanager
def shipping() -> Iterator[None]:
    """A context in which the package states its laws. The linter reads only other ones; a test lints ours."""
    global _is_shipping
    _is_shipping = True
    try:
        yield
    finally:
        _is_shipping = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a C function that is more than the next argument of the schema.

    A parameter of which the operator knows nothing is `is_ignored`, has a `constant`, or `must_be_null`.
    """

    name: str  # in C
    type: str = ""  # "Tensor", "Scalar", "bool", "int", "double" or "text". "" means the type in the schema
    is_const: bool | None = None  # in the prototype. None means that inputs are const, and outputs are not
    is_ignored: bool = False  # whether the function neither reads nor writes it
    may_be_null: bool = False  # whether an ignored tensor may be a null pointer
    constant: Any = None  # the only value that actgrad computes. A text may be null instead
    refusal: Callable[[str], ActgradError] = KernelMissing  # the error of another value than the constant
    must_be_null: bool = False  # whether an output must be a null pointer, or empty
    null_means_default: bool = False  # whether a scalar or a text may be a null pointer, which means the default
    other_numbers_mean_first: bool = False  # whether a number without a choice means the first choice
    example: Any = None  # of an ignored parameter: its value in the example of the docstring

    @property
    def is_foreign(self) -> bool:
        """Whether it is no argument of the operator."""
        return self.is_ignored or self.constant is not None or self.must_be_null


@dataclass(frozen=True, slots=True)
class InPlace:
    """The in-place form of a C function, aclnnInplace and its name."""

    reference: str = "selfRef"  # the C name of the tensor that it overwrites
    is_const: bool = False  # whether the reference is const in the prototype
    overwrites_first: bool = False  # whether it exists for an operator of several tensors, and overwrites the first one
    checks: tuple[Any, ...] = ()  # rules of this form, before all others


@dataclass(frozen=True, eq=False)
class C:
    """A C function of an operator: its name, and its differences from the law in parameters, limits or checks.

    `parameters` are C names, each for the next argument of the schema, or `Parameter` objects. () means the operator's
    tensors, attributes and outputs, in the schema's order and in camelCase.
    """

    name: str  # after "aclnn"
    parameters: tuple[str | Parameter, ...] = ()
    #: Attributes that the function fixes, with their values. Tensors that the function lacks, with None.
    fixed: Mapping[str, Any] = field(default_factory=dict)
    header: str = ""  # the header's name. "" means aclnn_ and the function's name in snake_case
    in_place: InPlace | None = InPlace()  # the in-place form, if the operator allows one
    checks: tuple[Any, ...] = ()  # they replace the law's checks
    out_checks: tuple[Any, ...] = ()  # checks of the form that is not in place, before all others
    products: str = ""  # the products that have the function. "" means the products of the operator
    null_order: str = ""  # the arguments in the order of the search for null pointers. "" means C's order
    otherwise: Any = (
        None  # the operator that computes calls with the outputs that must be null here, and all its inputs
    )
    #: From the arguments by C names and the product to the operator that computes the call, or an exception.
    chooses: Callable[[Mapping[str, Any], Product], Any] | None = None


@dataclass(frozen=True, eq=False)
class Law:
    """What CANN says about an operator.

    Names in a text have spaces between. A law is in force for the calls of its operator while a program chooses a
    product or a set of rules, and for the calls of its C functions.
    """

    operator: Any
    products: str = " ".join(BY_NAME)  # the products that have the operator
    dtypes: str = "float32 float16 bfloat16"  # the dtypes of the operator's list. A product may lack bfloat16
    bfloat16_everywhere: bool = False  # whether even products without bfloat16 have this operator in bfloat16
    checks: tuple[Any, ...] = ()  # rules on dtypes and shapes, in order. Empty means the usual rules
    #: Rule in words -> whether attributes keep it on a product: rules that CANN has besides the operator's own rules.
    requires: Mapping[str, Requirement] = field(default_factory=dict)
    #: Product, or "document" for the rules of the documents -> the formula there, if it differs from the operator's.
    formulas: Mapping[str, Formula] = field(default_factory=dict)
    null_order: str = ""  # the arguments in the order of the search for null pointers. "" means the schema's order
    functions: tuple[C, ...] = ()  # the C functions
    is_autogenerated_in_cann: bool = False  # whether CANN's build makes the C functions. These return other statuses
    graph: tuple[str, ...] = ()  # the interfaces in graph mode, such as "Elu(x=self, alpha=1.0) -> y"
    #: Markdown with a part for each operator: where the sources differ, and what actgrad does. A name is a file of the
    #: package. For a file of your own, write the whole path: Path(__file__).with_name("my_law.md").
    differences_file: str | Path = ""

    def __post_init__(self) -> None:
        if not _is_shipping:
            lint.refuse_faults(self, _laws_in_use())
            forget_checks()  # an earlier call met the usual rules
            cache_of(self.definition).forget()
        LAWS[self.definition] = self

    @property
    def definition(self) -> Definition:
        """The operator as data."""
        definition: Definition = getattr(self.operator, "definition", self.operator)
        return definition

    @property
    def differences(self) -> tuple[str, ...]:
        """The texts of the Markdown file about this operator: where the sources differ, and what actgrad does."""
        if not self.differences_file:
            return ()
        text = (lint.FOLDER / self.differences_file).read_text(encoding="utf-8")
        section = text.partition(f"\n## {self.definition.name}\n")[2].partition("\n## ")[0]
        return tuple(" ".join(part.split()) for part in section.strip().removeprefix("- ").split("\n- ") if part)

    @property
    def product_names(self) -> tuple[str, ...]:
        """The products that have the operator."""
        return tuple(self.products.split())

    @property
    def dtype_names(self) -> tuple[str, ...]:
        """The dtypes of the operator's list."""
        return tuple(self.dtypes.split())

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules of calls, in order."""
        return rules_of(self)

    @cached_property
    def graphs(self) -> tuple[GraphSignature, ...]:
        """The interfaces in graph mode (IR)."""
        return tuple(parse_graph(line, self.definition) for line in self.graph)

    def of_function(self, function: C, in_place: bool = False) -> Law:
        """The law of the calls of a C function. It is this law, unless the function has other rules or products."""
        before = function.in_place.checks if in_place and function.in_place else function.out_checks
        if not (before or function.checks or function.null_order or function.products):
            return self
        changes = {
            "checks": (*before, *(function.checks or self.checks)),
            "null_order": function.null_order,
            "products": function.products or self.products,
        }
        return _DerivedLaw(**{each.name: getattr(self, each.name) for each in fields(self)} | changes)


class _DerivedLaw(Law):
    """A law that nobody stated, so it is not in LAWS: of a C function with other rules, or the usual one."""

    def __post_init__(self) -> None:
        pass


def law_of(definition: Definition) -> Law:
    """The law of an operator. An operator whose law nobody stated has the usual rules."""
    if definition not in LAWS:
        _state_laws_of_package()
    return LAWS.get(definition) or _usual_law(definition)


@cache
def _usual_law(definition: Definition) -> Law:
    return _DerivedLaw(definition, dtypes=f"float32 float16 bfloat16 {definition.dtypes.besides_floats}")


def _state_laws_of_package() -> None:
    """Import the laws, which import this module."""
    import_module(f"{__package__.rpartition('.')[0]}.law")


def _laws_in_use() -> list[Law]:
    """The laws of all operators in the registry. The names of an operator that left it are free again."""
    _state_laws_of_package()
    return [LAWS[operator.definition] for operator in REGISTRY.values() if operator.definition in LAWS]


# The rules in the order of CANN


#: Among a law's checks: the place of the checks on attributes. Otherwise they come last.
ATTRIBUTE_RULES: tuple[Check, ...] = (Check("the attributes have allowed values", lambda call: None),)
#: The same checks, if a generated function makes them when it plans its kernel.
ATTRIBUTE_RULES_IN_TILING: tuple[Check, ...] = (
    Check("the attributes have values that a kernel takes", lambda call: None),
)


@cache
def rules_of(law: Law) -> tuple[Rule, ...]:
    """All rules of a law, in order. Without a C function of CANN, every rule is actgrad's decision."""
    stated, products = law.checks, law.product_names
    rules = in_order(law.definition, stated, law.requires, law.null_order, products, law.is_autogenerated_in_cann)
    return rules if law.functions else limited(rules, origin=Origin.ACTGRAD)


def in_order(
    definition: Definition,
    stated: tuple[tuple[Check, ...], ...],
    requires: Mapping[str, Any],
    null_order: str,
    products: tuple[str, ...],
    is_autogenerated: bool,
) -> tuple[Rule, ...]:
    """All rules of a law, in order: null, product, and then the rules that the law states or has by its layout."""
    middle: list[Check] = []
    parts = stated or usual(definition)
    words = {check.rule for part in parts for check in part}
    values = tuple([check for check in _values(definition, requires) if check.rule not in words])
    scalars = [a.name for a in definition.schema.attributes if a.type == "Scalar"]
    for check in limited(dtype_rules.real(*scalars), when=When.UNTYPED, origin=Origin.ACTGRAD):
        middle += [] if check.rule in words else [check]  # formulas and rules compare scalars
    is_placed = False
    for part in parts:
        if part is ATTRIBUTE_RULES or part is ATTRIBUTE_RULES_IN_TILING:
            middle += values if part is ATTRIBUTE_RULES else in_tiling(values)
            is_placed = True
        else:
            middle += part
    if not is_placed:
        middle += values
    of_dtypes = (*dtype_rules.numbered(definition), *dtype_rules.scalars_of_integers(definition, has_integer_type))
    middle += limited(of_dtypes, origin=Origin.ACTGRAD)
    checks = (
        *no_nulls(definition, tuple(null_order.split())),
        available(products, is_autogenerated),
        *middle,
        *limited(dtype_rules.storable(*definition.schema.outputs), origin=Origin.OPERATOR),
    )
    return tuple([c if isinstance(c, Rule) else Rule(c.rule, c.test, c.error, c.about) for c in checks])


def _values(definition: Definition, requires: Mapping[str, Any]) -> tuple[Check, ...]:
    """The checks on attributes: of the operator and of the law. A rule of the law replaces one with the same words."""
    own = {check.rule: check for check in own_shape_rules.on_values(definition)}
    for rule, holds in requires.items():
        own[rule] = required(rule, holds, [a.name for a in definition.schema.attributes])
    return tuple(own.values())


def usual(definition: Definition) -> tuple[tuple[Check, ...], ...]:
    """The rules on dtypes and shapes of a law whose field `checks` is empty."""
    first, *rest = definition.schema.tensor_names
    outputs = definition.schema.outputs
    fixed = {name: dtypes for name in rest if (dtypes := definition.dtypes_of(name))}
    promotable = [name for name in rest if name not in fixed]
    scalars = [a.name for a in definition.schema.attributes if a.type == "Scalar"]
    access, promoted = definition.access, [name for name in outputs if not definition.dtypes_of(name)]
    if access.has_bits:
        of_bits = [name for name in rest if name in access.tensor_names]
        return (
            dtype_rules.supported(first),
            dtype_rules.equal(*promotable, *promoted, to=first),
            dtype_rules.dtypes_as_written(fixed),
            dtype_rules.convertible(*(name for name in outputs if name not in promoted)),
            rank(first, minimum=1),
            own_shape_rules.same_shape(*(name for name in rest if name not in of_bits), to=first),
            own_shape_rules.whole_bytes(first),
            *(own_shape_rules.bits_of(name, of=first) for name in of_bits),
            own_shape_rules.result_shape(*outputs),
        )
    if access.is_packed:
        packed = next(name for name in (first, *rest) if access.part_count(name) > 1)
        halves = [name for name in (first, *rest, *outputs) if access.part_count(name) == 1]
        return (
            dtype_rules.supported(first),
            dtype_rules.equal(*promotable, *promoted, to=first),
            dtype_rules.dtypes_as_written(fixed),
            dtype_rules.convertible(*(name for name in outputs if name not in promoted)),
            rank(packed),
            halves_rules.dim_in_range(packed, access.dimension_attribute),
            halves_rules.even(packed, access.dimension_attribute),
            halves_rules.half(*halves, of=packed, dim=access.dimension_attribute),
            own_shape_rules.result_shape(*outputs),
        )
    alike = [name for name in rest if access.brings_elements(name)]
    positions = {name: d for name in rest if (d := access.position_of(name)) is not None}
    if definition.broadcasts:
        same: list[str] = []
        joined = tuple(check for name in alike for check in own_shape_rules.broadcastable(name, to=first))
    else:
        same, joined = [*alike, *(name for name in outputs if not access.is_statistic(name))], ()
    return (
        dtype_rules.supported(first),
        dtype_rules.promoted(first, *promotable) if definition.broadcasts else dtype_rules.equal(*promotable, to=first),
        dtype_rules.dtypes_as_written(fixed),
        dtype_rules.real(*scalars),
        only_documents(dtype_rules.supported(*promoted)),
        dtype_rules.convertible(*outputs),
        joined,
        own_shape_rules.same_shape(*same, to=first),
        *(own_shape_rules.along(name, to=first, position=d) for name, d in positions.items()),
        own_shape_rules.result_shape(*outputs) if definition.broadcasts else (),
        rank(first),
        halves_rules.dim_in_range(first, access.dimension_attribute) if access.dimension_attribute else (),
        own_shape_rules.result_shape(*filter(access.is_statistic, outputs)),
    )


# The law in force


class Ruleset(NamedTuple):
    """Which rules judge a call. It is the `LawInForce` of the core."""

    product: Product | None = None  # None means no limits of chips
    document: bool = False  # whether rules apply that only the documents state
    typed: bool = False  # whether this is a C call. Then scalars have dtypes, and tensors and scalars are pointers
    function: Law | None = None  # the law of the C function. None means the operator's law
    scalar_dtypes: tuple[Dtype, ...] = ()  # of a C call: the dtypes of the schema's scalars
    formats: tuple[str, ...] = ()  # of a C call: the formats of inputs and then outputs. () if all formats are ND

    @property
    def description(self) -> dict[str, str]:
        """The product and the set of rules, for reports."""
        return {
            "product": self.product.name if self.product else "none",
            "rules": "document" if self.document else "operator",
        }

    @property
    def place(self) -> str:
        """The product, for messages: " on Ascend310P", or "" without a product."""
        return f" on {self.product}" if self.product else ""

    def record(self, definition: Definition) -> Law:
        """What CANN says about an operator, or about the C function that is called."""
        return self.function or law_of(definition)

    def dtypes(self, definition: Definition) -> tuple[str, ...]:
        """The dtypes that an operator's inputs may have: CANN's list for the product, or the operator's own list."""
        if self.product is None:
            return definition.input_dtypes
        law = self.record(definition)
        return law.dtype_names if law.bfloat16_everywhere else on_product(self.product, law.dtype_names)

    def checks(self, definition: Definition) -> tuple[Check, ...]:
        """The rules that judge an operator's calls, in order. Without a product and documents, its own checks."""
        if self.product is None and not self.document and not self.typed:
            return own_checks(definition)
        rules = rules_of(self.record(definition))
        return tuple([rule for rule in rules if rule.when is When.ALWAYS or rule.applies(self)])

    def allows(self, definition: Definition, attributes: dict[str, Any]) -> bool:
        """Whether attributes keep the rules that CANN has besides the operator's `requires`."""
        return all(holds(attributes, self.product) for holds in self.record(definition).requires.values())

    def formula(self, definition: Definition) -> Any:
        """The formula of the product or of the documents, or None if it is the operator's formula."""
        formulas = self.record(definition).formulas
        here = formulas.get(self.product.name) if self.product else None
        return formulas.get("document") if here is None and self.document else here

    def returns_early(self, call: Call) -> bool:
        """Whether the real function returns before it plans a kernel.

        A generated function does so if all outputs are empty. A hand-written function does so if a tensor is empty. The
        result is True only if its shapes do not match, because it may not have compared them.
        """
        definition, outputs = call.definition, call.outputs.values()
        if len(outputs) < len(definition.schema.outputs):
            return False
        sizes = [meta.size for meta in (*outputs, *call.inputs.values())]
        if all(sizes):
            return False
        if self.record(definition).is_autogenerated_in_cann:
            return not any(sizes[: len(outputs)])
        shapes = [meta.shape for name, meta in call.inputs.items() if definition.access.is_elementwise(name)]
        shape = broadcast_shapes((), *shapes)
        return shape is None or (definition.broadcasts and any(meta.size != prod(shape) for meta in outputs))

    def of_function(self, function: Law, scalar_dtypes: tuple[Dtype, ...], formats: tuple[str, ...]) -> Ruleset:
        """The rules of a call of a C function."""
        return self._replace(function=function, scalar_dtypes=scalar_dtypes, formats=formats)

    @property
    def rounds_scalars(self) -> bool:
        """Whether every scalar is rounded to float32, as C calls do."""
        return self.typed


ruleset = cache(Ruleset)  # there are a few dozen without a function
_TYPED = ruleset(DEFAULT, typed=True)


def current_ruleset() -> Ruleset | None:
    """The rules that this context or the environment chooses, or None."""
    here: Any = law.in_force.get()
    return law.current() if here is None and law.of_environment is not None else here  # type: ignore[return-value]


def rules_of_c() -> Ruleset:
    """The rules of C calls: those that this context or the environment chooses, otherwise of the default product."""
    law = current_ruleset()
    return _TYPED if law is None else ruleset(law.product or DEFAULT, law.document, typed=True)
