"""Functions and modules with the signatures of torch.nn, from the field `torch` of definitions.

Their code is written as text and compiled, as dataclasses do. So torch.compile can read the code, and a call is as fast
as the call of a function in a file.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from ..aten import AUTOCAST
from ..base import torch_names
from ..base.dtypes import FLOATS
from ..calls.operator import REGISTRY, Operator
from ..checks.docstrings import Docstring, ExampleCall, renamed
from .derivatives.saving import AUTO, INPUT, RESULT, ways

#: Parameter that is not an attribute -> its annotation and default.
_OPTIONS = {"inplace": ("bool", False), "save": ("str", AUTO), "dtype": ("torch.dtype | None", None)}
_OPTIONS["_stacklevel"] = ("int", 3)
_ANNOTATIONS = {"Scalar": "float", "int": "int", "bool": "bool"}


class TorchParameter(NamedTuple):
    """A parameter of a function or a module."""

    name: str
    annotation: str
    default: Any = None  # None means that the parameter is required, unless `is_optional`
    is_keyword: bool = False  # whether callers can pass it only by name
    is_optional: bool = False  # whether None is allowed and the default

    def __str__(self) -> str:
        has_default = self.default is not None or self.is_optional
        return f"{self.name}: {self.annotation}" + (f" = {self.default!r}" if has_default else "")


class TorchNames:
    """The names of an operator in actgrad.torch, with their parameters."""

    def __init__(self, operator: Operator):
        names = torch_names.parse(operator.definition)
        assert names is not None, "the definition states names"
        self.operator, self.attributes = operator, operator.schema.attributes_by_name
        self.function, self.module = names.function, names.module
        self.tensors, self.results = list(names.tensors), ["torch.Tensor"] * len(operator.schema.outputs)
        self.parameters = self._parse(names.words)
        self.module_tensors = [word for word in names.module_words if word in self.tensors]
        self.module_parameters = self._parse(names.module_words)

    def _parse(self, words: Sequence[str]) -> list[TorchParameter]:
        result = []
        for index, word in enumerate(words):
            is_keyword = "*" in words[:index]
            name, _, none = word.partition("=")
            if name in _OPTIONS:
                result.append(TorchParameter(name, *_OPTIONS[name], is_keyword, _OPTIONS[name][1] is None))
            elif name in self.attributes:
                kind = "str" if self.is_choice(name) else _ANNOTATIONS[self.attributes[name].type]
                default = None if none else self.operator.defaults[name]
                result.append(TorchParameter(name, kind + (" | None" if none else ""), default, is_keyword, bool(none)))
        return result

    def _tensor_parameters(self) -> list[TorchParameter]:
        pairs = zip(self.tensors, self.operator.schema.tensors, strict=True)
        return [
            TorchParameter(name, "torch.Tensor | None" if a.is_optional else "torch.Tensor", is_optional=a.is_optional)
            for name, a in pairs
        ]

    def is_choice(self, name: str) -> bool:
        return name == self.operator.switch and bool(self.operator.choices)

    @property
    def base(self) -> str:
        """The base class of the module: the class of torch.nn if it has tensors as parameters, otherwise Module."""
        return f"torch.nn.{self.module}" if self.module_tensors else "torch.nn.Module"

    # The code

    def function_text(self) -> str:
        """The Python code of the function of actgrad.torch."""
        operator, names = self.operator, {p.name for p in self.parameters}
        expressions = dict(zip(operator.schema.tensor_names, self.tensors, strict=True))
        for name in self.attributes:
            expressions[name] = name if name in names else repr(operator.defaults[name])
            if self.is_choice(name):
                expressions[name] = f"_number({operator.name!r}, {expressions[name]}, {operator.choices!r})"
        row = ", ".join(expressions[argument.name] for argument in operator.schema.arguments)
        values = "".join(f"{expressions[name]}, " for name in self.attributes)
        raw_values = "".join(f"{name if name in names else expressions[name]}, " for name in self.attributes)
        code = FunctionCode(self, f"_operators[{operator.name!r}]", row, values, raw_values)
        body = [*code.begin(), "if _is_compiling():", *_indented(code.compiled()), "try:", *_indented(code.eager())]
        explained = f"_explain(fault, {self.function!r}, ({code.tensors}, ), ({raw_values}))"
        body += ["except _ActgradError as fault:", f"    raise {explained}"]
        return _function(self.function, [*self._tensor_parameters(), *self.parameters], body, self.results)

    def module_text(self) -> str:
        """The Python code of the class of the module."""
        self_parameter, parameters = TorchParameter("self", ""), self.module_parameters
        tensors = [tensor for tensor in self._tensor_parameters() if tensor.name not in self.module_tensors]
        arguments = [f"self.{name}" if name in self.module_tensors else name for name in self.tensors]
        arguments += [f"{p.name}=self.{p.name}" for p in parameters]
        call = f"return functions.{self.function}({', '.join(arguments)})"
        methods = [_function("forward", [self_parameter, *tensors], [call], self.results)]
        if not self.module_tensors:
            set_up = ["super().__init__()"]
            former = self.operator.definition.torch.former_names if self.operator.definition.torch else {}
            for old, new in former.items():
                set_up += [f"if {old} is not None:", f"    {new} = _renamed({old!r}, {new!r}, {old})"]
            set_up += self.bounds_text("functions._")
            choices = repr(self.operator.choices)
            for p in parameters:
                if self.is_choice(p.name):
                    set_up.append(f"functions._number({self.operator.name!r}, {p.name}, {choices})")
                set_up.append(f"self.{p.name} = {p.name}")
            deprecated = [TorchParameter(old, "float | None", is_optional=True) for old in former]
            methods.insert(0, _function("__init__", [self_parameter, *parameters, *deprecated], set_up))
            methods.append(_function("extra_repr", [self_parameter], [f"return {self._repr_code()}"], ["str"]))
        return "\n".join([f"class {self.module}({self.base}):", *_indented("\n".join(methods).split("\n"))])

    def bounds_text(self, prefix: str) -> list[str]:
        """The line of code that compares two attributes min_X and max_X, if the operator has them."""
        names = self.operator.schema.attributes_by_name
        bounds = [n for name in names if name.startswith("min_") for n in (name, f"max_{name[4:]}") if n in names]
        values = "".join(f", {name}={name}" for name in bounds)
        return [f"{prefix}require_bounds({self.function!r}{values})"] if bounds else []

    @property
    def _shows_values_alone(self) -> bool:
        """Whether PyTorch's module of the same name shows its numbers without their names, as Hardshrink does."""
        own = getattr(torch.nn, self.module, None)
        takes_one = len(self.module_parameters) == 1 and self.module_parameters[0].default is not None
        return (
            own is not None
            and takes_one
            and own().extra_repr() not in ("", "inplace")
            and "=" not in own().extra_repr()
        )

    def _repr_code(self) -> str:
        """The code of the expression that `extra_repr` returns."""
        ordered = sorted(self.module_parameters, key=lambda p: (p.name == "save", p.name == "inplace"))
        if self._shows_values_alone:
            return f"', '.join(map(repr, ({''.join(f'self.{p.name}, ' for p in ordered)})))"
        always = [p for p in ordered if not p.is_keyword and p.annotation != "bool"]
        defaults = [f"{p.name}={p.default!r}" for p in ordered if p not in always]
        return f"_changed({', '.join(['self', *(repr(p.name) for p in always), *defaults])})"

    @property
    def function_documentation(self) -> str:
        """The docstring of the function."""
        writer = TorchDocstring(self, self.parameters)
        arguments = [f"{name} {writer.argument(word)}" for word, name in writer.words.items()]
        return writer.docstring(f"actgrad.torch.{self.function}", arguments)

    @property
    def module_documentation(self) -> str:
        """The docstring of the module."""
        return TorchDocstring(self, self.module_parameters).docstring(f"actgrad.torch.{self.module}", is_module=True)


