"""The acceptance standards, against what each comes to when one element after another is worked out by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import actgrad
from actgrad.base.dtypes import BY_NAME
from actgrad.judge import standards
from actgrad.judge.measurement import histogram
from actgrad.judge.standards import STANDARDS, ElementErrors, Outcome
from actgrad.judge.verdict import ULP_EDGES
from tests.support.calls import status

PUBLISHED = ("float16", "bfloat16", "float32")


def compared(actual: np.ndarray, exact: np.ndarray, faults: np.ndarray | None = None) -> ElementErrors:
    """A comparison in which everything is a fault that is not rounded exactly, or what `faults` says."""
    c = standards.compare(actual, exact)
    return replace(c, faults=c.error > 0 if faults is None else faults)


def outcome(name: str, actual: np.ndarray, exact: np.ndarray, faults: np.ndarray | None = None) -> Outcome:
    return STANDARDS[name].apply(compared(actual, exact, faults))[1]


def noisy(dtype: str, size: float, count: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Exact values, and actual ones that are off by a relative error of about `size`."""
    rng = np.random.default_rng(7)
    exact = rng.normal(0, 3, count)
    return (exact * (1 + size * rng.standard_normal(count))).astype(BY_NAME[dtype].numpy), exact


def golden_numbers(exact: np.ndarray, dtype: str) -> list[float]:
    return [float(BY_NAME[dtype].numpy.type(v)) for v in exact]


#: By the published words, with plain numbers.
MIXED = {
    "float16": (2.0**-9, 2.0**-9, 0.1),
    "bfloat16": (2.0**-6, 2.0**-6, 1.0),
    "float32": (2.0**-10, 2.0**-16, 0.01),
}
THRESHOLDS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-13}
THOUSANDTH = {"float16": 0.001, "float32": 0.0001}


@pytest.mark.parametrize("size", [0, 1e-5, 1e-3, 3e-3, 0.03, 0.3])
@pytest.mark.parametrize("dtype", PUBLISHED)
def test_mixed_tolerance(dtype: str, size: float) -> None:
    actual, exact = noisy(dtype, size)
    rtol, atol, limit = MIXED[dtype]
    within, far, largest = 0, 0, 0.0
    for a, g, e in zip(map(float, actual), golden_numbers(exact, dtype), exact, strict=True):
        error = abs(a - g)
        within += error <= atol + rtol * abs(g)
        largest = max(largest, error)
        step = 2.0 ** (math.floor(math.log2(abs(e))) - int(ml_dtypes.finfo(actual.dtype).nmant))
        far += error > limit and abs(a - e) > 32 * step
    found = outcome("mixed", actual, exact)
    assert (found.over, found.broken) == (len(actual) - within, far)
    assert found.largest == pytest.approx(largest)
    assert found.holds == (within >= 0.99 * len(actual) and far == 0)


def test_mixed_tolerance_allows_one_in_a_hundred_and_no_more() -> None:
    exact = np.ones(100)
    actual = np.ones(100, np.float32)
    actual[0] = 1.005  # beyond the tolerance of 2^-10 + 2^-16, within the limit of 0.01
    assert outcome("mixed", actual, exact).holds
    actual[1] = 1.005
    assert not outcome("mixed", actual, exact).holds
    actual[:2] = 1, 1.02
    assert not outcome("mixed", actual, exact).holds
    # Beyond the limit, but within 32 ULP: a large number.
    large = np.full(100, 2.0**20)
    assert outcome("mixed", (large + 3.5).astype(np.float32), large).holds
    assert outcome("mixed", (large + 3.5).astype(np.float32), large).largest == 3.5


@pytest.mark.parametrize("size", [0, 1e-5, 1e-3, 3e-3, 0.03])
@pytest.mark.parametrize("dtype", PUBLISHED)
def test_mere_and_mare(dtype: str, size: float) -> None:
    actual, exact = noisy(dtype, size)
    pairs = zip(map(float, actual), golden_numbers(exact, dtype), strict=True)
    relative = [abs(a - g) / (abs(g) + 1e-7) for a, g in pairs]
    found = outcome("mere-mare", actual, exact)
    assert found.mean == pytest.approx(math.fsum(relative) / len(relative))
    assert found.largest == pytest.approx(max(relative))
    threshold = THRESHOLDS[dtype]
    assert found.holds == (math.fsum(relative) / len(relative) < threshold and max(relative) < 10 * threshold)


