"""Plans, their cache, and the facts beside them: schema, dtypes, signatures, what an import loads."""

from __future__ import annotations

import copy
import inspect
import pickle
import re

import numpy as np
import pytest
from calls import OPERATORS, ids, inputs, off_defaults, run_script, same_bits

import actgrad
from actgrad import dtypes, schema, testing
from actgrad.dtypes import BY_NAME
from actgrad.loop import Loop, Meta, Operand, broadcast_shapes, elementwise

X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)


# Plans


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_a_plan_says_what_it_does(operator: actgrad.Operator) -> None:
    tensors = inputs(np.random.default_rng(0), operator, (3, 5), "float16").values()
    for backend in ("cpu", "reference"):
        plan = operator.plan(*tensors, backend=backend, **off_defaults(operator))
        text = str(plan)
        assert text.startswith(f"{operator.name}(")
        for name, value in off_defaults(operator).items():
            assert f"{name}={value!r}" in text
        assert re.search(r"\b(15|3 x 5)\b", text)
        assert "float16" in text
        assert "computed in float32" in text
        assert f"backend  {backend}: " in text


def test_a_plan_names_every_dtype() -> None:
    g, x, out = X.astype(np.float16), X, X.astype(np.complex128)
    assert "float16, float32 -> complex128, computed in float64" in str(actgrad.leaky_relu_backward.plan(g, x, out=out))


def test_a_plan_of_nothing() -> None:
    assert "nothing to compute" in str(actgrad.elu.plan(X[:0]))
    assert actgrad.elu.plan(X[:0]).run().shape == (0, 6)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_planning_computes_nothing(operator: actgrad.Operator) -> None:
    tensors = inputs(np.random.default_rng(1), operator, (3, 5))
    expected = testing.as_tuple(operator(*tensors.values()))
    out = tuple(np.full_like(e, 7) for e in expected)
    plan = operator.plan(*tensors.values(), out=out if len(out) > 1 else out[0])
    assert all((o == 7).all() for o in out)
    assert plan.workspace_size == 0
    for o, got, wanted in zip(out, testing.as_tuple(plan.run()), expected, strict=True):
        assert got is o
        assert same_bits(got, wanted)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_run_again(operator: actgrad.Operator) -> None:
    """With the same inputs the same; with changed inputs what a fresh call gives."""
    rng = np.random.default_rng(2)
    tensors = inputs(rng, operator, (7, 40))
    plan = operator.plan(*tensors.values(), **off_defaults(operator))
    for _ in range(2):
        results = testing.as_tuple(plan.run())
        first = [r.copy() for r in results]
        for got, wanted in zip(testing.as_tuple(plan.run()), first, strict=True):
            assert same_bits(got, wanted)
        for tensor in tensors.values():
            tensor[...] = rng.standard_normal(tensor.shape)
        fresh = testing.as_tuple(operator(*tensors.values(), **off_defaults(operator)))
        for got, wanted in zip(testing.as_tuple(plan.run()), fresh, strict=True):
            assert same_bits(got, wanted)


def test_plans_alike_share_nothing_but_code() -> None:
    a, b = X.copy(), -X
    one, other = actgrad.elu.plan(a), actgrad.elu.plan(b)
    first = one.run().copy()
    assert same_bits(other.run(), actgrad.elu(b))
    assert same_bits(one.result, first)
    assert same_bits(one.run(), actgrad.elu(a))


def test_a_call_that_cannot_take_its_short_way_is_remembered_once() -> None:
    """Else it would drive out those that can."""
    torch = pytest.importorskip("torch")
    parameter = torch.nn.Parameter(torch.ones(37))
    with torch.no_grad():
        for _ in range(20):
            actgrad.gelu(parameter)
    (way,) = [w for kind, w in actgrad.gelu._shortcuts._ways.items() if kind is torch.nn.Parameter]
    assert len(way.entries) == 1


