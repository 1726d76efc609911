"""Large tables: the same answers as in memory, the same bytes from any executor, and what is wrong refused by place."""

import hashlib
import json
import os
import random
import signal
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli import main
from isegoria.io.storage.atomic_write import write_bytes
from isegoria.out_of_core import cluster, executors
from isegoria.out_of_core.executors import ProcessPool, WorkersLostError, close_after
from isegoria.out_of_core.map_reduce import map_chunks
from isegoria.out_of_core.map_tasks import MapTask, find_worst_off, map_chunk
from isegoria.rules import RULE_GROUPS, TIE_BREAKS
from oracles.large_profiles import HOSTILE_FAMILIES, make_clusters

SIX = list(RULE_GROUPS["paper"])


def write_partitions(folder, table, weights=None, groups=700, files=3, dtype=np.float64):
    """The table as a folder of Parquet files with small row groups."""
    import pyarrow
    import pyarrow.parquet

    folder.mkdir()
    for part, rows in enumerate(np.array_split(np.arange(len(table)), files)):
        columns = {f"a{k}": table[rows, k].astype(dtype) for k in range(table.shape[1])}
        columns["agent"] = [f"m{i}" for i in rows]
        if weights is not None:
            columns["weight"] = weights[rows]
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"part-{part}.parquet", row_group_size=groups)
    return folder


def fingerprint(scan) -> str:
    """The SHA-256 of policies, values and gaps."""
    found = [iso.solve(scan, name) for name in SIX]
    return hashlib.sha256(
        b"".join(s.policy.tobytes() + np.array([s.value, s.gap]).tobytes() for s in found)
    ).hexdigest()


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    return write_partitions(tmp_path_factory.mktemp("tables") / "crowd", make_clusters(6_000, 6))


