"""Every sentence of the paper, tried: verdicts follow from the numbers and from nothing else."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import isegoria as iso
from isegoria.io.storage.csv_columns import write_columns
from isegoria.out_of_core.executors import SerialExecutor
from isegoria.studies import claims
from isegoria.studies.bootstrap import bootstrap_intervals
from isegoria.studies.claims import group_scores, learning_runs, manipulation_gains, theorem_checks
from isegoria.studies.claims.paper_items import load_paper_items
from isegoria.studies.claims.verdicts import VERDICT_FAILS, VERDICTS, NumberRequirement, PaperItem, VerdictCase
from isegoria.studies.grid import Grid
from isegoria.studies.html_report import write_report
from isegoria.studies.registry import StudyOptions
from isegoria.studies.sections.claims_section import section
from oracles.report_numbers import recompute_numbers

TINY = claims.ClaimsSize(
    grid=Grid(agents=(2, 4, 7), arms=(2, 5), favourites=(1, 2, 5)),
    rounds=4_000,
    seeds=1,
    papers_seeds=2,
    steep_rounds=40_000,
    steep_seeds=2,
    approvals=60,
    theory=20,
    concentration=50,
    samples=20,
    lines=3_000,
    draws=2_000,
)
PAPER_ITEMS = load_paper_items()


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    assert claims.produce(folder / "claims", StudyOptions(pictures=False), TINY)
    return folder


def numbers_of(folder: Path) -> dict[str, float]:
    return claims.read_numbers(folder / "claims" / "numbers.csv")


@pytest.fixture(scope="module")
def recomputed():
    """The same numbers by a second implementation."""
    return recompute_numbers(TINY)


@pytest.mark.slow
@pytest.mark.parametrize("id", [id for id, item in PAPER_ITEMS.items() if "second_implementation" in item.test])
def test_second_implementation_agrees(out, recomputed, id):
    item, numbers = PAPER_ITEMS[id], numbers_of(out)
    known = {name.replace(".", "_"): name for name in numbers}
    names = {known[name] for name in re.findall(r"{(\w+)", item.measured)} | {
        bound.number for bound in all_bounds(item)
    }
    for name in names:
        assert numbers[name] == pytest.approx(recomputed[name], abs=1e-7, nan_ok=True), name


@pytest.mark.slow
def test_second_implementation_knows_every_number(out, recomputed):
    """What is left are deviations from formulas, which are differences of two implementations already."""
    left = {name: value for name, value in numbers_of(out).items() if name not in recomputed}
    formulas = claims.check_items(TINY, 42)
    assert set(left) <= set(formulas)
    assert {name for name, value in recomputed.items() if name not in numbers_of(out)} == set()
    for name, value in recomputed.items():
        assert numbers_of(out)[name] == pytest.approx(value, abs=1e-7, nan_ok=True), name


def all_bounds(claim: PaperItem) -> list[NumberRequirement]:
    return [bound for case in claim.cases for bound in case.bounds]


def met(claim: PaperItem, case: VerdictCase, numbers: dict[str, float]) -> dict[str, float]:
    """The numbers, moved just far enough that this case's bounds are met."""
    moved = dict(numbers)
    for bound in case.bounds:
        value = moved[bound.number]
        if math.isnan(value) or not bound.least <= value <= bound.most:
            moved[bound.number] = bound.least if bound.least > -math.inf else bound.most
    return moved


@pytest.mark.slow
@pytest.mark.parametrize("id", PAPER_ITEMS)
def test_a_changed_number_flips_the_verdict(out, id):
    """With its bounds met a claim has the verdict of that case; one number pushed over its bound takes it away."""
    claim, numbers = PAPER_ITEMS[id], numbers_of(out) | {"time.minutes": 1.0}
    good = met(claim, claim.cases[0], numbers)
    assert claim.judge(good).verdict == claim.cases[0].verdict
    for bound in claim.cases[0].bounds:
        pushed = bound.least - 1e-3 if bound.least > -math.inf else bound.most + 1e-3
        assert claim.judge(good | {bound.number: pushed}).verdict != claim.cases[0].verdict, bound
    worst = good | {
        bound.number: bound.least - 1 if bound.least > -math.inf else bound.most + 1 for bound in all_bounds(claim)
    }
    assert claim.judge(worst).verdict == VERDICT_FAILS


def test_every_case_can_come_about(out):
    numbers = numbers_of(out) | {"time.minutes": 1.0}
    for claim in PAPER_ITEMS.values():
        for place, case in enumerate(claim.cases):
            moved = met(claim, case, numbers)
            for earlier in claim.cases[:place]:
                own = {bound.number for bound in case.bounds}
                barred = next(bound for bound in earlier.bounds if bound.number not in own)
                moved[barred.number] = barred.least - 1 if barred.least > -math.inf else barred.most + 1
            assert claim.judge(moved).verdict == case.verdict, (claim.id, case)


def test_the_page_takes_its_verdicts_from_the_numbers(out):
    numbers = numbers_of(out)
    before = section(out / "claims")
    moved = numbers | {"dots.pf.least": 0.91}
    write_columns(out / "claims" / "numbers.csv", {"number": list(moved), "value": list(moved.values())})
    after = section(out / "claims")
    write_columns(out / "claims" / "numbers.csv", {"number": list(numbers), "value": list(numbers.values())})
    assert "holds after rounding</b>" in before
    assert "holds after rounding</b>" not in after