def test_results_of_calls_are_not_reused() -> None:
    first = actgrad.elu(X)
    kept = first.copy()
    second = actgrad.elu(-X)
    assert first is not second
    assert same_bits(first, kept)


def test_plans_are_compared_without_looking_at_their_arrays() -> None:
    plan, other = actgrad.elu.plan(X), actgrad.elu.plan(X)
    assert plan != other
    assert len({plan, other}) == 2


# The cache


def test_cache_tells_zeros_apart() -> None:
    x = np.float32([-1, 1])
    for alpha, sign in ((0.0, True), (-0.0, False), (0.0, True), (-0.0, False)):
        # scale * alpha * expm1(-1): the sign of zero is that of -alpha.
        assert np.signbit(actgrad.elu(x, alpha=alpha)[0]) == sign


def test_cache_knows_nan() -> None:
    x = np.float32([-1, 1])
    before = len(actgrad.elu.prepared)
    for _ in range(5):
        assert np.isnan(actgrad.elu(x, alpha=float("nan"), scale=3.25)[0])
    assert len(actgrad.elu.prepared) == before + 1
    assert actgrad.elu(x, alpha=2.0, scale=3.25)[0] == pytest.approx(-2 * 3.25 * 0.63212056)


def test_cache_tells_types_apart() -> None:
    """1, 1.0 and True are equal and mean the same as numbers, not as other things."""
    x = np.float32([-1, 1])
    for one in (1, 1.0, True, np.float32(1)):
        assert actgrad.elu(x, alpha=one)[0] == pytest.approx(-0.63212056)
    actgrad.elu_backward(x, x, is_result=True)
    actgrad.elu_backward(x, x, is_result=1)
    with pytest.raises(actgrad.InvalidDtype):
        actgrad.elu(x, alpha=1 + 0j)
    assert actgrad.elu(x, alpha=1)[0] == pytest.approx(-0.63212056)
    assert actgrad.gelu(x, approximate=0)[0] == actgrad.gelu(x, approximate="none")[0]
    with pytest.raises(actgrad.InvalidArgument):
        actgrad.gelu(x, approximate=False)
    assert actgrad.gelu(x, approximate=0)[0] == actgrad.gelu(x, approximate="none")[0]


def test_cache_tells_products_and_rules_apart() -> None:
    zero = np.zeros(3, np.float32)
    one = np.ones(3, np.float32)
    for _ in range(2):
        positive = actgrad.selu_backward(one, zero)[0]
        with actgrad.product("Ascend950"):
            assert actgrad.selu_backward(one, zero)[0] == pytest.approx(1.7580993)
        with actgrad.product("Ascend310B"), pytest.raises(actgrad.UnsupportedOnProduct):
            actgrad.selu_backward(one, zero)
        with actgrad.rules("document"), pytest.raises(actgrad.InvalidArgument):
            actgrad.selu_backward(one[0], zero[0])
        assert actgrad.selu_backward(one[0], zero[0]) == positive == pytest.approx(1.050701)


def test_cache_tells_memory_apart() -> None:
    """Shape, strides and dtype of every tensor, outputs included."""
    for x in (X, X.T, X[::-1], X[:, ::2], X.astype(np.float16), X.ravel(), X[None]):
        for dtype in (np.float32, np.float64):
            out = np.full(x.shape, np.nan, dtype)
            assert np.allclose(actgrad.elu(x, out=out), np.where(x > 0, x, np.expm1(np.minimum(x, 0))), atol=2e-3)
            assert np.isfinite(out).all()


def test_cache_tells_backends_and_optional_tensors_apart() -> None:
    grad, packed = X[:, :3].copy(), X
    assert "reference" in str(actgrad.elu.plan(X, backend="reference"))
    assert "cpu" in str(actgrad.elu.plan(X))
    marked = np.full((4, 3), 5, np.float32)
    for _ in range(2):
        recomputed = actgrad.geglu_backward(grad, packed)
        given = actgrad.geglu_backward(grad, packed, marked)
        assert np.array_equal(given[:, :3], 5 * grad)
        assert not np.array_equal(recomputed, given)


