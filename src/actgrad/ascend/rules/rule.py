"""CANN's rules: checks that say where they come from, and in which calls they apply.

A law states rules on pointers, products, formats and ranks, on data types, on packed tensors and on quantisation, and
limits them to a stage of a call, to products, or to calls whose tensors have elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from math import prod
from typing import Any

from ...base.definition import Definition
from ...base.dtypes import Dtype, can_convert
from ...base.errors import (
    ActgradError,
    InvalidArgument,
    InvalidDtype,
    NotConfigured,
    NullArgument,
    TilingFailed,
    UnsupportedOnProduct,
    either,
)
from ...base.loop import TensorMeta
from ...checks import dtype_rules, quantisation_rules, shape_rules
from ...checks.check import Call, Check, of_each
from ...checks.dtype_rules import INTEGERS, integer_for_integers, real, unsupported
from ...checks.halves_rules import number_of
from ...checks.results import result_dtype
from ..products import BY_NAME, Product
from .scalars import to_int

Group = tuple[Check, ...]
Rules = tuple["Rule", ...]


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


class Rule(Check):
    """A check of CANN: with its origin, the calls that it judges, and the error of C calls if that differs."""

    when: When = When.ALWAYS
    origin: Origin = Origin.BOTH
    c_error: type[ActgradError] | None = None

    def applies(self, law: Any) -> bool:
        """Whether the rule judges calls under this law."""
        when = self.when
        if when is When.ALWAYS or law is None:
            return when in (When.ALWAYS, When.UNTYPED)
        if when is When.TYPED or when is When.UNTYPED:
            return law.typed is (when is When.TYPED)
        has_product, by_documents = law.product is not None, bool(law.document)
        return (when is not When.DOCUMENT and has_product) or (when is not When.PRODUCT and by_documents)

    def error_class(self, law: Any) -> type[ActgradError]:
        """The class of the error. In C calls it may depend on the stage in which the real function fails."""
        return self.c_error if law is not None and law.typed and self.c_error else self.error

    @property
    def status(self) -> int:
        """The status that C functions return."""
        return (self.c_error or self.error).status


def rule_from(check: Any, **changes: Any) -> Rule:
    """A check as a rule, with these fields."""
    own = {} if type(check) is Check else {"when": check.when, "origin": check.origin, "c_error": check.c_error}
    start = {"rule": check.rule, "test": check.test, "error": check.error, "about": check.about, **own}
    return Rule(**{**start, **changes})


def limited(checks: tuple[Check, ...], **changes: Any) -> tuple[Rule, ...]:
    """Checks as rules, with these fields."""
    return tuple([rule_from(check, **changes) for check in checks]) if checks else ()


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


# Pointers, products, formats and ranks


def missing(name: str, kind: str = "Tensor") -> str:
    """The message about a null pointer. `kind` is the argument's type in the schema."""
    return f"{name} is a null pointer; it is required; pass {'an aclScalar' if kind == 'Scalar' else 'a pointer'}"


def no_nulls(definition: Definition, order: tuple[str, ...] = ()) -> tuple[Rule, ...]:
    """No required argument is missing. In C calls every tensor, output and scalar is a pointer.

    `order` is the order of the search, or () for the schema's order.
    """

    def rule(name: str, kind: str, when: When) -> Rule:
        def test(call: Call) -> str | None:
            values = call.attributes if kind in shape_rules.KINDS else call.tensors
            if values.get(name) is not None:
                return None
            if call.law is not None and call.law.typed:
                return missing(name, kind)
            return f"{name} is None; it is required; pass {shape_rules.KINDS.get(kind, 'an array or a tensor')}"

        return Rule(f"{name} is not null", test, NullArgument, (name,), when)

    rules, given_value = [], definition.given_value
    for a in definition.schema.arguments:
        if a.name == given_value:
            rules.append(rule(a.name, a.type, When.TYPED))
        elif not a.is_optional:
            is_pointer = a.is_tensor or a.type == "Scalar"
            rules.append(rule(a.name, a.type, When.ALWAYS if is_pointer else When.UNTYPED))
    for name in definition.schema.outputs:
        rules.append(rule(name, "Tensor", When.TYPED))
    return tuple(sorted(rules, key=lambda rule: order.index(rule.about[0])) if order else rules)


def available(products: tuple[str, ...], is_autogenerated: bool) -> Rule:
    """The product has the operator."""

    def test(call: Call) -> str | None:
        product = product_of(call)
        if product is None or product.name in products:
            return None
        has = f"{', '.join(products)} {'has' if len(products) == 1 else 'have'} it"
        return f"not available on {product} ({product.marketing}); {has}; choose one of these products"

    error = NotConfigured if is_autogenerated else UnsupportedOnProduct
    return Rule("the product has the operator", test, error, (), When.PRODUCT, Origin.ACTGRAD)


