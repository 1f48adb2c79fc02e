"""The classes of other libraries that `convert` knows, by qualified name, with the versions that were tried.

A row has a digest of the text of the method that it relies on. If the text of the installed version has another digest,
`convert` declines the class and says so. Nothing interprets the text. `tests/pytorch/test_torch_known.py` compares the
digests with what is installed.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import torch

from .. import functions
from .gates import Gate, Parts

_functional = torch.nn.functional


class Foreign(NamedTuple):
    """What is known about a class: what a method of it computes."""

    tried: str  # the library and the versions whose text has the digest
    digest: str  # of the texts of `method` and `helpers`
    gate: Parts | None = None  # the parts of a gated block
    activation: str = ""  # or the name of the activation
    compute: Callable[[Any, Any], Any] | None = None  # or a function of the module and its tensor
    method: str = "forward"
    helpers: tuple[str, ...] = ()  # functions of the class's module that the method calls
    holds: Callable[[Any], bool] = lambda module: True  # whether the row is true for a module at this moment


def digest_of(kind: type, row: Foreign) -> str:
    """The digest of the texts, or "" if there is no text."""
    module = inspect.getmodule(kind)
    try:
        texts = [inspect.getsource(inspect.unwrap(getattr(kind, row.method)))]
        texts += [inspect.getsource(getattr(module, name)) for name in row.helpers]
    except (OSError, TypeError, AttributeError):
        return ""
    return digest("".join(texts))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def fault_of(kind: type, row: Foreign) -> str:
    """Why the row does not hold for the installed version of a class, or ""."""
    found = digest_of(kind, row)
    if found == row.digest:
        return ""
    what = "cannot be read" if not found else f"has the digest {found}"
    return f"the text of its {row.method} {what}, and that of {row.tried} has {row.digest}; declare it to convert"


def _is_tanh_gelu(module: Any) -> bool:
    act = module.act
    return type(act) is partial and act.func is _functional.gelu and act.keywords == {"approximate": "tanh"}


def _clipped_gate(module: Any, x: Any) -> Any:
    return functions.clipped_swiglu(x, alpha=module.alpha, limit=module.limit, bias=1.0, interleaved=True)


def _packed_silu_gate(module: Any, x: Any) -> Any:
    return functions.swiglu(x)


def _gelu_of(module: Any, x: Any) -> Any:
    return functions.gelu(x, approximate=module.approximate)


def _holds_silu(module: Any) -> bool:
    act = vars(module)["_modules"].get("act_fn")
    name = f"{type(act).__module__}.{type(act).__qualname__}"
    return name in ("torch.nn.modules.activation.SiLU", "transformers.activations.SiLUActivation")


_GLU_MLP = Gate("fc2", packed="fc1", act="act", between=("drop1", "norm"), after=("drop2",))
_GLU_MLP_GATE_LAST = replace(_GLU_MLP, is_first=False)


def _parts_of_glu_mlp(module: Any) -> Gate | None:
    if module.chunk_dim != -1:
        return None
    return _GLU_MLP_GATE_LAST if module.gate_last else _GLU_MLP


TRANSFORMERS, TIMM, DIFFUSERS = "transformers 5.24.0", "timm 1.0.31", "diffusers 0.42.1"

ROWS: dict[str, Foreign] = {
    "transformers.activations.GELUTanh": Foreign(
        TRANSFORMERS, "5a5c059a9176beb7", activation="gelu_tanh", holds=_is_tanh_gelu
    ),
    "transformers.activations.NewGELUActivation": Foreign(TRANSFORMERS, "2441603190f0572a", activation="gelu_tanh"),
    "transformers.activations.FastGELUActivation": Foreign(TRANSFORMERS, "97672d6297d2ae8f", activation="gelu_tanh"),
    "transformers.activations.AccurateGELUActivation": Foreign(
        TRANSFORMERS, "7ef78986cad9bb54", activation="gelu_tanh"
    ),
    "transformers.activations.QuickGELUActivation": Foreign(TRANSFORMERS, "fb321dd95138f785", activation="fast_gelu"),
    "transformers.activations.SiLUActivation": Foreign(TRANSFORMERS, "f9eaaa437c9f969e", activation="silu"),
    "transformers.activations.GELUActivation": Foreign(
        TRANSFORMERS, "5a5c059a9176beb7", activation="gelu", holds=lambda module: module.act is _functional.gelu
    ),
    "transformers.activations.MishActivation": Foreign(
        TRANSFORMERS, "5a5c059a9176beb7", activation="mish", holds=lambda module: module.act is _functional.mish
    ),
    "transformers.models.gpt_oss.modeling_gpt_oss.GptOssExperts": Foreign(
        TRANSFORMERS, "4d10025d3b6ab29a", compute=_clipped_gate, method="_apply_gate"
    ),
    "timm.layers.activations.GELU": Foreign(TIMM, "375052b2c2b44c57", activation="gelu"),
    "timm.layers.activations.GELUTanh": Foreign(TIMM, "cf6c5a654839c902", activation="gelu_tanh"),
    "timm.layers.activations.QuickGELU": Foreign(
        TIMM, "2ed58bedf91acc33", activation="fast_gelu", helpers=("quick_gelu",)
    ),
    "timm.layers.activations.Mish": Foreign(TIMM, "687ec67de434d532", activation="mish", helpers=("mish",)),
    "timm.layers.activations.Swish": Foreign(
        TIMM, "8e1ec3c914c701d6", activation="silu", helpers=("swish",), holds=lambda module: not module.inplace
    ),
    "timm.layers.mlp.SwiGLU": Foreign(
        TIMM, "bd07bb9e185510dc", Gate("fc2", "fc1_g", "fc1_x", act="act", between=("drop1", "norm"), after=("drop2",))
    ),
    "timm.layers.mlp.GluMlp": Foreign(TIMM, "ae77fc356e8c7e26", _parts_of_glu_mlp),
    "diffusers.models.activations.GELU": Foreign(
        DIFFUSERS, "d203f2720ee05f35", method="gelu", compute=_gelu_of
    ),
    "diffusers.models.activations.GEGLU": Foreign(
        DIFFUSERS, "553eeddcc433f2e2", method="gelu", compute=lambda module, x: functions.gelu(x)
    ),
    "diffusers.models.activations.SwiGLU": Foreign(
        DIFFUSERS, "bcf100f2c2c779d1", Gate(packed="proj", act="activation", is_first=False)
    ),
}  # fmt: skip

#: Gated blocks of transformers with the same text: digest, parts, and "model.Class" of each class.
BLOCKS: tuple[tuple[str, Gate, str], ...] = (
    (
        "03df2d7685cf8446",
        Gate("down_proj", "gate_proj", "up_proj", act="act_fn"),
        """
        afmoe.AfmoeMLP aimv2.Aimv2MLP aria.AriaSharedExpertsMLP axk1.AXK1MLP axk2.AXK2MLP
        bailing_hybrid.BailingHybridMLP bamba.BambaMLP blt.BltMLP chameleon.ChameleonMLP
        cohere.CohereMLP cohere2.Cohere2MLP cohere2_moe.Cohere2MoeMLP
        cohere_compass.CohereCompassMLP csm.CsmMLP cwm.CwmMLP deepseek_ocr2.DeepseekOcr2VisionMLP
        deepseek_ocr2.DeepseekOcr2TextMLP deepseek_v2.DeepseekV2MLP deepseek_v3.DeepseekV3MLP
        deepseek_v32.DeepseekV32MLP deimv2.Deimv2SwiGLUFFN diffllama.DiffLlamaMLP
        diffusion_gemma.DiffusionGemmaText4MLP dinov2.Dinov2SwiGLUFFN
        dinov2_with_registers.Dinov2WithRegistersSwiGLUFFN dinov3_vit.DINOv3ViTGatedMLP doge.DogeMLP
        dots1.Dots1MLP dots3_note.Dots3NoteTextMLP dots3_note.Dots3NoteVisionMLP
        embedding_gemma2.EmbeddingGemma2MLP emu3.Emu3MLP eomt.EomtSwiGLUFFN
        eomt_dinov3.EomtDinov3GatedMLP ernie4_5.Ernie4_5MLP ernie4_5_moe.Ernie4_5_MoeMLP
        ernie4_5_vl_moe.Ernie4_5_VLMoeMLP esmc.EsmcMLP eurobert.EuroBertMLP evolla.EvollaMLP
        exaone4.Exaone4MLP exaone_moe.ExaoneMoeMLP flex_olmo.FlexOlmoMLP flint.FlintMLP
        gemma.GemmaMLP gemma2.Gemma2MLP gemma3.Gemma3MLP gemma4.Gemma4VisionMLP gemma4.Gemma4TextMLP
        gemma4_unified.Gemma4UnifiedTextMLP glm4_moe.Glm4MoeMLP glm4_moe_lite.Glm4MoeLiteMLP
        glm4v_moe.Glm4vMoeTextMLP glm_moe_dsa.GlmMoeDsaMLP granite.GraniteMLP
        granite4_vision.Granite4VisionTextMLP granite_docling.GraniteDoclingTextMLP
        granite_swa.GraniteSWAMLP helium.HeliumMLP higgs_audio_v2.HiggsAudioV2MLP
        hrm_text.HrmTextMLP hunyuan_v1_dense.HunYuanDenseV1MLP hunyuan_v1_moe.HunYuanMoEV1MLP
        hunyuan_vl.HunYuanVLMLP hy_v3.HYV3MLP hy_v4.HYV4MLP hy_v4_vl.HYV4VLMLP
        hyperclovax.HyperCLOVAXMLP jamba.JambaMLP kimi_linear.KimiLinearMLP kolibri1.Kolibri1MLP
        laguna.LagunaMLP lara_mini.LaraMiniMLP llama.LlamaMLP longcat_flash.LongcatFlashMLP
        mellum.MellumMLP mimo_v2_flash.MiMoV2FlashMLP minicpm3.MiniCPM3MLP ministral.MinistralMLP
        ministral3.Ministral3MLP mistral.MistralMLP mistral4.Mistral4MLP
        mistral_large4.MistralLarge4TextMLP mllama.MllamaTextMLP molmo2.Molmo2MLP
        molmo2.Molmo2ImageProjectorMLP moonshine_streaming.MoonshinMoonshineStreamingDecoderMLP
        muse_glimmer.MuseGlimmerTextMLP muse_glimmer_assistant.MuseGlimmerAssistantMLP
        muse_spark.MuseSparkTextMLP nomic_bert.NomicBertMLP olmo.OlmoMLP olmo2.Olmo2MLP
        olmo3.Olmo3MLP olmo_hybrid.OlmoHybridMLP olmoe.OlmoeMLP ovis2.Ovis2VisionMLP ovis2.Ovis2MLP
        paddleocr_vl.PaddleOCRMLP pe_audio.PeAudioEncoderMLP pe_audio_video.PeAudioVideoEncoderMLP
        pe_video.PeVideoEncoderMLP pixtral.PixtralMLP qwen2.Qwen2MLP qwen2_5_vl.Qwen2MLP
        qwen2_moe.Qwen2MoeMLP qwen2_vl.Qwen2MLP qwen3.Qwen3MLP qwen3_5.Qwen3_5MLP
        qwen3_5_moe.Qwen3_5MoeMLP qwen3_moe.Qwen3MoeMLP qwen3_next.Qwen3NextMLP
        qwen3_omni_moe.Qwen3OmniMoeThinkerTextMLP qwen3_omni_moe.Qwen3OmniMoeMLP
        qwen3_omni_moe.Qwen3OmniMoeTalkerTextMLP qwen3_omni_moe.Qwen3OmniMoeCode2WavMlp
        qwen3_vl.Qwen3VLTextMLP qwen3_vl_moe.Qwen3VLMoeTextMLP qwen4_exp.Qwen4ExpTextMLP
        radio.RadioSwiGLUFFN rf_detr.RfDetrDinov2SwiGLUFFN sapiens2.Sapiens2GatedMLP
        smollm3.SmolLM3MLP solar_open.SolarOpenMLP stablelm.StableLmMLP tipsv2.Tipsv2VisionSwiGLUFFN
        ultrabert.UltrabertMLP unlimited_ocr.UnlimitedOcrTextMLP vaultgemma.VaultGemmaMLP
        vibevoice.VibeVoiceMLP videomt.VideomtGatedMLP videomt.VideomtSwiGLUFFN
        voxtral_realtime.VoxtralRealtimeMLP voxtral_realtime.VoxtralRealtimeTextMLP youtu.YoutuMLP
        zamba.ZambaMLP
        """,
    ),
    (
        "1e1715d7e10e8420",
        Gate("down_proj", "gate_proj", "up_proj", act="act_fn"),
        """
        exaone4_5.Exaone4_5_MLP glm4v.Glm4VisionMlp glm4v_moe.Glm4vMoeisionMlp
        glm_ocr.GlmOcrVisionMlp qwen2_5_omni.Qwen2_5OmniMLP qwen2_5_omni.Qwen2MLP
        qwen2_5_vl.Qwen2_5_VLMLP
        """,
    ),
    (
        "43ad9e4df02576fa",
        Gate("down_proj", "gate_proj", "up_proj", act="act_fn"),
        """
        idefics.IdeficsMLP idefics2.Idefics2MLP
        """,
    ),
    (
        "88b6d2f348f85749",
        Gate("down_proj", "gate_proj", "up_proj", act="act_fn"),
        """
        recurrent_gemma.RecurrentGemmaMlp
        """,
    ),
    (
        "70e72757e03e8774",
        Gate("down_proj", "gate_proj", "up_proj", act="activation_fn"),
        """
        llama4.Llama4TextMLP
        """,
    ),
    (
        "df12dab51a881874",
        Gate("down_proj", "gate_proj", "up_proj", act="act_fn", between=("dropout",)),
        """
        t5gemma.T5GemmaMLP t5gemma2.T5Gemma2MLP
        """,
    ),
    (
        "2b3a5626ef026386",
        Gate("down_proj", "gate_proj", "up_proj", act="act_fn", between=("dropout",)),
        """
        gte.GteMLP
        """,
    ),
    (
        "f73d6f9ad65c2d7d",
        Gate("down_proj", "gate_proj", "up_proj", act="act_fn", between=("ffn_sub_norm",)),
        """
        bitnet.BitNetMLP
        """,
    ),
    (
        "3f5c41a204c168ae",
        Gate("wo", "wi_0", "wi_1", act="act", between=("dropout",)),
        """
        kosmos2_5.Kosmos2_5VisionMlp mt5.MT5DenseGatedActDense pix2struct.Pix2StructVisionMlp
        pix2struct.Pix2StructTextDenseGatedActDense pop2piano.Pop2PianoDenseGatedActDense
        t5.T5DenseGatedActDense udop.UdopDenseGatedActDense umt5.UMT5DenseGatedActDense
        """,
    ),
    (
        "86a5d132f7350600",
        Gate("wo", "wi_0", "wi_1", act="act", between=("dropout",)),
        """
        longt5.LongT5DenseGatedActDense
        """,
    ),
    (
        "5574ea9d1470c190",
        Gate("down_proj", packed="gate_up_proj", act="activation_fn"),
        """
        dia.DiaMLP dots3_note.Dots3NoteAudioMLP esmfold2.EsmFold2SwiGLU glm.GlmMLP glm4.Glm4MLP
        glm4v.Glm4vTextMLP glm_image.GlmImageTextMLP glm_ocr.GlmOcrTextMLP phi3.Phi3MLP
        phi4_multimodal.Phi4MultimodalMLP
        """,
    ),
    (
        "b9290dba15ee8889",
        Gate("output_linear", packed="input_linear", act="activation"),
        """
        granitemoe_swa.GraniteMoeSWAMLP granitemoehybrid.GraniteMoeHybridMLP
        granitemoeshared.GraniteMoeSharedMLP
        """,
    ),
    (
        "a6847024a06b9975",
        Gate("Wo", packed="Wi", act="act", between=("drop",)),
        """
        modernbert.ModernBertMLP modernbert_decoder.ModernBertDecoderMLP
        """,
    ),
    (
        "edfc0d7434350c5e",
        Gate("fc2", packed="fc1", act="activation_fn", is_first=False),
        """
        moonshine.MoonshineDecoderMLP moonshine_streaming.MoonshineStreamingDecoderMLP
        """,
    ),
)

#: Classes of experts of transformers whose `_apply_gate` is the library's default: act_fn(gate) * up.
EXPERTS = """
afmoe.AfmoeExperts axk1.AXK1Experts axk2.AXK2Experts bailing_hybrid.BailingHybridExperts
cohere2_moe.Cohere2MoeExperts deepseek_ocr2.DeepseekOcr2TextExperts deepseek_v2.DeepseekV2Experts
deepseek_v3.DeepseekV3Experts deepseek_v32.DeepseekV32Experts diffusion_gemma.DiffusionGemmaTextExperts
dots1.Dots1Experts dots3_note.Dots3NoteExperts ernie4_5_moe.Ernie4_5_MoeExperts
ernie4_5_vl_moe.Ernie4_5_VLMoeMoeExperts exaone_moe.ExaoneMoeExperts flex_olmo.FlexOlmoExperts
flint.FlintExperts gemma4.Gemma4TextExperts glm4_moe.Glm4MoeExperts glm4_moe_lite.Glm4MoeLiteExperts
glm4v_moe.Glm4vMoeTextExperts glm_moe_dsa.GlmMoeDsaExperts granitemoe.GraniteMoeExperts
granitemoe_swa.GraniteMoeSWAExperts granitemoehybrid.GraniteMoeHybridExperts
granitemoeshared.GraniteMoeSharedExperts hunyuan_v1_moe.HunYuanMoEV1Experts hy_v3.HYV3Experts
inkling.InklingExperts jamba.JambaExperts kimi_linear.KimiLinearExperts kolibri1.Kolibri1Experts
laguna.LagunaExperts lara_mini.LaraMiniExperts lfm2_moe.Lfm2MoeExperts mellum.MellumExperts
mimo_v2_flash.MiMoV2FlashExperts minimax.MiniMaxExperts minimax_m2.MiniMaxM2Experts mistral4.Mistral4Experts
mistral_large4.MistralLarge4TextExperts mixtral.MixtralExperts olmoe.OlmoeExperts phimoe.PhimoeExperts
qwen2_moe.Qwen2MoeExperts qwen3_5_moe.Qwen3_5MoeExperts qwen3_moe.Qwen3MoeExperts qwen3_next.Qwen3NextExperts
qwen3_omni_moe.Qwen3OmniMoeThinkerTextExperts qwen3_omni_moe.Qwen3OmniMoeTalkerTextExperts
qwen3_vl_moe.Qwen3VLMoeTextExperts qwen4_exp.Qwen4ExpTextExperts solar_open.SolarOpenExperts
unlimited_ocr.UnlimitedOcrTextExperts zaya.ZayaExperts
"""


def _names(text: str) -> Iterator[str]:
    for name in text.split():
        model, _, kind = name.rpartition(".")
        yield f"transformers.models.{model}.modeling_{model}.{kind}"


@cache
def rows() -> dict[str, Foreign]:
    """The rows by the qualified names of classes."""
    table = dict(ROWS)
    for digest_of_text, gate, classes in BLOCKS:
        table.update({name: Foreign(TRANSFORMERS, digest_of_text, gate) for name in _names(classes)})
    experts = Foreign(
        TRANSFORMERS, "2d8844be94e54259", compute=_packed_silu_gate, method="_apply_gate", holds=_holds_silu
    )
    table.update(dict.fromkeys(_names(EXPERTS), experts))
    return table


def row_of(kind: type) -> Foreign | None:
    """The row of a class, or None."""
    return rows().get(f"{kind.__module__}.{kind.__qualname__}")
