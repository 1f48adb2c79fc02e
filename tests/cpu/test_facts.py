"""Facts about a formula's values while its machine code is emitted: known ones make it shorter."""

from __future__ import annotations

from dataclasses import replace

import llvmlite.ir as ir
import pytest

import actgrad
from actgrad.backends.cpu import jit, target
from actgrad.backends.cpu.emitter import Emitter, Uniform, Vector
from actgrad.backends.cpu.ir_builder import IRFunction
from actgrad.backends.cpu.ir_types import DOUBLE, PTR
from actgrad.backends.cpu.kernel_spec import KernelSpec
from actgrad.backends.cpu.vector_primitives import VectorPrimitives
from actgrad.ops.selu import selu_backward_from_input
from tests.cpu.test_targets import spec_of


@pytest.fixture(params=target.NAMES)
def emitter(request: pytest.FixtureRequest) -> Emitter:
    return Emitter(IRFunction(ir.Module(), "trial", (PTR, DOUBLE)), target.find(request.param), "float32")


def two_vectors(emitter: Emitter) -> tuple[Vector, Vector]:
    type_, place = emitter.vector_type(emitter.element), emitter.builder.arguments[0]
    x, y = (Vector(emitter, emitter.builder.load(place, typ=type_)) for _ in range(2))
    return x, y


def test_what_is_known(emitter: Emitter) -> None:
    x, _ = two_vectors(emitter)
    rounded_product = VectorPrimitives(emitter, None).rounded_product
    negative = emitter.where(x > 0, 0.0, x)
    known = [
        negative, emitter.where(x >= -1.0, -1, x), emitter.where(x > 0, negative, x), emitter.where(x < 0, negative, 0),
        emitter.minimum(x, 0.0), emitter.minimum(-2.0, x), emitter.minimum(x, negative), emitter.maximum(negative, -1.),
        negative * 0.5, 0.5 * negative, rounded_product(emitter.minimum(x, -0.25), 3.0), -emitter.abs(x),
    ]  # fmt: skip
    assert [v.facts.never_positive for v in known] == [True] * len(known)
    assert emitter.minimum(negative, 3.0) is negative
    one = Uniform(emitter, ir.Constant(DOUBLE, 1.0))
    assert all(product is negative for product in (one * negative, negative * one, negative * 1.0))


def test_what_is_not_known(emitter: Emitter) -> None:
    x, y = two_vectors(emitter)
    rounded_product = VectorPrimitives(emitter, None).rounded_product
    attribute, minus_abs = Uniform(emitter, emitter.builder.arguments[1]), -emitter.abs(x)
    negative = emitter.where(x > 0, 0.0, x)
    unknown = [
        x, emitter.where(x > 0.5, 0.0, x), emitter.where(x < 0, 0.0, x), emitter.where(x > 0, x, 0.0),
        emitter.where(x > 0, 1.0, x), emitter.where(x > 0, 0.0, y), emitter.where(x > y, 0.0, x),
        emitter.where(~(x > 0), 0.0, x), emitter.where((x > 0) & (y > 0), 0.0, x), emitter.where(x > attribute, 0.0, x),
        emitter.where(x > negative, 0.0, x), emitter.where(x >= emitter.minimum(y, 0.0), 0.0, x),  # they may be NaN
        emitter.where(x > float("nan"), 0.0, x), emitter.minimum(x, 1.0), emitter.minimum(x, attribute),
        emitter.maximum(negative, x), emitter.maximum(x, 0.0),
        negative * -0.5, negative * negative, negative * attribute, negative * 0.0, -negative, negative + 1.0,
        0.5 - negative, 0.5 / negative, emitter.abs(negative), rounded_product(x, 3.0),
        rounded_product(negative, -3.0), -minus_abs, -x,
    ]  # fmt: skip
    assert not any(v.facts.never_positive for v in unknown)


def test_powers_of_e_from_0_to_1(emitter: Emitter) -> None:
    """log1p is then a polynomial, without a division."""
    x, _ = two_vectors(emitter)
    primitives = VectorPrimitives(emitter, None)
    exp, log1p = (primitives.functions[name] for name in ("exp", "log1p"))
    before = emitter.builder.instruction_count
    assert primitives.is_from_0_to_1(exp(-emitter.abs(x)))
    assert not primitives.is_from_0_to_1(exp(x))
    assert not primitives.is_from_0_to_1(exp(-emitter.abs(x)) + 1.0)
    text = [str(i) for i in emitter.builder.block.instructions]
    log1p(exp(-emitter.abs(x)))
    assert emitter.builder.instruction_count > before
    assert not any("fdiv" in str(i) for i in emitter.builder.block.instructions[len(text) :])
    log1p(exp(x))
    assert any("fdiv" in str(i) for i in emitter.builder.block.instructions[len(text) :])


def written(spec: KernelSpec, name: str) -> str:
    return str(jit.inner_loop_module(spec, target.find(name)))


@pytest.mark.parametrize("name", target.NAMES)
def test_expm1_needs_no_comparison_near_0(name: str) -> None:
    """For attributes that are 1, and for SELU's; input_scale might be negative."""
    elu = spec_of(actgrad.elu, "float32")
    assert "fabs" in written(elu, name)
    assert "fabs" not in written(replace(elu, scalars_are_one=True), name)
    assert "fabs" not in written(spec_of(actgrad.selu, "float32"), name)


@pytest.mark.parametrize("name", [name for name in target.NAMES if not target.find(name).scalef])
def test_exp_halves_no_exponent(name: str) -> None:
    elu_backward = spec_of(actgrad.elu_backward, "float32")
    assert "lshr" in written(elu_backward, name)
    assert "lshr" not in written(replace(elu_backward, scalars_are_one=True), name)
    assert "lshr" not in written(spec_of(selu_backward_from_input, "float32"), name)
