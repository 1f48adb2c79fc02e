"""The target of code generation: this machine's processor, or a processor that tests and deployments name."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache

import llvmlite.binding as llvm

from ...base.errors import BackendUnavailable, InvalidArgument, either
from . import tuning
from .tuning import Tuning

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
llvm.parse_assembly("")  # creates LLVM's context now: code that runs when a process ends may still need it


LINE = 64  # bytes of a cache line


@dataclass(frozen=True, slots=True)
class Target:
    """Facts about a processor: its name for LLVM, and the instructions that the code generator may use."""

    name: str
    triple: str
    cpu: str  # LLVM's name
    features: str  # LLVM's flags
    vector_bytes: int
    required: tuple[str, ...]  # LLVM's features that the code uses
    tuning: Tuning
    fma: bool = False  # fused multiply-add
    half: bool = False  # converts between float16 and float32
    scalef: bool = False  # has an instruction for x * 2**n
    fixup: bool = False  # one instruction replaces NaNs
    masked_bytes: tuple[int, ...] = ()  # element sizes of masked loads and stores
    fence: str = ""  # the intrinsic that ends a series of streaming stores; "" without streaming stores

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


_SSE2 = Target(
    "x86-64", "x86_64-unknown-linux-gnu", "x86-64", "", 16, ("sse2",), tuning.SSE2, fence="llvm.x86.sse.sfence"
)
_AVX2 = replace(
    _SSE2,
    name="avx2",
    cpu="x86-64-v3",
    vector_bytes=32,
    required=("avx2", "fma", "f16c"),
    tuning=tuning.AVX2,
    fma=True,
    half=True,
    masked_bytes=(4, 8),
)
_AVX512 = replace(
    _AVX2,
    name="avx512",
    cpu="x86-64-v4",
    vector_bytes=64,
    required=("avx512f", "avx512bw", "avx512dq", "avx512vl", "fma"),
    tuning=tuning.AVX512,
    scalef=True,
    fixup=True,
    masked_bytes=(1, 2, 4, 8),
)
_AARCH64 = Target(
    "aarch64", "aarch64-unknown-linux-gnu", "generic", "", 16, (), tuning.AARCH64, fma=True, half=True
)  # fmt: skip
_BASELINES = {target.name: target for target in (_AVX512, _AVX2, _SSE2, _AARCH64)}  # in order of preference
NAMES = tuple(_BASELINES)


def _is_of_this_machine(target: Target) -> bool:
    """Whether this machine's processor is of the target's family."""
    machine = str(llvm.get_default_triple()).partition("-")[0].replace("arm64", "aarch64")
    return target.triple.startswith(machine)


@cache
def find(name: str) -> Target:
    """The target called `name`: code for the least capable processor with these instructions."""
    if name not in NAMES:
        raise InvalidArgument(f"target processor is {name!r}; it must be {either(NAMES)}; pass one of these")
    target = _BASELINES[name]
    return replace(target, triple=llvm.get_default_triple()) if _is_of_this_machine(target) else target


@cache
def host() -> Target:
    """The best target that this machine runs, or the target that ACTGRAD_CPU names."""
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features()
    family = [name for name in NAMES if _is_of_this_machine(_BASELINES[name])]
    if not family:
        triple = llvm.get_default_triple()
        raise BackendUnavailable(
            f"this machine is {triple}; the CPU backend must have x86-64 or ARM; pass backend='reference'"
        )
    able = [name for name in family if all(map(features.get, _BASELINES[name].required))]
    choice = os.environ.get("ACTGRAD_CPU")
    if not choice:
        return replace(find(able[0]), cpu=cpu, features=features.flatten())
    if choice not in able:
        raise InvalidArgument(
            f"ACTGRAD_CPU is {choice!r}; on this machine it must be {either(able)}; set one of these or unset it"
        )
    return find(choice)