ANY_RANK = 1 << 30


def rank(*names: str, minimum: int = 0, maximum: int = 8) -> tuple[Rule, ...]:
    """Each of these tensors has `minimum` to `maximum` dimensions, which is a limit of the chips."""
    return limited(shape_rules.rank(*names, minimum=minimum, maximum=maximum), when=When.LIMITS)


def nonempty(*names: str) -> tuple[Rule, ...]:
    """Each of these tensors has elements."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        if meta.size:
            return None
        return f"{name} is empty (shape {meta.shape}); the documents require elements; skip the call"

    return on_each(names, "{name} is not empty", test)


def nd_format(*names: str) -> tuple[Rule, ...]:
    """The format of these tensors is ND."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        form = format_of(call, name)
        return None if form == "ND" else f"{name} has format {form}; it must be ND; create it with ACL_FORMAT_ND"

    return on_each(names, "{name} has format ND", test)


#: Formats that describe only the order of dimensions. CANN calls the other formats private.
PUBLIC_FORMATS = ("ND", "NCHW", "NHWC", "HWCN", "NDHWC", "NCDHW", "NCL", "NC", "UNDEFINED")


def public_format(*names: str) -> tuple[Rule, ...]:
    """No tensor has a private format."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        form = format_of(call, name)
        if form in PUBLIC_FORMATS:
            return None
        return f"{name} has the private format {form}; it must be ND; create it with ACL_FORMAT_ND"

    return on_each(names, "{name} has no private format", test, origin=Origin.OPERATOR)


def same_format(*names: str, to: str) -> tuple[Rule, ...]:
    """Each of these tensors has the format of the tensor `to`."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        form, other = format_of(call, name), format_of(call, to)
        if form == other:
            return None
        return f"{name} has format {form}, but {to} has {other}; the formats must be equal; create both with one format"

    return on_each(names, f"{{name}} has the format of {to}", test, origin=Origin.OPERATOR, about=(to,))


def required(rule: str, holds: Callable[[dict[str, Any], Product | None], bool], attributes: Sequence[str]) -> Rule:
    """A rule on the values of attributes on a product."""
    words = set(re.findall(r"\w+", rule))
    # A rule that names a product is actgrad's decision, because CANN's source code does not ask for the product.
    origin = Origin.ACTGRAD if words & set(BY_NAME) else Origin.BOTH
    (own,) = (shape_rules.required(rule, lambda attributes: False, attributes),)

    def test(call: Call) -> str | None:
        return None if holds(call.attributes, product_of(call)) else own.test(call)

    return rule_from(own, test=test, origin=origin)


# Data types of chips and of typed scalars


