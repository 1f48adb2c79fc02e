"""Rules on the outputs of quantisation, on scales, and on the tensor that assigns rows to groups."""

from __future__ import annotations

from ..base.errors import InvalidDtype, KernelMissing, either
from ..base.loop import TensorMeta
from .check import Call, Check, change, of_each

#: Dtype -> the number of INT4 numbers in one element (int32) or in one byte (int4).
PER_ELEMENT = {"int32": 8, "int4": 2}


def dtype_numbered(name: str, attribute: str) -> tuple[Check, ...]:
    """This output has the dtype that the attribute numbers (aclDataType)."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        number = call.attributes[attribute]
        if meta.dtype.acl == number:
            return None
        fault = f"{name} is {meta.dtype}, but {attribute} is {number}"
        return f"{fault}; {attribute} must be {meta.dtype.acl}, the number of this dtype; change one of them"

    return of_each((name,), f"{{name}} has the dtype that {attribute} numbers", test, InvalidDtype, about=(attribute,))


def scales_of_groups(*names: str, of: str) -> tuple[Check, ...]:
    """Each of these tensors has a number, or a row of numbers, for each group. Without groups, all rows are a group."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        groups, rows = call.row_groups, call.definition.access.part_shape(of, call.inputs[of].shape, call.attributes)
        count = 1 if groups is None else groups.size
        if len(rows) == 1 and len(meta.shape) > 1:
            fault = f"{name} has shape {meta.shape}, but {of} has one dimension"
            return f"{fault}; it must have rows for a row of scales; reshape {of} to {(1, *call.inputs[of].shape)}"
        if meta.shape in ((count,), (count, *rows[-1:])):
            return None
        shapes = either((str((count,)), str((count, *rows[-1:]))))
        return f"{name} has shape {meta.shape}; it must be {shapes}, by groups and elements; reshape {name}"

    return of_each(names, "{name} has a number, or a row of numbers, for each group", test, about=(of,))


def kernel_writes(name: str) -> tuple[Check, ...]:
    """A kernel of actgrad writes the dtype of this output, unless the output is empty."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        dtypes = call.definition.dtypes_of(name)
        if meta.dtype.name in dtypes or meta.size == 0:
            return None
        return f"{name} is {meta.dtype}; actgrad writes {either(dtypes)}; pass such a {name}"

    return of_each(
        (name,),
        "a kernel quantises to the dtype of {name}, unless it is empty",
        test,
        KernelMissing,
    )


def scales_of_row(name: str, of: str) -> tuple[Check, ...]:
    """A tensor has a number for each element of a row of the tensor `of`. With groups, it has a row for each group."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        groups = call.row_groups
        row = (*(() if groups is None else (groups.size,)), *call.inputs[of].shape[-1:])
        if meta.shape == row:
            return None
        kind = "one number for each element of a row" if groups is None else "a row of such numbers for each group"
        return f"{name} has shape {meta.shape}; it must be {row}, {kind} of {of}; reshape {name}"

    rule = f"{{name}} has one number for each element of a row of {of}, or a row of such numbers for each group"
    return of_each((name,), rule, test, about=(of,))


def rows_in_groups(name: str, companion: str) -> tuple[Check, ...]:
    """The tensor that assigns rows to groups has one dimension, if the call has the tensor `companion`."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        if len(meta.shape) == 1 or call.inputs.get(companion) is None:
            return None
        return f"{name} has shape {meta.shape}; it must have one dimension, the end of each group; reshape {name}"

    return of_each((name,), "{name} has one dimension", test)


def quantised_shape(name: str, of: str) -> tuple[Check, ...]:
    """An output has the shape of the tensor `of`. In INT32, an element has eight INT4 numbers of the last dimension."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        shape = call.inputs[of].shape
        per_element = PER_ELEMENT.get(meta.dtype.name, 1)
        if shape and shape[-1] % per_element:
            fault = f"{of} has {shape[-1]} elements in a row, and {name} is {meta.dtype}"
            return f"{fault}; a row must have a multiple of {per_element}; pad {of}"
        expected = (*shape[:-1], shape[-1] // per_element) if meta.dtype.name == "int32" else shape
        if meta.shape == expected:
            return None
        return f"{name} has shape {meta.shape}; it must be {expected}, the shape of the result; {change(call, name)}"

    return of_each((name,), f"{{name}} has the shape of {of}", test, about=(of,))


def index_supported(name: str, companion: str) -> tuple[Check, ...]:
    """The tensor of groups has integers, if the call has the tensor `companion`."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        if meta.dtype.name in ("int32", "int64") or call.inputs.get(companion) is None:
            return None
        return f"{name} is {meta.dtype}; it must be int32 or int64; convert {name}"

    return of_each((name,), "{name} is int32 or int64", test, InvalidDtype, about=(companion,))


def kernel_reads(name: str, dtype: str, companion: str, unless_empty: str) -> tuple[Check, ...]:
    """The kernel reads the tensor in this dtype, if the call has `companion`, and `unless_empty` has elements."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        if meta.dtype.name == dtype or call.inputs.get(companion) is None or not call.inputs[unless_empty].size:
            return None
        return f"{name} is {meta.dtype}; the kernel reads {dtype}; convert {name}"

    return of_each((name,), f"{{name}} is {dtype}, unless {unless_empty} is empty", test, KernelMissing)
