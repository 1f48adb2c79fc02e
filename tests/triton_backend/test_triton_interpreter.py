"""The Triton backend in Triton's interpreter, on the CPU: as exact as the CPU backend, in any layout."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.calls import (
    OPERATORS,
    Memory,
    by_kernel_of,
    contiguous,
    doubled,
    ids,
    inputs,
    off_defaults,
    pairs,
    same_bits,
    supported,
    untouched,
)

pytest.importorskip("triton", minversion="3.9")  # the interpreter's fma rounded twice before

import actgrad
from actgrad import samples
from actgrad.backends.cpu import engine as cpu_engine
from actgrad.backends.cpu.target import host
from actgrad.backends.triton import launcher
from actgrad.base.dtypes import BY_NAME
from actgrad.judge import golden
from tests.formula.test_accurate import FUNCTIONS, function
from tests.formula.test_accurate import samples as function_samples
from tests.support import function_formulas, sample_values
from tests.support.accuracy_cases import (
    FLOATS,
    HALVES,
    SINGLES,
    around_ties,
    assert_alike_in_kind,
    assert_rounded_once,
    bounds,
    int32_values,
    meetings,
)
from tests.support.memory_layouts import NAMED, OUTPUTS, laid_out, memories, shapes

pytestmark = pytest.mark.share(16)

BACKEND: dict[str, Any] = {"backend": "triton"}


@pytest.fixture(autouse=True, scope="module")
def _interpreter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_INTERPRET", "1")
        yield


def call(operator: actgrad.Operator, *tensors: Any, **attributes: Any) -> tuple[Any, ...]:
    return samples.as_tuple(operator(*tensors, **attributes, **BACKEND))


# How exact


def cases(dtypes: Any, every: bool) -> Iterator[Any]:
    """Each operator with its attributes at their defaults and off them, or with every case of `testing`."""
    for operator in OPERATORS:
        known = samples.attribute_cases(operator)
        chosen = known if every or len(known) <= 2 else [known[0], off_defaults(operator)]
        for attributes in chosen:
            for dtype in dtypes:
                words = [operator.name, dtype, *(f"{name}={value}" for name, value in attributes.items())]
                yield pytest.param(operator, attributes, dtype, id="-".join(words))


def check(operator: actgrad.Operator, attributes: dict[str, Any], tensors: Any, x: Any, only: Any = None) -> Any:
    """Assert that every output is within the CPU backend's bounds, where `only` says; return what it should be."""
    expectations = golden.expected(operator, tensors, attributes)
    for number, got in enumerate(call(operator, *tensors, **attributes)):
        faults = expectations[number].faults(got, *bounds(operator, x.dtype.name))
        if only is not None:
            faults &= only[number]
        worst = np.argmax(np.where(faults, expectations[number].errors(got), -1))
        assert not faults.any(), f"{np.count_nonzero(faults)} faults, one of {got[worst]} at x = {x[worst % x.size]}"
    return expectations


def check_all(operator: actgrad.Operator, attributes: dict[str, Any], x: Any) -> None:
    alone = check(operator, attributes, samples.tensors(operator, attributes, x), x)
    random = samples.tensors(operator, attributes, x, np.random.default_rng(2))
    check(operator, attributes, random, x, [expectation.is_normal for expectation in alone])


@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(HALVES, every=False)))
def test_all_65536_inputs(operator: Any, attributes: Any, dtype: str) -> None:
    x = np.random.default_rng(1).permutation(sample_values.every_value(FLOATS[dtype]))
    check(operator, attributes, samples.tensors(operator, attributes, x), x)


@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(SINGLES, every=False)))
def test_all_exponents(operator: Any, attributes: Any, dtype: str) -> None:
    check_all(operator, attributes, sample_values.samples(FLOATS[dtype], 8000, np.random.default_rng(1)))


@pytest.mark.slow
@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(FLOATS, every=True)))
def test_all_attributes(operator: Any, attributes: Any, dtype: str) -> None:
    rng = np.random.default_rng(3)
    x = (
        sample_values.every_value(FLOATS[dtype])
        if dtype in HALVES
        else sample_values.samples(FLOATS[dtype], 60_000, rng)
    )
    check_all(operator, attributes, rng.permutation(x))


