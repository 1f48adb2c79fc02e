"""The docstrings of operators in every interface: their sections, and examples that run."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import actgrad
from actgrad import aclnn, ir
from tests.support.calls import EVERY, ids

SECTIONS = ("Args", "Shape", "Returns", "Raises", "Example")


def parts(text: str) -> dict[str, str]:
    """The sections of a docstring by their titles."""
    return dict(re.findall(r"^(\w[^\n]*):\n((?:    [^\n]*(?:\n|\Z))+)", text, re.M))


def run(name: str, text: str) -> None:
    """Fail where an example of a docstring prints something else than the docstring shows."""
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert example.examples, f"{name} has no example"
    assert not runner.run(example, out=report.append).failed, "".join(report)


@pytest.mark.parametrize("operator", EVERY, ids=ids)
def test_an_operator(operator: actgrad.Operator) -> None:
    text = inspect.getdoc(operator)
    assert text is not None
    sections = parts(text)
    assert set(SECTIONS) <= set(sections), text
    for name in (*operator.schema.tensor_names, *operator.defaults, "out", "backend"):
        assert re.search(rf"^    {name} \(", sections["Args"], re.M), name
    for name, default in operator.defaults.items():
        (line,) = re.findall(rf"^    {name} \([^\n]*(?:\n        [^\n]*)*", sections["Args"], re.M)
        assert " ".join(line.split()).endswith(f"Default: {default!r}."), line
    assert bool(operator.paper) == ("Source" in sections)
    assert all(" ".join(rule.split()) in " ".join(text.split()) for rule in operator.requires)


@pytest.mark.share(6)
@pytest.mark.parametrize("operator", EVERY, ids=ids)
def test_the_example_of_an_operator(operator: actgrad.Operator) -> None:
    """NumPy computes the numbers that the example shows; the CPU's kernel must print the same."""
    run(operator.name, inspect.getdoc(operator) or "")


@pytest.mark.parametrize("name", sorted(ir.names()))
def test_a_graph_operator(name: str) -> None:
    graph = getattr(ir, name)
    sections = parts(graph.__doc__)
    assert set(SECTIONS) <= set(sections)
    for argument in (*graph.signature.inputs, *graph.signature.attributes):
        assert re.search(rf"^    {argument} \(", sections["Args"], re.M), argument


@pytest.mark.share(8)
@pytest.mark.parametrize("name", sorted(ir.names()))
def test_the_example_of_a_graph_operator(name: str) -> None:
    run(name, getattr(ir, name).__doc__)


@pytest.mark.parametrize("signature", aclnn.signatures.all_signatures(), ids=lambda signature: signature.name)
def test_a_c_function(signature: Any) -> None:
    text = getattr(aclnn, signature.first_name).__doc__
    sections = parts(text)
    assert {*SECTIONS, "In C", "Status"} <= set(sections)
    for parameter in signature.parameters:
        assert re.search(rf"^    {parameter.name} \(", sections["Args"], re.M), parameter.name
    for check in signature.checks:
        assert re.search(rf"^    {check.status}: ", sections["Status"], re.M) or check.when.name == "DOCUMENT"
    assert "Returns:" in getattr(aclnn, signature.name).__doc__


@pytest.mark.share(8)
@pytest.mark.parametrize("signature", aclnn.signatures.all_signatures(), ids=lambda signature: signature.name)
def test_the_example_of_a_c_function(signature: Any) -> None:
    """Both phases return 0."""
    run(signature.first_name, getattr(aclnn, signature.first_name).__doc__)


def torch_names() -> Iterator[tuple[str, Any]]:
    """The functions and modules of actgrad.torch with the definitions' names."""
    pytest.importorskip("torch")
    from actgrad.torch import public_names

    for names in public_names.all_names():
        yield names.function, names
        if names.module:
            yield names.module, names


@pytest.mark.needs("torch")
@pytest.mark.share(8)
@pytest.mark.parametrize("group", range(4))
def test_functions_and_modules_of_pytorch(group: int) -> None:
    import actgrad.torch

    for name, names in list(torch_names())[group::4]:
        text = getattr(actgrad.torch, name).__doc__
        sections = parts(text)
        assert {*SECTIONS, "Saved for backward"} - {"Args"} <= set(sections), name
        shown = names.parameters if name == names.function else names.module_parameters
        for parameter in shown:
            assert re.search(rf"^    {parameter.name} \(", sections["Args"], re.M), (name, parameter.name)
        run(name, text)


@pytest.mark.needs("torch")
def test_the_tensor_that_a_docstring_names_is_saved() -> None:
    """The storage that autograd saves is the one that the docstring says."""
    torch = pytest.importorskip("torch")
    import actgrad.torch

    for name, word in (("relu", "The result."), ("gelu", "input."), ("softmax", "The result."), ("mish", "input.")):
        function = getattr(actgrad.torch, name)
        assert parts(function.__doc__)["Saved for backward"].strip() == word
        x = torch.linspace(-2, 2, 8, requires_grad=True) * 1.0
        options = {"dim": -1} if name == "softmax" else {}
        y = function(x, **options)
        (saved,) = y.grad_fn.saved_tensors
        assert saved.data_ptr() == (y if word == "The result." else x).data_ptr(), name


def broken(x: Any, alpha: Any) -> Any:
    """alpha * x"""
    return alpha * x.no_such_attribute


@pytest.mark.usefixtures("registry_as_before")
def test_a_wrong_operator_has_a_docstring_without_an_example() -> None:
    """help() shows what there is, although no call passes the checks."""
    operator = actgrad.Operator("broken(Tensor x, Scalar alpha=1) -> Tensor out", summary="alpha * x", formula=broken)
    text = operator.__doc__
    assert text is not None
    assert text.startswith("alpha * x")
    assert "Args" in parts(text)
    assert "Example" not in text


@pytest.mark.usefixtures("registry_as_before")
def test_an_operator_of_another_package_is_called_by_its_registered_name() -> None:
    operator = actgrad.Operator(
        "scaled(Tensor x, Scalar alpha) -> Tensor out", summary="alpha * x", formula=lambda x, alpha: alpha * x
    )
    text = operator.__doc__
    assert text is not None
    assert "actgrad.operators['scaled'](x, alpha=1.0)" in text
    run("scaled", text)
