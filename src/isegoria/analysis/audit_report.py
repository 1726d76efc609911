"""An audit as one self-contained page: no script, no font and no picture from elsewhere, and it can be printed."""

from __future__ import annotations

import platform
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria import __version__
from isegoria.analysis.comparison import compare
from isegoria.profiles import require_instance
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense

if TYPE_CHECKING:
    from isegoria.analysis.audit import Audit
    from isegoria.profiles import Instance

MAX_SEGMENTS = 10
REPORT_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
h1{font-size:1.6rem}h2{font-size:1.15rem;margin-top:2rem}.verdict{font-size:1.15rem;font-weight:600}
table{border-collapse:collapse;width:100%}th,td{padding:.2rem .6rem;text-align:right;border-bottom:1px solid #ddd}
th:first-child,td:first-child{text-align:left}.bar{display:inline-block;height:.7rem;background:#2a6fb0}
td.chart{text-align:left;width:40%}footer{color:#555;font-size:.85rem;margin-top:2rem;overflow-wrap:anywhere}
@media print{body{margin:0;max-width:none}h2,tr{break-inside:avoid}.bar{print-color-adjust:exact}}
"""
METHOD = (
    "Every agent owns an equal share of the decision (its weight, divided by all weights).",
    "A share is heard as far as it can be spent on the agent's favourite options, within the chances that they have.",
    "The procedural score is the largest part of all shares that can be heard at once, found by a maximum flow.",
    "Equality is 1 minus the excess variance of utilities over its minimum; total utility is relative to its maximum.",
    "Stability asks whether a group could do better by leaving with its share; a time limit may leave it undecided.",
)


def format_report(audit: Audit, title: str = "Is everybody's voice heard equally?") -> str:
    """Return the page of an audit as HTML."""
    instance = audit.instance
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="verdict">{escape(summarise_verdict(audit))}</p>',
        _section("What was decided", _format_policy(audit)),
        _section("By which data", _format_data(audit)),
        _section("Who loses", _format_segments(audit)),
        _section("What equal voice would cost, and alternatives", _format_alternatives(audit)),
        _section("Verdicts", _list(audit.verdict_sentences)),
        _section("Method", _list(METHOD)),
        f"<footer>isegoria {escape(__version__)}, Python {platform.python_version()}, NumPy {np.__version__}; "
        f"SHA-256 of the ratings, weights and names: {digest_instance(require_instance(instance))}</footer>",
    ]
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>{escape(title)}</title><style>{REPORT_STYLE}</style></head>'
    )
    return f"{head}<body>{''.join(parts)}</body></html>\n"


def summarise_verdict(audit: Audit) -> str:
    """Return the verdict in one sentence, with the score among the agents with a preference.

    >>> import isegoria as iso
    >>> summarise_verdict(iso.audit(iso.Instance([[1, 0], [0, 1], [0, 1]]), [1, 0]))
    'Not fair: 33 % of the say is honoured.'
    """
    found = audit.participation
    if found.interval is not None and found.unknown:
        low, high = found.interval
        return f"Between {_percent(low)} and {_percent(high)} of the say is honoured, as some ratings are unknown."
    if audit.is_fair:
        return "Fair: all of the say is honoured."
    among = f", and {_percent(found.with_preference)} among agents with a preference" if found.indifferent else ""
    return f"Not fair: {_percent(found.everybody)} of the say is honoured{among}."


def digest_instance(instance: Instance) -> str:
    """Return a SHA-256 digest of the ratings, weights and names of an instance."""
    means = instance.means
    arrays = [means.data, means.indices, means.indptr] if instance.is_sparse else [np.ascontiguousarray(means)]
    digest = sha256()
    for array in [*arrays, instance.weights]:
        digest.update(f"{array.dtype.str}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    digest.update("\0".join([*instance.arms, "", *instance.agents]).encode())
    return digest.hexdigest()


def list_segments(audit: Audit) -> list[tuple[str, int, float, float]]:
    """Return (arm, agents, part heard, part of all shares lost) of the agents with each favourite, most lost first.

    An agent with several favourites is in several segments; indifferent agents are in none.
    """
    instance, types = audit.instance, audit.instance.favourite_types
    sets = to_dense(types.rows).astype(bool)
    chosen = ~sets.all(axis=1)
    weights, heard = np.asarray(types.weights)[chosen], np.asarray(audit.scores.attribution.type_ratios)[chosen]
    agents = weights @ sets[chosen]
    lost = (weights * (1 - heard)) @ sets[chosen] / instance.total_weight
    order = [k for k in np.argsort(-lost, kind="stable").tolist() if lost[k] > tolerances.FAIRNESS_GAP]
    part_heard = 1 - lost * instance.total_weight / np.maximum(agents, 1)
    return [(instance.arms[k], int(agents[k]), float(part_heard[k]), float(lost[k])) for k in order[:MAX_SEGMENTS]]


def _format_policy(audit: Audit) -> str:
    instance, policy = audit.instance, audit.policy
    support = audit.scores.attribution.instance.favourite_types
    liked = np.asarray(support.weights) @ to_dense(support.rows) / instance.total_weight
    order = np.lexsort((-liked, -policy)).tolist()
    rows = [
        [escape(instance.arms[k]), _percent(policy[k]), _bar(policy[k] / policy.max()), _percent(liked[k])]
        for k in order
    ]
    return _table(["option", "chance", "", "favourite of"], rows)


def _format_data(audit: Audit) -> str:
    instance, found = audit.instance, audit.participation
    said = [f"{found.agents:,} agents rated {len(instance.arms):,} options."]
    said += [f"{note[0].upper()}{note[1:]}." for note in instance.import_notes]
    if not instance.import_notes:
        said.append("The table has no gaps, so nothing was assumed for any.")
    return _list([*said, *audit.participation_sentences])


def _format_segments(audit: Audit) -> str:
    segments = list_segments(audit)
    if not segments:
        return "<p>Nobody: every agent's share is heard in full.</p>"
    rows = [
        [f"agents whose favourite is {escape(arm)}", f"{count:,}", _percent(heard), _percent(lost)]
        for arm, count, heard, lost in segments
    ]
    return _table(["segment", "agents", "of their share heard", "of all say lost"], rows) + (
        "<p>Agents with several favourites are in several segments.</p>"
    )


def _format_alternatives(audit: Audit) -> str:
    compared = compare(audit.instance, policies={"the audited policy": audit.policy})
    rows: list[list[str]] = []
    for name, entry in compared.items():
        numbers = (entry.scores.procedural, entry.scores.equality, entry.scores.utilitarian)
        rows.append([escape(entry.label if entry.label and name != "the audited policy" else name)])
        rows[-1] += [_percent(number) for number in numbers]
    fair, own = compared["procedural"].scores, compared["the audited policy"].scores
    cost = own.utilitarian - fair.utilitarian
    said = (
        f"Equal voice would cost {_percent(cost)} of the largest possible total utility, compared with this policy."
        if cost > 0
        else "Equal voice would cost no total utility, compared with this policy."
    )
    return f"<p>{said}</p>" + _table(["policy", "say honoured", "equality", "total utility"], rows)


def _percent(part: float) -> str:
    """Format a part as a percentage with up to one decimal, without rounding to 0 or 100 what is neither.

    >>> _percent(0.3123), _percent(0.0004), _percent(0.99999), _percent(1.0), _percent(0.055)
    ('31 %', 'under 0.1 %', 'over 99.9 %', '100 %', '5.5 %')
    """
    value = 100 * float(part)
    if abs(value - round(value)) < 1e-7:
        return f"{round(value)} %"
    if 0 < value < 0.1:
        return "under 0.1 %"
    if 99.9 < value < 100:
        return "over 99.9 %"
    return f"{value:.0f} %" if 10 <= value < 99 else f"{value:.1f} %"


def _section(title: str, content: str) -> str:
    return f"<h2>{escape(title)}</h2>{content}"


def _list(sentences: Any) -> str:
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>"


def _bar(part: float) -> str:
    return f'<span class="bar" style="width:{100 * float(part):.1f}%"></span>'


def _table(header: list[str], rows: list[list[str]]) -> str:
    def line(cells: list[str]) -> str:
        return "".join(f"<td{' class=chart' if 'bar' in cell else ''}>{cell}</td>" for cell in cells)

    top = "".join(f"<th>{name}</th>" for name in header)
    body = "".join(f"<tr>{line(row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
