"""The table of models before and after `actgrad.torch.convert`: transformers, timm and diffusers, small and random.

Each library that is missing is left out, with a line that says so. A model is small so that its activations take a
share of the time that large models give them too.
"""

from __future__ import annotations

import argparse
import logging
import re
import statistics
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch._inductor.config
from torch._inductor import metrics

import actgrad.torch
from actgrad.backends.cpu.target import host
from actgrad.torch import ModelReport
from actgrad.writing.documents import write_part

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.machine import processor

PART = "models"
BATCH, TOKENS, WORDS = 4, 128, 512

SIZES = {
    "hidden_size": 128, "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 32, "vocab_size": WORDS, "max_position_embeddings": 256,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
#: Configurations of transformers by their type, with what differs from SIZES.
TRANSFORMERS: dict[str, dict[str, Any]] = {
    "bert": {}, "roberta": {}, "albert": {"embedding_size": 64}, "electra": {"embedding_size": 64},
    "distilbert": {"dim": 128, "hidden_dim": 512, "n_layers": 2, "n_heads": 4}, "deberta-v2": {}, "modernbert": {},
    "gpt2": {}, "gpt_neo": {"attention_types": [[["global"], 2]]}, "gpt_neox": {}, "gptj": {"rotary_dim": 16},
    "bloom": {}, "falcon": {}, "opt": {"ffn_dim": 512, "word_embed_proj_dim": 128}, "phi": {},
    "llama": {}, "mistral": {}, "qwen2": {}, "qwen3": {}, "gemma": {}, "gemma2": {}, "starcoder2": {},
    "t5": {"d_model": 128, "d_ff": 512, "d_kv": 32, "num_layers": 2, "num_heads": 4, "feed_forward_proj": "gated-gelu"},
    "vit": {"image_size": 64, "patch_size": 8},
    "phi3": {}, "olmo2": {}, "granite": {}, "stablelm": {}, "nemotron": {}, "glm": {}, "mpnet": {}, "megatron-bert": {},
    "mixtral": {"num_local_experts": 4},
    "qwen3_moe": {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 256},
}  # fmt: skip
TIMM = {
    "vit_tiny_patch16_224": 224, "convnext_atto": 64, "mixer_s32_224": 224, "efficientnet_b0": 64,
    "mobilenetv3_small_050": 64, "swin_tiny_patch4_window7_224": 224, "eva02_tiny_patch14_224": 224, "lcnet_050": 64,
    "regnety_002": 64, "ghostnet_100": 64, "mobilevit_xxs": 128, "poolformer_s12": 64,
}  # fmt: skip


def main() -> None:
    """Print the table, or write it into docs/models.md."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  python scripts/models.py --write docs/models.md",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table into this document")
    parser.add_argument(
        "--compiled", action="store_true", help="measure with torch.compile too, which takes minutes each"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only models with this in their names")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch (%(default)s)")
    parser.add_argument("--row", metavar="MODEL", help="print the row of one model, as the table's own processes do")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    warnings.simplefilter("ignore")
    if given.row:
        print(row(given.row, given.compiled))
        return
    options = ["--compiled"] * given.compiled + ["--threads", str(given.threads)]
    lines = list(rows(given.only, given.compiled, options))
    table = "\n".join([*summary(lines), "", *lines, ""])
    versions = [
        f"{name} {sys.modules[name].__version__}"
        for name in ("transformers", "timm", "diffusers")
        if name in sys.modules
    ]
    machine = f"{processor()}, {host()}, {given.threads} thread"
    made_with = f"Measured on {machine}, PyTorch {torch.__version__}, {', '.join(versions)}.\n\n"
    if given.write:
        write_part(given.write, PART, made_with + table)
    else:
        print(made_with + table, end="")


def rows(only: str, compiled: bool, options: list[str]) -> Iterator[str]:
    """The table, line by line. Each model has a process of its own, because graphs of others stay in memory."""
    titles = ["model", "found", "swapped", "functional calls", "output", "gradient", "time", "peak memory"]
    titles += ["time, compiled", "peak, compiled", "kernels, compiled", "bytes, compiled"] * compiled
    yield f"| {' | '.join(titles)} |"
    yield "| --- " + "| ---: " * (len(titles) - 1) + "|"
    for name, _ in models():
        if only in name:
            command = [sys.executable, __file__, "--row", name, *options]
            process = subprocess.run(command, stdout=subprocess.PIPE, text=True)
            if process.returncode == 0:
                yield process.stdout.strip()


def row(name: str, compiled: bool) -> str:
    """The row of a model. Its report goes to the standard error."""
    torch.manual_seed(0)
    model, inputs = dict(models())[name]()
    report = actgrad.torch.report(model, inputs, compiled=compiled)
    print(f"{name}\n{report}\n", file=sys.stderr)
    compiled_cells = graph_cells(model, inputs) if compiled else ()
    return f"| {' | '.join([name, *cells(report), *compiled_cells])} |"


def graph_cells(model: torch.nn.Module, inputs: Any) -> Iterator[str]:
    """Kernels of a compiled training step, and the bytes that they move, before and after the conversion."""
    count_bytes = logging.getLogger("torch._inductor.compile_fx.__inductor_metrics")
    count_bytes.setLevel(logging.INFO)  # inductor counts bytes only where it would log them
    count_bytes.propagate = False
    actgrad.torch.revert(model)
    kernels, moved = graph_costs(model, inputs)
    actgrad.torch.convert(model, inputs=inputs)
    kernels_after, moved_after = graph_costs(model, inputs)
    yield f"{kernels} → {kernels_after} ({kernels_after / kernels:.2f})"
    yield f"{moved / 2**20:.1f} → {moved_after / 2**20:.1f} MiB ({moved_after / moved:.2f})"


def graph_costs(model: torch.nn.Module, inputs: Any) -> tuple[int, int]:
    """The kernels of a compiled training step, with actgrad's own, and the bytes of all nodes of its graphs."""
    torch._dynamo.reset()
    metrics.reset()
    run = torch.compile(model)

    def step() -> None:
        result = (
            run(**inputs) if isinstance(inputs, dict) else run(*inputs) if isinstance(inputs, tuple) else run(inputs)
        )
        leaves = [
            leaf for leaf in torch.utils._pytree.tree_leaves(result) if torch.is_tensor(leaf) and leaf.requires_grad
        ]
        torch.stack([leaf.float().sum() for leaf in leaves]).sum().backward()
        model.zero_grad()

    with torch._inductor.config.patch(force_disable_caches=True):
        step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        step()
    operators = sum(event.name.startswith("actgrad::") for event in profile.events())
    return metrics.generated_kernel_count + operators, metrics.num_bytes_accessed


def summary(lines: list[str]) -> Iterator[str]:
    """A table of the ratios over all models, from the lines of the table of models."""
    titles, _, *models = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    yield "| ratio of after to before, all models | median | least | largest |"
    yield "| --- | ---: | ---: | ---: |"
    for column, title in list(enumerate(titles))[6:]:
        ratios = [float(re.findall(r"\(([\d.]+)\)", model[column])[0]) for model in models]
        yield f"| {title} | {statistics.median(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f} |"


def cells(report: ModelReport) -> Iterator[str]:
    """A model's row; ratios are those of after to before."""
    calls = sum(report.conversion.calls.values())
    yield str(len(report.conversion) + calls)
    yield str(len(report.conversion.swapped))
    yield str(calls)
    yield f"{report.output:.1e}"
    yield f"{report.gradient:.1e}"
    for step in report.ways.values():
        (before, after), (most, least) = step.seconds, step.peak
        yield f"{before * 1e3:.1f} → {after * 1e3:.1f} ms ({after / before:.2f})"
        yield f"{most / 2**20:.1f} → {least / 2**20:.1f} MiB ({least / most:.2f})"


def models() -> Iterator[tuple[str, Callable[[], tuple[Any, Any]]]]:
    """The models of the libraries that are there: names, and functions that make one with its inputs."""
    for library, found in (("transformers", of_transformers), ("timm", of_timm), ("diffusers", of_diffusers)):
        try:
            __import__(library)
        except Exception as fault:
            print(f"{library} is left out: {fault}", file=sys.stderr)
        else:
            yield from found()


def of_transformers() -> Iterator[tuple[str, Callable[[], tuple[Any, Any]]]]:
    """Models of text and of images."""
    from transformers import AutoConfig, AutoModel

    def make(kind: str, sizes: dict[str, Any]) -> tuple[Any, Any]:
        known = AutoConfig.for_model(kind)
        is_derived = {name for name in SIZES if isinstance(getattr(type(known), name, None), property)}
        own = {name: value for name, value in SIZES.items() if hasattr(known, name) and name not in is_derived}
        config = AutoConfig.for_model(kind, **{**own, **sizes})
        model = AutoModel.from_config(config).float().train()
        if kind == "vit":
            return model, {"pixel_values": torch.randn(BATCH, 3, 64, 64)}
        tokens = torch.randint(3, WORDS, (BATCH, TOKENS))
        return model, {"input_ids": tokens, **({"decoder_input_ids": tokens} if kind == "t5" else {})}

    for kind, sizes in TRANSFORMERS.items():
        yield f"transformers {kind}", lambda kind=kind, sizes=sizes: make(kind, sizes)


def of_timm() -> Iterator[tuple[str, Callable[[], tuple[Any, Any]]]]:
    """Models of images."""
    import timm

    for name, size in TIMM.items():
        yield (
            f"timm {name}",
            lambda name=name, size=size: (timm.create_model(name).train(), torch.randn(2, 3, size, size)),
        )


def of_diffusers() -> Iterator[tuple[str, Callable[[], tuple[Any, Any]]]]:
    """A denoising network, its transformer, and a network that encodes images."""
    from diffusers import AutoencoderKL, DiTTransformer2DModel, UNet2DConditionModel

    def unet() -> tuple[Any, Any]:
        model = UNet2DConditionModel(
            sample_size=16, block_out_channels=(32, 64), layers_per_block=1, cross_attention_dim=32, norm_num_groups=8,
            down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
            up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        )  # fmt: skip
        return model, (torch.randn(2, 4, 16, 16), torch.tensor(3), torch.randn(2, 8, 32))

    def dit() -> tuple[Any, Any]:
        model = DiTTransformer2DModel(num_attention_heads=4, attention_head_dim=32, num_layers=2, sample_size=16)
        timesteps = torch.tensor([1, 2])
        return model, {"hidden_states": torch.randn(2, 4, 16, 16), "timestep": timesteps, "class_labels": timesteps}

    def encoder() -> tuple[Any, Any]:
        return AutoencoderKL(block_out_channels=(32,), norm_num_groups=8), torch.randn(2, 3, 32, 32)

    yield from (
        ("diffusers UNet2DConditionModel", unet),
        ("diffusers DiTTransformer2DModel", dit),
        ("diffusers AutoencoderKL", encoder),
    )


if __name__ == "__main__":
    main()
