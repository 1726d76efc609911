"""The public names by what one does with them: pages of the reference, and the order of the list of names."""

GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tables": ("Tables of ratings", ("Instance", "Profile", "read", "write", "scan", "Scan", "save", "load")),
    "policies": (
        "Policies, scores and your own rules",
        (
            "solve",
            "Solution",
            "compare",
            "Comparison",
            "score",
            "Scores",
            "score_dominates",
            "pareto_dominates",
            "frontier",
            "Frontier",
            "FairSet",
            "RULES",
            "Rule",
            "Objective",
            "Welfare",
            "RuleOption",
        ),
    ),
    "fairness": (
        "Audits, stability and honesty",
        ("audit", "Audit", "core", "CoreVerdict", "honesty", "Honesty", "find_counterexample", "Counterexample"),
    ),
    "learners": (
        "Learners",
        (
            "LEARNERS",
            "Learner",
            "StateView",
            "ProceduralLearner",
            "ComparisonLearner",
            "EliminationLearner",
            "ThompsonLearner",
            "NashUCBLearner",
            "NashUCBAdditiveLearner",
            "RewardFairLearner",
            "UtilitarianUCBLearner",
            "EgalitarianUCBLearner",
            "GiniUCBLearner",
            "InequalityGreedyLearner",
            "GiniGradientLearner",
            "ExploreFirstLearner",
            "EpsilonGreedyLearner",
            "RandomDictatorshipLearner",
            "UniformLearner",
            "Proposal",
            "Ticket",
        ),
    ),
    "simulation": (
        "Environments, runs and studies",
        (
            "Environment",
            "BetaRewards",
            "BernoulliRewards",
            "TruncatedNormalRewards",
            "PointRewards",
            "ReplayRewards",
            "ChangingRewards",
            "simulate",
            "simulate_many",
            "Simulation",
            "Trace",
            "regret_bounds",
            "RegretBounds",
            "study",
            "Study",
        ),
    ),
    "draws": (
        "Draws, turns and records",
        ("voices", "Voices", "draw", "DrawResult", "Turns", "verify", "Verification"),
    ),
    "errors": (
        "Errors and warnings",
        (
            "IsegoriaError",
            "InputError",
            "FileError",
            "UnknownNameError",
            "TicketError",
            "StateError",
            "CertificationError",
            "MissingExtraError",
            "IsegoriaWarning",
            "NearTieWarning",
            "PolicyWarning",
            "BallotWarning",
            "ReadingWarning",
            "TheoremWarning",
        ),
    ),
}
"""For each page: its title, and its names in the order of reading. Every public name stands on one page."""


def check(names: set[str]) -> None:
    """Refuse a public name that stands on no page, or on two, and one that is not public."""
    listed = [name for _, group in GROUPS.values() for name in group]
    wrong = names.symmetric_difference(listed) | {name for name in listed if listed.count(name) > 1}
    if wrong:
        raise SystemExit(
            f"docs/api_groups.py: each public name belongs to one group; look at {', '.join(sorted(wrong))}"
        )
