"""What several commands share: FILE and how to read it, the form of the output, and the choices of `solve`."""

from __future__ import annotations

import csv
import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from isegoria.cli import render
from isegoria.errors import InputError, unknown
from isegoria.io.formats import FORMATS, UNRANKED
from isegoria.rules.registry import GROUPS, RULES, TIE_BREAKS, WITHIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isegoria.instance import Instance

form = click.option(
    "--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True,
    help="How to print the result.",
)  # fmt: skip


class Rules(click.ParamType[Any]):
    """The id of a rule, by its id, label or alias; an unknown name is answered with the nearest."""

    name = "rule"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return RULES[value].id


def _rule_or_objective(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    """The rule that was asked for, under the older name of the option too."""
    older = ctx.params.pop("objective", None)
    return value or older or "procedural"


def rule(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option --rule, and --objective, which means the same and is not shown."""
    listed = "; ".join(f"{row.id} ({', '.join((row.label, *row.aliases))}): {row.summary}" for row in RULES.values())
    older = click.option("--objective", type=Rules(), default=None, hidden=True, is_eager=True, expose_value=True)
    newer = click.option(
        "--rule", type=Rules(), default=None, metavar="RULE", callback=_rule_or_objective,
        help=f"By which rule to decide, by id, label or alias. {listed}.  [default: procedural]",
    )  # fmt: skip
    return older(newer(function))


def rule_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What single rules take, each an option of its own."""
    known = {option.name: option for row in RULES.values() for option in row.options if option.name != "within"}
    for option in reversed(known.values()):
        kind = str if option.kind in (list, object) else option.kind
        function = click.option(
            f"--{option.name.replace('_', '-')}", type=kind, default=None, help=option.help,
            metavar="W1,W2,…" if option.kind is list else None, callback=_numbers if option.kind is list else None,
        )(function)  # fmt: skip
    return function


gini_weights = click.option(
    "--gini-weights", metavar="W1,W2,…", default=None, help=RULES["gini"].options[0].help,
    callback=lambda ctx, param, text: _numbers(ctx, param, text),
)  # fmt: skip


def _numbers(ctx: click.Context, param: click.Parameter, text: str | None) -> list[float] | None:
    return None if text is None else numbers(text, param.opts[0])


def names(text: str, option: str) -> list[str]:
    """The names in a list with commas between; one that is left empty is no name."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise InputError(f"{option} names nothing; write names with commas between, or leave it out.")
    return found


rules = click.option(
    "--rules", metavar="NAMES", default=None,
    callback=lambda ctx, param, text: None if text is None else names(text, "--rules"),
    help=f"Which rules, with commas between: names, or {', '.join(GROUPS)} or all.  "
    "[default: paper, and what other packages add]",
)  # fmt: skip

tie_break = click.option(
    "--tie-break", type=click.Choice(TIE_BREAKS), default=None,
    help="Which of several optimal policies: the most even one, a vertex, or the one with the largest total utility.  "
    "[default: centre; utilitarian for egalitarian]",
)  # fmt: skip

within = click.option(
    "--within", type=click.Choice(WITHIN), default=None,
    help="Choose among the procedurally fair policies only.",
)  # fmt: skip

policy = click.option(
    "--policy", metavar="P1,P2,…", default=None,
    help="A policy to look at: decimals or fractions in the arms' order (2/3,1/3), or pairs (tea=2/3,coffee=1/3).",
)  # fmt: skip


def plot(what: str) -> Callable[..., Any]:
    """The option --plot of a command that can draw `what`."""
    return click.option(
        "--plot", type=click.Path(dir_okay=False), default=None,
        help=f"Also draw {what}, as PNG, SVG or PDF by suffix (needs the plot extra).",
    )  # fmt: skip


of = click.option(
    "--of", type=click.Choice(["shares", "utilities"]), default="shares", show_default=True,
    help="What is measured: the decision share, which is the chance of a favourite, or the utility by the means.",
)  # fmt: skip


def time_limit(what: str) -> Callable[..., Any]:
    """The option --time-limit, in seconds for each of `what`."""
    return click.option(
        "--time-limit", type=click.FloatRange(min=0, min_open=True), default=10, show_default=True,
        help=f"Seconds for each {what}; where they do not suffice, that is said.",
    )  # fmt: skip


seed = click.option("--seed", type=click.IntRange(min=0), default=42, show_default=True, help="The seed of all chance.")

_FILE = [
    click.argument("file", metavar="FILE", type=click.Path(allow_dash=True)),
    click.option(
        "--input-format", type=click.Choice(list(FORMATS)), default=None,
        help="The format of FILE, where its suffix does not say it.  [default: by suffix; csv for -]",
    ),
    click.option(
        "--rewards", metavar="LIST", default="linear", show_default=True,
        help="The value of each rank in a file of rankings, best first, such as 0.9,0.63,0.37,0.1; or linear.",
    ),
    click.option(
        "--unranked", type=click.Choice(UNRANKED), default=UNRANKED[0], show_default=True,
        help="What arms that a ballot leaves out mean: an error, one class below all others, or no ballot.",
    ),
    click.option(
        "--best-category", metavar="NAME", default=None,
        help="The best category of a .cat file, its first or its last; the others follow.  [default: the first]",
    ),
    click.option(
        "--scale", metavar="LOW,HIGH", default=None,
        help="The ends of the scale on which ratings were given, such as 1,5.  [default: 0,1]",
    ),
    click.option(
        "--missing", metavar="refuse|lowest|drop|VALUE", default="refuse", show_default=True,
        help="What a gap in a table means: an error, the lowest rating, no agent, or a value on the scale.",
    ),
    click.option("--agent", metavar="COLUMN", default=None, help="The column with the agents' names."),
    click.option("--ignore", metavar="COLUMN", multiple=True, help="A column that is no arm; may be given again."),
    click.option(
        "--columns", metavar="user=agent,…", default=None,
        help="The columns of a table with one line for each agent and arm: user=agent,item=arm,rating=value.",
    ),
    click.option(
        "--answers", metavar="WORD=VALUE,…", default=None,
        help='The values of words on the scale, such as "Disagree=1,Neutral=2,Agree=3".',
    ),
    click.option("--sheet", metavar="NAME", default=None, help="The sheet of a workbook.  [default: the only one]"),
    click.option(
        "--tie-tolerance", type=click.FloatRange(min=0), metavar="NUMBER", default=None,
        help="Means this close to an agent's best count as favourites too.  [default: 1e-12]",
    ),
]  # fmt: skip
_LARGE = [
    click.option(
        "--workers", type=click.IntRange(min=1), default=None,
        help="Read FILE (Parquet, Arrow, or a folder of parts) a part at a time, in so many processes.",
    ),
    click.option(
        "--scheduler", metavar="ADDRESS", default=None,
        help="The same on the workers of a Dask scheduler, such as tcp://10.0.0.1:8786 (needs the dask extra).",
    ),
]  # fmt: skip
_READING = (
    "file", "input_format", "rewards", "unranked", "scale", "missing", "agent", "ignore", "columns", "answers", "sheet",
    "tie_tolerance", "best_category",
)  # fmt: skip


def reads_instance(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command FILE and the options of reading it, and hand it the `instance` instead; the last decorator."""
    return _reading(function, _FILE)


def may_read_instance(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same where FILE may be left out: then the `instance` is None, and options of reading are refused."""
    file = click.argument("file", metavar="[FILE]", type=click.Path(allow_dash=True), required=False)
    return _reading(function, [file, *_FILE[1:]])


def _reading(function: Callable[..., Any], parameters: list[Callable[..., Any]]) -> Callable[..., Any]:
    @functools.wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        reading = {name: options.pop(name) for name in _READING}
        if reading["file"] is None:
            for option in given(*_READING[1:]):
                raise click.UsageError(f"{option} is for reading FILE; name a file, or leave it out")
            return function(*args, instance=None, **options)
        return function(*args, instance=_read(**reading), **options)

    return _with_options(command, parameters)


def reads_table(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a command that takes a large table too: a folder of parts, or a file for several workers."""

    @functools.wraps(function)
    def command(*args: Any, workers: int | None, scheduler: str | None, **options: Any) -> Any:
        reading = {name: options.pop(name) for name in _READING}
        if workers is None and scheduler is None and not os.path.isdir(reading["file"]):
            return function(*args, instance=_read(**reading), **options)
        with _scanned(reading, workers, scheduler) as scan:
            return function(*args, instance=scan, **options)

    return _with_options(command, [*_FILE, *_LARGE])


def _with_options(command: Callable[..., Any], options: list[Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command


def _read(file: str, input_format: str | None, rewards: str, scale: str | None, **asked: Any) -> Instance:
    """The instance in FILE; what was decided in reading it is remembered for JSON."""
    from isegoria.io import read

    instance = read(
        file,
        input_format,
        rewards=rewards if rewards == "linear" else numbers(rewards, "--rewards"),
        scale=_ends(scale),
        **asked,
    )
    render.remember("reading", instance.reading)
    return instance


def _ends(scale: str | None) -> Any:
    """The ends of a scale as numbers; whoever reads checks that there are two."""
    return numbers(scale, "--scale") if scale else None


@contextmanager
def _scanned(reading: dict[str, Any], workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """The table in FILE, read a part at a time by workers, with a bar for every pass."""
    from isegoria.progress import progress
    from isegoria.tables.executors import closing, executor_of
    from isegoria.tables.scan import scan

    if workers is not None and scheduler is not None:
        raise click.UsageError("--workers and --scheduler both say who does the work; give one of them")
    for option in given(*(name for name in _READING if name not in ("file", "scale", "tie_tolerance"))):
        raise click.UsageError(
            f"{option} is not for a table that is read a part at a time; settle it in the files, "
            "or read one file without --workers and --scheduler"
        )
    scale = _ends(reading["scale"])
    tolerance = {} if reading["tie_tolerance"] is None else {"tie_tolerance": reading["tie_tolerance"]}
    with closing(executor_of(workers or 1, scheduler)) as executor, progress("parts") as report:

        def passing(passes: int, done: int, of: int) -> None:
            report((passes - 1) * of + done, passes * of)

        table = scan(reading["file"], scale, executor=executor, report=passing, **tolerance)
        render.remember("reading", table.reading)
        yield table


def given(*names: str) -> list[str]:
    """Those of the options with these names that the command line itself has, as they are written there."""
    source = click.get_current_context().get_parameter_source
    return [f"--{name.replace('_', '-')}" for name in names if source(name) is not ParameterSource.DEFAULT]


def randomness(seed: str | None) -> str:
    """The text of --seed, or a fresh one; an empty one, as an unset variable of a shell leaves it, is refused."""
    if seed is None:
        import secrets  # and with it OpenSSL, which nobody else here needs

        return secrets.token_hex(16)
    if not seed.strip():
        raise InputError("--seed is empty, and would always draw the same; give what you threw, or leave it out.")
    return seed


def numbers(text: str, option: str) -> list[float]:
    """The numbers of a comma-separated list: decimals or fractions.

    >>> numbers("0.75,1/4", "--policy")
    [0.75, 0.25]
    """
    return [_number(part, option) for part in text.split(",")]


def parse_policy(text: str, arms: Sequence[str]) -> list[float]:
    """The policy written as `0.5,0.5`, `2/3,1/3` or `tea=2/3,coffee=1/3`; in pairs, an arm left out has 0.

    >>> parse_policy("coffee=1", ("tea", "coffee"))
    [0.0, 1.0]
    """
    if "=" not in text:
        return numbers(text, "--policy")
    chances: dict[str, float] = {}
    for pair in next(csv.reader([text], skipinitialspace=True)):
        name, equals, value = (part.strip() for part in pair.rpartition("="))
        if not equals:
            raise InputError(f"--policy has {pair!r} among name=value pairs; write every entry as name=value.")
        if name not in arms:
            raise unknown("arm", name, arms)
        if name in chances:
            raise InputError(f"--policy names the arm {name!r} twice; give each arm one probability.")
        chances[name] = _number(value, "--policy")
    return [chances.get(arm, 0.0) for arm in arms]


def _number(text: str, option: str) -> float:
    above, slash, below = text.partition("/")
    try:
        if "_" in text or not text.isascii():  # float would take both
            raise ValueError
        return float(above) / float(below) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"{option} has {text.strip()!r}, not a number; write numbers with commas between, such as 0.75,1/4."
        ) from None


store = click.option(
    "--store", default="sqlite:///isegoria.db", show_default=True, metavar="ADDRESS",
    help="Where groups are kept: sqlite:///FILE or postgresql://….",
)  # fmt: skip