@pytest.mark.parametrize("size", [0, 1e-5, 2e-4, 1e-3, 0.03])
@pytest.mark.parametrize("dtype", THOUSANDTH)
def test_double_thousandth(dtype: str, size: float) -> None:
    actual, exact = noisy(dtype, size, 5000)
    pairs = zip(map(float, actual), golden_numbers(exact, dtype), strict=True)
    over = sum(abs(a - g) / abs(g) > THOUSANDTH[dtype] for a, g in pairs)
    found = outcome("thousandth", actual, exact)
    assert found.over == over
    assert found.holds == (over / 5000 < THOUSANDTH[dtype])


def test_double_thousandth_is_less_than_a_thousandth() -> None:
    actual = np.ones(10_000, np.float16)
    for count, holds in ((9, True), (10, False)):
        actual[:count] = 1.002
        assert outcome("thousandth", actual, np.ones(10_000)).holds == holds


@pytest.mark.parametrize("name", ["mere-mare", "thousandth"])
def test_relative_errors_excuse_what_is_as_near_as_rounding_allows_and_say_so(name: str) -> None:
    exact = np.ones(2000)
    exact[0] = 0.3 * 2.0**-24  # rounds to 0, and the next number of float16 is 2^-24
    actual = np.ones(2000, np.float16)
    actual[0] = 2.0**-24
    found = outcome(name, actual, exact, faults=np.zeros(2000, bool))
    assert found.holds
    assert found.excused == 1
    assert "1 excused" in found.says
    exact, actual = exact[:10], actual[:10]
    assert not outcome(name, actual, exact, faults=actual != 1).holds


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_ulp_is_the_distance_in_steps_of_the_dtype(dtype: str) -> None:
    actual, exact = noisy(dtype, 1e-3)
    limits = ml_dtypes.finfo(actual.dtype)
    errors = []
    for a, e in zip(actual, exact, strict=True):
        step = Fraction(2) ** (math.floor(math.log2(abs(e))) - int(limits.nmant))
        errors.append(float(abs(Fraction(float(a)) - Fraction(e)) / step))
    c = compared(actual, exact, np.array(errors) > 2)
    over, found = STANDARDS["ulp"].apply(c)
    np.testing.assert_allclose(c.ulps, errors)
    assert over.tolist() == [error > 2 for error in errors]
    assert (found.over, found.broken) == (sum(e > 2 for e in errors), sum(e > 1 for e in errors))
    assert found.mean == pytest.approx(math.fsum(errors) / len(errors))
    assert found.largest == pytest.approx(max(errors))
    edges = (*ULP_EDGES, math.inf)
    bins = [sum(low < e <= high for e in errors) for low, high in pairwise(edges)]
    bins[0] += sum(e == 0 for e in errors)
    assert list(histogram(c.ulps)) == bins


def test_integers_are_right_or_wrong() -> None:
    exact = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 3.49, 127.6, -1e9, np.nan])
    right = np.array([0, 2, 2, 0, -2, 3, 127, -128, 0], np.int8)
    assert outcome("ulp", right, exact).holds
    for k in range(len(right)):
        wrong = right.copy()
        wrong[k] ^= 1
        assert not outcome("ulp", wrong, exact).holds
    assert standards.bounds(actgrad.selu, "int8") == (0, 0)


@pytest.mark.parametrize("name", ["mixed", "mere-mare", "thousandth"])
@pytest.mark.parametrize("dtype", ["float64", "int8", "int32"])
def test_what_a_standard_does_not_define_is_said_and_not_judged(name: str, dtype: str) -> None:
    found = outcome(name, np.ones(5, dtype), np.zeros(5))
    assert found.holds is None
    assert found.says == f"not defined for {dtype}"


