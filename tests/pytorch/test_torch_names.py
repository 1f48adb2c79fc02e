"""Functions and modules of actgrad.torch follow from the names that a definition states."""

from __future__ import annotations

import base64
import copy
import inspect
import pickle
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
import actgrad.torch
from actgrad.base.definition import Roles, Torch
from actgrad.base.xp import exp, minimum, where
from actgrad.torch import functions, modules, public_names
from tests.support.calls import run_script
from tests.support.messages import check
from tests.support.torch_calls import compiled, ignore_deprecation

torch = pytest.importorskip("torch")
functional = torch.nn.functional
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402  only where PyTorch is

FOLDER = Path(functions.__file__).parent


def silu_formula(x):
    """x / (1 + exp(-x))"""
    e = exp(minimum(x, -x))
    return x * where(x > 0, 1.0 / (1.0 + e), e / (1.0 + e))


def celu_formula(x, alpha):
    """x if x > 0 else alpha * (exp(x / alpha) - 1)"""
    return where(x > 0, x, alpha * (exp(where(x > 0, 0.0, x) / alpha) - 1.0))


@pytest.fixture(scope="module", autouse=True)
def operators() -> Iterator[None]:
    """Operators of this file alone."""
    before = dict(actgrad.operators)
    summary = "An operator of a test."
    text = "silu_of_test(Tensor self) -> Tensor out"
    actgrad.Operator(text, summary=summary, formula=silu_formula, torch=Torch("test_silu(inplace)", module="TestSiLU"))
    text = "celu_of_test(Tensor self, Scalar alpha=1) -> Tensor out"
    actgrad.Operator(
        text, summary=summary, formula=celu_formula, torch=Torch("test_celu(alpha, inplace)", module="TestCELU")
    )
    text = "celu_plain_of_test(Tensor self, Scalar alpha=1) -> Tensor out"
    actgrad.Operator(text, summary=summary, formula=celu_formula, torch=Torch("celu_plain", module="PlainCELU"))
    yield
    actgrad.operators.clear()
    actgrad.operators.update(before)


@ignore_deprecation
@pytest.mark.parametrize(("function", "module", "given"), [("silu", "SiLU", {}), ("celu", "CELU", {"alpha": 1.3})])
def test_a_new_operator_has_a_function_and_a_module(function: str, module: str, given: dict[str, float]) -> None:
    theirs, their_class = getattr(functional, function), getattr(torch.nn, module)
    function, module = f"test_{function}", f"Test{module}"
    ours, our_class = getattr(actgrad.torch, function), getattr(actgrad.torch, module)
    for one, other in ((ours, theirs), (our_class, their_class)):
        pairs = zip(*(inspect.signature(f).parameters.values() for f in (one, other)), strict=True)
        assert all((p.name, p.default, p.kind) == (q.name, q.default, q.kind) for p, q in pairs)
    assert (ours.__module__, ours.__qualname__) == ("actgrad.torch.functions", function)
    assert (our_class.__module__, our_class.__qualname__) == ("actgrad.torch.modules", module)
    assert ours.__doc__.startswith("An operator of a test.")
    assert our_class.__doc__.startswith("An operator of a test.")
    x = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    plain, network = our_class(**given), their_class(**given)
    for call in (
        lambda x: ours(x, **given),
        lambda x: ours(x * 1.0, **given, inplace=True),
        plain,
        copy.deepcopy(plain),
        pickle.loads(pickle.dumps(plain)),
        lambda x: our_class(**given, inplace=True)(x * 1.0),
        compiled(plain),
        compiled(lambda x: getattr(actgrad.torch, function)(x, **given)),
    ):
        torch.testing.assert_close(call(x), network(x))
        torch.testing.assert_close(*(torch.autograd.grad(f(x).sum(), x)[0] for f in (call, network)))
    assert repr(our_class()) == module + ("(alpha=1.0)" if given else "()")
    assert repr(our_class(inplace=True)) == module + ("(alpha=1.0, inplace=True)" if given else "(inplace=True)")
    assert pickle.loads(pickle.dumps(ours)) is ours
    assert function in dir(actgrad.torch)


def test_names_without_parameters_take_all_attributes() -> None:
    assert str(inspect.signature(actgrad.torch.celu_plain)) == (
        "(input: torch.Tensor, alpha: float = 1.0) -> torch.Tensor"
    )
    assert repr(actgrad.torch.PlainCELU(2.0)) == "PlainCELU(alpha=2.0)"


