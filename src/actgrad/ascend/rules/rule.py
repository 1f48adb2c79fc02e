"""A rule of CANN's law: a check that says where it comes from, and in which calls it applies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from ...base.dtypes import Dtype
from ...base.errors import ActgradError, InvalidArgument
from ...base.loop import TensorMeta
from ...checks.check import Call, Check, of_each
from ..products import Product


class Origin(Enum):
    """Where the rule comes from."""

    BOTH = "the documents and the operator's source"
    OPERATOR = "the operator's source"
    DOCUMENT = "the documents"
    ACTGRAD = "actgrad's decision"


class When(Enum):
    """The calls that a rule judges."""

    ALWAYS = "always"
    PRODUCT = "if a product is in force"
    DOCUMENT = "under the rules of the documents"
    LIMITS = "if a product is in force, or under the rules of the documents"
    TYPED = "in the C interface"
    UNTYPED = "in Python"

    def applies(self, law: Any) -> bool:
        """Whether a rule of this kind judges calls under this law."""
        if self is When.ALWAYS:
            return True
        if law is None:
            return self is When.UNTYPED
        if self is When.PRODUCT:
            return law.product is not None
        if self is When.DOCUMENT:
            return bool(law.document)
        if self is When.LIMITS:
            return law.document or law.product is not None
        return law.typed is (self is When.TYPED)


@dataclass(frozen=True)
class Rule(Check):
    """A check of CANN: with its origin, the calls that it judges, and the error of C calls if that differs."""

    when: When = When.ALWAYS
    origin: Origin = Origin.BOTH
    c_error: type[ActgradError] | None = None

    def applies(self, law: Any) -> bool:
        """Whether the rule judges calls under this law."""
        return self.when.applies(law)

    def error_class(self, law: Any) -> type[ActgradError]:
        """The class of the error. In C calls it may depend on the stage in which the real function fails."""
        return self.c_error if law is not None and law.typed and self.c_error else self.error

    @property
    def status(self) -> int:
        """The status that C functions return."""
        return (self.c_error or self.error).status


def rule_from(check: Check, **changes: Any) -> Rule:
    """A check as a rule, with these fields."""
    return Rule(**{field.name: getattr(check, field.name) for field in fields(check)} | changes)


def limited(checks: tuple[Check, ...], **changes: Any) -> tuple[Rule, ...]:
    """Checks as rules, with these fields."""
    return tuple([rule_from(check, **changes) for check in checks])


def on_each(
    names: tuple[str, ...],
    rule: str,
    test: Callable[[Call, str, TensorMeta], str | None],
    error: type[ActgradError] = InvalidArgument,
    when: When = When.ALWAYS,
    origin: Origin = Origin.BOTH,
    about: tuple[str, ...] = (),
) -> tuple[Rule, ...]:
    """A rule for each of these tensors, which passes if the call lacks the tensor.

    `rule` is a text with "{name}" for the tensor. `about` are the other arguments that the test reads.
    """
    return limited(of_each(names, rule, test, error, about), when=when, origin=origin)


def product_of(call: Call) -> Product | None:
    """The product whose rules judge a call, or None."""
    product: Product | None = None if call.law is None else call.law.product
    return product


def is_c_call(call: Call) -> bool:
    """Whether this is a call of the C interface."""
    return call.law is not None and bool(call.law.typed)


def scalar_dtypes(call: Call) -> dict[str, Dtype]:
    """The dtypes of the typed scalars of a C call, by name. Empty for other calls."""
    return {} if call.law is None else dict(zip(call.definition.schema.scalars, call.law.scalar_dtypes, strict=False))


def formats_of(call: Call) -> dict[str, str]:
    """The formats of the tensors of a C call, by name. Empty if all formats are ND."""
    schema = call.definition.schema
    formats = () if call.law is None else call.law.formats
    return dict(zip((*schema.tensor_names, *schema.outputs), formats, strict=False))


def format_of(call: Call, name: str) -> str:
    """The format of a tensor of a C call: "ND", "NCHW" and so on."""
    return formats_of(call).get(name, "ND")
