"""Forks while another thread is in its first call: a child waits for no lock of a thread that it does not have."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import actgrad
from tests.support.calls import run_script

#: Calls, each the first one of its process. Modules that a user imports are imported before.
FIRST_CALLS = {
    "call": "actgrad.elu(x, out=np.empty_like(x)), actgrad.softmax(x), actgrad.gelu(x.astype(np.float16)[::2])",
    "arrays of other classes": "actgrad.elu(x.view(type('Own', (np.ndarray,), {}))), actgrad.elu(np.float32(3))",
    "an object with DLPack": "actgrad.elu(Exporter(x))",
    "bfloat16": "actgrad.elu(x.astype(actgrad.base.dtypes.BY_NAME['bfloat16'].numpy))",
    "integers": "actgrad.relu(np.arange(5, dtype=np.int8)), actgrad.sigmoid(np.arange(5))",
    "complex numbers": "actgrad.sigmoid(x.astype(np.complex64))",
    "counted rows": "actgrad.swiglu_group(np.ones((4, 8), np.float32), group_index=np.array([1, 2]))",
    "reference": "actgrad.elu(x, backend='reference'), actgrad.erfinv(x / 5, backend='reference')",
    "plan": "str(actgrad.geglu.plan(x).run())",
    "precompile": "actgrad.precompile('elu', 'float32')",
    "threads": "actgrad.get_num_threads(), actgrad.set_num_threads(2)",
    "product": "actgrad.product('Ascend310P').__enter__(), actgrad.elu(x)",
    "signature": "actgrad.elu.__signature__",
    "overlapping memory": "fails(actgrad.elu, x[1:], out=x[:-1])",
    "no array": "fails(actgrad.elu, [1, 2]), fails(actgrad.elu, 'a'), fails(actgrad.elu, None)",
    "a wrong name": "fails(actgrad.elu, x, alhpa=1), fails(actgrad.elu, x, backend='gpu')",
    "a wrong operator": "fails(actgrad.precompile, 'eluu')",
    "a wrong value": "fails(actgrad.elu, x, alpha='x'), fails(actgrad.geglu, x[:7])",
    "aclnn": "aclnn.aclnnElu(None, 0, aclnn.aclnnEluGetWorkspaceSize(x, 1.0, 1.0, 1.0, np.empty_like(x))[2], None)",
    "a fault in aclnn": "aclnn.aclnnEluGetWorkspaceSize(x, 1.0, 1.0, 1.0, None), aclnn.aclGetRecentErrMsg()",
    "graph operator": "ir.Elu(x), ir.Elu.infer_shape((3,)), ir.Elu.infer_dtype('float32')",
    "tensor": "actgrad.elu(torch.ones(3)), actgrad.elu(torch.ones(3), out=torch.empty(3))",
    "tensor on a graph": "actgrad.elu(torch.ones(3, requires_grad=True)).sum().backward()",
    "tensor in a graph operator": "ir.Elu(torch.ones(3))",
    "module": "actgrad_torch.GELU()(torch.ones(3, requires_grad=True)).sum().backward()",
    "operator of PyTorch": "torch.ops.actgrad.gelu(torch.ones(3)) if actgrad_torch else None",
}
WITH_TORCH = ("tensor", "tensor on a graph", "tensor in a graph operator", "module", "operator of PyTorch")
NAMES = {"aclnn": "from actgrad import aclnn", "ir.": "from actgrad import ir", "torch": "import torch",
         "actgrad_torch": "import actgrad.torch as actgrad_torch"}  # fmt: skip

WATCHED = """
import importlib.abc, sys, threading, traceback
import numpy as np
import actgrad
{imports}
from actgrad.base import first_use
x = np.linspace(-4, 4, 1000, dtype=np.float32)
class Exporter:
    def __init__(self, array):
        self.array = array
    def __dlpack__(self, **options):
        return self.array.__dlpack__()
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
def fails(function, *arguments, **named):
    try:
        function(*arguments, **named)
    except actgrad.ActgradError:
        return
    raise AssertionError(function)
unguarded = []
class Watch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if threading.get_ident() != first_use._worker:
            unguarded.append(name)
