"""Notes on the prose of the documents: where habits occur that tire a reader. It judges nothing.

python scripts/prose.py                     all documents
python scripts/prose.py docs/check.md       one of them
python scripts/prose.py --summary           a line for each document, with its rhythm
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path

ROOT = Path(__file__).parents[1]
HABITS = {
    r"\balso (if|in place|with|when|after)\b": '"even if" and "even in place" say it in English',
    r"\breplace\w* (?:\S+ ){1,4}by\b": "replace A with B",
    r"\banother (\w+) than\b": "a dtype other than",
    r"\bin turns\b": "in turn, or one after the other",
    r"\bthe synchronize\b": 'a verb is no noun: "until the stream is synchronized"',
    r"\b(has|have) (the|its|their) (rules|names|details|measurements|checks|order|list|conditions)\b": (
        "say what the page or function does: lists, explains, states"
    ),
    r"\b(has|have) more\b": "say what the reader finds there",
    r"\b(has|have|gets?|stays? in) the (names and the )?order of\b": "is in ND order, is ordered as in the schema",
    r"(?<!computes )\bas (it is|they are)\b(?! \w+ed)": "unchanged",
    r"\bat hand\b": "available",
    r"\bthe documents' letter\b": "the documented rules",
    r"\bof which\b": "begin a sentence of its own",
    r"\bby whomever\b": "by anyone",
    r"\bin place of\b": "instead of",
    r"\bbehind the (last|first|file|end)\b": "after",
    r"\b(plots?|shows?) the errors? over\b": "plots the error against x",
    r"\bdoes nothing else\b": "idle",
    r"\b[Nn]othing of (this|these)\b": "none of this",
    r"\bfrom \d+ % (less|more) to \d+ % (less|more)\b": "the median first, then the range",
}
REASONS = re.compile(r"\b(because|so|therefore|although|instead|otherwise|since|reason)\b", re.I)
SHORT = 8  # words


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """The sentences of a document outside code, headings and tables, each with the line where it begins."""
    in_code, number, words = False, 0, ""
    for line_number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        if line.lstrip().startswith(("```", "````")):
            in_code = not in_code
        is_prose = not in_code and line.strip() and not re.match(r"\s*(```|#|\||<!--|    )", line)
        if is_prose and not re.match(r"\s*([-*]|\d+\.) ", line):
            number, words = number or line_number, f"{words} {line.strip()}"
            continue
        for sentence in re.split(r"(?<=[.!?:]) (?=[A-Z`*\[])", words.strip()):
            if len(sentence.split()) > 2:
                yield number, sentence
        number, words = (line_number, line.strip()) if is_prose else (0, "")


def notes(path: Path) -> Iterator[str]:
    """A line for each habit in a document, each flat paragraph, and a page without a beginning or an end."""
    name, text = path.relative_to(ROOT), path.read_text(encoding="utf-8")
    found = list(sentences(path))
    for number, sentence in found:
        for habit, cure in HABITS.items():
            match = re.search(habit, sentence, re.I)
            if match:
                yield f"{name}:{number}: {match[0]!r}: {cure}"
    for number, group in groupby(found, key=itemgetter(0)):
        yield from (f"{name}:{number}: {what}" for what in rhythm([sentence for _, sentence in group]))
    if name.parts[0] != "docs":
        return
    if not re.search(r"\b(people|programmers) (who|with|whose)\b", text[:1200]):
        yield f"{name}:1: say for whom the page is"
    if not re.search(r"^(Next: |## Next)", text, re.M):
        yield f"{name}:{text.count(chr(10))}: end with the next page"


def rhythm(paragraph: list[str]) -> Iterator[str]:
    """What tires in the sentences of a paragraph."""
    if has_run([len(sentence.split()) <= SHORT for sentence in paragraph], 4):
        yield f"four sentences of at most {SHORT} words in a row: join cause and effect"
    if len(paragraph) >= 6 and not any(map(REASONS.search, paragraph)):
        yield f"{len(paragraph)} sentences without a reason: say why"
    firsts = [sentence.split()[0] for sentence in paragraph]
    if has_run([a == b for a, b in pairwise(firsts)], 2):
        yield "three sentences in a row begin with the same word"


def has_run(facts: list[bool], length: int) -> bool:
    """Whether so many facts in a row are true."""
    return any(is_true and len(list(run)) >= length for is_true, run in groupby(facts))


def summary(path: Path) -> str:
    """The rhythm of a document: length and spread of its sentences, and how many give a reason."""
    found = [sentence for _, sentence in sentences(path)]
    if len(found) < 2:
        return f"{path.relative_to(ROOT)}: {len(found)} sentences"
    lengths = [len(sentence.split()) for sentence in found]
    short = sum(length <= SHORT for length in lengths) / len(lengths)
    reasons = sum(bool(REASONS.search(sentence)) for sentence in found) / len(found)
    mean, spread = statistics.mean(lengths), statistics.stdev(lengths)
    words = f"{len(found)} sentences of {mean:.0f} ± {spread:.0f} words, {short:.0%} short, {reasons:.0%} with a reason"
    return f"{path.relative_to(ROOT)}: {words}"


def main() -> None:
    """Print the notes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="*", type=Path, metavar="FILE", help="(default: all)")
    parser.add_argument("--summary", action="store_true", help="print a line for each document")
    arguments = parser.parse_args()
    documents = [path.resolve() for path in arguments.documents] or [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
        *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name not in ("chips.md", "commands.md")),
    ]
    for path in documents:
        for line in [summary(path)] if arguments.summary else notes(path):
            print(line)


if __name__ == "__main__":
    main()
