"""Studies of one's own: the same rows however they came about, intervals that are paired, files that are the study."""

import json
import multiprocessing
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli.study import command
from isegoria.errors import FileError, InputError
from isegoria.studies.experiment import study_runner
from isegoria.studies.experiment.design import make_design
from isegoria.studies.experiment.design_file import DESIGN_KEYS, read_design
from isegoria.studies.experiment.run_journal import JOURNAL_FILE, RunJournal, StoredDesign, load_runs
from isegoria.studies.experiment.study_runner import run_design

LAW = {"model": ["impartial", "mallows:0.3"], "agents": [3, 5], "arms": 3}
LEARNING = {
    "learners": ["elimination", "thompson"],
    "groups": {"model": "impartial", "agents": 4, "arms": 3},
    "seeds": 6,
    "environments": {"noise": "bernoulli", "rounds": 300, "records": 3},
}


GROUPS = "[groups]\nmodel = 'impartial'\nagents = 3\narms = 3\n"


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "rows.parquet"}


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serial")
    return iso.study(**LEARNING, out=folder), folder


def test_a_row_is_what_one_would_compute_by_hand():
    found = iso.study(rules=["nash", "utilitarian:within=fair"], groups=LAW, seeds=[4, 7])
    assert len(found.columns["value"]) == 2 * 4 * 2 * len(found.design.measures)
    for row in found.rows():
        group = found.instance(row["group"], row["seed"])
        within = "fair" if "within" in row["rule"] else None
        policy = iso.solve(group, row["rule"].split(":")[0], within=within).policy
        if row["measure"] in ("procedural", "utilitarian"):
            assert row["value"] == getattr(iso.score(group, policy), row["measure"])


def test_a_learners_row_is_that_of_simulate(learned):
    found, _ = learned
    group = found.instance("impartial 4x3", 2)
    trace = iso.simulate(iso.EliminationLearner(4, 3, seed=2), iso.BernoulliRewards(group), 300, seed=2, records=3)
    rows = {
        (row["round"], row["measure"]): row["value"]
        for row in found.rows()
        if row["seed"] == 2 and row["learner"] == "elimination"
    }
    assert [rows[at, "regret"] for at in (100, 200, 300)] == trace.regret_curve.tolist()
    assert rows[300, "wait"] == trace.longest_wait.max()
    assert rows[300, "lost"] == pytest.approx(trace.voice_lost)


def test_groups_differ_by_seed_and_law_and_not_by_what_else_is_studied():
    one = iso.study(rules="nash", groups=LAW, seeds=3)
    other = iso.study(rules="gini", groups={"model": "impartial", "agents": 3, "arms": 3}, seeds=[2])
    assert (one.instance("impartial 3x3", 2).means == other.instance("impartial 3x3", 2).means).all()
    assert not (one.instance("impartial 3x3", 1).means == one.instance("impartial 3x3", 2).means).all()


