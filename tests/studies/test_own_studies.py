"""Studies of a user's own models, environments and learners, and a store that extends, refuses and reports."""

import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import isegoria as iso
from isegoria.errors import FileError, InputError, IsegoriaWarning
from isegoria.preferences.model import PreferenceModel
from isegoria.studies.experiment.study_folder import load_study

pd = pytest.importorskip("pandas")


def camps(rng, n, k, split=0.6):
    """Two camps on a line: a cardinal model, with ratings that come from no ranking."""
    ideal = np.where(rng.random(n) < split, -0.7, 0.7) + rng.normal(0, 0.15, n)
    return np.exp(-np.abs(ideal[:, None] - np.linspace(-1, 1, k)))


class Mood(iso.Environment):
    """Everybody's mood is the same in a round."""

    id, summary = "mood", "shared mood"

    def draw(self, rng, arm, first, pulls):
        return np.clip(self.means[:, arm] + rng.normal(0, 0.1, (pulls, 1)), 0, 1)


class Cafe:
    """A simulator with step(arm), as in Gymnasium."""

    means = ((0.9, 0.2, 0.4), (0.1, 0.8, 0.4))

    def reset(self, seed):
        self.rng = np.random.default_rng(seed)

    def step(self, arm):
        return None, self.rng.random(2) < np.array(self.means)[:, arm], False, False, {}


def make_rule(arm):
    class Always(iso.Rule):
        def __init__(self):
            super().__init__("always", "ALWAYS", "always one arm", "us")

        def policy(self, instance):
            return np.eye(len(instance.arms))[arm]

    return Always()


def make_learner(n_agents, n_arms, seed):
    return iso.EliminationLearner(n_agents, n_arms, seed=seed)


def test_groups_come_from_a_function_with_factors():
    found = iso.study(rules=["nash"], groups={"model": camps, "n": [5, 11], "k": 4}, seeds=3)
    assert [group.name for group in found.design.groups] == ["camps n=5 k=4", "camps n=11 k=4"]
    assert {(row["n"], row["count"]) for row in found.table(["n"], "utilitarian").rows()} == {(5, 3), (11, 3)}
    group = found.instance("camps n=5 k=4", 2)
    assert group.means.shape == (5, 4)
    assert len(np.unique(group.means)) == 20  # ratings as they are, not the paper's rewards of a ranking
    assert not np.array_equal(group.means, found.instance("camps n=5 k=4", 1).means)


@pytest.mark.parametrize(
    ("groups", "advice"),
    [
        (camps, "camps needs n"),
        ({"model": camps, "n": 3, "arm": 3}, "Known: n, k, split"),
        ({"model": lambda: None}, "random generator first"),
        ({"model": [camps, "impartial"], "n": 3, "k": 3}, "two descriptions"),
        ({"model": lambda rng: "tea"}, "no group"),
    ],
)
def test_wrong_models_are_refused_with_advice(groups, advice):
    with pytest.raises(InputError, match=advice):
        iso.study(rules=["nash"], groups=groups, seeds=1)


def test_groups_come_from_a_preference_model_object():
    same = PreferenceModel(
        "same", "all alike", "us", lambda n, k, p: 1, lambda u, n, k, p: np.tile(range(k), (len(u), n, 1))
    )
    found = iso.study(rules=["procedural"], groups={"model": same, "agents": 4, "arms": 3}, seeds=2)
    assert found.instance("same 4x3", 1).means.argmax(axis=1).tolist() == [0, 0, 0, 0]


def test_a_table_of_groups_keeps_its_columns():
    groups = [iso.Instance([[1, 0], [0, 1]]), iso.Instance([[1, 0.5], [0.2, 1]])]
    frame = pd.DataFrame({"group": groups, "spread": [0.1, 0.2]})
    for given in (frame, frame.to_dict("records")):
        found = iso.study(rules=["nash"], groups=given, seeds=1)
        assert [row["spread"] for row in found.table("spread", "utilitarian").rows()] == [0.1, 0.2]


@pytest.mark.parametrize(
    "world", [Mood, Mood(Cafe.means), lambda group: Mood(group), Cafe(), lambda group: Cafe(), iso.BetaRewards]
)
def test_an_own_environment_is_played(world):
    found = iso.study(
        learners=["elimination"], groups=iso.Instance(Cafe.means), environments={"noise": world, "rounds": 40}, seeds=2
    )
    assert found.table(measure="realised").rows()[0]["count"] == 2


