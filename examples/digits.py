"""Train a small network on handwritten digits, with NumPy and actgrad or with PyTorch. `actgrad demo` runs this."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

import actgrad
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import installation, library
from actgrad.cli.main import main
from actgrad.judge import golden, oracle
from actgrad.writing import terminal

HIDDEN = (96, 48)
CLASSES = 10
BATCH = 64
TRAINING_IMAGES = 22 * BATCH  # 1408 of the 1797 images, so that all batches are full
RATE, MOMENTUM = 0.02, 0.9
SAMPLE_EVERY = 10  # one in 10 batches is compared with the reference
STORAGE = ("float32", "bfloat16")
CAPTION = (
    f"Gradient error: the largest error of the activations' gradients in training (each {SAMPLE_EVERY}th batch), "
    "against the float64 reference, in ULP of the stored dtype. 0.5 ULP is rounding. If two terms cancel, the ULP is "
    "of the larger term. Activations: the time of the activations, forward and backward, and its share of the "
    "training. Everything ran once before."
)
TORCH_CAPTION = " PyTorch's GELU computes 1 + erf(x / sqrt(2)), which loses digits for x < -3."

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Activation:
    """An activation function: actgrad's forward and backward operator, and PyTorch's forward function."""

    title: str
    forward: actgrad.Operator
    backward: actgrad.Operator
    keeps: Callable[..., tuple[Array, ...]]  # (z, *results) -> the tensors that the backward pass reads
    torch: Callable[[Any, Any], Any]  # (torch.nn.functional, z) -> y
    gain: float  # 1 / mean(y**2) for normal z. Weights with variance gain / fan_in keep the size of z in all layers
    attributes: dict[str, Any] = field(default_factory=dict)  # attributes for the backward operator
    gated: bool = False  # z is twice as wide as y
    from_input: actgrad.Operator | None = None  # the backward operator that reads z, if `backward` reads the result

    def error(self, inputs: tuple[Array, ...], gradient: Array) -> float:
        """The largest error of a gradient of `backward`, in ULP of its dtype. The error of a rounding is 0.5 ULP.

        The float64 reference computes the exact values. If terms cancel, the ULP is of the largest term.
        """
        return self._error(self.backward, inputs, self.attributes, gradient)

    def torch_error(self, grad_y: Any, z: Any, gradient: Any) -> float:
        """The largest error of a gradient that PyTorch computed from z."""
        inputs = (grad_y.numpy(), z.detach().numpy())
        return self._error(self.from_input or self.backward, inputs, {}, gradient.numpy())

    @staticmethod
    def _error(backward: actgrad.Operator, inputs: Any, attributes: dict[str, Any], gradient: Array) -> float:
        (exact,) = golden.expected(backward, inputs, attributes)
        unit = oracle.ulp(np.maximum(np.abs(exact.values), exact.size), gradient.dtype)
        return float(np.max(np.abs(gradient.astype(np.float64) - exact.values) / unit))


def _torch_geglu(functional: Any, z: Any) -> Any:
    left, right = z.chunk(2, dim=-1)
    return left * functional.gelu(right)


ACTIVATIONS = {
    "elu": Activation(
        "ELU", actgrad.elu, actgrad.elu_backward, lambda z, y: (z,), lambda functional, z: functional.elu(z), gain=1.55
    ),
    "selu": Activation(
        "SELU", actgrad.selu, actgrad.selu_backward, lambda z, y: (y,), lambda functional, z: functional.selu(z),
        gain=1.0, from_input=actgrad.selu_backward_from_input,
    ),
    "leaky_relu": Activation(
        "LeakyReLU", actgrad.leaky_relu, actgrad.leaky_relu_backward, lambda z, y: (y,),
        lambda functional, z: functional.leaky_relu(z), gain=2.0, attributes={"self_is_result": True},
    ),
    "geglu": Activation(
        "GeGLU", actgrad.geglu, actgrad.geglu_backward, lambda z, y, gelu: (z, gelu), _torch_geglu, gain=2.35,
        gated=True,
    ),
}  # fmt: skip


class Stopwatch:
    """Adds up the seconds spent inside `with` blocks."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._begin = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._begin


def initial_parameters(activation: Activation, inputs: int, seed: int) -> list[Array]:
    """The weight (inputs, outputs) and the bias of each linear layer in float32. The last layer makes the logits."""
    random = np.random.default_rng(seed)
    parameters, gain, fan_in = [], 1.0, inputs
    for width in (*HIDDEN, CLASSES):
        outputs = width * 2 if activation.gated and width != CLASSES else width
        weight = random.normal(0.0, np.sqrt(gain / fan_in), (fan_in, outputs))
        parameters += [weight.astype(np.float32), np.zeros(outputs, np.float32)]
        gain, fan_in = activation.gain, width
    return parameters