class TestTheSameAnswers:
    @pytest.mark.parametrize("name", ["clusters", "float32", "weights", "stars"])
    def test_as_in_memory(self, tmp_path, name):
        rng = np.random.default_rng(5)
        table = np.round(make_clusters(5_000, 5), 1) if name == "stars" else make_clusters(5_000, 5)
        dtype = np.float32 if name == "float32" else np.float64
        weights = rng.integers(1, 9, 5_000) if name == "weights" else None
        scan = iso.scan(write_partitions(tmp_path / "t", table, weights, dtype=dtype))
        instance = iso.Instance(table.astype(dtype).astype(float), weights=weights, arms=scan.arms)
        there, here = iso.compare(scan), iso.compare(instance)
        assert scan.passes <= 7
        for objective in SIX:
            assert np.abs(there[objective].policy - here[objective].policy).max() <= 1e-9
            assert there[objective].solution.value == pytest.approx(here[objective].solution.value, abs=1e-9)
            assert there[objective].scores.values == pytest.approx(here[objective].scores.values, abs=1e-9)
        for objective in ("procedural", "utilitarian"):  # to the last bit
            one, two = there[objective].solution, here[objective].solution
            assert (one.policy.tobytes(), one.value, one.gap) == (two.policy.tobytes(), two.value, two.gap)

    @pytest.mark.parametrize("tie_break", TIE_BREAKS)
    def test_with_every_tie_break(self, tmp_path, tie_break):
        table = np.repeat(np.random.default_rng(7).integers(0, 3, (900, 3)) / 2, 2, axis=1)  # every arm has a twin
        scan, instance = iso.scan(write_partitions(tmp_path / "t", table)), iso.Instance(table)
        for objective in SIX:
            one, two = iso.solve(scan, objective, tie_break), iso.solve(instance, objective, tie_break)
            assert one.value == pytest.approx(two.value, abs=1e-9)
            if tie_break != "vertex":
                assert np.abs(one.policy - two.policy).max() <= 1e-7, objective

    def test_within_the_fair_and_at_the_ends_of_the_price(self, crowd):
        scan, instance = iso.scan(crowd), iso.Instance(make_clusters(6_000, 6))
        for objective in set(SIX) - {"nash"}:
            one, two = (iso.solve(table, objective, within="fair") for table in (scan, instance))
            assert np.abs(one.policy - two.policy).max() <= 1e-9
        with pytest.raises(iso.InputError, match="nash within the fair"):
            iso.solve(scan, "nash", within="fair")
        for axis in ("utilitarian", "equality"):
            assert np.abs(iso.frontier(scan, axis).values - iso.frontier(instance, axis).values).max() <= 1e-9

    def test_an_audit_by_type(self, crowd):
        scan, instance = iso.scan(crowd), iso.Instance(make_clusters(6_000, 6), arms=[f"a{k}" for k in range(6)])
        for policy in (iso.solve(instance, "nash").policy, np.full(6, 1 / 6)):
            one, two = iso.audit(scan, policy), iso.audit(instance, policy, time_limit=1)
            assert one.scores.procedural == pytest.approx(two.scores.procedural, abs=1e-12)
            assert one.neglected_coalition.deserves == pytest.approx(two.neglected_coalition.deserves)
            assert one.neglected_coalition.arms == two.neglected_coalition.arms
            assert one.attribution_matrix.sum(axis=0) == pytest.approx(two.attribution_matrix.sum(axis=0))
            assert [one.core[kind].stable for kind in one.core] == [two.core[kind].stable for kind in two.core]
            assert sorted(one.agent_sentences) == sorted(two.agent_sentences)
            assert [s for s in one.verdict_sentences if "less than" in s] == [
                s for s in two.verdict_sentences if "less than" in s
            ]

    def test_more_arms_than_bits(self, tmp_path):
        table = np.random.default_rng(9).integers(0, 4, (400, 70)) / 3
        scan, instance = iso.scan(write_partitions(tmp_path / "t", table)), iso.Instance(table)
        for objective in SIX:
            one, two = iso.solve(scan, objective), iso.solve(instance, objective)
            assert one.value == pytest.approx(two.value, abs=1e-9)

    def test_a_sample_that_stands_for_the_others_saves_passes(self):
        scan = iso.scan(iso.Instance(make_clusters(100_000, 20, 2)))
        answer = scan.answer("nash")
        assert answer.gap <= 1e-12
        assert scan.passes == 4  # a look, two steps and the proof; five where others are a parabola only

    def test_questions_of_one_kind_are_answered_together(self, crowd):
        source = iso.scan(crowd).source
        unit, rng = source.units[1], np.random.default_rng(0)
        asked = [MapTask(find_worst_off, (rng.dirichlet(np.ones(len(source.arms)), size=size),)) for size in (3, 1, 2)]
        columns = source.columns(unit)
        together = map_chunk(source, unit, columns, asked)
        alone = [map_chunk(source, unit, columns, [question]) for question in asked]
        for one, (other,) in zip(together, alone, strict=True):
            for mine, theirs in zip(one, other, strict=True):
                np.testing.assert_array_equal(mine.utilities, theirs.utilities)
                np.testing.assert_array_equal(mine.agents.places, theirs.agents.places)

    def test_values_of_any_policy(self, crowd):
        scan, instance, policy = (
            iso.scan(crowd),
            iso.Instance(make_clusters(6_000, 6)),
            np.array([0.5, 0, 0, 0.25, 0.25, 0]),
        )
        for objective in SIX:
            row = iso.RULES[objective]
            assert row.evaluate(scan, policy) == pytest.approx(row.evaluate(instance, policy), abs=1e-12)

    @pytest.mark.filterwarnings("ignore::isegoria.errors.NearTieWarning")
    @pytest.mark.parametrize("family", HOSTILE_FAMILIES)
    def test_hostile_tables_are_certified(self, tmp_path, family):
        table = HOSTILE_FAMILIES[family](np.random.default_rng(11), 20_000)
        scan = iso.scan(write_partitions(tmp_path / "t", table, groups=5_000))
        instance = iso.Instance(table)
        scan.prepare(dict.fromkeys(SIX, "centre"))
        assert scan.passes <= 12
        found = {name: iso.solve(scan, name) for name in SIX}
        for name in ("nash", "egalitarian", "inequality"):
            assert found[name].value == pytest.approx(iso.solve(instance, name).value, abs=1e-9)


class ShufflingExecutor(Executor):
    """Does its tasks on a thread, in an order of its own."""

    def __init__(self):
        self.tasks = []

    def submit(self, work, *args):
        future = Future()
        self.tasks.append((future, work, args))
        threading.Timer(0.01, self._work).start()
        return future

    def _work(self):
        random.shuffle(self.tasks)
        while self.tasks:
            future, work, args = self.tasks.pop()
            future.set_result(work(*args))


