"""What is checked: a kernel, its tiling function, and which tensor of the operator each parameter of the kernel is.

`of_file` describes a single kernel by the operator's schema. `of_folder` reads an operator project: its definition (a
class derived from OpDef, which is compiled and run), its tiling function and its kernel.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError, did_you_mean, either, quantity, some
from ...calls.operator import REGISTRY, Operator
from ...checks import law
from ...kernel import Tiling
from ...kernel.products import facts

_ENTRY = re.compile(r"__global__[^;{}]*?\bvoid\s+(?P<name>\w+)\s*\((?P<parameters>[^)]*)\)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRUCT = re.compile(r"REGISTER_TILING_DATA_CLASS\(\s*(\w+)\s*,\s*([\w:]+)\s*\)")
_BY_NUMBER = {dtype.acl: dtype.name for dtype in BY_NAME.values()}
_ARCH35 = "Ascend950"  # the product whose files are in folders arch35, and whose kernels end with _apt


@dataclass(frozen=True)
class KernelParameter:
    """A tensor of the kernel."""

    name: str  # in the project
    tensor: str  # of the operator's schema, or "" if the operator does not have it
    dtypes: tuple[str, ...] = ()  # by column of the project's definition, or () if it has none


@dataclass(frozen=True)
class Attribute:
    """An attribute that the tiling function reads."""

    name: str  # in the project
    attribute: str  # of the operator's schema, or "" if the operator does not have it
    type: str = ""  # of the project's definition
    default: Any = None


@dataclass(frozen=True)
class Project:
    """A kernel, and all that is needed to run it on a case of the operator."""

    operator: Operator
    product: str
    kernel: Path
    entry: str  # without template arguments if the tiling function chooses them
    inputs: tuple[KernelParameter, ...]
    outputs: tuple[KernelParameter, ...]
    attributes: tuple[Attribute, ...]
    order: tuple[str, ...]  # the names of inputs and outputs in the kernel's order
    host: Path | None = None  # the file with the tiling function
    definition: str = ""  # the operator's name in the definition
    include: tuple[Path, ...] = ()
    structs: Mapping[str, str] | None = None  # operator's name, or name_key -> the struct of the tiling data

    @property
    def dtypes(self) -> list[str]:
        """The dtypes of the definition for the operator's main tensor, or [] without a definition."""
        main = self.operator.definition.main
        columns = next((one.dtypes for one in self.inputs if one.tensor == main), ())
        return list(dict.fromkeys(columns or next((one.dtypes for one in self.inputs if one.dtypes), ())))

    def struct(self, key: int) -> str | None:
        """The struct that the project registers for this tiling key."""
        structs = self.structs or {}
        return structs.get(f"{self.definition}_{key}") or structs.get(self.definition)

    @property
    def parameters(self) -> str:
        """Which tensor each parameter is, for reports."""
        pairs = ((one.name, one.tensor or "not used") for one in (*self.inputs, *self.outputs))
        return ", ".join(name if name == tensor else f"{name} = {tensor}" for name, tensor in pairs)


# A single kernel


def of_file(
    kernel: Path,
    operator: Operator,
    product: str,
    *,
    entry: str | None = None,
    arguments: Sequence[str] | None = None,
    host: Path | None = None,
    include: Sequence[Path] = (),
) -> Project:
    """A kernel whose parameters are the tensors of the operator's schema, in the order of `arguments`."""
    functions = entries(kernel)
    entry = entry or _only_entry(kernel, functions)
    names = functions.get(entry.partition("<")[0].rpartition("::")[2], [])
    schema = operator.schema
    every = (*schema.tensor_names, *schema.outputs)
    order = tuple(arguments or every)
    for name in order:
        if name not in every:
            cure = did_you_mean(name, every, "name one of these")
            raise ActgradError(f"--arguments has {name!r}; {operator.name} has the tensors {', '.join(every)}; {cure}")
    if not set(order) & set(schema.outputs):
        raise ActgradError(
            f"--arguments names no output of {operator.name}; one must be judged; add {either(schema.outputs)}"
        )
    parameters = [KernelParameter(names[k] if k < len(names) else tensor, tensor) for k, tensor in enumerate(order)]
    project = Project(
        operator, product, kernel, entry,
        tuple(one for one in parameters if one.tensor in schema.tensor_names),
        tuple(one for one in parameters if one.tensor in schema.outputs),
        tuple(Attribute(name, name) for name in schema.attributes_by_name),
        tuple(one.name for one in parameters), host, include=tuple(include),
    )  # fmt: skip
    return project if host is None else _with_host(project, host.parent)