def forward(
    activation: Activation, parameters: list[Array], x: Array, storage: str, watch: Stopwatch
) -> tuple[list[Array], list[tuple[Array, ...]]]:
    """Return the inputs of all linear layers with the logits, and the tensors that backward needs of each hidden layer.

    The tensors of the activations have the dtype `storage`. `watch` measures the time of the activations.
    """
    values, saved_tensors = [x], []
    for weight, bias in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
        z = (values[-1] @ weight + bias).astype(BY_NAME[storage].numpy)
        with watch:
            results = oracle.as_tuple(activation.forward(z))
        saved_tensors.append(activation.keeps(z, *results))
        values.append(results[0].astype(x.dtype, copy=False))
    return [*values, values[-1] @ parameters[-2] + parameters[-1]], saved_tensors


def cross_entropy(logits: Array, labels: Array) -> tuple[float, Array]:
    """The mean cross-entropy of softmax, and its gradient."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    gradient = np.exp(shifted)
    total = gradient.sum(axis=1, keepdims=True)
    gradient /= total
    of_labels = np.arange(len(labels)), labels
    gradient[of_labels] -= 1
    return float(np.mean(np.log(total[:, 0]) - shifted[of_labels])), gradient / len(labels)


def backward(
    activation: Activation,
    parameters: list[Array],
    values: list[Array],
    saved_tensors: list[tuple[Array, ...]],
    grad_logits: Array,
    watch: Stopwatch,
) -> tuple[list[Array], list[tuple[tuple[Array, ...], Array]]]:
    """Return the gradients of `parameters`, and the inputs and the gradient of each call of an activation."""
    grad, calls = grad_logits, []
    gradients = [grad.sum(axis=0), values[-2].T @ grad]
    for tensors, weight, x in zip(saved_tensors[::-1], parameters[-2::-2], values[-3::-1], strict=False):
        inputs = ((grad @ weight.T).astype(tensors[0].dtype), *tensors)
        with watch:
            grad_z = activation.backward(*inputs, **activation.attributes)
        calls.append((inputs, grad_z))
        grad = grad_z.astype(x.dtype, copy=False)
        gradients += [grad.sum(axis=0), x.T @ grad]
    return gradients[::-1], calls


@dataclass(frozen=True)
class Digits:
    """Scikit-learn's handwritten digits, with 64 pixels each. The training images have mean 0 and deviation 1."""

    images: Array
    labels: Array
    test_images: Array
    test_labels: Array

    def batches(self, seed: int, epoch: int) -> Iterator[tuple[Array, Array]]:
        """The training images of one epoch, shuffled."""
        order = np.random.default_rng((seed, epoch)).permutation(len(self.labels))
        for rows in order.reshape(-1, BATCH):
            yield self.images[rows], self.labels[rows]

    def first(self, count: int) -> Digits:
        """The data with only the first `count` training images."""
        return replace(self, images=self.images[:count], labels=self.labels[:count])

    def test_accuracy(self, logits: Array) -> float:
        return float(np.mean(logits.argmax(axis=1) == self.test_labels))


@dataclass(frozen=True)
class Result:
    """The outcome of one training."""

    activation: str
    engine: str  # "actgrad" or "PyTorch"
    storage: str
    test_accuracy: float
    training_seconds: float
    activation_seconds: float  # the part of the training that the activations take, forward and backward
    gradient_error_ulp: float  # see Activation.error


def load_digits() -> Digits:
    """The data. The split into training and test images is always the same."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    training, test = order[:TRAINING_IMAGES], order[TRAINING_IMAGES:]
    # Divide by one deviation for all pixels. Many pixels are almost always 0, so their own deviations are tiny.
    images = (images - images[training].mean(axis=0)) / images[training].std()
    images = images.astype(np.float32)
    return Digits(images[training], labels[training], images[test], labels[test])


def train(name: str, storage: str, data: Digits, seed: int, epochs: int, after_epoch: Callable[[], None]) -> Result:
    """Train with actgrad's activations, whose tensors are stored in dtype `storage`."""
    activation = ACTIVATIONS[name]
    parameters = initial_parameters(activation, data.images.shape[1], seed)
    velocities = [np.zeros_like(p) for p in parameters]
    total, inside = Stopwatch(), Stopwatch()
    errors: list[float] = []
    for epoch in range(epochs):
        for k, (images, labels) in enumerate(data.batches(seed, epoch)):
            with total:
                values, saved_tensors = forward(activation, parameters, images, storage, inside)
                _, grad_logits = cross_entropy(values[-1], labels)
                gradients, calls = backward(activation, parameters, values, saved_tensors, grad_logits, inside)
                for parameter, velocity, gradient in zip(parameters, velocities, gradients, strict=True):
                    velocity *= MOMENTUM
                    velocity += gradient
                    parameter -= RATE * velocity
            if k % SAMPLE_EVERY == 0:
                errors += [activation.error(*call) for call in calls]
        after_epoch()
    values, _ = forward(activation, parameters, data.test_images, storage, Stopwatch())
    accuracy = data.test_accuracy(values[-1])
    return Result(name, "actgrad", storage, accuracy, total.seconds, inside.seconds, max(errors))


