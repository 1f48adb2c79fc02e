"""Judge results by the accuracy standards that CANN published for operators.

Without an option of this list, check judges actgrad's own backends, with default and other attributes, usual and
special numbers, layouts and sizes. It also compares each gradient with its forward operator. Without OPERATOR and
without --full, it tests only one case of each operator and dtype.

  --actual      judge results from files, of any implementation
  --manifest    judge the outputs of many cases that `actgrad cases --tensors` made
  --compare     say which cases of a delivery are fixed, broken or still open since an older report
  --cases       compute the cases of an ATK or a TTK file with actgrad, and judge the results
  --exhaustive  test every number of a dtype

The report says which elements fail, where they are on the x axis, and which mistake they look like. The last line says
ACCEPTED or REJECTED, and gives the reason. By default mixed and nonfinite decide. If an accepted output
fails mere-mare or thousandth, check prints a warning. These two standards decide only if --standard names them.
actgrad's own bounds (ulp) decide with --strict, with --standard all, and for data types that the mixed tolerance does
not cover. If more than 10 % of an accepted 16-bit output are beyond these bounds, and check knows the mistake, for
example truncation, it prints a warning too. A diagnosis ("looks like") never rejects an output.

Exit status: 0 for ACCEPTED, 1 for REJECTED, 2 for a usage error or a file that cannot be used.

files:
  x.npy                a file of numpy.save; write x.npy:bfloat16 if uint16 or int16 holds the bits of bfloat16
  x.bin:float16:16x32  raw bytes, little-endian, with dtype and shape (float32:scalar for no dimension)
  x.npz, x.npz:NAME    a file of numpy.savez; write NAME if it has several arrays
  x.pt, x.pt:NAME      a file of torch.save; write NAME if it has several tensors
  x.safetensors:NAME   a safetensors file; write NAME if it has several tensors
  Inputs and outputs go in the order of the schema (see actgrad list). check never unpickles a file.

examples:
  actgrad check          # a sample of all operators, about a minute
  actgrad check --full
  actgrad check elu_backward selu_backward --dtype float16,bfloat16 --standard mixed --html report.html
  actgrad check elu_backward --inputs grad.npy x.npy --actual out.npy --attr alpha=1.3 --attr is_result=true
  actgrad check geglu --inputs x.bin:bfloat16:128x4096 --actual y.bin:bfloat16:128x2048 --attr approximate=tanh
  actgrad check selu_backward --inputs grad.npy y.npy --actual out.npy --product Ascend950 --json -
  actgrad check --manifest DIR --jobs 2 --html report.html --json report.json --junit report.xml --state DIR/state
  actgrad check --manifest DIR --waivers waivers.json --profile pytorch
  actgrad check --compare old.json new.json
  actgrad check softplus2 --operators my_operators.py
  actgrad check --cases atk_aclnnSelu.json --results judged.json
  actgrad check --exhaustive --dtype float16,bfloat16 --write docs/accuracy.md
  actgrad check --exhaustive elu_backward --dtype float32
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, timezone
from functools import partial
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from .. import backends
from ..base.dtypes import BY_NAME
from ..base.errors import ActgradError, either, library, quantity, some
from ..calls.operator import REGISTRY
from ..checks import law
from ..cli import argument_types, commands
from ..cli.parsing import Parser
from ..writing import outputs, terminal
from . import backend_cases, cross_check, gradient_check, waivers
from .delivery import delivery_command
from .elements import is_judged, judged_dtypes
from .exhaustive import exhaustive_command
from .exhaustive.sweep import DTYPES as EXHAUSTIVE_DTYPES
from .files import operator_files, submission, tensor_files
from .gradient_check import Disagreement
from .profiles import CANN, PROFILES
from .report import page, text
from .standards import ALL, IN_FORCE, NAMES, ONLY_IF_NAMED, REPEAT, ULP
from .verdict import Verdict, decide

REJECTED = 1  # the exit status
SHOWN = 8  # failing cases of our own backends that are printed
SAMPLE = 8  # without names and without --full, check tries one of SAMPLE cases for each operator and dtype


_REPORT = ("standard", "strict", "json", "html", "profile", "waivers")
#: The options of each mode. An option selects its mode. "" is the mode for our own backends.
MODES = {
    "": ("backend", "dtype", "seed", "full", *_REPORT),
    "actual": ("inputs", "attr", *_REPORT),
    "cases": ("results", "tensors", "backend", "seed", *_REPORT),
    "manifest": ("jobs", "executor", "junit", "state", "case", "original", "baseline", "level", *_REPORT),
    "compare": ("json",),
    "exhaustive": ("executor", "every", "defaults", "state", "write", "dtype"),
}


class JudgedCase(Protocol):
    """What a report needs of a case of a file."""

    @property
    def case(self) -> Any:
        """The case, with `name` and `expects_error`."""

    @property
    def verdict(self) -> Verdict | None:
        """None if the case was not run, or was refused."""

    @property
    def holds(self) -> bool | None:
        """Whether the case passes. None if it was not run."""

    @property
    def reason(self) -> str:
        """The reason why the case failed or was not run. "" if it passes."""


def add_arguments(parser: Parser) -> None:
    """The help and the arguments of `actgrad check`."""
    lines = [f"  {name:<11} {text}" for name, text in NAMES.items()]
    standards = "\n".join(["\nstandards (docs/standards.md names the published documents):", *lines, ""])
    parser.describe(__doc__, standards)
    add, path, file_name = (
        parser.add_argument,
        argument_types.path,
        argument_types.file_name,
    )
    add(
        "--operators",
        metavar="FILE",
        type=_operators_file,
        help="a Python file that defines operators of your own; it runs before anything else",
    )
    add("operator", nargs="*", metavar="OPERATOR", help="names as in actgrad list (default: all)")
    standard = argument_types.several(argument_types.one_of((*NAMES, ALL)))
    words = "the standards that decide; all: every standard below, also ulp (default: mixed,nonfinite,repeat)"
    add("--standard", type=standard, metavar="A,B,...", help=words)
    add("--strict", action="store_true", default=None, help="actgrad's own bounds (ulp) decide too")
    profiles = "; ".join(f"{name}: {words}" for name, words in PROFILES.items()).replace("%", "%%")
    add("--profile", choices=PROFILES, help=f"what counts at infinities and jumps (default: cann). {profiles}")
    words = "JSON with failures that are accepted for a time: operator, kind, reason, until"
    add("--waivers", metavar="FILE", type=path, help=words)
    product = argument_types.product
    add("--product", type=product, metavar="NAME", help="apply the rules of this product or chip, such as Ascend910B3")
    add(
        "--rules",
        choices=("operator", "document"),
        help="document: also apply documented rules that operators do not enforce",
    )
    add("-v", "--verbose", action="store_true", help="print the figures of every standard")
    add(
        "--json",
        metavar="FILE",
        type=file_name,
        help="write the complete results as JSON; - prints the JSON instead of the tables",
    )
    add("--html", metavar="FILE", type=path, help="write one HTML file with pictures; it needs no other file")
    add = parser.add_argument_group("our own backends").add_argument
    add("--backend", choices=backends.DEVICES, help="the backend that computes (default: cpu)")
    dtypes = argument_types.several(argument_types.dtype)
    add("--dtype", type=dtypes, metavar="A,B,...", help="float16 or fp16, and so on (default: all of the operator)")
    add("--seed", type=argument_types.integer(0), metavar="N", help="the random seed of the inputs (default: 0)")
    add("--full", action="store_true", default=None, help="all cases of all operators, which takes minutes")
    add = parser.add_argument_group("results from files").add_argument
    add("--inputs", nargs="+", metavar="FILE", type=file_name, help="the inputs of the operator")
    add(
        "--actual",
        nargs="+",
        metavar="FILE",
        type=file_name,
        help="the outputs to judge, in order; you may leave out the last ones",
    )
    add("--attr", action="append", metavar="NAME=VALUE", help="an attribute (default: the operator's default)")
    add = parser.add_argument_group("a delivery of many cases").add_argument
    add(
        "--manifest",
        metavar="DIR",
        type=path,
        help="the folder with manifest.json, the inputs and the outputs",
    )
    add("--jobs", type=argument_types.integer(1, 1024), metavar="N", help="number of processes (default: all cores)")
    words = "run the tasks on a Dask cluster, for example dask:tcp://127.0.0.1:8786; also with --exhaustive"
    add("--executor", metavar="dask:ADDRESS", type=_cluster, help=words)
    add("--case", action="append", metavar="ID", help="judge only this case; may be repeated")
    words = "the folder or the manifest.json that actgrad cases wrote: refuse other cases, attributes, dtypes or inputs"
    add("--original", metavar="DIR", type=path, help=words)
    words = (
        "a folder with a second device's outputs under the same names: errors may be a few times those of this device"
    )
    add("--baseline", metavar="DIR", type=path, help=words)
    words = f"how many times, by TTK's cross check: L0 the most, L2 the fewest (default: {cross_check.LEVEL})"
    add("--level", choices=cross_check.LEVELS, help=words)
    add("--compare", nargs=2, metavar=("OLD", "NEW"), type=path, help="compare two files of --json")
    add("--junit", metavar="FILE", type=path, help="write JUnit XML with one test case for each case")
    add = parser.add_argument_group("cases from a file").add_argument
    add("--cases", metavar="FILE", type=_case_file, help="ATK's .json, TTK's .csv or cann-bench's .yaml")
    add("--results", metavar="FILE", type=path, help="write the same cases with the verdicts")
    words = "write these cases as a delivery instead of judging them"
    add("--tensors", metavar="DIR", type=path, help=words)
    add = parser.add_argument_group("every number of a dtype").add_argument
    add("--exhaustive", action="store_true", help=f"test every number of {', '.join(EXHAUSTIVE_DTYPES)}")
    every = argument_types.integer(1, 1 << 24)
    add("--every", type=every, metavar="N", help="test one in N numbers of float32 (default: 1, every number)")
    add("--defaults", action="store_true", default=None, help="test default attributes only")
    add(
        "--state",
        metavar="PATH",
        type=path,
        help="save the state in this folder (with --manifest: in this file), to continue after an interruption",
    )
    add(
        "--write",
        metavar="FILE",
        type=path,
        help="write the table of all finished tests into a document, such as docs/accuracy.md",
    )
    parser.set_defaults(run=partial(_run, parser))


def _operators_file(text: str) -> Path:
    """A Python file with operators. It runs at once, so that the names of its operators are known."""
    path = argument_types.path(text)
    operator_files.load(path)
    return path


def _cluster(text: str) -> str:
    """The address of a Dask cluster's scheduler, from dask:ADDRESS."""
    kind, colon, address = text.partition(":")
    if kind != "dask" or not colon or not address:
        example = "such as dask:tcp://127.0.0.1:8786"
        raise argparse.ArgumentTypeError(f"got {text!r}; it must be dask:ADDRESS, {example}; name a scheduler")
    return address


