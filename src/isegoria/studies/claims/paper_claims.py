"""The paper's empirical and theoretical claims, one entry each, in the order of its sections."""

from __future__ import annotations

from isegoria.studies.claims.verdicts import (
    VERDICT_DEPENDS,
    VERDICT_HOLDS,
    VERDICT_HOLDS_ROUNDED,
    Claim,
    NumberRequirement,
    VerdictCase,
    require_at_least,
    require_at_most,
)

ROUNDING_TOLERANCE = 1e-9
"""Maximum rounding error of a number that is 1 or 0 in exact arithmetic."""
SMALL_CHANGE = 0.05
"""Up to this, we call a part of a score minimal; below this, we call a change of a mean meaningless."""


def require_equal(words: str, number: str, value: float) -> NumberRequirement:
    """Return the bound that the number equals `value` up to rounding."""
    return NumberRequirement(words, number, value - ROUNDING_TOLERANCE, value + ROUNDING_TOLERANCE)


def case_holds(*bounds: NumberRequirement, words: str = "") -> VerdictCase:
    """Return the case in which a claim holds."""
    return VerdictCase(VERDICT_HOLDS, bounds, words)


def case_depends(words: str, *bounds: NumberRequirement) -> VerdictCase:
    """Return the case in which a claim depends on something."""
    return VerdictCase(VERDICT_DEPENDS, bounds, words)


