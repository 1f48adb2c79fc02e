"""The caller's floating-point environment changes no result, and is what it was after a call."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn, samples
from actgrad.backends.cpu import engine, jit, target
from actgrad.base.dtypes import BY_NAME
from tests.support.calls import OPERATORS, ids, input_shapes, inputs, off_defaults, run_script, supported
from tests.support.surroundings import ROUNDINGS, clear_flags, environment, flags, rounding

pytestmark = pytest.mark.share(8)

ENVIRONMENTS = ("flushing", *ROUNDINGS)
SUBNORMAL = 1e-40  # of float32


MANTISSA = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}  # bits


def small_values(operator: actgrad.Operator, shape: tuple[int, ...], dtype: str) -> list[np.ndarray]:
    """Inputs of which three in ten are subnormal numbers of their dtype."""
    rng = np.random.default_rng(7)
    values = list(inputs(rng, operator, shape, dtype).values())
    if dtype in MANTISSA:
        for array in values:
            words = array.view(f"u{array.itemsize}")
            subnormal = words & words.dtype.type((1 << MANTISSA[dtype]) - 1)
            words[...] = np.where(rng.random(array.shape) < 0.3, subnormal, words)
    return values


def results(operator: actgrad.Operator, tensors: list[np.ndarray], **attributes: Any) -> list[bytes]:
    return [array.tobytes() for array in samples.as_tuple(operator(*tensors, **attributes))]


@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
@pytest.mark.share(6)
def test_results_do_not_depend_on_it(operator: actgrad.Operator, name: str) -> None:
    """Of new calls, of known ones and of plans; in rows and in tiles, on one thread and on several."""
    for dtype in supported(operator):
        for shape in ((4, 5), (3, 50), (300, 301)):
            tensors = small_values(operator, shape, dtype)
            for given in (tensors, [np.asfortranarray(t) if k % 2 == 0 else t for k, t in enumerate(tensors)]):
                for count in (1, 2):
                    actgrad.set_num_threads(count)
                    operator.prepared.clear()
                    with environment(name):
                        new, known = (results(operator, given, **off_defaults(operator)) for _ in range(2))
                        plan = operator.plan(*given, **off_defaults(operator))
                        planned = [array.tobytes() for array in samples.as_tuple(plan.run())]
                    operator.prepared.clear()
                    expected = results(operator, given, **off_defaults(operator))
                    assert new == known == planned == expected, (dtype, shape, count)
    actgrad.set_num_threads(0)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_attributes_are_rounded_to_nearest(name: str) -> None:
    x = np.float32([-1e30, -3.0, 2.0, 1e30])
    for number in (1.1, 1 / 3, SUBNORMAL, -SUBNORMAL):
        with environment(name):
            got = actgrad.leaky_relu(x, negative_slope=number)
        assert got.tobytes() == np.where(x > 0, x, x * np.float32(number)).tobytes(), number
    actgrad.leaky_relu.prepared.clear()


def test_attributes_that_are_equal_when_flushed_are_different_calls() -> None:
    x = np.float64([-1e300])
    numbers = (2e-310, 1e-310, 0.0, 3e-310)
    for _ in range(3):
        with environment("flushing"):
            got = [actgrad.leaky_relu(x, negative_slope=number) for number in numbers]
        for g, number in zip(got, numbers, strict=True):
            assert g.tobytes() == (x * number).tobytes(), number


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_aclnn_scalars_are_what_they_were(name: str) -> None:
    x, out = np.float32([-1e30, 5.0]), np.full(2, np.nan, np.float32)
    expected, slope_of_numpy = x * np.float32([SUBNORMAL, 1.0]), np.float32(SUBNORMAL)
    with environment(name):
        for slope in (aclnn.aclCreateScalar(SUBNORMAL, aclnn.ACL_FLOAT), SUBNORMAL, slope_of_numpy):
            out[:] = np.nan
            status, size, executor = aclnn.aclnnLeakyReluGetWorkspaceSize(x, slope, out)
            assert (status, size) == (0, 0)
            assert aclnn.aclnnLeakyRelu(None, 0, executor, None) == 0
            assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.slow
def test_code_and_tables_made_in_it_hold_elsewhere(name: str) -> None:
    """What a process compiles and fills in a changed environment is used by later calls, and by other processes."""
    script = """
