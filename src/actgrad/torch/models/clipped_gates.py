"""Methods that compute a clipped SwiGLU of interleaved pairs, such as the experts' gate of gpt_oss."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from itertools import permutations
from types import FunctionType
from typing import Any, NamedTuple

import torch

from .. import functions
from .gate_products import REFUSALS, fall_back
from .reading import Declined, ForwardReader, Frame
from .trials import ordinary_points, same_on_copy

_SLICES = {"..., ::2]": 0, "..., 1::2]": 1}


class ClippedMethod(NamedTuple):
    """A method that calls `clipped_swiglu`, and the constants of the module when it was read."""

    method: Callable[..., Any]
    alpha: float
    limit: float


class _PairReader(ForwardReader):
    """A reader that also follows the halves of interleaved pairs: `gate, up = x[..., ::2], x[..., 1::2]`."""

    def frame(self, function: FunctionType, local: dict[str, Any]) -> Frame:
        return _PairFrame(self, function, local)


class _PairFrame(Frame):
    def assign(self, target: ast.expr, value: Any) -> None:
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and type(value) is tuple and len(target.elts) == len(value):
            pairs = list(zip(target.elts, value, strict=True))
        for name, each in pairs:
            super().assign(name, each)

    def of_Subscript(self, node: ast.Subscript) -> Any:
        value, first = self.value(node.value), _SLICES.get(ast.unparse(node).partition("[")[2])
        if first is None or not isinstance(value, torch.Tensor):
            raise Declined(f"its forward has {ast.unparse(node)}")
        return value[..., first::2]


def clipped_method(module: Any, name: str, method: FunctionType) -> ClippedMethod | None:
    """A method that calls `clipped_swiglu`, if `method` computes the same. Otherwise None.

    `alpha` and `limit` are attributes of the module. Each call tests whether everything that the method reads is
    unchanged.
    """
    kind = type(module)
    if "sigmoid" not in method.__code__.co_names or len(inspect.signature(method).parameters) != 2:
        return None
    readers = [_PairReader(module, device) for device in ("cpu", "cuda")]
    try:
        names = {_constants(reader, method) for reader in readers}
    except Declined:
        return None
    if len(names) != 1 or None in names or readers[0].reads.tests != readers[1].reads.tests:
        return None
    readers[0].reads.record(kind, f"{{0}}.{name}", method)
    alpha, limit = (getattr(module, each) for each in names.pop() or ())
    is_as_read = readers[0].reads.test()

    @functools.wraps(method)
    def gate(self: Any, *args: Any, **kwargs: Any) -> Any:
        x = args[0] if len(args) == 1 and not kwargs else None
        if _is_plain(x) and not (torch.compiler.is_compiling() or torch.jit.is_tracing()) and is_as_read(self):
            try:
                return functions.clipped_swiglu(x, alpha=alpha, limit=limit)
            except REFUSALS:
                fall_back(self)
        return getattr(kind, name)(self, *args, **kwargs)

    return ClippedMethod(gate, alpha, limit)


def _is_plain(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.dim() > 0 and x.shape[-1] % 2 == 0 and x.is_floating_point()


def _constants(reader: _PairReader, method: FunctionType) -> tuple[str, str] | None:
    """The names of the attributes alpha and limit, in a method that computes `clipped_swiglu`."""

    def follow(x: torch.Tensor) -> Any:
        reader.depth = 0
        return reader.run(method, (reader.module, x), {})

    with torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            for shape in ((2,), (0,), (2, 1, 6)):
                y = follow(torch.ones(shape, dtype=dtype, device="cpu"))
                if not isinstance(y, torch.Tensor) or y.dtype != dtype or y.shape != (*shape[:-1], shape[-1] // 2):
                    return None
        numbers = [each for each, value in vars(reader.module).items() if type(value) in (int, float)]
        numbers = [each for each in numbers if any(test.startswith(f"self.{each} is") for test in reader.reads.tests)]
        for alpha, limit in permutations(numbers, 2):
            values = getattr(reader.module, alpha), getattr(reader.module, limit)
            if values[1] > 0 and _is_same(follow, *values):
                same_on_copy(reader.module, method, follow, _pairs(values[1]))
                return alpha, limit
    return None


def _pairs(limit: float) -> torch.Tensor:
    """All pairs (gate, up) of test numbers: ordinary numbers, kinks of the clipping, infinities and NaN."""
    kinks = torch.tensor([limit, -limit], dtype=torch.float64, device="cpu")
    points = [kinks, *(torch.nextafter(kinks, kinks.new_tensor(end)) for end in (torch.inf, -torch.inf))]
    row = torch.cat([ordinary_points(), *points])
    return torch.cartesian_prod(row, row)


def _is_same(follow: Callable[[torch.Tensor], Any], alpha: float, limit: float) -> bool:
    """Whether values, signs of zero and gradients equal those of `clipped_swiglu`.

    If a formula gives NaN for an infinite gate, `clipped_swiglu` may return the limit.
    """
    rows = []
    for function in (follow, functools.partial(functions.clipped_swiglu, alpha=alpha, limit=limit)):
        with torch.enable_grad(), torch.inference_mode(False):
            x = _pairs(limit).requires_grad_()
            y = function(x)
            (slopes,) = torch.autograd.grad(y.sum(), x) if y.requires_grad else (None,)
        if slopes is None:
            return False
        rows.append((y.detach(), slopes))
    (values, slopes), (our_values, our_slopes) = rows
    is_infinite = x.detach().isinf().any(-1, keepdim=True)
    is_lost = is_infinite & values.isnan(), is_infinite & slopes.isnan()
    zeros = (values == 0) & (our_values == 0)
    return torch.equal(values[zeros].signbit(), our_values[zeros].signbit()) and all(
        bool((torch.isclose(their, our, 1e-6, 1e-7, equal_nan=True) | lost).all())
        for their, our, lost in zip((values, slopes), (our_values, our_slopes), is_lost, strict=True)
    )
