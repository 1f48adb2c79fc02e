"""Every wrong argument of every public function: an error of this package that names function and argument."""

from __future__ import annotations

import contextlib
import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn, ir
from tests.support.bad_calls import HALF, PACKED, A
from tests.support.calls import OPERATORS, ids


class Plain:
    pass


class Raising:
    """One whose every attribute raises, as an unbound proxy's do."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name} today")


class NoNumber:
    """One that says it is a number, and raises."""

    __hash__ = None  # type: ignore[assignment]

    def __index__(self) -> int:
        raise RuntimeError("no number today")

    def __float__(self) -> float:
        raise RuntimeError("no number today")

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("no items today")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable today")


class NoRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no words today")


WRONG: dict[str, Any] = {
    "None": None, "str": "wrong", "empty str": "", "bytes": b"wrong", "object": Plain(), "Raising": Raising(),
    "NoNumber": NoNumber(), "NoRepr": NoRepr(), "huge": 10**400, "endless": 10**5000, "-huge": -(10**30),
    "nan": float("nan"), "inf": float("inf"), "0.5": 0.5, "complex": 1j, "True": True, "99": 99, "list": [1.0, 2.0],
    "nested": [[[]]], "mixed": ["elu", 1], "tuple": (), "dict": {}, "set": {1}, "class": Plain, "int": int,
    "dtype": np.float32, "function": lambda: 0, "module": np, "...": ..., "array": A, "array 0": np.array(3),
    "objects": np.array([object()]), "np str": np.str_("wrong"), "np bool": np.bool_(True),
}  # fmt: skip
NUMBERS = {"huge", "endless", "-huge", "nan", "inf", "0.5", "True", "99", "np bool"}


def refused(call: Callable[[], Any], *begins: str) -> actgrad.ActgradError:
    """The error of a call, which names all that `begins` says."""
    with pytest.raises(actgrad.ActgradError) as caught:
        call()
    text = str(caught.value)
    assert any(text.startswith(begin) for begin in begins), text
    assert len(text) < 400
    assert isinstance(caught.value, (ValueError, TypeError))
    return caught.value


def good(operator: actgrad.Operator) -> dict[str, Any]:
    names = [a.name for a in operator.schema.tensors if not a.is_optional]
    return {name: PACKED if operator.access.part_count(name) > 1 else HALF for name in names}


def right(operator: actgrad.Operator, name: str) -> set[str]:
    """The labels in WRONG of values that an argument may have."""
    if name in operator.schema.outputs or name == "out":
        return {"None", "array"} if len(operator.schema.outputs) == 1 else {"None"}
    argument = next((a for a in operator.schema.arguments if a.name == name), None)
    if argument is None:
        return {"None"}  # backend
    if argument.is_tensor:
        is_promoted = operator.broadcasts and len(operator.schema.tensor_names) > 1  # integers beside floats too
        further = {"array 0", "np bool"} if is_promoted else set()
        return {"array"} | further | ({"None"} if argument.is_optional else set())
    if argument.type == "Scalar":
        return NUMBERS
    return {"True", "np bool"} if argument.type == "bool" else set()


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_operators(operator: actgrad.Operator) -> None:
    tensors = good(operator)
    for name in [*operator.schema.tensor_names, *operator.defaults, "out", "backend"]:
        for label, wrong in WRONG.items():
            if label in right(operator, name):
                continue
            names = {name, *operator.schema.outputs} if name == "out" else {name}
            for call in (operator, operator.plan):
                error = refused(lambda: call(**{**tensors, name: wrong}), f"{operator.name}: ")  # noqa: B023
                assert any(f" {said} " in str(error) for said in names)
                if label == "None":
                    assert type(error) is actgrad.NullArgument


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_unknown_and_surplus_arguments(operator: actgrad.Operator) -> None:
    for wrong in WRONG.values():
        for call in (operator, operator.plan):
            refused(lambda: call(*good(operator).values(), surplus=wrong), f"{operator.name}: surplus is unknown")  # noqa: B023
            refused(lambda: call(*[wrong] * 9), f"{operator.name}: got 9 arguments by position; it takes ")  # noqa: B023


def entered(manager: Callable[[Any], Any]) -> Callable[[Any], None]:
    def call(name: Any) -> None:
        with manager(name):
            pass

    return call


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], str, set[str]]] = {
    "precompile operators": (lambda w: actgrad.precompile(w, "float32"), "precompile: ", {"None"}),
    "precompile dtypes": (lambda w: actgrad.precompile("selu", w), "precompile: ", {"None"}),
    "product": (entered(actgrad.product), "product is ", set()),
    "rules": (entered(actgrad.rules), "rules is ", set()),
    "set_num_threads": (actgrad.set_num_threads, "set_num_threads: n is ", {"99", "array 0"}),
    "ir.infer_shape": (lambda w: ir.Elu.infer_shape(w), "Elu: ", {"tuple"}),
    "ir.infer_dtype": (lambda w: ir.Elu.infer_dtype(w), "Elu: ", {"dtype"}),
    "ir dim": (lambda w: ir.GeGluV2.infer_shape((4, 6), dim=w), "GeGluV2: ", set()),
    "ir call": (lambda w: ir.Elu(w), "E", {"array"}),
    "Operator": (lambda w: actgrad.Operator(w, summary="", formula=plain_formula), "operator ", set()),
    "Operator formula": (
        lambda w: actgrad.Operator(SCHEMA, summary="", formula=w),
        "operator wrong_one: formula is ",
        {"class", "int", "dtype", "function"},
    ),
}


def plain_formula(x):
    return x


SCHEMA = "wrong_one(Tensor self) -> Tensor out"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    call, begins, passing = FUNCTIONS[name]
    for label, wrong in WRONG.items():
        if label not in passing:
            refused(lambda: call(wrong), begins, begins.lower())  # noqa: B023


def test_numbers_of_threads() -> None:
    before = actgrad.get_num_threads()
    for wrong in (-1, 1025, 2.0, 10**5000):
        error = refused(lambda: actgrad.set_num_threads(wrong), "set_num_threads: n is ")  # noqa: B023
        assert "it must be an integer from 0 to 1024; pass 0 for the default" in str(error)
    assert actgrad.get_num_threads() == before


def test_precompile_names_what_it_was_given() -> None:
    for arguments, message in (
        ((None, 3), "precompile: dtypes is 3; it must be a name or several; pass some of float32, "),
        ((3,), "precompile: operators is 3; it must be a name or several; pass some of celu, "),
        (("elu", [3]), "precompile: dtype 3 is unknown; known are float32, "),
        (([["elu"]],), "precompile: operator ['elu'] is unknown; known are celu, "),
        (([],), "precompile: operators is empty"),
        (("elu", ()), "precompile: dtypes is empty"),
    ):
        refused(lambda: actgrad.precompile(*arguments), message)  # noqa: B023


def test_aclnn_functions_return_a_status() -> None:
    """Whatever they are given; only a wrong number of arguments, a fault of the program, is raised."""
    for operator in ("Elu", "EluBackward", "GeGluV3Backward"):
        first, second = getattr(aclnn, f"aclnn{operator}GetWorkspaceSize"), getattr(aclnn, f"aclnn{operator}")
        count = len(first.__text_signature__.split(",")) - 1
        for wrong in WRONG.values():
            status, size, executor = first(*[wrong] * count)
            assert (status != 0, size, executor) == (True, 0, None)
            assert second(None, 0, wrong, None) != 0
            assert second(wrong, wrong, None, wrong) != 0
        refused(lambda: first(A), f"aclnn{operator}GetWorkspaceSize: got 1 argument; it takes ")  # noqa: B023


# Copies


def test_plans_are_neither_pickled_nor_copied_deeply() -> None:
    """A copy would compute in memory that is not its own, or is gone."""
    for backend in ("cpu", "reference"):
        plan = actgrad.elu.plan(A, backend=backend)
        assert copy.copy(plan) is plan
        for copied in (plan, {"kept": [plan]}):
            for attempt in (pickle.dumps, copy.deepcopy):
                error = refused(lambda: attempt(copied), "elu: a plan cannot be pickled or copied")  # noqa: B023
                assert "call elu.plan with the arrays that the copy is for" in str(error)
                assert type(error) is actgrad.InvalidCall


def test_handles_of_the_c_interface_are_not_copied() -> None:
    tensor = aclnn.aclCreateTensor([12], aclnn.ACL_FLOAT, None, 0, aclnn.ACL_FORMAT_ND, [12], A)
    executor = aclnn.aclnnSeluGetWorkspaceSize(A, A.copy())[2]
    stream = aclnn.aclrtCreateStream()[1]
    for handle, name in ((tensor, "aclTensor"), (executor, "aclOpExecutor"), (stream, "aclrtStream")):
        for attempt in (pickle.dumps, copy.deepcopy, copy.copy):
            refused(lambda: attempt(handle), f"{name}: cannot be pickled or copied")  # noqa: B023


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_what_there_is_once_stays_the_same(again: Callable[[Any], Any]) -> None:
    from actgrad.ascend import products
    from actgrad.base import dtypes

    for one in (*dtypes.BY_NUMBER.values(), *products.BY_NAME.values(), *actgrad.operators.values()):
        assert again(one) is one


def test_an_operator_that_is_not_in_this_process() -> None:
    text = pickle.dumps(actgrad.elu).replace(b"elu", b"abc")
    with pytest.raises(
        actgrad.InvalidOperator,
        match="operator 'abc' is unknown; it must be registered in this process; import the module",
    ):
        pickle.loads(text)


# Results that no memory holds


def stretched(*shape: int, dtype: str = "f4") -> np.ndarray:
    """A view of one element that has many."""
    return np.lib.stride_tricks.as_strided(np.zeros(1, dtype), shape, (0,) * len(shape))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("power", [32, 40, 61])
def test_results_that_no_address_reaches(power: int, backend: str) -> None:
    column, row = stretched(2**power, 1, dtype="f2"), stretched(1, 2**power, dtype="f2")
    for call in (actgrad.leaky_relu_backward, actgrad.leaky_relu_backward.plan):
        refused(
            lambda: call(column, row, backend=backend),  # noqa: B023
            f"leaky_relu_backward: out would have shape ({2**power}, {2**power}) in float16, {2 * 4**power} bytes",
        )


@pytest.mark.parametrize(
    "call",
    [
        lambda: actgrad.leaky_relu_backward(stretched(2**25, 1), stretched(1, 2**25)),
        lambda: actgrad.leaky_relu_backward.plan(stretched(2**25, 1), stretched(1, 2**25)),
        lambda: actgrad.elu(stretched(2**50)),
        lambda: actgrad.elu(stretched(2**50), backend="reference"),
        lambda: actgrad.geglu(stretched(2**51)),
        lambda: actgrad.geglu_packed(stretched(2**51)),
    ],
)
def test_results_for_which_there_is_no_memory(call: Callable[[], Any]) -> None:
    """The error names what was wanted, and is a MemoryError too; also where calls like these took a short way."""
    for _ in range(2):
        actgrad.elu(A)
        actgrad.leaky_relu_backward(A, A)
        actgrad.geglu_packed(PACKED)
    with pytest.raises(
        actgrad.OutOfMemory, match=r"a result of shape .*; NumPy must allocate them, but raises "
    ) as caught:
        call()
    assert isinstance(caught.value, MemoryError)
    assert str(2**52) in str(caught.value)  # bytes


@pytest.mark.needs("torch")
def test_no_memory_for_a_tensor() -> None:
    torch = pytest.importorskip("torch")
    for tensor in (torch.zeros(1), torch.zeros(1, requires_grad=True)):
        with pytest.raises(actgrad.OutOfMemory, match=rf"^elu: .* takes {2**52} bytes; PyTorch must allocate them"):
            actgrad.elu(tensor.expand(2**50))
    with pytest.raises(actgrad.InvalidArgument, match=r"^leaky_relu_backward: out would have shape"):
        actgrad.leaky_relu_backward(torch.zeros(1).expand(2**40, 1), torch.zeros(1).expand(1, 2**40))


# Formulas


def unknown_function(x):
    return cosh(x)  # noqa: F821


def unknown_constant(x):
    return ALPHA * x  # noqa: F821


def attribute(x):
    return x.cosh()


def module_function(x):
    return np.sqrt(x)


def built_in(x):
    return float(x)


def calls_unknown_function(x):
    return 2 * unknown_function(x)


def calls_itself(x):
    return calls_itself(x - 1)


def wants_more(x, y):
    return x * y


def branches(x):
    return x if x > 0 else -x


def raises(x):
    return x[0]


def closure() -> Callable[[Any], Any]:
    slope = 2.0
    return lambda x: slope * x


FORMULAS = [
    (
        unknown_function,
        r"formula unknown_function .*'cosh' is unknown here; a formula may call where, ",
    ),
    (unknown_constant, r"formula unknown_constant .*'ALPHA' is unknown here"),
    (attribute, r"formula attribute .*'cosh' is unknown here"),
    (module_function, r"formula module_function .*'np' is a module"),
    (built_in, r"formula built_in .*'float' is a Python built-in; a formula may call "),
    (calls_unknown_function, r"formula unknown_function .*'cosh' is unknown here"),
    (calls_itself, r"formula calls_itself .*: calls itself"),
    (wants_more, r"formula wants_more takes 2 arguments; it must take 1"),
    (branches, r"formula branches .*: it cannot branch on a value; use where|formula branches .* raises "),
    (raises, r"formula raises .*: it cannot be computed: TypeError"),
    (closure(), r"it must be a plain function of a module"),
    (np.exp, r"it must be a plain function of a module"),
    (int, r"it must be a plain function of a module"),
]


@contextlib.contextmanager
def operator_of(formula: Any) -> Iterator[actgrad.Operator]:
    """An operator of a formula, which leaves the registry afterwards."""
    before = dict(actgrad.operators)
    try:
        yield actgrad.Operator(SCHEMA, summary="Wrong.", formula=formula)
    finally:
        actgrad.operators.clear()
        actgrad.operators.update(before)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize(("formula", "message"), FORMULAS, ids=lambda v: getattr(v, "__name__", ""))
def test_formulas(formula: Any, message: str, backend: str) -> None:
    if (formula, backend) == (raises, "reference"):
        pytest.skip("NumPy can do that")
    with operator_of(formula) as operator:
        for _ in range(2):
            with pytest.raises(actgrad.InvalidOperator, match=message) as caught:
                operator(A, backend=backend)
            assert isinstance(caught.value, TypeError)
            assert isinstance(caught.value, ValueError)


def test_an_operator_is_defined_once() -> None:
    with operator_of(plain_formula), pytest.raises(actgrad.InvalidOperator, match="wrong_one: is registered already"):
        actgrad.Operator(SCHEMA, summary="", formula=plain_formula)


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("schem", r"; did you mean schema\?"),
        ("pan", r"; did you mean plan\?"),
        ("foo", r"; help\(\) of the operator lists its arguments"),
        ("_foo", ""),
    ],
)
def test_an_unknown_attribute_of_the_operator(name: str, cure: str) -> None:
    """The message names the operator, and not the definition behind it."""
    with pytest.raises(AttributeError, match=f"^operator elu has no attribute '{name}'{cure}$"):
        getattr(actgrad.elu, name)
