"""The manifest of a delivery: JSON that any program can read and write, and the .npy files of the tensors.

A manifest may come from any program. If it breaks a rule, reading raises an UnreadableFile that names the file, the
case and the field. If only an output is missing, or differs from its description, only its case fails.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

import numpy as np

from ... import __version__
from ...base.dtypes import BY_NAME
from ...base.errors import did_you_mean, either, quote, some
from ...calls.operator import REGISTRY, Operator
from ...checks import law
from ...writing import outputs
from ..elements import Array, is_judged
from ..files import fields, sizes, tensor_files
from ..files.fields import FieldError
from ..files.sizes import UnreadableFile

NAME = "manifest.json"
FORMAT, VERSION = "actgrad-delivery", 1
MOST_BYTES = 64 << 20  # limit on the size of a manifest
MOST_CASES = 100_000
_FIELDS = ("format", "version", "seed", "actgrad", "cases")
_CASE_FIELDS = ("id", "operator", "attributes", "product", "inputs", "outputs", "special", "kind")
_FILE_FIELDS = ("file", "dtype", "shape")
_INPUT_FIELDS = (*_FILE_FIELDS, "sha256", "strides")


@dataclass(frozen=True)
class TensorFile:
    """A tensor of a case: its file, relative to the delivery's folder, and what the file must hold."""

    file: str
    dtype: str | None  # None: the dtype of the file, or of the result
    shape: tuple[int, ...] | None
    sha256: str = ""  # of an input's file. "" if the manifest does not have it
    #: The steps in elements from one index to the next, if the program must pass a tensor that is not contiguous.
    strides: tuple[int, ...] | None = None


@dataclass(frozen=True)
class DeliveryCase:
    """A call, and the files of its inputs and outputs by the names in the schema."""

    id: str
    operator_name: str
    attributes: dict[str, Any]
    product: str | None
    inputs: dict[str, TensorFile]
    outputs: dict[str, TensorFile]
    special: str = ""  # the special values that the case tests. Such a case may be weak
    kind: str = ""  # what the case tests, see design.KINDS. "" if the manifest does not say it

    @property
    def operator(self) -> Operator:
        return REGISTRY[self.operator_name]

    @property
    def files(self) -> Iterator[TensorFile]:
        yield from self.inputs.values()
        yield from self.outputs.values()

    def as_json(self) -> dict[str, Any]:
        """The entry in the manifest."""

        def entries(tensors: Mapping[str, TensorFile]) -> dict[str, Any]:
            return {
                name: {
                    "file": one.file,
                    "dtype": one.dtype,
                    "shape": None if one.shape is None else list(one.shape),
                    **({"sha256": one.sha256} if one.sha256 else {}),
                    **({} if one.strides is None else {"strides": list(one.strides)}),
                }
                for name, one in tensors.items()
            }

        entry = {"id": self.id, "operator": self.operator_name, "attributes": self.attributes, "product": self.product}
        entry |= {"inputs": entries(self.inputs), "outputs": entries(self.outputs)}
        return entry | {name: text for name in ("special", "kind") if (text := getattr(self, name))}


# Writing


def write(
    folder: Path,
    cases: Iterable[tuple[DeliveryCase, Mapping[str, Array]]],
    seed: int,
    advance: Callable[[int], None],
) -> list[DeliveryCase]:
    """Write a new delivery: the inputs of each case, then the manifest."""
    if (folder / NAME).exists() or (folder.exists() and not folder.is_dir()):
        fault = "has a manifest already" if folder.is_dir() else "is a file"
        raise outputs.UnwritableFile(f"--tensors {folder}: {fault}; it must be a new folder; name another one")
    written = []
    for case, tensors in cases:
        (folder / case.id).mkdir(parents=True)  # fails if the folder exists, so nothing is written through a link
        inputs = {}
        for name, one in case.inputs.items():
            content = npy(tensors[name])
            outputs.write(folder / one.file, content)
            inputs[name] = replace(one, sha256=hashlib.sha256(content).hexdigest())
        written.append(replace(case, inputs=inputs))
        advance(1)
    if not written:
        raise outputs.UnwritableFile(f"--tensors {folder}: no case can be written; at least one must; name other cases")
    document = {"format": FORMAT, "version": VERSION, "seed": seed, "actgrad": __version__}
    lines = ",\n".join(json.dumps(case.as_json(), allow_nan=False) for case in written)
    head = json.dumps(document)[:-1]
    outputs.write(folder / NAME, f'{head}, "cases": [\n{lines}\n]}}\n')
    return written


