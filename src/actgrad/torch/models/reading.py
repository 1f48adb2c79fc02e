"""Runs a forward by its syntax tree. Records all reads, and refuses operations that have side effects.

The reader follows a forward expression by expression, on tensors of numbers. The allowed operations are elementwise
functions of PyTorch without side effects. Names and attributes must have immutable values.
`Reads` records these values, and its test later finds out whether one of them was replaced.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
import sys
from functools import cache, partial
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

import torch

from .source import tree_of

#: PyTorch's elementwise functions without side effects.
_ELEMENTWISE = {
    *("abs", "add", "div", "mul", "sub", "neg", "pow", "square", "sqrt", "rsqrt", "reciprocal", "exp", "expm1", "log"),
    *("log1p", "sigmoid", "tanh", "erf", "erfc", "expit", "relu", "where", "clamp", "clip", "clamp_min", "clamp_max"),
    *("minimum", "maximum", "multiply", "divide", "true_divide", "subtract", "negative", "mish", "softplus", "silu"),
    *("gelu", "selu", "elu", "celu", "hardtanh", "hardswish", "hardsigmoid", "relu6", "leaky_relu", "logsigmoid"),
    *("softsign", "threshold", "hardshrink", "softshrink", "tanhshrink", "sign", "zeros_like", "ones_like"),
}
_METHODS = {*_ELEMENTWISE, "add_", "sub_", "mul_", "div_"} - {"zeros_like", "ones_like"}
#: Methods of tensors that read whole rows. Code that calls one of them is not an elementwise activation.
_REDUCTIONS = {"mean", "var", "std", "norm", "sum", "amax", "amin", "max", "min", "median", "cumsum"}
#: Functions whose tensors torch.autocast converts on at least one device.
_CONVERTED = {"pow", "rsqrt", "reciprocal", "exp", "expm1", "log", "log1p", "softplus", "Pow"}
_OPERATORS: dict[str, Any] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "Pow": operator.pow,
    "USub": operator.neg,
    "UAdd": operator.pos,
    "Not": operator.not_,
    "FloorDiv": operator.floordiv,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
}
_BUILTINS: set[Any] = {float, int, abs, len, bool}
_MISSING: Any = object()
_DEPTH = 8


class Declined(Exception):
    """The reason why a forward cannot be followed."""


class _Return(Exception):
    pass


@cache
def _pure() -> dict[Any, str]:
    spaces = (torch, torch.nn.functional, torch.special)
    return {getattr(space, name): name for name in _ELEMENTWISE for space in spaces if hasattr(space, name)}


def is_constant(value: Any) -> bool:
    """Whether a value is immutable."""
    if type(value) is tuple:
        return all(map(is_constant, value))
    return value is None or type(value) in (bool, int, float, str, torch.dtype)


class Reads:
    """The values that a forward read, by expressions that read them again, and the names in these expressions."""

    def __init__(self) -> None:
        self.tests: dict[str, None] = {}
        self.names: dict[str, Any] = {}
        self.may_compile = True
        self.is_converted = False  # whether autocast may change the result

    def record(self, holder: Any, form: str, value: Any) -> Any:
        """Record the value of `form`, which is an expression in which {0} is the holder."""
        expression, name = form.format(self._name(holder)), self._name(value)
        is_same = f"id({expression}) == id({name})" if type(value) is partial else f"{expression} is {name}"
        self.tests[is_same] = None  # torch.compile does not recognise that a partial is itself
        return value

    def _name(self, value: Any) -> str:
        if value is SELF:
            return "self"
        name = f"_v{id(value)}"
        self.names[name] = value
        return name

    def test(self) -> Any:
        """A function of the module that returns whether all recorded values are unchanged."""
        tests = [] if self.may_compile else ["not is_compiling()"]  # first, so that the compiler traces no other test
        tests += ["not is_autocast()"] if self.is_converted else []
        tests += self.tests
        scope = {
            **self.names,
            "is_compiling": torch.compiler.is_compiling,
            "is_autocast": torch._C._is_any_autocast_enabled,
            "_v_missing": _MISSING,
        }
        exec(f"def is_as_read(self):\n    return {' and '.join(tests) or 'True'}", scope)
        return scope["is_as_read"]


SELF: Any = object()


class ForwardReader:
    """Follows a module's functions. `device` is the device that the tensors report."""

    def __init__(self, module: Any, device: str = "cpu"):
        self.module, self.device = module, torch.device(device)
        self.reads, self.depth = Reads(), 0
        self.has_computed = False

    # Calls

    def call(self, function: Any, args: Any, kwargs: Any) -> Any:
        """The result of a call."""
        values = (*args, *kwargs.values())
        if not all(v is self.module or isinstance(v, torch.Tensor) or is_constant(v) or v == {} for v in values):
            raise Declined("it passes objects to functions")
        name = _pure().get(function) if getattr(function, "__hash__", None) else None
        if name is not None:
            return self.compute(name, function, args, kwargs)
        if isinstance(function, _TensorMethod):
            return self.compute(function.name, getattr(torch.Tensor, function.name), (function.tensor, *args), kwargs)
        if isinstance(function, MethodType) and function.__self__ is self.module:
            return self.call(function.__func__, (self.module, *args), kwargs)
        if type(function) is partial:
            for field in ("func", "args"):
                self.reads.record(function, f"{{0}}.{field}", getattr(function, field))
            for key, value in function.keywords.items():
                self.reads.record(function, f"{{0}}.keywords.get({key!r})", self.allowed(key, value))
            self.reads.record(function, "len({0}.keywords)", len(function.keywords))
            return self.call(function.func, (*function.args, *args), {**function.keywords, **kwargs})
        if isinstance(function, FunctionType):
            return self.run(function, args, kwargs)
        is_math = isinstance(function, BuiltinFunctionType) and function.__module__ == "math"
        is_plain = is_math or any(function is each for each in _BUILTINS)
        if is_plain and not any(isinstance(v, torch.Tensor) or v is self.module for v in values):
            return function(*args, **kwargs)
        if isinstance(function, BuiltinFunctionType) and values:
            self.has_computed |= _keeps_shapes(function, args, kwargs)
        raise Declined(f"it calls {getattr(function, '__name__', None) or type(function).__name__}")

    def compute(self, name: str, function: Any, args: Any, kwargs: Any) -> Any:
        """The result of an elementwise operation."""
        self.has_computed = True
        self.reads.is_converted |= name in _CONVERTED
        try:
            return function(*args, **kwargs)
        except Exception as fault:
            raise Declined(f"its {name} cannot be tried: {type(fault).__name__}") from None

    def run(self, function: FunctionType, args: Any, kwargs: Any) -> Any:
        """The result of a Python function, run by its syntax tree."""
        self.depth += 1
        tree = tree_of(function.__code__)
        if tree is None or self.depth > _DEPTH:
            raise Declined(f"the source of {function.__qualname__} is not available")
        self.reads.record(function, "{0}.__code__", function.__code__)
        self.reads.record(function, "{0}.__defaults__", function.__defaults__)
        for key, value in (function.__kwdefaults__ or {}).items():
            self.reads.record(function, f"{{0}}.__kwdefaults__.get({key!r})", value)
        try:
            bound = inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
        except TypeError:
            raise Declined("its arguments are not one tensor") from None
        bound.apply_defaults()
        result = self.frame(function, dict(bound.arguments)).run(tree)
        self.depth -= 1
        return result

    def frame(self, function: FunctionType, local: dict[str, Any]) -> Frame:
        return Frame(self, function, local)

    # Reads

    def allowed(self, name: str, value: Any) -> Any:
        """A value that was read. Raises Declined if the value is mutable."""
        kinds = (FunctionType, BuiltinFunctionType, ModuleType, partial)
        if isinstance(value, type) and issubclass(value, torch.autograd.Function):
            raise Declined(f"it uses the autograd.Function {name}")
        if not (is_constant(value) or isinstance(value, kinds) or any(value is each for each in _BUILTINS)):
            raise Declined(f"it reads {name}, which is a {type(value).__name__} and may change")
        return value

    def attribute(self, value: Any, name: str) -> Any:
        """The attribute of a value."""
        if value is self.module:
            return self.of_module(name)
        if isinstance(value, torch.Tensor):
            if name == "device":
                return self.device
            if not hasattr(torch.Tensor, name):
                raise Declined("its forward cannot be tried: AttributeError")
            if name not in _METHODS:
                self.has_computed &= name not in _REDUCTIONS  # such a function is a normalisation
                raise Declined(f"it depends on the tensor's {name}")
            return _TensorMethod(value, name)
        if isinstance(value, torch.device) and name == "type":
            return value.type
        if isinstance(value, ModuleType):
            if "__getattr__" in vars(value) and name not in vars(value):
                raise Declined(f"it reads {value.__name__}.{name}")
            return self.reads.record(value, f"{{0}}.{name}", self.allowed(name, getattr(value, name, _MISSING)))
        if type(value) is dict and name == "get" and not value:
            return lambda key, default=None: default
        raise Declined(f"it reads {name} of a {type(value).__name__}")

    def of_module(self, name: str) -> Any:
        """The attribute `name` of the module."""
        kind = type(self.module)
        readers = [inspect.getattr_static(kind, name) for name in ("__getattribute__", "__getattr__")]
        if readers != [object.__getattribute__, torch.nn.Module.__getattr__]:
            raise Declined("its class computes attributes")
        of_class = inspect.getattr_static(kind, name, _MISSING)
        if isinstance(of_class, property) and type(of_class) is property:
            self.reads.record(kind, f"_static({{0}}, {name!r})", of_class)
            self.reads.names["_static"] = inspect.getattr_static
            return self.call(of_class.fget, (self.module,), {})
        if name in vars(self.module) and not hasattr(type(of_class), "__set__"):
            value = vars(self.module)[name]
        elif isinstance(of_class, FunctionType):
            self.reads.record(SELF, f"{{0}}.{name}.__func__", of_class)
            return MethodType(of_class, self.module)
        elif of_class is _MISSING or not is_constant(of_class):
            raise Declined(f"it reads self.{name}, which may change")
        else:
            value = of_class
        return self.reads.record(SELF, f"{{0}}.{name}", self.allowed(f"self.{name}", value))


