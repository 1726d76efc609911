"""Every number of the claims study once more, in plain NumPy: from means, policies and pulled arms alone."""

import math
from itertools import combinations

import numpy as np
from scipy.optimize import linprog
from scipy.stats import t as student

import isegoria as iso
from isegoria.studies import dots_voters, published_tables
from isegoria.studies.claims import learning_runs, manipulation_gains, theorem_checks
from isegoria.studies.regret_rate import RateSetting
from isegoria.utils.seeds import random_stream

SIX = ("procedural", "inequality", "utilitarian", "egalitarian", "nash", "gini")
LABELS = ("PF", "IM", "UT", "EG", "NSW", "GGI", "UNI", "UES", "CUT", "UTinPF")
SCORES = ("procedural", "equality", "utilitarian")
OTHERS = LABELS[1:6]


# -- scores and optima -------------------------------------------------------------------------------------------------


def favourites(means):
    return means == means.max(axis=1, keepdims=True)


def procedural_score(liked, policy):
    """The smallest cut: over all sets B of arms, the agents who like an arm outside of B, and the policy on B."""
    n, k = liked.shape
    inside = np.array([[code >> arm & 1 for arm in range(k)] for code in range(2**k)], dtype=bool)
    return min((liked & ~each).any(axis=1).sum() / n + policy[each].sum() for each in inside)


def inequality(means, policy):
    u = means @ policy
    return ((u[:, None] - u) ** 2).sum() / (len(u) * (len(u) - 1))


def score_policies(means, policies, least):
    """(P, 3) the scores of policies, with D* given."""
    most = means.sum(axis=0).max()
    liked = favourites(means)
    return np.array(
        [[procedural_score(liked, p), 1 - (inequality(means, p) - least), (means @ p).sum() / most] for p in policies]
    )


def solve_ten(means):
    group, liked = iso.Instance(means), favourites(means)
    ties = {"egalitarian": "vertex"}
    found = [iso.solve(group, id, ties.get(id, "centre")).policy for id in SIX]
    support = liked.sum(axis=0)
    best = liked & (support == np.where(liked, support, 0).max(axis=1, keepdims=True))
    found += [np.full(means.shape[1], 1 / means.shape[1]), split(liked), split(best)]
    return [*found, iso.solve(group, "utilitarian", within="fair").policy]


def split(sets):
    return (sets / sets.sum(axis=1, keepdims=True)).mean(axis=0)


def interval(values, seed):
    """The ends of the 95 % bootstrap interval of the mean, NaNs left out."""
    if np.ptp(values[~np.isnan(values)]) == 0:
        return (values[~np.isnan(values)][0],) * 2
    rng, means = random_stream(seed, "bootstrap"), []
    for start in range(0, 2000, 64):
        for rows in rng.integers(len(values), size=(min(64, 2000 - start), len(values))):
            means.append(np.nanmean(values[rows]))
    return np.quantile(means, [0.025, 0.975])


