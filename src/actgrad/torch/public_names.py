"""Functions and modules with the signatures of torch.nn's, made from the names that definitions state.

A definition's `torch` names them. Their code is made as text, as dataclasses make theirs: torch.compile reads it like
any other, and a call costs no more than that of a written function.
"""

from __future__ import annotations
import __future__

import linecache
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..base.errors import InvalidOperator
from ..calls.operator import REGISTRY, Operator
from .saving import AUTO, RESULT, ways

_NAME = re.compile(r"(?P<name>[A-Za-z]\w*)(?:\((?P<parameters>.*)\))?")
_MODULE = "torch.nn.Module"
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


#: Functions whose dimension PyTorch chooses convert their input first, as there.
_DTYPE = TorchParameter("dtype", "torch.dtype | None", is_keyword=True, is_optional=True)


class TorchNames:
    """The names of an operator in actgrad.torch, with their parameters."""

    def __init__(self, operator: Operator):
        self.operator = operator
        stated = operator.definition.torch
        assert stated is not None, "the definition states names"
        self.function, parameters = self._parsed(stated.function)
        self.unset = tuple(re.findall(r"(\w+)=None", stated.function))  # dimensions that PyTorch chooses by default
        self.attributes = {a.name: a for a in operator.schema.attributes}
        if parameters is None:
            parameters = [*self.attributes]
        own = {*self.attributes, "*", "inplace", "save"}
        tensors = [name for name in parameters if name not in own]
        count = len(operator.schema.tensors)
        self.tensors = tensors or (["input"] if count == 1 else list(operator.schema.tensor_names))
        rest = [name for name in parameters if name in own]
        is_misnamed = any(name != operator.access.dim or not operator.access.terms for name in self.unset)
        is_misnamed |= bool(tensors) and (count == 1 or len(tensors) != count or parameters[:count] != tensors)
        if is_misnamed or ("inplace" in rest and not operator.definition.may_be_in_place):
            self._refuse(stated.function)
        self.parameters = self._described(rest)
        self.module, own_parameters = self._parsed(stated.module) if stated.module else ("", None)
        if own_parameters is not None and not {*own_parameters} <= own:
            self._refuse(stated.module)
        self.module_parameters = self.parameters if own_parameters is None else self._described(own_parameters)

    def _parsed(self, text: str) -> tuple[str, list[str] | None]:
        line = _NAME.fullmatch(text)
        if line is None:
            self._refuse(text)
            raise AssertionError("refused")
        parameters = line["parameters"]
        return line["name"], None if parameters is None else re.findall(r"\*|\w+", parameters.replace("=None", ""))

    def _refuse(self, text: str) -> None:
        takes = ", ".join([*self.operator.schema.attributes_by_name, "save"])
        takes += ", inplace" if self.operator.definition.may_be_in_place else ""
        raise InvalidOperator(
            f"operator {self.operator.name}: torch names {text!r}; it reads 'name' or 'name(alpha, *, save)', with "
            f"names for all tensors of several or for none, and of {takes}"
        )

    def _described(self, names: Iterable[str]) -> list[TorchParameter]:
        found: list[TorchParameter] = []
        is_keyword = False
        for name in names:
            if name == "*":
                is_keyword = True
            elif name == "inplace":
                found.append(TorchParameter(name, "bool", False, is_keyword))
            elif name == "save":
                found.append(TorchParameter(name, "str", AUTO, is_keyword))
            else:
                annotation = "str" if self._is_choice(name) else _ANNOTATIONS[self.attributes[name].type]
                annotation += " | None" if name in self.unset else ""
                default = None if name in self.unset else self.operator.defaults[name]
                found.append(TorchParameter(name, annotation, default, is_keyword, name in self.unset))
        return found

    def _tensor_parameters(self) -> list[TorchParameter]:
        named = zip(self.tensors, self.operator.schema.tensors, strict=True)
        return [
            TorchParameter(name, "torch.Tensor | None" if a.is_optional else "torch.Tensor", is_optional=a.is_optional)
            for name, a in named
        ]

    def _is_choice(self, name: str) -> bool:
        return name == self.operator.switch and bool(self.operator.choices)

    @property
    def base(self) -> str:
        """The class that the module extends."""
        return f"torch.nn.{self.module}" if len(self.tensors) > 1 else _MODULE

    # Texts

    def function_text(self) -> str:
        """The code of the function."""
        operator, names = self.operator, {p.name for p in self.parameters}
        tensors = self._tensor_parameters()
        given = dict(zip(operator.schema.tensor_names, self.tensors, strict=True))
        for name in self.attributes:
            given[name] = name if name in names else repr(operator.defaults[name])
            if self._is_choice(name):
                given[name] = f"_number({self.function!r}, {given[name]}, {operator.choices!r})"
        row = ", ".join(given[argument.name] for argument in operator.schema.arguments)
        body = []
        options = [f"{name}={name}" for name in self.attributes if name in names]
        values = "".join(f"{given[name]}, " for name in self.attributes)
        tensors_given = ", ".join(self.tensors)
        plain = f"_operators[{operator.name!r}]._plain"
        for name in self.unset:
            first = self.tensors[0]
            body += [f"if {name} is None:", f"    {name} = _implicit_dim({self.function!r}, {first}.dim())"]
            body += ["if dtype is not None:", f"    {first} = {first}.to(dtype)"]
        if "inplace" in names:
            in_place = ", ".join([tensors_given, *options, f"out={tensors_given}"])
            body += [
                "if inplace:",
                "    if not _is_compiling():",
                f"        result = {plain}({in_place})",
                "        if result is NotImplemented:",
                f"            result = _record_in_place(_operators[{operator.name!r}], ({values}), {tensors_given})",
                "        if result is not None:",
                "            return result",
                f"    return _actgrad.{operator.name}_.default({row})",
            ]
        whole = operator.part_of
        if "save" in names and whole is not None:
            further = tuple(set(ways(whole)) - set(ways(operator)))
            body += [f"if save in {further!r}:", f"    return _actgrad.{whole.name}.default({row}, save=save)[0]"]
        save = "save" if "save" in names else repr(AUTO)
        body += [
            "if not _is_compiling():",
            f"    result = {plain}({', '.join([*self.tensors, *options])})",
            "    if result is NotImplemented:",
            f"        return _record(_operators[{operator.name!r}], ({values}), {save}, {tensors_given})",
            "    if result is not None:",
            "        return result",
        ]
        saving = ", **_saving(save)" if "save" in names else ""
        body.append(f"return _actgrad.{operator.name}.default({row}{saving})")
        parameters = [*tensors, *self.parameters, *([_DTYPE] if self.unset else [])]
        return _function(self.function, parameters, body, "torch.Tensor")

    def module_text(self) -> str:
        """The code of the module's class."""
        parameters = self.module_parameters
        if self.base != _MODULE:
            given = ", ".join([self.tensors[0], *(f"self.{name}" for name in self.tensors[1:])])
            of_one = [TorchParameter("self", ""), self._tensor_parameters()[0]]
            forward = _function("forward", of_one, [f"return functions.{self.function}({given})"], "torch.Tensor")
            return f"class {self.module}({self.base}):\n{_indented(forward.split(chr(10)))}"
        set_up = ["super().__init__()", *(f"self.{p.name} = {p.name}" for p in parameters)]
        given = ", ".join([*self.tensors, *(f"{p.name}=self.{p.name}" for p in parameters)])
        ordered = sorted(parameters, key=lambda p: (p.name == "save", p.name == "inplace"))
        is_shown = {p.name: not p.is_keyword and p.annotation != "bool" for p in parameters}
        shown = [repr(p.name) for p in ordered if is_shown[p.name]]
        shown += [f"{p.name}={p.default!r}" for p in ordered if not is_shown[p.name]]
        itself = TorchParameter("self", "")
        line = f"_changed({', '.join(['self', *shown])})"
        if self.operator.definition.torch and self.operator.definition.torch.shows_values_alone:
            line = f"', '.join(map(repr, ({''.join(f'self.{p.name}, ' for p in ordered)})))"
        tensors = self._tensor_parameters()
        methods = (
            _function("__init__", [itself, *parameters], set_up),
            _function("forward", [itself, *tensors], [f"return functions.{self.function}({given})"], "torch.Tensor"),
            _function("extra_repr", [itself], [f"return {line}"], "str"),
        )
        return "\n".join([f"class {self.module}({self.base}):", *(_indented(m.split("\n")) for m in methods)])

    # Docstrings

    @property
    def function_documentation(self) -> str:
        """The function's docstring: summary, formula, options."""
        formula, names = self.operator.formula, {p.name for p in self.parameters}
        formulas = formula.values() if isinstance(formula, Mapping) else [formula]
        parts = [self.operator.summary]
        if not self.operator.multiplies:
            parts.append("\n\n".join(f"    {(f.__doc__ or f.__name__).strip()}" for f in formulas))
        if self.unset:
            parts.append("`dtype` is what the input is converted to first.")
        if "inplace" in names:
            parts.append("`inplace` overwrites the input with the result.")
        if "save" in names:
            known = {**ways(self.operator), **ways(self.operator.part_of or self.operator)}
            default = _RESULT if RESULT in known else "By default it is the input."
            names_of_ways = ", ".join(map(repr, [AUTO, *known]))
            parts.append(f"`save` names the tensor that is saved for the gradient: {names_of_ways}.\n{default}")
        return "\n\n".join(parts)

    @property
    def module_documentation(self) -> str:
        """The module's docstring."""
        return f"{self.operator.summary}\n\nThe module of `actgrad.torch.{self.function}`, which has the details."


