"""What several commands share: FILE and how to read it, the form of the output, and the choices of `solve`."""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable

import click
from click.core import ParameterSource

from isegoria.cli import render
from isegoria.errors import InputError, unknown
from isegoria.io.formats import FORMATS, UNRANKED
from isegoria.objectives.registry import OBJECTIVES, TIE_BREAKS, WITHIN

form = click.option(
    "--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True,
    help="How to print the result.",
)  # fmt: skip

objective = click.option(
    "--objective", type=click.Choice(list(OBJECTIVES)), default="procedural", show_default=True,
    help="What to optimise. " + "; ".join(f"{row.id}: {row.summary}" for row in OBJECTIVES.values()) + ".",
)  # fmt: skip

tie_break = click.option(
    "--tie-break", type=click.Choice(TIE_BREAKS), default=TIE_BREAKS[0], show_default=True,
    help="Which of several optimal policies: the most even one, a vertex, or the one with the largest total utility.",
)  # fmt: skip

within = click.option(
    "--within", type=click.Choice(WITHIN), default=None,
    help="Choose among the procedurally fair policies only.",
)  # fmt: skip

gini_weights = click.option(
    "--gini-weights", metavar="W1,W2,…", default=None,
    callback=lambda ctx, param, text: None if text is None else numbers(text, "--gini-weights"),
    help="For gini: weights from the worst-off agent up, none above the one before it.  [default: 1,1/2,1/4,…]",
)  # fmt: skip

policy = click.option(
    "--policy", metavar="P1,P2,…", default=None,
    help="A policy to look at: decimals or fractions in the arms' order (2/3,1/3), or pairs (tea=2/3,coffee=1/3).",
)  # fmt: skip


def plot(what: str) -> Callable:
    """The option --plot of a command that can draw `what`."""
    return click.option(
        "--plot", type=click.Path(dir_okay=False), default=None,
        help=f"Also draw {what}, as PNG or SVG by suffix (needs the plot extra).",
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
_AS_GIVEN = ("unranked", "missing", "agent", "ignore", "columns", "answers", "sheet", "tie_tolerance", "best_category")


def reads_instance(function: Callable) -> Callable:
    """Give a command FILE and the options of reading it, and hand it the `instance` instead; the last decorator."""
    return _reading(function, _FILE)


def may_read_instance(function: Callable) -> Callable:
    """The same where FILE may be left out: then the `instance` is None, and options of reading are refused."""
    file = click.argument("file", metavar="[FILE]", type=click.Path(allow_dash=True), required=False)
    return _reading(function, [file, *_FILE[1:]])


def _reading(function: Callable, parameters: list[Callable]) -> Callable:
    @functools.wraps(function)
    def command(*args, file, input_format, rewards, scale, **options):
        from isegoria.io import read

        asked = {name: options.pop(name) for name in _AS_GIVEN}
        if file is None:
            for option in given("input_format", "rewards", "scale", *_AS_GIVEN):
                raise click.UsageError(f"{option} is for reading FILE; name a file, or leave it out")
            return function(*args, instance=None, **options)
        instance = read(
            file,
            input_format,
            rewards=rewards if rewards == "linear" else numbers(rewards, "--rewards"),
            scale=scale and numbers(scale, "--scale"),
            **asked,
        )
        render.remember("reading", instance.reading)
        return function(*args, instance=instance, **options)

    for parameter in reversed(parameters):
        command = parameter(command)
    return command


def given(*names: str) -> list[str]:
    """Those of the options with these names that the command line itself has, as they are written there."""
    source = click.get_current_context().get_parameter_source
    return [f"--{name.replace('_', '-')}" for name in names if source(name) is not ParameterSource.DEFAULT]


def numbers(text: str, option: str) -> list[float]:
    """The numbers of a comma-separated list: decimals or fractions.

    >>> numbers("0.75,1/4", "--policy")
    [0.75, 0.25]
    """
    return [_number(part, option) for part in text.split(",")]


def parse_policy(text: str, arms: tuple[str, ...]) -> list[float]:
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