_THEORY = (
    Claim(
        "score-example",
        "§3.1",
        "the even lottery of the first example has a procedural score of 5/6",
        "{section3_score:.6f}",
        (case_holds(require_equal("score", "section3.score", 5 / 6)),),
    ),
    Claim(
        "proposition-1",
        "Proposition 1",
        "a fair policy gives everyone 1/N of the largest share and of the most utility",
        "on {theory_groups:.0f} random groups and fair policies the least is {prop1_shares:.3f}/N of the "
        "share and {prop1_utility:.3f}/N of the utility",
        (
            case_holds(
                require_at_least("least share × N", "prop1.shares", 1 - ROUNDING_TOLERANCE),
                require_at_least("least utility × N", "prop1.utility", 1 - ROUNDING_TOLERANCE),
            ),
        ),
    ),
    Claim(
        "theorem-1",
        "Theorem 1",
        "the policy of the largest product of shares is procedurally fair",
        "least score of {groups:,.0f} groups: 1 − {lowest_PF_procedural_gap:.0e}",
        (case_holds(require_at_least("least score", "lowest.PF.procedural", 1 - ROUNDING_TOLERANCE)),),
        files=("relative.csv",),
    ),
    Claim(
        "lemma-1",
        "Lemma 1, Corollary 1",
        "every mean stays within its radius, in all rounds, but with probability 3/(NK)³",
        "N = K = 2: in {lemma1_left:.0f} of {lemma1_runs:,.0f} runs a mean left it; printed chance "
        "{corollary1_printed:.3f}, and the sum over t > K gives {corollary1_sharper:.4f}",
        (case_holds(require_at_most("share of runs", "lemma1.share", 3 / 4**3)),),
    ),
    Claim(
        "lemma-2",
        "Lemma 2",
        "exploring rounds are at most twice their expected number, of order Tᵞ/γ",
        "most in {runs:.0f} runs on Dots: {learn_exploring:.2f} times the expected number",
        (case_holds(require_at_most("times the expected number", "learn.exploring", 2)),),
        files=("played-runs.csv",),
    ),
    Claim(
        "lemma-3",
        "Lemma 3",
        "every arm is pulled at least half as often as exploring alone is expected to",
        "least of any arm in {runs:.0f} runs: {learn_pulls:.2f} times that",
        (case_holds(require_at_least("times the expected number", "learn.pulls", 0.5)),),
        files=("played-runs.csv",),
    ),
    Claim(
        "lemma-4",
        "Lemma 4, Theorem 2",
        "regret is at most K plus the rounds before τ₀",
        "largest share of the bound in {runs:.0f} runs: {learn_bound:.4f}",
        (case_holds(require_at_most("regret / bound", "learn.bound", 1)),),
        files=("played-runs.csv",),
    ),
    Claim(
        "sublinear",
        "§1, Theorem 2",
        "regret is sublinear in T",
        "in the second half of {rounds:,.0f} rounds no run of {learn_seeds:.0f} has more than {learn_late:.0f} wrong "
        "rounds: without the term Tᵞ/γ, which no round is charged for, the proof gives a power of ln T",
        (case_holds(require_at_most("wrong rounds in the second half", "learn.late", 0)),),
        files=("played-runs.csv",),
    ),
    Claim(
        "alpha-rate",
        "Theorem 2",
        "regret grows with α as (1 + α)^(2/γ) at most",
        "slope on logarithmic axes {alpha_slope:.2f} [{alpha_low:.2f}, {alpha_high:.2f}], that of the bound "
        "{alpha_theory:.2f}; largest share of the bound {alpha_bound:.3f}",
        (
            case_holds(require_at_most("lower end of the slope − that of the bound", "alpha.excess", 0)),
            case_depends(
                "what is meant: as an upper bound yes, as a rate no. Sets are decided by α·z alone, so regret goes as "
                "α^(2/γ), slope 2.86; (1 + α)² is slack of the proof",
                require_at_most("regret / bound", "alpha.bound", 1),
            ),
        ),
        files=("steep.csv",),
    ),
    Claim(
        "chosen-by-bound",
        "§7.2",
        "γ = .7 and α = 1 were chosen by the regret bound",
        "there the bound speaks of rounds from {bound_recovery:,.0f} on, {bound_times:.0f} times the run; of "
        "{bound_asked:.0f} γ from .5 to .99 it says something from {bound_gamma:g} on, and is least at {bound_best:g}",
        (case_holds(require_at_most("τ₀ / rounds", "bound.times", 1)),),
        "at this γ the bound says nothing about so few rounds",
        files=("played.csv",),
    ),
    Claim(
        "regret-measures",
        "§4.2",
        "rounds with a wrong set are the measure of learning a fair policy",
        "from γ = .7 to .99 regret falls from {gamma_70_regret:,.0f} to {gamma_99_regret:,.0f}, while the score of "
        "what is played falls from {gamma_70_played:.3f} to {gamma_99_played:.3f}",
        (
            case_holds(require_at_most("score of play lost from γ = .7 to .99", "gamma.played.loss", SMALL_CHANGE)),
            case_depends(
                "what is meant: of the sets yes, of what a group lives through no; regret is least for who explores "
                "for ever",
                require_at_most("regret at γ = .99 over .7", "gamma.regret.gain", 1),
            ),
        ),
        files=("played.csv",),
    ),
    Claim(
        "inequality-range",
        "§5.1.1",
        "the inequality D lies in [0, 1], so the equality score does too",
        "largest D: {scale_2:.3f} for two agents, {scale_10:.3f} for ten; N/(2(N − 1)) for even N, "
        "(N + 1)/(2N) for odd N",
        (
            case_holds(
                require_at_most("largest D of two", "scale.2", 1),
                require_at_most("of ten", "scale.10", 1),
                words="true, and wide: with many agents an equality score is above ½ whatever is played",
            ),
        ),
    ),
    Claim(
        "theorem-3",
        "Theorem 3",
        "the policy of the largest product of utilities need not be in the procedural core",
        "the paper's example is blocked, and so is it on {theorem3_blocked:.0f} of {theory_groups:.0f} random groups",
        (case_holds(require_equal("example blocked", "theorem3.example", 1)),),
    ),
    Claim(
        "theorem-4",
        "Theorem 4",
        "the policy of the largest product of shares is in the procedural core",
        "blocked on {theorem4_blocked:.0f} of {theory_groups:.0f} random groups",
        (case_holds(require_at_most("blocked", "theorem4.blocked", 0)),),
    ),
    Claim(
        "lemma-5",
        "Lemma 5",
        "a policy is fair exactly when no coalition has less of it than its share",
        "score and worst coalition, all tried, differ by at most {lemma5_difference:.0e}",
        (case_holds(require_at_most("difference", "lemma5.difference", ROUNDING_TOLERANCE)),),
    ),
    Claim(
        "theorem-5",
        "Theorem 5",
        "the procedural core implies procedural fairness",
        "of {theorem5_stable:.0f} policies in the core {theorem5_unfair:.0f} are unfair",
        (
            case_holds(
                require_at_most("unfair ones in the core", "theorem5.unfair", 0),
                require_at_least("policies in the core", "theorem5.stable", 1),
            ),
        ),
    ),
    Claim(
        "proposition-2",
        "Proposition 2",
        "equal voice and equal outcomes can exclude each other",
        "in the paper's group a fair policy has an equality score of {prop2_equality:.3f} at most",
        (
            case_holds(
                require_at_most("best equality score of a fair policy", "prop2.equality", 1 - ROUNDING_TOLERANCE)
            ),
        ),
    ),
    Claim(
        "proposition-3",
        "Proposition 3",
        "equal voice and the largest total can exclude each other",
        "in the paper's group a fair policy keeps {prop3_utilitarian:.3f} of the total at most",
        (
            case_holds(
                require_at_most("best utilitarian score of a fair policy", "prop3.utilitarian", 1 - ROUNDING_TOLERANCE)
            ),
        ),
    ),
    Claim(
        "theorem-6",
        "Theorem 6",
        "Nash policies and fair ones need not dominate each other on the scores",
        "incomparable in the paper's example and on {theorem6_incomparable:.0f} of {theory_groups:.0f} random groups; "
        "on {theorem6_equal:.0f} their scores are equal, on {theorem6_nash_above:.0f} Nash is above, on "
        "{theorem6_fair_above:.0f} below",
        (case_holds(require_equal("example incomparable", "theorem6.example", 1)),),
    ),
)