sys.meta_path.insert(0, Watch())
{call}
sys.exit(f"imported while a fork may happen: {{unguarded}}" if unguarded else 0)
"""


def needs(name: str) -> list[pytest.MarkDecorator]:
    """The wings that a first call needs."""
    words = {"ascend": ("aclnn.", "ir.", "product("), "torch": ("actgrad_torch", "requires_grad", "ir.Elu(torch")}
    wings = [wing for wing, of_wing in words.items() if any(word in FIRST_CALLS[name] for word in of_wing)]
    return [pytest.mark.needs(*wings)] if wings else []


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in FIRST_CALLS])
@pytest.mark.share(20)
def test_a_first_call_imports_nothing_where_a_fork_may_happen(name: str) -> None:
    """NumPy imports numpy.ma lazily, and a child that was forked meanwhile waited for that module for ever."""
    if name in WITH_TORCH:
        pytest.importorskip("torch")
    call = FIRST_CALLS[name]
    imports = [line for word, line in NAMES.items() if word in call and (word != "torch" or name in WITH_TORCH)]
    run_script(WATCHED.format(call=call, imports="\n".join(imports)))


FORKED_WHILE_LOCKED = """
import importlib.abc, importlib.machinery, importlib.util, os, signal, sys, threading
import numpy as np
import actgrad
begun, forked = threading.Event(), threading.Event()
class Slow(importlib.machinery.SourceFileLoader):
    def exec_module(self, module):
        begun.set()
        assert forked.wait(60)  # while the module's lock is held
        super().exec_module(module)
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "numpy.ma":
            file = importlib.machinery.PathFinder.find_spec(name, path).origin
            loader = Slow(name, file)
            return importlib.util.spec_from_file_location(
                name, file, loader=loader, submodule_search_locations=[os.path.dirname(file)]
            )
sys.meta_path.insert(0, Finder())
worker = threading.Thread(target=lambda: __import__("numpy.ma"))
worker.start()
assert begun.wait(60)
child = os.fork()
if child == 0:
    signal.alarm(60)
    x = np.linspace(-4, 4, 1001, dtype=np.float32)
    {call}
    os._exit(0)
_, status = os.waitpid(child, 0)
forked.set()
worker.join()
assert status == 0, f"the child ended with {{status}}" + (": it hung" if status == signal.SIGALRM else "")
try:
    actgrad.elu(np.ma.array([1.0, 2.0], mask=[False, True]))
except actgrad.ActgradError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "call", ["actgrad.elu(x)", "actgrad.geglu.plan(x[:10])", "actgrad.elu(x, backend='reference')"]
)
def test_a_child_forked_while_another_thread_imports_masked_arrays(call: str) -> None:
    printed = run_script(FORKED_WHILE_LOCKED.format(call=call))
    assert printed == "elu: self is a masked array; it must be a plain array, without a mask; pass .filled(value)\n"


PROPERTY = """
import os, signal, threading
from actgrad.base.forks import cached_property
begun, forked = threading.Event(), threading.Event()
class Thing:
    computed = 0
    @cached_property
    def value(self):
        '''What it says.'''
        Thing.computed += 1
        if threading.current_thread() is not threading.main_thread():
            begun.set()
            assert forked.wait(60)
        return [1]
worker = threading.Thread(target=lambda: Thing().value)
worker.start()
assert begun.wait(60)
child = os.fork()
if child == 0:
    signal.alarm(60)
    Thing().value
    os._exit(0)
_, status = os.waitpid(child, 0)
forked.set()
worker.join()
thing = Thing()
assert status == 0 and thing.value is thing.value and Thing.computed == 2 and Thing.value.__doc__ == "What it says."
"""


def test_a_child_forked_while_a_property_is_computed() -> None:
    """functools' own one has a lock for all objects of a class before Python 3.12."""
    run_script(PROPERTY)


def test_calls_use_properties_without_a_lock() -> None:
    package = Path(actgrad.__file__).parent
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] in (
            "base",
            "arrays",
            "backends",
            "checks",
            "calls",
            "ops",
            "ascend",
            "aclnn",
            "torch",
        ):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module == "functools" and path.stem != "forks":
                    assert "cached_property" not in [alias.name for alias in node.names], path
