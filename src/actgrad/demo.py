"""`actgrad demo`: trains a small network on handwritten digits, all of its activation work done by actgrad in NumPy.

The network is 64 -> 96 -> 48 -> 10 with one activation function in both hidden layers; softmax cross-entropy,
mini-batches, gradient descent with momentum. It is trained with the activations' tensors stored in float32, then in
bfloat16 (weights and matrix products stay float32), then by PyTorch with its own activations and autograd.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

import actgrad

HIDDEN = (96, 48)
CLASSES = 10
BATCH = 64
TRAINING_ROWS = 22 * BATCH  # of 1797; whole batches only, so that every batch fits the planned arrays
RATE, MOMENTUM = 0.02, 0.9
SAMPLE_EVERY = 10  # batches, of which one is compared with the reference
SLOPE = float(np.float32(0.01))  # as kernels that compute in float32 take it, and so the reference too
STORAGE = {"float32": np.dtype(np.float32), "bfloat16": np.dtype(bfloat16)}

Array = np.ndarray


# Activations: which calls are forward and backward.


@dataclass(frozen=True)
class Tensors:
    """What one layer's activation reads and writes, for a fixed number of rows."""

    z: Array  # its input, the linear layer's output
    y: Array  # its result
    gelu: Array  # the gate's activation, which GeGLU's backward pass can use again
    grad_y: Array
    grad_z: Array


@dataclass(frozen=True)
class Activation:
    """An activation function: its two passes on given tensors, planned by actgrad, and PyTorch's forward pass."""

    title: str
    forward: Callable[[Tensors], actgrad.Plan]
    backward: Callable[[Tensors, str | None], actgrad.Plan]  # by the backend named, or the default one
    torch: Callable[[Any, Any], Any]  # (torch.nn.functional, z) -> y
    gain: float  # 1 / mean(y**2) for normal z: weights of variance gain / fan_in keep the size of z over the layers
    in_place: bool = False  # y takes the place of z: the backward pass needs the result only
    gated: bool = False  # z is twice as wide as y
    #: Where the gradient is a sum that may cancel: the larger term's size, by which its error is judged.
    larger_term: Callable[[Tensors], Any] = lambda t: 0.0


def _selu_term(t: Tensors) -> Array:
    """The gradient left of zero is grad_y * (y + 1.7581), 1.7581 = scale * alpha."""
    return np.where(t.y < 0, 1.7580993408473766 * np.abs(t.grad_y), 0.0)


def _geglu_term(t: Tensors) -> Array:
    """The gradient of the gate x is grad_y * left * (Phi(x) + x * phi(x)); left of zero its terms have two signs."""
    left, x = np.split(t.z, 2, axis=-1)
    gate = t.grad_y * left * x * np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
    return np.abs(np.concatenate([np.zeros_like(gate), gate], axis=-1))


def _torch_geglu(functional: Any, z: Any) -> Any:
    left, gate = z.chunk(2, dim=-1)
    return left * functional.gelu(gate)


ACTIVATIONS = {
    "elu": Activation(
        "ELU",
        forward=lambda t: actgrad.elu.plan(t.z, out=t.y),
        backward=lambda t, backend: actgrad.elu_backward.plan(t.grad_y, t.z, out=t.grad_z, backend=backend),
        torch=lambda functional, z: functional.elu(z),
        gain=1.55,
    ),
    "selu": Activation(
        "SELU",
        forward=lambda t: actgrad.selu.plan(t.z, out=t.y),
        backward=lambda t, backend: actgrad.selu_backward.plan(t.grad_y, t.y, out=t.grad_z, backend=backend),
        torch=lambda functional, z: functional.selu(z),
        gain=1.0,
        in_place=True,
        larger_term=_selu_term,
    ),
    "leaky_relu": Activation(
        "LeakyReLU",
        forward=lambda t: actgrad.leaky_relu.plan(t.z, negative_slope=SLOPE, out=t.y),
        backward=lambda t, backend: actgrad.leaky_relu_backward.plan(
            t.grad_y, t.y, negative_slope=SLOPE, self_is_result=True, out=t.grad_z, backend=backend
        ),
        torch=lambda functional, z: functional.leaky_relu(z, SLOPE),
        gain=2.0,
        in_place=True,
    ),
    "geglu": Activation(
        "GeGLU",
        forward=lambda t: actgrad.geglu.plan(t.z, out=(t.y, t.gelu)),
        backward=lambda t, backend: actgrad.geglu_backward.plan(t.grad_y, t.z, t.gelu, out=t.grad_z, backend=backend),
        torch=_torch_geglu,
        gain=2.35,
        gated=True,
        larger_term=_geglu_term,
    ),
}