class _TensorMethod:
    """A method that was read from a tensor."""

    def __init__(self, tensor: torch.Tensor, name: str):
        self.tensor, self.name = tensor, name


class Frame:
    """One call of a Python function: its local names, and the values of its expressions."""

    def __init__(self, interpreter: ForwardReader, function: FunctionType, local: dict[str, Any]):
        self.interpreter, self.function, self.local = interpreter, function, local

    def run(self, tree: ast.FunctionDef | ast.Lambda) -> Any:
        if isinstance(tree, ast.Lambda):
            return self.value(tree.body)
        try:
            self.block(tree.body)
        except _Return as result:
            return result.args[0]
        return None

    def block(self, statements: list[ast.stmt]) -> None:
        for each in statements:
            if isinstance(each, ast.Return):
                raise _Return(None if each.value is None else self.value(each.value))
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                continue
            if isinstance(each, ast.If):
                self.block(each.body if self.truth(each.test) else each.orelse)
            elif isinstance(each, ast.Assign) and len(each.targets) == 1:
                self.assign(each.targets[0], self.value(each.value))
            elif isinstance(each, ast.AnnAssign) and each.value is not None:
                self.assign(each.target, self.value(each.value))
            elif not isinstance(each, ast.Pass):
                raise Declined(f"its forward has {_word(each)}")

    def assign(self, target: ast.expr, value: Any) -> None:
        if not isinstance(target, ast.Name):
            raise Declined("it writes to self" if isinstance(target, ast.Attribute) else "it writes to other names")
        if target.id not in self.function.__code__.co_varnames:
            raise Declined(f"it writes to {target.id}")
        self.local[target.id] = value

    def truth(self, node: ast.expr) -> bool:
        value = self.value(node)
        if not is_constant(value):
            raise Declined("it branches on the tensor")
        return bool(value)

    def value(self, node: ast.expr) -> Any:
        compute = getattr(self, f"of_{type(node).__name__}", None)
        if compute is None:
            raise Declined(f"its forward has {_word(node)}")
        return compute(node)

    def of_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def of_Tuple(self, node: ast.Tuple) -> Any:
        return tuple(map(self.value, node.elts))

    def of_IfExp(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.truth(node.test) else node.orelse)

    def of_BoolOp(self, node: ast.BoolOp) -> Any:
        is_or = isinstance(node.op, ast.Or)
        for each in node.values[:-1]:
            if self.truth(each) is is_or:
                return self.value(each)
        return self.value(node.values[-1])

    def of_UnaryOp(self, node: ast.UnaryOp) -> Any:
        return self.operation(node.op, node.operand)

    def of_BinOp(self, node: ast.BinOp) -> Any:
        return self.operation(node.op, node.left, node.right)

    def of_Compare(self, node: ast.Compare) -> Any:
        if len(node.ops) != 1:
            raise Declined("its forward has chained comparisons")
        return self.operation(node.ops[0], node.left, *node.comparators)

    def operation(self, kind: Any, *operands: ast.expr) -> Any:
        name, values = type(kind).__name__, [self.value(operand) for operand in operands]
        is_tensor = any(isinstance(value, torch.Tensor) for value in values)
        if name not in _OPERATORS or not all(is_constant(v) or isinstance(v, torch.Tensor) for v in values):
            raise Declined(f"its forward has {name}")
        if is_tensor and name in ("Not", "Is", "IsNot", "FloorDiv", "Eq", "NotEq"):
            raise Declined("it branches on the tensor")
        if not is_tensor:
            return _OPERATORS[name](*values)
        return self.interpreter.compute(name, _OPERATORS[name], values, {})

    def of_Attribute(self, node: ast.Attribute) -> Any:
        return self.interpreter.attribute(self.value(node.value), node.attr)

    def of_Call(self, node: ast.Call) -> Any:
        function = self.value(node.func)
        if any(isinstance(arg, ast.Starred) for arg in node.args) or any(k.arg is None for k in node.keywords):
            raise Declined("it unpacks arguments")
        args = [self.value(arg) for arg in node.args]
        kwargs = {str(keyword.arg): self.value(keyword.value) for keyword in node.keywords}
        if getattr(function, "__qualname__", "").startswith("ForwardReader.attribute"):  # {}.get
            return function(*args, **kwargs)
        return self.interpreter.call(function, args, kwargs)

    def of_Name(self, node: ast.Name) -> Any:
        """The value of a name: a local variable, or a name of an enclosing function, the module or the builtins."""
        name, function, reads = node.id, self.function, self.interpreter.reads
        code = function.__code__
        if name in code.co_varnames or name in code.co_cellvars:
            if name not in self.local:
                raise Declined(f"{name} has no value")
            return self.local[name]
        if name in code.co_freevars:
            cell: CellType = (function.__closure__ or ())[code.co_freevars.index(name)]
            reads.may_compile = False
            value = self.interpreter.allowed(name, cell.cell_contents)
            return reads.record(cell, "{0}.cell_contents", value)
        space = function.__globals__
        owner = sys.modules.get(space.get("__name__", ""))
        if name in space:
            value = self.interpreter.allowed(name, space[name])
            if getattr(owner, "__dict__", None) is space:
                return reads.record(owner, f"{{0}}.{name}", value)
            reads.may_compile = False
            return reads.record(space, f"{{0}}.get({name!r})", value)
        reads.may_compile = False
        reads.record(space, f"{{0}}.get({name!r}, _v_missing)", _MISSING)
        return self.interpreter.allowed(name, getattr(builtins, name, _MISSING))


def _word(node: ast.AST) -> str:
    words = {"AugAssign": "augmented assignments", "With": "a with statement", "For": "a loop", "Expr": "a bare call"}
    return words.get(type(node).__name__, f"a {type(node).__name__}")


def _keeps_shapes(function: Any, args: Any, kwargs: Any) -> bool:
    """Whether an unknown function of PyTorch returns a tensor like its first argument, element by element."""
    if function.__module__ is not None and not function.__module__.startswith("torch"):
        return False
    with torch.random.fork_rng([]), torch.no_grad():
        try:
            rows = [args[0].clone(), args[0][: len(args[0]) // 2].clone() if args[0].dim() else args[0].clone()]
            full, half = (function(row, *args[1:], **kwargs) for row in rows)
            same = torch.allclose(full[: len(half)] if half.dim() else full, half, equal_nan=True)
            return bool(full.shape == args[0].shape) and same
        except Exception:
            return False