class TestTheSameBytes:
    @pytest.mark.slow
    def test_from_any_executor(self, crowd):
        expected = fingerprint(iso.scan(crowd))
        with ThreadPoolExecutor(2) as threads:
            assert fingerprint(iso.scan(crowd, executor=threads)) == expected
        assert fingerprint(iso.scan(crowd, executor=ShufflingExecutor())) == expected
        with close_after(ProcessPool(2)) as pool:
            assert fingerprint(iso.scan(crowd, executor=pool)) == expected

    @pytest.mark.slow
    def test_when_a_worker_is_killed(self, crowd, tmp_path, monkeypatch):
        expected = fingerprint(iso.scan(crowd))
        monkeypatch.setattr(
            "isegoria.out_of_core.map_reduce.map_chunks", partial(kill_worker_once, str(tmp_path / "died"))
        )
        with close_after(ProcessPool(2)) as pool:
            assert fingerprint(iso.scan(crowd, executor=pool)) == expected
            assert pool.deaths == 1
        assert (tmp_path / "died").exists()

    def test_on_a_cluster(self, crowd, cluster):
        expected = fingerprint(iso.scan(crowd))
        with close_after(executors.make_executor(scheduler=cluster.scheduler_address)) as executor:
            assert fingerprint(iso.scan(crowd, executor=executor)) == expected

    @pytest.mark.slow
    def test_workers_that_die_again_and_again_are_said(self):
        with close_after(ProcessPool(1)) as pool, pytest.raises(WorkersLostError, match="Give fewer workers"):
            pool.run(suicide, [()])

    def test_executors_are_refused_in_words(self, crowd, monkeypatch):
        monkeypatch.setattr(cluster, "SCHEDULER_TIMEOUT_SECONDS", 0.5)
        with pytest.raises(iso.InputError, match="anything with submit"):
            iso.scan(crowd, executor=3)
        with pytest.raises(iso.InputError, match="there is no Dask scheduler at tcp://127"):
            executors.make_executor(scheduler="tcp://127.0.0.1:1")