def _case_file(text: str) -> Path:
    """The path of a file with test cases."""
    if not commands.modules("check --cases"):
        raise argparse.ArgumentTypeError(f"{text} has test cases; actgrad.ascend reads them; install the whole package")
    return argument_types.path(text)


def _case_reader() -> ModuleType:
    """The module of the wing that reads files of test cases."""
    return commands.modules("check --cases")[0]


def _run(parser: Parser, args: argparse.Namespace) -> int:
    args.operator = [_operator(parser, text) for text in args.operator]
    mode = _mode(parser, args)
    args.backend, args.seed, args.profile = args.backend or "cpu", args.seed or 0, args.profile or CANN
    outputs.check_paths(_written(args), _inputs(args))
    library("rich", "check needs rich", "check")
    if ALL in (args.standard or ()):
        args.standard = [name for name in NAMES if name not in ONLY_IF_NAMED]
    # If --standard names actgrad's own bounds, they decide too.
    args.strict = bool(args.strict) or ULP in (args.standard or ())
    with ExitStack() as stack:
        if args.product or args.rules:
            stack.enter_context(argument_types.choosing(args.product, args.rules))
        if args.tensors is not None:
            return int(_case_reader().write_delivery(args))
        runs = {
            "exhaustive": exhaustive_command.run,
            "manifest": delivery_command.run,
            "compare": delivery_command.compare,
        }
        is_accepted = runs[mode](args) if mode in runs else _check(args, mode)
    return 0 if is_accepted else REJECTED