@pytest.mark.parametrize(
    "stated",
    [
        {"function": "f(beta)"},
        {"function": "f(x, y)"},
        {"function": "a name"},
        {"function": "f", "module": "F(beta)"},
        {"function": "f", "module": "F("},
    ],
    ids=str,
)
def test_wrong_names_are_refused(stated: dict[str, str]) -> None:
    text = "misnamed(Tensor self, Scalar alpha=1) -> Tensor out"
    operator = actgrad.Operator(text, summary="", formula=celu_formula, torch=Torch(**stated))
    try:
        with pytest.raises(
            actgrad.InvalidOperator, match=r"^operator misnamed: torch names .* of alpha, save, inplace; rewrite it$"
        ):
            public_names.TorchNames(operator)
    finally:
        del actgrad.operators["misnamed"]


@pytest.mark.parametrize("name", ["f(inplace)", "f(x)", "f(approximate, self, gate)"])
def test_names_must_suit_the_operator(name: str) -> None:
    """Only an operator of one tensor may be in place; tensors have new names all together, and first."""
    text = "misnamed(Tensor self, Tensor gate, int approximate=0) -> Tensor out"
    two = actgrad.operators["geglu_two"]
    operator = actgrad.Operator(
        text, summary="", formula=two.formula, roles=Roles(multiplies="self"), torch=Torch(name)
    )
    try:
        with pytest.raises(
            actgrad.InvalidOperator, match=r"^operator misnamed: torch names .* of approximate, save; rewrite it$"
        ):
            public_names.TorchNames(operator)
    finally:
        del actgrad.operators["misnamed"]


def test_unknown_names() -> None:
    for module in (actgrad.torch, functions, modules):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'relu7'"):
            _ = module.relu7


def test_public_names_at_import() -> None:
    run_script("""
import actgrad
from actgrad.base.definition import Torch
text = "twice(Tensor self) -> Tensor out"
actgrad.Operator(text, summary="Twice.", formula=lambda x: 2.0 * x, torch=Torch("twice", module="Twice"))
import actgrad.torch
assert "twice" in actgrad.torch.__all__ and "Twice" in actgrad.torch.__all__
made = set(vars(actgrad.torch.functions)) & set(actgrad.torch.functions.__all__)
assert not made, "made before their use"
from actgrad.torch import *
assert Twice is actgrad.torch.modules.Twice
""")


def test_docstrings_use_the_names_of_the_parameters() -> None:
    texts = {names.function: names.function_documentation for names in public_names.all_names()}
    assert not [name for name, text in texts.items() if re.search(r"\bself\b", text)]
    assert texts["geglu_two"].startswith("x * gelu(gate)")
    assert texts["prelu"].startswith("input if input > 0, else weight * input")
    assert "approximate='tanh': 0.5 * x * (1 + tanh(" in " ".join(texts["gelu"].split())
    assert "Source:\n    Shazeer 2020, https://arxiv.org/abs/2002.05202" in texts["swiglu"]


#: Of version 0.1: modules with attributes off their defaults, and two functions.
PICKLE = (
    "c-p;G&2AGh5H8AwCR(*XAyhQ{2q6SiYA!qg5~9k1sz^l~(P*;kU7I-TmF-RFp%QQklBFJM-in@h2hJRL0KDri?KX&GMp}J4{=Tut"
    "Gb4WrzMTdumA$u5O%EfTN{k0u$cPRmA}%;l*0gr_-q{oT?6W;`s*aY(GM1%wZbHaW;)G}-l_O0DMn#gGIeo}P2D$T?(j?P02a0HW"
    "Y|Tv=VKknhj3Ji<s1Rd!SQrV;Nu-&`O7D$~i6rqW7U?pD18c6GhxrhCy<ENxOhHm`-lXlmS%*Z(1^rfY6=qCRDC5#varcq}`3w&g"
    "MCkI1&omo<HRo6G%>6~?A7|VErBM@z-TfNjy^F-<y|;i1jQ^+TFDis;p3s51!LC<r<T*t<eDV8xX{TnDWjV))xF)xiyE1Xy&!jRF"
    "I<C-AFaPorWCDd#;<l<-Ta4%x6TH1RI`rzCt{z$1bzgXF=~|Tt-SBX0pZ5IUriVKo`X26ic;MlohesYBdwAmZ-Ja7O6JVi*&!D?U"
    "aC~?`mYarI&q#`zO$jJ2^0G=lo>xY<ztSE0(pP7=<m#9Z^IVFLY~seknm}VleVN+B-QkjRX~k?}U$4*)bZpk#%fqJSta6fQTlFv{"
    "yl}~x&E~6=6j}W^v`WQ^rC&@pB`GgJ&xG^I;17KA$Yu"
)


