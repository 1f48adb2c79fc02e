"""Descriptions of an SDK for shells, pkg-config and CMake, and links for the folders that build systems search."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from ... import __version__

#: The variables that programs and build systems read, and the folder of the SDK for each variable.
_VARIABLES = {
    "ASCEND_HOME_PATH": "",
    "ASCEND_TOOLKIT_HOME": "",
    "ASCEND_CUSTOM_PATH": "",
    "ASCEND_AICPU_PATH": "",
    "ASCEND_INSTALL_PATH": "",
    "ASCEND_DIR": "",
    "ASCEND_OPP_PATH": "/opp",
    "DDK_PATH": "",
    "NPU_HOST_LIB": "/lib64",
}
#: The vendor of the custom operators, which is a folder's name in opp/vendors.
_VENDOR = "actgrad"


def environment(prefix: Path) -> dict[str, str]:
    """The variables that programs and build systems read, without LD_LIBRARY_PATH."""
    return {name: f"{prefix}{folder}" for name, folder in _VARIABLES.items()}


def links() -> Iterator[tuple[str, str]]:
    """Links from CANN's folder names to include and lib64. Yields names under the prefix, and targets."""
    for folder in ("runtime", "compiler", "acllib", f"{os.uname().machine}-linux", "opp"):
        yield f"{folder}/include", "../include"
        yield f"{folder}/lib64", "../lib64"
    for folder, up in (("op_api", ".."), (f"opp/vendors/{_VENDOR}/op_api", "../../../..")):
        yield f"{folder}/include", f"{up}/include"
        yield f"{folder}/lib", f"{up}/lib64"


def files(prefix: Path, libraries: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The files for shells, pkg-config, CMake and op-plugin. Yields names under the prefix, and texts."""
    yield "set_env.sh", _shell_script(prefix)
    yield "lib64/pkgconfig/actgrad.pc", _PKG_CONFIG
    yield "share/cmake/actgrad/actgradConfig.cmake", _CMAKE.replace("@libraries@", " ".join(libraries))
    yield (
        "share/cmake/actgrad/actgradConfigVersion.cmake",
        f'set(PACKAGE_VERSION "{__version__.partition(".dev")[0]}")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n',
    )
    yield "opp/vendors/config.ini", f"load_priority={_VENDOR}\n"


def _shell_script(prefix: Path) -> str:
    lines = [f'export {name}="$_actgrad{folder}"' for name, folder in _VARIABLES.items()]
    exports = "\n".join(lines)
    return f"{_PLACE.replace('@prefix@', shlex.quote(str(prefix)))}{exports}\n{_END}"


#: How a shell finds the folder of the script that it reads. bash and zsh know it. Other shells have the script open.
_PLACE = """\
# To be read by a shell: . set_env.sh
_actgrad=@prefix@/set_env.sh
if [ -n "${BASH_SOURCE:-}" ]; then
  _actgrad=$BASH_SOURCE
elif [ -n "${ZSH_VERSION:-}" ]; then
  _actgrad=$(eval 'printf %s "${(%):-%x}"')
else
  for _actgrad_file in /proc/$$/fd/*; do
    _actgrad_file=$(readlink "$_actgrad_file" || :)
    if [ "${_actgrad_file##*/}" = set_env.sh ]; then _actgrad=$_actgrad_file; fi
  done
  unset _actgrad_file
fi
_actgrad=$(CDPATH= cd -- "$(dirname -- "$_actgrad")" && pwd -P)
"""
_END = """\
export LD_LIBRARY_PATH="$_actgrad/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset _actgrad
"""

#: No quotes, because pkg-config has put backslashes before the spaces of pcfiledir.
_PKG_CONFIG = f"""\
prefix=${{pcfiledir}}/../..
includedir=${{prefix}}/include
libdir=${{prefix}}/lib64

Name: actgrad
Description: aclnn operators of CANN, computed on the CPU
Version: {__version__}
Cflags: -I${{includedir}} -I${{includedir}}/aclnn -I${{includedir}}/aclnnop
Libs: -L${{libdir}} -Wl,-rpath,${{libdir}} -lopapi_nn -lopapi_math -lnnopbase -lascendcl
"""

_CMAKE = """\
# find_package(actgrad CONFIG), then target_link_libraries(program actgrad::opapi)
get_filename_component(_actgrad_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
foreach(_name @libraries@)
  if(NOT TARGET actgrad::${_name})
    add_library(actgrad::${_name} SHARED IMPORTED)
    set_target_properties(actgrad::${_name} PROPERTIES
      IMPORTED_LOCATION "${_actgrad_prefix}/lib64/lib${_name}.so"
      INTERFACE_INCLUDE_DIRECTORIES
        "${_actgrad_prefix}/include;${_actgrad_prefix}/include/aclnn;${_actgrad_prefix}/include/aclnnop")
  endif()
endforeach()
target_link_libraries(actgrad::opapi INTERFACE actgrad::nnopbase actgrad::ascendcl)
target_link_libraries(actgrad::opapi_nn INTERFACE actgrad::nnopbase actgrad::ascendcl)
target_link_libraries(actgrad::cust_opapi INTERFACE actgrad::nnopbase actgrad::ascendcl)
"""
