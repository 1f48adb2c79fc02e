"""A stand-in for torch_npu on CPU tensors: another name of actgrad.torch.npu_stand_in, deprecated since 0.3."""

import sys

from .torch.npu_stand_in import *  # noqa: F403

sys.modules[__name__] = sys.modules["actgrad.torch.npu_stand_in"]
