"""Functions and modules with the signatures of torch.nn's, made from the names that definitions state.

A definition's `torch` names them. Their code is made as text, as dataclasses make theirs: torch.compile reads it like
any other, and a call costs no more than that of a written function.
"""

from __future__ import annotations

import linecache
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import torch

from ..aten import AUTOCAST
from ..base.errors import InvalidArgument, InvalidCall, did_you_mean, either, quote
from ..base.faults import torch_names
from ..calls.operator import REGISTRY, Operator
from ..contract.docstrings import Docstring, ExampleCall, renamed
from .saving import AUTO, INPUT, RESULT, ways

#: Parameters that are no attributes, with annotation and default.
_OPTIONS = {"inplace": ("bool", False), "save": ("str", AUTO), "dtype": ("torch.dtype | None", None)}
_OPTIONS["_stacklevel"] = ("int", 3)
_ANNOTATIONS = {"Scalar": "float", "int": "int", "bool": "bool"}


NONE: Mapping[str, Any] = MappingProxyType({})
_NUMBER_METHODS = ("__float__", "__index__", "__int__", "__complex__")  # a str has none of these


class TorchParameter(NamedTuple):
    """A parameter of a function or a module."""

    name: str
    annotation: str
    default: Any = None  # None: it must be given
    is_keyword: bool = False  # passed only by name
    is_optional: bool = False  # it may be None, and is by default

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
        self.tensors = list(names.tensors)
        self.parameters = self._described(names.words)
        self.module_tensors = [word for word in names.module_words if word in self.tensors]
        self.module_parameters = self._described(names.module_words)

    def _described(self, words: Sequence[str]) -> list[TorchParameter]:
        result = []
        for index, word in enumerate(words):
            is_keyword = "*" in words[:index]
            name, _, none = word.partition("=")
            if name in _OPTIONS:
                result.append(TorchParameter(name, *_OPTIONS[name], is_keyword, _OPTIONS[name][1] is None))
            elif name in self.attributes:
                kind = "str" if self._is_choice(name) else _ANNOTATIONS[self.attributes[name].type]
                default = None if none else self.operator.defaults[name]
                result.append(TorchParameter(name, kind + (" | None" if none else ""), default, is_keyword, bool(none)))
        return result

    def _tensor_parameters(self) -> list[TorchParameter]:
        pairs = zip(self.tensors, self.operator.schema.tensors, strict=True)
        return [
            TorchParameter(name, "torch.Tensor | None" if a.is_optional else "torch.Tensor", is_optional=a.is_optional)
            for name, a in pairs
        ]

    def _is_choice(self, name: str) -> bool:
        return name == self.operator.switch and bool(self.operator.choices)

    @property
    def base(self) -> str:
        """The class that the module extends: torch.nn's where that holds tensors as parameters."""
        return f"torch.nn.{self.module}" if self.module_tensors else "torch.nn.Module"

    # Texts

    def function_text(self) -> str:
        """The code of the function."""
        operator, names = self.operator, {p.name for p in self.parameters}
        expressions = dict(zip(operator.schema.tensor_names, self.tensors, strict=True))
        for name in self.attributes:
            expressions[name] = name if name in names else repr(operator.defaults[name])
            if self._is_choice(name):
                expressions[name] = f"_number({self.function!r}, {expressions[name]}, {operator.choices!r})"
        row = ", ".join(expressions[argument.name] for argument in operator.schema.arguments)
        row_values = "".join(f"{expressions[name]}, " for name in self.attributes)
        options = [*self.tensors, *(f"{name}={name}" for name in self.attributes if name in names)]
        tensors = ", ".join(self.tensors)
        operator_text = f"_operators[{operator.name!r}]"
        values = [name for name in self.attributes if name in names and not self._is_choice(name)]
        integers = [name for name in values if self.attributes[name].type == "int"]
        required = [p.name for p in self._tensor_parameters() if not p.is_optional]
        groups = required, [name for name in values if name not in integers], integers
        dicts = [f"{{{', '.join(f'{name!r}: {name}' for name in group)}}}" for group in groups]
        check = f"_require_types({self.function!r}, {', '.join(dicts)})"
        body = []
        for parameter in self.parameters:
            if parameter.name == "dtype":
                body += ["if dtype is not None:", f"    {self.tensors[0]} = {self.tensors[0]}.to(dtype)"]
            elif parameter.is_optional:
                level = "_stacklevel" if "_stacklevel" in names else 3
                implicit = f"_implicit_dim({self.function!r}, {self.tensors[0]}, {level})"
                body += [f"if {parameter.name} is None:", f"    {parameter.name} = {implicit}"]
        if "inplace" in names:
            in_place = f"_record_in_place({operator_text}, ({row_values}), {tensors})"
            body.append("if inplace:")
            body += _indented(
                _tried(f"{operator_text}.direct({', '.join([*options, f'out={tensors}'])})", in_place, check)
            )
            body.append(f"    return _actgrad.{operator.name}_.default({row})")
        parent = operator.part_of
        if "save" in names and parent is not None:
            extra = tuple(set(ways(parent)) - set(ways(operator)))
            body += [f"if save in {extra!r}:", f"    return _actgrad.{parent.name}.default({row}, save=save)[0]"]
        save = "save" if "save" in names else repr(AUTO)
        recorded = f"_record({operator_text}, ({row_values}), {save}, {tensors})"
        body += _tried(f"{operator_text}.direct({', '.join(options)})", recorded, check, operator.name in AUTOCAST)
        saving = ", **_saving(save)" if "save" in names else ""
        body.append(f"return _actgrad.{operator.name}.default({row}{saving})")
        return _function(self.function, [*self._tensor_parameters(), *self.parameters], body, "torch.Tensor")

    def module_text(self) -> str:
        """The code of the module's class."""
        self_parameter, parameters = TorchParameter("self", ""), self.module_parameters
        tensors = [tensor for tensor in self._tensor_parameters() if tensor.name not in self.module_tensors]
        arguments = [f"self.{name}" if name in self.module_tensors else name for name in self.tensors]
        arguments += [f"{p.name}=self.{p.name}" for p in parameters]
        call = f"return functions.{self.function}({', '.join(arguments)})"
        methods = [_function("forward", [self_parameter, *tensors], [call], "torch.Tensor")]
        if not self.module_tensors:
            set_up = ["super().__init__()"]
            former = self.operator.definition.torch.former_names if self.operator.definition.torch else {}
            for old, new in former.items():
                set_up += [f"if {old} is not None:", f"    {new} = _renamed({old!r}, {new!r}, {old})"]
            choices = repr(self.operator.choices)
            for p in parameters:
                if self._is_choice(p.name):
                    set_up.append(f"functions._number({self.function!r}, {p.name}, {choices})")
                set_up.append(f"self.{p.name} = {p.name}")
            deprecated = [TorchParameter(old, "float | None", is_optional=True) for old in former]
            methods.insert(0, _function("__init__", [self_parameter, *parameters, *deprecated], set_up))
            methods.append(_function("extra_repr", [self_parameter], [f"return {self._shown()}"], "str"))
        return "\n".join([f"class {self.module}({self.base}):", *_indented("\n".join(methods).split("\n"))])

    def _shown(self) -> str:
        """The expression of a module's line in a printed model."""
        ordered = sorted(self.module_parameters, key=lambda p: (p.name == "save", p.name == "inplace"))
        if self.operator.definition.torch and self.operator.definition.torch.shows_values_alone:
            return f"', '.join(map(repr, ({''.join(f'self.{p.name}, ' for p in ordered)})))"
        always = [p for p in ordered if not p.is_keyword and p.annotation != "bool"]
        defaults = [f"{p.name}={p.default!r}" for p in ordered if p not in always]
        return f"_changed({', '.join(['self', *(repr(p.name) for p in always), *defaults])})"

    @property
    def function_documentation(self) -> str:
        """The function's docstring."""
        writer = TorchDocstring(self, self.parameters)
        arguments = [f"{name} {writer.argument(word)}" for word, name in writer.words.items()]
        return writer.docstring(f"actgrad.torch.{self.function}", arguments)

    @property
    def module_documentation(self) -> str:
        """The module's docstring."""
        return TorchDocstring(self, self.module_parameters).docstring(f"actgrad.torch.{self.module}", is_module=True)