# The network.


@dataclass(frozen=True)
class Linear:
    """A linear layer's parameters; training changes the arrays in place."""

    weight: Array  # (inputs, outputs)
    bias: Array

    def __call__(self, x: Array) -> Array:
        product: Array = x @ self.weight + self.bias
        return product


@dataclass(frozen=True)
class Hidden:
    """An activation planned once on a layer's tensors and run on every batch."""

    tensors: Tensors
    forward: actgrad.Plan
    backward: actgrad.Plan


class Stopwatch:
    """Adds up the seconds spent inside `with` blocks."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._begin = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._begin


def initial_layers(activation: Activation, inputs: int, seed: int) -> list[Linear]:
    """Normally distributed weights and zero biases, in float32; the last layer is the classifier."""
    random = np.random.default_rng(seed)
    layers, gain, fan_in = [], 1.0, inputs
    for width in (*HIDDEN, CLASSES):
        outputs = width * 2 if activation.gated and width != CLASSES else width
        weight = random.normal(0.0, np.sqrt(gain / fan_in), (fan_in, outputs))
        layers.append(Linear(weight.astype(np.float32), np.zeros(outputs, np.float32)))
        gain, fan_in = activation.gain, width
    return layers


def plan_hidden(activation: Activation, layers: list[Linear], rows: int, storage: np.dtype) -> list[Hidden]:
    """The hidden layers' activations for batches of `rows` rows, their tensors stored in dtype `storage`."""
    hidden = []
    for layer in layers[:-1]:
        width = layer.weight.shape[1]
        z, grad_z = np.zeros((2, rows, width), storage)
        y, gelu, grad_y = np.zeros((3, rows, width // 2 if activation.gated else width), storage)
        tensors = Tensors(z, z if activation.in_place else y, gelu, grad_y, grad_z)
        hidden.append(Hidden(tensors, activation.forward(tensors), activation.backward(tensors, None)))
    return hidden


def forward(layers: list[Linear], hidden: list[Hidden], x: Array, watch: Stopwatch) -> list[Array]:
    """The input of every linear layer, and last the logits."""
    values = [x]
    for linear, h in zip(layers, hidden, strict=False):
        h.tensors.z[...] = linear(values[-1])  # rounded to the storage dtype
        with watch:
            h.forward.run()
        values.append(h.tensors.y.astype(x.dtype, copy=False))
    return [*values, layers[-1](values[-1])]


def cross_entropy(logits: Array, labels: Array) -> tuple[float, Array]:
    """The mean cross-entropy of softmax, and its gradient."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    total = exponentials.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    gradient = exponentials / total
    gradient[rows, labels] -= 1
    return float(np.mean(np.log(total[:, 0]) - shifted[rows, labels])), gradient / len(labels)


def backward(
    layers: list[Linear], hidden: list[Hidden], values: list[Array], grad_logits: Array, watch: Stopwatch
) -> list[Linear]:
    """The gradients of all parameters, from what `forward` left in `values` and in the hidden layers' tensors."""
    grad, gradients = grad_logits, [Linear(values[-2].T @ grad_logits, grad_logits.sum(axis=0))]
    for linear, h, x in zip(layers[:0:-1], hidden[::-1], values[-3::-1], strict=True):
        h.tensors.grad_y[...] = grad @ linear.weight.T
        with watch:
            h.backward.run()
        grad = h.tensors.grad_z.astype(grad.dtype, copy=False)
        gradients.append(Linear(x.T @ grad, grad.sum(axis=0)))
    return gradients[::-1]


# Training.


@dataclass(frozen=True)
class Digits:
    """Scikit-learn's handwritten digits, 8 x 8 pixels, each pixel standardised over the training images."""

    images: Array
    labels: Array
    test_images: Array
    test_labels: Array

    def batches(self, seed: int, epoch: int) -> Iterator[tuple[Array, Array]]:
        """The training images of one epoch, shuffled."""
        order = np.random.default_rng((seed, epoch)).permutation(len(self.labels))
        for rows in order.reshape(-1, BATCH):
            yield self.images[rows], self.labels[rows]


@dataclass(frozen=True)
class Result:
    """What one training came to."""

    activation: str
    engine: str  # "actgrad" or "PyTorch"
    storage: str
    test_accuracy: float
    test_errors: int  # images
    training_seconds: float
    activation_seconds: float | None = None  # of the training, in actgrad's kernels
    max_gradient_error_ulp: float | None = None


def load_digits() -> Digits:
    """The data, split once and for all."""
    from sklearn.datasets import load_digits as load

    images, labels = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    images, labels = images[order], labels[order]
    training = images[:TRAINING_ROWS]
    deviation = training.std(axis=0)
    standardised = (images - training.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    images = standardised.astype(np.float32)
    return Digits(images[:TRAINING_ROWS], labels[:TRAINING_ROWS], images[TRAINING_ROWS:], labels[TRAINING_ROWS:])


def gradient_error(activation: Activation, tensors: Tensors) -> float:
    """The largest error of `grad_z` against the float64 reference, in ULP of its dtype: half an ULP is unavoidable.

    Where two terms cancel, the ULP is that of the larger term.
    """
    z, y, gelu, grad_y, grad_z = (getattr(tensors, name).astype(np.float64) for name in Tensors.__dataclass_fields__)
    doubles = Tensors(z, y, gelu, grad_y, np.empty_like(grad_z))
    exact = activation.backward(doubles, "reference").run()
    digits = 8 if tensors.grad_z.dtype == bfloat16 else np.finfo(tensors.grad_z.dtype).nmant + 1
    _, exponent = np.frexp(np.maximum(np.abs(exact), activation.larger_term(doubles)))
    ulp = np.ldexp(1.0, np.maximum(exponent, -125) - digits)  # 2**-126 is the least normal number of both dtypes
    return float(np.max(np.abs(grad_z - exact) / ulp))


def train(name: str, storage: str, data: Digits, seed: int, epochs: int, on_epoch: Callable[[], None]) -> Result:
    """Train with actgrad's activations, stored in dtype `storage`."""
    activation = ACTIVATIONS[name]
    layers = initial_layers(activation, data.images.shape[1], seed)
    velocity = [Linear(np.zeros_like(layer.weight), np.zeros_like(layer.bias)) for layer in layers]
    hidden = plan_hidden(activation, layers, BATCH, STORAGE[storage])
    whole, inside, error, steps = Stopwatch(), Stopwatch(), 0.0, 0
    for epoch in range(epochs):
        for images, labels in data.batches(seed, epoch):
            with whole:
                values = forward(layers, hidden, images, inside)
                _, grad_logits = cross_entropy(values[-1], labels)
                gradients = backward(layers, hidden, values, grad_logits, inside)
                for layer, v, gradient in zip(layers, velocity, gradients, strict=True):
                    for field in ("weight", "bias"):
                        step = getattr(v, field)
                        step *= MOMENTUM
                        step += getattr(gradient, field)
                        getattr(layer, field)[...] -= RATE * step
            if steps % SAMPLE_EVERY == 0:
                error = max(error, *(gradient_error(activation, h.tensors) for h in hidden))
            steps += 1
        on_epoch()
    test = plan_hidden(activation, layers, len(data.test_labels), STORAGE[storage])
    logits = forward(layers, test, data.test_images, Stopwatch())[-1]
    wrong = int(np.sum(logits.argmax(axis=1) != data.test_labels))
    accuracy = 1 - wrong / len(data.test_labels)
    return Result(name, "actgrad", storage, accuracy, wrong, whole.seconds, inside.seconds, error)


def train_torch(torch: Any, name: str, data: Digits, seed: int, epochs: int, on_epoch: Callable[[], None]) -> Result:
    """Train the same network by PyTorch in float32: same initial weights, same batches, its activations and autograd."""
    activation, functional = ACTIVATIONS[name], torch.nn.functional
    arrays = [
        array for layer in initial_layers(activation, data.images.shape[1], seed) for array in asdict(layer).values()
    ]
    parameters = [torch.from_numpy(array).requires_grad_() for array in arrays]
    optimiser = torch.optim.SGD(parameters, lr=RATE, momentum=MOMENTUM)

    def logits(images: Array) -> Any:
        x = torch.from_numpy(images)
        *inner, last = zip(parameters[::2], parameters[1::2], strict=True)
        for weight, bias in inner:
            x = activation.torch(functional, x @ weight + bias)
        return x @ last[0] + last[1]

    whole = Stopwatch()
    for epoch in range(epochs):
        for images, labels in data.batches(seed, epoch):
            with whole:
                optimiser.zero_grad()
                functional.cross_entropy(logits(images), torch.from_numpy(labels)).backward()
                optimiser.step()
        on_epoch()
    with torch.no_grad():
        predicted = logits(data.test_images).argmax(dim=1).numpy()
    wrong = int(np.sum(predicted != data.test_labels))
    return Result(name, "PyTorch", "float32", 1 - wrong / len(data.test_labels), wrong, whole.seconds)


# The command.


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `actgrad demo`."""
    parser = subparsers.add_parser(
        "demo",
        help="train a small network on handwritten digits with each activation",
        description=__doc__,
        epilog="examples:\n  actgrad demo\n  actgrad demo --activation geglu --epochs 5\n  actgrad demo --no-torch --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--activation", action="append", choices=ACTIVATIONS, help="one of them; may be given again")
    parser.add_argument("--epochs", type=_positive, default=40, help="passes over the training images (default: 40)")
    parser.add_argument("--seed", type=_seed, default=0, help="of initial weights and data order (default: 0)")
    parser.add_argument("--no-torch", action="store_true", help="do not train the network with PyTorch too")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.set_defaults(run=_run)


def _positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def _seed(text: str) -> int:
    if int(text) < 0:
        raise ValueError
    return int(text)


def _run(arguments: argparse.Namespace) -> int:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        data = load_digits()
    except ImportError as error:
        missing = f"{error.name or error} is missing"
        raise actgrad.ActgradError(f"demo: {missing}; pip install 'actgrad[demo]'") from error
    torch = None if arguments.no_torch else _torch()
    seed, epochs = arguments.seed, arguments.epochs
    names = list(dict.fromkeys(arguments.activation or ACTIVATIONS))
    columns = (TextColumn("{task.description:<28}"), BarColumn(), MofNCompleteColumn(), TextColumn("epochs"))
    results = []
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        bar = progress.add_task("", total=len(names) * epochs * (2 if torch is None else 3))

        def on_epoch() -> None:
            progress.advance(bar)

        for name in names:
            title = ACTIVATIONS[name].title
            for storage in STORAGE:
                progress.update(bar, description=f"{title}, {storage}")
                results.append(train(name, storage, data, seed, epochs, on_epoch))
            if torch is not None:
                progress.update(bar, description=f"{title}, PyTorch")
                results.append(train_torch(torch, name, data, seed, epochs, on_epoch))
        progress.update(bar, description="done")
    settings = {"epochs": epochs, "seed": seed, "test_images": len(data.test_labels)}
    if arguments.json:
        print(json.dumps({**settings, "results": [asdict(result) for result in results]}, indent=2))
    else:
        Console().print(_table(results, torch is not None, **settings))
    return 0


def _torch() -> Any:
    """PyTorch, or None where it is not installed."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        print("PyTorch is not installed: nothing to compare with", file=sys.stderr)
        return None


def _table(results: list[Result], has_torch: bool, epochs: int, seed: int, test_images: int) -> Any:
    from rich.table import Table

    caption = (
        "Gradient error: largest of the activations met in training (every 10th batch), against the float64 reference, in "
        "ULP of the storage dtype: 0.5 is rounding alone. Where two terms cancel (SELU from its result, GELU' near its zero)"
        ", in ULP of the larger term. Time in activations: actgrad's kernels, forward and backward."
    )
    table = Table(title=f"Handwritten digits: {epochs} epochs, seed {seed}, {test_images} test images", caption=caption)
    for heading in ("", "engine", "stored in"):
        table.add_column(heading, no_wrap=True)
    for heading in ("test\naccuracy", "gradient\nerror, ULP", "in acti-\nvations", "of the\ntraining", "training"):
        table.add_column(heading, justify="right", no_wrap=True)
    for k, r in enumerate(results):
        inside, error = r.activation_seconds, r.max_gradient_error_ulp
        table.add_row(
            ACTIVATIONS[r.activation].title if r.engine == "actgrad" and r.storage == "float32" else "",
            r.engine,
            r.storage,
            f"{r.test_accuracy:.2%}",
            "" if error is None else f"{error:.2f}",
            "" if inside is None else f"{inside * 1e3:.0f} ms",
            "" if inside is None else f"{inside / r.training_seconds:.1%}",
            f"{r.training_seconds:.2f} s",
            end_section=k + 1 == len(results) or results[k + 1].activation != r.activation,
        )
    return table
