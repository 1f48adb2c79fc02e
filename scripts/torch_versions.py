"""Try actgrad.torch on another version of PyTorch: an environment of its own, and the tests of PyTorch in it.

The wheels of an index are often those for CUDA, which need some gigabytes of NVIDIA's libraries. Small stubs take
their place: each has the names that PyTorch's libraries ask for, and each function of theirs fails. PyTorch then finds
no GPU, and everything on the CPU runs. The environment is made once and kept in the folder that --into names.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import venv
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TOOLS = "numpy ml_dtypes llvmlite pytest pytest-xdist hypothesis mpmath scipy safetensors expecttest rich"
LEFT_OUT = re.compile(r"(nvidia|cuda|triton)[-_]?|.*extra *==")  # of what PyTorch's wheel requires
FROM_NVIDIA = re.compile(r"lib(cu|nv|nccl)\w*\.so")
NO_DEVICE = 100  # cudaErrorNoDevice; any other library takes it for a failure too


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: python scripts/torch_versions.py 2.9.1 --into /tmp/torch_versions",
    )
    parser.add_argument("version", help="of PyTorch, as pip knows it")
    parser.add_argument("--into", type=Path, required=True, help="the folder of the environments, 1 to 2 GB each")
    parser.add_argument("--remove", action="store_true", help="remove the environment afterwards")
    parser.add_argument("tests", nargs="*", help="files of tests; without any, all those of PyTorch")
    given = parser.parse_intermixed_args()
    place = given.into.resolve() / given.version
    log = given.into / f"{given.version}.txt"
    python = environment(place, given.version)
    tests = given.tests or sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/**/test_torch_*.py"))
    tell(f"runs the tests, which write to {log}")
    command = [python, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "--tb=short", *tests]
    with log.open("w") as output:
        status = subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT).returncode
    if given.remove:
        shutil.rmtree(place)
    print(f"PyTorch {given.version}: {log.read_text().strip().splitlines()[-1].strip('= ')}")
    return status


def tell(step: str) -> None:
    """A line of progress."""
    print(f"... {step}", file=sys.stderr, flush=True)


def environment(place: Path, version: str) -> str:
    """The Python of an environment with this version, made where it is missing."""
    python, finished = str(place / "bin" / "python"), place / "finished"
    if finished.exists():
        return python
    tell(f"makes {place}")
    venv.create(place, with_pip=True, clear=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    tell("installs PyTorch, which may be a gigabyte")
    subprocess.run([*install, "--no-deps", "--no-cache-dir", f"torch=={version}"], check=True)
    tell("installs the rest; pip misses NVIDIA's libraries, and that is well")
    (package,) = place.glob("lib/python*/site-packages/torch")
    (metadata,) = package.parent.glob("torch-*.dist-info/METADATA")
    required = re.findall(r"^Requires-Dist: (.*)$", metadata.read_text(), re.MULTILINE)
    subprocess.run([*install, *TOOLS.split(), *(r for r in required if not LEFT_OUT.match(r))], check=True)
    subprocess.run([*install, "--no-deps", "--editable", str(ROOT)], check=True)
    tell("makes stubs of NVIDIA's libraries")
    make_stubs(package)
    finished.touch()
    return python


def make_stubs(package: Path) -> None:
    """Put stubs of NVIDIA's missing libraries into the folder of PyTorch's libraries, which PyTorch searches first."""
    libraries = [*package.glob("lib/*.so*"), *package.glob("*.so")]
    present = {path.name for path in libraries}
    needed = {name for name in readelf("--dynamic", libraries, r"NEEDED.*\[(.*)\]") if FROM_NVIDIA.match(name)}
    versions = defaultdict(set)  # of symbols, by library
    for line in readelf("--version-info", libraries, r"File: (\S+) .*\n((?:.*Name: .*\n)*)"):
        versions[line[0]].update(re.findall(r"Name: (\S+)", line[1]))
    symbols = list(readelf("--dyn-syms", libraries, r"(?:FUNC|OBJECT|NOTYPE) +GLOBAL +DEFAULT +(\w+) ([^@\s]+)@*(\S*)"))
    own = {name for section, name, _ in symbols if section != "UND"}
    functions = defaultdict(set)  # that no library of PyTorch's has, by version
    for section, name, version in symbols:
        if section == "UND" and name not in own:
            functions[version].add(name)
    anonymous = functions.pop("", set())
    for name in sorted(needed - present):
        write_stub(package / "lib" / name, {version: functions[version] for version in versions[name]}, anonymous)
        anonymous = set()  # one library with them suffices


def readelf(what: str, libraries: Iterable[Path], pattern: str) -> Iterable[Any]:
    """What a pattern finds in readelf's output for these libraries."""
    for path in libraries:
        text = subprocess.run(["readelf", "-W", what, path], check=True, capture_output=True, text=True).stdout
        yield from re.findall(pattern, text)


def write_stub(path: Path, versions: dict[str, set[str]], anonymous: set[str]) -> None:
    """A library with these functions. Those that register a kernel at the start return 0, the others fail."""
    names = sorted(anonymous.union(*versions.values()))
    lines = [f"long {name}(void) {{ return {0 if name.startswith('_') else NO_DEVICE}; }}" for name in names]
    script = path.with_suffix(".map")
    nodes = [f"{version} {{ {' '.join(f'{name};' for name in found)} }};" for version, found in versions.items()]
    script.write_text("\n".join(nodes))
    command = ["gcc", "-w", "-fno-builtin", "-shared", "-nostdlib", "-fPIC", "-x", "c", "-", "-o", str(path)]
    command += [f"-Wl,-soname,{path.name}", *([f"-Wl,--version-script={script}"] if nodes else [])]
    subprocess.run(command, input="\n".join(lines), check=True, text=True)


if __name__ == "__main__":
    sys.exit(main())