def _operator(parser: Parser, text: str) -> str:
    """The operator with this name. It may be one that --operators defines behind the name."""
    try:
        return argument_types.operator(text)
    except argparse.ArgumentTypeError as error:
        parser.error(f"OPERATOR: {error}")


def _mode(parser: Parser, args: argparse.Namespace) -> str:
    """The mode that the options choose. If they contradict each other, the program ends."""
    modes = [mode for mode in MODES if mode and getattr(args, mode)]
    if len(modes) > 1:
        both = " and ".join(f"--{mode}" for mode in modes)
        parser.error(f"{both} cannot be combined; only one is allowed; leave one out")
    mode = modes[0] if modes else ""
    for owner, options in MODES.items():
        for option in options:
            if option not in MODES[mode] and getattr(args, option) is not None:
                if owner:
                    owners = either([f"--{one}" for one in MODES if one and option in MODES[one]])
                    parser.refuse_without(f"--{option}", owners)
                parser.error(f"--{option} and --{mode} cannot be combined; only one is allowed; leave one out")
    if mode == "actual" and len(args.operator) != 1:
        got = quantity(len(args.operator), "operator")
        parser.error(f"--actual: got {got}; it must be the output of one operator; name that one")
    if mode == "actual" and args.inputs is None:
        parser.error("--inputs is missing; --actual needs the tensors that it was computed from; add --inputs FILE")
    if args.executor is not None and args.jobs is not None:
        parser.error("--jobs and --executor cannot be combined; the cluster must have its own workers; leave one out")
    if mode in ("cases", "manifest", "compare") and args.operator:
        got = quantity(len(args.operator), "operator")
        parser.error(f"--{mode}: got {got} too; the file must name the operators; leave the names out")
    for name in args.dtype or ():
        if not is_judged(name):
            parser.error(f"--dtype is {name}; check judges real numbers; name a real dtype")
        if mode == "exhaustive" and name not in EXHAUSTIVE_DTYPES:
            parser.error(f"--dtype is {name}; with --exhaustive it must be {either(EXHAUSTIVE_DTYPES)}; change it")
    return mode


