"""`isegoria learn`: run a learner on the instance, and report the outcome beside the theoretical bounds."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options
from isegoria.cli.completion import complete_names
from isegoria.cli.learn_compare import parse_learners, run_comparison
from isegoria.cli.learn_report import format_report, to_data
from isegoria.cli.policy_table import format_size
from isegoria.cli.render import print_note, print_result
from isegoria.learning.registry import LEARNERS, NOISE_MODELS
from isegoria.profiles import Instance
from isegoria.utils.formatting import pluralise

if TYPE_CHECKING:
    from isegoria.learning.environments.environment import Environment
    from isegoria.learning.simulation.simulation import Simulation
    from isegoria.learning.simulation.trace import Trace

HELP_EPILOG = """\b
Examples:
  isegoria learn ratings.csv
  isegoria learn ratings.csv --learner elimination --rounds 5000  equal voice while it learns
  isegoria learn ratings.csv --rounds 20000 --out out        trace.csv, trace.npz and two figures
  isegoria learn ratings.csv --learners procedural,elimination,thompson,nash-ucb --seeds 20 --out out
  isegoria learn ratings.csv --watch                         policy and scores while it runs
  isegoria learn ratings.csv --rounds 5000000 --state run.json      stop it when you like, and go on later"""


def _list_learners() -> list[tuple[str, str]]:
    from isegoria.learning.registry import LEARNERS

    return [(name, "") for name in LEARNERS]


@click.command("learn", epilog=HELP_EPILOG)
@options.with_instance
@click.option("--rounds", type=click.IntRange(min=1), default=100_000, show_default=True, help="How many decisions.")
@click.option(
    "--gamma",
    type=float,
    default=0.7,
    show_default=True,
    help="Of procedural and inequality: explore in round t with probability `t^-(1-gamma)`; strictly between 0 and 1.",
)
@click.option(
    "--alpha",
    type=float,
    default=1.0,
    show_default=True,
    help="Of procedural: multiplies the confidence radius; below 1, Theorem 2 does not hold.",
)
@options.seed
@click.option(
    "--noise",
    type=click.Choice(list(NOISE_MODELS)),
    default="beta",
    show_default=True,
    help="The distribution of rewards around the means of FILE.",
)
@click.option("--sd", type=float, default=0.1, show_default=True, help="Their standard deviation, for beta and normal.")
@click.option("--records", type=click.IntRange(min=1), default=2000, show_default=True, help="Records kept of the run.")
@click.option("--out", type=click.Path(file_okay=False), default=None, help="A folder for the trace and two figures.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False),
    default=None,
    help="Save the run to this file as it goes; if the file is there, go on from it, to more --rounds if you like.",
)
@click.option(
    "--learner",
    metavar="ID",
    shell_complete=complete_names(_list_learners),
    default="procedural",
    show_default=True,
    help="The learner of a single run, such as elimination; settings follow a colon: elimination:explore=0.1;lend=0.5.",
)
@click.option(
    "--learners",
    metavar="LIST",
    shell_complete=complete_names(_list_learners, listed=True),
    default=None,
    help="Compare these learners on the same rewards, such as procedural,elimination,thompson; all is every one. "
    "Settings follow a colon: procedural:gamma=0.6;alpha=2.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Compare over this many seeds, counted up from --seed.",
)
@click.option(
    "--workers", type=click.IntRange(min=1), default=None, help="Processes for a comparison.  [default: all cores]"
)
@click.option("--watch", is_flag=True, help="Show the policy and scores in the terminal while it runs.")
@options.form
def command(
    instance: Instance,
    form: str,
    out: str | None,
    state: str | None,
    watch: bool,
    learners: str | None,
    seeds: int,
    workers: int | None,
    **choices: Any,
) -> None:
    """Learn a policy from rewards alone, by Algorithm 1 of the paper or by another learner (a multi-armed bandit).

    The means of FILE are the truth, which the learner does not see. Each round it pulls one arm, and every agent
    reports a noisy reward with the given mean.
    """
    from isegoria.learning.regret_bounds import regret_bounds
    from isegoria.learning.simulation.learner_names import parse_name

    id, own = parse_name(choices["learner"])
    choices |= {name: own[name] for name in ("gamma", "alpha") if name in own}
    if learners is not None or seeds > 1:
        if learners is not None and options.explicit_options("learner"):
            raise click.UsageError("--learner is for a single run; leave it out, or leave out --learners.")
        _reject_checkpoint_options(state, watch)
        names = [choices["learner"]] if learners is None else parse_learners(learners)
        _reject_unused_options(names, choices["noise"])
        return run_comparison(_make_environment(instance, choices), names, seeds, workers, out, form, choices)
    _reject_unused_options(None, choices["noise"], choices["learner"])
    simulation = _make_simulation(instance, choices)
    trace = _run_simulation(simulation, choices["rounds"], state, watch)
    covered = id == "procedural" and choices["alpha"] >= 1
    theory = regret_bounds(instance, choices["rounds"], choices["gamma"], choices["alpha"]) if covered else None
    if out:
        _write_outputs(trace, instance, Path(out))
    found = to_data(trace, instance, theory)
    print_result(
        form,
        data=lambda: {"agents": instance.total_weight, "arms": instance.arms, **choices, **found},
        table=lambda: format_report(trace, instance, theory, _format_headline(instance, choices)),
        records=lambda: [["quantity", "value"], *_flatten_outcome(found, instance.arms)],
    )
    print_note(f"seed {choices['seed']}." + (f" What was written is in {out}." if out else ""))


def _make_simulation(instance: Instance, choices: dict[str, Any]) -> Simulation:
    """Build the run that the options describe; it has not started."""
    from isegoria.learning.simulation.learner_comparison import make_learner
    from isegoria.learning.simulation.simulation import Simulation

    world = _make_environment(instance, choices)
    settings = {"gamma": choices["gamma"], "alpha": choices["alpha"]}
    learner = make_learner(choices["learner"], world, choices["rounds"], choices["seed"], **settings)
    return Simulation(learner, world, choices["rounds"], choices["seed"], choices["records"])


def _make_environment(instance: Instance, choices: dict[str, Any]) -> Environment:
    """Build the environment that the options describe."""
    spread = {"sd": choices["sd"]} if _takes_sd(choices["noise"]) else {}
    return NOISE_MODELS[choices["noise"]](instance, **spread)


def _takes_sd(noise: str) -> bool:
    """Return whether a noise model takes a standard deviation."""
    return "sd" in inspect.signature(NOISE_MODELS[noise]).parameters


def _reject_unused_options(learners: list[str] | None, noise: str, single: str = "") -> None:
    """Raise UsageError for options that would change nothing.

    `learners` are those of a comparison; None means a single run of the learner `single`.
    """
    idle = {} if _takes_sd(noise) else {"sd": f"{noise} rewards"}
    idle |= {"workers": "a single run"} if learners is None else {"records": "a comparison"}
    from isegoria.learning.simulation.learner_names import parse_name

    names = learners or [single]
    known = {setting for name in names for setting in LEARNERS[parse_name(name)[0]].settings}
    idle |= {name: ", ".join(names) for name in ("gamma", "alpha") if name not in known}
    for option in options.explicit_options(*idle):
        what = idle[option.removeprefix("--")]
        raise click.UsageError(f"{option} changes nothing in {what}; leave it out")


def _reject_checkpoint_options(state: str | None, watch: bool) -> None:
    if state or watch:
        raise click.UsageError("--state and --watch are for a single run; leave out --learners and --seeds.")


def _run_simulation(simulation: Simulation, rounds: int, state: str | None, watch: bool) -> Trace:
    """Run the simulation and return its trace, saved and shown as asked."""
    from isegoria.cli.learn_live import live_view
    from isegoria.learning.simulation.checkpoint import SimulationCheckpoint

    saved = SimulationCheckpoint(simulation, state) if state else None
    if saved and saved.resume_or_begin():
        print_note(f"going on from round {simulation.done:,} of {rounds:,}, as saved in {state}.")
    with live_view(simulation, watch) as show:
        while simulation.advance():
            show()
            if saved:
                saved.save_now_and_then()
    return simulation.trace()


def _write_outputs(trace: Trace, instance: Instance, out: Path) -> None:
    """Write the trace as CSV and NPZ, the data of two figures, and the figures if Matplotlib is installed."""
    from isegoria.figures.registry import write_figure
    from isegoria.figures.theme import can_draw
    from isegoria.io.storage import atomic_write
    from isegoria.rules import solve

    atomic_write.write_text(out / "trace.csv", trace.to_csv())
    atomic_write.write_bytes(out / "trace.npz", trace.to_npz())
    pictures = can_draw(print_note)
    write_figure("learning-scores", out, trace.rolling_scores(), pictures=pictures)
    fair = solve(instance, "procedural").policy
    write_figure("learning-policy", out, trace.rolling_policy(fair), pictures=pictures)


def _format_headline(instance: Instance, choices: dict[str, Any]) -> str:
    spread = f", sd {choices['sd']:g}" if _takes_sd(choices["noise"]) else ""
    from isegoria.learning.simulation.learner_names import parse_name

    id, own = parse_name(choices["learner"])
    settings = {name: choices[name] for name in ("gamma", "alpha") if name in LEARNERS[id].settings} | own
    what = "".join(
        f"{name} {value:g}, " if isinstance(value, float) else f"{name} {value}, " for name, value in settings.items()
    )
    name = "Algorithm 1" if id == "procedural" else f"the learner {id}"
    return (
        f"{format_size(instance)}, {pluralise(choices['rounds'], 'round')} of {name} ({what}{choices['noise']} "
        f"rewards{spread}, "
        f"seed {choices['seed']})"
    )


def _flatten_outcome(found: dict[str, Any], arms: Any) -> list[list[Any]]:
    """Flatten the outcome to rows of a name and a value."""
    rows = []
    for name, value in found.items():
        if isinstance(value, dict):
            rows += [[f"{name}.{key}", item] for key, item in value.items()]
        elif name in ("policy", "fair_policy", "played"):
            rows += [[f"{name}.{arm}", p] for arm, p in zip(arms, value, strict=True)]
        elif name == "realised_voice":
            rows += [["realised_voice.least", min(value)], ["realised_voice.mean", sum(value) / len(value)]]
        elif name == "longest_wait":
            rows.append(["longest_wait.most", max(value)])
        elif name == "resolved_at":
            rows.append(["resolved", sum(round_ >= 0 for round_ in value)])
        else:
            rows.append([name, value])
    return rows
