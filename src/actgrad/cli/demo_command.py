"""Train a small network on handwritten digits in NumPy; actgrad computes the activations and their gradients.

The network is 64 -> 96 -> 48 -> 10 with one activation function in both hidden layers. It learns by gradient descent
with momentum. actgrad trains it twice: with the activations' tensors in float32, and in bfloat16. Weights and matrix
products are float32. If PyTorch is installed, PyTorch trains the same network with its own activations, and the table
shows the figures of both: test accuracy, error of the gradients, time of the activations and of the training.

examples:
  actgrad demo                                all four activations, about half a minute
  actgrad demo --activation elu --epochs 9    ELU only
  actgrad demo --no-torch --json              without PyTorch, as JSON
"""

from __future__ import annotations

import argparse
import runpy
from pathlib import Path

from . import argument_types
from .parsing import Parser

ACTIVATIONS = ("elu", "selu", "leaky_relu", "geglu")
#: The script in a wheel, and in a clone of the project.
SCRIPTS = [Path(__file__).parents[k] / "examples" / "digits.py" for k in (1, 3)]


def add_arguments(parser: Parser) -> None:
    """The help and the arguments of `actgrad demo`."""
    parser.describe(__doc__)
    add, integer = parser.add_argument, argument_types.integer
    add("--activation", action="append", choices=ACTIVATIONS, help="train only with this activation (repeatable)")
    add("--epochs", type=integer(1), default=40, help="passes over the training images (default: 40)")
    add("--seed", type=integer(0), default=0, help="random seed of weights and batches (default: 0)")
    add("--no-torch", action="store_true", help="do not train with PyTorch")
    add("--json", action="store_true", help="print JSON instead of the table")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Run the script, which imports scikit-learn and PyTorch."""
    status: int = runpy.run_path(str(next(filter(Path.exists, SCRIPTS))))["run"](args)
    return status
