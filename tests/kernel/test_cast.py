"""Cast against exact rounding: every pair of dtypes of each product, every mode, all halves."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from actgrad.kernel.products import facts
from tests.kernel.calling import BYTES, C_TYPES, NUMPY, call

pytestmark = pytest.mark.slow  # g++ compiles each kernel

MODES = ("NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD")
NAMES = {c_type: name for name, c_type in C_TYPES.items()}
#: mantissa bits with the leading one, exponent of the last bit of subnormals
FORMATS = {"float16": (11, -24), "bfloat16": (8, -133), "float32": (24, -149)}


def _round(value: Fraction, mode: str) -> int:
    floor = value.numerator // value.denominator
    rest = value - floor
    if mode == "FLOOR" or rest == 0:
        return floor
    if mode == "CEIL":
        return floor + 1
    if mode == "TRUNC":
        return floor if value > 0 else floor + 1
    if mode == "ODD":
        return floor if floor % 2 else floor + 1
    if rest != Fraction(1, 2):
        return floor + (rest > Fraction(1, 2))
    if mode == "ROUND":
        return floor + 1 if value > 0 else floor
    return floor + floor % 2


def _exact(value, target: str, mode: str):
    """The number of the dtype `target` next to `value`, by integers."""
    number = float(value) if not isinstance(value, np.integer) else int(value)
    if target.startswith(("int", "uint")):
        limits = np.iinfo(NUMPY[target])
        if number != number:
            return 0
        if number in (np.inf, -np.inf):
            return limits.max if number > 0 else limits.min
        return min(max(_round(Fraction(number), mode), limits.min), limits.max)
    if number != number or number in (np.inf, -np.inf) or number == 0:
        return number
    digits, smallest = FORMATS[target]
    fraction = abs(Fraction(number))
    power = fraction.numerator.bit_length() - fraction.denominator.bit_length()
    power += fraction >= Fraction(2) ** power  # now 2^(power - 1) <= |value| < 2^power
    step = max(power - digits, smallest)
    rounded = _round(Fraction(number) / Fraction(2) ** step, mode) * Fraction(2) ** step
    largest = float(ml_dtypes.finfo(NUMPY[target]).max)
    if abs(rounded) > largest:
        return np.inf if number > 0 else -np.inf
    return float(rounded) if rounded else np.copysign(0.0, number)


def _values(dtype: str):
    count = BYTES // 8
    rng = np.random.default_rng(11)
    if dtype.startswith(("int", "uint")):
        limits = np.iinfo(NUMPY[dtype])
        values = rng.integers(limits.min, limits.max, count, NUMPY[dtype], endpoint=True)
        values[:4] = limits.min, limits.max, 0, 1
        values[4:300] = rng.integers(max(limits.min, -300), min(limits.max, 300), 296)
        return values
    values = rng.normal(0, 1, count) * 2.0 ** rng.integers(-30, 40, count)
    values[:100] = (np.arange(100) - 50) / 2
    values[100:112] = 0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65520, 65519.9, 2.0**31, -(2.0**31), 6e-8, 3e-8
    with np.errstate(over="ignore"):
        return values.astype(NUMPY[dtype])


def _pairs():
    for family, product in (("A2", "Ascend910B"), ("950", "Ascend950"), ("310P", "Ascend310P")):
        for pair, words in facts()["casts"][family].items():
            source, target = (NAMES.get(each) for each in pair.split(">"))
            if source and target and words != "SetDeqScale":
                yield pytest.param(product, source, target, words.split("/"), id=f"{product}-{source}-{target}")


@pytest.mark.share(8)
@pytest.mark.parametrize(("product", "source", "target", "modes"), list(_pairs()))
def test_pairs_and_modes(product, source, target, modes):
    values = _values(source)
    wide = max(NUMPY[source].itemsize, NUMPY[target].itemsize)
    x = np.zeros(BYTES // wide, NUMPY[source])
    count = min(values.size, x.size)
    x[:count] = values[:count]
    for mode in modes:
        tiling = {"call": 0, "mode": MODES.index(mode), "count": x.size}
        out, report = call(
            "casts", [x], np.zeros(x.size, NUMPY[target]), tiling, dtypes={"DTYPE_X": source, "DTYPE_Y": target},
            product=product,
        )  # fmt: skip
        assert report.ok, report
        if source == target:
            wanted = [_round(Fraction(float(v)), mode) if np.isfinite(v) else v for v in x]
        else:
            wanted = [_exact(v, target, mode) for v in x]
        wanted = np.array(wanted).astype(NUMPY[target])
        if target == "bfloat16":  # NumPy takes two NaN of ml_dtypes for different
            out, wanted = out.astype(np.float32), wanted.astype(np.float32)
        np.testing.assert_array_equal(out, wanted, err_msg=mode)


@pytest.mark.parametrize("target", ["float32", "int8", "int32"])
def test_all_halves(target):
    every = np.arange(65536, dtype=np.uint16).view(np.float16)
    step = BYTES // max(2, NUMPY[target].itemsize)
    for start in range(0, 65536, step):
        x = every[start : start + step]
        mode = 0 if target == "float32" else 1
        out, report = call(
            "casts", [x], np.zeros(x.size, NUMPY[target]), {"mode": mode, "count": x.size},
            dtypes={"DTYPE_X": "float16", "DTYPE_Y": target},
        )  # fmt: skip
        assert report.ok
        with np.errstate(invalid="ignore"):  # NumPy warns when it widens a signalling NaN
            wanted = np.array([_exact(v, target, "RINT") for v in x]).astype(NUMPY[target])
        np.testing.assert_array_equal(out, wanted)


def test_strided_counts_lanes_by_the_wider_type():
    x = np.resize(_values("float16"), BYTES // 4)
    out, report = call(
        "casts", [x], np.zeros(x.size, np.float32), {"call": 1, "count": x.size},
        dtypes={"DTYPE_X": "float16", "DTYPE_Y": "float32"},
    )  # fmt: skip
    assert report.ok
    np.testing.assert_array_equal(out, x.astype(np.float32))


def test_a_mode_that_the_product_lacks():
    x = np.zeros(BYTES // 4, np.float16)
    _, report = call(
        "casts", [x], np.zeros(x.size, np.float32), {"mode": 2, "count": x.size},
        dtypes={"DTYPE_X": "float16", "DTYPE_Y": "float32"},
    )  # fmt: skip
    assert [f.kind for f in report.faults] == ["dtype-unsupported"]
    assert "CAST_FLOOR" in report.faults[0].message
