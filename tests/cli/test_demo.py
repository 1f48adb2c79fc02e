"""The demo: its gradients are right, it learns what PyTorch learns, and the command prints what it says."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from examples import digits as demo_network
from examples.digits import ACTIVATIONS, STORAGE, Stopwatch

from actgrad.cli import demo_command
from actgrad.cli.main import main

pytest.importorskip("sklearn")
pytest.importorskip("rich")
threadpoolctl = pytest.importorskip("threadpoolctl")

pytestmark = pytest.mark.share(6)

NAMES = list(ACTIVATIONS)


@pytest.fixture(scope="module")
def digits() -> demo_network.Digits:
    return demo_network.load_digits()


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    with threadpoolctl.threadpool_limits(1, user_api="blas"):  # as the command itself does
        yield


@pytest.fixture
def torch() -> Any:
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch
    torch.set_num_threads(threads)


def test_the_command_names_the_activations_of_the_script() -> None:
    assert tuple(ACTIVATIONS) == demo_command.ACTIVATIONS


def gradients(name: str, parameters: list[Any], x: Any, labels: Any, storage: str) -> tuple[float, list[Any], Any]:
    """The loss, the gradients of the parameters, and the calls of the activation's gradient."""
    activation = ACTIVATIONS[name]
    values, kept = demo_network.forward(activation, parameters, x, storage, Stopwatch())
    loss, grad_logits = demo_network.cross_entropy(values[-1], labels)
    return loss, *demo_network.backward(activation, parameters, values, kept, grad_logits, Stopwatch())


