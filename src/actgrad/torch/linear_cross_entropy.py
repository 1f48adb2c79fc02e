"""`linear_cross_entropy`: a linear layer and the cross entropy of its result, in chunks of rows.

The result of the linear layer, the logits, is the largest tensor of a language model. A chunk of logits lives only
until its loss and its gradients are computed, so no pass keeps all logits. If the losses are summed, the forward pass
also computes the gradients, because the backward pass only multiplies them by one number. If each row's loss is
returned (`reduction="none"`), the backward pass computes the chunks again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch
from torch.autograd.function import _SingleLevelFunction

from ..base.errors import InvalidArgument, InvalidCall, InvalidDtype, did_you_mean, either, kind_of, quote
from .derivatives import products

_C = torch._C
_functional = torch.nn.functional
REDUCTIONS = ("mean", "sum", "none")
CHUNK = 1 << 23  # the largest number of logits in a chunk, if a chunk has more than MINIMUM rows
MINIMUM = 64  # rows of a chunk, so that the matrix products stay fast


class Options(NamedTuple):
    """The options of a loss."""

    ignore_index: int
    label_smoothing: float
    reduction: str
    softcap: float | None


def linear_cross_entropy(
    hidden: torch.Tensor,
    weight: torch.Tensor,
    target: torch.Tensor,
    bias: torch.Tensor | None = None,
    *,
    ce_weight: torch.Tensor | None = None,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
    softcap: float | None = None,
) -> torch.Tensor:
    """cross_entropy(linear(hidden, weight, bias), target), without a tensor of all logits.

    It computes the logits in chunks of rows. With "mean" and "sum", the forward pass computes the gradients too. Under
    torch.func, forward mode, torch.compile, a mode or with tensor subclasses, and for second derivatives, it computes
    the linear layer and the loss by separate calls, which keep the logits.

    Args:
        hidden: The input of the linear layer: (..., features).
        weight: The weight of the linear layer: (classes, features).
        target: The index of each row's class, int64, with the shape of `hidden` without the last dimension.
        bias: The bias of the linear layer: (classes), or None.
        ce_weight: A weight of each class in the loss: (classes), or None. No gradient flows to this tensor.
        ignore_index: Rows with this target have the loss 0 and no gradient.
        label_smoothing: The share of the target that all classes get in equal parts, from 0 to 1.
        reduction: "mean", "sum" or "none". "mean" divides by the sum of the weights of the targets that count.
        softcap: If given, the logits z become softcap * tanh(z / softcap).

    Returns:
        The loss. With "none", it has the shape of `target`.

    Raises:
        InvalidArgument: An option has a wrong value, shapes do not fit each other, or a target is no class.
        InvalidCall: An argument is no tensor, or `hidden`, `weight` and `bias` differ in dtype.
        InvalidDtype: `target` is not int64, for example because it has probabilities of classes.

    Example:
        >>> loss = actgrad.torch.linear_cross_entropy(hidden, head.weight, labels)
    """
    options = Options(ignore_index, label_smoothing, reduction, softcap)
    _require_options(options)
    _require_tensors(hidden, weight, target, bias, ce_weight)
    tensors = tuple([each for each in (hidden, weight, target, bias, ce_weight) if each is not None])
    if torch.compiler.is_compiling() or not products.is_ordinary(tensors):
        return _composed(hidden, weight, bias, target, ce_weight, options)
    device = hidden.device.type
    is_autocast = torch.is_autocast_enabled(device) and hidden.dtype != torch.float64
    if is_autocast:  # as autocast does for a linear layer and its loss
        dtype = torch.get_autocast_dtype(device)
        hidden, weight, bias = hidden.to(dtype), weight.to(dtype), None if bias is None else bias.to(dtype)
    elif not weight.dtype == hidden.dtype == (hidden if bias is None else bias).dtype:
        fault = f"hidden is {hidden.dtype}, weight is {weight.dtype}" + ("" if bias is None else f", bias {bias.dtype}")
        raise InvalidCall(f"linear_cross_entropy: {fault}; they must have one dtype; convert them")
    wide = torch.promote_types(hidden.dtype, torch.float32)
    weights = None if ce_weight is None else ce_weight.detach().to(wide)
    rows = TargetRows(target.reshape(-1), weights, weight.shape[0], options, wide)
    dtype = torch.float32 if is_autocast else hidden.dtype
    row = hidden.reshape(-1, weight.shape[1]), weight, bias
    losses = LinearCrossEntropyNode.apply(rows, dtype, torch.is_grad_enabled(), *row)
    return losses.view(target.shape) if reduction == "none" else losses


def _require_options(options: Options) -> None:
    """Raise an error unless the options have values that they may have."""
    name = "linear_cross_entropy"
    if options.reduction not in REDUCTIONS:
        expected = f"it must be {either(map(repr, REDUCTIONS))}"
        cure = did_you_mean(options.reduction, REDUCTIONS, "pass one of these")
        raise InvalidArgument(f"{name}: reduction is {quote(options.reduction)}; {expected}; {cure}")
    if type(options.ignore_index) is not int:
        fault = f"ignore_index is {quote(options.ignore_index)}"
        raise InvalidArgument(f"{name}: {fault}; it must be an int; pass -100 to ignore no class")
    if not (isinstance(options.label_smoothing, (int, float)) and 0 <= options.label_smoothing <= 1):
        fault = f"label_smoothing is {quote(options.label_smoothing)}"
        raise InvalidArgument(f"{name}: {fault}; it must be from 0 to 1; pass 0.0 for no smoothing")
    if options.softcap is not None and not (isinstance(options.softcap, (int, float)) and options.softcap > 0):
        fault = f"softcap is {quote(options.softcap)}"
        raise InvalidArgument(f"{name}: {fault}; it must be a positive number; pass None for no cap")


def _require_tensors(hidden: Any, weight: Any, target: Any, bias: Any, ce_weight: Any) -> None:
    """Raise an error unless the arguments are tensors that fit each other."""
    name = "linear_cross_entropy"
    every = {"hidden": hidden, "weight": weight, "target": target, "bias": bias, "ce_weight": ce_weight}
    for argument, value in every.items():
        if not (isinstance(value, torch.Tensor) or (argument in ("bias", "ce_weight") and value is None)):
            raise InvalidCall(f"{name}: {argument} is {kind_of(value)}; it must be a torch.Tensor; pass a tensor")
    if target.dtype != torch.int64:
        fault = f"target is {target.dtype}"
        cure = "pass indices of classes, or call torch.nn.functional.cross_entropy for probabilities of classes"
        raise InvalidDtype(f"{name}: {fault}; it must be torch.int64; {cure}")
    if weight.dim() != 2 or hidden.dim() < 1 or hidden.shape[-1] != weight.shape[1]:
        fault = f"weight has the shape {[*weight.shape]} and hidden has {[*hidden.shape]}"
        raise InvalidArgument(f"{name}: {fault}; weight must be (classes, last dimension of hidden); pass another one")
    if target.shape != hidden.shape[:-1]:
        fault = f"target has the shape {[*target.shape]} and hidden has {[*hidden.shape]}"
        cure = "reshape one of them"
        raise InvalidArgument(f"{name}: {fault}; target must be hidden without its last dimension; {cure}")
    for argument in ("bias", "ce_weight"):
        value = every[argument]
        if value is not None and value.shape != weight.shape[:1]:
            fault = f"{argument} has the shape {[*value.shape]} and weight has {[*weight.shape]}"
            raise InvalidArgument(f"{name}: {fault}; {argument} must have one number for each class; pass another one")
    places = {argument: value.device for argument, value in every.items() if value is not None}
    if len({*places.values()}) > 1:
        fault = ", ".join(f"{argument} is on {device}" for argument, device in places.items())
        raise InvalidArgument(f"{name}: {fault}; all must be on one device; move some of them")


def _composed(hidden: Any, weight: Any, bias: Any, target: Any, ce_weight: Any, options: Options) -> Any:
    """The loss by PyTorch's linear layer and cross entropy."""
    logits = _functional.linear(hidden, weight, bias)
    if options.softcap is not None:
        logits = options.softcap * torch.tanh(logits / options.softcap)
    losses = _functional.cross_entropy(
        logits.reshape(-1, weight.shape[0]),
        target.reshape(-1),
        None if ce_weight is None else ce_weight.detach().to(logits.dtype),
        ignore_index=options.ignore_index,
        reduction=options.reduction,
        label_smoothing=float(options.label_smoothing),
    )
    return losses.view(target.shape) if options.reduction == "none" else losses