def test_an_environment_object_brings_its_own_group():
    log = [[[0.0, 1.0], [1.0, 1.0]], [[0.5, 0.5]]]
    found = iso.study(
        learners=["uniform"], environments={"noise": iso.ReplayRewards(log, cycle=True), "rounds": 9}, seeds=1
    )
    assert found.instance("group").means.tolist() == [[0.5, 0.5], [1.0, 0.5]]
    assert iso.study(learners=["uniform"], environments=Cafe(), seeds=1).instance("group").means.shape == (2, 3)


def test_a_class_of_simulators_is_made_without_a_group():
    group, world = iso.Instance(Cafe.means), {"rounds": 40}
    one, other = (
        iso.study(learners=["uniform"], groups=group, environments={"noise": noise, **world}, seeds=2, workers=1)
        for noise in (Cafe, Cafe())
    )
    assert [row["value"] for row in one.rows()] == [row["value"] for row in other.rows()]


def test_simulators_are_played_with_the_seed_of_the_run():
    environment = iso.Environment.from_simulator(Cafe())
    assert environment.means.tolist() == [list(row) for row in Cafe.means]
    stream, rng = environment.stream(7), np.random.default_rng(7)
    assert [stream.pull(0, t).tolist() for t in range(9)] == [(rng.random(2) < [0.9, 0.1]).tolist() for t in range(9)]
    traces = [iso.simulate(iso.UniformLearner(2, 3, seed=1), environment, 50, seed=s) for s in (7, 7, 8)]
    assert traces[0].rewards.tolist() == traces[1].rewards.tolist() != traces[2].rewards.tolist()


@pytest.mark.parametrize("step", [lambda self, arm: [0.5], lambda self, arm: [2.0, 0.1]])
def test_wrong_rewards_of_a_simulator_are_refused(step):
    wrong = type("Wrong", (), {"means": Cafe.means, "step": step})
    with pytest.raises(InputError, match=r"step\(0\)"):
        iso.Environment.from_simulator(wrong()).stream(1).pull(0, 1)


def test_learners_are_made_for_each_size():
    groups = {"model": camps, "n": [3, 5], "k": 3}
    found = iso.study(
        learners=["elimination", iso.EliminationLearner, make_learner],
        groups=groups,
        environments={"rounds": 40},
        seeds=2,
    )
    assert [one.name for one in found.design.contenders] == ["elimination", "elimination (2)", "make_learner"]
    values = {
        name: [r["value"] for r in found.rows() if r["learner"] == name] for name in set(found.columns["learner"])
    }
    assert values["elimination"] == values["elimination (2)"] == values["make_learner"]
    with pytest.raises(InputError, match=r"expected an iso\.Learner"):
        iso.study(learners=lambda n, k, seed: "tea", groups=groups, seeds=1)


CELL = """
import isegoria as iso, numpy as np, threading
class Mine(iso.UniformLearner): id = "mine"
class Mood(iso.BetaRewards): id = "mood"
def camps(rng, n): return rng.random((n, 3))
groups = {"model": camps, "n": [3, 4]}
found = iso.study(learners=["elimination", Mine], groups=groups, environments=Mood, seeds=2, workers=2)
thread = threading.Thread(target=threading.Event().wait, daemon=True)
thread.start()  # as in a notebook: a fork would be unsafe
traces = iso.simulate_many(Mine(3, 3), Mood(np.eye(3)), 20, seeds=3)
print(len(found.columns["value"]), [int(trace.rounds[-1]) for trace in traces])
"""


def test_classes_of_a_script_run_in_parallel_without_a_guard(tmp_path):
    (tmp_path / "script.py").write_text(CELL)
    shown = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert shown.stdout.split()[1:] == ["[20,", "20,", "20]"], shown.stderr
    assert not shown.stderr


def test_what_cannot_be_sent_runs_here_with_one_warning():
    lock = threading.Lock()

    def locked(rng, n):
        with lock:
            return rng.random((n, 3))

    with pytest.warns(IsegoriaWarning, match="the group 'locked n=3' cannot be sent") as said:
        found = iso.study(rules="nash", groups={"model": locked, "n": [3, 4]}, seeds=2, workers=2)
    assert len(said) == 1
    assert set(found.columns["seed"]) == {0, 1}


LAW = {"model": "impartial", "agents": 4, "arms": 3}


def count_runs(**design):
    calls = []
    found = iso.study(groups=LAW, on_progress=lambda done, of: calls.append(done), **design)
    return found, calls[-1] - calls[0] if calls else 0