@pytest.mark.slow
def test_workers_threads_and_a_scheduler_give_the_same_bytes(learned, tmp_path):
    _, serial = learned
    from distributed import LocalCluster

    iso.study(**LEARNING, out=tmp_path / "two", workers=2)
    with ThreadPoolExecutor(2) as threads:
        iso.study(**LEARNING, out=tmp_path / "threads", executor=threads)
    with LocalCluster(1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        iso.study(**LEARNING, out=tmp_path / "dask", scheduler=cluster.scheduler_address)
    for name in ("two", "threads", "dask"):
        assert files(tmp_path / name) == files(serial)


def test_a_killed_study_goes_on_to_the_same_bytes(learned, tmp_path):
    _, serial = learned
    rng, design, fork = random.Random(5), make_design(**LEARNING), multiprocessing.get_context("fork")
    for _ in range(5):
        worker = fork.Process(target=run_design, args=(design, tmp_path))
        worker.start()
        time.sleep(rng.uniform(0, 0.12))
        worker.kill()
        worker.join()
    run_design(design, tmp_path)
    assert files(tmp_path) == files(serial)


def test_half_a_line_is_cut_off_and_the_rest_is_kept(tmp_path):
    design = StoredDesign.from_design(make_design(**LEARNING))
    name = next(iter(design.cells))
    with RunJournal(tmp_path, design, {(name, 3): []}) as journal:
        journal.add([((name, 5), [])])
    with (tmp_path / JOURNAL_FILE).open("ab") as file:
        file.write(b'[0,4,[[100,"proc')
    assert list(load_runs(tmp_path).runs) == [(name, 3), (name, 5)]


def test_another_design_is_not_mixed_into_a_folder(tmp_path):
    RunJournal(tmp_path, StoredDesign.from_design(make_design(**LEARNING)), {}).close()
    with pytest.raises(FileError, match="fresh"):
        iso.study(rules="nash", groups=LAW, seeds=1, out=tmp_path)
    iso.study(rules="nash", groups=LAW, seeds=1, out=tmp_path, fresh=True)
    assert not (tmp_path / JOURNAL_FILE).exists()


def test_what_is_finished_is_not_computed_again(learned, monkeypatch):
    found, folder = learned
    monkeypatch.setattr("isegoria.studies.experiment.study_runner.measure_run", None)
    again = iso.study(**LEARNING, out=folder)
    assert again.columns == found.columns


def test_tables_have_means_errors_and_paired_intervals():
    found = iso.study(
        rules=["procedural", "utilitarian"],
        groups={"model": "impartial", "agents": 6, "arms": 4},
        seeds=80,
        measures=["procedural", "utilitarian"],
    )
    rows = [row for row in found.rows() if row["measure"] == "utilitarian"]
    values = {
        rule: np.array([row["value"] for row in rows if row["rule"] == rule]) for rule in ("procedural", "utilitarian")
    }
    line = next(row for row in found.table("rule", "utilitarian").rows() if row["rule"] == "procedural")
    assert line["mean"] == pytest.approx(values["procedural"].mean())
    assert line["se"] == pytest.approx(values["procedural"].std(ddof=1) / np.sqrt(80))
    assert line["low"] < line["mean"] < line["high"]
    assert line["count"] == 80
    pair = found.table("rule", "utilitarian", against="utilitarian").rows()
    assert [row["rule"] for row in pair] == ["procedural"]
    assert pair[0]["mean"] == pytest.approx((values["procedural"] - values["utilitarian"]).mean())


def test_what_shares_a_draw_counts_once():
    """Two worlds of the same groups and seeds are not twice as many draws."""
    worlds = {"noise": ["point", "bernoulli"], "rounds": 40}
    found = iso.study(
        learners=["uniform"], groups={"model": "impartial", "agents": 3, "arms": 3}, environments=worlds, seeds=5
    )
    assert [row["count"] for row in found.table(measure="voice").rows()] == [5]
    assert [row["count"] for row in found.table(["environment"], measure="voice").rows()] == [5, 5]


def test_tables_go_by_what_is_known_of_groups_and_settings():
    found = iso.study(
        learners=["procedural", "uniform"],
        groups=LAW,
        settings={"gamma": [0.5, 0.9]},
        seeds=2,
        environments={"rounds": 50},
        measures=["regret", "regret:nash"],
    )
    assert [one.name for one in found.design.contenders] == ["procedural:gamma=0.5", "procedural:gamma=0.9", "uniform"]
    table = found.table(["model", "gamma"], "regret")
    assert {(row["model"], row["gamma"]) for row in table.rows()} >= {("impartial", 0.5), ("mallows:0.3", 0.9)}
    assert len(found.to_frame()) == len(found.columns["value"])
    with pytest.raises(InputError, match="did you mean 'gamma'"):
        iso.study(learners="procedural", groups=LAW, settings={"gama": [1]}, seeds=1)
    with pytest.raises(InputError, match="did you mean 'model'"):
        found.table("modell")


def test_own_rules_learners_and_tables_take_part():
    class Even(iso.Rule):
        def __init__(self):
            super().__init__("even-odds", "EVEN", "every arm alike", "us")

        def policy(self, instance, **options):
            return np.full(len(instance.arms), 1 / len(instance.arms))

    tables = {"lunch": iso.Instance([[1, 0], [0, 1]]), "dinner": iso.Instance([[1, 0], [1, 0.5]])}
    found = iso.study(rules=["procedural", Even()], groups=tables, seeds=3)
    assert set(found.columns["seed"]) == {0}  # a rule on a given table has one answer
    assert set(found.columns["rule"]) == {"procedural", "even-odds"}
    learner = iso.ProceduralLearner(2, 2, gamma=0.6)
    met = iso.study(
        learners=[learner, "procedural"], groups=tables, environments={"noise": "point", "rounds": 30}, seeds=2
    )
    assert [one.name for one in met.design.contenders] == ["procedural:gamma=0.6", "procedural"]


def test_drift_and_delay_are_in_the_world():
    group = iso.Instance([[0.9, 0.1, 0.1], [0.1, 0.9, 0.1]])
    worlds = {"noise": "point", "rounds": 200, "drift": 100, "delay": 4}
    found = iso.study(
        learners=["random-dictatorship"], groups=group, environments=worlds, seeds=1, measures=["realised", "lost"]
    )
    environment = found.design.environments[0].environment(group)
    assert environment.means_at(99).tolist() == group.means.tolist()
    assert environment.means_at(100).tolist() == np.roll(group.means, 1, axis=1).tolist()
    values = {row["measure"]: row["value"] for row in found.rows()}
    assert values["realised"] == pytest.approx(1 - values["lost"] / 200)


def test_plots_are_axes_with_every_name(learned):
    found, _ = learned
    axes = found.plot("realised")
    assert axes.get_xlabel() == "round"
    assert {line.get_label() for line in axes.get_lines()} == {"elimination", "thompson"}
    rules = iso.study(rules=["nash", "gini"], groups=LAW, seeds=3)
    assert [tick.get_text() for tick in rules.plot("utilitarian").get_yticklabels()] == ["nash", "gini"]
    against = rules.plot("utilitarian", x="agents")
    assert len(against.get_lines()) == 2
    assert rules.plot("utilitarian", ax=against) is against


@pytest.mark.slow
def test_a_file_is_the_study(tmp_path):
    (tmp_path / "lunch.csv").write_text("agent,tea,mate\nAnn,1,0\nBen,0,1\n")
    path = tmp_path / "study.toml"
    path.write_text('[study]\nrules = ["procedural", "nash"]\nseeds = 2\n[groups]\nfile = "lunch.csv"\n')
    out = tmp_path / "out"
    shown = CliRunner().invoke(
        command, [str(path), "--out", str(out), "--format", "json", "--parquet"], catch_exceptions=False
    )
    assert shown.exit_code == 0
    answer, record = json.loads(shown.stdout), json.loads((out / "run.json").read_text())
    assert answer["identity"] == record["settings"]["identity"] == read_design(path).identity
    assert record["sources"]["sha256"]
    assert {"rows.csv", "rows.parquet", "table.csv", "table.tex", "procedural.png"} <= {p.name for p in out.iterdir()}
    (tmp_path / "lunch.csv").write_text("agent,tea,mate\nAnn,1,0\nBen,0.5,1\n")
    assert read_design(path).identity != answer["identity"]  # the ratings are part of the study


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("[study]\nrule = ['nash']\n", "did you mean 'rules'"),
        ("[stody]\n", "did you mean 'study'"),
        ("[study]\nrules = ['nash']\n[groups]\nmodel = 'impartial'\nagent = 3\n", "did you mean 'agents'"),
        (f"[study]\nlearners = ['elimination']\n{GROUPS}[environment]\nnoise = 'bta'\n", "beta"),
        ("[study]\nrules = ['nash']\nlearners = ['elimination']\n", "rules or learners"),
        (f"[study]\nrules = ['nash']\nseeds = 0\n{GROUPS}", "seeds is 0"),
        ("rules = \n", "not TOML"),
        (f"[study]\nrules = ['nash']\nmeasures = ['utility']\n{GROUPS}", "did you mean"),
    ],
)
def test_a_slip_in_the_file_is_refused_with_advice(text, advice, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=advice):
        read_design(path)


def test_every_key_is_on_the_reference_page():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "study.md").read_text(encoding="utf-8")
    assert [key for table in DESIGN_KEYS.values() for key in table if f"| `{key}` |" not in page] == []


def test_resumed_study_computes_missing_runs_only(tmp_path, monkeypatch):
    design = make_design(**LEARNING)
    count = len(design.runs())
    measured = []

    def measure(*run):
        if len(measured) == count // 2:
            raise KeyboardInterrupt
        measured.append(run)
        return study_measure(*run)

    study_measure = study_runner.measure_run
    monkeypatch.setattr(study_runner, "measure_run", measure)
    with pytest.raises(KeyboardInterrupt):
        run_design(design, tmp_path)
    done, measured[:] = len(measured), [None] * count  # so that the second run is not interrupted
    run_design(design, tmp_path)
    assert len(measured) - count == count - done
