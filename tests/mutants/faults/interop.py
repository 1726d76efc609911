"""Faults in MaxParC, in decisions of agents, in representation over time, and in what comes from other packages."""

from __future__ import annotations

from mutants.planting import fault, rewrite_source

CONSENSUS = "tests/rules/test_partial_consensus.py"
ENGINE = "tests/agents/test_engine.py"
TEMPORAL = "tests/analysis/axioms/test_representation_over_time.py"
POLIS = "tests/io/test_polis.py"
OBJECTS = "tests/io/test_profile_objects.py"
APPROVALS = "rules.builtin.maximum_partial_consensus:find_approvals"


@fault(CONSENSUS)
def maxparc_approves_at_equality():
    """A rating equal to the opposition approves."""
    rewrite_source(APPROVALS, "descending > opposed", "descending >= opposed")


@fault(CONSENSUS)
def maxparc_takes_the_smallest_solution():
    """The first consistent set of approving agents is taken, not the largest."""
    rewrite_source(APPROVALS, "np.where(consistent, descending, np.inf).min", "np.where(consistent, descending, 0).max")


@fault(CONSENSUS)
def maxparc_counts_rows():
    """Opponents are counted as rows, where their weight is meant."""
    rewrite_source(APPROVALS, "instance.weights[order]", "(instance.weights[order] > 0)")


@fault(ENGINE)
def engine_forgets_weights():
    """Every agent has one voice, whatever its weight."""
    rewrite_source("agents.engine:build_instance", "weights.get(agent, 1)", "1")


@fault(ENGINE)
def engine_state_loses_credit():
    """A restored engine begins with nobody owed anything."""
    rewrite_source(
        "agents.engine:DecisionEngine.to_json", "json.loads(self.turns.to_json())", "json.loads(Turns().to_json())"
    )


@fault(ENGINE)
def engine_charges_the_absent():
    """An agent without a ballot counts as one that likes the first option alone."""
    rewrite_source(
        "agents.engine:build_instance",
        "if not ballot:\n                continue",
        "if not ballot:\n                rows[agent] = [1.0] + [0.0] * (len(places) - 1)\n                continue",
    )


@fault(TEMPORAL)
def ejr_is_pjr():
    """EJR asks only that each decision is approved by somebody of the group."""
    rewrite_source("analysis.axioms.temporal:check_over_time", '"ejr": (due, best)', '"ejr": (due, together)')


@fault(TEMPORAL)
def weak_axioms_are_plain():
    """The weak axioms speak of groups that agree in some rounds, too."""
    rewrite_source("analysis.axioms.temporal:check_over_time", "np.where(agreed == rounds, due, 0)", "due")


@fault(POLIS)
def polis_takes_the_last_line():
    """Of several votes the last line counts, not the latest."""
    rewrite_source("io.readers.polis_export:_parse_log", 'np.argsort(times, kind="stable")', "np.arange(len(times))")


@fault(OBJECTS)
def profiles_lose_their_counts():
    """Every ballot of a profile is one agent."""
    rewrite_source(
        "io.readers.profile_objects:parse_profile", "np.asarray(parsed.counts)", "np.ones(len(parsed.counts), int)"
    )