def entries(kernel: Path) -> dict[str, list[str]]:
    """The kernel functions of a file, and the names of their parameters."""
    text = _COMMENT.sub("", _text(kernel))
    return {
        match["name"]: [word.split()[-1].lstrip("*&") for word in match["parameters"].split(",") if word.strip()]
        for match in _ENTRY.finditer(text)
    }


def _only_entry(kernel: Path, functions: Mapping[str, Any]) -> str:
    if len(functions) != 1:
        has = f"has the kernels {', '.join(functions)}" if functions else "has no function with __global__"
        cure = "choose one with --entry" if functions else "name the file of the kernel, or the function with --entry"
        raise ActgradError(f"{kernel}: {has}; one must be run; {cure}")
    return next(iter(functions))


# An operator project


def is_project(folder: Path) -> bool:
    """Whether a folder has the layout of an operator project."""
    return (folder / "op_host").is_dir() and (folder / "op_kernel").is_dir()


def of_folder(
    folder: Path,
    find_operator: Callable[[str], str | None],
    *,
    operator: str | None = None,
    product: str | None = None,
    host: Path | None = None,
    entry: str | None = None,
    include: Sequence[Path] = (),
) -> Project:
    """An operator project. `find_operator` returns actgrad's name for a name of CANN, or None."""
    if not is_project(folder):
        raise ActgradError(
            f"{folder}: is no operator project; it must have the folders op_host and op_kernel; name the project's "
            "folder, or the kernel's file"
        )
    file = _definition_file(folder)
    includes = (folder / "op_host", folder / "op_kernel", folder, *include)
    definitions = Tiling(file, product=product or next(iter(facts()["products"])), include=includes).definitions
    if len(definitions) != 1:
        raise ActgradError(
            f"{file}: defines {quantity(len(definitions), 'operator')}; it must define one; split the project"
        )
    definition = definitions[0]
    name = operator or find_operator(definition["name"])
    if name is None:
        raise ActgradError(
            f"{file}: the operator is {definition['name']}, which actgrad does not have; the judge needs its formula; "
            "name an operator of actgrad list with --operator, or your own one with --operators FILE --operator NAME"
        )
    chosen = _product(file, definition, product)
    kernel = _kernel_file(folder, definition["name"], chosen)
    functions = entries(kernel)
    snake = _snake(definition["name"])
    if entry is None:
        entry = snake if snake in functions else _only_entry(kernel, functions)
    signature = _signature(definition, REGISTRY[name], file)
    project = Project(
        REGISTRY[name], chosen, kernel, entry, *signature,
        order=tuple(one.name for one in (*signature[0], *signature[1])),
        host=host or _tiling_file(folder, chosen, snake), definition=definition["name"], include=includes,
    )  # fmt: skip
    return _with_host(project, folder)


def _with_host(project: Project, folder: Path) -> Project:
    """The project with the structs that its headers register, and the folders of these headers."""
    structs, folders = {}, list(project.include)
    for header in sorted((*folder.rglob("*.h"), *folder.rglob("*.cpp"))):
        for name, struct in _STRUCT.findall(_COMMENT.sub("", _text(header))):
            structs[name] = struct
            folders.append(header.parent)
    fields = vars(project) | {"structs": structs, "include": tuple(dict.fromkeys(folders))}
    fields["definition"] = project.definition or next((name for name in structs if "_" not in name), "")
    return Project(**fields)


def _definition_file(folder: Path) -> Path:
    found = [file for file in sorted((folder / "op_host").rglob("*.cpp")) if "OP_ADD(" in _COMMENT.sub("", _text(file))]
    if len(found) != 1:
        fault = f"{', '.join(map(str, found))} define operators" if found else "no file defines an operator"
        raise ActgradError(f"{folder / 'op_host'}: {fault}; one file must have OP_ADD; check the folder")
    return found[0]


def _product(file: Path, definition: Mapping[str, Any], product: str | None) -> str:
    """The product: the chosen one, or the first one of the definition that we know."""
    known = {name.lower(): name for name in facts()["products"]}
    named = [known[name] for name in definition["products"] if name in known]
    if product is not None:
        if named and product not in named:
            raise ActgradError(
                f"{file}: {definition['name']} is not defined for {product}; it is defined for {either(named)}; "
                "change --product"
            )
        return product
    if not named:
        raise ActgradError(
            f"{file}: {definition['name']} is defined for {', '.join(definition['products']) or 'no product'}; "
            f"known are {either(known.values())}; choose one with --product"
        )
    return named[0]