def read_files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_finished_study_is_extended(tmp_path):
    out, rules = tmp_path / "out", ["procedural", "nash"]
    assert count_runs(rules=rules, seeds=30, out=out)[1] == 60
    assert count_runs(rules=rules, seeds=30, out=out)[1] == 0
    assert count_runs(rules=rules, seeds=40, out=out)[1] == 20
    assert count_runs(rules=[*rules, "gini"], seeds=40, out=out)[1] == 40
    count_runs(rules=[*rules, "gini"], seeds=40, out=tmp_path / "at once")
    assert read_files(out) == read_files(tmp_path / "at once")


def test_another_design_loses_nothing(tmp_path):
    count_runs(rules=["procedural", "nash"], seeds=9, out=tmp_path)
    before = read_files(tmp_path)
    for other, what in (
        ({"rules": ["nash"]}, "method 'procedural'"),
        ({"seeds": 3}, "seed 3"),
        ({"measures": "gap"}, "measure"),
    ):
        with pytest.raises(FileError, match=what):
            count_runs(**{"rules": ["procedural", "nash"], "seeds": 9} | other, out=tmp_path)
    assert read_files(tmp_path) == before


def test_changed_code_is_computed_again_and_reported(tmp_path):
    found, count = count_runs(rules=["nash", make_rule(0)], seeds=5, out=tmp_path)
    assert count == 10
    assert count_runs(rules=["nash", make_rule(0)], seeds=5, out=tmp_path)[1] == 0
    with pytest.warns(IsegoriaWarning, match="method 'always' has changed"):
        again, count = count_runs(rules=["nash", make_rule(1)], seeds=5, out=tmp_path)
    assert count == 5
    assert again.columns["value"] != found.columns["value"]