def npy(array: Array) -> bytes:
    """A .npy file that every NumPy can read. bfloat16 and floats of 8 bits are written as their bits.

    The file has the order of the array's dimensions in memory if the array is transposed. Otherwise it is in C order.
    """
    file = io.BytesIO()
    is_transposed = array.flags.f_contiguous and not array.flags.c_contiguous
    ordered = np.array(array, order="F" if is_transposed else "C").reshape(array.shape, order="A")
    bits = ordered.view(bits_dtype(array.dtype.name)) if bits_dtype(array.dtype.name) else ordered
    np.lib.format.write_array(file, bits, allow_pickle=False)
    return file.getvalue()


def bits_dtype(name: str) -> str:
    """The dtype of the bits of a dtype that NumPy lacks, or "" if NumPy has the dtype."""
    return "uint16" if name == "bfloat16" else "uint8" if name in BY_NAME and BY_NAME[name].kind == "float8" else ""


# Reading


def read(folder: Path) -> list[DeliveryCase]:
    """The cases of a delivery. The files of all inputs exist and match their descriptions."""
    if not folder.is_dir():
        fault = "is a file" if folder.exists() else "no such folder"
        raise UnreadableFile(f"--manifest {folder}: {fault}; it must be a folder with {NAME}; name that folder")
    path = folder / NAME
    with sizes.reading(path):
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise UnreadableFile(f"{path}: has {size} bytes; it may have at most {MOST_BYTES}; make several deliveries")
        text = path.read_text(encoding="utf-8-sig")
    where = ""
    try:
        entries = _entries(text)
        cases: list[DeliveryCase] = []
        for number, entry in enumerate(entries):
            where = f"case {number}: "
            cases.append(_case(entry, number))
            where = f"case {number} ({quote(cases[-1].id)}): "
        where = ""
        _refuse_repetitions(cases)
        real = os.path.realpath(folder)
        for case in cases:
            where = f"case {quote(case.id)}: "
            for one in case.files:
                _refuse_outside(real, one.file)
            for name, one in case.inputs.items():
                if fault := _fault(folder, one, f"input {name}"):
                    raise FieldError(fault)
    except FieldError as fault:
        raise UnreadableFile(f"{path}: {where}{fault}") from fault
    return cases


def described(original: Path) -> list[DeliveryCase]:
    """The cases of a manifest, whose files need not exist: a folder with it, or the manifest itself."""
    path = original / NAME if original.is_dir() else original
    where = f"{path}: "
    try:
        with sizes.reading(path):
            entries = _entries(path.read_text(encoding="utf-8-sig"))
        cases = []
        for number, entry in enumerate(entries):
            where = f"{path}: case {number}: "
            cases.append(_case(entry, number))
    except FieldError as fault:
        raise UnreadableFile(f"{where}{fault}") from fault
    return cases


def refuse_changes(folder: Path, cases: Sequence[DeliveryCase], original: Sequence[DeliveryCase]) -> None:
    """Raise unless the cases are those of the original manifest: operators, attributes, dtypes, shapes and inputs."""
    found = {case.id: case.as_json() for case in cases}
    expected = {case.id: case.as_json() for case in original}
    for name in (*expected, *found):
        where = f"{folder / NAME}: case {quote(name)}"
        if name not in found or name not in expected:
            fault = "is missing" if name in expected else "is not in the original"
            raise UnreadableFile(f"{where}: {fault}; all cases of --original must be there, and no others; restore it")
        if difference := _difference("", found[name], expected[name]):
            field, got, value = difference
            raise UnreadableFile(f"{where}: {field} is {got}; the original has {value}; restore the manifest")


def _difference(field: str, found: Any, expected: Any) -> tuple[str, str, str] | None:
    """The first field that differs, and both values."""
    if isinstance(found, dict) and isinstance(expected, dict):
        names = dict.fromkeys((*expected, *found))
        pairs = ((f"{field} {name}".strip(), found.get(name), expected.get(name)) for name in names)
        return next(filter(None, (_difference(*pair) for pair in pairs)), None)
    return None if found == expected else (field, quote(found), quote(expected))