def kill_worker_once(mark, source, units, questions):
    """The work of a pass, but the first worker to begin one kills itself."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return map_chunks(source, units, questions)
    time.sleep(0.05)
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def suicide():
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


class TestWhereRowsComeFrom:
    def test_arrow_files_lists_and_streams(self, tmp_path):
        import polars
        import pyarrow
        import pyarrow.feather

        table = make_clusters(3_000, 4)
        frame = pyarrow.table({f"a{k}": table[:, k] for k in range(4)})
        pyarrow.feather.write_feather(frame, tmp_path / "t.arrow", chunksize=500, compression="uncompressed")
        expected = fingerprint(iso.scan(tmp_path / "t.arrow"))
        assert iso.scan([tmp_path / "t.arrow"]).rows == 3_000
        assert len(iso.scan(tmp_path / "t.arrow").source.units) == 6
        stream = iso.scan(polars.from_arrow(frame))
        assert iso.solve(stream, "nash").value == pytest.approx(iso.solve(iso.Instance(table), "nash").value)
        assert fingerprint(iso.scan(iso.Instance(table, arms=frame.column_names))) != "" != expected

    def test_small_whole_ratings_with_a_scale(self, tmp_path):
        stars = np.random.default_rng(3).integers(1, 6, (2_000, 4))
        scan = iso.scan(write_partitions(tmp_path / "t", stars, dtype=np.int8), scale=(1, 5))
        instance = iso.Instance((stars - 1) / 4)
        assert iso.solve(scan, "procedural").policy.tobytes() == iso.solve(instance, "procedural").policy.tobytes()
        assert iso.solve(scan, "utilitarian").value == iso.solve(instance, "utilitarian").value

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (
                lambda table: table.__setitem__((750, 2), 1.5),
                r"part-0.parquet, row group 1, row 51, column 'a2' is 1.5; .* scale=",
            ),
            (
                lambda table: table.__setitem__((2100, 1), np.nan),
                r"part-1.parquet, row group 0, row 101, column 'a1' is nan",
            ),
            (
                lambda table: table.__setitem__((5, 0), -1e-9),
                r"row 6, column 'a0' is -1e-09; expected a number from 0 to 1",
            ),
        ],
    )
    def test_entries_off_the_scale_are_named_by_their_place(self, tmp_path, change, said):
        table = make_clusters(6_000, 4)
        change(table)
        with pytest.raises(iso.FileError, match=said):
            iso.solve(iso.scan(write_partitions(tmp_path / "t", table)), "nash")

    def test_gaps_and_weights_are_named_by_their_place(self, tmp_path):
        import pyarrow
        import pyarrow.parquet

        for name, columns, said in (
            ("gap", {"tea": [0.5, None, 1.0]}, "row group 0, row 2, column 'tea' is empty"),
            ("weight", {"tea": [0.5, 1.0], "weight": [1.0, 1.5]}, "row 2, column 'weight' is 1.5; a weight is a whole"),
        ):
            pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / f"{name}.parquet")
            with pytest.raises(iso.FileError, match=said):
                iso.solve(iso.scan(tmp_path / f"{name}.parquet"))

    def test_a_file_that_changes_between_passes_is_refused_by_name(self, tmp_path):
        table = make_clusters(3_000, 4)
        folder = write_partitions(tmp_path / "t", table)
        scan = iso.scan(folder)
        iso.solve(scan, "utilitarian")
        other = write_partitions(tmp_path / "other", 1 - table)
        write_bytes(folder / "part-1.parquet", (other / "part-1.parquet").read_bytes())
        with pytest.raises(iso.FileError, match=r"part-1.parquet has changed since it was opened"):
            iso.solve(scan, "nash")

    @pytest.mark.parametrize(
        ("path", "said"),
        [
            ("nowhere.parquet", "there is no file"),
            ("empty", "has no .parquet or .arrow files"),
            (3, "scan needs the path"),
            ([], "an empty list; name at least one file"),
            ("t.csv", "only Parquet and Arrow files are read a part at a time. Leave out --workers"),
            ("stream.arrow", "an Arrow stream or no Arrow file at all"),
            ("long.parquet", "has one row for each agent and arm"),
        ],
    )
    def test_what_cannot_be_scanned(self, tmp_path, path, said):
        import pyarrow
        import pyarrow.parquet

        (tmp_path / "empty").mkdir()
        (tmp_path / "t.csv").write_text("agent,tea\nAnn,1\n")
        frame = pyarrow.table({"agent": ["Ann", "Bob"], "arm": ["tea", "tea"], "value": [1.0, 0.0]})
        pyarrow.parquet.write_table(frame, tmp_path / "long.parquet")
        with pyarrow.ipc.new_stream(tmp_path / "stream.arrow", frame.schema) as writer:
            writer.write_table(frame)
        with pytest.raises(iso.InputError, match=said):
            iso.scan(tmp_path / path if isinstance(path, str) else path)

    def test_a_frame_that_is_not_computed_is_refused(self):
        import polars

        lazy = polars.DataFrame({"tea": [1.0], "coffee": [0.5]}).lazy()
        with pytest.raises(iso.InputError, match="LazyFrame is not computed yet"):
            iso.scan(lazy)

    def test_columns_that_are_left_out_are_said_once_and_in_json(self, tmp_path):
        import polars

        frame = polars.DataFrame({"tea": [1.0, 0.5], "note": ["a", "b"]})
        with pytest.warns(iso.ReadingWarning, match="the frame: 'note' holds no numbers and is left out"):
            assert iso.scan(frame).import_notes == ("'note' holds no numbers and is left out",)
        frame.write_parquet(tmp_path / "t.parquet")
        done = CliRunner().invoke(main, ["solve", str(tmp_path / "t.parquet"), "--workers", "1", "--format", "json"])
        assert done.stderr.count("Note:") == 1
        assert json.loads(done.stdout)["reading"] == ["'note' holds no numbers and is left out"]
        for options, said in ((["--missing", "lowest"], "--missing is not for a table"), (["-"], "only once")):
            path = [] if "-" in options else [str(tmp_path / "t.parquet")]
            done = CliRunner().invoke(main, ["solve", *path, *options, "--workers", "1"])
            assert done.exit_code == 2
            assert said in done.stderr

    def test_parts_must_agree(self, tmp_path):
        folder = write_partitions(tmp_path / "t", make_clusters(3_000, 4))
        write_partitions(tmp_path / "u", make_clusters(300, 3), files=1)
        os.rename(tmp_path / "u" / "part-0.parquet", folder / "part-9.parquet")
        with pytest.raises(iso.FileError, match=r"part-9.parquet has other columns than .*part-0.parquet"):
            iso.scan(folder)
        (folder / "part-9.parquet").write_bytes(b"PAR1 nothing PAR1")
        with pytest.raises(iso.FileError, match=r"part-9.parquet cannot be read as a table"):
            iso.scan(folder)

    def test_what_needs_every_agent_says_so(self, crowd):
        scan = iso.scan(crowd)
        with pytest.raises(iso.InputError, match="does not keep its means"):
            iso.solve(scan, iso.Objective("mine", evaluate=lambda i, p: 0, optimise=lambda i, t, w: i.means[0]))
        with pytest.raises(iso.InputError, match="stands in files already"):
            iso.write(scan, "crowd.csv")
        with pytest.raises(iso.InputError, match="1, 1/2, 1/4, … alone"):
            iso.solve(scan, "gini", gini_weights=lambda rank: 1 / rank)

    def test_tables_without_rows_and_files_that_are_gone(self, tmp_path):
        import pyarrow

        with pytest.raises(iso.InputError, match="the frame has no rows"):
            iso.scan(pyarrow.table({"a": pyarrow.array([], "float64")}))
        with pytest.raises(iso.FileError, match="has no rows; expected one for each agent"):
            iso.scan(write_partitions(tmp_path / "none", np.zeros((0, 2))))
        where = write_partitions(tmp_path / "gone", np.eye(3))
        scan = iso.scan(where)
        (where / "part-0.parquet").unlink()
        with pytest.raises(iso.FileError, match=r"cannot read .*part-0\.parquet: no such file or directory"):
            iso.solve(scan, "utilitarian")

    def test_an_entry_of_a_frame_is_named_by_its_row(self):
        import pyarrow

        with pytest.raises(iso.FileError, match=r"the frame, rows from 1, row 2, column 'b' is 2; .*scale"):
            iso.solve(iso.scan(pyarrow.table({"a": [0.5, 1.0], "b": [0.5, 2.0]})), "utilitarian")


class TestThoseWhoWantNothing:
    def test_they_are_left_out_of_products(self):
        nothing = iso.scan(iso.Instance(np.zeros((5, 3))))
        assert iso.solve(nothing, "nash").policy.tolist() == pytest.approx([1 / 3] * 3)
        assert nothing.nash_welfare([1, 0, 0]) == iso.Instance(np.zeros((5, 3))).nash_welfare([1, 0, 0])

    def test_a_policy_that_starves_somebody(self):
        table = iso.Instance([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
        assert iso.scan(table).nash_welfare([1, 0]) == table.nash_welfare([1, 0])
        assert not iso.core(iso.scan(table), [1, 0], "shares").stable

    def test_shares_and_sets_are_those_of_the_types(self):
        table = iso.Instance([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
        scan = iso.scan(table)
        assert scan.smallest_gap == table.smallest_gap
        assert sorted(scan.decision_shares([0.25, 0.75]).tolist()) == [0.25, 0.75]
        assert scan.favourites.sum() == 2
        with pytest.raises(AttributeError, match="no 'colour'"):
            scan.colour  # noqa: B018


@pytest.mark.parametrize(("missing", "value"), [("lowest", 1), (2, 2), (2.5, 2.5)])
def test_gaps_of_a_scanned_table_are_filled(missing, value, tmp_path):
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"tea": [5, None, 1], "mate": [1, 4, float("nan")], "weight": [1, 2, 3]})
    frame.to_parquet(tmp_path / "t.parquet")
    plain = iso.Instance.from_frame(frame.fillna(value), scale=(1, 5))
    for source in (tmp_path / "t.parquet", pyarrow.Table.from_pandas(frame)):
        scanned = iso.scan(source, scale=(1, 5), missing=missing)
        for rule in ("procedural", "egalitarian"):
            assert iso.solve(scanned, rule).policy == pytest.approx(iso.solve(plain, rule).policy, abs=1e-9)
    with pytest.raises(iso.InputError, match=r"read the table with iso\.read"):
        iso.scan(tmp_path / "t.parquet", missing="abstain")
