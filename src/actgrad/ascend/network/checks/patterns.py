"""Patterns: the checks that most functions of a kind have. A function adds the differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ...rules import rule
from . import phrases
from .row import Group, Phrase, Row
from .terms import arg, between
from .words import WORDS, checks_of


def _dtypes(row: Row) -> Group:
    """Checks of dtypes, for the lists of a row that name arguments. Words read the other lists."""
    names = {p.name for p in row.parameters}
    return tuple(c for key in row.dtypes if key in names for c in WORDS["dtype"](row, key))


def _words(row: Row) -> Group:
    """The checks of a row's words. The word `empty` ends them if one of its tensors is empty."""
    position = next((k for k, words in enumerate(row.words) if words[0] == "empty"), len(row.words))
    before, after = row.words[:position], row.words[position:]
    checks = tuple(check for words in before for check in checks_of(row, words))
    rest = tuple(check for words in after for check in checks_of(row, words))
    return (*checks, *(rule.unless_empty(after[0][1:], rest) if after else ()))


def _say(row: Row, *said: Phrase) -> Group:
    return tuple(check for phrase in said for check in checks_of(row, phrase))


def _ranks(row: Row, *names: str) -> Group:
    return () if row.arguments_of("any_rank") is not None or not names else _say(row, phrases.rank(*names))


def _is_free(row: Row) -> bool:
    """Whether a row computes no common dtype."""
    return any(row.arguments_of(word) is not None for word in ("free", "equal", "part"))


def _common(row: Row, *names: str) -> Group:
    factor = _say(row, phrases.alpha(*names)) if "alpha" in row.of_type("Scalar") else ()
    return () if _is_free(row) else (*_say(row, phrases.promoted(*names)), *factor)


def unary(row: Row) -> Group:
    (x, *_), out = row.inputs, row.outputs[-1]
    return (*_dtypes(row), *_common(row, x), *_words(row), *_say(row, phrases.shape(out, x)), *_ranks(row, x))


def broadcast(row: Row) -> Group:
    inputs, out = row.inputs, row.outputs[-1]
    shapes = _say(row, phrases.broadcast(*inputs, out))
    return (*_dtypes(row), *_common(row, *inputs), *_words(row), *_ranks(row, *inputs), *shapes)


def scalar(row: Row) -> Group:
    (x, *_), out = row.inputs, row.outputs[-1]
    scalars = [name for name in row.of_type("Scalar") if name != "alpha"]
    return (
        *_dtypes(row), *_common(row, x, *scalars), *_words(row), *_ranks(row, x), *_say(row, phrases.shape(out, x)),
    )  # fmt: skip


def compare(row: Row) -> Group:
    return scalar(row) if row.of_type("Scalar") else broadcast(row)


def reduce(row: Row) -> Group:
    dims = [name for name in ("dim", "dims") if name in row.of_type("int", "ints")]
    once = ("once",) * (row.arguments_of("twice") is None)
    ranges = _say(row, *[phrases.dims(name, row.inputs[0], *once) for name in dims])
    return (*_dtypes(row), *_words(row), *ranges, *_ranks(row, row.inputs[0], *row.outputs))


def tensor_list(row: Row) -> Group:
    chips = _say(row, phrases.only("910B", "910_93", "950"))
    scalars = [phrases.scalar_fits(name, row.inputs[0]) for name in row.of_type("Scalar") if name not in row.dtypes]
    more = [] if row.arguments_of("scalar_fits") is not None else scalars
    apart = ("apart",) * (row.arguments_of("free") is not None)
    formats = _say(row, phrases.public(*row.of_type("tensors")))
    return (*chips, *_dtypes(row), *_say(row, *more), *_words(row), *_say(row, phrases.lists(*apart)), *formats)


def generated(row: Row) -> Group:
    chips = _say(row, phrases.chips(*(row.arguments_of("chips") or ("910B", "910_93", "950"))))
    names = row.of_type("tensors")
    if not names:
        return (*chips, *_dtypes(row), *_words(row))
    length, firsts = arg(names[0]).length, [f"{name}[0]" for name in reversed(names)]
    dtypes = tuple(
        c for name in row.dtypes for c in WORDS["dtype"](_first_tensors_only(row), f"{name}{'[0]' * (name in names)}")
    )
    one_dtype = phrases.when(length != 0, phrases.equal(*firsts))
    lists = phrases.tiling(phrases.lists()), phrases.tiling(phrases.must(between(1, length, 256)))
    return (*chips, *dtypes, *_say(row, one_dtype), *_words(row), *_say(row, *lists))


def _first_tensors_only(row: Row) -> Row:
    """The row with checks of only the first tensor of each list, because generated functions check no other one."""
    return replace(row, dtypes=row.dtypes | {f"{name}[0]": row.dtypes[name] for name in row.dtypes})


def loss(row: Row) -> Group:
    reductions = row.arguments_of("reductions")
    highest = (2,) if reductions is None else reductions
    limits = _say(row, *[phrases.must(between(0, arg("reduction"), n)) for n in highest])
    names = [name for name in row.inputs if "ptional" not in name]
    common = _say(row, phrases.promoted(*names)) if "promoted" in row.dtypes else ()
    return (*limits, *common, *_dtypes(row), *_words(row), *_ranks(row, *row.inputs))


def index(row: Row) -> Group:
    ranges = _say(row, phrases.dims("dim", row.inputs[0])) if "dim" in row.of_type("int") else ()
    return (*_dtypes(row), *ranges, *_words(row), *_ranks(row, *row.inputs))


def matmul(row: Row) -> Group:
    dtypes = tuple(c for name in row.of_type("Tensor") for c in WORDS["dtype"](_every(row), name))
    mode = arg("cubeMathType")
    modes = (
        phrases.must(between(-1, mode, 4)),
        phrases.on("950", phrases.must(mode >= 0)),
        phrases.on(("910", "310P", "310B"), phrases.must(mode <= 3)),
    )
    return (*dtypes, *_say(row, phrases.cube("cubeMathType", *row.inputs[-2:]), *modes), *_words(row))


def _every(row: Row) -> Row:
    """A row whose list `every` holds for each tensor."""
    return Row(row.name, row.parameters, dict.fromkeys(row.of_type("Tensor"), row.dtypes["every"]), ())


def plain(row: Row) -> Group:
    """The dtypes and the words of a row, and tensors of at most 8 dimensions."""
    return (*_dtypes(row), *_words(row), *_ranks(row, *row.inputs))


class Pattern(NamedTuple):
    """A pattern, and whether phase one is generated, so that it ends if all outputs are empty."""

    name: str
    checks: Callable[[Row], Group]
    is_generated: bool = False


UNARY, BROADCAST = Pattern("UNARY", unary), Pattern("BROADCAST", broadcast)
SCALAR, COMPARE = Pattern("SCALAR", scalar), Pattern("COMPARE", compare)
REDUCE, LIST = Pattern("REDUCE", reduce), Pattern("LIST", tensor_list)
GEN = Pattern("GEN", generated, is_generated=True)
LOSS, INDEX, MATMUL = Pattern("LOSS", loss), Pattern("INDEX", index), Pattern("MATMUL", matmul)
RANDOM, NORM, WINDOW = Pattern("RANDOM", plain), Pattern("NORM", plain), Pattern("WINDOW", plain)
ATTENTION, OTHER = Pattern("ATTENTION", plain), Pattern("OTHER", plain)
