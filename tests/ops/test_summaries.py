"""The first line of every summary is a formula. NumPy computes it in float64, and the operator must agree."""

from __future__ import annotations

import ast
import math
import re
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import Operator, aclnn, operators
from actgrad.checks.documentation import first_line

special = pytest.importorskip("scipy.special")

NAMES: dict[str, Any] = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "abs": np.abs, "sign": np.sign, "pi": math.pi,
    "min": np.minimum, "round": np.rint, "erf": special.erf, "erfinv": special.erfinv, "Phi": special.ndtr,
    "phi": lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
    "sigmoid": special.expit, "clamp": lambda x, low, high: np.minimum(np.maximum(x, low), high),
    "silu": lambda x: x * special.expit(x),
    "silu_slope": lambda x: special.expit(x) * (1 + x * (1 - special.expit(x))),
    "gelu": lambda x: x * special.ndtr(x),
    "gelu_slope": lambda x: special.ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
    "softmax": lambda x: special.softmax(x, axis=-1), "log_softmax": lambda x: special.log_softmax(x, axis=-1),
}  # fmt: skip
SCALES = ("weight_scale", "activation_scale", "bias", "quant_scale", "quant_offset", "input_scale", "input_offset")
AXIS = {"along dim": -1, "along the last dimension": -1, "over each channel": 0}


class Elementwise(ast.NodeTransformer):
    """`A if C else B` and `a < b < c` on arrays."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("where", ast.Load()), [node.test, node.body, node.orelse], [])

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        values = [node.left, *node.comparators]
        tests = [
            ast.Compare(left, [op], [right]) for left, op, right in zip(values, node.ops, values[1:], strict=False)
        ]
        return ast.Call(ast.Name("every", ast.Load()), [ast.Tuple(list(tests), ast.Load())], [])


def value(text: str, names: dict[str, Any]) -> Any:
    """The value of a formula as the summaries write it: "A if C, B if D, else E"."""
    text = re.sub(r", else\b", " else", text)
    text = re.sub(r"(\bif [^,()]+), (?=[^,]+ if )", r"\1 else ", text)
    tree = ast.fix_missing_locations(Elementwise().visit(ast.parse(text.strip(), mode="eval")))
    every = lambda tests: np.logical_and.reduce(np.broadcast_arrays(*tests))  # noqa: E731
    return eval(compile(tree, text, "eval"), {"__builtins__": {}}, {**names, "where": np.where, "every": every})


def unreadable(text: str, fault: str) -> AssertionError:
    """An error that says which functions a formula of a summary may call."""
    known = ", ".join(sorted([*(set(NAMES) - {"silu_slope", "gelu_slope"}), "sum", "max", "silu'", "gelu'"]))
    cure = "call one of these, or define the part at the end, as in `, where s = sigmoid(x)`"
    return AssertionError(f"the summary has {text!r}: {fault}; the test knows {known}; {cure}")


def computed(line: str, arguments: dict[str, Any]) -> list[Any]:
    """The results that a summary's first line describes, in order."""
    formula, _, definitions = line.partition("; ")[0].partition(", where ")
    axis = next((number for words, number in AXIS.items() if formula.endswith(words)), None)
    formula = (
        re.sub(rf" ({'|'.join(AXIS)})$", "", formula).replace("silu'", "silu_slope").replace("gelu'", "gelu_slope")
    )
    names = {**NAMES, **arguments, "sum": lambda x: x.sum(axis, keepdims=axis == -1)}
    names["max"] = lambda x, *y: np.maximum(x, *y) if y else x.max(axis, keepdims=True)
    halves = re.search(r"lower and upper are the halves of (\w+) along", definitions)
    if halves:
        names |= dict(zip(("lower", "upper"), np.split(names[halves[1]], 2, -1), strict=True))
        definitions = definitions[: halves.start()].removesuffix(" and ")
    if "odd" in line:
        names |= {"even": names["x"][..., ::2], "odd": names["x"][..., 1::2]}
    for name, text in re.findall(r"(\w+) = (.*?)(?= and \w+ = |$)", definitions):
        try:
            names[name] = value(text, names)
        except (NameError, SyntaxError) as error:
            raise unreadable(text, str(error)) from error
    outputs = re.findall(r"(?:^| and )(\w+) = (.*?)(?= and \w+ = |$)", formula) or [("", formula)]
    faults: dict[str, AssertionError] = {}
    for name, text in [*outputs, *outputs, *outputs]:  # an output may name another one
        try:
            names[name] = value(text, names)
        except NameError as error:
            faults[name] = unreadable(text, str(error))
        except SyntaxError as error:
            raise unreadable(text, str(error)) from error
    for name, _ in outputs:
        if name not in names:
            raise faults[name]
    return [names[name] for name, _ in outputs]


