"""The law of a user's operator: its C functions, graph operators and limits, in calls of NumPy and of aclnn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn, ir
from actgrad.ascend import C, InPlace, Law, Parameter
from actgrad.ascend.aclnn import c_functions, signatures
from actgrad.ascend.rules import lint
from actgrad.ascend.rules.rule import only_documents, only_on, rank, supported
from actgrad.base.dtypes import BY_NAME
from actgrad.checks.dtype_rules import equal
from actgrad.checks.shape_rules import same_shape
from tests.support.author_mistakes import operator, scaled, with_scalar

pytestmark = pytest.mark.usefixtures("registry_as_before")

X = np.float32([[-1.5, 0.0, 2.5], [4.0, -0.0, 8.0]])


def tensor_of(array: np.ndarray) -> Any:
    """An aclTensor on a NumPy array."""
    number = BY_NAME[str(array.dtype)].acl
    return aclnn.aclCreateTensor(array.shape, number, None, 0, aclnn.ACL_FORMAT_ND, array.shape, array)


def scalar_of(value: float) -> Any:
    return aclnn.aclCreateScalar(np.float32(value), aclnn.ACL_FLOAT)


def run(name: str, *arguments: Any) -> int:
    """The status of a two-phase call."""
    status, size, executor = getattr(aclnn, f"{name}GetWorkspaceSize")(*arguments)
    return status or getattr(aclnn, name)(None, size, executor, None)


def test_a_c_function() -> None:
    smooth = with_scalar()
    Law(smooth, functions=(C("LawScaled"),))
    out = np.empty_like(X)
    assert run("aclnnLawScaled", tensor_of(X), scalar_of(2.5), tensor_of(out)) == aclnn.ACLNN_SUCCESS
    assert out.tolist() == (X * np.float32(2.5)).tolist()
    values = X.copy()
    assert run("aclnnInplaceLawScaled", tensor_of(values), scalar_of(-1.0)) == aclnn.ACLNN_SUCCESS
    assert values.tobytes() == (-X).tobytes()
    # The usual rules: equal shapes and dtypes, and no null pointer.
    assert run("aclnnLawScaled", tensor_of(X), scalar_of(1.0), tensor_of(out[:1])) == 161002
    assert run("aclnnLawScaled", None, scalar_of(1.0), tensor_of(out)) == 161001
    (signature, in_place) = signatures.list_signatures(smooth)
    assert (
        str(signature) == "aclnnStatus aclnnLawScaledGetWorkspaceSize(const aclTensor* self, const aclScalar* alpha, "
        "aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)"
    )
    assert in_place.name == "aclnnInplaceLawScaled"


def test_a_c_function_with_parameters_of_its_own() -> None:
    parameters = (
        Parameter("mode", constant=2),
        "x",
        Parameter("factor", "double"),
        Parameter("scratch", "Tensor", is_ignored=True, may_be_null=True),
        "y",
    )
    Law(with_scalar(), functions=(C("LawMixed", parameters, in_place=None),))
    out = np.empty_like(X)
    assert run("aclnnLawMixed", 2, tensor_of(X), 0.5, None, tensor_of(out)) == aclnn.ACLNN_SUCCESS
    assert out.tolist() == (X / 2).tolist()
    assert run("aclnnLawMixed", 3, tensor_of(X), 0.5, None, tensor_of(out)) != aclnn.ACLNN_SUCCESS
    assert not hasattr(aclnn, "aclnnInplaceLawMixed")


def test_functions_with_other_rules_and_products() -> None:
    functions = (
        C("LawHere", fixed={"alpha": 3.0}, products="Ascend950", in_place=InPlace("xRef")),
        C("LawStrict", checks=(supported("self"), equal("out", to="self"), rank("self", minimum=2))),
    )
    smooth = with_scalar()
    Law(smooth, functions=functions)
    out = np.empty_like(X)
    assert run("aclnnLawHere", tensor_of(X), tensor_of(out)) == 561103
    with actgrad.product("Ascend950"):
        assert run("aclnnLawHere", tensor_of(X), tensor_of(out)) == aclnn.ACLNN_SUCCESS
        assert out.tolist() == (X * 3).tolist()
    assert run("aclnnLawStrict", tensor_of(X[0]), scalar_of(1.0), tensor_of(out[0])) == 161002
    assert run("aclnnLawStrict", tensor_of(X), scalar_of(1.0), tensor_of(out)) == aclnn.ACLNN_SUCCESS
    with actgrad.product("Ascend910B"):  # the operator itself has the usual rules
        smooth(X[0])


def test_a_graph_operator() -> None:
    Law(with_scalar(), graph=("LawGraph(x=self, factor=alpha:1.5) -> y",))
    assert ir.LawGraph(X).tolist() == (X * 1.5).tolist()
    assert ir.LawGraph(X, factor=-2.0).tolist() == (X * -2).tolist()
    assert ir.LawGraph.infer_shape((4, -1)) == ((4, -1),)
    assert "LawGraph" in ir.names()


def test_limits_of_products() -> None:
    checks = (
        supported("self"),
        equal("out", to="self"),
        same_shape("out", to="self"),
        only_on("Ascend950", rank("self", minimum=1)),
        only_documents(rank("self", minimum=2)),
    )
    requires = {"alpha <= 8 on Ascend310P": lambda a, product: str(product) != "Ascend310P" or a["alpha"] <= 8}
    smooth = with_scalar()
    Law(smooth, products="Ascend950 Ascend910B Ascend310P", dtypes="float32 bfloat16", checks=checks, requires=requires)
    half, scalar = X.astype(np.float16), np.ones((), np.float32)
    for tensor in (half, X, scalar):  # without a product, only the mathematics
        assert smooth(tensor, alpha=9.0).tolist() == (tensor * 9).tolist()
    with actgrad.product("Ascend910B"):
        smooth(X)
        with pytest.raises(actgrad.InvalidDtype, match="self is float16; it must be float32 or bfloat16 on Ascend910B"):
            smooth(half)
        smooth(scalar)
        smooth(X, alpha=9.0)
    with actgrad.product("Ascend950"), pytest.raises(actgrad.InvalidArgument, match="self has 0 dimensions"):
        smooth(scalar)
    with actgrad.product("Ascend310P"):
        with pytest.raises(actgrad.InvalidArgument, match="the operator needs alpha <= 8 on Ascend310P"):
            smooth(X, alpha=9.0)
        with pytest.raises(actgrad.InvalidDtype, match="it must be float32 on Ascend310P"):
            smooth(half)
    with actgrad.product("Ascend910"), pytest.raises(actgrad.UnsupportedOnProduct, match="not available on Ascend910 "):
        smooth(X)
    with actgrad.rules("document"), pytest.raises(actgrad.InvalidArgument, match="it must have 2 to 8"):
        smooth(X[0])


def negated(x, alpha):
    """-alpha * x"""
    return -alpha * x


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_formula_of_one_product(backend: str) -> None:
    smooth = with_scalar()
    Law(smooth, formulas={"Ascend950": negated})
    assert smooth(X, backend=backend).tolist() == X.tolist()
    with actgrad.product("Ascend950"):
        assert smooth(X, backend=backend).tobytes() == (-X).tobytes()
    with actgrad.product("Ascend910B"):
        assert smooth(X, backend=backend).tolist() == X.tolist()


def test_an_operator_without_a_law_has_the_usual_rules() -> None:
    smooth = with_scalar()
    assert smooth.law.functions == ()
    with actgrad.product("Ascend910B"):
        smooth(X)
        with pytest.raises(actgrad.InvalidDtype, match="self is float64; it must be "):
            smooth(X.astype(np.float64))
    smooth(X.astype(np.float64))


def test_a_law_after_the_first_calls() -> None:
    """The calls before it met the usual rules, and are not remembered."""
    smooth = with_scalar()
    assert smooth.law.functions == ()
    assert signatures.list_signatures(smooth) == ()
    double = X.astype(np.float64)
    for _ in range(3):
        with actgrad.product("Ascend950"):
            smooth(X)
            with pytest.raises(actgrad.InvalidDtype):
                smooth(double)
    Law(smooth, dtypes="float64", functions=(C("LawLate"),))
    with actgrad.product("Ascend950"):
        smooth(double)
        with pytest.raises(actgrad.InvalidDtype, match="self is float32; it must be float64 on Ascend950"):
            smooth(X)
    out = np.empty_like(double)
    assert run("aclnnLawLate", tensor_of(double), scalar_of(2.0), tensor_of(out)) == aclnn.ACLNN_SUCCESS
    assert out.tolist() == (double * 2).tolist()


def test_the_laws_of_the_package_have_no_fault() -> None:
    """The linter reads only laws of users when they are stated."""
    laws = [operator.law for operator in actgrad.operators.values()]
    assert len(laws) == len(actgrad.operators) > 80
    assert [fault for law in laws for fault in lint.faults(law, [other for other in laws if other is not law])] == []


def test_c_functions_are_found_by_name() -> None:
    assert c_functions.find("aclnnLawNone") is None
    smooth = operator("NAME(Tensor self, Scalar alpha=1) -> Tensor out", scaled)
    Law(smooth, functions=(C("LawNone"),))
    found = c_functions.find("aclnnLawNone")
    assert found is not None


def test_differences_in_a_file_of_the_user(tmp_path: Path) -> None:
    smooth, file = with_scalar(), tmp_path / "my_law.md"
    file.write_text(f"# My law\n\n## other\n\n- No.\n\n## {smooth.name}\n\n- First.\n- Second\n  line.\n")
    Law(smooth, differences_file=file)
    assert smooth.differences == ("First.", "Second line.")