def test_the_section_comes_first_and_its_links_lead_to_files(out):
    page = write_report(out).read_text(encoding="utf-8")
    assert page.index('id="claims"') < page.index('id="guide"')
    links = re.findall(r'href="(claims/[^"]+)"', page)
    assert {"claims/claims.csv", "claims/numbers.csv", "claims/relative.csv", "claims/lies.csv"} <= set(links)
    assert all((out / link).exists() for link in links)
    assert len(PAPER_ITEMS) >= 30
    assert {one.verdict for one in claims.judge_claims(out / "claims").values()} <= set(VERDICTS)


@pytest.mark.slow
def test_runs_and_workers_change_no_byte(out, tmp_path):
    assert claims.produce(tmp_path / "claims", StudyOptions(pictures=False, workers=2), TINY)
    for path in sorted((out / "claims").glob("*.csv")):
        same = path.read_bytes() == (tmp_path / "claims" / path.name).read_bytes()
        assert same or path.name == claims.TIMES_FILE, path.name


def test_relative_scores_are_those_of_the_package_and_floors_are_floors():
    grid = Grid(agents=(4,), arms=(4,), favourites=(1, 3), models=("impartial",))
    found, block = group_scores.score_grid(grid, SerialExecutor()), grid.blocks()[0]
    rng = np.random.default_rng(1)
    for row, means in enumerate(grid.means_of(block)):
        instance = iso.Instance(means)
        entries = iso.compare(instance, rules=["paper", "baselines"])
        for place, label in enumerate(found.labels):
            if label == "EG":  # the table has it by vertex
                continue
            entry = next(entry for entry in entries.values() if entry.label == label)
            assert found.scores[row, place] == pytest.approx(entry.scores.values, abs=1e-9)
            assert np.nan_to_num(found.relative[row, place], nan=1.0) == pytest.approx(entry.scores.relative, abs=1e-7)
        for policy in rng.dirichlet(np.ones(4), size=50):
            assert (np.array(iso.score(instance, policy).values) >= found.floors[row] - 1e-9).all()


def test_solving_time_is_that_of_the_six_policies():
    """The clock counts seconds of a processor, and stops between the six policies and the others."""
    ticks = iter([10.0, 16.0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(group_scores, "process_time", lambda: next(ticks))
        grid = Grid(agents=(2,), arms=(2,), favourites=(1,), models=("impartial",))
        assert group_scores.score_grid(grid, SerialExecutor()).solving_seconds == 6.0
    assert list(ticks) == []


def test_paired_intervals_cover_the_mean_as_often_as_they_say():
    rng, covered = np.random.default_rng(3), 0
    for run in range(200):
        easy = rng.normal(0, 5, 60)  # what makes a group easy for both
        pair = np.column_stack([easy + rng.normal(0.3, 1, 60), easy + rng.normal(0, 1, 60)])
        found = bootstrap_intervals((pair[:, 0] - pair[:, 1])[:, None], run, resamples=400)[0]
        covered += found.low <= 0.3 <= found.high
        assert found.high - found.low < 1.2  # unpaired it would be 3.6
    assert 0.88 <= covered / 200 <= 0.99


def test_a_missing_value_is_left_out_of_its_own_column_only():
    values = np.array([[1.0, np.nan], [3.0, 2.0], [np.nan, 4.0]])
    found = bootstrap_intervals(values)
    assert [one.mean for one in found] == [2.0, 3.0]
    assert [one.values for one in found] == [2, 2]


def test_the_reviewed_lie_is_found_and_honest_rules_resist():
    likes = np.array([[1, 1, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0], [0, 1, 1, 1]], dtype=bool)
    assert manipulation_gains.compute_gains("procedural", likes)[3] == pytest.approx(0.25, abs=1e-6)
    for rule in ("conditional-utilitarian", "random-dictatorship"):
        assert manipulation_gains.compute_group_gains(rule, 20, 5).max() < 1e-9


def test_the_worst_case_is_one_over_n():
    worst = manipulation_gains.worst_table()
    for agents, kept, limit in zip(*worst.values(), strict=True):
        assert kept == pytest.approx(limit / manipulation_gains.COMPROMISE_REWARD)
        assert limit == 1 / agents


def test_theory_notices_a_faulty_score(monkeypatch):
    assert theorem_checks.check_theorems(12, 1)["lemma5.difference"] < 1e-9
    real = theorem_checks.score
    monkeypatch.setattr(theorem_checks, "score", lambda instance, policy: real(instance, np.roll(policy, 1)))
    assert theorem_checks.check_theorems(12, 1)["lemma5.difference"] > 0.01


def test_what_is_played_is_counted_from_the_pulls():
    one = learning_runs.simulate_run(0.7, 1.0, 3_000, 5)
    assert one["voice_lost"] == pytest.approx(3_000 * (1 - one["procedural"]), abs=1e-6)
    assert learning_runs.simulate_run(0.7, 1.0, 3_000, 5) == one