class TorchDocstring(Docstring):
    """The docstring of a function or a module, whose parameters these are."""

    def __init__(self, names: TorchNames, parameters: list[TorchParameter]):
        self.names, self.parameters, self.operator = names, parameters, names.operator
        schema = self.operator.schema
        self.words = dict(zip(schema.tensor_names, names.tensors, strict=True))
        words = {**self.words, schema.outputs[0]: "result"}
        super().__init__(self.operator.definition, lambda text: renamed(text, words), "torch.Tensor")

    def docstring(self, call: str, arguments: Sequence[str] = (), is_module: bool = False) -> str:
        """The docstring; `arguments` are the lines of tensors, and `call` is the name."""
        return self.write(
            ("Args", [*arguments, *(f"{p.name} {self._parameter_words(p)}" for p in self.parameters)]),
            ("Shape", self.shapes()),
            ("Returns", ["result (torch.Tensor)"]),
            ("Saved for backward", self._saved_words()),
            ("Raises", self.errors("TypeError: an argument is missing or unknown.", outputs=False)),
            example=self._example(call, is_module),
        )

    def _example(self, call: str, is_module: bool) -> list[str]:
        """A call and its gradient; tensors of a module are parameters, which it makes."""
        sample, main = ExampleCall(self.definition, "torch"), self.definition.main
        absent = self.names.module_tensors if is_module else []
        tensors = {self.words[n]: sample.tensor(n) for n in sample.shapes if self.words[n] not in absent}
        variable = self.words[main]
        tensors[variable] += ".requires_grad_()"
        dims = [f"{p.name}=-1" for p in self.parameters if p.is_optional and p.name not in _OPTIONS]
        groups = [dims, tensors] if is_module else [[*tensors, *dims]]
        arguments = "".join(f"({', '.join(group)})" for group in groups)
        results = next(iter(sample.result_shapes.values())), sample.shapes[main]
        return [
            ">>> import torch",
            ">>> import actgrad.torch",
            *(f">>> {name} = {code}" for name, code in tensors.items()),
            f">>> result = {call}{arguments}",
            ">>> result.sum().backward()",
            f">>> result.shape, {variable}.grad.shape",
            f"({', '.join(f'torch.Size({[*shape]})' for shape in results)})",
        ]

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
        """The tensors that are saved for backward."""
        choices, names = ways(self.operator), ", ".join(self.names.tensors)
        if not choices:
            return [f"{names}. PyTorch differentiates the formula."]
        lines = [f"{names} (save={INPUT!r})." if len(choices) > 1 else f"{names}."] if INPUT in choices else []
        result = choices.get(RESULT)
        if result is not None and not lines:
            return ["The result."]
        if result is not None:
            definition = result.backward.definition
            rules = [*definition.requires, *definition.result_suffices]
            rules = [*dict.fromkeys(rule.removesuffix(f" when {definition.result_flag}") for rule in rules)]
            when = f" if {' and '.join(rules)}" if rules else ""
            lines = [
                f"The result (save={RESULT!r}), by default in float32 and float64{when}. In float16 and bfloat16 it is "
                "saved by default if the gradient needs only signs.",
                f"Otherwise {lines[0]}",
            ]
        lines += [f"Also {word} (save={word!r})." for word in self._ways if word not in (AUTO, INPUT, RESULT)]
        return lines


