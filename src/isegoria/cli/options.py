"""What several commands share: FILE and how to read it, the form of the output, and the options of `solve`."""

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
from isegoria.cli.completion import complete_names
from isegoria.errors import InputError, unknown_name_error
from isegoria.io.format_table import FORMATS, UNRANKED_CHOICES
from isegoria.io.option_suggestions import get_suggestions
from isegoria.rules.registry import RULE_GROUPS, RULES
from isegoria.rules.rule import TIE_BREAKS, WITHIN_CHOICES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isegoria.profiles import Instance, Profile

form = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="How to print the result.",
)


def list_rule_summaries() -> list[tuple[str, str]]:
    """Return the id and the summary of each rule, for shell completion."""
    return [(row.id, row.summary) for row in RULES.values()]


class RuleParamType(click.ParamType[Any]):
    """A click parameter type for rules, by id, label or alias; the error for an unknown name suggests the nearest."""

    name = "rule"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return RULES[value].id


def rule(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option --rule."""
    listed = "; ".join(f"{row.id} ({', '.join((row.label, *row.aliases))}): {row.summary}" for row in RULES.values())
    return click.option(
        "--rule",
        type=RuleParamType(),
        default="procedural",
        metavar="RULE",
        shell_complete=complete_names(list_rule_summaries),
        help=f"By which rule to decide, by id, label or alias. {listed}.  [default: procedural]",
    )(function)


def rule_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for each parameter of single rules."""
    known = {option.name: option for row in RULES.values() for option in row.options if option.name != "within"}
    for option in reversed(known.values()):
        kind = str if option.value_type in (list, object) else option.value_type
        function = click.option(
            f"--{option.name.replace('_', '-')}",
            type=kind,
            default=None,
            help=option.help,
            metavar="W1,W2,…" if option.value_type is list else None,
            callback=_parse_numbers_option if option.value_type is list else None,
        )(function)
    return function


gini_weights = click.option(
    "--gini-weights",
    metavar="W1,W2,…",
    default=None,
    help=RULES["gini"].options[0].help,
    callback=lambda ctx, param, text: _parse_numbers_option(ctx, param, text),
)


def _parse_numbers_option(ctx: click.Context, param: click.Parameter, text: str | None) -> list[float] | None:
    return None if text is None else parse_numbers(text, param.opts[0])


def split_names(text: str, option: str) -> list[str]:
    """Parse a comma-separated list of names; empty ones are ignored."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise InputError(f"{option} names nothing; write names with commas between, or leave it out.")
    return found


rules = click.option(
    "--rules",
    metavar="NAMES",
    default=None,
    shell_complete=complete_names(
        lambda: [*list_rule_summaries(), *dict.fromkeys(RULE_GROUPS, "several").items()], True
    ),
    callback=lambda ctx, param, text: None if text is None else split_names(text, "--rules"),
    help=f"Which rules, with commas between: names, or {', '.join(RULE_GROUPS)} or all.  "
    "[default: paper, and what other packages add]",
)

tie_break = click.option(
    "--tie-break",
    type=click.Choice(TIE_BREAKS),
    default=None,
    help="Which of several optimal policies: the most even one, a vertex, or the one with the largest total utility.  "
    "[default: centre; utilitarian for egalitarian]",
)

within = click.option(
    "--within",
    type=click.Choice(WITHIN_CHOICES),
    default=None,
    help="Choose among the procedurally fair policies only.",
)

policy = click.option(
    "--policy",
    metavar="P1,P2,…",
    default=None,
    help="The policy: decimals or fractions in the arms' order (2/3,1/3), or pairs (tea=2/3,coffee=1/3).",
)


def plot(what: str) -> Callable[..., Any]:
    """Return the option --plot of a command that can draw `what`."""
    return click.option(
        "--plot",
        type=click.Path(dir_okay=False),
        default=None,
        help=f"Also draw {what}, as PNG, SVG or PDF by suffix (needs the plot extra).",
    )


payoff = click.option(
    "--payoff",
    type=click.Choice(["shares", "utilities"]),
    default="shares",
    show_default=True,
    help="The payoff of an agent: the decision share, which is the chance of a favourite, or the utility by the means.",
)


def time_limit(what: str) -> Callable[..., Any]:
    """Return the option --time-limit, in seconds for each `what`."""
    return click.option(
        "--time-limit",
        type=click.FloatRange(min=0, min_open=True),
        default=10,
        show_default=True,
        help=f"Seconds for each {what}; a note tells where they do not suffice.",
    )


seed = click.option("--seed", type=click.IntRange(min=0), default=42, show_default=True, help="The seed of all chance.")

_FILE_OPTIONS = [
    click.argument("file", metavar="FILE", type=click.Path(allow_dash=True)),
    click.option(
        "--input-format",
        type=click.Choice(list(FORMATS)),
        default=None,
        help="The format of FILE, where its suffix does not say it.  [default: by suffix; csv for -]",
    ),
    click.option(
        "--rewards",
        metavar="LIST",
        default="linear",
        show_default=True,
        help="The value of each rank in a file of rankings, best first, such as 0.9,0.63,0.37,0.1; or linear.",
    ),
    click.option(
        "--unranked",
        type=click.Choice(UNRANKED_CHOICES),
        default=UNRANKED_CHOICES[0],
        show_default=True,
        help="How to treat arms that a ballot leaves out: as an error, one class below all others, or no ballot.",
    ),
    click.option(
        "--best-category",
        metavar="NAME",
        default=None,
        help="The best category of a .cat file, its first or its last; the others follow.  [default: the first]",
    ),
    click.option(
        "--scale",
        metavar="LOW,HIGH",
        default=None,
        help="The ends of the scale on which ratings were given, such as 1,5.  [default: 0,1]",
    ),
    click.option(
        "--missing",
        metavar="refuse|lowest|drop|abstain|unknown|VALUE",
        default="refuse",
        show_default=True,
        help="How to treat a gap in a table: as an error; the lowest rating; an agent left out; an agent that "
        "abstains if it stated nothing; any value on the scale; or this value.",
    ),
    click.option("--agent", metavar="COLUMN", default=None, help="The column with the agents' names."),
    click.option("--ignore", metavar="COLUMN", multiple=True, help="A column that is no arm; may be given again."),
    click.option(
        "--columns",
        metavar="user=agent,…",
        default=None,
        help="The columns of a table with one line for each agent and arm: user=agent,item=arm,rating=value.",
    ),
    click.option(
        "--answers",
        metavar="WORD=VALUE,…",
        default=None,
        help='The values of words on the scale, such as "Disagree=1,Neutral=2,Agree=3".',
    ),
    click.option("--sheet", metavar="NAME", default=None, help="The sheet of a workbook.  [default: the only one]"),
    click.option(
        "--tie-tolerance",
        type=click.FloatRange(min=0),
        metavar="NUMBER",
        default=None,
        help="Means this close to an agent's best count as favourites too.  [default: 1e-12]",
    ),
]
_OUT_OF_CORE_OPTIONS = [
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        default=None,
        help="Read FILE (Parquet, Arrow, or a folder of parts) a part at a time, in so many processes.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        default=None,
        help="The same on the workers of a Dask scheduler, such as tcp://10.0.0.1:8786 (needs the dask extra).",
    ),
]
_READ_PARAMETERS = (
    "file",
    "input_format",
    "rewards",
    "unranked",
    "scale",
    "missing",
    "agent",
    "ignore",
    "columns",
    "answers",
    "sheet",
    "tie_tolerance",
    "best_category",
)


def with_instance(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command FILE and the options for reading it, and pass it the `instance` instead; the last decorator."""
    return _wrap_reader(function, _FILE_OPTIONS)


def with_optional_instance(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate as `with_instance`, with FILE optional.

    Without FILE the `instance` is None, and options for reading are rejected. Where FILE could be read with other
    options, the command gets the `InputError` that suggests them instead.
    """
    file = click.argument("file", metavar="[FILE]", type=click.Path(allow_dash=True), required=False)
    return _wrap_reader(function, [file, *_FILE_OPTIONS[1:]])


def _wrap_reader(function: Callable[..., Any], parameters: list[Callable[..., Any]]) -> Callable[..., Any]:
    @functools.wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        reading = {name: options.pop(name) for name in _READ_PARAMETERS}
        if reading["file"] is None:
            for option in explicit_options(*_READ_PARAMETERS[1:]):
                raise click.UsageError(f"{option} is for reading FILE; name a file, or leave it out")
            return function(*args, instance=None, **options)
        try:
            instance: Instance | InputError = _read_instance(**reading)
        except InputError as error:
            if parameters[0] is _FILE_OPTIONS[0] or reading["file"] == "-" or not get_suggestions(error.message):
                raise
            instance = error
        return function(*args, instance=instance, **options)

    return _apply_options(command, parameters)


def collect_read_options() -> dict[str, str]:
    """Return the options for reading FILE that were given, as text, under the names that `read` has for them."""
    values = click.get_current_context().params
    flags = explicit_options(*_READ_PARAMETERS[1:])
    names = [name for name in _READ_PARAMETERS[1:] if f"--{name.replace('_', '-')}" in flags]
    texts = {name: "\n".join(values[name]) if name == "ignore" else str(values[name]) for name in names}
    return {"format" if name == "input_format" else name: text for name, text in texts.items()}


def with_profile(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate as `with_instance`, for a command that also takes large tables.

    These are a folder of partitions, or a file for several workers.
    """

    @functools.wraps(function)
    def command(*args: Any, workers: int | None, scheduler: str | None, **options: Any) -> Any:
        reading = {name: options.pop(name) for name in _READ_PARAMETERS}
        if workers is None and scheduler is None and not os.path.isdir(reading["file"]):
            return function(*args, instance=_read_instance(**reading), **options)
        with _open_scan(reading, workers, scheduler) as scan:
            return function(*args, instance=scan, **options)

    return _apply_options(command, [*_FILE_OPTIONS, *_OUT_OF_CORE_OPTIONS])


def _apply_options(command: Callable[..., Any], options: list[Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command


def _read_instance(file: str, input_format: str | None, rewards: str, scale: str | None, **asked: Any) -> Instance:
    """Read the instance in FILE; the import notes are added to the JSON output."""
    from isegoria.io import read

    instance = read(
        file,
        input_format,
        rewards=rewards if rewards == "linear" else parse_numbers(rewards, "--rewards"),
        scale=_parse_scale(scale),
        **asked,
    )
    render.add_json_field("reading", instance.import_notes)
    return instance


def _parse_scale(scale: str | None) -> Any:
    """Parse the ends of a scale to numbers; the reader checks that there are two."""
    return parse_numbers(scale, "--scale") if scale else None


@contextmanager
def _open_scan(reading: dict[str, Any], workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """Scan the table in FILE chunk by chunk with workers, and show a progress bar for all passes."""
    from isegoria.out_of_core.executors import close_after, make_executor
    from isegoria.out_of_core.scan import scan
    from isegoria.utils.progress import progress_bar

    if workers is not None and scheduler is not None:
        raise click.UsageError("--workers and --scheduler both say who does the work; give one of them")
    for option in explicit_options(
        *(name for name in _READ_PARAMETERS if name not in ("file", "scale", "tie_tolerance"))
    ):
        raise click.UsageError(
            f"{option} is not for a table that is read a part at a time; settle it in the files, "
            "or read one file without --workers and --scheduler"
        )
    scale = _parse_scale(reading["scale"])
    tolerance = {} if reading["tie_tolerance"] is None else {"tie_tolerance": reading["tie_tolerance"]}
    with close_after(make_executor(workers or 1, scheduler)) as executor, progress_bar("parts") as report:

        def passing(passes: int, done: int, of: int) -> None:
            report((passes - 1) * of + done, passes * of)

        table = scan(reading["file"], scale, executor=executor, on_progress=passing, **tolerance)
        render.add_json_field("reading", table.import_notes)
        yield table


def explicit_options(*names: str) -> list[str]:
    """Return those of the options with these names that were given on the command line, with leading dashes."""
    source = click.get_current_context().get_parameter_source
    return [f"--{name.replace('_', '-')}" for name in names if source(name) is not ParameterSource.DEFAULT]


def resolve_seed_text(seed: str | None) -> str:
    """Return the text of --seed, or a fresh one.

    An empty text, as an unset shell variable leaves it, raises InputError.
    """
    if seed is None:
        import secrets  # imported here: it loads OpenSSL, which nothing else needs

        return secrets.token_hex(16)
    if not seed.strip():
        raise InputError("--seed is empty, and would always draw the same; give what you threw, or leave it out.")
    return seed


def parse_numbers(text: str, option: str) -> list[float]:
    """Parse a comma-separated list of numbers: decimals or fractions.

    >>> parse_numbers("0.75,1/4", "--policy")
    [0.75, 0.25]
    """
    return [_parse_number(part, option) for part in text.split(",")]


def select_policy(instance: Profile, policy: str | None, rule: str, tie_break: Any, within: Any) -> Any:
    """Return the policy that was given, or that of the rule; refuse both at once."""
    if policy is None:
        from isegoria.rules import solve

        return solve(instance, RULES[rule], tie_break, within).policy
    for option in explicit_options("rule", "tie_break", "within"):
        raise click.UsageError(f"--policy and {option} both say which policy is meant; give one of them")
    return parse_policy(policy, instance.arms)


def parse_policy(text: str, arms: Sequence[str]) -> list[float]:
    """Parse a policy such as `0.5,0.5`, `2/3,1/3` or `tea=2/3,coffee=1/3`; in pairs, an arm left out has 0.

    >>> parse_policy("coffee=1", ("tea", "coffee"))
    [0.0, 1.0]
    """
    if "=" not in text:
        return parse_numbers(text, "--policy")
    chances: dict[str, float] = {}
    for pair in next(csv.reader([text], skipinitialspace=True)):
        name, equals, value = (part.strip() for part in pair.rpartition("="))
        if not equals:
            raise InputError(f"--policy has {pair!r} among name=value pairs; write every entry as name=value.")
        if name not in arms:
            raise unknown_name_error("arm", name, arms)
        if name in chances:
            raise InputError(f"--policy names the arm {name!r} twice; give each arm one probability.")
        chances[name] = _parse_number(value, "--policy")
    return [chances.get(arm, 0.0) for arm in arms]


def _parse_number(text: str, option: str) -> float:
    above, slash, below = text.partition("/")
    try:
        if "_" in text or not text.isascii():  # float would accept both
            raise ValueError
        return float(above) / float(below) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"{option} has {text.strip()!r}, not a number; write numbers with commas between, such as 0.75,1/4."
        ) from None


_store_address = click.option(
    "--store",
    default="sqlite:///isegoria.db",
    show_default=True,
    metavar="ADDRESS",
    help="Where groups are kept: sqlite:///FILE or postgresql://….",
)
_secret_file = click.option(
    "--secret-file",
    metavar="FILE",
    envvar="ISEGORIA_SECRET_FILE",
    show_envvar=True,
    help="The server key, which encrypts links, addresses and secrets in the store; it is made with the store. Keep a "
    "copy apart from backups.  [default: FILE.key beside sqlite:///FILE, else isegoria.key]",
)


def store(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options --store and --secret-file."""
    return _store_address(_secret_file(function))
