"""CANN's graph operators: another name of actgrad.ascend.graph."""

import sys

from .ascend.graph import *  # noqa: F403

sys.modules[__name__] = sys.modules["actgrad.ascend.graph"]
