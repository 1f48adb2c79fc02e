"""The sections of an operator's docstring, with the names of each interface: Python, PyTorch, graphs, C."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

from ..base.definition import Definition, Formula, Switch
from ..base.errors import ActgradError, InvalidArgument, InvalidDtype
from ..base.loop import Shape
from . import law
from .check import Check
from .documentation import WIDTH, formula_heading, formula_lines, wrapped
from .run import own_checks, refused_flags

_TYPES = {"Scalar": "float"}


def renamed(text: str, words: Mapping[str, str]) -> str:
    """A text with some words replaced, for example names of arguments and results."""
    return re.sub(r"\w+", lambda match: words.get(match[0], match[0]), text)


class ExampleCall:
    """The shapes and the code of a small call, for the example of a docstring."""

    def __init__(self, definition: Definition, library: str = "np", dtype: str = "", has_whole_blocks: bool = False):
        takes_double = library != "np" or "float64" in definition.input_dtypes
        self.definition, self.library = definition, library
        self.dtype = dtype if dtype or takes_double else ", dtype=np.float32"
        schema, access = definition.schema, definition.access
        missing = {name: 0 if schema.attributes_by_name[name].type == "int" else 1.0 for name in definition.defaults}
        self.attributes = {n: missing[n] if value is None else value for n, value in definition.defaults.items()}
        self.required = [n for n, value in definition.defaults.items() if value is None]
        self._elements: Shape = access.example_shape
        if has_whole_blocks and access.blocks(2, self.attributes):
            self._elements = access.row(256)
        self.shapes = {a.name: self._shape_of(a.name) for a in schema.tensors if not a.is_optional}
        results = access.result_shapes(schema.outputs, self._element_shapes(), self.attributes)
        self.result_shapes = dict(zip(schema.outputs, results, strict=True))

    def _shape_of(self, name: str) -> Shape:
        return self.definition.access.whole_shape(name, self._elements, self.attributes)

    def _element_shapes(self) -> dict[str, Shape]:
        return {name: shape for name, shape in self.shapes.items() if name in self.definition.element_tensors}

    def tensor(self, name: str) -> str:
        """The code that makes an input of the example.

        A gradient has ones, or numbers from 0 to 1. The main tensor has numbers from -2 to 2. Other tensors have 0.5.
        """
        definition, shape, library = self.definition, self._shape_of(name), self.library
        is_gradient = definition.gradient_of is not None and definition.is_linear(name)
        if is_gradient and len(shape) == 1:
            return f"{library}.ones({self._argument(shape)}{self.dtype})"
        if name in definition.required_outputs:
            return self._forward_output(definition.required_outputs[name])
        if dtypes := definition.dtypes_of(name):
            return f"{library}.full({shape}, 1, dtype={library}.{dtypes[0]})"
        if not is_gradient and name not in (definition.main, definition.result.tensor):
            return f"{library}.full({self._argument(shape)}, 0.5{self.dtype})"
        first, last = (0, 1) if is_gradient else (-2, 2)
        numbers = f"{library}.linspace({first}, {last}, {prod(shape)}{self.dtype})"
        numbers = numbers if len(shape) == 1 else f"{numbers}.reshape{shape}"
        forward = definition.gradient_of
        is_result = name == definition.result.tensor and not definition.result.flag
        return f"actgrad.{forward.name}({numbers})" if forward is not None and is_result else numbers

    def _forward_output(self, output: str) -> str:
        """The code that makes an output of the forward operator."""
        forward = self.definition.gradient_of
        assert forward is not None, "only a gradient has such tensors"
        sample = ExampleCall(forward, self.library, self.dtype)
        tensors = ", ".join(map(sample.tensor, sample.shapes))
        return f"actgrad.{forward.name}({tensors})[{forward.schema.outputs.index(output)}]"

    def _argument(self, shape: Shape) -> str:
        return str(shape[0] if len(shape) == 1 and self.library == "np" else shape)

    def arguments(self) -> str:
        """The arguments of the call: the required tensors, and attributes that have no default."""
        return ", ".join([*self.shapes, *(f"{name}={self.attributes[name]!r}" for name in self.required)])


class Docstring:
    """The sections of an operator's docstring. `translate` replaces the operator's names by names of an interface."""

    def __init__(
        self,
        definition: Definition,
        translate: Callable[[str], str] = str,
        array: str = "array",
        has_defaults: bool = True,
    ):
        self.definition, self.translate, self.array, self.has_defaults = definition, translate, array, has_defaults
        #: What judges a call and what it computes. A law has other rules, dtypes and formulas.
        self.checks: tuple[Check, ...] = own_checks(definition)
        self.requires: Iterable[str] = definition.requires
        self.dtypes: Sequence[str] = definition.input_dtypes
        self.formulas: Iterable[Formula | Switch] = (definition.formula,)

    def write(self, *sections: tuple[str, Iterable[str]], example: Sequence[str]) -> str:
        """The docstring: the summary, the sections, the formulas, the source and the example."""
        definition = self.definition
        parts = [wrapped(self.translate(definition.summary)), *(_section(title, lines) for title, lines in sections)]
        lines = [line for formula in self.formulas for line in formula_lines(definition, formula)]
        parts.append(_section(self.translate(formula_heading(definition)), lines))
        parts.append(_section("Source", [definition.paper] if definition.paper else []))
        parts.append("\n".join(["Example:", *(f"    {line}" for line in example)]) if example else "")
        return "\n\n".join(filter(None, parts))

    def argument(self, name: str, default: Any = None) -> str:
        """The type, the range, the role and the default of an argument, by its name in the schema."""
        schema, definition = self.definition.schema, self.definition
        attribute = schema.attributes_by_name.get(name)
        if attribute is None:
            optional = [a.name for a in schema.tensors if a.is_optional and self.has_defaults]
            kind, words = self.array, [*self._tensor_words(name), *(["Default: None."] if name in optional else [])]
        else:
            is_choice = name == definition.switch and bool(definition.choices)
            kind = "str or int" if is_choice else _TYPES.get(attribute.type, attribute.type)
            rules = [rule for rule in self._rules(InvalidArgument, (name,)) if rule in self.requires]
            default = definition.defaults[name] if default is None else default
            words = [*self._attribute_words(name), *(f"Required: {rule}." for rule in rules)]
            words += [f"Default: {default!r}."] if self.has_defaults and default is not None else []
        return f"({kind}): {self.translate(' '.join(words))}".removesuffix(": ")

    def _tensor_words(self, name: str) -> list[str]:
        definition = self.definition
        forward = definition.gradient_of or definition.roles.part_of
        if name == definition.ragged.counter:
            return [f"Only the first sum({name}) rows are computed."]
        if name == definition.ragged.groups:
            ends = "The end of each group of rows"
            kind = definition.ragged.are_counts
            if kind is True:
                return ["The number of rows in each group."]
            return [f"{ends}, or with {kind}=1 the number of rows in each." if kind else f"{ends}."]
        if name == definition.roles.only_checked:
            return ["Only its shape and its data type are checked."]
        is_optional = any(a.is_optional for a in definition.schema.tensors if a.name == name)
        dtypes = definition.input_dtypes if is_optional else self.dtypes  # rules state those of optional tensors
        words = [f"{', '.join(definition.dtypes_of(name) or dtypes)}."]
        if forward is None or definition.gradient_of is None:
            return words
        if definition.is_linear(name):
            return [*words, f"Gradient of the result of {forward.name}."]
        if name == definition.result.tensor:
            flag = definition.result.flag
            return [*words, f"Result of {forward.name}{f' if {flag}, else its input' * bool(flag)}."]
        if name == definition.given_value:
            return [*words, f"Second result of {forward.name}. Without this tensor it is computed again."]
        if name in definition.forward_outputs:
            return [*words, f"Output {definition.forward_outputs[name]} of {forward.name}."]
        return [*words, f"Input of {forward.name}."]

    def _attribute_words(self, name: str) -> list[str]:
        definition = self.definition
        if name == definition.access.dimension_attribute:
            return ["Dimension, from -rank to rank - 1."]
        if name == definition.switch and definition.choices:
            return [", ".join(f"{choice!r} ({number})" for number, choice in enumerate(definition.choices)) + "."]
        if name in refused_flags(definition):
            return ["Required: False."]
        is_free = definition.schema.attributes_by_name[name].type == "Scalar"
        is_free = is_free and not {*self.requires} & {*self._rules(InvalidArgument, (name,))}
        return ["Any number."] if is_free else []

    def _rules(self, error: type[ActgradError], about: Sequence[str], first: bool = False) -> list[str]:
        """The rules of this kind of error that read one of the arguments `about`.

        With `first`, the first argument of the rule must be one of `about`.
        """
        checks = [c for c in self.checks if c.error is error]
        rules = [c.rule.partition(", unless ")[0] for c in checks if {*about} & {*c.about[: 1 if first else None]}]
        return [rule for rule in dict.fromkeys(rules) if not rule.startswith("on ")]

    def result_dtypes(self) -> str:
        """The dtypes of new outputs, in a text that follows the words "of the kind"."""
        definition = self.definition
        dtypes = {
            name: definition.dtypes_of(name)[0] for name in definition.schema.outputs if definition.dtypes_of(name)
        }
        words = ", ".join(self.translate(f"{name} in {dtype}") for name, dtype in dtypes.items())
        if len(dtypes) == len(definition.schema.outputs):
            return f"of the inputs; {words}"
        return "and data type of the inputs" + f"; {words}" * bool(words)

    def shapes(self) -> list[str]:
        """The shapes of an example call, and the rules on shapes."""
        definition, sample, schema = self.definition, ExampleCall(self.definition), self.definition.schema
        inputs, outputs = (
            ", ".join(f"{name} {shape}" for name, shape in shapes.items())
            for shapes in (sample.shapes, sample.result_shapes)
        )
        rules = self._rules(InvalidArgument, (*schema.tensor_names, *schema.outputs))
        rules = [f"{rule}." for rule in rules if rule not in self.requires and " format " not in rule]
        if definition.broadcasts:
            rules.append("The tensors are broadcast together and promoted to one data type.")
        lines = map(self.translate, [f"{inputs} -> {outputs}, for example.", *rules])
        return [line for line in lines if not re.fullmatch(r"(\w+) has the shape of \1\.", line)]

    def errors(self, missing: str = "NullArgument: a required argument is None.", outputs: bool = True) -> list[str]:
        """The errors of a call and their reasons.

        `missing` is the line about arguments that are left out. Without `outputs`, a caller cannot pass outputs.
        """
        schema = self.definition.schema
        names = (*schema.tensor_names, *schema.attributes_by_name, *(schema.outputs if outputs else ()))
        rules = self._rules(InvalidDtype, names, first=True)
        numbers = [rule.partition(" ")[0] for rule in rules if rule.endswith(" can be converted to float")]
        rules = [rule for rule in rules if rule.partition(" ")[0] not in numbers]
        rules += [f"{', '.join(numbers)} can be converted to float"] if numbers else []
        values = f", or a rule on values: {'; '.join(self.requires)}" if self.requires else ""
        lines = [
            missing,
            f"InvalidDtype: a rule on data types is broken: {'; '.join(rules)}.",
            f"InvalidArgument: a rule on shapes is broken{values}.",
            "UnsupportedOnProduct: the chosen product lacks the operator.",
        ]
        return [self.translate(line) for line in lines]


def _section(title: str, lines: Iterable[str]) -> str:
    """A section of a docstring, or "" if there are no lines."""
    fill = partial(textwrap.fill, width=WIDTH, break_long_words=False, break_on_hyphens=False)
    texts = [fill(line, initial_indent="    ", subsequent_indent="        ") for line in lines]
    return "\n".join([f"{title}:", *texts]) if texts else ""


def operator_docstring(definition: Definition, call: str, results: Sequence[str]) -> str:
    """The docstring of an operator in Python. `results` are the arrays that its example prints."""
    writer, schema, sample = Docstring(definition), definition.schema, ExampleCall(definition)
    if law.slots is not None:  # their docstrings say on which product
        writer.formulas = (definition.formula, *law.slots.law_of(definition).formulas.values())
    count = len(schema.outputs)
    arguments = [f"{name} {writer.argument(name)}" for name in (*schema.tensor_names, *schema.attributes_by_name)]
    kind = "array" if count == 1 else "tuple of arrays"
    arguments += [
        f"out ({kind}): Memory for the result. Default: None, which allocates it.",
        "backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.",
        "An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.",
    ]
    outputs = ", ".join(schema.outputs)
    returns = [f"{outputs} ({kind}): Of the kind {writer.result_dtypes()}. With out=, the memory given there."]
    example = [">>> import numpy as np", ">>> import actgrad"] if results else []
    if results:
        example += [f">>> {name} = {sample.tensor(name)}" for name in sample.shapes]
        example.append(f">>> {outputs} = {call}({sample.arguments()})")
    for name, result in zip(schema.outputs, results, strict=bool(results)):
        rounded = "" if "float8" in result else ".round(4)"  # the product with 10000 exceeds floats of 8 bits
        example += [f">>> {name}{rounded}", *result.split("\n")]
    return writer.write(
        ("Args", arguments), ("Shape", writer.shapes()), ("Returns", returns), ("Raises", writer.errors()),
        example=example,
    )  # fmt: skip