class TargetRows:
    """What the loss of each row needs besides its logits."""

    def __init__(
        self,
        target: torch.Tensor,
        ce_weight: torch.Tensor | None,  # of `dtype`
        classes: int,
        options: Options,
        dtype: torch.dtype,  # of sums: at least float32
    ):
        self.target, self.ce_weight, self.options = target, ce_weight, options
        self.counts = target != options.ignore_index
        self.indices = torch.where(self.counts, target, 0)
        if target.device.type == "cpu":
            is_wrong = self.counts & ((target < 0) | (target >= classes))
            if bool(is_wrong.any()):
                fault = f"target has {int(target[is_wrong][0])}"
                expected = f"a target must be from 0 to {classes - 1}, or ignore_index ({options.ignore_index})"
                raise InvalidArgument(f"linear_cross_entropy: {fault}; {expected}; repair it or pass ignore_index")
        weights = self.counts.to(dtype) if ce_weight is None else ce_weight[self.indices] * self.counts
        self.weights = weights  # of each row's target, and 0 in rows that do not count
        self.mean_weight = 1.0 if ce_weight is None else ce_weight.mean()

    def divisor(self) -> torch.Tensor | float:
        """The number by which the sum of the rows' losses is divided."""
        return self.weights.sum() if self.options.reduction == "mean" else 1.0

    def chunks(self, classes: int) -> Iterator[slice]:
        """The rows of each chunk."""
        size = max(MINIMUM, CHUNK // max(classes, 1))
        return (slice(first, first + size) for first in range(0, len(self.target), size))

    def losses(self, rows: slice, logits: torch.Tensor, factors: Any = None) -> torch.Tensor:
        """The losses of a chunk. With `factors`, the gradient of sum(factors * losses) overwrites the logits."""
        smoothing, weights = self.options.label_smoothing, self.weights[rows].to(logits.dtype)
        indices, counts = self.indices[rows, None], self.counts[rows]
        logits -= logits.amax(1, keepdim=True)
        own = logits.gather(1, indices).squeeze(1)
        of_all: Any = 0.0
        if smoothing:
            weighted = logits.sum(1) if self.ce_weight is None else logits @ self.ce_weight.to(logits.dtype)
            of_all = weighted / logits.shape[1]
        total = logits.exp_().sum(1)
        log_total = total.log()
        # Row i has the loss (1 - smoothing) * w[target] * (log_total - own), and smoothing times the mean of the same
        # for all classes.
        results = (1 - smoothing) * weights * (log_total - own)
        if smoothing:
            results = results + smoothing * torch.where(counts, self.mean_weight * log_total - of_all, 0.0)
        results = torch.where(counts, results, 0.0)
        if factors is None:
            return results
        factors = torch.where(counts, factors.to(logits.dtype), 0.0)
        sums = factors * ((1 - smoothing) * weights + smoothing * self.mean_weight)
        logits *= (sums / total)[:, None]
        if smoothing:
            share = smoothing / logits.shape[1] * factors[:, None]
            if self.ce_weight is None:
                logits -= share
            else:
                logits.addmm_(share, self.ce_weight.to(logits.dtype)[None], alpha=-1)
        logits.scatter_add_(1, indices, -(1 - smoothing) * (factors * weights)[:, None])
        if not bool(counts.all()):
            logits[~counts] = 0.0  # a row that does not count may have NaN or infinity
        return results


class LinearCrossEntropyNode(_SingleLevelFunction):
    """The node of `linear_cross_entropy`. `apply` takes the rows, the loss's dtype, the grad mode, and tensors."""

    _compiled_autograd_key = torch.autograd.Function._compiled_autograd_key

    @staticmethod
    def forward(ctx: Any, rows: TargetRows, dtype: torch.dtype, is_recorded: bool, *tensors: Any) -> Any:
        needs = ctx.needs_input_grad[3:]
        ctx.rows, ctx.gradients = rows, None
        # `rows` has the last two already. They are saved too, so that PyTorch raises if the caller overwrites them.
        ctx.save_for_backward(*tensors, rows.target, rows.ce_weight)
        with _without_autocast(tensors[0]):
            if rows.options.reduction == "none":
                return _pass(rows, tensors, (False,) * 3, None)[0].to(dtype)
            divisor = rows.divisor()
            factors = torch.ones_like(rows.weights) / divisor if is_recorded and any(needs) else None
            losses, ctx.gradients = _pass(rows, tensors, needs, factors)
            return (losses.sum() / divisor).to(dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        rows, needs, (gradient,) = ctx.rows, ctx.needs_input_grad[3:], gradients
        tensors = ctx.saved_tensors[:3]
        if torch.is_grad_enabled() or not products.is_ordinary((gradient,)):
            return None, None, None, *_recorded_gradients(rows, tensors, needs, gradient)
        with _without_autocast(tensors[0]):
            # The gradients are overwritten, so another backward pass makes new ones.
            results, ctx.gradients = ctx.gradients, None
            if results is not None:
                for each in results:
                    if each is not None:
                        each.mul_(gradient)
            else:
                factors = gradient if rows.options.reduction == "none" else gradient / rows.divisor()
                results = _pass(rows, tensors, needs, factors.expand(rows.weights.shape))[1]
            pairs = zip(results, tensors, strict=True)
            return None, None, None, *(None if each is None else each.to(tensor.dtype) for each, tensor in pairs)


def _without_autocast(tensor: torch.Tensor) -> Any:
    device = tensor.device.type
    return torch.autocast(device, enabled=False) if torch.is_autocast_enabled(device) else nullcontext()


def _recorded_gradients(
    rows: TargetRows, tensors: tuple[Any, ...], needs: tuple[bool, ...], gradient: Any
) -> list[Any]:
    """The gradients as PyTorch's own calls compute them, with all logits. They are recorded under grad mode."""
    is_recorded, (hidden, weight, bias) = torch.is_grad_enabled(), tensors
    wanted = [tensor for tensor, is_needed in zip(tensors, needs, strict=True) if is_needed]
    with _without_autocast(hidden), torch.enable_grad():
        loss = _composed(hidden, weight, bias, rows.target, rows.ce_weight, rows.options)
        results = iter(torch.autograd.grad(loss, wanted, gradient.to(loss.dtype), create_graph=is_recorded))
    return [next(results) if is_needed else None for is_needed in needs]


def _pass(rows: TargetRows, tensors: tuple[Any, ...], needs: tuple[bool, ...], factors: Any) -> tuple[Any, list[Any]]:
    """The loss of each row, and the gradients of sum(factors * losses), if `factors` is given."""
    hidden, weight, bias = tensors
    classes, dtype = weight.shape[0], torch.promote_types(hidden.dtype, torch.float32)
    cap, is_wide = rows.options.softcap, hidden.dtype == dtype
    losses = hidden.new_zeros(len(hidden), dtype=dtype)
    gradients: list[Any] = [None] * 3
    if factors is not None:  # the weight's gradient is a sum over all rows, so it is in float32 at least
        kinds = (hidden.dtype, dtype, dtype)
        gradients = [
            torch.zeros_like(tensor, dtype=kind) if is_needed else None
            for tensor, kind, is_needed in zip(tensors, kinds, needs, strict=True)
        ]
    buffer: Any = None
    for chunk in rows.chunks(classes):
        part = hidden[chunk]
        buffer = _reused(buffer, part, classes)
        logits = torch.mm(part, weight.t(), out=buffer).to(dtype)
        if bias is not None:
            logits += bias
        slopes = None
        if cap is not None:
            logits.div_(cap).tanh_()
            slopes = None if factors is None else logits.square().neg_().add_(1.0)
            logits *= cap
        losses[chunk] = rows.losses(chunk, logits, None if factors is None else factors[chunk])
        if factors is None:
            continue
        if slopes is not None:
            logits *= slopes
        of_hidden, of_weight, of_bias = gradients
        if of_hidden is not None:
            torch.mm(logits if is_wide else logits.to(hidden.dtype), weight, out=of_hidden[chunk])
        if of_weight is not None:
            of_weight.addmm_(logits.t(), part.to(dtype))
        if of_bias is not None:
            of_bias += logits.sum(0)
    return losses, gradients


def _reused(buffer: Any, part: torch.Tensor, classes: int) -> torch.Tensor:
    """Memory for the logits of a chunk: the memory of the chunk before, if there was one."""
    if buffer is None:
        return part.new_empty((len(part), classes))
    return buffer[: len(part)]