_GROUPS = (
    Claim(
        "table-1-means",
        "Table 1",
        "the 18 means",
        "{table1_means:.0f} of 18 lie in the range of our seeds 42 to 61, widened by the rounding",
        (case_holds(require_equal("means that agree", "table1.means", 18)),),
        files=("relative.csv",),
    ),
    Claim(
        "table-1-sds",
        "Table 1",
        "the 18 standard deviations",
        "{table1_sds:.0f} of 18 do; NSW's of the equality score is {nash_sd:.3f} here and .02 in print",
        (case_holds(require_equal("deviations that agree", "table1.sds", 18)),),
        "for that one; neither another generator of rankings nor an inexact solver explains it: both were tried",
    ),
    Claim(
        "perfect-voice",
        "§7.1",
        "fair policies have a perfect procedural score",
        "least of {groups:,.0f}: "
        "{lowest_PF_procedural:.9f}; {trivial:.0f} of the groups are trivial, every arm being everyone's favourite "
        "(648 by design)",
        (case_holds(require_at_least("least score", "lowest.PF.procedural", 1 - ROUNDING_TOLERANCE)),),
        files=("relative.csv",),
    ),
    Claim(
        "balance",
        "§7.1",
        "fair policies have the best balance of the three scores",
        "mean least score {raw_least_PF:.3f} (next GGI {raw_least_GGI:.3f}); relative to what can be lost "
        "{least_PF:.3f} (GGI {least_GGI:.3f}); best or as good on {best_PF:.0%} of groups. The largest total among the "
        "fair has {least_UTinPF:.3f}",
        (
            case_holds(
                require_at_least("lower end of PF − best other, raw", "balance.raw.low", 0),
                require_at_least("relative", "balance.relative.low", 0),
                require_at_least("PF − UT|PF, upper end", "balance.fair.high", 0),
            ),
            case_depends(
                "whom one compares: of the six yes, on either scale; the utilitarian policy held to fairness is "
                "better balanced",
                require_at_least("lower end of PF − best other, raw", "balance.raw.low", 0),
                require_at_least("relative", "balance.relative.low", 0),
            ),
            case_depends("the scale", require_at_least("lower end of PF − best other, raw", "balance.raw.low", 0)),
        ),
        files=("relative.csv", "differences.csv"),
    ),
    Claim(
        "minimal-sacrifice",
        "Abstract, §8.3",
        "what fair policies give up of equality and total is minimal",
        "raw {loss_equality:.1%} and {loss_utilitarian:.1%}; of what the groups could lose {lost_equality:.0%} and "
        "{lost_utilitarian:.0%}. The worst arm has an equality score of {floor_equality:.3f}, the even policy "
        "{raw_UNI_equality:.3f}, the fair one {raw_PF_equality:.3f}",
        (
            case_holds(
                require_at_most("raw loss", "loss.most", SMALL_CHANGE),
                require_at_most("relative loss", "lost.most", SMALL_CHANGE),
            ),
            case_depends(
                "the scale: the equality score hardly moves whatever is played",
                require_at_most("raw loss", "loss.most", SMALL_CHANGE),
            ),
        ),
        files=("relative.csv",),
    ),
    Claim(
        "voice-drops",
        "§7.1",
        "other policies lose much of the procedural score",
        "from {drop_IM:.0%} (IM) to {drop_GGI:.0%} (GGI) on average; least lower end of the paired intervals "
        "{drop_low:.3f}. UT has {raw_UT_procedural:.3f}, {nontrivial_UT_procedural:.3f} without the trivial groups, "
        "{single_UT_procedural:.3f} with single favourites",
        (case_holds(require_at_least("lower end of the smallest drop", "drop.low", SMALL_CHANGE)),),
        files=("differences.csv",),
    ),
    Claim(
        "low-spread",
        "§7.1",
        "fair policies score high on the other two with low deviations",
        "sd {sd_PF_equality:.3f} and {sd_PF_utilitarian:.3f}",
        (case_holds(require_at_most("larger sd", "sd.PF.most", SMALL_CHANGE)),),
        files=("relative.csv",),
    ),
    Claim(
        "unstable",
        "§7.1",
        "the procedural scores of other policies spread widely",
        "their sds are at least {drop_sd:.3f}, those of the fair policy's outcome scores at most {sd_PF_most:.3f}",
        (case_holds(require_at_least("least sd of the others", "drop.sd", 2 * SMALL_CHANGE)),),
        files=("relative.csv",),
    ),
    Claim(
        "phi-only-voice",
        "§7.1",
        "with the model only the procedural score changes meaningfully",
        "with φ from .01 to .99 another score moves by up to {phi_outcome_most:.3f}, procedural scores by at least "
        "{phi_voice_least:.3f}",
        (case_holds(require_at_most("largest change of another score", "phi.outcome.most", SMALL_CHANGE)),),
        "the total of IM's policy rises and that of the fair and egalitarian falls; voice changes most",
        files=("breakdown.csv",),
    ),
    Claim(
        "phi-identical",
        "§7.1",
        "at small φ fair policies are almost those of UT and NSW",
        "distance (total variation) from UT {apart_UT_0:.3f} at φ = .01, {apart_UT_1:.3f} at .25, {apart_UT_4:.3f} at "
        ".99; from NSW {apart_NSW_0:.3f}, {apart_NSW_1:.3f}, {apart_NSW_4:.3f}",
        (
            case_holds(
                require_at_most("distance at .25", "apart.UT.1", SMALL_CHANGE),
                require_at_most("distance at .01", "apart.UT.0", SMALL_CHANGE),
            ),
            case_depends(
                "φ: at .01 yes, at .25 no more",
                require_at_most("distance from UT at .01", "apart.UT.0", SMALL_CHANGE),
                require_at_most("from NSW", "apart.NSW.0", SMALL_CHANGE),
            ),
        ),
        files=("distances.csv",),
    ),
    Claim(
        "phi-erosion",
        "§7.1",
        "with disagreement every outcome policy loses voice, but IM",
        "from φ = .01 to .99 UT, EG, NSW and GGI lose {phi_eroded_least:.3f} or more",
        (case_holds(require_at_least("smallest loss", "phi.eroded.least", SMALL_CHANGE)),),
        files=("breakdown.csv",),
    ),
    Claim(
        "phi-im-grows",
        "§7.1",
        "IM's procedural score grows with disagreement",
        "{phi_im_first:.3f} at φ = .01, {phi_im_last:.3f} at .99",
        (case_holds(require_at_least("growth", "phi.im.grown", SMALL_CHANGE)),),
        files=("breakdown.csv",),
    ),
    Claim(
        "phi-consistent",
        "§7.1",
        "fair policies keep their other two scores as disagreement grows",
        "they move by {phi_pf_raw:.3f} raw, and by {phi_pf_relative:.3f} relative to what can be lost",
        (
            case_holds(
                require_at_most("raw", "phi.pf.raw", SMALL_CHANGE),
                require_at_most("relative", "phi.pf.relative", SMALL_CHANGE),
            ),
            case_depends(
                "the scale: the part of the total that could be lost and is kept falls from all of it to four fifths",
                require_at_most("raw", "phi.pf.raw", SMALL_CHANGE),
            ),
        ),
        files=("breakdown.csv",),
    ),
)

