"""Imports and compilation of a first call: forked children and threads with little stack compute, too."""

from __future__ import annotations

import threading

import pytest

from actgrad.base import first_use
from tests.support.calls import run_script
from tests.support.surroundings import SMALL_STACK, on_small_stack

pytestmark = pytest.mark.share(6)

FORK_WHILE = """
import importlib.abc, os, signal, sys, threading, time
import numpy as np
import actgrad
{before}
begun = threading.Event()
class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            begun.set()
            time.sleep(0.5)  # while the module's lock is held
sys.meta_path.insert(0, Slow())
x = np.linspace(-4, 4, 1001, dtype=np.float32)
def first():
    {call}
worker = threading.Thread(target=first)
worker.start()
assert begun.wait(60)
child = os.fork()
if child == 0:
    signal.alarm(20)
    try:
        {call}
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, f"the child ended with {{status}}" + (": it hung" if status == signal.SIGALRM else "")
worker.join(60)
assert not worker.is_alive()
"""


@pytest.mark.parametrize("module", ["llvmlite.binding", "actgrad.backends.cpu.engine", "actgrad.backends.cpu.threads"])
def test_a_child_forked_while_a_first_call_imports(module: str) -> None:
    call = "assert np.array_equal(actgrad.leaky_relu(x, negative_slope=0.5), np.where(x > 0, x, x / 2))"
    run_script(FORK_WHILE.format(module=module, call=call, before=""))


def test_a_child_forked_while_the_thread_count_is_found() -> None:
    run_script(FORK_WHILE.format(module="llvmlite.binding", call="actgrad.get_num_threads()", before=""))


def test_a_child_forked_while_the_reference_is_imported() -> None:
    call = "actgrad.elu(x, backend='reference')"
    run_script(FORK_WHILE.format(module="actgrad.backends.reference", call=call, before=""))


@pytest.mark.needs("torch")
def test_a_child_forked_while_actgrad_torch_is_imported() -> None:
    pytest.importorskip("torch")
    call = "assert actgrad.elu(torch.ones(3, requires_grad=True)).requires_grad"
    run_script(FORK_WHILE.format(module="actgrad.torch.registration", call=call, before="import torch"))


def test_a_child_forked_while_ml_dtypes_is_imported() -> None:
    call = "actgrad.operators['elu'].plan; from actgrad.base.dtypes import BY_NAME; BY_NAME['bfloat16'].numpy"
    run_script(FORK_WHILE.format(module="ml_dtypes", call=call, before=""))


