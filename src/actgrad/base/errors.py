"""The exceptions of actgrad, by their aclnn statuses.

ActgradError (RuntimeError)         561000  any fault of this package
├── NullArgument                    161001  a required argument is missing
├── InvalidArgument  (ValueError)   161002  an argument breaks the operator's contract
│   ├── InvalidDtype (TypeError)    161002  an argument has a wrong data type
│   ├── InvalidCall  (TypeError)    161002  an argument is unknown, at a wrong position, or not an array
│   └── TilingFailed                561002  a generated C function refuses an argument when it plans its kernel
├── UnsupportedOnProduct            561103  the chosen product lacks the operator
│   ├── ProductRefused              361001  the chosen product lacks the operator, and CANN reports a runtime fault
│   └── NotConfigured               561003  the chosen product lacks the operator, and CANN generates its C function
├── OutOfMemory      (MemoryError)  561000  there is not enough memory for a result
├── InvalidOperator  (ValueError, TypeError) 561000  an operator is defined wrongly: its name, schema or formula
├── KernelMissing                   561103  no kernel writes a data type that the operator's checks accept
└── BackendUnavailable (ImportError) 561003  the backend is missing or cannot compute this call
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import first_use

if TYPE_CHECKING:
    from pathlib import Path


class ActgradError(RuntimeError):
    """Any error that this package raises. `status` is the aclnn return code of the class.

    ActgradError is a RuntimeError because PyTorch's errors are RuntimeErrors.
    """

    status = 561000
    has_lines = False  # whether the text may have several lines, for example the output of a compiler


class NullArgument(ActgradError, TypeError):
    """A required tensor or scalar is None (ACLNN_ERR_PARAM_NULLPTR)."""

    status = 161001


class InvalidArgument(ActgradError, ValueError):
    """An argument breaks the operator's contract (ACLNN_ERR_PARAM_INVALID)."""

    status = 161002


class InvalidDtype(InvalidArgument, TypeError):
    """A tensor's or a scalar's data type breaks the operator's contract."""


class InvalidCall(InvalidArgument, TypeError):
    """An argument is unknown to the operator, or is not an array."""


class UnsupportedOnProduct(ActgradError):
    """The chosen product does not have this operator (ACLNN_ERR_INNER_NULLPTR)."""

    status = 561103


class TilingFailed(InvalidArgument):
    """A generated C function refuses a shape or value when it plans its kernel (ACLNN_ERR_INNER_TILING_ERROR)."""

    status = 561002


class NotConfigured(UnsupportedOnProduct):
    """The chosen product does not have this generated operator (ACLNN_ERR_INNER_FIND_KERNEL_ERROR)."""

    status = 561003


class ProductRefused(UnsupportedOnProduct):
    """The chosen product does not have this operator, and CANN has another status for it (ACLNN_ERR_RUNTIME_ERROR)."""

    status = 361001


class OutOfMemory(ActgradError, MemoryError):
    """The memory for a result cannot be allocated. The message has the number of bytes and the name of the library."""


class InvalidOperator(ActgradError, ValueError, TypeError):
    """An operator's definition is wrong: its name, its schema or its formula."""


class KernelMissing(ActgradError):
    """There is no kernel for a data type that the operator's checks accept (ACLNN_ERR_INNER_NULLPTR)."""

    status = 561103


class BackendUnavailable(ActgradError, ImportError):
    """The backend is not installed or cannot take this call (ACLNN_ERR_INNER_FIND_KERNEL_ERROR)."""

    status = 561003


def installation(extra: str = "") -> str:
    """The command that installs actgrad with one of its extras, for messages."""
    return f"pip install '.[{extra}]' in a clone of actgrad" if extra else "pip install . in a clone of actgrad"


def library(name: str, needs: str, extra: str, kind: type[ActgradError] = ActgradError) -> Any:
    """The library `name`, which the extra `extra` installs. Raises `kind` if the library is missing.

    The message begins with `needs`, a sentence that says what needs the library.
    """
    try:
        return first_use.module(name)
    except ImportError as error:
        raise kind(f"{needs}; it must be importable ({error}); install it: {installation(extra)}") from error


NO_FILE = "no such file; it must exist; check the path"


def system_fault(error: OSError) -> str:
    """The part of a message that says why the operating system refuses a file, and what to do."""
    if error.errno == errno.ENOENT:
        return NO_FILE
    if error.errno == errno.EISDIR:
        return "is a folder; it must be a file; name a file"
    if error.errno == errno.EACCES:
        return "permission denied; you must be allowed to use it; change its permissions"
    return f"{error.strerror or error}; the system must be able to use it; check the path"


_MAX_LENGTH = 80  # characters of a value in a message
_MAX_NAMES = 12  # names in a message


def nearest(name: object, names: Iterable[str]) -> list[str]:
    """The known names that are similar to a wrong name, the most similar first.

    The comparison ignores case. If two names differ only in case, the result has the name in the case of `name`.
    """
    if not isinstance(name, str):
        return []
    by_lower: dict[str, str] = {}
    for each in names:
        if each.lower() not in by_lower or each.islower() is name.islower():
            by_lower[each.lower()] = each
    matches = first_use.module("difflib").get_close_matches(name.lower(), by_lower)
    return [by_lower[match] for match in matches]


def did_you_mean(name: object, names: Iterable[str], otherwise: str) -> str:
    """The last part of a message about a wrong name: "did you mean elu?", or `otherwise` if no known name is close."""
    near = nearest(name, names)
    return f"did you mean {near[0]}?" if near else otherwise


def either(names: Iterable[object]) -> str:
    """A list of alternatives for a message: "a", "a or b", "a, b or c"."""
    *first, last = map(str, names)
    return f"{', '.join(first)} or {last}" if first else last


def quantity(count: int, noun: str) -> str:
    """A number of things for a message: "1 file", "2 files"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def some(names: Iterable[str], like: object = "") -> str:
    """A list of names for a message. Names similar to `like` come first. A long list is cut."""
    every = list(names)
    near = nearest(like, every)
    every = near + [name for name in every if name not in near]
    more = len(every) - _MAX_NAMES
    return ", ".join(every) if more <= 0 else f"{', '.join(every[:_MAX_NAMES])} and {more} more"


def suffix_of(path: Path) -> str:
    """The suffix of a file for a message: "the suffix .txt", or "no suffix"."""
    return f"the suffix {path.suffix}" if path.suffix else "no suffix"


def kind_of(value: object) -> str:
    """The type of a value for a message: "a str", "an int", "None", "the class ndarray"."""
    if value is None or isinstance(value, type):
        return "None" if value is None else f"the class {value.__name__}"
    return one(type(value).__name__)


def one(noun: str) -> str:
    """A noun with its article, for a message: "a str", "an int"."""
    return f"{'an' if noun[0] in 'aeioAEIO' or noun == 'ndarray' else 'a'} {noun}"


def quote(value: object) -> str:
    """A value for a message: its `repr`, cut to one line. If `repr` fails, for example for 5,000 digits, the type."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an object's own `repr` may raise any exception
        return kind_of(value)
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 3] + "..."