def load(folder: Path, tensor: TensorFile) -> Array:
    """A tensor, mapped into memory. Raises UnreadableFile if the file has changed since `read`."""
    path = folder / tensor.file
    _refuse_outside(os.path.realpath(folder), tensor.file)
    array = tensor_files.read_npy(path)
    bits = bits_dtype(tensor.dtype or "")
    if bits and (array.dtype in (bits, bits[1:]) or array.dtype == f"V{np.dtype(bits).itemsize}"):
        array = array.view(BY_NAME[tensor.dtype or ""].numpy)
    dtype, shape = tensor.dtype or array.dtype.name, array.shape if tensor.shape is None else tensor.shape
    if (array.dtype.name, array.shape) != (dtype, shape):
        expected = f"it must hold {dtype} of shape {shape}"
        raise UnreadableFile(f"{path}: holds {array.dtype} of shape {array.shape}; {expected}; write it again")
    return array


def _fault(folder: Path, tensor: TensorFile, what: str) -> str:
    try:
        load(folder, tensor)
    except UnreadableFile as error:
        return f"{what}: {error}"
    path = folder / tensor.file
    if tensor.sha256 and digest(path) != tensor.sha256:
        return f"{what}: {changed(path)}"
    return ""


def changed(path: Path) -> str:
    """The message for an input that is not the file that the manifest describes."""
    return f"{path}: has another SHA-256 than the manifest says; it must be the original; copy that file"


def digest(path: Path, most: int | None = None) -> str:
    """The SHA-256 of a file, or "" if the file does not exist. A file of more than `most` bytes is not read."""
    if not path.is_file():
        return ""
    if most is not None and (size := path.stat().st_size) > most:
        return f"{size} bytes"
    state = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            state.update(part)
    return state.hexdigest()


def _entries(text: str) -> list[Any]:
    def refuse(word: str) -> NoReturn:
        raise FieldError(f"has the number {word}; numbers must be finite; correct it")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        if twice := next((name for name in names if names.count(name) > 1), "") if len(set(names)) < len(names) else "":
            raise FieldError(f"has the field {quote(twice)} twice; each field must occur once; remove one")
        return dict(pairs)

    document = fields.json_document(text, "the manifest of a delivery", parse_constant=refuse, object_pairs_hook=once)
    _refuse_unknown(document, _FIELDS, "a manifest")
    for name, value in (("format", FORMAT), ("version", VERSION)):
        if document.get(name, value) != value or type(document.get(name, value)) is not type(value):
            raise FieldError(f"{name} is {quote(document[name])}; it must be {value!r}; correct it")
    entries = document.get("cases")
    if not isinstance(entries, list) or not 0 < len(entries) <= MOST_CASES:
        got = f"has {len(entries)} entries" if isinstance(entries, list) else f"is {quote(entries)}"
        raise FieldError(f"cases {got}; it must be a list of 1 to {MOST_CASES} cases; correct it")
    return entries


def _case(entry: Any, number: int) -> DeliveryCase:
    _refuse_unknown(entry, _CASE_FIELDS, "a case")
    word, product = entry.get("operator"), entry.get("product")
    name = entry.get("id", f"{word}-{number + 1:04}")
    if not isinstance(name, str) or not 0 < len(name) <= 200 or not name.isprintable():
        raise FieldError(f"id is {quote(name)}; it must be a text of 1 to 200 printable characters; correct it")
    if not isinstance(word, str) or word not in REGISTRY:
        cure = did_you_mean(word, REGISTRY, "see actgrad list")
        raise FieldError(f"operator is {quote(word)}; it must be an operator of actgrad list; {cure}")
    known = () if law.slots is None else law.slots.PRODUCTS
    if isinstance(product, str) and known:
        product = law.slots.of_chip(product)
    if product is not None and product not in known:
        raise FieldError(f"product is {quote(product)}; it must be {either(['null', *known])}; correct it")
    operator, schema = REGISTRY[word], REGISTRY[word].schema
    attributes = _attributes(operator, entry.get("attributes", {}))
    required = [a.name for a in schema.tensors if not a.is_optional]
    no_details: dict[str, Any] = {}
    inputs = entry.get("inputs", dict.fromkeys(required, no_details))
    files = entry.get("outputs", dict.fromkeys(schema.outputs, no_details))
    tensors = _tensors("inputs", inputs, schema.tensor_names, required, name)
    results = _tensors("outputs", files, schema.outputs, schema.outputs, name)
    for field in ("special", "kind"):
        if not isinstance(text := entry.get(field, ""), str):
            raise FieldError(f"{field} is {quote(text)}; it must be a text; correct it")
    texts = entry.get("special", ""), entry.get("kind", "")
    return DeliveryCase(name, word, attributes, product, tensors, results, *texts)