def on_product(product: Product | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """`names` without the dtypes that the product's chips lack."""
    return names if product is None or product.bfloat16 else tuple(name for name in names if name != "bfloat16")


def supported(*names: str, dtypes: str = "", products: str = "", everywhere: bool = False) -> tuple[Rule, ...]:
    """Each of these tensors has a dtype of the law's list, or of the list `dtypes`.

    The product must have the dtype too, unless `everywhere`. Without a product, the operator's own list applies. If
    `products` is not empty, other products have no dtypes.
    """
    listed, takers = tuple(dtypes.split()), tuple(products.split())
    own = dict(zip(names, dtype_rules.supported(*names), strict=True))

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        product = product_of(call)
        if product is None:
            return own[name].test(call)
        if takers and product.name not in takers:
            return f"{name} is {meta.dtype}; the operator takes no dtype{call.place}; choose another product"
        if not listed and not everywhere:
            allowed = call.input_dtypes
        else:
            allowed = listed or call.law.record(call.definition).dtype_names
            allowed = allowed if everywhere else on_product(product, allowed)
        return None if meta.dtype.name in allowed else unsupported(name, meta.dtype, allowed, call)

    return on_each(names, "{name} has a supported dtype", test, InvalidDtype)


def has_dtype(name: str, dtype: str, or_dtype_of: str = "") -> tuple[Rule, ...]:
    """A tensor has this dtype. Without a product, it may also have the dtype of the tensor `or_dtype_of`."""
    (own,) = dtype_rules.has_dtype(name, dtype, or_dtype_of=or_dtype_of)
    (strict,) = dtype_rules.has_dtype(name, dtype)

    def test(call: Call) -> str | None:
        return (own if product_of(call) is None else strict).test(call)

    return (rule_from(own, test=test),)


def on_chip(*names: str) -> tuple[Rule, ...]:
    """Check that the product has these tensors' dtypes, because the operator's list has the dtypes of all products."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        if on_product(product_of(call), (meta.dtype.name,)):
            return None
        return f"{name} is {meta.dtype}; it must be a dtype that {product_of(call)} has; convert {name}"

    return on_each(names, "the product has {name}'s dtype", test, InvalidDtype, When.PRODUCT)


def scalar_supported(name: str, dtypes: str, everywhere: bool = False) -> tuple[Rule, ...]:
    """This typed scalar has one of these dtypes. A number in Python must only be real.

    The product must have the dtype too, unless `everywhere`.
    """
    names = tuple(dtypes.split())

    def test(call: Call) -> str | None:
        dtype = scalar_dtypes(call)[name]
        allowed = names if everywhere else on_product(product_of(call), names)
        if dtype.name in allowed:
            return None
        return f"{name} is a scalar of {dtype}; it must be {either(allowed)}{call.place}; create it with that dtype"

    rule = f"{name} has a supported dtype ({', '.join(names)})"
    typed = Rule(rule, test, InvalidDtype, (name,), When.TYPED)
    return (typed, *limited(real(name), when=When.UNTYPED))


def scalar_converts(name: str) -> tuple[Rule, ...]:
    """This typed scalar can be converted to the result's dtype. A number in Python must be real.

    If the result has integers, a number in Python must be an integer.
    """

    def test(call: Call) -> str | None:
        dtype, result = scalar_dtypes(call)[name], result_dtype(call)
        if can_convert(dtype, result):
            return None
        return f"{name} is a scalar of {dtype}; it must convert to the result's dtype, {result}; create it as {result}"

    typed = Rule(f"{name} can be converted to the result's dtype", test, InvalidDtype, (name,), When.TYPED)
    of_integers = limited(integer_for_integers(name), when=When.UNTYPED, origin=Origin.ACTGRAD)
    return (typed, *limited(real(name), when=When.UNTYPED), *of_integers)


def scalar_on_product(name: str) -> tuple[Rule, ...]:
    """The product has the dtype of this typed scalar. Any dtype of the product is allowed."""

    def test(call: Call) -> str | None:
        dtype = scalar_dtypes(call)[name]
        if on_product(product_of(call), (dtype.name,)):
            return None
        return f"{name} is a scalar of {dtype}; it must be a dtype that {product_of(call)} has; create it as float32"

    return (Rule(f"the product has {name}'s dtype", test, InvalidDtype, (name,), When.TYPED, Origin.ACTGRAD),)


def has_integer_type(call: Call, name: str) -> bool:
    """Whether a scalar of a C call has an integer dtype. CANN converts such a scalar as C does, modulo a power of 2."""
    typed = scalar_dtypes(call).get(name)
    return typed is not None and typed.kind in ("bool", *INTEGERS)


def ordered_scalars(low: str, high: str) -> tuple[Check, ...]:
    """The scalar `low` is at most `high`.

    CANN compares two integers in C calls if `low` has an integer dtype, and two doubles otherwise.
    """
    (own,) = (shape_rules.required(f"{low} <= {high}", lambda attributes: False, (low, high)),)

    def test(call: Call) -> str | None:
        numbers = [call.attributes[name] for name in (low, high)]
        if is_c_call(call):
            numbers = [to_int(n) if has_integer_type(call, low) else float(n) for n in numbers]
        return own.test(call) if numbers[0] > numbers[1] else None

    return (Check(own.rule, test, about=own.about),)


# Packed tensors

BLOCK_BYTES = 64


def most_along(packed: str, maximum: int, most_rows: int, dim: str = "dim") -> tuple[Rule, ...]:
    """If a product is in force, `packed` has 1 to `maximum` elements along `dim`, and at most `most_rows` rows."""

    def test(call: Call) -> str | None:
        shape, number = call.inputs[packed].shape, number_of(call, dim)
        size = shape[number]
        if not 1 <= size <= maximum:
            fault = f"{packed} has size {size} in dimension {number}{call.place}"
            return f"{fault}; it must be 1 to {maximum}; split {packed}"
        rows = prod(shape) // size
        if rows <= most_rows:
            return None
        fault = f"{packed} has {rows} rows along dimension {number}{call.place}"
        return f"{fault}; it must have at most {most_rows}; split {packed}"

    rule = f"{packed} has 1 to {maximum} elements along {dim}, in at most {most_rows} rows"
    return (Rule(rule, test, about=(packed, dim), when=When.PRODUCT),)


def whole_blocks(packed: str, dim: str = "dim") -> tuple[Check, ...]:
    """Half of the packed tensor, with `dim` and later dimensions flattened, has a multiple of BLOCK_BYTES bytes."""

    def test(call: Call) -> str | None:
        meta = call.inputs[packed]
        size = prod(meta.shape[number_of(call, dim) % max(len(meta.shape), 1) :]) // 2 * meta.dtype.itemsize
        if size % BLOCK_BYTES == 0:
            return None
        fault = f"half of {packed} from dimension {number_of(call, dim)} on has {size} bytes"
        return f"{fault}; it must have a multiple of {BLOCK_BYTES}; pad {packed}"

    rule = f"half of {packed} from {dim} on is a multiple of {BLOCK_BYTES} bytes"
    return (Check(rule, test, about=(packed, dim)),)


# Quantisation

#: Product -> the dtypes to which it quantises. The key "" is for all other products.
QUANTISED = {
    "Ascend950": ("int8", "int4", "int32", "float8_e5m2", "float8_e4m3fn", "hifloat8"),
    "Ascend310P": ("int8",),
    "Ascend910": ("int8",),
    "": ("int8", "int4", "int32"),
}


def output_supported(name: str) -> tuple[Rule, ...]:
    """The product can quantise to the dtype of this output. Without a product, a kernel of actgrad must write it."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        written_dtypes = call.definition.dtypes_of(name)
        allowed = QUANTISED.get(product.name, QUANTISED[""]) if (product := product_of(call)) else written_dtypes
        if meta.dtype.name in allowed:
            return None
        return f"{name} is {meta.dtype}; it must be {either(allowed)}{call.place}; pass {name} in such a dtype"

    return on_each((name,), "the product quantises to the dtype of {name}", test, InvalidDtype)


def one_dtype_of(name: str, dtypes: str) -> tuple[Rule, ...]:
    """If a product is in force, this output has one of these dtypes. Otherwise it has a dtype of the operator."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        allowed = tuple(dtypes.split()) if product_of(call) else call.definition.dtypes_of(name)
        return (
            None if meta.dtype.name in allowed else f"{name} is {meta.dtype}; it must be {either(allowed)}; convert it"
        )

    return on_each((name,), f"{{name}} is {either(dtypes.split())}", test, InvalidDtype)


def kernel_writes(name: str) -> tuple[Rule, ...]:
    """A kernel of actgrad writes the dtype of this output, unless the output is empty. CANN writes more dtypes."""
    return limited(quantisation_rules.kernel_writes(name), origin=Origin.ACTGRAD)


# Stages: limits of rules to a stage, to products or to nonempty tensors


def unless_empty(names: tuple[str, ...], *groups: Group, tested_on: str = "") -> Rules:
    """These checks, for calls in which no named tensor is empty. Otherwise the real operator returns before it checks.

    The products in `tested_on` check empty tensors too. If the call has to allocate its outputs, the checks always
    apply, because the shapes of the outputs follow from shapes that passed the checks.
    """

    def guarded(check: Check) -> Rule:
        def test(call: Call) -> str | None:
            is_empty = any((meta := call.tensors.get(name)) is not None and meta.size == 0 for name in names)
            is_tested = (product := product_of(call)) is not None and product.name in tested_on.split()
            return None if is_empty and call.outputs and not is_tested else check.test(call)

        words = f" (tested on {tested_on})" if tested_on else ""
        return rule_from(check, rule=f"{check.rule}, unless {' or '.join(names)} is empty{words}", test=test)

    return tuple(guarded(check) for group in groups for check in group)


def only_documents(*groups: Group) -> Rules:
    """These checks, as rules that only the documents state."""
    return limited(tuple([check for group in groups for check in group]), when=When.DOCUMENT, origin=Origin.DOCUMENT)


def in_tiling(*groups: Group) -> Rules:
    """These checks, which a generated function makes when it plans its kernel (tiling), unless all outputs are empty.

    In C, a failed check has the status of the tiling stage. The documents promise the status of a wrong parameter, so
    under the rules of the documents the same checks also come earlier, with that status. In Python both checks raise
    the same class.
    """

    def at_tiling(check: Check) -> Rule:
        def test(call: Call) -> str | None:
            is_empty = bool(call.outputs) and all(meta.size == 0 for meta in call.outputs.values())
            return None if is_empty else check.test(call)

        return rule_from(check, test=test, c_error=TilingFailed, origin=Origin.OPERATOR)

    return (*only_documents(*groups), *(at_tiling(check) for group in groups for check in group))


def only_on(products: str, *groups: Group) -> Rules:
    """Checks that apply only on these products."""
    return _where(f"on {products}", lambda name: name in products.split(), groups)


def except_on(products: str, *groups: Group) -> Rules:
    """Checks that apply only on other products than these."""
    return _where(f"off {products}", lambda name: name not in products.split(), groups)


def _where(words: str, holds: Callable[[str], bool], groups: tuple[Group, ...]) -> Rules:
    def limited_check(check: Check) -> Rule:
        def test(call: Call) -> str | None:
            product = product_of(call)
            return check.test(call) if product is not None and holds(product.name) else None

        is_documented = isinstance(check, Rule) and check.origin is Origin.DOCUMENT
        origin = Origin.DOCUMENT if is_documented else Origin.OPERATOR
        return rule_from(check, rule=f"{words}: {check.rule}", test=test, origin=origin)

    return tuple(limited_check(check) for group in groups for check in group)