class TorchDocstring(Docstring):
    """The docstring of a function or a module with these parameters."""

    def __init__(self, names: TorchNames, parameters: list[TorchParameter]):
        self.names, self.parameters, self.operator = names, parameters, names.operator
        schema = self.operator.schema
        self.words = dict(zip(schema.tensor_names, names.tensors, strict=True))
        words = {**self.words, schema.outputs[0]: "result"}
        super().__init__(self.operator.definition, lambda text: renamed(text, words), "torch.Tensor")
        self.outputs = ", ".join(map(self.translate, schema.outputs))

    def docstring(self, call: str, arguments: Sequence[str] = (), is_module: bool = False) -> str:
        """The docstring. `arguments` are the lines about tensors. `call` is the full name of the function or module."""
        return self.write(
            ("Args", [*arguments, *(f"{p.name} {self._parameter_words(p)}" for p in self.parameters)]),
            ("Shape", self.shapes()),
            ("Returns", [f"{self.outputs} ({'tuple of ' if len(self.outputs.split()) > 1 else ''}torch.Tensor)"]),
            ("Saved for backward", self._saved_words()),
            ("Raises", self.errors("TypeError: an argument is missing or unknown.", outputs=False)),
            example=self._example(call, is_module),
        )

    def _example(self, call: str, is_module: bool) -> list[str]:
        """The code of an example with a call and its gradient, if it has one. A module makes its parameters."""
        sample, main = ExampleCall(self.definition, "torch"), self.definition.main
        absent = self.names.module_tensors if is_module else []
        tensors = {self.words[n]: sample.tensor(n) for n in sample.shapes if self.words[n] not in absent}
        variable = self.words[main]
        has_gradient = {*self.definition.dtypes_of(self.operator.schema.outputs[0])} <= {*FLOATS}
        tensors[variable] += ".requires_grad_()" * has_gradient
        dims = [f"{p.name}=-1" for p in self.parameters if p.is_optional and p.name not in _OPTIONS]
        groups = [dims, tensors] if is_module else [[*tensors, *dims]]
        arguments = "".join(f"({', '.join(group)})" for group in groups)
        results = next(iter(sample.result_shapes.values())), sample.shapes[main]
        shape, variable_shape = (f"torch.Size({[*each]})" for each in results)
        lines = [
            ">>> import torch",
            ">>> import actgrad.torch",
            *(f">>> {name} = {code}" for name, code in tensors.items()),
            f">>> {self.outputs} = {call}{arguments}",
        ]
        if not has_gradient:
            return [*lines, ">>> result.shape", shape]
        shapes = f"({shape}, {variable_shape})"
        return [*lines, ">>> result.sum().backward()", f">>> result.shape, {variable}.grad.shape", shapes]

    def _parameter_words(self, parameter: TorchParameter) -> str:
        name = parameter.name
        if name not in _OPTIONS and not parameter.is_optional:
            return self.argument(name)
        default = "" if name == "save" else f" Default: {parameter.default!r}."
        texts = {
            "inplace": "Overwrite the input with the result.",
            "dtype": "Data type that the input is converted to first.",
            "save": f"Tensor that is saved for backward: {', '.join(map(repr, self._ways))}. Default: 'auto'.",
            "_stacklevel": "Line that the warning about a missing dim names, as in PyTorch.",
        }
        words = texts.get(
            name, "Dimension, from -rank to rank - 1. None: PyTorch's choice by the rank, with a warning."
        )
        return f"({parameter.annotation}): {words}{default}"

    @property
    def _ways(self) -> list[str]:
        """The values of `save`."""
        return [AUTO, *{**ways(self.operator), **ways(self.operator.part_of or self.operator)}]

    def _saved_words(self) -> list[str]:
        """The lines about the tensors that are saved for backward."""
        choices, names = ways(self.operator), ", ".join(self.names.tensors)
        if not choices:
            return [f"{names}. PyTorch differentiates the formula."]
        lines = [f"{names} (save={INPUT!r})." if len(choices) > 1 else f"{names}."] if INPUT in choices else []
        result = choices.get(RESULT)
        if result is not None and not lines:
            return ["The result."]
        if not {INPUT, RESULT} & choices.keys():
            return [f"The output {word}." for word in choices]
        if result is not None:
            definition = result.backward.definition
            rules = [*definition.requires, *definition.result.suffices]
            rules = [*dict.fromkeys(rule.removesuffix(f" when {definition.result.flag}") for rule in rules)]
            when = f" if {' and '.join(rules)}" if rules else ""
            lines = [
                f"The result (save={RESULT!r}), by default in float32 and float64{when}. In float16 and bfloat16 it is "
                "saved by default if the gradient needs only signs.",
                f"Otherwise {lines[0]}",
            ]
        lines += [f"Also {word} (save={word!r})." for word in self._ways if word not in (AUTO, INPUT, RESULT)]
        return lines