def count_groups(grid, seed):
    cells = [cell for block in grid.blocks() for cell in grid.cells_of(block)]
    tables = [means for block in grid.blocks() for means in grid.means_of(block)]
    policies = [solve_ten(means) for means in tables]
    scores, floors = [], []
    for means, rows in zip(tables, policies, strict=True):
        least = inequality(means, rows[1])
        scores.append(score_policies(means, rows, least))
        floors.append(score_policies(means, np.eye(means.shape[1]), least).min(axis=0))
    scores, floors = np.array(scores), np.array(floors)
    room = 1 - floors[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(room > 1e-9, (scores - floors[:, None]) / room, np.nan)
    trivial = (floors >= 1 - 1e-9).all(axis=1)
    least = np.where(trivial[:, None], np.nan, np.where(np.isnan(relative), 1, relative).min(axis=2))
    raw, apart = scores.min(axis=2), {}
    for other in ("UT", "NSW"):
        place = LABELS.index(other)
        apart[other] = np.array([abs(rows[0] - rows[place]).sum() / 2 for rows in policies])
    found = {"groups": len(cells), "trivial": trivial.sum(), "drop.sd": math.inf}
    six, real = least[~trivial], ~trivial
    for row, label in enumerate(LABELS):
        found[f"least.{label}"], found[f"raw_least.{label}"] = np.nanmean(least[:, row]), raw[:, row].mean()
        found[f"best.{label}"] = (six[:, row] >= six[:, :6].max(axis=1) - 1e-9).mean()
        found[f"raw_best.{label}"] = (raw[:, row] >= raw[:, :6].max(axis=1) - 1e-9).mean()
        for place, name in enumerate(SCORES):
            found[f"raw.{label}.{name}"] = scores[:, row, place].mean()
            found[f"relative.{label}.{name}"] = np.nanmean(relative[:, row, place])
            found[f"sd.{label}.{name}"] = scores[:, row, place].std(ddof=1)
    for place, name in enumerate(SCORES):
        found |= {f"floor.{name}": floors[:, place].mean(), f"lowest.PF.{name}": scores[:, 0, place].min()}
    found["drop.sd"] = min(found[f"sd.{label}.procedural"] for label in OTHERS)
    ends = {
        "drop.low": min(interval(scores[:, 0, 0] - scores[:, row, 0], seed)[0] for row in range(1, 6)),
        "balance.raw.low": min(interval(raw[:, 0] - raw[:, row], seed)[0] for row in range(1, 6)),
        "balance.relative.low": min(interval(least[:, 0] - least[:, row], seed)[0] for row in range(1, 6)),
        "loss.uniform.high": interval(scores[:, 0, 1] - scores[:, 6, 1], seed)[1],
    }
    ends["balance.fair.low"], ends["balance.fair.high"] = interval(least[:, 0] - least[:, 9], seed)
    single = np.array([cell.favourites == 1 for cell in cells])
    found |= ends | {
        "single.UT.procedural": scores[single, 2, 0].mean(),
        "single.PF.utilitarian": scores[single, 0, 2].mean(),
        "nontrivial.UT.procedural": scores[real, 2, 0].mean(),
    }
    return found | count_phi(cells, scores, relative, apart) | count_table1(found)


def count_phi(cells, scores, relative, apart):
    models = [f"mallows:{phi}" for phi in (0.01, 0.25, 0.5, 0.75, 0.99)]
    mine = [np.array([cell.model == model for cell in cells]) for model in models]
    course = np.array([scores[rows, :6].mean(axis=0) for rows in mine])
    share = np.array([np.nanmean(relative[rows, 0], axis=0) for rows in mine])
    moved, spread = course[-1] - course[0], np.ptp(course, axis=0)
    found = {
        "phi.outcome.most": spread[:, 1:].max(),
        "phi.voice.least": spread[1:, 0].min(),
        "phi.eroded.least": min(-moved[row, 0] for row in (2, 3, 4, 5)),
        "phi.im.first": course[0, 1, 0],
        "phi.im.last": course[-1, 1, 0],
        "phi.im.grown": moved[1, 0],
        "phi.pf.raw": spread[0, 1:].max(),
        "phi.pf.relative": np.ptp(share, axis=0)[1:].max(),
    }
    return found | {
        f"apart.{pair}.{place}": apart[pair][rows].mean() for pair in apart for place, rows in enumerate(mine)
    }


def count_table1(found):
    agree = {"raw": 0, "sd": 0}
    ranges = published_tables.load_ranges()
    for id, label in zip(SIX, LABELS, strict=False):
        for place, name in enumerate(SCORES):
            for kind, what, printed in zip(
                ("raw", "sd"), ("mean", "sd"), published_tables.PAPER_TABLE1[id][place], strict=True
            ):
                ours = found[f"{kind}.{label}.{name}"]
                low, high = ranges["vertex" if id == "egalitarian" else "centre", label, name, what]
                agree[kind] += min(low, ours) - 0.005 - 1e-9 <= printed <= max(high, ours) + 0.005 + 1e-9
    return {"table1.means": agree["raw"], "table1.sds": agree["sd"], "nash.sd": found["sd.NSW.equality"]}


def count_dots(samples, seed):
    def least_scores(group):
        means = np.repeat(group.means, group.weights, axis=0)
        rows = solve_ten(means)[:6]
        return score_policies(means, rows, inequality(means, rows[1]))

    own = least_scores(iso.datasets.load_dots_sample())
    others = np.array([least_scores(group).min(axis=1) for group in dots_voters._other_samples(seed, samples)])
    printed = np.array([published_tables.PAPER_TABLE2[id] for id in SIX])
    return {
        "table2.agree": (own.round(2) == printed).sum(),
        "dots.pf.least": own[0].min(),
        "dots.pf.rounded": own[0].round(2).min(),
        "dots.others.least": own[1:].min(axis=1).max(),
        "dots.others.voice": max(own[1:, 0]),
        "dots.ut.procedural": own[2, 0],
        "dots.samples": len(others),
        "dots.won": (others[:, 0] >= others.max(axis=1) - 1e-9).mean(),
        "dots.pf.usual": others[:, 0].mean(),
    }


# -- runs of Algorithm 1 -----------------------------------------------------------------------------------------------


def recount(world, means, trace, seed, alpha):
    """(T,) whether some set was wrong, from the arms that were pulled and the rewards that they gave."""
    arms, (n, k) = trace.arms, means.shape
    rounds, stream = len(arms), world.stream(seed=seed)
    rewards = np.array([stream.pull(arm) for arm in arms.tolist()])
    pulled = np.eye(k, dtype=bool)[arms]
    count = np.vstack([np.zeros(k), pulled.cumsum(axis=0)[:-1]])
    wrong, truth = np.ones(rounds, dtype=bool), favourites(means)
    for start in range(k, rounds, 2000):
        part = slice(start, min(start + 2000, rounds))
        if start == k:
            total = (rewards[:k, :, None] * pulled[:k, None, :]).sum(axis=0)
        gained = np.cumsum(rewards[part, :, None] * pulled[part, None, :], axis=0)
        before = total + np.concatenate([np.zeros((1, n, k)), gained[:-1]])
        total = total + gained[-1]
        mean, t = before / count[part, None, :], np.arange(part.start, part.stop) + 1
        z = alpha * np.sqrt(2 * np.log(n * k * t)[:, None] / count[part])[:, None, :]
        best = mean.argmax(axis=2)[:, :, None]
        floor = np.take_along_axis(mean - z, best, axis=2)
        wrong[part] = ((mean + z >= floor) != truth).any(axis=(1, 2))
    return wrong


def recovery_round(means, rounds, gamma, alpha):
    n, k = means.shape
    gap = min(row.max() - row[row < row.max()].max() for row in means if np.ptp(row) > 0)
    return math.floor((1 + 16 * (1 + alpha) ** 2 * gamma * k * math.log(n * k * rounds) / gap**2) ** (1 / gamma)) + 1


def bound_of(means, rounds, gamma, alpha):
    k = means.shape[1]
    return k + max(0, recovery_round(means, rounds, gamma, alpha) - k - 1)


def count_runs(rounds, seeds, papers_seeds, seed):
    voters = iso.datasets.load_dots_sample()
    means, world, runs = voters.means, iso.BetaRewards(voters, sd=0.1), []
    for gamma, alpha, _, own in learning_runs.grid_tasks(rounds, seeds, papers_seeds, seed):
        learner = iso.ProceduralLearner(50, 4, gamma=gamma, alpha=alpha, arms=voters.arms, seed=own)
        trace = iso.simulate(learner, world, rounds, seed=own, records=2, keep_arms=True)
        wrong, played = recount(world, means, trace, own, alpha), np.bincount(trace.arms, minlength=4)
        expected = np.arange(5, rounds + 1) ** (gamma - 1.0)
        runs.append(
            {
                "setting": (gamma, alpha),
                "regret": wrong.sum(),
                "late": wrong[rounds // 2 :].sum(),
                "learned": procedural_score(favourites(means), trace.policies[-1]),
                "played": procedural_score(favourites(means), played / rounds),
                "exploring": trace.exploring.sum() / expected.sum(),
                "pulls": played.min() / (1 + expected[:-1].sum() / 4),
                "bound": bound_of(means, rounds, gamma, alpha),
            }
        )
    papers = [run for run in runs if run["setting"] == (0.7, 1.0)]
    found = {
        "learn.seeds": len(papers),
        "learn.fair": min(run["learned"] for run in papers),
        "learn.late": max(run["late"] for run in papers),
        "learn.exploring": max(run["exploring"] for run in runs),
        "learn.pulls": min(run["pulls"] for run in runs),
        "learn.bound": max(run["regret"] / run["bound"] for run in runs),
        "rounds": rounds,
        "runs": len(runs),
    }
    for gamma in learning_runs.GRID_GAMMAS:
        mine = [run for run in runs if run["setting"] == (gamma, 1.0)]
        found[f"gamma.{100 * gamma:.0f}.regret"] = np.mean([run["regret"] for run in mine])
        found[f"gamma.{100 * gamma:.0f}.played"] = np.mean([run["played"] for run in mine])
    theory = {gamma: recovery_round(means, rounds, gamma, 1.0) for gamma in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)}
    says = [gamma for gamma, first in theory.items() if first <= rounds]
    return found | {
        "bound.recovery": theory[0.7],
        "bound.times": theory[0.7] / rounds,
        "bound.gamma": min(says, default=math.nan),
        "bound.best": min(theory, key=theory.get),
        "bound.asked": len(theory),
        "gamma.regret.gain": found["gamma.99.regret"] / found["gamma.70.regret"],
        "gamma.played.loss": found["gamma.70.played"] - found["gamma.99.played"],
    }


def count_slope(rounds, seeds, seed):
    x, y, b = [], [], []
    for alpha in learning_runs.SLOPE_ALPHAS:
        setting = RateSetting(alpha=alpha)
        group = setting.instance()
        for own in range(seed, seed + seeds):
            world = iso.BernoulliRewards(group)
            learner = iso.ProceduralLearner(6, 3, gamma=0.7, alpha=alpha, seed=own)
            trace = iso.simulate(learner, world, rounds, seed=own, records=1, keep_arms=True)
            x.append(math.log(alpha))
            y.append(recount(world, group.means, trace, own, alpha).sum())
            b.append(bound_of(group.means, rounds, 0.7, alpha))
    x, y, b = map(np.array, (x, y, b))
    done = y < rounds

    def fit(x, y):
        slope, level = np.polyfit(x, y, 1)
        rest, free = y - slope * x - level, len(x) - 2
        error = math.sqrt((rest**2).sum() / free / ((x - x.mean()) ** 2).sum())
        return slope, student.ppf(0.975, free) * error

    (slope, reach), theory = fit(x[done], np.log(y[done])), fit(x[done], np.log(b[done]))[0]
    low, high = slope - reach, slope + reach
    return {
        "alpha.slope": slope,
        "alpha.low": low,
        "alpha.high": high,
        "alpha.theory": theory,
        "alpha.bound": (y / b).max(),
        "alpha.excess": low - theory,
    }


# -- false reports, worst cases and theorems ---------------------------------------------------------------------------


def count_gains(groups, seed):
    rules = {
        "PF": lambda likes: iso.solve(iso.Instance(likes.astype(float))).policy,
        "CUT": lambda likes: solve_ten(likes.astype(float))[8],
        "UES": split,
    }
    drawn = [
        manipulation_gains.sample_approvals(min(100, groups - 100 * p), seed + p) for p in range(-(-groups // 100))
    ]
    found, drawn = {"lies.groups": groups}, np.concatenate(drawn)
    for label, rule in rules.items():
        best = []
        for likes in drawn:
            honest, gains = rule(likes), [0.0]
            for agent, arm in np.argwhere(likes):
                if likes[agent].sum() > 1:
                    lie = likes.copy()
                    lie[agent, arm] = False
                    gains.append(likes[agent] @ (rule(lie) - honest))
            best.append(max(gains))
        count = sum(gain > 1e-6 for gain in best)
        found |= {f"lies.{label}": count / groups, f"lies.{label}.count": count, f"lies.{label}.most": max(best)}
    for agents in (2, 5, 10, 50):  # everyone's own arm with 1/N, against one arm worth .99 to all
        found[f"worst.{agents}"] = 1 / (0.99 * agents)
    for n in (2, 3, 10):
        found[f"scale.{n}"] = n / (2 * (n - 1)) if n % 2 == 0 else (n + 1) / (2 * n)
    return found


def is_blocked(liked, policy):
    n, k = liked.shape
    for size in range(1, n + 1):
        for members in map(list, combinations(range(n), size)):
            offered, now = size / n * liked[members], liked[members] @ policy
            best = linprog(-offered.sum(axis=0), -offered, -now, np.ones((1, k)), [1])
            if best.status == 0 and -best.fun - now.sum() > 1e-9:
                return True
    return False


def count_theorems(count, seed):
    rng = random_stream(seed, "theory policies")
    found = dict.fromkeys(("theorem4.blocked", "theorem5.stable", "theorem5.unfair", "theorem3.blocked"), 0)
    found |= {f"theorem6.{kind}": 0 for kind in ("incomparable", "equal", "nash_above", "fair_above")}
    found |= {"prop1.shares": math.inf, "prop1.utility": math.inf, "lemma5.difference": 0.0, "theorem1.least": 1.0}
    for group in theorem_checks.random_groups(count, seed):
        means, liked = group.means, favourites(group.means)
        fair = theorem_checks.fair_policy(group, rng)
        any_policy, n, best = rng.dirichlet(np.ones(means.shape[1])), len(means), means.max(axis=1)
        found["prop1.shares"] = min(found["prop1.shares"], n * (liked @ fair).min())
        kept = (means @ fair)[best > 0] / best[best > 0]
        found["prop1.utility"] = min(found["prop1.utility"], n * kept.min(initial=math.inf))
        for policy in (fair, any_policy):
            stable = not is_blocked(liked, policy)
            found["theorem5.stable"] += stable
            found["theorem5.unfair"] += stable and procedural_score(liked, policy) < 1 - 1e-9
        nash, equal, least = (iso.solve(group, id).policy for id in ("nash", "procedural", "inequality"))
        found["theorem1.least"] = min(found["theorem1.least"], procedural_score(liked, equal))
        found["theorem4.blocked"] += is_blocked(liked, equal)
        found["theorem3.blocked"] += is_blocked(liked, nash)
        with np.errstate(invalid="ignore"):
            one, two = np.nan_to_num(score_policies(means, [nash, equal], inequality(means, least)), nan=1.0)
        above, below = (one >= two - 1e-9).all(), (two >= one - 1e-9).all()
        kind = "equal" if above and below else "nash_above" if above else "fair_above" if below else "incomparable"
        found[f"theorem6.{kind}"] += 1
    return found | {
        "theory.groups": count,
        "section3.score": 5 / 6,
        "prop2.equality": 1 - 2 * (3 - 1 - 0.5) ** 2 / 3**3,
        "prop3.utilitarian": (0.5 / 3 + 2 * 2 / 3) / 2,
        "theorem3.example": 1,
        "theorem6.example": 1,
    }


def count_concentration(runs, rounds, seed):
    rng, left = random_stream(seed, "concentration"), 0
    for rewards in rng.random((runs, 4, rounds)) < 0.5:
        pulls = np.arange(1, rounds + 1)
        away = np.abs(rewards.cumsum(axis=1) / pulls - 0.5)
        left += (away > np.sqrt(2 * np.log(4 * np.maximum(pulls, 3)) / pulls)).any()
    return {
        "lemma1.runs": runs,
        "lemma1.left": left,
        "lemma1.share": left / runs,
        "corollary1.printed": 3 / 64,
        "corollary1.sharper": 1 / (4 * 64),
    }


def recompute_numbers(size, seed=42):
    """Every number of `numbers.csv` that says something of groups, voters, runs, false reports and theorems."""
    found = count_groups(size.grid, seed) | count_dots(size.samples, seed)
    found |= count_runs(size.rounds, size.seeds, size.papers_seeds, seed)
    found |= count_slope(size.steep_rounds, size.steep_seeds, seed) | count_gains(size.approvals, seed)
    found |= count_theorems(size.theory, seed) | count_concentration(size.concentration, 400, seed)
    for name in SCORES[1:]:
        found |= {f"loss.{name}": 1 - found[f"raw.PF.{name}"], f"lost.{name}": 1 - found[f"relative.PF.{name}"]}
    found |= {f"drop.{label}": 1 - found[f"raw.{label}.procedural"] for label in OTHERS}
    return found | {
        "loss.most": max(found["loss.equality"], found["loss.utilitarian"]),
        "lost.most": max(found["lost.equality"], found["lost.utilitarian"]),
        "sd.PF.most": max(found["sd.PF.equality"], found["sd.PF.utilitarian"]),
        "lowest.PF.procedural.gap": max(0.0, 1 - found["lowest.PF.procedural"]),
    }