def _tiling_file(folder: Path, product: str, snake: str) -> Path:
    """The file that registers the tiling function."""
    registers = re.compile(r"\bIMPL_OP_OPTILING\(|\bSetTiling\(")
    found = [
        file for file in sorted((folder / "op_host").rglob("*.cpp")) if registers.search(_COMMENT.sub("", _text(file)))
    ]
    for_950 = [file for file in found if "arch35" in str(file.relative_to(folder))]
    found = for_950 if for_950 and product == _ARCH35 else [file for file in found if file not in for_950]
    if len(found) > 1:
        found = [file for file in found if file.stem.startswith(snake)] or found
    if len(found) != 1:
        fault = f"{', '.join(map(str, found))} register one" if found else f"no file registers one for {product}"
        raise ActgradError(
            f"{folder / 'op_host'}: {fault}; the tiling function must be in one file; name it with --host"
        )
    return found[0]


def _kernel_file(folder: Path, name: str, product: str) -> Path:
    snake, kernels = _snake(name), folder / "op_kernel"
    wanted = [f"{snake}_apt", snake] if product == _ARCH35 else [snake]
    for stem in wanted:
        if (kernels / f"{stem}.cpp").is_file():
            return kernels / f"{stem}.cpp"
    found = [file for file in sorted(kernels.glob("*.cpp")) if entries(file)]
    if product != _ARCH35:
        found = [file for file in found if not file.stem.endswith("_apt")]
    if len(found) == 1:
        return found[0]
    has = either([file.name for file in found]) if found else "no kernel"
    raise ActgradError(
        f"{kernels}: has {has} for {product}; the kernel of {name} must be {snake}.cpp; rename it, or check the file"
    )


def _snake(name: str) -> str:
    """The name of a kernel in a project: SeluGrad is selu_grad."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _signature(
    definition: Mapping[str, Any], operator: Operator, file: Path
) -> tuple[tuple[KernelParameter, ...], tuple[KernelParameter, ...], tuple[Attribute, ...]]:
    """The tensors and attributes of a definition, by CANN's graph operator, by equal names, or by their order."""
    schema = operator.schema
    graphs = operator.law.graphs if law.slots is not None else ()
    name = definition["name"].lower()  # CANN's sources write FatReluMul and FatreluMul
    graph = next((one for one in graphs if one.name.lower() == name), None)
    inputs = [each["name"] for each in definition["inputs"]]
    outputs = [each["name"] for each in definition["outputs"]]
    names = [each["name"] for each in definition["attributes"]]
    if graph is not None and set(inputs) & set(dict(graph.tensors)):  # the community's projects use other names
        tensors, attributes = dict(graph.tensors), dict(graph.renamed)
        results = dict(zip(graph.outputs, schema.outputs, strict=False))
    else:
        tensors = _paired(inputs, schema.tensor_names)
        attributes = _paired(names, tuple(schema.attributes_by_name))
        results = _paired(outputs, schema.outputs)
    required = [one.name for one in schema.tensors if not one.is_optional]
    lacking = [name for name in required if name not in [tensors.get(each) for each in inputs]]
    lacking += [] if any(results.get(each) for each in outputs) else list(schema.outputs[:1])
    if lacking:
        raise ActgradError(
            f"{file}: {definition['name']} has the tensors {', '.join((*inputs, *outputs))}; {operator.name} needs "
            f"{some(lacking)} too; give them the same names, or name another operator"
        )

    def parameter(each: Mapping[str, Any], by_name: Mapping[str, str]) -> KernelParameter:
        dtypes = tuple(_BY_NUMBER.get(number, "") for number in each["dtypes"])
        return KernelParameter(each["name"], by_name.get(each["name"], ""), dtypes)

    return (
        tuple(parameter(each, tensors) for each in definition["inputs"]),
        tuple(parameter(each, results) for each in definition["outputs"]),
        tuple(
            Attribute(each["name"], attributes.get(each["name"], ""), each["type"], each["default"])
            for each in definition["attributes"]
        ),
    )


def _paired(names: Sequence[str], of_schema: Sequence[str]) -> dict[str, str]:
    """Pairs of equal names, or pairs in order if the names differ and there are as many."""
    if set(names) <= set(of_schema) or len(names) != len(of_schema):
        return {name: name for name in names if name in of_schema}
    return dict(zip(names, of_schema, strict=True))


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
