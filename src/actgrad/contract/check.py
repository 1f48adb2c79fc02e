"""The metadata of a call, and a check of this metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from ..base import products
from ..base.definition import Definition
from ..base.dtypes import Dtype
from ..base.errors import ActgradError, InvalidArgument
from ..base.loop import TensorMeta
from ..base.products import Product


class Ruleset(NamedTuple):
    """Which rules apply to a call: product limits, document limits, and typed C scalars."""

    product: Product | None = None  # None means only the limits of actgrad, which are wider
    document: bool = False  # whether rules apply that only the documents state
    typed: bool = False  # whether this is a C call. Then scalars have dtypes, and tensors and scalars are pointers

    @staticmethod
    def current(typed: bool = False) -> Ruleset:
        """The rules that this context or the environment chooses. The rules of a product always apply to C calls."""
        if not products.any_chosen():
            return _TYPED if typed else _PLAIN
        product = products.current() or (products.DEFAULT if typed else None)
        return _ruleset(product, products.chosen_rules() == "document", typed)


_ruleset = cache(Ruleset)  # there are a few dozen rulesets
_PLAIN, _TYPED = Ruleset(), Ruleset(products.DEFAULT, typed=True)


@dataclass(frozen=True, slots=True)
class Call:
    """The metadata of a call. `tensors` lacks an output that the call allocates."""

    definition: Definition
    tensors: dict[str, TensorMeta | None]
    attributes: dict[str, Any]
    ruleset: Ruleset = _PLAIN
    scalar_dtypes: Mapping[str, Dtype] = field(default_factory=dict)  # the dtypes of typed scalars
    formats: Mapping[str, str] = field(default_factory=dict)  # the formats of tensors whose format is not ND
    inputs: dict[str, TensorMeta] = field(init=False)  # the tensors of the call that formulas get
    outputs: dict[str, TensorMeta] = field(init=False)  # the outputs that the caller passes

    def __post_init__(self) -> None:
        schema, tensor_of = self.definition.schema, self.tensors.get
        for kind, names in (("inputs", self.definition.element_tensors), ("outputs", schema.outputs)):
            object.__setattr__(self, kind, {name: meta for name in names if (meta := tensor_of(name)) is not None})

    @property
    def product(self) -> Product | None:
        return self.ruleset.product

    @property
    def first(self) -> tuple[str, TensorMeta]:
        return next(iter(self.inputs.items()))

    @property
    def dtypes(self) -> dict[str, Dtype]:
        """The dtypes of the tensors that a call passes and that formulas get."""
        return {name: meta.dtype for name, meta in self.inputs.items()}

    @property
    def are_integers(self) -> bool:
        """Whether all inputs have integers or bool."""
        return {meta.dtype.kind for meta in self.inputs.values()} <= {"bool", "int", "uint"}

    @property
    def row_counter(self) -> TensorMeta | None:
        """The tensor that counts rows, if there is one."""
        return self.tensors.get(self.definition.row_counter)

    @property
    def row_groups(self) -> TensorMeta | None:
        """The tensor that assigns rows to groups, if there is one."""
        return self.tensors.get(self.definition.row_groups)

    @property
    def on_product(self) -> str:
        """The product in force, for messages: " on Ascend310P", or "" without a product."""
        return f" on {self.product}" if self.product else ""


def change(call: Call, name: str) -> str:
    """The last part of a message about a wrong shape: to allocate another output, or to reshape an input."""
    return f"allocate {name} with that shape" if name in call.definition.schema.outputs else f"reshape {name}"


class Origin(Enum):
    """Where the rule comes from."""

    BOTH = "the documents and the operator's source"
    OPERATOR = "the operator's source"
    DOCUMENT = "the documents"
    ACTGRAD = "actgrad's decision"


class When(Enum):
    """The rulesets that a rule belongs to."""

    ALWAYS = "always"
    PRODUCT = "if a product is in force"
    DOCUMENT = "under the rules of the documents"
    LIMITS = "if a product is in force, or under the rules of the documents"
    TYPED = "in the C interface"
    UNTYPED = "in Python"

    def applies(self, ruleset: Ruleset) -> bool:
        """Whether a rule of this kind belongs to the ruleset."""
        if self is When.ALWAYS:
            return True
        if self is When.PRODUCT:
            return ruleset.product is not None
        if self is When.DOCUMENT:
            return ruleset.document
        if self is When.LIMITS:
            return ruleset.document or ruleset.product is not None
        return ruleset.typed is (self is When.TYPED)


@dataclass(frozen=True, slots=True)
class Check:
    """A rule in words, and a test that returns a message if a call breaks the rule, or None."""

    rule: str
    test: Callable[[Call], str | None]
    error: type[ActgradError] = InvalidArgument
    when: When = When.ALWAYS
    origin: Origin = Origin.BOTH
    about: tuple[str, ...] = ()  # the arguments that the test reads
    c_error: type[ActgradError] | None = None  # the error in C calls, if it differs from `error`

    def error_class(self, ruleset: Ruleset) -> type[ActgradError]:
        """The class of the error. In C calls it may depend on the stage in which the real function fails."""
        return self.c_error if ruleset.typed and self.c_error else self.error

    @property
    def status(self) -> int:
        """The status that C functions return."""
        return (self.c_error or self.error).status


def of_each(
    names: tuple[str, ...],
    rule: str,
    test: Callable[[Call, str, TensorMeta], str | None],
    error: type[ActgradError] = InvalidArgument,
    when: When = When.ALWAYS,
    origin: Origin = Origin.BOTH,
    about: tuple[str, ...] = (),
) -> tuple[Check, ...]:
    """A check for each of these tensors, which passes if the call lacks the tensor.

    `rule` is a text with "{name}" for the tensor. `about` are the other arguments that the test reads.
    """

    def check(name: str) -> Check:
        def run_test(call: Call) -> str | None:
            meta = call.tensors.get(name)
            return None if meta is None else test(call, name, meta)

        return Check(rule.format(name=name), run_test, error, when, origin, (name, *about))

    return tuple(map(check, names))