@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(FLOATS, every=False)))
def test_zeros_infinities_and_nan_meet_as_in_the_reference(operator: Any, attributes: Any, dtype: str) -> None:
    """In all combinations of the inputs, the result is NaN, infinite and negative where the reference's is."""
    tensors = meetings(operator, dtype)
    with np.errstate(all="ignore"):
        reference = samples.as_tuple(operator(*tensors, backend="reference", **attributes))
        for got, standard in zip(call(operator, *tensors, **attributes), reference, strict=True):
            nans = np.unique(np.frombuffer(got[np.isnan(got)].tobytes(), f"u{got.itemsize}"))
            assert len(nans) <= 1, "there is one NaN"
            assert_alike_in_kind(got, standard)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_the_primitives_bit_for_bit(name: str, dtype: Any) -> None:
    """As NumPy computes them with a fused multiply-add."""
    x = function_samples(name, dtype)[::7]
    with np.errstate(over="ignore"):
        x = x[np.frexp(x + 1)[0] != dtype(0.5**0.5)]  # where log1p may split a number either way
    with np.errstate(all="ignore"):
        wanted = function(name, dtype, fused=True)(x)
    got = np.empty_like(x)
    plan = actgrad.gelu.plan(x, out=got, **BACKEND)
    formula = getattr(function_formulas, f"of_{name}")
    kernel = launcher.prepare(plan.computation._replace(formulas=(formula,)))
    kernel.run(*plan.addresses)
    assert same_bits(got, wanted)


def test_an_operator_that_somebody_adds(smooth_relu: Any) -> None:
    x = np.linspace(-30, 30, 2001, dtype=np.float32)
    for operator, tensors in (
        (smooth_relu.smooth_relu, (x,)),
        (smooth_relu.smooth_relu_backward, (np.ones_like(x), x)),
    ):
        got = call(operator, *tensors, beta=1.7)[0]
        np.testing.assert_allclose(got, operator(*tensors, beta=1.7, backend="reference"), rtol=2e-6)


# Conversions


@pytest.mark.parametrize("source", SINGLES)
@pytest.mark.parametrize("dtype", HALVES)
def test_results_are_rounded_once(dtype: str, source: str) -> None:
    """Ties, what lies just beside them, and what overflows; leaky ReLU with slope 1 changes nothing else."""
    values = around_ties(dtype, source)
    out = np.empty(values.shape, FLOATS[dtype])
    call(actgrad.leaky_relu, values, negative_slope=1, out=out)
    assert_rounded_once(values, out)


def test_integers() -> None:
    bytes_ = np.arange(-128, 128, dtype=np.int8)
    for x in (bytes_, int32_values()):
        np.testing.assert_array_equal(call(actgrad.selu, x)[0], actgrad.selu(x, backend="reference"))
        pair = [a.ravel() for a in np.meshgrid(x, x)]
        expected = actgrad.selu_backward(*pair, backend="reference")
        np.testing.assert_array_equal(call(actgrad.selu_backward, *pair)[0], expected)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_results(dtype: Any) -> None:
    x = np.linspace(-3, 3, 7 * 33).reshape(7, 33).astype(np.float32)
    for memory in (contiguous(2), Memory((1, 0), (1, 2))):
        out, room = memory.room(x.shape, np.dtype(dtype))
        call(actgrad.elu, x, out=out)
        expected = actgrad.elu(x, out=np.empty(x.shape, dtype), backend="reference")
        np.testing.assert_allclose(out, expected, rtol=4 * np.finfo(dtype).eps)
        assert not out.imag.any()
        assert untouched(out, room)


@pytest.mark.parametrize(("operator", "attributes"), [(actgrad.elu, {"alpha": 1.1}), (actgrad.leaky_relu, {})])
def test_attributes_of_doubles_are_doubles(operator: Any, attributes: Any) -> None:
    x = np.linspace(-2, 2, 1001)
    got, expected = call(operator, x, **attributes)[0], operator(x, backend="reference", **attributes)
    np.testing.assert_allclose(got, expected, rtol=1e-15)


# Layouts


def check_layout(operator: Any, tensors: dict[str, Any], rooms: Any, **attributes: Any) -> None:
    """The call on `tensors`, into outputs in `rooms`, against the call on contiguous copies."""
    copies = [None if t is None else np.array(t, order="C") for t in tensors.values()]
    expected = call(operator, *copies, **attributes)
    rooms = [m.room(e.shape, e.dtype) for m, e in zip(rooms, expected, strict=True)]
    out = tuple(view for view, _ in rooms)
    call(operator, *tensors.values(), out=out if len(out) > 1 else out[0], **attributes)
    for (view, memory), wanted in zip(rooms, expected, strict=True):
        assert same_bits(view, wanted)
        assert untouched(view, memory)


def is_quick(shape: tuple[int, ...]) -> bool:
    """Whether few tiles of two dimensions hold it: the interpreter takes milliseconds for each."""
    return math.prod(sorted(shape)[:-2]) <= 12


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(data=st.data())
def test_any_layout(operator: Any, data: st.DataObject) -> None:
    shape = data.draw(shapes().filter(lambda s: is_quick(s) and (s or not operator.access.is_packed)))
    dtype = data.draw(st.sampled_from(supported(operator)))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1)) if shape else -1
    attributes = data.draw(st.sampled_from(samples.attribute_cases(operator)))
    if operator.access.is_packed:
        attributes = {**attributes, "dim": dim}
    tensors: dict[str, Any] = {
        name: data.draw(laid_out(values), label=name)
        for name, values in inputs(np.random.default_rng(0), operator, shape, dtype, dim).items()
    }
    rooms = [data.draw(memories(len(shape))) for _ in operator.schema.outputs]
    check_layout(operator, tensors, rooms, **attributes)


