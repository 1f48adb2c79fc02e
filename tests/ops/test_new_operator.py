"""A new operator takes one short file; everything else follows from the registry."""

import json
from pathlib import Path

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad import samples
from actgrad.judge import golden
from tests.support import sample_values

FILE = Path(__file__).parents[1] / "support" / "smooth_relu_operator.py"
DTYPES = {"float16": np.float16, "bfloat16": bfloat16, "float32": np.float32, "float64": np.float64}


def test_one_file_of_at_most_forty_lines():
    assert len(FILE.read_text(encoding="utf-8").splitlines()) <= 40


def test_the_document_shows_this_file():
    document = Path(actgrad.__file__).parents[2] / "CONTRIBUTING.md"
    code = FILE.read_text(encoding="utf-8").replace("from actgrad.", "from ..")
    assert code.partition('"""\n')[2] in document.read_text(encoding="utf-8")


def test_it_is_in_the_registry_and_gone_again(smooth_relu):
    assert actgrad.operators["smooth_relu"] is smooth_relu.smooth_relu
    assert smooth_relu.smooth_relu_backward.defaults == {"beta": 1.0}
    assert "log(1 + exp(beta * x)) / beta" in smooth_relu.smooth_relu.__doc__


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["smooth_relu", "smooth_relu_backward"])
def test_it_computes_within_the_usual_bounds(smooth_relu, name, dtype):
    operator = getattr(smooth_relu, name)
    cases = samples.attribute_cases(operator)
    assert len({case["beta"] for case in cases}) >= 3
    assert all(case["beta"] > 0 for case in cases)
    is_half = np.dtype(DTYPES[dtype]).itemsize == 2
    values = (
        sample_values.every_value if is_half else lambda d: sample_values.samples(d, 20_000, np.random.default_rng(0))
    )
    for attributes in cases:
        inputs = samples.tensors(operator, attributes, values(DTYPES[dtype]))
        (expectation,) = golden.expected(operator, inputs, attributes)
        for backend in ("cpu", "reference"):
            with np.errstate(all="ignore"):
                got = operator(*inputs, backend=backend, **attributes)
            assert not expectation.faults(got, 1 if is_half else 4.5).any()


def test_its_gradient_is_that_of_its_formula(smooth_relu):
    x = np.linspace(-8, 8, 33)
    step = 2.0**-12
    slope = (smooth_relu.smooth_relu(x + step, beta=1.3) - smooth_relu.smooth_relu(x - step, beta=1.3)) / (2 * step)
    np.testing.assert_allclose(smooth_relu.smooth_relu_backward(np.ones_like(x), x, beta=1.3), slope, atol=1e-7)


def test_its_requirement_is_checked(smooth_relu):
    with pytest.raises(actgrad.InvalidArgument, match=r"smooth_relu: beta is .*; the operator needs beta > 0"):
        smooth_relu.smooth_relu(np.ones(3), beta=0)


def test_it_is_in_the_documents_table(smooth_relu):
    from actgrad.cli.list_command import markdown_table

    rows = [line for line in markdown_table().splitlines() if line.startswith("| `smooth_relu")]
    assert [row.split("`")[1] for row in rows] == ["smooth_relu", "smooth_relu_backward"]
    assert "`log(1 + exp(beta * x)) / beta`" in rows[0]


def test_it_is_in_the_list_of_the_command_line(smooth_relu, capsys):
    from actgrad.cli.main import main

    main(["list", "--json"])
    names = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert names[-2:] == ["smooth_relu", "smooth_relu_backward"]