def train_torch(torch: Any, name: str, data: Digits, seed: int, epochs: int, after_epoch: Callable[[], None]) -> Result:
    """Train the same network with PyTorch's activations and autograd, from the same initial weights and batches."""
    activation, functional = ACTIVATIONS[name], torch.nn.functional
    total, inside = Stopwatch(), Stopwatch()
    initial = initial_parameters(activation, data.images.shape[1], seed)
    parameters = [torch.from_numpy(array).requires_grad_() for array in initial]
    optimiser = torch.optim.SGD(parameters, lr=RATE, momentum=MOMENTUM)
    calls: list[tuple[Any, ...]] = []  # for each activation of a batch: its gradients
    errors: list[float] = []

    def activated(z: Any) -> Any:
        """The activation of z. Autograd calls the first hook right before the gradient of y, the second right after."""
        with inside:
            y = activation.torch(functional, z)
        if y.requires_grad:
            grads = []
            y.register_hook(lambda grad: (grads.append(grad), inside.__enter__())[1])
            z.register_hook(lambda grad: (inside.__exit__(), calls.append((*grads, z, grad)))[1])
        return y

    def logits(images: Array) -> Any:
        x = torch.from_numpy(images)
        for weight, bias in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
            x = activated(x @ weight + bias)
        return x @ parameters[-2] + parameters[-1]

    for epoch in range(epochs):
        for k, (images, labels) in enumerate(data.batches(seed, epoch)):
            calls.clear()
            with total:
                optimiser.zero_grad()
                functional.cross_entropy(logits(images), torch.from_numpy(labels)).backward()
                optimiser.step()
            if k % SAMPLE_EVERY == 0:
                errors += [activation.torch_error(*call) for call in calls]
        after_epoch()
    seconds = inside.seconds
    with torch.no_grad():
        accuracy = data.test_accuracy(logits(data.test_images).numpy())
    return Result(name, "PyTorch", "float32", accuracy, total.seconds, seconds, max(errors))


def warm_up(torch: Any, name: str, data: Digits) -> None:
    """Train on one batch, so that the measured times do not contain imports and compilation."""
    batch = data.first(BATCH)
    for storage in STORAGE:
        train(name, storage, batch, 0, 1, lambda: None)
    if torch is not None:
        train_torch(torch, name, batch, 0, 1, lambda: None)


def run(args: argparse.Namespace) -> int:
    """Train every network that the options of `actgrad demo` name, and show the results."""
    for name in ("rich", "sklearn"):
        library(name, f"demo needs {name}", "demo")
    threadpoolctl = library("threadpoolctl", "demo needs threadpoolctl", "demo")  # scikit-learn depends on it
    data = load_digits()
    try:
        torch = None if args.no_torch else importlib.import_module("torch")
    except ImportError:
        hint = installation("torch")
        print(
            f"PyTorch is not installed; the comparison needs it; install it ({hint}) or pass --no-torch",
            file=sys.stderr,
        )
        torch = None
    if torch:
        torch.set_num_threads(1)  # NumPy has one thread too, see below
    seed, epochs = args.seed, args.epochs
    names = list(dict.fromkeys(args.activation or ACTIVATIONS))
    results = []
    total = len(names) * epochs * (len(STORAGE) + (torch is not None))
    # Use one thread for matrix products. They are so small that more threads mostly wait for each other.
    with threadpoolctl.threadpool_limits(1, user_api="blas"), terminal.progress("epochs", total) as advance:
        for name in names:
            warm_up(torch, name, data)
            words = f"epochs of {ACTIVATIONS[name].title}"
            for storage in STORAGE:
                results.append(train(name, storage, data, seed, epochs, partial(advance, 1, f"{words}, {storage}")))
            if torch is not None:
                results.append(train_torch(torch, name, data, seed, epochs, partial(advance, 1, f"{words}, PyTorch")))
    settings = {"epochs": epochs, "seed": seed, "test_images": len(data.test_labels)}
    if args.json:
        terminal.show(json.dumps({**settings, "results": [asdict(result) for result in results]}, indent=2))
    else:
        terminal.show(terminal.rendered([table(results, **settings)]))
    return 0


def table(results: list[Result], epochs: int, seed: int, test_images: int) -> Any:
    groups: dict[str, list[terminal.Row]] = {}
    for r in results:
        inside, error = r.activation_seconds, r.gradient_error_ulp
        accuracy, ulps = f"{r.test_accuracy:.2%}", f"{error:.2f} ULP" if error < 1000 else f"{error:.0e} ULP"
        share = f"{inside * 1e3:.0f} ms, {inside / r.training_seconds:.0%}"
        title = "" if r.activation in groups else ACTIVATIONS[r.activation].title
        row = (title, r.engine, r.storage, accuracy, ulps, share, f"{r.training_seconds:.2f} s")
        groups.setdefault(r.activation, []).append(row)
    numbers = ["test\naccuracy", "gradient\nerror", "activations", "training"]
    title = f"Handwritten digits: {epochs} epochs, {test_images} test images, seed {seed}"
    caption = CAPTION + (TORCH_CAPTION if any(r.engine == "PyTorch" for r in results) else "")
    return terminal.table(["", "engine", "stored\nin"], numbers, groups.values(), title, caption)


if __name__ == "__main__":
    sys.exit(main(["demo", *sys.argv[1:]]))
