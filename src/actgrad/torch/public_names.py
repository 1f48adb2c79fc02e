"""Functions and modules with the signatures of torch.nn's, made from the names that definitions state.

A definition's `torch` names them. Their code is made as text, as dataclasses make theirs: torch.compile reads it like
any other, and a call costs no more than that of a written function.
"""

from __future__ import annotations
import __future__

import linecache
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from ..aten import AUTOCAST
from ..base.errors import InvalidArgument, did_you_mean, either, quote
from ..base.faults import torch_names
from ..calls.operator import REGISTRY, Operator
from ..contract.documentation import wrapped
from .saving import AUTO, RESULT, ways

#: Parameters that are no attributes, with annotation and default.
_OPTIONS = {"inplace": ("bool", False), "save": ("str", AUTO), "dtype": ("torch.dtype | None", None)}
_OPTIONS["_stacklevel"] = ("int", 3)
_ANNOTATIONS = {"Scalar": "float", "int": "int", "bool": "bool"}
_RESULT = """By default it is the result where that suffices: in float32 and float64, and in any
dtype where the gradient needs only signs. Else it is the input."""


class TorchParameter(NamedTuple):
    """A parameter of a function or a module."""

    name: str
    annotation: str
    default: Any = None  # None: it must be given
    is_keyword: bool = False  # given by name alone
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
        values = "".join(f"{expressions[name]}, " for name in self.attributes)
        options = [*self.tensors, *(f"{name}={name}" for name in self.attributes if name in names)]
        tensors = ", ".join(self.tensors)
        operator_text = f"_operators[{operator.name!r}]"
        body = []
        for parameter in self.parameters:
            if parameter.name == "dtype":
                body += ["if dtype is not None:", f"    {self.tensors[0]} = {self.tensors[0]}.to(dtype)"]
            elif parameter.is_optional:
                level = "_stacklevel" if "_stacklevel" in names else 3
                implicit = f"_implicit_dim({self.function!r}, {self.tensors[0]}.dim(), {level})"
                body += [f"if {parameter.name} is None:", f"    {parameter.name} = {implicit}"]
        if "inplace" in names:
            in_place = f"_record_in_place({operator_text}, ({values}), {tensors})"
            body.append("if inplace:")
            body += _indented(_tried(f"{operator_text}.direct({', '.join([*options, f'out={tensors}'])})", in_place))
            body.append(f"    return _actgrad.{operator.name}_.default({row})")
        parent = operator.part_of
        if "save" in names and parent is not None:
            extra = tuple(set(ways(parent)) - set(ways(operator)))
            body += [f"if save in {extra!r}:", f"    return _actgrad.{parent.name}.default({row}, save=save)[0]"]
        save = "save" if "save" in names else repr(AUTO)
        recorded = f"_record({operator_text}, ({values}), {save}, {tensors})"
        body += _tried(f"{operator_text}.direct({', '.join(options)})", recorded, operator.name in AUTOCAST)
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

    # Docstrings

    @property
    def function_documentation(self) -> str:
        """The function's docstring: summary, source, options."""
        names, source = {p.name for p in self.parameters}, self.operator.paper
        parts = [self._summary, *([f"Source: {source}"] if source else [])]
        if "dtype" in names:
            parts.append("`dtype` is what the input is converted to first.")
        if "_stacklevel" in names:
            parts.append("`_stacklevel` is PyTorch's: the line that the warning about a missing `dim` names.")
        if "inplace" in names:
            parts.append("`inplace` overwrites the input with the result.")
        if "save" in names:
            choices = {**ways(self.operator), **ways(self.operator.part_of or self.operator)}
            default = _RESULT if RESULT in choices else "By default it is the input."
            names_of_ways = ", ".join(map(repr, [AUTO, *choices]))
            parts.append(f"`save` names the tensor that is saved for the gradient: {names_of_ways}.\n{default}")
        return "\n\n".join(parts)

    @property
    def module_documentation(self) -> str:
        """The module's docstring."""
        return f"{self._summary}\n\nThe module of `actgrad.torch.{self.function}`, which has the details."

    @property
    def _summary(self) -> str:
        """The operator's summary, with the names that the tensors have here."""
        names = dict(zip(self.operator.schema.tensor_names, self.tensors, strict=True))
        pattern = rf"\b({'|'.join(names)})\b"
        return wrapped(re.sub(pattern, lambda match: names[match[0]], self.operator.summary), 100)


def _tried(plain: str, recorded: str, is_converted: bool = False) -> list[str]:
    """Lines that return the result of a call without the dispatcher, where it need not see the call.

    `is_converted`: torch.autocast converts the tensors of such calls.
    """
    return [
        "if not (_is_compiling() or _is_autocast()):" if is_converted else "if not _is_compiling():",
        f"    result = {plain}",
        "    if result is NotImplemented:",
        f"        result = {recorded}",
        "    if result is not None:",
        "        return result",
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
    """The operators by the names of their functions or modules, which is `kind`."""
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
    exec(compile(text, file, "exec", __future__.annotations.compiler_flag, dont_inherit=True), module, scope)
    scope[name].__doc__ = documentation
    return module.setdefault(name, scope[name])  # another thread may have stored one


# For the code of functions and modules


def implicit_dim(function: str, rank: int, level: int) -> int:
    """The dimension that PyTorch chooses by the rank, with its warning; a compiled graph has none."""
    if torch.compiler.is_compiling():
        return 0 if rank in (0, 1, 3) else 1
    return torch.nn.functional._get_softmax_dim(function, rank, stacklevel=level + 1)


def number(function: str, choice: str | int, choices: tuple[str, ...]) -> int:
    """The number of a choice, which PyTorch's schema has in place of its name."""
    if isinstance(choice, int):
        return choice
    if choice not in choices:
        names = either(map(repr, choices))
        cure = did_you_mean(choice, choices, "pass one of these")
        raise InvalidArgument(f"{function}: approximate is {quote(choice)}; it must be {names}; {cure}")
    return choices.index(choice)
