"""Choices that measurements made, one `Tuning` for each target; each names the machine that it was measured on.

Constants that all targets share are in the modules that use them: `ir_builder`, `inner_loop`, `schedule`, `packing`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class RowReading:
    """Sizes in bytes for rows that are apart in memory; see `driver`."""

    longest_copied: int  # the processor reads longer rows well without a copy
    longest_prefetched: int
    prefetched: int  # of a later row, from its beginning on
    chunk: int  # prefetched at a time


@dataclass(frozen=True, slots=True)
class Tuning:
    """The shape of the generated code where several shapes give the same bits. The defaults are the plainest code."""

    unroll: int = 2  # vectors per step of the main loop: their chains of operations overlap
    unroll_pieces: int | None = None  # the same for formulas with piecewise polynomials, whose tables take registers
    row_unroll: int = 2  # the same for formulas with statistics of rows
    row_interleave: bool = False  # as `interleave`, for formulas with statistics of rows
    interleave: bool = False  # alternates the instructions of a step's vectors; see IRFunction.interleave
    looks_formulas_up: bool = False  # in tables of half-precision formulas; see FormulaTable
    computed_float16: tuple[str, ...] = ()  # functions that are not looked up in tables of float16 results
    computed_bfloat16: tuple[str, ...] = ()
    short: bool = False  # whether formulas of 16-bit results compute exp in fewer instructions; see accurate.SHORT
    piecewise: str = ""  # coefficients of piecewise polynomials: from "registers", from "memory", "" for no polynomials
    bfloat16_pairs: bool = False  # splits two vectors of bfloat16 into even and odd elements; needs `interleave`
    prefetch_bytes: int = 0  # distance of prefetches in long formulas with streaming stores; 0 for none
    row_reading: RowReading = RowReading(longest_copied=1536, longest_prefetched=16384, prefetched=1024, chunk=512)
    streams_disturb: bool = True  # streaming stores to several outputs slow each other down, at like offsets in pages


#: Measured on AMD Zen 4 (2 cores of an EPYC, 32 KiB, 1 MiB and 32 MiB of cache). Gathering the values of formulas from
#: tables takes 1.2 times as long as computing them. Looking up 16 results of float16 takes 6.6 ns, because its normal
#: numbers are spread over 60 KiB of a table; silu takes 5.2 ns, softplus and mish less than the table. Results of
#: bfloat16 take 4.1 ns, elu 2.5 ns, tanh and sigmoid 3.1 ns, silu 3.6 ns.
AVX512 = Tuning(
    unroll=4,
    unroll_pieces=2,
    interleave=True,
    computed_float16=("exp", "exp_times", "expm1", "log1p", "tanh", "sigmoid", "sigmoid_times", "sigmoid_cubic_times"),
    computed_bfloat16=("exp", "expm1", "tanh", "sigmoid", "sigmoid_times"),
    short=True,
    piecewise="registers",
    bfloat16_pairs=True,
    row_reading=RowReading(longest_copied=8192, longest_prefetched=16384, prefetched=16384, chunk=1024),
    streams_disturb=False,
)

#: Measured on AMD Zen 3 (2 cores of an EPYC, 32 KiB, 512 KiB and 32 MiB of cache). It finds a row's rest by itself,
#: hence the default `row_reading`. With `streams_disturb` false GeGLU took 1.5 to 3 times as long as with plain stores.
AVX2 = Tuning(
    unroll=4,
    row_unroll=4,
    row_interleave=True,
    interleave=True,
    looks_formulas_up=True,
    piecewise="memory",
    bfloat16_pairs=True,
    prefetch_bytes=1024,
)

#: Measured on the Zen 3 of AVX2, with only SSE2. Tables of cubics gain nothing without fused multiply-adds.
SSE2 = replace(AVX2, piecewise="")

#: Measured on no machine.
AARCH64 = Tuning()
