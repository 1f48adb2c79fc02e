"""The measured tables of docs/torch-reference.md: those without times are made anew, the others are complete."""

from __future__ import annotations

import pytest

import actgrad
from actgrad.writing.documents import part

pytest.importorskip("torch")
pytest.importorskip("rich")


from benchmarks import training
from benchmarks.documents import TABLES


@pytest.fixture(scope="module")
def page() -> str:
    return part(TABLES["training"].document.read_text(encoding="utf-8"), TABLES["training"].part)


def test_memory_is_what_the_page_says(page: str) -> None:
    table = list(training.memory())
    assert "\n".join(table) in page
    shares = {tuple(cells[:2]): cells[2:] for cells in ([c.strip() for c in row[2:-2].split("|")] for row in table[2:])}
    for name in ("ELU", "SELU"):
        assert float(shares[f"{name} in an MLP", "auto"][0]) <= 0.55
    assert all(float(share) <= 0.55 for share in shares["LeakyReLU in an MLP", "auto"])
    assert all(float(share) <= 0.67 for share in (*shares["GeGLU", "auto"], *shares["geglu_two", ""]))


def test_the_other_tables_are_complete(page: str) -> None:
    rows = [line[2:].split(" |")[0] for line in page.splitlines() if line.startswith("| ")]
    for name in ("ELU", "SELU", "LeakyReLU"):
        assert rows.count(name) == 3  # exactness of both ways, and time
    assert [rows.count(name) for name in ("GELU", "activation part, forward and backward", "whole step")] == [1, 2, 2]


def test_wrong_gradients_are_not_timed() -> None:
    import torch

    x = torch.randn(50)
    run = training.trained(torch.nn.functional.elu, x, grad=x)
    training.compare("ELU", {"ours": run}, list(run()))
    with pytest.raises(actgrad.ActgradError, match=r"ELU: the gradients of ours differ by .*: nothing was timed"):
        training.compare("ELU", {"ours": training.trained(torch.nn.functional.selu, x, grad=x)}, list(run()))