def test_pickles_of_version_0_1_load() -> None:
    *found, elu, geglu_two = pickle.loads(zlib.decompress(base64.b85decode(PICKLE)))
    assert list(map(repr, found)) == [
        "ELU(alpha=1.3, scale=0.7, inplace=True, save='input')",
        "SELU(inplace=True)",
        "LeakyReLU(negative_slope=0.3)",
        "GELU(approximate='tanh')",
        "GEGLU(dim=0, approximate='tanh', activate_left=True, save='gelu')",
    ]
    assert (elu, geglu_two) == (actgrad.torch.elu, actgrad.torch.geglu_two)
    x = torch.randn(4, 6)
    torch.testing.assert_close(found[3](x), functional.gelu(x, approximate="tanh"))
    torch.testing.assert_close(found[0](x.clone()), torch.ops.aten.elu(x, 1.3, 0.7))
    assert vars(found[0]).keys() == vars(actgrad.torch.ELU()).keys()


def test_older_versions_are_refused_in_one_line() -> None:
    run_script(
        """
import torch
torch.__version__ = type(torch.__version__)("2.9.1")
import actgrad
try:
    import actgrad.torch
except ImportError as error:
    assert isinstance(error, actgrad.ActgradError)
    assert str(error).startswith("PyTorch is 2.9.1; actgrad.torch needs 2.10 or newer"), error
    assert "\\n" not in str(error)
else:
    raise AssertionError("it was imported")
"""
    )


