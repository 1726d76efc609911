"""The Dots study (Table 2): the paper's 50 voters, and 2,000 other samples of 50, because the paper's is unusual."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.analysis.comparison import compare
from isegoria.analysis.frontier import frontier
from isegoria.datasets import DOTS_SAMPLE_SIZE, load_dots, load_dots_sample
from isegoria.figures.registry import write_figure
from isegoria.io.storage.csv_columns import write_columns
from isegoria.profiles import Instance
from isegoria.studies.policy_scores import compute_scores, drop_incomplete
from isegoria.studies.provenance import write_provenance
from isegoria.studies.published_tables import PAPER_TABLE2
from isegoria.studies.registry import FITTED_TIE_BREAK, StudyOptions
from isegoria.studies.result_tables import (
    rule_labels,
    score_columns,
    write_markdown,
    write_paper_table,
    write_table,
)
from isegoria.studies.sweep import INSTANCES_PER_BATCH
from isegoria.utils import tolerances
from isegoria.utils.formatting import SCORE_LABELS
from isegoria.utils.progress import progress_bar

N_OTHER_SAMPLES = 2000
LOW_QUANTILE, HIGH_QUANTILE = 0.05, 0.95


@dataclass(frozen=True)
class DotsStudy:
    """The results of the Dots study.

    `paper` has the scores (objectives, 3) on the paper's sample, `others` the scores (samples, objectives, 3) on the
    samples drawn with `seed`. `objectives` has the ids of the objectives.
    """

    paper: np.ndarray
    others: np.ndarray
    seed: int
    objectives: tuple[str, ...]

    def table(self) -> dict[str, list[Any]]:
        """Return Table 2: each score of each policy on the paper's 50 voters."""
        return score_columns(self.objectives, self.paper)

    def named(self) -> Iterator[tuple[str, np.ndarray]]:
        """Iterate over the label and the scores (3,) of each policy."""
        return zip(rule_labels(self.objectives), self.paper, strict=True)

    def spread(self) -> dict[str, list[Any]]:
        """Return each cell of Table 2 with the mean and the 5 % and 95 % quantiles over the other samples.

        `below` is the share of the other samples whose score is lower than on the paper's sample.
        """
        low, high = np.quantile(self.others, (LOW_QUANTILE, HIGH_QUANTILE), axis=0)
        arrays = {
            "paper_sample": self.paper,
            "mean": self.others.mean(axis=0),
            "q05": low,
            "q95": high,
            "below": (self.others < self.paper - tolerances.FAIRNESS_GAP).mean(axis=0),
        }
        policies = np.repeat(rule_labels(self.objectives), len(SCORE_LABELS)).tolist()
        names = {"policy": policies, "score": list(SCORE_LABELS) * len(self.objectives)}
        return names | {name: array.ravel().tolist() for name, array in arrays.items()}


def run(
    seed: int = 42,
    samples: int = N_OTHER_SAMPLES,
    report: Callable[[int, int], object] | None = None,
    tie_break: str = FITTED_TIE_BREAK,
) -> DotsStudy:
    """Run the study; `seed` draws the other samples, while the paper's sample is fixed."""
    groups = list(_other_samples(seed, samples))
    others = []
    for start in range(0, samples, INSTANCES_PER_BATCH):
        others.append(compute_scores(groups[start : start + INSTANCES_PER_BATCH], tie_break))
        if report:
            report(min(start + INSTANCES_PER_BATCH, samples), samples)
    found = np.concatenate([compute_scores([load_dots_sample()], tie_break), *others])
    kept, objectives = drop_incomplete(found)
    return DotsStudy(found[0, kept], found[1:, kept], seed, objectives)


def produce(folder: Path, options: StudyOptions) -> bool:
    """Run the study, and write its tables, figures and record into `folder`."""
    with progress_bar("dots: samples") as report:
        study = run(options.seed, report=report, tie_break=options.tie_break)
    with write_provenance(folder, "dots", options.command) as settings:
        write(study, folder, options.pictures)
        settings |= {"seed": options.seed, "tie_break": options.tie_break}
        settings |= {"samples": len(study.others), "size": DOTS_SAMPLE_SIZE}
    return True


def _other_samples(seed: int, samples: int) -> Iterator[Instance]:
    """Sample groups of 50 voters without replacement from the 800, as rankings with counts."""
    everyone = load_dots()
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(everyone.total_weight,)))
    for counts in rng.multivariate_hypergeometric(everyone.weights, DOTS_SAMPLE_SIZE, size=samples):
        drawn = counts > 0
        yield Instance(everyone.means[drawn], weights=counts[drawn])


def write(study: DotsStudy, out: Path, pictures: bool = True) -> None:
    """Write the tables and figures of the study into `out`."""
    out = Path(out)
    header = ["", "PF Score", "IM Score", "UT Score"]
    rows = [[label, *(f"{value:.2f}" for value in row)] for label, row in study.named()]
    write_columns(out / "table2.csv", study.table())
    write_markdown(out / "table2.md", header, rows)
    caption = "Scores of each policy on the 50 Dots voters."
    printed = [[f"{cell:.2f}" for cell in PAPER_TABLE2.get(id, [float("nan")] * 3)] for id in study.objectives]
    write_paper_table(out, "table2", rows, printed, caption, "tab:mturk_metrics")
    write_table(out, "samples", study.spread(), "Table 2 beside other samples of 50 voters.")
    write_figure("dots", out, study.table(), pictures=pictures)
    sample = load_dots_sample()
    curve = frontier(sample)
    columns = {"procedural": curve.levels, "utilitarian": curve.values}
    columns |= {f"p_{arm}": curve.policies[:, place] for place, arm in enumerate(sample.arms)}
    write_figure("price", out, columns, curve, compare(sample, "centre"), pictures=pictures)
