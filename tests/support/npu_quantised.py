"""A Llama with INT8 activations on torch_npu's unmodified wheel: `python npu_quantised.py NAME`, a process a case.

Logits are compared with the same arithmetic in PyTorch on the CPU. A product of INT8 is exact in float32, because the
sums stay below 2**24.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
import torch_npu
from torch.nn import functional

WIDTH, INNER, HEADS, LENGTH, VOCABULARY, LAYERS = 64, 128, 4, 12, 50, 2


def quantised(v: Any) -> Any:
    """INT8 numbers of each row, and their scale."""
    scale = v.abs().amax(-1) / 127
    return (v / scale[..., None]).round().clamp(-128, 127).to(torch.int8), scale


class OnCpu:
    """PyTorch's own operators."""

    device = "cpu"

    def quantise(self, x: Any) -> Any:
        return quantised(x.float())

    def norm(self, x: Any, weight: Any) -> Any:
        return functional.rms_norm(x.float(), (WIDTH,), weight.float(), 1e-6).to(x.dtype)

    def swiglu(self, gate_and_up: Any) -> Any:
        gate, up = gate_and_up.float().chunk(2, -1)
        return quantised(functional.silu(gate) * up)

    def dequantised_swiglu(self, products: Any, of_weight: Any, of_rows: Any, counts: Any) -> Any:
        return self.swiglu(products.float() * of_weight * of_rows[:, None])


class OnNpu:
    """The operators of torch_npu."""

    device = "npu"

    def quantise(self, x: Any) -> Any:
        return torch_npu.npu_dynamic_quant(x)

    def norm(self, x: Any, weight: Any) -> Any:
        return torch_npu.npu_rms_norm(x, weight, 1e-6)[0]

    def swiglu(self, gate_and_up: Any) -> Any:
        out, reciprocal = torch_npu.npu_swiglu_quant(gate_and_up, activate_left=True, quant_mode=1)
        return out, 1 / reciprocal

    def dequantised_swiglu(self, products: Any, of_weight: Any, of_rows: Any, counts: Any) -> Any:
        return torch_npu.npu_dequant_swiglu_quant(
            products, weight_scale=of_weight, activation_scale=of_rows, group_index=counts, activate_left=True,
            quant_mode=1,
        )  # fmt: skip


