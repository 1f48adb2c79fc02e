"""A small network trained on handwritten digits in NumPy, all of its activation work done by actgrad.

The network is 64 -> 96 -> 48 -> 10 with one activation function in both hidden layers, softmax cross-entropy,
mini-batches, gradient descent with momentum. It is trained with the activations' tensors stored in float32, then in
bfloat16 (weights and matrix products stay float32), then by PyTorch in float32 with its own activations and autograd.

examples:
  actgrad demo
  actgrad demo --activation elu --epochs 9
  actgrad demo --json
"""

from __future__ import annotations

import argparse
import runpy
from pathlib import Path

from . import argument_types
from .argument_types import Subparsers
from .parsing import Parser

ACTIVATIONS = ("elu", "selu", "leaky_relu", "geglu")
#: The script in a wheel, and in a clone of the project.
SCRIPTS = [Path(__file__).parents[k] / "examples" / "digits.py" for k in (1, 3)]


def add_parser(subparsers: Subparsers[Parser]) -> None:
    """Add `actgrad demo`."""
    says = "train a small network on handwritten digits with each activation"
    parser = argument_types.add_command(subparsers, "demo", says, __doc__)
    add, integer = parser.add_argument, argument_types.integer
    add("--activation", action="append", choices=ACTIVATIONS, help="only this one; may be repeated")
    add("--epochs", type=integer(1), default=40, help="passes over the training images (default: 40)")
    add("--seed", type=integer(0), default=0, help="of initial weights and data order (default: 0)")
    add("--no-torch", action="store_true", help="leave PyTorch out")
    add("--json", action="store_true", help="print JSON instead of the table")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Run the script, which imports scikit-learn and PyTorch."""
    status: int = runpy.run_path(str(next(filter(Path.exists, SCRIPTS))))["run"](args)
    return status