import numpy as np, actgrad, ml_dtypes, hashlib
from tests.support.surroundings import environment
from contextlib import nullcontext
digest = hashlib.sha256()
bits = np.arange(1 << 16, dtype=np.uint16)
calls = []
for dtype in (np.float16, ml_dtypes.bfloat16):
    x = np.tile(bits.view(dtype), 4)
    calls += [(actgrad.gelu, x), (actgrad.elu, x), (actgrad.gelu_backward, x, x), (actgrad.geglu, x)]
x = np.linspace(-20, 20, 100001)
calls += [(f, x.astype(t)) for t in (np.float32, np.float64) for f in (actgrad.gelu, actgrad.elu, actgrad.selu)]
with environment({name!r}) if {name!r} else nullcontext():
    [call[0](*call[1:]) for call in calls]
for call in calls:
    for array in (r if isinstance(r := call[0](*call[1:]), tuple) else (r,)):
        digest.update(np.where(array == array, array, 0).tobytes())
print(digest.hexdigest())
"""
    changed, plain = (run_script(script.replace("{name!r}", repr(n)), ACTGRAD_CACHE_DIR="") for n in (name, ""))
    assert changed == plain


@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.parametrize("shape", [(16,), (300, 300)])
def test_it_is_what_it_was_after_a_call(name: str, shape: tuple[int, ...]) -> None:
    x = np.full(shape, -1.3, np.float32)
    out = np.empty_like(x.T)
    plan = actgrad.elu.plan(x.T, out=out)
    tiny = np.float32([1e-38])
    with environment(name):
        before, small = rounding(), (tiny * np.float32(1e-3)).tobytes()
        clear_flags()
        plan.run()
        assert flags() == 0  # of inexact results, which these are
        actgrad.elu(x, out=out.T)
        actgrad.elu(x, alpha=1.7, out=out.T)
        assert rounding() == before
        assert (tiny * np.float32(1e-3)).tobytes() == small


def test_traps_of_the_caller_do_not_end_the_process() -> None:
    if not hasattr(ctypes.CDLL(None), "feenableexcept"):
        pytest.skip("this C library has no traps")
    script = """
import ctypes, numpy as np, actgrad
x = np.float32([np.nan, np.inf, -np.inf, 1e38, -1e38, 1e-45, 0.1] * 1000)
plans = [actgrad.gelu_backward.plan(x, x), actgrad.elu.plan(x, alpha=1e38), actgrad.selu.plan(x[::3])]
library = ctypes.CDLL(None)
library.feenableexcept(0x3D)
[plan.run() for plan in plans]
library.fedisableexcept(0x3D)
"""
    run_script(script)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
@pytest.mark.share(64)
def test_a_kernel_needs_little_stack(operator: actgrad.Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 12 KiB for the driver's and an inner loop's frames, on each instruction set: some threads have 64."""
    specs: set[Any] = set()
    code_of = jit.inner_loop_code
    monkeypatch.setattr(jit, "inner_loop_code", lambda spec, to: specs.add(spec) or code_of(spec, to))
    for dtype in ("float32", "bfloat16"):  # a computed one, and one with tables
        for size in (8, 1 << 18):
            shapes = input_shapes(operator, (size,))
            operator.prepared.clear()
            operator(*[np.ones(shape, BY_NAME[dtype].numpy) for shape in shapes.values()])
    assert specs
    for name in ("avx512", "avx2", "x86-64"):
        to = target.find(name)
        driver = sum(frames(machine_code(engine._driver_module(to), to)).values())
        for spec in specs:
            assert driver + max(frames(jit.assembly(spec, to)).values(), default=0) <= 12 << 10, (name, spec)


def machine_code(module: Any, to: target.Target) -> str:
    parsed, machine = jit.optimised(module, to)
    return str(machine.emit_assembly(parsed))


def frames(assembly: str) -> dict[str, int]:
    """Bytes that each function takes from the stack, in x86's assembly."""
    sizes: dict[str, int] = {}
    name = ""
    for line in assembly.splitlines():
        word, *rest = line.split("#")[0].replace(",", " ").split() or [""]
        if word.endswith(":") and not word.startswith(".L"):
            name = word[:-1]
        elif word == "subq" and rest[1:] == ["%rsp"]:
            sizes[name] = sizes.get(name, 0) + int(rest[0][1:])
    return sizes


def test_frames_are_found() -> None:
    text = "row:\n\tpushq %rbp\n\tsubq\t$448, %rsp\n.LBB0_1:\n\tsubq $8, %rax\nother:\n\tretq\n"
    assert frames(text) == {"row": 448}