class FunctionCode(NamedTuple):
    """The code of a function's body."""

    names: TorchNames
    operator: str  # the code of the expression for the operator
    row: str  # the code of all arguments, in the order of PyTorch's schema
    values: str  # the code of the attributes, with numbers for choices
    raw_values: str  # the code of the attributes, with names for choices

    @property
    def tensors(self) -> str:
        return ", ".join(self.names.tensors)

    def _has(self, parameter: str) -> bool:
        return any(p.name == parameter for p in self.names.parameters)

    def begin(self) -> list[str]:
        """The lines that check bounds, convert the input's dtype, and choose a missing dimension."""
        function, first, lines = self.names.function, self.names.tensors[0], [*self.names.bounds_text("_")]
        for parameter in self.names.parameters:
            if parameter.name == "dtype":
                lines += ["if dtype is not None:", f"    {first} = _converted({function!r}, {first}, dtype)"]
            elif parameter.is_optional:
                level = "_stacklevel" if self._has("_stacklevel") else 3
                implicit = f"_implicit_dim({function!r}, {first}, {level})"
                lines += [f"if {parameter.name} is None:", f"    {parameter.name} = {implicit}"]
        return lines

    def _of_parent(self, call: Callable[[str], str]) -> list[str]:
        """The lines of a call of the operator with a further result, if `save` names this result.

        `call` returns the code of a call, from the name of an operator.
        """
        parent, operator = self.names.operator.part_of, self.names.operator
        if parent is None or not self._has("save"):
            return []
        extra = tuple(set(ways(parent)) - set(ways(operator)))
        return [f"if save in {extra!r}:", f"    return {call(parent.name)}[0]"]

    def compiled(self) -> list[str]:
        """The lines of code that run inside torch.compile. They call the operator, so that the graph contains it."""
        name, lines = self.names.operator.name, []
        if self._has("inplace"):
            lines += ["if inplace:", f"    return _actgrad.{name}_.default({self.row})"]
        saving = ", **_saving(save)" if self._has("save") else ""
        parent = self._of_parent(lambda name: f"_actgrad.{name}.default({self.row}, save=save)")
        return [*lines, *parent, f"return _actgrad.{name}.default({self.row}{saving})"]

    def eager(self) -> list[str]:
        """The lines of code for eager calls. They call the kernel, unless PyTorch's dispatcher must see the call."""
        name, lines = self.names.operator.name, []
        if self._has("save"):
            lines += ["if save is not _AUTO:", f"    _require_way({self.operator}, save, ({self.raw_values}))"]
            lines += _indented(self._of_parent(lambda name: self._dispatched(name, "save")))
        if self._has("inplace"):
            in_place = f"_record_in_place({self.operator}, ({self.values}), {self.tensors})"
            lines.append(f"if inplace is not False and _flag({self.names.function!r}, 'inplace', inplace):")
            lines += _indented(self._direct(in_place, f", out={self.tensors}"))
            lines.append(f"    return {self._dispatched(name, repr(AUTO), '_')}")
        save = "save" if self._has("save") else repr(AUTO)
        direct = self._direct(f"_record({self.operator}, ({self.values}), {save}, {self.tensors})")
        if name in AUTOCAST:
            direct = ["if not _is_autocast():", *_indented(direct)]
        return [*lines, *direct, f"return {self._dispatched(name, save)}"]

    def _direct(self, recorded: str, out: str = "") -> list[str]:
        """The lines of code that call the kernel without PyTorch's dispatcher.

        The lines compare the types of attributes, because the cache of derivations treats True, 1 and 1.0 as equal.
        """
        attributes = self.names.attributes
        names = [p.name for p in self.names.parameters if p.name in attributes]
        options = "".join(f", {name}={name}" for name in names)
        discrete = [name for name in names if attributes[name].type != "Scalar" and not self.names.is_choice(name)]
        exact = [f"type({name}) is {attributes[name].type}" for name in discrete]
        return [
            f"result = {self.operator}.direct({self.tensors}{options}{out})",
            f"if {' and '.join(['result is NotImplemented', *exact])}:",
            f"    result = {recorded}",
            "if result is not None and result is not NotImplemented:" if exact else "if result is not None:",
            "    return result",
        ]

    def _dispatched(self, name: str, save: str, suffix: str = "") -> str:
        tensors, values = f"({self.tensors}, )", f"({self.raw_values})"
        return f"_dispatch(_operators[{name!r}], _actgrad.{name}{suffix}.default, {tensors}, {values}, {save})"


