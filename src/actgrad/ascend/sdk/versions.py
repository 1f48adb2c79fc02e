"""What `actgrad --version --verbose` says about the C SDK."""

from __future__ import annotations

import shlex

from ...base.errors import ActgradError
from ...cli.version_command import output
from . import builder

NO_LIBRARY = "compute in a server: Python has no shared library"


def lines() -> dict[str, str]:
    """The compilers that `actgrad sdk` uses, and where its programs compute."""

    def compiler(language: str) -> str:
        try:
            command = builder.compiler(language)
        except ActgradError as error:
            return str(error).partition("; ")[0]
        printed = output([*command, "--version"])
        return f"{shlex.join(command)}: {printed[0] if printed else 'does not print its version'}"

    library = builder.Interpreter.current().library
    programs = f"compute in process, with {library}" if library else NO_LIBRARY
    return {"C compiler": compiler("c"), "C++ compiler": compiler("c++"), "SDK programs": programs}
