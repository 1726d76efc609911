"""The registry of the studies' figures. To add one, write a function that draws its data and add an entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from isegoria.figures import theme
from isegoria.figures.claim_figures import draw_regret_and_play, draw_relative_scores
from isegoria.figures.frontier_figure import draw_frontier
from isegoria.figures.learner_figures import (
    draw_change,
    draw_cost,
    draw_last_mismatch,
    draw_least_voice,
    draw_played_scores,
    draw_regret,
    draw_score_curves,
)
from isegoria.figures.learning_curves import draw_rolling_policy, draw_rolling_scores, draw_score_band
from isegoria.figures.real_groups_figure import draw_real_groups
from isegoria.figures.regret_rate_figure import draw_regret_panels
from isegoria.figures.score_figures import draw_disagreement, draw_distribution, draw_score_bars
from isegoria.io.storage.csv_columns import write_columns
from isegoria.utils.registry import Registry


class FigureEntry(NamedTuple):
    """An entry: file name, drawing function, title and caption on the page, and number in the paper ("Figure 1")."""

    id: str
    draw: Callable[..., Any]
    title: str
    caption: str
    number: str = ""


_ROWS = (
    FigureEntry(
        "claims-relative",
        draw_relative_scores,
        "Scores, and what is kept of what could be lost",
        "Hollow: the mean score. Full: where it lies between the least that any policy has in the same group and 1, "
        "with its 95 % interval. The six policies of the paper, then the even policy (UNI), random dictatorship (UES), "
        "the conditional utilitarian rule (CUT) and the largest total among the fair (UT|PF).",
    ),
    FigureEntry(
        "claims-played",
        draw_regret_and_play,
        "Regret and what is played, by γ and α",
        "Algorithm 1 on the Dots voters. Left: the paper's regret, rounds with a favourite set wrong. Right: the "
        "procedural score of the arms as they were played. A larger γ explores more: its regret is least where the "
        "group hears least of itself. Means over seeds; bars of two standard errors.",
    ),
    FigureEntry(
        "scores",
        draw_score_bars,
        "Average scores of each policy",
        "Six ways of choosing (columns), each judged three ways (bars). A bar is the average over all instances, its "
        "whisker one standard deviation. A full bar of PF score means that every agent's voice counts equally; only "
        "the policy that asks for equal voice (PF) always has it.",
        "Figure 1",
    ),
    FigureEntry(
        "disagreement",
        draw_disagreement,
        "Scores against disagreement",
        "Mallows groups from near consensus (φ close to 0) to near chaos (φ close to 1). As opinions part, every "
        "policy that looks only at outcomes listens less equally, except IM, which starts from the bottom.",
    ),
    FigureEntry(
        "distribution",
        draw_distribution,
        "How the procedural score spreads",
        "The share of instances (height) by procedural score (from left to right in steps of 0.05); the separate bar "
        "at the right end is a score of exactly 1, equal voice. The dashed line is the mean. A good mean can hide many "
        "groups in which a part is hardly heard.",
    ),
    FigureEntry(
        "dots",
        draw_score_bars,
        "Scores on the Dots voters",
        "The paper's real-world example: 50 people, four options. No whiskers, since it is a single instance.",
        "Figure 2",
    ),
    FigureEntry(
        "price",
        draw_frontier,
        "The price of equal voice on the Dots voters",
        "The line is the best total utility that any policy can have (vertical) when its procedural score must be at "
        "least so much (horizontal). Markers are the six policies. Equal voice, at the right end, costs what the line "
        "has fallen there.",
    ),
    FigureEntry(
        "learning-scores",
        draw_rolling_scores,
        "Scores while learning",
        "Algorithm 1 on the Dots voters: three scores of the policy it has learned so far (not of the single arm "
        "pulled on exploring rounds), as means over 1,000 rounds; the shade is one standard deviation.",
        "Figure 3(a)",
    ),
    FigureEntry(
        "learning-policy",
        draw_rolling_policy,
        "The policy while learning",
        "The probability that the learned policy gives each option, in the same run and drawn in the same way. The "
        "arrows at the right edge are the exact procedurally fair policy, side by side where two are equal.",
        "Figure 3(b)",
    ),
    FigureEntry(
        "learning-band",
        draw_score_band,
        "Twenty runs instead of one",
        "The same scores over runs with different seeds, with rounds on a logarithmic axis: the line is the median, "
        "the shade holds all runs. What the single run shows is what happens every time.",
    ),
    FigureEntry(
        "world",
        draw_real_groups,
        "Real groups: who was heard, and what equal voice would keep",
        "The procedural score of what was really chosen, and the utilitarian score that the equal-voice lottery would "
        "have, with 95 % intervals over groups; in brackets how many groups.",
    ),
    FigureEntry(
        "rate",
        draw_regret_panels,
        "Regret against what it depends on",
        "The paper's regret of Algorithm 1 (dots: single runs, line: their median) against rounds, the smallest gap, "
        "γ, α, agents and arms, each varied alone, beside the bound of Theorem 2 (dashed, drawn also where it exceeds "
        "the number of rounds). Regret falls with γ, but what is played does not gain: no round is charged for "
        "exploring. Above each panel: the slope of regret with its 95 % interval, and that of the bound.",
    ),
    FigureEntry(
        "contest-sets",
        draw_last_mismatch,
        "How soon every favourite set is right for good",
        "One line for each learner: the dot is the median over seeds of the last round with a favourite set wrong, the "
        "bar the range over all seeds. A hollow dot had not finished.",
    ),
    FigureEntry(
        "contest-regret",
        draw_regret,
        "Rounds with a favourite set wrong",
        "The paper's regret against rounds, for learners that met the same rewards. Lines are medians over seeds, "
        "shades hold all seeds.",
    ),
    FigureEntry(
        "contest-scores",
        draw_score_curves,
        "Scores of the learned policies",
        "Three scores of the policy that each learner has learned so far (not of the single arm pulled on exploring "
        "rounds). Lines are medians over seeds, shades hold all seeds.",
    ),
    FigureEntry(
        "contest-realised",
        draw_played_scores,
        "Equal voice in what was played",
        "The procedural score of the arms as they were played so far, exploration included: what the group has lived "
        "through, not what the learner knows.",
    ),
    FigureEntry(
        "contest-voice",
        draw_least_voice,
        "The worst-off agent",
        "The share of rounds so far that went to a true favourite of the agent who had least of it.",
    ),
    FigureEntry(
        "contest-cost",
        draw_cost,
        "What a round costs",
        "Microseconds for one round of ask and tell, the quickest of a few batches on this machine.",
    ),
    FigureEntry(
        "noticing",
        draw_change,
        "How long it takes to notice that tastes have changed",
        "Half way, the favourites of everybody change. The line is the procedural score of the learned policy against "
        "the tastes of that moment, the median over seeds; the shade holds all seeds.",
    ),
)

FIGURES: Registry[FigureEntry] = Registry("figure", _ROWS, group="isegoria.figures")


def write_figure(id: str, folder: Path, columns: Mapping[str, Any], *what: Any, pictures: bool = True) -> list[Path]:
    """Write the files of a figure and return their paths: data as CSV, then PNG, SVG and PDF if `pictures`.

    `what` is drawn; by default the data.
    """
    figure, folder = FIGURES[id], Path(folder)
    files = [write_columns(folder / f"{id}.csv", columns)]
    if pictures:
        picture = figure.draw(*(what or (columns,)))
        files += [theme.save_figure(picture, folder / f"{id}.{suffix}") for suffix in ("png", "svg", "pdf")]
    return files
