"""What CANN says about an operator: chips, data types, rules, names in C and in graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...base.definition import Definition, Formula
from ...base.forks import cached_property
from ..products import BY_NAME, Product
from . import lint
from .graph_lines import GraphSignature, parse_graph
from .order import in_order
from .rule import Origin, Rule, limited

Requirement = Callable[[dict[str, Any], "Product | None"], bool]
#: Operator -> its law.
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
    must_be_null: bool = False  # whether an output must be a null pointer, or empty
    null_means_default: bool = False  # whether a scalar or a text may be a null pointer, which means the default
    other_numbers_mean_first: bool = False  # whether a number without a choice means the first choice
    example: Any = None  # of an ignored parameter: its value in the example of the docstring


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
    has_document: bool = True  # whether a document of CANN states the rules of its C functions. Else actgrad decided
    differences_file: str = ""  # Markdown next to the law: where the sources differ, and what actgrad does

    def __post_init__(self) -> None:
        if self.definition not in LAWS:
            if not _is_shipping:
                lint.refuse_faults(self, LAWS.values())
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
        text = (Path(__file__).parents[1] / "law" / self.differences_file).read_text(encoding="utf-8")
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

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All rules of calls, in order."""
        definition = self.definition
        rules = in_order(
            definition, self.checks, self.requires, self.null_order, self.product_names, self.is_autogenerated_in_cann
        )
        if self.has_document and self.functions:
            return rules
        return limited(rules, origin=Origin.ACTGRAD)  # without a document of CANN, every rule is our decision

    @cached_property
    def graphs(self) -> tuple[GraphSignature, ...]:
        """The interfaces in graph mode (IR)."""
        return tuple(parse_graph(line, self.definition) for line in self.graph)

    def of_function(self, function: C, in_place: bool = False) -> Law:
        """The law of the calls of a C function. It is this law, unless the function has other rules or products."""
        before = function.in_place.checks if in_place and function.in_place else function.out_checks
        if not (before or function.checks or function.null_order or function.products):
            return self
        return replace(
            self,
            checks=(*before, *(function.checks or self.checks)),
            null_order=function.null_order,
            products=function.products or self.products,
        )
