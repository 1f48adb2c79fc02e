"""Calls that differ from a right one in one respect: a dtype, a shape, a format, a null pointer, a number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actgrad.ascend.aclnn.signatures import CParameter
from actgrad.base.dtypes import BY_NAME
from tests.support.network_calls import ROWS, S, T, right_call

Variation = tuple[str, dict[str, Any]]

#: Without dtypes that actgrad refuses in any case.
DTYPES = tuple(name for name, row in BY_NAME.items() if name != "complex32" and row.kind != "float8")
FORMATS = {"NCHW": 0, "NHWC": 1, "NZ": 29}
POINTERS = ("Tensor", "Scalar", "ints", "tensors", "scalars", "bools", "text")
ARRAYS = (
    (), (9,), (-9,), (0, 0), (0, 1), (1, 0), (-1,), (1,), (0,), (2,), (3,), (0, 1, 2), (0, 1, 2, 3), (2, 1), (1, 2),
    (1, 1, 1), (2, 3), (-1, -1), (-3, 0), (0,) * 9, (1,) * 9,
)  # fmt: skip


def shapes(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield from ((1, *shape), (*shape, 1), (*shape, 2), shape[1:], shape[:-1], (), (1,), (2, 1, 3), (1,) * 9)
    for k, each in enumerate(shape):
        yield from ((*shape[:k], n, *shape[k + 1 :]) for n in (0, 1, each + 1, each + 7))


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """A tensor, a scalar or each tensor of a list, changed."""
    if isinstance(value, tuple) and not isinstance(value, (T, S)):
        return tuple(changed(each, change) for each in value)
    return change(value) if isinstance(value, (T, S)) else value


def of_dtype(source: str, target: str, with_scalars: bool) -> Callable[[Any], Any]:
    kinds = (T, S) if with_scalars else T
    return lambda x: x._replace(dtype=target) if isinstance(x, kinds) and x.dtype == source else x


def of_shape(shape: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Callable[[Any], Any]:
    return lambda x: x._replace(shape=shape(x.shape)) if isinstance(x, T) else x


def of_format(number: int) -> Callable[[Any], Any]:
    return lambda x: x._replace(format=number) if isinstance(x, T) else x


def of_all(call: dict[str, Any], but: str, change: Callable[[Any], Any]) -> dict[str, Any]:
    return {name: value if name == but else changed(value, change) for name, value in call.items()}


def variations(name: str) -> Iterator[Variation]:
    """The right call of a function first."""
    call = right_call(name)
    yield "right", call
    yield from _of_the_whole_call(call)
    for parameter in ROWS[name]:
        for what, value in _of_parameter(call, parameter):
            yield f"{parameter.name}: {what}", {**call, parameter.name: value}
    for what, difference in FURTHER.get(name, {}).items():
        yield what, call | difference


def _of_the_whole_call(call: dict[str, Any]) -> Iterator[Variation]:
    tensors = {name: value for name, value in call.items() if isinstance(value, T)}
    dtypes = sorted({value.dtype for value in tensors.values()})
    for source in dtypes:
        for target in DTYPES:
            yield f"all {source} to {target}", of_all(call, "", of_dtype(source, target, False))
            yield f"scalars and all {source} to {target}", of_all(call, "", of_dtype(source, target, True))
    for name, value in tensors.items():
        for target in ("float16", "float64", "int32", "int64", "bool", "complex64"):
            yield f"all but {name} to {target}", of_all(call, name, of_dtype(value.dtype, target, False))
    for rank in (0, 9):
        yield f"rank {rank}", of_all(call, "", of_shape(lambda _, rank=rank: (1,) * rank))
    yield "empty", of_all(call, "", of_shape(lambda shape: (0,) * len(shape)))
    yield "rows of 0", of_all(call, "", of_shape(lambda shape: (*shape[:-1], 0) if shape else ()))
    yield "0 rows", of_all(call, "", of_shape(lambda shape: (0, *shape[1:]) if shape else ()))
    for form, number in FORMATS.items():
        yield f"format {form}", of_all(call, "", of_format(number))
    yield "empty lists", {k: () if _is_list(v) else v for k, v in call.items()}
    yield "null entries", {k: (None, *v[1:]) if _is_list(v) else v for k, v in call.items()}


def _is_list(value: Any) -> bool:
    return isinstance(value, tuple) and any(isinstance(each, T) for each in value) and not isinstance(value, (T, S))


def _of_parameter(call: dict[str, Any], parameter: CParameter) -> Iterator[tuple[str, Any]]:
    value = call[parameter.name]
    if value is None and parameter.type == "Scalar":
        value = S()
    if parameter.type in POINTERS:
        yield "null", None
    if value is None and parameter.type == "Tensor":
        tensors = [each for each in call.values() if isinstance(each, T)]
        for base in (T(), T((3,)), *tensors[:2]):
            yield from ((f"{base.shape} with {what}", each) for what, each in (("itself", base), *_of_tensor(base)))
    elif isinstance(value, T):
        yield from _of_tensor(value)
    elif isinstance(value, S):
        yield from ((f"dtype {d}", S(True if d == "bool" else value.value, d)) for d in DTYPES)
        yield from ((f"value {number}", S(type(value.value)(number), value.dtype)) for number in (-5, 0, 7))
        yield "value 1e39", S(1e39, "float64")
    elif _is_list(value):
        yield from _of_list(value)
    elif parameter.type == "ints":
        yield from ((f"{each}", each) for each in ARRAYS)
    elif parameter.type == "bools":
        yield from ((f"{len(each)} flags", each) for each in ((), (True,) * 2, (True,) * 4, (False,) * 3))
    elif parameter.type == "text":
        yield from ((each, each) for each in ("TND", "BSH", "SBH", "BNSD"))
    elif parameter.type == "bool":
        yield "the other", not value
    elif parameter.type == "scalars":
        return
    elif parameter.name == "dtype":
        yield from ((d, BY_NAME[d].acl) for d in DTYPES)
    else:
        yield from ((f"{number}", type(value)(number)) for number in (-9, -3, -2, -1, 0, 1, 2, 3, 4, 5, 9))


def _of_tensor(value: T) -> Iterator[tuple[str, Any]]:
    yield from ((f"dtype {d}", value._replace(dtype=d)) for d in DTYPES)
    yield from ((f"shape {shape}", value._replace(shape=shape)) for shape in shapes(value.shape))
    yield from ((f"format {form}", value._replace(format=number)) for form, number in FORMATS.items())


def _of_list(value: tuple[T, ...]) -> Iterator[tuple[str, Any]]:
    yield from (("no entry", ()), ("one more", value + value[:1]), ("257 entries", (value[0],) * 257))
    yield from (("a null entry", (*value[:-1], None)), ("a null entry first", (None, *value[1:])))
    for what, each in _of_tensor(value[-1]):
        yield f"last entry {what}", (*value[:-1], each)
    for d in DTYPES:
        yield f"all of dtype {d}", tuple(each._replace(dtype=d) for each in value)
    for shape in shapes(value[-1].shape):
        yield f"all of shape {shape}", tuple(each._replace(shape=shape) for each in value)
    for form, number in FORMATS.items():
        yield f"all of format {form}", tuple(each._replace(format=number) for each in value)


HALF, I64 = "bfloat16", "int64"
#: Calls that break a check which no variation above reaches, by what differs from the right call.
FURTHER: dict[str, dict[str, dict[str, Any]]] = {
    "Argsort": {"one column of bfloat16": {"self": T((2, 1), HALF), "dim": 1, "out": T((2, 1), I64)}},
    "ScatterAdd": {
        "an index beyond self": {"dim": 1, "index": T((3, 2), I64), "src": T((3, 3))},
    },
    "Scatter": {"an index beyond self": {"dim": 1, "index": T((3, 2), I64), "src": T((3, 3))}},
    "IndexPutImpl": {
        "masks of too many dimensions": {"indices": (T((2, 3), "bool"), T((2,), I64))},
        "a mask of another size": {"indices": (T((3,), "bool"),)},
        "a mask": {"indices": (T((2,), "bool"),)},
    },
    "OneHot": {"no class for nothing": {"self": T((0,), I64), "numClasses": 0, "out": T((0, 0))}},
    "IndexAdd": {"dimension 1 of a number": {"self": T(()), "out": T(()), "source": T((1,)), "dim": 1}},
    "IndexCopy": {"dimension 1 of a number": {"selfRef": T(()), "outRef": T(()), "source": T(()), "dim": 1}},
    "L1Loss": {"integers and floats": {"self": T(dtype=I64), "reduction": 0, "out": T()}},
    "Matmul": {"batches that differ": {"self": T((2, 2, 2)), "mat2": T((3, 2, 2)), "out": T((3, 2, 2))}},
    "BatchMatMul": {"batches that differ": {"self": T((2, 2, 2)), "mat2": T((3, 2, 2)), "out": T((3, 2, 2))}},
    "InplaceBaddbmm": {"batches that differ": {"batch1": T((2, 2, 4)), "batch2": T((3, 4, 3))}},
    "Baddbmm": {"batches that differ": {"batch1": T((2, 2, 4)), "batch2": T((3, 4, 3))}},
    "LayerNormBackward": {"statistics of other rows": {"mean": T((5, 1)), "rstd": T((5, 1))}},
    "GroupNorm": {
        "another N": {"N": 3, "meanOut": T((3, 2)), "rstdOut": T((3, 2))},
        "another HxW": {"HxW": 5},
    },
    "ForeachAddListV2": {"rank 9": dict.fromkeys(("x1", "x2", "out"), (T((1,) * 9),) * 2)},
    "ForeachAddcmulScalarV2": {"rank 9": dict.fromkeys(("x1", "x2", "x3", "out"), (T((1,) * 9),) * 2)},
    "ForeachLerpScalar": {"rank 9": dict.fromkeys(("x1", "x2", "out"), (T((1,) * 9),) * 2)},
    "Randperm": {"a negative n": {"n": -1, "out": T((0,), I64)}, "nothing": {"n": 0, "out": T((0,), I64)}},
    "Multinomial": {
        "no draw": {"numsamples": 0, "out": T((2, 0), I64)},
        "2^24 + 1 classes": {"self": T((1, 2**24 + 1)), "out": T((1, 2), I64)},
    },
    "Eye": {"nothing": {"n": 0, "out": T((0, 3))}},
    "Linspace": {"nothing": {"steps": 0, "out": T((0,))}},
    "Clamp": {"no limit": {"clipValueMin": None, "clipValueMax": None}},
    "ClampTensor": {"no limit": {"clipValueMin": None, "clipValueMax": None}},
    "Stack": {"one empty tensor": {"tensors": (T((0, 3)),), "out": T((1, 0, 3))}},
    "RepeatInterleave": {"no repetitions": {"repeats": T((0,), I64)}},
    "ConstantPadNd": {"more cut than there is": {"pad": (-3, -3), "out": T((2, 0))}},
    "Roll": {"two shifts without dims": {"dims": (), "shifts": (1, 1)}, "one shift without dims": {"dims": ()}},
    "PowTensorScalar": {
        "a negative power of integers": {"self": T(dtype="int32"), "exponent": S(-2, "int32"), "out": T(dtype="int32")},
    },
    "FlashAttentionScore": {"a wide head": dict.fromkeys(
        ("query", "key", "value", "attentionOutOut"), T((1, 1, 1, 776))
    )},
}  # fmt: skip
