"""The operators, one family in each file. The import of a family registers its operators.

A new family needs its name in the import below. `public` has the operators that `actgrad` exports.
"""

from ..base.collection import paused_collection
from ..calls.operator import shipping

with paused_collection(), shipping():
    from . import (  # noqa: F401  the import registers operators
        celu,
        clipped_swiglu,
        dequant_swiglu_quant,
        dynamic_quant,
        elu,
        erfinv,
        fast_gelu,
        fatrelu_mul,
        fused_bias_leaky_relu,
        geglu,
        gelu,
        gelu_mul,
        gelu_quant,
        glu,
        hardshrink,
        hardswish,
        heaviside,
        leaky_relu,
        log_softmax,
        logsigmoid,
        mish,
        prelu,
        relu,
        relu6,
        rrelu,
        selu,
        sigmoid,
        silu,
        situ_glu,
        softmax,
        softplus,
        softshrink,
        softsign,
        squared_relu,
        swiglu,
        swiglu_group,
        swiglu_group_quant,
        swiglu_quant,
        threshold_tensor,
    )
