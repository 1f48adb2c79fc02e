"""The metadata of a call, and a check of this metadata."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..base.access.elementwise import NONE
from ..base.definition import Definition
from ..base.dtypes import Dtype
from ..base.errors import ActgradError, InvalidArgument
from ..base.loop import TensorMeta
from ..base.records import Record

if TYPE_CHECKING:
    from .law import LawInForce


class Call(Record):
    """The metadata of a call. `tensors` lacks an output that the call allocates."""

    definition: Definition
    tensors: dict[str, TensorMeta | None]
    attributes: dict[str, Any]
    law: Any = None  # the LawInForce that judges the call. None means only the operator's own rules
    inputs = outputs = NONE  # no fields: the tensors that formulas get, and the outputs that the caller passes

    def __init__(
        self,
        definition: Definition,
        tensors: dict[str, TensorMeta | None],
        attributes: dict[str, Any],
        law: Any = None,
    ):
        self.__dict__.update(
            definition=definition,
            tensors=tensors,
            attributes=attributes,
            law=law,
            inputs={n: meta for n in definition.element_tensors if (meta := tensors.get(n)) is not None},
            outputs={n: meta for n in definition.schema.outputs if (meta := tensors.get(n)) is not None},
        )

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
        return self.tensors.get(self.definition.ragged.counter)

    @property
    def row_groups(self) -> TensorMeta | None:
        """The tensor that assigns rows to groups, if there is one."""
        return self.tensors.get(self.definition.ragged.groups)

    @property
    def place(self) -> str:
        """Where the law applies, for messages: " on Ascend310P", or "" without a law."""
        return "" if self.law is None else self.law.place

    @property
    def input_dtypes(self) -> tuple[str, ...]:
        """The dtypes that inputs may have: those of the mathematics, or of the law."""
        return self.definition.input_dtypes if self.law is None else self.law.dtypes(self.definition)


def change(call: Call, name: str) -> str:
    """The last part of a message about a wrong shape: to allocate another output, or to reshape an input."""
    return f"allocate {name} with that shape" if name in call.definition.schema.outputs else f"reshape {name}"


class Check(Record):
    """A rule in words, and a test that returns a message if a call breaks the rule, or None."""

    rule: str
    test: Callable[[Call], str | None]
    error: type[ActgradError] = InvalidArgument
    about: tuple[str, ...] = ()  # the arguments that the test reads

    def error_class(self, law: LawInForce | None) -> type[ActgradError]:
        """The class of the error of a call under this law."""
        return self.error


def of_each(
    names: tuple[str, ...],
    rule: str,
    test: Callable[[Call, str, TensorMeta], str | None],
    error: type[ActgradError] = InvalidArgument,
    about: tuple[str, ...] = (),
) -> tuple[Check, ...]:
    """A check for each of these tensors, which passes if the call lacks the tensor.

    `rule` is a text with "{name}" for the tensor. `about` are the other arguments that the test reads.
    """

    def check(name: str) -> Check:
        def run_test(call: Call) -> str | None:
            meta = call.tensors.get(name)
            return None if meta is None else test(call, name, meta)

        return Check(rule.format(name=name), run_test, error, (name, *about))

    return tuple(map(check, names))