def arguments_of(operator: Operator, line: str, is_default: bool) -> tuple[list[Any], dict[str, Any]]:
    """Tensors and attributes of a call; off their defaults only scalars that the line names."""
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.normal(0, 2, 45), [-3.0, 3.0, 0.0]]).reshape(6, 8)
    gated = operator.access.is_packed
    tensors: list[Any] = []
    for argument in operator.schema.tensors:
        name = argument.name
        if name in ("group_index", "gelu", "smooth_scales", "offsets") or (argument.is_optional and name in SCALES):
            tensors.append(None)
        elif name == "threshold" and gated:
            tensors.append(np.array([0.3]))
        elif name == "weight" and gated:
            tensors.append(rng.normal(size=(6, 1)))
        elif name in ("weight", "weights", "input_scale"):
            tensors.append(rng.normal(size=8))
        elif operator.definition.dtypes_of(name):
            tensors.append(rng.integers(0, 256, (6, 1), np.uint8))
        elif gated and operator.access.part_count(name) == 1:
            tensors.append(rng.normal(size=(6, 4)))
        else:
            tensors.append(x if name == operator.definition.main else rng.normal(size=x.shape))
    if operator.name == "erfinv":
        tensors = [np.tanh(x)]
    if operator.dtypes.outputs:  # which refuses float64
        tensors = [t if t is None or t.dtype == np.uint8 else t.astype(np.float32).astype(np.float64) for t in tensors]
    attributes = dict(operator.defaults)
    for argument in operator.schema.attributes:
        if argument.type == "Scalar" and re.search(rf"\b{argument.name}\b", line) and not is_default:
            attributes[argument.name] = 1.25 * attributes[argument.name] + 0.375
    return tensors, attributes


@pytest.mark.parametrize("is_default", [True, False], ids=["default", "other attributes"])
@pytest.mark.parametrize("name", list(operators))
def test_the_formula_is_what_the_operator_computes(name: str, is_default: bool) -> None:
    operator, line = operators[name], first_line(operators[name].definition)
    tensors, attributes = arguments_of(operator, line, is_default)
    named = {n: t for n, t in zip(operator.schema.tensor_names, tensors, strict=True) if t is not None}
    bits = {n: np.unpackbits(t, axis=-1, bitorder="little") for n, t in named.items() if t.dtype == np.uint8}
    wanted = computed(line, {"x": tensors[0], **attributes, **named, **bits})
    narrow = [t if t is None else t.astype(np.float32) for t in tensors] if operator.dtypes.outputs else tensors
    results = operator(*narrow, **attributes)
    results = results if isinstance(results, tuple) else (results,)
    if "packs" in line:
        first, second, *others = wanted
        halves = [first, second]
        packed = np.stack(halves, -1).reshape(6, 8) if "grad_even" in line else np.concatenate(halves, -1)
        wanted = [packed, *others]
    assert len(wanted) == len(results)
    for formula, result in zip(wanted, results, strict=True):
        expected = formula
        if operator.access.has_bits and result.shape != expected.shape:
            expected = np.packbits(expected > 0, axis=-1, bitorder="little")
        is_of_rows = "one element for each row" in line and result.ndim == 1 and np.ndim(expected)
        shaped = expected[:, 0] if is_of_rows else expected
        tolerance = 4e-6 if operator.dtypes.outputs else 1e-11
        if result.dtype.name.startswith("float8"):
            result, tolerance = result.astype(np.float32), 2.0**-4
        np.testing.assert_allclose(result, np.broadcast_to(shaped, result.shape), rtol=tolerance, atol=1e-13)


def test_a_wrong_formula_is_seen() -> None:
    x = np.linspace(-2.0, 2.0, 9)
    (wanted,) = computed("x if x > 0, 7 if x < -1, else alpha * (exp(x) - 1), where alpha = 2", {"x": x})
    assert np.array_equal(wanted[[0, 4, 8]], [7, 0, 2])
    assert not np.allclose(computed("x * sigmoid(x)", {"x": x})[0], actgrad.gelu(x))


@pytest.mark.parametrize("line", ["mish(x) * x", "mish'(x)", "x * s, where s = mish(x)"])
def test_an_unknown_function_is_named_with_those_that_are_known(line: str) -> None:
    with pytest.raises(AssertionError, match=r"the summary has .*mish.*; the test knows .*sigmoid.*; call one of"):
        computed(line, {"x": np.zeros(1)})


@pytest.mark.parametrize("name", list(operators))
def test_help_has_the_formula_and_its_source(name: str) -> None:
    operator = operators[name]
    text = " ".join((operator.__doc__ or "").split())
    assert text.startswith(first_line(operator.definition))
    assert f"Source: {operator.paper} " in text
    assert re.fullmatch(r"[\w .()-]+, https?://\S+", operator.paper)
    forward = operator.gradient_of
    assert forward is None or operator.paper == forward.paper


def test_help_says_when_a_formula_holds() -> None:
    texts = {name: str(operator.__doc__) for name, operator in operators.items()}
    assert not [name for name, text in texts.items() if re.search(r"^ +case ", text, flags=re.M)]
    assert "is_result=True: scale if y > 0" in texts["elu_backward"]
    assert "with weight: " in texts["swiglu_group"]
    assert "on Ascend950" in str(aclnn.aclnnSeluBackwardGetWorkspaceSize.__doc__)
    assert "SCALE if y > 0 else y + SCALE * ALPHA, for y = selu(x), on Ascend950" in str(
        operators["selu_backward"].__doc__
    )
    assert "By the documents' rules" in texts["fatrelu_mul"]
