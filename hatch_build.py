"""The two hooks of the build.

`Hook` compiles the extension actgrad.calls._fastcall, and copies the example that `actgrad demo` runs into the wheel.
`Metadata` makes the links of the README absolute, and the project's addresses from the repository's address.

The extension is optional: calls without it are slower. If the compiler fails, the build warns with the reason and makes
a pure wheel. ACTGRAD_PURE=1 always makes a pure wheel.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import source_hash
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

FOLDER = "src/actgrad/calls"
SOURCES = ("_fastcall.c", "_arrays.h", "_aliasing.h")  # calls/extension.py compares their hash
FLAGS = ("-std=c11", "-O2", "-fPIC", "-fno-strict-aliasing", "-fvisibility=hidden")


class Metadata(MetadataHookInterface):
    """Fills in the README, whose links lead to the repository, and the addresses of the project."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository = self.config["repository"]
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = with_absolute_links(text, repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = {
            "Repository": repository,
            "Documentation": f"{repository}/tree/main/docs",
            "Changelog": f"{repository}/blob/main/CHANGELOG.md",
            "Issues": f"{repository}/issues",
        }


def with_absolute_links(text: str, repository: str) -> str:
    """The README with links to the repository's files instead of relative links."""

    def link(match: re.Match[str]) -> str:
        kind = "raw" if match[1].startswith("!") else "blob"
        return f"{match[1]}({repository}/{kind}/main/{match[2]})"

    text = text.replace("Clone this repository", f"Clone [the repository]({repository})")
    return re.sub(r"(!?\[[^\]]*\])\((?!\w+:|#)([^)\s]+)\)", link, text)


class Hook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the extension into the wheel. An editable installation has the extension next to its source."""

    def dependencies(self) -> list[str]:
        return [] if _is_pure() else ["numpy>=2"]  # the extension compiled with NumPy 2 also runs with 1.24

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":  # a clone has the script of `actgrad demo` in its own folder
            build_data["force_include"]["examples/digits.py"] = "actgrad/examples/digits.py"
        if _is_pure():
            return
        name = "_fastcall" + sysconfig.get_config_var("EXT_SUFFIX")
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.root, FOLDER)
        binary = (folder if version == "editable" else Path(self.folder.name)) / name
        try:
            compile_extension(folder, binary)
        except Exception as error:  # the compiler may be missing or fail in any way
            self.app.display_warning(f"actgrad: no extension, calls will be slower: {error}")
            return
        build_data.update(pure_python=False, infer_tag=True)
        if version != "editable":
            build_data["force_include"][str(binary)] = f"actgrad/calls/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()


def compile_extension(folder: Path, binary: Path) -> None:
    """Compile the extension's sources in `folder`. A RuntimeError has the compiler's first error."""
    import numpy

    hashed = source_hash(b"".join((folder / name).read_bytes() for name in SOURCES)).hex()
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    link = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    includes = [f"-I{path}" for path in (sysconfig.get_path("include"), numpy.get_include())]
    extra = shlex.split(os.environ.get("CFLAGS", "")), shlex.split(os.environ.get("LDFLAGS", ""))
    source = f'-DACTGRAD_SOURCE="{hashed}"'
    new = binary.with_name(f"{binary.name}.new")
    command = [
        *compiler,
        *FLAGS,
        *link,
        *includes,
        source,
        *extra[0],
        str(folder / SOURCES[0]),
        "-o",
        str(new),
        *extra[1],
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise RuntimeError(next((line for line in lines if "error" in line), f"{compiler[0]} failed"))
    new.replace(binary)  # a process that loaded the old file keeps the old file


def _is_pure() -> bool:
    return os.environ.get("ACTGRAD_PURE", "0") not in ("", "0")


def get_build_hook() -> type[Hook]:
    return Hook