def test_cache_is_bounded() -> None:
    from actgrad import preparation

    x = np.ones(3, np.float32)
    for k in range(preparation.CACHED + 50):
        assert actgrad.leaky_relu(-x, negative_slope=k + 1.5)[0] == -(k + 1.5)
    assert len(actgrad.leaky_relu.prepared) <= preparation.CACHED
    assert actgrad.leaky_relu(-x, negative_slope=1.5)[0] == -1.5


# The package


def test_public_names() -> None:
    for name in actgrad.__all__:
        assert getattr(actgrad, name) is not None
    assert sorted(actgrad.__all__) == actgrad.__all__
    wanted = {"elu", "selu", "gelu", "leaky_relu", "geglu"}
    wanted |= {f"{name}_backward" for name in wanted}
    assert wanted <= set(actgrad.operators) & set(actgrad.__all__)
    assert all(actgrad.operators[name] is getattr(actgrad, name) for name in wanted)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_copies_of_an_operator_are_the_operator(operator: actgrad.Operator) -> None:
    """A model that holds one can be copied and saved."""
    for _ in range(2):
        assert copy.deepcopy(operator) is operator
        assert pickle.loads(pickle.dumps(operator)) is operator
        operator.prepared.clear()
        actgrad.elu(X)  # what a call leaves in the operator is not copied either


def test_precompile_everything() -> None:
    assert actgrad.precompile() > 90


HEAVY = ("llvmlite", "torch", "triton", "ml_dtypes", "matplotlib", "sklearn", "scipy", "jax")


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


def test_precompiled_calls_compile_nothing() -> None:
    script = """
import numpy as np, actgrad
from actgrad.backends.cpu import engine
count = actgrad.precompile(["elu", "geglu_backward"], ["float32", "float16"])
assert count > 0
def forbidden(*args):
    raise AssertionError("compiled")
engine.optimised = forbidden
for dtype in ("float32", "float16"):
    for x in (np.ones((8, 64), dtype), np.ones((64, 8), dtype).T, np.ones((8, 128), dtype)[:, ::2], np.ones((), dtype)):
        actgrad.elu(x, alpha=1.5)
        actgrad.elu(x[..., None])
    g, x = np.ones((8, 32), dtype), np.ones((8, 64), dtype)
    for approximate in (0, 1):
        for left in (False, True):
            actgrad.geglu_backward(g, x, approximate=approximate, activate_left=left)
            actgrad.geglu_backward(g, x, g, approximate=approximate, activate_left=left)
try:
    actgrad.selu(np.ones(3))
except AssertionError:
    pass
else:
    raise SystemExit("nothing was ever compiled: the test sees nothing")
"""
    run_script(script, ACTGRAD_CACHE_DIR="")


def test_precompile_names() -> None:
    assert actgrad.precompile("elu", "float32") == 1
    with pytest.raises(actgrad.InvalidDtype, match="none of elu takes int8"):
        actgrad.precompile("elu", "int8")
    with pytest.raises(actgrad.InvalidCall, match=r"no operator 'relu'; known: elu, "):
        actgrad.precompile(["relu"])
    with pytest.raises(actgrad.InvalidCall, match=r"no dtype 'float8'; known: float32, "):
        actgrad.precompile(["elu"], ["float8"])


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
    assert "Formula:" in text
    assert ("int8" in text) == operator.name.startswith("selu")


# The schema language