@pytest.mark.parametrize("size", [SMALL_STACK, SMALL_STACK // 2])
@pytest.mark.parametrize("imported", ["numpy", "actgrad"])
@pytest.mark.share(6)
def test_everything_on_a_small_stack(size: int, imported: str) -> None:
    """The first import, compilation, tables, tiles and rows; nothing was kept on disk before."""
    script = f"""
import threading, numpy as np, {imported}
def work():
    import actgrad
    x = np.random.default_rng(0).standard_normal((300, 1200))
    for dtype in ("float32", "float16", "float64"):
        a = x.astype(dtype)
        for given in ((a, a), (a, np.asfortranarray(a)), (a[:4, :4], a[:4, :4])):
            g = actgrad.gelu_backward(*given)
            assert g.tobytes() == actgrad.gelu_backward(*map(np.ascontiguousarray, given)).tobytes()
            actgrad.geglu(given[1])
    print("done")
threading.stack_size({size})
worker = threading.Thread(target=work)
worker.start()
worker.join()
"""
    assert run_script(script, ACTGRAD_CACHE_DIR="") == "done\n"


def test_pytorch_tensors_on_a_small_stack() -> None:
    pytest.importorskip("torch")
    script = f"""
import threading, torch, actgrad
def work():
    x = torch.randn(300, 200)
    assert torch.allclose(actgrad.gelu(x.T), torch.nn.functional.gelu(x.T), atol=1e-5)
    print("done")
threading.stack_size({SMALL_STACK})
worker = threading.Thread(target=work)
worker.start()
worker.join()
"""
    assert run_script(script, ACTGRAD_CACHE_DIR="") == "done\n"


def test_work_has_a_large_stack_and_its_caller_the_errors() -> None:
    def fail() -> None:
        raise LookupError("work")

    for call in (lambda: first_use.run(fail), lambda: on_small_stack(lambda: first_use.run(fail))):
        with pytest.raises(LookupError, match="work"):
            call()
    assert first_use.run(lambda: first_use.run(threading.get_ident)) != threading.get_ident()


THREADS_THAT_FAIL = {
    "too many threads": ("raise RuntimeError('no thread')", "OSError work"),
    "no memory to start one": ("raise MemoryError", "MemoryError "),
    "no memory to begin": (
        "return begin(lambda: None, ())",
        "MemoryError a thread ended without a result; it must have memory to run; free memory",
    ),
}


@pytest.mark.parametrize("fault", THREADS_THAT_FAIL)
def test_a_thread_that_fails_is_an_error(fault: str) -> None:
    """The calling thread waited for its end for ever."""
    start, expected = THREADS_THAT_FAIL[fault]
    script = f"""
import _thread
from actgrad.base import first_use
begin = _thread.start_new_thread
def start(task, arguments):
    {start}
def work():
    raise OSError("work")
_thread.start_new_thread = start
try:
    first_use.run(work)
except (MemoryError, OSError) as error:
    print(type(error).__name__, error)
_thread.start_new_thread = begin
print(first_use.run(lambda: "works"))
"""
    assert run_script(script, timeout=30) == f"{expected}\nworks\n"


def test_an_interrupt_waits_for_the_work() -> None:
    """Ctrl-C during a compilation: the next call finds a compiler that is not in use."""
    script = """
import _thread, signal, threading, time
from actgrad.base import first_use
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
done = []
def work():
    _thread.interrupt_main()
    time.sleep(0.3)
    done.append(1)
try:
    first_use.run(work)
except KeyboardInterrupt:
    assert done == [1]
    print(first_use.run(lambda: "works"))
"""
    assert run_script(script) == "works\n"


def test_a_first_call_while_the_interpreter_ends() -> None:
    script = """
import atexit, numpy as np, actgrad
x = np.float32([-1, 2])
atexit.register(lambda: print(actgrad.leaky_relu(x, negative_slope=0.5)))
"""
    assert run_script(script, ACTGRAD_CACHE_DIR="") == "[-0.5  2. ]\n"


def test_missing_memory_is_an_error() -> None:
    """A thread's buffer for tiles comes from the heap, which may be full."""
    script = """
import ctypes, threading
import numpy as np, actgrad
actgrad.set_num_threads(1)
x = np.ones((64, 64), np.float32)
out = np.empty_like(x.T)
plan = actgrad.elu.plan(x[:, ::2], out=np.full((64, 32), np.nan, np.float32))
import resource
from actgrad.backends.cpu import threads
from actgrad.backends.cpu.call_block import ThreadSlots
known = threads._table[ThreadSlots.BUFFER_KEY]
threads._table[ThreadSlots.BUFFER_KEY] = 1 << 20  # no such key: pthread_setspecific fails
try:
    plan.run()
except MemoryError:
    print("MemoryError")
threads._table[ThreadSlots.BUFFER_KEY] = known
assert (plan.run() == 1).all()
"""
    assert run_script(script) == "MemoryError\n"


ENDS_MEANWHILE = """
import threading
import numpy as np
import actgrad
{imports}
from actgrad.backends.cpu import jit
begun, optimised = threading.Event(), jit.optimised
def often(module, target):
    begun.set()
    for _ in range(8):  # the interpreter ends within these
        result = optimised(module, target)
    return result
jit.optimised = often
x = np.linspace(-4, 4, 1000, dtype=np.float32)
{before}
worker = threading.Thread(target=lambda: {call}, daemon=True)
worker.start()
assert begun.wait(100)
"""
ENDING = {
    "call": "actgrad.leaky_relu(x, negative_slope=0.5)",
    "plan": "actgrad.leaky_relu.plan(x)",
    "rows": "actgrad.softmax(x)",
    "precompile": "actgrad.precompile('relu', 'float32')",
    "aclnn": "aclnn.aclnnSeluGetWorkspaceSize(x, np.empty_like(x))",
    "graph operator": "ir.Selu(x)",
    "tensor": "actgrad.relu(torch.ones(3))",
    "module": "actgrad.torch.ReLU()(torch.ones(3, requires_grad=True))",
    "operator of PyTorch": "torch.ops.actgrad.relu(torch.ones(3))",
}
ENDING_IMPORTS = {"aclnn": "from actgrad import aclnn", "ir.": "from actgrad import ir",
                  "torch": "import torch, actgrad.torch"}  # fmt: skip


@pytest.mark.needs("torch")
@pytest.mark.parametrize("name", ENDING)
@pytest.mark.share(18)
def test_the_interpreter_ends_while_a_thread_compiles(name: str) -> None:
    """LLVM aborts where its library ends meanwhile, and PyTorch's C++ where Python stops the thread."""
    imports = [line for word, line in ENDING_IMPORTS.items() if word in ENDING[name]]
    if any("torch" in line for line in imports):
        pytest.importorskip("torch")
    script = ENDS_MEANWHILE.format(imports="\n".join(imports), before="", call=ENDING[name])
    assert run_script(script, ACTGRAD_CACHE_DIR="") == ""


@pytest.mark.parametrize("status", [0, 3])
def test_the_exit_status_and_later_calls_stay(status: int) -> None:
    """What atexit runs may make first calls, before and after the wait for the thread."""
    late = "lambda: print(actgrad.selu(np.zeros(1, np.float32)))"
    script = f"import atexit, sys\natexit.register({late})\n" + ENDS_MEANWHILE.format(
        imports="", before=f"atexit.register({late})", call=ENDING["call"]
    )
    outer = f"""
import subprocess, sys
sys.exit(subprocess.run([sys.executable, "-c", {script + f"sys.exit({status})"!r}]).returncode != {status})
"""
    assert run_script(outer, ACTGRAD_CACHE_DIR="") == "[0.]\n[0.]\n"


def test_work_that_is_refused_raises_and_waits_before() -> None:
    script = """
import threading
from actgrad.base import first_use
begun, done = threading.Event(), []
def work():
    begun.set()
    threading.Event().wait(0.2)
    done.append(1)
threading.Thread(target=lambda: first_use.run(work), daemon=True).start()
assert begun.wait(60)
first_use.refuse(LookupError("no more"))
assert done == [1]
try:
    first_use.run(work)
except LookupError as error:
    print(error)
"""
    assert run_script(script) == "no more\n"