def _function(name: str, parameters: Sequence[TorchParameter], body: Sequence[str], results: Sequence[str] = ()) -> str:
    words, result = [], ", ".join(results)
    for parameter in parameters:
        if parameter.is_keyword and "*" not in words:
            words.append("*")
        words.append(str(parameter) if parameter.annotation else parameter.name)
    arrow = f" -> tuple[{result}]" if len(results) > 1 else f" -> {result}" if results else ""
    head = f"def {name}({', '.join(words)}){arrow}:"
    return "\n".join([head, *_indented(body)])


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _operators(kind: str) -> dict[str, Operator]:
    """A mapping from names of functions or modules to operators. `kind` is "function" or "module"."""
    statements = [(operator, operator.definition.torch) for operator in list(REGISTRY.values())]
    names = {getattr(statement, kind).partition("(")[0]: operator for operator, statement in statements if statement}
    return {name: operator for name, operator in names.items() if name}


def function_names() -> list[str]:
    return list(_operators("function"))


def module_names() -> list[str]:
    return list(_operators("module"))


def all_names() -> list[TorchNames]:
    """The names of all operators that have a function in actgrad.torch."""
    return [TorchNames(operator) for operator in _operators("function").values()]


def names_of(function: str) -> TorchNames:
    """The names of the operator with this function."""
    return TorchNames(_operators("function")[function])


def make_function(module: dict[str, Any], name: str) -> Any:
    """Make the function `name` and store it in the members of a module."""
    names = _names(module, name, "function")
    return _make(module, name, names.function_text(), names.function_documentation)


def make_module(module: dict[str, Any], name: str) -> Any:
    """Make the class `name` and store it in the members of a module."""
    names = _names(module, name, "module")
    return _make(module, name, names.module_text(), names.module_documentation)


def _names(module: dict[str, Any], name: str, kind: str) -> TorchNames:
    operator = _operators(kind).get(name)
    if operator is None:
        raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
    return TorchNames(operator)


def _make(module: dict[str, Any], name: str, text: str, documentation: str) -> Any:
    file = f"<actgrad.torch {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # so that tracebacks show the code
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec", dont_inherit=True), module, scope)
    scope[name].__doc__ = documentation
    if isinstance(scope[name], type):
        scope[name].forward.__doc__ = documentation.partition("\n")[0]
    return module.setdefault(name, scope[name])  # another thread may have stored an object before
