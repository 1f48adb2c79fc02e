"""docs/commands.md: every command with its options, made from the parsers.

python scripts/commands.py            print it
python scripts/commands.py --write    write it to docs/commands.md
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import writing

from actgrad.cli import main
from actgrad.writing import documents

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"

INTRODUCTION = """\
# Commands

This page is for people who look up a command or an option. Each command also prints its part with `--help`, for example
`actgrad check --help`. `python -m actgrad` is the same program, for environments in which `actgrad` is not on `PATH`.

| exit status | meaning |
| --- | --- |
| 0 | the command did what it says, or the results are accepted |
| 1 | a negative judgement: results are rejected, a kernel has a fault, or a program uses something that is missing |
| 2 | a usage error, a file that cannot be used, or any other error. The command prints one line that says what to do |
| 130 | an interrupt ended the command |
| 141 | the program that reads the output closed the pipe |

Results go to standard output, and progress and errors to standard error. `--json` writes the results as JSON for
programs: to standard output, or to the FILE that the option names (`-` means standard output).
"""
END = """\
Next: [statuses and messages](statuses.md), or a tutorial: [aclnn programs](tutorials/port.md),
[kernels](tutorials/kernel.md), [PyTorch models](tutorials/train.md).

<!-- python scripts/commands.py --write makes this page from the parsers. -->
"""


def commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers of the commands below a parser, each before its own actions."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            summaries = {each.dest: each.help for each in action._choices_actions}
            for name, each in action.choices.items():
                if each.fill is not None:  # its module is imported when the command is used
                    each.fill(each)
                    each.fill = None
                each.description = each.description or f"{summaries[name].capitalize()}."
                yield each
                yield from commands(each)


def section(parser: argparse.ArgumentParser) -> Iterator[str]:
    """What a command does, its options in a table for each group, and its examples."""
    yield f"## {parser.prog}"
    yield ""
    yield from blocks(parser.description or "")
    for group in parser._action_groups:
        rows = [(spelled(action), meaning(action, parser)) for action in group._group_actions if is_shown(action)]
        if rows:
            yield documents.table(((group.title or "options").removesuffix(":"), "meaning"), rows)
            yield ""
    yield from blocks(parser.epilog or "")


def is_shown(action: argparse.Action) -> bool:
    """Whether an action is an option of this command and more than its help."""
    return not isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))


def spelled(action: argparse.Action) -> str:
    """How an option is typed: its names, and the word for its value."""
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return f"`{names}`"
    value = action.metavar or (action.choices and f"{{{','.join(map(str, action.choices))}}}") or action.dest.upper()
    words = " ".join(value) if isinstance(value, tuple) else str(value)
    return f"`{f'{names} {words}'.strip()}`".replace("|", r"\|")


def meaning(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    """The help of an option as a cell of a table."""
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    return re.sub(r"(?<!\\)([|<>*])", r"\\\1", " ".join(text.split()))


def blocks(text: str) -> Iterator[str]:
    """Prose as prose. Lists, tables and examples, which are aligned, as they are printed."""
    for block in text.strip().split("\n\n"):
        if not block:
            continue
        if re.search(r"^ |  ", block, flags=re.M):
            yield from ("```text", block, "```", "")
        else:
            yield re.sub(r"([<>*|])", r"\\\1", block)
            yield ""


def page() -> str:
    """The whole page."""
    lines = [INTRODUCTION]
    for command in commands(main.parser()):
        lines += section(command)
    return "\n".join([*lines, END])


if __name__ == "__main__":
    writing.page(__doc__, PAGE, page)
