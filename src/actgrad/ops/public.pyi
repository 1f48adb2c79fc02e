"""The operators by name, with the signatures of their calls."""

from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from ..calls.operator import Operator
from ..calls.plan import Plan

__all__ = [
    "add_relu",
    "bnll",
    "celu",
    "celu_backward",
    "clipped_swiglu",
    "clipped_swiglu_backward",
    "confusion_softmax_grad",
    "elu",
    "elu_backward",
    "erfinv",
    "fast_gelu",
    "fast_gelu_backward",
    "fast_gelu_v2",
    "fast_gelu_v2_backward",
    "fatrelu_mul",
    "fused_bias_leaky_relu",
    "fused_bias_leaky_relu_backward",
    "geglu",
    "geglu_backward",
    "geglu_packed",
    "geglu_two",
    "geglu_two_backward",
    "gelu",
    "gelu_backward",
    "gelu_mul",
    "glu",
    "glu_backward",
    "hardshrink",
    "hardshrink_backward",
    "hardsigmoid",
    "hardsigmoid_backward",
    "hardswish",
    "hardswish_backward",
    "hardtanh",
    "hardtanh_backward",
    "heaviside",
    "leaky_relu",
    "leaky_relu_backward",
    "log_softmax",
    "log_softmax_backward",
    "logsigmoid",
    "logsigmoid_backward",
    "mish",
    "mish_backward",
    "p_relu_grad_reduce",
    "prelu",
    "prelu_backward",
    "relu",
    "relu6",
    "relu6_backward",
    "relu6_d",
    "relu_backward",
    "rrelu_with_noise",
    "scaled_celu",
    "scaled_celu_backward",
    "selu",
    "selu_backward",
    "selu_backward_from_input",
    "shrink",
    "sigmoid",
    "sigmoid_backward",
    "silu",
    "silu_backward",
    "situ_glu",
    "situ_glu_backward",
    "softmax",
    "softmax_backward",
    "softmax_cross_entropy_with_logits",
    "softmax_grad_ext",
    "softplus",
    "softplus_backward",
    "softshrink",
    "softshrink_backward",
    "softsign",
    "softsign_backward",
    "squared_relu",
    "squared_relu_backward",
    "swiglu",
    "swiglu_backward",
    "swiglu_group",
    "swiglu_two",
    "swiglu_two_backward",
    "swish",
    "swish_backward",
    "tanh",
    "tanh_backward",
    "threshold",
    "threshold_backward",
    "threshold_tensor",
    "unit_step",
]

class Array(Protocol):  # a NumPy array, a torch.Tensor or another object with __dlpack__
    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def __dlpack__(self) -> Any: ...

ArrayT = TypeVar("ArrayT", bound=Array)
Number: TypeAlias = float | np.floating[Any] | np.integer[Any] | np.bool_

