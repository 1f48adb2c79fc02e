"""A built wheel computes, forward and backward, with the extension that it was built with.

python scripts/wheel_check.py          in an environment that has the wheel and not this checkout
python scripts/wheel_check.py --pure   the pure wheel
"""

from __future__ import annotations

import sys

import numpy as np

import actgrad
from actgrad.calls import extension


def main() -> None:
    """Raise an AssertionError if a result is wrong, or if the extension is missing or in a pure wheel."""
    assert actgrad.__file__.startswith(sys.prefix), f"{actgrad.__file__} is not the wheel"
    is_pure = "--pure" in sys.argv[1:]
    assert (extension.native is None) is is_pure, f"the extension {'is' if is_pure else 'is not'} in the wheel"
    x = np.linspace(-2, 2, 5)
    for _ in range(2):  # the second call takes the fast path
        y, gradient = actgrad.elu(x), actgrad.elu_backward(np.ones(5), x)
    np.testing.assert_allclose(y, np.where(x > 0, x, np.expm1(x)), rtol=1e-15)
    np.testing.assert_allclose(gradient, np.where(x > 0, 1, np.exp(x)), rtol=1e-15)
    print(f"actgrad {actgrad.__version__} computes on Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
