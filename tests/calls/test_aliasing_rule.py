"""An output is exactly an input or apart from it: one table of cases for Python's rule and for C's."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import actgrad
from actgrad.calls import aliasing

Layout = tuple[int, int]
FOLDER = Path(actgrad.__file__).parent / "calls"
#: Output's place and bytes, the other's place and bytes, whether it is an input of the output's layout; the verdict.
CASES = {
    "exactly": (1000, (0, 64), 1000, (0, 64), True, True),
    "the same place, another layout": (1000, (0, 64), 1000, (0, 64), False, False),
    "behind": (1064, (0, 64), 1000, (0, 64), True, True),
    "before": (936, (0, 64), 1000, (0, 64), True, True),
    "one byte too near behind": (1063, (0, 64), 1000, (0, 64), True, False),
    "one byte too near before": (937, (0, 64), 1000, (0, 64), True, False),
    "inside": (1016, (0, 16), 1000, (0, 64), False, False),
    "around": (1000, (0, 64), 1016, (0, 16), False, False),
    "backwards, apart": (1060, (-60, 4), 1064, (0, 64), True, True),
    "backwards, over each other": (1060, (-60, 4), 1063, (0, 64), True, False),
    "backwards, exactly": (1060, (-60, 4), 1060, (-60, 4), True, True),
    "backwards over itself": (1060, (-60, 4), 1000, (0, 64), False, False),
    "beside a backward one": (1064, (0, 64), 1060, (-60, 4), False, True),
    "high addresses": ((1 << 47) - 64, (0, 64), (1 << 47) - 128, (0, 64), False, True),
}


def by_python(place: int, own: Layout, other: int, others: Layout, is_alike: bool) -> bool:
    return aliasing.may_write([place, other], [(*own, 2 * is_alike), (*others, 0)], 1)


@pytest.fixture(scope="module")
def by_c(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., bool]:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("rule")
    (folder / "rule.c").write_text(
        '#include "_aliasing.h"\n'
        "int rule(int64_t place, int64_t low, int64_t high, int64_t other, int64_t from, int64_t to, int alike) {\n"
        "    actgrad_bytes own = {low, high}, others = {from, to};\n"
        "    return actgrad_may_write(place, own, other, others, alike);\n}\n",
        encoding="utf-8",
    )
    command = [compiler, "-Wall", "-Werror", "-shared", "-fPIC", f"-I{FOLDER}", "rule.c", "-o", "rule.so"]
    subprocess.run(command, cwd=folder, check=True)
    rule = ctypes.CDLL(str(folder / "rule.so")).rule
    rule.argtypes = (*[ctypes.c_int64] * 6, ctypes.c_int)
    return lambda place, own, other, others, is_alike: bool(rule(place, *own, other, *others, is_alike))


@pytest.mark.parametrize("case", CASES)
def test_the_rule_in_python(case: str) -> None:
    *given, verdict = CASES[case]
    assert by_python(*given) is verdict


@pytest.mark.parametrize("case", CASES)
def test_the_rule_in_c(case: str, by_c: Callable[..., bool]) -> None:
    *given, verdict = CASES[case]
    assert by_c(*given) is verdict
