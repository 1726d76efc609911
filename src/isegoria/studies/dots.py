"""The Dots study (Table 2): the paper's 50 voters, and 2,000 other samples of 50, since the paper's is unusual."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.comparison import compare
from isegoria.data import DOTS_SAMPLE, dots, dots_sample
from isegoria.figures.registry import write_figure
from isegoria.instance import Instance
from isegoria.io.columns import write_columns
from isegoria.price import frontier
from isegoria.progress import progress
from isegoria.studies.evaluate import left_out, scores
from isegoria.studies.record import recorded
from isegoria.studies.registry import FITTED, Options
from isegoria.studies.sweep import TOGETHER
from isegoria.studies.tables import as_policies, labels, maths, score_columns, write_latex, write_markdown, write_table
from isegoria.wording import SCORES

SAMPLES = 2000
LOW, HIGH = 0.05, 0.95


@dataclass(frozen=True)
class Dots:
    """What the study found: scores (objectives, 3) on the paper's sample, (samples, objectives, 3) on the others, drawn
    with `seed`; and the ids of the objectives."""

    paper: np.ndarray
    others: np.ndarray
    seed: int
    objectives: tuple[str, ...]

    def table(self) -> dict[str, list[Any]]:
        """Table 2: each score of each policy on the paper's 50 voters."""
        return score_columns(self.objectives, self.paper)

    def named(self) -> Iterator[tuple[str, np.ndarray]]:
        """The label and the scores (3,) of each policy."""
        return zip(labels(self.objectives), self.paper, strict=True)

    def spread(self) -> dict[str, list[Any]]:
        """Each cell of Table 2 beside the mean and the 5 % and 95 % quantiles over the other samples.

        `below` is the share of the other samples whose score is lower than on the paper's.
        """
        low, high = np.quantile(self.others, (LOW, HIGH), axis=0)
        arrays = {
            "paper_sample": self.paper,
            "mean": self.others.mean(axis=0),
            "q05": low,
            "q95": high,
            "below": (self.others < self.paper - tolerances.FAIR).mean(axis=0),
        }
        policies = np.repeat(labels(self.objectives), len(SCORES)).tolist()
        names = {"policy": policies, "score": list(SCORES) * len(self.objectives)}
        return names | {name: array.ravel().tolist() for name, array in arrays.items()}


def run(
    seed: int = 42, samples: int = SAMPLES, report: Callable[[int, int], object] | None = None, tie_break: str = FITTED
) -> Dots:
    """The study; `seed` draws the other samples, the paper's sample is always the paper's."""
    groups = list(_other_samples(seed, samples))
    others = []
    for start in range(0, samples, TOGETHER):
        others.append(scores(groups[start : start + TOGETHER], tie_break))
        if report:
            report(min(start + TOGETHER, samples), samples)
    found = np.concatenate([scores([dots_sample()], tie_break), *others])
    kept, objectives = left_out(found)
    return Dots(found[0, kept], found[1:, kept], seed, objectives)


def produce(folder: Path, options: Options) -> bool:
    """Run the study, and write its tables, figures and record into `folder`."""
    with progress("dots: samples") as report:
        study = run(options.seed, report=report, tie_break=options.tie_break)
    with recorded(folder, "dots", options.command) as settings:
        write(study, folder, options.pictures)
        settings |= {"seed": options.seed, "tie_break": options.tie_break}
        settings |= {"samples": len(study.others), "size": DOTS_SAMPLE}
    return True


def _other_samples(seed: int, samples: int) -> Iterator[Instance]:
    """Groups of 50 voters drawn without replacement from the 800, as rankings with counts."""
    everyone = dots()
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(everyone.total_weight,)))
    for counts in rng.multivariate_hypergeometric(everyone.weights, DOTS_SAMPLE, size=samples):
        drawn = counts > 0
        yield Instance(everyone.means[drawn], weights=counts[drawn])


def write(study: Dots, out: Path, pictures: bool = True) -> None:
    """Write the tables and figures of the study into `out`."""
    out = Path(out)
    header = ["", "PF score", "IM score", "UT score"]
    rows = [[label, *(f"{value:.2f}" for value in row)] for label, row in study.named()]
    write_columns(out / "table2.csv", study.table())
    write_markdown(out / "table2.md", header, rows)
    caption = "Scores of each policy on the 50 Dots voters."
    write_latex(out / "table2.tex", header, as_policies(maths(rows)), caption, "tab:mturk_metrics")
    write_table(out, "samples", study.spread(), "Table 2 beside other samples of 50 voters.")
    write_figure("dots", out, study.table(), pictures=pictures)
    sample = dots_sample()
    curve = frontier(sample)
    columns = {"procedural": curve.levels, "utilitarian": curve.values}
    columns |= {f"p_{arm}": curve.policies[:, place] for place, arm in enumerate(sample.arms)}
    write_figure("price", out, columns, curve, compare(sample, "centre"), pictures=pictures)
