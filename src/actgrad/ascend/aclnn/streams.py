"""Streams. Work runs at once. In strict mode (ACTGRAD_STRICT=1 at import), it runs when the stream is synchronised.

On an NPU, work on a stream runs later than its call. A program that reads a result before it synchronises the stream is
wrong on an NPU, but works here. In strict mode, the program reads wrong results here too.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable

from ...base.errors import ActgradError, kind_of
from .messages import report
from .names import STATUSES
from .objects import Handle

STRICT = os.environ.get("ACTGRAD_STRICT", "") not in ("", "0")

_log = logging.getLogger(__package__)


class StreamError(ActgradError):
    """A stream was destroyed, or an object is not a stream (ACLNN_ERR_RUNTIME_ERROR)."""

    status = STATUSES["ACLNN_ERR_RUNTIME_ERROR"]


class AclrtStream(Handle):
    """aclrtStream: a queue of work. Work runs in the order in which it was submitted."""

    __slots__ = ("_lock", "_process", "_work", "is_destroyed")

    def __init__(self) -> None:
        self._lock, self._process = threading.Lock(), os.getpid()
        self._work: deque[Callable[[], object]] = deque()
        self.is_destroyed = False

    def submit(self, work: Callable[[], object]) -> None:
        """Run `work` now, or in strict mode when the stream is synchronised."""
        if STRICT:
            self._work.append(work)
        else:
            work()

    def synchronize(self) -> None:
        """Run the queued work. After a fork, a child makes a new lock, because the old one may never be free."""
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        with self._lock:
            while self._work:
                self._work.popleft()()

    def destroy(self) -> None:
        """Refuse further work, and discard the queued work."""
        self.is_destroyed = True
        if self._work:
            _log.warning(
                "a stream was destroyed with %d calls left; each must finish first; call aclrtSynchronizeStream before",
                len(self._work),
            )
            self._work.clear()


_DEFAULT = AclrtStream()  # the stream of calls that pass a null pointer


def stream_of(stream: AclrtStream | None, function: str) -> AclrtStream:
    """The stream of a parameter. A null pointer is the default stream."""
    if stream is None:
        return _DEFAULT
    if not isinstance(stream, AclrtStream):
        raise StreamError(f"{function}: stream is {kind_of(stream)}; it must be an aclrtStream; call aclrtCreateStream")
    if stream.is_destroyed:
        raise StreamError(f"{function}: stream was destroyed; it must exist; call aclrtCreateStream again")
    return stream


def aclrtCreateStream() -> tuple[int, AclrtStream]:
    """Create a stream. Returns (status, stream)."""
    return 0, AclrtStream()


def aclrtSynchronizeStream(stream: AclrtStream | None) -> int:
    """Run all work of a stream. A null pointer is the default stream."""
    return _runtime(lambda: stream_of(stream, "aclrtSynchronizeStream").synchronize())


def aclrtDestroyStream(stream: AclrtStream | None) -> int:
    """Destroy a stream and discard its queued work. The default stream cannot be destroyed."""

    def destroy() -> None:
        if stream is None:
            raise StreamError(
                "aclrtDestroyStream: stream is a null pointer, the default stream; it must be one of "
                "aclrtCreateStream; "
                "leave this call out"
            )
        stream_of(stream, "aclrtDestroyStream").destroy()

    return _runtime(destroy)


def _runtime(call: Callable[[], None]) -> int:
    """The status of a call of a runtime function. For wrong streams, this status is a code of aclError."""
    try:
        call()
    except StreamError as error:
        report(error)
        return STATUSES["ACL_ERROR_RT_PARAM_INVALID"]
    except Exception as error:  # a C function does not raise
        return report(error)
    return 0
