"""Finds the operator that a case file names, by its C function or by actgrad's name."""

from __future__ import annotations

from functools import cache

from ...base.errors import did_you_mean
from ...calls.operator import REGISTRY, Operator
from ..aclnn import signatures
from ..aclnn.signatures import CParameter, Signature
from ..law import law_of
from ..rules.graph_lines import GraphSignature
from ..rules.law import C

PREFIX, ACTGRAD_PREFIX = "aclnn", "actgrad."


def find(name: str) -> Signature | None:
    """The function called `name`, with or without the prefix aclnn. None if actgrad does not have the function."""
    if name.startswith(ACTGRAD_PREFIX):
        operator = REGISTRY.get(name.removeprefix(ACTGRAD_PREFIX))
        return None if operator is None else own_signature(operator)
    c_name = name if name.startswith(PREFIX) else PREFIX + name
    return signatures.find(c_name)


def unknown(name: str) -> str:
    """The reason why actgrad cannot run a case of a function that it does not have."""
    names = [s.name for s in signatures.all_signatures()]
    c_name = name if name.startswith((PREFIX, ACTGRAD_PREFIX)) else PREFIX + name
    cure = did_you_mean(c_name, names, "remove the case")
    return f"function {name} is unknown; it must be a function of `actgrad list`; {cure}"


@cache
def _operators() -> dict[str, Operator]:
    """actgrad's operators by their names without underscores, so that SwiGlu and swi_glu both are swiglu."""
    return {operator.name.replace("_", ""): operator for operator in REGISTRY.values()}


def find_operator(name: str) -> Operator | None:
    """actgrad's operator with this name, such as Gelu, SwiGlu or dynamic_quant. None if there is none."""
    return _operators().get(name.lower().replace("_", ""))


def unknown_operator(name: str) -> str:
    """The reason why actgrad cannot run a case of an operator that it does not have."""
    cure = did_you_mean(name.lower().replace("_", ""), list(_operators()), "remove the case")
    return f"operator {name} is unknown; it must be an operator of `actgrad list`; {cure}"


@cache
def _kernels() -> dict[str, tuple[Operator, GraphSignature]]:
    """The graph operators by their names in small letters, without underscores."""
    return {
        graph.name.lower(): (operator, graph)
        for operator in REGISTRY.values()
        for graph in law_of(operator.definition).graphs
    }


def find_kernel(name: str) -> tuple[Signature, GraphSignature] | None:
    """The kernel called `name`, such as elu_grad: its parameters, and the graph operator. None if actgrad lacks it."""
    found = _kernels().get(name.lower().replace("_", ""))
    if found is None:
        return None
    operator, graph = found
    schema = operator.schema
    inputs = [
        CParameter(one, argument or one, "Tensor", is_unread=not argument) for one, argument in graph.tensors.items()
    ]
    attributes = [
        CParameter(one, argument, schema.attributes_by_name[argument].type)
        for one, argument in graph.renamed.items()
        if argument
    ]
    outputs = [
        CParameter(one, argument, "Tensor", is_output=True)
        for one, argument in zip(graph.outputs, schema.outputs, strict=True)
    ]
    function = C(name, fixed=graph.fixed)
    parameters = (*inputs, *attributes, *outputs)
    return Signature(name, operator, function, law_of(operator.definition), False, parameters), graph


def unknown_kernel(name: str) -> str:
    """The reason why actgrad cannot run a case of a kernel that it does not have."""
    cure = did_you_mean(name.lower().replace("_", ""), list(_kernels()), "remove the case")
    return f"kernel {name} is unknown; it must be a graph operator of `actgrad list`; {cure}"


@cache
def own_signature(operator: Operator) -> Signature:
    """The signature of an operator that has no C function: actgrad's name, and the parameters of the schema."""
    schema = operator.schema
    inputs = [CParameter(a.name, a.name, "Tensor" if a.is_tensor else a.type) for a in schema.arguments]
    outputs = [CParameter(name, name, "Tensor", is_output=True) for name in schema.outputs]
    name = ACTGRAD_PREFIX + operator.name
    return Signature(name, operator, C(name), law_of(operator.definition), False, (*inputs, *outputs))


def functions_of(operator: Operator) -> tuple[Signature, ...]:
    """All C functions of an operator. If it has none, a signature with actgrad's name."""
    return signatures.list_signatures(operator) or (own_signature(operator),)


def inputs(signature: Signature) -> tuple[CParameter, ...]:
    """The parameters that a case states and a function reads, in the function's order. In place, also the reference."""
    if signature.in_place:
        return signature.parameters
    return tuple(p for p in case_parameters(signature) if not p.is_output)


def case_parameters(signature: Signature) -> tuple[CParameter, ...]:
    """The parameters that a case states. Optional tensors are left out, unless one holds the formula's value."""
    definition = signature.operator.definition
    left_out = {
        p.argument for p in signature.parameters if p.is_unread and (p.type != "Tensor" or p.has("must_be_null"))
    }
    left_out |= {a.name for a in definition.schema.tensors if a.is_optional and a.name != definition.given_value}
    return tuple(p for p in signature.parameters if p.argument not in left_out)


def may_be_null(signature: Signature, parameter: CParameter) -> bool:
    """Whether a null pointer stands for the parameter's default."""
    return parameter.has("null_means_default")


def by_word(signature: Signature, word: str) -> CParameter | None:
    """The parameter that has this name in C or in the schema, or None."""
    return next((p for p in signature.parameters if word in (p.name, p.argument)), None)
