"""Programs that use every function of the operators: what they print is what the Python functions give."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import numpy as np
import pytest

import actgrad
from tests.support.sdk_programs import EXAMPLES, MODES, PROGRAMS, Sdk, needs_compiler

pytestmark = needs_compiler


def array(*values: float, shape: tuple[int, ...] = ()) -> np.ndarray:
    made = np.array(values, np.float32)
    return made.reshape(shape) if shape else made


def elu() -> dict[str, np.ndarray]:
    y = actgrad.elu(array(-2, -1, -0.5, 0, 0.5, 2), alpha=1.5, scale=0.5, input_scale=2)
    return {"elu": y, "elu in place": y}


def elu_backward() -> dict[str, np.ndarray]:
    g, x, kwargs = array(1, 2, 3, 4, 5, 6), array(-2, -1, -0.5, 0, 0.5, 2), {"alpha": 1.5, "scale": 0.5}
    return {
        f"elu backward, from the {name}": actgrad.elu_backward(g, x, **kwargs, input_scale=2, is_result=flag)
        for name, flag in {"input": False, "result": True}.items()
    }


def selu() -> dict[str, np.ndarray]:
    y = actgrad.selu(array(-2, -1, -0.5, 0, 0.5, 2))
    return {"selu": y, "selu in place": y}


def selu_backward() -> dict[str, np.ndarray]:
    gradient = actgrad.selu_backward(np.ones(8, np.float32), np.arange(8, dtype=np.float32))
    return {f"result[{k}] is": value for k, value in enumerate(gradient.reshape(8, 1))}


def leaky_relu() -> dict[str, np.ndarray]:
    y = actgrad.leaky_relu(array(-2, -1, -0.5, 0, 0.5, 2), negative_slope=0.125)
    return {"leaky relu": y, "leaky relu in place": y}


def leaky_relu_backward() -> dict[str, np.ndarray]:
    g, x = np.tile(array(1, 2, 3), (2, 1)), array(-2, -1, -0.5, 0, 0.5, 2, shape=(2, 3))
    return {"leaky relu backward": actgrad.leaky_relu_backward(g, x, negative_slope=0.125)}


GATED = array(-2, -1, 0.5, 1, 2, 3, -0.5, 0.25, shape=(2, 4))


def geglu() -> dict[str, np.ndarray]:
    found = {}
    sides = {"geglu": ("right", False), "geglu, left half activated": ("left", True)}
    for name, (side, is_left) in sides.items():
        found[name], found[f"gelu of the {side} half"] = actgrad.geglu(GATED, approximate="tanh", activate_left=is_left)
    return found


def geglu_backward() -> dict[str, np.ndarray]:
    g, found = array(1, 2, 3, 4, shape=(2, 2)), {}
    for name, is_left in {"geglu backward": False, "geglu backward, left half activated": True}.items():
        options = {"approximate": "tanh", "activate_left": is_left}
        _, gelu = actgrad.geglu(GATED, **options)
        found[name] = actgrad.geglu_backward(g, GATED, gelu, **options)
    return found


def swiglu() -> dict[str, np.ndarray]:
    g = array(1, 2, 3, 4, shape=(2, 2))
    return {
        "swiglu": actgrad.swiglu(GATED),
        "swiglu gradient": actgrad.swiglu_backward(g, GATED),
        "swish": actgrad.swish(GATED),
    }


PRINTS: dict[str, Callable[[], dict[str, np.ndarray]]] = {
    f.__name__: f
    for f in (elu, elu_backward, selu, selu_backward, leaky_relu, leaky_relu_backward, geglu, geglu_backward, swiglu)
}


def test_every_example_is_compared() -> None:
    programs = {path.stem for path in EXAMPLES.glob("*.c*")}
    assert programs - {"vendor_silu"} == PRINTS.keys()  # tests/documents/test_accept_page.py runs it
    with_functions = {operator.name for operator in actgrad.operators.values() if operator.aclnn}
    assert PRINTS.keys() <= with_functions


@pytest.mark.parametrize("name", PRINTS)
@pytest.mark.share(8)
def test_example(sdk: Sdk, name: str) -> None:
    (source,) = EXAMPLES.glob(f"{name}.c*")
    binary = sdk.compile(source)
    wanted = "".join(
        f"{line}:{''.join(f' {value:.6f}' for value in values.ravel())}\n" for line, values in PRINTS[name]().items()
    )
    for mode in MODES:
        assert sdk.run(binary, mode=mode) == wanted


def test_selu_on_two_products(sdk: Sdk) -> None:
    """The one example whose result depends on the chip: at 0."""
    binary = sdk.compile(EXAMPLES / "selu_backward.c")
    usual = [f"result[{k}] is: 1.050701" for k in range(8)]
    assert sdk.run(binary).splitlines() == usual
    assert sdk.run(binary, ACTGRAD_PRODUCT="Ascend950").splitlines() == ["result[0] is: 1.758099", *usual[1:]]


def thirteen() -> dict[str, np.ndarray]:
    """What thirteen.c computes."""
    x, g = array(-3, -1, -0.25, 0, 0.5, 1, 2, 4, shape=(2, 4)), array(1, 2, -1, 0.5, 3, -2, 1, 0.25, shape=(2, 4))
    half, scalars = array(1, 2, -1, 0.5, shape=(2, 2)), {"alpha": 1.5, "scale": 0.75, "input_scale": 1.25}
    changed = actgrad.elu(x, **scalars)
    out, gelu = actgrad.geglu(x)
    left_out, left_gelu = actgrad.geglu(x, dim=1, approximate=1, activate_left=True)
    return {
        "aclnnElu": changed,
        "aclnnInplaceElu": changed,
        "aclnnEluBackward": actgrad.elu_backward(g, x, **scalars, is_result=True),
        "aclnnSelu": actgrad.selu(x),
        "aclnnInplaceSelu": actgrad.selu(changed),
        "aclnnSeluBackward": actgrad.selu_backward(g, x),
        "aclnnLeakyRelu": actgrad.leaky_relu(x, negative_slope=0.125),
        "aclnnInplaceLeakyRelu": actgrad.leaky_relu(actgrad.selu(changed), negative_slope=0.125),
        "aclnnLeakyReluBackward": actgrad.leaky_relu_backward(g, x, negative_slope=0.125),
        "aclnnGeGlu": out,
        "aclnnGeGluBackward": actgrad.geglu_backward(half, x, gelu),
        "aclnnGeGluV3": left_out,
        "aclnnGeGluV3Backward": actgrad.geglu_backward(
            half, x, left_gelu, dim=1, approximate=1, activate_left=True
        ),
    }  # fmt: skip


def check_thirteen(printed: str) -> None:
    """What thirteen.c prints is, bit for bit, what the Python functions give."""
    lines = {name: [float.fromhex(word) for word in words] for name, *words in map(str.split, printed.splitlines())}
    wanted = thirteen()
    assert lines.keys() == wanted.keys()
    for name, values in wanted.items():
        assert np.array(lines[name], np.float32).tobytes() == values.tobytes(), name


@pytest.mark.parametrize("mode", MODES)
def test_thirteen_functions(sdk: Sdk, mode: str) -> None:
    check_thirteen(sdk.run("thirteen", mode=mode))


@pytest.mark.share(4)
@pytest.mark.parametrize("standard", ["c99", "c11", "c++11", "c++14", "c++17", "c++20"])
@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_standard(sdk: Sdk, family: str, standard: str) -> None:
    compiler = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}[family]["++" in standard]
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    binary = sdk.compile(PROGRAMS / "thirteen.c", f"-std={standard}", "-pedantic", compiler=compiler)
    check_thirteen(sdk.run(binary))
