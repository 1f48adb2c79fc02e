"""The parser of the command line. A usage error prints one line that says what to type."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn

from ..base.errors import did_you_mean, either, some
from ..writing import terminal

ERROR = 2  # the exit status
USAGE_LINES = 3  # a longer usage is cut


class Parser(argparse.ArgumentParser):
    """A parser that prints no usage with its errors. If its help cannot be written, it ends like any other output."""

    #: Adds the arguments when the parser is first used, because the command's module takes time to import.
    fill: Callable[[Parser], None] | None = None

    def describe(self, text: str | None, lists: str = "") -> None:
        """Set the help: a docstring, which continues below the options from "examples:" on.

        `lists` is printed before the examples. Lines are not refilled.
        """
        description, _, examples = (text or "").partition("\nexamples:\n")
        self.description, self.epilog = description, f"{lists}\nexamples:\n{examples}"
        self.formatter_class = argparse.RawDescriptionHelpFormatter

    def format_help(self) -> str:
        """Like argparse, but a long usage names only what is required, because a table of the options follows."""
        if self.usage is None and self.format_usage().count("\n") > USAGE_LINES:
            groups = [group for group in self._mutually_exclusive_groups if group.required]
            in_groups = [action for group in groups for action in group._group_actions]
            needed = [a for a in self._actions if a.required or a in in_groups or not a.option_strings]
            formatter = self._get_formatter()
            formatter.add_usage(None, needed, groups, prefix="")
            usage = " ".join(formatter.format_help().split()).removeprefix(self.prog)
            self.usage = f"{self.prog} [OPTIONS]{usage}".replace("%", "%%")
        return super().format_help()

    def print_help(self, file: Any = None) -> None:
        if file is None:
            terminal.show(self.format_help())
        else:
            super().print_help(file)

    def error(self, message: str) -> NoReturn:
        """End the program with one line: the command, the option, and what to type instead."""
        command = self.prog.partition(" ")[2]
        text = " ".join(_in_plain_words(message).split())
        if "; " not in text:
            text = f"{text}; {self._help_hint()}"
        terminal.complain(terminal.printable(f"{command}: {text}" if command else text))
        self.exit(ERROR)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Like argparse, but words after options also belong to a list that began before the options."""
        if self.fill is not None:
            fill, self.fill = self.fill, None
            fill(self)
        if self._subparsers is None:
            self._refuse_unknown(sys.argv[1:] if args is None else args)
        result, rest = super().parse_known_args(args, namespace)
        listing = next(
            (action for action in self._actions if not action.option_strings and action.nargs in _LISTS), None
        )
        if listing is not None and rest and not any(word.startswith("-") for word in rest):
            words = [self._get_value(listing, word) for word in rest]
            setattr(result, listing.dest, [*(getattr(result, listing.dest) or ()), *words])
            rest = []
        if rest:
            self._refuse(rest[0])
        return result, rest

    def _refuse_unknown(self, words: Sequence[str]) -> None:
        """Refuse the first unknown option, because argparse would refuse its value first, as an unknown word."""
        for word in words:
            if word == "--":
                return
            if word.startswith("--") and not self._get_option_tuples(word.partition("=")[0]):
                self._refuse(word)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError as error:
            self.error(str(error))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not among the choices, because argparse would list all choices."""
        if action.choices is not None and value not in action.choices:
            choices = list(action.choices)
            what = "command" if isinstance(action, argparse._SubParsersAction) else action.option_strings[-1]
            cure = did_you_mean(value, choices, self._help_hint())
            self.error(f"{what} {value} is unknown; known are {some(choices, value)}; {cure}")

    def refuse_without(self, option: str, owners: str) -> NoReturn:
        """Refuse an option that only has a meaning with other options."""
        self.error(f"{option} is given without {owners}; it needs {owners}; add it or leave {option} out")

    def _refuse(self, word: str) -> NoReturn:
        """Refuse a word that no option takes."""
        name = word.partition("=")[0]
        if not word.startswith("-"):
            self.error(f"{word!r} is not an argument here; it must be an option; leave it out, or {self._help_hint()}")
        options = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        cure = did_you_mean(name, options, self._help_hint())
        self.error(f"option {name} is unknown; known are {some(options, name)}; {cure}")

    def _help_hint(self) -> str:
        return f"see {self.prog} --help"


_LISTS = (argparse.ZERO_OR_MORE, argparse.ONE_OR_MORE)
#: Messages of argparse, and our messages for them. `name` is the option.
_PATTERNS = (
    (r"argument (?P<name>.*?): expected .*arguments?", "{name} has no value; it must have one; write it after {name}"),
    (
        r"argument (?P<name>.*?): not allowed with argument (?P<other>.*)",
        "{name} and {other} cannot be combined; only one is allowed; leave one out",
    ),
    (
        r"argument (?P<name>.*?): ignored explicit argument (?P<other>.*)",
        "{name} has the value {other}; it must have none; leave the value out",
    ),
    (
        r"ambiguous option: (?P<name>.*) could match (?P<other>.*)",
        "{name} is ambiguous; it must be {other}; write it out",
    ),
    (r"the following arguments are required: (?P<name>.*)", "{name} is missing; it is required; add it"),
    (
        r"one of the arguments (?P<name>.*) is required",
        "there is nothing to do; one of these must be there: {name}; add one",
    ),
    (r"argument (?P<name>.*?): (?P<other>.*)", "{name}: {other}"),
)


def _in_plain_words(message: str) -> str:
    """Our message for a message of argparse. Any other message is unchanged."""
    for pattern, words in _PATTERNS:
        match = re.fullmatch(pattern, message, re.S)
        if match:
            parts = match.groupdict()
            if "could match" in pattern:
                parts["other"] = either(parts["other"].split(", "))
            # "--dtype, -d" has several spellings; show the longest.
            parts["name"] = max(re.split(r"/", parts["name"]), key=len) if "/" in parts["name"] else parts["name"]
            return words.format(**parts)
    return message


def options_first(arguments: Sequence[str], commands: Collection[str]) -> list[str]:
    """The arguments with `--json` after the command, if the user wrote it before the command."""
    words = list(arguments)
    if words[:1] != ["--json"]:
        return words
    position = next((k for k, word in enumerate(words) if word in commands), None)
    return words if position is None else [words[position], *words[:position], *words[position + 1 :]]
