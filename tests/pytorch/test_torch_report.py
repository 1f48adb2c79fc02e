"""The report on a model before and after its conversion."""

from __future__ import annotations

from typing import Any

import pytest

import actgrad
import actgrad.torch

torch = pytest.importorskip("torch")
nn = torch.nn

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")


class Model(nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 64), nn.ELU(), nn.Linear(64, 64), nn.BatchNorm1d(64), nn.Dropout(0.5))

    def forward(self, x: Any, scale: Any) -> dict[str, Any]:
        return {"result": nn.functional.silu(self.layers(x)) * scale}


@pytest.mark.parametrize("as_dict", [False, True])
def test_report_leaves_the_model_alone(as_dict: bool) -> None:
    torch.manual_seed(0)
    model, x = Model(), torch.randn(256, 8)
    model.layers[0].weight.grad = torch.ones(64, 8)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    random = torch.random.get_rng_state()
    report = actgrad.torch.report(model, {"x": x, "scale": 2.0} if as_dict else (x, 2.0))
    assert "forward" not in vars(model.layers[1])
    assert torch.equal(torch.random.get_rng_state(), random)
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert torch.equal(model.layers[0].weight.grad, torch.ones(64, 8))
    assert [row.name for row in report.conversion.swapped] == ["layers.1"]
    assert report.conversion.calls == {"silu": 1}
    assert 0 <= report.output < 1e-5
    assert 0 <= report.gradient < 1e-5
    (measured,) = report.ways.values()
    before, after = measured.peak
    assert before - after >= 256 * 64 * 4, "the input of ELU, which its result replaces"
    for median, (least, longest) in zip(measured.seconds, measured.ranges, strict=True):
        assert 0 < least <= median <= longest
        assert f"({least * 1e3:.2f}..{longest * 1e3:.2f} ms)" in str(report)
    assert "training step, eager" in str(report)


def test_a_converted_model_stays_converted_and_compiles() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.GELU())
    actgrad.torch.convert(model)
    own = model[1].forward
    report = actgrad.torch.report(model, torch.randn(3, 4), compiled=True, only="all")
    assert list(report.ways) == ["eager", "compiled"]
    assert len(report.conversion.swapped) == 1
    assert model[1].forward == own


def test_a_model_without_gradients() -> None:
    with pytest.raises(RuntimeError, match="report: no parameter of the model requires grad; "):
        actgrad.torch.report(nn.GELU(), torch.randn(3))
    with torch.no_grad(), pytest.raises(RuntimeError, match="report: no output of the model requires grad; "):
        actgrad.torch.report(nn.Linear(3, 3), torch.randn(3))


class Overwriting(nn.Module):  # type: ignore[misc,name-defined]
    """A model that overwrites the result of its activation."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.act = nn.Linear(4, 4), nn.ELU()

    def forward(self, x: Any) -> Any:
        y = self.act(self.layer(x))
        y += x
        return y


def test_a_model_that_overwrites_a_result_needs_its_input() -> None:
    model, x = Overwriting(), torch.randn(3, 4)
    with pytest.raises(RuntimeError, match="save='input'"):
        actgrad.torch.report(model, x, only="all")
    report = actgrad.torch.report(model, x, save="input", only="all")
    assert [row.name for row in report.conversion.swapped] == ["act"]
    assert report.gradient < 1e-6
    assert "forward" not in vars(model.act)
    with pytest.raises(actgrad.InvalidArgument, match=r"save is 'result'; it must be 'auto' or 'input'"):
        actgrad.torch.report(model, x, save="result")
