"""A small network trained on handwritten digits in NumPy, all of its activation work done by actgrad.

The network is 64 -> 96 -> 48 -> 10 with one activation function in both hidden layers; softmax cross-entropy,
mini-batches, gradient descent with momentum. It is trained with the activations' tensors stored in float32, then in
bfloat16 (weights and matrix products stay float32), then by PyTorch in float32 with its own activations and autograd.

examples:
  actgrad demo
  actgrad demo --activation elu --epochs 9
  actgrad demo --json
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from dataclasses import asdict
from functools import partial
from typing import Any

from ..base.errors import installation, library
from ..writing import terminal
from ..writing.terminal import Row
from . import argument_types
from .argument_types import Subparsers
from .demo_network import ACTIVATIONS, SAMPLE_EVERY, STORAGE, Result, load_digits, train, train_torch
from .parsing import Parser

CAPTION = (
    f"Gradient error: the largest in what actgrad's backward calls gave in training (each {SAMPLE_EVERY}th batch), "
    "against the float64 reference, in ULP of the stored dtype; 0.5 is rounding alone. Where two terms cancel (SELU "
    "from its result, GELU' near its zero), in ULP of the larger one. Activations: the time in actgrad's forward and "
    "backward calls, and its share of the training."
)


def add_parser(subparsers: Subparsers[Parser]) -> None:
    """Add `actgrad demo`."""
    says = "train a small network on handwritten digits with each activation"
    parser = argument_types.add_command(subparsers, "demo", says, __doc__)
    parser.add_argument("--activation", action="append", choices=ACTIVATIONS, help="only this one; may be repeated")
    parser.add_argument(
        "--epochs", type=argument_types.integer(1), default=40, help="passes over the training images (default: 40)"
    )
    parser.add_argument(
        "--seed", type=argument_types.integer(0), default=0, help="of initial weights and data order (default: 0)"
    )
    parser.add_argument("--no-torch", action="store_true", help="leave PyTorch out")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
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
        torch.set_num_threads(1)  # as below for NumPy
    seed, epochs = args.seed, args.epochs
    names = list(dict.fromkeys(args.activation or ACTIVATIONS))
    results = []
    total = len(names) * epochs * (len(STORAGE) + (torch is not None))
    # Matrix products on one thread: at this size, more only wait for each other, on a busy machine for seconds.
    with threadpoolctl.threadpool_limits(1, user_api="blas"), terminal.progress("epochs", total) as advance:
        for name in names:
            words = f"epochs of {ACTIVATIONS[name].title}"
            for storage in STORAGE:
                results.append(train(name, storage, data, seed, epochs, partial(advance, 1, f"{words}, {storage}")))
            if torch is not None:
                results.append(train_torch(torch, name, data, seed, epochs, partial(advance, 1, f"{words}, PyTorch")))
    settings = {"epochs": epochs, "seed": seed, "test_images": len(data.test_labels)}
    if args.json:
        terminal.show(json.dumps({**settings, "results": [asdict(result) for result in results]}, indent=2))
    else:
        terminal.show(terminal.rendered([_table(results, **settings)]))
    return 0


def _table(results: list[Result], epochs: int, seed: int, test_images: int) -> Any:
    groups: dict[str, list[Row]] = {}
    for r in results:
        inside, error = r.activation_seconds, r.gradient_error_ulp
        accuracy, ulps = f"{r.test_accuracy:.2%}", "" if error is None else f"{error:.2f} ULP"
        share = "" if inside is None else f"{inside * 1e3:.0f} ms, {inside / r.training_seconds:.0%}"
        title = "" if r.activation in groups else ACTIVATIONS[r.activation].title
        row = (title, r.engine, r.storage, accuracy, ulps, share, f"{r.training_seconds:.2f} s")
        groups.setdefault(r.activation, []).append(row)
    numbers = ["test\naccuracy", "gradient\nerror", "activations", "training"]
    title = f"Handwritten digits: {epochs} epochs, {test_images} test images, seed {seed}"
    return terminal.table(["", "engine", "stored\nin"], numbers, groups.values(), title, CAPTION)
