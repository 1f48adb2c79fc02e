"""`actgrad cache`: where machine code is kept between processes, how much of it, and how to be rid of it."""

from __future__ import annotations

import argparse
import json

from . import terminal


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `actgrad cache`."""
    parser = subparsers.add_parser(
        "cache",
        help="the machine code kept on disk: where it is, and how to clear it",
        description="Show the folder in which compiled formulas are kept, or clear it.\n\n"
        "It is the folder `actgrad-machine-code` in ACTGRAD_CACHE_DIR, or else in ~/.cache/actgrad. An empty\n"
        "ACTGRAD_CACHE_DIR switches the cache off. Nothing but entries is ever removed.",
        epilog="examples:\n  actgrad cache\n  actgrad cache --clear\n  ACTGRAD_CACHE_DIR= actgrad demo",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--clear", action="store_true", help="remove all entries")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from .backends.cpu import objects

    removed = objects.clear() if arguments.clear else 0
    folder, found, fault = objects.folder(), objects.entries(), objects.why_unusable()
    state = {
        "folder": None if folder is None else str(folder),
        "is_usable": fault is None,
        "fault": fault,
        "entries": len(found),
        "bytes": sum(found.values()),
        "removed": removed,
    }
    if arguments.json:
        terminal.show(json.dumps(state, indent=2))
    elif folder is None:
        terminal.show(f"no cache: {fault}")
    else:
        cleared = f"{removed} entries removed\n" if arguments.clear else ""
        unusable = "" if fault is None else f"\nnot usable: {fault}"
        terminal.show(f"{cleared}{folder}\n{len(found)} entries, {sum(found.values())} bytes{unusable}")
    return 0
