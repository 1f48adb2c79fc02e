"""The operator that a case file names: by its C function, or by a name of actgrad's own."""

from __future__ import annotations

from functools import cache

from ...aclnn import signatures
from ...aclnn.signatures import CParameter, Signature
from ...base.definition import C
from ...base.errors import did_you_mean
from ...calls.operator import REGISTRY, Operator

PREFIX, ACTGRAD_PREFIX = "aclnn", "actgrad."


def find(name: str) -> Signature | None:
    """The function called `name`, with or without the prefix aclnn, or None for one that actgrad does not have."""
    if name.startswith(ACTGRAD_PREFIX):
        operator = REGISTRY.get(name.removeprefix(ACTGRAD_PREFIX))
        return None if operator is None else own_signature(operator)
    c_name = name if name.startswith(PREFIX) else PREFIX + name
    return signatures.find(c_name)


def unknown(name: str) -> str:
    """The reason why a case of another function cannot be run."""
    names = [s.name for s in signatures.all_signatures()]
    c_name = name if name.startswith((PREFIX, ACTGRAD_PREFIX)) else PREFIX + name
    cure = did_you_mean(c_name, names, "remove the case")
    return f"function {name} is unknown; actgrad has those of `actgrad list`; {cure}"


@cache
def own_signature(operator: Operator) -> Signature:
    """An operator under actgrad's own name, with the parameters of its schema: for those that have no C function."""
    schema = operator.schema
    inputs = [CParameter(a.name, a.name, "Tensor" if a.is_tensor else a.type) for a in schema.arguments]
    outputs = [CParameter(name, name, "Tensor", is_output=True) for name in schema.outputs]
    name = ACTGRAD_PREFIX + operator.name
    return Signature(name, operator, C(name), operator.definition, False, (*inputs, *outputs))


def functions_of(operator: Operator) -> tuple[Signature, ...]:
    """All functions of an operator. Its own name where it has none in C."""
    return signatures.list_signatures(operator) or (own_signature(operator),)


def inputs(signature: Signature) -> tuple[CParameter, ...]:
    """The parameters that a case states and a function reads, in its order. In place the reference too."""
    if signature.in_place:
        return signature.parameters
    return tuple(p for p in case_parameters(signature) if not p.is_output)


def case_parameters(signature: Signature) -> tuple[CParameter, ...]:
    """The parameters that a case states: all but optional tensors, unless one holds the formula's value."""
    definition = signature.operator.definition
    function = signature.function
    left_out = {
        *(name.rstrip("*.") for name in function.ignored.split()),
        *function.constants,
        *function.refused.split(),
    }
    left_out |= {a.name for a in definition.schema.tensors if a.is_optional and a.name != definition.given_value}
    return tuple(p for p in signature.parameters if p.argument not in left_out)


def may_be_null(signature: Signature, parameter: CParameter) -> bool:
    """Whether a null pointer stands for the parameter's default."""
    return parameter.argument in signature.function.optional.split()


def by_word(signature: Signature, word: str) -> CParameter | None:
    """The parameter of this name, in C or in the schema, or None if there is none."""
    return next((p for p in signature.parameters if word in (p.name, p.argument)), None)