def _attributes(operator: Operator, values: Any) -> dict[str, Any]:
    arguments = operator.schema.attributes_by_name
    _refuse_unknown(values, list(arguments), operator.name)
    attributes = {}
    for name, value in values.items():
        is_finite = isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))
        if not is_finite or (isinstance(value, int) and abs(value) >= 1 << 63):
            raise FieldError(f"{name} is {quote(value)}; it must be a finite number, true, false or a text; correct it")
        if isinstance(value, str) and arguments[name].type == "Scalar":
            fields.refuse(name, value, "a number")
        is_choice = bool(operator.choices) and name == operator.switch
        choice = is_choice and (value in operator.choices or type(value) is int)
        attributes[name] = value if choice else fields.attribute(name, arguments[name].type, value)
    return attributes


def _tensors(
    what: str, entries: Any, names: Sequence[str], required: Sequence[str], folder: str
) -> dict[str, TensorFile]:
    _refuse_unknown(entries, names, what)
    if missing := [name for name in required if name not in entries]:
        raise FieldError(f"{what} has no {missing[0]}; it must have {', '.join(required)}; add {missing[0]}")
    tensors = {}
    for name in names:
        if name in entries:
            entry = entries[name]
            _refuse_unknown(entry, _INPUT_FIELDS if what == "inputs" else _FILE_FIELDS, f"{what}: {name}")
            sha256 = entry.get("sha256", "")
            if not isinstance(sha256, str) or not re.fullmatch("([0-9a-f]{64})?", sha256):
                raise FieldError(f"{name}: sha256 is {quote(sha256)}; it must be 64 digits from 0 to f; correct it")
            dtype = fields.dtype(f"{name}: dtype", entry["dtype"]) if "dtype" in entry else None
            if dtype is not None and not is_judged(dtype):
                raise FieldError(f"{name}: dtype is {dtype}; it must be a real dtype; use another one")
            shape = fields.shape(f"{name}: shape", entry["shape"]) if "shape" in entry else None
            file = _file_name(name, entry.get("file", f"{folder}/{name}.npy"))
            tensors[name] = TensorFile(file, dtype, shape, sha256, _strides(name, entry, shape))
    return tensors


def _strides(name: str, entry: dict[str, Any], shape: tuple[int, ...] | None) -> tuple[int, ...] | None:
    strides = entry.get("strides")
    if strides is None:
        return None
    is_listed = isinstance(strides, list) and all(type(n) is int and abs(n) < 1 << 40 for n in strides)
    if not is_listed or (shape is not None and len(shape) != len(strides)):
        raise FieldError(
            f"{name}: strides is {quote(strides)}; it must be a step in elements for each dimension; correct it"
        )
    return tuple(strides)


def _file_name(what: str, word: Any) -> str:
    path = PurePosixPath(word) if isinstance(word, str) and word.isprintable() else None
    is_inside = path is not None and not path.is_absolute() and ".." not in path.parts and "\\" not in str(path)
    if path is None or not is_inside or path.suffix != ".npy" or len(str(word)) > 1000:
        raise FieldError(
            f"{what}: file is {quote(word)}; it must be a .npy file inside the delivery's folder; rename it"
        )
    return str(path)


def _refuse_unknown(entry: Any, names: Iterable[str], what: str) -> None:
    if not isinstance(entry, dict):
        raise FieldError(f"{what} is {quote(entry)}; it must be an object with {some(list(names))}; write {{...}}")
    for name in entry:
        if name not in names:
            cure = did_you_mean(name, names, "leave it out")
            allowed = some(list(names), name) or "no field"
            raise FieldError(f"{what} has the unknown field {quote(name)}; it may have {allowed}; {cure}")


def _refuse_repetitions(cases: list[DeliveryCase]) -> None:
    ids, files = set(), {one.file for case in cases for one in case.inputs.values()}
    for case in cases:
        if case.id in ids:
            raise FieldError(f"the id {quote(case.id)} occurs twice; each case must have its own; rename one")
        ids.add(case.id)
        for one in case.outputs.values():
            if one.file in files:
                raise FieldError(f"case {quote(case.id)}: {quote(one.file)} is another tensor's file too; rename one")
            files.add(one.file)


def _refuse_outside(real: str, file: str) -> None:
    """Raise unless a file is inside the folder with this real path, also after following links."""
    if not os.path.realpath(os.path.join(real, file)).startswith(os.path.join(real, "")):
        raise UnreadableFile(f"{file}: leads out of the delivery's folder; it must stay inside; replace the link")
