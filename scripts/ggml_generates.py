#!/usr/bin/env python3
"""GPT-2 and Llama by llama.cpp: generates the same text on the CPU and on CANN0, the CANN backend on the C SDK.

    python scripts/ggml_generates.py ~/llama.cpp --build /tmp/ggml

It builds a checkout of llama.cpp, writes small models with random weights, and runs llama.cpp's own llama-simple. Each
letter or digit of the text is a token. The exit status is 1 if the texts of a model differ.
"""

from __future__ import annotations

import argparse
import importlib
import re
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from ggml_operators import build

WIDTH, HEADS, KEY_HEADS, INNER, LAYERS, CONTEXT = 64, 4, 2, 160, 2, 128
SPECIAL = ("<unk>", "<s>", "</s>")
TOKENS = (*SPECIAL, "\N{LOWER ONE EIGHTH BLOCK}", *string.ascii_letters, *string.digits)
PROMPT, COUNT = "actgrad", 32
TYPES = ("F32", "F16", "BF16", "Q8_0", "Q4_0")


def llama() -> Iterator[tuple[str, tuple[int, ...]]]:
    """The tensors of a Llama with grouped queries: names and shapes."""
    width = WIDTH // HEADS * KEY_HEADS
    for k in range(LAYERS):
        yield f"blk.{k}.attn_norm.weight", (WIDTH,)
        yield f"blk.{k}.attn_q.weight", (WIDTH, WIDTH)
        yield f"blk.{k}.attn_k.weight", (width, WIDTH)
        yield f"blk.{k}.attn_v.weight", (width, WIDTH)
        yield f"blk.{k}.attn_output.weight", (WIDTH, WIDTH)
        yield f"blk.{k}.ffn_norm.weight", (WIDTH,)
        yield f"blk.{k}.ffn_gate.weight", (INNER, WIDTH)
        yield f"blk.{k}.ffn_up.weight", (INNER, WIDTH)
        yield f"blk.{k}.ffn_down.weight", (WIDTH, INNER)


def gpt2() -> Iterator[tuple[str, tuple[int, ...]]]:
    """The tensors of a GPT-2. Each has a bias."""
    yield "position_embd.weight", (CONTEXT, WIDTH)
    yield "output_norm.bias", (WIDTH,)
    layer: dict[str, tuple[int, ...]] = {
        "attn_norm": (WIDTH,), "attn_qkv": (3 * WIDTH, WIDTH), "attn_output": (WIDTH, WIDTH),
        "ffn_norm": (WIDTH,), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER),
    }  # fmt: skip
    for k in range(LAYERS):
        for name, shape in layer.items():
            yield f"blk.{k}.{name}.weight", shape
            yield f"blk.{k}.{name}.bias", shape[:1]


MODELS = {"llama": llama, "gpt2": gpt2}
ENDS = {
    "token_embd.weight": (len(TOKENS), WIDTH), "output.weight": (len(TOKENS), WIDTH), "output_norm.weight": (WIDTH,),
}  # fmt: skip


def weights(name: str, shape: tuple[int, ...], random: np.random.Generator) -> Any:
    """Random numbers. Norms are around 1. Logits of special tokens and the space are 0, so that no text ends early."""
    a = random.standard_normal(shape)
    if len(shape) == 1:
        a = 0.1 * a + name.endswith(".weight")
    elif "embd" not in name:
        a *= 1.5 / WIDTH**0.5
    if name == "output.weight":
        a[: TOKENS.index("a")] = 0
    return a.astype(np.float32)


def write(path: Path, architecture: str, kind: str, gguf: Any, rounds_only: bool = False) -> None:
    """A model as a GGUF file. Matrices have a type of ggml, or only its rounded numbers, as float32."""
    file = gguf.GGUFWriter(path, architecture)
    file.add_context_length(CONTEXT)
    file.add_embedding_length(WIDTH)
    file.add_block_count(LAYERS)
    file.add_feed_forward_length(INNER)
    file.add_head_count(HEADS)
    file.add_head_count_kv(KEY_HEADS if architecture == "llama" else HEADS)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_layer_norm_eps(1e-5)
    file.add_tokenizer_model("llama")
    file.add_token_list(TOKENS)
    file.add_token_scores([0.0] * len(TOKENS))
    file.add_token_types([gguf.TokenType.CONTROL if token in SPECIAL else gguf.TokenType.NORMAL for token in TOKENS])
    random = np.random.default_rng(0)
    for name, shape in (*ENDS.items(), *MODELS[architecture]()):
        dtype = gguf.GGMLQuantizationType[kind if len(shape) == 2 else "F32"]
        data = gguf.quants.quantize(weights(name, shape, random), dtype)
        if rounds_only:
            data, dtype = gguf.quants.dequantize(data, dtype), gguf.GGMLQuantizationType.F32
        file.add_tensor(name, data, raw_dtype=dtype)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def text_of(program: Path, model: Path, variables: dict[str, str], layers: int) -> str:
    """The letters that the model generates with so many of its layers on CANN0."""
    command = [str(program), "-m", str(model), "-n", str(COUNT), "-ngl", str(layers), PROMPT]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    placed = re.search(r"offloaded (\d+)/", done.stderr)
    if done.returncode or placed is None or int(placed[1]) != min(layers, LAYERS + 1):
        reason = re.search(r"acl\w+ is not in actgrad: [^;\n]+|aclnn\w+: [^\n]+", done.stderr)
        return f"stops: {reason[0] if reason else done.stderr[-500:]}"
    return done.stdout.strip().removeprefix(f"<s> {PROMPT}")


def compared(program: Path, folder: Path, architecture: str, kind: str, variables: dict[str, str], gguf: Any) -> str:
    """A line on one model: the text of both, or both texts."""
    model = reference = folder / f"{architecture}-{kind}.gguf"
    write(model, architecture, kind, gguf)
    if kind.startswith("Q"):  # the CPU rounds activations, too, where weights are quantised
        reference = folder / f"{architecture}-{kind}-as-F32.gguf"
        write(reference, architecture, kind, gguf, rounds_only=True)
    settings = {"ASCEND_RT_VISIBLE_DEVICES": "0"}
    if kind == "F32":  # aclnnTransMatmulWeight does not take float32
        settings["GGML_CANN_WEIGHT_NZ"] = "off"
    expected = text_of(program, reference, variables, 0)
    text = text_of(program, model, variables | settings, LAYERS + 1)
    return f"both generate {text}" if text == expected and len(text) == COUNT else f"{text}, not {expected}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="a folder with llama.cpp's sources")
    parser.add_argument("--build", type=Path, default=Path("build/ggml"), help="the folder of the build")
    options = parser.parse_args()
    checkout, folder = options.checkout.resolve(), options.build.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(checkout / "gguf-py"))
    gguf = importlib.import_module("gguf")
    program, variables = build(checkout, folder, "examples/simple/simple.cpp", "llama")
    status = 0
    for architecture in MODELS:
        for kind in TYPES:
            line = compared(program, folder, architecture, kind, variables, gguf)
            status |= not line.startswith("both")
            print(f"{architecture} {kind}: {line}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