def _tried(plain: str, recorded: str, check: str, is_converted: bool = False) -> list[str]:
    """Lines that return the result of a call without the dispatcher, where it need not see the call.

    `check` raises where an argument has a wrong type, because the dispatcher's message names neither the function
    nor the parameter. `is_converted`: torch.autocast converts the tensors of such calls.
    """
    return [
        "if not (_is_compiling() or _is_autocast()):" if is_converted else "if not _is_compiling():",
        f"    result = {plain}",
        "    if result is NotImplemented:",
        f"        result = {recorded}",
        "    if result is not None:",
        "        return result",
        f"    {check}",
    ]


def _function(name: str, parameters: Sequence[TorchParameter], body: Sequence[str], returns: str = "") -> str:
    words = []
    for parameter in parameters:
        if parameter.is_keyword and "*" not in words:
            words.append("*")
        words.append(str(parameter) if parameter.annotation else parameter.name)
    head = f"def {name}({', '.join(words)}){f' -> {returns}' if returns else ''}:"
    return "\n".join([head, *_indented(body)])


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _operators(kind: str) -> dict[str, Operator]:
    """The operators, by the names of their functions or modules. `kind` chooses which."""
    statements = [(operator, operator.definition.torch) for operator in list(REGISTRY.values())]
    names = {getattr(statement, kind).partition("(")[0]: operator for operator, statement in statements if statement}
    return {name: operator for name, operator in names.items() if name}


