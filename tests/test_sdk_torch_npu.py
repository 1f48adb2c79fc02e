"""The unmodified wheel of torch_npu on the SDK: one child process a case, against the CPU.

ACTGRAD_TEST_TORCH_NPU names a Python that has torch 2.13.0, torch_npu 2.13.0, pyyaml and numpy.
"""

from __future__ import annotations

import os
import subprocess

import pytest
from sdk_programs import Sdk, environment, needs_compiler

PYTHON = os.environ.get("ACTGRAD_TEST_TORCH_NPU", "")

pytestmark = [needs_compiler, pytest.mark.skipif(not PYTHON, reason="ACTGRAD_TEST_TORCH_NPU names no Python")]

BACKWARD = """
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    x = torch.randn(4, 8).to(dtype)
    a, b = x.clone().requires_grad_(), x.npu().requires_grad_()
    f = torch.nn.functional.{name}
    f(a).sum().backward()
    f(b).sum().backward()
    torch.testing.assert_close(b.grad.cpu(), a.grad, rtol=2**-7, atol=2**-7)
    torch.testing.assert_close(f(b.detach()[:, ::2].t()).cpu(), f(x[:, ::2].t()), rtol=2**-7, atol=2**-7)
"""
GLUE = """
x = torch.randn(3)
assert torch.equal((x.npu() + 1).cpu(), x + 1)
y = x.npu().clone()
assert y.zero_().cpu().tolist() == [0, 0, 0] and y.fill_(3).to(torch.int32).cpu().tolist() == [3, 3, 3]
"""
REFUSED = """
try:
    torch.randn(2, 2).npu() @ torch.randn(2, 2).npu()
    torch.npu.synchronize()
except RuntimeError as error:
    assert "aclnnMatmul is not in actgrad: matrix product; called at phase one" in str(error), error
else:
    raise AssertionError("a matrix product ran")
"""
NAMES = ("elu", "selu", "leaky_relu", "silu", "gelu", "sigmoid", "relu", "hardswish")
CASES = {name: BACKWARD.format(name=name) for name in NAMES} | {"glue": GLUE, "refused": REFUSED}


@pytest.mark.parametrize("case", CASES)
def test_case(sdk: Sdk, case: str) -> None:
    """After set_env.sh, with nothing else."""
    code = f"import torch, torch_npu\ntorch.manual_seed(1)\n{CASES[case]}\nprint('done')"
    script = f'. {sdk.prefix}/set_env.sh && exec {PYTHON} -W ignore -c "$CODE"'
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, env=environment(CODE=code), check=False, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-2000:]
