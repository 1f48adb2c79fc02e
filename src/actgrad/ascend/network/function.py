"""The record of a function of the table: its name, its parameters, what phase one checks, and what computes it."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...base.forks import cached_property
from ..aclnn.signatures import CParameter
from .checks.dtypes import DtypeList
from .checks.patterns import Pattern
from .checks.row import Phrase
from .entry import Entry


class Checks:
    """What phase one checks: a pattern, the dtypes of arguments, and further phrases.

    A key of `dtypes` is an argument, or a name that a phrase uses. `promoted` has the allowed common dtypes, `never`
    the refused ones, and `integers` is the dtype in which integers are computed.
    """

    def __init__(self, pattern: Pattern, dtypes: dict[str, DtypeList], *phrases: Phrase):
        self.pattern, self.dtypes, self.words = pattern, dtypes, phrases


class _Row(NamedTuple):
    name: str  # without aclnn
    header: str  # without aclnnop/aclnn_ and .h
    rule: Entry
    prototype: str  # the parameters of phase one, without those that it returns
    results: tuple[str, ...] | None = None  # the parameters that the rule writes, if their types do not say so
    checks: Checks | None = None  # None if they are unknown
    checks_of: str = ""  # the function whose checks hold, as if `self` and `out` were the tensor changed in place


class Function(_Row):
    """A function of two phases that PyTorch or NumPy computes."""

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        return tuple(self.prototype.split(", "))

    @cached_property
    def arguments(self) -> tuple[CParameter, ...]:
        return tuple(_parameter(each, self.results) for each in self.parameters)


def with_checks(rows: tuple[Function, ...], by_name: dict[str, Function]) -> tuple[Function, ...]:
    """The rows. A row with `checks_of` gets the checks of that function. `by_name` has all functions."""

    def complete(row: Function) -> Function:
        if not row.checks_of:
            return row
        checks = by_name[row.checks_of].checks
        assert checks is not None, f"the checks of {row.checks_of} are unknown"
        return row._replace(checks=_in_place(checks, row.arguments[0].name))

    return tuple(map(complete, rows))


def _in_place(checks: Checks, tensor: str) -> Checks:
    """The checks with `tensor` in place of `self` and `out`.

    Its dtype must be one of the inputs and one of the results. A null pointer has the usual status.
    """

    def renamed(value: Any) -> Any:
        if isinstance(value, tuple) and type(value) is tuple:
            return tuple(map(renamed, value))
        return tensor if value in _BOTH and isinstance(value, str) else value

    lists, words = dict(checks.dtypes), [words for words in checks.words if words[0] != "null"]
    results = lists.pop("out", None)
    lists = {renamed(name): lists[name] for name in lists}
    if results is not None:
        lists["result"] = results
        words.insert(0, ("dtype", tensor, "result"))
    return Checks(checks.pattern, lists, *map(renamed, words))


_BOTH = ("self", "out")
_TYPES = {
    "aclTensor*": "Tensor", "aclScalar*": "Scalar", "aclIntArray*": "ints", "bool": "bool", "aclTensorList*": "tensors",
    "aclScalarList*": "scalars", "aclBoolArray*": "bools", "double": "double", "float": "double", "char*": "text",
}  # fmt: skip


def _parameter(text: str, results: tuple[str, ...] | None) -> CParameter:
    kind, _, name = text.removeprefix("const ").rpartition(" ")
    may_be = name == "out" or name.endswith("Out") or not text.startswith("const ")
    is_output = kind in ("aclTensor*", "aclTensorList*") and (may_be if results is None else name in results)
    # Headers have a tensor of scalars, but torch_npu's wheel passes a list.
    return CParameter(name, name, "scalars" if name == "scalars" else _TYPES.get(kind, "int"), is_output)
