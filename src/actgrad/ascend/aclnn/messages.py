"""The text of each thread's last failure, in the format of the real interface."""

from __future__ import annotations

import os
import threading
from datetime import datetime

from ...base.errors import ActgradError, InvalidArgument, NullArgument

_recent = threading.local()


def aclGetRecentErrMsg() -> str | None:
    """The text of the thread's last failure. None if there was no failure since the last call of this function."""
    text: str | None = getattr(_recent, "text", None)
    _recent.text = None
    return text


def report(error: Exception, text: str = "") -> int:
    """Keep `text`, or the error's message, for aclGetRecentErrMsg. Returns the error's status."""
    _recent.text = line(error, text)
    return status(error)


def line(error: BaseException, text: str = "") -> str:
    """The text of a failure, in the format of the real interface."""
    if status(error) in (NullArgument.status, InvalidArgument.status):
        title = "AclNN_Parameter_Error(EZ1001)"
    else:
        title = "AclNN_Inner_Error(EZ9999)"
    now = datetime.now()
    stamp = f"{now:%Y-%m-%d-%H:%M:%S}.{now.microsecond // 1000:03}.{now.microsecond % 1000:03}"
    return f"[PID: {os.getpid()}] {stamp} {title}: {text or text_of(error)}"


def text_of(error: BaseException) -> str:
    """The message of an error. The name of the class comes first, unless it is an error of actgrad."""
    return str(error) if isinstance(error, ActgradError) else f"{type(error).__name__}: {error}"


def status(error: BaseException) -> int:
    """The status of an error. An error that is not actgrad's has the status ACLNN_ERR_INNER."""
    return error.status if isinstance(error, ActgradError) else ActgradError.status
