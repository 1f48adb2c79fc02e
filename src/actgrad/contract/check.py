"""The metadata of a call, and a check of it."""

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

    product: Product | None = None  # None: only the limits of actgrad, which are wider
    document: bool = False  # whether the rules of the documents also apply
    typed: bool = False  # a C call: scalars are typed, and every tensor and scalar is a pointer

    @staticmethod
    def current(typed: bool = False) -> Ruleset:
        """The terms chosen here or by the environment. A product always judges the C interface."""
        if not products.any_chosen():
            return _TYPED if typed else _PLAIN
        product = products.current() or (products.DEFAULT if typed else None)
        return _terms(product, products.chosen_rules() == "document", typed)


_terms = cache(Ruleset)  # one object each: there are a few dozen
_PLAIN, _TYPED = Ruleset(), Ruleset(products.DEFAULT, typed=True)


@dataclass(frozen=True, slots=True)
class Call:
    """An operator's arguments as metadata. An output that the call allocates is absent from `tensors`."""

    definition: Definition
    tensors: dict[str, TensorMeta | None]
    attributes: dict[str, Any]
    ruleset: Ruleset = _PLAIN
    scalar_dtypes: Mapping[str, Dtype] = field(default_factory=dict)  # of typed scalars
    formats: Mapping[str, str] = field(default_factory=dict)  # the formats of tensors whose format is not ND
    inputs: dict[str, TensorMeta] = field(init=False)  # the tensors that a call passes and that formulas get
    outputs: dict[str, TensorMeta] = field(init=False)

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
    def are_integers(self) -> bool:
        """Whether all tensors that elements see are of integers."""
        return {meta.dtype.kind for meta in self.inputs.values()} <= {"bool", "int", "uint"}

    @property
    def row_counter(self) -> TensorMeta | None:
        """The tensor that counts rows, if there is one."""
        return self.tensors.get(self.definition.row_counter)

    @property
    def row_groups(self) -> TensorMeta | None:
        """The tensor that tells the groups of rows, if there is one."""
        return self.tensors.get(self.definition.row_groups)

    @property
    def on_product(self) -> str:
        """The product whose rules are in force, for messages: " on Ascend310P", or nothing."""
        return f" on {self.product}" if self.product else ""


def change(call: Call, name: str) -> str:
    """What to do about a tensor of the wrong shape, for messages: outputs are allocated, inputs are reshaped."""
    return f"allocate {name} with that shape" if name in call.definition.schema.outputs else f"reshape {name}"


class Origin(Enum):
    """The position of a rule among the checks."""

    BOTH = "the documents and the operator's source"
    OPERATOR = "the operator's source"
    DOCUMENT = "the documents"
    ACTGRAD = "actgrad's decision"


class When(Enum):
    """Which terms a rule is part of."""

    ALWAYS = "always"
    PRODUCT = "where a product judges"
    DOCUMENT = "where the documents' letter holds"
    LIMITS = "where a product judges or the documents' letter holds"
    TYPED = "in the C interface"
    UNTYPED = "in Python"

    def applies(self, ruleset: Ruleset) -> bool:
        """Whether a rule of this kind is in force."""
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
    """One rule in words, and a test that returns the fault, or None."""

    rule: str
    test: Callable[[Call], str | None]
    error: type[ActgradError] = InvalidArgument
    when: When = When.ALWAYS
    origin: Origin = Origin.BOTH
    about: tuple[str, ...] = ()  # the arguments that it judges
    c_error: type[ActgradError] | None = None  # the argument's name in the C interface, if it differs from Python

    def raised(self, ruleset: Ruleset) -> type[ActgradError]:
        """The class of the error: in Python by the kind of fault, in the C interface by the stage that finds it."""
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
    """A check of each of these tensors, where a call has it. `rule` has {name}. `about` names more arguments."""

    def check(name: str) -> Check:
        def tested(call: Call) -> str | None:
            meta = call.tensors.get(name)
            return None if meta is None else test(call, name, meta)

        return Check(rule.format(name=name), tested, error, when, origin, (name, *about))

    return tuple(map(check, names))
