"""The target of code generation: this machine's processor, or one named for tests and deployments."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

from ...base.errors import BackendUnavailable, InvalidArgument
from . import tuning
from .tuning import Tuning

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


LINE = 64  # bytes of a cache line


@dataclass(frozen=True, slots=True)
class Target:
    """Facts about a processor: its name for LLVM, and the instructions that the code generator may use."""

    name: str
    triple: str
    cpu: str  # LLVM's name
    features: str  # LLVM's flags
    vector_bytes: int
    fma: bool  # fused multiply-add
    half: bool  # float16 <-> float32
    scalef: bool  # x * 2**n in one instruction
    fixup: bool  # NaNs replaced in one instruction
    masked_bytes: tuple[int, ...]  # element sizes of masked loads and stores
    fence: str  # the intrinsic that ends a series of streaming stores; "" without streaming stores
    tuning: Tuning

    def __str__(self) -> str:
        return f"{self.name}, {self.vector_bytes * 8}-bit vectors"

    def machine(self) -> llvm.TargetMachine:
        """LLVM's code generator for this target."""
        if self.triple != llvm.get_default_triple():
            llvm.initialize_all_targets()
            llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(self.triple)
        return target.create_target_machine(
            cpu=self.cpu, features=self.features, opt=3, reloc="pic", codemodel="jitdefault"
        )


_TUNINGS = {"avx512": tuning.AVX512, "avx2": tuning.AVX2, "x86-64": tuning.SSE2}


def _x86(name: str, cpu: str, features: str = "") -> Target:
    """An x86-64 target; its vectors are as wide as its registers."""
    modern, wide = name != "x86-64", name == "avx512"
    return Target(
        name,
        llvm.get_default_triple() if _is_x86() else "x86_64-unknown-linux-gnu",
        cpu,
        features,
        vector_bytes={"avx512": 64, "avx2": 32, "x86-64": 16}[name],
        fma=modern,
        half=modern,
        scalef=wide,
        fixup=wide,
        masked_bytes=(1, 2, 4, 8) if wide else (4, 8) if modern else (),
        fence="llvm.x86.sse.sfence",
        tuning=_TUNINGS[name],
    )


def _is_x86() -> bool:
    return str(llvm.get_default_triple()).startswith("x86_64")


def _aarch64(cpu: str, features: str = "") -> Target:
    triple = llvm.get_default_triple()
    return Target(
        "aarch64",
        triple if triple.startswith(("aarch64", "arm64")) else "aarch64-unknown-linux-gnu",
        cpu,
        features,
        vector_bytes=16,
        fma=True,
        half=True,
        scalef=False,
        fixup=False,
        masked_bytes=(),
        fence="",
        tuning=tuning.AARCH64,
    )


NAMES = ("avx512", "avx2", "x86-64", "aarch64")


@cache
def named(name: str) -> Target:
    """The target called `name`: code for the plainest processor that has its instructions."""
    if name == "aarch64":
        return _aarch64("generic")
    cpus = {"avx512": "x86-64-v4", "avx2": "x86-64-v3", "x86-64": "x86-64"}
    if name not in cpus:
        raise InvalidArgument(f"target processor is {name!r}; known: {', '.join(NAMES)}")
    return _x86(name, cpus[name])


#: The processor features that each target's code uses.
_FEATURES = {
    "avx512": ("avx512f", "avx512bw", "avx512dq", "avx512vl", "fma"),
    "avx2": ("avx2", "fma", "f16c"),
    "x86-64": ("sse2",),
}


@cache
def host() -> Target:
    """The best target that this machine runs, or the one that ACTGRAD_CPU names."""
    triple, cpu, features = llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features()
    if _is_x86():
        names = [name for name, required in _FEATURES.items() if all(map(features.get, required))]
        able = {name: _x86(name, cpu, features.flatten()) for name in names}
    elif triple.startswith(("aarch64", "arm64")):
        able = {"aarch64": _aarch64(cpu, features.flatten())}
    else:
        raise BackendUnavailable(f"the CPU backend has no code for {triple}; backend='reference' runs everywhere")
    asked = os.environ.get("ACTGRAD_CPU")
    if not asked:
        return next(iter(able.values()))
    if asked not in able:
        raise InvalidArgument(f"ACTGRAD_CPU is {asked!r}, which this machine does not run; it runs {', '.join(able)}")
    return named(asked)