def test_schema() -> None:
    parsed = schema.parse(
        "f(Tensor x, Scalar alpha=1.5, Tensor? y, bool flag=True, int dim=-1, bool plain) -> Tensor out"
    )
    assert parsed.name == "f"
    assert [(a.type, a.name, a.default) for a in parsed.arguments] == [
        ("Tensor", "x", None), ("Scalar", "alpha", 1.5), ("Tensor?", "y", None),
        ("bool", "flag", True), ("int", "dim", -1), ("bool", "plain", None),
    ]  # fmt: skip
    assert [a.name for a in parsed.tensors] == ["x", "y"]
    assert [a.is_optional for a in parsed.tensors] == [False, True]
    assert [a.name for a in parsed.attributes] == ["alpha", "flag", "dim", "plain"]
    assert parsed.outputs == ("out",)
    assert isinstance(parsed.arguments[1].default, float)
    assert schema.parse("g(Tensor x) -> (Tensor a, Tensor b)").outputs == ("a", "b")
    assert str(parsed).startswith("f(Tensor x, ")


@pytest.mark.parametrize(
    "text",
    [
        "", "f", "f()", "f() -> Tensor out", "f(Tensor x)", "f(Tensor x) -> out", "f(Tensor x) -> Tensor",
        "F(Tensor x) -> Tensor out", "f(tensor x) -> Tensor out", "f(Tensor x,Tensor y) -> Tensor out",
        "f(Tensor x) -> ()", "f(Tensor x) -> Tensor out ", "f(float x) -> Tensor out", "f(Tensor 1x) -> Tensor out",
        "f(Tensor x, Scalar) -> Tensor out", "1f(Tensor x) -> Tensor out", "f(Tensor x; Tensor y) -> Tensor out",
    ],
)  # fmt: skip
def test_bad_schema(text: str) -> None:
    with pytest.raises(ValueError, match=r"schema"):
        schema.parse(text)