class Llama:
    """Weights in INT8 with a scale for each row, activations quantised before each linear layer."""

    def __init__(self, operators: Any, is_dequantising: bool, dtype: Any):
        self.operators, self.is_dequantising, self.dtype = operators, is_dequantising, dtype
        generator = torch.Generator().manual_seed(4)

        def weight(rows: int, columns: int) -> Any:
            numbers, scale = quantised(torch.randn(rows, columns, generator=generator) * columns**-0.5)
            return numbers.float().to(operators.device), scale.to(operators.device)

        self.embedding = torch.randn(VOCABULARY, WIDTH, generator=generator).to(dtype).to(operators.device)
        self.norms = torch.rand(2 * LAYERS + 1, WIDTH, generator=generator).add(0.5).to(dtype).to(operators.device)
        self.layers = [
            (weight(3 * WIDTH, WIDTH), weight(WIDTH, WIDTH), weight(2 * INNER, WIDTH), weight(WIDTH, INNER))
            for _ in range(LAYERS)
        ]
        self.head = weight(VOCABULARY, WIDTH)
        angles = torch.arange(LENGTH)[:, None] * 100.0 ** -(torch.arange(0, WIDTH // HEADS, 2) * HEADS / WIDTH)
        self.cosine, self.sine = angles.cos().to(operators.device), angles.sin().to(operators.device)

    def product(self, numbers: Any, weight: Any) -> Any:
        """The integers of a linear layer."""
        return numbers.float() @ weight[0].t()

    def linear(self, quantised_rows: Any, weight: Any) -> Any:
        numbers, scale = quantised_rows
        return (self.product(numbers, weight) * scale[:, None] * weight[1]).to(self.dtype)

    def attention(self, packed: Any) -> Any:
        q, k, v = packed.float().view(LENGTH, 3, HEADS, -1).permute(1, 2, 0, 3)
        q, k = (self.turned(each) for each in (q, k))
        mixed = functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        return mixed.transpose(0, 1).reshape(LENGTH, WIDTH).to(self.dtype)

    def turned(self, x: Any) -> Any:
        a, b = x.chunk(2, -1)
        return torch.cat((a * self.cosine - b * self.sine, b * self.cosine + a * self.sine), -1)

    def perceptron(self, rows: Any, weight: Any) -> Any:
        if not self.is_dequantising:
            return self.operators.swiglu(self.linear(rows, weight))
        counts = torch.tensor([LENGTH], device=self.operators.device)
        integers = self.product(rows[0], weight).to(torch.int32)
        return self.operators.dequantised_swiglu(integers, weight[1], rows[1], counts)

    def logits(self, tokens: Any) -> Any:
        quantise, norm = self.operators.quantise, self.operators.norm
        x = self.embedding[tokens.to(self.operators.device)]
        for number, (packed, out, inner, down) in enumerate(self.layers):
            rows = quantise(norm(x, self.norms[2 * number]))
            x = x + self.linear(quantise(self.attention(self.linear(rows, packed))), out)
            rows = quantise(norm(x, self.norms[2 * number + 1]))
            x = x + self.linear(self.perceptron(rows, inner), down)
        return self.linear(quantise(norm(x, self.norms[-1])), self.head)


def compare(is_dequantising: bool, dtype: Any) -> None:
    """The logits of all positions; an activation next to a tie may be another integer."""
    tokens = torch.arange(LENGTH) * 7 % VOCABULARY
    found = Llama(OnNpu(), is_dequantising, dtype).logits(tokens).cpu().float()
    wanted = Llama(OnCpu(), is_dequantising, dtype).logits(tokens).float()
    assert wanted.std() > 0.1
    torch.testing.assert_close(found, wanted, rtol=0, atol=0.05 * float(wanted.std()))


def dequantisation() -> None:
    """Every kind of bias, the clipped mode, static scales, groups, and rows behind the last group."""
    x = torch.randint(-30000, 30000, (6, 128), dtype=torch.int32)
    of_weight, of_rows = torch.rand(2, 128) * 1e-4, torch.rand(6) + 0.5
    counts = torch.tensor([2, 3])
    group = [0, 0, 1, 1, 1]
    for bias in (None, torch.randint(-9000, 9000, (2, 128), dtype=torch.int32), *(torch.rand(2, 128).to(t) for t in (
        torch.float32, torch.float16, torch.bfloat16
    ))):  # fmt: skip
        v = x[:5].double()
        if bias is not None and bias.dtype == torch.int32:
            v = v + bias[group]
        v = v * of_weight[group].double() * of_rows[:5, None].double()
        if bias is not None and bias.dtype != torch.int32:
            v = v + bias[group].double()
        for mode in range(4):
            a, b = v.chunk(2, -1) if mode != 1 else (v[:, ::2], v[:, 1::2])
            if mode in (1, 2):
                a, b = a.clamp(max=1.5), b.clamp(-1.5, 1.5) + 0.5
                exact = a * torch.sigmoid(1.25 * a) * b
            else:
                exact = functional.silu(a) * b if mode == 0 else functional.silu(a).clamp(max=1.5) * b.clamp(-1.5, 1.5)
            given = {"weight_scale": of_weight, "activation_scale": of_rows, "bias": bias, "group_index": counts}
            on_npu = {name: None if each is None else each.npu() for name, each in given.items()}
            options = {
                "activate_left": True,
                "swiglu_mode": mode,
                "clamp_limit": 1.5,
                "glu_alpha": 1.25,
                "glu_bias": 0.5,
            }
            call = torch_npu.npu_dequant_swiglu_quant
            out, scale = (each.cpu()[:5].double() for each in call(x.npu(), **on_npu, **options, quant_mode=1))
            torch.testing.assert_close(scale, exact.abs().amax(1) / 127, rtol=1e-6, atol=0)
            assert ((out - exact / scale[:, None]).abs() <= 0.501).all()
            static = {"quant_scale": torch.tensor([0.02, 0.05]).npu(), "quant_offset": torch.tensor([3.0, -4.0]).npu()}
            out = call(x.npu(), **on_npu, **static, **options)[0].cpu()[:5].double()
            scales, offsets = (each.cpu()[group].double()[:, None] for each in static.values())
            assert ((out - (exact / scales + offsets).clamp(-128, 127)).abs() <= 0.501).all()
    half = torch.randn(3, 4, 32).bfloat16()
    out, scale = torch_npu.npu_dequant_swiglu_quant(half.npu(), quant_mode=1)
    b, a = half.double().chunk(2, -1)
    assert ((out.cpu() - functional.silu(a) * b / scale.cpu().double()[..., None]).abs() <= 0.501).all()


CASES: dict[str, Callable[[], None]] = {
    "dequantisation": dequantisation,
    **{
        f"Llama, {name}, {dtype}": lambda is_dequantising=is_dequantising, dtype=dtype: compare(
            is_dequantising, getattr(torch, dtype)
        )
        for name, is_dequantising in (("npu_swiglu_quant", False), ("npu_dequant_swiglu_quant", True))
        for dtype in ("float16", "bfloat16")
    },
}

if __name__ == "__main__":
    torch.manual_seed(0)
    CASES[sys.argv[1]]()
    torch_npu.npu.synchronize()
    print("done")