def _written(args: argparse.Namespace) -> dict[str, Path | None]:
    """The files that this call writes, by their options."""
    files = {"--json": args.json, "--html": args.html, "--results": args.results, "--write": args.write}
    files["--junit"] = args.junit
    return {option: path for option, path in files.items() if path != "-"}


def _inputs(args: argparse.Namespace) -> list[Path]:
    """The files that this call reads."""
    tensors = [tensor_files.split(text)[0] for text in (*(args.inputs or ()), *(args.actual or ()))]
    return [*tensors, *filter(None, [args.cases, args.waivers, args.operators, *(args.compare or ())])]


def _check(args: argparse.Namespace, mode: str) -> bool:
    """Judge, report and decide."""
    is_of_files = mode == "actual"
    deciding = args.standard or IN_FORCE
    usual = [name for name in NAMES if name not in ONLY_IF_NAMED]
    standard_names = [name for name in NAMES if name in (args.standard or usual)]
    outcomes: list[JudgedCase] = []
    disagreements: list[Disagreement] = []
    if is_of_files:
        standard_names = [name for name in standard_names if name != REPEAT]  # a file has only one run
        results = [submission.judge_files(args, standard_names, deciding)]
    elif mode == "cases":
        outcomes = _case_reader().judged(args, _written(args))
        results = [outcome.verdict for outcome in outcomes if outcome.verdict is not None]
        outcome_names = {outcome.standard for result in results for outcome in result.outcomes}
        standard_names = [name for name in NAMES if name in outcome_names]
    else:
        if is_sample := not args.operator and not args.full:
            standard_names = [name for name in standard_names if name != REPEAT or args.standard]
            print("actgrad: testing one case of each operator and dtype; --full tests all cases", file=sys.stderr)
        results = list(_of_backend(args, standard_names, deciding, is_sample))
        operators = [REGISTRY[name] for name in dict.fromkeys(result.operator for result in results)]
        disagreements = [fault for operator in operators for fault in gradient_check.disagreements(operator)]
    _refuse_nothing(args, standard_names, results, outcomes)
    refused = [o.verdict is None for o in outcomes if o.case.expects_error and o.holds is not None]
    excepted = _waived(args, results)
    left = [result for k, result in enumerate(results) if k not in excepted]
    decision = decide(left, refused, sum(outcome.holds is None for outcome in outcomes), disagreements, len(excepted))
    settings = _settings(args, standard_names)
    if mode == "cases":
        _case_reader().report(args, outcomes)
    if args.html:
        outputs.write(args.html, page.page(results, standard_names, settings, decision, is_of_files))
    document = json.dumps(text.document(results, settings, decision), indent=2, allow_nan=False) + "\n"
    if args.json == "-":
        terminal.show(document)
        for line in (*decision.warnings, str(decision)):
            terminal.complain(terminal.printable(line))
    else:
        if args.json:
            outputs.write(args.json, document)
        blocks = text.blocks(results, standard_names, is_of_files, SHOWN, args.verbose, terminal.columns())
        waivers_lines = [f"waived: {results[k].case}: {words}" for k, words in excepted.items()]
        lines = [*blocks, *map(str, disagreements), *waivers_lines, *_first_few(decision.warnings), str(decision)]
        terminal.show(terminal.rendered(lines))
    return decision.is_accepted


