"""What differs between the machines that run a kernel's text."""

from __future__ import annotations

from typing import NamedTuple


class Machine(NamedTuple):
    """What a text may rely on, and what it must say itself."""

    rounds_bfloat16: bool  # to nearest even; else it cuts off
    has_one_nan: bool  # in 16 bits: its conversions give the same one for any
    reciprocal: str  # an expression for about 1 / {}, right to 20 bits
    fuses: bool = False  # a product and a sum into one operation, unless the product forbids it

    def product(self, is_double: bool) -> str:
        """An expression for {} * {}, rounded before anything else is done with it."""
        if not self.fuses:
            return "{} * {}"
        width, register = (64, "d") if is_double else (32, "f")
        what = f'"mul.rn.f{width} $0, $1, $2;", "={register},{register},{register}"'
        return f"tl.inline_asm_elementwise({what}, [{{}}, {{}}], tl.float{width}, True, 1)"


INTERPRETER = Machine(rounds_bfloat16=False, has_one_nan=False, reciprocal="1.0 / {}")
#: The instruction for numbers of normal size, so that it comes without tests for others.
CUDA = Machine(
    rounds_bfloat16=True,
    has_one_nan=True,
    reciprocal='tl.inline_asm_elementwise("rcp.approx.ftz.f32 $0, $1;", "=f,f", [{}], tl.float32, True, 1)',
)
#: The same with a compiler that others give their own options, as inductor does: it may fuse what it sees.
FUSING_CUDA = CUDA._replace(fuses=True)
HIP = Machine(rounds_bfloat16=True, has_one_nan=False, reciprocal="1.0 / {}")

#: By the name that Triton's targets have.
MACHINES = {"cuda": CUDA, "hip": HIP}