_DOTS = (
    Claim(
        "table-2",
        "Table 2",
        "the 18 cells",
        "{table2_agree:.0f} of 18 are the printed ones, for voters that we inferred",
        (case_holds(require_equal("cells that agree", "table2.agree", 18)),),
    ),
    Claim(
        "converges",
        "Figure 3",
        "the learned policy converges to the fair one",
        "after {rounds:,.0f} rounds its least score over {learn_seeds:.0f} seeds is {learn_fair:.6f}",
        (case_holds(require_at_least("least score", "learn.fair", 1 - ROUNDING_TOLERANCE)),),
        files=("played-runs.csv",),
    ),
    Claim(
        "only-nine-tenths",
        "§7.2",
        "the fair policy alone has 0.9 or more on every score",
        "its least is {dots_pf_least:.6f} (70041/77825), of the others {dots_others_least:.3f}",
        (
            case_holds(
                require_at_least("its least score", "dots.pf.least", 0.9),
                require_at_most("that of the others", "dots.others.least", 0.9),
            ),
            VerdictCase(
                VERDICT_HOLDS_ROUNDED,
                (
                    require_at_least("its least score at two decimals", "dots.pf.rounded", 0.9),
                    require_at_most("that of the others", "dots.others.least", 0.9),
                ),
            ),
        ),
    ),
    Claim(
        "dots-balance",
        "§7.2",
        "it has the best balance on the Dots voters",
        "least score {dots_pf_least:.3f}, of the "
        "others at most {dots_others_least:.3f}; best on {dots_won:.1%} of {dots_samples:,.0f} other samples of 50, "
        "with {dots_pf_usual:.3f} on average",
        (
            case_holds(
                require_at_least("samples won", "dots.won", 0.95),
                require_at_most("others' least", "dots.others.least", 0.9),
            ),
        ),
    ),
    Claim(
        "dots-utilitarian",
        "§7.2",
        "the utilitarian policy does poorly on equal voice",
        "{dots_ut_procedural:.2f}",
        (case_holds(require_at_most("score", "dots.ut.procedural", 0.5)),),
    ),
)

