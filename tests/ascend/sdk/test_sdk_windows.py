"""Convolution, pooling and batch normalisation of the C SDK: through C, against PyTorch in float64."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from actgrad import ActgradError
from tests.ascend.sdk.test_network import call as call_in_python
from tests.ascend.sdk.test_network import tensor_of
from tests.support.sdk_programs import Sdk, needs_compiler

torch = pytest.importorskip("torch")
F = torch.nn.functional

from tests.support.sdk_calls import SdkCall, made_in_c  # noqa: E402

pytestmark = [pytest.mark.share(3), needs_compiler]

F32, F16, BF16 = torch.float32, torch.float16, torch.bfloat16
TOLERANCES = {F32: (1e-5, 1e-5), F16: (2**-9, 2**-9), BF16: (2**-6, 2**-6)}
NCHW = 0


def numbers(seed: int, *shape: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def differentiated(rule: Any, tensors: Any, **more: Any) -> tuple[Any, Any, Any]:
    """The value in float64, a gradient, and the tensors' gradients."""
    doubles = [each.double().requires_grad_() for each in tensors]
    value = rule(*doubles, **more)
    gradient = numbers(9, *value.shape)
    return value.detach(), gradient, torch.autograd.grad(value, doubles, gradient)


def with_gradients(rule: Any, tensors: Any, more: Any, settings: dict[str, Any]) -> Iterator[SdkCall]:
    """A convolution of an array, a weight and a bias, and its gradients."""
    dtype = tensors[0].dtype
    value, gradient, _ = differentiated(rule, tensors, **settings)
    yield SdkCall("Convolution", (*tensors, *more, ..., 0), (value.to(dtype),), NCHW)
    gradient = gradient.to(dtype)
    _, _, wanted = differentiated_by(rule, tensors, gradient, settings)
    arguments = (gradient, *tensors[:2], tuple(tensors[2].shape), *more, (True, True, True), 0)
    yield SdkCall("ConvolutionBackward", arguments, tuple(each.to(dtype) for each in wanted), NCHW)


