"""Gated modules: in a copy of the module's own code, products such as `act(gate) * up` become one call.

The rest of the code stays the same: children, their order, dropouts, branches. Each call asks again which activation a
product has. So another activation, a hook or a switch has the same effect as in the module's own code.
"""

from __future__ import annotations

import ast
import copy
import dis
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import torch

from . import clipped_gates, gate_products, trials
from .gate_products import REFUSALS, fall_back, version_of
from .reading import Declined, ForwardReader, Frame
from .recomputation import recompute_products as recompute_products  # rewritten code uses this name
from .source import tree_of, with_tree
from .syntax import (
    attribute_of,
    call_node,
    changes_state,
    factors,
    is_simple,
    name_node,
    same_call,
    target_of,
    wrap_returns,
    wrapped,
    writes,
)

nn = torch.nn
GATES = ("gelu", "gelu_tanh", "silu", "relu")
_ORIGINALS = {nn.SiLU.forward: "silu", nn.ReLU.forward: "relu", nn.GELU.forward: "gelu"}
_MATRIX_PRODUCTS = (nn.functional.linear, torch.matmul, torch.mm, torch.bmm, torch.einsum)
_torch_names: dict[Any, str] = {}  # PyTorch's functions that have a function of ours with the same name
_known: dict[str, trials.KnownActivation] = {}  # `rewrite` fills it, because torch.compile cannot trace through a cache
_proven: dict[Any, list[trials.Proof]] = {}  # methods that compute an activation


# In each call


class Active(NamedTuple):
    """A call of an activation that waits for its factor."""

    activate: Any
    x: Any
    options: dict[str, Any]
    name: str  # "" if the call was computed at once; then `x` is its result
    version: int

    def result(self) -> Any:
        return self.activate(self.x, **self.options) if self.name else self.x


def active(activate: Any, x: Any, **options: Any) -> Active:
    """The call `activate(x, **options)`. If a kernel computes the product too, the call waits for its factor."""
    name = "" if torch.jit.is_tracing() else activation_name(activate, options)
    if name in GATES:
        return Active(activate, x, options, name, version_of(x))
    return Active(activate, activate(x, **options), options, "", 0)


def activated(module: Any, activate: Any, x: Any, **options: Any) -> Any:
    """The result of `activate(x, **options)`."""
    name = activation_name(activate, options)
    if name and isinstance(x, torch.Tensor) and x.is_floating_point() and not torch.jit.is_tracing():
        try:
            return _known[name](x)
        except REFUSALS:
            fall_back(module)
    return activate(x, **options)


def active_times(module: Any, first: Active, other: Any) -> Any:
    """The product of an activation that waited for its factor, and this factor."""
    y = _fused(module, first, other)
    return first.result() * other if y is None else y


def times_active(module: Any, other: Any, second: Active) -> Any:
    """The product, if the factor is the left operand."""
    y = _fused(module, second, other)
    return other * second.result() if y is None else y


def _fused(module: Any, call: Active, other: Any) -> Any:
    """The product by one kernel, or None if no kernel is known to compute it."""
    x, name = call.x, call.name
    if not name:
        return None
    if version_of(x) != call.version:
        raise RuntimeError(
            f"{type(module).__name__}: a gate's input was overwritten before its product; the converted model computes "
            "both at once; call actgrad.torch.revert on this module"
        )
    try:
        return gate_products.of_two(name, x, other)
    except REFUSALS:
        fall_back(module)
        return None


def activation_name(activate: Any, options: dict[str, Any]) -> str:
    """The name in `trials.activations` of the function that a callable computes now, or "" if it is unknown."""
    if isinstance(activate, nn.Module):
        return "" if options or _is_hooked(activate) else _name_of_module(activate)
    if isinstance(activate, MethodType):
        proofs = () if options else _proven.get(activate.__func__, ())
        return next((proof.name for proof in proofs if proof.test(activate.__self__)), "")
    name = _torch_names.get(activate, "")
    if name in gate_products.GELU_FORMS.values() and options.keys() == {"approximate"}:
        return gate_products.GELU_FORMS.get(options["approximate"], "")
    return "" if options else name


def _is_hooked(module: torch.nn.Module) -> bool:
    """Whether a call of the module runs more than the forward of its class."""
    if type(module).__call__ is not nn.Module.__call__ or type(module)._call_impl is not nn.Module._call_impl:
        return True
    return trials.has_hooks(module) or nn.modules.module._has_any_global_hook() or "forward" in module.__dict__


def _name_of_module(module: Any) -> str:
    kind = type(module)
    proof = getattr(kind, "actgrad_proof", None)
    if proof is not None:
        return proof.name if proof.test(module) else ""
    name = _ORIGINALS.get(getattr(kind, "original", kind).forward, "")
    if name in ("silu", "relu"):
        return "" if module.inplace else name
    return gate_products.GELU_FORMS.get(module.approximate, "") if name in gate_products.GELU_FORMS.values() else ""


# The module's code


