"""The differences between the machines that run a kernel's text."""

from __future__ import annotations

from typing import NamedTuple


class Machine(NamedTuple):
    """The behaviour of a machine: operations that a text may use, and operations that it must write out."""

    rounds_bfloat16: bool  # whether conversions round to nearest even. Otherwise they round towards zero
    has_one_nan: bool  # whether its conversions to 16 bits turn all NaNs into the same NaN
    reciprocal: str  # an expression for 1 / {}, correct to about 20 bits
    fuses: bool = False  # whether its compiler fuses products and sums unless the text forbids it

    def product(self, is_double: bool) -> str:
        """An expression for {} * {} that is rounded before its use."""
        if not self.fuses:
            return "{} * {}"
        width, register = (64, "d") if is_double else (32, "f")
        assembly = f'"mul.rn.f{width} $0, $1, $2;", "={register},{register},{register}"'
        return f"tl.inline_asm_elementwise({assembly}, [{{}}, {{}}], tl.float{width}, True, 1)"


INTERPRETER = Machine(rounds_bfloat16=False, has_one_nan=False, reciprocal="1.0 / {}")
#: The reciprocal instruction is for normal numbers only, so it needs no tests for other numbers.
CUDA = Machine(
    rounds_bfloat16=True,
    has_one_nan=True,
    reciprocal='tl.inline_asm_elementwise("rcp.approx.ftz.f32 $0, $1;", "=f,f", [{}], tl.float32, True, 1)',
)
#: CUDA with the compiler options of other compilers, such as inductor, which may fuse products and sums.
FUSING_CUDA = CUDA._replace(fuses=True)
HIP = Machine(rounds_bfloat16=True, has_one_nan=False, reciprocal="1.0 / {}")

#: Machines by the backend's name in Triton's targets.
MACHINES = {"cuda": CUDA, "hip": HIP}
