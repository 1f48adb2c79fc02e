"""The differences between the machines that run a kernel's text."""

from __future__ import annotations

from typing import NamedTuple


class Machine(NamedTuple):
    """The behaviour of a machine: operations that a text may use, and those that it must write out."""

    rounds_bfloat16: bool  # whether conversions round to nearest even. Otherwise they round towards zero
    has_one_nan: bool  # its conversions to 16 bits give one NaN for all
    reciprocal: str  # an expression for about 1 / {}, right to 20 bits
    fuses: bool = False  # its compiler fuses products and sums that do not forbid it

    def product(self, is_double: bool) -> str:
        """An expression for {} * {}, rounded before its use."""
        if not self.fuses:
            return "{} * {}"
        width, register = (64, "d") if is_double else (32, "f")
        assembly = f'"mul.rn.f{width} $0, $1, $2;", "={register},{register},{register}"'
        return f"tl.inline_asm_elementwise({assembly}, [{{}}, {{}}], tl.float{width}, True, 1)"


INTERPRETER = Machine(rounds_bfloat16=False, has_one_nan=False, reciprocal="1.0 / {}")
#: The instruction for normal numbers: it needs no tests for others.
CUDA = Machine(
    rounds_bfloat16=True,
    has_one_nan=True,
    reciprocal='tl.inline_asm_elementwise("rcp.approx.ftz.f32 $0, $1;", "=f,f", [{}], tl.float32, True, 1)',
)
#: The same with the compiler options of others, such as inductor: products and sums may be fused.
FUSING_CUDA = CUDA._replace(fuses=True)
HIP = Machine(rounds_bfloat16=True, has_one_nan=False, reciprocal="1.0 / {}")

#: By the backend's name in Triton's targets.
MACHINES = {"cuda": CUDA, "hip": HIP}