class Rewritten(NamedTuple):
    """A module's methods with fused products. Different code has a different `key`."""

    key: tuple[Any, ...]
    methods: dict[str, Callable[..., Any]]


def rewrite(module: torch.nn.Module) -> tuple[Rewritten | None, str]:
    """The methods of a module with fused products, or None and the reason why there are none.

    The reason is "" if the module does not look like a gate.
    """
    _fill()
    kind: Any = type(module)
    children = dict(module.named_children())
    projections = [name for name, child in children.items() if hasattr(child, "in_features")]
    rest = [n for n, child in children.items() if n not in projections and not isinstance(child, nn.Dropout)]
    is_block = 1 <= len(projections) <= 3 and not (module._parameters or module._buffers or rest)
    reason = ""
    methods, key = {}, []
    attributes = function_attributes(module) if projections else set()
    inherited = {name for base in kind.__mro__ if attributes and base is not nn.Module for name in vars(base)}
    for name in sorted({"forward", *vars(kind), *inherited}):
        function = inspect.getattr_static(kind, name, None)
        if not isinstance(function, FunctionType):
            continue
        calls_attribute = not attributes.isdisjoint(inspect.unwrap(function).__code__.co_names)
        is_plain = (is_block and name == "forward") or (calls_attribute and not name.startswith("__"))
        if not (is_plain or (_multiplies(function) and (name == "forward" or name in vars(kind)))):
            continue
        clipped = clipped_gates.clipped_method(module, name, function)
        if clipped is not None:
            methods[name] = clipped.method
            key.append((name, clipped.alpha, clipped.limit))
            continue
        rewriter = _Rewriter(module, inspect.unwrap(function), is_block and name == "forward")
        rewriter.attributes = attributes
        rewritten = rewriter.function(function, name)
        reason = reason or rewriter.reason
        if rewritten is not None:
            methods[name] = rewritten
            key.append((name, *rewriter.done))
    if methods and not reason:
        return Rewritten(tuple(key), methods), ""
    if not reason and len(projections) == 3 and rest and _multiplies(inspect.getattr_static(kind, "forward")):
        reason = f"it does not compute a gate of {', '.join(GATES)}"
    return None, reason


def function_attributes(module: torch.nn.Module) -> set[str]:
    """The module's attributes that are activation functions of PyTorch, such as `self.activation = F.gelu`."""
    _fill()
    values = [(name, value) for name, value in vars(module).items() if callable(value)]
    return {name for name, value in values if getattr(value, "__hash__", None) and value in _torch_names}


def _fill() -> None:
    if not _known:
        _known.update(trials.activations())
        spaces = (nn.functional, torch)
        pairs = [(getattr(space, name, None), name) for name in _known for space in spaces]
        _torch_names.update({function: name for function, name in pairs if function is not None})


def _multiplies(function: Any) -> bool:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code is not None and any(
        i.opname == "BINARY_MULTIPLY" or (i.opname == "BINARY_OP" and i.argrepr == "*")
        for i in dis.get_instructions(code)
    )


