"""Show or clear the folder of the compiled formulas.

The folder is `actgrad-machine-code` in ACTGRAD_CACHE_DIR, or in ~/.cache/actgrad if this variable is not set. If
ACTGRAD_CACHE_DIR is empty, actgrad uses no cache. With --clear, the command removes only files of actgrad.

examples:
  actgrad cache
  actgrad cache --clear
  ACTGRAD_CACHE_DIR= actgrad demo
"""

from __future__ import annotations

import argparse
import json

from ..writing import terminal
from .parsing import Parser


def add_arguments(parser: Parser) -> None:
    """The help and the arguments of `actgrad cache`."""
    parser.describe(__doc__)
    parser.add_argument("--clear", action="store_true", help="remove the compiled formulas")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from ..backends.cpu import code_cache

    removed = code_cache.clear() if args.clear else 0
    folder, entries, fault = code_cache.folder(), code_cache.entries(), code_cache.why_unusable()
    state = {
        "folder": None if folder is None else str(folder),
        "is_usable": fault is None,
        "fault": fault,
        "entries": len(entries),
        "bytes": sum(entries.values()),
        "removed": removed,
    }
    if args.json:
        terminal.show(json.dumps(state, indent=2))
    elif folder is None:
        terminal.show(f"no cache: {fault}")
    else:
        cleared = f"{removed} entries removed\n" if args.clear else ""
        unusable = "" if fault is None else f"\nnot usable: {fault}"
        terminal.show(f"{cleared}{folder}\n{len(entries)} entries, {sum(entries.values())} bytes{unusable}")
    return 0