@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_the_differences_of_the_loss(name: str) -> None:
    rng = np.random.default_rng(1)
    x, labels = rng.standard_normal((7, 11)), rng.integers(0, demo_network.CLASSES, 7)
    parameters = [p.astype(np.float64) for p in demo_network.initial_parameters(ACTIVATIONS[name], 11, seed=2)]
    _, exact, _ = gradients(name, parameters, x, labels, "float64")
    for parameter, gradient in zip(parameters, exact, strict=True):
        direction, step = rng.standard_normal(parameter.shape), 1e-6
        losses = []
        for sign in (1, -1):
            moved = [p + sign * step * direction if p is parameter else p for p in parameters]
            losses.append(gradients(name, moved, x, labels, "float64")[0])
        assert (losses[0] - losses[1]) / (2 * step) == pytest.approx(np.sum(gradient * direction), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_agree_with_autograd(name: str, digits: demo_network.Digits, torch: Any) -> None:
    activation = ACTIVATIONS[name]
    images, labels = next(digits.batches(0, 0))
    parameters = demo_network.initial_parameters(activation, images.shape[1], seed=3)
    _, got, _ = gradients(name, parameters, images, labels, "float32")
    tensors = [torch.from_numpy(p.copy()).requires_grad_() for p in parameters]
    functional = torch.nn.functional
    hidden = activation.torch(functional, torch.from_numpy(images) @ tensors[0] + tensors[1])
    hidden = activation.torch(functional, hidden @ tensors[2] + tensors[3])
    functional.cross_entropy(hidden @ tensors[4] + tensors[5], torch.from_numpy(labels)).backward()
    for gradient, tensor in zip(got, tensors, strict=True):
        expected = tensor.grad.numpy()
        np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("name", NAMES)
def test_error_measure_sees_a_planted_error(name: str, storage: str, digits: demo_network.Digits) -> None:
    activation = ACTIVATIONS[name]
    images, labels = next(digits.batches(0, 0))
    parameters = demo_network.initial_parameters(activation, images.shape[1], seed=3)
    _, _, calls = gradients(name, parameters, images, labels, storage)
    inputs, grad_z = calls[-1]
    assert {array.dtype.name for array in (*inputs, grad_z)} == {storage}
    assert activation.error(inputs, grad_z) <= (1.0 if storage == "bfloat16" else 12.0)
    wrong = grad_z.copy()
    largest = np.unravel_index(np.argmax(np.abs(wrong)), wrong.shape)
    eps = 2.0**-23 if storage == "float32" else 2.0**-7
    wrong[largest] = float(wrong[largest]) * (1 + 64 * eps)
    assert activation.error(inputs, wrong) >= 24


@pytest.mark.parametrize("name", NAMES)
def test_learns_what_pytorch_learns(name: str, digits: demo_network.Digits, torch: Any) -> None:
    ours = [demo_network.train(name, storage, digits, 0, 8, lambda: None) for storage in STORAGE]
    theirs = demo_network.train_torch(torch, name, digits, 0, 8, lambda: None)
    images = len(digits.test_labels)
    assert theirs.test_accuracy > 0.95
    # float32 differs by rounding only; bfloat16 by what its 8 bits cost, which is less than a change of seed.
    for result, most in zip(ours, (2, 6), strict=True):
        assert abs(result.test_accuracy - theirs.test_accuracy) * images <= most + 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_figures_of_pytorch(name: str, digits: demo_network.Digits, torch: Any) -> None:
    """PyTorch's gradients are measured as actgrad's are, and a planted error shows."""
    result = demo_network.train_torch(torch, name, digits.first(640), 0, 1, lambda: None)
    assert 0 < result.activation_seconds < result.training_seconds
    assert np.isfinite(result.gradient_error_ulp)
    z = torch.linspace(-3, 3, 64).reshape(4, 16).requires_grad_()
    y = ACTIVATIONS[name].torch(torch.nn.functional, z)
    grad_y = torch.ones_like(y)
    (gradient,) = torch.autograd.grad(y, z, grad_y)
    assert ACTIVATIONS[name].torch_error(grad_y, z, gradient) < 256
    wrong = gradient.clone()
    wrong[0, -1] *= 1 + 2.0**-12
    assert ACTIVATIONS[name].torch_error(grad_y, z, wrong) > 1000


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_prepared_in_the_measured_training(name: str, digits: demo_network.Digits) -> None:
    activation = ACTIVATIONS[name]
    for operator in (activation.forward, activation.backward):
        operator.forget()
    demo_network.warm_up(None, name, digits)
    operators = activation.forward, activation.backward
    before = [set(operator.prepared) for operator in operators]
    parameters = demo_network.initial_parameters(activation, digits.images.shape[1], 0)
    images, labels = next(digits.batches(0, 0))
    for storage in STORAGE:
        gradients(name, parameters, images, labels, storage)
    assert all(before)
    assert [set(operator.prepared) for operator in operators] == before


def test_same_seed_same_result(digits: demo_network.Digits) -> None:
    def measured(seed: int) -> tuple[Any, ...]:
        result = demo_network.train("geglu", "bfloat16", digits, seed, 2, lambda: None)
        return result.test_accuracy, result.gradient_error_ulp

    assert measured(5) == measured(5)
    assert measured(5) != measured(6)


def test_json_on_stdout_progress_on_stderr() -> None:
    pytest.importorskip("torch")
    arguments = ["demo", "--activation", "selu", "--epochs", "2", "--json"]
    done = subprocess.run([sys.executable, "-m", "actgrad", *arguments], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["epochs"] == 2
    assert [(r["engine"], r["storage"]) for r in report["results"]] == [
        ("actgrad", "float32"),
        ("actgrad", "bfloat16"),
        ("PyTorch", "float32"),
    ]
    for r in report["results"]:
        assert r["test_accuracy"] > 0.8
        assert r["training_seconds"] > r["activation_seconds"] > 0
        assert r["gradient_error_ulp"] > 0
    assert "epochs" in done.stderr


def test_table_without_pytorch(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # importing it fails now
    assert main(["demo", "--activation", "elu", "--epochs", "1"]) == 0
    captured = capsys.readouterr()
    assert "PyTorch is not installed" in captured.err
    assert "PyTorch" not in captured.out
    assert captured.out.count("ULP") >= 3
    assert "bfloat16" in captured.out
    assert max(map(len, captured.out.splitlines())) <= 80
    assert "…" not in captured.out


@pytest.mark.parametrize("package", ["sklearn", "rich", "threadpoolctl"])
def test_missing_extra_is_named(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in [m for m in sys.modules if m.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["demo", "--epochs", "1"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert package in captured.err
    assert captured.err.endswith("pip install '.[demo]' in a clone of actgrad\n")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("wrong", [["--epochs", "0"], ["--seed", "-1"], ["--activation", "relu"]], ids=" ".join)
def test_wrong_options_end_with_2(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["demo", *wrong])
    assert end.value.code == 2
    assert wrong[0] in capsys.readouterr().err
