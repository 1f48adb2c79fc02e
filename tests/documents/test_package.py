"""The package's names, the operators' signatures and texts, what an import loads."""

from __future__ import annotations

import copy
import doctest
import inspect
import pickle
import re

import numpy as np
import pytest

import actgrad
from tests.support.calls import OPERATORS, ids, run_script

X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)


@pytest.mark.needs("ascend")
def test_public_names() -> None:
    for name in actgrad.__all__:
        assert getattr(actgrad, name) is not None
    assert sorted(actgrad.__all__) == actgrad.__all__
    wanted = {"elu", "selu", "gelu", "leaky_relu", "geglu"}
    wanted |= {f"{name}_backward" for name in wanted}
    assert wanted <= set(actgrad.operators) & set(actgrad.__all__)
    assert all(actgrad.operators[name] is getattr(actgrad, name) for name in wanted)


@pytest.mark.parametrize(
    ("name", "cure"),
    [("elo", "did you mean elu?"), ("aclnn", "write `import actgrad.aclnn` first"), ("zzz", "actgrad.operators lists")],
)
def test_an_unknown_name_is_answered(name: str, cure: str) -> None:
    script = f"import actgrad\ntry:\n    actgrad.{name}\nexcept AttributeError as error:\n    print(error)"
    assert f"no attribute '{name}'; it must be in __all__; {cure}" in run_script(script)


def test_the_example_of_the_package_runs() -> None:
    assert doctest.testmod(actgrad).failed == 0
    assert doctest.testmod(actgrad).attempted > 0


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_copies_of_an_operator_are_the_operator(operator: actgrad.Operator) -> None:
    """A model that holds one can be copied and saved."""
    for _ in range(2):
        assert copy.deepcopy(operator) is operator
        assert pickle.loads(pickle.dumps(operator)) is operator
        operator.prepared.clear()
        actgrad.elu(X)  # what a call leaves in the operator is not copied either


HEAVY = ("llvmlite", "torch", "triton", "ml_dtypes", "matplotlib", "sklearn", "scipy", "jax")


@pytest.mark.needs("ascend")
def test_import_is_light() -> None:
    script = f"""
import sys
import actgrad
heavy = [name for name in {HEAVY} if name in sys.modules]
assert not heavy, heavy
actgrad.elu.schema, actgrad.elu.__doc__, str(actgrad.elu), actgrad.elu.dtypes, actgrad.elu.requires
with actgrad.product("Ascend310P"), actgrad.rules("document"):
    pass
heavy = [name for name in {HEAVY} if name in sys.modules]
assert not heavy, heavy
import numpy
actgrad.elu(numpy.ones(3), backend="reference")
assert "llvmlite" not in sys.modules and "torch" not in sys.modules
"""
    run_script(script)


@pytest.mark.needs("ascend")
def test_an_import_does_not_look_for_similar_names() -> None:
    """Before a submodule is loaded, Python asks the package for its name."""
    run_script("import sys\nfrom actgrad import aclnn, ir\nassert 'difflib' not in sys.modules")


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_signature(operator: actgrad.Operator) -> None:
    signature = inspect.signature(operator)
    tensors = [a.name for a in operator.schema.tensors]
    assert list(signature.parameters) == [*tensors, *operator.defaults, "out", "backend"]
    for name, parameter in signature.parameters.items():
        is_tensor = name in tensors
        assert parameter.kind == (parameter.POSITIONAL_OR_KEYWORD if is_tensor else parameter.KEYWORD_ONLY)
    assert {n: p.default for n, p in signature.parameters.items() if n in operator.defaults} == operator.defaults
    assert signature.parameters["out"].default is None
    assert operator.__name__ == operator.name
    assert repr(operator) == f"<actgrad operator {operator.schema}>"


#: What stands before `out=None, backend=None`.
SIGNATURES = {
    "elu": "self, *, alpha=1.0, scale=1.0, input_scale=1.0",
    "elu_backward": "grad_output, self_or_result, *, alpha=1.0, scale=1.0, input_scale=1.0, is_result=False",
    "selu": "self, *",
    "selu_backward": "grad_output, result, *",
    "gelu": "self, *, approximate='none'",
    "gelu_backward": "grad_output, self, *, approximate='none'",
    "leaky_relu": "self, *, negative_slope=0.01",
    "leaky_relu_backward": "grad_output, self, *, negative_slope=0.01, self_is_result=False",
    "geglu": "self, *, dim=-1, approximate='none', activate_left=False",
    "geglu_backward": "grad_output, self, gelu=None, *, dim=-1, approximate='none', activate_left=False",
    "geglu_packed": "self, *, dim=-1, approximate='none', activate_left=False",
    "geglu_two": "self, gate, *, approximate='none'",
    "geglu_two_backward": "grad_output, self, gate, *, approximate='none'",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_public_face(name: str) -> None:
    """The names and defaults that callers rely on."""
    assert str(inspect.signature(getattr(actgrad, name))) == f"({SIGNATURES[name]}, out=None, backend=None)"


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_docstring(operator: actgrad.Operator) -> None:
    text = inspect.getdoc(operator)
    assert text is not None
    first = text.splitlines()[0]
    assert first
    for argument in operator.schema.tensors:
        assert argument.name in text
    for output in operator.schema.outputs:
        assert output in text
    for rule in operator.requires:
        assert rule in text
    assert re.search(r"^(One element|The (derivative|gradient) of one element)[^\n]*:\n    \S", text, flags=re.M)
    assert ("int8" in text) == operator.name.startswith("selu")


def test_an_operator_is_registered_once() -> None:
    with pytest.raises(ValueError, match=r"operator elu: is registered already"):
        actgrad.Operator("elu(Tensor self) -> Tensor out", summary="", formula=actgrad.elu.formula)
    assert actgrad.operators["elu"] is actgrad.elu