class _Rewriter(ast.NodeTransformer):
    """Rewrites the tree of one method."""

    def __init__(self, module: Any, function: Any, is_block: bool):
        self.module, self.inner, self.is_block = module, function, is_block
        self.attributes: set[str] = set()  # names of functions whose calls are replaced
        self.reason, self.owner = "", ""
        self.done: list[Any] = []
        self.waiting: set[str] = set()  # names of calls that wait for their factor
        tree = tree_of(function.__code__) if isinstance(function, FunctionType) else None
        self.tree = copy.deepcopy(tree) if isinstance(tree, ast.FunctionDef) and tree.args.args else None
        self.nodes = list(ast.walk(self.tree or ast.Pass()))
        self.names = [node for node in self.nodes if isinstance(node, ast.Name)]
        self.stores = Counter(node.id for node in self.names if isinstance(node.ctx, ast.Store))
        self.loads = Counter(node.id for node in self.names if isinstance(node.ctx, ast.Load))

    def function(self, function: FunctionType, name: str) -> Any:
        """The method with fused products, or None if it has no such product."""
        if self.tree is None:
            return None
        self.owner = self.tree.args.args[0].arg
        for statements in [getattr(node, "body", None) for node in self.nodes]:
            if isinstance(statements, list):
                self._postpone(statements)
        body = [self.visit(statement) for statement in self.tree.body]
        if not self.done:
            return None
        if any(writes(node, self.owner) for node in self.nodes):
            self.reason = self.reason or "it writes to self"
        test: Any = ast.parse(f"if _actgrad_class.{name} is not _actgrad_function: return 0").body[0]
        test.body[0].value = same_call(self.tree.args, ast.Attribute(name_node("_actgrad_class"), name, ast.Load()))
        self.tree.body = [test, *body]
        names = {"_actgrad": sys.modules[__name__], "_actgrad_class": type(self.module), "_actgrad_function": function}
        result = with_tree(self.inner, wrap_returns(self.tree, "recompute_products"), names)
        return result if function is self.inner or result is None else wrapped(function, self.inner, result)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        for call, other, is_first in factors(node):
            if isinstance(call, ast.Name) and call.id in self.waiting:
                waiting: ast.expr = call
            elif self._is_gate(call, other):
                waiting = self._call(call, "active")
            else:
                continue
            self.done.append((other.lineno, other.col_offset, is_first))
            other = self.visit(other)
            row = [waiting, other] if is_first else [other, waiting]
            return call_node("active_times" if is_first else "times_active", [name_node(self.owner), *row], node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_ours = self.is_block or attribute_of(node.func, self.owner) in self.attributes
        if is_ours and is_simple(node) and not self._is_child(node) and self._name_of(node):
            self.done.append((node.lineno, node.col_offset))
            return self._call(node, "activated", [name_node(self.owner)])
        return self.generic_visit(node)

    def _call(self, node: ast.Call, function: str, before: Sequence[ast.expr] = ()) -> ast.Call:
        row = [*before, node.func, self.visit(node.args[0])]
        return call_node(function, row, node, node.keywords)

    def _postpone(self, statements: list[Any]) -> None:
        """Move `v = act(x)` past other assignments, to the only product that reads v.

        The assignments must not write into x, because the version of x is unknown in inference mode and in a graph.
        """
        for index, statement in enumerate(statements):
            name = target_of(statement)
            if not name or self.stores[name] != 1 or self.loads[name] != 1 or not isinstance(statement.value, ast.Call):
                continue
            for later in statements[index + 1 :]:
                if changes_state(later):
                    break
                pairs = [pair for node in ast.walk(later) for pair in factors(node)]
                other = next((o for v, o, _ in pairs if isinstance(v, ast.Name) and v.id == name), None)
                if other is not None and self._is_gate(statement.value, other):
                    statement.value = self._call(statement.value, "active")
                    self.waiting.add(name)
                if other is not None or not target_of(later) or not self._is_pure(later):
                    break

    def _is_pure(self, statement: ast.stmt) -> bool:
        """Whether a statement calls nothing but children and matrix products, which do not write into their inputs."""
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        return all(self._is_child(call) or self._is_matrix_product(call) for call in calls)

    def _is_gate(self, call: Any, other: Any) -> bool:
        """Whether a call and its factor look like a gate: an activation of `GATES`, times a value of the right kind."""
        if not is_simple(call) or (isinstance(call.args[0], ast.BinOp) and not self._is_matrix_product(call.args[0])):
            return False
        if self._is_argument(other) and not self._is_argument(call.args[0]):
            return False
        is_value = isinstance(other, (ast.Name, ast.Subscript)) or self._is_matrix_product(other)
        is_value = is_value or (isinstance(other, ast.Call) and self._is_child(other))
        return is_value and self._name_of(call) in GATES

    def _is_matrix_product(self, node: ast.expr) -> bool:
        """Whether an expression is a matrix product: the operator, or one of PyTorch's functions."""
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.MatMult)
        try:
            local = {self.owner: self.module}
            function = isinstance(node, ast.Call) and Frame(ForwardReader(self.module), self.inner, local).value(
                node.func
            )
        except Declined:
            return False
        return any(function is each for each in _MATRIX_PRODUCTS)

    def _is_argument(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and not self.stores[node.id]

    def _is_child(self, call: ast.Call) -> bool:
        """Whether a call is the call of a child on values, and the child does not work in place."""
        child = self.module._modules.get(attribute_of(call.func, self.owner))
        is_called = child is not None and not getattr(child, "inplace", False)
        return is_called and all(isinstance(a, (ast.Name, ast.Subscript)) for a in call.args)

    def _name_of(self, call: ast.Call) -> str:
        """The activation that a call computes now, or "" if it is unknown."""
        name = attribute_of(call.func, self.owner)
        child = self.module._modules.get(name) if name else None
        try:
            options = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
            if child is not None:
                return "" if options else self._name_of_child(name, child)
            method = inspect.getattr_static(type(self.module), name, None) if name else None
            if isinstance(method, FunctionType) and name not in vars(self.module):
                proof, _ = trials.function(self.module, name, method)
                if proof is not None and proof not in _proven.setdefault(method, []):
                    _proven[method].append(proof)
            local = {self.owner: self.module}
            return activation_name(Frame(ForwardReader(self.module), self.inner, local).value(call.func), options)
        except (Declined, ValueError):
            return ""

    def _name_of_child(self, name: str, child: Any) -> str:
        activation = "" if child._parameters else _name_of_module(child)
        if not activation and type(child).__module__.partition(".")[0] != "torch":
            proof, reason = trials.activation(child)
            activation = proof.name if proof else ""
            self.reason = self.reason or (reason if reason.startswith("its forward cannot") else "")
        if activation in GATES and (trials.has_hooks(child) or "forward" in vars(child)):
            self.reason = f"its {name} has hooks, which would not be called"
        return activation
