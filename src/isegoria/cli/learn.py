"""`isegoria learn`: run a learner on the instance, and say what happened beside what theory promises."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options
from isegoria.cli.entries import size
from isegoria.cli.learn_contest import chosen, compared
from isegoria.cli.learn_report import outcome, text
from isegoria.cli.render import note, result
from isegoria.instance import Instance
from isegoria.learning.registry import LEARNERS, NOISES
from isegoria.wording import counted

if TYPE_CHECKING:
    from isegoria.learning.runs.simulation import Simulation
    from isegoria.learning.runs.trace import Trace
    from isegoria.learning.worlds.environment import Environment

EPILOG = """\b
Examples:
  isegoria learn ratings.csv
  isegoria learn ratings.csv --learner guided --rounds 5000  equal voice while it learns
  isegoria learn ratings.csv --rounds 20000 --out out        trace.csv, trace.npz and two figures
  isegoria learn ratings.csv --learners procedural,guided,posterior,nash --seeds 20 --out out
  isegoria learn ratings.csv --watch                         policy and scores while it runs
  isegoria learn ratings.csv --rounds 5000000 --state run.json      stop it when you like, and go on later"""


@click.command("learn", epilog=EPILOG)
@options.reads_instance
@click.option("--rounds", type=click.IntRange(min=1), default=100_000, show_default=True, help="How many decisions.")
@click.option(
    "--gamma", type=float, default=0.7, show_default=True,
    help="Of procedural and inequality: explore in round t with probability t^-(1-gamma); strictly between 0 and 1.",
)  # fmt: skip
@click.option(
    "--alpha",
    type=float,
    default=1.0,
    show_default=True,
    help="Of procedural: multiplies the confidence radius; below 1, Theorem 2 does not hold.",
)
@options.seed
@click.option(
    "--noise", type=click.Choice(list(NOISES)), default="beta", show_default=True,
    help="How rewards scatter around the means of FILE.",
)  # fmt: skip
@click.option("--sd", type=float, default=0.1, show_default=True, help="Their standard deviation, for beta and normal.")
@click.option("--records", type=click.IntRange(min=1), default=2000, show_default=True, help="Records kept of the run.")
@click.option("--out", type=click.Path(file_okay=False), default=None, help="A folder for the trace and two figures.")
@click.option(
    "--state", type=click.Path(dir_okay=False), default=None,
    help="Save the run to this file as it goes; if the file is there, go on from it, to more --rounds if you like.",
)  # fmt: skip
@click.option(
    "--learner", metavar="ID", default="procedural", show_default=True,
    help="The learner of a single run, such as guided; settings follow a colon: guided:explore=0.1;lend=0.5.",
)  # fmt: skip
@click.option(
    "--learners", metavar="LIST", default=None,
    help="Compare these learners on the same rewards, such as procedural,guided,posterior,nash; all is every one. "
    "Settings follow a colon: procedural:gamma=0.6;alpha=2.",
)  # fmt: skip
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True,
              help="Compare over this many seeds, counted up from --seed.")  # fmt: skip
@click.option(
    "--workers", type=click.IntRange(min=1), default=None, help="Processes for a comparison.  [default: all cores]"
)
@click.option("--watch", is_flag=True, help="Show the policy and scores in the terminal while it runs.")
@options.form
def command(instance: Instance, form: str, out: str | None, state: str | None, watch: bool, learners: str | None,
            seeds: int, workers: int | None, **choices: Any) -> None:  # fmt: skip
    """Learn a policy from rewards alone: a procedurally fair one as in Algorithm 1 of the paper, or by another learner.

    The means of FILE are the truth that the learner must find out: each round it pulls one arm, and every agent reports
    a reward that scatters around its mean.
    """
    from isegoria.learning.bounds import bounds
    from isegoria.learning.runs.variants import parsed

    id, own = parsed(choices["learner"])
    choices |= {name: own[name] for name in ("gamma", "alpha") if name in own}
    if learners is not None or seeds > 1:
        if learners is not None and options.given("learner"):
            raise click.UsageError("--learner is for a single run; leave it out, or leave out --learners.")
        _refuse_saving(state, watch)
        names = [choices["learner"]] if learners is None else chosen(learners)
        _refuse_idle(names, choices["noise"])
        return compared(_world(instance, choices), names, seeds, workers, out, form, choices)
    _refuse_idle(None, choices["noise"], choices["learner"])
    simulation = _simulation(instance, choices)
    trace = _run(simulation, choices["rounds"], state, watch)
    covered = id == "procedural" and choices["alpha"] >= 1
    theory = bounds(instance, choices["rounds"], choices["gamma"], choices["alpha"]) if covered else None
    if out:
        _write(trace, instance, Path(out))
    found = outcome(trace, instance, theory)
    result(
        form,
        data=lambda: {"agents": instance.total_weight, "arms": instance.arms, **choices, **found},
        table=lambda: text(trace, instance, theory, _headline(instance, choices)),
        records=lambda: [["quantity", "value"], *_flat(found, instance.arms)],
    )
    note(f"seed {choices['seed']}." + (f" What was written is in {out}." if out else ""))


def _simulation(instance: Instance, choices: dict[str, Any]) -> Simulation:
    """The run that the options ask for, not yet begun."""
    from isegoria.learning.runs.contest import make_learner
    from isegoria.learning.runs.simulation import Simulation

    world = _world(instance, choices)
    settings = {"gamma": choices["gamma"], "alpha": choices["alpha"]}
    learner = make_learner(choices["learner"], world, choices["rounds"], choices["seed"], **settings)
    return Simulation(learner, world, choices["rounds"], choices["seed"], choices["records"])


def _world(instance: Instance, choices: dict[str, Any]) -> Environment:
    """The environment that the options ask for."""
    spread = {"sd": choices["sd"]} if _scatters(choices["noise"]) else {}
    return NOISES[choices["noise"]](instance, **spread)


def _scatters(noise: str) -> bool:
    """Whether a noise takes a standard deviation."""
    return "sd" in inspect.signature(NOISES[noise]).parameters


def _refuse_idle(learners: list[str] | None, noise: str, single: str = "") -> None:
    """Refuse options that would change nothing: for a comparison of `learners`, or for a single run (None) of one."""
    idle = {} if _scatters(noise) else {"sd": f"{noise} rewards"}
    idle |= {"workers": "a single run"} if learners is None else {"records": "a comparison"}
    from isegoria.learning.runs.variants import parsed

    names = learners or [single]
    known = {setting for name in names for setting in LEARNERS[parsed(name)[0]].settings}
    idle |= {name: ", ".join(names) for name in ("gamma", "alpha") if name not in known}
    for option in options.given(*idle):
        what = idle[option.removeprefix("--")]
        raise click.UsageError(f"{option} changes nothing in {what}; leave it out")


def _refuse_saving(state: str | None, watch: bool) -> None:
    if state or watch:
        raise click.UsageError("--state and --watch are for a single run; leave out --learners and --seeds.")


def _run(simulation: Simulation, rounds: int, state: str | None, watch: bool) -> Trace:
    """The trace of the whole run, saved and shown as asked."""
    from isegoria.cli.learn_watch import watching
    from isegoria.learning.runs.saving import Saved

    saved = Saved(simulation, state) if state else None
    if saved and saved.resume_or_begin():
        note(f"going on from round {simulation.done:,} of {rounds:,}, as saved in {state}.")
    with watching(simulation, watch) as show:
        while simulation.advance():
            show()
            if saved:
                saved.save_now_and_then()
    return simulation.trace()


def _write(trace: Trace, instance: Instance, out: Path) -> None:
    """The trace as CSV and NPZ, and two figures where matplotlib is there."""
    from isegoria.figures.registry import write_figure
    from isegoria.figures.theme import can_draw
    from isegoria.io import atomic
    from isegoria.rules import solve

    atomic.write_text(out / "trace.csv", trace.to_csv())
    atomic.write_bytes(out / "trace.npz", trace.to_npz())
    pictures = can_draw(note)
    write_figure("learning-scores", out, trace.rolling_scores(), pictures=pictures)
    fair = solve(instance, "procedural").policy
    write_figure("learning-policy", out, trace.rolling_policy(fair), pictures=pictures)


def _headline(instance: Instance, choices: dict[str, Any]) -> str:
    spread = f", sd {choices['sd']:g}" if _scatters(choices["noise"]) else ""
    from isegoria.learning.runs.variants import parsed

    id, own = parsed(choices["learner"])
    settings = {name: choices[name] for name in ("gamma", "alpha") if name in LEARNERS[id].settings} | own
    what = "".join(f"{name} {value:g}, " if isinstance(value, float) else f"{name} {value}, "
                   for name, value in settings.items())  # fmt: skip
    name = "Algorithm 1" if id == "procedural" else f"the learner {id}"
    return (
        f"{size(instance)}, {counted(choices['rounds'], 'round')} of {name} ({what}{choices['noise']} rewards{spread}, "
        f"seed {choices['seed']})"
    )


def _flat(found: dict[str, Any], arms: Any) -> list[list[Any]]:
    """The outcome as rows of a name and a value."""
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