def _waived(args: argparse.Namespace, results: Sequence[Verdict]) -> dict[int, str]:
    """The indices of the failing results that waivers accept, and the waivers in words."""
    accepted: dict[int, str] = {}
    if args.waivers is None:
        return accepted
    listed, today = waivers.read(args.waivers), datetime.now(timezone.utc).date()
    for k, result in enumerate(results):
        if not result.holds:
            names = [diagnosis.mistake for diagnosis in result.diagnoses]
            if found := waivers.matching(listed, result.operator, names, result.case, today):
                accepted[k] = "; ".join(map(str, found))
    return accepted


def _refuse_nothing(
    args: argparse.Namespace, standard_names: list[str], results: list[Verdict], outcomes: list[JudgedCase]
) -> None:
    """Raise if no standard judges any result."""
    if any(r.is_judged or r.repeat for r in results) or any(outcome.holds for outcome in outcomes):
        return
    if outcomes and not results:
        first = outcomes[0]
        raise ActgradError(
            f"check: {args.cases}: no case was run; at least one must be; the first of {len(outcomes)}, "
            f"{first.case.name}, was not run: {first.reason}"
        )
    dtypes = ", ".join(dict.fromkeys(r.dtype for r in results)) or "calls that the chosen rules refuse"
    standards = ", ".join(args.standard or standard_names)
    raise ActgradError(f"check: no result was judged; {standards} must cover {dtypes}; choose another --standard")


def _settings(args: argparse.Namespace, standard_names: list[str]) -> dict[str, Any]:
    from .. import __version__

    judge = law.current()
    return {
        "actgrad": __version__,
        "command": shlex.join(["actgrad", *sys.argv[1:]]),
        "standards": standard_names,
        "strict": args.strict,
        **({} if args.profile == CANN else {"profile": f"{args.profile}: {PROFILES[args.profile]}"}),
        **({"product": "none", "rules": "operator"} if judge is None else judge.description),
        **({"inputs": args.inputs, "actual": args.actual} if args.actual else {"backend": args.backend}),
        **({"cases": str(args.cases)} if args.cases else {}),
    }


def _first_few(warnings: Sequence[str]) -> list[str]:
    """The first warnings, and how many more there are."""
    rest = len(warnings) - SHOWN
    return [
        *map(terminal.printable, warnings[:SHOWN]),
        *([f"{rest} more warnings; --json has all"] if rest > 0 else []),
    ]


# Our own backends


def _of_backend(
    args: argparse.Namespace, standard_names: list[str], deciding: Sequence[str], is_sample: bool
) -> Iterator[Verdict]:
    judge = law.current()
    names = list(dict.fromkeys(args.operator)) or list(REGISTRY)
    if not args.operator and judge is not None and judge.place:
        product = judge.description["product"]
        names = [name for name in names if product in REGISTRY[name].law.product_names]
    dtypes = args.dtype or BY_NAME
    allowed = {name: judged_dtypes(REGISTRY[name], judge) for name in names}
    pairs = [(REGISTRY[name], dtype) for name in names for dtype in allowed[name] if dtype in dtypes]
    if not pairs:
        raise ActgradError(nothing_takes(names, args.dtype or [], allowed))
    with terminal.progress("checking", len(pairs)) as advance:
        for k, (operator, dtype) in enumerate(pairs):
            for case in islice(
                backend_cases.cases(operator, dtype, args.seed),
                *((k % SAMPLE, k % SAMPLE + 1) if is_sample else (None,)),
            ):
                result = backend_cases.judge_case(
                    case, args.backend, standard_names, args.strict, deciding, args.profile
                )
                if result is not None:
                    yield result
            advance(1)


def nothing_takes(names: list[str], dtypes: list[str], allowed: Mapping[str, Sequence[str]]) -> str:
    """The message for dtypes that no operator takes. It names the dtypes that the operators take."""
    judge = law.current()
    suffix = "" if judge is None else judge.place
    together = [dtype for dtype in BY_NAME if any(dtype in allowed[name] for name in names)]
    verb, pronoun = ("does", "it takes") if len(names) == 1 else ("do", "they take")
    fault = f"check: {some(names)} {verb} not take {either(dtypes or ['any dtype'])}{suffix}"
    cure = "change --dtype" if together else "choose another product"
    return f"{fault}; {pronoun} {either(together or ['no dtype'])}; {cure}"
