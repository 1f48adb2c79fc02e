"""Makes calls of C's functions, given as pickled plain data, through ctypes, and prints what they did.

A process of its own: what is wrong in C ends it, and the environment that is read once is one for all of its calls.
Arguments: the libraries' folder, the file of calls, the file for the answers.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from typing import Any

Pointer = ctypes.c_void_p
library, calls_path, answers_path = sys.argv[1:]
runtime = ctypes.CDLL(f"{library}/libascendcl.so")
objects = ctypes.CDLL(f"{library}/libnnopbase.so")
operators = ctypes.CDLL(f"{library}/libopapi_nn.so")
for kind in ("Tensor", "Scalar", "TensorList", "ScalarList", "IntArray", "BoolArray"):
    getattr(objects, f"aclCreate{kind}").restype = Pointer
runtime.aclGetRecentErrMsg.restype = ctypes.c_char_p
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
#: C's parameters that are no pointers to objects.
OTHERS = {
    "bool": ctypes.c_bool,
    "int": ctypes.c_int64,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "text": lambda text: ctypes.c_char_p(text.encode()),
}


def check(status: int) -> None:
    assert status == 0, (status, runtime.aclGetRecentErrMsg())


def sizes(values: Any) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


def tensor(made: dict[str, Any], blocks: dict[str, int]) -> int:
    view, storage = made["shape"], made["storage"]
    address = None if made["is_null"] else blocks[made["memory"]] + made["start"]
    strides = None if made["strides"] is None else sizes(made["strides"])
    found = objects.aclCreateTensor(
        sizes(view), ctypes.c_uint64(len(view)), made["dtype"], strides,
        ctypes.c_int64(made["offset"]), made["format"], sizes(storage), ctypes.c_uint64(len(storage)), Pointer(address),
    )  # fmt: skip
    assert found
    if made["is_destroyed"]:
        check(objects.aclDestroyTensor(Pointer(found)))
    return found


def scalar(value: dict[str, Any]) -> int:
    made = objects.aclCreateScalar(value["bits"], value["dtype"])
    assert made
    return int(made)


def of_list(kind: str, values: Any, blocks: dict[str, int]) -> tuple[int, Any]:
    """A list, and the function that destroys it with what is in it."""
    if kind == "ints":
        return objects.aclCreateIntArray(sizes(values), ctypes.c_uint64(len(values))), objects.aclDestroyIntArray
    if kind == "bools":
        flags = (ctypes.c_bool * len(values))(*values)
        return objects.aclCreateBoolArray(flags, ctypes.c_uint64(len(values))), objects.aclDestroyBoolArray
    parts = [tensor(each, blocks) if kind == "tensors" else scalar(each) for each in values]
    word = "Tensor" if kind == "tensors" else "Scalar"
    pointers = (Pointer * len(parts))(*parts)
    made = getattr(objects, f"aclCreate{word}List")(pointers, ctypes.c_uint64(len(parts)))
    return made, getattr(objects, f"aclDestroy{word}List")


def copy(to: Any, source: Any, size: int, kind: int) -> None:
    check(runtime.aclrtMemcpy(to, ctypes.c_size_t(size), source, ctypes.c_size_t(size), kind))


def answer(call: dict[str, Any]) -> dict[str, Any]:
    """Statuses of both phases, the text of a failure, and every block of memory afterwards."""
    blocks, tensors, scalars, lists, arguments = {}, [], [], [], []
    for name, content in call["memory"].items():
        address = Pointer()
        check(runtime.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(len(content)), 0))
        copy(address, content, len(content), HOST_TO_DEVICE)
        blocks[name] = address.value
    for kind, value in call["arguments"]:
        if value is None:
            arguments.append(Pointer())
        elif kind == "tensor":
            tensors.append((tensor(value, blocks), value["is_destroyed"]))
            arguments.append(Pointer(tensors[-1][0]))
        elif kind == "scalar":
            scalars.append(scalar(value))
            arguments.append(Pointer(scalars[-1]))
        elif kind in ("ints", "bools", "tensors", "scalars"):
            lists.append(of_list(kind, value, blocks))
            arguments.append(Pointer(lists[-1][0]))
        else:
            arguments.append(OTHERS[kind](value))
    size, executor = ctypes.c_uint64(77), Pointer()
    phase_one = getattr(operators, f"{call['function']}GetWorkspaceSize")
    status = phase_one(*arguments, ctypes.byref(size), ctypes.byref(executor))
    text = (runtime.aclGetRecentErrMsg() or b"").decode()
    second = None
    if status == 0:
        second = getattr(operators, call["function"])(None, size, executor, None)
        second = second or runtime.aclrtSynchronizeStream(None)
    found = {"status": status, "text": text, "second": second, "size": size.value, "memory": {}}
    for name, content in call["memory"].items():
        back = ctypes.create_string_buffer(len(content))
        copy(back, Pointer(blocks[name]), len(content), DEVICE_TO_HOST)
        found["memory"][name] = back.raw
        check(runtime.aclrtFree(Pointer(blocks[name])))
    for pointer, is_destroyed in tensors:
        if not is_destroyed:
            check(objects.aclDestroyTensor(Pointer(pointer)))
    for pointer, destroy in lists:
        check(destroy(Pointer(pointer)))
    for pointer in scalars:
        check(objects.aclDestroyScalar(Pointer(pointer)))
    return found


check(runtime.aclInit(None))
check(runtime.aclrtSetDevice(0))
with open(calls_path, "rb") as file:
    calls = pickle.load(file)
answers = [answer(call) for call in calls]
check(runtime.aclrtResetDevice(0))
check(runtime.aclFinalize())
with open(answers_path, "wb") as file:
    pickle.dump(answers, file)
