"""Small models of transformers, timm and diffusers with random weights, for `scripts/models.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch

BATCH, TOKENS, WORDS = 4, 128, 512

SIZES = {
    "hidden_size": 128, "intermediate_size": 512, "num_hidden_layers": 1, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 32, "vocab_size": WORDS, "max_position_embeddings": 256,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
#: Configurations of transformers by their type, with what differs from SIZES.
TRANSFORMERS: dict[str, dict[str, Any]] = {
    "bert": {}, "roberta": {}, "albert": {"embedding_size": 64}, "electra": {"embedding_size": 64},
    "distilbert": {"dim": 128, "hidden_dim": 512, "n_layers": 1, "n_heads": 4}, "deberta-v2": {}, "modernbert": {},
    "gpt2": {}, "gpt_neo": {"attention_types": [[["global"], 1]]}, "gpt_neox": {}, "gptj": {"rotary_dim": 16},
    "bloom": {}, "falcon": {}, "opt": {"ffn_dim": 512, "word_embed_proj_dim": 128}, "phi": {},
    "llama": {}, "mistral": {}, "qwen2": {}, "qwen3": {}, "gemma": {}, "gemma2": {}, "starcoder2": {},
    "t5": {"d_model": 128, "d_ff": 512, "d_kv": 32, "num_layers": 1, "num_heads": 4, "feed_forward_proj": "gated-gelu"},
    "vit": {"image_size": 64, "patch_size": 8},
    "phi3": {}, "olmo2": {}, "granite": {}, "stablelm": {}, "nemotron": {}, "glm": {}, "mpnet": {}, "megatron-bert": {},
    "mixtral": {"num_local_experts": 4},
    "qwen3_moe": {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 256},
    "gpt_oss": {"num_local_experts": 4, "num_experts_per_tok": 2, "layer_types": ["full_attention"]},
    "olmo": {}, "cohere": {}, "gemma3_text": {}, "smollm3": {},
    "whisper": {
        "d_model": 128, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 512, "decoder_ffn_dim": 512, "max_source_positions": 64,
        "decoder_start_token_id": 1,
    },
    "codegen": {"rotary_dim": 16}, "xglm": {"d_model": 128, "ffn_dim": 512, "num_layers": 1, "attention_heads": 4},
    "biogpt": {}, "gpt_bigcode": {}, "roformer": {"embedding_size": 128}, "convbert": {"embedding_size": 128},
    "xlnet": {"d_model": 128, "d_inner": 512, "n_layer": 1, "n_head": 4}, "persimmon": {},
    "mpt": {"d_model": 128, "n_heads": 4, "n_layers": 1}, "olmoe": {"num_experts": 4, "num_experts_per_tok": 2},
    "qwen2_moe": {
        "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 256,
        "shared_expert_intermediate_size": 256,
    },
    "glm4": {}, "cohere2": {}, "helium": {}, "arcee": {}, "seed_oss": {},
}  # fmt: skip
TIMM = {
    "vit_tiny_patch16_224": 224, "convnext_atto": 64, "mixer_s32_224": 224, "efficientnet_b0": 64,
    "mobilenetv3_small_050": 64, "swin_tiny_patch4_window7_224": 224, "eva02_tiny_patch14_224": 224, "lcnet_050": 64,
    "regnety_002": 64, "ghostnet_100": 64, "mobilevit_xxs": 128, "poolformer_s12": 64,
    "resnet50": 64, "densenet121": 64,
    "xcit_nano_12_p16_224": 224, "gmlp_s16_224": 224, "resmlp_12_224": 224, "mobilenetv2_050": 64,
    "tf_efficientnetv2_b0": 64, "repvgg_a0": 64, "edgenext_xx_small": 64, "rexnet_100": 64, "hgnetv2_b0": 64,
    "pvt_v2_b0": 64, "levit_128": 224, "fastvit_t8": 64, "convnextv2_atto": 64, "mobileone_s0": 64,
}  # fmt: skip


def models() -> Iterator[tuple[str, Callable[[], tuple[Any, Any]]]]:
    """The models of the libraries that are there: names, and functions that make one with its inputs."""
    for library, models_of in (("transformers", of_transformers), ("timm", of_timm), ("diffusers", of_diffusers)):
        try:
            __import__(library)
        except Exception as fault:
            print(f"{library} is left out: {fault}", file=sys.stderr)
        else:
            yield from models_of()


def of_transformers() -> Iterator[tuple[str, Callable[[], tuple[Any, Any]]]]:
    """Models of text and of images."""
    from transformers import AutoConfig, AutoModel

    def make(kind: str, sizes: dict[str, Any]) -> tuple[Any, Any]:
        defaults = AutoConfig.for_model(kind)
        is_derived = {name for name in SIZES if isinstance(getattr(type(defaults), name, None), property)}
        common = {name: value for name, value in SIZES.items() if hasattr(defaults, name) and name not in is_derived}
        config = AutoConfig.for_model(kind, **{**common, **sizes})
        model = AutoModel.from_config(config).float().train()
        if kind == "vit":
            return model, {"pixel_values": torch.randn(BATCH, 3, 64, 64)}
        tokens = torch.randint(3, WORDS, (BATCH, TOKENS))
        if kind == "whisper":
            return model, {"input_features": torch.randn(BATCH, 80, 128), "decoder_input_ids": tokens}
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
