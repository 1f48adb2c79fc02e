"""The share of a test's cases that `make test` runs depends on the commit."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import shares

CASES = """
import pytest

@pytest.mark.share(4)
@pytest.mark.parametrize("b", range(3))
@pytest.mark.parametrize("a", range(6))
def test_shared(a, b): ...

@pytest.mark.parametrize("a", range(3))
def test_whole(a): ...

@pytest.mark.slow
@pytest.mark.share(2)
@pytest.mark.parametrize("a", range(3))
def test_slow(a): ...
"""


def pytest_of(folder: Path, *options: str) -> str:
    (folder / "test_cases.py").write_text(CASES)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.conftest",
        "-p",
        "no:cacheprovider",
        "-v",
        "--strict-markers",
    ]
    configuration = ["-c", str(shares.ROOT / "pyproject.toml"), "--rootdir", str(folder)]
    environment = os.environ | {"PYTHONPATH": f"{shares.ROOT / 'src'}{os.pathsep}{shares.ROOT}"}
    environment.pop("PYTEST_ADDOPTS", None)
    command = [*command, *configuration, *options, "test_cases.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run(output: str) -> set[str]:
    return set(re.findall(r"test_cases\.py::(\S+) PASSED", output))


@pytest.mark.share(6)
def test_cases_of_a_seed(tmp_path: Path) -> None:
    """make test runs one of n cases, make slow the others, and the printed option repeats the draw."""
    quick, slow = pytest_of(tmp_path), run(pytest_of(tmp_path, "-m", "slow"))
    option = re.search(r"^cases of share\(n\): (--share-seed=\S+)$", quick, re.MULTILINE)
    assert option is not None
    assert option[1] == f"--share-seed={shares.seed_of_commit()}"
    assert run(pytest_of(tmp_path, option[1])) == run(quick)
    assert sum(name.startswith("test_shared") for name in run(quick)) == 5  # of 18: ceil(18 / 4)
    assert {name for name in run(quick) if not name.startswith("test_shared")} == {f"test_whole[{a}]" for a in range(3)}
    every = {f"test_shared[{a}-{b}]" for a in range(6) for b in range(3)}
    assert slow == every - run(quick) | {f"test_slow[{a}]" for a in range(3)}


@pytest.mark.share(6)
def test_workers_draw_the_same_cases(tmp_path: Path) -> None:
    """xdist refuses workers that collect different cases."""
    assert "5 passed" in pytest_of(tmp_path, "-n", "2", "--share-seed=1", "-k", "shared")


@pytest.mark.parametrize(("count", "n"), [(18, 4), (3, 10), (10, 10), (11, 10), (7, 1), (0, 3), (1, 1)])
def test_every_case_is_drawn_by_some_seed(count: int, n: int) -> None:
    cases = [f"case {index}" for index in range(count)]
    draws = [shares.drawn(cases, n, str(seed), "test") for seed in range(200)]
    assert {case for draw in draws for case in draw} == set(cases)
    assert {len(draw) for draw in draws} == {-(-count // n)}
    for draw in draws:
        assert [cases.index(case) // n for case in draw] == list(range(len(draw)))


@pytest.mark.parametrize(("n", "often"), [(1, 1), (2, 2), (6, 6), (40, 6)])
def test_a_test_without_cases_is_drawn_by_one_of_six_seeds(n: int, often: int) -> None:
    drawn = sum(len(shares.drawn(["case"], n, str(seed), "test")) for seed in range(600))
    assert drawn == pytest.approx(600 / often, rel=0.15)


def git(folder: Path, *arguments: str) -> str:
    name = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *name, *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_seed_is_the_commit(tmp_path: Path) -> None:
    assert shares.seed_of_commit(tmp_path) == "0"  # an unpacked archive
    git(tmp_path, "init", "-q")
    assert shares.seed_of_commit(tmp_path) == "0"  # no commit yet
    (tmp_path / "archive").mkdir()
    for message in ("one", "two"):
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", message)
        assert shares.seed_of_commit(tmp_path) == git(tmp_path, "rev-parse", "HEAD")[:8]
        assert shares.seed_of_commit(tmp_path / "archive") == "0"  # an archive inside another project's repository