def test_changed_code_of_kept_runs_runs_again(tmp_path):
    def make(arm):
        class Mine(iso.UniformLearner):
            def compute_policy(self, state, arms):
                return np.eye(2)[arm]

        return Mine(2, 2)

    def run(arm):
        return iso.simulate_many(make(arm), iso.BetaRewards(np.eye(2)), 20, seeds=2, workers=1, keep=tmp_path)

    assert run(0)[0].policy.tolist() == [1, 0]
    with pytest.warns(IsegoriaWarning, match="has changed"):
        assert run(1)[0].policy.tolist() == [0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(1)[0].policy.tolist() == [0, 1]


def test_a_finished_study_is_opened_without_its_script(tmp_path):
    found = iso.study(
        rules=["nash", make_rule(0)],
        groups=[{**LAW}, {"model": camps, "n": 4, "k": 3}],
        seeds=3,
        out=tmp_path,
        measures=["utilitarian"],
    )
    again = load_study(tmp_path)
    assert again.columns == found.columns
    assert repr(again.table(["rule", "n"])) == repr(found.table(["rule", "n"]))
    assert again.instance("impartial 4x3", 2).means.tolist() == found.instance("impartial 4x3", 2).means.tolist()
    with pytest.raises(InputError, match="not in the study's folder"):
        again.instance("camps n=4 k=3", 0)
    with pytest.raises(FileError, match="no finished study"):
        load_study(tmp_path / "none")


def test_tables_have_deviations_quantiles_and_latex():
    found = iso.study(rules=["procedural", "utilitarian"], groups=LAW, seeds=9, measures=["utilitarian"])
    table = found.table("rule", sd=True, quantiles=(0.25, 0.5))
    values = [row["value"] for row in found.rows() if row["rule"] == "procedural"]
    line = table.rows()[0]
    assert line["sd"] == pytest.approx(np.std(values, ddof=1))
    assert (line["q25"], line["median"]) == pytest.approx(np.quantile(values, (0.25, 0.5)))
    text = table.to_latex("Scores.", "tab:own", digits=2)
    assert r"\toprule" in text
    assert f"${line['mean']:.2f}$" in text
    assert "tab:own" in text
    assert "id" not in found.to_frame().columns
    with pytest.raises(InputError, match="quantiles"):
        found.table(quantiles=[3])


def test_measures_that_were_not_recorded_say_how_to():
    found = iso.study(learners=["uniform"], groups=LAW, environments={"rounds": 20}, seeds=2, measures=["realised"])
    with pytest.raises(InputError, match=r"measures=\['realised', 'regret:procedural'\]"):
        found.plot("regret:procedural")


def test_coinciding_lines_are_named_together():
    found = iso.study(rules=["nash", "nash:tie_break=centre"], groups={**LAW, "agents": [3, 4]}, seeds=2)
    lines = found.plot("utilitarian", x="agents").get_lines()
    assert [line.get_label() for line in lines] == ["nash = nash:tie_break=centre"]


def test_a_trace_has_the_learner_after_the_run(tmp_path):
    trace = iso.simulate(iso.EliminationLearner(2, 3, seed=1), iso.BetaRewards(Cafe.means), 60, seed=1)
    assert trace.learner.rounds == 60
    assert trace.learner.policy.tolist() == trace.policy.tolist()
    assert "voice lost" in repr(trace)


def test_a_finished_study_leaves_no_files_of_killed_processes(tmp_path):
    (tmp_path / ".rows.journal.17.tmp").write_text("half a journal")
    count_runs(rules=["nash"], seeds=2, out=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"rows.csv", "run.json"}


def test_environments_go_by_the_names_of_the_user():
    specs = {"moody": {"noise": Mood, "rounds": 20}, "plain": "point"}
    found = iso.study(learners=["uniform"], groups=LAW, environments=specs, seeds=1, measures=["realised"])
    assert sorted(set(found.columns["environment"])) == ["moody", "plain"]


def test_a_factory_may_leave_out_the_seed():
    made = iso.study(learners=[lambda n, k: iso.UniformLearner(n, k)], groups=LAW, environments={"rounds": 20}, seeds=2)
    assert len(made.table(measure="realised").rows()) == 1
    with pytest.raises(InputError, match="give its class, or a function"):
        iso.study(learners=[iso.UniformLearner(9, 9)], groups=LAW, environments={"rounds": 20}, seeds=1)


@pytest.mark.parametrize("name", ["rule", "seed", "measure", "mean"])
def test_factors_do_not_hide_the_columns_of_a_study(name):
    groups = {"model": lambda rng, **factors: rng.random((3, 2)), name: [1, 2]}
    with pytest.raises(InputError, match=f"'{name}' is a column of every study"):
        iso.study(rules=["nash"], groups=groups, seeds=1)
    with pytest.raises(InputError, match="another name"):
        iso.study(rules=["nash"], groups=[{"instance": iso.Instance([[1, 0]]), name: 3}], seeds=1)


def test_a_table_of_something_else_is_not_overwritten(tmp_path):
    (tmp_path / "rows.csv").write_text("mine\n")
    with pytest.raises(FileError, match="is no study's"):
        iso.study(rules=["nash"], groups=LAW, seeds=1, out=tmp_path)
    assert (tmp_path / "rows.csv").read_text() == "mine\n"


@pytest.mark.parametrize("simulate", [iso.simulate, iso.simulate_many])
def test_simulators_are_played_without_a_wrapper(simulate):
    class Silent(Cafe):
        """A simulator that does not say its means."""

        means = property(lambda self: None)

        def step(self, arm):
            return np.random.default_rng(arm).random(2)

    options = {"seed": 1} if simulate is iso.simulate else {"seeds": 1, "workers": 1}
    for simulator in (Cafe(), Silent()):
        found = simulate(iso.UniformLearner(2, 3, seed=1), simulator, 30, **options)
        assert (found if simulate is iso.simulate else found[0]).rounds[-1] == 30


def test_a_learner_takes_names_and_weights_of_an_instance():
    instance = iso.Instance([[1, 0], [0, 1]], agents=["Ann", "Ben"], arms=["tea", "mate"], weights=[1, 3])
    learner = iso.EliminationLearner.from_instance(instance, seed=1, resolution=0.2)
    assert (learner.agents, learner.arms, learner.weights.tolist()) == (("Ann", "Ben"), ("tea", "mate"), [1, 3])


def test_the_state_of_a_hook_has_a_row_for_each_agent_present():
    seen = []

    class Watcher(iso.UniformLearner):
        id = "watcher"

        def compute_policy(self, state, arms):
            seen.append((state.means.copy(), state.counts.copy(), state.weights.tolist(), state.agents, state.round))
            return super().compute_policy(state, arms)

    learner = Watcher(3, 2, seed=1, weights=[1, 2, 3], agents=["a", "b", "c"])
    for _ in range(2):
        learner.tell(learner.ask(), [0.1, 0.2, 0.3])
    learner.leave("b")
    learner.ask()
    means, counts, weights, agents, round = seen[-1]
    assert means.tolist() == [[0.1, 0.1], [0.3, 0.3]]
    assert counts.tolist() == [[1, 1], [1, 1]]
    assert (weights, agents, round) == ([1, 3], ("a", "c"), 3)