NAN, INF = math.nan, math.inf
#: exact, actual in float16, whether they agree. 65504 is the largest number, from 65520 on infinity is nearest.
NONFINITE = [
    (NAN, NAN, True), (NAN, 1.0, False), (NAN, INF, False), (1.0, NAN, False), (INF, NAN, False), (0.0, NAN, False),
    (INF, INF, True), (-INF, -INF, True), (INF, -INF, False), (INF, 65504, False), (1.0, INF, False),
    (1e6, INF, True), (-1e6, -INF, True), (1e6, 65504, False), (1e6, -INF, False),
    (65519, INF, True), (65521, 65504, True), (65472, INF, False), (-65519, -INF, True), (2.0, 3.0, True),
]  # fmt: skip


@pytest.mark.parametrize(("exact", "actual", "agrees"), NONFINITE)
def test_nan_and_infinity(exact: float, actual: float, agrees: bool) -> None:
    pair = np.array([actual, 1.0], np.float16), np.array([exact, 1.0])
    assert outcome("nonfinite", *pair).holds == agrees
    if not agrees:
        for name in ("mixed", "mere-mare", "thousandth"):
            assert not outcome(name, *pair).holds, name
    elif exact != 2.0:
        assert outcome("mixed", *pair).holds
        assert outcome("mere-mare", *pair).holds


@pytest.mark.parametrize("name", [name for name, one in STANDARDS.items() if "float32" in one.limits])
def test_parts_add_up_to_the_whole(name: str) -> None:
    actual, exact = noisy("float32", 1e-4, 1000)
    whole = outcome(name, actual, exact)
    parts = [outcome(name, actual[at], exact[at]) for at in (slice(0, 300), slice(300, None))]
    both = parts[0] + parts[1]
    assert both.total == pytest.approx(whole.total)
    assert replace(both, total=0.0) == replace(whole, total=0.0)


@pytest.mark.parametrize("name", [name for name, one in STANDARDS.items() if "float32" in one.limits])
def test_nothing_breaks_no_standard(name: str) -> None:
    found = outcome(name, np.zeros(0, np.float32), np.zeros(0))
    assert found.holds
    assert found.elements == 0


def test_bounds_follow_from_what_the_formula_calls(smooth_relu: Callable[..., object]) -> None:
    assert standards.bounds(actgrad.elu_backward, "float32") == (4.5, 8)
    assert standards.bounds(actgrad.geglu_backward, "float32") == (12, 16)
    assert standards.bounds(actgrad.gelu, "bfloat16") == (0.51, 16)
    assert standards.bounds(smooth_relu.smooth_relu, "float32") == (4.5, 8)  # type: ignore[attr-defined]


def test_repeat() -> None:
    assert standards.repeat(50, 0).holds
    assert standards.repeat(50, 1).holds is False


@pytest.mark.needs("ascend")
def test_standards_name_their_documents(tmp_path: Path, right_outputs: Path) -> None:
    """docs/standards.md and both kinds of HTML pages name the document, the repository, the path and the commit."""
    assert set(standards.SOURCES) - {"cross-check"} == set(standards.NAMES) - {"ulp"}  # --baseline makes a cross check
    page = (Path(__file__).parents[2] / "docs" / "standards.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (`.*?) \| (.*/blob/.*)$", page, re.MULTILINE)
    rows = {name.strip("`-"): row for names, row in table for name in names.split(", ")}
    rows["cross-check"] = rows["baseline"]
    for name, source in standards.SOURCES.items():
        assert re.fullmatch("[0-9a-f]{40}", source.commit)
        assert f"{source.repository}, {source.path}" in rows[name]
        assert f"[{source.commit[:8]}]({source.url})" in rows[name]
        assert source.date in rows[name]
        assert source.document in page
    x = np.linspace(-4, 4, 64, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", actgrad.elu(x))
    files = ["--inputs", str(tmp_path / "x.npy"), "--actual", str(tmp_path / "y.npy")]
    assert status("check", "elu", *files, "--html", str(tmp_path / "one.html")) == 0
    assert status("check", "--manifest", str(right_outputs), "--html", str(tmp_path / "many.html")) == 0
    for file in ("one.html", "many.html"):
        html = (tmp_path / file).read_text(encoding="utf-8")
        for name in set(standards.SOURCES) - {"repeat"}:  # a file has one run
            assert str(standards.SOURCES[name]) in html, (file, name)
