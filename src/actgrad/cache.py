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
        "ACTGRAD_CACHE_DIR chooses another folder; empty, it switches the cache off.",
        epilog="examples:\n  actgrad cache\n  actgrad cache --clear\n  ACTGRAD_CACHE_DIR= actgrad demo",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--clear", action="store_true", help="remove all entries")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from .backends.cpu import objects

    removed = objects.clear() if arguments.clear else 0
    folder, found = objects.folder(), objects.entries()
    state = {
        "folder": None if folder is None else str(folder),
        "is_usable": objects.is_usable(),
        "entries": len(found),
        "bytes": sum(path.stat().st_size for path in found),
        "removed": removed,
    }
    if arguments.json:
        terminal.show(json.dumps(state, indent=2))
    elif folder is None:
        terminal.show("no cache: ACTGRAD_CACHE_DIR is empty, or there is no home folder")
    else:
        cleared = f"{removed} entries removed\n" if arguments.clear else ""
        unusable = "" if state["is_usable"] else "\nnot usable: it must be writable, and by this user only"
        terminal.show(f"{cleared}{folder}\n{len(found)} entries, {state['bytes']} bytes{unusable}")
    return 0
