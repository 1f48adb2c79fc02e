"""actgrad's operators in PyTorch: `torch.ops.actgrad`, differentiable functions, and modules.

The import of this package registers every operator with PyTorch. All functions are made from the definitions.

registration        defines `torch.ops.actgrad`
kernels             the kernels of an operator, for memory and for shapes
autograd            the nodes of the autograd graph
derivatives/        saves tensors for backward, and computes gradients and tangents
variants            the in-place and `out=` variants of operators
batching            the rule of vmap
sharding            the rule of DTensor
graphs              the rule of torch.compile
deferred/           rules that wait until a program imports a module of PyTorch
decomposition       decomposes operators into PyTorch's, for exported graphs
public_names        writes the code of functions and modules
functions, modules  the functions and modules that users call
function_arguments  checks the arguments of functions
conventions         in-place functions, and functions with the names and arguments of other projects
gated_linear        a gate and the linear layer after it, as one node
linear_cross_entropy  a linear layer and the cross entropy after it, in chunks of rows
conversion, models/ converts the activation modules of a model
npu_stand_in        `actgrad.torch_npu`, deprecated
"""

from typing import TYPE_CHECKING, Any

import torch

from .. import ops as _ops  # noqa: F401  fills the registry
from ..arrays import interception as _interception
from ..base.collection import paused_collection as _paused_collection
from ..base.errors import BackendUnavailable, did_you_mean
from ..calls import dynamo as _frames

if torch.__version__ < "2.10":  # an older PyTorch decomposes operators in graphs, see docs/support.md
    raise BackendUnavailable(
        f"PyTorch is {torch.__version__}; actgrad.torch needs 2.10 or newer; pip install 'torch>=2.10'"
    )

from torch.utils._python_dispatch import _disable_current_modes

# A traced call may import this package, and no trace may contain the import.
with _disable_current_modes(), _paused_collection():
    _frames.configure_torch()
    from . import conventions, functions, modules
    from .conventions import *  # noqa: F403
    from .conversion import convert, revert
    from .gated_linear import gated_linear
    from .graphs import exact_in_graphs
    from .linear_cross_entropy import linear_cross_entropy
    from .models.comparison import ModelReport, report
    from .models.gates import Gate
    from .models.outcome import Report
    from .models.patching import patched
    from .registration import call, register, register_all

    register_all()
    _interception.handler = call

__all__ = [
    "Gate",
    "ModelReport",
    "Report",
    "call",
    "convert",
    "exact_in_graphs",
    "gated_linear",
    "linear_cross_entropy",
    "patched",
    "register",
    "report",
    "revert",
]
__all__ += conventions.__all__
__all__ += functions.__all__
__all__ += modules.__all__

if TYPE_CHECKING:
    from .functions import *  # noqa: F403
    from .modules import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        for module in (functions, modules):
            try:
                return globals().setdefault(name, getattr(module, name))
            except AttributeError:
                continue
        cure = did_you_mean(name, __all__, "see dir(actgrad.torch)")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it must be in __all__; {cure}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
