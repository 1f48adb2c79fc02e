"""The C API of CANN's operators (aclnn): another name of `actgrad.ascend.aclnn`."""

import sys
from typing import TYPE_CHECKING

from .ascend import aclnn

if TYPE_CHECKING:
    from .ascend.aclnn import *  # noqa: F403
    from .ascend.aclnn.names import *  # noqa: F403
    from .ascend.aclnn.pairs import *  # noqa: F403

sys.modules[__name__] = aclnn