class _add_relu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        other: ArrayT,
        *,
        alpha: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """max(self + alpha * other, 0)

        Args:
            self (array): float32, float16, int8, int32, uint8, int16, int64, float64, bfloat16.
            other (array): float32, float16, int8, int32, uint8, int16, int64, float64, bfloat16.
            alpha (float): Any number. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,), other (5,) -> out (5,), for example.
            other can be broadcast with self.
            out has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; other has a supported dtype;
                self and other are promoted to a supported dtype; the result can be converted to out's dtype; alpha
                can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            relu(x + alpha * y)

        Source:
            Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.full(5, 0.5)
            >>> other = np.linspace(-2, 2, 5)
            >>> out = actgrad.add_relu(self, other)
            >>> out.round(4)
            array([0. , 0. , 0.5, 1.5, 2.5])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        other: ArrayT,
        *,
        alpha: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

add_relu: _add_relu

class _bnll(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """log(1 + exp(x))

        Args:
            self (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            log(1 + exp(x))

        Source:
            Caffe, https://caffe.berkeleyvision.org/tutorial/layers/bnll.html

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.bnll(self)
            >>> out.round(4)
            array([0.1269, 0.3133, 0.6931, 1.3133, 2.1269])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

bnll: _bnll

class _celu(Operator):
    def __call__(
        this, /, self: ArrayT, *, alpha: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """x if x > 0, else alpha * (exp(x / alpha) - 1)

        Args:
            self (array): float32, float16, float64, bfloat16.
            alpha (float): Required: alpha neither 0 nor NaN. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype; alpha can be converted to float.
            InvalidArgument: a rule on shapes is broken, or a rule on values: alpha neither 0 nor NaN.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x if x > 0 else alpha * (exp(x / alpha) - 1)

        Source:
            Barron 2017, https://arxiv.org/abs/1704.07483

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.celu(self)
            >>> out.round(4)
            array([-0.8647, -0.6321,  0.    ,  1.    ,  2.    ])
        """
    def plan(
        this, /, self: ArrayT, *, alpha: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

celu: _celu

class _celu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output if self > 0, else grad_output * exp(self / alpha)

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of celu.
            self (array): float32, float16, float64, bfloat16. Input of celu.
            alpha (float): Required: alpha neither 0 nor NaN. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; the result can be converted to grad_input's dtype; alpha can be converted to float.
            InvalidArgument: a rule on shapes is broken, or a rule on values: alpha neither 0 nor NaN.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            1 if x > 0 else exp(x / alpha)

        Source:
            Barron 2017, https://arxiv.org/abs/1704.07483

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.celu_backward(grad_output, self)
            >>> grad_input.round(4)
            array([0.1353, 0.3679, 1.    , 1.    , 1.    ])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

celu_backward: _celu_backward

class _clipped_swiglu(Operator):
    def __call__(
        this,
        /,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = "input",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """a * sigmoid(alpha * a) * (b + bias), where a = min(even, limit) and b = clamp(odd, -limit, limit); even and
        odd are the elements of x along dim with even and odd index; out has half the size of x along dim

        Before the split, x is flattened from dim on. interleaved=False splits into the lower and the upper half
        instead. clamp_mode='swish' (1) computes min(silu(even), limit) * clamp(odd, -limit, limit). group_index
        counts rows (a row is everything behind one index of the dimensions before dim): only the first
        sum(group_index) rows are computed. The other rows are 0 in a new result and unchanged in out=.

        Args:
            x (array): float32, float16, float64, bfloat16.
            group_index (array): Only the first sum(group_index) rows are computed. Default: None.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            alpha (float): Any number. Default: 1.702.
            limit (float): Required: limit > 0 on Ascend950. Default: 7.0.
            bias (float): Any number. Default: 1.0.
            interleaved (bool): Default: True.
            clamp_mode (str or int): 'input' (0), 'swish' (1). Default: 'input'.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            x (2, 4) -> out (2, 2), for example.
            x has an even size along dim.
            group_index has one dimension.
            out has the shape of x, halved along dim.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: x has a supported dtype; out has the dtype of x;
                group_index is int64.
            InvalidArgument: a rule on shapes is broken, or a rule on values: limit > 0 on Ascend950.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            clamp_mode='input': swish(min(a, limit), alpha) * (clamp(b, limit) + bias)
            clamp_mode='swish': min(silu(a), limit) * clamp(b, limit)

        Source:
            OpenAI 2025 (gpt-oss), https://arxiv.org/abs/2508.10925

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> x = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> out = actgrad.clipped_swiglu(x)
            >>> out.round(4)
            array([[ 0.0276, -0.1155],
                   [ 0.3286,  3.9394]])
        """
    def plan(
        this,
        /,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = "input",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

clipped_swiglu: _clipped_swiglu

class _clipped_swiglu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = "input",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_even = (grad_output * (b + bias) * s * (1 + alpha * a * (1 - s)) if even <= limit, else 0) and grad_odd
        = (grad_output * a * s if -limit <= odd <= limit, else 0), where a = min(even, limit) and b = clamp(odd,
        -limit, limit) and s = sigmoid(alpha * a); grad_x packs grad_even and grad_odd as x packs even and odd

        The attributes have the same meaning as in clipped_swiglu. group_index counts rows (a row is everything
        behind one index of the dimensions before dim): only the first sum(group_index) rows are computed. grad_x is
        0 in the other rows.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of clipped_swiglu.
            x (array): float32, float16, float64, bfloat16. Input of clipped_swiglu.
            group_index (array): Only the first sum(group_index) rows are computed. Default: None.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            alpha (float): Any number. Default: 1.702.
            limit (float): Required: limit > 0. Default: 7.0.
            bias (float): Any number. Default: 1.0.
            interleaved (bool): Default: True.
            clamp_mode (str or int): 'input' (0), 'swish' (1). Default: 'input'.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (2, 2), x (2, 4) -> grad_x (2, 4), for example.
            x has an even size along dim.
            grad_output has the shape of x, halved along dim.
            group_index has one dimension.
            grad_x has the shape of x.

        Returns:
            grad_x (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; x has the dtype of
                grad_output; grad_x has the dtype of grad_output; group_index is int64.
            InvalidArgument: a rule on shapes is broken, or a rule on values: limit > 0.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            clamp_mode='input': by a: g * swish'(a, alpha) * (clamp(b, limit) + bias) if a <= limit else 0, by b: g
                * swish(min(a, limit), alpha) if -limit <= b <= limit else 0
            clamp_mode='swish': by a: g * silu'(a) * clamp(b, limit) if silu(a) <= limit else 0, by b: g *
                min(silu(a), limit) if -limit <= b <= limit else 0

        Source:
            OpenAI 2025 (gpt-oss), https://arxiv.org/abs/2508.10925

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.linspace(0, 1, 4).reshape(2, 2)
            >>> x = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> grad_x = actgrad.clipped_swiglu_backward(grad_output, x)
            >>> grad_x.round(4)
            array([[ 0.    , -0.    , -0.0082, -0.0539],
                   [ 0.9086,  0.1179,  3.2994,  1.3131]])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        alpha: Number = 1.702,
        limit: Number = 7.0,
        bias: Number = 1.0,
        interleaved: bool | np.bool_ = True,
        clamp_mode: Literal["input", "swish"] | SupportsIndex = "input",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

clipped_swiglu_backward: _clipped_swiglu_backward

class _confusion_softmax_grad(Operator):
    def __call__(this, /, grad: ArrayT, x: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """grad - sum(grad * x) along the last dimension

        Times x, this is the gradient of softmax, if x is the result of softmax.

        Args:
            grad (array): float32, float16, float64, bfloat16.
            x (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad (2, 2), x (2, 2) -> out (2, 2), for example.
            x can be broadcast with grad.
            out has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad has a supported dtype; x has a supported dtype; grad
                and x are promoted to a supported dtype; the result can be converted to out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            grad - sum(grad * x)

        Source:
            Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad = np.full((2, 2), 0.5)
            >>> x = np.linspace(-2, 2, 4).reshape(2, 2)
            >>> out = actgrad.confusion_softmax_grad(grad, x)
            >>> out.round(4)
            array([[ 1.8333,  1.8333],
                   [-0.8333, -0.8333]])
        """
    def plan(this, /, grad: ArrayT, x: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

confusion_softmax_grad: _confusion_softmax_grad

class _elu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """scale * x if x > 0, else scale * alpha * (exp(input_scale * x) - 1)

        Args:
            self (array): float32, float16, float64, bfloat16.
            alpha (float): Any number. Default: 1.0.
            scale (float): Any number. Default: 1.0.
            input_scale (float): Any number. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype; scale, alpha, input_scale can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            scale * (x if x > 0 else alpha * (exp(input_scale * x) - 1))

        Source:
            Clevert et al. 2016, https://arxiv.org/abs/1511.07289

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.elu(self)
            >>> out.round(4)
            array([-0.8647, -0.6321,  0.    ,  1.    ,  2.    ])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

elu: _elu

class _elu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self_or_result: ArrayT,
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        is_result: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """scale * grad_output if x > 0, else scale * alpha * input_scale * exp(input_scale * x) * grad_output, where x
        = self_or_result

        With is_result, self_or_result is y = elu(x): scale * grad_output if y > 0, else input_scale * (y + scale *
        alpha) * grad_output. The result has the sign of the input only if alpha, scale and input_scale are not
        negative. A negative alpha is refused with is_result; negative scales are computed by this formula.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of elu.
            self_or_result (array): float32, float16, float64, bfloat16. Result of elu if is_result, else its input.
            alpha (float): Required: alpha >= 0 when is_result. Default: 1.0.
            scale (float): Any number. Default: 1.0.
            input_scale (float): Any number. Default: 1.0.
            is_result (bool): Required: alpha >= 0 when is_result. Default: False.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self_or_result (5,) -> grad_input (5,), for example.
            self_or_result has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self_or_result has the dtype of grad_output; grad_output
                has a supported dtype; the result can be converted to grad_input's dtype; alpha, scale, input_scale
                can be converted to float.
            InvalidArgument: a rule on shapes is broken, or a rule on values: alpha >= 0 when is_result.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            is_result=False: scale if x > 0 else scale * alpha * input_scale * exp(input_scale * x)
            is_result=True: scale if y > 0 else input_scale * (y + scale * alpha), for y = elu(x), which has the
                sign of x

        Source:
            Clevert et al. 2016, https://arxiv.org/abs/1511.07289

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self_or_result = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.elu_backward(grad_output, self_or_result)
            >>> grad_input.round(4)
            array([0.1353, 0.3679, 1.    , 1.    , 1.    ])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self_or_result: ArrayT,
        *,
        alpha: Number = 1.0,
        scale: Number = 1.0,
        input_scale: Number = 1.0,
        is_result: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

elu_backward: _elu_backward

class _erfinv(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """erfinv(x); the y with erf(y) = x, NaN if abs(x) > 1

        Integers give float32.

        Args:
            self (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            y with erf(y) = x; NaN where abs(x) > 1

        Source:
            Giles 2010, https://people.maths.ox.ac.uk/gilesm/files/gems_erfinv.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.erfinv(self)
            >>> out.round(4)
            array([ nan, -inf,   0.,  inf,  nan])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

erfinv: _erfinv

class _fast_gelu(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x * sigmoid(1.702 * x); close to GELU

        Args:
            self (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: out has the dtype of self; self has a supported dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x * sigmoid(1.702 * x)

        Source:
            Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.fast_gelu(self)
            >>> out.round(4)
            array([-0.0643, -0.1542,  0.    ,  0.8458,  1.9357])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

fast_gelu: _fast_gelu

class _fast_gelu_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output * s * (1 + 1.702 * self * (1 - s)), where s = sigmoid(1.702 * self)

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of fast_gelu.
            self (array): float32, float16, float64, bfloat16. Input of fast_gelu.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has the dtype of grad_output; grad_input has the
                dtype of grad_output; self has a supported dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            s * (1 + 1.702 * x * (1 - s)), s = sigmoid(1.702 * x)

        Source:
            Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.fast_gelu_backward(grad_output, self)
            >>> grad_input.round(4)
            array([-0.0738, -0.0678,  0.5   ,  1.0678,  1.0738])
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

fast_gelu_backward: _fast_gelu_backward

class _fast_gelu_v2(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x - x * q if x > 0, else x * q, where q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2; close to GELU

        Args:
            self (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x - x * q if x > 0 else x * q, q = 0.1444 * max(1.769 - 0.7071 * abs(x), 0)**2

        Source:
            Kim et al. 2021 (I-BERT), https://arxiv.org/abs/2101.01321

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.fast_gelu_v2(self)
            >>> out.round(4)
            array([-0.0364, -0.1628,  0.    ,  0.8372,  1.9636])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

fast_gelu_v2: _fast_gelu_v2

class _fast_gelu_v2_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """(1 - s) * grad_output if self > 0, else s * grad_output, where d = max(1.769 - 0.7071 * abs(self), 0) and s
        = 0.1444 * d * (d - 1.4142 * abs(self))

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of fast_gelu_v2.
            self (array): float32, float16, float64, bfloat16. Input of fast_gelu_v2.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            1 - s if x > 0 else s, s = 0.1444 * d * (d - 2 * 0.7071 * abs(x)), d = max(1.769 - 0.7071 * abs(x), 0)

        Source:
            Kim et al. 2021 (I-BERT), https://arxiv.org/abs/2101.01321

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.fast_gelu_v2_backward(grad_output, self)
            >>> grad_input.round(4)
            array([-0.1267, -0.054 ,  0.4519,  1.054 ,  1.1267])
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

fast_gelu_v2_backward: _fast_gelu_v2_backward

class _fatrelu_mul(Operator):
    def __call__(
        this,
        /,
        input: ArrayT,
        threshold: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """(lower if lower > threshold, else 0) * upper, where lower and upper are the halves of input along dim; out
        has half the size of input along dim

        By the documents' rules (actgrad.rules('document')) the condition is lower >= threshold. threshold is a
        tensor of one element.

        Args:
            input (array): float32, float16, float64, bfloat16.
            threshold (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            input (2, 4), threshold (1,) -> out (2, 2), for example.
            threshold has one element.
            input has an even size along dim.
            out has the shape of the result, or as many elements in a row.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: input has a supported dtype; threshold has the dtype of
                input; out has the dtype of input.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            (a if a > threshold else 0) * b
            (a if a >= threshold else 0) * b, by the documents' rules

        Source:
            Kurtz et al. 2020, https://proceedings.mlr.press/v119/kurtz20a.html

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> input = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> threshold = np.full(1, 0.5)
            >>> out = actgrad.fatrelu_mul(input, threshold)
            >>> out.round(4)
            array([[-0.    , -0.    ],
                   [ 0.    ,  1.7143]])
        """
    def plan(
        this,
        /,
        input: ArrayT,
        threshold: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

fatrelu_mul: _fatrelu_mul

class _fused_bias_leaky_relu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        bias: ArrayT,
        *,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """scale * z if z > 0, else scale * negative_slope * z, where z = self + bias; bias has the shape of self

        Args:
            self (array): float32, float16, float64, bfloat16.
            bias (array): float32, float16, float64, bfloat16.
            negative_slope (float): Any number. Default: 0.2.
            scale (float): Any number. Default: 1.414213562373.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,), bias (5,) -> out (5,), for example.
            bias has the shape of self.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; bias has the dtype of self;
                the result can be converted to out's dtype; negative_slope, scale can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            scale * leaky_relu(x + bias, negative_slope)

        Source:
            Karras et al. 2020 (StyleGAN2), https://arxiv.org/abs/1912.04958

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.full(5, 0.5)
            >>> bias = np.linspace(-2, 2, 5)
            >>> out = actgrad.fused_bias_leaky_relu(self, bias)
            >>> out.round(4)
            array([-0.4243, -0.1414,  0.7071,  2.1213,  3.5355])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        bias: ArrayT,
        *,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

fused_bias_leaky_relu: _fused_bias_leaky_relu

class _fused_bias_leaky_relu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        features: ArrayT,
        *,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """scale * grad_output if features > 0, else scale * negative_slope * grad_output; features is the result of
        fused_bias_leaky_relu

        This is the gradient of self and also of bias.

        Args:
            grad_output (array): float32, float16, float64, bfloat16.
            features (array): float32, float16, float64, bfloat16.
            negative_slope (float): Any number. Default: 0.2.
            scale (float): Any number. Default: 1.414213562373.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), features (5,) -> grad_input (5,), for example.
            features has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; features has the dtype
                of grad_output; the result can be converted to grad_input's dtype; negative_slope, scale can be
                converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            g * scale if y > 0 else g * negative_slope * scale, for y = fused_bias_leaky_relu(x, bias)

        Source:
            Karras et al. 2020 (StyleGAN2), https://arxiv.org/abs/1912.04958

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.full(5, 0.5)
            >>> features = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.fused_bias_leaky_relu_backward(grad_output, features)
            >>> grad_input.round(4)
            array([0.1414, 0.1414, 0.1414, 0.7071, 0.7071])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        features: ArrayT,
        *,
        negative_slope: Number = 0.2,
        scale: Number = 1.414213562373,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

fused_bias_leaky_relu_backward: _fused_bias_leaky_relu_backward

class _geglu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> tuple[ArrayT, ArrayT]:
        """out = lower * gelu(upper) and out_gelu = gelu(upper), where lower and upper are the halves of self along
        dim; both results have half the size of self along dim

        activate_left=True swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

        Args:
            self (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            approximate (str or int): 'none' (0), 'tanh' (1). Required: approximate='tanh' on Ascend310P. Default:
                'none'.
            activate_left (bool): Default: False.
            out (tuple of arrays): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (2, 4) -> out (2, 2), out_gelu (2, 2), for example.
            self has an even size along dim.
            out has half the size of self along dim.
            out_gelu has half the size of self along dim.
            out has as many dimensions as self.
            out_gelu has as many dimensions as self.
            out has the shape of self, halved along dim.
            out_gelu has the shape of self, halved along dim.

        Returns:
            out, out_gelu (tuple of arrays): Of the kind and data type of the inputs. With out=, the memory given
                there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype;
                out_gelu has a supported dtype; out has the dtype of self; out_gelu has the dtype of self.
            InvalidArgument: a rule on shapes is broken, or a rule on values: approximate='tanh' on Ascend310P.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element, which is multiplied by the other half:
            approximate='none': x * Phi(x), Phi the distribution function of the standard normal distribution
            approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3
                * x**3)

        Source:
            Shazeer 2020, https://arxiv.org/abs/2002.05202

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> out, out_gelu = actgrad.geglu(self)
            >>> out.round(4)
            array([[0.3355, 0.1582],
                   [0.3769, 1.6753]])
            >>> out_gelu.round(4)
            array([[-0.1677, -0.1107],
                   [ 1.3192,  1.9545]])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> Plan: ...

geglu: _geglu

class _geglu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gelu: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_lower = grad_output * gelu(upper) and grad_upper = grad_output * lower * gelu'(upper), where lower and
        upper are the halves of self along dim; grad_input packs grad_lower and grad_upper as self packs its halves

        gelu is the second result of geglu. Pass None to save its memory: it is then computed again.
        activate_left=True swaps the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of geglu.
            self (array): float32, float16, float64, bfloat16. Input of geglu.
            gelu (array): float32, float16, float64, bfloat16. Second result of geglu. Without this tensor it is
                computed again. Default: None.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            approximate (str or int): 'none' (0), 'tanh' (1). Required: approximate='tanh' on Ascend310P. Default:
                'none'.
            activate_left (bool): Default: False.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (2, 2), self (2, 4) -> grad_input (2, 4), for example.
            gelu has the shape of grad_output.
            grad_input has the shape of self.
            grad_output has as many dimensions as self.
            self has an even size along dim.
            grad_output has the shape of self, halved along dim.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; gelu has the dtype of grad_output; grad_input has the dtype of grad_output.
            InvalidArgument: a rule on shapes is broken, or a rule on values: approximate='tanh' on Ascend310P.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            approximate='none': Phi(x) + x * phi(x), phi the density of the standard normal distribution
            approximate='tanh': s * (1 + x * (1 - s) * (C1 + 3 * C3 * x**2)), s = sigmoid(C1 * x + C3 * x**3)

        Source:
            Shazeer 2020, https://arxiv.org/abs/2002.05202

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.linspace(0, 1, 4).reshape(2, 2)
            >>> self = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> grad_input = actgrad.geglu_backward(grad_output, self)
            >>> grad_input.round(4)
            array([[-0.    , -0.0369,  0.    , -0.1324],
                   [ 0.8795,  1.9545,  0.215 ,  0.9302]])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gelu: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

geglu_backward: _geglu_backward

class _geglu_packed(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """lower * gelu(upper), where lower and upper are the halves of self along dim; out has half the size of self
        along dim

        This is geglu without its second result, which then costs neither time nor memory. activate_left=True swaps
        the roles of lower and upper. approximate='tanh' (1) takes GELU's tanh form.

        Args:
            self (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.
            activate_left (bool): Default: False.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (2, 4) -> out (2, 2), for example.
            self has an even size along dim.
            out has the shape of self, halved along dim.
            out has the shape of the result.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has the dtype of self.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element, which is multiplied by the other half:
            approximate='none': x * Phi(x), Phi the distribution function of the standard normal distribution
            approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3
                * x**3)

        Source:
            Shazeer 2020, https://arxiv.org/abs/2002.05202

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> out = actgrad.geglu_packed(self)
            >>> out.round(4)
            array([[0.3355, 0.1582],
                   [0.3769, 1.6753]])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        activate_left: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

geglu_packed: _geglu_packed

class _geglu_two(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        gate: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """self * gelu(gate)

        approximate='tanh' (1) takes GELU's tanh form.

        Args:
            self (array): float32, float16, float64, bfloat16.
            gate (array): float32, float16, float64, bfloat16.
            approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,), gate (5,) -> out (5,), for example.
            gate has the shape of self.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; gate has the dtype of self;
                the result can be converted to out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element, which is multiplied by self:
            approximate='none': x * Phi(x), Phi the distribution function of the standard normal distribution
            approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3
                * x**3)

        Source:
            Shazeer 2020, https://arxiv.org/abs/2002.05202

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.full(5, 0.5)
            >>> gate = np.linspace(-2, 2, 5)
            >>> out = actgrad.geglu_two(self, gate)
            >>> out.round(4)
            array([-0.0228, -0.0793,  0.    ,  0.4207,  0.9772])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        gate: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

geglu_two: _geglu_two

class _geglu_two_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gate: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> tuple[ArrayT, ArrayT]:
        """grad_self = grad_output * gelu(gate) and grad_gate = grad_output * self * gelu'(gate)

        gelu(gate) is computed again. approximate='tanh' (1) takes GELU's tanh form.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of geglu_two.
            self (array): float32, float16, float64, bfloat16. Input of geglu_two.
            gate (array): float32, float16, float64, bfloat16. Input of geglu_two.
            approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.
            out (tuple of arrays): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,), gate (5,) -> grad_self (5,), grad_gate (5,), for example.
            self has the shape of grad_output.
            gate has the shape of grad_output.
            grad_self has the shape of grad_output.
            grad_gate has the shape of grad_output.

        Returns:
            grad_self, grad_gate (tuple of arrays): Of the kind and data type of the inputs. With out=, the memory
                given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; gate has the dtype of grad_output; the result can be converted to grad_self's dtype;
                the result can be converted to grad_gate's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            approximate='none': Phi(x) + x * phi(x), phi the density of the standard normal distribution
            approximate='tanh': s * (1 + x * (1 - s) * (C1 + 3 * C3 * x**2)), s = sigmoid(C1 * x + C3 * x**3)

        Source:
            Shazeer 2020, https://arxiv.org/abs/2002.05202

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.full(5, 0.5)
            >>> gate = np.linspace(-2, 2, 5)
            >>> grad_self, grad_gate = actgrad.geglu_two_backward(grad_output, self, gate)
            >>> grad_self.round(4)
            array([-0.0455, -0.1587,  0.    ,  0.8413,  1.9545])
            >>> grad_gate.round(4)
            array([-0.0426, -0.0417,  0.25  ,  0.5417,  0.5426])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gate: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> Plan: ...

geglu_two_backward: _geglu_two_backward

class _gelu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 *
        x**3)))

        approximate is 'none' (0) or 'tanh' (1).

        Args:
            self (array): float32, float16, float64, bfloat16.
            approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            approximate='none': x * Phi(x), Phi the distribution function of the standard normal distribution
            approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3
                * x**3)

        Source:
            Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.gelu(self)
            >>> out.round(4)
            array([-0.0455, -0.1587,  0.    ,  0.8413,  1.9545])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

gelu: _gelu

class _gelu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output * (Phi(self) + self * phi(self)); Phi and phi are the distribution function and the density of
        the standard normal distribution

        approximate='tanh' (1) computes the derivative of GELU's tanh form.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of gelu.
            self (array): float32, float16, float64, bfloat16. Input of gelu.
            approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            approximate='none': Phi(x) + x * phi(x), phi the density of the standard normal distribution
            approximate='tanh': s * (1 + x * (1 - s) * (C1 + 3 * C3 * x**2)), s = sigmoid(C1 * x + C3 * x**3)

        Source:
            Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.gelu_backward(grad_output, self)
            >>> grad_input.round(4)
            array([-0.0852, -0.0833,  0.5   ,  1.0833,  1.0852])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

gelu_backward: _gelu_backward

class _gelu_mul(Operator):
    def __call__(
        this,
        /,
        input: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """gelu(lower) * upper, where lower and upper are the halves of input along dim; out has half the size of input
        along dim

        approximate='tanh' (1) takes GELU's tanh form.

        Args:
            input (array): float32, float16, float64, bfloat16.
            approximate (str or int): 'none' (0), 'tanh' (1). Default: 'none'.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            input (2, 4) -> out (2, 2), for example.
            input has an even size along dim.
            out has the shape of the result, or as many elements in a row.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: input has a supported dtype; out has the dtype of input.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element, which is multiplied by the other half:
            approximate='none': x * Phi(x), Phi the distribution function of the standard normal distribution
            approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3
                * x**3)

        Source:
            Shazeer 2020, https://arxiv.org/abs/2002.05202

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> input = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> out = actgrad.gelu_mul(input)
            >>> out.round(4)
            array([[0.039 , 0.0313],
                   [0.25  , 1.3788]])
        """
    def plan(
        this,
        /,
        input: ArrayT,
        *,
        approximate: Literal["none", "tanh"] | SupportsIndex = "none",
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

gelu_mul: _gelu_mul

class _glu(Operator):
    def __call__(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """lower * sigmoid(upper), where lower and upper are the halves of self along dim; out has half the size of
        self along dim

        Args:
            self (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (2, 4) -> out (2, 2), for example.
            self has an even size along dim.
            out has the shape of self, halved along dim.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype; the
                result can be converted to out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element, which is multiplied by the other half:
            sigmoid(x)

        Source:
            Dauphin et al. 2017, https://arxiv.org/abs/1612.08083

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> out = actgrad.glu(self)
            >>> out.round(4)
            array([[-0.5959, -0.6129],
                   [ 0.2305,  0.755 ]])
        """
    def plan(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

glu: _glu

class _glu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_lower = grad_output * s and grad_upper = grad_output * lower * s * (1 - s), where s = sigmoid(upper)
        and lower and upper are the halves of self along dim; grad_input packs grad_lower and grad_upper as self
        packs its halves

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of glu.
            self (array): float32, float16, float64, bfloat16. Input of glu.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (2, 2), self (2, 4) -> grad_input (2, 4), for example.
            self has an even size along dim.
            grad_output has the shape of self, halved along dim.
            grad_input has the shape of self.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; grad_output has the dtype of
                self; grad_input has the dtype of self.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            s * (1 - s), s = sigmoid(x)

        Source:
            Dauphin et al. 2017, https://arxiv.org/abs/1612.08083

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.linspace(0, 1, 4).reshape(2, 2)
            >>> self = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> grad_input = actgrad.glu_backward(grad_output, self)
            >>> grad_input.round(4)
            array([[ 0.    ,  0.143 , -0.    , -0.1167],
                   [ 0.5378,  0.8808,  0.0297,  0.09  ]])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

glu_backward: _glu_backward

class _hardshrink(Operator):
    def __call__(
        this, /, self: ArrayT, *, lambd: Number = 0.5, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """x if abs(x) > lambd, else 0

        Args:
            self (array): float32, float16, float64, bfloat16.
            lambd (float): Any number. Default: 0.5.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype;
                lambd can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            0 if abs(x) <= lambd else x

        Source:
            Donoho and Johnstone 1994, https://doi.org/10.1093/biomet/81.3.425

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.hardshrink(self)
            >>> out.round(4)
            array([-2., -1.,  0.,  1.,  2.])
        """
    def plan(
        this, /, self: ArrayT, *, lambd: Number = 0.5, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

hardshrink: _hardshrink

class _hardshrink_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """0 if abs(self) <= max(lambd, 0), else grad_output

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of hardshrink.
            self (array): float32, float16, float64, bfloat16. Input of hardshrink.
            lambd (float): Any number. Default: 0.5.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self can be broadcast with grad_output.
            grad_input has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has a supported
                dtype; grad_input has a supported dtype; grad_output and self are promoted to a supported dtype; the
                result can be converted to grad_input's dtype; lambd can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            0 if abs(x) <= max(lambd, 0) else g

        Source:
            Donoho and Johnstone 1994, https://doi.org/10.1093/biomet/81.3.425

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.hardshrink_backward(grad_output, self)
            >>> grad_input.round(4)
            array([1., 1., 0., 1., 1.])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardshrink_backward: _hardshrink_backward

class _hardsigmoid(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        alpha: Number = 0.16666666666666666,
        beta: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """min(max(alpha * x + beta, 0), 1)

        Integer results are truncated: 1 if alpha * x + beta >= 1, else 0.

        Args:
            self (array): float32, float16, int32, float64, bfloat16.
            alpha (float): Any number. Default: 0.16666666666666666.
            beta (float): Any number. Default: 0.5.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has the dtype of self.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            min(max(alpha * x + beta, 0), 1), where 0 * x is 0 also for infinite x

        Source:
            Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.hardsigmoid(self)
            >>> out.round(4)
            array([0.1667, 0.3333, 0.5   , 0.6667, 0.8333])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        alpha: Number = 0.16666666666666666,
        beta: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardsigmoid: _hardsigmoid

class _hardsigmoid_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha: Number = 0.16666666666666666,
        beta: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """alpha * grad_output if -beta < alpha * self < 1 - beta, else 0

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of hardsigmoid.
            self (array): float32, float16, float64, bfloat16. Input of hardsigmoid.
            alpha (float): Any number. Default: 0.16666666666666666.
            beta (float): Any number. Default: 0.5.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has a supported
                dtype; the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            alpha * g if -beta < alpha * x < 1 - beta else 0

        Source:
            Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.hardsigmoid_backward(grad_output, self)
            >>> grad_input.round(4)
            array([0.1667, 0.1667, 0.1667, 0.1667, 0.1667])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha: Number = 0.16666666666666666,
        beta: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardsigmoid_backward: _hardsigmoid_backward

class _hardswish(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x * min(max(x + 3, 0), 6) / 6

        Args:
            self (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype; the
                result can be converted to out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x if x >= 3, 0 if x <= -3, else x * (x + 3) / 6

        Source:
            Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.hardswish(self)
            >>> out.round(4)
            array([-0.3333, -0.3333,  0.    ,  0.6667,  1.6667])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

hardswish: _hardswish

class _hardswish_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        closed: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """0 if self <= -3, grad_output if self >= 3, else grad_output * (self / 3 + 1 / 2)

        With closed=True, -3 and 3 belong to the middle branch.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of hardswish.
            self (array): float32, float16, float64, bfloat16. Input of hardswish.
            closed (bool): Default: False.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; grad_output has a supported
                dtype; grad_output has the dtype of self; grad_input has the dtype of self.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            closed=False: g if x >= 3, 0 if x <= -3, else g * (x / 3 + 1 / 2)
            closed=True: g if x > 3, 0 if x < -3, else g * (x / 3 + 1 / 2)

        Source:
            Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.hardswish_backward(grad_output, self)
            >>> grad_input.round(4)
            array([-0.1667,  0.1667,  0.5   ,  0.8333,  1.1667])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        closed: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardswish_backward: _hardswish_backward

class _hardtanh(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        min_val: Number = -1.0,
        max_val: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """min(max(x, min_val), max_val)

        Args:
            self (array): float32, float16, float64, bfloat16.
            min_val (float): Any number. Default: -1.0.
            max_val (float): Any number. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype; out
                has the dtype of self; min_val, max_val can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            min(max(x, min_val), max_val)

        Source:
            PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.hardtanh(self)
            >>> out.round(4)
            array([-1., -1.,  0.,  1.,  1.])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        min_val: Number = -1.0,
        max_val: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardtanh: _hardtanh

class _hardtanh_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        min_val: Number = -1.0,
        max_val: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output if min_val < self < max_val, else 0

        By the documents' rules (actgrad.rules('document')) the bounds belong to the first case: min_val <= self <=
        max_val.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of hardtanh.
            self (array): float32, float16, float64, bfloat16. Input of hardtanh.
            min_val (float): Any number. Default: -1.0.
            max_val (float): Any number. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has a supported
                dtype; grad_input has a supported dtype; self has the dtype of grad_output; the result can be
                converted to grad_input's dtype; min_val, max_val can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            g if min_val < x < max_val else 0
            g if min_val <= x <= max_val else 0, by the documents' rules

        Source:
            PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.hardtanh_backward(grad_output, self)
            >>> grad_input.round(4)
            array([0., 0., 1., 0., 0.])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        min_val: Number = -1.0,
        max_val: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

hardtanh_backward: _hardtanh_backward

class _heaviside(Operator):
    def __call__(
        this, /, input: ArrayT, values: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """1 if input > 0, values if input == 0, else 0; also 0 for NaN

        Args:
            input (array): float32, float16, float64, bfloat16.
            values (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            input (5,), values (5,) -> out (5,), for example.
            values can be broadcast with input.
            out has the shape of the result, or as many elements in a row.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: input has a supported dtype; values has a supported dtype;
                out has a supported dtype; the result can be converted to out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            1 if x > 0, value if x == 0, else 0, also for NaN

        Source:
            NumPy, https://numpy.org/doc/stable/reference/generated/numpy.heaviside.html

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> input = np.full(5, 0.5)
            >>> values = np.linspace(-2, 2, 5)
            >>> out = actgrad.heaviside(input, values)
            >>> out.round(4)
            array([1., 1., 1., 1., 1.])
        """
    def plan(
        this, /, input: ArrayT, values: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

heaviside: _heaviside

class _leaky_relu(Operator):
    def __call__(
        this, /, self: ArrayT, *, negative_slope: Number = 0.01, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """x if x > 0, else negative_slope * x

        Args:
            self (array): float32, float16, float64, bfloat16.
            negative_slope (float): Any number. Default: 0.01.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype; negative_slope can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x if x > 0 else negative_slope * x

        Source:
            Maas et al. 2013, https://ai.stanford.edu/~amaas/papers/relu_hybrid_icml2013_final.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.leaky_relu(self)
            >>> out.round(4)
            array([-0.02, -0.01,  0.  ,  1.  ,  2.  ])
        """
    def plan(
        this, /, self: ArrayT, *, negative_slope: Number = 0.01, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

leaky_relu: _leaky_relu

class _leaky_relu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        negative_slope: Number = 0.01,
        self_is_result: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output if self > 0, else negative_slope * grad_output

        With self_is_result, self is the result of leaky_relu. The result has the sign of the input, because a
        negative negative_slope is refused then.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of leaky_relu.
            self (array): float32, float16, float64, bfloat16. Result of leaky_relu if self_is_result, else its
                input.
            negative_slope (float): Required: negative_slope >= 0 when self_is_result. Default: 0.01.
            self_is_result (bool): Required: negative_slope >= 0 when self_is_result. Default: False.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> out (5,), for example.
            self can be broadcast with grad_output.
            out has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has a supported
                dtype; the result can be converted to out's dtype; negative_slope can be converted to float.
            InvalidArgument: a rule on shapes is broken, or a rule on values: negative_slope >= 0 when
                self_is_result.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            1 if x > 0 else negative_slope; x may be the result, which has the same sign where the slope is not
                negative

        Source:
            Maas et al. 2013, https://ai.stanford.edu/~amaas/papers/relu_hybrid_icml2013_final.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.leaky_relu_backward(grad_output, self)
            >>> out.round(4)
            array([0.01, 0.01, 0.01, 1.  , 1.  ])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        negative_slope: Number = 0.01,
        self_is_result: bool | np.bool_ = False,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

leaky_relu_backward: _leaky_relu_backward

class _log_softmax(Operator):
    def __call__(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """x - log(sum(exp(x))) along dim

        Args:
            self (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (2, 2) -> out (2, 2), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x - m - log(sum(exp(x - m))), where m is the largest x of the row

        Source:
            Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 4).reshape(2, 2)
            >>> out = actgrad.log_softmax(self)
            >>> out.round(4)
            array([[-1.5673, -0.234 ],
                   [-1.5673, -0.234 ]])
        """
    def plan(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

log_softmax: _log_softmax

class _log_softmax_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output - exp(output) * sum(grad_output) along dim; output = log_softmax(x)

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of log_softmax.
            output (array): float32, float16, float64, bfloat16. Result of log_softmax.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (2, 2), output (2, 2) -> grad_input (2, 2), for example.
            output has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: output has a supported dtype; grad_output has a supported
                dtype; output has the dtype of grad_output; the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            grad - exp(y) * sum(grad), for y = log_softmax(x)

        Source:
            Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.linspace(0, 1, 4).reshape(2, 2)
            >>> output = actgrad.log_softmax(np.linspace(-2, 2, 4).reshape(2, 2))
            >>> grad_input = actgrad.log_softmax_backward(grad_output, output)
            >>> grad_input.round(4)
            array([[-0.0695,  0.0695],
                   [ 0.319 , -0.319 ]])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

log_softmax_backward: _log_softmax_backward

class _logsigmoid(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """-log(1 + exp(-x))

        Args:
            self (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype; out
                has the dtype of self.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            log(1 / (1 + exp(-x)))

        Source:
            PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.logsigmoid(self)
            >>> out.round(4)
            array([-2.1269, -1.3133, -0.6931, -0.3133, -0.1269])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

logsigmoid: _logsigmoid

class _logsigmoid_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output * sigmoid(-self)

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of logsigmoid.
            self (array): float32, float16, float64, bfloat16. Input of logsigmoid.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            grad_input has the shape of grad_output.
            self has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has a supported
                dtype; grad_input has the dtype of grad_output; self has the dtype of grad_output.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            1 / (1 + exp(x))

        Source:
            PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.logsigmoid_backward(grad_output, self)
            >>> grad_input.round(4)
            array([0.8808, 0.7311, 0.5   , 0.2689, 0.1192])
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

logsigmoid_backward: _logsigmoid_backward

class _mish(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x * tanh(log(1 + exp(x)))

        Args:
            self (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype; out
                has the dtype of self.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x * tanh(log(1 + exp(x))) = x * (p**2 - 1) / (p**2 + 1), p = 1 + exp(x)

        Source:
            Misra 2019, https://arxiv.org/abs/1908.08681

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.mish(self)
            >>> out.round(4)
            array([-0.2525, -0.3034,  0.    ,  0.8651,  1.944 ])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

mish: _mish

class _mish_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output * (t + self * sigmoid(self) * (1 - t**2)), where t = tanh(log(1 + exp(self)))

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of mish.
            self (array): float32, float16, float64, bfloat16. Input of mish.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self can be broadcast with grad_output.
            grad_input has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self can be converted to grad_input's dtype; grad_output
                has a supported dtype; self has a supported dtype; grad_input has a supported dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            t + x * sigmoid(x) * (1 - t**2), t = tanh(log(1 + exp(x)))

        Source:
            Misra 2019, https://arxiv.org/abs/1908.08681

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.mish_backward(grad_output, self)
            >>> grad_input.round(4)
            array([-0.1084,  0.0592,  0.6   ,  1.049 ,  1.0693])
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

mish_backward: _mish_backward

class _p_relu_grad_reduce(Operator):
    def __call__(
        this, /, updates: ArrayT, weights: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """sum(updates) over each channel

        A channel is one index of dimension 1. With weights of one element, da is the sum over all elements.

        Args:
            updates (array): float32, float16, float64, bfloat16.
            weights (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            updates (2, 2), weights (2,) -> da (2,), for example.
            weights has one element, or those of dimension 1 of updates.
            da has the shape of weights.

        Returns:
            da (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: updates has a supported dtype; weights has the dtype of
                updates; the result can be converted to da's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            da, the sum of the updates of a channel; no result has elements

        Source:
            He et al. 2015, https://arxiv.org/abs/1502.01852

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> updates = np.linspace(-2, 2, 4).reshape(2, 2)
            >>> weights = np.full(2, 0.5)
            >>> da = actgrad.p_relu_grad_reduce(updates, weights)
            >>> da.round(4)
            array([-1.3333,  1.3333])
        """
    def plan(
        this, /, updates: ArrayT, weights: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

p_relu_grad_reduce: _p_relu_grad_reduce

class _prelu(Operator):
    def __call__(
        this, /, self: ArrayT, weight: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """self if self > 0, else weight * self; weight has one element, or one for each channel (dimension 1 of self)

        Args:
            self (array): float32, float16, float64, bfloat16.
            weight (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (2, 2), weight (2,) -> out (2, 2), for example.
            out has the shape of self.
            weight has one element, or those of dimension 1 of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; weight has a supported dtype;
                out has a supported dtype; self and weight are promoted to a supported dtype; the result can be
                converted to out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x if x > 0 else weight * x

        Source:
            He et al. 2015, https://arxiv.org/abs/1502.01852

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 4).reshape(2, 2)
            >>> weight = np.full(2, 0.5)
            >>> out = actgrad.prelu(self, weight)
            >>> out.round(4)
            array([[-1.    , -0.3333],
                   [ 0.6667,  2.    ]])
        """
    def plan(
        this, /, self: ArrayT, weight: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

prelu: _prelu

class _prelu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        weight: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> tuple[ArrayT, ArrayT]:
        """grad_self = (grad_output if self > 0, else weight * grad_output) and grad_weight = sum(0 if self > 0, else
        self * grad_output) over each channel

        A channel is one index of dimension 1. With a weight of one element, grad_weight is the sum over all
        elements.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of prelu.
            self (array): float32, float16, float64, bfloat16. Input of prelu.
            weight (array): float32, float16, float64, bfloat16. Input of prelu.
            out (tuple of arrays): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (2, 2), self (2, 2), weight (2,) -> grad_self (2, 2), grad_weight (2,), for example.
            grad_self has the shape of self.
            weight has one element, or those of dimension 1 of self.
            grad_weight has the shape of weight.
            grad_output can be broadcast to the shape of self.

        Returns:
            grad_self, grad_weight (tuple of arrays): Of the kind and data type of the inputs. With out=, the memory
                given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; self and weight and
                grad_output are promoted to a supported dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            grad where x > 0, else weight * grad

        Source:
            He et al. 2015, https://arxiv.org/abs/1502.01852

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.linspace(0, 1, 4).reshape(2, 2)
            >>> self = np.linspace(-2, 2, 4).reshape(2, 2)
            >>> weight = np.full(2, 0.5)
            >>> grad_self, grad_weight = actgrad.prelu_backward(grad_output, self, weight)
            >>> grad_self.round(4)
            array([[0.    , 0.1667],
                   [0.6667, 1.    ]])
            >>> grad_weight.round(4)
            array([ 0.    , -0.2222])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        weight: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> Plan: ...

prelu_backward: _prelu_backward

class _relu(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """max(x, 0)

        Args:
            self (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has the dtype of self.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x if x > 0 else 0

        Source:
            Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.relu(self)
            >>> out.round(4)
            array([0., 0., 0., 1., 2.])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

relu: _relu

class _relu6(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """min(max(x, 0), 6)

        Args:
            self (array): float32, float16, int32, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            min(max(x, 0), 6)

        Source:
            Krizhevsky 2010, https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.relu6(self)
            >>> out.round(4)
            array([0., 0., 0., 1., 2.])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

relu6: _relu6

class _relu6_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output if 0 < self < 6, else 0

        The result of relu6 gives the same gradient and may be passed instead of the input.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of relu6.
            self (array): float32, float16, float64, bfloat16. Input of relu6.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            g if 0 < x < 6 else 0

        Source:
            Krizhevsky 2010, https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.relu6_backward(grad_output, self)
            >>> grad_input.round(4)
            array([0., 0., 0., 1., 1.])
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

relu6_backward: _relu6_backward

class _relu6_d(Operator):
    def __call__(
        this, /, self: ArrayT, *, scale: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """min(max(x, 0), 6 * scale)

        Args:
            self (array): float32, float16, int32, float64, bfloat16.
            scale (float): Any number. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype; scale can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            min(max(x, 0), 6 * scale)

        Source:
            Krizhevsky 2010, https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.relu6_d(self)
            >>> out.round(4)
            array([0., 0., 0., 1., 2.])
        """
    def plan(
        this, /, self: ArrayT, *, scale: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

relu6_d: _relu6_d

class _relu_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, result: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output if result > 0, else 0; result = relu(x)

        The input of relu gives the same gradient and may be passed instead.

        Args:
            grad_output (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Gradient of the
                result of relu.
            result (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Result of relu.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), result (5,) -> grad_input (5,), for example.
            result can be broadcast with grad_output.
            grad_input has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; result has the dtype of
                grad_output; grad_input has the dtype of grad_output.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            g if y > 0 else 0, for y = relu(x)

        Source:
            Nair and Hinton 2010, https://www.cs.toronto.edu/~fritz/absps/reluICML.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> result = actgrad.relu(np.linspace(-2, 2, 5))
            >>> grad_input = actgrad.relu_backward(grad_output, result)
            >>> grad_input.round(4)
            array([0., 0., 0., 1., 1.])
        """
    def plan(
        this, /, grad_output: ArrayT, result: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

relu_backward: _relu_backward

class _rrelu_with_noise(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        noise: ArrayT,
        *,
        lower: Number = 0.125,
        upper: Number = 0.3333333333333333,
        training: bool | np.bool_ = False,
        seed: SupportsIndex = 0,
        offset: SupportsIndex = 0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """self if self > 0, else (lower + upper) / 2 * self

        noise, seed and offset are not read, because training=True is refused.

        Args:
            self (array): float32, float16, float64, bfloat16.
            noise (array): Only its shape and its data type are checked.
            lower (float): Any number. Default: 0.125.
            upper (float): Any number. Default: 0.3333333333333333.
            training (bool): Required: False. Default: False.
            seed (int): Default: 0.
            offset (int): Default: 0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,), noise (5,) -> out (5,), for example.
            out has the shape of self.
            with training noise has as many elements as self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; noise has a supported dtype;
                out has a supported dtype; out has the dtype of self; noise has the dtype of self; lower, upper can
                be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x if x > 0 else (lower + upper) / 2 * x

        Source:
            Xu et al. 2015, https://arxiv.org/abs/1505.00853

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> noise = np.full(5, 0.5)
            >>> out = actgrad.rrelu_with_noise(self, noise)
            >>> out.round(4)
            array([-0.4583, -0.2292,  0.    ,  1.    ,  2.    ])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        noise: ArrayT,
        *,
        lower: Number = 0.125,
        upper: Number = 0.3333333333333333,
        training: bool | np.bool_ = False,
        seed: SupportsIndex = 0,
        offset: SupportsIndex = 0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

rrelu_with_noise: _rrelu_with_noise

class _scaled_celu(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        alpha1: Number = 1.0,
        alpha2: Number = 1.0,
        alpha3: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """alpha3 * x if x > 0, else alpha1 * (exp(x / alpha2) - 1)

        Args:
            self (array): float32, float16, float64, bfloat16.
            alpha1 (float): Any number. Default: 1.0.
            alpha2 (float): Required: alpha2 neither 0 nor NaN. Default: 1.0.
            alpha3 (float): Any number. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype; alpha1, alpha2, alpha3 can be converted to float.
            InvalidArgument: a rule on shapes is broken, or a rule on values: alpha2 neither 0 nor NaN.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            alpha3 * x if x > 0 else alpha1 * (exp(x / alpha2) - 1)

        Source:
            Barron 2017, https://arxiv.org/abs/1704.07483

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.scaled_celu(self)
            >>> out.round(4)
            array([-0.8647, -0.6321,  0.    ,  1.    ,  2.    ])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        alpha1: Number = 1.0,
        alpha2: Number = 1.0,
        alpha3: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

scaled_celu: _scaled_celu

class _scaled_celu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha1: Number = 1.0,
        alpha2: Number = 1.0,
        alpha3: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """alpha3 * grad_output if self > 0, else alpha1 / alpha2 * exp(self / alpha2) * grad_output

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of scaled_celu.
            self (array): float32, float16, float64, bfloat16. Input of scaled_celu.
            alpha1 (float): Any number. Default: 1.0.
            alpha2 (float): Required: alpha2 neither 0 nor NaN. Default: 1.0.
            alpha3 (float): Any number. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; the result can be converted to grad_input's dtype; alpha1, alpha2, alpha3 can be
                converted to float.
            InvalidArgument: a rule on shapes is broken, or a rule on values: alpha2 neither 0 nor NaN.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            alpha3 if x > 0 else alpha1 / alpha2 * exp(x / alpha2)

        Source:
            Barron 2017, https://arxiv.org/abs/1704.07483

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.scaled_celu_backward(grad_output, self)
            >>> grad_input.round(4)
            array([0.1353, 0.3679, 1.    , 1.    , 1.    ])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        alpha1: Number = 1.0,
        alpha2: Number = 1.0,
        alpha3: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

scaled_celu_backward: _scaled_celu_backward

class _selu(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """scale * x if x > 0, else scale * alpha * (exp(x) - 1), where scale = 1.0507009873554805 and alpha =
        1.6732632423543773

        Integers are computed as floats, rounded to the nearest even number, and saturate.

        Args:
            self (array): float32, float16, int8, int32, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype; the
                result can be converted to out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            SCALE * (x if x > 0 else ALPHA * (exp(x) - 1)), ALPHA = 1.67326324..., SCALE = 1.05070098...

        Source:
            Klambauer et al. 2017, https://arxiv.org/abs/1706.02515

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.selu(self)
            >>> out.round(4)
            array([-1.5202, -1.1113,  0.    ,  1.0507,  2.1014])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

selu: _selu

class _selu_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, result: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """scale * grad_output if result >= 0, else (result + scale * alpha) * grad_output, where scale =
        1.0507009873554805 and alpha = 1.6732632423543773; result = selu(x)

        On Ascend950 a result of 0 belongs to the second case. Integers are computed as floats, rounded to the
        nearest even number, and saturate.

        Args:
            grad_output (array): float32, float16, int8, int32, float64, bfloat16. Gradient of the result of selu.
            result (array): float32, float16, int8, int32, float64, bfloat16. Result of selu.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), result (5,) -> grad_input (5,), for example.
            result has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: result has the dtype of grad_output; grad_input has the
                dtype of grad_output; grad_output has a supported dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            SCALE if y >= 0 else y + SCALE * ALPHA, for y = selu(x)
            SCALE if y > 0 else y + SCALE * ALPHA, for y = selu(x), on Ascend950

        Source:
            Klambauer et al. 2017, https://arxiv.org/abs/1706.02515

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> result = actgrad.selu(np.linspace(-2, 2, 5))
            >>> grad_input = actgrad.selu_backward(grad_output, result)
            >>> grad_input.round(4)
            array([0.2379, 0.6468, 1.0507, 1.0507, 1.0507])
        """
    def plan(
        this, /, grad_output: ArrayT, result: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

selu_backward: _selu_backward

class _selu_backward_from_input(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """scale * grad_output if self >= 0, else scale * alpha * exp(self) * grad_output, where scale =
        1.0507009873554805 and alpha = 1.6732632423543773

        On Ascend950 an input of 0 belongs to the second case. In half precision this gradient is more exact than
        selu_backward, which sees only the rounded result. Integers are computed as floats, rounded to the nearest
        even number, and saturate.

        Args:
            grad_output (array): float32, float16, int8, int32, float64, bfloat16. Gradient of the result of selu.
            self (array): float32, float16, int8, int32, float64, bfloat16. Input of selu.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            SCALE if x >= 0 else SCALE * ALPHA * exp(x)
            SCALE if x > 0 else SCALE * ALPHA * exp(x), on Ascend950

        Source:
            Klambauer et al. 2017, https://arxiv.org/abs/1706.02515

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.selu_backward_from_input(grad_output, self)
            >>> grad_input.round(4)
            array([0.2379, 0.6468, 1.0507, 1.0507, 1.0507])
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

selu_backward_from_input: _selu_backward_from_input

class _shrink(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        bias: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """x - bias if x > lambd, x + bias if x < -lambd, else 0

        NaN gives NaN, and 0 on Ascend950.

        Args:
            self (array): float32, float16, float64, bfloat16.
            lambd (float): Required: lambd >= 0. Default: 0.5.
            bias (float): Any number. Default: 0.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype;
                lambd, bias can be converted to float.
            InvalidArgument: a rule on shapes is broken, or a rule on values: lambd >= 0.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x - bias if x > lambd, x + bias if x < -lambd, else 0
            x - bias if x > lambd, x + bias if x < -lambd, else 0 (also for NaN), on Ascend950

        Source:
            ONNX, https://onnx.ai/onnx/operators/onnx__Shrink.html

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.shrink(self)
            >>> out.round(4)
            array([-2., -1.,  0.,  1.,  2.])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        bias: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

shrink: _shrink

class _sigmoid(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """1 / (1 + exp(-x))

        Integers give float32.

        Args:
            self (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, complex64, complex128,
                bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            1 / (1 + exp(-x))

        Source:
            LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.sigmoid(self)
            >>> out.round(4)
            array([0.1192, 0.2689, 0.5   , 0.7311, 0.8808])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

sigmoid: _sigmoid

class _sigmoid_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        complex_conj: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output * output * (1 - output); output = sigmoid(x)

        For complex numbers, complex_conj=True takes the conjugate of output * (1 - output).

        Args:
            grad_output (array): float32, float16, float64, complex64, complex128, bfloat16. Gradient of the result
                of sigmoid.
            output (array): float32, float16, float64, complex64, complex128, bfloat16. Result of sigmoid.
            complex_conj (bool): Default: True.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), output (5,) -> grad_input (5,), for example.
            output can be broadcast with grad_output.
            grad_input has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; output has a supported
                dtype; grad_input has a supported dtype; grad_output and output are promoted to a supported dtype;
                the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            complex_conj=True: y * (1 - y), for y = sigmoid(x); the conjugate of that for complex numbers
            complex_conj=False: y * (1 - y), for y = sigmoid(x)

        Source:
            LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> output = actgrad.sigmoid(np.linspace(-2, 2, 5))
            >>> grad_input = actgrad.sigmoid_backward(grad_output, output)
            >>> grad_input.round(4)
            array([0.105 , 0.1966, 0.25  , 0.1966, 0.105 ])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        complex_conj: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

sigmoid_backward: _sigmoid_backward

class _silu(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x * sigmoid(x)

        Args:
            self (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype; out
                has the dtype of self.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x * sigmoid(x)

        Source:
            Elfwing et al. 2017, https://arxiv.org/abs/1702.03118

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.silu(self)
            >>> out.round(4)
            array([-0.2384, -0.2689,  0.    ,  0.7311,  1.7616])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

silu: _silu

class _silu_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output * s * (1 + self * (1 - s)), where s = sigmoid(self)

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of silu.
            self (array): float32, float16, float64, bfloat16. Input of silu.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            off Ascend950: self has the shape of grad_output.
            off Ascend950: grad_input has the shape of grad_output.
            self can be broadcast with grad_output.
            grad_input has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has a supported
                dtype; grad_input has a supported dtype; the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            s * (1 + x * (1 - s)), s = sigmoid(x)

        Source:
            Elfwing et al. 2017, https://arxiv.org/abs/1702.03118

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.silu_backward(grad_output, self)
            >>> grad_input.round(4)
            array([-0.0908,  0.0723,  0.5   ,  0.9277,  1.0908])
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

silu_backward: _silu_backward

class _situ_glu(Operator):
    def __call__(
        this,
        /,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """beta * tanh(lower / beta) * sigmoid(lower) * upper, where lower and upper are the halves of x along dim; out
        has half the size of x along dim

        With linear_beta > 0, linear_beta * tanh(upper / linear_beta) takes the place of upper. activate_left=False
        swaps the roles of lower and upper.

        Args:
            x (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            beta (float): Any number. Default: 1.0.
            linear_beta (float): Any number. Default: 0.0.
            activate_left (bool): Default: True.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            x (2, 4) -> out (2, 2), for example.
            x has an even size along dim.
            out has the shape of x, halved along dim.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: x has a supported dtype; out has the dtype of x.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            beta * tanh(gate / beta) * sigmoid(gate) * up
            beta * tanh(gate / beta) * sigmoid(gate) * linear_beta * tanh(up / linear_beta), if linear_beta > 0

        Source:
            CANN, https://github.com/hicann/ops-nn/tree/master/activation/situ_glu

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> x = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> out = actgrad.situ_glu(x)
            >>> out.round(4)
            array([[0.0985, 0.0492],
                   [0.2269, 0.9756]])
        """
    def plan(
        this,
        /,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

situ_glu: _situ_glu

class _situ_glu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_lower = grad_output * upper * s * (1 - t**2 + beta * t * (1 - s)) and grad_upper = grad_output * beta *
        t * s, where t = tanh(lower / beta) and s = sigmoid(lower) and lower and upper are the halves of x along
        dim; grad_input packs grad_lower and grad_upper as x packs its halves

        With linear_beta > 0, the formula is the derivative of situ_glu's other form. activate_left=False swaps the
        roles of lower and upper.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of situ_glu.
            x (array): float32, float16, float64, bfloat16. Input of situ_glu.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            beta (float): Any number. Default: 1.0.
            linear_beta (float): Any number. Default: 0.0.
            activate_left (bool): Default: True.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (2, 2), x (2, 4) -> grad_input (2, 4), for example.
            x has an even size along dim.
            grad_output has the shape of x, halved along dim.
            grad_input has the shape of x.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; x has the dtype of
                grad_output; grad_input has the dtype of grad_output.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            by gate: situ'(gate) * up, by up: situ(gate), for situ(x) = beta * tanh(x / beta) * sigmoid(x)
            by gate: situ'(gate) * h(up), by up: situ(gate) * h'(up), for h(x) = linear_beta * tanh(x /
                linear_beta), if linear_beta > 0

        Source:
            CANN, https://github.com/hicann/ops-nn/tree/master/activation/situ_glu

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.linspace(0, 1, 4).reshape(2, 2)
            >>> x = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> grad_input = actgrad.situ_glu_backward(grad_output, x)
            >>> grad_input.round(4)
            array([[ 0.    ,  0.0095, -0.    , -0.0574],
                   [ 0.5666,  1.017 ,  0.1059,  0.4878]])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        beta: Number = 1.0,
        linear_beta: Number = 0.0,
        activate_left: bool | np.bool_ = True,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

situ_glu_backward: _situ_glu_backward

class _softmax(Operator):
    def __call__(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """exp(x) / sum(exp(x)) along dim

        Args:
            self (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (2, 2) -> out (2, 2), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            exp(x - m) / sum(exp(x - m)), where m is the largest x of the row

        Source:
            Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 4).reshape(2, 2)
            >>> out = actgrad.softmax(self)
            >>> out.round(4)
            array([[0.2086, 0.7914],
                   [0.2086, 0.7914]])
        """
    def plan(
        this, /, self: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

softmax: _softmax

class _softmax_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """output * (grad_output - sum(grad_output * output)) along dim; output = softmax(x)

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of softmax.
            output (array): float32, float16, float64, bfloat16. Result of softmax.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (2, 2), output (2, 2) -> grad_input (2, 2), for example.
            output has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; output has a supported
                dtype; output has the dtype of grad_output; the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            y * (grad - sum(grad * y)), for y = softmax(x)

        Source:
            Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.linspace(0, 1, 4).reshape(2, 2)
            >>> output = actgrad.softmax(np.linspace(-2, 2, 4).reshape(2, 2))
            >>> grad_input = actgrad.softmax_backward(grad_output, output)
            >>> grad_input.round(4)
            array([[-0.055,  0.055],
                   [-0.055,  0.055]])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        output: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softmax_backward: _softmax_backward

class _softmax_cross_entropy_with_logits(Operator):
    def __call__(
        this,
        /,
        features: ArrayT,
        labels: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> tuple[ArrayT, ArrayT]:
        """loss = -sum(labels * log_softmax(features)) and backprop = softmax(features) - labels along the last
        dimension; loss has one element for each row

        backprop is the gradient of loss by features, if the labels of each row sum to 1. features and labels have
        the shape (rows, classes).

        Args:
            features (array): float32, float16, float64, bfloat16.
            labels (array): float32, float16, float64, bfloat16.
            out (tuple of arrays): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            features (2, 2), labels (2, 2) -> loss (2,), backprop (2, 2), for example.
            labels has the shape of features.
            loss has the shape of the result, or as many elements in a row.
            backprop has the shape of the result, or as many elements in a row.

        Returns:
            loss, backprop (tuple of arrays): Of the kind and data type of the inputs. With out=, the memory given
                there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: features has a supported dtype; labels has a supported
                dtype; loss has a supported dtype; backprop has a supported dtype; loss has the dtype of features;
                backprop has the dtype of features.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            softmax(x) - labels

        Source:
            Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> features = np.full((2, 2), 0.5)
            >>> labels = np.linspace(-2, 2, 4).reshape(2, 2)
            >>> loss, backprop = actgrad.softmax_cross_entropy_with_logits(features, labels)
            >>> loss.round(4)
            array([-1.8484,  1.8484])
            >>> backprop.round(4)
            array([[ 2.5   ,  1.1667],
                   [-0.1667, -1.5   ]])
        """
    def plan(
        this,
        /,
        features: ArrayT,
        labels: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softmax_cross_entropy_with_logits: _softmax_cross_entropy_with_logits

class _softmax_grad_ext(Operator):
    def __call__(
        this,
        /,
        grad: ArrayT,
        x1: ArrayT,
        x2: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """(grad * x1 - sum(grad * x1) * x1) * x2 along dim

        Args:
            grad (array): float32, float16, float64, bfloat16.
            x1 (array): float32, float16, float64, bfloat16.
            x2 (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad (2, 2), x1 (2, 2), x2 (2, 2) -> out (2, 2), for example.
            x1 has the shape of grad.
            x2 can be broadcast with grad.
            out has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad has a supported dtype; x1 has a supported dtype; x2
                has a supported dtype; grad and x1 and x2 are promoted to a supported dtype; the result can be
                converted to out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            (grad * x1 - sum(grad * x1) * x1) * x2

        Source:
            Bridle 1990, https://doi.org/10.1007/978-3-642-76153-9_28

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad = np.full((2, 2), 0.5)
            >>> x1 = np.full((2, 2), 0.5)
            >>> x2 = np.linspace(-2, 2, 4).reshape(2, 2)
            >>> out = actgrad.softmax_grad_ext(grad, x1, x2)
            >>> out.round(4)
            array([[-0., -0.],
                   [ 0.,  0.]])
        """
    def plan(
        this,
        /,
        grad: ArrayT,
        x1: ArrayT,
        x2: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softmax_grad_ext: _softmax_grad_ext

class _softplus(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        threshold: Number = 20.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """x if beta * x > threshold, else log(1 + exp(beta * x)) / beta

        Args:
            self (array): float32, float16, float64, bfloat16.
            beta (float): Any number. Default: 1.0.
            threshold (float): Any number. Default: 20.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype; beta, threshold can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x if beta * x > threshold else log(1 + exp(beta * x)) / beta

        Source:
            Dugas et al. 2001,
                https://papers.nips.cc/paper/1920-incorporating-second-order-functional-knowledge-for-better-option-pricing

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.softplus(self)
            >>> out.round(4)
            array([0.1269, 0.3133, 0.6931, 1.3133, 2.1269])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        threshold: Number = 20.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softplus: _softplus

class _softplus_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        threshold: Number = 20.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output if beta * self > threshold, else grad_output * sigmoid(beta * self)

        Args:
            grad_output (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, bfloat16.
                Gradient of the result of softplus.
            self (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, bfloat16. Input of
                softplus.
            beta (float): Any number. Default: 1.0.
            threshold (float): Any number. Default: 20.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has a supported
                dtype; grad_input has a supported dtype; the result can be converted to grad_input's dtype; beta,
                threshold can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            1 if beta * x > threshold else sigmoid(beta * x)

        Source:
            Dugas et al. 2001,
                https://papers.nips.cc/paper/1920-incorporating-second-order-functional-knowledge-for-better-option-pricing

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.softplus_backward(grad_output, self)
            >>> grad_input.round(4)
            array([0.1192, 0.2689, 0.5   , 0.7311, 0.8808])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        threshold: Number = 20.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softplus_backward: _softplus_backward

class _softshrink(Operator):
    def __call__(
        this, /, self: ArrayT, *, lambd: Number = 0.5, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """sign(x) * max(abs(x) - lambd, 0)

        NaN gives NaN, and 0 on Ascend950.

        Args:
            self (array): float32, float16, float64, bfloat16.
            lambd (float): Required: lambd >= 0. Default: 0.5.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype;
                lambd can be converted to float.
            InvalidArgument: a rule on shapes is broken, or a rule on values: lambd >= 0.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x - lambd if x > lambd, x + lambd if x < -lambd, else 0
            x - lambd if x > lambd, x + lambd if x < -lambd, else 0 (also for NaN), on Ascend950

        Source:
            Donoho 1995, https://doi.org/10.1109/18.382009

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.softshrink(self)
            >>> out.round(4)
            array([-1.5, -0.5,  0. ,  0.5,  1.5])
        """
    def plan(
        this, /, self: ArrayT, *, lambd: Number = 0.5, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

softshrink: _softshrink

class _softshrink_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """0 if abs(self) <= lambd, else grad_output

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of softshrink.
            self (array): float32, float16, float64, bfloat16. Input of softshrink.
            lambd (float): Required: lambd >= 0. Default: 0.5.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self can be broadcast with grad_output.
            grad_input has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has a supported
                dtype; grad_input has a supported dtype; the result can be converted to grad_input's dtype; lambd
                can be converted to float.
            InvalidArgument: a rule on shapes is broken, or a rule on values: lambd >= 0.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            0 if abs(x) <= lambd else g

        Source:
            Donoho 1995, https://doi.org/10.1109/18.382009

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.softshrink_backward(grad_output, self)
            >>> grad_input.round(4)
            array([1., 1., 0., 1., 1.])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        lambd: Number = 0.5,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

softshrink_backward: _softshrink_backward

class _softsign(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """x / (1 + abs(x))

        Args:
            self (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x / (1 + abs(x))

        Source:
            Turian et al. 2009, https://aclanthology.org/N09-2062

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.softsign(self)
            >>> out.round(4)
            array([-0.6667, -0.5   ,  0.    ,  0.5   ,  0.6667])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

softsign: _softsign

class _softsign_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output / (1 + abs(self))**2

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of softsign.
            self (array): float32, float16, float64, bfloat16. Input of softsign.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            1 / (1 + abs(x))**2

        Source:
            Turian et al. 2009, https://aclanthology.org/N09-2062

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.softsign_backward(grad_output, self)
            >>> grad_input.round(4)
            array([0.1111, 0.25  , 1.    , 0.25  , 0.1111])
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

softsign_backward: _softsign_backward

class _squared_relu(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """max(x, 0)**2

        Args:
            self (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of the result, or as many elements in a row.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has the dtype of self.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x**2 if x > 0 else 0

        Source:
            So et al. 2021, https://arxiv.org/abs/2109.08668

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.squared_relu(self)
            >>> out.round(4)
            array([0., 0., 0., 1., 4.])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

squared_relu: _squared_relu

class _squared_relu_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """2 * max(self, 0) * grad_output

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of squared_relu.
            self (array): float32, float16, float64, bfloat16. Input of squared_relu.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            2 * x if x > 0 else 0

        Source:
            So et al. 2021, https://arxiv.org/abs/2109.08668

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.squared_relu_backward(grad_output, self)
            >>> grad_input.round(4)
            array([0., 0., 0., 2., 4.])
        """
    def plan(
        this, /, grad_output: ArrayT, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

squared_relu_backward: _squared_relu_backward

class _swiglu(Operator):
    def __call__(
        this, /, x: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """silu(lower) * upper, where lower and upper are the halves of x along dim; out has half the size of x along
        dim

        Args:
            x (array): float32, float16, float64, bfloat16.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            x (2, 4) -> out (2, 2), for example.
            x has an even size along dim.
            out has the shape of the result, or as many elements in a row.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: x has a supported dtype; out has the dtype of x.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element, which is multiplied by the other half:
            x * sigmoid(x)

        Source:
            Shazeer 2020, https://arxiv.org/abs/2002.05202

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> x = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> out = actgrad.swiglu(x)
            >>> out.round(4)
            array([[0.2043, 0.0789],
                   [0.233 , 1.2035]])
        """
    def plan(
        this, /, x: ArrayT, *, dim: SupportsIndex = -1, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

swiglu: _swiglu

class _swiglu_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_lower = grad_output * upper * silu'(lower) and grad_upper = grad_output * silu(lower), where lower and
        upper are the halves of x along dim; grad_input packs grad_lower and grad_upper as x packs its halves

        silu(lower) is computed again.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of swiglu.
            x (array): float32, float16, float64, bfloat16. Input of swiglu.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (2, 2), x (2, 4) -> grad_input (2, 4), for example.
            grad_output has as many dimensions as x.
            x has an even size along dim.
            grad_output has the shape of x, halved along dim.
            grad_input has the shape of the result, or as many elements in a row.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; x has the dtype of
                grad_output; grad_input has the dtype of grad_output.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            s * (1 + x * (1 - s)), s = sigmoid(x)

        Source:
            Shazeer 2020, https://arxiv.org/abs/2002.05202

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.linspace(0, 1, 4).reshape(2, 2)
            >>> x = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> grad_input = actgrad.swiglu_backward(grad_output, x)
            >>> grad_input.round(4)
            array([[ 0.    ,  0.0028, -0.    , -0.0921],
                   [ 0.6104,  1.7627,  0.1088,  0.6018]])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        x: ArrayT,
        *,
        dim: SupportsIndex = -1,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

swiglu_backward: _swiglu_backward

class _swiglu_group(Operator):
    def __call__(
        this,
        /,
        x: ArrayT,
        weight: ArrayT | None = None,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        clamp_limit: Number = -1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """silu(lower) * upper * weight, where lower and upper are the halves of x along the last dimension; out has
        half the size of x there; weight has one element for each row

        Without weight, the factor is 1. With clamp_limit > 0 (c for short), lower becomes min(lower, c) and upper
        becomes clamp(upper, -c, c). group_index counts rows: only the first sum(group_index) rows are computed. The
        other rows are 0 in a new result and unchanged in out=.

        Args:
            x (array): float32, float16, float64, bfloat16.
            weight (array): float32, float16, float64, bfloat16. Default: None.
            group_index (array): Only the first sum(group_index) rows are computed. Default: None.
            dim (int): Dimension, from -rank to rank - 1. Default: -1.
            clamp_limit (float): Required: clamp_limit -1 or > 0. Default: -1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            x (2, 4) -> out (2, 2), for example.
            x has an even size along dim.
            weight has one element for each row of x.
            group_index has one dimension.
            group_index has at least 1 elements.
            out has the shape of x, halved along dim.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: x has a supported dtype; out has the dtype of x; weight is
                float32; group_index is int64.
            InvalidArgument: a rule on shapes is broken, or a rule on values: clamp_limit -1 or > 0.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            without weight: silu(min(a, c)) * min(max(b, -c), c), c = clamp_limit if clamp_limit > 0 else infinity
            with weight: silu(min(a, c)) * min(max(b, -c), c) * weight, c = clamp_limit if clamp_limit > 0 else
                infinity

        Source:
            CANN, https://github.com/hicann/ops-nn/tree/master/activation/swiglu_group

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> x = np.linspace(-2, 2, 8).reshape(2, 4)
            >>> out = actgrad.swiglu_group(x)
            >>> out.round(4)
            array([[0.2043, 0.0789],
                   [0.233 , 1.2035]])
        """
    def plan(
        this,
        /,
        x: ArrayT,
        weight: ArrayT | None = None,
        group_index: ArrayT | None = None,
        *,
        dim: SupportsIndex = -1,
        clamp_limit: Number = -1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

swiglu_group: _swiglu_group

class _swiglu_two(Operator):
    def __call__(
        this, /, self: ArrayT, gate: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """self * silu(gate)

        Args:
            self (array): float32, float16, float64, bfloat16.
            gate (array): float32, float16, float64, bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,), gate (5,) -> out (5,), for example.
            gate has the shape of self.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; gate has the dtype of self;
                the result can be converted to out's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element, which is multiplied by self:
            x * sigmoid(x)

        Source:
            Shazeer 2020, https://arxiv.org/abs/2002.05202

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.full(5, 0.5)
            >>> gate = np.linspace(-2, 2, 5)
            >>> out = actgrad.swiglu_two(self, gate)
            >>> out.round(4)
            array([-0.1192, -0.1345,  0.    ,  0.3655,  0.8808])
        """
    def plan(this, /, self: ArrayT, gate: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

swiglu_two: _swiglu_two

class _swiglu_two_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gate: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> tuple[ArrayT, ArrayT]:
        """grad_self = grad_output * silu(gate) and grad_gate = grad_output * self * silu'(gate)

        silu(gate) is computed again.

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of swiglu_two.
            self (array): float32, float16, float64, bfloat16. Input of swiglu_two.
            gate (array): float32, float16, float64, bfloat16. Input of swiglu_two.
            out (tuple of arrays): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,), gate (5,) -> grad_self (5,), grad_gate (5,), for example.
            self has the shape of grad_output.
            gate has the shape of grad_output.
            grad_self has the shape of grad_output.
            grad_gate has the shape of grad_output.

        Returns:
            grad_self, grad_gate (tuple of arrays): Of the kind and data type of the inputs. With out=, the memory
                given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has the dtype of
                grad_output; gate has the dtype of grad_output; the result can be converted to grad_self's dtype;
                the result can be converted to grad_gate's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            s * (1 + x * (1 - s)), s = sigmoid(x)

        Source:
            Shazeer 2020, https://arxiv.org/abs/2002.05202

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.full(5, 0.5)
            >>> gate = np.linspace(-2, 2, 5)
            >>> grad_self, grad_gate = actgrad.swiglu_two_backward(grad_output, self, gate)
            >>> grad_self.round(4)
            array([-0.2384, -0.2689,  0.    ,  0.7311,  1.7616])
            >>> grad_gate.round(4)
            array([-0.0454,  0.0362,  0.25  ,  0.4638,  0.5454])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        gate: ArrayT,
        *,
        out: tuple[ArrayT | None, ArrayT | None] | None = None,
        backend: str | None = None,
    ) -> Plan: ...

swiglu_two_backward: _swiglu_two_backward

class _swish(Operator):
    def __call__(
        this, /, self: ArrayT, *, beta: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """x * sigmoid(beta * x)

        Args:
            self (array): float32, float16, float64, bfloat16.
            beta (float): Any number. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype; out
                has the dtype of self; beta can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x * sigmoid(beta * x)

        Source:
            Ramachandran et al. 2017, https://arxiv.org/abs/1710.05941

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.swish(self)
            >>> out.round(4)
            array([-0.2384, -0.2689,  0.    ,  0.7311,  1.7616])
        """
    def plan(
        this, /, self: ArrayT, *, beta: Number = 1.0, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

swish: _swish

class _swish_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output * s * (1 + beta * self * (1 - s)), where s = sigmoid(beta * self)

        Args:
            grad_output (array): float32, float16, float64, bfloat16. Gradient of the result of swish.
            self (array): float32, float16, float64, bfloat16. Input of swish.
            beta (float): Any number. Default: 1.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self has the shape of grad_output.
            grad_input has the shape of grad_output.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has a supported
                dtype; grad_input has the dtype of grad_output; self has the dtype of grad_output; beta can be
                converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            s * (1 + beta * x * (1 - s)), s = sigmoid(beta * x)

        Source:
            Ramachandran et al. 2017, https://arxiv.org/abs/1710.05941

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.swish_backward(grad_output, self)
            >>> grad_input.round(4)
            array([-0.0908,  0.0723,  0.5   ,  0.9277,  1.0908])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        beta: Number = 1.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

swish_backward: _swish_backward

class _tanh(Operator):
    def __call__(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> ArrayT:
        """tanh(x)

        Integers give float32.

        Args:
            self (array): float32, float16, int8, int32, uint8, int16, int64, float64, bool, complex64, complex128,
                bfloat16.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; out has a supported dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            tanh(x)

        Source:
            LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.tanh(self)
            >>> out.round(4)
            array([-0.964 , -0.7616,  0.    ,  0.7616,  0.964 ])
        """
    def plan(this, /, self: ArrayT, *, out: ArrayT | None = None, backend: str | None = None) -> Plan: ...

tanh: _tanh

class _tanh_backward(Operator):
    def __call__(
        this, /, grad_output: ArrayT, output: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """grad_output * (1 - output**2); output = tanh(x)

        For complex numbers, the conjugate of 1 - output**2 is taken.

        Args:
            grad_output (array): float32, float16, float64, complex64, complex128, bfloat16. Gradient of the result
                of tanh.
            output (array): float32, float16, float64, complex64, complex128, bfloat16. Result of tanh.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), output (5,) -> grad_input (5,), for example.
            output can be broadcast with grad_output.
            grad_input has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; output has a supported
                dtype; grad_input has a supported dtype; grad_output and output are promoted to a supported dtype;
                the result can be converted to grad_input's dtype.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The derivative of one element, which is multiplied by grad_output:
            1 - y**2 = (1 - y) * (1 + y), for y = tanh(x); the conjugate of that for complex numbers

        Source:
            LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> output = actgrad.tanh(np.linspace(-2, 2, 5))
            >>> grad_input = actgrad.tanh_backward(grad_output, output)
            >>> grad_input.round(4)
            array([0.0707, 0.42  , 1.    , 0.42  , 0.0707])
        """
    def plan(
        this, /, grad_output: ArrayT, output: ArrayT, *, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

tanh_backward: _tanh_backward

class _threshold(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        *,
        threshold: Number = 0.0,
        value: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """x if x > threshold, else value

        Args:
            self (array): float32, float16, int8, int32, uint8, int16, int64, float64, bfloat16.
            threshold (float): Any number. Default: 0.0.
            value (float): Any number. Default: 0.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype; threshold, value can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            x if x > threshold else value

        Source:
            PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Threshold.html

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.threshold(self)
            >>> out.round(4)
            array([0., 0., 0., 1., 2.])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        *,
        threshold: Number = 0.0,
        value: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

threshold: _threshold

class _threshold_backward(Operator):
    def __call__(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        threshold: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """grad_output if self > threshold, else 0

        Args:
            grad_output (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Gradient of the
                result of threshold.
            self (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Input of threshold.
            threshold (float): Any number. Default: 0.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            grad_output (5,), self (5,) -> grad_input (5,), for example.
            self can be broadcast with grad_output.
            grad_input has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            grad_input (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: grad_output has a supported dtype; self has a supported
                dtype; self has the dtype of grad_output; grad_input has the dtype of grad_output; threshold can be
                converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        The gradient of one element, where g is an element of grad_output:
            g if x > threshold else 0

        Source:
            PyTorch, https://pytorch.org/docs/stable/generated/torch.nn.Threshold.html

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> grad_output = np.ones(5)
            >>> self = np.linspace(-2, 2, 5)
            >>> grad_input = actgrad.threshold_backward(grad_output, self)
            >>> grad_input.round(4)
            array([0., 0., 0., 1., 1.])
        """
    def plan(
        this,
        /,
        grad_output: ArrayT,
        self: ArrayT,
        *,
        threshold: Number = 0.0,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

threshold_backward: _threshold_backward

class _threshold_tensor(Operator):
    def __call__(
        this,
        /,
        self: ArrayT,
        threshold: ArrayT,
        value: ArrayT | None = None,
        *,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> ArrayT:
        """self if self > threshold, else value; the three tensors are broadcast together

        Without value, it is 0.

        Args:
            self (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16.
            threshold (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16.
            value (array): float32, float16, int8, int32, uint8, int64, float64, bfloat16. Default: None.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,), threshold (5,) -> out (5,), for example.
            self, threshold, value can be broadcast together.
            out has the shape of the result.
            The tensors are broadcast together and promoted to one data type.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; threshold has the dtype of
                self; value has the dtype of self; out has the dtype of self.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            without value: x if x > threshold else 0
            with value: x if x > threshold else value

        Source:
            CANN, https://github.com/hicann/ops-nn/tree/master/activation/threshold_v2

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.full(5, 0.5)
            >>> threshold = np.linspace(-2, 2, 5)
            >>> out = actgrad.threshold_tensor(self, threshold)
            >>> out.round(4)
            array([0.5, 0.5, 0.5, 0. , 0. ])
        """
    def plan(
        this,
        /,
        self: ArrayT,
        threshold: ArrayT,
        value: ArrayT | None = None,
        *,
        out: ArrayT | None = None,
        backend: str | None = None,
    ) -> Plan: ...

threshold_tensor: _threshold_tensor

class _unit_step(Operator):
    def __call__(
        this, /, self: ArrayT, *, threshold: Number = 0.0, out: ArrayT | None = None, backend: str | None = None
    ) -> ArrayT:
        """1 if x > threshold, else 0; also 0 for NaN

        Args:
            self (array): float32, float16, float64, bfloat16.
            threshold (float): Any number. Default: 0.0.
            out (array): Memory for the result. Default: None, which allocates it.
            backend (str): 'cpu', 'triton' or 'reference'. Default: None, which chooses by the device of the arrays.
            An array is a NumPy array, a torch.Tensor or another object with __dlpack__, of any strides.

        Shape:
            self (5,) -> out (5,), for example.
            out has the shape of self.

        Returns:
            out (array): Of the kind and data type of the inputs. With out=, the memory given there.

        Raises:
            NullArgument: a required argument is None.
            InvalidDtype: a rule on data types is broken: self has a supported dtype; the result can be converted to
                out's dtype; threshold can be converted to float.
            InvalidArgument: a rule on shapes is broken.
            UnsupportedOnProduct: the chosen product lacks the operator.

        One element:
            1 if x > threshold else 0, also for NaN

        Source:
            CANN, https://github.com/hicann/ops-nn/tree/master/activation/threshold

        Example:
            >>> import numpy as np
            >>> import actgrad
            >>> self = np.linspace(-2, 2, 5)
            >>> out = actgrad.unit_step(self)
            >>> out.round(4)
            array([0., 0., 0., 1., 1.])
        """
    def plan(
        this, /, self: ArrayT, *, threshold: Number = 0.0, out: ArrayT | None = None, backend: str | None = None
    ) -> Plan: ...

unit_step: _unit_step