class Mode(TorchDispatchMode):  # type: ignore[misc,no-untyped-call]
    """A mode that changes nothing. Calls inside take the dispatcher's route."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(*args, **(kwargs or {}))


def routes(call: Callable[[Any], Any]) -> Iterator[Callable[[], Any]]:
    """A call of a tensor of 4 elements by every route: directly, recorded, and through the dispatcher."""
    x = torch.linspace(-2, 2, 4)
    yield lambda: call(x)
    yield lambda: call(x.clone().requires_grad_())
    for manager in (Mode, torch.no_grad, torch.inference_mode, lambda: torch.autocast("cpu", torch.float16)):
        yield lambda manager=manager: with_manager(manager, lambda: call(x))  # type: ignore[misc]


def with_manager(manager: Callable[[], Any], call: Callable[[], Any]) -> Any:
    with manager():
        return call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: actgrad.torch.gelu([1.0]), "gelu: input is a list; it must be a torch.Tensor; call torch.as_tensor"),
        (lambda x: actgrad.torch.elu(None), "elu: input is None; it is required; pass"),
        (lambda x: actgrad.torch.geglu_two(None, x), "geglu_two: x is None; it is required; pass"),
        (lambda x: actgrad.torch.elu([1.0], inplace=True), "elu: input is a list; it must be a torch.Tensor; "),
        (lambda x: actgrad.torch.elu(x, 1.0, 0.5), "elu: inplace is 0.5; it must be True or False; pass"),
        (lambda x: actgrad.torch.GELU()(1.0), "gelu: input is a float; it must be a torch.Tensor; "),
        (lambda x: actgrad.torch.prelu(x, 0.5), "prelu: weight is a float; it must be a torch.Tensor; "),
        (lambda x: actgrad.torch.geglu_two(x, np.ones(4)), "geglu_two: gate is an ndarray; it must be a torch.Tensor"),
        (lambda x: actgrad.torch.softmax([1.0]), "softmax: input is a list; it must be a torch.Tensor; "),
        (lambda x: actgrad.torch.softmax(x, True), "softmax: dim is True; it must be an integer; pass an int"),
        (lambda x: actgrad.torch.softmax(x, 0, dtype="float32"), "softmax: dtype is a str; it must be a torch.dtype; "),
        (lambda x: actgrad.torch.softmin(None), "softmin: input is None; it must be a torch.Tensor; "),
        (lambda x: actgrad.torch.tanhshrink(1), "tanhshrink: input is an int; it must be a torch.Tensor; "),
        (lambda x: actgrad.torch.elu(x, alpha="x"), "elu: alpha is a str; it must be a number; pass a float"),
        (lambda x: actgrad.torch.elu(x, alpha=None), "elu: alpha is None; it is required; pass a number"),
        (lambda x: actgrad.torch.elu(x, alpha=1j), "elu: alpha is complex .*; it must be a real number; pass"),
        (lambda x: actgrad.torch.elu(x, save="no"), "elu: save is 'no'; it must be 'auto', 'input' or 'result'; "),
        (lambda x: actgrad.torch.elu(x, save=[]), "elu: save is .*; it must be 'auto', 'input' or 'result'; pass"),
        (lambda x: actgrad.torch.geglu(x, save="x"), "geglu: save is 'x'; it must be 'auto', 'input' or 'gelu'; pass"),
        (lambda x: actgrad.torch.elu(x, -1, save="result"), "elu: alpha is -1.0; save='result' needs alpha >= 0, so "),
        (lambda x: torch.ops.actgrad.elu(x, save="no"), "elu: save is 'no'; it must be 'auto', 'input' or 'result'; "),
        (lambda x: actgrad.torch.swiglu(x, dim=1.5), "swiglu: dim is 1.5; it must be an integer; pass an int"),
        (lambda x: actgrad.torch.swiglu(x, dim=-1.0), "swiglu: dim is -1.0; it must be an integer; pass an int"),
        (lambda x: actgrad.torch.geglu(x, activate_left=2), "geglu: activate_left is 2; it must be True or False; "),
        (lambda x: actgrad.torch.geglu(x, 3), r"geglu: dim is 3, but input has shape \(4,\); it must lie in "),
        (lambda x: actgrad.torch.gelu(x, approximate="x"), r"gelu: approximate is 'x'; it must be 'none' \(0\) or "),
        (lambda x: actgrad.torch.gelu(x, approximate=True), r"gelu: approximate is True; it must be 'none' \(0\) or "),
        (lambda x: actgrad.torch.gelu(x, approximate=1.0), "gelu: approximate is 1.0; it must be an integer, 'none' "),
        (
            lambda x: actgrad.torch.hardtanh(x, 1.0, -1.0),
            "hardtanh: min_val is 1.0, but max_val is -1.0; min_val must ",
        ),
        (
            lambda x: actgrad.torch.Hardtanh(2, 1),
            "hardtanh: min_val is 2, but max_val is 1; min_val must not be greater",
        ),
        (lambda x: actgrad.torch.exact_in_graphs(3), "exact_in_graphs: is_exact is 3; it must be True or False; pass"),
        (
            lambda x: actgrad.torch.register("elu"),
            "actgrad.torch.register: operator is 'elu'; it must be an operator; ",
        ),
        (lambda x: actgrad.torch.elu(x.long()), "elu: input is int64; it must be float32, .*; convert input"),
    ],
)
def test_a_wrong_argument_has_one_error_on_every_route(call: Any, message: str) -> None:
    """PyTorch's dispatcher names neither the function nor the parameter."""
    actgrad.torch.swiglu(torch.ones(4, requires_grad=True))  # derivations are found by equality, and -1.0 is -1
    errors = set()
    for attempt in routes(call):
        with pytest.raises(actgrad.ActgradError, match=f"^{message}") as caught:
            attempt()
        errors.add((caught.type, str(caught.value)))
    ((_, text),) = errors
    check(text)


def test_numbers_that_pytorchs_schema_does_not_take() -> None:
    for attempt in routes(lambda x: actgrad.torch.elu(x, alpha=10**30)):
        assert attempt()[0] < -1e29


def test_softmin_without_a_dimension() -> None:
    x = torch.randn(3, 4)
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmin"):
        result = actgrad.torch.softmin(x)
    torch.testing.assert_close(result, torch.nn.functional.softmin(x, 1))


def test_arguments_that_pytorch_takes_are_taken() -> None:
    """Numbers of other types, choices by name, and tensors of a mode, on the dispatcher's route."""
    x = torch.linspace(-2, 2, 5)
    with torch.no_grad():
        expected = actgrad.torch.elu(x, alpha=2.0)
        for alpha in (2, np.float64(2)):
            assert torch.equal(torch.vmap(lambda row, a=alpha: actgrad.torch.elu(row, alpha=a))(x), expected)
        tanh = torch.vmap(lambda row: actgrad.torch.gelu(row, approximate="tanh"))(x)
    assert torch.equal(tanh, actgrad.torch.gelu(x, approximate="tanh"))


def test_functions_state_each_of_their_results() -> None:
    for names in public_names.all_names():
        count = len(names.operator.schema.outputs)
        expected = torch.Tensor if count == 1 else tuple[(torch.Tensor,) * count]  # type: ignore[misc]
        assert getattr(functions, names.function).__annotations__["return"] == expected, names.function
