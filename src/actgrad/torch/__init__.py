"""actgrad's operators as PyTorch's own: `torch.ops.actgrad`, differentiable functions, modules.

Importing this package defines every operator of the registry; all else follows from the definitions. An operator:
`registration` defines it with its `kernels`, its `autograd` key (`saving`, `derivations`, and `partials` with `dual`
numbers where no kernel exists), its in-place and out `variants`, and the rules of vmap (`batching`), DTensor
(`sharding`) and torch.compile (`graphs`). `deferred` has rules that wait for the import of a module of PyTorch. Names:
`public_names` makes `functions` and `modules`, `function_arguments` judges what callers pass to them, `conventions` has
calls of these under other names, PyTorch's and other projects'.
Models: `conversion` changes the modules of one, with the help of `models`; `decomposition` lets models leave PyTorch.
"""

from typing import TYPE_CHECKING, Any

import torch

from .. import ops as _ops  # noqa: F401  fills the registry
from ..arrays import interception as _interception
from ..base.collection import paused_collection as _paused_collection
from ..base.errors import BackendUnavailable, did_you_mean
from ..calls import dynamo as _frames

if torch.__version__ < "2.10":  # older ones take operators apart in graphs; docs/support.md
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
    from .graphs import exact_in_graphs
    from .models.comparison import ModelReport, report
    from .models.outcome import Report
    from .models.patching import patched
    from .registration import call, register, register_all

    register_all()
    _interception.handler = call

__all__ = [
    "ModelReport",
    "Report",
    "call",
    "convert",
    "exact_in_graphs",
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