def _function(name: str, parameters: Sequence[TorchParameter], body: Sequence[str], returns: str = "") -> str:
    words = []
    for parameter in parameters:
        if parameter.is_keyword and "*" not in words:
            words.append("*")
        words.append(str(parameter) if parameter.annotation else parameter.name)
    return f"def {name}({', '.join(words)}){f' -> {returns}' if returns else ''}:\n{_indented(body)}"


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


def stated() -> list[TorchNames]:
    """The names that the registry's operators state."""
    return [TorchNames(operator) for operator in list(REGISTRY.values()) if operator.definition.torch is not None]


def make(module: dict[str, Any], name: str) -> Any:
    """The function or class `name`, made and stored in the module with these members.

    Raises AttributeError where no operator states the name.
    """
    for names in stated():
        if name == names.function and module["__name__"].endswith("functions"):
            text, documentation = names.function_text(), names.function_documentation
        elif name == names.module and module["__name__"].endswith("modules"):
            text, documentation = names.module_text(), names.module_documentation
        else:
            continue
        file = f"<actgrad.torch {name}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # for tracebacks
        scope: dict[str, Any] = {}
        exec(compile(text, file, "exec", __future__.annotations.compiler_flag, dont_inherit=True), module, scope)
        scope[name].__doc__ = documentation
        return module.setdefault(name, scope[name])  # another thread may have stored one
    raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
