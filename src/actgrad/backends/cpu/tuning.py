"""Choices that measurements made, one `Tuning` for each target. Each names the machine of the measurement.

Constants that all targets share are in the modules that use them: `ir_builder`, `inner_loop`, `schedule`, `packing`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class RowReading:
    """Sizes in bytes for rows that are apart in memory; see `driver`."""

    longest_copied: int  # the processor reads longer rows well without a copy
    longest_prefetched: int
    prefetched: int  # prefetched from the beginning of a later row
    chunk: int  # prefetched at a time


@dataclass(frozen=True, slots=True)
class Tuning:
    """Choices between code of different shape and equal results. The defaults are the plainest code."""

    unroll: int = 2  # vectors per step of the main loop, because independent chains of operations overlap
    unroll_pieces: int | None = None  # the same for formulas with piecewise polynomials, whose tables occupy registers
    row_unroll: int = 2  # the same for formulas with statistics of rows
    row_columns: int = 128  # the number of rows that a loop computes together if operands exceed the caches
    row_interleave: bool = False  # like `interleave`, for formulas with statistics of rows
    interleave: bool = False  # alternates the instructions of a step's vectors; see IRFunction.interleave
    uses_formula_tables: bool = False  # whether half-precision formulas are looked up in tables; see FormulaTable
    computed_float16: tuple[str, ...] = ()  # functions that are computed, not looked up, for float16
    computed_bfloat16: tuple[str, ...] = ()
    short: bool = False  # whether formulas with 16-bit results compute exp in fewer instructions; see accurate.SHORT
    piecewise: str = ""  # coefficients of piecewise polynomials: from "registers", from "memory", "" for no polynomials
    bfloat16_pairs: bool = False  # splits two vectors of bfloat16 into even and odd elements; needs `interleave`
    prefetch_bytes: int = 0  # distance of prefetches in long formulas with streaming stores; 0 for none
    row_reading: RowReading = RowReading(longest_copied=1536, longest_prefetched=16384, prefetched=1024, chunk=512)
    streams_interfere: bool = True  # whether streams to outputs at similar offsets in pages slow each other down


#: Measured on AMD Zen 4 (2 cores of an EPYC, 32 KiB, 1 MiB and 32 MiB of cache). Loading the values of formulas from
#: tables takes 1.2 times as long as computing them. A lookup of 16 float16 results takes 6.6 ns, because its normal
#: numbers are spread over 60 KiB of a table; silu takes 5.2 ns, softplus and mish less than the lookup. A lookup of 16
#: bfloat16 results takes 4.1 ns, elu 2.5 ns, tanh and sigmoid 3.1 ns, silu 3.6 ns.
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
    streams_interfere=False,
)

#: Measured on AMD Zen 3 (2 cores of an EPYC, 32 KiB, 512 KiB and 32 MiB of cache). The processor predicts a row's rest
#: by itself, so `row_reading` is default. With `streams_interfere` false, GeGLU took 1.5 to 3 times as long as with
#: plain stores. With 256 instead of 128 columns, softmax of 16384 rows along the first dimension took 0.7 to 0.9 of the
#: time.
AVX2 = Tuning(
    unroll=4,
    row_unroll=4,
    row_columns=256,
    row_interleave=True,
    interleave=True,
    uses_formula_tables=True,
    short=True,
    piecewise="memory",
    bfloat16_pairs=True,
    prefetch_bytes=1024,
)

#: Measured on the AMD Zen 3 of AVX2, with only SSE2. Without fused multiply-adds, tables of cubics gain nothing.
SSE2 = replace(AVX2, piecewise="")

#: Not measured.
AARCH64 = Tuning()
