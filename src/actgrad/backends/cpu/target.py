"""The processor that machine code is made for: this machine's, or one named for tests and deployments."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

from ...base.errors import BackendUnavailable, InvalidArgument

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


LINE = 64  # bytes of a cache line


@dataclass(frozen=True, slots=True)
class Target:
    """An instruction set, and what the code generator may count on in it."""

    name: str
    triple: str
    cpu: str  # LLVM's name
    features: str  # LLVM's flags
    vector_bytes: int
    unroll: int  # vectors per step: their chains of operations overlap
    in_turn: bool  # one instruction of each after the other, see flow.py; else one vector after the other
    fma: bool  # fused multiply-add in hardware
    half: bool  # float16 <-> float32 in hardware
    scalef: bool  # x * 2**n in one instruction
    fixup: bool  # NaNs replaced in one instruction
    lookups: str  # how vectors of floats are looked up: "gathered", or "noted" before; "" where computing is as fast
    pairs: bool  # two vectors of bfloat16 are taken apart into even and odd elements; only where they come in turn
    picks: str  # where it picks coefficients from, see pieces.py; "" where that is not worth its time
    masked_bytes: tuple[int, ...]  # element sizes that masked loads and stores exist for
    fetched: int  # how many bytes further on rows ask for their inputs, where stores are streamed; 0 for not at all
    fence: str  # what ends a series of streaming stores; "" where there are none worth having

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


def _x86(name: str, cpu: str, features: str = "") -> Target:
    """The x86-64 targets; vectors as wide as the registers."""
    bits = {"avx512": 64, "avx2": 32, "x86-64": 16}[name]
    modern, wide = name != "x86-64", name == "avx512"
    triple = llvm.get_default_triple() if _is_x86() else "x86_64-unknown-linux-gnu"
    return Target(
        name, triple, cpu, features, bits, unroll=2 if wide else 4, in_turn=not wide,
        fma=modern, half=modern, scalef=wide, fixup=wide,
        lookups="gathered" if wide else "noted", pairs=not wide,
        picks="registers" if wide else "memory" if modern else "",
        masked_bytes=(1, 2, 4, 8) if wide else (4, 8) if modern else (),
        fetched=0 if wide else 1024, fence="llvm.x86.sse.sfence",
    )  # fmt: skip


def _is_x86() -> bool:
    return str(llvm.get_default_triple()).startswith("x86_64")


def _aarch64(cpu: str, features: str = "") -> Target:
    triple = llvm.get_default_triple()
    triple = triple if triple.startswith(("aarch64", "arm64")) else "aarch64-unknown-linux-gnu"
    return Target(
        "aarch64", triple, cpu, features, vector_bytes=16, unroll=2, in_turn=False, fma=True, half=True, scalef=False,
        fixup=False, lookups="", pairs=False, picks="", masked_bytes=(), fetched=0, fence="",
    )  # fmt: skip


NAMES = ("avx512", "avx2", "x86-64", "aarch64")


@cache
def named(name: str) -> Target:
    """The target called `name`: code for the plainest processor that has it."""
    if name == "aarch64":
        return _aarch64("generic")
    cpus = {"avx512": "x86-64-v4", "avx2": "x86-64-v3", "x86-64": "x86-64"}
    if name not in cpus:
        raise InvalidArgument(f"target processor is {name!r}; known: {', '.join(NAMES)}")
    return _x86(name, cpus[name])


#: What a processor must have for a target's code.
_NEEDS = {
    "avx512": ("avx512f", "avx512bw", "avx512dq", "avx512vl", "fma"),
    "avx2": ("avx2", "fma", "f16c"),
    "x86-64": ("sse2",),
}


@cache
def host() -> Target:
    """The best target that this machine runs, or the one that ACTGRAD_CPU names."""
    triple, cpu, features = llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features()
    if _is_x86():
        able = {name: _x86(name, cpu, features.flatten()) for name in _NEEDS if all(map(features.get, _NEEDS[name]))}
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