@pytest.mark.parametrize("layout", [n for n in NAMED if n.__name__ != "field"], ids=lambda f: f.__name__)
def test_named_layouts(layout: Any) -> None:
    for operator in (actgrad.elu_backward, actgrad.geglu, actgrad.geglu_backward):
        plain = inputs(np.random.default_rng(1), operator, (37, 66))
        for case in [dict.fromkeys(plain, layout)] + [{name: layout} for name in plain]:
            tensors = {name: case.get(name, np.ascontiguousarray)(values) for name, values in plain.items()}
            check_layout(operator, tensors, [contiguous(2)] * len(operator.schema.outputs), **off_defaults(operator))


@pytest.mark.parametrize("memory", OUTPUTS.values(), ids=OUTPUTS)
def test_outputs_of_any_stride(memory: Memory) -> None:
    for operator in (actgrad.leaky_relu_backward, actgrad.geglu):
        tensors = inputs(np.random.default_rng(2), operator, (33, 70), "float16")
        others = [contiguous(2)] * (len(operator.schema.outputs) - 1)
        check_layout(operator, tensors, [memory, *others], **off_defaults(operator))


@pytest.mark.parametrize(("operator", "dtype"), pairs(), ids=lambda v: getattr(v, "name", v))
def test_sizes_and_empty(operator: Any, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Odd and even ones, one element and none, agree with the CPU backend in all but the last bits.

    It may not look up pieces for that: where terms cancel, more than the last bits would differ.
    """
    monkeypatch.setattr(cpu_engine, "host", lambda: replace(host(), tuning=replace(host().tuning, piecewise="")))
    rng = np.random.default_rng(5)
    for shape in ((1,), (2,), (7,), (129,), (3, 0), (1025,)):
        tensors = inputs(rng, operator, shape, dtype)
        _, standard = by_kernel_of(cpu_engine, operator, *tensors.values())
        for got, wanted in zip(call(operator, *tensors.values()), standard, strict=True):
            assert got.shape in (shape, doubled(shape, -1))
            assert got.dtype == wanted.dtype
            with np.errstate(all="ignore"):
                wide = [a.astype(np.float64) for a in (got, wanted)]
                rtol = (
                    8 * float(actgrad.judge.oracle.ulp(np.ones(1), dtype)[0]) if BY_NAME[dtype].kind == "float" else 0
                )
                np.testing.assert_allclose(*wide, rtol=rtol, atol=np.finfo(np.float32).tiny)


def test_elements_that_are_not_whole_steps_apart_are_refused() -> None:
    records = np.zeros(40, [("tag", "i1"), ("value", np.float32)])
    with pytest.raises(actgrad.InvalidArgument, match="backend is 'triton', but float32 elements lie 5 bytes apart"):
        call(actgrad.elu, records["value"])


def test_a_plan_may_run_again() -> None:
    x = np.linspace(-2, 2, 100, dtype=np.float32)
    plan = actgrad.elu.plan(x, **BACKEND)
    first = plan.run().copy()
    x += 1
    assert not np.array_equal(plan.run(), first)
    assert "Triton's interpreter, runs of 128" in str(plan)


def test_float_comparisons_of_attributes_are_uniform() -> None:
    """An attribute may be compared with another one in a formula; the text does not know the outcome."""
    values = pytest.importorskip("actgrad.backends.triton.text_emitter")
    machines = pytest.importorskip("actgrad.backends.triton.machines")
    texts, numbers = set(), []
    for alpha in (1.0, -1.0):
        emitter = values.TextEmitter("float32", machines.INTERPRETER)
        a = values.TextUniform(emitter, "a0", alpha)
        emitter.where(a > 0, values.TextVector(emitter, "x0"), -a)
        texts.add("\n".join(emitter.lines))
        numbers.append([float(u.value) for u in emitter.uniforms.values()])
    assert len(texts) == 1
    assert numbers == [[1.0, -1.0], [0.0, 1.0]]


# Without the interpreter


def test_the_cpu_needs_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_INTERPRET")
    with pytest.raises(actgrad.BackendUnavailable, match=r"are on cpu; .* TRITON_INTERPRET=1 for Triton's interpreter"):
        actgrad.elu(np.ones(3), **BACKEND)


def test_a_device_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = pytest.importorskip("actgrad.backends.triton")
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("it is there")
    computation = actgrad.elu.plan(np.ones(3), backend="reference").computation
    with pytest.raises(actgrad.BackendUnavailable, match="backend is 'triton'; it needs a GPU cuda:0"):
        backend.prepare(computation._replace(device="cuda:0"))
