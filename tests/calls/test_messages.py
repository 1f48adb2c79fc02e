"""Messages have three parts in one line: what was given, what is expected, what to do."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn, checks, ir
from actgrad.base.dtypes import BY_NAME, Dtype
from actgrad.base.errors import did_you_mean, either, quantity
from actgrad.base.loop import TensorMeta, row_major
from tests.support.bad_calls import BAD, HALF, PACKED, A, judged
from tests.support.calls import EVERY, OPERATORS, ids
from tests.support.messages import check, faults_of

SOURCES = Path(actgrad.__file__).parent


def message_of(call: Callable[[], Any]) -> str:
    with pytest.raises(actgrad.ActgradError) as caught:
        call()
    return str(caught.value)


def test_the_form_itself() -> None:
    check("elu: self is int8; it must be float32; convert self", "elu", "self")
    for wrong in (
        "elu: self is int8; it must be float32", "elu: self is int8; it must be float32; float32 is the dtype",
        "elu: self is int8;\nit must be float32; convert self",
        "elu: x is int8; it must be float32; convert x",
    ):  # fmt: skip
        assert faults_of(wrong, "self"), wrong


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_every_rule(bad: Any) -> None:
    with judged(bad.product, bad.rules):
        text = message_of(lambda: getattr(actgrad, bad.operator)(*bad.tensors, **bad.attributes))
    check(text, bad.operator)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_arguments_of_every_operator(operator: actgrad.Operator) -> None:
    names = [a.name for a in operator.schema.tensors if not a.is_optional]
    tensors = {name: PACKED if operator.access.part_count(name) > 1 else HALF for name in names}
    first = names[0]
    wrong: dict[str, list[Any]] = {
        first: [None, [1.0], 1.0, "x", np.ma.masked_invalid(A), A.astype("M8[s]"), A.astype(A.dtype.newbyteorder())],
        "backend": ["cuda", 3],
    }
    for a in operator.schema.attributes:
        wrong[a.name] = [None, object(), "wrong"] if a.type != "bool" else [None, 2, "yes"]
    for name, values in wrong.items():
        for value in values:
            if (name, value) == ("backend", None):
                continue
            check(message_of(lambda: operator(**{**tensors, name: value})), operator.name, name)  # noqa: B023
    check(message_of(lambda: operator(**tensors, surplus=1)), operator.name, "surplus")
    check(message_of(lambda: operator(*[A] * 9)), operator.name)
    check(message_of(lambda: operator(**tensors, out="x")), operator.name)


@pytest.mark.parametrize("operator", [o for o in OPERATORS if o.access.is_packed], ids=ids)
def test_tensors_of_odd_size_raise_one_class(operator: actgrad.Operator) -> None:
    """Whatever stage of its C function would find it: that has the status of the stage."""
    packed = next(name for name in operator.schema.tensor_names if operator.access.part_count(name) > 1)
    dim = operator.access.dimension_attribute or "dim"
    names = [a.name for a in operator.schema.tensors if not a.is_optional]
    odd = np.ones((3, 7), np.float32)
    tensors = {name: odd if name == packed else np.ones((3, 3), np.float32) for name in names}
    with pytest.raises(actgrad.ActgradError) as caught:
        operator(**tensors, **({dim: -1} if dim in operator.defaults else {}))
    assert type(caught.value) is actgrad.InvalidArgument
    assert caught.value.status == 161002
    check(str(caught.value), operator.name)


def test_the_c_functions_keep_their_statuses() -> None:
    """The generated swiglu finds an odd size as it plans its kernel, the written geglu as it checks its parameters."""
    odd, half = np.ones((3, 7), np.float32), np.ones((3, 3), np.float32)
    assert aclnn.aclnnSwiGluGetWorkspaceSize(odd, -1, half)[0] == 561002
    assert aclnn.aclnnGeGluGetWorkspaceSize(odd, -1, 1, half, half)[0] == 161002


def test_no_text_is_made_for_a_call_that_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    for operator in OPERATORS:
        tensors: dict[str, Any] = {}
        for argument in operator.schema.tensors:
            if not argument.is_optional:
                shape = (4, 8) if operator.access.part_count(argument.name) > 1 else (4, 4)
                tensors[argument.name] = TensorMeta(BY_NAME["float32"], shape, row_major(shape, 4))
        values = {name: 1.0 if value is None else value for name, value in operator.defaults.items()}
        call = checks.Call(operator.definition, tensors, values)
        try:
            checks.run(call)
        except actgrad.ActgradError:
            continue  # it needs other shapes or attributes
        calls.append(call)
    assert len(calls) > len(OPERATORS) // 2

    def refuse(self: Dtype) -> str:
        raise AssertionError("a text was made")

    monkeypatch.setattr(Dtype, "__str__", refuse)
    for call in calls:
        checks.run(call)


def test_of_the_c_interface() -> None:
    x, nd = np.ones(3, np.float32), aclnn.ACL_FORMAT_ND
    tensor = aclnn.aclCreateTensor((3,), 0, None, 0, nd, (3,), x)
    gone = aclnn.aclCreateTensor((3,), 0, None, 0, nd, (3,), x)
    aclnn.aclDestroyTensor(gone)
    _, _, executor = aclnn.aclnnSeluGetWorkspaceSize(tensor, tensor)
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: aclnn.aclCreateTensor(None, 0, None, 0, nd, (3,), x), "viewDims"),
        (lambda: aclnn.aclCreateTensor((-1,), 0, None, 0, nd, (3,), x), "viewDims"),
        (lambda: aclnn.aclCreateTensor((3,), 0, (1, 1), 0, nd, (3,), x), "strides"),
        (lambda: aclnn.aclCreateTensor((3,), 99, None, 0, nd, (3,), x), "dataType"),
        (lambda: aclnn.aclCreateTensor((3,), 0, None, 0, nd, (3,), object()), "storage"),
        (lambda: aclnn.aclCreateTensor((3,), 0, None, 0, nd, (3,), np.ones(6)[::2]), "storage"),
        (lambda: aclnn.aclCreateScalar(None, 0), "value"),
        (lambda: aclnn.aclCreateScalar(1.0, 13), "dataType"),
        (lambda: aclnn.aclCreateScalar(1000, 2), "value"),
        (lambda: aclnn.aclDestroyTensor(3), "tensor"),
        (lambda: aclnn.aclnnSeluGetWorkspaceSize(None, tensor), "self"),
        (lambda: aclnn.aclnnSeluGetWorkspaceSize(tensor, None), "out"),
        (lambda: aclnn.aclnnSeluGetWorkspaceSize(gone, tensor), "self"),
        (lambda: aclnn.aclnnSeluGetWorkspaceSize(np.ones(3, np.uint8), x), "self"),
        (lambda: aclnn.aclnnSeluGetWorkspaceSize(x, np.ones(4, np.float32)), "out"),
        (lambda: aclnn.aclnnEluGetWorkspaceSize(x, 1j, 1.0, 1.0, x), "alpha"),
        (lambda: aclnn.aclnnEluGetWorkspaceSize(x, None, 1.0, 1.0, x), "alpha"),
        (lambda: aclnn.aclnnSelu(None, 0, None, None), "executor"),
        (lambda: aclnn.aclnnElu(None, 0, executor, None), "executor"),
        (lambda: aclnn.aclnnSelu(None, 0, executor, 3), "stream"),
        (lambda: aclnn.aclnnSelu(None, 0, executor, None), "executor"),
        (lambda: aclnn.aclDestroyAclOpExecutor(None), "executor"),
        (lambda: aclnn.aclrtDestroyStream(None), "stream"),
    ]
    for call, name in calls:
        aclnn.aclGetRecentErrMsg()
        call()
        text = aclnn.aclGetRecentErrMsg()
        assert text is not None, name
        check(text.partition("): ")[2], name)


def test_of_graphs_products_and_precompile() -> None:
    for call, name in [
        (lambda: ir.Elu(), "x"),
        (lambda: ir.Elu(A, A), "Elu"),
        (lambda: ir.Elu(A, alfa=1), "alpha"),
        (lambda: ir.Elu.infer_dtype("int32"), "x"),
        (lambda: ir.Elu.infer_dtype("quaternion"), "x"),
        (lambda: ir.Elu.infer_shape((-3,)), "x"),
        (lambda: ir.EluGradV2.infer_shape((2, 3), (2, 4)), "activations"),
        (lambda: ir.GeGluV2.infer_shape((4, 7)), "x"),
        (lambda: ir.GeGluV2.infer_shape((4, 6), dim=2), "dim"),
        (lambda: actgrad.precompile("reloo"), "relu"),
        (lambda: actgrad.precompile("elu", "int8"), "int8"),
        (lambda: actgrad.precompile([]), "operators"),
        (lambda: actgrad.set_num_threads(-1), "n"),
        (lambda: actgrad.product("Ascend1").__enter__(), "product"),
        (lambda: actgrad.rules("none").__enter__(), "rules"),
    ]:
        check(message_of(call), name)


def test_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("actgrad.torch")
    x = torch.ones(3, 4)
    for call, name in [
        (lambda: actgrad.elu(x.to(torch.float8_e4m3fn)), "self"),
        (lambda: actgrad.elu(x.to_sparse()), "self"),
        (lambda: actgrad.elu(torch.ones(3, device="meta"), backend="cpu"), "backend"),
        (lambda: actgrad.elu(x.requires_grad_(), backend="cpu"), "self"),
        (lambda: actgrad.torch.elu(x, save="both"), "save"),
        (lambda: actgrad.torch.elu(x, -1.0, save="result"), "alpha"),
        (lambda: actgrad.torch.gelu(x, approximate="Tanh"), "approximate"),
        (lambda: actgrad.torch.convert(3), "model"),
        (lambda: actgrad.torch.convert(torch.nn.ELU(), save="none"), "save"),
        (lambda: actgrad.elu_backward(torch.ones(3), np.ones(3, np.float32)), "self_or_result"),
    ]:
        check(message_of(call), name)


# Texts that a test can hardly provoke, by the sources


def _texts() -> list[tuple[str, str]]:
    """The strings of all errors raised in Python, with the places; {} stands for a value."""
    texts = []
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                for part in ast.walk(node.exc):
                    if isinstance(part, ast.JoinedStr):
                        words = "".join(v.value if isinstance(v, ast.Constant) else "{}" for v in part.values)
                    elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                        words = part.value
                    else:
                        continue
                    texts.append((f"{path.relative_to(SOURCES)}:{node.lineno}", words))
    return texts


def test_no_raised_text_has_heavy_words() -> None:
    texts = _texts()
    assert len(texts) > 300
    wrong = [f"{place}: {text}" for place, text in texts if any(f.startswith("heavy") for f in faults_of(text))]
    assert not wrong, "\n".join(wrong)


def test_texts_of_the_sdk_have_three_parts() -> None:
    """A %s may stand for a part that another line states."""
    calls = re.compile(r'(?:actgrad_fail|say_ignored)\(\s*\w+,\s*((?:"(?:[^"\\]|\\.)*"\s*(?:PRI\w+\s*)?)+)', re.S)
    found, wrong = 0, []
    for path in sorted((SOURCES / "ascend" / "sdk" / "c").rglob("*.c")):
        for match in calls.finditer(path.read_text(encoding="utf-8")):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[1]))
            found += 1
            parts = len(text.split("; ")) + text.count("%s %s; %s") + text.count("%p %s") * 2 + text.startswith("%s; ")
            if parts < 3 or any(fault.startswith("heavy") for fault in faults_of(text)):
                wrong.append(f"{path.name}: {text}")
    assert found > 50
    assert not wrong, "\n".join(wrong)


def test_words_of_messages() -> None:
    assert (either("a"), either("ab"), either("abc")) == ("a", "a or b", "a, b or c")
    assert (quantity(0, "file"), quantity(1, "file"), quantity(2, "file")) == ("0 files", "1 file", "2 files")
    assert did_you_mean("Reloo", ["relu", "elu"], "see the list") == "did you mean relu?"
    assert did_you_mean(3, ["relu"], "see the list") == did_you_mean("xyz", ["relu"], "see the list") == "see the list"


@pytest.mark.parametrize("operator", [o for o in EVERY if o.access.is_packed and not o.access.has_bits], ids=ids)
def test_an_odd_size_has_one_class_of_error(operator: actgrad.Operator) -> None:
    """All operators that halve a tensor refuse an odd size alike."""
    access, tensors = operator.access, {}
    for a in operator.schema.tensors:
        shape = (2, 5 if access.part_count(a.name) > 1 else 2) if access.brings_elements(a.name) else (1,)
        tensors[a.name] = None if a.is_optional else np.ones(shape, np.float32)
    with pytest.raises(actgrad.InvalidArgument, match=r"has odd size 5 in dimension -1 .*; it must be even,") as raised:
        operator(*tensors.values())
    assert raised.type is actgrad.InvalidArgument