#: Shape, channels of the result, kernel, stride, padding, dilation, groups.
CONVOLUTIONS = [
    ((2, 4, 9, 8), 6, (3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((2, 4, 9, 8), 6, (3, 2), (2, 3), (0, 1), (2, 1), 2),
    ((1, 3, 5, 5), 3, (1, 1), (2, 2), (0, 0), (1, 1), 3),
    ((2, 4, 11), 2, (4,), (2,), (1,), (2,), 1),
    ((1, 2, 4, 5, 6), 4, (2, 3, 2), (1, 2, 1), (1, 0, 1), (1, 1, 2), 2),
]


def convolutions() -> Iterator[SdkCall]:
    for (shape, outer, kernel, stride, padding, dilation, groups), dtype in itertools.product(CONVOLUTIONS, TOLERANCES):
        x = numbers(1, *shape).to(dtype)
        function = (F.conv1d, F.conv2d, F.conv3d)[len(kernel) - 1]
        weight = numbers(2, outer, shape[1] // groups, *kernel).to(dtype)
        bias = numbers(3, outer).to(dtype)
        settings = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        more = (stride, padding, dilation, False, (0,) * len(kernel), groups)
        yield from with_gradients(function, (x, weight, bias), more, settings)
        function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[len(kernel) - 1]
        weight = numbers(4, shape[1], outer // groups, *kernel).to(dtype)
        extra = tuple(max(s, d) - 1 for s, d in zip(stride, dilation, strict=True))
        settings["output_padding"] = extra
        more = (stride, padding, dilation, True, extra, groups)
        yield from with_gradients(function, (x, weight, bias), more, settings)


def padded_convolutions() -> Iterator[SdkCall]:
    """Two numbers of padding for each dimension: before and after, the first dimension first."""
    for shape, padding in (((2, 3, 7), (1, 2)), ((2, 3, 7, 6), (1, 2, 0, 3)), ((1, 3, 5, 5), (0, 1, 2, 0))):
        rank = len(shape) - 2
        function, pad = (
            (F.conv1d, F.conv2d)[rank - 1],
            [*padding[2:], *padding[:2]],
        )  # PyTorch's last dimension is first

        def rule(x: Any, weight: Any, bias: Any, function: Any = function, pad: Any = pad) -> Any:
            return function(F.pad(x, pad), weight, bias)

        for dtype in TOLERANCES:
            shapes = (shape, (4, 3, *(3,) * rank), (4,))
            tensors = tuple(numbers(k, *each).to(dtype) for k, each in enumerate(shapes))
            more = ((1,) * rank, padding, (1,) * rank, False, (0,) * rank, 1)
            calls = with_gradients(rule, tensors, more, {})
            yield from itertools.islice(calls, rank)  # the gradient of one dimension takes no pair


def differentiated_by(rule: Any, tensors: Any, gradient: Any, settings: dict[str, Any]) -> tuple[Any, Any, Any]:
    doubles = [each.double().requires_grad_() for each in tensors]
    value = rule(*doubles, **settings)
    return value.detach(), gradient, torch.autograd.grad(value, doubles, gradient.double())


#: Kernel, stride, padding, dilation, ceil mode.
POOLS = [
    ((2, 2), (2, 2), (0, 0), (1, 1), False),
    ((3, 2), (2, 1), (1, 1), (1, 1), True),
    ((3,), (), (1,), (1,), False),
    ((3, 3), (3, 2), (0, 1), (1, 1), True),
]
SHAPES = [(2, 3, 9, 8), (3, 7, 7)]


#: Pads of MaxPool (top, left, bottom, right), stride, ceil mode.
PADS = [((0, 0, 0, 0), (2, 2), 0), ((1, 0, 2, 1), (2, 1), 0), ((0, 2, 1, 0), (), 0), ((2, 1, 0, 1), (2, 3), 1)]


def padded_pools() -> Iterator[SdkCall]:
    """F.pad with -inf, and F.max_pool2d. Windows that begin behind the bottom or the right padding do not exist."""
    for (pads, stride, ceil), shape, dtype in itertools.product(PADS, SHAPES, (F32, F16)):
        x = numbers(8, *shape).to(dtype)
        top, left, bottom, right = pads
        padded = F.pad(x.double(), (left, right, top, bottom), value=-torch.inf)
        value = F.max_pool2d(padded, (3, 3), stride or 1, 0, 1, bool(ceil)).to(dtype)
        rows, columns = (
            len(range(0, n + p, s)) for n, p, s in zip(shape[-2:], pads[:2], stride or (1, 1), strict=True)
        )
        value = value[..., :rows, :columns]
        for dilations in ((), (1, 1), (1, 1, 1, 1)):
            yield SdkCall("MaxPool", (x, (3, 3), stride, 0, pads, dilations, ceil), (value,), NCHW)


def nan_pools() -> Iterator[SdkCall]:
    """Values, indices and gradients of windows with several NaN, several equal elements, or only -inf and padding."""
    settings = ((3, 3), (2, 2), (1, 1), (1, 1))
    for seed, fill, dtype in itertools.product(range(2), (torch.nan, 0.0, -torch.inf), TOLERANCES):
        x = numbers(seed, 2, 3, 8, 7).to(dtype)
        x[numbers(seed + 10, *x.shape) > -0.5] = fill
        x[0, 0] = fill
        leaf = x.double().requires_grad_()
        value, places = F.max_pool2d(leaf, *settings, return_indices=True)
        yield SdkCall("MaxPool2dWithIndices", (x, *settings, False), (value.detach().to(dtype), places), NCHW)
        gradient = numbers(6, *value.shape).to(dtype)
        (wanted,) = torch.autograd.grad(value, leaf, gradient.double())
        for word, index in (("Indices", places.int()), ("Mask", mask_of(value, settings[0]))):
            if word == "Indices" and dtype != F32:
                continue  # most products refuse it
            arguments = (gradient, x, index, *settings, False)
            yield SdkCall(f"MaxPool2dWith{word}Backward", arguments, (wanted.to(dtype),), NCHW)


def pools() -> Iterator[SdkCall]:
    for (kernel, stride, padding, dilation, ceil), shape, dtype in itertools.product(POOLS, SHAPES, TOLERANCES):
        x = numbers(5, *shape).to(dtype)
        two = [each * 2 if len(each) == 1 else each for each in (kernel, stride or kernel, padding, dilation)]
        value, places = F.max_pool2d(x.double(), *two, ceil, return_indices=True)
        more = (kernel, stride, padding, dilation, ceil)
        yield SdkCall("MaxPool2dWithIndices", (x, *more), (value.to(dtype), places), NCHW)
        yield SdkCall("MaxPool2dWithIndices", (x, *more), (value.to(dtype), places.int()), NCHW)
        gradient = numbers(6, *value.shape).to(dtype)
        doubles = x.double().requires_grad_()
        (wanted,) = torch.autograd.grad(F.max_pool2d(doubles, *two, ceil), doubles, gradient.double())
        indices = {"MaxPool2dWithIndicesBackward": places.int(), "MaxPool2dWithMaskBackward": mask_of(value, two[0])}
        for name, index in indices.items():
            if name == "MaxPool2dWithIndicesBackward" and dtype != F32:
                continue  # most products refuse it
            yield SdkCall(name, (gradient, x, index, *more), (wanted.to(dtype),), NCHW)
        yield SdkCall("MaxPool2dWithMask", (x, *more), (value.to(dtype), mask_of(value, two[0])), NCHW)
        if dtype != BF16:
            arguments = (x, kernel, stride or kernel, 0, padding, (), int(ceil))
            yield SdkCall("MaxPool", arguments, (value.to(dtype),), NCHW)
        for counts, divisor in ((True, 0), (False, 0), (True, 5)):
            settings = (*two[:3], ceil, counts, divisor or None)
            mean = F.avg_pool2d(doubles, *settings)
            yield SdkCall(
                "AvgPool2d", (x, kernel, stride, padding, ceil, counts, divisor, 0), (mean.detach().to(dtype),), NCHW
            )
            gradient = numbers(7, *mean.shape).to(dtype)
            (wanted,) = torch.autograd.grad(mean, doubles, gradient.double())
            arguments = (gradient, x, kernel, stride, padding, ceil, counts, divisor, 0)
            yield SdkCall("AvgPool2dBackward", arguments, (wanted.to(dtype),), NCHW)
        if not ceil:
            batch = x if x.ndim == 4 else x[None]
            columns = F.unfold(batch.double(), *(two[k] for k in (0, 3, 2, 1))).to(dtype)
            arguments = (x, two[0], two[3], two[2], two[1])
            yield SdkCall("Im2col", arguments, (columns if x.ndim == 4 else columns[0],), NCHW)


def mask_of(value: Any, kernel: Any) -> Any:
    """A mask of zeros, in the shape that programs make."""
    height, width = value.shape[-2:]
    shape = (*value.shape[:-2], kernel[0] * kernel[1], (-(-height * width // 16) + 1) * 32)
    return torch.zeros(shape, dtype=torch.int8)


def adaptive_pools() -> Iterator[SdkCall]:
    for sizes, shape, dtype in itertools.product([(1, 1), (4, 3), (9, 8)], SHAPES, TOLERANCES):
        x = numbers(5, *shape).to(dtype)
        doubles = x.double().requires_grad_()
        mean = F.adaptive_avg_pool2d(doubles, sizes)
        yield SdkCall("AdaptiveAvgPool2d", (x, sizes), (mean.detach().to(dtype),), NCHW)
        gradient = numbers(7, *mean.shape).to(dtype)
        (wanted,) = torch.autograd.grad(mean, doubles, gradient.double())
        yield SdkCall("AdaptiveAvgPool2dBackward", (gradient, x), (wanted.to(dtype),), NCHW)


def batch_norms() -> Iterator[SdkCall]:
    for shape, dtype, affine in itertools.product([(5, 3), (2, 3, 4, 5), (2, 3, 7)], TOLERANCES, (True, False)):
        x = (numbers(1, *shape) * 2 + 1).to(dtype)
        scale, shift = (numbers(k, 3).float() for k in (2, 3)) if affine else (None, None)
        for training in (True, False):
            mean, variance = numbers(4, 3).float(), numbers(5, 3).float().abs() + 0.5
            doubles = [None if each is None else each.double().requires_grad_() for each in (x, scale, shift)]
            after = [mean.double(), variance.double()]
            value = F.batch_norm(doubles[0], *after, *doubles[1:], training, 0.2, 1e-3)
            axes = (0, *range(2, x.ndim))
            statistics = (doubles[0].mean(axes), 1 / (doubles[0].var(axes, correction=0) + 1e-3).sqrt())
            saved = tuple(each.detach().float() for each in statistics) if training else (torch.zeros(0),) * 2
            wanted = (*(each.float() for each in after), value.detach().to(dtype), *saved)
            arguments = (x, scale, shift, mean.clone(), variance.clone(), training, 0.2, 1e-3)
            yield SdkCall("BatchNorm", arguments, wanted, NCHW)
            gradient = numbers(6, *shape).to(dtype)
            leaves = [each for each in doubles if each is not None]
            found = torch.autograd.grad(value, leaves, gradient.double())
            wanted = tuple(each.to(dtype if k == 0 else F32) for k, each in enumerate(found))
            arguments = (gradient, x, scale, mean, variance, *saved, training, 1e-3, (True, affine, affine))
            if affine:
                yield SdkCall("BatchNormBackward", arguments, wanted, NCHW)
            else:
                yield SdkCall("BatchNormBackward", arguments, (*wanted, torch.zeros(3), torch.zeros(3)), NCHW)


GENERATORS = {each.__name__: each for each in (
    convolutions, padded_convolutions, pools, padded_pools, nan_pools, adaptive_pools, batch_norms)}  # fmt: skip


@pytest.mark.parametrize("name", GENERATORS)
def test_against_pytorch(name: str, sdk: Sdk, tmp_path: Any) -> None:
    calls = list(GENERATORS[name]())
    assert len(calls) >= 15
    for call, answer in zip(calls, made_in_c(sdk, calls, tmp_path), strict=True):
        assert (answer["status"], answer["second"]) == (0, 0), (call.name, answer["text"])
        for number, (actual, wanted) in enumerate(zip(answer["results"], call.wanted, strict=True)):
            if call.name == "BatchNormBackward" and number and not wanted.any():
                continue  # the mask does not ask for it
            rtol, atol = TOLERANCES.get(wanted.dtype, (0, 0))
            where = f"{call.name} {number} {[getattr(each, 'shape', each) for each in call.arguments]}"
            torch.testing.assert_close(
                actual, wanted, rtol=rtol, atol=atol, equal_nan=True, msg=lambda text, where=where: where + text
            )


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (
            "Convolution",
            {1: torch.zeros(4, 2, 3, 3)},
            "input has shape .*; both must have 3 to 5 dimensions, and input",
        ),
        ("Convolution", {2: torch.zeros(3)}, r"bias has shape \(3,\); it must be \(4,\)"),
        ("Convolution", {3: (1,)}, "stride has 1 number, but the windows have 2 dimensions"),
        ("Convolution", {3: (0, 1)}, "stride is .*; each must be at least 1"),
        ("Convolution", {4: (1, 1, 1)}, "padding is .*; it must have 2 or 4 numbers"),
        ("Convolution", {6: True, 4: (1,), 1: torch.zeros(3, 4, 3, 3)}, "padding is .*; it must have 2 or 4 numbers"),
        ("Convolution", {5: (9, 9)}, "a window must fit into the padded input"),
        ("Convolution", {9: torch.zeros(1, 4, 9, 9)}, "output has shape .*; it must be"),
        ("MaxPool", {4: (1, 1, 1)}, "pads is .*; it must have 0, 1, 2 or 4 numbers"),
        ("MaxPool", {4: (1, 0, 2, 0)}, "two sides together at most kernelSize"),
        ("MaxPool", {4: (2, 0, 0, 0)}, "a window must have an element"),
        ("MaxPool", {5: (2, 2)}, "dilations is .*; each number must be 1"),
        ("MaxPool", {5: (1, 1, 1)}, "dilations is .*; it must have 0, 1, 2 or 4 numbers"),
        ("AvgPool2d", {3: (2, 2)}, "padding must be at most half of kernelSize"),
        ("AvgPool2d", {1: (9, 9)}, "a window must fit into it"),
    ],
)
def test_wrong_calls_are_refused(name: str, change: dict[int, Any], message: str) -> None:
    x = torch.zeros(1, 3, 5, 5)
    arguments: dict[str, list[Any]] = {
        "Convolution": [x, torch.zeros(4, 3, 3, 3), torch.zeros(4), (1, 1), (0, 0), (1, 1), False, (0, 0), 1,
                        torch.zeros(1, 4, 3, 3), 0],
        "AvgPool2d": [x, (2, 2), (2, 2), (0, 0), False, True, 0, 0, torch.zeros(1, 3, 2, 2)],
        "MaxPool": [x, (2, 2), (2, 2), 0, (0, 0, 0, 0), (1, 1), 0, torch.zeros(1, 3, 2, 2)],
    }  # fmt: skip
    call_in_python(name, *map(image, arguments[name]))
    for position, value in change.items():
        arguments[name][position] = value
    with pytest.raises(ValueError, match=message):
        call_in_python(name, *map(image, arguments[name]))


def image(value: Any) -> Any:
    """A tensor of four dimensions with the format NCHW, and anything else as it is."""
    return tensor_of(value, NCHW) if isinstance(value, torch.Tensor) and value.ndim == 4 else value


def test_images_have_a_format_of_images() -> None:
    """Hardware refuses ND. A mask of outputs has three flags."""
    x, out = torch.zeros(1, 3, 5, 5), torch.zeros(1, 3, 2, 2)
    arguments = [x, (2, 2), (2, 2), (0, 0), False, True, 0, 0, out]
    with pytest.raises(ValueError, match="self has format ND; it must be NCHW; create it with ACL_FORMAT_NCHW"):
        call_in_python("AvgPool2d", *arguments)
    with pytest.raises(ValueError, match="out has format NHWC; it must be NCHW"):
        call_in_python("AvgPool2d", *map(image, arguments[:-1]), tensor_of(out, 1))
    weight, more = torch.zeros(4, 3, 3, 3), ((1, 1), (0, 0), (1, 1), False, (0, 0), 1)
    gradient = torch.zeros(1, 4, 3, 3)
    with pytest.raises(ValueError, match="weight has format ND; it must be NCHW"):
        call_in_python("Convolution", image(x), weight, None, *more, image(gradient), 0)
    backward = [*map(image, (gradient, x, weight)), (4,), *more, (True, True), 0, *map(image, (x, weight)), None]
    with pytest.raises(ActgradError, match="outputMask has 2 flags; it must have 3") as error:
        call_in_python("ConvolutionBackward", *backward)
    assert error.value.status == 161001


@pytest.mark.parametrize("is_gradient", [False, True])
def test_transposed_rows_and_gradients_of_rows_have_one_margin(is_gradient: bool) -> None:
    """A convolution of one dimension takes a pair of margins, its transposed form and its gradient do not."""
    x, weight, out = (tensor_of(torch.zeros(shape), 47) for shape in ((1, 3, 5), (3, 3, 3), (1, 3, 3)))

    def convolve(padding: tuple[int, ...]) -> None:
        if is_gradient:
            more = ((1,), padding, (1,), False, (0,), 1, (True, True, False), 0)
            call_in_python("ConvolutionBackward", out, x, weight, (3,), *more, x, weight, None)
        else:
            call_in_python("Convolution", out, weight, None, (1,), padding, (1,), True, (0,), 1, x, 0)

    convolve((0,))
    with pytest.raises(ValueError, match=r"padding is \(0, 0\); it must have 1 number"):
        convolve((0, 0))