_DISCUSSION = (
    Claim(
        "robust",
        "§8.3",
        "the fair objective is game-theoretically robust",
        "blocked on {theorem4_blocked:.0f} of {theory_groups:.0f} groups; but in {lies_PF_count:.0f} of "
        "{lies_groups:,.0f} random approval groups of six someone gains by hiding a favourite, up to "
        "{lies_PF_most:.2f} of the lottery (conditional utilitarian {lies_CUT_count:.0f}, random dictatorship "
        "{lies_UES_count:.0f})",
        (
            case_holds(
                require_at_most("blocked", "theorem4.blocked", 0),
                require_at_most("groups with a lie that pays", "lies.PF", 0.01),
            ),
            case_depends(
                "what is meant: in the procedural core yes, against a false ballot no",
                require_at_most("blocked", "theorem4.blocked", 0),
            ),
        ),
        files=("lies.csv",),
    ),
    Claim(
        "strong-across-settings",
        "§8.3",
        "fair policies keep strong totals and low inequality across settings",
        "lowest of {groups:,.0f} groups: {lowest_PF_utilitarian:.3f} of the total, equality {lowest_PF_equality:.3f}; "
        "with single favourites {single_PF_utilitarian:.3f} of the total on average; at worst 1/N of it "
        "(N = 10: {worst_10:.3f}, N = 50: {worst_50:.3f})",
        (
            case_holds(
                require_at_least("least total", "lowest.PF.utilitarian", 0.9),
                require_at_least("worst case of ten", "worst.10", 0.9),
            ),
            case_depends(
                "the groups: on average yes, in the worst case 1/N of the total is left, which is tight",
                require_at_least("mean total", "raw.PF.utilitarian", 0.9),
                require_at_least("mean equality score", "raw.PF.equality", 0.9),
            ),
        ),
        files=("worst.csv", "breakdown.csv"),
    ),
)

PAPER_CLAIMS: dict[str, Claim] = {claim.id: claim for claim in (*_THEORY, *_GROUPS, *_DOTS, *_DISCUSSION)}
"""Claims by id, in the order of the paper's sections."""