@pytest.mark.parametrize("text", ["bool b=yes", "int n=x", "int n=1.5", "Scalar s=one"])
def test_bad_default(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        schema.parse(f"f(Tensor x, {text}) -> Tensor out")


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_schemas_of_the_operators(operator: actgrad.Operator) -> None:
    again = schema.parse(operator.schema.text)
    assert (again.name, again.arguments, again.outputs) == (
        operator.name,
        operator.schema.arguments,
        operator.schema.outputs,
    )
    torch = pytest.importorskip("torch")
    parsed = torch._C.parse_schema(operator.schema.text)
    assert [a.name for a in parsed.arguments] == [a.name for a in operator.schema.arguments]


def test_an_operator_is_registered_once() -> None:
    with pytest.raises(ValueError, match=r"'elu' is already registered"):
        actgrad.Operator("elu(Tensor self) -> Tensor out", summary="", formula=actgrad.elu.formula)
    assert actgrad.operators["elu"] is actgrad.elu


# Data types: the documented tables, as they stand there (x: no deduction)

NAMES = {
    "f32": "float32", "f16": "float16", "f64": "float64", "bf16": "bfloat16", "s8": "int8", "u8": "uint8",
    "s16": "int16", "u16": "uint16", "s32": "int32", "u32": "uint32", "s64": "int64", "u64": "uint64", "bool": "bool",
    "c32": "complex32", "c64": "complex64", "c128": "complex128",
}  # fmt: skip

PROMOTION = """
     f32  f16  f64  bf16 s8   u8   s16  u16  s32  u32  s64  u64  bool c32  c64  c128
f32  f32  f32  f64  f32  f32  f32  f32  x    f32  x    f32  x    f32  c64  c64  c128
f16  f32  f16  f64  f32  f16  f16  f16  x    f16  x    f16  x    f16  c32  c64  c128
f64  f64  f64  f64  f64  f64  f64  f64  x    f64  x    f64  x    f64  c128 c128 c128
bf16 f32  f32  f64  bf16 bf16 bf16 bf16 x    bf16 x    bf16 x    bf16 c32  c64  c128
s8   f32  f16  f64  bf16 s8   s16  s16  x    s32  x    s64  x    s8   c32  c64  c128
u8   f32  f16  f64  bf16 s16  u8   s16  x    s32  x    s64  x    u8   c32  c64  c128
s16  f32  f16  f64  bf16 s16  s16  s16  x    s32  x    s64  x    s16  c32  c64  c128
u16  x    x    x    x    x    x    x    u16  x    x    x    x    x    x    x    x
s32  f32  f16  f64  bf16 s32  s32  s32  x    s32  x    s64  x    s32  c32  c64  c128
u32  x    x    x    x    x    x    x    x    x    u32  x    x    x    x    x    x
s64  f32  f16  f64  bf16 s64  s64  s64  x    s64  x    s64  x    s64  c32  c64  c128
u64  x    x    x    x    x    x    x    x    x    x    x    u64  x    x    x    x
bool f32  f16  f64  bf16 s8   u8   s16  x    s32  x    s64  x    bool c32  c64  c128
c32  c64  c32  c128 c32  c32  c32  c32  x    c32  x    c32  x    c32  c32  c64  c128
c64  c64  c64  c128 c64  c64  c64  c64  x    c64  x    c64  x    c64  c64  c64  c128
c128 c128 c128 c128 c128 c128 c128 c128 x    c128 x    c128 x    c128 c128 c128 c128
"""


def test_promotion() -> None:
    header, *rows = [line.split() for line in PROMOTION.strip().splitlines()]
    assert len(rows) == len(header) == len(BY_NAME) == 16
    for first, *results in rows:
        for second, result in zip(header, results, strict=True):
            promoted = dtypes.promote(BY_NAME[NAMES[first]], BY_NAME[NAMES[second]])
            assert promoted is (None if result == "x" else BY_NAME[NAMES[result]]), (first, second)


#: Which dtypes a dtype converts to.
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex32", "complex64", "complex128"]
CONVERSION = {
    "bool": ["bool", *INTEGERS, *FLOATS, *COMPLEX],
    **{name: [*INTEGERS, *FLOATS, *COMPLEX] for name in INTEGERS},
    **{name: [*FLOATS, *COMPLEX] for name in FLOATS},
    **dict.fromkeys(COMPLEX, COMPLEX),
}


def test_conversion() -> None:
    assert set(CONVERSION) == set(BY_NAME)
    for source, targets in CONVERSION.items():
        assert [t for t in BY_NAME if dtypes.can_convert(BY_NAME[source], BY_NAME[t])] == [
            t for t in BY_NAME if t in targets
        ]


#: aclDataType: number, enumerator without ACL_, bytes.
ACL = {
    "float32": (0, "FLOAT", 4), "float16": (1, "FLOAT16", 2), "int8": (2, "INT8", 1), "int32": (3, "INT32", 4),
    "uint8": (4, "UINT8", 1), "int16": (6, "INT16", 2), "uint16": (7, "UINT16", 2), "uint32": (8, "UINT32", 4),
    "int64": (9, "INT64", 8), "uint64": (10, "UINT64", 8), "float64": (11, "DOUBLE", 8), "bool": (12, "BOOL", 1),
    "complex64": (16, "COMPLEX64", 8), "complex128": (17, "COMPLEX128", 16), "bfloat16": (27, "BF16", 2),
    "complex32": (33, "COMPLEX32", 4),
}  # fmt: skip


def test_dtype_rows() -> None:
    assert {name: (row.acl, row.acl_name, row.itemsize) for name, row in BY_NAME.items()} == ACL
    for name, row in BY_NAME.items():
        if name == "complex32":
            with pytest.raises(TypeError):
                row.numpy.itemsize  # noqa: B018  the property raises
        else:
            assert row.numpy.itemsize == row.itemsize
            assert row.numpy.name == name
        assert str(row) == name


# Loops


def test_broadcast_shapes() -> None:
    for a, b in [
        ((), ()),
        ((3,), ()),
        ((1,), (0,)),
        ((2, 1), (1, 3)),
        ((5, 1, 4), (6, 1)),
        ((0, 1), (1, 7)),
        ((1,) * 9, (2,)),
    ]:
        assert broadcast_shapes(a, b) == broadcast_shapes(b, a) == np.broadcast_shapes(a, b)
    for a, b in [((2,), (3,)), ((0,), (2,)), ((2, 3), (2,)), ((4, 1, 2), (3, 2, 2))]:
        assert broadcast_shapes(a, b) is None


def meta(array: np.ndarray) -> Meta:
    return Meta(BY_NAME[array.dtype.name], array.shape, array.strides)


def addresses(loop: Loop) -> set[tuple[int, ...]]:
    """The offsets of all operands, element by element."""
    return {
        tuple(o.offset + sum(i * s for i, s in zip(index, o.strides, strict=True)) for o in loop.operands)
        for index in np.ndindex(*loop.shape)
    }


COALESCED: list[tuple[list[np.ndarray], int]] = [
    ([np.empty((3, 4, 5), "f4")] * 2, 1),
    ([np.empty((3, 4, 5), "f4").T] * 2, 1),
    ([np.empty((3, 4, 5), "f4")[::-1, :, ::-1]] * 2, 1),
    ([np.empty((3, 4, 5), "f4")[::-1, ::-1, ::-1]] * 2, 1),
    ([np.empty((3, 4, 5), "f4"), np.empty((5, 4, 3), "f4").T], 3),
    ([np.empty((3, 4, 5), "f4"), np.empty((3, 4, 5), "f2")], 1),
    ([np.empty((3, 4, 5), "f4"), np.broadcast_to(np.empty(5, "f4"), (3, 4, 5))], 2),
    ([np.empty((3, 4, 5), "f4"), np.empty((3, 4, 10), "f4")[..., ::2]], 1),
    ([np.empty((3, 4, 5), "f4"), np.empty((3, 8, 5), "f4")[:, ::2]], 2),
    ([np.empty((1, 1, 1), "f4")] * 2, 0),
    ([np.empty((), "f4")] * 2, 0),
    ([np.empty((1, 7, 1), "f4"), np.empty((1, 14, 1), "f4")[:, ::2]], 1),
    ([np.empty((2, 3, 4, 5), "f4").transpose(2, 3, 0, 1), np.empty((2, 3, 4, 5), "f2").transpose(2, 3, 0, 1)], 1),
]


@pytest.mark.parametrize(("arrays", "dimensions"), COALESCED)
def test_coalesced(arrays: list[np.ndarray], dimensions: int) -> None:
    """The same elements of every operand together, in as few dimensions as they allow."""
    output, *others = map(meta, arrays)
    loop = elementwise([output], others)
    coalesced = loop.coalesced()
    assert addresses(coalesced) == addresses(loop)
    assert len(coalesced.shape) == dimensions
    assert coalesced.size == loop.size


def test_loop_says_what_it_is() -> None:
    operand = Operand(0, BY_NAME["float32"], 0, ())
    assert str(Loop((), (operand,), (operand,))) == "scalar, float32 -> float32"


def test_arguments_that_are_equal_but_not_the_same_take_the_long_way() -> None:
    """1.0 equals True and -0.0 equals 0, but one is no flag and the other has a sign."""
    g, x, out = np.ones(8, np.float32), np.full(8, -1, np.float32), np.empty(8, np.float32)
    for _ in range(3):
        actgrad.elu_backward(g, x, is_result=True, out=out)
    with pytest.raises(actgrad.InvalidCall, match=r"is_result is 1\.0; it must be True or False"):
        actgrad.elu_backward(g, x, is_result=1.0, out=out)
    for _ in range(3):
        actgrad.elu_backward(g, x, alpha=0, out=out)
    assert not np.signbit(out).any()
    actgrad.elu_backward(g, x, alpha=-0.0, out=out)
    assert np.signbit(out).all()