def function_names() -> list[str]:
    return list(_operators("function"))


def module_names() -> list[str]:
    return list(_operators("module"))


def all_names() -> list[TorchNames]:
    """The names that the registry's operators state."""
    return [TorchNames(operator) for operator in _operators("function").values()]


def names_of(function: str) -> TorchNames:
    """The names of the operator whose function has this name."""
    return TorchNames(_operators("function")[function])


def make_function(module: dict[str, Any], name: str) -> Any:
    """The function `name`, made and stored in the module with these members."""
    names = _names(module, name, "function")
    return _make(module, name, names.function_text(), names.function_documentation)


def make_module(module: dict[str, Any], name: str) -> Any:
    """The class `name`, made and stored in the module with these members."""
    names = _names(module, name, "module")
    return _make(module, name, names.module_text(), names.module_documentation)


def _names(module: dict[str, Any], name: str, kind: str) -> TorchNames:
    operator = _operators(kind).get(name)
    if operator is None:
        raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
    return TorchNames(operator)


def _make(module: dict[str, Any], name: str, text: str, documentation: str) -> Any:
    file = f"<actgrad.torch {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # for tracebacks
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec", dont_inherit=True), module, scope)
    scope[name].__doc__ = documentation
    if isinstance(scope[name], type):
        scope[name].forward.__doc__ = documentation.partition("\n")[0]
    return module.setdefault(name, scope[name])  # another thread may have stored one


# For the code of functions and modules


def implicit_dim(function: str, input: torch.Tensor, level: int) -> int:
    """The dimension that PyTorch chooses by the rank, with its warning; a compiled graph has none."""
    if torch.compiler.is_compiling():
        return 0 if input.dim() in (0, 1, 3) else 1
    require_types(function, {"input": input})
    return torch.nn.functional._get_softmax_dim(function, input.dim(), stacklevel=level + 1)


def number(function: str, choice: str | int, choices: tuple[str, ...]) -> int:
    """The number of a choice, which PyTorch's schema has in place of its name."""
    if isinstance(choice, int):
        return choice
    if choice not in choices:
        names = either(map(repr, choices))
        cure = did_you_mean(choice, choices, "pass one of these")
        raise InvalidArgument(f"{function}: approximate is {quote(choice)}; it must be {names}; {cure}")
    return choices.index(choice)


def require_types(
    function: str, tensors: Mapping[str, Any], numbers: Mapping[str, Any] = NONE, integers: Mapping[str, Any] = NONE
) -> None:
    """Raise an InvalidCall if an argument is not of the type of its group."""
    for name, tensor in tensors.items():
        if not hasattr(type(tensor), "__torch_function__"):
            got = "None" if tensor is None else f"a {type(tensor).__name__}"
            raise InvalidCall(f"{function}: {name} is {got}; it must be a torch.Tensor; call torch.as_tensor on it")
    for values, methods, kind in ((numbers, _NUMBER_METHODS, "a number"), (integers, ("__index__",), "an integer")):
        for name, value in values.items():
            if not any(hasattr(type(value), method) for method in methods):
                raise InvalidCall(f"{function}: {name} is {quote(value)}; it must be {kind}; pass one")
