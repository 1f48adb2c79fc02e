"""CANN's graph operators: another name of `actgrad.ascend.graph`."""

import sys
from typing import TYPE_CHECKING

from .ascend import graph

if TYPE_CHECKING:
    from .ascend.graph import *  # noqa: F403

sys.modules[__name__] = graph
